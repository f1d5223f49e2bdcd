// SPDX-License-Identifier: Apache-2.0
// Our model of an ECP5's clock divider, by two.
`default_nettype none
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
module CLKDIVF #(
    parameter DIV = "2.0",
    parameter GSR = "DISABLED"
) (
    input  wire CLKI,
    input  wire RST,
    input  wire ALIGNWD,
    output wire CDIVX
);
    reg half_reg;

    assign CDIVX = half_reg;

    always @(posedge CLKI) half_reg <= !half_reg;
endmodule
`default_nettype wire
