// SPDX-License-Identifier: Apache-2.0
// KCU105 (Kintex UltraScale KU040): a whole QPACE network processor, its link +x on one lane of a GTH transceiver at
// 5 Gb/s over SFP0, 125 million words a second, to be cabled to another board or back to itself; its other links looped
// inside. A tester has a processor's place; a serial line over the board's USB reads and writes all registers
// (qpace_node_tester). What to plug where: README.md here. Nobody has built this yet.
//
//   word    --> kcu105_gth: 40 bits a cycle, uncoded --> SFP0
//   rx_word <-- by Vivado's wizard (kcu105_gth.tcl)  <--
`default_nettype none
module kcu105_qpace #(
    parameter [31:0] SOURCE_HASH = 32'd0,    // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd125,  // of 125 MHz: 1,000,000 baud
    parameter        RESET_BITS  = 18        // 2.1 ms
) (
    input  wire       clk125_p,
    input  wire       clk125_n,
    input  wire       mgt_refclk_p,          // 156.25 MHz, the board's programmable oscillator as it comes up
    input  wire       mgt_refclk_n,
    input  wire       rxd,
    output wire       txd,
    input  wire       sfp_rx_p,
    input  wire       sfp_rx_n,
    output wire       sfp_tx_p,
    output wire       sfp_tx_n,
    input  wire       sfp_los,               // 1: the module hears nothing
    output wire       sfp_tx_enable,         // the board's transistor inverts it for the module
    output wire [7:0] led
);
    wire        clk125, clk, mgt_refclk, word_clk, rx_clk;
    wire        no_clk, tx_active, rx_active, cdr_stable, tx_done, rx_done;
    wire [39:0] phy_tx, phy_rx;
    wire        begins, tx_ready;
    wire        rst = begins || !tx_ready;

    assign sfp_tx_enable = 1'b1;

    IBUFDS clk125_pins (.I(clk125_p), .IB(clk125_n), .O(clk125));
    BUFG clk_net (.I(clk125), .O(clk));
    IBUFDS_GTE3 mgt_refclk_pins (.I(mgt_refclk_p), .IB(mgt_refclk_n), .CEB(1'b0), .O(mgt_refclk), .ODIV2(no_clk));

    held_reset #(.BITS(RESET_BITS)) hold (.clk(clk), .ready(1'b1), .rst(begins));

    // The node waits for the clock of its links.
    cdc_bits #(.WIDTH(1)) ready (.clk(clk), .rst(begins), .src(tx_active && tx_done), .dst(tx_ready));

    kcu105_gth gth (
        .gthrxp_in(sfp_rx_p), .gthrxn_in(sfp_rx_n), .gthtxp_out(sfp_tx_p), .gthtxn_out(sfp_tx_n),
        .gtrefclk0_in(mgt_refclk), .gtwiz_reset_clk_freerun_in(clk), .gtwiz_reset_all_in(begins),
        .gtwiz_userclk_tx_reset_in(1'b0), .gtwiz_userclk_rx_reset_in(1'b0),
        .gtwiz_userclk_tx_usrclk2_out(word_clk), .gtwiz_userclk_tx_active_out(tx_active),
        .gtwiz_userclk_rx_usrclk2_out(rx_clk), .gtwiz_userclk_rx_active_out(rx_active),
        .gtwiz_reset_tx_pll_and_datapath_in(1'b0), .gtwiz_reset_tx_datapath_in(1'b0),
        .gtwiz_reset_rx_pll_and_datapath_in(1'b0), .gtwiz_reset_rx_datapath_in(1'b0),
        .gtwiz_reset_rx_cdr_stable_out(cdr_stable), .gtwiz_reset_tx_done_out(tx_done),
        .gtwiz_reset_rx_done_out(rx_done), .gtwiz_userdata_tx_in(phy_tx), .gtwiz_userdata_rx_out(phy_rx));

    qpace_node_tester #(
        .IDENTITY(32'h4854514B), .SOURCE_HASH(SOURCE_HASH), .BAUD_CYCLES(BAUD_CYCLES), .LANES(1)   // "HTQK"
    ) tester (
        .clk(clk), .rst(rst), .rxd(rxd), .txd(txd), .link_clk(word_clk), .phy_tx(phy_tx), .rx_clk(rx_clk),
        .phy_rx_valid(rx_done), .phy_rx(phy_rx), .phy_rx_signal(rx_done && !sfp_los), .led(led));

    // The wizard's own words about clock recovery are a hint only, says its guide.
    wire unused = &{1'b0, no_clk, rx_active, cdr_stable, 1'b0};
endmodule
`default_nettype wire
