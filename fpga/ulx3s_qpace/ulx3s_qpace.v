// SPDX-License-Identifier: Apache-2.0
// ULX3S (ECP5-85): a whole QPACE network processor, its link +x on four soft lanes over pins, 50 Mb/s each, to be
// cabled to another board or back to itself; its other links looped inside. A tester has a processor's place; a serial
// line over the board's USB reads and writes all registers (qpace_node_tester). What to plug where: README.md here.
//
//   pin --> ulx3s_samples --> lane_pins --> qpace_node_tester --> lane_pins --> pin
//           100 MHz, both edges  50 MHz      words: 5 MHz             50 MHz
`default_nettype none
module ulx3s_qpace #(
    parameter [31:0] SOURCE_HASH = 32'd0,   // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd25,  // of 25 MHz: 1,000,000 baud
    parameter        RESET_BITS  = 16
) (
    input  wire       clk25,
    input  wire       rxd,
    output wire       txd,
    input  wire [3:0] line_in,           // lanes 0 to 3
    output wire [3:0] line_out,
    output wire [7:0] led,
    output wire       wifi_gpio0         // 1, or the board's ESP32 takes the FPGA over
);
    wire        sample_clk, bit_clk, clk, word_clk, rst;
    wire [15:0] samples;
    wire [39:0] phy_tx, phy_rx;
    wire [3:0]  phy_rx_valid, phy_rx_signal;

    assign wifi_gpio0 = 1'b1;

    ulx3s_qpace_clocks #(.RESET_BITS(RESET_BITS)) clocks (
        .ref_clk(clk25), .sample_clk(sample_clk), .bit_clk(bit_clk), .clk(clk), .word_clk(word_clk), .rst(rst));
    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : gen_lane
            ulx3s_samples sampler (
                .sample_clk(sample_clk), .clk(bit_clk), .pin(line_in[i]), .samples(samples[4*i +: 4]));
        end
    endgenerate

    lane_pins pins (
        .word_clk(word_clk), .bit_clk(bit_clk), .rst(rst), .phy_tx(phy_tx), .line_out(line_out), .samples(samples),
        .phy_rx_valid(phy_rx_valid), .phy_rx(phy_rx), .phy_rx_signal(phy_rx_signal));

    qpace_node_tester #(
        .IDENTITY(32'h48545150), .SOURCE_HASH(SOURCE_HASH), .BAUD_CYCLES(BAUD_CYCLES), .LANES(4)   // "HTQP"
    ) tester (
        .clk(clk), .rst(rst), .rxd(rxd), .txd(txd), .link_clk(word_clk), .phy_tx(phy_tx), .rx_clk({4{bit_clk}}),
        .phy_rx_valid(phy_rx_valid), .phy_rx(phy_rx), .phy_rx_signal(phy_rx_signal), .led(led));
endmodule
`default_nettype wire
