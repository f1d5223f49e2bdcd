// SPDX-License-Identifier: Apache-2.0
// Model of an ECP5's lookup table [ECP5DS, "Slice"]: Z is bit {D, C, B, A} of INIT. An input that is not known
// matters only where it decides, so that a reset made of logic clears what was never set.
`default_nettype none
module LUT4 #(
    parameter [15:0] INIT = 16'h0000
) (
    input  wire A,
    input  wire B,
    input  wire C,
    input  wire D,
    output wire Z
);
    wire [7:0] half    = D ? INIT[15:8] : INIT[7:0];
    wire [3:0] quarter = C ? half[7:4] : half[3:0];
    wire [1:0] pair    = B ? quarter[3:2] : quarter[1:0];
    assign     Z       = A ? pair[1] : pair[0];
endmodule
`default_nettype wire
