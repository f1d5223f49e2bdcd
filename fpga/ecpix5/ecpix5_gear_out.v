// SPDX-License-Identifier: Apache-2.0
// Words onto a port of half their width at twice the rate. half_clk is twice clk, from one source, edge on edge; a word
// is taken in the middle of its cycle, so nothing is handed over where both have an edge.
//
//   clk       _/~~~~~~~\_______/~~~~~~~\___
//   half_clk  _/~~~\___/~~~\___/~~~\___/~~~
//   word      X A             X B
//   hold_reg          X A             X B
//   half              X A low  X A high X B low
`default_nettype none
module ecpix5_gear_out (
    input  wire        clk,
    input  wire [39:0] word,             // bit 0 goes first
    input  wire        half_clk,
    output reg  [19:0] half
);
    reg        turn_reg;                 // changes with every clk
    reg        seen_reg;
    reg [19:0] hold_reg;
    wire       middle = turn_reg != seen_reg;

    always @(posedge clk) turn_reg <= !turn_reg;

    always @(posedge half_clk) begin
        seen_reg <= turn_reg;
        if (middle)
            hold_reg <= word[39:20];
        half <= middle ? word[19:0] : hold_reg;
    end
endmodule
`default_nettype wire
