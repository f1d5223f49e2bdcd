// SPDX-License-Identifier: Apache-2.0
// No ready depends on a valid of the same cycle: twins see the same until some cycle, in which the valids of one are
// others; in that cycle their readies are the same. (AXI allows it to depend, ARM IHI 0022E, A3.3.1, but not the other
// way round; ours depends on registers only, so that no loop can close through a bus.)
`default_nettype none
module ready_free (
    input wire         clk,
    input wire         rst,
    input wire [4:0]   valid,             // awvalid, wvalid, arvalid; tvalid; rvalid
    input wire [4:0]   other,
    input wire         split,
    input wire [9:0]   awaddr,
    input wire [9:0]   araddr,
    input wire [31:0]  wdata,
    input wire [3:0]   wstrb,
    input wire [1:0]   taken,
    input wire         node_rst,
    input wire         ack,
    input wire         settled,
    input wire         tready,
    input wire [7:0]   payload,
    input wire         s_valid,
    input wire [13:0]  s_address,
    input wire         arready,
    input wire [15:0]  rdata
);
    reg  started = 1'b0, apart = 1'b0;
    always @(posedge clk) begin
        started <= 1'b1;
        apart   <= apart || split;
    end
    wire all_rst = rst || !started;

    wire [4:0] readies [0:1];
    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : g_twin
            wire [4:0] v = i == 1 && split ? other : valid;
            axil_registers #(.ADDRESS_WIDTH(10), .REG_BITS(5), .TIMEOUT(4)) lite (
                .clk(clk), .rst(all_rst), .node_rst(node_rst),
                .s_axi_awvalid(v[0]), .s_axi_awready(readies[i][0]), .s_axi_awaddr(awaddr),
                .s_axi_wvalid(v[1]), .s_axi_wready(readies[i][1]), .s_axi_wdata(wdata), .s_axi_wstrb(wstrb),
                .s_axi_bvalid(), .s_axi_bready(taken[0]), .s_axi_bresp(),
                .s_axi_arvalid(v[2]), .s_axi_arready(readies[i][2]), .s_axi_araddr(araddr),
                .s_axi_rvalid(), .s_axi_rready(taken[1]), .s_axi_rdata(), .s_axi_rresp(),
                .reg_valid(), .reg_write(), .reg_address(), .reg_wdata(),
                .reg_ack(ack), .reg_rdata(32'd0), .reg_error(1'b0),
                .control_valid(), .control_write(), .control_address(), .control_wdata(),
                .control_rdata(32'd0), .control_error(1'b0),
                .mark(), .settled(settled), .lost(1'b0), .register_timeout(), .memory_timeout());
            axis_register #(.WIDTH(8)) stream (
                .clk(clk), .rst(all_rst), .s_tvalid(v[3]), .s_tready(readies[i][3]), .s_payload(payload),
                .m_tvalid(), .m_tready(tready), .m_payload());
            axi_read_port #(.ADDRESS_WIDTH(16), .DATA_WIDTH(16), .UNIT_BITS(14), .BURST_BITS(1),
                            .OUTSTANDING_BITS(1)) reads (
                .clk(clk), .rst(all_rst), .base_page(4'd0), .pages(32'd4), .node_rst(1'b0),
                .s_valid(s_valid), .s_ready(), .s_address(s_address), .s_rvalid(), .s_rdata(),
                .write_pending(1'b0), .write_mark(),
                .write_passed(1'b1), .write_stopped(1'b0),
                .mark(1'b0), .passed(), .idle(), .error_range(), .error_refused(),
                .error_address(), .m_axi_arvalid(), .m_axi_arready(arready), .m_axi_araddr(), .m_axi_arlen(),
                .m_axi_rvalid(v[4]), .m_axi_rready(readies[i][4]), .m_axi_rdata(rdata), .m_axi_rresp(2'd0));
        end
    endgenerate

    always @* if (started) begin
        free:     assert (apart || readies[0] == readies[1]);
        stalls:   cover (split && !apart && readies[0] == 5'd0 && valid != other);
    end
endmodule
`default_nettype wire
