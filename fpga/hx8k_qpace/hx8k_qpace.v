// SPDX-License-Identifier: Apache-2.0
// iCE40 HX8K breakout board: one QPACE link, looped to itself inside, words at 40.5 MHz. A tester makes, checks and
// damages traffic; a serial line over the board's USB reads and writes all registers (qpace_link_tester). Nothing is to
// be plugged.
`default_nettype none
module hx8k_qpace #(
    parameter [31:0] SOURCE_HASH = 32'd0,   // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd41,  // of 41.25 MHz: 1,006,000 baud
    parameter        RESET_BITS  = 16
) (
    input  wire       clk12,
    input  wire       rxd,
    output wire       txd,
    output wire [7:0] led
);
    wire word_clk, clk, rst;

    hx8k_qpace_clocks #(.RESET_BITS(RESET_BITS)) clocks (
        .ref_clk(clk12), .word_clk(word_clk), .clk(clk), .rst(rst));
    qpace_link_tester #(
        .IDENTITY(32'h4854514C), .SOURCE_HASH(SOURCE_HASH), .BAUD_CYCLES(BAUD_CYCLES)   // "HTQL"
    ) tester (
        .clk(clk), .rst(rst), .rxd(rxd), .txd(txd), .link_clk(word_clk), .led(led));
endmodule
`default_nettype wire
