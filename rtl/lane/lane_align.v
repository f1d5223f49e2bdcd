// SPDX-License-Identifier: Apache-2.0
// Comma alignment of one lane, on its receive clock: finds the seven bits 0011111 or 1100000, which no sequence of
// characters but those of K28.7 has anywhere else, and cuts the line into words that begin with them. While `hunt`,
// each comma sets the boundary; otherwise it stays, so that a flipped bit cannot move it.
//
// `mark`: the word is the COMMA of a set, and a SKIP follows, in either disparity.
// Latency: 2 to 3 words, by where in a word of the port the boundary lies.
`default_nettype none
module lane_align #(
    parameter CHARS = 1
) (
    input  wire                rx_clk,
    input  wire                rx_rst,
    input  wire                in_valid,     // a word came
    input  wire [10*CHARS-1:0] in_code,      // bit 0 came first
    input  wire                hunt,
    output wire                valid,
    output wire [10*CHARS-1:0] code,
    output wire                mark
);
    localparam WIDTH      = 10 * CHARS;
    localparam PLACE_BITS = CHARS == 16 ? 8 : CHARS == 8 ? 7 : CHARS == 4 ? 6 : CHARS == 2 ? 5 : 4;
    // bit a in bit 0
    localparam [9:0] COMMA = 10'b0101111100;   // K28.5 at negative disparity: 001111 1010
    localparam [9:0] SKIP  = 10'b0001010111;   // K23.7: 111010 1000

    reg  [2*WIDTH-1:0]    line_reg;      // two words, the older one low
    reg  [PLACE_BITS-1:0] place_reg;     // where in the older one a word begins
    reg  [WIDTH-1:0]      code_reg, out_reg;
    reg                   mark_reg;
    reg                   valid_reg, step_reg;
    reg  [2:0]            filled_reg;    // words came since reset, up to three: what is cut holds bits of the line

    wire [WIDTH-1:0]      shifted = line_reg[{1'b0, place_reg} +: WIDTH];

    reg                   found;
    reg  [PLACE_BITS-1:0] place;
    integer               i;
    always @* begin
        i     = 0;
        found = 1'b0;
        place = place_reg;
        for (i = WIDTH - 1; i >= 0; i = i - 1) begin
            if (line_reg[i +: 7] == 7'b1111100 || line_reg[i +: 7] == 7'b0000011) begin
                found = 1'b1;
                place = i[PLACE_BITS-1:0];
            end
        end
    end

    wire is_comma = code_reg[9:0] == COMMA || code_reg[9:0] == ~COMMA;
    wire skip_next = shifted[9:0] == SKIP || shifted[9:0] == ~SKIP;

    assign valid = valid_reg;
    assign code  = out_reg;
    assign mark  = mark_reg;

    always @(posedge rx_clk) begin
        valid_reg <= step_reg && filled_reg[2];
        step_reg  <= in_valid;
        if (in_valid) begin
            line_reg <= {in_code, line_reg[2*WIDTH-1:WIDTH]};
        end
        if (step_reg) begin
            filled_reg <= {filled_reg[1:0], 1'b1};
            code_reg   <= shifted;
            out_reg    <= code_reg;
            mark_reg   <= is_comma && skip_next;
            if (hunt && found) begin
                place_reg <= place;
            end
        end
        if (rx_rst) begin
            valid_reg  <= 1'b0;
            step_reg   <= 1'b0;
            filled_reg <= 3'd0;
            place_reg  <= {PLACE_BITS{1'b0}};
        end
    end
endmodule
`default_nettype wire
