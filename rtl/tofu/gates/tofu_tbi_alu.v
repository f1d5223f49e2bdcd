// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the barrier gates, one for all 64: two data in, their combination one cycle later; a new pair every
// cycle. Integers are 64 bits, MAX unsigned. FSUM merges two states of the order-independent sum (rtl/tofu/README.md):
// of the up to four lanes those of the two highest groups stay, equal groups are added. [Tofu2012], [Tofu2012ja]
// section 5.3; the state is ours, after US 7,873,688.
//
//   cycle     0                            1
//             a, b: groups compared,       two sums of 152 bits
//             lanes lined up               result
//
// With several STATES (TofuD) there is a unit for each, and two integers a unit, one in each of its adders; integers
// stand side by side from bit 0 on. MAXLOC takes those of a unit for a value and its place.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tbi_alu #(
    parameter STATES   = 1,
    parameter FLOATING = 1,              // 0: words only; one cycle, all the same
    parameter BITS     = FLOATING != 0 ? 320*STATES : 64
) (
    input  wire         clk,
    input  wire [3:0]   operation,
    input  wire         use_a,       // without: as if a were not there
    input  wire         use_b,
    input  wire [BITS-1:0] a,
    input  wire [BITS-1:0] b,
    output wire [BITS-1:0] result   // one cycle after
);
    localparam WIDE  = STATES > 1;
    localparam WORDS = WIDE ? 2*STATES : 1;

    wire         both = use_a && use_b;
    wire         pass = !both || operation == `TOFU_OP_BARRIER || operation == `TOFU_OP_BROADCAST;
    wire         sums = operation == `TOFU_OP_FSUM;
    wire [BITS-1:0] only = use_a ? a : use_b ? b : {BITS{1'b0}};
    wire [BITS-1:0] states;
    wire [64*WORDS-1:0]   words;
    reg          integer_reg;

    always @(posedge clk)
        integer_reg <= !pass && !sums;

    genvar n;
    generate
        if (FLOATING == 0) begin : g_word
            // as below, of one word
            reg  [63:0] x_reg, y_reg, word;
            always @*
                case (operation)
                    `TOFU_OP_AND: word = a & b;
                    `TOFU_OP_OR:  word = a | b;
                    `TOFU_OP_XOR: word = a ^ b;
                    `TOFU_OP_MAX: word = a > b ? a : b;
                    default:      word = a;
                endcase
            assign words  = x_reg + y_reg;
            assign states = words;
            assign result = words;
            always @(posedge clk) begin
                x_reg <= pass ? only : word;
                y_reg <= !pass && operation == `TOFU_OP_SUM ? b : 64'd0;
            end
            wire unused = &{1'b0, states, integer_reg};
        end else begin : g_wide
            assign result = integer_reg ? {{320*STATES-64*WORDS{1'b0}}, words} : states;
        end
        for (n = 0; FLOATING != 0 && n < STATES; n = n + 1) begin : g_state
            wire [319:0] sa = a[320*n +: 320];
            wire [319:0] sb = b[320*n +: 320];
            wire [319:0] own = only[320*n +: 320];

            // lanes: {flags, group, sum}
            wire [4:0]   ah = sa[156:152];
            wire [4:0]   al = sa[316:312];
            wire [4:0]   bh = sb[156:152];
            wire [4:0]   bl = sb[316:312];
            wire [151:0] a_high = sa[151:0];
            wire [151:0] a_low  = sa[311:160];
            wire [151:0] b_high = sb[151:0];
            wire [151:0] b_low  = sb[311:160];

            wire [1:0]   which  = {ah >= bh, bh >= ah};        // has a, has b the highest group
            // candidates for the second: the next lane of who has the highest group, the first of who has not
            wire [4:0]   next_a  = which[1] ? al : ah;
            wire [4:0]   next_b  = which[0] ? bl : bh;
            wire [151:0] next_a_sum = which[1] ? a_low : a_high;
            wire [151:0] next_b_sum = which[0] ? b_low : b_high;
            wire [1:0]   second = {next_a >= next_b, next_b >= next_a};

            wire [63:0]  a0 = a[128*n +: 64];
            wire [63:0]  b0 = b[128*n +: 64];
            wire [63:0]  a1 = WIDE ? a[128*n + 64 +: 64] : 64'd0;
            wire [63:0]  b1 = WIDE ? b[128*n + 64 +: 64] : 64'd0;
            wire         first = a0 > b0 || (a0 == b0 && a1 <= b1);
            reg  [63:0]  word0, word1;
            always @*
                case (operation)
                    `TOFU_OP_AND:    {word1, word0} = {a1 & b1, a0 & b0};
                    `TOFU_OP_OR:     {word1, word0} = {a1 | b1, a0 | b0};
                    `TOFU_OP_XOR:    {word1, word0} = {a1 ^ b1, a0 ^ b0};
                    `TOFU_OP_MAX:    {word1, word0} = {a1 > b1 ? a1 : b1, a0 > b0 ? a0 : b0};
                    `TOFU_OP_MAXLOC: {word1, word0} = WIDE && !first ? {b1, b0} : {a1, a0};
                    default:         {word1, word0} = {a1, a0};
                endcase

            reg  [151:0] x_high_reg, y_high_reg, x_low_reg, y_low_reg;
            reg  [7:0]   top_high_reg, top_low_reg;            // flags and group
            wire [151:0] high = x_high_reg + y_high_reg;
            wire [151:0] low  = x_low_reg + y_low_reg;

            assign states[320*n +: 320] = {top_low_reg, low, top_high_reg, high};
            if (WIDE) begin : g_two
                assign words[128*n +: 128] = {low[63:0], high[63:0]};
            end else begin : g_one
                assign words = high[63:0];
            end

            always @(posedge clk) begin
                if (pass) begin
                    {top_low_reg, x_low_reg, top_high_reg, x_high_reg} <= own;
                    y_high_reg <= 152'd0;
                    y_low_reg  <= 152'd0;
                end else if (sums) begin
                    x_high_reg   <= which[1] ? a_high : 152'd0;
                    y_high_reg   <= which[0] ? b_high : 152'd0;
                    x_low_reg    <= second[1] ? next_a_sum : 152'd0;
                    y_low_reg    <= second[0] ? next_b_sum : 152'd0;
                    top_high_reg <= {sa[159:157] | sb[159:157], which[1] ? ah : bh};
                    top_low_reg  <= {3'd0, second[1] ? next_a : next_b};
                end else begin
                    x_high_reg   <= {88'd0, word0};
                    y_high_reg   <= operation == `TOFU_OP_SUM ? {88'd0, b0} : 152'd0;
                    x_low_reg    <= {88'd0, word1};
                    y_low_reg    <= operation == `TOFU_OP_SUM ? {88'd0, b1} : 152'd0;
                    top_high_reg <= 8'd0;
                    top_low_reg  <= 8'd0;
                end
            end

            wire unused = &{1'b0, sa[319:317], sb[319:317]};
        end
    endgenerate
endmodule
`default_nettype wire
