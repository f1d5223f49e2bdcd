// SPDX-License-Identifier: Apache-2.0
// The sender's side of go-back-N on a QPACE link ([QPACE2009] section 6: the sender keeps a copy of a packet until
// it is acknowledged): which packet goes next, what is acknowledged, when to go back, when to
// hold. Pointers are sequence numbers; plus `bias` they are places in the transmit FIFO, so that sequence
// numbers can restart at 0 while the FIFO's pointers go on.
//
//      oldest            send                 high          written
//   .....|==================|=====================|--------------|......    outstanding = oldest..high
//   freed  sent, not acked    to be sent again      never sent       free
//
// With STAGES, for FPGAs, what the peer said counts a cycle later; no packet begins in the cycle in which a training's
// end is about to.
//
// Departure from the paper: BUSY/READY beside ACK/NACK, so that "no room" is not taken for an error.
`default_nettype none
`include "qpace_wire.vh"
module qpace_link_window #(
    parameter SLOT_BITS = 4,
    parameter BEAT_BITS = 3,
    parameter SEQ_BITS  = 6,
    parameter STAGES    = 0
) (
    input  wire                 link_clk,
    input  wire                 link_rst,
    input  wire                 up,

    // what the peer said: a good command, or a hello's next expected sequence number
    input  wire                 command,
    input  wire [1:0]           command_type,
    input  wire [SEQ_BITS-1:0]  peer_seq,
    output wire                 peer_seq_ok,     // lies within oldest..high
    input  wire                 resume,          // training ended: go on at peer_seq
    input  wire                 flush,           // give everything up, restart at sequence 0
    output wire                 flush_ready,     // no line is half written

    // transmit buffer and framer
    input  wire [SLOT_BITS+BEAT_BITS:0] written,
    output wire [SLOT_BITS:0]   acknowledged,
    output wire                 packet,
    output wire [SLOT_BITS:0]   packet_pointer,
    output wire [SEQ_BITS-1:0]  packet_seq,
    output wire                 packet_first,
    input  wire                 packet_taken,

    // timer
    input  wire                 timer_expired,
    output wire                 timer_restart,
    output wire                 held,            // by BUSY
    output wire                 outstanding,
    input  wire [7:0]           retry_limit,
    output wire                 retry_exceeded,

    // status and counters
    output wire                 empty,           // nothing to send, nothing unacknowledged
    output wire                 quiet,           // nothing that the peer said is still to count
    output wire [SLOT_BITS:0]   count_outstanding,
    output wire [SEQ_BITS-1:0]  next_seq,
    output wire                 progress,
    output wire                 event_ignored,      // command outside the window
    output wire                 event_nack,
    output wire                 event_busy,
    output wire                 event_timeout,
    output wire                 for_room            // what is sent again now, is so for lack of room at the peer
);
    localparam [SEQ_BITS-1:0] ONE = {{SEQ_BITS-1{1'b0}}, 1'b1};

    reg  [SLOT_BITS:0]  bias_reg;
    reg  [SEQ_BITS-1:0] oldest_reg;
    reg  [SEQ_BITS-1:0] send_reg;
    reg  [SLOT_BITS:0]  place_reg;       // send_reg's place in the transmit FIFO
    reg  [SEQ_BITS-1:0] high_reg;
    reg                 held_reg;
    reg                 probe_reg;       // while held: send the oldest packet once
    reg  [7:0]          retry_reg;
    reg                 restart_reg;
    reg                 room_reg;        // why `send` went back: the peer had no room, or damage

    // what counts in this cycle
    wire                told, go_on;     // a command; training ended
    wire [1:0]          told_type;
    wire [SEQ_BITS-1:0] told_seq;
    wire                told_seq_ok;
    wire                begin_later;     // packet_pointer is not yet what training ended with

    wire                is_oldest, is_high, at_ends;
    wire [SEQ_BITS-1:0] beyond       = told_seq - send_reg;
    wire                overtakes    = told_seq != send_reg && (at_ends ? is_high : !beyond[SEQ_BITS-1]);
    wire [SLOT_BITS:0]  peer_place   = told_seq[SLOT_BITS:0] + bias_reg;
    wire                heed         = up && told && told_seq_ok;
    wire                move         = heed || go_on;
    wire                is_ack       = told_type == `QPACE_WIRE_ACK;
    wire                nack         = heed && told_type == `QPACE_WIRE_NACK;
    wire                busy         = heed && told_type == `QPACE_WIRE_BUSY;
    wire                ready        = heed && told_type == `QPACE_WIRE_READY;
    wire [7:0]          retries      = (retry_reg == 8'hFF) ? 8'hFF : retry_reg + 8'd1;
    reg  [SEQ_BITS-1:0] send_next;
    reg  [SLOT_BITS:0]  place_next;
    reg  [7:0]          retry_next;

    qpace_link_within #(.SLOT_BITS(SLOT_BITS), .SEQ_BITS(SEQ_BITS)) u_told (
        .seq(told_seq), .oldest(oldest_reg), .high(high_reg),
        .fits(told_seq_ok), .is_oldest(is_oldest), .is_high(is_high), .at_ends(at_ends)
    );

    generate
        if (STAGES == 0) begin : g_direct
            assign told        = command;
            assign go_on       = resume;
            assign told_type   = command_type;
            assign told_seq    = peer_seq;
            assign peer_seq_ok = told_seq_ok;
            assign begin_later = 1'b0;
            assign quiet       = 1'b1;
        end else begin : g_stage
            reg                told_reg, go_on_reg;
            reg [1:0]          type_reg;
            reg [SEQ_BITS-1:0] seq_reg;
            wire               unused_oldest, unused_high, unused_ends;
            assign told        = told_reg;
            assign go_on       = go_on_reg;
            assign told_type   = type_reg;
            assign told_seq    = seq_reg;
            assign begin_later = go_on_reg;
            assign quiet       = !told_reg && !go_on_reg;
            // for training, which asks with a hello
            qpace_link_within #(.SLOT_BITS(SLOT_BITS), .SEQ_BITS(SEQ_BITS)) u_hello (
                .seq(peer_seq), .oldest(oldest_reg), .high(high_reg),
                .fits(peer_seq_ok), .is_oldest(unused_oldest), .is_high(unused_high), .at_ends(unused_ends)
            );
            always @(posedge link_clk) begin
                told_reg  <= command && !link_rst;
                go_on_reg <= resume && !link_rst;
                type_reg  <= command_type;
                seq_reg   <= peer_seq;
            end
        end
    endgenerate

    assign flush_ready        = written[BEAT_BITS-1:0] == {BEAT_BITS{1'b0}};
    assign acknowledged       = oldest_reg[SLOT_BITS:0] + bias_reg;
    assign packet             = up && !begin_later && (!held_reg || probe_reg)
                                && written != {packet_pointer, {BEAT_BITS{1'b0}}};
    assign packet_pointer     = place_reg;
    assign packet_seq         = send_reg;
    assign packet_first       = send_reg == high_reg;
    assign timer_restart      = restart_reg;
    assign held               = held_reg;
    assign outstanding        = oldest_reg != high_reg;
    assign retry_exceeded     = retry_reg > retry_limit;
    assign empty              = !outstanding && written == {acknowledged, {BEAT_BITS{1'b0}}};
    assign count_outstanding  = high_reg[SLOT_BITS:0] - oldest_reg[SLOT_BITS:0];
    assign next_seq           = high_reg;
    assign progress           = move && !is_oldest;
    assign event_ignored      = up && told && !told_seq_ok;
    assign event_nack         = nack;
    assign event_busy         = busy;
    assign event_timeout      = timer_expired && !held_reg;
    assign for_room           = room_reg;

    always @* begin
        send_next  = send_reg;
        place_next = place_reg;
        if (packet_taken && !held_reg) begin
            send_next  = send_reg + ONE;
            place_next = place_reg + ONE[SLOT_BITS:0];
        end
        // An acknowledgement may overtake a replay; the others go back. One of nothing new does not keep the timer from
        // going back: keep-alives may come at any time.
        if (move && (go_on || !is_ack || overtakes)) begin
            send_next  = told_seq;
            place_next = peer_place;
        end else if (event_timeout && !progress) begin
            send_next  = oldest_reg;
            place_next = acknowledged;
        end

        retry_next = (progress || busy) ? 8'd0 : retry_reg;
        if (nack || timer_expired) begin
            retry_next = (progress || busy) ? 8'd1 : retries;
        end
    end

    always @(posedge link_clk) begin
        send_reg    <= send_next;
        place_reg   <= place_next;
        retry_reg   <= retry_next;
        // An ACK that says nothing new is a keep-alive and no answer: the timer goes on.
        restart_reg <= (move && !(heed && is_ack && !progress)) || timer_expired || (packet_taken && !outstanding);
        if (move) begin
            oldest_reg <= told_seq;
        end
        if (packet_taken) begin
            probe_reg <= 1'b0;
            if (packet_first) begin
                high_reg <= high_reg + ONE;
            end
        end
        if (busy || ready) begin
            room_reg <= 1'b1;
        end else if (nack || event_timeout || go_on) begin
            room_reg <= 1'b0;
        end
        if (held_reg && (timer_expired || nack)) begin
            probe_reg <= 1'b1;
        end
        if (busy && !is_high) begin
            held_reg  <= 1'b1;
            probe_reg <= 1'b0;
        end else if (progress || ready) begin
            held_reg <= 1'b0;
        end
        if (flush) begin
            bias_reg   <= written[SLOT_BITS+BEAT_BITS:BEAT_BITS];
            place_reg  <= written[SLOT_BITS+BEAT_BITS:BEAT_BITS];
            oldest_reg <= {SEQ_BITS{1'b0}};
            send_reg   <= {SEQ_BITS{1'b0}};
            high_reg   <= {SEQ_BITS{1'b0}};
        end
        if (!up) begin
            held_reg  <= 1'b0;
            retry_reg <= 8'd0;
        end
        if (link_rst) begin
            bias_reg    <= {SLOT_BITS+1{1'b0}};
            oldest_reg  <= {SEQ_BITS{1'b0}};
            send_reg    <= {SEQ_BITS{1'b0}};
            place_reg   <= {SLOT_BITS+1{1'b0}};
            high_reg    <= {SEQ_BITS{1'b0}};
            held_reg    <= 1'b0;
            probe_reg   <= 1'b0;
            restart_reg <= 1'b0;
            room_reg    <= 1'b0;
        end
    end
endmodule
`default_nettype wire
