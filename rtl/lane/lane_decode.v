// SPDX-License-Identifier: Apache-2.0
// The decoder of one lane: CHARS characters a word, with the running disparity of the lane. It begins anywhere: the
// first unbalanced sub-block says what the disparity is. Latency: 1 word.
`default_nettype none
module lane_decode #(
    parameter CHARS = 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                en,          // a word is taken
    input  wire [10*CHARS-1:0] code,        // the first bit in bit 0
    output wire [8*CHARS-1:0]  data,        // the first character in bits 7:0
    output wire [CHARS-1:0]    control,
    output wire [CHARS-1:0]    invalid,     // no code group
    output wire [CHARS-1:0]    disparity    // of the other disparity
);
    reg                positive_reg;
    reg  [8*CHARS-1:0] data_reg;
    reg  [CHARS-1:0]   control_reg, invalid_reg, disparity_reg;

    wire [8*CHARS-1:0] data_next;
    wire [CHARS-1:0]   control_next, invalid_next, disparity_next;
    wire [CHARS:0]     positive /* verilator split_var */;   // before each character: bit by bit there is no loop

    assign positive[0] = positive_reg;
    assign data        = data_reg;
    assign control     = control_reg;
    assign invalid     = invalid_reg;
    assign disparity   = disparity_reg;

    genvar i;
    generate
        for (i = 0; i < CHARS; i = i + 1) begin : gen_character
            lane_decode_character u_character (
                .code(code[10*i +: 10]), .positive(positive[i]),
                .data(data_next[8*i +: 8]), .control(control_next[i]),
                .invalid(invalid_next[i]), .disparity(disparity_next[i]), .after(positive[i+1])
            );
        end
    endgenerate

    always @(posedge clk) begin
        if (en) begin
            data_reg      <= data_next;
            control_reg   <= control_next;
            invalid_reg   <= invalid_next;
            disparity_reg <= disparity_next;
            positive_reg  <= positive[CHARS];
        end
        if (rst) begin
            positive_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
