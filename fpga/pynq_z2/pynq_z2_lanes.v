// SPDX-License-Identifier: Apache-2.0
// One link's four lanes on a Pmod connector: out on its upper row, in on its lower one.
`default_nettype none
module pynq_z2_lanes (
    input  wire        sample_clk,       // 100 MHz
    input  wire        bit_clk,          // 50 MHz
    input  wire        word_clk,         // 5 MHz
    input  wire        rst,              // word_clk
    input  wire [31:0] tx_data,
    input  wire [3:0]  tx_control,
    output wire        tx_pause,
    output wire [31:0] rx_data,
    output wire [3:0]  rx_control,
    output wire        up,
    output wire [3:0]  line_out,
    input  wire [3:0]  line_in
);
    wire [39:0] phy_tx, phy_rx;
    wire [3:0]  phy_rx_valid, phy_rx_signal;
    wire [15:0] samples;

    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : gen_lane
            wire       rising, falling;
            reg        rising_reg;
            // the falling edge's sample comes with the next rising edge's: that one waits
            IDDR #(.DDR_CLK_EDGE("SAME_EDGE")) io (
                .D(line_in[i]), .C(sample_clk), .CE(1'b1), .R(1'b0), .S(1'b0), .Q1(rising), .Q2(falling));
            always @(posedge sample_clk) rising_reg <= rising;
            four_samples four (
                .sample_clk(sample_clk), .rising(rising_reg), .falling(falling), .clk(bit_clk),
                .samples(samples[4*i +: 4]));
        end
    endgenerate

    lane_pins pins (
        .word_clk(word_clk), .bit_clk(bit_clk), .rst(rst), .phy_tx(phy_tx), .line_out(line_out), .samples(samples),
        .phy_rx_valid(phy_rx_valid), .phy_rx(phy_rx), .phy_rx_signal(phy_rx_signal));

    wire         rx_strobe, local_fault, remote_fault, deskewed, late, event_added, event_dropped, event_lost;
    wire [3:0]   lane_signal, lane_synced, lane_mismatch, prbs_locked, event_bad;
    wire [63:0]  prbs_errors;
    lane_bundle #(.BYTES(4), .LANES(4)) lanes (
        .clk(word_clk), .rst(rst), .en(1'b1), .tx_data(tx_data), .tx_control(tx_control), .tx_pause(tx_pause),
        .rx_strobe(rx_strobe), .rx_data(rx_data), .rx_control(rx_control), .phy_tx(phy_tx), .rx_clk({4{bit_clk}}),
        .phy_rx_valid(phy_rx_valid), .phy_rx(phy_rx), .phy_rx_signal(phy_rx_signal), .loopback_near(1'b0),
        .loopback_far(1'b0), .prbs(1'b0), .prbs31(1'b0), .up(up), .local_fault(local_fault),
        .remote_fault(remote_fault), .deskewed(deskewed), .late(late), .lane_signal(lane_signal),
        .lane_synced(lane_synced), .lane_mismatch(lane_mismatch), .prbs_locked(prbs_locked),
        .prbs_errors(prbs_errors), .event_bad(event_bad), .event_added(event_added), .event_dropped(event_dropped),
        .event_lost(event_lost));

    // The link says what became of its cable.
    wire unused = &{1'b0, rx_strobe, local_fault, remote_fault, deskewed, late, event_added, event_dropped, event_lost,
                    lane_signal, lane_synced, lane_mismatch, prbs_locked, event_bad, prbs_errors, 1'b0};
endmodule
`default_nettype wire
