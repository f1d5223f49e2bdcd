// SPDX-License-Identifier: Apache-2.0
// One PLL of an ECP5: from the board's 25 MHz a clock for bits, and one of twice its rate for sampling, with its edges
// on those of the first. 25 MHz * 4 = 100 MHz, of a VCO of 600 MHz, and half of it. Also the reset: it is held for
// 65,536 bits (1.3 ms) from the moment on in which the PLL has locked.
`default_nettype none
module ulx3s_clocks (
    input  wire ref_clk,                 // 25 MHz
    output wire sample_clk,              // 100 MHz
    output wire clk,                     // 50 MHz
    output wire rst                      // of clk
);
    wire       lock;
    wire [1:0] no_clk;
    wire       unused = &{1'b0, no_clk, 1'b0};

    // the loop filter as the vendor sets it for these frequencies
    (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
    EHXPLLL #(
        .CLKI_DIV(1), .CLKFB_DIV(4), .FEEDBK_PATH("CLKOP"),
        .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(6), .CLKOP_CPHASE(2), .CLKOP_FPHASE(0),
        .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(12), .CLKOS_CPHASE(2), .CLKOS_FPHASE(0)
    ) pll (
        .CLKI(ref_clk), .CLKFB(sample_clk), .CLKOP(sample_clk), .CLKOS(clk),
        .CLKOS2(no_clk[0]), .CLKOS3(no_clk[1]), .LOCK(lock), .RST(1'b0), .STDBY(1'b0),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0),
        .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0));

    held_reset #(.BITS(16)) hold (.clk(clk), .ready(lock), .rst(rst));
endmodule
`default_nettype wire
