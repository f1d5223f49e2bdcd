// SPDX-License-Identifier: Apache-2.0
// Two whole qpace_links on a cable, real packets of 34 words, one clock for all. Bounded: too big for more. To get
// to where it matters, the first START cycles are simulated on an error-free cable (training, then packets one after
// another), and the state reached is where the prover begins; from then on it may, FAULTS times
// in all, put an error character or an idle in place of a word, either way, whenever it likes.
//
// Each packet's offset field says which one it is; B must take 0, 1, 2, ... in this order.
`default_nettype none
`include "qpace_link_regs.vh"
module pair #(
    parameter START  = 300,
    parameter FAULTS = 1,
    parameter RETRAIN = 0           // at this cycle software has A train anew; 0 never
) (
    input wire       clk,
    input wire [1:0] ab_fault,      // 1 an error character, 2 an idle word
    input wire [1:0] ba_fault
);
    reg [12:0] age = 13'd0;
    wire       rst = age < 13'd4;
    wire       free = age >= START;
    always @(posedge clk) if (!free) age <= age + 13'd1;

    // A fault is one of so many
    reg  [1:0] left = FAULTS;
    wire       ab_hit = free && left != 0 && ab_fault != 0;
    wire       ba_hit = free && left != 0 && ba_fault != 0 && !ab_hit;
    always @(posedge clk) if (ab_hit || ba_hit) left <= left - 2'd1;

    wire [31:0] a_txd, b_txd;
    wire [3:0]  a_txc, b_txc;
    wire [31:0] ab_d = !ab_hit ? a_txd : ab_fault[1] ? 32'h07070707 : 32'h000000FE;
    wire [3:0]  ab_c = !ab_hit ? a_txc : ab_fault[1] ? 4'hF : 4'h1;
    wire [31:0] ba_d = !ba_hit ? b_txd : ba_fault[1] ? 32'h07070707 : 32'h000000FE;
    wire [3:0]  ba_c = !ba_hit ? b_txc : ba_fault[1] ? 4'hF : 4'h1;

    // registers: ENABLE; RETRAIN
    wire        enable  = age == 13'd10;
    wire        retrain = RETRAIN != 0 && age == RETRAIN;

    // A's packets
    reg  [14:0] sent = 15'd0;
    reg  [2:0]  beat = 3'd0;
    wire        a_up, b_up, tx_ready;
    reg         begun = 1'b0;
    always @(posedge clk) if (a_up && b_up) begun <= 1'b1;
    wire        tx_valid = begun;
    always @(posedge clk) if (tx_valid && tx_ready) begin
        beat <= beat + 3'd1;
        if (beat == 3'd7) sent <= sent + 15'd1;
    end

    // B's packets: taken at once; the offset comes one cycle later
    wire [7:0]  waiting;
    wire [14:0] offset;
    reg  [14:0] taken = 15'd0;
    reg         look = 1'b0;
    wire        pop = look && waiting[0];
    always @(posedge clk) begin
        look <= waiting[0] && !look;
        if (pop) taken <= taken + 15'd1;
    end

    localparam [31:0] ENABLE = 32'd1 << `QPACE_LINK_CONTROL_ENABLE, RETRAINS = 32'd1 << `QPACE_LINK_CONTROL_RETRAIN;
    wire [3:0]  a_state, b_state;
    wire        again;
    qpace_link #(.TX_PACKETS(16), .RX_SLOTS(2)) u_a (
        .clk(clk), .rst(rst), .link_clk(clk), .link_rst(rst), .beat(1'b0), .port(3'd0),
        .tx_valid(tx_valid), .tx_ready(tx_ready), .tx_data(128'd0), .tx_first(beat == 3'd0), .tx_vc(3'd0),
        .tx_offset(sent), .tx_void(1'b0),
        .rx_vc(3'd0), .rx_beat(3'd0), .rx_mute(1'b0), .rx_pop(1'b0),
        .reg_valid(enable || retrain), .reg_write(1'b1), .reg_address(`QPACE_LINK_CONTROL),
        .reg_wdata(RETRAIN != 0 && age > 13'd100 ? ENABLE | RETRAINS : ENABLE), .link_up(a_up),
        .xgmii_txd(a_txd), .xgmii_txc(a_txc), .xgmii_rxd(ba_d), .xgmii_rxc(ba_c), .tx_pause(1'b0),
        .obs_retransmit(again), .obs_state(a_state));
    qpace_link #(.TX_PACKETS(16), .RX_SLOTS(2)) u_b (
        .clk(clk), .rst(rst), .link_clk(clk), .link_rst(rst), .beat(1'b0), .port(3'd1),
        .tx_valid(1'b0), .tx_data(128'd0), .tx_first(1'b0), .tx_vc(3'd0), .tx_offset(15'd0), .tx_void(1'b0),
        .rx_waiting(waiting), .rx_vc(3'd0), .rx_beat(3'd0), .rx_offset(offset), .rx_mute(1'b0), .rx_pop(pop),
        .reg_valid(enable), .reg_write(1'b1), .reg_address(`QPACE_LINK_CONTROL), .reg_wdata(ENABLE), .link_up(b_up),
        .xgmii_txd(b_txd), .xgmii_txc(b_txc), .xgmii_rxd(ab_d), .xgmii_rxc(ab_c), .tx_pause(1'b0),
        .obs_state(b_state));

    reg repeated = 1'b0;
    reg was_down = 1'b0;
    always @(posedge clk) if (free) begin
        if (again) repeated <= 1'b1;
        if (!a_up) was_down <= 1'b1;
    end

    always @* if (free) begin
        in_order: assert (!pop || offset == taken);
        not_more: assert (taken <= sent);
        delivered:     cover (pop);
        retransmitted: cover (repeated && pop);
        wrapped:       cover (repeated && pop && taken == 15'd64);
        resumed:       cover (was_down && a_up && b_up && pop);
    end
endmodule
`default_nettype wire
