// SPDX-License-Identifier: Apache-2.0
// Two whole qcdoc_links, wires joined, one clock. Bounded: too big for more. The first START cycles are simulated on
// error-free wires (training, then words one after another), and the state reached is where the prover begins; then any
// one bit of WINDOW, either way, may come wrong. With RETRAIN before START it begins in a training, or behind one:
// software had B train anew amid words, and A noticed.
//
// Word n is n modulo 256; with TAKE, B takes 0, 1, 2, ... in this order, at most SOON cycles apart; without, they are
// never taken (idle receive). With SINGLES, A sends a supervisor word and a partition interrupt, too, from START on:
// each comes once and is acknowledged by cycle DONE after START, whatever becomes of the words. B reads a supervisor
// word when it is there.
`default_nettype none
module pair #(
    parameter START   = 1200,
    parameter WINDOW  = 80,         // more than a frame's 72
    parameter FIRST   = 0,          // WINDOW begins so many cycles after START
    parameter RETRAIN = 0,          // at this cycle software has B train anew; 0 never
    parameter TAKE    = 1,
    parameter SINGLES = 0,
    parameter PHASE   = 3,          // of B's bytes against A's, bits
    parameter SOON    = 280,
    parameter DONE    = 446,
    parameter MARKS   = 3,
    parameter RETRY_SLOTS = 32,
    parameter LOST_BYTES  = 96
) (
    input wire       clk,
    input wire [7:0] pick,          // chosen once: the bit, and its direction
    input wire       pick_ba
);
    reg [12:0] age = 13'd0;
    wire       rst  = age < 13'd4;
    wire       free = age >= START;
    always @(posedge clk) if (!free) age <= age + 13'd1;
    reg [2:0]  bits = 3'd0;
    always @(posedge clk) bits <= bits + 3'd1;

    reg  [9:0] now  = 10'd0;        // since START
    reg  [7:0] when = 8'd0;
    reg        way  = 1'b0, left = 1'b1;
    wire       hit    = free && left && now == {2'd0, when} + 10'd1 + FIRST && when < WINDOW;
    wire       ab_hit = hit && !way;
    wire       ba_hit = hit && way;
    always @(posedge clk) if (free) begin
        now <= now + 10'd1;
        if (now == 10'd0) {way, when} <= {pick_ba, pick};
        if (hit) left <= 1'b0;
    end

    wire        ab, ba;
    wire [1:0]  a_state, b_state;
    wire        a_ready, b_valid, again, sup_done, sup_arrived, int_done, int_arrived;
    wire [63:0] b_word, sup_received;
    wire [7:0]  int_received;
    wire        a_up = a_state == 2'd2, b_up = b_state == 2'd2;
    reg         begun = 1'b0;
    reg  [7:0]  sent = 8'd0, taken = 8'd0;
    wire        send = begun && a_ready;
    wire        take = TAKE != 0 && b_valid && !rst;
    reg         sup_over = 1'b0, sup_got = 1'b0, sup_was = 1'b0, int_over = 1'b0, int_got = 1'b0;
    wire        sup_first = sup_arrived && !sup_was;
    always @(posedge clk) begin
        if (a_up && b_up) begun <= 1'b1;
        if (send) sent <= sent + 8'd1;
        if (take) taken <= taken + 8'd1;
        sup_was <= sup_arrived;
        if (sup_done) sup_over <= 1'b1;
        if (sup_arrived) sup_got <= 1'b1;
        if (int_done) int_over <= 1'b1;
        if (int_arrived) int_got <= 1'b1;
    end

    qcdoc_link #(.MARKS(MARKS), .RETRY_SLOTS(RETRY_SLOTS), .LOST_BYTES(LOST_BYTES)) u_a (
        .clk(clk), .rst(rst), .port(4'd0), .slot(bits == 3'd0), .serial_out(ab), .serial_in(ba ^ ba_hit),
        .tx_pause(1'b0), .lane_rx_strobe(1'b0), .lane_rx_data(8'd0), .lane_rx_control(1'b0),
        .enable(!rst), .retrain(1'b0), .new_session(1'b0), .train_timeout(16'd0), .retrain_limit(4'd8),
        .state(a_state), .flip(72'd0), .flip_send(1'b0), .flip_receive(1'b0),
        .word_valid(begun), .word_ready(a_ready), .word({56'd0, sent}), .word_sent(1'b0),
        .through_valid(1'b0), .through_parity(2'd0), .through_data(8'd0), .through_sure(1'b0), .take(1'b0), .hold(1'b0),
        .sup_valid(SINGLES != 0 && free && !sup_over), .sup_word(64'h96), .sup_done(sup_done), .sup_read(1'b0),
        .int_valid(SINGLES != 0 && free && !int_over), .int_code(8'h85), .int_done(int_done),
        .event_retransmitted(again));
    qcdoc_link #(.MARKS(MARKS), .RETRY_SLOTS(RETRY_SLOTS), .LOST_BYTES(LOST_BYTES)) u_b (
        .clk(clk), .rst(rst), .port(4'd1), .slot(bits == PHASE),
        .serial_out(ba), .serial_in(ab ^ ab_hit),
        .tx_pause(1'b0), .lane_rx_strobe(1'b0), .lane_rx_data(8'd0), .lane_rx_control(1'b0),
        .enable(!rst), .retrain(RETRAIN != 0 && age == RETRAIN), .new_session(1'b0), .train_timeout(16'd0),
        .retrain_limit(4'd8), .state(b_state),
        .flip(72'd0), .flip_send(1'b0), .flip_receive(1'b0),
        .word_valid(1'b0), .word(64'd0), .word_sent(1'b0),
        .through_valid(1'b0), .through_parity(2'd0), .through_data(8'd0), .through_sure(1'b0),
        .take_valid(b_valid), .take_data(b_word), .take(take), .hold(TAKE == 0),
        .sup_valid(1'b0), .sup_word(64'd0), .sup_arrived(sup_arrived), .sup_received(sup_received),
        .sup_read(sup_arrived),
        .int_valid(1'b0), .int_code(8'd0), .int_arrived(int_arrived), .int_received(int_received));

    // numbers are modulo 64: A went back from a small one to a large one
    (* hierconn *) wire [5:0] \u_a.tx.words.send_reg ;
    reg  [5:0] send_was = 6'd0;
    wire [5:0] back = send_was - \u_a.tx.words.send_reg ;
    reg        back_over_0 = 1'b0;
    reg [1:0]  backs = 2'd0;
    always @(posedge clk) begin
        send_was <= \u_a.tx.words.send_reg ;
        if (free && back != 6'd0 && back <= 6'd3 && backs != 2'd3) backs <= backs + 2'd1;
        if (free && send_was < 6'd3 && \u_a.tx.words.send_reg > 6'd60) back_over_0 <= 1'b1;
    end

    reg       repeated = 1'b0, was_down = 1'b0, b_down = 1'b0;
    reg [9:0] since = 10'd0;        // the last word, or the time when both were up
    always @(posedge clk) if (free) begin
        since <= take || !a_up || !b_up ? 10'd0 : since + 10'd1;
        if (again) repeated <= 1'b1;
        if (!a_up) was_down <= 1'b1;
        if (!b_up) b_down <= 1'b1;
    end

    wire [7:0] ahead = sent - taken;
    always @* if (free) begin
        in_order:  assert (!take || b_word == {56'd0, taken});
        not_more:  assert (!take || ahead != 8'd0);
        few:       assert (ahead <= 8'd4);
        soon:      assert (TAKE == 0 || since <= SOON);
        stays_up:  assert (a_state != 2'd0 && b_state != 2'd0 && (RETRAIN != 0 || (a_up && b_up)));
        sup_once:  assert (!sup_first || (!sup_got && sup_received == 64'h96));
        int_once:  assert (!int_arrived || (!int_got && int_received == 8'h85));
        acked:     assert ((!sup_done || sup_got) && (!int_done || int_got));
        go_on:     assert (SINGLES == 0 || now < DONE || (sup_over && int_over));
        delivered: cover (take);
        resent:    cover (repeated && take);
        wrapped:   cover (back_over_0 && take && taken == 8'd63);
        resumed:   cover (was_down && b_down && !left && repeated && take);
        resumed_2: cover (was_down && b_down && backs == 2'd2 && take);
        hurt:      cover (!left && when < WINDOW && sup_over && int_over && now > 10'd220);
    end
endmodule
`default_nettype wire
