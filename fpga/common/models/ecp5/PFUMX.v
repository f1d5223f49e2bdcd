// SPDX-License-Identifier: Apache-2.0
// Model of the multiplexer of an ECP5 that makes one table of five inputs of two of four [ECP5DS, "Slice"].
`default_nettype none
module PFUMX (
    input  wire ALUT,
    input  wire BLUT,
    input  wire C0,
    output wire Z
);
    assign Z = C0 ? ALUT : BLUT;
endmodule
`default_nettype wire
