// SPDX-License-Identifier: Apache-2.0
// The protocol of a QCDOC link with records as a small model: A sends data words, supervisor words and partition
// interrupts to B, B acknowledges. One step is the time of a frame, or of a burst of marks with its record. Everything
// not specified is chosen by the prover: what the cables do, when an end sends, stores, reads, takes, trains, when
// B has frames of its own.
//
// Errors. A frame or code may be damaged so that its receiver sees it (header or parity); a frame also behind its
// header. Idle bytes, too. An end may train at any time: its receiver is out of step then, and it begins with marks.
// With SLIPS, a receiver may lose its byte alignment: what it reads from then on, until it trains, is garbage: headers
// that acknowledge falsely, up to MIMIC in a row, then something bad. (Garbage that is a whole frame with the right
// parity is left to the checksums.) Acknowledgements of data count at once; of the other two after CONFIRM more good
// headers; those themselves after SURE good items.
//
// One watched item of each class, as models of go-back-n have them: those before it are marked 0, it 1, those after
// it 2.
// Proved for any number of steps:
//   *_order     what B's host gets is marked 0 ... 0 1 2 ...: exactly once, in its place
//   *_kept      A gives nothing up before B's host has it (an interrupt: before B has it)
//   *_room      nothing comes that B has no room for
//   pointers    what they are to each other
`default_nettype none
module record_model #(
    parameter DELAY    = 1,
    parameter BITS     = 4,          // of a word's number
    parameter MEM      = 8,          // words that A remembers
    parameter SLIPS    = 0,
    parameter MIMIC    = 0,
    parameter CONFIRM  = 0,
    parameter SURE     = 1,
    parameter WORDS    = 1,          // which classes A has; it may always send something else instead
    parameter SUPS     = 1,
    parameter INTS     = 1,
    parameter STOPS    = 1,          // 1: cables stand still when the prover wants it
    parameter CHECK    = 3           // 1 words, 2 supervisor words and interrupts; 0: as a part of record_progress.sv
) (
    input wire       clk,
    input wire       new_word, new_sup, new_int, watch_word, watch_sup, watch_int,
    input wire       take, read,
    input wire       a_go, b_go, a_stop, b_stop,       // stop: what this end sent stands still
    input wire       a_hurt, b_hurt, a_late,           // what comes to this end is damaged; behind the header
    input wire       a_train, b_train, a_retry, b_retry,
    input wire       a_heeds,                          // A answers a request that may have crossed its own
    input wire       b_urgent, b_data,                 // B has a supervisor word or interrupt, a word to send
    input wire       b_other,                          // B's header acknowledges something of a class not in the model
    input wire       b_fits,                           // B's record goes on with the word that A expects
    input wire       a_slip, b_slip, garbage, mimics,
    input wire [2:0] garbage_type,
    input wire [1:0] garbage_number,
    // for record_progress.sv
    output wire      accept, sup_fresh, int_fresh,
    output wire      sup_valid, int_valid, sup_unread, words_left,
    output wire      a_marks, b_marks,
    output reg       a_lost,
    output wire      b_lost
);
    localparam [2:0] NONE = 3'd0, WORD = 3'd1, SUP = 3'd2, INT = 3'd3, RECORD = 3'd4;
    localparam AB = 3 + BITS + 1;                      // type; next, lost, or number and mark
    localparam BA = 1 + 3 + BITS + 4;                  // frame, type; expected, waiting, lost, fits, or number

    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;
    reg dead;                                          // PROTOCOL: the link goes down
    wire stopped = rst || dead;

    // ---- A: what comes
    wire          ba_valid;
    wire [BA-1:0] ba_out;
    wire          ba_frame = ba_out[BA-1];
    wire [2:0]    ba_type  = ba_out[BA-2 -: 3];        // WORD, SUP, INT: acknowledges one
    reg           a_slipped;
    reg  [3:0]    mimicked;
    wire          a_reads  = ba_valid && !a_slipped && !a_hurt && !stopped;
    wire          a_fools  = a_slipped && garbage && mimics && mimicked != MIMIC && !stopped && garbage_type != RECORD;
    // a header is here; a frame may still be damaged behind it
    wire          a_header = !a_lost &&
                             (a_reads || (ba_valid && !a_slipped && ba_frame && a_late && !stopped) || a_fools);
    wire [2:0]    a_type   = a_slipped ? garbage_type : ba_type;
    wire [1:0]    a_number = a_slipped ? garbage_number : ba_out[1:0];
    wire          a_record = a_reads && ba_type == RECORD;
    wire          bad_ack, gone;
    wire          a_broken = (a_hurt && !a_slipped) || a_train || (a_slipped && !a_fools && (ba_valid || garbage)) ||
                             bad_ack;

    // acknowledgements that are accepted later
    wire       late_valid, late_number;
    wire [2:0] late_type;
    assign late_valid = a_header;
    generate
        if (CONFIRM == 0) begin : gen_at_once
            assign {late_type, late_number} = {a_type, a_number[0]};
        end else begin : gen_later
            reg [4*CONFIRM-1:0] wait_for;
            assign {late_type, late_number} = wait_for[4*CONFIRM-1 -: 4];
            always @(posedge clk) begin
                if (a_header)
                    wait_for <= {wait_for, a_type, a_number[0]};
                if (rst || a_broken || a_lost)
                    wait_for <= {4*CONFIRM{1'b0}};
            end
        end
    endgenerate

    // ---- A: what goes. Like qcdoc_link_tx: marks, interrupt, supervisor word, data word
    reg             a_burst;
    wire            room, go, int_go, sup_go, sup_done, int_done, sup_number, int_number;
    wire [BITS-1:0] oldest, send, head, next;
    wire            a_turn    = a_go && !(a_stop && STOPS) && !stopped;
    assign          a_marks   = a_turn && a_burst;
    reg             a_sure;                            // the item that confirms the one before
    wire            a_confirms = a_turn && !a_burst && a_sure;
    wire            a_free    = a_turn && !a_burst && !a_sure;
    wire            int_sent  = a_free && int_go;
    wire            sup_sent  = a_free && !int_go && sup_go;
    wire            word_sent = a_free && !int_go && !sup_go && go;
    wire            stored    = new_word && room && WORDS && !stopped;
    wire            ab_valid;
    wire [AB-1:0]   ab_out;
    wire [2:0]      ab_type = ab_out[AB-1 -: 3];
    wire [1:0]      ab_mark = ab_out[1:0];
    wire            ab_bit  = ab_out[2];
    reg  [1:0]      sup_mark, int_mark;
    wire [1:0]      word_mark;

    // a request for what went on behind A's own, CROSSES steps ago at the most
    localparam [1:0] CROSSES = 2 * DELAY + 1;
    reg  [BITS-1:0] told;
    reg  [1:0]      fresh;
    wire            answered = fresh != 2'd0 && ba_out[4 +: BITS] == told && !a_heeds;

    record_sender #(.BITS(BITS), .MEM(MEM)) u_sender (
        .clk(clk), .rst(rst), .ack(a_header && a_type == WORD), .ack_number(a_number), .bad_ack(bad_ack),
        .record(a_record), .record_lost(ba_out[1]), .answered(answered), .record_expected(ba_out[4 +: BITS]),
        .record_waiting(ba_out[3:2]),
        .marks(a_marks), .next(next), .room(room), .store(stored), .go(go), .sent(word_sent), .gone(gone),
        .oldest(oldest), .send(send), .head(head));
    assign words_left = head != send;

    record_cable #(.WIDTH(AB), .DELAY(DELAY)) u_ab (
        .clk(clk), .rst(rst), .stop(a_stop && STOPS),
        .in_valid(a_marks || a_confirms || int_sent || sup_sent || word_sent),
        .in_item(a_marks ? {RECORD, next, a_lost} :
                 a_confirms ? {AB{1'b0}} :
                 {int_sent ? INT : sup_sent ? SUP : WORD, {BITS-2{1'b0}}, int_sent ? int_number : sup_number,
                  int_sent ? int_mark : sup_sent ? sup_mark : word_mark}),
        .out_valid(ab_valid), .out_item(ab_out));

    // ---- B: what comes. Garbage that looks good swallows what was sent and says nothing that matters here
    reg             b_slipped;
    wire            refuse;
    wire [1:0]      waiting;
    wire [BITS-1:0] expected, taken;
    wire            b_reads  = ab_valid && !b_slipped && !b_hurt && !stopped;
    wire            b_good   = b_reads && !b_lost;
    wire            b_record = b_reads && ab_type == RECORD;
    wire            b_asked  = b_record && ab_out[0];
    wire            b_broken = (b_hurt && !b_slipped) || b_train || (b_slipped && !mimics && (ab_valid || garbage));
    wire            takes    = take && waiting != 2'd0 && !stopped;
    record_receiver #(.BITS(BITS)) u_receiver (
        .clk(clk), .rst(rst), .broken(b_broken), .record(b_record), .next(ab_out[1 +: BITS]),
        .word(b_reads && ab_type == WORD), .take(takes), .accept(accept), .refuse(refuse), .waiting(waiting),
        .lost(b_lost), .expected(expected), .taken(taken));

    // ---- supervisor words and interrupts, both ends; what came waits for the good item that confirms it
    reg  [2:0] unsure_type;
    reg        unsure_bit;
    reg  [1:0] unsure_mark;
    wire [2:0] came_type = SURE ? (b_good && ab_type == NONE ? unsure_type : NONE) : b_good ? ab_type : NONE;
    wire       came_bit  = SURE ? unsure_bit : ab_bit;
    wire [1:0] came_mark = SURE ? unsure_mark : ab_mark;
    wire sup_ack_sent, int_ack_sent, sup_ack_due, int_ack_due, sup_ack_says, int_ack_says;
    record_single #(.READ(1)) u_sup (
        .clk(clk), .rst(rst),
        .start(new_sup && !sup_valid && SUPS), .sent(sup_sent), .burst(a_marks), .ack(late_valid && late_type == SUP),
        .ack_number(late_number), .valid(sup_valid), .go(sup_go), .done(sup_done), .number(sup_number),
        .came(came_type == SUP), .came_number(came_bit), .read(read), .again(b_asked || b_train),
        .ack_sent(sup_ack_sent), .fresh(sup_fresh), .unread(sup_unread), .ack_due(sup_ack_due),
        .ack_says(sup_ack_says));
    record_single #(.READ(0)) u_int (
        .clk(clk), .rst(rst), .start(new_int && !int_valid && INTS), .sent(int_sent), .burst(a_marks),
        .ack(late_valid && late_type == INT), .ack_number(late_number), .valid(int_valid), .go(int_go), .done(int_done),
        .number(int_number), .came(came_type == INT), .came_number(came_bit), .read(1'b0), .again(b_asked || b_train),
        .ack_sent(int_ack_sent), .fresh(int_fresh), .ack_due(int_ack_due), .ack_says(int_ack_says));

    // ---- B: what goes
    reg        b_burst, b_back;                    // A asked for words
    wire       b_turn   = b_go && !(b_stop && STOPS) && !stopped;
    assign     b_marks  = b_turn && b_burst;
    wire       b_free   = b_turn && !b_burst;
    wire       b_header = b_free && !b_urgent && !b_other;    // the other acknowledgements go before that of data
    assign int_ack_sent = b_header && int_ack_due;
    assign sup_ack_sent = b_header && !int_ack_due && sup_ack_due;
    wire [2:0] ba_in_type = b_marks ? RECORD : int_ack_sent ? INT : sup_ack_sent ? SUP :
                            b_other && !b_urgent ? NONE : WORD;
    wire [1:0] ba_in_number = int_ack_sent ? {1'b0, int_ack_says} : sup_ack_sent ? {1'b0, sup_ack_says} : taken[1:0];
    record_cable #(.WIDTH(BA), .DELAY(DELAY)) u_ba (
        .clk(clk), .rst(rst), .stop(b_stop && STOPS), .in_valid(b_turn),
        .in_item({b_urgent || b_data, ba_in_type, expected,
                  b_marks ? {waiting, b_lost, b_fits || b_back} : {2'd0, ba_in_number}}),
        .out_valid(ba_valid), .out_item(ba_out));

    always @(posedge clk) begin
        // A's receiver, and marks that are due
        if (a_record)
            a_lost <= !ba_out[0];
        if (a_broken)
            a_lost <= 1'b1;
        if (a_marks)
            a_burst <= 1'b0;
        fresh <= fresh - (fresh != 2'd0);
        if (a_marks) begin
            told  <= next;
            fresh <= a_lost ? CROSSES : 2'd0;
        end
        if (a_record)
            fresh <= 2'd0;
        if ((a_broken && !a_lost) || (a_lost && a_retry) || (a_record && ba_out[1] && !answered) || a_train)
            a_burst <= 1'b1;
        if (int_sent || sup_sent)
            a_sure <= SURE;
        if (a_confirms || a_marks)
            a_sure <= 1'b0;
        if (b_marks)
            {b_burst, b_back} <= 2'd0;
        if (((b_broken || refuse) && !b_lost) || (b_lost && b_retry) || b_asked || b_train)
            b_burst <= 1'b1;
        if (b_asked)
            b_back <= 1'b1;
        if (b_good) begin
            unsure_type <= ab_type == SUP || ab_type == INT ? ab_type : NONE;
            unsure_bit  <= ab_bit;
            unsure_mark <= ab_mark;
        end
        if (b_lost || b_broken)
            unsure_type <= NONE;
        // alignment
        if (a_slip && SLIPS)
            a_slipped <= 1'b1;
        if (b_slip && SLIPS)
            b_slipped <= 1'b1;
        if (a_train)
            a_slipped <= 1'b0;
        if (b_train)
            b_slipped <= 1'b0;
        if (a_fools)
            mimicked <= mimicked + 4'd1;
        if (!a_slipped)
            mimicked <= 4'd0;
        if (gone)
            dead <= 1'b1;
        if (rst) begin
            {a_lost, a_burst, b_burst} <= 3'b111;
            {a_sure, b_back, a_slipped, b_slipped, dead} <= 5'd0;
            unsure_type <= NONE;
            mimicked <= 4'd0;
            fresh    <= 2'd0;
        end
    end

    // ---- what is watched. A's memory holds the words head - MEM to head - 1; the watched one, number w_number, is
    // there or was overwritten
    localparam [1:0] BEFORE = 2'd0, STORED = 2'd1, OVERWRITTEN = 2'd2;
    reg  [1:0]      w_state;
    reg  [BITS-1:0] w_number;
    wire [BITS-1:0] bottom    = head - MEM;
    wire [BITS-1:0] d_send    = send - bottom, d_watched = w_number - bottom;
    assign word_mark = w_state == BEFORE ? 2'd0 : w_state == OVERWRITTEN ? 2'd2 :
                       d_send < d_watched ? 2'd0 : d_send == d_watched ? 2'd1 : 2'd2;
    reg  [2:0] held;                               // B has four places: three words may wait
    reg        got, again;
    reg  [1:0] sup_came_mark;
    reg        sup_got, int_got;

    always @(posedge clk) begin
        if (stored && w_state == BEFORE && watch_word) begin
            w_state  <= STORED;
            w_number <= head;
        end
        if (stored && w_state == STORED && d_watched == 0)
            w_state <= OVERWRITTEN;
        held <= held + accept - takes;
        if (accept && ab_mark == 2'd1)
            got <= 1'b1;
        if (again_now)
            again <= 1'b1;

        if (new_sup && !sup_valid && SUPS)
            sup_mark <= sup_mark == 2'd0 ? {1'b0, watch_sup} : 2'd2;
        if (new_int && !int_valid && INTS)
            int_mark <= int_mark == 2'd0 ? {1'b0, watch_int} : 2'd2;
        if (sup_fresh)
            sup_came_mark <= came_mark;
        if (read && sup_unread && sup_came_mark == 2'd1)
            sup_got <= 1'b1;
        if (int_fresh && came_mark == 2'd1)
            int_got <= 1'b1;
        if (rst) begin
            held        <= 3'd0;
            w_state     <= BEFORE;
            sup_mark    <= 2'd0;
            int_mark    <= 2'd0;
            {got, again, sup_got, int_got} <= 4'd0;
        end
    end
    wire again_now = b_record && ab_out[1 +: BITS] == expected && ab_out[1 +: BITS] != 0 && b_lost;

    // ---- what the numbers are to each other, so that words_* follow by induction; everything as seen from `taken`,
    // modulo 2^BITS
    localparam [BITS-1:0] FOOLED = 3 * MIMIC;          // words that false acknowledgements run ahead
    (* hierconn *) wire            \u_sender.back ;
    (* hierconn *) wire [BITS-1:0] \u_sender.back_number ;
    wire            ab_word = ab_valid && ab_type == WORD;
    wire            ab_rec  = ab_valid && ab_type == RECORD;
    wire            ba_rec  = ba_valid && ba_type == RECORD;
    wire [BITS-1:0] h = head - taken, e = expected - taken;
    wire [BITS-1:0] o_ahead  = oldest - taken, o_behind = taken - oldest;
    wire [BITS-1:0] kept = head - oldest, swallowed = oldest - head;
    wire [BITS-1:0] e_ahead  = expected - send;        // A goes on with a record that is older than what B has by now
    wire [BITS-1:0] e_back   = expected - \u_sender.back_number ;
    wire [BITS-1:0] e_told   = expected - ba_out[4 +: BITS];
    wire [BITS-1:0] t_told   = taken - (ba_out[4 +: BITS] - ba_out[3:2]);
    wire [1:0]      ack_told = taken[1:0] - ba_out[1:0];
    wire            in_step  = !b_lost && !b_slipped && !ab_rec;
    wire            fooled   = a_lost || (a_slipped && mimicked != 4'd0);
    wire [BITS-1:0] d_expected = expected - bottom, d_word = send - 1'b1 - bottom;

    always @(posedge clk) if ((CHECK & 1) && !stopped && !STOPS && DELAY == 1) begin
        p_waiting: assert (e <= 3 && held == e);
        p_head:    assert (e <= h && h <= FOOLED + 3);
        p_send:    assert (e_ahead <= 2 || send - expected <= head - expected);
        p_kept:    assert (kept <= FOOLED + 4 || swallowed <= FOOLED);
        p_oldest:  assert (o_behind <= FOOLED + 4 || (fooled && o_ahead <= FOOLED));
        p_mimics:  assert (mimicked <= MIMIC && (a_lost || o_behind <= FOOLED + 4 || o_ahead <= 3 * mimicked));
        p_in_step: assert (!in_step || expected + ab_word == send);
        p_back:    assert (!\u_sender.back || (a_burst && e_back <= (ab_word ? 1 : 2)));
        p_record:  assert (!ba_rec || (e_told <= !ba_out[1] && t_told <= 1));
        p_ack:     assert (!(ba_valid && ba_type == WORD) || ack_told <= 1);
        p_next:    assert (!ab_rec || ab_out[1 +: BITS] == send);
        p_mark:    assert (!ab_word || ab_mark == (w_state == BEFORE ? 2'd0 : w_state == OVERWRITTEN ? 2'd2 :
                                       d_word < d_watched ? 2'd0 : d_word == d_watched ? 2'd1 : 2'd2));
        p_watched: assert (w_state == BEFORE ? !got : w_state == OVERWRITTEN ? got :
                           w_state == STORED && d_watched < MEM && got == (d_expected > d_watched));
    end

    always @(posedge clk) if ((CHECK & 1) && !stopped) begin
        words_order: assert (!accept || (ab_mark == 2'd2) == got);
        words_room:  assert (!accept || held != 3'd3);
        words_kept:  assert (!gone);
    end
    always @(posedge clk) if ((CHECK & 2) && !stopped) begin
        sup_order:   assert (!(read && sup_unread) || (sup_came_mark == 2'd2) == sup_got);
        sup_kept:    assert (!(sup_done && sup_mark == 2'd1) || sup_got);
        sup_room:    assert (!sup_fresh || !sup_unread);
        int_order:   assert (!int_fresh || (came_mark == 2'd2) == int_got);
        int_kept:    assert (!(int_done && int_mark == 2'd1) || int_got);
    end
    always @(posedge clk) if (CHECK && !stopped) begin
        resent:        cover (again && got && word_mark == 2'd2 && word_sent);
        wrapped:       cover (got && accept && expected == {BITS{1'b1}});
        idle_receive:  cover (held == 3'd3 && sup_done && sup_mark == 2'd1 && int_got && !int_valid);
        both_lost:     cover (a_lost && b_lost && held == 3'd2);
        sup_again:     cover (came_type == SUP && !sup_fresh && !sup_unread && sup_got && sup_mark == 2'd1);
        slipped:       cover (a_slipped && a_header && a_type == WORD && a_number != oldest[1:0] && got);
        ran_ahead:     cover (o_ahead != 0 && o_ahead <= FOOLED && got);
        refused:       cover (refuse);
    end
endmodule
`default_nettype wire
