// SPDX-License-Identifier: Apache-2.0
// What a board does that is too small for a node: one qpace_link, its wire looped to itself, behind a serial line.
// Packets on all eight channels, a checker of what comes, a damager of bits. A board's top adds clocks. Not in the
// paper.
//
//   rxd, txd <--> board_line --+--> end A                        0x40: 13 registers, as of qpace_node_tester's ends
//                              +--> the link's own registers     0x80 to 0xBF
//
//   qpace_traffic <--> qpace_link_lines <--> qpace_link --> bit flipped --> register --> the same link
//
// An address without a register is answered by an error.
//
// LEDs: {clock, out of reset, a wrong packet came (latched), something was damaged (blinking), good packets come
// (blinking), the link wants attention, it is not DOWN, it is UP}.
`default_nettype none
`include "qpace_link_regs.vh"
`include "qpace_tester_regs.vh"
module qpace_link_tester #(
    parameter [31:0] IDENTITY    = 32'd0,      // of the board
    parameter [31:0] SOURCE_HASH = 32'd0,      // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd50,     // of clk
    parameter        TX_PACKETS  = 16,         // as the link has them
    parameter        RX_SLOTS    = 4           // block RAM of a small FPGA has no place for the paper's 8
) (
    input  wire        clk,                    // 16 bytes a cycle
    input  wire        rst,                    // four cycles of link_clk, or more
    input  wire        rxd,
    output wire        txd,
    input  wire        link_clk,               // a word of 4 bytes a cycle
    output reg  [7:0]  led
);
    // ---- the host's requests
    wire        asked, write, ack, error;
    wire [7:0]  address;
    wire [31:0] wdata, rdata;
    board_line #(.IDENTITY(IDENTITY), .SOURCE_HASH(SOURCE_HASH), .BAUD_CYCLES(BAUD_CYCLES)) host (
        .clk(clk), .rst(rst), .rxd(rxd), .txd(txd), .valid(asked), .write(write), .address(address), .wdata(wdata),
        .ack(ack), .rdata(rdata), .error(error));

    wire        for_end  = address[7:4] == 4'h4;
    wire        for_link = address[7:6] == 2'b10;
    wire        theirs;                        // the end's register is the link's
    wire [5:0]  link_address;
    qpace_tester_theirs u_theirs (.address(address[3:0]), .theirs(theirs), .link_address(link_address));

    // ---- the link's registers: a pulse asks, a pulse answers
    reg         reg_valid_reg, reg_write_reg, waits_reg;
    reg  [5:0]  reg_address_reg;
    reg  [31:0] reg_wdata_reg;
    wire        reg_ack, reg_error;
    wire [31:0] reg_rdata, end_value;
    wire        end_known, end_writable;
    wire        link_goes = asked && ((for_end && theirs) || for_link);

    always @(posedge clk) begin
        reg_valid_reg <= link_goes && !waits_reg;
        if (!waits_reg) begin
            reg_write_reg   <= write;
            reg_address_reg <= for_link ? address[5:0] : link_address;
            reg_wdata_reg   <= for_link ? wdata : {29'd0, wdata[2:0]};
        end
        waits_reg <= link_goes && !reg_ack;
        if (rst) begin
            reg_valid_reg <= 1'b0;
            waits_reg     <= 1'b0;
        end
    end

    assign ack   = link_goes ? reg_ack : asked;
    assign rdata = for_end ? end_value : reg_rdata;
    assign error = for_end ? !end_known || (write && !end_writable) || (theirs && reg_error) : !for_link || reg_error;

    // ---- the end
    wire        link_rst, clear, traffic, came, came_wrong, damaged, flip, rx_error;
    cdc_bits #(.WIDTH(1)) u_link_rst (.clk(link_clk), .rst(1'b0), .src(rst), .dst(link_rst));
    qpace_tester_end u_end (
        .clk(clk), .rst(rst), .link_clk(link_clk), .link_rst(link_rst),
        .taken(asked && ack && for_end && write && !error), .address(address[3:0]), .wdata(wdata),
        .enabled(reg_rdata[`QPACE_LINK_CONTROL_ENABLE]), .stored(reg_rdata), .lanes(32'd0), .value(end_value),
        .known(end_known), .writable(end_writable), .traffic(traffic), .clear(clear), .came(came),
        .came_wrong(came_wrong), .damaged(damaged), .rx_error(rx_error), .flip(flip));

    // ---- traffic
    wire         in_valid, in_last, out_valid, out_last, used;
    wire [31:0]  in_addr;
    wire [127:0] in_data, out_data;
    wire [38:0]  out_addr;
    wire [2:0]   came_link;
    wire [5:0]   used_channel;
    wire         tx_valid, tx_ready, tx_first, tx_room, rx_pop;
    wire [2:0]   tx_vc, rx_vc, rx_beat;
    wire [14:0]  tx_offset, rx_offset;
    wire [7:0]   rx_waiting;
    wire [127:0] rx_data;
    qpace_traffic #(.LINKS(1)) u_traffic (
        .clk(clk), .rst(rst), .traffic(traffic), .clear(clear), .pw_in_valid(in_valid), .pw_in_ready(tx_ready),
        .pw_in_addr(in_addr), .pw_in_data(in_data), .pw_in_last(in_last), .pw_in_room(tx_room),
        .pw_out_valid(out_valid), .pw_out_addr(out_addr), .pw_out_data(out_data), .pw_out_last(out_last),
        .pw_out_notify(1'b0), .came(came), .wrong(came_wrong), .came_link(came_link), .used(used),
        .used_channel(used_channel));
    qpace_link_lines lines (
        .clk(clk), .rst(rst), .pw_in_valid(in_valid), .pw_in_addr(in_addr), .pw_in_last(in_last),
        .tx_valid(tx_valid), .tx_first(tx_first), .tx_vc(tx_vc), .tx_offset(tx_offset), .rx_waiting(rx_waiting),
        .rx_vc(rx_vc), .rx_beat(rx_beat), .rx_data(rx_data), .rx_offset(rx_offset), .rx_pop(rx_pop),
        .pw_out_valid(out_valid), .pw_out_addr(out_addr), .pw_out_data(out_data), .pw_out_last(out_last));

    // ---- the link, and its wire
    wire [35:0] sent;
    reg  [35:0] received_reg, flip_reg;        // the bit that is flipped next
    reg  [10:0] beat_reg;                      // its bit 10 changes every 1024 cycles
    wire        up, down, attention, obs_idle, obs_rx_start, obs_rx_ok, obs_rx_command, obs_retransmit, obs_replay;
    wire        obs_accept;
    wire [3:0]  obs_state;
    qpace_link #(.TX_PACKETS(TX_PACKETS), .RX_SLOTS(RX_SLOTS)) link (
        .clk(clk), .rst(rst), .link_clk(link_clk), .link_rst(link_rst), .beat(beat_reg[10]), .port(3'd0),
        .tx_valid(tx_valid), .tx_ready(tx_ready), .tx_data(in_data), .tx_first(tx_first), .tx_vc(tx_vc),
        .tx_offset(tx_offset), .tx_void(1'b0), .tx_room(tx_room), .rx_waiting(rx_waiting), .rx_vc(rx_vc),
        .rx_beat(rx_beat), .rx_data(rx_data), .rx_offset(rx_offset), .rx_mute(1'b0), .rx_pop(rx_pop),
        .reg_valid(reg_valid_reg), .reg_write(reg_write_reg), .reg_address(reg_address_reg),
        .reg_wdata(reg_wdata_reg), .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error), .link_up(up),
        .link_down(down), .link_attention(attention), .xgmii_txd(sent[31:0]), .xgmii_txc(sent[35:32]),
        .xgmii_rxd(received_reg[31:0]), .xgmii_rxc(received_reg[35:32]), .tx_pause(1'b0), .obs_idle(obs_idle),
        .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok), .obs_rx_command(obs_rx_command), .obs_rx_error(rx_error),
        .obs_retransmit(obs_retransmit), .obs_replay(obs_replay), .obs_accept(obs_accept), .obs_state(obs_state));

    always @(posedge link_clk) begin
        beat_reg     <= beat_reg + 11'd1;
        received_reg <= sent ^ (flip ? flip_reg : 36'd0);
        if (flip)
            flip_reg <= {flip_reg[34:0], flip_reg[35]};
        if (link_rst) begin
            beat_reg <= 11'd0;
            flip_reg <= 36'd1;
        end
    end

    // ---- LEDs
    reg  [25:0] clock_reg;
    reg  [13:0] passed_reg;
    reg  [7:0]  damaged_reg;
    reg         failed_reg;
    always @(posedge clk) begin
        clock_reg   <= clock_reg + 26'd1;
        passed_reg  <= passed_reg + {13'd0, came && !came_wrong};
        damaged_reg <= damaged_reg + {7'd0, damaged};
        failed_reg  <= failed_reg || (came && came_wrong);
        led         <= {clock_reg[25], 1'b1, failed_reg, damaged_reg[7], passed_reg[13], attention, !down, up};
        if (rst) begin
            clock_reg   <= 26'd0;
            passed_reg  <= 14'd0;
            damaged_reg <= 8'd0;
            failed_reg  <= 1'b0;
            led         <= 8'd0;
        end
    end

    // What a node or a simulation would use, and nobody does here.
    wire unused = &{1'b0, came_link, used, used_channel, obs_idle, obs_rx_start, obs_rx_ok, obs_rx_command,
                    obs_retransmit, obs_replay, obs_accept, obs_state, 1'b0};
endmodule
`default_nettype wire
