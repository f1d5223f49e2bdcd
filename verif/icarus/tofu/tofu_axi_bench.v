// SPDX-License-Identifier: Apache-2.0
// Four-state test bench: a Tofu controller behind AXI (tofu_axi), its links idle. Every register is unknown at first.
// Over AXI4-Lite software says where memory is and sets two network interfaces up; interface 0 puts bytes into the
// memory of interface 1, all in one node: commands, tags, payload, completion and notice go over AXI4. Who finds the
// notice in memory finds the payload there, though memory stalls and takes a write only with its answer, and no byte
// beside it was written. Then: a put beyond the node's memory, a reset in the middle of a put, payload whose reading
// or writing the bus refuses, of which nobody is told that it is done, and all once more.
// Prints PASSED, or FAILED and the reason.
//
//   +STALL=n  of 16 cycles, those in which a channel of the bus does nothing     +SEED=n
//
// run.py runs it with:
//   sources: verif/icarus/bus/model/*.v
//   run: +STALL=0
//   run: +STALL=12 +SEED=5
`default_nettype none
`include "bus_control_regs.vh"
`include "tofu_icc_regs.vh"
`include "tofu_tni_regs.vh"
module tofu_axi_bench;
    localparam        LIMIT = 60000;                  // cycles of aclk
    localparam [39:0] BASE  = 40'h00_4002_0000;
    localparam [31:0] PAGES = 16;
    localparam [18:0] OWN   = 19'h40000;              // registers of the buses
    localparam        BYTES = 701, FROM = 3, TO = 9;  // of a put, and its offsets

    integer failures;
    reg     aclk, aresetn, checked;
    reg     refuse_read, refuse_write;                // of interface 0, of interface 1

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
        forever #1600 aclk = !aclk;
    end

    wire        awvalid, wvalid, arvalid, bready, rready, awready, wready, arready, bvalid, rvalid;
    wire [18:0] awaddr, araddr;
    wire [31:0] wdata, rdata;
    wire [1:0]  bresp, rresp;
    axi_processor #(.ADDRESS_WIDTH(19)) cpu (
        .aclk(aclk), .awvalid(awvalid), .awready(awready), .awaddr(awaddr), .wvalid(wvalid), .wready(wready),
        .wdata(wdata), .bvalid(bvalid), .bready(bready), .bresp(bresp), .arvalid(arvalid), .arready(arready),
        .araddr(araddr), .rvalid(rvalid), .rready(rready), .rdata(rdata), .rresp(rresp));

    wire        m_awvalid, m_wvalid, m_wlast, m_bready, m_arvalid, m_rready, m_awready, m_wready, m_bvalid, m_arready;
    wire        m_rvalid, m_rlast, irq;
    wire [3:0]  m_awid, m_arid, m_bid, m_rid;
    wire [39:0] m_awaddr, m_araddr;
    wire [7:0]  m_awlen, m_arlen;
    wire [15:0] m_wstrb;
    wire [127:0] m_wdata, m_rdata;
    axi_memory #(.ID_WIDTH(4), .BASE(BASE), .BYTES(4096 * PAGES)) memory (
        .aclk(aclk), .aresetn(aresetn), .awvalid(m_awvalid), .awready(m_awready), .awid(m_awid), .awaddr(m_awaddr),
        .awlen(m_awlen), .wvalid(m_wvalid), .wready(m_wready), .wdata(m_wdata), .wstrb(m_wstrb), .wlast(m_wlast),
        .bvalid(m_bvalid), .bready(m_bready), .bid(m_bid), .arvalid(m_arvalid), .arready(m_arready), .arid(m_arid),
        .araddr(m_araddr), .arlen(m_arlen), .rvalid(m_rvalid), .rready(m_rready), .rid(m_rid), .rdata(m_rdata),
        .rlast(m_rlast));

    wire [1279:0] txd;
    wire [159:0]  txc;
    tofu_axi dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awaddr(awaddr), .s_axi_awprot(3'd0),
        .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(wdata), .s_axi_wstrb(4'hF),
        .s_axi_bvalid(bvalid), .s_axi_bready(bready), .s_axi_bresp(bresp),
        .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(araddr), .s_axi_arprot(3'd0),
        .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rdata(rdata), .s_axi_rresp(rresp),
        .m_axi_awid(m_awid), .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen), .m_axi_awsize(), .m_axi_awburst(),
        .m_axi_awlock(), .m_axi_awcache(), .m_axi_awprot(), .m_axi_awqos(),
        .m_axi_awvalid(m_awvalid), .m_axi_awready(m_awready),
        .m_axi_wdata(m_wdata), .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast), .m_axi_wvalid(m_wvalid),
        .m_axi_wready(m_wready), .m_axi_bid(m_bid), .m_axi_bresp({refuse_write && m_bid == 4'd1, 1'b0}),
        .m_axi_bvalid(m_bvalid),
        .m_axi_bready(m_bready), .m_axi_arid(m_arid), .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen),
        .m_axi_arsize(), .m_axi_arburst(), .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(), .m_axi_arqos(),
        .m_axi_arvalid(m_arvalid), .m_axi_arready(m_arready), .m_axi_rid(m_rid), .m_axi_rdata(m_rdata),
        .m_axi_rresp({refuse_read && m_rid == 4'd0, 1'b0}), .m_axi_rlast(m_rlast), .m_axi_rvalid(m_rvalid),
        .m_axi_rready(m_rready), .irq(irq),
        .txd(txd), .txc(txc), .rxd({160{8'h07}}), .rxc({160{1'b1}}), .obs_state());

    // nothing unknown leaves it
    always @(posedge aclk) begin
        checked <= aresetn;
        if (aresetn && checked === 1'b1) begin
            if (^{awready, wready, arready, bvalid, rvalid, irq, txd, txc} === 1'bx)
                fail("a valid, a ready or a link is unknown");
            if ((bvalid && ^bresp === 1'bx) || (rvalid && ^{rresp, rdata} === 1'bx))
                fail("an answer is unknown");
        end
    end

    task set(input [18:0] address, input [31:0] value);
        begin
            cpu.write(address, value);
            if (cpu.response !== 2'd0)
                fail("a register that is written is refused");
        end
    endtask
    task put_bytes(input integer at, input integer count, input [127:0] value);
        integer n;
        for (n = 0; n < count; n = n + 1)
            memory.bytes[at + n] = value >> (8 * n);
    endtask
    // a queue 0 of an interface, with rings of 4, and its table of one tag
    task tni(input integer number, input integer at, input [31:0] tag_base, input [31:0] tag_bytes);
        integer r;
        begin
            put_bytes(at, 16, {64'd0 | tag_bytes, 64'h000000000000FC0F});
            put_bytes(at + 16, 16, tag_base >> 4);
            r = 4 * (`TOFU_ICC_TNI_WINDOW + 256 * number);
            set(r + 4 * `TOFU_TNI_TABLE_BASE, at >> 4);
            set(r + 4 * `TOFU_TNI_TABLE_TAGS, 32'd1);
            set(r + 4 * `TOFU_TNI_QUEUE_COMMANDS, (at + 16'h100) >> 4);
            set(r + 4 * `TOFU_TNI_QUEUE_COMPLETIONS, (at + 16'h200) >> 4);
            set(r + 4 * `TOFU_TNI_QUEUE_NOTICES, (at + 16'h300) >> 4);
            set(r + 4 * `TOFU_TNI_QUEUE_CONTROL, {19'd0, 4'd2, 4'd2, 4'd2, 1'b1});
            set(r + 4 * `TOFU_TNI_CONTROL, 32'd1);
        end
    endtask
    integer i;
    task bring_up(input [31:0] target);
        begin
            cpu.read(4 * `TOFU_ICC_ID);
            if (cpu.response !== 2'd2)
                fail("a register of a node in reset answers");
            set(OWN + 4 * `BUS_CONTROL_BASE_LOW, BASE[31:0]);
            set(OWN + 4 * `BUS_CONTROL_BASE_HIGH, {24'd0, BASE[39:32]});
            set(OWN + 4 * `BUS_CONTROL_PAGES, PAGES);
            set(OWN + 4 * `BUS_CONTROL_CONTROL, 32'd0);
            cpu.answer = 32'd1;
            while (cpu.answer[0]) cpu.read(OWN + 4 * `BUS_CONTROL_CONTROL);
            for (i = 0; i < 65536; i = i + 1)
                memory.bytes[i] = 8'd0;
            tni(0, 32'h1000, 32'h4000, 32'h1000);
            tni(1, 32'h2000, target, 32'h1000);
        end
    endtask

    // command `number` of interface 0: so many bytes from FROM of its tag 0 to TO of interface 1's, with a notice there
    task command(input integer number, input integer count);
        begin
            put_bytes(16'h1100 + 64 * number, 16, {16'h1234, 24'd0, 24'd0 | count, 32'd0, 8'h40, 8'd0, 8'd3, 8'd1});
            put_bytes(16'h1100 + 64 * number + 16, 16, {24'd0, 40'd0 | TO, 24'd0, 40'd0 | FROM});
            set(4 * (`TOFU_ICC_TNI_WINDOW + `TOFU_TNI_QUEUE_PRODUCER), number + 1);
        end
    endtask
    task put(input integer number);
        reg [7:0] seen;
        begin
            for (i = 0; i < 1024; i = i + 1) begin
                memory.bytes[16'h4000 + i] = $random(memory.seed);
                memory.bytes[16'h8000 + i] = 8'h5A;
            end
            command(number, BYTES);
            seen = 8'd0;
            while (seen == 8'd0) begin
                @(posedge aclk);
                for (i = 0; i < 32; i = i + 1)
                    seen = seen | memory.bytes[16'h2300 + 32 * number + i];
            end
            // now, and not later
            for (i = 0; i < 1024; i = i + 1)
                if (memory.bytes[16'h8000 + i] !==
                    (i < TO || i >= TO + BYTES ? 8'h5A : memory.bytes[16'h4000 + FROM + i - TO]))
                    fail("memory is not what was sent");
            while (memory.bytes[16'h1203 + 16 * number] === 8'd0) @(posedge aclk);
            if (memory.bytes[16'h1202 + 16 * number] !== 8'd0)
                fail("a put did not end well");
        end
    endtask

    // A command of which nothing is done, since the bus refused something of that port; and a node set up anew.
    task refused(input [31:0] error, input [31:0] port);
        begin
            while (irq !== 1'b1) @(posedge aclk);
            refuse_read  <= 1'b0;
            refuse_write <= 1'b0;
            cpu.read(OWN + 4 * `BUS_CONTROL_ERROR);
            if (cpu.answer !== error)
                fail("a refusal is another error");
            cpu.read(OWN + 4 * `BUS_CONTROL_ERROR_PORT);
            if (cpu.answer !== port)
                fail("a refusal is another port's");
            cpu.read(4 * `TOFU_ICC_ID);
            if (cpu.response !== 2'd2)
                fail("a register is read behind a refusal");
            repeat (400) @(posedge aclk);
            for (i = 0; i < 16; i = i + 1)
                if (memory.bytes[16'h1200 + i] !== 8'd0)
                    fail("a put that was refused has ended");
            for (i = 0; i < 32; i = i + 1)
                if (memory.bytes[16'h2300 + i] !== 8'd0)
                    fail("a put that was refused has a notice");
            cpu.hold(OWN, error);
            if (cpu.refused)
                fail("a register that is written is refused");
            bring_up(32'h8000);
        end
    endtask

    initial begin
        cpu.quiet;
        refuse_read  = 1'b0;
        refuse_write = 1'b0;
        aresetn = 1'b0;
        repeat (20) @(posedge aclk);
        aresetn <= 1'b1;
        @(posedge aclk);
        bring_up(32'h8000);
        put(0);
        put(1);
        if (irq !== 1'b0)
            fail("an interrupt without a reason");
        cpu.read(19'h50000);
        if (cpu.response !== 2'd3)
            fail("a register that is nowhere");
        // a reset in mid-burst
        command(2, BYTES);
        while (!(m_wvalid && memory.w_beat > 8'd3)) @(posedge aclk);
        aresetn <= 1'b0;
        cpu.quiet;
        repeat (20) @(posedge aclk);
        aresetn <= 1'b1;
        @(posedge aclk);
        // beyond its memory
        bring_up(4096 * PAGES);
        command(0, BYTES);
        while (irq !== 1'b1) @(posedge aclk);
        cpu.read(OWN + 4 * `BUS_CONTROL_ERROR);
        if (cpu.answer !== 32'd2)
            fail("a write out of range is another error");
        cpu.read(OWN + 4 * `BUS_CONTROL_ERROR_LOW);
        if (cpu.answer !== 4096 * PAGES)
            fail("a write out of range is elsewhere");
        cpu.read(OWN + 4 * `BUS_CONTROL_ERROR_PORT);
        if (cpu.answer !== 32'd1)
            fail("a write out of range is another port's");
        // the node alone in reset, and all once more
        cpu.hold(OWN, 32'd2);
        if (cpu.refused)
            fail("a register that is written is refused");
        bring_up(32'h8000);
        // what the bus refuses; of the first one no other read stands behind
        command(0, 32);
        while (!(m_arvalid && m_arready && m_arid == 4'd0 && m_araddr[15:12] == 4'h4)) @(posedge aclk);
        refuse_read <= 1'b1;
        refused(32'd4, 32'd0);
        command(0, BYTES);
        while (!(m_awvalid && m_awready && m_awid == 4'd1 && m_awaddr[15:12] == 4'h8)) @(posedge aclk);
        refuse_write <= 1'b1;
        refused(32'd8, 32'd1);
        put(0);
        if (failures + memory.failures == 0)
            $display("PASSED: %0d bursts, %0d cycles", memory.bursts, $time / 3200);
        $finish_and_return((failures + memory.failures) != 0);
    end

    initial begin
        repeat (LIMIT) @(posedge aclk);
        $display("FAILED: not done after %0d cycles", LIMIT);
        $finish_and_return(1);
    end
endmodule
`default_nettype wire
