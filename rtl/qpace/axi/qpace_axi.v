// SPDX-License-Identifier: Apache-2.0
// A QPACE network processor behind the buses of a processor on a board or in a system on chip: AXI4-Lite for its
// registers, AXI4-Stream for posted writes into the network, one AXI4 manager for all that goes to memory and comes
// from it, ID 0 what the torus delivers, ID 1 Ethernet. Ours; [QPACE2009] has a Cell's bus there.
// rtl/bus/README.md: registers, order, errors; README.md beside: how it is connected.
//
//   s_axis --> axis_register --+> pw_in   qpace_nwp   pw_out --> port 0, writes
//   axi_puts <-- port 0, reads +
//   s_axi --> axil_registers --> reg                  mem_*  --> clock crossing --> port 1 --> m_axi
//
// A line of the stream is eight beats, TLAST with the eighth; TUSER is its address, as at pw_in_addr, at every beat.
// What is wrong with it is reported by the network processor's ERROR. A notification is written behind all that it
// speaks of.
//
// aresetn, synchronous to aclk, resets all; CONTROL.HOLD the network processor alone. Links and serial ports leave
// reset two cycles of their clocks later; their clocks run at aclk / 8 at least while that happens.
`default_nettype none
module qpace_axi #(
    parameter LITE_ADDRESS_WIDTH = 15,    // at least 15
    parameter ADDRESS_WIDTH      = 40,
    parameter ID_WIDTH           = 1,     // 1 to 4
    parameter BURST_BITS         = 3,     // 8 beats: a line
    parameter OUTSTANDING_BITS   = 4,     // 16 bursts without an answer, each way
    parameter TIMEOUT            = 4096,  // of a register, cycles; more than the network processor's own 512
    parameter TX_PACKETS         = 16,
    parameter RX_SLOTS           = 8,
    parameter LINK_CLOCKS        = 6,
    parameter LANES              = 0      // serial lanes behind each link (rtl/lane); 0: none, tx_pause is ignored
) (
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi:s_axis:m_axi, ASSOCIATED_RESET aresetn" *)
    input  wire         aclk,
    input  wire         aresetn,

    // AXI4-Lite: registers of the node, then those of the buses (rtl/bus/README.md)
    input  wire         s_axi_awvalid,
    output wire         s_axi_awready,
    input  wire [LITE_ADDRESS_WIDTH-1:0] s_axi_awaddr,
    input  wire [2:0]   s_axi_awprot,
    input  wire         s_axi_wvalid,
    output wire         s_axi_wready,
    input  wire [31:0]  s_axi_wdata,
    input  wire [3:0]   s_axi_wstrb,
    output wire         s_axi_bvalid,
    input  wire         s_axi_bready,
    output wire [1:0]   s_axi_bresp,
    input  wire         s_axi_arvalid,
    output wire         s_axi_arready,
    input  wire [LITE_ADDRESS_WIDTH-1:0] s_axi_araddr,
    input  wire [2:0]   s_axi_arprot,
    output wire         s_axi_rvalid,
    input  wire         s_axi_rready,
    output wire [31:0]  s_axi_rdata,
    output wire [1:0]   s_axi_rresp,

    // AXI4-Stream: posted writes into the network
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    input  wire [127:0] s_axis_tdata,
    input  wire         s_axis_tlast,
    input  wire [31:0]  s_axis_tuser,     // address of the line: qpace_pw_in
    output wire [5:0]   link_room,        // link i takes a whole line without a wait

    // AXI4 to memory: incrementing bursts of whole beats, within 4 KiB
    output wire [ID_WIDTH-1:0]      m_axi_awid,
    output wire [ADDRESS_WIDTH-1:0] m_axi_awaddr,
    output wire [7:0]   m_axi_awlen,
    output wire [2:0]   m_axi_awsize,
    output wire [1:0]   m_axi_awburst,
    output wire         m_axi_awlock,
    output wire [3:0]   m_axi_awcache,
    output wire [2:0]   m_axi_awprot,
    output wire [3:0]   m_axi_awqos,
    output wire         m_axi_awvalid,
    input  wire         m_axi_awready,
    output wire [127:0] m_axi_wdata,
    output wire [15:0]  m_axi_wstrb,
    output wire         m_axi_wlast,
    output wire         m_axi_wvalid,
    input  wire         m_axi_wready,
    input  wire [ID_WIDTH-1:0]      m_axi_bid,
    input  wire [1:0]   m_axi_bresp,
    input  wire         m_axi_bvalid,
    output wire         m_axi_bready,
    output wire [ID_WIDTH-1:0]      m_axi_arid,
    output wire [ADDRESS_WIDTH-1:0] m_axi_araddr,
    output wire [7:0]   m_axi_arlen,
    output wire [2:0]   m_axi_arsize,
    output wire [1:0]   m_axi_arburst,
    output wire         m_axi_arlock,
    output wire [3:0]   m_axi_arcache,
    output wire [2:0]   m_axi_arprot,
    output wire [3:0]   m_axi_arqos,
    output wire         m_axi_arvalid,
    input  wire         m_axi_arready,
    input  wire [ID_WIDTH-1:0]      m_axi_rid,
    input  wire [127:0] m_axi_rdata,
    input  wire [1:0]   m_axi_rresp,
    input  wire         m_axi_rlast,
    input  wire         m_axi_rvalid,
    output wire         m_axi_rready,

    output wire         irq,              // level: the network processor's, or the buses refused something

    // as qpace_nwp has them
    input  wire [LINK_CLOCKS-1:0] link_clk,
    input  wire [5:0]   link_reset,       // of a transceiver, any clock
    input  wire [LINK_CLOCKS-1:0] link_beat,
    output wire [191:0] xgmii_txd,
    output wire [23:0]  xgmii_txc,
    input  wire [191:0] xgmii_rxd,
    input  wire [23:0]  xgmii_rxc,
    input  wire [5:0]   tx_pause,         // of link i's lanes
    output wire [1:0]   signal_out,
    input  wire [1:0]   signal_in,
    output wire [5:0]   phy_select,
    input  wire         io_clk,
    input  wire         eth_rx_clk,
    input  wire [1:0]   uart_rxd,
    output wire [1:0]   uart_txd,
    output wire [3:0]   rgmii_txd,
    output wire         rgmii_tx_ctl,
    input  wire [3:0]   rgmii_rxd,
    input  wire         rgmii_rx_ctl,
    output wire [2:0]   io_irq,
    output wire [23:0]  obs_state         // 4 bits a link
);
    wire         node_rst, host_irq, nwp_irq;
    wire         reg_valid, reg_write, reg_ack, reg_error, look, seen;
    wire [11:0]  reg_address;
    wire [31:0]  reg_wdata, reg_rdata;

    // resets of the other clocks
    wire [5:0]   link_rst;
    wire         io_rst;
    genvar i;
    generate
        for (i = 0; i < 6; i = i + 1) begin : g_link
            localparam CLOCK = LINK_CLOCKS == 1 ? 0 : i;
            wire       either;
            assign link_rst[i] = either;
            cdc_bits #(.WIDTH(1)) u_reset (
                .clk(link_clk[CLOCK]), .rst(1'b0), .src(node_rst || link_reset[i]), .dst(either));
        end
    endgenerate
    cdc_bits #(.WIDTH(1)) u_io_reset (.clk(io_clk), .rst(1'b0), .src(node_rst), .dst(io_rst));

    // posted writes
    wire         in_valid, in_ready, in_last, out_valid, out_ready, out_last, out_notify;
    wire         stream_valid, stream_last;
    wire [31:0]  in_addr, stream_addr;
    wire [127:0] in_data, stream_data, out_data;
    /* verilator lint_off UNUSEDSIGNAL */  // bits 3:0, of a byte within a beat
    wire [38:0]  out_addr;
    /* verilator lint_on UNUSEDSIGNAL */
    axis_register #(.WIDTH(161)) stream (
        .clk(aclk), .rst(node_rst), .s_tvalid(s_axis_tvalid), .s_tready(s_axis_tready),
        .s_payload({s_axis_tlast, s_axis_tuser, s_axis_tdata}),
        .m_tvalid(stream_valid), .m_tready(in_ready && !puts && stream_goes),
        .m_payload({stream_last, stream_addr, stream_data}));

    // Ethernet's memory
    wire         eth_read, eth_read_ready, eth_data_valid, eth_write, eth_write_ready, eth_write_last;
    wire [31:0]  eth_line;
    wire [127:0] eth_data, eth_write_data;
    wire [34:0]  eth_write_word;
    wire         rd_valid, rd_ready, rd_rvalid, wr_valid, wr_ready, wr_last;
    wire [34:0]  rd_address, wr_address;
    wire [127:0] rd_data, wr_data;
    // of all registers those of Ethernet alone speak of what it wrote
    wire         ethernet_seen;
    wire         at_ethernet = reg_address[11:6] == 6'h19;
    assign seen = (look && !at_ethernet) || ethernet_seen;
    qpace_axi_ethernet ethernet (
        .io_clk(io_clk), .io_rst(io_rst), .mem_read_valid(eth_read), .mem_read_ready(eth_read_ready),
        .mem_read_line(eth_line), .mem_data_valid(eth_data_valid), .mem_data(eth_data),
        .mem_write_valid(eth_write), .mem_write_ready(eth_write_ready), .mem_write_word(eth_write_word),
        .mem_write_data(eth_write_data), .mem_write_last(eth_write_last),
        .clk(aclk), .rst(node_rst), .rd_valid(rd_valid), .rd_ready(rd_ready), .rd_address(rd_address),
        .rd_rvalid(rd_rvalid), .rd_data(rd_data), .wr_valid(wr_valid), .wr_ready(wr_ready), .wr_address(wr_address),
        .wr_data(wr_data), .wr_last(wr_last), .look(look && at_ethernet), .seen(ethernet_seen));

    // Puts from memory, queue i for link i, a line at a time beside the stream's. Of both that have a line the one goes
    // that did not have the last. No line is begun that would wait for its link: others would wait behind it. So room
    // of a link is given to one of both: the stream waits while a put's line for the same link is away, and none is
    // begun while the stream's is under way, or has its turn.
    wire         more_valid, more_write, more_error, put_rd_valid, put_rd_ready, put_rd_rvalid;
    wire [5:0]   more_address;
    wire [31:0]  more_wdata, more_rdata, put_addr;
    wire [34:0]  put_rd_address;
    wire [127:0] put_rd_data, put_data;
    wire         put_valid, put_last;
    wire [5:0]   put_away, put_waits;
    axi_puts #(.UNIT_BITS(35)) u_puts (
        .clk(aclk), .rst(node_rst), .valid(more_valid), .write(more_write), .address(more_address),
        .wdata(more_wdata), .rdata(more_rdata), .error(more_error),
        .rd_valid(put_rd_valid), .rd_ready(put_rd_ready), .rd_address(put_rd_address), .rd_rvalid(put_rd_rvalid),
        .rd_data(put_rd_data), .room(link_room & ~put_waits), .away(put_away), .m_valid(put_valid),
        .m_ready(in_ready && puts), .m_address(put_addr), .m_data(put_data), .m_last(put_last));

    reg          inside_reg, puts_reg;    // a line is under way; it, or the last one, is a put's
    reg  [5:0]   link_reg;                // of the stream's line under way
    wire [5:0]   stream_link  = stream_addr[27:25] < 3'd6 ? 6'd1 << stream_addr[27:25] : 6'd0;
    wire         stream_in    = inside_reg && !puts_reg;
    wire         stream_waits = !stream_in && (stream_link & (put_away | ~link_room)) != 6'd0;
    wire         stream_goes  = stream_valid && !stream_waits;
    wire         puts         = inside_reg ? puts_reg : put_valid && !(stream_goes && puts_reg);
    assign put_waits = stream_in ? link_reg : stream_valid && puts_reg ? stream_link : 6'd0;
    assign in_valid  = puts ? put_valid : stream_goes;
    assign in_last   = puts ? put_last : stream_last;
    assign in_addr   = puts ? put_addr : stream_addr;
    assign in_data   = puts ? put_data : stream_data;
    always @(posedge aclk) begin
        if (in_valid && in_ready) begin
            inside_reg <= !in_last;
            puts_reg   <= puts;
            if (!inside_reg)
                link_reg <= stream_link;
        end
        if (node_rst) begin
            inside_reg <= 1'b0;
            puts_reg   <= 1'b0;
        end
    end

    axi_host #(.PORTS(2), .UNIT_BITS(35), .REG_BITS(12), .CONTROL_BITS(6), .LITE_ADDRESS_WIDTH(LITE_ADDRESS_WIDTH),
               .ADDRESS_WIDTH(ADDRESS_WIDTH), .DATA_WIDTH(128), .ID_WIDTH(ID_WIDTH), .BURST_BITS(BURST_BITS),
               .OUTSTANDING_BITS(OUTSTANDING_BITS), .TIMEOUT(TIMEOUT)) host (
        .clk(aclk), .rst(!aresetn), .s_axi_awvalid(s_axi_awvalid), .s_axi_awready(s_axi_awready),
        .s_axi_awaddr(s_axi_awaddr), .s_axi_wvalid(s_axi_wvalid), .s_axi_wready(s_axi_wready),
        .s_axi_wdata(s_axi_wdata), .s_axi_wstrb(s_axi_wstrb), .s_axi_bvalid(s_axi_bvalid),
        .s_axi_bready(s_axi_bready), .s_axi_bresp(s_axi_bresp), .s_axi_arvalid(s_axi_arvalid),
        .s_axi_arready(s_axi_arready), .s_axi_araddr(s_axi_araddr), .s_axi_rvalid(s_axi_rvalid),
        .s_axi_rready(s_axi_rready), .s_axi_rdata(s_axi_rdata), .s_axi_rresp(s_axi_rresp),
        .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready), .m_axi_awid(m_axi_awid),
        .m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen), .m_axi_wvalid(m_axi_wvalid),
        .m_axi_wready(m_axi_wready), .m_axi_wdata(m_axi_wdata), .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast),
        .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready), .m_axi_bid(m_axi_bid), .m_axi_bresp(m_axi_bresp),
        .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready), .m_axi_arid(m_axi_arid),
        .m_axi_araddr(m_axi_araddr), .m_axi_arlen(m_axi_arlen), .m_axi_rvalid(m_axi_rvalid),
        .m_axi_rready(m_axi_rready), .m_axi_rid(m_axi_rid), .m_axi_rdata(m_axi_rdata), .m_axi_rresp(m_axi_rresp),
        .node_rst(node_rst), .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address),
        .reg_wdata(reg_wdata), .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error),
        .look(look), .seen(seen),
        .more_valid(more_valid), .more_write(more_write), .more_address(more_address), .more_wdata(more_wdata),
        .more_rdata(more_rdata), .more_error(more_error),
        .rd_valid({rd_valid, put_rd_valid}), .rd_ready({rd_ready, put_rd_ready}),
        .rd_address({rd_address, put_rd_address}), .rd_rvalid({rd_rvalid, put_rd_rvalid}),
        .rd_data({rd_data, put_rd_data}),
        .wr_valid({wr_valid, out_valid}), .wr_ready({wr_ready, out_ready}), .wr_address({wr_address, out_addr[38:4]}),
        .wr_data({wr_data, out_data}), .wr_strobe(32'hFFFFFFFF), .wr_last({wr_last, out_last}),
        .wr_after({wr_last, out_notify}),
        .wr_pending(unused_pending), .wr_mark(2'd0), .wr_passed(unused_passed),
        .stopped(unused_stopped), .irq(host_irq));

    wire [1:0]   unused_pending, unused_passed, unused_stopped;
    wire         unused_idle, unused_io_idle, unused_eth_start, unused_eth_ok, unused_eth_error;
    wire [5:0]   unused_start, unused_ok, unused_command, unused_error, unused_retransmit, unused_replay, unused_accept;
    qpace_nwp #(.TX_PACKETS(TX_PACKETS), .RX_SLOTS(RX_SLOTS), .PORT_BYTES(16), .LINK_CLOCKS(LINK_CLOCKS),
                .LANES(LANES)) nwp (
        .clk(aclk), .rst(node_rst), .link_clk(link_clk), .link_rst(link_rst),
        .pw_in_valid(in_valid), .pw_in_ready(in_ready), .pw_in_addr(in_addr), .pw_in_data(in_data),
        .pw_in_last(in_last), .pw_in_room(link_room),
        .pw_out_valid(out_valid), .pw_out_ready(out_ready), .pw_out_addr(out_addr), .pw_out_data(out_data),
        .pw_out_last(out_last), .pw_out_notify(out_notify),
        .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error),
        .link_beat(link_beat), .xgmii_txd(xgmii_txd), .xgmii_txc(xgmii_txc), .xgmii_rxd(xgmii_rxd),
        .xgmii_rxc(xgmii_rxc), .tx_pause(tx_pause), .signal_out(signal_out), .signal_in(signal_in),
        .phy_select(phy_select), .irq(nwp_irq),
        .io_clk(io_clk), .io_rst(io_rst), .eth_rx_clk(eth_rx_clk), .uart_rxd(uart_rxd), .uart_txd(uart_txd),
        .rgmii_txd(rgmii_txd), .rgmii_tx_ctl(rgmii_tx_ctl), .rgmii_rxd(rgmii_rxd), .rgmii_rx_ctl(rgmii_rx_ctl),
        .mem_read_valid(eth_read), .mem_read_ready(eth_read_ready), .mem_read_line(eth_line),
        .mem_data_valid(eth_data_valid), .mem_data(eth_data), .mem_write_valid(eth_write),
        .mem_write_ready(eth_write_ready), .mem_write_word(eth_write_word), .mem_write_data(eth_write_data),
        .mem_write_last(eth_write_last), .io_irq(io_irq),
        .obs_idle(unused_idle), .obs_rx_start(unused_start), .obs_rx_ok(unused_ok), .obs_rx_command(unused_command),
        .obs_rx_error(unused_error), .obs_retransmit(unused_retransmit), .obs_replay(unused_replay),
        .obs_accept(unused_accept), .obs_state(obs_state), .obs_io_idle(unused_io_idle),
        .obs_eth_rx_start(unused_eth_start), .obs_eth_rx_ok(unused_eth_ok), .obs_eth_rx_error(unused_eth_error));

    assign irq           = nwp_irq || host_irq;
    assign m_axi_awsize  = 3'd4;
    assign m_axi_awburst = 2'd1;         // INCR
    assign m_axi_awlock  = 1'b0;
    assign m_axi_awcache = 4'b0011;      // normal memory, not cached: bufferable, modifiable
    assign m_axi_awprot  = 3'b000;
    assign m_axi_awqos   = 4'd0;
    assign m_axi_arsize  = 3'd4;
    assign m_axi_arburst = 2'd1;         // INCR
    assign m_axi_arlock  = 1'b0;
    assign m_axi_arcache = 4'b0011;      // normal memory, not cached: bufferable, modifiable
    assign m_axi_arprot  = 3'b000;
    assign m_axi_arqos   = 4'd0;

    // an answer's length is known, protection is not looked at
    wire unused = &{1'b0, s_axi_awprot, s_axi_arprot, m_axi_rlast, unused_idle, unused_io_idle, unused_eth_start,
                     unused_eth_ok, unused_eth_error, unused_start, unused_ok, unused_command, unused_error,
                     unused_retransmit, unused_replay, unused_accept, unused_pending, unused_passed, unused_stopped};
endmodule
`default_nettype wire
