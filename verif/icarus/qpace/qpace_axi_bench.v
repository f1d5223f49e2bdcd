// SPDX-License-Identifier: Apache-2.0
// Four-state test bench: a QPACE network processor behind AXI (qpace_axi), its links connected in pairs. Every register
// is unknown at first. Over AXI4-Lite software says where memory is, brings links up and posts credits; lines go in by
// AXI4-Stream, cross a link, and come out by AXI4 into a memory that stalls and answers late. Then: an address that is
// out of range, on either bus; a reset in mid-burst, and all once more. Prints PASSED, or FAILED and the reason.
//
//   +STALL=n  of 16 cycles, those in which a channel of the bus does nothing     +SEED=n
//
// run.py runs it with:
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

    integer failures, stall, seed;
    reg     aclk, link_clk, aresetn, checked;

    task fail(input [8*40-1:0] what);
        begin
            if (failures < 10)
                $display("FAILED: %0s, %0t ps", what, $time);
            failures = failures + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("STALL=%d", stall)) stall = 4;
        if (!$value$plusargs("SEED=%d", seed)) seed = 1;
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
    reg         awvalid, wvalid, arvalid, bready, rready;
    reg  [14:0] lite_address;
    reg  [31:0] lite_data, answer;
    reg  [1:0]  response;
    wire        awready, wready, arready, bvalid, rvalid;
    wire [1:0]  bresp, rresp;
    wire [31:0] rdata;
    // the stream
    reg         tvalid, tlast;
    reg  [127:0] tdata;
    reg  [31:0] tuser;
    wire        tready;
    // memory
    wire        m_awvalid, m_wvalid, m_wlast, m_bready, m_arvalid, m_rready, irq;
    reg         m_awready, m_wready, m_bvalid;
    reg         m_bid;
    wire        m_awid;
    wire [39:0] m_awaddr;
    wire [7:0]  m_awlen;
    wire [127:0] m_wdata;
    wire [15:0] m_wstrb;
    wire [191:0] txd;
    wire [23:0] txc;
    reg  [191:0] rxd;
    reg  [23:0] rxc;
    wire [5:0]  room;
    reg  [9:0]  link_time;

    qpace_axi #(.LINK_CLOCKS(1)) dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awaddr(lite_address), .s_axi_awprot(3'd0),
        .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(lite_data), .s_axi_wstrb(4'hF),
        .s_axi_bvalid(bvalid), .s_axi_bready(bready), .s_axi_bresp(bresp),
        .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(lite_address), .s_axi_arprot(3'd0),
        .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rdata(rdata), .s_axi_rresp(rresp),
        .s_axis_tvalid(tvalid), .s_axis_tready(tready), .s_axis_tdata(tdata), .s_axis_tlast(tlast),
        .s_axis_tuser(tuser), .link_room(room),
        .m_axi_awid(m_awid), .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen), .m_axi_awsize(), .m_axi_awburst(),
        .m_axi_awlock(), .m_axi_awcache(), .m_axi_awprot(), .m_axi_awqos(),
        .m_axi_awvalid(m_awvalid), .m_axi_awready(m_awready),
        .m_axi_wdata(m_wdata), .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast), .m_axi_wvalid(m_wvalid),
        .m_axi_wready(m_wready), .m_axi_bid(m_bid), .m_axi_bresp(2'd0), .m_axi_bvalid(m_bvalid),
        .m_axi_bready(m_bready), .m_axi_arid(), .m_axi_araddr(), .m_axi_arlen(), .m_axi_arsize(), .m_axi_arburst(),
        .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(), .m_axi_arqos(), .m_axi_arvalid(m_arvalid),
        .m_axi_arready(1'b0), .m_axi_rid(1'b0), .m_axi_rdata(128'dx), .m_axi_rresp(2'd0), .m_axi_rlast(1'b0),
        .m_axi_rvalid(1'b0), .m_axi_rready(m_rready), .irq(irq),
        .link_clk(link_clk), .link_reset(6'd0), .link_beat(link_time[9]), .xgmii_txd(txd), .xgmii_txc(txc),
        .xgmii_rxd(rxd), .xgmii_rxc(rxc), .signal_out(), .signal_in(2'd0), .phy_select(),
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

    // Memory: one burst at a time; it takes effect with its answer.
    reg  [7:0]   memory [0:65535];
    reg  [127:0] burst_data [0:7];
    reg  [39:0]  burst_address, address_held;
    reg  [7:0]   burst_length;
    reg          aw_taken, w_taken, aw_held, id;
    reg  [3:0]   burst_beat;
    integer      bursts, k, byte_number;
    function does(input integer unused);
        does = ($random(seed) & 15) >= stall;
    endfunction
    always @(posedge aclk) begin
        m_awready <= does(0);
        m_wready  <= does(0);
        if (m_awvalid && m_awready) begin
            if (aw_taken)
                fail("an address before the answer's turn");
            aw_taken      <= 1'b1;
            burst_address <= m_awaddr;
            burst_length  <= m_awlen;
            id            <= m_awid;
            m_awready     <= 1'b0;
            if (m_awaddr < BASE || m_awaddr + 16 * m_awlen + 15 >= BASE + 4096 * PAGES)
                fail("a burst outside of the node's memory");
            if (m_awaddr[11:0] + 16 * m_awlen > 4095)
                fail("a burst across 4 KiB");
        end
        if (m_wvalid && m_wready) begin
            burst_data[burst_beat[2:0]] <= m_wdata;
            burst_beat <= burst_beat + 4'd1;
            if (m_wlast) begin
                w_taken  <= 1'b1;
                m_wready <= 1'b0;
            end
            if (m_wstrb !== 16'hFFFF)
                fail("WSTRB of whole beats");
        end
        if (w_taken)
            m_wready <= 1'b0;
        if (aw_taken)
            m_awready <= 1'b0;
        m_bvalid <= m_bvalid && !m_bready;
        if (aw_taken && w_taken && !m_bvalid && does(0)) begin
            if ({4'd0, burst_beat} !== burst_length + 8'd1)
                fail("a burst of another length than AWLEN");
            for (k = 0; k < burst_beat; k = k + 1)
                for (byte_number = 0; byte_number < 16; byte_number = byte_number + 1)
                    memory[(burst_address - BASE + 16 * k + byte_number) & 65535]
                        = burst_data[k] >> (8 * byte_number);
            bursts     = bursts + 1;
            aw_taken   <= 1'b0;
            w_taken    <= 1'b0;
            burst_beat <= 4'd0;
            m_bvalid   <= 1'b1;
            m_bid      <= id;
        end
        aw_held      <= m_awvalid && !m_awready && aresetn;
        address_held <= m_awaddr;
        if (aw_held === 1'b1 && aresetn && (m_awvalid !== 1'b1 || m_awaddr !== address_held))
            fail("an address changed while it waited");
        if (!aresetn) begin
            aw_taken   <= 1'b0;
            w_taken    <= 1'b0;
            burst_beat <= 4'd0;
            m_bvalid   <= 1'b0;
            m_awready  <= 1'b0;
            m_wready   <= 1'b0;
        end
    end

    // nothing unknown leaves it
    always @(posedge aclk) begin
        checked <= aresetn;
        if (aresetn && checked) begin
            if (^{awready, wready, arready, bvalid, rvalid, m_awvalid, m_wvalid, m_bready, m_arvalid, m_rready, tready,
                  irq} === 1'bx)
                fail("a valid or a ready is unknown");
            if (m_awvalid && ^{m_awaddr, m_awlen, m_awid} === 1'bx)
                fail("AW is unknown");
            if (m_wvalid && ^{m_wdata, m_wstrb, m_wlast} === 1'bx)
                fail("W is unknown");
            if ((bvalid && ^bresp === 1'bx) || (rvalid && ^{rresp, rdata} === 1'bx))
                fail("an answer is unknown");
            if (m_arvalid)
                fail("nobody reads");
        end
        if (aresetn && checked === 1'b0 && (m_awvalid !== 1'b0 || m_wvalid !== 1'b0 || bvalid !== 1'b0))
            fail("a valid right after reset");
    end

    task write(input [14:0] address, input [31:0] value);
        begin
            awvalid <= 1'b1;
            wvalid <= 1'b1;
            lite_address <= address;
            lite_data <= value;
            bready <= 1'b1;
            @(posedge aclk);
            while (awvalid || wvalid || !bvalid) begin
                if (awready) awvalid <= 1'b0;
                if (wready) wvalid <= 1'b0;
                @(posedge aclk);
            end
            response = bresp;
            bready <= 1'b0;
            lite_address <= 15'dx;
            lite_data <= 32'dx;
        end
    endtask
    task read(input [14:0] address);
        begin
            arvalid <= 1'b1;
            lite_address <= address;
            rready <= 1'b1;
            @(posedge aclk);
            while (arvalid || !rvalid) begin
                if (arready) arvalid <= 1'b0;
                @(posedge aclk);
            end
            response = rresp;
            answer = rdata;
            rready <= 1'b0;
            lite_address <= 15'dx;
        end
    endtask
    task set(input [14:0] address, input [31:0] value);
        begin
            write(address, value);
            if (response !== 2'd0)
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
            read(4 * `QPACE_NWP_LINK_STATUS);
            if (response !== 2'd2)
                fail("a register of a node in reset answers");
            set(OWN + 4 * `BUS_CONTROL_BASE_LOW, BASE[31:0]);
            set(OWN + 4 * `BUS_CONTROL_BASE_HIGH, {24'd0, BASE[39:32]});
            set(OWN + 4 * `BUS_CONTROL_PAGES, PAGES);
            set(OWN + 4 * `BUS_CONTROL_CONTROL, 32'd0);
            answer = 32'd1;
            while (answer[0]) read(OWN + 4 * `BUS_CONTROL_CONTROL);
            for (i_link = 0; i_link < 2; i_link = i_link + 1) begin
                set(4 * (`QPACE_NWP_LINK_WINDOW + 64 * i_link + `QPACE_LINK_NODE), 32'd1);
                set(4 * (`QPACE_NWP_LINK_WINDOW + 64 * i_link + `QPACE_LINK_EPOCH), 32'd1);
                set(4 * (`QPACE_NWP_LINK_WINDOW + 64 * i_link + `QPACE_LINK_CONTROL), 32'd1);
            end
            while (answer[1:0] != 2'd3) read(4 * `QPACE_NWP_LINK_STATUS);
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
                memory[at + n] = 8'd0;
            credit(LINES, 32'd4);
            for (n = 0; n < 4; n = n + 1)
                line(n, 8);
            while (memory[at] === 8'd0) @(posedge aclk);
            for (n = 0; n < 4 * 128; n = n + 1)
                if (memory[128 * LINES + n] !== ((n / 128 + 32'h11000000 * (n / 16 % 8)) >> (8 * (n % 4)) & 8'hFF))
                    fail("memory is not what was sent");
        end
    endtask

    initial begin
        bursts = 0;
        {awvalid, wvalid, arvalid, bready, rready, tvalid} = 6'd0;
        aresetn = 1'b0;
        repeat (20) @(posedge aclk);
        aresetn <= 1'b1;
        @(posedge aclk);
        bring_up;
        message;
        message;
        if (irq !== 1'b0)
            fail("an interrupt without a reason");
        write(15'h7000, 32'd0);
        if (response !== 2'd3)
            fail("a register that is nowhere");
        read(15'h5000);
        if (response !== 2'd3)
            fail("a register that is nowhere");
        // out of its memory: the line, and not the notification
        credit(BEYOND, 32'd1);
        line(0, 8);
        while (irq !== 1'b1) @(posedge aclk);
        read(OWN + 4 * `BUS_CONTROL_ERROR);
        if (answer !== 32'd2)
            fail("a write out of range is another error");
        read(OWN + 4 * `BUS_CONTROL_ERROR_LOW);
        if (answer !== 128 * BEYOND)
            fail("a write out of range is elsewhere");
        // a reset in mid-burst
        credit(LINES, 32'd4);
        line(0, 8);
        line(1, 5);
        while (!(m_wvalid && burst_beat > 4'd1)) @(posedge aclk);
        aresetn <= 1'b0;
        {awvalid, wvalid, arvalid, bready, rready, tvalid} <= 6'd0;
        repeat (20) @(posedge aclk);
        aresetn <= 1'b1;
        @(posedge aclk);
        bring_up;
        message;
        if (failures == 0)
            $display("PASSED: %0d bursts, %0d cycles", bursts, $time / 4800);
        $finish;
    end

    initial begin
        repeat (LIMIT) @(posedge aclk);
        $display("FAILED: not done after %0d cycles", LIMIT);
        $finish;
    end
endmodule
`default_nettype wire
