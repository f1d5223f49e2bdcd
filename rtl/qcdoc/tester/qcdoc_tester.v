// SPDX-License-Identifier: Apache-2.0
// A bit error tester for one QCDOC link on a board: the link with its registers, a source of words, a checker, and a
// damager of bits on their way out. Two of them at the ends of a cable need no processor. Not in the paper.
//
//   sequence --> words --> qcdoc_link --> bit flipped every INJECT_PERIOD --> serial_out
//   sequence <-- check <-- qcdoc_link <------------------------------------- samples
//
// A word is {~n, n} of a 32-bit sequence of maximal length, n = 1 first: the checker knows the next one, and after a
// wrong one goes on from that. Words travel whenever TRAFFIC is set and the link is UP.
//
// Registers: 0x00 to 0x1F are the link's (link_registers.toml), 0x20 to 0x27 the tester's (tester_registers.toml).
// `reg_valid` stays until `reg_ack`; reg_rdata and reg_error (no such register, or one that cannot be written) come
// with it.
`default_nettype none
`include "qcdoc_tester_regs.vh"
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
    input  wire [5:0]  reg_address,
    input  wire [31:0] reg_wdata,
    output wire        reg_ack,
    output wire [31:0] reg_rdata,
    output wire        reg_error,

    output wire [1:0]  state,            // of the link: 0 DOWN, 1 TRAIN, 2 UP
    output wire        passed,           // pulse: a word came and was right
    output wire        failed            // pulse: it was wrong
);
    localparam [31:0] FIRST = 32'd1;
    localparam [31:0] TAPS  = 32'hA3000000;     // x^32 + x^30 + x^26 + x^25 + 1

    reg  [2:0]  slot_reg;
    wire        slot = slot_reg == 3'd7;

    // the link and its registers
    wire        enable, retrain, new_session, held, outstanding, disable_link, link_serial;
    wire        error_timeout, error_retrains, error_peer, error_version, error_protocol, error_memory;
    wire [3:0]  peer_port;
    wire [31:0] tx_checksum, rx_checksum;
    wire        word_ready, take_valid, through_start, early_start, early_byte, in_step;
    wire [63:0] take_data, sup_word, sup_received;
    wire [1:0]  early_parity, event_corrected;
    wire [7:0]  early_data, int_received;
    wire        sup_valid, sup_done, sup_arrived, sup_read, int_done, int_arrived;
    wire [10:0] events;
    wire        flipped, obs_idle, obs_rx_start, obs_rx_ok, obs_rx_error;
    wire        link_ack, link_unknown, link_read_only, link_busy, link_attention, registers_idle;
    wire [31:0] link_rdata;

    // the tester
    reg         traffic_reg, synced_reg;
    reg  [31:0] next_reg, wanted_reg, checked_reg, wrong_reg, period_reg, countdown_reg, injected_reg;
    wire        is_link   = !reg_address[5];
    wire        known, writable;
    wire [31:0] value;
    wire        accepts   = reg_valid && reg_write && !is_link && known && writable;
    wire        control   = accepts && reg_address[2:0] == `QCDOC_TESTER_CONTROL;
    wire        set_period = accepts && reg_address[2:0] == `QCDOC_TESTER_INJECT_PERIOD;
    wire        clear     = control && reg_wdata[`QCDOC_TESTER_CONTROL_CLEAR];
    wire        sends     = traffic_reg && state == 2'd2;
    wire [31:0] half      = take_data[31:0];
    wire        whole     = take_data[63:32] == ~half;
    wire        right     = whole && (half == wanted_reg || !synced_reg);
    wire        strikes   = period_reg != 32'd0 && countdown_reg == 32'd1;
    wire [31:0] next      = {1'b0, next_reg[31:1]} ^ (next_reg[0] ? TAPS : 32'd0);
    wire [31:0] wanted    = {1'b0, half[31:1]} ^ (half[0] ? TAPS : 32'd0);

    assign reg_ack   = is_link ? link_ack : reg_valid;
    assign reg_rdata = is_link ? link_rdata : value;
    assign reg_error = is_link ? link_unknown || link_read_only || link_busy :
                       !known || (reg_write && !writable) || reg_address[4:3] != 2'd0;
    assign passed    = take_valid && right;
    assign failed    = take_valid && !right;

    qcdoc_tester_reads reads (
        .address(reg_address[2:0]), .control_traffic(traffic_reg), .checked(checked_reg), .wrong(wrong_reg),
        .inject_period(period_reg), .injected(injected_reg), .value(value), .known(known), .writable(writable));

    qcdoc_link #(.CABLE_BITS(CABLE_BITS), .SAMPLES(SAMPLES)) link (
        .clk(clk), .rst(rst), .port(port), .slot(slot), .serial_out(link_serial), .serial_in(samples),
        .enable(enable), .retrain(retrain), .new_session(new_session), .train_timeout(16'd0), .retrain_limit(4'd15),
        .state(state), .peer_port(peer_port), .held(held), .outstanding(outstanding), .disable_link(disable_link),
        .error_timeout(error_timeout), .error_retrains(error_retrains), .error_peer(error_peer),
        .error_version(error_version), .error_protocol(error_protocol), .error_memory(error_memory),
        .tx_checksum(tx_checksum), .rx_checksum(rx_checksum),
        .word_valid(sends), .word_ready(word_ready), .word({~next_reg, next_reg}), .word_sent(1'b0),
        .through_valid(1'b0), .through_start(through_start), .through_parity(2'd0), .through_data(8'd0),
        .through_sure(1'b0), .take_valid(take_valid), .take_data(take_data), .take(take_valid), .hold(1'b0),
        .early_start(early_start), .early_parity(early_parity), .early_byte(early_byte), .early_data(early_data),
        .in_step(in_step), .sup_valid(sup_valid), .sup_word(sup_word), .sup_done(sup_done), .sup_arrived(sup_arrived),
        .sup_received(sup_received), .sup_read(sup_read), .int_valid(1'b0), .int_code(8'd0), .int_done(int_done),
        .int_arrived(int_arrived), .int_received(int_received),
        .event_sent(events[0]), .event_retransmitted(events[1]), .event_accepted(events[2]),
        .event_refused(events[3]), .event_header(events[4]), .event_parity(events[5]), .event_marker(events[6]),
        .event_request(events[7]), .event_burst(events[8]), .event_bad_ack(events[9]), .event_retrain(events[10]),
        .event_corrected(event_corrected), .flip(72'd0), .flip_send(1'b0), .flip_receive(1'b0), .flipped(flipped),
        .obs_idle(obs_idle), .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok), .obs_rx_error(obs_rx_error));

    qcdoc_link_registers registers (
        .clk(clk), .rst(rst), .reg_valid(reg_valid && is_link), .reg_write(reg_write), .reg_address(reg_address[4:0]),
        .reg_wdata(reg_wdata), .reg_ack(link_ack), .reg_rdata(link_rdata), .unknown(link_unknown),
        .read_only(link_read_only), .busy(link_busy), .enable(enable), .retrain(retrain), .new_session(new_session),
        .dma_busy(1'b0), .state(state), .held(held), .outstanding(outstanding), .peer_port(peer_port),
        .disable_link(disable_link),
        .errors({error_memory, error_protocol, error_version, error_peer, error_retrains, error_timeout}),
        .tx_checksum(tx_checksum), .rx_checksum(rx_checksum), .event_in(events),
        .sup_valid(sup_valid), .sup_word(sup_word), .sup_done(sup_done), .sup_arrived(sup_arrived),
        .sup_received(sup_received), .sup_read(sup_read), .attention(link_attention), .obs_idle(registers_idle));

    // What a processor would look at, and what only a whole unit uses.
    wire unused = &{1'b0, through_start, early_start, early_byte, in_step, early_parity, event_corrected, early_data,
                    int_received, int_done, int_arrived, flipped, obs_idle, obs_rx_start, obs_rx_ok, obs_rx_error,
                    link_attention, registers_idle, 1'b0};

    always @(posedge clk) begin
        slot_reg      <= slot_reg + 3'd1;
        serial_out    <= link_serial ^ strikes;
        countdown_reg <= countdown_reg <= 32'd1 ? period_reg : countdown_reg - 32'd1;
        if (strikes)
            injected_reg <= injected_reg + 32'd1;
        if (sends && word_ready)
            next_reg <= next;
        if (take_valid) begin
            checked_reg <= checked_reg + 32'd1;
            synced_reg  <= 1'b1;
            wanted_reg  <= wanted;
        end
        if (failed)
            wrong_reg <= wrong_reg + 32'd1;
        if (control)
            traffic_reg <= reg_wdata[`QCDOC_TESTER_CONTROL_TRAFFIC];
        if (set_period) begin
            period_reg    <= reg_wdata;
            countdown_reg <= reg_wdata;
        end
        if (rst || clear) begin
            synced_reg   <= 1'b0;
            checked_reg  <= 32'd0;
            wrong_reg    <= 32'd0;
            injected_reg <= 32'd0;
        end
        if (rst) begin
            slot_reg    <= 3'd0;
            traffic_reg <= `QCDOC_TESTER_CONTROL_TRAFFIC_RESET;
            next_reg    <= FIRST;
            period_reg  <= `QCDOC_TESTER_INJECT_PERIOD_RESET;
            countdown_reg <= 32'd0;
        end
    end
endmodule
`default_nettype wire
