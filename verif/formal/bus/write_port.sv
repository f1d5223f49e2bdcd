// SPDX-License-Identifier: Apache-2.0
// A write port: the rules of write_rules, and: each beat that was taken leaves once, in its turn, to its address, with
// its data and strobes, or is dropped because it lies beyond the node's memory, or its burst begins when one before was
// dropped or refused, and only then. From such a one on no mark is passed until the node has been in reset with nothing
// under way. One beat is watched, and it may be any. What is to come behind all others begins when those have been
// answered.
// Environment: the node keeps what it offers; the bus takes and answers when it likes. Resets at any time.
`default_nettype none
module write_port #(
    parameter ORDERED = 0
) (
    input wire        clk,
    input wire        rst_any,
    input wire        valid,
    input wire [13:0] address,
    input wire [15:0] data,
    input wire [1:0]  strobe,
    input wire        last,
    input wire        after,
    input wire        awready,
    input wire        wready,
    input wire        answer,
    input wire [1:0]  bresp,
    input wire        node_rst,
    input wire        watch
);
    (* anyconst *) reg [3:0]  base_page;
    (* anyconst *) reg [31:0] pages;

    reg  started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    wire rst = rst_any || !started;

    wire        s_ready, awvalid, wvalid, wlast, bready, idle, range, refused;
    wire [15:0] awaddr, wdata, burst;
    wire [7:0]  awlen, beat;
    wire [1:0]  wstrb;
    wire [2:0]  passed;
    wire [13:0] where;
    wire        ends, unused_id, look, stopped_port;
    reg  [4:0]  answerable;
    wire        bvalid = answer && answerable != 5'd0;

    axi_write_port #(.ADDRESS_WIDTH(16), .DATA_WIDTH(16), .UNIT_BITS(14), .BURST_BITS(1), .OUTSTANDING_BITS(1),
                     .ORDERED(ORDERED)) dut (
        .clk(clk), .rst(rst), .base_page(base_page), .pages(pages), .node_rst(node_rst), .stopped(stopped_port),
        .s_valid(valid), .s_ready(s_ready), .s_address(address), .s_data(data), .s_strobe(strobe), .s_last(last),
        .s_after(after), .mark(3'b000), .passed(passed), .look_address(address), .look_pending(look), .idle(idle),
        .error_range(range), .error_refused(refused), .error_address(where),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awaddr(awaddr), .m_axi_awlen(awlen),
        .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast),
        .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bresp(bresp));

    write_rules #(.ADDRESS_WIDTH(16), .DATA_WIDTH(16)) rules (
        .clk(clk), .rst(rst), .awvalid(awvalid), .awready(awready), .awid(1'b0), .awaddr(awaddr), .awlen(awlen),
        .wvalid(wvalid), .wready(wready), .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .bready(bready),
        .burst(burst), .burst_id(unused_id), .beat(beat), .ends(ends));

    // the node keeps what it offers
    reg         held = 1'b0;
    reg [33:0]  offered;
    wire [33:0] offer = {last, after, strobe, data, address};
    always @(posedge clk) begin
        held    <= valid && !s_ready && !rst;
        offered <= offer;
    end
    always @* assume (!node_rst || !valid);
    always @* assume (!held || node_rst || (valid && offer == offered));

    // the watched beat, how many are before it, how many bursts were before it without an answer
    (* hierconn *) wire \dut.w_moves ;
    (* hierconn *) wire \dut.starts ;
    reg         stopped, began_void;
    wire        taken = valid && s_ready && !rst;
    wire        leaves = \dut.w_moves ;
    reg         watched, gone, its_after;
    reg  [13:0] its_address;
    reg  [15:0] its_data;
    reg  [1:0]  its_strobe;
    reg  [4:0]  inside, before;
    wire        begins = taken && watch && !watched;
    wire        mine   = watched && !gone && before == 5'd0;
    wire [16:0] place  = {1'b0, base_page, 12'd0} + {2'b0, its_address, 1'b0};
    wire        beyond = {29'd0, its_address[13:11]} >= pages || place[16];

    always @(posedge clk) begin
        stopped    <= (stopped || range || refused) && !(node_rst && idle) && !rst;
        if (\dut.starts )
            began_void <= stopped;
        answerable <= answerable + {4'd0, ends} - {4'd0, bvalid};
        inside     <= inside + {4'd0, taken} - {4'd0, leaves};
        if (begins) begin
            watched     <= 1'b1;
            its_address <= address;
            its_data    <= data;
            its_strobe  <= strobe;
            its_after   <= after;
            before      <= inside - {4'd0, leaves};
        end else if (leaves && before != 5'd0)
            before <= before - 5'd1;
        if (mine && leaves)
            gone <= 1'b1;
        if (rst) begin
            answerable <= 5'd0;
            inside     <= 5'd0;
            watched    <= 1'b0;
            gone       <= 1'b0;
            began_void <= 1'b0;
        end
    end

    always @* if (started) begin
        no_more:     assert (inside <= 5'd4);
        its_place:   assert (!(mine && wvalid) || burst + {7'd0, beat, 1'b0} == place[15:0]);
        its_payload: assert (!(mine && wvalid) || {wdata, wstrb} == {its_data, its_strobe});
        not_beyond:  assert (!(mine && wvalid) || !beyond);
        dropped:     assert (!(mine && leaves && !wvalid) || beyond || began_void);
        void_is_not: assert (!(wvalid && began_void));
        not_told:    assert (!stopped || passed == 3'b000);
        told:        assert (stopped_port == stopped);
        // (the burst it begins is not among those that may be answered)
        behind_all:  assert (!(mine && wvalid && its_after && beat == 8'd0) || answerable == 5'd0);
        one_by_one:  assert (!(ORDERED && wvalid) || answerable == 5'd0);
        all_left:    assert (!idle || inside == 5'd0);
        full_burst:  cover (awvalid && awlen == 8'd1 && wvalid && wlast && wready);
        at_page_end: cover (awvalid && awaddr[11:0] == 12'hFFE && valid && held);
        drops:       cover (mine && leaves && !wvalid && inside > 5'd2);
        waits_after: cover (mine && its_after && answerable == 5'd2);
        cut:         cover (rst && started && wvalid && beat == 8'd1 && awvalid);
    end
endmodule
`default_nettype wire
