// SPDX-License-Identifier: Apache-2.0
// One PLL of an ECP5: from the board's 25 MHz the clocks of samples (twice a bit), of bits, of the node's core and of
// words of ten bits. 25 MHz * 4 = 100 MHz, of a VCO of 600 MHz; the others are that divided, with their edges on edges
// of the first. Also the reset: it is held for 2^RESET_BITS core cycles from the moment on in which the PLL has locked.
`default_nettype none
module ulx3s_qpace_clocks #(
    parameter RESET_BITS = 16            // 2.6 ms: block RAM reads right long before
) (
    input  wire ref_clk,                 // 25 MHz
    output wire sample_clk,              // 100 MHz
    output wire bit_clk,                 // 50 MHz
    output wire clk,                     // 25 MHz
    output wire word_clk,                // 5 MHz
    output wire rst                      // of clk
);
    wire lock;

    // the loop filter as the vendor sets it for these frequencies
    (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
    EHXPLLL #(
        .CLKI_DIV(1), .CLKFB_DIV(4), .FEEDBK_PATH("CLKOP"),
        .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(6), .CLKOP_CPHASE(2), .CLKOP_FPHASE(0),
        .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(12), .CLKOS_CPHASE(2), .CLKOS_FPHASE(0),
        .CLKOS2_ENABLE("ENABLED"), .CLKOS2_DIV(24), .CLKOS2_CPHASE(2), .CLKOS2_FPHASE(0),
        .CLKOS3_ENABLE("ENABLED"), .CLKOS3_DIV(120), .CLKOS3_CPHASE(2), .CLKOS3_FPHASE(0)
    ) pll (
        .CLKI(ref_clk), .CLKFB(sample_clk), .CLKOP(sample_clk), .CLKOS(bit_clk), .CLKOS2(clk), .CLKOS3(word_clk),
        .LOCK(lock), .RST(1'b0), .STDBY(1'b0),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0),
        .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0));

    held_reset #(.BITS(RESET_BITS)) hold (.clk(clk), .ready(lock), .rst(rst));
endmodule
`default_nettype wire
