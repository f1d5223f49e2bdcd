// SPDX-License-Identifier: Apache-2.0
// Ticks of QCDOC's slow global clock (about 40 MHz on a motherboard; [QCDOC2004] sections 2.2 and 2.4) since reset, for
// `global_count` of qcdoc_scu. Nodes whose reset ends between the same two ticks have the same count, but for the
// skew of the wire and one cycle of clk. Latency: 3 cycles of clk from the wire's rising edge to the count.
//
// On a board this stands beside the communications unit; a simulator that knows the time drives time / period.
`default_nettype none
module qcdoc_global_clock #(
    parameter WIDTH = 16
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             global_clk,    // at most a quarter of clk; any phase
    output wire [WIDTH-1:0] global_count
);
    wire             level;
    reg              level_reg;
    reg  [WIDTH-1:0] count_reg;

    cdc_bits #(.WIDTH(1)) synchroniser (.clk(clk), .rst(1'b0), .src(global_clk), .dst(level));

    assign global_count = count_reg;

    always @(posedge clk) begin
        level_reg <= level;    // not reset: a level that was there already is no tick
        if (level && !level_reg)
            count_reg <= count_reg + 1'b1;
        if (rst)
            count_reg <= {WIDTH{1'b0}};
    end
endmodule
`default_nettype wire
