// SPDX-License-Identifier: Apache-2.0
// The elastic buffer of one lane: written by the lane's receive clock, read by the clock of the link. It absorbs
// what the two differ by until lane_deskew adds or drops a word, and what lanes differ by among themselves. It is
// never found full by the writer, who knows no reader: the reader sees that words wait which it cannot trust
// (`over`), and begins anew.
//
//   fill   words that wait: 1 to 2 cycles of clk late, so never too many
//
// Latency: a word is counted in `fill` 1 to 2 cycles of clk after it was written; then it can be read at once.
`default_nettype none
module lane_elastic #(
    parameter WIDTH      = 11,
    parameter DEPTH_BITS = 5
) (
    input  wire                  rx_clk,
    input  wire                  rx_rst,
    input  wire                  wr_en,
    input  wire [WIDTH-1:0]      wr_word,

    input  wire                  clk,
    input  wire                  rst,
    input  wire [1:0]            take,      // words to be taken, 0 to 2; at most `fill`
    input  wire                  flush,     // all of them
    output wire [DEPTH_BITS:0]   fill,
    output wire                  over,      // words that wait are overwritten, or soon will be
    output wire [WIDTH-1:0]      head       // the oldest; valid if fill is not 0
);
    localparam [DEPTH_BITS:0] LIMIT = (1 << DEPTH_BITS) - 4;

    /* verilator lint_off UNUSEDSIGNAL */   // its highest bit only crosses
    wire [DEPTH_BITS:0] written_rx;
    /* verilator lint_on UNUSEDSIGNAL */
    wire [DEPTH_BITS:0] written;
    reg  [DEPTH_BITS:0] taken_reg;

    assign fill = written - taken_reg;
    assign over = fill > LIMIT;

    cdc_counter #(.WIDTH(DEPTH_BITS + 1)) u_written (
        .src_clk(rx_clk), .src_rst(rx_rst), .src_step(wr_en), .src_count(written_rx),
        .dst_clk(clk), .dst_rst(rst), .dst_count(written)
    );

    ram_small #(.WIDTH(WIDTH), .ADDRESS_BITS(DEPTH_BITS)) u_words (
        .clk(rx_clk), .wr_en(wr_en), .wr_address(written_rx[DEPTH_BITS-1:0]), .wr_data(wr_word),
        .rd_address(taken_reg[DEPTH_BITS-1:0]), .rd_data(head)
    );

    always @(posedge clk) begin
        taken_reg <= flush ? written : taken_reg + {{DEPTH_BITS-1{1'b0}}, take};
        if (rst) begin
            taken_reg <= {DEPTH_BITS+1{1'b0}};
        end
    end
endmodule
`default_nettype wire
