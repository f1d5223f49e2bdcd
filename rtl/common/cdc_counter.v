// SPDX-License-Identifier: Apache-2.0
// A counter that another clock domain can read: a FIFO pointer. It crosses in Gray code, so that a
// reader that samples a step sees the number before or after it, never another.
// Both sides must be reset together. Latency: a step is in dst_count 1 to 2 cycles of dst_clk later.
`default_nettype none
module cdc_counter #(
    parameter WIDTH = 4               // modulo 2^WIDTH, WIDTH at least 2
) (
    input  wire             src_clk,
    input  wire             src_rst,
    input  wire             src_step, // count one
    output wire [WIDTH-1:0] src_count,

    input  wire             dst_clk,
    input  wire             dst_rst,
    output wire [WIDTH-1:0] dst_count
);
    reg  [WIDTH-1:0] count_reg;
    reg  [WIDTH-1:0] gray_reg;
    wire [WIDTH-1:0] count_next = count_reg + {{WIDTH-1{1'b0}}, 1'b1};
    wire [WIDTH-1:0] gray_dst;

    assign src_count = count_reg;

    always @(posedge src_clk) begin
        if (src_step) begin
            count_reg <= count_next;
            gray_reg  <= count_next ^ (count_next >> 1);
        end
        if (src_rst) begin
            count_reg <= {WIDTH{1'b0}};
            gray_reg  <= {WIDTH{1'b0}};
        end
    end

    cdc_bits #(.WIDTH(WIDTH)) u_sync (
        .clk(dst_clk), .rst(dst_rst), .src(gray_reg), .dst(gray_dst)
    );

    genvar i;
    generate
        for (i = 0; i < WIDTH; i = i + 1) begin : gen_binary
            assign dst_count[i] = ^(gray_dst >> i);
        end
    endgenerate
endmodule
`default_nettype wire
