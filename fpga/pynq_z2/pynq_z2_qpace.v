// SPDX-License-Identifier: Apache-2.0
// PYNQ-Z2 (Zynq 7020): a QPACE network processor behind the chip's ARM (qpace_axi), its links +x and -x on four soft
// lanes each over the Pmod connectors A and B, 50 Mb/s a lane, so that boards make a ring; y and z, axes of length 1,
// are looped inside. The driver of sw/qpace runs on the ARM (sw/axi). What to plug where: README.md here. Nobody has
// built this yet.
//
//   PS7: M_AXI_GP0 --> s_axi   qpace_axi   link 0 --> pynq_z2_lanes --> Pmod A     block design: pynq_z2_design.tcl
//        S_AXI_HP0 <-- m_axi               link 1 --> pynq_z2_lanes --> Pmod B
//        IRQ_F2P   <-- irq                 2 <-> 3, 4 <-> 5
`default_nettype none
module pynq_z2_qpace (
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi:m_axi, ASSOCIATED_RESET aresetn" *)
    input  wire         aclk,                  // 50 MHz, FCLK_CLK0
    input  wire         aresetn,
    input  wire         s_axi_awvalid,
    output wire         s_axi_awready,
    input  wire [14:0] s_axi_awaddr,
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
    input  wire [14:0] s_axi_araddr,
    input  wire [2:0]   s_axi_arprot,
    output wire         s_axi_rvalid,
    input  wire         s_axi_rready,
    output wire [31:0]  s_axi_rdata,
    output wire [1:0]   s_axi_rresp,
    // AXI4 to memory: incrementing bursts of whole beats, within 4 KiB
    output wire [0:0]  m_axi_awid,
    output wire [39:0] m_axi_awaddr,
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
    input  wire [0:0]  m_axi_bid,
    input  wire [1:0]   m_axi_bresp,
    input  wire         m_axi_bvalid,
    output wire         m_axi_bready,
    output wire [0:0]  m_axi_arid,
    output wire [39:0] m_axi_araddr,
    output wire [7:0]   m_axi_arlen,
    output wire [2:0]   m_axi_arsize,
    output wire [1:0]   m_axi_arburst,
    output wire         m_axi_arlock,
    output wire [3:0]   m_axi_arcache,
    output wire [2:0]   m_axi_arprot,
    output wire [3:0]   m_axi_arqos,
    output wire         m_axi_arvalid,
    input  wire         m_axi_arready,
    input  wire [0:0]  m_axi_rid,
    input  wire [127:0] m_axi_rdata,
    input  wire [1:0]   m_axi_rresp,
    input  wire         m_axi_rlast,
    input  wire         m_axi_rvalid,
    output wire         m_axi_rready,
    output wire         irq,
    input  wire         clk125,
    output wire [3:0]   a_out,
    input  wire [3:0]   a_in,
    output wire [3:0]   b_out,
    input  wire [3:0]   b_in,
    output wire [3:0]   led,                   // link +x is up, -x is up, lanes A, B are up
    output wire [23:0]  obs_state              // 4 bits a link: for simulations
);
    wire         sample_clk, bit_clk, word_clk, locked, rst;
    wire [191:0] txd, rxd;
    wire [23:0]  txc, rxc;
    wire [1:0]   pause, lanes_up;
    reg  [10:0]  beat_reg;                     // its bit 10 changes every 1024 cycles

    pynq_z2_clocks clocks (
        .ref_clk(clk125), .sample_clk(sample_clk), .bit_clk(bit_clk), .word_clk(word_clk), .locked(locked));
    cdc_bits #(.WIDTH(1)) reset (.clk(word_clk), .rst(1'b0), .src(!aresetn || !locked), .dst(rst));
    always @(posedge word_clk)
        beat_reg <= rst ? 11'd0 : beat_reg + 11'd1;

    pynq_z2_lanes pmod_a (
        .sample_clk(sample_clk), .bit_clk(bit_clk), .word_clk(word_clk), .rst(rst), .tx_data(txd[31:0]),
        .tx_control(txc[3:0]), .tx_pause(pause[0]), .rx_data(rxd[31:0]), .rx_control(rxc[3:0]), .up(lanes_up[0]),
        .line_out(a_out), .line_in(a_in));
    pynq_z2_lanes pmod_b (
        .sample_clk(sample_clk), .bit_clk(bit_clk), .word_clk(word_clk), .rst(rst), .tx_data(txd[63:32]),
        .tx_control(txc[7:4]), .tx_pause(pause[1]), .rx_data(rxd[63:32]), .rx_control(rxc[7:4]), .up(lanes_up[1]),
        .line_out(b_out), .line_in(b_in));
    assign {rxd[95:64], rxd[127:96]}   = {txd[127:96], txd[95:64]};
    assign {rxc[11:8], rxc[15:12]}     = {txc[15:12], txc[11:8]};
    assign {rxd[159:128], rxd[191:160]} = {txd[191:160], txd[159:128]};
    assign {rxc[19:16], rxc[23:20]}    = {txc[23:20], txc[19:16]};
    assign led = {lanes_up[1], lanes_up[0], obs_state[5:4] == 2'd2, obs_state[1:0] == 2'd2};

    wire         s_axis_tready, rgmii_ctl;
    wire [5:0]   link_room, phy_select;
    wire [1:0]   signal, uart;
    wire [3:0]   rgmii;
    wire [2:0]   io_irq;
    // One node's signal tree says what the node says; its serial ports and Ethernet hear themselves.
    qpace_axi #(.LINK_CLOCKS(1), .LANES(4)) node (
        .aclk(aclk), .aresetn(aresetn),
        .s_axi_awvalid(s_axi_awvalid), .s_axi_awready(s_axi_awready), .s_axi_awaddr(s_axi_awaddr),
        .s_axi_awprot(s_axi_awprot), .s_axi_wvalid(s_axi_wvalid), .s_axi_wready(s_axi_wready),
        .s_axi_wdata(s_axi_wdata), .s_axi_wstrb(s_axi_wstrb), .s_axi_bvalid(s_axi_bvalid),
        .s_axi_bready(s_axi_bready), .s_axi_bresp(s_axi_bresp), .s_axi_arvalid(s_axi_arvalid),
        .s_axi_arready(s_axi_arready), .s_axi_araddr(s_axi_araddr), .s_axi_arprot(s_axi_arprot),
        .s_axi_rvalid(s_axi_rvalid), .s_axi_rready(s_axi_rready), .s_axi_rdata(s_axi_rdata),
        .s_axi_rresp(s_axi_rresp), .m_axi_awid(m_axi_awid), .m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen),
        .m_axi_awsize(m_axi_awsize), .m_axi_awburst(m_axi_awburst), .m_axi_awlock(m_axi_awlock),
        .m_axi_awcache(m_axi_awcache), .m_axi_awprot(m_axi_awprot), .m_axi_awqos(m_axi_awqos),
        .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready), .m_axi_wdata(m_axi_wdata),
        .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast), .m_axi_wvalid(m_axi_wvalid),
        .m_axi_wready(m_axi_wready), .m_axi_bid(m_axi_bid), .m_axi_bresp(m_axi_bresp), .m_axi_bvalid(m_axi_bvalid),
        .m_axi_bready(m_axi_bready), .m_axi_arid(m_axi_arid), .m_axi_araddr(m_axi_araddr), .m_axi_arlen(m_axi_arlen),
        .m_axi_arsize(m_axi_arsize), .m_axi_arburst(m_axi_arburst), .m_axi_arlock(m_axi_arlock),
        .m_axi_arcache(m_axi_arcache), .m_axi_arprot(m_axi_arprot), .m_axi_arqos(m_axi_arqos),
        .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready), .m_axi_rid(m_axi_rid),
        .m_axi_rdata(m_axi_rdata), .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast), .m_axi_rvalid(m_axi_rvalid),
        .m_axi_rready(m_axi_rready),
        .s_axis_tvalid(1'b0), .s_axis_tready(s_axis_tready), .s_axis_tdata(128'd0), .s_axis_tlast(1'b0),
        .s_axis_tuser(32'd0), .link_room(link_room), .irq(irq), .link_clk(word_clk), .link_reset(6'd0),
        .link_beat(beat_reg[10]), .xgmii_txd(txd), .xgmii_txc(txc), .xgmii_rxd(rxd), .xgmii_rxc(rxc),
        .tx_pause({4'd0, pause}), .signal_out(signal), .signal_in(signal), .phy_select(phy_select), .io_clk(aclk),
        .eth_rx_clk(aclk), .uart_rxd(uart), .uart_txd(uart), .rgmii_txd(rgmii), .rgmii_tx_ctl(rgmii_ctl),
        .rgmii_rxd(rgmii), .rgmii_rx_ctl(rgmii_ctl), .io_irq(io_irq), .obs_state(obs_state));

    wire unused = &{1'b0, s_axis_tready, link_room, phy_select, io_irq, 1'b0};
endmodule
`default_nettype wire
