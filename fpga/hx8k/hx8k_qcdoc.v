// SPDX-License-Identifier: Apache-2.0
// iCE40 HX8K breakout board: two ends of a QCDOC link at 50.25 Mb/s, each with a PLL and so a clock of its own, to be
// cabled over pins: to one another by two jumpers, or to a second board. A tester at each end makes, checks and damages
// traffic; a serial line over the board's USB reads and writes all registers (qcdoc_cable_tester). What to plug where:
// README.md here.
`default_nettype none
module hx8k_qcdoc #(
    parameter [31:0] SOURCE_HASH = 32'd0,   // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd50   // of 50.25 MHz: 1,005,000 baud
) (
    input  wire       clk12,
    input  wire       rxd,
    output wire       txd,
    input  wire       a_in,
    output wire       a_out,
    input  wire       b_in,
    output wire       b_out,
    output wire [7:0] led
);
    wire        a_sample_clk, a_clk, a_rst, b_sample_clk, b_clk, b_rst;
    wire [3:0]  a_samples, b_samples;

    hx8k_clocks a_clocks (
        .ref_clk(clk12), .sample_clk(a_sample_clk), .clk(a_clk), .rst(a_rst));
    hx8k_clocks b_clocks (
        .ref_clk(clk12), .sample_clk(b_sample_clk), .clk(b_clk), .rst(b_rst));
    hx8k_samples a_line (.sample_clk(a_sample_clk), .clk(a_clk), .pin(a_in), .samples(a_samples));
    hx8k_samples b_line (.sample_clk(b_sample_clk), .clk(b_clk), .pin(b_in), .samples(b_samples));

    qcdoc_cable_tester #(
        .ENDS(2), .IDENTITY(32'h48545142), .SOURCE_HASH(SOURCE_HASH), .BAUD_CYCLES(BAUD_CYCLES)   // "HTQB"
    ) tester (
        .a_clk(a_clk), .a_rst(a_rst), .b_clk(b_clk), .b_rst(b_rst), .rxd(rxd), .txd(txd),
        .samples({b_samples, a_samples}), .serial_out({b_out, a_out}), .led(led));
endmodule
`default_nettype wire
