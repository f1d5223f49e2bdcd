// SPDX-License-Identifier: Apache-2.0
// Four-state test bench: a QPACE network processor behind AXI (qpace_axi), its links connected in pairs. Every register
// is unknown at first. Over AXI4-Lite software says where memory is, brings links up and posts credits; lines go in by
// AXI4-Stream, cross a link, and come out by AXI4 into a memory that stalls and answers late. Then: an address that is
// out of range, on either bus; the node anew; a reset in mid-burst, and all once more. Prints PASSED, or FAILED and
// the reason.
//
//   +STALL=n  of 16 cycles, those in which a channel of the bus does nothing     +SEED=n
//
// run.py runs it with:
//   sources: verif/icarus/bus/model/*.v
//   run: +STALL=0
//   run: +STALL=9 +SEED=5
`default_nettype none
`include "bus_control_regs.vh"
`include "qpace_nwp_regs.vh"
`include "qpace_link_regs.vh"
module qpace_axi_bench;
    localparam        LIMIT = 60000;                  // cycles of aclk
    localparam [39:0] BASE  = 40'h00_4002_0000;
    localparam [31:0] PAGES = 16;
    localparam [14:0] OWN   = 15'h4000;               // registers of the buses
    localparam [31:0] LINES = 32'h20, NOTICES = 32'h180, BEYOND = 32'h200;   // units of 128 bytes

    integer failures;
    reg     aclk, link_clk, aresetn, checked;

    task fail(input [8*40-1:0] what);
        begin
            if (failures < 10)
                $display("FAILED: %0s, %0t ps", what, $time);
            failures = failures + 1;
        end
    endtask

    initial begin
        failures = 0;
        aclk = 1'b0;
        forever #2400 aclk = !aclk;
    end
    initial begin
        link_clk = 1'b0;
        #700;
        forever #2000 link_clk = !link_clk;
    end

    // the registers' side
    wire        awvalid, wvalid, arvalid, bready, rready, awready, wready, arready, bvalid, rvalid;
    wire [14:0] awaddr, araddr;
    wire [31:0] wdata, rdata;
    wire [1:0]  bresp, rresp;
    axi_processor cpu (
        .aclk(aclk), .awvalid(awvalid), .awready(awready), .awaddr(awaddr), .wvalid(wvalid), .wready(wready),
        .wdata(wdata), .bvalid(bvalid), .bready(bready), .bresp(bresp), .arvalid(arvalid), .arready(arready),
        .araddr(araddr), .rvalid(rvalid), .rready(rready), .rdata(rdata), .rresp(rresp));
    // the stream
    reg         tvalid, tlast;
    reg  [127:0] tdata;
    reg  [31:0] tuser;
    wire        tready;
    // memory
    wire        m_awvalid, m_wvalid, m_wlast, m_bready, m_arvalid, m_rready, m_awready, m_wready, m_bvalid, m_arready;
    wire        m_rvalid, m_rlast, m_awid, m_arid, m_bid, m_rid, irq;
    wire [39:0] m_awaddr, m_araddr;
    wire [7:0]  m_awlen, m_arlen;
    wire [127:0] m_wdata, m_rdata;
    wire [15:0] m_wstrb;
    axi_memory #(.BASE(BASE), .BYTES(4096 * PAGES)) memory (
        .aclk(aclk), .aresetn(aresetn), .awvalid(m_awvalid), .awready(m_awready), .awid(m_awid), .awaddr(m_awaddr),
        .awlen(m_awlen), .wvalid(m_wvalid), .wready(m_wready), .wdata(m_wdata), .wstrb(m_wstrb), .wlast(m_wlast),
        .bvalid(m_bvalid), .bready(m_bready), .bid(m_bid), .arvalid(m_arvalid), .arready(m_arready), .arid(m_arid),
        .araddr(m_araddr), .arlen(m_arlen), .rvalid(m_rvalid), .rready(m_rready), .rid(m_rid), .rdata(m_rdata),
        .rlast(m_rlast));
    wire [191:0] txd;
    wire [23:0] txc;
    reg  [191:0] rxd;
    reg  [23:0] rxc;
    wire [5:0]  room;
    reg  [9:0]  link_time;

    qpace_axi #(.LINK_CLOCKS(1)) dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awaddr(awaddr), .s_axi_awprot(3'd0),
        .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(wdata), .s_axi_wstrb(4'hF),
        .s_axi_bvalid(bvalid), .s_axi_bready(bready), .s_axi_bresp(bresp),
        .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(araddr), .s_axi_arprot(3'd0),
        .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rdata(rdata), .s_axi_rresp(rresp),
        .s_axis_tvalid(tvalid), .s_axis_tready(tready), .s_axis_tdata(tdata), .s_axis_tlast(tlast),
        .s_axis_tuser(tuser), .link_room(room),
        .m_axi_awid(m_awid), .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen), .m_axi_awsize(), .m_axi_awburst(),
        .m_axi_awlock(), .m_axi_awcache(), .m_axi_awprot(), .m_axi_awqos(),
        .m_axi_awvalid(m_awvalid), .m_axi_awready(m_awready),
        .m_axi_wdata(m_wdata), .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast), .m_axi_wvalid(m_wvalid),
        .m_axi_wready(m_wready), .m_axi_bid(m_bid), .m_axi_bresp(2'd0), .m_axi_bvalid(m_bvalid),
        .m_axi_bready(m_bready), .m_axi_arid(m_arid), .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen),
        .m_axi_arsize(), .m_axi_arburst(), .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(), .m_axi_arqos(),
        .m_axi_arvalid(m_arvalid), .m_axi_arready(m_arready), .m_axi_rid(m_rid), .m_axi_rdata(m_rdata),
        .m_axi_rresp(2'd0), .m_axi_rlast(m_rlast), .m_axi_rvalid(m_rvalid), .m_axi_rready(m_rready), .irq(irq),
        .link_clk(link_clk), .link_reset(6'd0), .link_beat(link_time[9]), .xgmii_txd(txd), .xgmii_txc(txc),
        .xgmii_rxd(rxd), .xgmii_rxc(rxc), .tx_pause(6'd0), .signal_out(), .signal_in(2'd0), .phy_select(),
        .io_clk(link_clk), .eth_rx_clk(link_clk), .uart_rxd(2'd3), .uart_txd(), .rgmii_txd(), .rgmii_tx_ctl(),
        .rgmii_rxd(4'd0), .rgmii_rx_ctl(1'b0), .io_irq(), .obs_state());

    integer i;
    always @(posedge link_clk) begin
        link_time <= aresetn ? link_time + 10'd1 : 10'd0;
        for (i = 0; i < 6; i = i + 1) begin
            rxd[32*i +: 32] <= aresetn ? txd[32*(i ^ 1) +: 32] : 32'h07070707;
            rxc[4*i +: 4]   <= aresetn ? txc[4*(i ^ 1) +: 4] : 4'hF;
        end
    end

    // nothing unknown leaves it
    always @(posedge aclk) begin
        checked <= aresetn;
        if (aresetn && checked === 1'b1) begin
            if (^{awready, wready, arready, bvalid, rvalid, tready, irq} === 1'bx)
                fail("a valid or a ready is unknown");
            if ((bvalid && ^bresp === 1'bx) || (rvalid && ^{rresp, rdata} === 1'bx))
                fail("an answer is unknown");
        end
    end

    task set(input [14:0] address, input [31:0] value);
        begin
            cpu.write(address, value);
            if (cpu.response !== 2'd0)
                fail("a register that is written is refused");
        end
    endtask
    task line(input [31:0] offset, input integer beats);
        integer n;
        begin
            for (n = 0; n < beats; n = n + 1) begin
                tvalid <= 1'b1;
                tuser <= {4'd0, 3'd0, 3'd2, offset[14:0], 7'd0};      // link 0, channel 2
                tdata <= {4{offset + 32'h11000000 * n}};
                tlast <= n == 7;
                @(posedge aclk);
                while (!tready) @(posedge aclk);
            end
            tvalid <= 1'b0;
            tdata <= 128'dx;
            tuser <= 32'dx;
            tlast <= 1'bx;
        end
    endtask
    task credit(input [31:0] base, input [31:0] packets);
        begin                                                          // of link 1, channel 2
            set(4 * (`QPACE_NWP_BASE + 12'h28), base);
            set(4 * (`QPACE_NWP_CREDIT_OFFSET + 12'h28), 32'd0);
            set(4 * (`QPACE_NWP_CREDIT_POST + 12'h28), packets);
        end
    endtask
    task bring_up;
        begin
            cpu.read(4 * `QPACE_NWP_LINK_STATUS);
            if (cpu.response !== 2'd2)
                fail("a register of a node in reset answers");
            set(OWN + 4 * `BUS_CONTROL_BASE_LOW, BASE[31:0]);
            set(OWN + 4 * `BUS_CONTROL_BASE_HIGH, {24'd0, BASE[39:32]});
            set(OWN + 4 * `BUS_CONTROL_PAGES, PAGES);
            set(OWN + 4 * `BUS_CONTROL_CONTROL, 32'd0);
            cpu.answer = 32'd1;
            while (cpu.answer[0]) cpu.read(OWN + 4 * `BUS_CONTROL_CONTROL);
            for (i_link = 0; i_link < 2; i_link = i_link + 1) begin
                set(4 * (`QPACE_NWP_LINK_WINDOW + 64 * i_link + `QPACE_LINK_NODE), 32'd1);
                set(4 * (`QPACE_NWP_LINK_WINDOW + 64 * i_link + `QPACE_LINK_EPOCH), 32'd1);
                set(4 * (`QPACE_NWP_LINK_WINDOW + 64 * i_link + `QPACE_LINK_CONTROL), 32'd1);
            end
            while (cpu.answer[1:0] != 2'd3) cpu.read(4 * `QPACE_NWP_LINK_STATUS);
            set(4 * `QPACE_NWP_NOTIFY_BASE, NOTICES);
            set(4 * `QPACE_NWP_NOTIFY_CONTROL, 32'd1);
        end
    endtask
    integer i_link;

    // four lines, and the notification behind them
    task message;
        integer n, at;
        begin
            at = 128 * NOTICES + 128 + 32;                             // link 1, channel 2
            for (n = 0; n < 16; n = n + 1)
                memory.bytes[at + n] = 8'd0;
            credit(LINES, 32'd4);
            for (n = 0; n < 4; n = n + 1)
                line(n, 8);
            while (memory.bytes[at] === 8'd0) @(posedge aclk);
            for (n = 0; n < 4 * 128; n = n + 1)
                if (memory.bytes[128 * LINES + n]
                    !== ((n / 128 + 32'h11000000 * (n / 16 % 8)) >> (8 * (n % 4)) & 8'hFF))
                    fail("memory is not what was sent");
        end
    endtask

    initial begin
        cpu.quiet;
        tvalid = 1'b0;
        aresetn = 1'b0;
        repeat (20) @(posedge aclk);
        aresetn <= 1'b1;
        @(posedge aclk);
        bring_up;
        message;
        message;
        if (irq !== 1'b0)
            fail("an interrupt without a reason");
        cpu.write(15'h7000, 32'd0);
        if (cpu.response !== 2'd3)
            fail("a register that is nowhere");
        cpu.read(15'h5000);
        if (cpu.response !== 2'd3)
            fail("a register that is nowhere");
        // out of its memory: the line; and nothing is told behind it
        memory.bytes[128 * NOTICES + 128 + 32] = 8'd0;
        credit(BEYOND, 32'd1);
        line(0, 8);
        while (irq !== 1'b1) @(posedge aclk);
        cpu.read(OWN + 4 * `BUS_CONTROL_ERROR);
        if (cpu.answer !== 32'd2)
            fail("a write out of range is another error");
        cpu.read(OWN + 4 * `BUS_CONTROL_ERROR_LOW);
        if (cpu.answer !== 128 * BEYOND)
            fail("a write out of range is elsewhere");
        cpu.read(4 * `QPACE_NWP_LINK_STATUS);
        if (cpu.response !== 2'd2)
            fail("a register is read behind a write that is lost");
        repeat (1000) @(posedge aclk);
        if (memory.bytes[128 * NOTICES + 128 + 32] !== 8'd0)
            fail("a line that is lost is notified");
        // the node anew
        cpu.hold(OWN, 32'd2);
        if (cpu.refused)
            fail("a register that is written is refused");
        bring_up;
        // a reset in mid-burst
        credit(LINES, 32'd4);
        line(0, 8);
        line(1, 5);
        while (!(m_wvalid && memory.w_beat > 8'd1)) @(posedge aclk);
        aresetn <= 1'b0;
        cpu.quiet;
        tvalid <= 1'b0;
        repeat (20) @(posedge aclk);
        aresetn <= 1'b1;
        @(posedge aclk);
        bring_up;
        message;
        if (failures + memory.failures == 0)
            $display("PASSED: %0d bursts, %0d cycles", memory.bursts, $time / 4800);
        $finish_and_return((failures + memory.failures) != 0);
    end

    initial begin
        repeat (LIMIT) @(posedge aclk);
        $display("FAILED: not done after %0d cycles", LIMIT);
        $finish_and_return(1);
    end
endmodule
`default_nettype wire
