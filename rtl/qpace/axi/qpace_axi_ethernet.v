// SPDX-License-Identifier: Apache-2.0
// Ethernet's memory port, on its own clock, to a port of axi_host: three FIFOs across clocks. A line becomes eight
// reads, which axi_host makes one burst again. Both sides are reset together.
//
// A register's answer may be here before words that were handed over before it: eight in `writes`, and one in the
// register of qpace_gmac_memory before it. All are with axi_host once nine were taken, or none waited for QUIET cycles
// in a row: longer than a word takes that finds room, three cycles of io_clk (8 ns) and three of clk (400 MHz).
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

    localparam [4:0] QUIET = 5'd31;
    localparam [3:0] WORDS = 4'd9;
    reg         looks_reg;
    reg  [4:0]  quiet_reg;
    reg  [3:0]  taken_reg;
    wire        taken = wr_valid && wr_ready;

    assign seen            = looks_reg && !look && (quiet_reg == QUIET || taken_reg == WORDS);
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
        quiet_reg <= look || wr_valid ? 5'd0 : quiet_reg + 5'd1;
        taken_reg <= look ? 4'd0 : taken_reg + {3'd0, taken && taken_reg != WORDS};
        if (rst) begin
            beat_reg  <= 3'd0;
            looks_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
