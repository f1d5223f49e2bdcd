// SPDX-License-Identifier: Apache-2.0
// The encoder of one lane: CHARS characters a word, one after the other on the line, with the running disparity of the
// lane, which begins negative. Latency: 1 word.
`default_nettype none
module lane_encode #(
    parameter CHARS = 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                en,        // a word is taken
    input  wire [8*CHARS-1:0]  data,      // the first character in bits 7:0
    input  wire [CHARS-1:0]    control,
    output wire [10*CHARS-1:0] code       // the first bit in bit 0
);
    reg                 positive_reg;
    reg  [10*CHARS-1:0] code_reg;

    wire [CHARS:0]      positive /* verilator split_var */;   // before each character: bit by bit there is no loop
    wire [10*CHARS-1:0] code_next;

    assign positive[0] = positive_reg;
    assign code        = code_reg;

    genvar i;
    generate
        for (i = 0; i < CHARS; i = i + 1) begin : gen_character
            wire inverts;
            lane_encode_character u_character (
                .data(data[8*i +: 8]), .control(control[i]), .positive(positive[i]),
                .code(code_next[10*i +: 10]), .inverts(inverts)
            );
            assign positive[i+1] = positive[i] ^ inverts;
        end
    endgenerate

    always @(posedge clk) begin
        if (en) begin
            code_reg     <= code_next;
            positive_reg <= positive[CHARS];
        end
        if (rst) begin
            positive_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
