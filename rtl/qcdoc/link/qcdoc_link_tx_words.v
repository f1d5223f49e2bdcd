// SPDX-License-Identifier: Apache-2.0
// Data words of a QCDOC link's sending half: which one is the next, which of them the peer has, and the memory in which
// they wait. Three in flight; sent again from where the peer says it is. [QCDOC2004] section 2.2.
//
// Words have numbers modulo 64 and stay in a memory of 16 by number, also after they were acknowledged: an
// acknowledgement is two bits, and a byte that lies across two (alignment lost) may look like one. A record is
// certain. So
//
//   oldest <= send <= head, send <= oldest + 3, head <= oldest + 3
//
// oldest is the first one not acknowledged, send the next one to be sent, head the next one to be stored. A peer that
// is out of step says in its record where it is, and `send` goes there, back or (garbage that it took for words while
// misaligned) forward: then head is behind send, and as many words are discarded; the checksums differ.
//
// Where both directions broke, requests of both ends cross. One for the word with which our own last request went on
// may have been made before that was there, and so be answered by it. Answered again, with marks between words that
// the peer takes by then, it would put the peer out of step again, which asks, and so on, with one word a round. So the
// second one of that kind without two acknowledgements since the first is not answered. Should our request have been
// lost, the peer asks again.
//
// A word is `due` two cycles after it was stored; with STAGES it is `settled` three cycles later.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_link_tx_words #(
    parameter RETRY_SLOTS = 192,         // as in qcdoc_link_tx
    parameter STAGES      = 0            // 1: a stored word is read, corrected, and its parity made in a cycle each
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        slot,
    input  wire        restart,
    input  wire        clear,

    // receiving half
    input  wire        lost,
    input  wire        peer_ack,
    input  wire [1:0]  peer_ack_number,
    output wire        bad_ack,          // with peer_ack: acknowledges what was not sent
    output wire        freed,            // with peer_ack: acknowledges one or more words
    input  wire        record,
    input  wire        record_lost,
    input  wire [5:0]  record_expected,
    input  wire [1:0]  record_waiting,
    output wire        back,             // with record: it is answered, with marks
    output wire        crossing,         // a request of the peer's may cross ours

    // words to be stored; one that was passed through is handed in, and has gone already
    input  wire        word_valid,
    output wire        word_ready,
    input  wire [63:0] word,
    input  wire        handed,
    input  wire [1:0]  passing,          // words that went through and will be handed in, a bit each
    input  wire        start_through,
    input  wire [71:0] flip,             // spoils the word that is stored, for tests

    // the next word to be sent
    output wire        all_sent,
    output wire        air,              // one more may be in flight
    output wire        due,              // there is one, and it may go
    output wire        settled,          // and what follows is it
    output wire [5:0]  send,             // its number
    output wire [63:0] stored,
    output wire [1:0]  parity,
    output wire        single,           // a flipped bit of it was corrected
    output wire        uncorrectable,    // two were flipped
    input  wire        start_word,       // it goes
    input  wire        marks,            // marks go out: behind them the words go on where the peer is
    input  wire        start_record,     // a record of ours goes out

    output wire        outstanding,      // words not acknowledged
    output reg         error_protocol,   // pulse: the peer wants a word that is not here any more
    output reg         event_sent,       // pulses
    output reg         event_acked,      // one or more words
    output reg         event_retransmitted
);
    // a request that crosses ours comes two cables and 10 bytes behind it, one that is repeated RETRY_SLOTS less 33
    localparam [31:0] CROSSES = RETRY_SLOTS - 40;

    reg  [5:0]  oldest_reg, send_reg, head_reg;
    reg  [5:0]  high_reg;                // never sent before: for the counters
    reg  [5:0]  seen_reg;                // head_reg as far as the memory shows it
    reg         ready_reg;               // with STAGES: there was room a cycle ago, and nothing changed
    reg         back_reg;                // the words go on, behind marks, from here:
    reg  [5:0]  back_number_reg;
    reg  [5:0]  told_reg;                // where the words went on behind our last request,
    reg  [7:0]  fresh_reg;               // and bytes in which one of the peer's may have crossed it
    reg  [1:0]  since_reg;               // acknowledgements since the last one that may have, up to 2
    reg         unheard_reg;             // no record came since the training: the peer's first one wants an answer, and
                                         // words that went before that would go twice

    wire [63:0] read_word;
    wire        read_single, read_lost;
    wire [5:0]  gap     = head_reg - send_reg;    // to be sent; negative: to be swallowed
    wire [5:0]  in_air  = send_reg - oldest_reg;
    wire [5:0]  kept    = head_reg - oldest_reg;
    wire [1:0]  newly   = peer_ack_number - oldest_reg[1:0];
    // a record may say that the peer is ahead, until `send` is there: then nothing is in flight
    wire        sound;                   // peer_ack_number can be
    wire        ack_ok  = peer_ack && sound;
    wire        room    = gap[5] || kept < 6'd3;
    wire        store   = word_valid && word_ready;
    // where the peer is, seen from the next word to be stored: 14 words back are here for certain
    wire [5:0]  behind  = head_reg - record_expected;
    wire        gone    = behind > 6'd14 && behind < 6'd48;
    wire        crossed  = record && record_lost && fresh_reg != 8'd0 && record_expected == told_reg;
    wire        answered = crossed && !since_reg[1];

    assign send        = send_reg;
    assign all_sent    = gap == 6'd0;
    assign air         = in_air < 6'd3 - {5'd0, passing[0]} - {5'd0, passing[1]} && !unheard_reg;
    assign due         = !all_sent && !gap[5] && seen_reg != send_reg && air;
    assign bad_ack     = peer_ack && !ack_ok;
    assign freed       = ack_ok && newly != 2'd0;
    assign back        = record && record_lost && !answered;
    assign crossing    = fresh_reg != 8'd0;
    // the word that starts through takes the next number, and is handed in when it is complete
    assign word_ready  = STAGES == 0 ? room && !start_through : ready_reg;
    assign outstanding = kept != 6'd0 && !kept[5];    // words that the peer took for ours are none

    ram_dual_clock_secded #(.WIDTH(64), .ADDRESS_BITS(4), .STAGES(STAGES)) memory (
        .wr_clk(clk), .wr_en(store), .wr_address(head_reg[3:0]), .wr_data(word), .flip(flip),
        .rd_clk(clk), .rd_en(1'b1), .rd_address(send_reg[3:0]), .look(due || STAGES != 0), .rd_data(read_word),
        .single(read_single), .uncorrectable(read_lost));

    // In stages whether a number can be is found for each of them, in the two cycles before: between two bytes from the
    // peer are more. What a record takes back is not in flight any more.
    generate
        if (STAGES == 0) begin : gen_sound_at_once
            assign sound = in_air[5] ? newly == 2'd0 : {4'd0, newly} <= in_air;
        end else begin : gen_sound_before
            reg  [5:0] flies_reg;
            reg  [3:0] sound_reg;
            integer    n;
            assign sound = sound_reg[peer_ack_number];
            always @(posedge clk) begin
                flies_reg <= (back_reg ? back_number_reg : send_reg) - oldest_reg;
                for (n = 0; n < 4; n = n + 1)
                    sound_reg[n] <= flies_reg[5] ? n[1:0] == oldest_reg[1:0]
                                                 : {4'd0, n[1:0] - oldest_reg[1:0]} <= flies_reg;
            end
        end
    endgenerate

    // In stages a word is due three cycles before a slot at the latest: `send_reg` moves with a slot, one in eight
    // cycles, or in a burst.
    generate
        if (STAGES == 0) begin : gen_at_once
            assign stored        = read_word;
            assign single        = read_single;
            assign uncorrectable = read_lost;
            assign parity        = {^(stored & {8{8'hAA}}), ^(stored & {8{8'h55}})} ^ `QCDOC_INVERTED_DATA;
            assign settled       = due;
        end else begin : gen_staged
            reg  [63:0] whole_reg;
            reg  [1:0]  bits_reg;
            reg  [2:0]  due_reg;
            reg         mended_reg, spoilt_reg, moved_reg;
            assign stored        = whole_reg;
            assign single        = mended_reg;
            assign uncorrectable = spoilt_reg && settled;
            assign parity        = bits_reg;
            assign settled       = due_reg == 3'b111 && !moved_reg;
            always @(posedge clk) begin
                whole_reg   <= read_word;
                mended_reg  <= read_single;
                spoilt_reg  <= read_lost;
                bits_reg    <= {^(whole_reg & {8{8'hAA}}), ^(whole_reg & {8{8'h55}})} ^ `QCDOC_INVERTED_DATA;
                due_reg     <= {due_reg[1:0], due};
                moved_reg   <= record || restart;     // so that what was due need not be any more
            end
        end
    endgenerate

    always @(posedge clk) begin
        event_sent          <= 1'b0;
        event_retransmitted <= 1'b0;

        seen_reg    <= head_reg;
        ready_reg   <= room && !store && !record && !back_reg && !clear;
        event_acked <= freed;
        if (freed)
            oldest_reg <= oldest_reg + {4'd0, newly};
        if (store)
            head_reg <= head_reg + 6'd1;
        if (store && gap[5])
            event_sent <= 1'b1;          // swallowed: the peer counted what it took for this one
        if (start_word || (handed && all_sent)) begin
            send_reg            <= send_reg + 6'd1;
            event_sent          <= send_reg == high_reg;
            event_retransmitted <= send_reg != high_reg;
            if (send_reg == high_reg)
                high_reg <= high_reg + 6'd1;
        end

        // what a record says is certain
        error_protocol <= back && gone;
        if (restart)
            unheard_reg <= 1'b1;
        if (record) begin
            unheard_reg <= 1'b0;
            oldest_reg  <= record_expected - {4'd0, record_waiting};
        end
        if (back) begin
            back_reg        <= 1'b1;
            back_number_reg <= record_expected;
        end
        if (back_reg && marks) begin
            back_reg <= 1'b0;
            send_reg <= back_number_reg;
            if (high_reg - back_number_reg >= 6'd32)
                high_reg <= back_number_reg;
        end

        if (slot && crossing)
            fresh_reg <= fresh_reg - 8'd1;
        if (start_record) begin
            told_reg  <= send_reg;
            fresh_reg <= lost ? CROSSES[7:0] : 8'd0;
        end
        // it was heard, or was answered once
        if (freed || record)
            fresh_reg <= 8'd0;
        if (crossed)
            since_reg <= 2'd0;
        else if (freed && !since_reg[1])
            since_reg <= since_reg + 2'd1;

        if (rst || clear) begin
            fresh_reg  <= 8'd0;
            since_reg  <= 2'd2;
            oldest_reg <= 6'd0;
            send_reg   <= 6'd0;
            head_reg   <= 6'd0;
            high_reg   <= 6'd0;
            seen_reg   <= 6'd0;
            ready_reg  <= 1'b0;
            back_reg   <= 1'b0;
        end
        if (rst) begin
            unheard_reg    <= 1'b1;
            error_protocol <= 1'b0;
        end
    end
endmodule
`default_nettype wire
