// SPDX-License-Identifier: Apache-2.0
// The sending half of a Tofu link, the Verilog itself (input, ring, window, framer), with a small ring; checks of data
// are the prover's: any beat may be damaged (sender_stubs.sv), any packet wrong, void, malformed. State, control
// packets and hellos: anything that training and the peer can do. Of the beats a byte is kept.
//
// A beat is watched, any: number `w_index` of the packet with sequence number `w_seq`.
`default_nettype none
module sender #(
    parameter RING_BITS = 4,
    parameter WINDOW    = 4,
    parameter STAGES    = 0            // of tofu_link, here of its ring
) (
    input wire         clk,
    input wire         tx_valid,
    input wire [147:0] tx_beat,
    input wire         go_up, go_down,
    input wire         flush_now,
    input wire         control,
    input wire [1:0]   control_type,
    input wire [7:0]   peer_seq,
    input wire         expired,
    input wire         urgent,         // a control packet goes at once
    input wire [7:0]   any_seq,
    input wire [3:0]   any_index
);
    localparam [1:0] DOWN = 2'd0, TRAIN = 2'd1, UP = 2'd2;

    reg       rst = 1'b1;
    reg [1:0] state;
    reg [7:0] w_seq;
    reg [3:0] w_index;
    always @(posedge clk) begin
        rst <= 1'b0;
        if (rst) begin
            w_seq   <= any_seq;
            w_index <= any_index;
        end
    end

    // training: resumes only where it can
    wire up     = state == UP;
    wire down   = state == DOWN;
    wire peer_seq_ok;
    wire resume = state == TRAIN && go_up && peer_seq_ok;
    wire flush  = state == TRAIN && flush_now && !go_up;
    always @(posedge clk) begin
        case (state)
            DOWN:    if (go_up) state <= TRAIN;
            TRAIN:   if (go_down) state <= DOWN; else if (resume) state <= UP;
            default: if (go_down) state <= go_up ? TRAIN : DOWN;
        endcase
        if (rst)
            state <= DOWN;
    end

    wire         store, first, last, commit, kill, open, ring_room, beyond, window_room, input_idle, tx_ready;
    wire [147:0] beat;
    wire         source_valid, source_first, source_last, take, back, under_way, send_new, send_first, packet_start;
    wire [127:0] source_data;
    wire         packet_end, heed, progress, held, ask, disorder, cut;
    wire [7:0]   write_seq, send_seq;

    tofu_link_input u_input (
        .clk(clk), .rst(rst), .up(up), .down(down), .flush(flush),
        .tx_valid(tx_valid), .tx_beat(tx_beat), .tx_ready(tx_ready), .ring_room(ring_room), .window_room(window_room),
        .store(store), .beat(beat), .first(first), .last(last), .commit(commit), .kill(kill),
        .clear_checksum(1'b0), .idle(input_idle)
    );
    tofu_link_ring #(.RING_BITS(RING_BITS), .TABLE_BITS($clog2(WINDOW)), .STAGES(STAGES)) u_ring (
        .clk(clk), .rst(rst), .flush(flush), .up(up),
        .store(store), .beat(beat), .first(first), .commit(commit), .kill(kill), .room(ring_room), .beyond(beyond),
        .write_seq(write_seq), .move(progress), .peer_seq(peer_seq), .back(back),
        .source_valid(source_valid), .source_data(source_data), .source_first(source_first), .source_last(source_last),
        .take(take), .inject(2'd0), .inject_table(2'd0), .inject_bit(7'd0)
    );
    tofu_link_window #(.WINDOW(WINDOW)) u_window (
        .clk(clk), .rst(rst), .up(up), .flush(flush),
        .control(control && up), .control_type(control_type), .peer_seq(peer_seq), .peer_seq_ok(peer_seq_ok),
        .heed(heed),
        .progress(progress),
        .resume(resume),
        .commit(commit), .kill(kill), .room(window_room), .write_seq(write_seq), .send_seq(send_seq),
        .send_under_way(under_way), .send_new(send_new), .send_first(send_first), .back(back),
        .packet_start(packet_start), .packet_end(packet_end),
        .credits_out(1'b0), .credits_progress(1'b0), .timer_expired(expired), .held(held), .ask(ask),
        .retry_limit(8'd255),
        .inject(4'd0), .disorder(disorder)
    );
    reg voided_reg;                      // tofu_link
    always @(posedge clk)
        voided_reg <= kill && under_way && !rst;
    tofu_link_framer u_framer (
        .clk(clk), .rst(rst), .up(up), .block(1'b0), .hello(1'b0), .hello_beat(128'd0),
        .control(urgent), .urgent(urgent), .control_type(2'd0), .control_seq(8'd0), .control_credits(28'd0),
        .source_valid(source_valid), .source_data(source_data), .source_first(source_first), .source_last(source_last),
        .take(take), .hold(held), .back(back), .voided(STAGES == 0 ? kill && under_way : voided_reg),
        .send_seq(send_seq),
        .packet_start(packet_start), .packet_end(packet_end), .event_nullified(cut)
    );

    // what was stored as the watched beat, and what is sent as it
    reg  [3:0] in_index, out_index;      // of the next beat, 15: or more
    reg        known;                    // the watched beat was stored, and its packet not taken back
    reg  [7:0] tag;
    reg        sending;                  // a packet is on the wire
    wire [3:0] in_now  = first ? 4'd0 : in_index;
    wire [3:0] out_now = packet_start ? 4'd0 : out_index;
    wire       in_watched  = store && write_seq == w_seq && in_now == w_index;
    wire       out_watched = take && send_seq == w_seq && out_now == w_index;
    always @(posedge clk) begin
        if (store)
            in_index <= in_now == 4'd15 ? 4'd15 : in_now + 4'd1;
        if (take)
            out_index <= out_now == 4'd15 ? 4'd15 : out_now + 4'd1;
        if (in_watched) begin
            known <= 1'b1;
            tag   <= beat[39:32];
        end
        if ((kill && write_seq == w_seq) || flush)
            known <= 1'b0;
        if (packet_start)
            sending <= 1'b1;
        if (packet_end || cut)
            sending <= 1'b0;
        if (rst)
            {known, sending} <= 2'd0;
    end

    always @(posedge clk) if (!rst) begin
        fits:   assert (!beyond);
        order:  assert (!disorder);
        begins: assert (!packet_start || (!sending && source_first));
        goes:   assert (!(take && sending) || !source_first);
        whole:  assert (!packet_end || sending);
        same:   assert (!out_watched || source_data[39:32] == ((known && !in_watched) ? tag : beat[39:32]));
        there:  assert (!out_watched || known || in_watched);
        kept:   assert (!(packet_end && send_seq == w_seq) || write_seq != w_seq || commit);

        full:     cover (!ring_room && !kill && send_seq != write_seq && w_seq == 8'd2 && known);
        replayed: cover (out_watched && !send_new && w_index == 4'd1 && w_seq == 8'd1 && known && !cut);
        voided:   cover (cut && kill && w_seq == write_seq && known);
        resumed:  cover (resume && known && peer_seq == w_seq && w_seq == 8'd1);
    end
endmodule
`default_nettype wire
