// SPDX-License-Identifier: Apache-2.0
// Our model of an iCE40 pin as an input that is sampled at both edges of its clock (PIN_TYPE 000000), all that is used.
`default_nettype none
// verilator lint_off UNUSEDPARAM
module SB_IO #(
    parameter [5:0] PIN_TYPE = 6'b000000,
    parameter [0:0] PULLUP = 1'b0
) (
    input  wire PACKAGE_PIN,
    input  wire INPUT_CLK,
    output reg  D_IN_0,      // at the rising edge
    output reg  D_IN_1       // at the falling edge
);
    always @(posedge INPUT_CLK) D_IN_0 <= PACKAGE_PIN;
    always @(negedge INPUT_CLK) D_IN_1 <= PACKAGE_PIN;
endmodule
`default_nettype wire
