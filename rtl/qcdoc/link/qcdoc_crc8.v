// SPDX-License-Identifier: Apache-2.0
// The check byte of supervisor words and partition interrupts on a QCDOC link, one byte further: CRC-8, polynomial
// 07 (x^8 + x^2 + x + 1), most significant bit first. Over the 80 bits of a supervisor word's frame, and the 24 of an
// interrupt's, up to three flipped bits always show. Combinational.
`default_nettype none
module qcdoc_crc8 (
    input  wire [7:0] crc,
    input  wire [7:0] data,
    output wire [7:0] next
);
    wire [7:0] sum = crc ^ data;

    assign next[0] = ^(sum & 8'hC1);
    assign next[1] = ^(sum & 8'h43);
    assign next[2] = ^(sum & 8'h47);
    assign next[3] = ^(sum & 8'h8E);
    assign next[4] = ^(sum & 8'h1C);
    assign next[5] = ^(sum & 8'h38);
    assign next[6] = ^(sum & 8'h70);
    assign next[7] = ^(sum & 8'hE0);
endmodule
`default_nettype wire
