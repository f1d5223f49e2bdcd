// SPDX-License-Identifier: Apache-2.0
// 32 zero bits shifted through the register of a CRC-32C, as polynomials. Combinational.
//
// The bits fed back are F = X / D modulo z^32, with D the generator bit-reversed, and what is left is F * D without the
// low 32 coefficients. 1/D is the product of two polynomials of few terms modulo z^32, and so is D read from its other
// end: four steps of a few shifted copies. (crc32c.v has it in one step, which is not as deep.)
`default_nettype none
module crc32c_word (
    input  wire [31:0] sum,     // register, the word already added to it
    output wire [31:0] after
);
    wire [31:0] a = sum ^ (sum << 5) ^ (sum << 7) ^ (sum << 12) ^ (sum << 17) ^ (sum << 22);
    wire [31:0] f = a ^ (a << 4) ^ (a << 6) ^ (a << 8) ^ (a << 15) ^ (a << 31);
    wire [31:0] b = f ^ (f >> 6) ^ (f >> 7) ^ (f >> 11) ^ (f >> 14) ^ (f >> 17);

    assign after = b ^ (b >> 7) ^ (b >> 8) ^ (b >> 9) ^ (b >> 10) ^ (b >> 28);
endmodule
`default_nettype wire
