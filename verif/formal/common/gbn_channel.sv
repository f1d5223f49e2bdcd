// SPDX-License-Identifier: Apache-2.0
// A cable as a model: DELAY places, one item a place, first in, first out. The prover chooses
// in every step whether the last item is lost, damaged (then its receiver sees that), or repeated in
// place: delivered now and once more in the next step. Nothing overtakes anything.
`default_nettype none
module gbn_channel #(
    parameter WIDTH = 8,
    parameter DELAY = 2
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             lose,
    input  wire             damage,
    input  wire             repeated,
    output wire             ready,      // an item is taken in this step
    input  wire             in_valid,
    input  wire [WIDTH-1:0] in_item,
    output wire             out_valid,
    output wire             out_good,
    output wire [WIDTH-1:0] out_item
);
    reg [DELAY-1:0]       valid;
    reg [WIDTH*DELAY-1:0] items;

    assign ready     = !repeated;
    assign out_valid = valid[DELAY-1] && !lose;
    assign out_good  = !damage;
    assign out_item  = items[WIDTH*(DELAY-1) +: WIDTH];

    always @(posedge clk) begin
        if (!repeated) begin
            valid <= {valid, in_valid};
            items <= {items, in_item};
        end
        if (rst)
            valid <= {DELAY{1'b0}};
    end
endmodule
`default_nettype wire
