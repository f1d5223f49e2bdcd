// SPDX-License-Identifier: Apache-2.0
// Counters that another clock domain can read: FIFO pointers. Each crosses in Gray code, so that a
// reader that samples a step sees the number before or after it, never another, however fast or
// slow the clocks are.
// Both sides must be reset together. Latency: a step is in dst_count 1 to 2 cycles of dst_clk later.
`default_nettype none
module cdc_counter #(
    parameter WIDTH = 4,              // modulo 2^WIDTH, WIDTH at least 2
    parameter COUNT = 1               // of counters
) (
    input  wire                   src_clk,
    input  wire                   src_rst,
    input  wire [COUNT-1:0]       src_step, // count one
    output wire [WIDTH*COUNT-1:0] src_count,

    input  wire                   dst_clk,
    input  wire                   dst_rst,
    output wire [WIDTH*COUNT-1:0] dst_count
);
    reg  [WIDTH*COUNT-1:0] count_reg;
    reg  [WIDTH*COUNT-1:0] gray_reg;
    wire [WIDTH*COUNT-1:0] gray_dst;

    assign src_count = count_reg;

    cdc_bits #(.WIDTH(WIDTH * COUNT)) u_sync (
        .clk(dst_clk), .rst(dst_rst), .src(gray_reg), .dst(gray_dst)
    );

    genvar n, i;
    generate
        for (n = 0; n < COUNT; n = n + 1) begin : gen_counter
            wire [WIDTH-1:0] count_next = count_reg[WIDTH*n +: WIDTH] + {{WIDTH-1{1'b0}}, 1'b1};
            wire [WIDTH-1:0] gray_next  = count_next ^ (count_next >> 1);
            wire [WIDTH-1:0] gray       = gray_dst[WIDTH*n +: WIDTH];

            always @(posedge src_clk) begin
                if (src_step[n]) begin
                    count_reg[WIDTH*n +: WIDTH] <= count_next;
                    gray_reg[WIDTH*n +: WIDTH]  <= gray_next;
                end
                if (src_rst) begin
                    count_reg[WIDTH*n +: WIDTH] <= {WIDTH{1'b0}};
                    gray_reg[WIDTH*n +: WIDTH]  <= {WIDTH{1'b0}};
                end
            end

            for (i = 0; i < WIDTH; i = i + 1) begin : gen_binary
                assign dst_count[WIDTH*n + i] = ^(gray >> i);
            end
        end
    endgenerate
endmodule
`default_nettype wire
