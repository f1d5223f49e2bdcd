// SPDX-License-Identifier: Apache-2.0
// Our model of an ECP5 PLL with two outputs, for simulations without delays: the reference is taken for the faster
// output itself, so whoever simulates lets the pin run at that rate; the other output has half of it, with its edges on
// edges of the first.
`default_nettype none
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
module EHXPLLL #(
    parameter CLKI_DIV      = 1,
    parameter CLKFB_DIV     = 1,
    parameter FEEDBK_PATH   = "CLKOP",
    parameter CLKOP_ENABLE  = "ENABLED",
    parameter CLKOP_DIV     = 8,
    parameter CLKOP_CPHASE  = 0,
    parameter CLKOP_FPHASE  = 0,
    parameter CLKOS_ENABLE  = "DISABLED",
    parameter CLKOS_DIV     = 8,
    parameter CLKOS_CPHASE  = 0,
    parameter CLKOS_FPHASE  = 0
) (
    input  wire CLKI,
    input  wire CLKFB,
    output wire CLKOP,
    output wire CLKOS,
    output wire LOCK,
    input  wire RST,
    input  wire STDBY,
    input  wire PHASESEL0,
    input  wire PHASESEL1,
    input  wire PHASEDIR,
    input  wire PHASESTEP,
    input  wire PHASELOADREG,
    input  wire PLLWAKESYNC,
    input  wire ENCLKOP,
    input  wire ENCLKOS
);
    reg half_reg;

    assign CLKOP = CLKI;
    assign CLKOS = half_reg;
    assign LOCK  = 1'b1;

    always @(posedge CLKI) half_reg <= !half_reg;
endmodule
`default_nettype wire
