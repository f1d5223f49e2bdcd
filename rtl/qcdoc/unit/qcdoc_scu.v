// SPDX-License-Identifier: Apache-2.0
// The serial communications unit of a QCDOC node: twelve neighbours over bit-serial wires, 24 DMA engines, two sets of
// global operations, partition interrupts. [QCDOC2004] section 2.2; registers, formats and latency in
// rtl/qcdoc/README.md.
//
//   memory <--> qcdoc_dma <--words--> 12 x qcdoc_link <==> neighbours
//                               \---> 2 x qcdoc_forward: in on one link, out on others
//                                     qcdoc_partition: interrupts to all links of the partition
//   register bus --> qcdoc_registers, 12 x qcdoc_link_registers
//
// One clock, 500 MHz, the processor's. `global_count` counts ticks of the slow global clock (about 40 MHz in the
// paper), the same at all nodes but for its skew; qcdoc_global_clock makes it on a board.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_scu #(
    parameter SLOT_BITS   = 4,           // 2^SLOT_BITS stored instructions an engine
    parameter MARKS       = `QCDOC_MARKS,
    parameter CABLE_BITS  = 512,         // longest cable one way, in bit times: 1 us and a little
    parameter LOST_BYTES  = 1024,        // bytes without a record after which a link's alignment is doubted
    parameter LANES       = 0            // serial lanes behind each link (rtl/lane): 1; 0: none, but its serial wire
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [15:0]  global_count,    // ticks of the global clock since reset, modulo 65536

    output wire [11:0]  serial_out,      // 2 axis for the neighbour at +1, 2 axis + 1 for the one at -1
    input  wire [11:0]  serial_in,

    // with LANES, in the place of these: lane_bundle's, the bytes of link i at [8*i +: 8]
    output wire         lane_slot,       // `en` of all of them: the bytes are taken in this cycle
    output wire [95:0]  lane_data,
    output wire [11:0]  lane_control,
    input  wire [11:0]  tx_pause,
    input  wire [11:0]  lane_rx_strobe,
    input  wire [95:0]  lane_rx_data,
    input  wire [11:0]  lane_rx_control,

    // memory, 64-bit words; reads are answered in order
    output wire         mem_valid,
    input  wire         mem_ready,
    output wire         mem_write,
    output wire [28:0]  mem_address,
    output wire [63:0]  mem_wdata,
    input  wire         mem_rvalid,
    input  wire [63:0]  mem_rdata,

    // register bus: held until reg_ack
    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [11:0]  reg_address,
    input  wire [31:0]  reg_wdata,
    output wire         reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,
    output wire         irq,

    // observation, a bit a link
    output wire         obs_idle,        // with wires that repeat themselves every 8 cycles everything does
    output wire [11:0]  obs_rx_start,
    output wire [11:0]  obs_rx_ok,
    output wire [11:0]  obs_rx_error,
    output wire [11:0]  obs_retransmit,
    output wire [11:0]  obs_accept,
    output wire [23:0]  obs_state        // 2 bits a link: 0 DOWN, 1 TRAIN, 2 UP
`ifdef HT_RESTING_LINKS
    // of the simulator, which leaves out edges at which a link stays as it is: sim/qcdoc/README.md
    ,
    input  wire [11:0]  link_rest,       // this link has no edge
    output wire [11:0]  obs_rest,        // nothing but its wire is about to change this link
    output wire [2:0]   obs_place        // cycles since bytes began
`endif
);
    // a link's counters of these have 8 and 16 bits; the shortest cable is a lane on a board
    initial
        if (CABLE_BITS < 16 || CABLE_BITS > 768 || CABLE_BITS % 4 != 0 || LOST_BYTES < 256 || LOST_BYTES > 65536 ||
            (LANES != 0 && LANES != 1)) begin
            $display("qcdoc_scu: CABLE_BITS is a multiple of 4 from 16 to 768, LOST_BYTES 256 to 65536, LANES 0 or 1");
            $finish;
        end

    // bytes of all links begin together
    reg  [2:0]  place_reg;
    wire        slot = place_reg == 3'd7;
    assign      lane_slot = slot;

    // register bus
    wire [11:0]  link_valid, link_ack, link_unknown, link_read_only, link_busy, link_up, link_attention;
    wire [383:0] link_rdata;
    wire [11:0]  sup_arrived, sup_sending;
    wire [15:0]  train_timeout;
    wire [3:0]   retrain_limit, window_log2_ticks;
    wire         window_enable;
    wire [31:0]  memory_bytes;
    wire         store, start, raise, present_clear, late;
    wire [23:0]  stop, active, done;
    wire         dma_error, dma_error_range, dma_error_alignment, dma_error_empty, dma_error_busy;
    wire         dma_error_engine_memory, dma_error_blocked;
    wire [4:0]   dma_corrected, flip_memory, dma_flipped;
    wire [11:0]  corrected_send, corrected_receive, flip_send, flip_receive, link_flipped;
    wire [71:0]  flip;
    wire [4:0]   dma_error_engine;
    wire [26:0]  dma_error_address;
    wire [1:0]   set_setup, set_enable, set_store;
    wire [7:0]   set_input;
    wire [23:0]  set_outputs;
    wire [31:0]  set_limit, set_count;
    wire [1:0]   set_none;
    wire [11:0]  partition_links;
    wire [6:0]   present;

    // links
    wire [11:0]  enable, disable_link, obs_links, obs_link_registers;
    wire [11:0]  word_ready, take_valid, take, hold, early_start, early_byte, in_step;
    wire [767:0] take_data;
    wire [23:0]  early_parity;
    wire [95:0]  early_data, int_received;
    wire [11:0]  int_valid, int_void, int_done, int_arrived, through_start, accept;
    wire [7:0]   int_code;

    // words for links: from memory, or forwarded
    wire [11:0]  dma_word_valid, dma_word_ready, dma_take_valid, dma_take, dma_storing, dma_busy, new_session;
    wire [63:0]  dma_word;
    wire [23:0]  fwd_through, fwd_sure, fwd_word_valid, fwd_word_sent, fwd_blocked;
    wire [3:0]   fwd_parity;
    wire [15:0]  fwd_data;
    wire [1:0]   fwd_takeable, fwd_idle;
    wire         dma_idle, registers_idle, partition_idle;
    wire [63:0]  input_0 = take_data[64*set_input[3:0] +: 64];
    wire [63:0]  input_1 = take_data[64*set_input[7:4] +: 64];

    genvar i;
    generate
        for (i = 0; i < 12; i = i + 1) begin : g_link
            localparam [3:0] PORT = i;
            wire        retrain, held, outstanding, sup_valid, sup_done, sup_read;
            wire        timeout, retrains, peer, version, protocol, lost_in_memory;
            wire [1:0]  state;
            wire [3:0]  peer_port;
            wire [31:0] tx_checksum, rx_checksum;
            wire [63:0] sup_word, sup_received;
            wire        e_sent, e_retransmitted, e_accepted, e_refused, e_header, e_parity, e_marker, e_request,
                        e_burst, e_bad_ack, e_retrain, e_no_record;
            wire        unused = &{1'b0, e_no_record};

            // which set this link belongs to; the sets are disjoint
            wire        out_0  = set_enable[0] && set_outputs[i];
            wire        out_1  = set_enable[1] && set_outputs[12 + i];
            wire        in_0   = set_enable[0] && set_input[3:0] == PORT;
            wire        in_1   = set_enable[1] && set_input[7:4] == PORT;
            wire        fwd    = (out_0 && fwd_word_valid[i]) || (out_1 && fwd_word_valid[12 + i]);
            wire        kept   = (out_0 && fwd_blocked[i]) || (out_1 && fwd_blocked[12 + i]);
            wire        sent   = out_1 ? fwd_word_sent[12 + i] : fwd_word_sent[i];
            wire [63:0] fwd_word = out_1 ? input_1 : input_0;
            wire        through = (out_0 && fwd_through[i]) || (out_1 && fwd_through[12 + i]);
`ifdef HT_RESTING_LINKS
            wire        link_clk = clk && !link_rest[i];
            // it may be given edges late, so counts them itself; meanwhile the unit asks nothing of it
            reg  [2:0]  sim_place;
            wire        link_slot = sim_place == 3'd7;
            wire        behind    = sim_place != place_reg;
            always @(posedge link_clk)
                sim_place <= rst ? 3'd0 : sim_place + 3'd1;
            assign obs_rest[i] = LANES == 0 && obs_links[i] && obs_link_registers[i] && !active[i] && !active[12 + i] &&
                                 !dma_busy[i] && !dma_storing[i] && !dma_word_valid[i] && !take_valid[i] &&
                                 !out_0 && !out_1 && !in_0 && !in_1 && !int_valid[i] && !link_valid[i] &&
                                 !flip_send[i] && !flip_receive[i];
`else
            wire        link_clk = clk;
            wire        link_slot = slot;
            wire        behind    = 1'b0;
`endif

            // words of an input are taken when all outputs have them, by memory or, without it, by nobody
            wire        ready  = in_0 ? fwd_takeable[0] : in_1 ? fwd_takeable[1] : 1'b1;
            wire        drops  = (in_0 && !set_store[0]) || (in_1 && !set_store[1]);

            // the set whose word goes through now: its rest comes from there, whatever the registers say meanwhile
            reg         second_reg;
            always @(posedge clk)
                if (through_start[i])
                    second_reg <= out_1;

            assign dma_word_ready[i] = word_ready[i] && !fwd && !kept;
            assign dma_take_valid[i] = take_valid[i] && ready && !drops;
            // a set that came to be while memory is about to take the word does not take it away
            assign take[i]           = dma_take[i] || (drops && take_valid[i] && ready && !dma_storing[i]);
            assign hold[i]           = !active[12 + i] && !drops;
            assign link_up[i]        = state == 2'd2;
            assign sup_sending[i]    = sup_valid;
            assign obs_state[2*i +: 2] = state;
            assign obs_retransmit[i] = e_retransmitted;
            assign accept[i]         = e_accepted;

            qcdoc_link #(.MARKS(MARKS), .LANES(LANES), .CABLE_BITS(CABLE_BITS), .LOST_BYTES(LOST_BYTES)) link (
                .clk(link_clk), .rst(rst), .port(PORT), .slot(link_slot),
                .serial_out(serial_out[i]), .serial_in(serial_in[i]),
                .lane_data(lane_data[8*i +: 8]), .lane_control(lane_control[i]), .tx_pause(tx_pause[i]),
                .lane_rx_strobe(lane_rx_strobe[i]), .lane_rx_data(lane_rx_data[8*i +: 8]),
                .lane_rx_control(lane_rx_control[i]),
                .enable(enable[i]), .retrain(retrain), .new_session(new_session[i]),
                .train_timeout(train_timeout), .retrain_limit(retrain_limit), .state(state),
                .peer_port(peer_port), .held(held), .outstanding(outstanding),
                .disable_link(disable_link[i]), .error_timeout(timeout), .error_retrains(retrains),
                .error_peer(peer), .error_version(version), .error_protocol(protocol),
                .error_memory(lost_in_memory),
                .tx_checksum(tx_checksum), .rx_checksum(rx_checksum),
                .word_valid((fwd || (dma_word_valid[i] && !kept)) && !behind), .word_ready(word_ready[i]),
                .word(fwd ? fwd_word : dma_word), .word_sent(fwd && sent),
                .through_valid(through && !behind),
                .through_start(through_start[i]),
                .through_parity(out_1 ? fwd_parity[3:2] : fwd_parity[1:0]),
                .through_data(second_reg ? fwd_data[15:8] : fwd_data[7:0]),
                .through_sure((out_0 && fwd_sure[i]) || (out_1 && fwd_sure[12 + i])),
                .take_valid(take_valid[i]), .take_data(take_data[64*i +: 64]), .take(take[i] && !behind),
                .hold(hold[i] || behind),
                .early_start(early_start[i]), .early_parity(early_parity[2*i +: 2]), .early_byte(early_byte[i]),
                .early_data(early_data[8*i +: 8]), .in_step(in_step[i]),
                .sup_valid(sup_valid), .sup_word(sup_word), .sup_done(sup_done), .sup_arrived(sup_arrived[i]),
                .sup_received(sup_received), .sup_read(sup_read),
                .int_valid(int_valid[i] && !behind), .int_code(int_code & {1'b1, {7{!int_void[i]}}}),
                .int_done(int_done[i]),
                .int_arrived(int_arrived[i]), .int_received(int_received[8*i +: 8]),
                .event_sent(e_sent), .event_retransmitted(e_retransmitted), .event_accepted(e_accepted),
                .event_refused(e_refused), .event_header(e_header), .event_parity(e_parity),
                .event_marker(e_marker), .event_request(e_request), .event_burst(e_burst),
                .event_bad_ack(e_bad_ack), .event_retrain(e_retrain), .event_no_record(e_no_record),
                .event_corrected({corrected_receive[i], corrected_send[i]}),
                .flip(flip), .flip_send(flip_send[i]), .flip_receive(flip_receive[i]), .flipped(link_flipped[i]),
                .obs_idle(obs_links[i]), .obs_rx_start(obs_rx_start[i]), .obs_rx_ok(obs_rx_ok[i]),
                .obs_rx_error(obs_rx_error[i]));

            qcdoc_link_registers registers (
                .clk(link_clk), .rst(rst), .reg_valid(link_valid[i] && !behind), .reg_write(reg_write),
                .reg_address(reg_address[4:0]),
                .reg_wdata(reg_wdata), .reg_ack(link_ack[i]), .reg_rdata(link_rdata[32*i +: 32]),
                .unknown(link_unknown[i]),
                .read_only(link_read_only[i]), .busy(link_busy[i]),
                .enable(enable[i]), .retrain(retrain), .new_session(new_session[i]),
                .dma_busy(dma_busy[i]), .state(state),
                .held(held), .outstanding(outstanding), .peer_port(peer_port),
                .disable_link(disable_link[i]), .errors({lost_in_memory, protocol, version, peer, retrains, timeout}),
                .tx_checksum(tx_checksum), .rx_checksum(rx_checksum),
                .event_in({e_retrain, e_bad_ack, e_burst, e_request, e_marker, e_parity, e_header, e_refused,
                           e_accepted, e_retransmitted, e_sent}),
                .sup_valid(sup_valid), .sup_word(sup_word), .sup_done(sup_done), .sup_arrived(sup_arrived[i]),
                .sup_received(sup_received), .sup_read(sup_read),
                .attention(link_attention[i]), .obs_idle(obs_link_registers[i]));
        end

        for (i = 0; i < 2; i = i + 1) begin : g_set
            wire [3:0] input_link = set_input[4*i +: 4];
            qcdoc_forward forward (
                .clk(clk), .rst(rst), .slot(slot),
                .setup(set_setup[i]), .enable(set_enable[i]), .outputs(set_outputs[12*i +: 12]),
                .limit(set_limit[16*i +: 16]), .none(set_none[i]),
                .early_start(early_start[input_link]), .early_parity(early_parity[2*input_link +: 2]),
                .early_byte(early_byte[input_link]), .early_data(early_data[8*input_link +: 8]),
                .in_step(in_step[input_link]), .accept(accept[input_link]), .forget(new_session[input_link]),
                .take_valid(set_enable[i] && take_valid[input_link]), .take(take[input_link]),
                .takeable(fwd_takeable[i]),
                .through_valid(fwd_through[12*i +: 12]), .through_start(through_start),
                .through_parity(fwd_parity[2*i +: 2]), .through_data(fwd_data[8*i +: 8]),
                .through_sure(fwd_sure[12*i +: 12]),
                .word_valid(fwd_word_valid[12*i +: 12]), .word_sent(fwd_word_sent[12*i +: 12]),
                .word_ready(word_ready), .blocked(fwd_blocked[12*i +: 12]),
                .forwarded(set_count[16*i +: 16]), .obs_idle(fwd_idle[i]));
        end
    endgenerate

    qcdoc_dma #(.SLOT_BITS(SLOT_BITS)) dma (
        .clk(clk), .rst(rst), .memory_bytes(memory_bytes),
        .store(store), .store_engine(reg_address[10:6]), .store_slot(reg_address[2 +: SLOT_BITS]),
        .store_word(reg_address[1:0]), .store_data(reg_wdata),
        .start(start), .start_engines(reg_wdata[23:0]), .start_slot(reg_wdata[24 +: SLOT_BITS]), .stop(stop),
        .active(active), .done(done), .error(dma_error), .error_engine(dma_error_engine),
        .error_address(dma_error_address), .error_range(dma_error_range),
        .error_alignment(dma_error_alignment), .error_empty(dma_error_empty), .error_busy(dma_error_busy),
        .mem_valid(mem_valid), .mem_ready(mem_ready), .mem_write(mem_write), .mem_address(mem_address),
        .mem_wdata(mem_wdata), .mem_rvalid(mem_rvalid), .mem_rdata(mem_rdata),
        .word_valid(dma_word_valid), .word(dma_word), .word_ready(dma_word_ready),
        .take_valid(dma_take_valid), .take_data(take_data), .take(dma_take), .storing(dma_storing),
        .busy(dma_busy), .forget(new_session),
        .error_engine_memory(dma_error_engine_memory), .error_blocked(dma_error_blocked),
        .flip(flip), .flip_memory(flip_memory), .flipped(dma_flipped), .corrected(dma_corrected),
        .obs_idle(dma_idle));

    qcdoc_partition partition (
        .clk(clk), .rst(rst), .enable(window_enable), .log2_ticks(window_log2_ticks), .count(global_count),
        .links(partition_links), .up(link_up), .forget(new_session),
        .raise(raise), .raise_bits(reg_wdata[6:0]), .present(present), .clear(present_clear),
        .clear_bits(reg_wdata[6:0]), .late(late),
        .int_valid(int_valid), .int_code(int_code), .int_void(int_void), .int_done(int_done), .int_arrived(int_arrived),
        .int_received(int_received), .obs_idle(partition_idle));

    qcdoc_registers registers (
        .clk(clk), .rst(rst), .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address),
        .reg_wdata(reg_wdata), .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error), .irq(irq),
        .link_valid(link_valid), .link_ack(link_ack), .link_rdata(link_rdata), .link_unknown(link_unknown),
        .link_read_only(link_read_only), .link_busy(link_busy), .link_up(link_up),
        .link_attention(link_attention), .sup_arrived(sup_arrived), .sup_sending(sup_sending),
        .train_timeout(train_timeout), .retrain_limit(retrain_limit),
        .memory_bytes(memory_bytes), .store(store), .start(start), .stop(stop), .active(active), .done(done),
        .dma_error(dma_error), .dma_error_engine(dma_error_engine), .dma_error_address(dma_error_address),
        .dma_error_range(dma_error_range), .dma_error_alignment(dma_error_alignment),
        .dma_error_empty(dma_error_empty), .dma_error_busy(dma_error_busy),
        .dma_error_engine_memory(dma_error_engine_memory), .dma_error_blocked(dma_error_blocked),
        .corrected({dma_corrected, corrected_receive, corrected_send}),
        .flip(flip), .flip_memory(flip_memory), .flip_send(flip_send), .flip_receive(flip_receive),
        .flipped(dma_flipped != 5'd0 || link_flipped != 12'd0),
        .set_setup(set_setup), .set_enable(set_enable), .set_store(set_store), .set_input(set_input),
        .set_outputs(set_outputs), .set_limit(set_limit), .set_none(set_none), .set_count(set_count),
        .partition_links(partition_links), .raise(raise), .present(present), .present_clear(present_clear),
        .late(late), .window_enable(window_enable), .window_log2_ticks(window_log2_ticks), .obs_idle(registers_idle));

`ifdef HT_RESTING_LINKS
    assign obs_place  = place_reg;
`endif
    assign obs_accept = accept;
    assign obs_idle = obs_links == 12'hFFF && obs_link_registers == 12'hFFF && dma_idle && fwd_idle == 2'd3 &&
                      partition_idle && registers_idle;

    always @(posedge clk) begin
        place_reg <= place_reg + 3'd1;
        if (rst)
            place_reg <= 3'd0;
    end
endmodule
`default_nettype wire
