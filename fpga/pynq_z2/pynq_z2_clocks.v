// SPDX-License-Identifier: Apache-2.0
// From the board's 125 MHz the clocks of samples (twice a bit), of bits and of words of ten bits: an MMCM with a VCO of
// 1 GHz, divided by 10, 20 and, of two steps, 200.
`default_nettype none
module pynq_z2_clocks (
    input  wire ref_clk,                 // 125 MHz
    output wire sample_clk,              // 100 MHz
    output wire bit_clk,                 // 50 MHz
    output wire word_clk,                // 5 MHz
    output wire locked                   // any clock
);
    wire feedback, sample, bit_out, word;

    // CLKOUT6 goes into CLKOUT4's divider: 20 * 10
    MMCME2_BASE #(
        .CLKIN1_PERIOD(8.0), .DIVCLK_DIVIDE(1), .CLKFBOUT_MULT_F(8.0), .CLKOUT0_DIVIDE_F(10.0), .CLKOUT1_DIVIDE(20),
        .CLKOUT4_CASCADE("TRUE"), .CLKOUT4_DIVIDE(10), .CLKOUT6_DIVIDE(20)
    ) mmcm (
        .CLKIN1(ref_clk), .CLKFBIN(feedback), .CLKFBOUT(feedback), .CLKOUT0(sample), .CLKOUT1(bit_out), .CLKOUT4(word),
        .LOCKED(locked), .PWRDWN(1'b0), .RST(1'b0));
    BUFG sample_net (.I(sample), .O(sample_clk));
    BUFG bit_net (.I(bit_out), .O(bit_clk));
    BUFG word_net (.I(word), .O(word_clk));
endmodule
`default_nettype wire
