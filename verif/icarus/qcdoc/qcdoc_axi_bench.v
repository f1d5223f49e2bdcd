// SPDX-License-Identifier: Apache-2.0
// Four-state test bench: a QCDOC unit behind AXI (qcdoc_axi), links 0 and 1 connected with one another. Every register
// is unknown at first. Over AXI4-Lite software says where memory is, brings the links up, stores instructions and
// starts a send and a receive each way; who reads DONE finds the words in memory, though it stalls and takes a write
// only with its answer. Then: a receive beyond its memory, the node anew, a reset in mid-transfer, a read that the bus
// refuses, of which no word goes anywhere, a write that it refuses, and all once more. Prints PASSED, or FAILED and the
// reason.
//
//   +STALL=n  of 16 cycles, those in which a channel of the bus does nothing     +SEED=n
//
// run.py runs it with:
//   sources: verif/icarus/bus/model/*.v
//   run: +STALL=0
//   run: +STALL=13 +SEED=5
`default_nettype none
`include "bus_control_regs.vh"
`include "qcdoc_scu_regs.vh"
`include "qcdoc_link_regs.vh"
module qcdoc_axi_bench;
    localparam        LIMIT = 60000;                  // cycles of aclk
    localparam [39:0] BASE  = 40'h00_4002_0000;
    localparam [31:0] PAGES = 16;
    localparam [14:0] OWN   = 15'h4000;               // registers of the buses
    localparam        WORDS = 24;

    integer failures;
    reg     aclk, aresetn, checked, refuse_read, refuse_write;

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
        forever #1000 aclk = !aclk;
    end

    wire        awvalid, wvalid, arvalid, bready, rready, awready, wready, arready, bvalid, rvalid;
    wire [14:0] awaddr, araddr;
    wire [31:0] wdata, rdata;
    wire [1:0]  bresp, rresp;
    axi_processor cpu (
        .aclk(aclk), .awvalid(awvalid), .awready(awready), .awaddr(awaddr), .wvalid(wvalid), .wready(wready),
        .wdata(wdata), .bvalid(bvalid), .bready(bready), .bresp(bresp), .arvalid(arvalid), .arready(arready),
        .araddr(araddr), .rvalid(rvalid), .rready(rready), .rdata(rdata), .rresp(rresp));

    wire        m_awvalid, m_wvalid, m_wlast, m_bready, m_arvalid, m_rready, m_awready, m_wready, m_bvalid, m_arready;
    wire        m_rvalid, m_rlast, m_awid, m_arid, m_bid, m_rid, irq;
    wire [39:0] m_awaddr, m_araddr;
    wire [7:0]  m_awlen, m_arlen, m_wstrb;
    wire [63:0] m_wdata, m_rdata;
    axi_memory #(.DATA_WIDTH(64), .BASE(BASE), .BYTES(4096 * PAGES)) memory (
        .aclk(aclk), .aresetn(aresetn), .awvalid(m_awvalid), .awready(m_awready), .awid(m_awid), .awaddr(m_awaddr),
        .awlen(m_awlen), .wvalid(m_wvalid), .wready(m_wready), .wdata(m_wdata), .wstrb(m_wstrb), .wlast(m_wlast),
        .bvalid(m_bvalid), .bready(m_bready), .bid(m_bid), .arvalid(m_arvalid), .arready(m_arready), .arid(m_arid),
        .araddr(m_araddr), .arlen(m_arlen), .rvalid(m_rvalid), .rready(m_rready), .rid(m_rid), .rdata(m_rdata),
        .rlast(m_rlast));

    wire [11:0] serial_out;
    reg  [11:0] serial_in;
    qcdoc_axi dut (
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
        .m_axi_wready(m_wready), .m_axi_bid(m_bid), .m_axi_bresp({refuse_write, 1'b0}), .m_axi_bvalid(m_bvalid),
        .m_axi_bready(m_bready), .m_axi_arid(m_arid), .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen),
        .m_axi_arsize(), .m_axi_arburst(), .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(), .m_axi_arqos(),
        .m_axi_arvalid(m_arvalid), .m_axi_arready(m_arready), .m_axi_rid(m_rid), .m_axi_rdata(m_rdata),
        .m_axi_rresp({refuse_read, 1'b0}), .m_axi_rlast(m_rlast), .m_axi_rvalid(m_rvalid), .m_axi_rready(m_rready),
        .irq(irq),
        .global_count(16'd0), .serial_out(serial_out), .serial_in(serial_in), .obs_state());

    always @(posedge aclk)
        serial_in <= {10'd0, serial_out[0], serial_out[1]};

    // nothing unknown leaves it
    always @(posedge aclk) begin
        checked <= aresetn;
        if (aresetn && checked === 1'b1) begin
            if (^{awready, wready, arready, bvalid, rvalid, irq} === 1'bx)
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
    integer words;                                    // of an instruction
    task instruction(input integer engine, input [31:0] address);
        integer at;
        begin
            at = 4 * (`QCDOC_SCU_DMA_ADDRESS + 64 * engine);
            set(at, address);
            set(at + 4, {16'd1, 16'd0} | words);
            set(at + 8, 8 * words);
            set(at + 12, 32'd0);
        end
    endtask
    integer i;
    task bring_up;
        begin
            cpu.read(4 * `QCDOC_SCU_LINK_STATUS);
            if (cpu.response !== 2'd2)
                fail("a register of a node in reset answers");
            set(OWN + 4 * `BUS_CONTROL_BASE_LOW, BASE[31:0]);
            set(OWN + 4 * `BUS_CONTROL_BASE_HIGH, {24'd0, BASE[39:32]});
            set(OWN + 4 * `BUS_CONTROL_PAGES, PAGES);
            set(OWN + 4 * `BUS_CONTROL_CONTROL, 32'd0);
            cpu.answer = 32'd1;
            while (cpu.answer[0]) cpu.read(OWN + 4 * `BUS_CONTROL_CONTROL);
            for (i = 0; i < 2; i = i + 1)
                set(4 * (`QCDOC_SCU_LINK_WINDOW + 32 * i + `QCDOC_LINK_CONTROL), 32'd1);
            while (cpu.answer[1:0] !== 2'd3) cpu.read(4 * `QCDOC_SCU_LINK_STATUS);
        end
    endtask

    // words from 0x1000 by link 0 to 0x2000 from link 1, and from 0x3000 by link 1 to 0x4000 from link 0
    task both_ways;
        begin
            for (i = 0; i < 8 * WORDS; i = i + 1) begin
                memory.bytes[16'h1000 + i] = $random(memory.seed);
                memory.bytes[16'h3000 + i] = $random(memory.seed);
                memory.bytes[16'h2000 + i] = 8'dx;
                memory.bytes[16'h4000 + i] = 8'dx;
            end
            instruction(0, 32'h1000);
            instruction(13, 32'h2000);
            instruction(1, 32'h3000);
            instruction(12, 32'h4000);
            set(4 * `QCDOC_SCU_START, 32'h3003);
            cpu.answer = 32'd0;
            while (cpu.answer !== 32'h3003) cpu.read(4 * `QCDOC_SCU_DONE);
            // now, and not later
            for (i = 0; i < 8 * WORDS; i = i + 1)
                if (memory.bytes[16'h2000 + i] !== memory.bytes[16'h1000 + i]
                    || memory.bytes[16'h4000 + i] !== memory.bytes[16'h3000 + i])
                    fail("memory is not what was sent");
            set(4 * `QCDOC_SCU_DONE, 32'h3003);
        end
    endtask

    // a transfer from 0x1000 to 0x2000 of which the bus refuses the reading, or the writing; and the node anew
    task refused(input writing);
        begin
            for (i = 0; i < 8 * WORDS; i = i + 1)
                memory.bytes[16'h2000 + i] = 8'h5A;
            instruction(0, 32'h1000);
            instruction(13, 32'h2000);
            set(4 * `QCDOC_SCU_START, 32'h2001);
            if (writing)
                while (!(m_awvalid && m_awready)) @(posedge aclk);
            else
                while (!(m_arvalid && m_arready)) @(posedge aclk);
            refuse_read  <= !writing;
            refuse_write <= writing;
            while (irq !== 1'b1) @(posedge aclk);
            refuse_read  <= 1'b0;
            refuse_write <= 1'b0;
            cpu.read(OWN + 4 * `BUS_CONTROL_ERROR);
            if (cpu.answer !== (writing ? 32'd8 : 32'd4))
                fail("a refusal is another error");
            repeat (2000) @(posedge aclk);
            for (i = 0; i < 8 * WORDS; i = i + 1)
                if (!writing && memory.bytes[16'h2000 + i] !== 8'h5A)
                    fail("a word that was not read has gone");
            cpu.read(4 * `QCDOC_SCU_DONE);
            if (cpu.response !== 2'd2)
                fail("a register is read behind a refusal");
            cpu.hold(OWN, writing ? 32'd8 : 32'd4);
            if (cpu.refused)
                fail("a register that is written is refused");
            bring_up;
        end
    endtask

    initial begin
        cpu.quiet;
        words        = WORDS;
        refuse_read  = 1'b0;
        refuse_write = 1'b0;
        aresetn = 1'b0;
        repeat (20) @(posedge aclk);
        aresetn <= 1'b1;
        @(posedge aclk);
        bring_up;
        both_ways;
        both_ways;
        if (irq !== 1'b0)
            fail("an interrupt without a reason");
        cpu.read(15'h5000);
        if (cpu.response !== 2'd3)
            fail("a register that is nowhere");
        // beyond its memory
        instruction(0, 32'h1000);
        instruction(13, 4096 * PAGES);
        set(4 * `QCDOC_SCU_START, 32'h2001);
        while (irq !== 1'b1) @(posedge aclk);
        cpu.read(OWN + 4 * `BUS_CONTROL_ERROR);
        if (cpu.answer !== 32'd2)
            fail("a write out of range is another error");
        cpu.read(OWN + 4 * `BUS_CONTROL_ERROR_LOW);
        if (cpu.answer !== 4096 * PAGES)
            fail("a write out of range is elsewhere");
        cpu.read(4 * `QCDOC_SCU_DONE);
        if (cpu.response !== 2'd2)
            fail("a register is read behind a write that is lost");
        // the node anew
        cpu.hold(OWN, 32'd2);
        if (cpu.refused)
            fail("a register that is written is refused");
        bring_up;
        // a reset while it transfers
        instruction(0, 32'h1000);
        instruction(13, 32'h2000);
        set(4 * `QCDOC_SCU_START, 32'h2001);
        while (!m_arvalid) @(posedge aclk);
        aresetn <= 1'b0;
        cpu.quiet;
        repeat (20) @(posedge aclk);
        aresetn <= 1'b1;
        @(posedge aclk);
        bring_up;
        words = 2;                                    // so that no other read stands behind
        refused(1'b0);
        refused(1'b1);
        words = WORDS;
        both_ways;
        if (failures + memory.failures == 0)
            $display("PASSED: %0d bursts, %0d cycles", memory.bursts, $time / 2000);
        $finish_and_return((failures + memory.failures) != 0);
    end

    initial begin
        repeat (LIMIT) @(posedge aclk);
        $display("FAILED: not done after %0d cycles", LIMIT);
        $finish_and_return(1);
    end
endmodule
`default_nettype wire
