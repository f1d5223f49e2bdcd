// SPDX-License-Identifier: Apache-2.0
// Our model of an iCE40 PLL with two outputs, for simulations without delays: the reference is taken for the faster
// output itself, so whoever simulates lets the pin run at that rate; the other output has half of it, with its edges on
// edges of the first.
`default_nettype none
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
module SB_PLL40_2F_CORE #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter [3:0] DIVR = 4'd0,
    parameter [6:0] DIVF = 7'd0,
    parameter [2:0] DIVQ = 3'd0,
    parameter [2:0] FILTER_RANGE = 3'd0,
    parameter PLLOUT_SELECT_PORTA = "GENCLK",
    parameter PLLOUT_SELECT_PORTB = "GENCLK"
) (
    input  wire REFERENCECLK,
    input  wire RESETB,
    input  wire BYPASS,
    output wire PLLOUTGLOBALA,
    output wire PLLOUTGLOBALB
);
    reg half_reg;

    assign PLLOUTGLOBALA = REFERENCECLK;
    assign PLLOUTGLOBALB = half_reg;

    always @(posedge REFERENCECLK) half_reg <= !half_reg;
endmodule
`default_nettype wire
