// SPDX-License-Identifier: Apache-2.0
// qcdoc_link_rx does with data words what record_receiver does, step by step; what it accepts was a data frame with
// good header and parity, read in step, with room, and the byte behind it is a good header; the checksum's pulse is
// that same one. The bytes are anything.
`default_nettype none
`include "qcdoc_wire.vh"
module rx_refines (
    input wire       clk,
    input wire       up, restart, strobe, bad_ack, take,
    input wire [7:0] data,
    input wire       damaged
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    wire       accept, word_valid, lost, record, obs_rx_error, error_memory;
    wire [5:0] expected;
    wire [1:0] waiting, taken;
    wire       takes = take && word_valid;
    qcdoc_link_rx dut (
        .clk(clk), .rst(rst), .restart(restart), .clear(1'b0), .up(up),
        .rx_strobe(strobe), .rx_data(data), .rx_damaged(damaged),
        .bad_ack(bad_ack),
        .word_valid(word_valid), .word_take(takes), .expected(expected), .waiting(waiting), .taken(taken),
        .accept(accept),
        .lost(lost),
        .record(record), .error_memory(error_memory), .flip(72'd0),
        .obs_rx_error(obs_rx_error));

    (* hierconn *) wire       \dut.complete , \dut.refuse , \dut.at_header , \dut.header_ok , \dut.bad_record ;
    (* hierconn *) wire [5:0] \dut.number , \dut.taken_reg ;
    (* hierconn *) wire [1:0] \dut.state_reg , \dut.class_reg ;
    (* hierconn *) wire [3:0] \dut.count_reg ;
    (* hierconn *) wire [1:0] \dut.parity_reg ;
    (* hierconn *) wire       \dut.word_reg ;

    // the frame by itself: its header's two bits against the bytes since, without the design's registers
    reg        inside, whole;            // whole: the byte to come is the header behind it
    reg  [1:0] parity;
    reg  [3:0] bytes;
    wire       bare  = data[`QCDOC_HEADER_CLASS] == `QCDOC_CLASS_BARE;
    wire       frame = \dut.at_header && ^data[7:2] && data[`QCDOC_HEADER_CLASS] == `QCDOC_CLASS_DATA &&
                       {1'b0, waiting} + {2'd0, whole} != 3'd3 && !bad_ack;
    wire [1:0] now   = parity ^ {^(data & 8'hAA), ^(data & 8'h55)};
    wire       ends  = up && strobe && inside && bytes == 4'd7;
    wire       good  = whole && \dut.at_header && \dut.header_ok && !\dut.refuse ;
    always @(posedge clk) begin
        if (up && strobe && inside) begin
            parity <= now;
            bytes  <= bytes + 4'd1;
            if (bytes == 4'd7 || damaged) inside <= 1'b0;
        end
        if (up && strobe) whole <= ends && now == 2'd0 && !damaged;
        if (frame && \dut.header_ok ) begin
            inside <= 1'b1;
            bytes  <= 4'd0;
            parity <= data[`QCDOC_HEADER_PARITY] ^ `QCDOC_INVERTED_DATA;
        end
        if (rst || !up || restart) {inside, whole} <= 2'd0;
    end

    wire       m_accept, m_refuse, m_lost;
    wire [1:0] m_waiting;
    wire [5:0] m_expected, m_taken;
    wire       refused = \dut.at_header && \dut.refuse ;
    record_receiver #(.BITS(6)) model (
        .clk(clk), .rst(rst), .broken(!up || restart || (obs_rx_error && !\dut.complete ) ||
                                        \dut.bad_record || refused),
        .record(\dut.complete ), .next(\dut.number ), .word(good), .take(takes), .accept(m_accept), .refuse(m_refuse),
        .waiting(m_waiting), .lost(m_lost), .expected(m_expected), .taken(m_taken));

    reg  p_up = 1'b0;
    always @(posedge clk) p_up <= up && !rst;
    // bytes since a record ended, or the link came up
    (* hierconn *) wire [3:0] \dut.marks_reg ;
    (* hierconn *) wire [2:0] \dut.place_reg ;
    reg  [3:0] since;
    always @(posedge clk) begin
        if (strobe && since != 4'd15) since <= since + 4'd1;
        if (rst || !up || \dut.complete ) since <= 4'd0;
    end
    wire reads_frame = \dut.state_reg == 2'd1 && \dut.class_reg == `QCDOC_CLASS_DATA;
    always @* begin
        assume (restart == (up && !p_up && !rst));
        if (rst) assume (!up && !strobe);
    end
    always @* if (!rst) begin
        same_frame:  assert (inside == reads_frame &&
                             (!inside || (!bytes[3] && waiting != 2'd3 && !whole && \dut.count_reg == 4'd7 - bytes &&
                                          parity == \dut.parity_reg )));
        same_whole:  assert (whole == \dut.word_reg &&
                             (!whole || (waiting != 2'd3 && !m_lost && \dut.state_reg == 2'd0)));
        no_lost_word: assert (!word_valid || !error_memory);
        same_accept: assert (accept == good && accept == m_accept);
        same_words:  assert (m_expected == expected && m_taken == \dut.taken_reg && m_waiting == waiting);
        // the model is in step again with the record, the design reads marks until then
        same_lost:   assert (lost ? m_lost : \dut.state_reg == 2'd2 || !m_lost);
        in_step:     assert (!accept || (!m_lost && !lost));
        cut:         assert (!accept || !restart);
        marks:       assert (\dut.place_reg <= 3'd4 && \dut.marks_reg <= 4'd10 &&
                             (\dut.place_reg == 3'd0 || \dut.marks_reg == 4'd10) &&
                             since >= \dut.marks_reg + {1'b0, \dut.place_reg });
        apart:       assert (!\dut.complete || since >= 4'd14);
        room:        assert (!accept || waiting != 2'd3);
        difference:  assert (expected - \dut.taken_reg <= 6'd3);
        accepted:    cover (accept && expected == 6'd1);
        full:        cover (refused && waiting == 2'd3);
    end
endmodule
`default_nettype wire
