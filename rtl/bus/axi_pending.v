// SPDX-License-Identifier: Apache-2.0
// Accesses of a memory port that were taken and are not answered, and marks: a mark is passed once all that had been
// taken by then is answered. Answers come in the order of the accesses. A mark for each who waits.
`default_nettype none
module axi_pending #(
    parameter BITS  = 8,                  // of a number of accesses
    parameter MARKS = 2
) (
    input  wire            clk,
    input  wire            rst,
    input  wire            taken,         // one access
    input  wire [BITS-1:0] answered,      // so many
    input  wire [MARKS-1:0] mark,         // pulses; the access of the same cycle counts as taken
    output wire [MARKS-1:0] passed,       // one cycle after mark or later
    output wire            none
);
    reg  [BITS-1:0] pending_reg;
    wire [BITS-1:0] pending = pending_reg + {{BITS-1{1'b0}}, taken} - answered;

    assign none = pending_reg == {BITS{1'b0}};

    genvar i;
    generate
        for (i = 0; i < MARKS; i = i + 1) begin : g_mark
            reg  [BITS-1:0] left_reg;     // of those before the mark
            assign passed[i] = left_reg == {BITS{1'b0}};
            always @(posedge clk) begin
                if (mark[i])
                    left_reg <= pending;
                else
                    left_reg <= left_reg > answered ? left_reg - answered : {BITS{1'b0}};
                if (rst)
                    left_reg <= {BITS{1'b0}};
            end
        end
    endgenerate

    always @(posedge clk) begin
        pending_reg <= pending;
        if (rst)
            pending_reg <= {BITS{1'b0}};
    end
endmodule
`default_nettype wire
