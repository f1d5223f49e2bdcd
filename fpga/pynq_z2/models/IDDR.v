// SPDX-License-Identifier: Apache-2.0
// Our model of a 7-series pin that is sampled at both edges of a clock, SAME_EDGE: at a rising edge come the sample of
// that edge, and that of the falling edge before it.
`default_nettype none
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
module IDDR #(
    parameter DDR_CLK_EDGE = "OPPOSITE_EDGE"
) (
    input  wire D,
    input  wire C,
    input  wire CE,
    input  wire R,
    input  wire S,
    output reg  Q1,
    output reg  Q2
);
    reg falling_reg;

    always @(negedge C) falling_reg <= D;

    always @(posedge C) begin
        Q1 <= D;
        Q2 <= falling_reg;
    end
endmodule
`default_nettype wire
