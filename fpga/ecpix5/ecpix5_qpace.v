// SPDX-License-Identifier: Apache-2.0
// ECPIX-5 (LFE5UM5G-85F): a whole QPACE network processor, its link +x on one lane of the chip's transceiver at 2.5
// Gb/s over the SATA connector, 62.5 million words a second, to be cabled to another board or back to itself; its other
// links looped inside. A tester has a processor's place; a serial line over the board's USB reads and writes all
// registers (qpace_node_tester). What to plug where: README.md here. Verified up to the transceiver's port of 20 bits.
`default_nettype none
module ecpix5_qpace #(
    parameter [31:0] SOURCE_HASH = 32'd0,   // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd50,  // of 50 MHz: 1,000,000 baud
    parameter        RESET_BITS  = 17,
    parameter        SETTLE_BITS = 16
) (
    input  wire       clk100,
    input  wire       rxd,
    output wire       txd,
    input  wire       sata_rx_p,
    input  wire       sata_rx_n,
    output wire       sata_tx_p,
    output wire       sata_tx_n,
    output wire [7:0] led_n,                // red and green of LD0 to LD3, 0: on
    output wire [3:0] blue_n
);
    wire        clk, rst, word_clk, rx_clk, rx_signal;
    wire [39:0] phy_tx, phy_rx;
    wire [7:0]  led;

    assign led_n  = ~led;
    assign blue_n = 4'hF;

    ecpix5_clocks #(.RESET_BITS(RESET_BITS)) clocks (.ref_clk(clk100), .clk(clk), .rst(rst));

    ecpix5_serdes #(.SETTLE_BITS(SETTLE_BITS)) serdes (
        .clk(clk), .rst(rst), .ref_clk(clk100), .word_clk(word_clk), .word(phy_tx), .rx_clk(rx_clk), .rx_word(phy_rx),
        .rx_signal(rx_signal), .rx_p(sata_rx_p), .rx_n(sata_rx_n), .tx_p(sata_tx_p), .tx_n(sata_tx_n));

    qpace_node_tester #(
        .IDENTITY(32'h48545135), .SOURCE_HASH(SOURCE_HASH), .BAUD_CYCLES(BAUD_CYCLES), .LANES(1)   // "HTQ5"
    ) tester (
        .clk(clk), .rst(rst), .rxd(rxd), .txd(txd), .link_clk(word_clk), .phy_tx(phy_tx), .rx_clk(rx_clk),
        .phy_rx_valid(1'b1), .phy_rx(phy_rx), .phy_rx_signal(rx_signal), .led(led));
endmodule
`default_nettype wire
