// SPDX-License-Identifier: Apache-2.0
// Our model of an ECP5 pin that is sampled at both edges of a clock: at a rising edge come the sample of the rising
// edge before it, and that of the falling edge in between.
`default_nettype none
// verilator lint_off UNUSEDSIGNAL
module IDDRX1F (
    input  wire D,
    input  wire SCLK,
    input  wire RST,
    output reg  Q0,          // of the rising edge
    output reg  Q1           // of the falling edge
);
    reg rising_reg, falling_reg;

    always @(negedge SCLK) falling_reg <= D;

    always @(posedge SCLK) begin
        rising_reg <= D;
        Q0         <= rising_reg;
        Q1         <= falling_reg;
    end
endmodule
`default_nettype wire
