// SPDX-License-Identifier: Apache-2.0
// The AXI side of a node: AXI4-Lite to its register bus, its ports of memory to one AXI4 manager, and registers that
// say where its memory is, hold it in reset and tell what the buses refused. README.md has the drawing and the
// registers.
//
// PORTS ports, each with a read and a write half; one that a node has not got is tied to 0. Port p has the ID p. Per
// port the README of this folder says what is in order with what. Constants (burst type, size, cache, protection) are
// set in the tops of the machines.
`default_nettype none
module axi_host #(
    parameter PORTS              = 1,         // at most 16
    parameter UNIT_BITS          = 36,        // of a node's addresses, which count units of DATA_WIDTH
    parameter REG_BITS           = 12,
    parameter LITE_ADDRESS_WIDTH = REG_BITS + 3,
    parameter ADDRESS_WIDTH      = 40,
    parameter DATA_WIDTH         = 128,
    parameter ID_WIDTH           = 4,         // 2^ID_WIDTH >= PORTS, at most 4
    parameter BURST_BITS         = 4,         // at most 2^BURST_BITS beats a burst, 1 to 7
    parameter OUTSTANDING_BITS   = 3,         // at most 2^OUTSTANDING_BITS bursts a port and direction, 1 or more
    parameter ORDERED            = 0,         // a port's bursts of writes one after the other
    parameter CONTROL_BITS       = 4,         // 5 or more: 2^CONTROL_BITS registers, from the 17th on those of `more_*`
    parameter TIMEOUT            = 4096
) (
    input  wire                            clk,
    input  wire                            rst,

    input  wire                            s_axi_awvalid,
    output wire                            s_axi_awready,
    input  wire [LITE_ADDRESS_WIDTH-1:0]   s_axi_awaddr,
    input  wire                            s_axi_wvalid,
    output wire                            s_axi_wready,
    input  wire [31:0]                     s_axi_wdata,
    input  wire [3:0]                      s_axi_wstrb,
    output wire                            s_axi_bvalid,
    input  wire                            s_axi_bready,
    output wire [1:0]                      s_axi_bresp,
    input  wire                            s_axi_arvalid,
    output wire                            s_axi_arready,
    input  wire [LITE_ADDRESS_WIDTH-1:0]   s_axi_araddr,
    output wire                            s_axi_rvalid,
    input  wire                            s_axi_rready,
    output wire [31:0]                     s_axi_rdata,
    output wire [1:0]                      s_axi_rresp,

    output wire                            m_axi_awvalid,
    input  wire                            m_axi_awready,
    output wire [ID_WIDTH-1:0]             m_axi_awid,
    output wire [ADDRESS_WIDTH-1:0]        m_axi_awaddr,
    output wire [7:0]                      m_axi_awlen,
    output wire                            m_axi_wvalid,
    input  wire                            m_axi_wready,
    output wire [DATA_WIDTH-1:0]           m_axi_wdata,
    output wire [DATA_WIDTH/8-1:0]         m_axi_wstrb,
    output wire                            m_axi_wlast,
    input  wire                            m_axi_bvalid,
    output wire                            m_axi_bready,
    input  wire [ID_WIDTH-1:0]             m_axi_bid,
    input  wire [1:0]                      m_axi_bresp,
    output wire                            m_axi_arvalid,
    input  wire                            m_axi_arready,
    output wire [ID_WIDTH-1:0]             m_axi_arid,
    output wire [ADDRESS_WIDTH-1:0]        m_axi_araddr,
    output wire [7:0]                      m_axi_arlen,
    input  wire                            m_axi_rvalid,
    output wire                            m_axi_rready,
    input  wire [ID_WIDTH-1:0]             m_axi_rid,
    input  wire [DATA_WIDTH-1:0]           m_axi_rdata,
    input  wire [1:0]                      m_axi_rresp,

    // the node
    output wire                            node_rst,
    output wire                            reg_valid,
    output wire                            reg_write,
    output wire [REG_BITS-1:0]             reg_address,
    output wire [31:0]                     reg_wdata,
    input  wire                            reg_ack,
    input  wire [31:0]                     reg_rdata,
    input  wire                            reg_error,
    // What a node handed over before it answered a read may still be on its way to a port: `look` says when it did, and
    // whoever keeps it answers `seen` when the port has all of it; in the same cycle if there is nothing of the kind.
    output wire                            look,
    input  wire                            seen,
    // registers behind those of the buses: a request is answered in its cycle
    output wire                            more_valid,
    output wire                            more_write,
    output wire [CONTROL_BITS-1:0]         more_address,
    output wire [31:0]                     more_wdata,
    input  wire [31:0]                     more_rdata,
    input  wire                            more_error,
    input  wire [PORTS-1:0]                rd_valid,
    output wire [PORTS-1:0]                rd_ready,
    input  wire [UNIT_BITS*PORTS-1:0]      rd_address,
    output wire [PORTS-1:0]                rd_rvalid,
    output wire [DATA_WIDTH*PORTS-1:0]     rd_data,
    input  wire [PORTS-1:0]                wr_valid,
    output wire [PORTS-1:0]                wr_ready,
    input  wire [UNIT_BITS*PORTS-1:0]      wr_address,
    input  wire [DATA_WIDTH*PORTS-1:0]     wr_data,
    input  wire [DATA_WIDTH/8*PORTS-1:0]   wr_strobe,
    input  wire [PORTS-1:0]                wr_last,   // a burst ends here
    input  wire [PORTS-1:0]                wr_after,  // behind the answers to all before it
    output wire [PORTS-1:0]                wr_pending, // what is offered or was taken is not all in memory
    input  wire [PORTS-1:0]                wr_mark,   // pulse: what was taken before it, or in its cycle,
    output wire [PORTS-1:0]                wr_passed, // is in memory; from the cycle after wr_mark on
    output wire [PORTS-1:0]                stopped,   // by what was refused; until node_rst

    output wire                            irq        // level: the buses refused something
);
    localparam UNIT_BYTES_BITS = $clog2(DATA_WIDTH / 8);

    initial
        if (PORTS < 1 || PORTS > 16 || ID_WIDTH > 4 || (1 << ID_WIDTH) < PORTS || BURST_BITS < 1 || BURST_BITS > 7
            || OUTSTANDING_BITS < 1 || ADDRESS_WIDTH > 64 || LITE_ADDRESS_WIDTH < REG_BITS + 3
            || LITE_ADDRESS_WIDTH > 64 || DATA_WIDTH < 32 || DATA_WIDTH > 1024
            || (1 << $clog2(DATA_WIDTH)) != DATA_WIDTH || CONTROL_BITS < 4 || TIMEOUT < 4) begin
            $display("axi_host: PORTS is 1 to 16 and at most 2^ID_WIDTH, ID_WIDTH at most 4, BURST_BITS 1 to 7, ",
                     "OUTSTANDING_BITS 1 or more, ADDRESS_WIDTH at most 64, LITE_ADDRESS_WIDTH REG_BITS + 3 to 64, ",
                     "DATA_WIDTH a power of two from 32 to 1024, CONTROL_BITS 4 or more, TIMEOUT 4 or more");
            $finish;
        end

    wire                     control_valid, control_write, control_error, own_error, idle;
    reg                      looks_reg;          // not seen yet
    wire                     mark = (look || looks_reg) && seen;
    wire [CONTROL_BITS-1:0]  control_address;
    wire [31:0]              control_wdata, control_rdata, own_rdata, pages;
    wire [ADDRESS_WIDTH-13:0] base_page;
    wire                     register_timeout, memory_timeout;

    // ports
    wire [PORTS-1:0]               w_passed, r_passed, w_idle, r_idle, w_range, w_refused, r_range, r_refused;
    wire [PORTS-1:0]               w_stopped, r_stopped;
    wire [UNIT_BITS*PORTS-1:0]     w_where, r_where;
    wire [PORTS-1:0]               awvalid, awready, wvalid, wready, wlast, bvalid, arvalid, arready, rvalid, rready;
    wire [PORTS-1:0]               unused_bready;
    wire [ADDRESS_WIDTH*PORTS-1:0] awaddr, araddr;
    wire [8*PORTS-1:0]             awlen, arlen;
    wire [DATA_WIDTH*PORTS-1:0]    wdata;
    wire [DATA_WIDTH/8*PORTS-1:0]  wstrb;

    genvar i;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : g_port
            wire look_pending, look_mark;
            wire [2:0] passed;
            assign w_passed[i]   = passed[0];
            assign wr_passed[i]  = passed[2];
            assign wr_pending[i] = wr_valid[i] || !w_idle[i] || w_stopped[i];   // what was refused never is there

            axi_write_port #(.ADDRESS_WIDTH(ADDRESS_WIDTH), .DATA_WIDTH(DATA_WIDTH), .UNIT_BITS(UNIT_BITS),
                             .BURST_BITS(BURST_BITS), .OUTSTANDING_BITS(OUTSTANDING_BITS), .ORDERED(ORDERED)) writes (
                .clk(clk), .rst(rst), .base_page(base_page), .pages(pages), .node_rst(node_rst), .stopped(w_stopped[i]),
                .s_valid(wr_valid[i] && !node_rst), .s_ready(wr_ready[i]),
                .s_address(wr_address[UNIT_BITS*i +: UNIT_BITS]), .s_data(wr_data[DATA_WIDTH*i +: DATA_WIDTH]),
                .s_strobe(wr_strobe[DATA_WIDTH/8*i +: DATA_WIDTH/8]), .s_last(wr_last[i]), .s_after(wr_after[i]),
                .mark({wr_mark[i], look_mark, mark}), .passed(passed),
                .look_address(rd_address[UNIT_BITS*i +: UNIT_BITS]), .look_pending(look_pending), .idle(w_idle[i]),
                .error_range(w_range[i]), .error_refused(w_refused[i]),
                .error_address(w_where[UNIT_BITS*i +: UNIT_BITS]),
                .m_axi_awvalid(awvalid[i]), .m_axi_awready(awready[i]),
                .m_axi_awaddr(awaddr[ADDRESS_WIDTH*i +: ADDRESS_WIDTH]), .m_axi_awlen(awlen[8*i +: 8]),
                .m_axi_wvalid(wvalid[i]), .m_axi_wready(wready[i]), .m_axi_wdata(wdata[DATA_WIDTH*i +: DATA_WIDTH]),
                .m_axi_wstrb(wstrb[DATA_WIDTH/8*i +: DATA_WIDTH/8]), .m_axi_wlast(wlast[i]),
                .m_axi_bvalid(bvalid[i]), .m_axi_bready(unused_bready[i]), .m_axi_bresp(m_axi_bresp));

            axi_read_port #(.ADDRESS_WIDTH(ADDRESS_WIDTH), .DATA_WIDTH(DATA_WIDTH), .UNIT_BITS(UNIT_BITS),
                            .BURST_BITS(BURST_BITS), .OUTSTANDING_BITS(OUTSTANDING_BITS)) reads (
                .clk(clk), .rst(rst), .base_page(base_page), .pages(pages), .node_rst(node_rst), .stopped(r_stopped[i]),
                .s_valid(rd_valid[i] && !node_rst), .s_ready(rd_ready[i]),
                .s_address(rd_address[UNIT_BITS*i +: UNIT_BITS]), .s_rvalid(rd_rvalid[i]),
                .s_rdata(rd_data[DATA_WIDTH*i +: DATA_WIDTH]),
                .write_pending(look_pending), .write_mark(look_mark), .write_passed(passed[1]),
                .write_stopped(w_stopped[i]),
                .mark(mark), .passed(r_passed[i]), .idle(r_idle[i]),
                .error_range(r_range[i]), .error_refused(r_refused[i]),
                .error_address(r_where[UNIT_BITS*i +: UNIT_BITS]),
                .m_axi_arvalid(arvalid[i]), .m_axi_arready(arready[i]),
                .m_axi_araddr(araddr[ADDRESS_WIDTH*i +: ADDRESS_WIDTH]), .m_axi_arlen(arlen[8*i +: 8]),
                .m_axi_rvalid(rvalid[i]), .m_axi_rready(rready[i]), .m_axi_rdata(m_axi_rdata),
                .m_axi_rresp(m_axi_rresp));
        end
    endgenerate

    axi_share_writes #(.PORTS(PORTS), .ADDRESS_WIDTH(ADDRESS_WIDTH), .DATA_WIDTH(DATA_WIDTH),
                       .ID_WIDTH(ID_WIDTH)) share_writes (
        .clk(clk), .rst(rst), .s_awvalid(awvalid), .s_awready(awready), .s_awaddr(awaddr), .s_awlen(awlen),
        .s_wvalid(wvalid), .s_wready(wready), .s_wdata(wdata), .s_wstrb(wstrb), .s_wlast(wlast), .s_bvalid(bvalid),
        .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready), .m_axi_awid(m_axi_awid),
        .m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen), .m_axi_wvalid(m_axi_wvalid),
        .m_axi_wready(m_axi_wready), .m_axi_wdata(m_axi_wdata), .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast),
        .m_axi_bvalid(m_axi_bvalid), .m_axi_bid(m_axi_bid));

    axi_share_reads #(.PORTS(PORTS), .ADDRESS_WIDTH(ADDRESS_WIDTH), .ID_WIDTH(ID_WIDTH)) share_reads (
        .clk(clk), .rst(rst), .s_arvalid(arvalid), .s_arready(arready), .s_araddr(araddr), .s_arlen(arlen),
        .s_rvalid(rvalid), .s_rready(rready), .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready),
        .m_axi_arid(m_axi_arid), .m_axi_araddr(m_axi_araddr), .m_axi_arlen(m_axi_arlen), .m_axi_rvalid(m_axi_rvalid),
        .m_axi_rready(m_axi_rready), .m_axi_rid(m_axi_rid));

    always @(posedge clk)
        looks_reg <= (look || looks_reg) && !seen && !rst && !node_rst;

    assign m_axi_bready = 1'b1;
    assign stopped      = w_stopped | r_stopped;
    assign idle         = &w_idle && &r_idle;

    wire unused = &{1'b0, unused_bready};

    // of several errors in a cycle the lowest port's is noted, a read's before a write's
    reg  [UNIT_BITS-1:0] where;
    reg  [3:0]           port;
    integer              k;
    always @* begin
        k     = 0;
        where = {UNIT_BITS{1'b0}};
        port  = 4'd0;
        for (k = PORTS - 1; k >= 0; k = k - 1) begin
            if (w_range[k] || w_refused[k]) begin
                where = w_where[UNIT_BITS*k +: UNIT_BITS];
                port  = k[3:0];
            end
            if (r_range[k] || r_refused[k]) begin
                where = r_where[UNIT_BITS*k +: UNIT_BITS];
                port  = k[3:0];
            end
        end
    end

    axil_registers #(.ADDRESS_WIDTH(LITE_ADDRESS_WIDTH), .REG_BITS(REG_BITS), .CONTROL_BITS(CONTROL_BITS),
                     .TIMEOUT(TIMEOUT)) registers (
        .clk(clk), .rst(rst), .node_rst(node_rst),
        .s_axi_awvalid(s_axi_awvalid), .s_axi_awready(s_axi_awready), .s_axi_awaddr(s_axi_awaddr),
        .s_axi_wvalid(s_axi_wvalid), .s_axi_wready(s_axi_wready), .s_axi_wdata(s_axi_wdata),
        .s_axi_wstrb(s_axi_wstrb), .s_axi_bvalid(s_axi_bvalid), .s_axi_bready(s_axi_bready),
        .s_axi_bresp(s_axi_bresp), .s_axi_arvalid(s_axi_arvalid), .s_axi_arready(s_axi_arready),
        .s_axi_araddr(s_axi_araddr), .s_axi_rvalid(s_axi_rvalid), .s_axi_rready(s_axi_rready),
        .s_axi_rdata(s_axi_rdata), .s_axi_rresp(s_axi_rresp),
        .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error),
        .control_valid(control_valid), .control_write(control_write), .control_address(control_address),
        .control_wdata(control_wdata), .control_rdata(control_rdata), .control_error(control_error),
        .mark(look), .settled(!looks_reg && &w_passed && &r_passed && r_stopped == {PORTS{1'b0}}),
        .lost(stopped != {PORTS{1'b0}}),
        .register_timeout(register_timeout), .memory_timeout(memory_timeout));

    // of the buses themselves, and behind them
    wire behind;
    generate
        if (CONTROL_BITS > 4) begin : g_more
            assign behind = control_address[CONTROL_BITS-1:4] != {CONTROL_BITS-4{1'b0}};
        end else begin : g_none
            assign behind = 1'b0;
        end
    endgenerate
    assign more_valid    = control_valid && behind;
    assign more_write    = control_write;
    assign more_address  = control_address;
    assign more_wdata    = control_wdata;
    assign control_rdata = behind ? more_rdata : own_rdata;
    assign control_error = behind ? more_error : own_error;

    axi_control #(.ADDRESS_WIDTH(ADDRESS_WIDTH)) control (
        .clk(clk), .rst(rst), .valid(control_valid && !behind), .write(control_write), .address(control_address[3:0]),
        .wdata(control_wdata), .rdata(own_rdata), .error(own_error),
        .node_rst(node_rst), .idle(idle), .base_page(base_page), .pages(pages),
        .errors({memory_timeout, register_timeout, |w_refused, |r_refused, |w_range, |r_range}),
        .error_offset({{64-UNIT_BITS-UNIT_BYTES_BITS{1'b0}}, where, {UNIT_BYTES_BITS{1'b0}}}), .error_port(port),
        .irq(irq));
endmodule
`default_nettype wire
