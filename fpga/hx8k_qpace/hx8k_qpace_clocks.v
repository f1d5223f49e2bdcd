// SPDX-License-Identifier: Apache-2.0
// The two PLLs of an iCE40 HX8K: from the board's 12 MHz a clock for words on the wire and one for the link's other
// side, which are not each other's: 12 MHz * (53 + 1) = 648 MHz, divided by 16: 40.5 MHz; 12 MHz * (54 + 1) = 660 MHz:
// 41.25 MHz. Also the reset: it is held for 2^RESET_BITS cycles (1.6 ms) from the bitstream on, in which the PLLs lock
// (50 us at the most, says the data sheet) and block RAM, which reads wrong for some microseconds, comes to itself.
`default_nettype none
module hx8k_qpace_clocks #(
    parameter RESET_BITS = 16
) (
    input  wire ref_clk,                 // 12 MHz
    output wire word_clk,                // 40.5 MHz
    output wire clk,                     // 41.25 MHz
    output wire rst                      // of clk
);
    SB_PLL40_CORE #(
        .FEEDBACK_PATH("SIMPLE"), .DIVR(4'd0), .DIVF(7'd53), .DIVQ(3'd4), .FILTER_RANGE(3'd1)
    ) words (
        .REFERENCECLK(ref_clk), .RESETB(1'b1), .BYPASS(1'b0), .PLLOUTGLOBAL(word_clk));
    SB_PLL40_CORE #(
        .FEEDBACK_PATH("SIMPLE"), .DIVR(4'd0), .DIVF(7'd54), .DIVQ(3'd4), .FILTER_RANGE(3'd1)
    ) core (
        .REFERENCECLK(ref_clk), .RESETB(1'b1), .BYPASS(1'b0), .PLLOUTGLOBAL(clk));

    // LOCK is not used: nextpnr 0.4 cannot place what both PLLs' would need
    held_reset #(.BITS(RESET_BITS)) hold (.clk(clk), .ready(1'b1), .rst(rst));
endmodule
`default_nettype wire
