// SPDX-License-Identifier: Apache-2.0
// A read port: the rules of read_rules, and: reads are asked for and answered once each and in order, with what the bus
// brought for them, up to the first that lies beyond the node's memory or is refused: that one and all behind it are
// not answered, and none is taken until the node has been in reset with nothing under way. One read is watched, and it
// may be any. A read waits for the writes that were pending as it came, and not for others, and none is taken behind
// one that is lost.
// Environment: the node keeps what it asks; the bus answers what it took, in order, with RLAST where it is due; writes
// are pending or not as they like. Resets at any time.
`default_nettype none
module read_port (
    input wire        clk,
    input wire        rst_any,
    input wire        valid,
    input wire [13:0] address,
    input wire        arready,
    input wire        rvalid_any,
    input wire [15:0] rdata,
    input wire [1:0]  rresp,
    input wire        write_pending,
    input wire        write_passed,
    input wire        write_stopped,
    input wire        node_rst,
    input wire        watch
);
    (* anyconst *) reg [3:0]  base_page;
    (* anyconst *) reg [31:0] pages;

    reg  started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    wire rst = rst_any || !started;

    wire        s_ready, s_rvalid, write_mark, passed, idle, range, refused, arvalid, rready;
    wire [15:0] s_rdata, araddr;
    wire [7:0]  arlen;
    wire [13:0] where;
    reg  [5:0]  owed;                     // beats of bursts that the bus took
    wire        rvalid = rvalid_any && owed != 6'd0;
    wire        ar     = arvalid && arready;
    wire        r      = rvalid && rready;

    axi_read_port #(.ADDRESS_WIDTH(16), .DATA_WIDTH(16), .UNIT_BITS(14), .BURST_BITS(1), .OUTSTANDING_BITS(2)) dut (
        .clk(clk), .rst(rst), .base_page(base_page), .pages(pages), .node_rst(node_rst),
        .s_valid(valid), .s_ready(s_ready), .s_address(address), .s_rvalid(s_rvalid), .s_rdata(s_rdata),
        .write_pending(write_pending), .write_mark(write_mark), .write_passed(write_passed),
        .write_stopped(write_stopped),
        .mark(1'b0), .passed(passed), .idle(idle),
        .error_range(range), .error_refused(refused), .error_address(where),
        .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_araddr(araddr), .m_axi_arlen(arlen),
        .m_axi_rvalid(rvalid), .m_axi_rready(rready), .m_axi_rdata(rdata), .m_axi_rresp(rresp));

    read_rules #(.ADDRESS_WIDTH(16), .DATA_WIDTH(16)) rules (
        .clk(clk), .rst(rst), .arvalid(arvalid), .arready(arready), .arid(1'b0), .araddr(araddr), .arlen(arlen));

    reg         held = 1'b0, was_marked;
    reg  [13:0] old;
    always @(posedge clk) begin
        held <= valid && !s_ready && !rst;
        old  <= address;
    end
    always @* assume (!node_rst || !valid);
    always @* assume (!held || node_rst || (valid && address == old));

    // The watched read is the `before`th from now on to leave the queue of bursts, and the `ahead`th to be answered.
    (* hierconn *) wire \dut.starts ;
    (* hierconn *) wire \dut.beyond ;
    (* hierconn *) wire [13:0] \dut.b_address ;
    (* hierconn *) wire \dut.b_length ;
    (* hierconn *) wire \dut.answered ;
    (* hierconn *) wire \dut.local_answer ;
    wire        taken  = valid && s_ready && !rst;
    wire        starts = \dut.starts ;
    wire        answered = \dut.answered ;
    wire [4:0]  beats  = {4'd0, \dut.b_length } + 5'd1;
    reg         watched, sent, gone;
    reg  [13:0] its_address;
    reg  [4:0]  inside, before, unanswered, ahead;
    wire        begins = taken && watch && !watched;
    wire        in_this = watched && !sent && starts && before < beats;
    wire [16:0] place  = {1'b0, base_page, 12'd0} + {2'b0, its_address, 1'b0};
    wire        beyond = {29'd0, its_address[13:11]} >= pages || place[16];
    wire        mine   = watched && !gone && ahead == 5'd0 && answered;

    wire        refuses_it = answered && (\dut.local_answer || rresp[1]);
    reg         mine_reg, answered_reg, stopped;
    reg  [15:0] data_reg;
    always @(posedge clk) begin
        owed       <= owed + (ar ? {5'd0, arlen[0]} + 6'd1 : 6'd0) - {5'd0, r};
        inside     <= inside + {4'd0, taken} - (starts ? beats : 5'd0);
        unanswered <= unanswered + {4'd0, taken} - {4'd0, answered};
        if (begins) begin
            watched     <= 1'b1;
            its_address <= address;
            before      <= inside - (starts ? beats : 5'd0);
            ahead       <= unanswered - {4'd0, answered};
        end else begin
            if (starts && !sent)
                before <= before - (in_this ? 5'd0 : beats);
            if (answered && ahead != 5'd0)
                ahead <= ahead - 5'd1;
        end
        if (in_this)
            sent <= 1'b1;
        if (mine)
            gone <= 1'b1;
        mine_reg     <= mine && !rst;
        answered_reg <= answered && !refuses_it && !stopped && !rst;
        stopped      <= (stopped || refuses_it) && !(node_rst && idle) && !rst;
        data_reg     <= rdata;
        was_marked   <= (was_marked || write_mark) && !taken && valid;
        if (rst) begin
            owed       <= 6'd0;
            inside     <= 5'd0;
            unanswered <= 5'd0;
            watched    <= 1'b0;
            sent       <= 1'b0;
            gone       <= 1'b0;
            was_marked <= 1'b0;
        end
    end

    always @* if (started) begin
        asked:       assert (!in_this || \dut.b_address + {9'd0, before} == its_address);
        in_window:   assert (!in_this || \dut.beyond == beyond);
        sent_first:  assert (!mine || sent);
        by_whom:     assert (!mine || (beyond ? \dut.local_answer : r));
        taken_off:   assert (!(r && (!\dut.answered || \dut.local_answer )));  // no beat of the bus is lost
        answer:      assert (!mine_reg || !s_rvalid || s_rdata == data_reg);
        answers:     assert (s_rvalid == answered_reg);
        no_more:     assert (!taken || !(stopped || write_stopped));
        behind:      assert (!taken || !write_pending || (was_marked && write_passed));
        all_done:    assert (!idle || unanswered == 5'd0);
        two:         cover (arvalid && arlen == 8'd1 && arready);
        beyond_too:  cover (mine && beyond && arvalid);
        refuses:     cover (mine && rresp[1] && ahead == 5'd0 && unanswered > 5'd2);
        behind_write: cover (taken && was_marked && write_pending);
        cut:         cover (rst && r && owed > 6'd1);
    end
endmodule
`default_nettype wire
