// SPDX-License-Identifier: Apache-2.0
// One PLL of an iCE40 HX8K: from the board's 12 MHz a clock for bits, and one of twice its rate for sampling, with
// its edges on those of the first. 12 MHz * (66 + 1) = 804 MHz, divided by 8 and by 16: 100.5 and 50.25 MHz. Also the
// reset: it is held for 65,536 bits (1.3 ms) from the bitstream on, in which the PLL locks (50 us at the most, says its
// data sheet) and block RAM, which reads wrong for some microseconds, comes to itself. LOCK is not used: nextpnr 0.4
// cannot place what both PLLs' would need.
`default_nettype none
module hx8k_clocks (
    input  wire ref_clk,                 // 12 MHz
    output wire sample_clk,              // 100.5 MHz
    output wire clk,                     // 50.25 MHz
    output wire rst                      // of clk
);
    // Flip-flops of an iCE40 are 0 when the bitstream has come.
    reg [16:0] wait_reg;

    assign rst = !wait_reg[16];

    SB_PLL40_2F_CORE #(
        .FEEDBACK_PATH("SIMPLE"), .DIVR(4'd0), .DIVF(7'd66), .DIVQ(3'd3), .FILTER_RANGE(3'd1),
        .PLLOUT_SELECT_PORTA("GENCLK"), .PLLOUT_SELECT_PORTB("GENCLK_HALF")
    ) pll (
        .REFERENCECLK(ref_clk), .RESETB(1'b1), .BYPASS(1'b0),
        .PLLOUTGLOBALA(sample_clk), .PLLOUTGLOBALB(clk));

    always @(posedge clk) begin
        if (!wait_reg[16])
            wait_reg <= wait_reg + 17'd1;
    end
endmodule
`default_nettype wire
