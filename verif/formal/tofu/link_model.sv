// SPDX-License-Identifier: Apache-2.0
// The protocol of a Tofu link as a small model (rtl/tofu/README.md, "Link"): A sends packets to B, B answers with
// control packets, both train. One step is the time of a packet. Everything not specified is chosen by the prover:
// what the channels do, when an end sends, when A goes back and why, which packets turn out void and which are cut
// short, when B's buffer gives up a packet, when an end falls back into training. Channels and training: ../common.
//
// Data: one watched packet, any; packets before it are marked 0, it is 1, those after it 2, void ones 3. Each takes one
// unit of B's buffer.
//
// Proved for any number of steps:
//   in_order       what B accepts is marked 0 0 ... 0 1 2 2 ...: nothing lost, doubled, or void
//   kept           no packet is given up by A before B has it
//   pointers       oldest <= send <= high <= write <= oldest + WINDOW
//   resumption     a hello that ends a training names a sequence number that A can go on from
//   fits           B's buffer has room for what it accepts
//   conserved      units taken = units freed + in B's buffer + on their way: none lost, none doubled
//   honest         A never counts more units free than there are
`default_nettype none
module link_model #(
    parameter SEQ_BITS    = 3,
    parameter WINDOW      = 4,
    parameter DELAY       = 2,
    parameter UNITS       = 3,
    parameter CREDIT_BITS = 3,
    parameter TRAINING    = 0,       // 0: the link is up from the start
    parameter ID_BITS     = 2
) (
    input wire       clk,
    input wire       begins_now,     // the router has a packet
    input wire       commit_now,     // it is whole
    input wire       kill_now,       // it is void
    input wire       watch,          // the packet that is whole now is the watched one
    input wire       a_go, b_go,     // the ends send in this step
    input wire       void_now,       // what A sends is void: killed, or cut short to go back
    input wire       back_now,       // NACK, BUSY, timeout
    input wire       room,           // B's buffer: no void copies stand in it
    input wire       drain_now,      // it gives up a packet
    input wire [SEQ_BITS-1:0] wrong_seq,  // of a damaged packet
    input wire [5:0] mischief,       // lose, damage, repeat; each way
    input wire       a_fall, b_fall, a_again, b_again
);
    localparam HELLO = 2 + 2 * ID_BITS;                           // up, heard, id, echo
    localparam DATA  = SEQ_BITS + 3;                              // void, seq, mark
    localparam AB    = 1 + (HELLO > DATA ? HELLO : DATA);
    localparam BA    = 1 + HELLO + SEQ_BITS + CREDIT_BITS;        // {hello?, hello, seq, freed}

    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    wire          ab_ready, ab_valid, ab_good, ba_ready, ba_valid, ba_good, ab_send, ba_send;
    wire [AB-1:0] ab_in, ab_out;
    wire [BA-1:0] ba_in, ba_out;
    gbn_channel #(.WIDTH(AB), .DELAY(DELAY)) u_ab (
        .clk(clk), .rst(rst), .lose(mischief[0]), .damage(mischief[1]), .repeated(mischief[2]), .ready(ab_ready),
        .in_valid(ab_send), .in_item(ab_in), .out_valid(ab_valid), .out_good(ab_good), .out_item(ab_out));
    gbn_channel #(.WIDTH(BA), .DELAY(DELAY)) u_ba (
        .clk(clk), .rst(rst), .lose(mischief[3]), .damage(mischief[4]), .repeated(mischief[5]), .ready(ba_ready),
        .in_valid(ba_send), .in_item(ba_in), .out_valid(ba_valid), .out_good(ba_good), .out_item(ba_out));

    // training
    wire               a_up, a_due, a_heard, a_resume, b_up, b_due, b_heard, b_resume;
    wire [ID_BITS-1:0] a_id, a_peer, b_id, b_peer;
    wire               a_sends_hello = a_due && a_go && ab_ready;
    wire               b_sends_hello = b_due && b_go && ba_ready;
    wire               a_hears_hello = ba_valid && ba_good && ba_out[BA-1];
    wire               b_hears_hello = ab_valid && ab_good && ab_out[AB-1];
    wire [HELLO-1:0]   a_hello       = ba_out[BA-2 -: HELLO];
    wire [HELLO-1:0]   b_hello       = ab_out[HELLO-1:0];
    generate
        if (TRAINING) begin : gen
            gbn_training #(.ID_BITS(ID_BITS)) u_a (
                .clk(clk), .rst(rst), .fall(a_fall), .again(a_again), .hello(a_hears_hello), .h_up(a_hello[HELLO-1]),
                .h_heard(a_hello[HELLO-2]), .h_id(a_hello[ID_BITS +: ID_BITS]), .h_echo(a_hello[0 +: ID_BITS]),
                .sent(a_sends_hello), .resume(a_resume), .up(a_up), .due(a_due), .heard(a_heard), .id(a_id),
                .peer_id(a_peer));
            gbn_training #(.ID_BITS(ID_BITS)) u_b (
                .clk(clk), .rst(rst), .fall(b_fall), .again(b_again), .hello(b_hears_hello), .h_up(b_hello[HELLO-1]),
                .h_heard(b_hello[HELLO-2]), .h_id(b_hello[ID_BITS +: ID_BITS]), .h_echo(b_hello[0 +: ID_BITS]),
                .sent(b_sends_hello), .resume(b_resume), .up(b_up), .due(b_due), .heard(b_heard), .id(b_id),
                .peer_id(b_peer));
        end else begin : gen
            assign {a_up, a_due, a_heard, a_id, a_peer, a_resume} = {!rst, {2+2*ID_BITS+1{1'b0}}};
            assign {b_up, b_due, b_heard, b_id, b_peer, b_resume} = {!rst, {2+2*ID_BITS+1{1'b0}}};
        end
    endgenerate

    // A: numbers, credits
    reg  [SEQ_BITS-1:0]    oldest, send, high, write;
    reg                    open;                       // a packet is under way from the router
    reg  [CREDIT_BITS-1:0] used, heard;
    wire [SEQ_BITS-1:0]    peer_seq  = ba_out[CREDIT_BITS +: SEQ_BITS];
    wire [SEQ_BITS-1:0]    advance   = peer_seq - oldest;
    wire [SEQ_BITS-1:0]    span      = high - oldest;
    wire [SEQ_BITS-1:0]    d_send    = send - oldest;
    wire [SEQ_BITS-1:0]    d_write   = write - oldest;
    wire [CREDIT_BITS-1:0] taken     = used - heard;
    wire                   in_window = advance <= span;
    wire                   accepted  = a_up && ba_valid && ba_good && !ba_out[BA-1] && in_window;
    wire                   moved     = accepted || a_resume;
    wire                   begins    = begins_now && a_up && !open && taken < UNITS && d_write < WINDOW;
    wire                   commits   = open && commit_now;
    wire                   killed    = open && kill_now && !commit_now;
    wire                   a_can     = a_up && a_go && ab_ready && !a_due;
    wire                   sends     = a_can && !void_now && send != write;
    wire                   voids     = a_can && void_now && (send != write || open);

    always @(posedge clk) begin
        if (begins) begin
            open <= 1'b1;
            used <= used + 1'b1;
        end
        if (commits) begin
            open  <= 1'b0;
            write <= write + 1'b1;
        end
        if (killed) begin
            open <= 1'b0;
            used <= used - 1'b1;
        end
        if (sends) begin
            send <= send + 1'b1;
            if (send == high)
                high <= high + 1'b1;
        end
        if (back_now)
            send <= oldest;
        if (accepted)
            heard <= ba_out[CREDIT_BITS-1:0];
        if (moved) begin
            oldest <= peer_seq;
            if (a_resume || back_now || advance > d_send)
                send <= peer_seq;
        end
        if (rst) begin
            {oldest, send, high, write} <= 0;
            {open, used, heard}         <= 0;
        end
    end

    // B: the number expected, and a buffer
    reg  [SEQ_BITS-1:0]    expected;
    reg  [CREDIT_BITS-1:0] freed, buffered;
    wire [1:0]             came     = ab_good ? ab_out[1:0] : 2'd3;
    wire [SEQ_BITS-1:0]    came_seq = ab_good ? ab_out[2 +: SEQ_BITS] : wrong_seq;
    wire                   void_in  = ab_out[SEQ_BITS+2];
    wire                   arrived  = b_up && ab_valid && ab_good && !ab_out[AB-1] && came_seq == expected;
    wire                   accept   = arrived && !void_in && room;
    wire                   drains   = drain_now && buffered != 0;
    wire                   b_says   = b_up && b_go && ba_ready && !b_due;

    always @(posedge clk) begin
        if (accept)
            expected <= expected + 1'b1;
        if (drains)
            freed <= freed + 1'b1;
        buffered <= buffered + accept - drains;
        if (rst)
            {expected, freed, buffered} <= 0;
    end

    // the watched packet: not whole yet, in the window at place w_seq, freed
    localparam [1:0] BEFORE = 2'd0, IN_WINDOW = 2'd1, FREED = 2'd2;
    reg  [1:0]          w_state;
    reg  [SEQ_BITS-1:0] w_seq;
    reg                 got;
    wire [SEQ_BITS-1:0] d_watched = w_seq - oldest;
    wire [1:0]          mark      = w_state == BEFORE ? 2'd0 : w_state == FREED ? 2'd2
                                    : d_send < d_watched ? 2'd0 : d_send == d_watched ? 2'd1 : 2'd2;
    wire                frees     = moved && w_state == IN_WINDOW && d_watched < advance;

    always @(posedge clk) begin
        if (w_state == BEFORE && watch && commits) begin
            w_state <= IN_WINDOW;
            w_seq   <= write;
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

    assign ab_send = a_sends_hello || sends || voids;
    assign ab_in   = a_sends_hello ? {1'b1, {AB-1-HELLO{1'b0}}, a_up, a_heard, a_id, a_peer}
                                   : {1'b0, {AB-1-DATA{1'b0}}, voids, send, voids ? 2'd3 : mark};
    assign ba_send = b_sends_hello || b_says;
    assign ba_in   = {b_sends_hello, b_up, b_heard, b_id, b_peer, expected, freed};

    wire [SEQ_BITS-1:0]    lacks  = write - expected;
    wire [CREDIT_BITS-1:0] onway  = lacks;
    wire [CREDIT_BITS-1:0] out    = used - freed;
    wire [CREDIT_BITS-1:0] unsaid = freed - heard;

    always @(posedge clk) if (!rst) begin
        in_order:   assert (!accept || (came != 2'd3 && (came == 2'd2) == got));
        kept:       assert (!frees || got);
        pointers:   assert (d_send <= span && span <= d_write && d_write <= WINDOW);
        resumption: assert (!a_resume || in_window);
        fits:       assert (!accept || buffered < UNITS);
        conserved:  assert (out == buffered + onway + open);
        honest:     assert (taken <= UNITS && unsaid <= taken);

        retransmitted: cover (w_state == IN_WINDOW && sends && mark == 2'd1 && send != high && accept && came == 2'd1);
        voided:        cover (got && killed && arrived && void_in);
        wrapped:       cover (accept && came == 2'd1 && freed == {CREDIT_BITS{1'b1}} && drains);
        full:          cover (got && buffered == UNITS && taken == UNITS && begins_now);
        resumed:       cover (a_resume && got && w_state == IN_WINDOW && advance != 0 && advance != span);
    end
endmodule
`default_nettype wire
