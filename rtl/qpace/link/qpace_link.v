// SPDX-License-Identifier: Apache-2.0
// One cable of the QPACE torus network ([QPACE2009] section 6): transmit FIFO that keeps packets until they
// are acknowledged, framing, CRC, go-back-N both ways, training, receive buffer of 8 virtual channels,
// registers and counters. Wire format, states and timing: README.md.
//
//   tx_* -> tx_buffer -> framer -> xgmii_txd        xgmii_rxd -> parser -> rx_buffer -> rx_*
//              window (what to send) <---- commands ----'  '----> reply (responses)
//              training (hellos, state)   peer   timer   counters   registers
//
// Everything but the core sides of the two buffers and of the registers runs on link_clk.
//
// Reset: rst, four link cycles or more, resets all of it, on both clocks. link_rst alone resets this end of the cable,
// at any time, and nothing that the two clocks share: the buffers' pointers and the registers stand, so that both
// clocks agree on them. An enabled link goes DOWN by it, says so in ERROR, and gives up what waits to be sent when it
// trains again; what it had accepted is delivered.
//
//   rst        ___/------------------\_____________________________
//   node_rst   _______/------------------\_________________________   rst, on link_clk
//   link_rst   ---------------------\__________________/---\_______   power-on, and one transceiver later
//   enable     XXXXXXX______________________/----------\___________   DOWN, ERROR.LINK_RESET
//
// Latency, first beat to header on the wire: 3 to 4 link cycles; CRC word
// on the wire to rx_waiting: 3 link cycles and 1 to 2 core cycles. With STAGES, for FPGAs, the first is a link cycle
// more, and so is all that a command does.
`default_nettype none
`include "qpace_wire.vh"
module qpace_link #(
    parameter TX_PACKETS = 16,   // packets the transmit FIFO holds: 4 to 32; 16 is the paper's 2 KB
    parameter RX_SLOTS   = 8,    // receive slots reserved for each channel: 2, 4, 8, ...
    parameter PORT_BYTES = 16,   // a beat towards the core: 16 or 32 bytes
    parameter SEQ_BITS   = 6,    // bits of a sequence number, 2^SEQ_BITS >= 2 * TX_PACKETS
    parameter ACK_EVERY  = 3,    // packets an acknowledgement covers while the reverse direction is busy
    parameter LANES      = 0,    // serial lanes behind the wire (rtl/lane); 0: none, tx_pause is ignored
    parameter STAGES     = 0     // 1: more registers, as for FPGAs
) (
    input  wire         clk,             // core clock
    input  wire         rst,             // synchronous to clk; link_clk runs meanwhile
    input  wire         link_clk,        // one word of the wire a cycle
    input  wire         link_rst,        // synchronous to link_clk; may come alone
    input  wire         beat,            // link_clk; changes every 1024 cycles: time for qpace_link_alive
    input  wire [2:0]   port,            // number of this link in its node, static

    // clk: lines to be sent; tx_vc and tx_offset are taken with the first beat
    input  wire         tx_valid,
    output wire         tx_ready,
    input  wire [8*PORT_BYTES-1:0] tx_data,
    input  wire         tx_first,
    input  wire [2:0]   tx_vc,
    input  wire [14:0]  tx_offset,
    input  wire         tx_void,         // with the last beat: send nothing that is delivered
    output wire         tx_room,         // a whole packet fits

    // clk: the oldest received packet of each channel; data and offset one cycle after rx_vc, rx_beat
    output wire [7:0]   rx_waiting,
    input  wire [2:0]   rx_vc,
    input  wire [(PORT_BYTES == 32 ? 1 : 2):0] rx_beat,
    output wire [8*PORT_BYTES-1:0] rx_data,
    output wire [14:0]  rx_offset,
    input  wire         rx_mute,         // with rx_vc, rx_beat: 0 instead, so that several links' outputs can be or-ed
    input  wire         rx_pop,          // channel rx_vc's oldest packet was taken

    // clk: registers; reg_valid is a pulse, the rest is stable until reg_ack, a pulse
    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [5:0]   reg_address,
    input  wire [31:0]  reg_wdata,
    output wire         reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,
    output wire         link_up,
    output wire         link_down,         // DOWN, not enabled, nothing on its way out
    output wire         link_attention,  // a sticky error is set

    // link_clk: the wire
    output wire [31:0]  xgmii_txd,
    output wire [3:0]   xgmii_txc,
    input  wire [31:0]  xgmii_rxd,
    input  wire [3:0]   xgmii_rxc,
    input  wire         tx_pause,          // of lanes: at its rise two idle words are left between two frames

    // link_clk: observation
    output wire         obs_idle,          // with idle inputs no register of either clock will change
    output wire         obs_rx_start,      // first word of a frame of more than one word
    output wire         obs_rx_ok,         // last word of a good packet or hello
    output wire         obs_rx_command,    // a good command
    output wire         obs_rx_error,      // any anomaly
    output wire         obs_retransmit,    // a packet starts that was sent before, fully or in part: for damage
    output wire         obs_replay,        // the same for lack of room at the peer
    output wire         obs_accept,        // a packet was accepted and counted in the checksum
    output wire [3:0]   obs_state
);
    localparam SLOT_BITS    = $clog2(TX_PACKETS);
    localparam RX_SLOT_BITS = $clog2(RX_SLOTS);
    localparam BEAT_BITS    = PORT_BYTES == 32 ? 2 : 3;

    // parser
    wire        payload_valid, identity_valid, packet_end, packet_good, packet_void, packet_cut, hello_good;
    wire        command_good;
    wire [4:0]  payload_index;
    wire [31:0] word;
    wire        error_crc, error_code, error_framing, error_command, signal_lost, parser_idle;
    wire [31:8] header;
    wire [1:0]  command_received;        // its type
    wire [5:0]  peer_seq;
    wire [2:0]  packet_vc     = header[`QPACE_PACKET_CHANNEL];
    wire [5:0]  packet_rx_seq = header[`QPACE_PACKET_SEQUENCE];
    wire [14:0] packet_offset = header[`QPACE_PACKET_OFFSET];

    // training
    wire        up, train, down, heard, training_quiet, resume, flush, disable_link, training_restart;
    wire        hello, hello_taken, version_ok, from_peer, peer_known, meet;
    wire [11:0] hello_in, hello_out;
    wire [15:0] peer_node, peer_epoch;
    wire [2:0]  peer_port;
    wire [5:0]  errors;
    wire        event_retrain;
    wire [1:0]  state;

    // window
    wire        peer_seq_ok, flush_ready, packet, packet_first, packet_taken, window_restart, held, outstanding;
    wire        retry_exceeded, empty, window_quiet, progress;
    wire [SLOT_BITS+BEAT_BITS:0] written;
    wire [SLOT_BITS:0]   acknowledged, packet_pointer, count_outstanding;
    wire [SEQ_BITS-1:0]  packet_seq, next_seq, expected;
    wire        event_ignored, event_nack, event_busy, event_timeout, for_room;

    // framer and transmit buffer
    wire        stalled, framer_idle, gap, pausing, pause_idle, rd_en, freed;
    wire [SLOT_BITS+BEAT_BITS-1:0] rd_address;
    wire [8*PORT_BYTES-1:0] rd_data;
    wire        rd_void;
    wire [17:0] head;
    wire [31:0] tx_checksum;

    // reply and receive buffer
    wire        accept, packet_room, command_urgent, command_lazy, command_taken, refusing, reply_quiet;
    wire [1:0]  command_type;
    wire [7:0]  free;
    wire [31:0] rx_checksum;
    wire        event_duplicate, event_gap, event_refused, event_nack_sent, event_busy_sent;

    // timer, counters, registers
    wire        timer_tick, timer_expired, counter_read, counter_ready, counters_quiet, registers_quiet, attention;
    wire        keepalive, silent;
    wire        node_rst;                // rst on link_clk
    wire        wire_rst = link_rst || node_rst;
    wire [5:0]  alive_timeout;           // units of 1024 cycles
    wire        keep, kept;              // a configuration register is written, and was in the cycle before
    wire        link_request, link_write, link_done, link_error;
    wire [5:0]  link_address;
    wire [31:0] link_wdata, link_rdata, counter_value;
    wire [4:0]  counter_index;
    wire        enable, retrain, clear_counters, identity_written;
    wire [15:0] node, epoch, ack_timeout;
    wire [7:0]  retry_limit;
    wire [3:0]  retrain_limit;
    wire [15:0] train_timeout, busy_probe;   // units of 256 cycles
    wire        lost = link_rst && !node_rst && (enable || !framer_idle);   // a reset of this link alone

    assign obs_idle = !train && (!up || (empty && !held)) && framer_idle && parser_idle && freed && training_quiet
                      && reply_quiet && counters_quiet && registers_quiet && !window_restart && window_quiet
                      && pause_idle;
    assign obs_retransmit    = packet_taken && !packet_first && !for_room;
    assign obs_replay        = packet_taken && !packet_first && for_room;
    assign obs_accept        = accept;
    assign obs_state         = {outstanding, held, state};

    cdc_bits #(.WIDTH(1)) u_node_rst (.clk(link_clk), .rst(1'b0), .src(rst), .dst(node_rst));

    qpace_link_tx_buffer #(.SLOT_BITS(SLOT_BITS), .BEAT_BITS(BEAT_BITS), .STAGES(STAGES)) u_tx_buffer (
        .clk(clk), .rst(rst), .link_clk(link_clk), .link_rst(node_rst),
        .tx_valid(tx_valid), .tx_ready(tx_ready), .tx_data(tx_data), .tx_first(tx_first), .tx_vc(tx_vc),
        .tx_offset(tx_offset), .tx_void(tx_void), .tx_room(tx_room),
        .written(written), .acknowledged(acknowledged), .freed(freed),
        .head_slot(packet_pointer[SLOT_BITS-1:0]), .head(head),
        .rd_en(rd_en), .rd_address(rd_address), .rd_data(rd_data), .rd_void(rd_void)
    );

    qpace_link_window #(.SLOT_BITS(SLOT_BITS), .BEAT_BITS(BEAT_BITS), .SEQ_BITS(SEQ_BITS), .STAGES(STAGES)) u_window (
        .link_clk(link_clk), .link_rst(node_rst), .up(up),
        .command(command_good), .command_type(command_received), .peer_seq(peer_seq), .peer_seq_ok(peer_seq_ok),
        .resume(resume), .flush(flush), .flush_ready(flush_ready),
        .written(written), .acknowledged(acknowledged),
        .packet(packet), .packet_pointer(packet_pointer), .packet_seq(packet_seq), .packet_first(packet_first),
        .packet_taken(packet_taken),
        .timer_expired(timer_expired && up), .timer_restart(window_restart), .held(held), .outstanding(outstanding),
        .retry_limit(retry_limit), .retry_exceeded(retry_exceeded),
        .empty(empty), .quiet(window_quiet), .count_outstanding(count_outstanding), .next_seq(next_seq),
        .progress(progress), .event_ignored(event_ignored),
        .event_nack(event_nack), .event_busy(event_busy), .event_timeout(event_timeout), .for_room(for_room)
    );

    // while it holds, nobody asks the framer for a frame
    transmit_pause #(.LANES(LANES)) u_pause (
        .clk(link_clk), .rst(wire_rst), .en(1'b1), .pause(tx_pause), .between(gap), .hold(pausing), .idle(pause_idle)
    );

    // words that the framer sends, but for their start codes and checksums
    reg  [31:8] packet_header;
    reg  [15:8] command_sent;
    reg  [95:8] hello_words;
    always @* begin
        packet_header[`QPACE_PACKET_CHANNEL]    = head[17:15];
        packet_header[`QPACE_PACKET_SEQUENCE]   = packet_seq;
        packet_header[`QPACE_PACKET_OFFSET]     = head[14:0];
        command_sent[`QPACE_COMMAND_TYPE]       = command_type;
        command_sent[`QPACE_COMMAND_SEQUENCE]   = expected;
        hello_words                             = 88'd0;
        hello_words[`QPACE_HELLO_VERSION]       = `QPACE_WIRE_VERSION;
        hello_words[`QPACE_HELLO_PORT]          = port;
        {hello_words[`QPACE_HELLO_TRAIN_ID], hello_words[`QPACE_HELLO_ECHO_TRAIN_ID], hello_words[`QPACE_HELLO_UP],
         hello_words[`QPACE_HELLO_HEARD], hello_words[`QPACE_HELLO_SESSION], hello_words[`QPACE_HELLO_USED]}
                                                = hello_out;
        hello_words[`QPACE_HELLO_NODE]          = node;
        hello_words[`QPACE_HELLO_EPOCH]         = epoch;
        hello_words[`QPACE_HELLO_NEXT_EXPECTED] = expected;
    end

    qpace_link_framer #(.SLOT_BITS(SLOT_BITS), .BEAT_BITS(BEAT_BITS)) u_framer (
        .link_clk(link_clk), .link_rst(wire_rst),
        .hello(hello && !pausing), .hello_words(hello_words), .hello_taken(hello_taken),
        .command_urgent(command_urgent && !pausing), .command_lazy(command_lazy && !pausing), .command(command_sent),
        .command_taken(command_taken),
        .packet(packet && !pausing), .packet_pointer(packet_pointer), .packet_header(packet_header),
        .packet_first(packet_first), .packet_taken(packet_taken), .stalled(stalled),
        .written(written), .rd_en(rd_en), .rd_address(rd_address), .rd_data(rd_data), .rd_void(rd_void),
        .clear_checksum(flush || node_rst), .checksum(tx_checksum), .idle(framer_idle), .gap(gap),
        .xgmii_txd(xgmii_txd), .xgmii_txc(xgmii_txc)
    );

    qpace_link_parser u_parser (
        .link_clk(link_clk), .link_rst(wire_rst), .xgmii_rxd(xgmii_rxd), .xgmii_rxc(xgmii_rxc),
        .payload_valid(payload_valid), .payload_index(payload_index), .identity_valid(identity_valid), .word(word),
        .packet_end(packet_end), .packet_good(packet_good), .packet_void(packet_void), .packet_cut(packet_cut),
        .hello_good(hello_good),
        .command_good(command_good), .error_crc(error_crc), .error_code(error_code), .error_framing(error_framing),
        .error_command(error_command), .signal_lost(signal_lost), .header(header), .command_type(command_received),
        .peer_seq(peer_seq), .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok),
        .obs_rx_command(obs_rx_command), .obs_rx_error(obs_rx_error), .idle(parser_idle)
    );

    qpace_link_reply #(.SEQ_BITS(SEQ_BITS), .ACK_EVERY(ACK_EVERY)) u_reply (
        .link_clk(link_clk), .link_rst(node_rst), .up(up), .flush(flush), .keepalive(keepalive),
        .packet_end(packet_end), .packet_good(packet_good), .packet_cut(packet_cut), .packet_vc(packet_vc),
        .packet_seq(packet_rx_seq), .packet_room(packet_room), .free(free), .accept(accept),
        .command_urgent(command_urgent), .command_lazy(command_lazy), .command_type(command_type),
        .command_taken(command_taken), .packet_taken(packet_taken),
        .expected(expected), .refusing(refusing), .quiet(reply_quiet),
        .event_duplicate(event_duplicate), .event_gap(event_gap), .event_refused(event_refused),
        .event_nack_sent(event_nack_sent), .event_busy_sent(event_busy_sent)
    );

    qpace_link_rx_buffer #(.SLOT_BITS(RX_SLOT_BITS), .BEAT_BITS(BEAT_BITS)) u_rx_buffer (
        .clk(clk), .rst(rst), .link_clk(link_clk), .link_rst(node_rst),
        .payload_valid(payload_valid), .payload_index(payload_index), .payload(word),
        .vc(packet_vc), .offset(packet_offset), .room(packet_room), .accept(accept), .deliver(!packet_void),
        .free(free), .clear_checksum(flush), .checksum(rx_checksum),
        .rx_waiting(rx_waiting), .rx_vc(rx_vc), .rx_beat(rx_beat), .rx_data(rx_data), .rx_offset(rx_offset),
        .rx_mute(rx_mute), .rx_pop(rx_pop)
    );

    link_training u_training (
        .clk(link_clk), .rst(node_rst),
        .enable(enable), .retrain(retrain), .identity_written(identity_written), .retrain_limit(retrain_limit),
        .fault(lost), .inject(1'b0),
        .hello_good(hello_good), .version_ok(version_ok), .from_peer(from_peer), .hello_in(hello_in),
        .signal_lost(signal_lost), .peer_known(peer_known), .meet(meet),
        .peer_seq_ok(peer_seq_ok), .outstanding(outstanding), .progress(progress), .accept(accept),
        .retry_exceeded(retry_exceeded || silent), .flush_ready(flush_ready && framer_idle), .resume(resume),
        .flush(flush), .hello(hello), .hello_out(hello_out), .hello_taken(hello_taken),
        .timer_expired(timer_expired), .timer_tick(timer_tick), .timer_restart(training_restart),
        .state(state), .up(up), .train(train), .down(down), .quiet(training_quiet), .heard(heard),
        .disable_link(disable_link), .event_retrain(event_retrain), .errors(errors)
    );

    qpace_link_peer u_peer (
        .link_clk(link_clk), .link_rst(node_rst), .identity_valid(identity_valid), .word(word), .header(header),
        .version_ok(version_ok), .from_peer(from_peer), .hello_in(hello_in), .peer_known(peer_known), .meet(meet),
        .node(peer_node), .port(peer_port), .epoch(peer_epoch)
    );

    qpace_link_alive u_alive (
        .link_clk(link_clk), .link_rst(wire_rst), .up(up), .beat(beat), .limit(alive_timeout),
        .spoke(hello_taken || command_taken || packet_taken),
        .heard(hello_good || command_good || packet_good), .keepalive(keepalive), .silent(silent)
    );

    link_timer u_timer (
        .clk(link_clk), .rst(wire_rst), .restart(window_restart || training_restart || kept),
        .cycles(train ? {train_timeout, 8'd0} : held ? {busy_probe, 8'd0} : {8'd0, ack_timeout}),
        .run(train || (up && outstanding && !stalled)), .tick(timer_tick), .expired(timer_expired)
    );

    qpace_link_counters u_counters (
        .link_clk(link_clk), .link_rst(node_rst), .clear(clear_counters),
        .accepted(accept), .duplicate(event_duplicate), .gap(event_gap), .refused(event_refused),
        .crc_error(error_crc), .command_error(error_command || event_ignored), .nack_received(event_nack),
        .busy_received(event_busy), .code_error(error_code), .framing_error(error_framing),
        .sent(packet_taken && packet_first), .retransmitted(obs_retransmit), .replayed(obs_replay), .silent(silent),
        .nack_sent(event_nack_sent), .busy_sent(event_busy_sent), .timeout(event_timeout), .retrain(event_retrain),
        .freed(!freed), .flush(flush),
        .quiet(counters_quiet), .read(counter_read), .read_ready(counter_ready), .read_index(counter_index),
        .read_value(counter_value), .write(keep), .write_value(link_wdata)
    );

    cdc_request #(.ARGUMENT_WIDTH(39), .ANSWER_WIDTH(33)) u_request (
        .src_clk(clk), .src_rst(rst), .src_request(reg_valid), .src_argument({reg_write, reg_address, reg_wdata}),
        .src_done(reg_ack), .src_answer({reg_error, reg_rdata}),
        .dst_clk(link_clk), .dst_rst(node_rst), .dst_request(link_request),
        .dst_argument({link_write, link_address, link_wdata}), .dst_done(link_done),
        .dst_answer({link_error, link_rdata})
    );

    qpace_link_registers u_registers (
        .link_clk(link_clk), .link_rst(node_rst),
        .reg_valid(link_request), .reg_write(link_write), .reg_address(link_address), .reg_wdata(link_wdata),
        .reg_ack(link_done), .reg_rdata(link_rdata), .reg_error(link_error), .quiet(registers_quiet),
        .enable(enable), .retrain(retrain), .clear_counters(clear_counters), .identity_written(identity_written),
        .node(node), .epoch(epoch), .ack_timeout(ack_timeout), .retry_limit(retry_limit), .retrain_limit(retrain_limit),
        .train_timeout(train_timeout), .busy_probe(busy_probe), .alive_timeout(alive_timeout),
        .disable_link(disable_link), .errors({lost, silent, errors}), .attention(attention), .state(state),
        .held(held), .heard(heard), .peer_known(peer_known), .refusing(refusing),
        // STATUS has room for 32
        .outstanding({{5 - SLOT_BITS{1'b0}}, count_outstanding}), .tx_sequence(next_seq),
        .rx_expected(expected), .peer_node(peer_node), .peer_port(peer_port), .peer_epoch(peer_epoch),
        .tx_checksum(tx_checksum), .rx_checksum(rx_checksum),
        .read(counter_read), .ready(counter_ready), .index(counter_index), .stored(counter_value), .keep(keep),
        .kept(kept)
    );

    // registers, so that nothing but settled levels crosses
    reg         attention_reg, up_reg, down_reg;

    always @(posedge link_clk) begin
        attention_reg <= attention;
        up_reg        <= up;
        down_reg      <= down && !enable && framer_idle;
        if (node_rst) begin
            attention_reg <= 1'b0;
            up_reg        <= 1'b0;
            down_reg      <= 1'b0;
        end
    end

    cdc_bits #(.WIDTH(3)) u_status (
        .clk(clk), .rst(rst), .src({attention_reg, down_reg, up_reg}), .dst({link_attention, link_down, link_up})
    );

    // what the other parameters promise; of fewer than four packets the last would wait for an acknowledgement
    initial begin
        if ((TX_PACKETS != 4 && TX_PACKETS != 8 && TX_PACKETS != 16 && TX_PACKETS != 32) || SEQ_BITS != 6
            || (1 << RX_SLOT_BITS) != RX_SLOTS || RX_SLOTS < 2 || ACK_EVERY < 1 || ACK_EVERY > 3
            || (PORT_BYTES != 16 && PORT_BYTES != 32) || (LANES != 0 && LANES != 1 && LANES != 2 && LANES != 4)
            || (STAGES != 0 && STAGES != 1)) begin
            $display("qpace_link: TX_PACKETS is 4, 8, 16 or 32, RX_SLOTS a power of two from 2, ACK_EVERY 1 to 3");
            $display("qpace_link: PORT_BYTES is 16 or 32, LANES 0, 1, 2 or 4, STAGES 0 or 1");
            $finish;
        end
    end
endmodule
`default_nettype wire
