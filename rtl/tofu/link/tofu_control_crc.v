// SPDX-License-Identifier: Apache-2.0
// CRC-16 of a Tofu link control packet (rtl/tofu/README.md): polynomial 3D65 (DNP's), initial value FFFF, bytes in the
// order they are sent, most significant bit first, no final exclusive-or. Of the 56 bits that it makes with these 40,
// no five or fewer wrong ones go unseen. Combinational.
`default_nettype none
module tofu_control_crc (
    input  wire [39:0] data,       // byte 0, sent first, in bits 7:0
    output wire [15:0] crc
);
    localparam [15:0] OF_ZERO = 16'hBD4B;

    assign crc[0]  = OF_ZERO[0]  ^ ^(data & 40'h398E1EF828);
    assign crc[1]  = OF_ZERO[1]  ^ ^(data & 40'h721C3DF051);
    assign crc[2]  = OF_ZERO[2]  ^ ^(data & 40'hDDB664188B);
    assign crc[3]  = OF_ZERO[3]  ^ ^(data & 40'hBA6DC93016);
    assign crc[4]  = OF_ZERO[4]  ^ ^(data & 40'h74DB92612C);
    assign crc[5]  = OF_ZERO[5]  ^ ^(data & 40'hD1383B3B70);
    assign crc[6]  = OF_ZERO[6]  ^ ^(data & 40'h9BFF688EC8);
    assign crc[7]  = OF_ZERO[7]  ^ ^(data & 40'h36FFD11C91);
    assign crc[8]  = OF_ZERO[8]  ^ ^(data & 40'h5570BDC10A);
    assign crc[9]  = OF_ZERO[9]  ^ ^(data & 40'hAAE07A8315);
    assign crc[10] = OF_ZERO[10] ^ ^(data & 40'h6D4FEBFE03);
    assign crc[11] = OF_ZERO[11] ^ ^(data & 40'hE310C8052F);
    assign crc[12] = OF_ZERO[12] ^ ^(data & 40'hFFAF8EF376);
    assign crc[13] = OF_ZERO[13] ^ ^(data & 40'hC7D1031FC5);
    assign crc[14] = OF_ZERO[14] ^ ^(data & 40'h8EA3073E8A);
    assign crc[15] = OF_ZERO[15] ^ ^(data & 40'h1C470F7C14);
endmodule
`default_nettype wire
