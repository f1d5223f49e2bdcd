// SPDX-License-Identifier: Apache-2.0
// Words from a port of half their width at twice the rate: ecpix5_gear_out the other way. Which halves make a word is
// nobody's business here: lane_align finds where characters begin.
`default_nettype none
module ecpix5_gear_in (
    input  wire        half_clk,
    input  wire [19:0] half,
    input  wire        clk,              // half_clk / 2, edge on edge
    output reg  [39:0] word              // bit 0 came first
);
    reg        turn_reg;                 // changes with every clk
    reg        seen_reg;
    reg [19:0] half_reg, older_reg;
    reg [39:0] hold_reg;                 // changes in the middle of clk's cycle

    always @(posedge half_clk) begin
        seen_reg  <= turn_reg;
        half_reg  <= half;
        older_reg <= half_reg;
        if (turn_reg != seen_reg)
            hold_reg <= {half_reg, older_reg};
    end

    always @(posedge clk) begin
        turn_reg <= !turn_reg;
        word     <= hold_reg;
    end
endmodule
`default_nettype wire
