// SPDX-License-Identifier: Apache-2.0
// The QPACE network processor, as far as the torus network goes: six links between a posted-write
// port in, a posted-write port out and a register bus. [QPACE2009] sections 5 and 6, figure 4.
//
//   pw_in --> qpace_pw_in --tx--> 6 x qpace_link <==> cables
//   dcr   --> qpace_dcr   --reg-> 6 x qpace_link --rx--> qpace_pw_out --> pw_out
//                     \--> qpace_credits <--------------/
//
// Clocks: clk for the ports (the paper's target is 208.33 MHz), link_clk[i] for the wire of link i
// (250 MHz) or one for all of them, and a reset for each link. All crossings are inside qpace_link.
// Latency, first beat in to last beat out of the peer without a cable: README.md. Departures from the paper, all in
// README.md: a port of 16 bytes unless PORT_BYTES says 32, a credit engine shared by the links, the notification's
// form.
`default_nettype none
module qpace_nwp #(
    parameter TX_PACKETS  = 16,           // packets a transmit FIFO holds (2 KB)
    parameter RX_SLOTS    = 8,            // packets a channel can hold without a credit
    parameter PORT_BYTES  = 16,           // a beat of the posted-write ports: 16 bytes (3.33 GB/s) or 32
    parameter ACK_EVERY   = 3,            // packets an acknowledgement covers while the reverse direction is busy
    parameter LINK_CLOCKS = 6,            // clocks of the links: one for each, or 1 that serves all of them
    parameter LANES       = 0,            // serial lanes behind each link (rtl/lane); 0: none, tx_pause is ignored
    parameter STAGES      = 0             // 1, for FPGAs: more registers on the core side, README.md
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [LINK_CLOCKS-1:0] link_clk,
    input  wire [5:0]   link_rst,         // of link i, synchronous to its clock; with rst, or alone: see qpace_link

    // posted-write port in, host to network: a line is 8 beats of 16 bytes, or 4 of 32
    input  wire         pw_in_valid,
    output wire         pw_in_ready,
    input  wire [31:0]  pw_in_addr,       // of the line, at every beat; layout in qpace_pw_in
    input  wire [8*PORT_BYTES-1:0] pw_in_data,
    input  wire         pw_in_last,
    output wire [5:0]   pw_in_room,       // link i takes a whole line without a wait

    // posted-write port out, network to host memory
    output wire         pw_out_valid,
    input  wire         pw_out_ready,
    output wire [38:0]  pw_out_addr,      // byte address of this beat
    output wire [8*PORT_BYTES-1:0] pw_out_data,
    output wire         pw_out_last,      // last beat of a line, or a notification
    output wire         pw_out_notify,    // 16 bytes at pw_out_addr; of a beat of 32, both halves have them

    // register bus, word addresses
    input  wire         reg_valid,        // held until reg_ack
    input  wire         reg_write,
    input  wire [11:0]  reg_address,
    input  wire [31:0]  reg_wdata,
    output wire         reg_ack,          // a pulse
    output wire [31:0]  reg_rdata,
    output wire         reg_error,

    // link_clk[i]: the six wires, link i at [32*i +: 32] and [4*i +: 4]; 0:+x 1:-x 2:+y 3:-y 4:+z 5:-z
    input  wire [LINK_CLOCKS-1:0] link_beat,   // bit i changes every 1024 cycles of link_clk[i], synchronously
    output wire [191:0] xgmii_txd,
    output wire [23:0]  xgmii_txc,
    input  wire [191:0] xgmii_rxd,
    input  wire [23:0]  xgmii_rxc,
    input  wire [5:0]   tx_pause,         // of link i's lanes

    // clk: global signal tree, two wires each way, sampled at any phase; code in qpace_signal.vh
    output wire [1:0]   signal_out,
    input  wire [1:0]   signal_in,

    // clk: link i's PHY uses its redundant serial interface; constant but in DOWN
    output wire [5:0]   phy_select,

    output wire         irq,              // clk, level: a sticky error somewhere, or a global signal

    // serial ports and Ethernet (qpace_io), on clocks of their own: io_clk and eth_rx_clk may stand
    // still while nobody uses them
    input  wire         io_clk,
    /* verilator lint_off SYNCASYNCNET */   // eth_rx_clk's reset is made of it, asynchronously
    input  wire         io_rst,
    /* verilator lint_on SYNCASYNCNET */
    input  wire         eth_rx_clk,
    input  wire [1:0]   uart_rxd,
    output wire [1:0]   uart_txd,
    output wire [3:0]   rgmii_txd,
    output wire         rgmii_tx_ctl,
    input  wire [3:0]   rgmii_rxd,
    input  wire         rgmii_rx_ctl,
    output wire         mem_read_valid,   // Ethernet's port to host memory
    input  wire         mem_read_ready,
    output wire [31:0]  mem_read_line,
    input  wire         mem_data_valid,
    input  wire [127:0] mem_data,
    output wire         mem_write_valid,
    input  wire         mem_write_ready,
    output wire [34:0]  mem_write_word,
    output wire [127:0] mem_write_data,
    output wire         mem_write_last,
    output wire [2:0]   io_irq,           // io_clk, level: serial port 0, 1, Ethernet

    // observation; link_clk[i], one bit a link, but obs_idle
    output wire         obs_idle,         // with idle inputs nothing in the node will change
    output wire [5:0]   obs_rx_start,
    output wire [5:0]   obs_rx_ok,
    output wire [5:0]   obs_rx_command,
    output wire [5:0]   obs_rx_error,
    output wire [5:0]   obs_retransmit,   // for damage
    output wire [5:0]   obs_replay,       // for lack of room
    output wire [5:0]   obs_accept,
    output wire [23:0]  obs_state,        // 4 bits a link
    output wire         obs_io_idle,      // the same of qpace_io, when its clocks turn
    output wire         obs_eth_rx_start, // eth_rx_clk; qpace_gmac_rx
    output wire         obs_eth_rx_ok,
    output wire         obs_eth_rx_error
);
    initial
        if ((RX_SLOTS != 2 && RX_SLOTS != 4 && RX_SLOTS != 8 && RX_SLOTS != 16)
            || (LINK_CLOCKS != 1 && LINK_CLOCKS != 6) || (PORT_BYTES != 16 && PORT_BYTES != 32)
            || (STAGES != 0 && STAGES != 1)) begin
            $display("qpace_nwp: RX_SLOTS is 2, 4, 8 or 16, LINK_CLOCKS 1 or 6, PORT_BYTES 16 or 32, STAGES 0 or 1");
            $finish;
        end

    localparam        BEAT_BITS = PORT_BYTES == 32 ? 2 : 3;
    localparam [3:0]  SLOTS   = RX_SLOTS[3:0];   // 0: 16
    localparam [1:0]  WIDE    = PORT_BYTES == 32 ? 2'd1 : 2'd0;
    localparam [31:0] VERSION = {SLOTS, 4'd6, 4'd0, 4'd8, 4'd4, 2'd0, WIDE, 8'd3};

    // posted writes to the links
    wire [5:0]   tx_valid, tx_ready;
    wire         tx_first, tx_void;
    wire [2:0]   tx_vc;
    wire [14:0]  tx_offset;
    wire         pw_error, pw_unaligned, pw_bad_link, pw_bad_address, pw_short, pw_long;
    wire [31:0]  pw_info;
    // as qpace_pw_in has it; with STAGES the links have it from a register_slice
    wire [5:0]   line_valid, line_ready;
    wire         line_first, line_void;
    wire [2:0]   line_vc;
    wire [14:0]  line_remote;
    wire [8*PORT_BYTES-1:0] tx_data;
    wire         slice_idle;

    qpace_pw_in #(.BEAT_BITS(BEAT_BITS)) pw_in (
        .clk(clk), .rst(rst),
        .pw_in_valid(pw_in_valid), .pw_in_ready(pw_in_ready), .pw_in_addr(pw_in_addr),
        .pw_in_last(pw_in_last),
        .tx_valid(line_valid), .tx_ready(line_ready), .tx_first(line_first), .tx_vc(line_vc),
        .tx_offset(line_remote), .tx_void(line_void),
        .error(pw_error), .error_unaligned(pw_unaligned), .error_link(pw_bad_link),
        .error_address(pw_bad_address), .error_short(pw_short), .error_long(pw_long),
        .error_info(pw_info));

    generate
        if (STAGES == 0) begin : g_tx_direct
            assign {tx_valid, tx_first, tx_void, tx_vc} = {line_valid, line_first, line_void, line_vc};
            assign {tx_offset, tx_data, line_ready, slice_idle} = {line_remote, pw_in_data, tx_ready, 1'b1};
        end else begin : g_tx_slice
            wire       valid, ready;
            wire [5:0] link;
            wire [25+8*PORT_BYTES:0] spare;
            wire       unused_spare = &{1'b0, spare};
            register_slice #(.WIDTH(26 + 8*PORT_BYTES)) u_slice (
                .clk(clk), .rst(rst), .in_valid(|line_valid), .in_ready(ready),
                .in_data({line_valid, line_first, line_void, line_vc, line_remote, pw_in_data}),
                .out_valid(valid), .out_ready(|(link & tx_ready)),
                .out_data({link, tx_first, tx_void, tx_vc, tx_offset, tx_data}), .spare(spare));
            assign line_ready = {6{ready}};
            assign tx_valid   = link & {6{valid}};
            assign slice_idle = !valid;
        end
    endgenerate

    // the links
    wire [47:0]  rx_waiting;
    wire [17:0]  rx_vc;
    wire [BEAT_BITS-1:0] rx_beat;
    wire [48*PORT_BYTES-1:0] rx_data;
    wire [89:0]  rx_offset;
    wire [5:0]   rx_mute, rx_pop;
    wire [5:0]   link_up, link_down, link_attention, link_idle;

    // blocks on the register bus: qpace_dcr says how one is attached, and their order
    localparam          BLOCKS   = 9;
    localparam [8:0]    ATTACHED = 9'h1FF;
    wire [BLOCKS-1:0]    block_valid, block_write, block_ack, block_error, block_stuck;
    wire [32*BLOCKS-1:0] block_rdata;

    genvar i;
    generate
        for (i = 0; i < 6; i = i + 1) begin : g_link
            localparam [2:0] PORT  = i;
            localparam       CLOCK = LINK_CLOCKS == 1 ? 0 : i;
            qpace_link #(.TX_PACKETS(TX_PACKETS), .RX_SLOTS(RX_SLOTS), .PORT_BYTES(PORT_BYTES), .ACK_EVERY(ACK_EVERY),
                         .LANES(LANES), .STAGES(STAGES))
            link (
                .clk(clk), .rst(rst), .link_clk(link_clk[CLOCK]), .link_rst(link_rst[i]), .beat(link_beat[CLOCK]),
                .port(PORT),
                .tx_valid(tx_valid[i]), .tx_ready(tx_ready[i]), .tx_data(tx_data),
                .tx_first(tx_first), .tx_vc(tx_vc), .tx_offset(tx_offset),
                .tx_void(tx_void), .tx_room(pw_in_room[i]),
                .rx_waiting(rx_waiting[8*i +: 8]), .rx_vc(rx_vc[3*i +: 3]), .rx_beat(rx_beat),
                .rx_data(rx_data[8*PORT_BYTES*i +: 8*PORT_BYTES]), .rx_offset(rx_offset[15*i +: 15]),
                .rx_mute(rx_mute[i]), .rx_pop(rx_pop[i]),
                .reg_valid(block_valid[i]), .reg_write(block_write[i]), .reg_address(reg_address[5:0]),
                .reg_wdata(reg_wdata), .reg_ack(block_ack[i]), .reg_rdata(block_rdata[32*i +: 32]),
                .reg_error(block_error[i]), .link_up(link_up[i]), .link_down(link_down[i]),
                .link_attention(link_attention[i]),
                .xgmii_txd(xgmii_txd[32*i +: 32]), .xgmii_txc(xgmii_txc[4*i +: 4]),
                .xgmii_rxd(xgmii_rxd[32*i +: 32]), .xgmii_rxc(xgmii_rxc[4*i +: 4]), .tx_pause(tx_pause[i]),
                .obs_idle(link_idle[i]), .obs_rx_start(obs_rx_start[i]), .obs_rx_ok(obs_rx_ok[i]),
                .obs_rx_command(obs_rx_command[i]), .obs_rx_error(obs_rx_error[i]),
                .obs_retransmit(obs_retransmit[i]), .obs_replay(obs_replay[i]), .obs_accept(obs_accept[i]),
                .obs_state(obs_state[4*i +: 4]));
        end
    endgenerate

    // global signals, and which interface each link uses
    wire         signals_irq, signals_idle, interfaces_idle;

    qpace_signals signals (
        .clk(clk), .rst(rst),
        .reg_valid(block_valid[6]), .reg_write(block_write[6]), .reg_address(reg_address[3:0]), .reg_wdata(reg_wdata),
        .reg_ack(block_ack[6]), .reg_rdata(block_rdata[223:192]), .reg_error(block_error[6]),
        .signal_out(signal_out), .signal_in(signal_in), .irq(signals_irq), .obs_idle(signals_idle));

    qpace_interfaces interfaces (
        .clk(clk), .rst(rst),
        .reg_valid(block_valid[7]), .reg_write(block_write[7]), .reg_address(reg_address[3:0]), .reg_wdata(reg_wdata),
        .reg_ack(block_ack[7]), .reg_rdata(block_rdata[255:224]), .reg_error(block_error[7]),
        .link_down(link_down), .phy_select(phy_select), .obs_idle(interfaces_idle));

    // credits and the way to memory
    wire         credit_valid, credit_ack, credit_full, credit_size, credit_no_base, credit_range, credit_overlap;
    wire [2:0]   credit_word;
    wire [5:0]   credit_channel, cancel_channel;
    wire         cancel, cancel_active, line_cancelled;
    wire [31:0]  credit_rdata;
    wire [47:0]  credit;
    wire [5:0]   head_channel, line_channel;
    wire [31:0]  head_destination, line_count;
    wire         line_completes, line_done, line_last, line_outside, outside;
    wire [14:0]  line_offset;
    wire [31:0]  outside_info;
    wire         notify_enable;
    wire [31:0]  notify_base;
    wire         credits_idle, pw_out_idle, dcr_idle, dcr_irq;

    qpace_credits #(.STAGES(STAGES)) credits (
        .clk(clk), .rst(rst),
        .reg_valid(credit_valid), .reg_write(reg_write), .word(credit_word), .channel(credit_channel),
        .reg_wdata(reg_wdata), .waiting(rx_waiting), .reg_ack(credit_ack), .reg_rdata(credit_rdata),
        .error_full(credit_full), .error_size(credit_size), .error_no_base(credit_no_base),
        .error_range(credit_range), .error_overlap(credit_overlap),
        .credit(credit), .head_channel(head_channel), .head_destination(head_destination),
        .line_channel(line_channel), .line_completes(line_completes), .line_count(line_count),
        .line_offset(line_offset), .line_outside(line_outside),
        .line_done(line_done), .line_last(line_last), .line_cancelled(line_cancelled),
        .cancel(cancel), .cancel_channel(cancel_channel), .cancel_active(cancel_active),
        .obs_idle(credits_idle));

    qpace_pw_out #(.BEAT_BITS(BEAT_BITS), .STAGES(STAGES)) pw_out (
        .clk(clk), .rst(rst),
        .rx_waiting(rx_waiting), .rx_vc(rx_vc), .rx_beat(rx_beat), .rx_data(rx_data),
        .rx_offset(rx_offset), .rx_mute(rx_mute), .rx_pop(rx_pop),
        .credit(credit), .head_channel(head_channel), .head_destination(head_destination),
        .line_channel(line_channel), .line_completes(line_completes), .line_count(line_count),
        .line_offset(line_offset), .line_outside(line_outside), .outside(outside), .outside_info(outside_info),
        .line_done(line_done), .line_last(line_last),
        .cancel(cancel), .cancel_channel(cancel_channel), .cancel_active(cancel_active),
        .line_cancelled(line_cancelled),
        .notify_enable(notify_enable), .notify_base(notify_base),
        .pw_out_valid(pw_out_valid), .pw_out_ready(pw_out_ready), .pw_out_addr(pw_out_addr),
        .pw_out_data(pw_out_data), .pw_out_last(pw_out_last), .pw_out_notify(pw_out_notify),
        .obs_idle(pw_out_idle));

    // serial ports and Ethernet
    wire unused_stuck = &{1'b0, block_stuck[7:0]};   // their reads have no effects

    qpace_io io (
        .clk(clk), .rst(rst), .reg_valid(block_valid[8]), .reg_write(block_write[8]), .reg_address(reg_address[6:0]),
        .reg_wdata(reg_wdata), .reg_cancel(block_stuck[8]),
        .reg_ack(block_ack[8]), .reg_rdata(block_rdata[287:256]), .reg_error(block_error[8]),
        .io_clk(io_clk), .io_rst(io_rst), .eth_rx_clk(eth_rx_clk),
        .uart_rxd(uart_rxd), .uart_txd(uart_txd),
        .rgmii_txd(rgmii_txd), .rgmii_tx_ctl(rgmii_tx_ctl),
        .rgmii_rxd(rgmii_rxd), .rgmii_rx_ctl(rgmii_rx_ctl),
        .mem_read_valid(mem_read_valid), .mem_read_ready(mem_read_ready),
        .mem_read_line(mem_read_line), .mem_data_valid(mem_data_valid), .mem_data(mem_data),
        .mem_write_valid(mem_write_valid), .mem_write_ready(mem_write_ready),
        .mem_write_word(mem_write_word), .mem_write_data(mem_write_data),
        .mem_write_last(mem_write_last), .irq(io_irq),
        .obs_eth_rx_start(obs_eth_rx_start), .obs_eth_rx_ok(obs_eth_rx_ok),
        .obs_eth_rx_error(obs_eth_rx_error), .obs_idle(obs_io_idle));

    qpace_dcr #(.VERSION(VERSION), .BLOCKS(BLOCKS), .ATTACHED(ATTACHED), .STAGES(STAGES)) dcr (
        .clk(clk), .rst(rst),
        .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error),
        .credit_valid(credit_valid), .credit_ack(credit_ack), .credit_rdata(credit_rdata),
        .credit_word(credit_word), .credit_channel(credit_channel),
        .credit_full(credit_full), .credit_size(credit_size), .credit_no_base(credit_no_base),
        .credit_range(credit_range), .credit_overlap(credit_overlap),
        .block_valid(block_valid), .block_write(block_write), .block_ack(block_ack), .block_rdata(block_rdata),
        .block_error(block_error), .block_stuck(block_stuck),
        .link_up(link_up), .link_attention(link_attention),
        .pw_error(pw_error), .pw_unaligned(pw_unaligned), .pw_bad_link(pw_bad_link),
        .pw_bad_address(pw_bad_address), .pw_short(pw_short), .pw_long(pw_long), .pw_info(pw_info),
        .outside(outside), .outside_info(outside_info),
        .notify_enable(notify_enable), .notify_base(notify_base), .irq(dcr_irq), .obs_idle(dcr_idle));

    assign irq      = dcr_irq || signals_irq;
    assign obs_idle = dcr_idle && signals_idle && interfaces_idle && credits_idle && pw_out_idle && link_idle == 6'h3F
                      && slice_idle;
endmodule
`default_nettype wire
