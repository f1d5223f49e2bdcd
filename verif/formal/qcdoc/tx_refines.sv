// SPDX-License-Identifier: Apache-2.0
// qcdoc_link_tx does with data words what record_sender does, step by step, and sends under a number what was stored
// last under it modulo 16; words that are passed through are left out. Environment: bytes at least two cycles apart; a
// record is APART bytes or more behind the one before it, and behind a training (rx_refines.sv); what it says is
// anything.
`default_nettype none
module tx_refines (
    input wire       clk,
    input wire       slot, up, restart, lost, hold,
    input wire [5:0] expected,
    input wire [1:0] waiting, taken,
    input wire       peer_ack, peer_ack_sup, peer_ack_int, peer_sup_bit, peer_int_bit,
    input wire [1:0] peer_ack_number,
    input wire       record, record_lost,
    input wire [5:0] record_expected,
    input wire [1:0] record_waiting,
    input wire       sup_ack_due, int_ack_due, sup_ack_again, int_ack_again, sup_ack_sequence, int_ack_sequence,
    input wire       word_valid, word_bit, sup_valid, int_valid
);
    localparam APART = 14;
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    wire word_ready, bad_ack, error_protocol, error_memory;
    qcdoc_link_tx #(.MARKS(10), .RETRY_SLOTS(128)) dut (
        .clk(clk), .rst(rst), .slot(slot),
        .up(up), .restart(restart), .clear(1'b0), .training_data(8'd0),
        .lost(lost), .expected(expected), .waiting(waiting), .taken(taken), .hold(hold), .peer_ack(peer_ack),
        .peer_ack_number(peer_ack_number), .bad_ack(bad_ack), .peer_ack_sup(peer_ack_sup), .peer_ack_int(peer_ack_int),
        .peer_sup_bit(peer_sup_bit), .peer_int_bit(peer_int_bit), .record(record), .record_lost(record_lost),
        .record_expected(record_expected), .record_waiting(record_waiting), .sup_ack_due(sup_ack_due),
        .int_ack_due(int_ack_due), .sup_ack_again(sup_ack_again), .int_ack_again(int_ack_again),
        .sup_ack_sequence(sup_ack_sequence), .int_ack_sequence(int_ack_sequence),
        .word_valid(word_valid), .word_ready(word_ready), .word({63'd0, word_bit}), .word_sent(1'b0),
        .through_valid(1'b0), .through_parity(2'd0), .through_data(8'd0), .through_sure(1'b0), .flip(72'd0),
        .sup_valid(sup_valid), .sup_word(64'd0), .int_valid(int_valid), .int_code(8'd0),
        .error_protocol(error_protocol), .error_memory(error_memory));

    (* hierconn *) wire [5:0] \dut.words.oldest_reg , \dut.words.send_reg , \dut.words.head_reg ;
    (* hierconn *) wire [5:0] \dut.words.back_number_reg ;
    (* hierconn *) wire       \dut.words.back_reg , \dut.start_burst , \dut.start_word , \dut.words.answered ;
    (* hierconn *) wire [1:0] \dut.state_reg ;
    (* hierconn *) wire [3:0] \dut.count_reg ;
    (* hierconn *) wire [5:0] \dut.words.seen_reg ;
    (* hierconn *) wire       \dut.burst_reg , \dut.through_reg , \dut.owed_reg ;
    (* hierconn *) wire [15:0] \dut.words.memory.bits ;
    (* hierconn *) wire       \dut.words.memory.rd_bit ;
    wire       marks = \dut.words.back_reg && (\dut.start_burst || \dut.state_reg == 2'd3);
    wire       store = word_valid && word_ready && !rst;
    wire       m_bad, m_room, m_go, m_gone;
    wire [5:0] m_next, m_oldest, m_send, m_head;
    record_sender #(.BITS(6), .MEM(16)) model (
        .clk(clk), .rst(rst), .ack(peer_ack), .ack_number(peer_ack_number), .bad_ack(m_bad), .record(record),
        .record_lost(record_lost), .answered(\dut.words.answered ), .record_expected(record_expected),
        .record_waiting(record_waiting), .marks(marks), .next(m_next), .room(m_room), .store(store), .go(m_go),
        .sent(\dut.start_word ), .gone(m_gone), .oldest(m_oldest), .send(m_send), .head(m_head));

    wire [5:0] in_air = \dut.words.send_reg - \dut.words.oldest_reg ;
    wire [5:0] kept   = \dut.words.head_reg - \dut.words.oldest_reg ;
    wire [5:0] gap    = \dut.words.head_reg - \dut.words.send_reg ;
    (* hierconn *) wire       \model.back ;
    (* hierconn *) wire [5:0] \model.back_number ;
    reg        p_gone = 1'b0, p_slot = 1'b0, p_up = 1'b0;
    reg [3:0]  since;                       // bytes since the last record or restart, up to 15
    reg [15:0] said;                        // bit 0 of what was stored
    always @(posedge clk) begin
        p_gone <= m_gone && !rst;
        p_slot <= slot;
        p_up   <= up && !rst;
        if (slot && since != 4'd15) since <= since + 4'd1;
        if (record || restart || rst) since <= 4'd0;
        if (store) said[m_head[3:0]] <= word_bit;
    end

    // between a record and the marks that answer it: the rest of a frame
    wire [4:0] left = \dut.state_reg == 2'd1 || \dut.state_reg == 2'd2 ? \dut.count_reg + 5'd1 : 5'd0;
    always @* begin
        assume (!slot || !p_slot);
        assume (restart == (up && !p_up && !rst));
        assume (!record || (up && !restart && since >= APART));
        if (rst) assume (!record && !peer_ack && !slot && !word_valid);
    end
    always @* if (!rst) begin
        no_through: assert (!\dut.through_reg && !\dut.owed_reg );
        same_words: assert (m_oldest == \dut.words.oldest_reg && m_send == \dut.words.send_reg &&
                            m_head == \dut.words.head_reg );
        same_back:  assert (\model.back == \dut.words.back_reg &&
                            (!\dut.words.back_reg || \model.back_number == \dut.words.back_number_reg ));
        same_room:  assert (word_ready == m_room && bad_ack == m_bad && error_protocol == p_gone);
        one_record: assert (!record || !\dut.words.back_reg );
        answered:   assert (!up || restart || !\dut.words.back_reg || since + left <= 5'd11);
        burst:      assert (!\dut.words.back_reg || \dut.burst_reg || \dut.state_reg == 2'd3);
        frame:      assert (left <= 5'd9);
        same_bits:  assert (\dut.words.memory.bits == said);
        same_word:  assert (!\dut.start_word || gap > 6'd15 || \dut.words.memory.rd_bit == said[m_send[3:0]]);
        // a word goes out only when the model's may, as at most the third in flight
        no_lost_word: assert (!\dut.start_word || !error_memory);
        sent_may:   assert (!\dut.start_word || (m_go && in_air < 6'd3 && gap != 6'd0 && !gap[5]));
        // a word is stored over the one 16 before it, which was acknowledged (or the new one is swallowed)
        overwrites: assert (!store || kept < 6'd3 || gap[5]);
        third:      cover (\dut.start_word && in_air == 6'd2 && m_head == 6'd3);
        went_back:  cover (marks && m_next == 6'd1 && m_send == 6'd2);
    end
endmodule
`default_nettype wire
