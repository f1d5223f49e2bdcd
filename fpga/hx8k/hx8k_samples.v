// SPDX-License-Identifier: Apache-2.0
// A pin's level four times a bit, by the two registers that an iCE40 has at each pin. Clocks: four_samples.
`default_nettype none
module hx8k_samples (
    input  wire       sample_clk,
    input  wire       clk,
    input  wire       pin,
    output wire [3:0] samples            // of clk; the earliest in the highest bit
);
    wire       rising, falling;

    SB_IO #(.PIN_TYPE(6'b000000), .PULLUP(1'b1)) io (
        .PACKAGE_PIN(pin), .INPUT_CLK(sample_clk), .D_IN_0(rising), .D_IN_1(falling));
    four_samples four (
        .sample_clk(sample_clk), .rising(rising), .falling(falling), .clk(clk), .samples(samples));
endmodule
`default_nettype wire
