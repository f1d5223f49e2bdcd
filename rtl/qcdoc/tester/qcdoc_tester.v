// SPDX-License-Identifier: Apache-2.0
// A bit error tester for one QCDOC link on a board: the link, a source of words, a checker, a damager of bits on their
// way out, and registers (tester_registers.toml). Two of them at the ends of a cable need no processor. Data words
// only: supervisor words and partition interrupts are tied off, so that the link is as small as a board needs it. Not
// in the paper.
//
//   sequence --> words --> qcdoc_link --> bit flipped every INJECT_PERIOD --> serial_out
//   sequence <-- check <-- qcdoc_link <------------------------------------- samples
//
// A word is {~n, n} of a 32-bit sequence of maximal length, n = 1 first: the checker knows the next one, and after a
// wrong one goes on from that. Words travel whenever TRAFFIC is set and the link is UP.
//
// A request is answered in the cycle of reg_valid: reg_rdata, and reg_error for a register that is not there, or that
// cannot be written. Its effect comes with the end of that cycle.
`default_nettype none
`include "qcdoc_tester_regs.vh"
`include "qcdoc_probe.vh"
module qcdoc_tester #(
    parameter SAMPLES    = 4,            // of the line in a bit time: see qcdoc_link
    parameter CABLE_BITS = 512
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [3:0]  port,

    output reg         serial_out,
    input  wire [SAMPLES-1:0] samples,   // the earliest in the highest bit

    input  wire        reg_valid,
    input  wire        reg_write,
    input  wire [3:0]  reg_address,
    input  wire [31:0] reg_wdata,
    output wire [31:0] reg_rdata,
    output wire        reg_error,

    output wire [1:0]  state,            // of the link: 0 DOWN, 1 TRAIN, 2 UP
    output wire        passed,           // pulse: a word came and was right
    output wire        failed,           // pulse: it was wrong
    output wire [`QCDOC_PROBE_WIDTH-1:0] probe     // for a signal_capture
);
    localparam [31:0] FIRST = 32'd1;
    localparam [31:0] TAPS  = 32'hA3000000;     // x^32 + x^30 + x^26 + x^25 + 1

    reg  [2:0]  slot_reg;
    wire        slot = slot_reg == 3'd7;

    // the link
    wire        held, outstanding, disable_link, link_serial, word_ready, take_valid;
    wire        error_timeout, error_retrains, error_peer, error_version, error_protocol, error_memory;
    wire [3:0]  peer_port;
    wire [31:0] tx_checksum, rx_checksum;
    wire [63:0] take_data, sup_received;
    wire        through_start, early_start, early_byte, in_step, sup_done, sup_arrived, int_done, int_arrived;
    wire        event_sent, event_retransmitted, event_header, event_parity, event_retrain;
    wire        event_accepted, event_refused, event_marker, event_no_record, event_request, event_burst, event_bad_ack;
    wire [1:0]  early_parity, event_corrected;
    wire [7:0]  early_data, int_received, lane_data;
    wire        lane_control;
    wire        flipped, obs_idle, obs_rx_start, obs_rx_ok, obs_rx_error;

    // the tester
    reg         enable_reg, traffic_reg, synced_reg;
    reg  [4:0]  error_reg;
    reg  [31:0] next_reg, wanted_reg, sent_reg, resent_reg, checked_reg, wrong_reg, damaged_reg, retrains_reg;
    reg  [31:0] injected_reg;
    reg  [23:0] period_reg, countdown_reg;
    // a cycle later than in the link, so that neither the link's logic nor a counter's carry lies behind the other
    reg         came_reg, wrong_event_reg, sent_event_reg, resent_event_reg, damaged_event_reg, retrain_event_reg;
    reg  [63:0] word_reg;
    wire        known, writable;
    wire        accepts     = reg_valid && reg_write && known && writable;
    wire        control     = accepts && reg_address == `QCDOC_TESTER_CONTROL;
    wire        set_period  = accepts && reg_address == `QCDOC_TESTER_INJECT_PERIOD;
    wire        retrain     = control && reg_wdata[`QCDOC_TESTER_CONTROL_RETRAIN];
    wire        new_session = control && reg_wdata[`QCDOC_TESTER_CONTROL_NEW_SESSION] && state == 2'd0;
    wire        clear       = control && reg_wdata[`QCDOC_TESTER_CONTROL_CLEAR];
    wire        sends       = traffic_reg && state == 2'd2;
    wire [31:0] half        = word_reg[31:0];
    wire        whole       = word_reg[63:32] == ~half;
    wire        right       = whole && (half == wanted_reg || !synced_reg);
    wire        strikes     = period_reg != 24'd0 && countdown_reg == 24'd1;
    wire [31:0] next        = {1'b0, next_reg[31:1]} ^ (next_reg[0] ? TAPS : 32'd0);
    wire [31:0] wanted      = {1'b0, half[31:1]} ^ (half[0] ? TAPS : 32'd0);

    assign reg_error = !known || (reg_write && !writable);
    assign passed    = came_reg && right;
    assign failed    = came_reg && !right;

    assign probe[`QCDOC_PROBE_STATE]         = state;
    assign probe[`QCDOC_PROBE_OUTSTANDING]   = outstanding;
    assign probe[`QCDOC_PROBE_TX_VALID]      = sends;
    assign probe[`QCDOC_PROBE_TX_READY]      = sends && word_ready;
    assign probe[`QCDOC_PROBE_TX_DATA]       = next_reg;
    assign probe[`QCDOC_PROBE_RX_VALID]      = came_reg;
    assign probe[`QCDOC_PROBE_RX_DATA]       = half;
    assign probe[`QCDOC_PROBE_WRONG]         = failed;
    assign probe[`QCDOC_PROBE_SENT]          = event_sent;
    assign probe[`QCDOC_PROBE_RESENT]        = event_retransmitted;
    assign probe[`QCDOC_PROBE_REQUEST]       = event_request;
    assign probe[`QCDOC_PROBE_REFUSED]       = event_refused;
    assign probe[`QCDOC_PROBE_HEADER_ERROR]  = event_header;
    assign probe[`QCDOC_PROBE_PARITY_ERROR]  = event_parity;
    assign probe[`QCDOC_PROBE_MARKER_ERROR]  = event_marker;
    assign probe[`QCDOC_PROBE_BAD_ACK]       = event_bad_ack;
    assign probe[`QCDOC_PROBE_RETRAIN]       = event_retrain;
    assign probe[`QCDOC_PROBE_FLIPPED]       = strikes;
    assign probe[`QCDOC_PROBE_RETRAIN_LIMIT] = error_reg[0];
    assign probe[`QCDOC_PROBE_PEER_CHANGED]  = error_reg[1];
    assign probe[`QCDOC_PROBE_VERSION]       = error_reg[2];
    assign probe[`QCDOC_PROBE_PROTOCOL]      = error_reg[3];
    assign probe[`QCDOC_PROBE_MEMORY]        = error_reg[4];

    qcdoc_tester_reads reads (
        .address(reg_address), .control_enable(enable_reg), .control_traffic(traffic_reg), .status_state(state),
        .status_outstanding(outstanding), .status_peer_port(peer_port), .status_retrain_limit(error_reg[0]),
        .status_peer_changed(error_reg[1]), .status_version(error_reg[2]), .status_protocol(error_reg[3]),
        .status_memory(error_reg[4]), .tx_checksum(tx_checksum), .rx_checksum(rx_checksum), .sent(sent_reg),
        .resent(resent_reg), .checked(checked_reg), .wrong(wrong_reg), .damaged(damaged_reg), .retrains(retrains_reg),
        .inject_period_bits(period_reg), .injected(injected_reg), .value(reg_rdata), .known(known),
        .writable(writable));

    qcdoc_link #(.CABLE_BITS(CABLE_BITS), .SAMPLES(SAMPLES), .STAGES(1)) link (
        .clk(clk), .rst(rst), .port(port), .slot(slot), .serial_out(link_serial), .serial_in(samples),
        .lane_data(lane_data), .lane_control(lane_control), .tx_pause(1'b0), .lane_rx_strobe(1'b0),
        .lane_rx_data(8'd0), .lane_rx_control(1'b0),
        .enable(enable_reg), .retrain(retrain), .new_session(new_session), .train_timeout(16'd0),
        .retrain_limit(4'd15), .state(state), .peer_port(peer_port), .held(held), .outstanding(outstanding),
        .disable_link(disable_link), .error_timeout(error_timeout), .error_retrains(error_retrains),
        .error_peer(error_peer), .error_version(error_version), .error_protocol(error_protocol),
        .error_memory(error_memory), .tx_checksum(tx_checksum), .rx_checksum(rx_checksum),
        .word_valid(sends), .word_ready(word_ready), .word({~next_reg, next_reg}), .word_sent(1'b0),
        .through_valid(1'b0), .through_start(through_start), .through_parity(2'd0), .through_data(8'd0),
        .through_sure(1'b0), .take_valid(take_valid), .take_data(take_data), .take(take_valid), .hold(1'b0),
        .early_start(early_start), .early_parity(early_parity), .early_byte(early_byte), .early_data(early_data),
        .in_step(in_step), .sup_valid(1'b0), .sup_word(64'd0), .sup_done(sup_done), .sup_arrived(sup_arrived),
        .sup_received(sup_received), .sup_read(1'b0), .int_valid(1'b0), .int_code(8'd0), .int_done(int_done),
        .int_arrived(int_arrived), .int_received(int_received),
        .event_sent(event_sent), .event_retransmitted(event_retransmitted), .event_accepted(event_accepted),
        .event_refused(event_refused), .event_header(event_header), .event_parity(event_parity),
        .event_marker(event_marker), .event_no_record(event_no_record), .event_request(event_request),
        .event_burst(event_burst),
        .event_bad_ack(event_bad_ack), .event_retrain(event_retrain),
        .event_corrected(event_corrected), .flip(72'd0), .flip_send(1'b0), .flip_receive(1'b0), .flipped(flipped),
        .obs_idle(obs_idle), .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok), .obs_rx_error(obs_rx_error));

    // What only a whole unit uses.
    wire unused = &{1'b0, held, error_timeout, through_start, early_start, early_byte, in_step, sup_done, sup_arrived,
                    int_done, int_arrived, sup_received, event_accepted, event_burst, early_parity, event_corrected,
                    early_data, int_received, flipped, obs_idle, obs_rx_start, obs_rx_ok, obs_rx_error,
                    reg_wdata[31:24], lane_data, lane_control, 1'b0};

    always @(posedge clk) begin
        slot_reg      <= slot_reg + 3'd1;
        serial_out    <= link_serial ^ strikes;
        countdown_reg <= countdown_reg <= 24'd1 ? period_reg : countdown_reg - 24'd1;
        error_reg     <= error_reg | {error_memory, error_protocol, error_version, error_peer, error_retrains};
        word_reg          <= take_data;
        came_reg          <= take_valid;
        wrong_event_reg   <= failed;
        sent_event_reg    <= event_sent;
        resent_event_reg  <= event_retransmitted;
        damaged_event_reg <= event_header || event_parity || event_no_record;
        retrain_event_reg <= event_retrain;
        sent_reg      <= sent_reg + {31'd0, sent_event_reg};
        resent_reg    <= resent_reg + {31'd0, resent_event_reg};
        checked_reg   <= checked_reg + {31'd0, came_reg};
        wrong_reg     <= wrong_reg + {31'd0, wrong_event_reg};
        damaged_reg   <= damaged_reg + {31'd0, damaged_event_reg};
        retrains_reg  <= retrains_reg + {31'd0, retrain_event_reg};
        injected_reg  <= injected_reg + {31'd0, strikes};
        if (sends && word_ready)
            next_reg <= next;
        if (came_reg) begin
            synced_reg <= 1'b1;
            wanted_reg <= wanted;
        end
        if (control) begin
            enable_reg  <= reg_wdata[`QCDOC_TESTER_CONTROL_ENABLE];
            traffic_reg <= reg_wdata[`QCDOC_TESTER_CONTROL_TRAFFIC];
        end
        if (disable_link)
            enable_reg <= 1'b0;
        if (new_session)
            error_reg <= 5'd0;
        if (set_period) begin
            period_reg    <= reg_wdata[`QCDOC_TESTER_INJECT_PERIOD_BITS];
            countdown_reg <= reg_wdata[`QCDOC_TESTER_INJECT_PERIOD_BITS];
        end
        if (rst || clear) begin
            synced_reg   <= 1'b0;
            sent_reg     <= 32'd0;
            resent_reg   <= 32'd0;
            checked_reg  <= 32'd0;
            wrong_reg    <= 32'd0;
            damaged_reg  <= 32'd0;
            retrains_reg <= 32'd0;
            injected_reg <= 32'd0;
        end
        if (rst) begin
            slot_reg      <= 3'd0;
            came_reg      <= 1'b0;
            wrong_event_reg   <= 1'b0;
            sent_event_reg    <= 1'b0;
            resent_event_reg  <= 1'b0;
            damaged_event_reg <= 1'b0;
            retrain_event_reg <= 1'b0;
            enable_reg    <= `QCDOC_TESTER_CONTROL_ENABLE_RESET;
            traffic_reg   <= `QCDOC_TESTER_CONTROL_TRAFFIC_RESET;
            error_reg     <= 5'd0;
            next_reg      <= FIRST;
            period_reg    <= `QCDOC_TESTER_INJECT_PERIOD_BITS_RESET;
            countdown_reg <= 24'd0;
        end
    end
endmodule
`default_nettype wire
