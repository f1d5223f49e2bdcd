// SPDX-License-Identifier: Apache-2.0
// CRC-16 of one byte: polynomial D25F (x^16 + x^15 + x^14 + x^12 + x^9 + x^6 + x^4 + x^3 + x^2 + x + 1),
// initial value FFFF, most significant bit first, no final exclusive-or. Of all polynomials of degree 16 it has
// the fewest code words (3) of weight 8 over these 24 bits, and none lighter. Combinational.
`default_nettype none
module crc16_byte (
    input  wire [7:0]  data,
    output wire [15:0] crc
);
    localparam [15:0] OF_ZERO = 16'h5815;

    assign crc[0]  = OF_ZERO[0]  ^ ^(data & 8'h0B);
    assign crc[1]  = OF_ZERO[1]  ^ ^(data & 8'h1D);
    assign crc[2]  = OF_ZERO[2]  ^ ^(data & 8'h31);
    assign crc[3]  = OF_ZERO[3]  ^ ^(data & 8'h69);
    assign crc[4]  = OF_ZERO[4]  ^ ^(data & 8'hD9);
    assign crc[5]  = OF_ZERO[5]  ^ ^(data & 8'hB2);
    assign crc[6]  = OF_ZERO[6]  ^ ^(data & 8'h6F);
    assign crc[7]  = OF_ZERO[7]  ^ ^(data & 8'hDE);
    assign crc[8]  = OF_ZERO[8]  ^ ^(data & 8'hBC);
    assign crc[9]  = OF_ZERO[9]  ^ ^(data & 8'h73);
    assign crc[10] = OF_ZERO[10] ^ ^(data & 8'hE6);
    assign crc[11] = OF_ZERO[11] ^ ^(data & 8'hCC);
    assign crc[12] = OF_ZERO[12] ^ ^(data & 8'h93);
    assign crc[13] = OF_ZERO[13] ^ ^(data & 8'h26);
    assign crc[14] = OF_ZERO[14] ^ ^(data & 8'h47);
    assign crc[15] = OF_ZERO[15] ^ ^(data & 8'h85);
endmodule
`default_nettype wire
