// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, iSCSI; RFC 3720) over 32 bits a cycle: polynomial 1EDC6F41, reflected, initial
// value and final exclusive-or all ones, lane 0 (bits 7:0) first. `crc` is ready to be sent: low byte
// in lane 0. It changes one cycle after `en`.
//
// A first word enters with its lane 0 left out (a frame's start code is not covered): what stands
// in for it is the register value from which one more zero byte leads to all ones.
//
// 32 zero bits shifted through the register, as polynomials: the bits fed back are F = X / D modulo z^32, with D
// the generator bit-reversed, and what is left is F * D without the low 32 coefficients. 1/D is the product of two
// polynomials of few terms modulo z^32, and so is D read from its other end: four steps of a few shifted copies.
// A mask and a parity for each bit of the result are 8 LUTs less, and simulate ten times slower.
`default_nettype none
module crc32c (
    input  wire        clk,
    input  wire        en,
    input  wire        first,   // with en: begin anew with lanes 1 to 3 of data
    input  wire [31:0] data,
    output wire [31:0] crc
);
    localparam [31:0] BEFORE_FIRST = 32'hA942E6BC;

    reg  [31:0] crc_reg;

    assign crc = ~crc_reg;

    wire [31:0] x = first ? {data[31:8] ^ BEFORE_FIRST[31:8], BEFORE_FIRST[7:0]} : data ^ crc_reg;
    wire [31:0] a = x ^ (x << 5) ^ (x << 7) ^ (x << 12) ^ (x << 17) ^ (x << 22);
    wire [31:0] f = a ^ (a << 4) ^ (a << 6) ^ (a << 8) ^ (a << 15) ^ (a << 31);
    wire [31:0] b = f ^ (f >> 6) ^ (f >> 7) ^ (f >> 11) ^ (f >> 14) ^ (f >> 17);
    wire [31:0] r = b ^ (b >> 7) ^ (b >> 8) ^ (b >> 9) ^ (b >> 10) ^ (b >> 28);

    always @(posedge clk) begin
        if (en) begin
            crc_reg <= r;
        end
    end
endmodule
`default_nettype wire
