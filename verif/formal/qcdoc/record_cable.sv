// SPDX-License-Identifier: Apache-2.0
// A cable as a model: DELAY places, one item a place, first in, first out. The prover may stop it in any step, so that
// the two directions run as fast as it likes.
`default_nettype none
module record_cable #(
    parameter WIDTH = 8,
    parameter DELAY = 2
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             stop,
    input  wire             in_valid,
    input  wire [WIDTH-1:0] in_item,
    output wire             out_valid,
    output wire [WIDTH-1:0] out_item
);
    reg [DELAY-1:0]       valid;
    reg [WIDTH*DELAY-1:0] items;

    assign out_valid = valid[DELAY-1] && !stop;
    assign out_item  = items[WIDTH*(DELAY-1) +: WIDTH];

    always @(posedge clk) begin
        if (!stop) begin
            valid <= {valid, in_valid};
            items <= {items, in_item};
        end
        if (rst)
            valid <= {DELAY{1'b0}};
    end
endmodule
`default_nettype wire
