// SPDX-License-Identifier: Apache-2.0
// A QCDOC serial communications unit behind the buses of a processor on a board or in a system on chip: AXI4-Lite for
// its registers, one AXI4 manager for its memory. Ours; [QCDOC2004] has the PPC 440's bus there.
// rtl/bus/README.md: registers, order, errors; README.md beside: how it is connected.
//
// The unit says DONE when memory has taken an access; here an answer to a register that is read waits for those that
// were taken before, so that who reads DONE finds the words. One clock, aclk: the links' bit clock.
`default_nettype none
module qcdoc_axi #(
    parameter LITE_ADDRESS_WIDTH = 15,    // at least 15
    parameter ADDRESS_WIDTH      = 40,
    parameter ID_WIDTH           = 1,     // 1 to 4
    parameter BURST_BITS         = 4,
    parameter OUTSTANDING_BITS   = 5,     // 32 bursts without an answer, each way: 24 engines, a word a turn
    parameter TIMEOUT            = 4096,  // of a register, cycles
    parameter SLOT_BITS          = 4
) (
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi:m_axi, ASSOCIATED_RESET aresetn" *)
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
    output wire [63:0] m_axi_wdata,
    output wire [7:0]  m_axi_wstrb,
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
    input  wire [63:0] m_axi_rdata,
    input  wire [1:0]   m_axi_rresp,
    input  wire         m_axi_rlast,
    input  wire         m_axi_rvalid,
    output wire         m_axi_rready,

    output wire         irq,              // level: the unit's, or the buses refused something

    // as qcdoc_scu has them
    input  wire [15:0]  global_count,
    output wire [11:0]  serial_out,
    input  wire [11:0]  serial_in,
    output wire [23:0]  obs_state         // 2 bits a link
);
    wire        node_rst, host_irq, scu_irq;
    wire        unused_more, unused_more_write, unused_pending, unused_passed, unused_stopped;
    wire [3:0]  unused_more_address;
    wire [31:0] unused_more_wdata;
    wire        reg_valid, reg_write, reg_ack, reg_error, look;
    wire [11:0] reg_address;
    wire [31:0] reg_wdata, reg_rdata;
    wire        mem_valid, mem_write, rd_ready, wr_ready, rd_rvalid;
    wire [28:0] mem_address;
    wire [63:0] mem_wdata, rd_data;

    axi_host #(.PORTS(1), .UNIT_BITS(29), .REG_BITS(12), .LITE_ADDRESS_WIDTH(LITE_ADDRESS_WIDTH),
               .ADDRESS_WIDTH(ADDRESS_WIDTH), .DATA_WIDTH(64), .ID_WIDTH(ID_WIDTH), .BURST_BITS(BURST_BITS),
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
        .look(look), .seen(look),
        .more_valid(unused_more), .more_write(unused_more_write), .more_address(unused_more_address),
        .more_wdata(unused_more_wdata), .more_rdata(32'd0), .more_error(1'b1),
        .rd_valid(mem_valid && !mem_write), .rd_ready(rd_ready), .rd_address(mem_address),
        .rd_rvalid(rd_rvalid), .rd_data(rd_data),
        .wr_valid(mem_valid && mem_write), .wr_ready(wr_ready), .wr_address(mem_address), .wr_data(mem_wdata),
        .wr_strobe(8'hFF), .wr_last(1'b0), .wr_after(1'b0),
        .wr_pending(unused_pending), .wr_mark(1'b0), .wr_passed(unused_passed),
        .stopped(unused_stopped), .irq(host_irq));

    wire        unused_idle, unused_lane_slot;
    wire [95:0] unused_lane_data;
    wire [11:0] unused_lane_control;
    wire [11:0] unused_start, unused_ok, unused_error, unused_retransmit, unused_accept;
    qcdoc_scu #(.SLOT_BITS(SLOT_BITS)) scu (
        .clk(aclk), .rst(node_rst), .global_count(global_count), .serial_out(serial_out), .serial_in(serial_in),
        .lane_slot(unused_lane_slot), .lane_data(unused_lane_data), .lane_control(unused_lane_control),
        .tx_pause(12'd0), .lane_rx_strobe(12'd0), .lane_rx_data(96'd0), .lane_rx_control(12'd0),
        .mem_valid(mem_valid), .mem_ready(mem_write ? wr_ready : rd_ready), .mem_write(mem_write),
        .mem_address(mem_address), .mem_wdata(mem_wdata), .mem_rvalid(rd_rvalid), .mem_rdata(rd_data),
        .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error), .irq(scu_irq),
        .obs_idle(unused_idle), .obs_rx_start(unused_start), .obs_rx_ok(unused_ok), .obs_rx_error(unused_error),
        .obs_retransmit(unused_retransmit), .obs_accept(unused_accept), .obs_state(obs_state));

    assign irq           = scu_irq || host_irq;
    assign m_axi_awsize  = 3'd3;
    assign m_axi_awburst = 2'd1;         // INCR
    assign m_axi_awlock  = 1'b0;
    assign m_axi_awcache = 4'b0011;      // normal memory, not cached: bufferable, modifiable
    assign m_axi_awprot  = 3'b000;
    assign m_axi_awqos   = 4'd0;
    assign m_axi_arsize  = 3'd3;
    assign m_axi_arburst = 2'd1;         // INCR
    assign m_axi_arlock  = 1'b0;
    assign m_axi_arcache = 4'b0011;      // normal memory, not cached: bufferable, modifiable
    assign m_axi_arprot  = 3'b000;
    assign m_axi_arqos   = 4'd0;

    // an answer's length is known, protection is not looked at
    wire unused = &{1'b0, s_axi_awprot, s_axi_arprot, m_axi_rlast, unused_more, unused_more_write, unused_more_address,
                     unused_more_wdata, unused_pending, unused_passed, unused_stopped, unused_idle, unused_start,
                     unused_ok, unused_error, unused_retransmit, unused_accept, unused_lane_slot, unused_lane_data,
                     unused_lane_control};
endmodule
`default_nettype wire
