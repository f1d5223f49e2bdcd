// SPDX-License-Identifier: Apache-2.0
// One lane's words from a pin that is sampled several times a bit (bit_sampler): where there is no transceiver. bit_clk
// is the receiver's own; the sender's may differ permanently, and then a word comes a cycle earlier or later now and
// then. Where characters begin is lane_align's business.
`default_nettype none
module lane_deserialise #(
    parameter WIDTH   = 10,              // bits of a word, 10 or more
    parameter SAMPLES = 4                // a bit
) (
    input  wire               bit_clk,
    input  wire               rst,
    input  wire [SAMPLES-1:0] samples,   // the earliest in the highest bit
    output reg                valid,     // a word
    output reg  [WIDTH-1:0]   word,      // bit 0 came first
    output wire               signal     // the line has moved in the last 64 bits; a coded one moves in every six
);
    localparam FILL_BITS = $clog2(WIDTH + 2);
    localparam [FILL_BITS-1:0] FULL = WIDTH[FILL_BITS-1:0];

    reg  [WIDTH:0]       shift_reg;      // the last bits, the newest highest
    reg  [FILL_BITS-1:0] fill_reg;       // of them those that are in no word yet: at most WIDTH - 1
    reg                  last_reg;
    reg  [6:0]           still_reg;      // cycles without an edge, up to 64
    wire [1:0]           count, bits;
    wire [WIDTH:0]       shift = count[1] ? {bits[0], bits[1], shift_reg[WIDTH:2]} :
                                 count[0] ? {bits[1], shift_reg[WIDTH:1]} : shift_reg;
    wire [FILL_BITS-1:0] fill  = fill_reg + {{FILL_BITS-2{1'b0}}, count};
    wire                 moves = samples != {SAMPLES{last_reg}};

    assign signal = !still_reg[6];

    bit_sampler #(.SAMPLES(SAMPLES)) sampler (
        .clk(bit_clk), .rst(rst), .samples(samples), .count(count), .bits(bits));

    always @(posedge bit_clk) begin
        shift_reg <= shift;
        valid     <= fill >= FULL;
        word      <= fill == FULL ? shift[WIDTH:1] : shift[WIDTH-1:0];
        fill_reg  <= fill >= FULL ? fill - FULL : fill;
        last_reg  <= samples[0];
        still_reg <= moves ? 7'd0 : still_reg[6] ? still_reg : still_reg + 7'd1;
        if (rst) begin
            valid     <= 1'b0;
            fill_reg  <= {FILL_BITS{1'b0}};
            still_reg <= 7'd64;
        end
    end
endmodule
`default_nettype wire
