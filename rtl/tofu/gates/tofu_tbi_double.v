// SPDX-License-Identifier: Apache-2.0
// The state of a sum of one double: rtl/tofu/README.md, "FSUM". With e the exponent (1 for subnormals, which lack the
// hidden bit) the significand, shifted left by e[5:0] and signed, in the lane of group e[10:6]. Zeros open no group;
// infinities and NaN are flags. Combinational.
`default_nettype none
module tofu_tbi_double (
    input  wire [63:0]  x,
    output wire [319:0] state
);
    wire         normal  = x[62:52] != 11'd0;
    wire         special = x[62:52] == 11'h7ff;
    wire         number  = !special && (normal || x[51:0] != 52'd0);
    wire [5:0]   shift   = normal ? x[57:52] : 6'd1;
    wire [115:0] size    = {63'd0, normal, x[51:0]} << shift;
    wire [151:0] wide    = {36'd0, size};
    wire [151:0] sum     = x[63] ? -wide : wide;
    wire         nan     = special && x[51:0] != 52'd0;
    wire         inf     = special && x[51:0] == 52'd0;

    assign state = {160'd0, inf && x[63], inf && !x[63], nan, number ? x[62:58] : 5'd0, number ? sum : 152'd0};
endmodule
`default_nettype wire
