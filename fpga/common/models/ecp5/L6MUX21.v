// SPDX-License-Identifier: Apache-2.0
// Model of the multiplexer of an ECP5 that makes one table of six, seven or eight inputs of two smaller ones.
`default_nettype none
module L6MUX21 (
    input  wire D0,
    input  wire D1,
    input  wire SD,
    output wire Z
);
    assign Z = SD ? D1 : D0;
endmodule
`default_nettype wire
