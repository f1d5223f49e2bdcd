// SPDX-License-Identifier: Apache-2.0
// Three managers that share a bus: write_rules and read_rules hold for what comes out, if they hold for each that goes
// in; an address, a beat of data, an answer is the one of the manager whose ID goes with it; who asks is served within
// so many bursts of others as there are others, and nobody is served twice for one burst.
// Environment: three write ports' and read ports' outputs by their rules, any bus. Resets at any time.
`default_nettype none
module shared (
    input wire        clk,
    input wire        rst_any,
    input wire [2:0]  offer,              // of a burst to write
    input wire [11:0] awaddr,
    input wire [5:0]  awlen,
    input wire [2:0]  ar,
    input wire [11:0] araddr,
    input wire [5:0]  arlen,
    input wire [5:0]  wdata,
    input wire        awready,
    input wire        wready,
    input wire        bvalid,
    input wire [1:0]  bid,
    input wire        arready,
    input wire        rvalid,
    input wire [1:0]  rid,
    input wire [2:0]  rready
);
    reg  started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    wire rst = rst_any || !started;

    // managers: AW and W of a burst together, W as long as awlen says
    reg  [2:0]  aw_valid, w_valid;
    reg  [11:0] aw_addr, ar_addr;
    reg  [5:0]  aw_len, ar_len, w_left;
    reg  [2:0]  ar_valid;
    wire [2:0]  s_awready, s_wready, s_bvalid, s_arready, s_rvalid;
    wire [2:0]  w_last = {w_left[5:4] == 2'd0, w_left[3:2] == 2'd0, w_left[1:0] == 2'd0};
    wire [47:0] s_awaddr = {4'd0, aw_addr[11:8], 8'd0, 4'd0, aw_addr[7:4], 8'd0, 4'd0, aw_addr[3:0], 8'd0};
    wire [47:0] s_araddr = {4'd0, ar_addr[11:8], 8'd0, 4'd0, ar_addr[7:4], 8'd0, 4'd0, ar_addr[3:0], 8'd0};
    wire [23:0] s_awlen  = {6'd0, aw_len[5:4], 6'd0, aw_len[3:2], 6'd0, aw_len[1:0]};
    wire [23:0] s_arlen  = {6'd0, ar_len[5:4], 6'd0, ar_len[3:2], 6'd0, ar_len[1:0]};
    wire [47:0] s_wdata  = {14'd0, wdata[5:4], 14'd0, wdata[3:2], 14'd0, wdata[1:0]};

    wire        awvalid, wvalid, wlast, arvalid, m_rready, ends;
    wire [1:0]  awid, arid, wstrb, burst_id;
    wire [15:0] m_awaddr, m_wdata, m_araddr, burst;
    wire [7:0]  m_awlen, m_arlen, beat;

    axi_share_writes #(.PORTS(3), .ADDRESS_WIDTH(16), .DATA_WIDTH(16), .ID_WIDTH(2)) writes (
        .clk(clk), .rst(rst), .s_awvalid(aw_valid), .s_awready(s_awready), .s_awaddr(s_awaddr), .s_awlen(s_awlen),
        .s_wvalid(w_valid), .s_wready(s_wready), .s_wdata(s_wdata), .s_wstrb(wdata), .s_wlast(w_last),
        .s_bvalid(s_bvalid), .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awid(awid),
        .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
        .m_axi_wdata(m_wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast), .m_axi_bvalid(bvalid), .m_axi_bid(bid));
    axi_share_reads #(.PORTS(3), .ADDRESS_WIDTH(16), .ID_WIDTH(2)) reads (
        .clk(clk), .rst(rst), .s_arvalid(ar_valid), .s_arready(s_arready), .s_araddr(s_araddr), .s_arlen(s_arlen),
        .s_rvalid(s_rvalid), .s_rready(rready), .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_arid(arid),
        .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen), .m_axi_rvalid(rvalid), .m_axi_rready(m_rready),
        .m_axi_rid(rid));

    write_rules #(.ADDRESS_WIDTH(16), .DATA_WIDTH(16), .ID_WIDTH(2)) of_writes (
        .clk(clk), .rst(rst), .awvalid(awvalid), .awready(awready), .awid(awid), .awaddr(m_awaddr), .awlen(m_awlen),
        .wvalid(wvalid), .wready(wready), .wdata(m_wdata), .wstrb(wstrb), .wlast(wlast), .bready(1'b1),
        .burst(burst), .burst_id(burst_id), .beat(beat), .ends(ends));
    read_rules #(.ADDRESS_WIDTH(16), .DATA_WIDTH(16), .ID_WIDTH(2)) of_reads (
        .clk(clk), .rst(rst), .arvalid(arvalid), .arready(arready), .arid(arid), .araddr(m_araddr), .arlen(m_arlen));

    // what a port shows on W stands while it is not taken, as what it shows on AW does
    reg  [2:0]  w_held;
    reg  [5:0]  w_old;
    wire [5:0]  held_bits = {{2{w_held[2]}}, {2{w_held[1]}}, {2{w_held[0]}}};
    always @* assume (((w_old ^ wdata) & held_bits) == 6'd0);

    // how many bursts of others since a manager began to ask
    reg  [2:0]  waited_w, waited_r;
    wire        aw_goes = awvalid && awready;
    wire        ar_goes = arvalid && arready;

    integer i;
    always @(posedge clk) begin
        for (i = 0; i < 3; i = i + 1) begin
            if (s_awready[i])
                aw_valid[i] <= 1'b0;
            if (w_valid[i] && s_wready[i]) begin
                w_left[2*i +: 2] <= w_left[2*i +: 2] - 2'd1;
                if (w_last[i])
                    w_valid[i] <= 1'b0;
            end
            if (offer[i] && (!aw_valid[i] || s_awready[i]) && (!w_valid[i] || (s_wready[i] && w_last[i]))) begin
                aw_valid[i]        <= 1'b1;
                w_valid[i]         <= 1'b1;
                aw_addr[4*i +: 4]  <= awaddr[4*i +: 4];
                aw_len[2*i +: 2]   <= awlen[2*i +: 2];
                w_left[2*i +: 2]   <= awlen[2*i +: 2];
            end
            if (!ar_valid[i] || s_arready[i]) begin
                ar_valid[i]        <= ar[i];
                ar_addr[4*i +: 4]  <= araddr[4*i +: 4];
                ar_len[2*i +: 2]   <= arlen[2*i +: 2];
            end
        end
        w_held   <= w_valid & ~s_wready;
        w_old    <= wdata;
        waited_w <= !aw_valid[0] || s_awready[0] ? 3'd0 : waited_w + {2'd0, aw_goes};
        waited_r <= !ar_valid[0] || s_arready[0] ? 3'd0 : waited_r + {2'd0, ar_goes};
        if (rst) begin
            aw_valid <= 3'd0;
            w_valid  <= 3'd0;
            ar_valid <= 3'd0;
            w_held   <= 3'd0;
            waited_w <= 3'd0;
            waited_r <= 3'd0;
        end
    end

    always @* if (started) begin
        no_fourth:   assert (!(awvalid && awid == 2'd3) && !(arvalid && arid == 2'd3));
        its_address: assert (!awvalid || (aw_valid[awid] && m_awaddr[11:8] == aw_addr[4*awid +: 4]
                                          && m_awlen[1:0] == aw_len[2*awid +: 2]));
        its_data:    assert (!wvalid || (w_valid[burst_id] && m_wdata[1:0] == wdata[2*burst_id +: 2]
                                         && wstrb == wdata[2*burst_id +: 2]));
        aw_taken:    assert ((s_awready & aw_valid) == (aw_goes ? 3'd1 << awid : 3'd0));
        w_taken:     assert ((s_wready & w_valid) == (wvalid && wready ? 3'd1 << burst_id : 3'd0));
        ar_taken:    assert ((s_arready & ar_valid) == (ar_goes ? 3'd1 << arid : 3'd0));
        ar_its_own:  assert (!arvalid || (ar_valid[arid] && m_araddr[11:8] == ar_addr[4*arid +: 4]));
        b_to_whom:   assert (s_bvalid == (bvalid && bid != 2'd3 ? 3'd1 << bid : 3'd0));
        r_to_whom:   assert (s_rvalid == (rvalid && m_rready && rid != 2'd3 ? 3'd1 << rid : 3'd0));
        r_waits:     assert (!m_rready || rready == 3'd7);
        in_turn_w:   assert (waited_w <= 3'd2);
        in_turn_r:   assert (waited_r <= 3'd2);
        both_wait:   cover (waited_w == 3'd2 && aw_goes);
        w_before_aw: cover (awvalid && !awready && !wvalid && w_valid[awid] == 1'b0);
        cut:         cover (rst && wvalid && beat == 8'd1);
    end
endmodule
`default_nettype wire
