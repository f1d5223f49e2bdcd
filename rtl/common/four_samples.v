// SPDX-License-Identifier: Apache-2.0
// Four samples a bit of a pin that is sampled at both edges of a clock of twice the bit's rate. Both clocks come from
// one source, and their edges coincide, so that nothing is handed over at such an edge: four samples wait from the
// middle of a bit to its end.
//
//   clk         __/~~~~~~~\_______/~~~~~~~\___
//   sample_clk  __/~~~\___/~~~\___/~~~\___/~~~
//   samples       1   2   3   4   1   2   3       taken together in the middle of the next bit
`default_nettype none
module four_samples (
    input  wire       sample_clk,
    input  wire       rising,            // of sample_clk: the sample of a rising edge, and that of the falling one
    input  wire       falling,           // behind it
    input  wire       clk,
    output reg  [3:0] samples            // of clk; the earliest in the highest bit
);
    reg  [1:0] last_reg;                 // two samples before those
    reg  [3:0] four_reg;
    reg        turn_reg;                 // changes with every clk
    reg        seen_reg;

    always @(posedge sample_clk) begin
        last_reg <= {rising, falling};
        seen_reg <= turn_reg;
        if (turn_reg != seen_reg)
            four_reg <= {last_reg, rising, falling};
    end

    always @(posedge clk) begin
        turn_reg <= !turn_reg;
        samples  <= four_reg;
    end
endmodule
`default_nettype wire
