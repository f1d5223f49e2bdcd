// SPDX-License-Identifier: Apache-2.0
// One link of a Tofu node ([Tofu2012] sections 4.2, 4.5, 4.6): 16 bytes a cycle each way, packets cut through,
// retransmission at every hop from an 8 KB ring, credits of four virtual channels, link control packets in the free
// half of packets' last beats. Wire format, protocol, states and timing: README.md.
//
//   tx_* -> input -> ring -> framer -> txd          rxd -> parser -> receiver -> rx_*
//     credits   window (what to send) <--- control packets ---'         '--> responses (framer)
//               training (hellos, state)   peer   timer   registers   monitor
//
// Soft errors: SECDED on rx_beat and tx_beat, in the ring and its table, parity on beats' control bits, sequence
// numbers and credits; whatever cannot be corrected in these two, and impossible states, raise `fault`: the link goes
// DOWN and sends idle beats.
//
// Latency: tx_beat to txd 2 cycles, with STAGES 4; rxd to rx_beat 3 cycles, with STAGES 4.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link #(
    parameter RING_BITS = 9,            // 2^RING_BITS beats of retransmission ring; 9 is the paper's 8 KB
    parameter WINDOW    = 64,           // packets unacknowledged: a power of 2, at most 64
    parameter UNITS     = 64,           // of 128 bytes in each receive buffer of the peer; 64 is the paper's 8 KB
    parameter STAGES    = 0,            // 1: for FPGAs. CRCs in few levels of logic, before registers and behind them
    parameter LANES     = 0             // serial lanes behind the wire (rtl/lane); 0: none, tx_pause is ignored
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [3:0]   port,           // number of this link in its node, static

    // the wire
    output wire [127:0] txd,
    output wire [15:0]  txc,
    input  wire [127:0] rxd,
    input  wire [15:0]  rxc,
    input  wire         tx_pause,       // of lanes: at its rise two idle beats are left between two packets

    // to the router, which has room
    output wire         rx_valid,
    output wire [147:0] rx_beat,
    input  wire [35:0]  rx_free,        // beats free, 9 bits a channel, 511: or more; a packet that began before this
                                        // cycle is counted whole
    input  wire [27:0]  rx_credit,      // units freed since rx_reset, by packets that were not bad, 7 bits a channel
    output wire         rx_reset,       // pulse: a new session

    // from the router
    input  wire         tx_valid,
    input  wire [147:0] tx_beat,
    output wire         tx_ready,
    output wire [27:0]  tx_room,        // units free in the peer's buffers, 7 bits a channel, two cycles after a packet
                                        // began

    // registers
    input  wire         reg_valid,      // with arguments, until reg_ack
    input  wire         reg_write,
    input  wire [5:0]   reg_address,
    input  wire [31:0]  reg_wdata,
    output wire         reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,
    output wire         attention,      // a sticky error is set
    output wire         fault,          // outputs are blocked

    // observation
    output wire         obs_idle,       // with idle inputs no register will change
    output wire         obs_rx_start,   // first beat of a packet
    output wire         obs_rx_ok,      // last beat of a good packet, or a good hello
    output wire         obs_rx_command, // a good link control packet
    output wire         obs_rx_error,   // any other anomaly
    output wire         obs_rx_command_error, // a damaged link control packet
    output wire         obs_retransmit, // a packet starts that was sent before, fully or in part
    output wire         obs_accept,     // a packet was accepted and counted in the checksum
    output wire [1:0]   obs_state
);
    localparam TABLE_BITS = $clog2(WINDOW);

    // training, registers, timer
    wire         up, train, down, flush, resume, enable, retrain, identity_written, inject_state, training_quiet;
    wire         disable_link, event_retrain, heard, peer_known, timer_expired, timer_tick, training_restart;
    wire         hello, hello_taken, version_ok, from_peer, meet, registers_quiet, timeout_written;
    wire [11:0]  hello_in, hello_out;
    wire [1:0]   state;
    wire [31:0]  node, peer_node;
    wire [15:0]  epoch, peer_epoch, ack_timeout, train_timeout;
    wire [7:0]   retry_limit;
    wire [3:0]   retrain_limit, peer_port;
    wire [5:0]   training_errors;
    wire [1:0]   inject, inject_table;
    wire [6:0]   inject_bit, inject_number;
    wire         monitor_error;

    // input, ring, credits
    wire         store, first, last, commit, kill, gives_up, ring_room, beyond, window_room, input_idle;
    wire [147:0] beat;
    wire [1:0]   tx_channel;
    wire [4:0]   tx_units;
    wire         input_corrected, event_void, event_dropped, error_packet, error_parity;
    wire [31:0]  tx_checksum, rx_checksum;
    wire         source_valid, source_first, source_last, take, ring_empty, ring_fetching, ring_corrected;
    wire         error_double, error_table;
    wire [127:0] source_data;
    wire [27:0]  room;
    wire         credits_out, credits_progress, credits_quiet, error_credit;

    // window, framer
    wire         peer_seq_ok, heed, back, under_way, send_first, send_new, packet_start, packet_end, held, ask;
    wire [7:0]   write_seq, send_seq, count_outstanding, count_kept, expected;
    wire         timer_run, timer_restart, retry_exceeded, outstanding, progress, window_quiet, disorder, framer_idle;
    wire         between, pausing, pause_idle;
    wire         event_ignored, event_nack, event_busy, event_timeout, event_nullified;
    wire         say, say_now, said;
    wire [1:0]   say_type;
    wire         numbers_wrong, credits_wrong, expected_wrong;
    wire         error_number = numbers_wrong || credits_wrong || expected_wrong;
    wire         block = fault || error_double || error_number;

    // parser, receiver
    wire [127:0] rx_data;
    wire         first_beat, head, body, rx_end, rx_good, rx_void, rx_break, hello_good, control_good, parser_idle;
    wire [7:0]   rx_seq, control_seq;
    wire [1:0]   rx_channel, control_type;
    wire [6:0]   rx_beats;
    wire [27:0]  control_credits;
    wire         error_code, error_framing, error_header, error_crc, error_control, signal_lost;
    wire         refusing, receiver_idle, accept;
    wire         event_duplicate, event_gap, event_void_received, event_refused, event_nack_sent;
    wire         damage = error_code || error_framing || error_header || error_crc;
    wire [7:0]   peer_seq = hello_good ? rx_data[`TOFU_HELLO_NEXT_EXPECTED] : control_seq;

    assign tx_room        = down ? {4{7'd64}} : room;
    assign rx_reset       = flush;
    assign obs_idle       = training_quiet && !flush && registers_quiet && input_idle && framer_idle && parser_idle
                            && receiver_idle && window_quiet && credits_quiet && !ring_fetching
                            && (!up || ring_empty) && pause_idle;
    assign obs_rx_start   = first_beat;
    assign obs_rx_ok      = (rx_end && rx_good) || hello_good;
    assign obs_rx_command = control_good;
    assign obs_rx_error   = damage;
    assign obs_rx_command_error = error_control;
    assign obs_retransmit = packet_start && !send_first;
    assign obs_accept     = accept;
    assign obs_state      = state;

    // {training number, echoed one, up, heard, session, used}: link_training
    reg  [127:0] hello_beat;
    always @* begin
        hello_beat                            = 128'd0;
        hello_beat[`TOFU_HELLO_VERSION]       = `TOFU_WIRE_VERSION;
        hello_beat[`TOFU_HELLO_PORT]          = port;
        {hello_beat[`TOFU_HELLO_TRAIN_ID], hello_beat[`TOFU_HELLO_ECHO_TRAIN_ID], hello_beat[`TOFU_HELLO_UP],
         hello_beat[`TOFU_HELLO_HEARD], hello_beat[`TOFU_HELLO_SESSION], hello_beat[`TOFU_HELLO_USED]} = hello_out;
        hello_beat[`TOFU_HELLO_NODE]          = node;
        hello_beat[`TOFU_HELLO_EPOCH]         = epoch;
        hello_beat[`TOFU_HELLO_NEXT_EXPECTED] = expected;
    end

    tofu_link_input #(.STAGES(STAGES)) u_input (
        .clk(clk), .rst(rst), .up(up), .down(down), .flush(flush),
        .tx_valid(tx_valid), .tx_beat(tx_beat), .tx_ready(tx_ready), .ring_room(ring_room), .window_room(window_room),
        .store(store), .beat(beat), .first(first), .last(last), .commit(commit), .kill(kill), .gives_up(gives_up),
        .channel(tx_channel), .units(tx_units), .clear_checksum(flush), .checksum(tx_checksum), .idle(input_idle),
        .event_corrected(input_corrected), .event_nullified(event_void), .event_dropped(event_dropped),
        .error_packet(error_packet), .error_parity(error_parity)
    );

    tofu_link_credits #(.UNITS(UNITS), .STAGES(STAGES)) u_credits (
        .clk(clk), .rst(rst), .clear(flush), .start(store && first), .kill(kill), .channel(tx_channel),
        .units(tx_units), .heed(heed), .freed(control_credits), .room(room), .out(credits_out),
        .quiet(credits_quiet), .progress(credits_progress), .error(error_credit), .inject(inject_number[6:5]),
        .error_parity(credits_wrong)
    );

    tofu_link_ring #(.RING_BITS(RING_BITS), .TABLE_BITS(TABLE_BITS), .STAGES(STAGES)) u_ring (
        .clk(clk), .rst(rst), .flush(flush), .up(up),
        .store(store), .beat(beat), .first(first), .commit(commit), .kill(kill), .room(ring_room), .beyond(beyond),
        .write_seq(write_seq), .move(progress), .peer_seq(peer_seq), .back(back),
        .source_valid(source_valid), .source_data(source_data), .source_first(source_first), .source_last(source_last),
        .take(take),
        .inject(inject), .inject_table(inject_table), .inject_bit(inject_bit), .empty(ring_empty),
        .fetching(ring_fetching), .event_corrected(ring_corrected), .error_double(error_double),
        .error_table(error_table)
    );

    tofu_link_window #(.WINDOW(WINDOW)) u_window (
        .clk(clk), .rst(rst), .up(up), .flush(flush),
        .control(control_good), .control_type(control_type), .peer_seq(peer_seq), .peer_seq_ok(peer_seq_ok),
        .heed(heed), .resume(resume),
        .commit(commit), .kill(kill), .room(window_room), .write_seq(write_seq), .send_seq(send_seq),
        .send_under_way(under_way), .send_first(send_first), .send_new(send_new), .back(back),
        .packet_start(packet_start), .packet_end(packet_end),
        .credits_out(credits_out), .credits_progress(credits_progress), .timer_expired(timer_expired),
        .timer_run(timer_run), .timer_restart(timer_restart), .held(held), .ask(ask), .retry_limit(retry_limit),
        .retry_exceeded(retry_exceeded),
        .outstanding(outstanding), .count_outstanding(count_outstanding), .count_kept(count_kept), .progress(progress),
        .quiet(window_quiet), .inject(inject_number[3:0]), .error_parity(numbers_wrong), .disorder(disorder),
        .event_ignored(event_ignored), .event_nack(event_nack), .event_busy(event_busy), .event_timeout(event_timeout)
    );

    // The last beat, at whose check a packet turns out void, is a cycle behind in the ring with STAGES: soon enough.
    wire         voided;
    generate
        if (STAGES == 0) begin : gen_void_at_once
            assign voided = kill && under_way;
        end else begin : gen_void_after
            reg voided_reg;
            assign voided = voided_reg;
            always @(posedge clk)
                voided_reg <= kill && under_way && !rst;
        end
    endgenerate

    // while it holds, nobody asks the framer for a beat
    transmit_pause #(.LANES(LANES)) u_pause (
        .clk(clk), .rst(rst), .en(1'b1), .pause(tx_pause), .between(between), .hold(pausing), .idle(pause_idle)
    );

    tofu_link_framer #(.STAGES(STAGES)) u_framer (
        .clk(clk), .rst(rst), .up(up), .block(block),
        .hello(hello && !pausing), .hello_beat(hello_beat), .hello_taken(hello_taken),
        .control(say && !pausing), .urgent(say_now && !pausing), .control_type(say_type), .control_seq(expected),
        .control_credits(rx_credit), .control_taken(said),
        .source_valid(source_valid), .source_data(source_data), .source_first(source_first), .source_last(source_last),
        .take(take), .hold(held || pausing), .back(back), .voided(voided), .send_seq(send_seq),
        .packet_start(packet_start), .packet_end(packet_end), .event_nullified(event_nullified), .idle(framer_idle),
        .between(between), .txd(txd), .txc(txc)
    );

    tofu_link_parser #(.STAGES(STAGES)) u_parser (
        .clk(clk), .rst(rst), .rxd(rxd), .rxc(rxc),
        .data(rx_data), .first_beat(first_beat), .head(head), .body(body), .packet_end(rx_end), .packet_good(rx_good),
        .packet_void(rx_void), .packet_break(rx_break), .seq(rx_seq), .channel(rx_channel), .beats(rx_beats),
        .hello_good(hello_good), .control_good(control_good), .control_type(control_type), .control_seq(control_seq),
        .control_credits(control_credits), .error_code(error_code), .error_framing(error_framing),
        .error_header(error_header), .error_crc(error_crc), .error_control(error_control), .signal_lost(signal_lost),
        .idle(parser_idle)
    );

    tofu_link_receiver u_receiver (
        .clk(clk), .rst(rst), .up(up), .flush(flush),
        .data(rx_data), .first_beat(first_beat), .head(head), .body(body), .packet_end(rx_end), .packet_good(rx_good),
        .packet_void(rx_void), .packet_break(rx_break), .seq(rx_seq), .channel(rx_channel), .beats(rx_beats),
        .anomaly(damage), .asked(heed && control_type == `TOFU_CONTROL_ASK),
        .rx_valid(rx_valid), .rx_beat(rx_beat), .rx_free(rx_free), .rx_credit(rx_credit),
        .ask(ask), .control(say), .urgent(say_now), .control_type(say_type), .control_taken(said), .expected(expected),
        .inject(inject_number[4]), .error_parity(expected_wrong),
        .checksum(rx_checksum), .refusing(refusing), .idle(receiver_idle), .accept(accept),
        .event_duplicate(event_duplicate), .event_gap(event_gap), .event_void(event_void_received),
        .event_refused(event_refused), .event_nack(event_nack_sent)
    );

    link_training u_training (
        .clk(clk), .rst(rst),
        .enable(enable), .retrain(retrain), .identity_written(identity_written), .retrain_limit(retrain_limit),
        .fault(fault), .inject(inject_state),
        .hello_good(hello_good), .version_ok(version_ok), .from_peer(from_peer), .hello_in(hello_in),
        .signal_lost(signal_lost), .peer_known(peer_known), .meet(meet),
        .peer_seq_ok(peer_seq_ok), .outstanding(outstanding), .progress(progress), .accept(accept),
        .retry_exceeded(retry_exceeded), .flush_ready(1'b1), .resume(resume), .flush(flush),
        .hello(hello), .hello_out(hello_out), .hello_taken(hello_taken),
        .timer_expired(timer_expired), .timer_tick(timer_tick), .timer_restart(training_restart),
        .state(state), .up(up), .train(train), .down(down), .quiet(training_quiet), .heard(heard),
        .disable_link(disable_link), .event_retrain(event_retrain), .errors(training_errors)
    );

    tofu_link_peer u_peer (
        .clk(clk), .rst(rst),
        .hello(rx_data),
        .version_ok(version_ok), .from_peer(from_peer), .hello_in(hello_in), .peer_known(peer_known), .meet(meet),
        .node(peer_node), .port(peer_port), .epoch(peer_epoch)
    );

    link_timer u_timer (
        .clk(clk), .rst(rst), .restart(timer_restart || training_restart || timeout_written),
        .cycles(train ? {train_timeout, 8'd0} : {8'd0, ack_timeout}), .run(train || timer_run), .tick(timer_tick),
        .expired(timer_expired)
    );

    tofu_link_monitor u_monitor (
        .clk(clk), .rst(rst), .state(state), .disorder(disorder), .beyond(beyond), .error(monitor_error)
    );

    tofu_link_registers u_registers (
        .clk(clk), .rst(rst),
        .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error), .quiet(registers_quiet),
        .enable(enable), .retrain(retrain), .identity_written(identity_written), .node(node), .epoch(epoch),
        .ack_timeout(ack_timeout), .retry_limit(retry_limit), .retrain_limit(retrain_limit),
        .train_timeout(train_timeout), .timeout_written(timeout_written), .inject(inject), .inject_table(inject_table),
        .inject_bit(inject_bit), .inject_state(inject_state), .inject_number(inject_number), .injected(store),
        .injected_table(store && first),
        .disable_link(disable_link),
        .errors({monitor_error, error_parity || error_number, error_double || error_table,
                 input_corrected || ring_corrected, error_credit, error_packet, event_dropped, training_errors}),
        .attention(attention), .fault(fault),
        .status({expected, write_seq, count_outstanding, 1'b0, fault, refusing, peer_known, heard, held, state}),
        .down(down), .peer_node(peer_node), .peer_port(peer_port), .peer_epoch(peer_epoch), .tx_checksum(tx_checksum),
        .rx_checksum(rx_checksum), .room(room),
        .events({input_corrected || ring_corrected, flush, event_dropped, event_retrain, event_timeout, event_busy,
                 event_nack, event_nack_sent, error_control || event_ignored, error_crc, error_header, error_framing,
                 error_code, event_void_received, event_nullified, event_refused, event_gap, event_duplicate, accept,
                 packet_end && !send_new, packet_end && send_new}),
        .flush(flush), .flushed(count_kept + {7'd0, gives_up})
    );

    wire unused = &{1'b0, last, event_void};

    // the ring holds two packets of 2,048 bytes at least
    initial begin
        if (RING_BITS < 8 || RING_BITS > 11 || (1 << TABLE_BITS) != WINDOW || WINDOW < 8 || WINDOW > 64
            || (LANES != 0 && LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8) || UNITS < 16 || UNITS > 111
            || (STAGES != 0 && STAGES != 1)) begin
            $display("%m: RING_BITS is 8 to 11, WINDOW a power of two from 8 to 64, LANES 0, 1, 2, 4 or 8,");
            $display("%m: UNITS 16, of a packet of 2,048 bytes, to 111, STAGES 0 or 1");
            $finish;
        end
    end
endmodule
`default_nettype wire
