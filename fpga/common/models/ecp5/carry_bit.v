// SPDX-License-Identifier: Apache-2.0
// One lookup table of an ECP5 in carry mode, half of a CCU2C. The table says whether a carry is passed on; where it
// is not, its lowest quarter, a table of A and B, says what goes on in its place. With INJECT1 the sum and what is
// generated are those of no carry, which is how a chain begins and ends.
`default_nettype none
module carry_bit #(
    parameter [15:0] INIT    = 16'h0000,
    parameter        INJECT1 = "NO"
) (
    input  wire A,
    input  wire B,
    input  wire C,
    input  wire D,
    input  wire FCI,
    output wire F,
    output wire FCO
);
    wire       passes;
    wire [1:0] pair      = B ? INIT[3:2] : INIT[1:0];
    wire       generated = INJECT1 == "YES" ? 1'b0 : A ? pair[1] : pair[0];
    LUT4 #(.INIT(INIT)) lut (.A(A), .B(B), .C(C), .D(D), .Z(passes));
    assign F   = INJECT1 == "YES" ? passes : passes ^ FCI;
    assign FCO = passes ? FCI : generated;
endmodule
`default_nettype wire
