// SPDX-License-Identifier: Apache-2.0
// The protocol of a QCDOC link as a small model: A sends data words, supervisor words and partition interrupts to B, B
// acknowledges. One step is the time of a frame, or of a burst of marks with its resume number. Everything that is not said is chosen by
// the prover: what the cables do, when somebody sends, reads, takes, trains, when B has frames of its own.
//
// Errors. A frame or code may be damaged so that its receiver sees it (header or parity); a frame also behind its header. Idle bytes, too.
// An end may train at any time: its receiver is out of step then, and it begins with marks. With SLIPS, a receiver may lose its byte alignment: what it reads
// from then on, until it trains, is garbage: a header with a wrong acknowledgement whose frame has wrong parity, or up to MIMIC
// codes of one byte, with wrong acknowledgements.
// PATIENCE: how long A waits before it heeds an acknowledgement. 0: not at all; 1: until the frame has ended well; 1 + n: until n frames or codes
// after it have, too.
//
// One watched item of each class, as in ../qpace/gbn_model.sv: those before it are marked 0, it 1, those after it 2.
// Proved for any number of steps:
//   *_order     what B's host gets is marked 0 ... 0 1 2 ...: exactly once, in its place
//   *_kept      A gives nothing up before B's host has it (an interrupt: before B has it)
//   *_room      nothing comes that B has no room for
//   pointers    oldest <= send <= high <= oldest + 3; what B wants next lies between oldest and high
`default_nettype none
module link_model #(
    parameter DELAY    = 2,
    parameter SLIPS    = 0,
    parameter MIMIC    = 0,
    parameter PATIENCE = 0,
    parameter WORDS    = 1,          // which classes A has; it may always send something else instead
    parameter SUPS     = 1,
    parameter INTS     = 1,
    parameter CHECK    = 1           // 0: as a part of link_progress.sv
) (
    input wire       clk,
    input wire       new_word, new_sup, new_int, watch_word, watch_sup, watch_int,
    input wire       take, read,
    input wire       a_go, b_go, a_stop, b_stop,       // stop: what this end sent stands still
    input wire       a_hurt, b_hurt, a_late, b_late,   // what comes to this end is damaged; behind the header
    input wire       a_train, b_train, a_retry, b_retry,
    input wire       b_urgent, b_data,                 // B has a supervisor word or interrupt, a word to send
    input wire       b_other,                          // B's header acknowledges something of a class that is not in the model
    input wire       a_slip, b_slip, garbage, mimics,
    input wire [2:0] garbage_type,
    input wire [1:0] garbage_number,
    // for link_progress.sv
    output wire      accept, sup_fresh, int_fresh,
    output wire      sup_valid, int_valid, sup_unread,
    output wire      a_marks, b_marks, a_asks, b_asks,
    output reg       a_lost,
    output wire      b_lost
);
    localparam [2:0] NONE = 3'd0, WORD = 3'd1, SUP = 3'd2, INT = 3'd3, RESUME = 3'd4, REQUEST = 3'd5;

    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    // ---- A: what comes
    wire       ba_valid, ba_frame;
    wire [2:0] ba_type;                            // WORD, SUP, INT: acknowledges one; RESUME; REQUEST
    wire [1:0] ba_number;
    reg        a_slipped;
    reg  [3:0] mimicked;
    wire       a_reads  = ba_valid && !a_slipped && !a_hurt;
    wire       a_fools  = a_slipped && garbage;                    // garbage that begins with a good header
    wire       a_fooled = a_fools && mimics && mimicked != MIMIC;  // and ends well
    wire       a_header = !a_lost && !rst && (a_reads || (ba_valid && !a_slipped && ba_frame && a_late) || a_fools);
    wire       a_good   = !a_lost && !rst && (a_reads || a_fooled);
    wire [2:0] a_type   = a_slipped ? garbage_type : ba_type;
    wire [1:0] a_number = a_slipped ? garbage_number : ba_number;
    wire       a_resume = a_reads && ba_type == RESUME;
    wire       a_broken = (a_hurt && !a_slipped) || a_train || (a_slipped && !a_fooled && (ba_valid || garbage));
    wire       requested = a_good && a_type == REQUEST;

    // acknowledgements that wait for good frames behind them
    wire [2:0] ack_type;
    wire [1:0] ack_number;
    wire       ack;
    generate
        if (PATIENCE <= 1) begin : gen_at_once
            assign {ack, ack_type, ack_number} = {PATIENCE == 0 ? a_header : a_good, a_type, a_number};
        end else begin : gen_wait
            reg [5*(PATIENCE-1)-1:0] waiting;
            assign ack = a_good;
            assign {ack_type, ack_number} = waiting[5*(PATIENCE-1)-1 -: 5];
            always @(posedge clk) begin
                if (a_good)
                    waiting <= {waiting, a_type, a_number};
                if (rst || a_broken || a_lost)
                    waiting <= {5*(PATIENCE-1){1'b0}};
            end
        end
    endgenerate

    // ---- A: what goes. Like qcdoc_link_tx: marks, interrupt, supervisor word, data word
    reg        a_burst, a_request;
    wire       caught_up, heeded, room, int_go, sup_go, sup_done, int_done, sup_number, int_number;
    wire [1:0] oldest, oldest_next, send, high;
    wire       a_turn    = a_go && !a_stop && !rst;
    assign a_marks = a_turn && a_burst;
    assign a_asks  = a_turn && !a_burst && a_request;
    wire       a_free    = a_turn && !a_burst && !a_request;
    wire       int_sent  = a_free && int_go;
    wire       sup_sent  = a_free && !int_go && sup_go;
    wire       word_sent = a_free && !int_go && !sup_go && (!caught_up || (new_word && room && WORDS));
    wire       word_new  = word_sent && caught_up;
    wire [2:0] ab_out_type;
    wire [1:0] ab_out_number, ab_out_mark;
    wire       ab_valid;
    wire [1:0] word_mark;
    reg  [1:0] sup_mark, int_mark;

    link_sender u_sender (
        .clk(clk), .rst(rst), .ack(ack && ack_type == WORD), .number(ack_number), .burst(a_marks), .word(word_sent),
        .room(room), .caught_up(caught_up), .heeded(heeded), .oldest_next(oldest_next), .oldest(oldest), .send(send),
        .high(high));

    wire [2:0] ab_in_type = a_marks ? RESUME : a_asks ? REQUEST : int_sent ? INT : sup_sent ? SUP : WORD;
    wire [1:0] ab_in_number = a_marks ? oldest_next : int_sent ? {1'b0, int_number} : sup_sent ? {1'b0, sup_number} : 2'd0;
    wire [1:0] ab_in_mark = int_sent ? int_mark : sup_sent ? sup_mark : word_mark;
    link_cable #(.WIDTH(7), .DELAY(DELAY)) u_ab (
        .clk(clk), .rst(rst), .stop(a_stop), .in_valid(a_marks || a_asks || int_sent || sup_sent || word_sent),
        .in_item({ab_in_type, ab_in_number, ab_in_mark}), .out_valid(ab_valid),
        .out_item({ab_out_type, ab_out_number, ab_out_mark}));

    // ---- B: what comes. Garbage that looks good swallows what was sent and says nothing that matters here
    reg        b_slipped;
    wire       waiting;
    wire [1:0] expected, taken, skip;
    wire       b_reads  = ab_valid && !b_slipped && !b_hurt && !rst;
    wire       b_good   = b_reads && !b_lost;
    wire       b_resume = b_reads && ab_out_type == RESUME;
    wire       b_asked  = b_good && ab_out_type == REQUEST;
    wire       b_broken = (b_hurt && !b_slipped) || b_train || (b_slipped && !mimics && (ab_valid || garbage));
    wire       takes    = take && waiting && !rst;
    link_receiver u_receiver (
        .clk(clk), .rst(rst), .broken(b_broken), .resume(b_resume), .number(ab_out_number),
        .word(b_reads && ab_out_type == WORD), .take(takes), .accept(accept), .waiting(waiting), .lost(b_lost),
        .expected(expected), .taken(taken), .skip(skip));

    // ---- supervisor words and interrupts, both ends
    wire sup_came = b_good && ab_out_type == SUP, int_came = b_good && ab_out_type == INT;
    wire sup_ack_sent, int_ack_sent, sup_ack_due, int_ack_due, sup_ack_says, int_ack_says;
    link_single #(.READ(1)) u_sup (
        .clk(clk), .rst(rst), .start(new_sup && !sup_valid && SUPS), .sent(sup_sent), .burst(a_marks),
        .ack(ack && ack_type == SUP), .ack_number(ack_number[0]), .valid(sup_valid), .go(sup_go), .done(sup_done),
        .number(sup_number), .came(sup_came), .came_number(ab_out_number[0]), .read(read), .again(b_asked || b_train),
        .ack_sent(sup_ack_sent), .fresh(sup_fresh), .unread(sup_unread), .ack_due(sup_ack_due), .ack_says(sup_ack_says));
    link_single #(.READ(0)) u_int (
        .clk(clk), .rst(rst), .start(new_int && !int_valid && INTS), .sent(int_sent), .burst(a_marks),
        .ack(ack && ack_type == INT), .ack_number(ack_number[0]), .valid(int_valid), .go(int_go), .done(int_done),
        .number(int_number), .came(int_came), .came_number(ab_out_number[0]), .read(1'b0), .again(b_asked || b_train),
        .ack_sent(int_ack_sent), .fresh(int_fresh), .ack_due(int_ack_due), .ack_says(int_ack_says));

    // ---- B: what goes
    reg        b_burst, b_request;
    wire       b_turn   = b_go && !b_stop && !rst;
    assign b_marks = b_turn && b_burst;
    assign b_asks  = b_turn && !b_burst && b_request;
    wire       b_free   = b_turn && !b_burst && !b_request;
    wire       b_header = b_free && !b_urgent;     // a data word's, or one alone: the other acknowledgements go first
    assign int_ack_sent = b_header && int_ack_due && !b_other;
    assign sup_ack_sent = b_header && !int_ack_due && sup_ack_due && !b_other;
    wire [2:0] ba_in_type = b_marks ? RESUME : b_asks ? REQUEST : int_ack_sent ? INT : sup_ack_sent ? SUP : b_header && b_other ? NONE : WORD;
    wire [1:0] ba_in_number = int_ack_sent ? {1'b0, int_ack_says} : sup_ack_sent ? {1'b0, sup_ack_says} : taken;
    link_cable #(.WIDTH(6), .DELAY(DELAY)) u_ba (
        .clk(clk), .rst(rst), .stop(b_stop), .in_valid(b_turn), .in_item({b_urgent || b_data, ba_in_type, ba_in_number}),
        .out_valid(ba_valid), .out_item({ba_frame, ba_type, ba_number}));

    always @(posedge clk) begin
        // A's receiver, and marks that are due
        if (a_resume)
            a_lost <= 1'b0;
        if (a_broken)
            a_lost <= 1'b1;
        if (a_marks) begin
            a_burst   <= 1'b0;
            a_request <= a_lost;
        end
        if (a_asks)
            a_request <= 1'b0;
        if ((a_broken && !a_lost) || (a_lost && a_retry) || requested || a_train)
            a_burst <= 1'b1;
        if (b_marks) begin
            b_burst   <= 1'b0;
            b_request <= b_lost;
        end
        if (b_asks)
            b_request <= 1'b0;
        if ((b_broken && !b_lost) || (b_lost && b_retry) || b_asked || b_train)
            b_burst <= 1'b1;
        // alignment
        if (a_slip && SLIPS)
            a_slipped <= 1'b1;
        if (b_slip && SLIPS)
            b_slipped <= 1'b1;
        if (a_train)
            a_slipped <= 1'b0;
        if (b_train)
            b_slipped <= 1'b0;
        if (a_fooled)
            mimicked <= mimicked + 4'd1;
        if (!a_slipped)
            mimicked <= 4'd0;
        if (rst) begin
            {a_lost, a_burst, b_burst} <= 3'b111;
            {a_request, b_request, a_slipped, b_slipped} <= 4'd0;
            mimicked <= 4'd0;
        end
    end

    // ---- the watched word: not sent yet, in the air as number w_number, given up
    localparam [1:0] BEFORE = 2'd0, IN_AIR = 2'd1, FREED = 2'd2;
    reg  [1:0] w_state, w_number;
    wire       w_now  = w_state == BEFORE && watch_word && word_new;
    wire [1:0] span   = high - oldest;
    wire [1:0] d_send = send - oldest, d_watched = w_number - oldest, advance = ack_number - oldest;
    wire       frees  = heeded && w_state == IN_AIR && d_watched < advance;
    assign word_mark  = w_now ? 2'd1 : w_state == BEFORE ? 2'd0 : w_state == FREED ? 2'd2
                        : d_send < d_watched ? 2'd0 : d_send == d_watched ? 2'd1 : 2'd2;
    // B's four places, as in qcdoc_link_rx, and how many are held
    reg  [7:0] places;
    reg  [2:0] held;
    reg        got, again;
    wire [1:0] gets = places[2*taken +: 2];
    // the other two classes
    reg  [1:0] sup_came_mark;
    reg        sup_got, int_got;

    always @(posedge clk) begin
        if (w_now) begin
            w_state  <= IN_AIR;
            w_number <= send;
        end
        if (frees)
            w_state <= FREED;
        if (accept)
            places[2*expected +: 2] <= ab_out_mark;
        held <= held + accept - takes;
        if (takes && gets == 2'd1)
            got <= 1'b1;
        if (word_sent && !word_new && word_mark == 2'd1)
            again <= 1'b1;

        if (new_sup && !sup_valid && SUPS)
            sup_mark <= sup_mark == 2'd0 ? {1'b0, watch_sup} : 2'd2;
        if (new_int && !int_valid && INTS)
            int_mark <= int_mark == 2'd0 ? {1'b0, watch_int} : 2'd2;
        if (sup_fresh)
            sup_came_mark <= ab_out_mark;
        if (read && sup_unread && sup_came_mark == 2'd1)
            sup_got <= 1'b1;
        if (int_fresh && ab_out_mark == 2'd1)
            int_got <= 1'b1;
        if (rst) begin
            w_state  <= BEFORE;
            held     <= 3'd0;
            got      <= 1'b0;
            again    <= 1'b0;
            sup_mark <= 2'd0;
            int_mark <= 2'd0;
            sup_got  <= 1'b0;
            int_got  <= 1'b0;
        end
    end

    always @(posedge clk) if (CHECK && !rst) begin
        data_order: assert (!takes || (gets == 2'd2) == got);
        data_kept:  assert (!frees || got);
        data_room:  assert (!accept || held != 3'd3);
        sup_order:  assert (!(read && sup_unread) || (sup_came_mark == 2'd2) == sup_got);
        sup_kept:   assert (!(sup_done && sup_mark == 2'd1) || sup_got);
        sup_room:   assert (!sup_fresh || !sup_unread);
        int_order:  assert (!int_fresh || (ab_out_mark == 2'd2) == int_got);
        int_kept:   assert (!(int_done && int_mark == 2'd1) || int_got);
        pointers:   assert (d_send <= span && held <= 3'd3 && (expected - oldest) <= span && taken - oldest <= expected - oldest);

        resent:        cover (again && accept && ab_out_mark == 2'd1);
        skipped:       cover (b_good && ab_out_type == WORD && skip == 2'd3 && w_state == IN_AIR);
        wrapped:       cover (takes && gets == 2'd1 && taken == 2'd3 && word_new && send == 2'd1);
        idle_receive:  cover (held == 3'd3 && span == 2'd3 && sup_done && sup_mark == 2'd1 && int_got && !int_valid);
        both_lost:     cover (a_lost && b_lost && w_state == IN_AIR && int_got && sup_got);
        sup_again:     cover (sup_came && !sup_fresh && !sup_unread && sup_got && sup_mark == 2'd1);
        slipped:       cover (w_state == IN_AIR && a_slipped && a_header && !a_good && a_type == WORD && a_number != oldest);
    end
endmodule
`default_nettype wire
