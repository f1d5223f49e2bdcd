// SPDX-License-Identifier: Apache-2.0
// A Tofu interconnect controller behind the buses of a processor on a board or in a system on chip: AXI4-Lite for its
// registers, one AXI4 manager for the memory ports of all interfaces, ID i network interface i, then the barrier
// interfaces. Ours; [Tofu2012] has the processor's own bus there.
// rtl/bus/README.md: registers, order, errors; README.md beside: how it is connected.
//
// Software looks for ring entries in memory, so that each port's writes are to get there in their order: one burst
// waits for the answer of the one before (ORDERED). One clock, aclk: a beat of 16 bytes a cycle on each link.
`default_nettype none
module tofu_axi #(
    parameter LITE_ADDRESS_WIDTH = 19,    // at least 19
    parameter ADDRESS_WIDTH      = 40,
    parameter ID_WIDTH           = 4,     // 1 to 4, enough for all interfaces
    parameter BURST_BITS         = 5,     // 32 beats, 512 bytes
    parameter OUTSTANDING_BITS   = 3,     // 8 bursts of reads without an answer a port
    parameter TIMEOUT            = 4096,  // of a register, cycles
    parameter INTERFACES         = 4,
    parameter GATE_INTERFACES    = 1,
    parameter STATES             = 1
) (
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi:m_axi, ASSOCIATED_RESET aresetn" *)
    input  wire          aclk,
    input  wire          aresetn,

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

    output wire          irq,             // level: the controller's, or the buses refused something

    // as tofu_icc has them
    output wire [1279:0] txd,
    output wire [159:0]  txc,
    input  wire [1279:0] rxd,
    input  wire [159:0]  rxc,
    output wire [19:0]   obs_state        // 2 bits a link
);
    localparam FACES = GATE_INTERFACES + INTERFACES;

    wire         node_rst, host_irq, icc_irq;
    wire         unused_more, unused_more_write;
    wire [3:0]   unused_more_address;
    wire [31:0]  unused_more_wdata;
    wire         reg_valid, reg_write, reg_ack, reg_error, look, seen;
    wire [15:0]  reg_address;
    wire [31:0]  reg_wdata, reg_rdata;
    wire [INTERFACES-1:0]     rd_valid;
    wire [36*INTERFACES-1:0]  rd_address;
    wire [FACES-1:0]          rd_ready, rd_rvalid, wr_valid, wr_ready, wr_last, wr_pending, wr_mark, wr_passed, stopped;
    wire [128*FACES-1:0]      rd_data, wr_data;
    wire [36*FACES-1:0]       wr_address;
    wire [16*FACES-1:0]       wr_strobe;

    // time: one more every 64 cycles
    reg  [21:0]  time_reg;
    always @(posedge aclk) begin
        time_reg <= time_reg + 22'd1;
        if (!aresetn)
            time_reg <= 22'd0;
    end

    axi_host #(.PORTS(FACES), .UNIT_BITS(36), .REG_BITS(16), .LITE_ADDRESS_WIDTH(LITE_ADDRESS_WIDTH),
               .ADDRESS_WIDTH(ADDRESS_WIDTH), .DATA_WIDTH(128), .ID_WIDTH(ID_WIDTH), .BURST_BITS(BURST_BITS),
               .OUTSTANDING_BITS(OUTSTANDING_BITS), .ORDERED(1), .TIMEOUT(TIMEOUT)) host (
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
        .look(look), .seen(seen), .stopped(stopped),
        .more_valid(unused_more), .more_write(unused_more_write), .more_address(unused_more_address),
        .more_wdata(unused_more_wdata), .more_rdata(32'd0), .more_error(1'b1),
        .rd_valid({{GATE_INTERFACES{1'b0}}, rd_valid}), .rd_ready(rd_ready),
        .rd_address({{36*GATE_INTERFACES{1'b0}}, rd_address}), .rd_rvalid(rd_rvalid), .rd_data(rd_data),
        .wr_valid(wr_valid), .wr_ready(wr_ready), .wr_address(wr_address), .wr_data(wr_data), .wr_strobe(wr_strobe),
        .wr_last(wr_last), .wr_after({FACES{1'b0}}), .wr_pending(wr_pending), .wr_mark(wr_mark), .wr_passed(wr_passed),
        .irq(host_irq));

    wire         unused_idle;
    wire [4:0]   unused_period;
    wire [9:0]   unused_start, unused_ok, unused_command, unused_error, unused_command_error, unused_retransmit,
                 unused_accept;
    wire [GATE_INTERFACES-1:0]   unused_fired;
    wire [6*GATE_INTERFACES-1:0] unused_gate;
    wire [8*GATE_INTERFACES-1:0] unused_done;
    tofu_icc #(.INTERFACES(INTERFACES), .GATE_INTERFACES(GATE_INTERFACES), .STATES(STATES)) icc (
        .clk(aclk), .rst(node_rst), .tick_count(time_reg[21:6]), .txd(txd), .txc(txc), .rxd(rxd), .rxc(rxc),
        .tx_pause(10'd0),
        .rd_valid(rd_valid), .rd_ready(rd_ready[INTERFACES-1:0]), .rd_address(rd_address),
        .rd_rvalid(rd_rvalid[INTERFACES-1:0]), .rd_data(rd_data[128*INTERFACES-1:0]),
        .wr_valid(wr_valid), .wr_ready(wr_ready), .wr_address(wr_address), .wr_data(wr_data), .wr_strobe(wr_strobe),
        .wr_last(wr_last), .wr_pending(wr_pending), .wr_mark(wr_mark), .wr_passed(wr_passed),
        .mem_look(look), .mem_seen(seen), .mem_stopped(stopped),
        .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error), .irq(icc_irq),
        .obs_idle(unused_idle), .obs_period(unused_period), .obs_rx_start(unused_start), .obs_rx_ok(unused_ok),
        .obs_rx_command(unused_command), .obs_rx_error(unused_error), .obs_rx_command_error(unused_command_error),
        .obs_retransmit(unused_retransmit), .obs_accept(unused_accept), .obs_state(obs_state),
        .obs_fired(unused_fired), .obs_gate(unused_gate), .obs_done(unused_done));

    assign irq           = icc_irq || host_irq;
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
    wire unused = &{1'b0, s_axi_awprot, s_axi_arprot, m_axi_rlast, unused_more, unused_more_write, unused_more_address,
                     unused_more_wdata, rd_ready, rd_rvalid, rd_data, unused_idle,
                     unused_period, unused_start, unused_ok, unused_command, unused_error, unused_command_error,
                     unused_retransmit, unused_accept, unused_fired, unused_gate, unused_done};
endmodule
`default_nettype wire
