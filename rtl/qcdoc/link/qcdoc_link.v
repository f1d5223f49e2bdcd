// SPDX-License-Identifier: Apache-2.0
// One neighbour of a QCDOC node: a serial wire out and one in, 64-bit words both ways, supervisor words, partition
// interrupts. [QCDOC2004] section 2.2; wire format, protocol and latency in rtl/qcdoc/README.md.
//
//   word_*, sup_*, int_* --> qcdoc_link_tx --+--> qcdoc_serial_tx --> serial_out
//                              ^      ^      |
//                 acknowledge, |      |      qcdoc_link_training
//                     records  |      |      |
//   take_*, sup_*, int_* <-- qcdoc_link_rx <-+--- qcdoc_serial_rx <-- serial_in
//
// One clock, one bit a cycle; `slot` comes every eighth cycle and is the same for all links of a node.
//
// With LANES a bundle of lanes (rtl/lane) has the bytes, in the place of the serial wire: qcdoc_lane_bytes.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_link #(
    parameter MARKS       = `QCDOC_MARKS,
    // Serial lanes, 0: none, but the serial wire. Ends have clocks of their own, and nothing is passed through.
    parameter LANES       = 0,
    parameter CABLE_BITS  = 512,         // longest cable one way, in bit times: 1 us and a little
    // A request for words may be repeated only when its answer cannot be under way any more: twice the cable, the
    // request and the answer (15 bytes each), the longest frame that the answer waits for (10), both ends' latency (3),
    // and some. A shorter time makes resends that feed on themselves, so nothing but CABLE_BITS sets it.
    // With lanes these take as long as a cable of 18 bytes, each way, and a pause.
    parameter RETRY_SLOTS = CABLE_BITS / 4 + 64 + (LANES == 0 ? 0 : 40),
    parameter LOST_BYTES  = 1024,
    // Samples a bit: 1 where both ends have one clock, as in the paper's machine; 4 or more where each has its own. The
    // peer's bytes then come by its clock, so that nothing is passed through (`through_*`, `early_*`).
    parameter SAMPLES     = 1,
    // 1, for FPGAs: what a byte is, is found in a cycle of its own, and stored words are corrected in some. A word that
    // comes is there three cycles later, one that is sent goes a byte time later where it was handed in just before.
    // Nothing is passed through.
    parameter STAGES      = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [3:0]  port,             // of this node: 0 to 11
    input  wire        slot,

    output wire        serial_out,
    input  wire [SAMPLES-1:0] serial_in, // the earliest in the highest bit

    // with LANES: lane_bundle's, its `en` is `slot`
    output wire [7:0]  lane_data,
    output wire        lane_control,
    input  wire        tx_pause,
    input  wire        lane_rx_strobe,
    input  wire [7:0]  lane_rx_data,
    input  wire        lane_rx_control,

    // control and status
    input  wire        enable,
    input  wire        retrain,          // pulse
    input  wire        new_session,      // pulse, while DOWN: numbers and checksums begin anew
    input  wire [15:0] train_timeout,    // units of 256 bytes; 0: none
    input  wire [3:0]  retrain_limit,
    output wire [1:0]  state,            // 0 DOWN, 1 TRAIN, 2 UP
    output wire [3:0]  peer_port,
    output wire        held,             // the peer has no place for our words yet
    output wire        outstanding,      // words the peer has not acknowledged
    output wire        disable_link,     // pulse: down by itself
    output wire        error_timeout,    // pulses: why
    output wire        error_retrains,
    output wire        error_peer,
    output wire        error_version,
    output wire        error_protocol,
    output wire        error_memory,     // until a new session, if in a word that came
    output wire [31:0] tx_checksum,
    output wire [31:0] rx_checksum,

    // words to the peer
    input  wire        word_valid,
    output wire        word_ready,
    input  wire [63:0] word,
    input  wire        word_sent,        // it was passed through already

    // a word on its way through this node, byte by byte
    input  wire        through_valid,
    output wire        through_start,
    input  wire [1:0]  through_parity,
    input  wire [7:0]  through_data,
    input  wire        through_sure,     // the word that went through last is believed

    // words from the peer; acknowledged as they are taken
    output wire        take_valid,
    output wire [63:0] take_data,
    input  wire        take,
    input  wire        hold,             // nobody is there to take them: idle receive
    output wire        early_start,
    output wire [1:0]  early_parity,
    output wire        early_byte,
    output wire [7:0]  early_data,
    output wire        in_step,          // what has begun will be finished

    // supervisor words; one that came is acknowledged when it is read
    input  wire        sup_valid,        // until sup_done
    input  wire [63:0] sup_word,
    output wire        sup_done,
    output wire        sup_arrived,      // level: an unread word
    output reg  [63:0] sup_received,
    input  wire        sup_read,         // pulse

    // partition interrupts
    input  wire        int_valid,        // until int_done
    input  wire [7:0]  int_code,
    output wire        int_done,
    output wire        int_arrived,      // pulse
    output wire [7:0]  int_received,

    // pulses, for counters
    output wire        event_sent,
    output wire        event_retransmitted,
    output wire        event_accepted,
    output wire        event_refused,    // a word that came while three waited
    output wire        event_header,     // what came was no header
    output wire        event_parity,     // the data's parity disagreed
    output wire        event_marker,     // marks without a record, or with one that does not go on
    output wire        event_no_record,  // with event_marker: without one
    output wire        event_request,    // a record that asks for words was sent
    output wire        event_burst,
    output wire        event_bad_ack,
    output wire        event_retrain,
    output wire [1:0]  event_corrected,  // a flipped bit of {a word that came, a word to be sent}

    // soft errors, for tests: bits of the next word stored
    input  wire [71:0] flip,             // {check bits, data}
    input  wire        flip_send,        // of words to be sent
    input  wire        flip_receive,     // of words that came
    output wire        flipped,

    output wire        obs_idle,         // with the wire repeating itself, this end will repeat itself: period 8
    output wire        obs_rx_start,
    output wire        obs_rx_ok,
    output wire        obs_rx_error
);
    wire       up, restart, clear, hunt, strobe, aligned, damaged, link_slot, lanes_idle;
    wire [7:0] training_data, tx_data, rx_data;
    wire       lost, signal_lost, rx_used, tx_used, accept, rx_idle, tx_idle, framing;
    // for obs_idle: bytes in a row that were the same; what is still in a serialiser counts, too
    reg  [7:0] tx_last_reg, rx_last_reg;
    reg  [1:0] tx_same_reg, rx_same_reg;
    wire       calm = tx_same_reg == 2'd3 && rx_same_reg == 2'd3 && lanes_idle;
    wire [1:0] taken, waiting, peer_ack_number, record_waiting;
    wire [5:0] expected, record_expected;
    wire       progress;
    wire       peer_ack, bad_ack, peer_ack_sup, peer_ack_int, peer_sup_bit, peer_int_bit, record, record_lost;
    wire       sup_new, sup_again, int_new, int_again, sup_sequence, int_sequence;
    wire [63:0] sup_word_in, accept_word;
    wire       acked, tx_corrected, rx_corrected, tx_error_memory, rx_error_memory;
    wire       sup_first, sup_done_now, int_done_now;
    reg        sup_unread_reg;           // sup_received waits to be read
    reg        sup_read_reg;             // a supervisor word was read in this session
    reg        sup_read_sequence_reg;    // of the last one read: an acknowledgement may not name one that was not
    reg        int_read_reg;
    wire       read_now = sup_read && sup_unread_reg;

    qcdoc_serial_tx serial_tx (.clk(clk), .slot(slot), .data(tx_data), .serial(serial_out));

    generate
        if (LANES == 0) begin : gen_no_lanes
            assign link_slot    = slot;
            assign damaged      = 1'b0;
            assign lanes_idle   = 1'b1;
            assign lane_data    = 8'd0;
            assign lane_control = 1'b0;
            wire unused = &{1'b0, tx_pause, lane_rx_strobe, lane_rx_data, lane_rx_control};
        end
        if (LANES != 0) begin : gen_lanes
            qcdoc_lane_bytes #(.LANES(LANES)) bytes (
                .clk(clk), .rst(rst), .slot(slot), .link_slot(link_slot), .tx_data(tx_data), .framing(framing),
                .hunt(hunt), .aligned(aligned), .strobe(strobe), .rx_data(rx_data), .rx_damaged(damaged),
                .idle(lanes_idle), .lane_data(lane_data), .lane_control(lane_control), .tx_pause(tx_pause),
                .lane_rx_strobe(lane_rx_strobe), .lane_rx_data(lane_rx_data), .lane_rx_control(lane_rx_control));
            assign error_memory = tx_error_memory || rx_error_memory;
            wire unused = &{1'b0, serial_in};
        end else if (SAMPLES == 1) begin : gen_one_clock
            qcdoc_serial_rx serial_rx (
                .clk(clk), .rst(rst), .serial(serial_in), .hunt(hunt), .aligned(aligned), .strobe(strobe),
                .data(rx_data));
            assign error_memory = tx_error_memory || rx_error_memory;
        end else begin : gen_own_clocks
            // a cycle later: on an FPGA the correction of a word is the longest way as it is
            reg memory_error_reg;
            assign error_memory = memory_error_reg;
            always @(posedge clk) begin
                memory_error_reg <= tx_error_memory || rx_error_memory;
                if (rst || clear)
                    memory_error_reg <= 1'b0;
            end
            qcdoc_serial_rx_sampled #(.SAMPLES(SAMPLES)) serial_rx (
                .clk(clk), .rst(rst), .serial(serial_in), .hunt(hunt), .aligned(aligned), .strobe(strobe),
                .data(rx_data));
        end
    endgenerate

    qcdoc_link_training training (
        .clk(clk), .rst(rst), .port(port), .enable(enable), .retrain(retrain),
        .new_session(new_session), .timeout(train_timeout), .retrain_limit(retrain_limit),
        .slot(link_slot), .framing(framing), .tx_data(training_data), .strobe(strobe), .aligned(aligned),
        .rx_data(rx_data), .hunt(hunt), .signal_lost(signal_lost), .used(rx_used || tx_used),
        .progress(progress),
        .up(up), .state(state), .restart(restart), .clear(clear),
        .peer_port(peer_port), .disable_link(disable_link), .event_retrain(event_retrain),
        .error_timeout(error_timeout), .error_retrains(error_retrains), .error_peer(error_peer),
        .error_version(error_version), .error_lost(error_protocol || error_memory));

    qcdoc_link_rx #(.MARKS(MARKS), .LOST_BYTES(LOST_BYTES), .STAGES(STAGES)) rx (
        .clk(clk), .rst(rst), .restart(restart), .clear(clear), .up(up),
        .rx_strobe(strobe), .rx_data(rx_data), .rx_damaged(damaged),
        .peer_ack(peer_ack), .peer_ack_number(peer_ack_number), .bad_ack(bad_ack), .peer_ack_sup(peer_ack_sup),
        .peer_ack_int(peer_ack_int), .peer_sup_bit(peer_sup_bit), .peer_int_bit(peer_int_bit), .held(held),
        .record(record), .record_lost(record_lost), .record_expected(record_expected), .record_waiting(record_waiting),
        .word_valid(take_valid), .word(take_data), .word_take(take), .expected(expected), .waiting(waiting),
        .taken(taken), .accept(accept),
        .accept_word(accept_word),
        .early_start(early_start), .early_parity(early_parity), .early_byte(early_byte),
        .sup_valid(sup_new), .sup_again(sup_again), .sup_word(sup_word_in),
        .int_valid(int_new), .int_again(int_again), .int_code(int_received),
        .sup_sequence(sup_sequence), .int_sequence(int_sequence),
        .lost(lost), .signal_lost(signal_lost), .used(rx_used), .idle(rx_idle),
        .error_memory(rx_error_memory), .corrected(rx_corrected), .flip(flip_receive ? flip : 72'd0),
        .event_header(event_header), .event_parity(event_parity), .event_marker(event_marker),
        .event_refused(event_refused),
        .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok), .obs_rx_error(obs_rx_error));

    qcdoc_link_tx #(.MARKS(MARKS), .RETRY_SLOTS(RETRY_SLOTS), .STAGES(STAGES)) tx (
        .clk(clk), .rst(rst), .slot(link_slot), .tx_data(tx_data),
        .up(up), .restart(restart), .clear(clear), .training_data(training_data),
        .lost(lost), .expected(expected), .waiting(waiting), .taken(taken), .hold(hold),
        .peer_ack(peer_ack), .peer_ack_number(peer_ack_number), .bad_ack(bad_ack), .peer_ack_sup(peer_ack_sup),
        .peer_ack_int(peer_ack_int), .peer_sup_bit(peer_sup_bit), .peer_int_bit(peer_int_bit),
        .record(record), .record_lost(record_lost), .record_expected(record_expected), .record_waiting(record_waiting),
        .sup_ack_due(read_now || (sup_again && !sup_unread_reg)),
        .int_ack_due(int_new || int_again),
        .sup_ack_again(sup_read_reg && !sup_unread_reg), .int_ack_again(int_read_reg),
        .sup_ack_sequence(sup_read_sequence_reg), .int_ack_sequence(int_sequence),
        .word_valid(word_valid), .word_ready(word_ready), .word(word), .word_sent(word_sent),
        .through_valid(through_valid && STAGES == 0 && LANES == 0), .through_start(through_start),
        .through_parity(through_parity), .through_data(through_data), .through_sure(through_sure),
        .sup_valid(sup_valid), .sup_word(sup_word), .sup_first(sup_first), .sup_done(sup_done_now),
        .int_valid(int_valid), .int_code(int_code), .int_done(int_done_now),
        .used(tx_used), .outstanding(outstanding), .idle(tx_idle), .framing(framing), .error_protocol(error_protocol),
        .error_memory(tx_error_memory), .corrected(tx_corrected), .flip(flip_send ? flip : 72'd0),
        .event_sent(event_sent), .event_acked(acked), .event_retransmitted(event_retransmitted),
        .event_request(event_request),
        .event_burst(event_burst));

    // the byte that goes out, and the cycle in which it is compared with the last one; a word that counts
    wire        sent_slot, rx_counts;
    wire [7:0]  sent_data;
    wire        progress_now = accept || acked || sup_new || int_new || sup_done_now || int_done_now;
    generate
        if (STAGES == 0) begin : gen_sent_at_once
            assign sent_slot  = link_slot;
            assign sent_data  = tx_data;
            assign progress   = progress_now;
            assign rx_counts  = accept;
        end else begin : gen_sent_staged
            reg        slot_reg, progress_reg, rx_counts_reg;
            reg  [7:0] data_reg;
            assign sent_slot  = slot_reg;
            assign sent_data  = data_reg;
            assign progress   = progress_reg;
            assign rx_counts  = rx_counts_reg;        // accept_word is the same until there is another byte
            always @(posedge clk) begin
                slot_reg      <= link_slot;
                data_reg      <= tx_data;
                progress_reg  <= progress_now;
                rx_counts_reg <= accept && !rst && !clear;
            end
        end
    endgenerate

    assign early_data     = rx_data;
    assign sup_done       = sup_done_now;
    assign int_done       = int_done_now;
    assign sup_arrived    = sup_unread_reg;
    assign int_arrived    = int_new;
    assign event_accepted = accept;
    assign event_bad_ack  = bad_ack;
    assign event_corrected = {rx_corrected, tx_corrected};
    assign flipped        = (flip_send && word_valid && word_ready) || (flip_receive && accept);
    assign in_step        = up && !lost;
    assign event_no_record = event_marker && !record;     // they come together
    assign obs_idle       = (up && rx_idle && tx_idle && calm && !peer_ack_sup && !peer_ack_int &&
                             !sup_new && !sup_again && !int_new && !int_again) ||
                            (state == 2'd0 && !enable && !framing && tx_same_reg == 2'd3 && lanes_idle);

    qcdoc_link_checksum #(.STAGES(STAGES)) tx_sum (
        .clk(clk), .clear(rst || clear), .word_counts(word_valid && word_ready), .word(word), .sup_counts(sup_first),
        .sup(sup_word), .int_counts(int_done_now), .int_code(int_code), .sum(tx_checksum));
    qcdoc_link_checksum #(.STAGES(STAGES)) rx_sum (
        .clk(clk), .clear(rst || clear), .word_counts(rx_counts), .word(accept_word), .sup_counts(sup_new),
        .sup(sup_word_in), .int_counts(int_new), .int_code(int_received), .sum(rx_checksum));

    always @(posedge clk) begin
        if (sent_slot) begin
            tx_last_reg <= sent_data;
            tx_same_reg <= sent_data != tx_last_reg ? 2'd0 : tx_same_reg == 2'd3 ? 2'd3 : tx_same_reg + 2'd1;
        end
        if (strobe) begin
            rx_last_reg <= rx_data;
            rx_same_reg <= rx_data != rx_last_reg ? 2'd0 : rx_same_reg == 2'd3 ? 2'd3 : rx_same_reg + 2'd1;
        end
        if (sup_new) begin
            sup_received   <= sup_word_in;
            sup_unread_reg <= 1'b1;
        end else if (read_now) begin
            sup_unread_reg <= 1'b0;
            sup_read_reg   <= 1'b1;
            sup_read_sequence_reg <= sup_sequence;
        end
        if (int_new)
            int_read_reg <= 1'b1;
        if (rst || clear) begin
            sup_unread_reg <= 1'b0;
            sup_read_reg   <= 1'b0;
            int_read_reg   <= 1'b0;
        end
        if (rst) begin
            tx_same_reg <= 2'd0;
            rx_same_reg <= 2'd0;
        end
    end
endmodule
`default_nettype wire
