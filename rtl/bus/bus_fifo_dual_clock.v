// SPDX-License-Identifier: Apache-2.0
// A small FIFO across clocks, in lookup-table RAM. Both sides are reset together (their resets overlap). `full` and
// `some` are late by what a counter takes to cross, on the safe side. Latency: 1 cycle, and 1 to 2 of the other clock.
`default_nettype none
module bus_fifo_dual_clock #(
    parameter WIDTH = 8,
    parameter BITS  = 3               // 2^BITS words
) (
    input  wire             wr_clk,
    input  wire             wr_rst,
    input  wire             put,      // not when full
    input  wire [WIDTH-1:0] put_data,
    output wire             full,
    input  wire             rd_clk,
    input  wire             rd_rst,
    input  wire             take,     // only when some
    output wire             some,
    output wire [WIDTH-1:0] head
);
    wire [BITS:0] in_wr, in_rd, out_rd, out_wr;   // words put and taken, as either side knows them

    assign full = in_wr == {~out_wr[BITS], out_wr[BITS-1:0]};
    assign some = in_rd != out_rd;

    cdc_counter #(.WIDTH(BITS + 1)) u_in (
        .src_clk(wr_clk), .src_rst(wr_rst), .src_step(put), .src_count(in_wr),
        .dst_clk(rd_clk), .dst_rst(rd_rst), .dst_count(in_rd));
    cdc_counter #(.WIDTH(BITS + 1)) u_out (
        .src_clk(rd_clk), .src_rst(rd_rst), .src_step(take), .src_count(out_rd),
        .dst_clk(wr_clk), .dst_rst(wr_rst), .dst_count(out_wr));

    ram_small #(.WIDTH(WIDTH), .ADDRESS_BITS(BITS)) u_memory (
        .clk(wr_clk), .wr_en(put), .wr_address(in_wr[BITS-1:0]), .wr_data(put_data),
        .rd_address(out_rd[BITS-1:0]), .rd_data(head));
endmodule
`default_nettype wire
