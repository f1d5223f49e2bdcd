// SPDX-License-Identifier: Apache-2.0
// ULX3S (ECP5-85): six ends of QCDOC links at 50 Mb/s, on two PLLs, to be cabled over pins: three links on one board by
// jumpers, or six between two boards. A tester at each end makes, checks and damages traffic; a serial line over the
// board's USB reads and writes all registers (qcdoc_cable_tester). What to plug where: README.md here.
`default_nettype none
module ulx3s_qcdoc #(
    parameter [31:0] SOURCE_HASH = 32'd0,   // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd50   // of 50 MHz: 1,000,000 baud
) (
    input  wire       clk25,
    input  wire       rxd,
    output wire       txd,
    input  wire [5:0] line_in,           // ends A to F
    output wire [5:0] line_out,
    output wire [7:0] led,
    output wire       wifi_gpio0         // 1, or the board's ESP32 takes the FPGA over
);
    wire        a_sample_clk, a_clk, a_rst, b_sample_clk, b_clk, b_rst;
    wire [23:0] samples;

    assign wifi_gpio0 = 1'b1;

    ulx3s_clocks a_clocks (
        .ref_clk(clk25), .sample_clk(a_sample_clk), .clk(a_clk), .rst(a_rst));
    ulx3s_clocks b_clocks (
        .ref_clk(clk25), .sample_clk(b_sample_clk), .clk(b_clk), .rst(b_rst));

    genvar i;
    generate
        for (i = 0; i < 6; i = i + 2) begin : gen_pair
            ulx3s_samples a_line (
                .sample_clk(a_sample_clk), .clk(a_clk), .pin(line_in[i]), .samples(samples[4*i +: 4]));
            ulx3s_samples b_line (
                .sample_clk(b_sample_clk), .clk(b_clk), .pin(line_in[i+1]), .samples(samples[4*i+4 +: 4]));
        end
    endgenerate

    qcdoc_cable_tester #(
        .ENDS(6), .IDENTITY(32'h48545155), .SOURCE_HASH(SOURCE_HASH), .BAUD_CYCLES(BAUD_CYCLES),   // "HTQU"
        .CAPTURE(1)
    ) tester (
        .a_clk(a_clk), .a_rst(a_rst), .b_clk(b_clk), .b_rst(b_rst), .rxd(rxd), .txd(txd), .samples(samples),
        .serial_out(line_out), .led(led));
endmodule
`default_nettype wire
