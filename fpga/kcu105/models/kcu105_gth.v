// SPDX-License-Identifier: Apache-2.0
// Our model of what the wizard makes of kcu105_gth.tcl: forty bits a cycle, uncoded (transceiver_model), its resets as
// its guide says. The reference is taken for the clock of the line's bits, so whoever simulates lets its pin run at
// that rate.
`default_nettype none
// verilator lint_off UNUSEDSIGNAL
module kcu105_gth (
    input  wire        gthrxp_in,
    input  wire        gthrxn_in,
    output wire        gthtxp_out,
    output wire        gthtxn_out,
    input  wire        gtrefclk0_in,
    input  wire        gtwiz_reset_clk_freerun_in,
    input  wire        gtwiz_reset_all_in,
    input  wire        gtwiz_userclk_tx_reset_in,
    input  wire        gtwiz_userclk_rx_reset_in,
    output wire        gtwiz_userclk_tx_usrclk2_out,
    output wire        gtwiz_userclk_tx_active_out,
    output wire        gtwiz_userclk_rx_usrclk2_out,
    output wire        gtwiz_userclk_rx_active_out,
    input  wire        gtwiz_reset_tx_pll_and_datapath_in,
    input  wire        gtwiz_reset_tx_datapath_in,
    input  wire        gtwiz_reset_rx_pll_and_datapath_in,
    input  wire        gtwiz_reset_rx_datapath_in,
    output wire        gtwiz_reset_rx_cdr_stable_out,
    output wire        gtwiz_reset_tx_done_out,
    output wire        gtwiz_reset_rx_done_out,
    input  wire [39:0] gtwiz_userdata_tx_in,
    output wire [39:0] gtwiz_userdata_rx_out
);
    wire tx_locked, rx_locked, rx_lost;

    transceiver_model #(.WIDTH(40)) channel (
        .bit_clk(gtrefclk0_in), .tx_pll_rst(gtwiz_reset_all_in || gtwiz_reset_tx_pll_and_datapath_in),
        .tx_rst(gtwiz_reset_all_in || gtwiz_reset_tx_datapath_in), .tx_locked(tx_locked),
        .tx_clk(gtwiz_userclk_tx_usrclk2_out), .tx_word(gtwiz_userdata_tx_in), .tx_line(gthtxp_out),
        .rx_rst(gtwiz_reset_all_in || gtwiz_reset_rx_pll_and_datapath_in || gtwiz_reset_rx_datapath_in),
        .rx_lost(rx_lost), .rx_locked(rx_locked), .rx_clk(gtwiz_userclk_rx_usrclk2_out),
        .rx_word(gtwiz_userdata_rx_out), .rx_line(gthrxp_in));

    assign gthtxn_out                    = !gthtxp_out;
    assign gtwiz_userclk_tx_active_out   = tx_locked;
    assign gtwiz_userclk_rx_active_out   = rx_locked;
    assign gtwiz_reset_rx_cdr_stable_out = rx_locked;
    assign gtwiz_reset_tx_done_out       = tx_locked;
    assign gtwiz_reset_rx_done_out       = rx_locked;
endmodule
`default_nettype wire
