// SPDX-License-Identifier: Apache-2.0
// What a board does that tests cables of QPACE links: a whole qpace_nwp, its link 0 (+x) on serial lanes (rtl/lane) to
// a transceiver or to pins, its other links each looped to itself, behind one serial line. Packets on all channels of
// each link, a checker of what is written to memory, a damager of bits. A board's top adds clocks and a transceiver,
// and nothing else. Not in the paper.
//
//   rxd, txd <--> board_line --+--> end A: link 0, B to F: links 1 to 5     0x40, 0x50 .. 0x90: 13 registers each
//                              +--> a register of the node                  0xC0 its address, 0xC1 its value
//                              +--> crossing --> signals of end A, captured 0xE0: 16 registers (signal_capture)
//
//   qpace_traffic --> pw_in  +-----------+  link 0 --> lane_bundle --> bit flipped --> phy_tx
//       compares  <-- pw_out | qpace_nwp |         <-- lane_bundle <------------------ phy_rx
//   credits, ends --> reg    +-----------+  link i --> bit flipped --> link i
//
// After reset every channel gets its place in memory and two credits, and another one whenever one is used up. An
// address without a register is answered by an error.
//
// LEDs: {clock, out of reset, a wrong packet came (latched), something was damaged in A's cable (blinking), good
// packets come on A, on others (blinking), A is UP, all others are UP}.
`default_nettype none
`include "qpace_nwp_regs.vh"
`include "qpace_link_regs.vh"
`include "qpace_tester_regs.vh"
`include "qpace_probe.vh"
module qpace_node_tester #(
    parameter [31:0] IDENTITY    = 32'd0,      // of the board
    parameter [31:0] SOURCE_HASH = 32'd0,      // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd50,     // of clk
    parameter        LANES       = 4           // 1, 2 or 4
) (
    input  wire        clk,                    // 16 bytes a cycle; links wait where six of them bring more
    input  wire        rst,                    // four cycles of link_clk, or more
    input  wire        rxd,
    output wire        txd,

    input  wire        link_clk,               // a word of 4 bytes a cycle
    output reg  [39:0] phy_tx,                 // as lane_bundle has them; link_clk
    input  wire [LANES-1:0] rx_clk,
    input  wire [LANES-1:0] phy_rx_valid,
    input  wire [39:0] phy_rx,
    input  wire [LANES-1:0] phy_rx_signal,

    output reg  [7:0]  led
);
    localparam [31:0] CREDIT = 32'd1024;       // packets
    localparam [11:0] LINKS  = 12'h400;        // where the node has its links' registers, 40 each
    localparam [2:0]  READY = 3'd0, HOST = 3'd1, POST = 3'd2, BEGIN = 3'd3;

    // ---- the host's requests
    wire        asked, write, ack, error;
    wire [7:0]  address;
    wire [31:0] wdata, rdata;
    board_line #(.IDENTITY(IDENTITY), .SOURCE_HASH(SOURCE_HASH), .BAUD_CYCLES(BAUD_CYCLES)) host (
        .clk(clk), .rst(rst), .rxd(rxd), .txd(txd), .valid(asked), .write(write), .address(address), .wdata(wdata),
        .ack(ack), .rdata(rdata), .error(error));

    wire [3:0]  block    = address[7:4] - 4'd4;             // an end's number
    wire        for_end  = block < 4'd6;
    wire        for_node = address[7:1] == 7'h60;           // C0, C1
    wire        for_capture = address[7:4] == 4'hE;
    wire [2:0]  end_link = block[2:0];
    reg  [11:0] node_address_reg;

    wire        theirs;                  // an end's register that is its link's
    wire [5:0]  link_address;            // where the link has it
    qpace_tester_theirs u_theirs (.address(address[3:0]), .theirs(theirs), .link_address(link_address));

    // ---- the node's registers: first what a driver would set up, then credits and the host in turn
    reg  [2:0]  state_reg;
    reg  [7:0]  begin_reg;               // 0 to 191: channels; then links, then the node; 205: done
    reg         node_valid_reg, node_write_reg;
    reg  [11:0] node_reg;
    reg  [31:0] node_wdata_reg;
    wire        node_ack, node_error;
    wire [31:0] node_rdata;
    wire        credit_valid;
    wire [5:0]  credit_channel;
    wire        begun = begin_reg == 8'd205;

    reg  [11:0] begin_address;
    reg  [31:0] begin_wdata;
    always @* begin
        if (begin_reg < 8'd192) begin
            begin_address = `QPACE_NWP_BASE + {4'd0, begin_reg[7:2], 2'd0};
            begin_wdata   = {11'd0, begin_reg[7:2], 15'd0};
            case (begin_reg[1:0])
                2'd0: ;
                2'd1: begin
                    begin_address = begin_address + `QPACE_NWP_CREDIT_OFFSET - `QPACE_NWP_BASE;
                    begin_wdata   = 32'd0;
                end
                default: begin
                    begin_address = begin_address + `QPACE_NWP_CREDIT_POST - `QPACE_NWP_BASE;
                    begin_wdata   = CREDIT;
                end
            endcase
        end else if (begin_reg < 8'd204) begin
            // a cable may be away for long
            begin_address = LINKS + {3'd0, begin_reg[3:1], 6'd0}
                            + (begin_reg[0] ? {6'd0, `QPACE_LINK_RETRAIN_LIMIT} : {6'd0, `QPACE_LINK_TRAIN_TIMEOUT});
            begin_wdata   = begin_reg[0] ? 32'd15 : 32'h00FFFF00;
        end else begin
            begin_address = `QPACE_NWP_NOTIFY_BASE;
            begin_wdata   = 32'h00200000;          // behind all channels' places
        end
    end

    wire        host_goes = asked && ((for_end && theirs) || (for_node && address[0]));
    wire        host_done = state_reg == HOST && node_ack;

    always @(posedge clk) begin
        case (state_reg)
            READY:
                if (!begun) begin
                    state_reg      <= BEGIN;
                    node_valid_reg <= 1'b1;
                    node_write_reg <= 1'b1;
                    node_reg       <= begin_address;
                    node_wdata_reg <= begin_wdata;
                end else if (credit_valid) begin
                    state_reg      <= POST;
                    node_valid_reg <= 1'b1;
                    node_write_reg <= 1'b1;
                    node_reg       <= `QPACE_NWP_CREDIT_POST + {4'd0, credit_channel, 2'd0};
                    node_wdata_reg <= CREDIT;
                end else if (host_goes) begin
                    state_reg      <= HOST;
                    node_valid_reg <= 1'b1;
                    node_write_reg <= write;
                    node_reg       <= for_node ? node_address_reg : LINKS + {3'd0, end_link, link_address};
                    node_wdata_reg <= for_node ? wdata : {29'd0, wdata[2:0]};
                end
            default:
                if (node_ack) begin
                    state_reg      <= READY;
                    node_valid_reg <= 1'b0;
                    if (state_reg == BEGIN)
                        begin_reg <= begin_reg + 8'd1;
                end
        endcase
        if (asked && write && for_node && !address[0])
            node_address_reg <= wdata[11:0];
        if (rst) begin
            state_reg        <= READY;
            begin_reg        <= 8'd0;
            node_valid_reg   <= 1'b0;
            node_address_reg <= 12'd0;
        end
    end

    // ---- channels that want another credit: at most two each
    reg  [6:0]  wanted_in_reg, wanted_out_reg;
    wire        used;
    wire [5:0]  used_channel;
    assign credit_valid = wanted_in_reg != wanted_out_reg;
    ram_small #(.WIDTH(6), .ADDRESS_BITS(7)) wanted (
        .clk(clk), .wr_en(used), .wr_address(wanted_in_reg), .wr_data(used_channel), .rd_address(wanted_out_reg),
        .rd_data(credit_channel));
    always @(posedge clk) begin
        if (used)
            wanted_in_reg <= wanted_in_reg + 7'd1;
        if (state_reg == POST && node_ack)
            wanted_out_reg <= wanted_out_reg + 7'd1;
        if (rst) begin
            wanted_in_reg  <= 7'd0;
            wanted_out_reg <= 7'd0;
        end
    end

    // ---- ends
    wire [5:0]   clear, flip;
    wire [191:0] end_rdata;
    wire [5:0]   end_known, end_writable, traffic, end_failed, end_damaged;
    wire         came, came_wrong;
    wire [2:0]   came_link;
    wire [31:0]  lanes_status;
    wire         link_rst, lanes_rst;
    wire [5:0]   rx_error;

    wire         capture_ack, capture_error;
    wire [31:0]  capture_rdata;

    assign ack   = host_goes ? host_done : for_capture ? capture_ack : asked;
    assign rdata = for_end ? end_rdata[32*end_link +: 32] : for_capture ? capture_rdata :
                   address[0] ? node_rdata : {20'd0, node_address_reg};
    assign error = for_end ? !end_known[end_link] || (write && !end_writable[end_link]) || (theirs && node_error) :
                   for_capture ? capture_error : !for_node || (address[0] && node_error);

    cdc_bits #(.WIDTH(1)) u_link_rst (.clk(link_clk), .rst(1'b0), .src(rst), .dst(link_rst));
    // of it the lanes make resets of their receive clocks, asynchronously
    cdc_bits #(.WIDTH(1)) u_lanes_rst (.clk(link_clk), .rst(1'b0), .src(rst), .dst(lanes_rst));

    genvar i;
    generate
        for (i = 0; i < 6; i = i + 1) begin : gen_end
            wire came_here = came && came_link == i;
            assign end_failed[i] = came_here && came_wrong;
            qpace_tester_end u_end (
                .clk(clk), .rst(rst), .link_clk(link_clk), .link_rst(link_rst),
                .taken(asked && ack && for_end && end_link == i && write && !error), .address(address[3:0]),
                .wdata(wdata), .enabled(node_rdata[`QPACE_LINK_CONTROL_ENABLE]), .stored(node_rdata),
                .lanes(i == 0 ? lanes_status : 32'd0), .value(end_rdata[32*i +: 32]), .known(end_known[i]),
                .writable(end_writable[i]), .traffic(traffic[i]), .clear(clear[i]), .came(came_here),
                .came_wrong(came_wrong), .damaged(end_damaged[i]), .rx_error(rx_error[i]), .flip(flip[i]));
        end
    endgenerate

    // ---- bits flipped: link 0's behind its lanes, the others' before they come back
    reg  [36*6-1:0] flip_reg;            // of each link the bit that is next
    wire [191:0] xgmii_txd, xgmii_rxd;
    wire [23:0]  xgmii_txc, xgmii_rxc;
    reg  [39:0]  flip_lanes_reg;
    wire [39:0]  coded;
    generate
        for (i = 0; i < 6; i = i + 1) begin : gen_flip
            if (i != 0) begin : gen_loop
                assign {xgmii_rxc[4*i +: 4], xgmii_rxd[32*i +: 32]} =
                    {xgmii_txc[4*i +: 4], xgmii_txd[32*i +: 32]} ^ (flip[i] ? flip_reg[36*i +: 36] : 36'd0);
            end
            always @(posedge link_clk) begin
                if (flip[i])
                    flip_reg[36*i +: 36] <= {flip_reg[36*i +: 35], flip_reg[36*i+35]};
                if (link_rst)
                    flip_reg[36*i +: 36] <= 36'd1;
            end
        end
    endgenerate
    always @(posedge link_clk) begin
        phy_tx <= coded ^ (flip[0] ? flip_lanes_reg : 40'd0);
        if (flip[0])
            flip_lanes_reg <= {flip_lanes_reg[38:0], flip_lanes_reg[39]};
        if (link_rst)
            flip_lanes_reg <= 40'd1;
    end

    // ---- lanes
    wire         pause, up, local_fault, remote_fault, deskewed, late;
    wire         rx_strobe, event_added, event_dropped, event_lost;
    wire [LANES-1:0] lane_signal, lane_synced, lane_mismatch, prbs_locked, event_bad;
    wire [16*LANES-1:0] prbs_errors;
    lane_bundle #(.BYTES(4), .LANES(LANES)) lanes (
        .clk(link_clk), .rst(lanes_rst), .en(1'b1), .tx_data(xgmii_txd[31:0]), .tx_control(xgmii_txc[3:0]),
        .tx_pause(pause), .rx_strobe(rx_strobe), .rx_data(xgmii_rxd[31:0]), .rx_control(xgmii_rxc[3:0]),
        .phy_tx(coded), .rx_clk(rx_clk), .phy_rx_valid(phy_rx_valid), .phy_rx(phy_rx), .phy_rx_signal(phy_rx_signal),
        .loopback_near(1'b0), .loopback_far(1'b0), .prbs(1'b0), .prbs31(1'b0), .up(up), .local_fault(local_fault),
        .remote_fault(remote_fault), .deskewed(deskewed), .late(late), .lane_signal(lane_signal),
        .lane_synced(lane_synced), .lane_mismatch(lane_mismatch), .prbs_locked(prbs_locked), .prbs_errors(prbs_errors),
        .event_bad(event_bad), .event_added(event_added), .event_dropped(event_dropped), .event_lost(event_lost));

    localparam [7:0] NO_LANES = 8'd0;
    wire [7:0]   signal_all   = {NO_LANES[7:LANES], lane_signal};
    wire [7:0]   synced_all   = {NO_LANES[7:LANES], lane_synced};
    wire [7:0]   mismatch_all = {NO_LANES[7:LANES], lane_mismatch};
    cdc_bits #(.WIDTH(32)) u_status (
        .clk(clk), .rst(rst),
        .src({mismatch_all, synced_all, signal_all, 3'd0, late, deskewed, remote_fault, local_fault, up}),
        .dst(lanes_status));

    // ---- the node
    reg  [10:0]  beat_reg;               // its bit 10 changes every 1024 cycles
    always @(posedge link_clk)
        beat_reg <= link_rst ? 11'd0 : beat_reg + 11'd1;

    wire         in_valid, in_ready, in_last, out_valid, out_last, out_notify;
    wire [31:0]  in_addr;
    wire [127:0] in_data, out_data;
    wire [5:0]   room;
    wire [38:0]  out_addr;
    qpace_traffic u_traffic (
        .clk(clk), .rst(rst), .traffic(traffic), .clear(clear),
        .pw_in_valid(in_valid), .pw_in_ready(in_ready), .pw_in_addr(in_addr), .pw_in_data(in_data),
        .pw_in_last(in_last), .pw_in_room(room), .pw_out_valid(out_valid), .pw_out_addr(out_addr),
        .pw_out_data(out_data), .pw_out_last(out_last), .pw_out_notify(out_notify),
        .came(came), .wrong(came_wrong), .came_link(came_link), .used(used), .used_channel(used_channel));

    wire [1:0]   signal_out, uart_txd;
    wire [5:0]   phy_select, obs_rx_start, obs_rx_ok, obs_rx_command, obs_retransmit, obs_replay, obs_accept;
    wire         irq, mem_read_valid, mem_write_valid, mem_write_last, obs_idle, obs_io_idle;
    wire         obs_eth_rx_start, obs_eth_rx_ok, obs_eth_rx_error, rgmii_ctl;
    wire [3:0]   rgmii;
    wire [31:0]  mem_read_line;
    wire [34:0]  mem_write_word;
    wire [127:0] mem_write_data;
    wire [2:0]   io_irq;
    wire [23:0]  link_states;
    qpace_nwp #(.LINK_CLOCKS(1), .LANES(LANES)) node (
        .clk(clk), .rst(rst), .link_clk(link_clk), .link_rst({6{link_rst}}),
        .pw_in_valid(in_valid), .pw_in_ready(in_ready), .pw_in_addr(in_addr), .pw_in_data(in_data),
        .pw_in_last(in_last), .pw_in_room(room), .pw_out_valid(out_valid), .pw_out_ready(1'b1),
        .pw_out_addr(out_addr), .pw_out_data(out_data), .pw_out_last(out_last), .pw_out_notify(out_notify),
        .reg_valid(node_valid_reg), .reg_write(node_write_reg), .reg_address(node_reg), .reg_wdata(node_wdata_reg),
        .reg_ack(node_ack), .reg_rdata(node_rdata), .reg_error(node_error),
        .link_beat(beat_reg[10]), .xgmii_txd(xgmii_txd), .xgmii_txc(xgmii_txc), .xgmii_rxd(xgmii_rxd),
        .xgmii_rxc(xgmii_rxc), .tx_pause({5'd0, pause}),
        // one node's tree says what the node says; its serial ports and Ethernet hear themselves
        .signal_out(signal_out), .signal_in(signal_out), .phy_select(phy_select), .irq(irq),
        .io_clk(clk), .io_rst(rst), .eth_rx_clk(clk), .uart_rxd(uart_txd), .uart_txd(uart_txd),
        .rgmii_txd(rgmii), .rgmii_tx_ctl(rgmii_ctl), .rgmii_rxd(rgmii), .rgmii_rx_ctl(rgmii_ctl),
        .mem_read_valid(mem_read_valid), .mem_read_ready(1'b1), .mem_read_line(mem_read_line),
        .mem_data_valid(1'b0), .mem_data(128'd0), .mem_write_valid(mem_write_valid), .mem_write_ready(1'b1),
        .mem_write_word(mem_write_word), .mem_write_data(mem_write_data), .mem_write_last(mem_write_last),
        .io_irq(io_irq), .obs_idle(obs_idle), .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok),
        .obs_rx_command(obs_rx_command), .obs_rx_error(rx_error), .obs_retransmit(obs_retransmit),
        .obs_replay(obs_replay), .obs_accept(obs_accept), .obs_state(link_states), .obs_io_idle(obs_io_idle),
        .obs_eth_rx_start(obs_eth_rx_start), .obs_eth_rx_ok(obs_eth_rx_ok), .obs_eth_rx_error(obs_eth_rx_error));

    // ---- what link 0 and its lanes do, captured on their clock
    wire         probed_write, probed_valid, probed_error;
    wire [3:0]   probed_address;
    wire [31:0]  probed_wdata, probed_rdata;
    wire [3:0]   lines, lines_sent, lines_wrong, lines_wrong_sent;
    wire [`QPACE_PROBE_WIDTH-1:0] probe;
    cdc_counter #(.WIDTH(4)) u_lines (
        .src_clk(clk), .src_rst(rst), .src_step(came && came_link == 3'd0), .src_count(lines_sent),
        .dst_clk(link_clk), .dst_rst(link_rst), .dst_count(lines));
    cdc_counter #(.WIDTH(4)) u_lines_wrong (
        .src_clk(clk), .src_rst(rst), .src_step(end_failed[0]), .src_count(lines_wrong_sent),
        .dst_clk(link_clk), .dst_rst(link_rst), .dst_count(lines_wrong));
    assign probe[`QPACE_PROBE_STATE]         = link_states[1:0];
    assign probe[`QPACE_PROBE_HELD]          = link_states[2];
    assign probe[`QPACE_PROBE_OUTSTANDING]   = link_states[3];
    assign probe[`QPACE_PROBE_TX_DATA]       = xgmii_txd[31:0];
    assign probe[`QPACE_PROBE_TX_CONTROL]    = xgmii_txc[3:0];
    assign probe[`QPACE_PROBE_TX_PAUSE]      = pause;
    assign probe[`QPACE_PROBE_RX_DATA]       = xgmii_rxd[31:0];
    assign probe[`QPACE_PROBE_RX_CONTROL]    = xgmii_rxc[3:0];
    assign probe[`QPACE_PROBE_RX_START]      = obs_rx_start[0];
    assign probe[`QPACE_PROBE_RX_OK]         = obs_rx_ok[0];
    assign probe[`QPACE_PROBE_RX_COMMAND]    = obs_rx_command[0];
    assign probe[`QPACE_PROBE_RX_ERROR]      = rx_error[0];
    assign probe[`QPACE_PROBE_ACCEPTED]      = obs_accept[0];
    assign probe[`QPACE_PROBE_RESENT]        = obs_retransmit[0];
    assign probe[`QPACE_PROBE_REPLAYED]      = obs_replay[0];
    assign probe[`QPACE_PROBE_FLIPPED]       = flip[0];
    assign probe[`QPACE_PROBE_LANES_UP]      = up;
    assign probe[`QPACE_PROBE_LOCAL_FAULT]   = local_fault;
    assign probe[`QPACE_PROBE_REMOTE_FAULT]  = remote_fault;
    assign probe[`QPACE_PROBE_DESKEWED]      = deskewed;
    assign probe[`QPACE_PROBE_BAD_CHARACTER] = event_bad != {LANES{1'b0}};
    assign probe[`QPACE_PROBE_SKIP_ADDED]    = event_added;
    assign probe[`QPACE_PROBE_SKIP_DROPPED]  = event_dropped;
    assign probe[`QPACE_PROBE_LANES_LOST]    = event_lost;
    assign probe[`QPACE_PROBE_CHECKED]       = lines;
    assign probe[`QPACE_PROBE_WRONG]         = lines_wrong;
    register_crossing #(.ADDRESS_BITS(4)) crossing (
        .clk(clk), .rst(rst), .valid(asked && for_capture), .write(write), .address(address[3:0]), .wdata(wdata),
        .ack(capture_ack), .rdata(capture_rdata), .error(capture_error),
        .dst_clk(link_clk), .dst_rst(link_rst), .reg_valid(probed_valid), .reg_write(probed_write),
        .reg_address(probed_address), .reg_wdata(probed_wdata), .reg_rdata(probed_rdata), .reg_error(probed_error));
    signal_capture #(.WIDTH(`QPACE_PROBE_WIDTH), .SIGNALS(`QPACE_PROBE_SIGNALS)) capture (
        .clk(link_clk), .rst(link_rst), .probes(probe), .reg_valid(probed_valid), .reg_write(probed_write),
        .reg_address(probed_address), .reg_wdata(probed_wdata), .reg_rdata(probed_rdata), .reg_error(probed_error));

    // ---- LEDs
    wire [5:0]   ups;
    wire [5:0]   up_raw;
    generate
        for (i = 0; i < 6; i = i + 1) begin : gen_up
            assign up_raw[i] = link_states[4*i +: 2] == 2'd2;
        end
    endgenerate
    cdc_bits #(.WIDTH(6)) u_ups (.clk(clk), .rst(rst), .src(up_raw), .dst(ups));
    reg  [25:0]  beat_clk_reg;
    reg  [13:0]  passed_a_reg, passed_reg;
    reg  [7:0]   damaged_a_reg;
    reg          failed_reg;
    always @(posedge clk) begin
        beat_clk_reg <= beat_clk_reg + 26'd1;
        if (came && !came_wrong && came_link == 3'd0)
            passed_a_reg <= passed_a_reg + 14'd1;
        if (came && !came_wrong && came_link != 3'd0)
            passed_reg <= passed_reg + 14'd1;
        if (end_damaged[0])
            damaged_a_reg <= damaged_a_reg + 8'd1;
        if (end_failed != 6'd0)
            failed_reg <= 1'b1;
        led <= {beat_clk_reg[25], 1'b1, failed_reg, damaged_a_reg[7], passed_a_reg[13], passed_reg[13], ups[0],
                &ups[5:1]};
        if (rst) begin
            beat_clk_reg  <= 26'd0;
            passed_a_reg  <= 14'd0;
            passed_reg    <= 14'd0;
            damaged_a_reg <= 8'd0;
            failed_reg    <= 1'b0;
            led           <= 8'd0;
        end
    end

    // What a processor, a transceiver's owner or a simulation would use, and nobody does here.
    wire unused = &{1'b0, rx_strobe, prbs_locked, prbs_errors, phy_select, obs_rx_start[5:1], obs_rx_ok[5:1],
                    obs_rx_command[5:1], obs_retransmit[5:1], obs_replay[5:1], obs_accept[5:1], irq, lines_sent,
                    lines_wrong_sent, mem_read_valid, mem_write_valid, mem_write_last, obs_idle, obs_io_idle,
                    obs_eth_rx_start, obs_eth_rx_ok, obs_eth_rx_error, mem_read_line, mem_write_word, mem_write_data,
                    io_irq, link_states, end_damaged[5:1], 1'b0};
endmodule
`default_nettype wire
