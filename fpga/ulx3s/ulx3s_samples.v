// SPDX-License-Identifier: Apache-2.0
// A pin's level four times a bit, by the two registers that an ECP5 has at each pin. Clocks: four_samples.
`default_nettype none
module ulx3s_samples (
    input  wire       sample_clk,
    input  wire       clk,
    input  wire       pin,
    output wire [3:0] samples            // of clk; the earliest in the highest bit
);
    wire       rising, falling;

    IDDRX1F io (.D(pin), .SCLK(sample_clk), .RST(1'b0), .Q0(rising), .Q1(falling));
    four_samples four (
        .sample_clk(sample_clk), .rising(rising), .falling(falling), .clk(clk), .samples(samples));
endmodule
`default_nettype wire
