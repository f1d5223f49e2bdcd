// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the barrier gates, one for all 64: two data in, their combination one cycle later; a new pair every
// cycle. Integers are 64 bits, MAX unsigned. FSUM merges two states of the order-independent sum (rtl/tofu/README.md):
// of the up to four lanes those of the two highest groups stay, equal groups are added. [Tofu2012], [Tofu2012ja]
// section 5.3; the state is ours, after US 7,873,688.
//
//   cycle     0                            1
//             a, b: groups compared,       two sums of 152 bits
//             lanes lined up               result
`default_nettype none
`include "tofu_wire.vh"
module tofu_tbi_alu (
    input  wire         clk,
    input  wire [3:0]   operation,
    input  wire         use_a,       // without: as if a were not there
    input  wire         use_b,
    input  wire [319:0] a,
    input  wire [319:0] b,
    output wire [319:0] result       // one cycle after
);
    // lanes: {flags, group, sum}
    wire [4:0]   ah = a[156:152];
    wire [4:0]   al = a[316:312];
    wire [4:0]   bh = b[156:152];
    wire [4:0]   bl = b[316:312];
    wire [151:0] a_high = a[151:0];
    wire [151:0] a_low  = a[311:160];
    wire [151:0] b_high = b[151:0];
    wire [151:0] b_low  = b[311:160];

    wire [1:0]   which  = {ah >= bh, bh >= ah};        // has a, has b the highest group
    // candidates for the second: the next lane of who has the highest group, the first of who has not
    wire [4:0]   next_a  = which[1] ? al : ah;
    wire [4:0]   next_b  = which[0] ? bl : bh;
    wire [151:0] next_a_sum = which[1] ? a_low : a_high;
    wire [151:0] next_b_sum = which[0] ? b_low : b_high;
    wire [1:0]   second = {next_a >= next_b, next_b >= next_a};

    wire         both = use_a && use_b;
    wire         pass = !both || operation == `TOFU_OP_BARRIER || operation == `TOFU_OP_BROADCAST;
    wire         sums = operation == `TOFU_OP_FSUM;
    wire [319:0] only = use_a ? a : use_b ? b : 320'd0;
    reg  [63:0]  word;
    always @*
        case (operation)
            `TOFU_OP_AND: word = a[63:0] & b[63:0];
            `TOFU_OP_OR:  word = a[63:0] | b[63:0];
            `TOFU_OP_XOR: word = a[63:0] ^ b[63:0];
            `TOFU_OP_MAX: word = a[63:0] > b[63:0] ? a[63:0] : b[63:0];
            default:      word = a[63:0];
        endcase

    reg  [151:0] x_high_reg, y_high_reg, x_low_reg, y_low_reg;
    reg  [7:0]   top_high_reg, top_low_reg;            // flags and group
    reg          integer_reg;
    wire [151:0] high = x_high_reg + y_high_reg;
    wire [151:0] low  = x_low_reg + y_low_reg;

    assign result = integer_reg ? {256'd0, high[63:0]} : {top_low_reg, low, top_high_reg, high};

    always @(posedge clk) begin
        integer_reg <= !pass && !sums;
        if (pass) begin
            {top_low_reg, x_low_reg, top_high_reg, x_high_reg} <= only;
            y_high_reg <= 152'd0;
            y_low_reg  <= 152'd0;
        end else if (sums) begin
            x_high_reg   <= which[1] ? a_high : 152'd0;
            y_high_reg   <= which[0] ? b_high : 152'd0;
            x_low_reg    <= second[1] ? next_a_sum : 152'd0;
            y_low_reg    <= second[0] ? next_b_sum : 152'd0;
            top_high_reg <= {a[159:157] | b[159:157], which[1] ? ah : bh};
            top_low_reg  <= {3'd0, second[1] ? next_a : next_b};
        end else begin
            x_high_reg   <= {88'd0, word};
            y_high_reg   <= operation == `TOFU_OP_SUM ? {88'd0, b[63:0]} : 152'd0;
            x_low_reg    <= 152'd0;
            y_low_reg    <= 152'd0;
            top_high_reg <= 8'd0;
            top_low_reg  <= 8'd0;
        end
    end
endmodule
`default_nettype wire
