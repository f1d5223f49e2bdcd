// SPDX-License-Identifier: Apache-2.0
// The protocol of a QPACE link as a small model: A sends packets to B, B answers with commands, both train.
// One step is the time of a frame. Everything not specified is chosen by the prover: what the
// channels do, when an end sends, when the timer expires, when B has room, when an end falls back
// into training.
//
// Data: one watched packet. The prover says which one it is; packets before it are marked 0, it is 1, those after
// it 2. If B accepts 0 0 ... 0 1 2 2 ..., the watched packet came once and in its place; and it may be any.
//
// Proved for any number of steps:
//   in_order       what B accepts is marked 0 0 ... 0 1 2 2 ...
//   kept           no packet is given up by A before B has it
//   pointers       oldest <= send <= high <= oldest + WINDOW
//   resumption     a hello that ends a training names a sequence number that A can go on from
`default_nettype none
module gbn_model #(
    parameter SEQ_BITS = 3,
    parameter WINDOW   = 4,
    parameter DELAY    = 2,
    parameter TRAINING = 1,          // 0: the link is up from the start
    parameter ID_BITS  = 2,
    parameter CHECK    = 1           // 0: as a part of gbn_progress.sv
) (
    input wire       clk,
    input wire       new_packet,     // A has a packet that was never sent
    input wire       watch,          // the packet sent for the first time now is the watched one
    input wire       a_go, b_go,     // the ends send in this step
    input wire       expired,
    input wire       room, free, cut,
    input wire       keepalive,      // B says that it is there
    input wire [5:0] mischief,       // lose, damage, repeat; each way
    input wire [SEQ_BITS-1:0] wrong_seq,
    input wire       a_fall, b_fall, a_again, b_again,
    // for gbn_progress.sv
    output wire                accept,
    output wire                wanting,       // B lacks a packet that A has sent at least once
    output wire                outstanding,
    output wire                held,
    output wire                timer_restart
);
    localparam WIDTH_AB = 1 + SEQ_BITS + 2;                       // {hello?, ...}
    localparam HELLO    = 2 + 2 * ID_BITS;                        // up, heard, id, echo
    localparam AB       = 1 + (HELLO > SEQ_BITS + 2 ? HELLO : SEQ_BITS + 2);
    localparam BA       = 1 + HELLO + 2 + SEQ_BITS;               // {hello?, hello, type, seq}

    assign wanting       = expected != high;
    assign outstanding   = oldest != high;
    // an ACK of nothing new restarts nothing
    wire   stale = !a_resume && ba_out[SEQ_BITS +: 2] == 2'd0 && ba_seq == oldest;
    assign timer_restart = (moved && !stale) || expired || (packet_taken && !outstanding);

    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    // channels
    wire          ab_ready, ab_valid, ab_good, ba_ready, ba_valid, ba_good;
    wire [AB-1:0] ab_in, ab_out;
    wire [BA-1:0] ba_in, ba_out;
    wire          ab_send, ba_send;

    gbn_channel #(.WIDTH(AB), .DELAY(DELAY)) u_ab (
        .clk(clk), .rst(rst), .lose(mischief[0]), .damage(mischief[1]), .repeated(mischief[2]), .ready(ab_ready),
        .in_valid(ab_send), .in_item(ab_in), .out_valid(ab_valid), .out_good(ab_good), .out_item(ab_out));
    gbn_channel #(.WIDTH(BA), .DELAY(DELAY)) u_ba (
        .clk(clk), .rst(rst), .lose(mischief[3]), .damage(mischief[4]), .repeated(mischief[5]), .ready(ba_ready),
        .in_valid(ba_send), .in_item(ba_in), .out_valid(ba_valid), .out_good(ba_good), .out_item(ba_out));

    // A
    wire                a_up, a_due, a_heard, a_resume, in_window, packet, packet_first;
    wire [ID_BITS-1:0]  a_id, a_peer;
    wire [SEQ_BITS-1:0] oldest, send, high;
    wire                a_sends_hello  = a_due && a_go && ab_ready;
    wire                packet_taken   = packet && !a_due && a_go && ab_ready;
    wire                a_hears_hello  = ba_valid && ba_good && ba_out[BA-1];
    wire [HELLO-1:0]    a_hello        = ba_out[BA-2 -: HELLO];
    wire [SEQ_BITS-1:0] ba_seq         = ba_out[SEQ_BITS-1:0];
    wire [SEQ_BITS-1:0] span           = high - oldest;

    generate
        if (TRAINING) begin : gen_a
            gbn_training #(.ID_BITS(ID_BITS)) u_training (
                .clk(clk), .rst(rst), .fall(a_fall), .again(a_again), .hello(a_hears_hello), .h_up(a_hello[HELLO-1]),
                .h_heard(a_hello[HELLO-2]), .h_id(a_hello[ID_BITS +: ID_BITS]), .h_echo(a_hello[0 +: ID_BITS]),
                .sent(a_sends_hello), .resume(a_resume), .up(a_up), .due(a_due), .heard(a_heard), .id(a_id),
                .peer_id(a_peer));
        end else begin : gen_a
            assign {a_up, a_due, a_heard, a_id, a_peer, a_resume} = {!rst, {2+2*ID_BITS+1{1'b0}}};
        end
    endgenerate

    gbn_sender #(.SEQ_BITS(SEQ_BITS)) u_sender (
        .clk(clk), .rst(rst), .up(a_up), .command(ba_valid && ba_good && !ba_out[BA-1]),
        .command_type(ba_out[SEQ_BITS +: 2]), .peer_seq(ba_seq), .resume(a_resume),
        .more(send != high || (new_packet && span != WINDOW)), .taken(packet_taken),
        .expired(expired && a_up && oldest != high), .in_window(in_window), .packet(packet),
        .packet_first(packet_first), .oldest(oldest), .send(send), .high(high), .held(held));

    // B
    wire                b_up, b_due, b_heard, b_resume, report_due, ack_due;
    wire [ID_BITS-1:0]  b_id, b_peer;
    wire [1:0]          command_type;
    wire [SEQ_BITS-1:0] expected;
    wire                b_sends_hello = b_due && b_go && ba_ready;
    wire                command_taken = (report_due || ack_due) && !b_due && b_go && ba_ready;
    wire                b_hears_hello = ab_valid && ab_good && ab_out[AB-1];
    wire [HELLO-1:0]    b_hello       = ab_out[HELLO-1:0];

    generate
        if (TRAINING) begin : gen_b
            gbn_training #(.ID_BITS(ID_BITS)) u_training (
                .clk(clk), .rst(rst), .fall(b_fall), .again(b_again), .hello(b_hears_hello), .h_up(b_hello[HELLO-1]),
                .h_heard(b_hello[HELLO-2]), .h_id(b_hello[ID_BITS +: ID_BITS]), .h_echo(b_hello[0 +: ID_BITS]),
                .sent(b_sends_hello), .resume(b_resume), .up(b_up), .due(b_due), .heard(b_heard), .id(b_id),
                .peer_id(b_peer));
        end else begin : gen_b
            assign {b_up, b_due, b_heard, b_id, b_peer, b_resume} = {!rst, {2+2*ID_BITS+1{1'b0}}};
        end
    endgenerate

    gbn_receiver #(.SEQ_BITS(SEQ_BITS)) u_receiver (
        .clk(clk), .rst(rst), .up(b_up), .arrived(ab_valid && !ab_out[AB-1]), .good(ab_good), .cut(cut),
        .seq(ab_good ? ab_out[2 +: SEQ_BITS] : wrong_seq), .room(room), .free(free), .keepalive(keepalive),
        .command_taken(command_taken),
        .accept(accept), .report_due(report_due), .ack_due(ack_due), .command_type(command_type),
        .expected(expected));

    // the watched packet: not sent yet, in the window at place w_seq, freed
    localparam [1:0] BEFORE = 2'd0, IN_WINDOW = 2'd1, FREED = 2'd2;
    reg  [1:0]          w_state;
    reg  [SEQ_BITS-1:0] w_seq;
    reg                 got;           // B has it
    wire                watch_now = w_state == BEFORE && watch && packet_taken && packet_first;
    wire [SEQ_BITS-1:0] d_send    = send - oldest;
    wire [SEQ_BITS-1:0] d_watched = w_seq - oldest;
    wire [1:0]          mark      = watch_now ? 2'd1 : w_state == BEFORE ? 2'd0 : w_state == FREED ? 2'd2
                                    : d_send < d_watched ? 2'd0 : d_send == d_watched ? 2'd1 : 2'd2;
    wire                moved     = (ba_valid && ba_good && !ba_out[BA-1] && a_up && in_window) || a_resume;
    wire [SEQ_BITS-1:0] advance   = ba_seq - oldest;
    wire                frees     = moved && w_state == IN_WINDOW && d_watched < advance;

    assign ab_send = a_sends_hello || packet_taken;
    assign ab_in   = a_sends_hello ? {1'b1, {AB-1-HELLO{1'b0}}, a_up, a_heard, a_id, a_peer}
                                   : {1'b0, {AB-3-SEQ_BITS{1'b0}}, send, mark};
    assign ba_send = b_sends_hello || command_taken;
    assign ba_in   = {b_sends_hello, b_up, b_heard, b_id, b_peer, command_type, expected};

    wire [1:0] came = ab_out[1:0];

    always @(posedge clk) begin
        if (watch_now) begin
            w_state <= IN_WINDOW;
            w_seq   <= send;
        end
        if (frees)
            w_state <= FREED;
        if (accept && came == 2'd1)
            got <= 1'b1;
        if (rst) begin
            w_state <= BEFORE;
            got     <= 1'b0;
        end
    end

    always @(posedge clk) if (CHECK && !rst) begin
        in_order:   assert (!accept || (came == 2'd2) == got);
        kept:       assert (!frees || got);
        pointers:   assert (d_send <= span && span <= WINDOW);
        resumption: assert (!a_resume || in_window);

        retransmitted:   cover (w_state == IN_WINDOW && packet_taken && mark == 2'd1 && !packet_first && accept &&
                                came == 2'd1);
        wrapped:         cover (accept && came == 2'd1 && expected == {SEQ_BITS{1'b1}} && packet_taken && send == 0);
        refused_then_in: cover (held && got && w_state == IN_WINDOW);
        nacked:          cover (got && report_due && command_type == 2'd1);
        probed:          cover (held && packet_taken);
        resumed_inside:  cover (a_resume && peer_moves && got && w_state == IN_WINDOW);
    end
    wire peer_moves = ba_seq != oldest && ba_seq != high;
endmodule
`default_nettype wire
