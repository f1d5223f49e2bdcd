// SPDX-License-Identifier: Apache-2.0
// The Gigabit Ethernet interface of [QPACE2009] section 5: MAC, DMA with rings of descriptors in host
// memory, registers (gmac_registers.toml). The paper's MAC is a hard core of the FPGA; this one is logic.
//
//   rings --> tx_dma --> buffer 4 KB --> qpace_gmac_tx --> RGMII     clk, 250 MHz
//   rings --> rx_dma <-- buffer 4 KB <-- qpace_gmac_rx <-- RGMII     rx_clk, 250 MHz, the PHY's
//
// It has a memory port of its own: the posted-write port cannot read, and carries the torus. Lines of
// 128 B are read (eight beats each, in order, up to eight lines asked for at a time), words of 16 B
// are written. Protocol of the register side as in qpace_uart.
`default_nettype none
`include "qpace_gmac_regs.vh"
module qpace_gmac (
    input  wire         clk,
    input  wire         rst,
    input  wire         rx_clk,
    input  wire         rx_rst,

    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [5:0]   reg_address,
    input  wire [31:0]  reg_wdata,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,

    output wire         mem_read_valid,
    input  wire         mem_read_ready,
    output wire [31:0]  mem_read_line,      // units of 128 B
    input  wire         mem_data_valid,
    input  wire [127:0] mem_data,
    output wire         mem_write_valid,
    input  wire         mem_write_ready,
    output wire [34:0]  mem_write_word,     // units of 16 B
    output wire [127:0] mem_write_data,
    output wire         mem_write_last,     // a descriptor: a frame is complete

    output wire [3:0]   rgmii_txd,
    output wire         rgmii_tx_ctl,
    input  wire [3:0]   rgmii_rxd,          // rx_clk
    input  wire         rgmii_rx_ctl,

    output wire         irq,
    output wire         obs_rx_start,       // rx_clk; qpace_gmac_rx
    output wire         obs_rx_ok,
    output wire         obs_rx_error,
    output wire         obs_idle
);
    // registers
    reg  [3:0]  control;
    reg  [4:0]  error;
    reg  [2:0]  enable;
    reg  [1:0]  cause;
    reg  [47:0] address;
    reg  [13:0] max_frame;

    wire        store    = reg_valid && reg_write && !reg_error;
    wire [4:0]  clear    = store && reg_address == `QPACE_GMAC_ERROR ? reg_wdata[4:0] : 5'd0;
    wire        tx_retry = clear[`QPACE_GMAC_ERROR_TX_OWNER];
    wire        rx_retry = clear[`QPACE_GMAC_ERROR_RX_OWNER];

    // transmit
    wire [31:0]  tx_base, tx_address, tx_ring_line, tx_line;
    wire [13:0]  tx_length;
    wire [11:0]  tx_tail, tx_mask, tx_done;
    wire [3:0]   tx_size;
    wire         tx_owner, tx_valid, tx_next, tx_ring_idle, tx_idle, tx_length_error, tx_underrun;
    wire         tx_ring_fetch, tx_fetch, tx_back, tx_back_bad;
    wire         taken_tx_ring, taken_rx_ring, taken_tx, beat_tx_ring, beat_rx_ring, beat_tx;
    // A ring moves only where nothing of it is under way: else frames of the old one would be given back, or written,
    // in the new one.
    wire         tx_busy    = !tx_idle || !tx_ring_idle;
    wire         rx_busy    = !rx_idle || !rx_ring_idle || rx_written_io != rx_taken;
    wire         tx_restart = store && reg_address == `QPACE_GMAC_TX_BASE;
    wire         rx_restart = store && reg_address == `QPACE_GMAC_RX_BASE;
    wire         tx_given_back, rx_taken_word;

    qpace_gmac_ring tx_ring (
        .clk(clk), .rst(rst), .enable(control[`QPACE_GMAC_CONTROL_TX_ENABLE]),
        .set_base(tx_restart),
        .set_size(store && reg_address == `QPACE_GMAC_TX_SIZE),
        .set_tail(store && reg_address == `QPACE_GMAC_TX_TAIL), .reg_wdata(reg_wdata),
        .base(tx_base), .size(tx_size), .tail(tx_tail), .mask(tx_mask),
        .owner_error(tx_owner), .retry(tx_retry),
        .fetch(tx_ring_fetch), .fetch_line(tx_ring_line), .fetch_taken(taken_tx_ring),
        .fetch_valid(beat_tx_ring), .fetch_data(mem_data[63:0]),
        .valid(tx_valid), .address(tx_address), .length(tx_length), .next(tx_next),
        /* verilator lint_off PINCONNECTEMPTY */
        .head(),
        /* verilator lint_on PINCONNECTEMPTY */
        .obs_idle(tx_ring_idle));

    qpace_gmac_tx_dma tx (
        .clk(clk), .rst(rst), .max_frame(max_frame),
        .ring_valid(tx_valid), .ring_address(tx_address), .ring_length(tx_length),
        .ring_next(tx_next), .length_error(tx_length_error),
        .fetch(tx_fetch), .fetch_line(tx_line), .fetch_taken(taken_tx), .fetch_valid(beat_tx),
        .fetch_data(mem_data), .restart(tx_restart), .mask(tx_mask), .done_index(tx_done),
        .give_back(tx_back), .give_back_bad(tx_back_bad), .given_back(tx_given_back),
        .rgmii_txd(rgmii_txd), .rgmii_tx_ctl(rgmii_tx_ctl), .underrun(tx_underrun),
        .obs_idle(tx_idle));

    // receive
    wire         rx_enable, rx_wr, rx_missed, missed, rx_mac_idle;
    wire [128:0] rx_wr_data, rx_word;
    wire [8:0]   rx_written, rx_written_io, rx_taken, rx_taken_rx;
    wire [8:0]   rx_room = 9'd256 - (rx_written - rx_taken_rx) - {8'd0, rx_wr};
    wire         rx_read;
    wire [31:0]  rx_base, rx_address, rx_ring_line;
    wire [11:0]  rx_head, rx_tail, rx_mask;
    wire [3:0]   rx_size;
    wire         rx_owner, rx_valid, rx_next, rx_ring_idle, rx_idle, rx_ring_fetch;
    wire         rx_write, rx_write_back;
    wire [34:0]  rx_write_word;
    wire         rx_event, rx_good, rx_fcs, rx_runt, rx_oversize, rx_overrun, rx_filtered;

    cdc_bits #(.WIDTH(1)) enable_sync (
        .clk(rx_clk), .rst(rx_rst), .src(control[`QPACE_GMAC_CONTROL_RX_ENABLE]), .dst(rx_enable));

    qpace_gmac_rx rx_mac (
        .clk(rx_clk), .rst(rx_rst), .enable(rx_enable),
        .rgmii_rxd(rgmii_rxd), .rgmii_rx_ctl(rgmii_rx_ctl),
        .wr(rx_wr), .wr_data(rx_wr_data), .room_word(rx_room > 9'd1), .room_trailer(rx_room != 9'd0),
        .missed(rx_missed), .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok), .obs_rx_error(obs_rx_error),
        .obs_idle(rx_mac_idle));

    ram_dual_clock #(.WIDTH(129), .ADDRESS_BITS(8)) rx_buffer (
        .wr_clk(rx_clk), .wr_en(rx_wr), .wr_address(rx_written[7:0]), .wr_data(rx_wr_data),
        .rd_clk(clk), .rd_en(rx_read), .rd_clear(1'b0), .rd_address(rx_taken[7:0]), .rd_data(rx_word));

    cdc_counter #(.WIDTH(9)) rx_written_count (
        .src_clk(rx_clk), .src_rst(rx_rst), .src_step(rx_wr), .src_count(rx_written),
        .dst_clk(clk), .dst_rst(rst), .dst_count(rx_written_io));

    cdc_counter #(.WIDTH(9)) rx_taken_count (
        .src_clk(clk), .src_rst(rst), .src_step(rx_read), .src_count(rx_taken),
        .dst_clk(rx_clk), .dst_rst(rx_rst), .dst_count(rx_taken_rx));

    cdc_pulse missed_sync (
        .src_clk(rx_clk), .src_rst(rx_rst), .src_pulse(rx_missed),
        .dst_clk(clk), .dst_rst(rst), .dst_pulse(missed));

    qpace_gmac_ring rx_ring (
        .clk(clk), .rst(rst), .enable(control[`QPACE_GMAC_CONTROL_RX_ENABLE]),
        .set_base(rx_restart),
        .set_size(store && reg_address == `QPACE_GMAC_RX_SIZE),
        .set_tail(store && reg_address == `QPACE_GMAC_RX_TAIL), .reg_wdata(reg_wdata),
        .base(rx_base), .size(rx_size), .tail(rx_tail), .mask(rx_mask),
        /* verilator lint_off PINCONNECTEMPTY */
        .length(),
        /* verilator lint_on PINCONNECTEMPTY */
        .owner_error(rx_owner), .retry(rx_retry),
        .fetch(rx_ring_fetch), .fetch_line(rx_ring_line), .fetch_taken(taken_rx_ring),
        .fetch_valid(beat_rx_ring), .fetch_data(mem_data[63:0]),
        .valid(rx_valid), .address(rx_address), .next(rx_next), .head(rx_head),
        .obs_idle(rx_ring_idle));

    qpace_gmac_rx_dma rx (
        .clk(clk), .rst(rst), .enable(control[`QPACE_GMAC_CONTROL_RX_ENABLE]),
        .promiscuous(control[`QPACE_GMAC_CONTROL_PROMISCUOUS]),
        .multicast(control[`QPACE_GMAC_CONTROL_MULTICAST]), .address(address), .max_frame(max_frame),
        .available(rx_written_io != rx_taken), .read(rx_read), .read_data(rx_word),
        .ring_valid(rx_valid), .ring_address(rx_address), .ring_next(rx_next),
        .write(rx_write), .write_back(rx_write_back), .write_word(rx_write_word),
        .write_taken(rx_taken_word),
        .event_valid(rx_event), .event_good(rx_good), .event_fcs(rx_fcs), .event_runt(rx_runt),
        .event_oversize(rx_oversize), .event_overrun(rx_overrun), .event_filtered(rx_filtered), .obs_idle(rx_idle));

    // memory; of a received frame's descriptor only bits 63:32 say anything, so the rest may be what it is
    wire         memory_idle;

    qpace_gmac_memory memory (
        .clk(clk), .rst(rst),
        .rx_ring_fetch(rx_ring_fetch), .rx_ring_line(rx_ring_line),
        .rx_ring_taken(taken_rx_ring), .rx_ring_beat(beat_rx_ring),
        .tx_ring_fetch(tx_ring_fetch), .tx_ring_line(tx_ring_line),
        .tx_ring_taken(taken_tx_ring), .tx_ring_beat(beat_tx_ring),
        .tx_fetch(tx_fetch), .tx_line(tx_line), .tx_taken(taken_tx), .tx_beat(beat_tx),
        .tx_back(tx_back), .tx_back_word({tx_base, 3'd0} + {23'd0, tx_done}), .tx_back_bad(tx_back_bad),
        .tx_back_taken(tx_given_back),
        .rx_write(rx_write), .rx_write_last(rx_write_back), .rx_write_data(rx_word[127:0]),
        .rx_write_word(rx_write_back ? {rx_base, 3'd0} + {23'd0, rx_head} : rx_write_word),
        .rx_write_taken(rx_taken_word),
        .mem_read_valid(mem_read_valid), .mem_read_ready(mem_read_ready), .mem_read_line(mem_read_line),
        .mem_data_valid(mem_data_valid), .mem_write_valid(mem_write_valid), .mem_write_ready(mem_write_ready),
        .mem_write_word(mem_write_word), .mem_write_data(mem_write_data), .mem_write_last(mem_write_last),
        .obs_idle(memory_idle));

    // counters; their numbers are those of the registers
    reg  [3:0]  rx_counter;
    wire [31:0] count;
    wire        counting;

    always @* begin
        rx_counter = 4'h8;
        if (rx_good)     rx_counter = 4'h2;
        if (rx_fcs)      rx_counter = 4'h3;
        if (rx_runt)     rx_counter = 4'h4;
        if (rx_oversize) rx_counter = 4'h5;
        if (rx_overrun)  rx_counter = 4'h6;
        if (rx_filtered) rx_counter = 4'h7;
    end

    qpace_gmac_counters counters (
        .clk(clk), .rst(rst),
        .a_event(tx_given_back), .a_counter({3'd0, tx_back_bad}),
        .b_event(rx_event), .b_counter(rx_counter),
        .c_event(missed), .c_counter(4'h6),
        .read_counter(reg_address[3:0]), .read_value(count), .busy(counting));

    wire [4:0]  error_new = {rx_owner, (rx_event && rx_overrun) || missed, tx_owner, tx_length_error, tx_underrun};
    wire        size_bad  = reg_wdata < `QPACE_GMAC_MIN_RING_LOG2 || reg_wdata > `QPACE_GMAC_MAX_RING_LOG2;

    assign irq      = ({error != 5'd0, cause} & enable) != 3'd0;
    assign obs_idle = tx_ring_idle && tx_idle && rx_ring_idle && rx_idle && rx_mac_idle && !counting
                      && memory_idle && rx_written_io == rx_taken && rx_written == rx_taken_rx
                      && rx_written == rx_written_io && !missed;

    // writable, but not now, or not this
    reg         unfit;
    always @* begin
        case (reg_address)
            `QPACE_GMAC_MAX_FRAME: unfit = reg_wdata < `QPACE_GMAC_MAX_FRAME_MIN ||
                                           reg_wdata > `QPACE_GMAC_MAX_FRAME_MAX;
            `QPACE_GMAC_TX_BASE:   unfit = tx_busy;
            `QPACE_GMAC_TX_SIZE:   unfit = size_bad || tx_busy;
            `QPACE_GMAC_TX_TAIL:   unfit = (reg_wdata & ~{20'd0, tx_mask}) != 32'd0;
            `QPACE_GMAC_RX_BASE:   unfit = rx_busy;
            `QPACE_GMAC_RX_SIZE:   unfit = size_bad || rx_busy;
            `QPACE_GMAC_RX_TAIL:   unfit = (reg_wdata & ~{20'd0, rx_mask}) != 32'd0;
            default:               unfit = 1'b0;
        endcase
    end

    wire        known, writable;
    assign reg_error = !known || (reg_write && (!writable || unfit));
    qpace_gmac_reads u_reads (
        .address(reg_address),
        .control_tx_enable(control[`QPACE_GMAC_CONTROL_TX_ENABLE]),
        .control_rx_enable(control[`QPACE_GMAC_CONTROL_RX_ENABLE]),
        .control_promiscuous(control[`QPACE_GMAC_CONTROL_PROMISCUOUS]),
        .control_multicast(control[`QPACE_GMAC_CONTROL_MULTICAST]),
        .status_tx_busy(tx_busy || mem_write_valid), .status_rx_busy(rx_busy || mem_write_valid), .error(error),
        .interrupt_enable_tx_done(enable[`QPACE_GMAC_INTERRUPT_ENABLE_TX_DONE]),
        .interrupt_enable_rx_done(enable[`QPACE_GMAC_INTERRUPT_ENABLE_RX_DONE]),
        .interrupt_enable_error(enable[`QPACE_GMAC_INTERRUPT_ENABLE_ERROR]),
        .interrupt_bits(cause), .address_low(address[31:0]), .address_high_bytes(address[47:32]),
        .max_frame_bytes(max_frame),
        .tx_base(tx_base), .tx_size_log2(tx_size), .tx_head_index(tx_done), .tx_tail_index(tx_tail),
        .rx_base(rx_base), .rx_size_log2(rx_size), .rx_head_index(rx_head), .rx_tail_index(rx_tail),
        .stored(count),
        .value(reg_rdata), .known(known), .writable(writable));

    always @(posedge clk) begin
        error <= (error & ~clear) | error_new;
        cause <= (cause & ~(store && reg_address == `QPACE_GMAC_INTERRUPT ? reg_wdata[1:0] : 2'd0))
                 | {rx_taken_word && rx_write_back, tx_given_back};
        if (store)
            case (reg_address)
                `QPACE_GMAC_CONTROL:          control        <= reg_wdata[3:0];
                `QPACE_GMAC_INTERRUPT_ENABLE: enable         <= reg_wdata[2:0];
                `QPACE_GMAC_ADDRESS_LOW:      address[31:0]  <= reg_wdata;
                `QPACE_GMAC_ADDRESS_HIGH:     address[47:32] <= reg_wdata[`QPACE_GMAC_ADDRESS_HIGH_BYTES];
                `QPACE_GMAC_MAX_FRAME:        max_frame      <= reg_wdata[`QPACE_GMAC_MAX_FRAME_BYTES];
                default: ;
            endcase

        if (rst) begin
            control     <= 4'd0;
            error       <= 5'd0;
            enable      <= 3'd0;
            cause       <= 2'd0;
            address     <= 48'd0;
            max_frame   <= `QPACE_GMAC_MAX_FRAME_BYTES_RESET;
        end
    end
endmodule
`default_nettype wire
