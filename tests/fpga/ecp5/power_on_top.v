// SPDX-License-Identifier: Apache-2.0
// Models of ECP5 primitives with something in them at power-on (power_on_test.cpp).
`default_nettype none
module power_on_top (
    input  wire        clk,
    input  wire [3:0]  address,
    output wire [1:0]  flops,       // the first one is set
    output wire [3:0]  word,
    output wire        word_bit,
    output wire [8:0]  block
);
    localparam [63:0] WORDS = 64'hFEDC_BA98_7654_3210;
    TRELLIS_FF #(.CEMUX("0"), .REGSET("SET")) set (.CLK(clk), .LSR(1'b0), .CE(1'b0), .DI(1'b0), .M(1'b0), .Q(flops[0]));
    TRELLIS_FF #(.CEMUX("0")) clear (.CLK(clk), .LSR(1'b0), .CE(1'b0), .DI(1'b1), .M(1'b0), .Q(flops[1]));
    TRELLIS_DPR16X4 #(.INITVAL(WORDS)) words (
        .DI(4'd0), .WAD(4'd0), .WRE(1'b0), .WCK(clk), .RAD(address), .DO(word));
    // the table of bit 0 of WORDS is that of the lowest bit of {A, C, B, D}
    TRELLIS_COMB #(.MODE("DPRAM"), .INITVAL(16'hFF00)) cell_0 (
        .D(address[0]), .B(address[1]), .C(address[2]), .A(address[3]), .WRE(1'b0), .WCK(clk), .F(word_bit));
    DP16KD #(.DATA_WIDTH_A(9), .DATA_WIDTH_B(9), .INITVAL_00(320'h3FE01_00003)) memory (
        .CLKB(clk), .CEB(1'b1), .WEB(1'b0), .RSTB(1'b0), .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
        .ADB3(address[0]), .ADB4(address[1]), .ADB5(address[2]), .ADB6(address[3]),
        .DOB0(block[0]), .DOB1(block[1]), .DOB2(block[2]), .DOB3(block[3]), .DOB4(block[4]), .DOB5(block[5]),
        .DOB6(block[6]), .DOB7(block[7]), .DOB8(block[8]));
endmodule
`default_nettype wire
