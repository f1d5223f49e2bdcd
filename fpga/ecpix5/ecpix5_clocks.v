// SPDX-License-Identifier: Apache-2.0
// From the board's 100 MHz the clock of the node's core, 50 MHz (a VCO of 600 MHz, divided by 12), and its reset, held
// for 2^RESET_BITS cycles of it from the moment on in which the PLL has locked. The link's clocks come from the
// transceiver (ecpix5_serdes).
`default_nettype none
module ecpix5_clocks #(
    parameter RESET_BITS = 17            // 2.6 ms: block RAM reads right long before
) (
    input  wire ref_clk,                 // 100 MHz
    output wire clk,                     // 50 MHz
    output wire rst
);
    wire       lock;
    wire [2:0] no_clk;
    wire       unused = &{1'b0, no_clk, 1'b0};

    // the loop filter as the vendor sets it for these frequencies
    (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
    EHXPLLL #(
        .CLKI_DIV(2), .CLKFB_DIV(1), .FEEDBK_PATH("CLKOP"),
        .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(12), .CLKOP_CPHASE(5), .CLKOP_FPHASE(0)
    ) pll (
        .CLKI(ref_clk), .CLKFB(clk), .CLKOP(clk), .CLKOS(no_clk[0]), .CLKOS2(no_clk[1]), .CLKOS3(no_clk[2]),
        .LOCK(lock), .RST(1'b0), .STDBY(1'b0),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0),
        .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0));

    held_reset #(.BITS(RESET_BITS)) hold (.clk(clk), .ready(lock), .rst(rst));
endmodule
`default_nettype wire
