// SPDX-License-Identifier: Apache-2.0
// Model of two lookup tables of an ECP5 in carry mode [ECP5DS, "Ripple mode"], as Yosys maps adders and comparisons
// to them.
`default_nettype none
module CCU2C #(
    parameter [15:0] INIT0     = 16'h0000,
    parameter [15:0] INIT1     = 16'h0000,
    parameter        INJECT1_0 = "YES",
    parameter        INJECT1_1 = "YES"
) (
    input  wire CIN,
    input  wire A0,
    input  wire B0,
    input  wire C0,
    input  wire D0,
    input  wire A1,
    input  wire B1,
    input  wire C1,
    input  wire D1,
    output wire S0,
    output wire S1,
    output wire COUT
);
    wire carry;
    carry_bit #(.INIT(INIT0), .INJECT1(INJECT1_0)) low (
        .A(A0), .B(B0), .C(C0), .D(D0), .FCI(CIN), .F(S0), .FCO(carry));
    carry_bit #(.INIT(INIT1), .INJECT1(INJECT1_1)) high (
        .A(A1), .B(B1), .C(C1), .D(D1), .FCI(carry), .F(S1), .FCO(COUT));
endmodule
`default_nettype wire
