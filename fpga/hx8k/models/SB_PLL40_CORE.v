// SPDX-License-Identifier: Apache-2.0
// Our model of an iCE40 PLL with one output, for simulations without delays: the reference itself, so that whoever
// simulates lets the pin run at the output's rate.
`default_nettype none
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
module SB_PLL40_CORE #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter [3:0] DIVR = 4'd0,
    parameter [6:0] DIVF = 7'd0,
    parameter [2:0] DIVQ = 3'd0,
    parameter [2:0] FILTER_RANGE = 3'd0
) (
    input  wire REFERENCECLK,
    input  wire RESETB,
    input  wire BYPASS,
    output wire PLLOUTGLOBAL
);
    assign PLLOUTGLOBAL = REFERENCECLK;
endmodule
`default_nettype wire
