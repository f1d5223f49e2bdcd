// SPDX-License-Identifier: Apache-2.0
// One lane's words onto a pin, a bit a cycle of bit_clk: where there is no transceiver. Both clocks come from one
// source, bit_clk with WIDTH times the rate, at any phase. lane_deserialise is at the other end.
//
//   word        X a                             X b
//   turn_reg    /~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\______    crosses in two or three bits
//   place_reg   ... 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2    at turns: LAST, or one beside it
//   line        .......... a0 a1 a2 a3 ...           of the word that is 3 to 5 bits old by then
//
// Where words begin in the stream of bits is settled once: later a turn that is seen a bit early or late moves nothing.
`default_nettype none
module lane_serialise #(
    parameter WIDTH = 10                 // bits of a word, 10 or more
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] word,        // changes with clk; bit 0 goes first
    input  wire             bit_clk,
    output wire             line
);
    localparam PLACE_BITS = $clog2(WIDTH + 1);
    localparam [PLACE_BITS-1:0] LAST = WIDTH[PLACE_BITS-1:0] - 1'b1;

    // No resets: whatever they are, the first turns put them right.
    reg                   turn_reg;
    reg                   seen_reg;
    reg  [PLACE_BITS-1:0] place_reg;
    reg  [WIDTH-1:0]      shift_reg;
    wire                  turn;
    wire                  turned = turn != seen_reg;
    wire                  near   = place_reg == LAST || place_reg == LAST - 1'b1 || place_reg == {PLACE_BITS{1'b0}};

    assign line = shift_reg[0];

    always @(posedge clk) turn_reg <= !turn_reg;

    cdc_bits #(.WIDTH(1)) u_turn (.clk(bit_clk), .rst(1'b0), .src(turn_reg), .dst(turn));

    always @(posedge bit_clk) begin
        seen_reg  <= turn;
        place_reg <= place_reg >= LAST || (turned && !near) ? {PLACE_BITS{1'b0}} : place_reg + 1'b1;
        shift_reg <= place_reg == {{PLACE_BITS-1{1'b0}}, 1'b1} ? word : {1'b0, shift_reg[WIDTH-1:1]};
    end
endmodule
`default_nettype wire
