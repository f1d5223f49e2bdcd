// SPDX-License-Identifier: Apache-2.0
// Two cdc_counters as the pointers of a FIFO between two clocks with any edges at all: the writer never
// writes when it is full, the reader never reads when it is empty, and the Gray code moves by one bit. This is how
// the transmit and receive buffers of all links cross.
`default_nettype none
module cdc_fifo #(
    parameter WIDTH = 3              // 2^(WIDTH-1) places
) (
    input wire wr_clk,
    input wire rd_clk,
    input wire wr_go,
    input wire rd_go
);
    localparam SIZE = 1 << (WIDTH - 1);

    wire [WIDTH-1:0] written, written_rd, taken, taken_wr;
    wire [WIDTH-1:0] used  = written - taken_wr;
    wire             write = wr_go && !used[WIDTH-1];
    wire             read  = rd_go && written_rd != taken;

    cdc_counter #(.WIDTH(WIDTH)) u_written (
        .src_clk(wr_clk), .src_rst(1'b0), .src_step(write), .src_count(written),
        .dst_clk(rd_clk), .dst_rst(1'b0), .dst_count(written_rd));
    cdc_counter #(.WIDTH(WIDTH)) u_taken (
        .src_clk(rd_clk), .src_rst(1'b0), .src_step(read), .src_count(taken),
        .dst_clk(wr_clk), .dst_rst(1'b0), .dst_count(taken_wr));

    // what is really in it: both counts with one bit more
    reg [WIDTH:0] wrote, took;
    always @(posedge wr_clk) if (write) wrote <= wrote + 1'b1;
    always @(posedge rd_clk) if (read)  took  <= took + 1'b1;
    wire [WIDTH:0]   fill = wrote - took;

    (* gclk *) wire step;
    reg [WIDTH-1:0] gray_before;
    (* hierconn *) wire [WIDTH-1:0] \u_written.gray_reg ;   // flatten joins wires of that name
    wire [WIDTH-1:0] gray    = \u_written.gray_reg ;
    wire [WIDTH-1:0] changed = gray ^ gray_before;
    always @(posedge step) gray_before <= gray;

    always @* begin
        never_over_or_under: assert (fill <= SIZE);
        no_write_when_full:  assert (!write || fill < SIZE);
        no_read_when_empty:  assert (!read || fill != 0);
        one_bit:             assert ((changed & (changed - 1'b1)) == 0);
        filled:      cover (fill == SIZE && !write && wr_go);
        went_round:  cover (took == 2 * SIZE);
    end
endmodule
`default_nettype wire
