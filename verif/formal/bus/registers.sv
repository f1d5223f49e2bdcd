// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite in front of a register bus: answers stand (ARM IHI 0022E, A3.2.1), one for each request and none without
// (A3.3.1), DECERR exactly for addresses that are nowhere; the node's request stands until it is acknowledged; and each
// access is answered within so many cycles, whatever the node and its memory do: they may never answer; a read whose
// memory is lost is SLVERR.
// Environment: a manager that keeps what it offers. Resets at any time, of all or of the node.
`default_nettype none
module registers (
    input wire        clk,
    input wire        rst_any,
    input wire        node_rst,
    input wire        awvalid,
    input wire        wvalid,
    input wire        arvalid,
    input wire        bready,
    input wire        rready,
    input wire [9:0]  awaddr,
    input wire [9:0]  araddr,
    input wire [31:0] wdata,
    input wire [3:0]  wstrb,
    input wire        ack,
    input wire        refused,
    input wire [31:0] control_rdata,
    input wire        control_error,
    input wire        settled,
    input wire        lost
);
    localparam TIMEOUT = 4;
    localparam BOUND   = 4 * TIMEOUT + 12;            // a read's, behind another access, both as late as can be

    reg  started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    wire rst = rst_any || !started;

    wire        awready, wready, arready, bvalid, rvalid, reg_valid, reg_write, c_valid, c_write, mark, late, m_late;
    wire [1:0]  bresp, rresp;
    wire [31:0] rdata, reg_wdata, c_wdata;
    wire [4:0]  reg_address;
    wire [3:0]  c_address;
    axil_registers #(.ADDRESS_WIDTH(10), .REG_BITS(5), .TIMEOUT(TIMEOUT)) dut (
        .clk(clk), .rst(rst), .node_rst(node_rst),
        .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awaddr(awaddr),
        .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(wdata), .s_axi_wstrb(wstrb),
        .s_axi_bvalid(bvalid), .s_axi_bready(bready), .s_axi_bresp(bresp),
        .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(araddr),
        .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rdata(rdata), .s_axi_rresp(rresp),
        .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(ack && reg_valid), .reg_rdata(32'd0), .reg_error(refused),
        .control_valid(c_valid), .control_write(c_write), .control_address(c_address), .control_wdata(c_wdata),
        .control_rdata(control_rdata), .control_error(control_error),
        .mark(mark), .settled(settled), .lost(lost), .register_timeout(late), .memory_timeout(m_late));

    // requests that were taken and are not answered
    reg  [1:0]  aws, ws, ars;
    always @* assume (!(settled && lost));
    (* hierconn *) wire [1:0] \dut.state_reg ;
    reg         lost_reg;             // a read that waited for memory ends with that
    reg  [5:0]  waits_w, waits_r;
    reg  [9:0]  aw_place, ar_place, aw_second, ar_second;
    reg         past, b_held, r_held, reg_held;
    reg  [1:0]  b_old;
    reg  [33:0] r_old;
    reg  [37:0] reg_old;
    wire [37:0] reg_now = {reg_write, reg_address, reg_wdata};
    wire        b = bvalid && bready;
    wire        r = rvalid && rready;
    wire        aw_nowhere = aw_place[9:7] != 3'd0 && !(aw_place[9:7] == 3'd1 && !aw_place[6]);
    wire        ar_nowhere = ar_place[9:7] != 3'd0 && !(ar_place[9:7] == 3'd1 && !ar_place[6]);
    always @(posedge clk) begin
        past     <= !rst;
        lost_reg <= lost && \dut.state_reg == 2'd2;
        aws      <= aws + {1'b0, awvalid && awready} - {1'b0, b};
        ws       <= ws + {1'b0, wvalid && wready} - {1'b0, b};
        ars      <= ars + {1'b0, arvalid && arready} - {1'b0, r};
        // of the access that is answered next, and of the one behind it
        if (b)
            aw_place <= aw_second;
        if (r)
            ar_place <= ar_second;
        if (awvalid && awready) begin
            aw_second <= awaddr;
            if (aws == {1'b0, b})
                aw_place <= awaddr;
        end
        if (arvalid && arready) begin
            ar_second <= araddr;
            if (ars == {1'b0, r})
                ar_place <= araddr;
        end
        waits_w  <= aws != 2'd0 && ws != 2'd0 && !bvalid ? waits_w + 6'd1 : 6'd0;
        waits_r  <= ars != 2'd0 && !rvalid ? waits_r + 6'd1 : 6'd0;
        b_held   <= bvalid && !bready;
        r_held   <= rvalid && !rready;
        reg_held <= reg_valid && !ack && !node_rst;
        b_old    <= bresp;
        r_old    <= {rresp, rdata};
        reg_old  <= reg_now;
        if (rst) begin
            aws     <= 2'd0;
            ws      <= 2'd0;
            ars     <= 2'd0;
            waits_w <= 6'd0;
            waits_r <= 6'd0;
        end
    end

    always @* if (started) begin
        b_stands:    assert (!past || !b_held || (bvalid && bresp == b_old));
        r_stands:    assert (!past || !r_held || (rvalid && {rresp, rdata} == r_old));
        b_asked:     assert (!bvalid || (aws != 2'd0 && ws != 2'd0));
        r_asked:     assert (!rvalid || ars != 2'd0);
        reg_stands:  assert (!past || !reg_held || (reg_valid && reg_now == reg_old));
        w_answered:  assert (waits_w < BOUND);
        r_answered:  assert (waits_r < BOUND);
        w_nowhere:   assert (!bvalid || (bresp == 2'd3) == aw_nowhere);
        r_nowhere:   assert (!rvalid || (rresp == 2'd3) == ar_nowhere);
        not_there:   assert (!past || !lost_reg || (rvalid && rresp == 2'd2));
        quiet:       assert (past || !(bvalid || rvalid || reg_valid));
        never_acked: cover (late);
        not_settled: cover (m_late && waits_r > 6'd8);
        two_ahead:   cover (aws == 2'd2 && ars == 2'd2 && bvalid && rvalid);
    end
endmodule
`default_nettype wire
