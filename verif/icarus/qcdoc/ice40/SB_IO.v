// SPDX-License-Identifier: Apache-2.0
// Model of iCE40's pad as an input that is sampled at both edges of its clock, PIN_TYPE 000000. iCE40 Technology
// Library, FPGA-TN-02026.
`default_nettype none
module SB_IO #(
    parameter [5:0] PIN_TYPE = 6'b000000,
    parameter [0:0] PULLUP = 1'b0
) (
    input  wire PACKAGE_PIN,
    input  wire INPUT_CLK,
    output reg  D_IN_0,
    output reg  D_IN_1
);
    initial if (PIN_TYPE != 6'b000000) $display("FAILED: the model of the pad has no type %b, %b", PIN_TYPE, PULLUP);
    always @(posedge INPUT_CLK) D_IN_0 <= PACKAGE_PIN;
    always @(negedge INPUT_CLK) D_IN_1 <= PACKAGE_PIN;
endmodule
`default_nettype wire
