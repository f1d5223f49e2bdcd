// SPDX-License-Identifier: Apache-2.0
// Ethernet's memory port, on its own clock, to a port of axi_host: three FIFOs across clocks. A line becomes eight
// reads, which axi_host makes one burst again. Both sides are reset together.
//
// A register's answer may be here before a word that was handed over before it, which waits in `writes` or cannot be
// seen there yet. It can CROSS cycles later: within one of io_clk, eight nanoseconds, and three of clk, of 400 MHz at
// most. All words that wait by then are with axi_host when none waits, or eight were taken, as many as there can be.
//
// Latency: 2 to 3 cycles of the other clock each way.
`default_nettype none
module qpace_axi_ethernet (
    // as qpace_nwp has it
    input  wire         io_clk,
    input  wire         io_rst,
    input  wire         mem_read_valid,
    output wire         mem_read_ready,
    input  wire [31:0]  mem_read_line,
    output wire         mem_data_valid,
    output wire [127:0] mem_data,
    input  wire         mem_write_valid,
    output wire         mem_write_ready,
    input  wire [34:0]  mem_write_word,
    input  wire [127:0] mem_write_data,
    input  wire         mem_write_last,

    input  wire         clk,
    input  wire         rst,
    output wire         rd_valid,
    input  wire         rd_ready,
    output wire [34:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,
    output wire         wr_valid,
    input  wire         wr_ready,
    output wire [34:0]  wr_address,
    output wire [127:0] wr_data,
    output wire         wr_last,

    // A register was read: `seen` once what was handed over before its answer is with axi_host.
    input  wire         look,
    output wire         seen
);
    reg  [2:0]  beat_reg;
    wire [31:0] line;
    wire        lines_full, data_full, writes_full;

    localparam [2:0] CROSS = 3'd7;
    reg         looks_reg;
    reg  [2:0]  cross_reg;
    reg  [2:0]  taken_reg;
    wire        taken = wr_valid && wr_ready;

    assign seen            = looks_reg && !look && cross_reg == 3'd0 && (!wr_valid || (taken && (&taken_reg)));
    assign mem_read_ready  = !lines_full;
    assign mem_write_ready = !writes_full;
    assign rd_address      = {line, beat_reg};

    bus_fifo_dual_clock #(.WIDTH(32), .BITS(3)) lines (
        .wr_clk(io_clk), .wr_rst(io_rst), .put(mem_read_valid && !lines_full), .put_data(mem_read_line),
        .full(lines_full), .rd_clk(clk), .rd_rst(rst), .take(rd_valid && rd_ready && beat_reg == 3'd7),
        .some(rd_valid), .head(line));

    // qpace_gmac_memory has at most eight lines under way, so there is always room
    bus_fifo_dual_clock #(.WIDTH(128), .BITS(6)) data (
        .wr_clk(clk), .wr_rst(rst), .put(rd_rvalid), .put_data(rd_data), .full(data_full),
        .rd_clk(io_clk), .rd_rst(io_rst), .take(mem_data_valid), .some(mem_data_valid), .head(mem_data));

    bus_fifo_dual_clock #(.WIDTH(164), .BITS(3)) writes (
        .wr_clk(io_clk), .wr_rst(io_rst), .put(mem_write_valid && !writes_full),
        .put_data({mem_write_last, mem_write_word, mem_write_data}), .full(writes_full),
        .rd_clk(clk), .rd_rst(rst), .take(wr_valid && wr_ready), .some(wr_valid),
        .head({wr_last, wr_address, wr_data}));

    wire unused = &{1'b0, data_full};

    always @(posedge clk) begin
        if (rd_valid && rd_ready)
            beat_reg <= beat_reg + 3'd1;
        looks_reg <= look || (looks_reg && !seen);
        if (look)
            cross_reg <= CROSS;
        else if (cross_reg != 3'd0)
            cross_reg <= cross_reg - 3'd1;
        taken_reg <= cross_reg != 3'd0 ? 3'd0 : taken_reg + {2'd0, taken};
        if (rst) begin
            beat_reg  <= 3'd0;
            looks_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
