// SPDX-License-Identifier: Apache-2.0
// CRC-32C (see crc32c.v) over 16 bytes a cycle, byte 0 (bits 7:0) first: what the register shall hold after the
// first 12 of them, and after all. The user keeps the register; its complement is the CRC. Combinational: crc32c's
// step four times, about 16 LUTs deep.
`default_nettype none
module crc32c_beat (
    input  wire [31:0]  crc,       // register before; all ones at the beginning
    input  wire [127:0] data,
    output wire [31:0]  after_12,
    output wire [31:0]  after_16
);
    // 32 more bits, already added to the register; see crc32c
    function [31:0] step(input [31:0] x);
        reg [31:0] a, f, b;
        begin
            a    = x ^ (x << 5) ^ (x << 7) ^ (x << 12) ^ (x << 17) ^ (x << 22);
            f    = a ^ (a << 4) ^ (a << 6) ^ (a << 8) ^ (a << 15) ^ (a << 31);
            b    = f ^ (f >> 6) ^ (f >> 7) ^ (f >> 11) ^ (f >> 14) ^ (f >> 17);
            step = b ^ (b >> 7) ^ (b >> 8) ^ (b >> 9) ^ (b >> 10) ^ (b >> 28);
        end
    endfunction

    wire [31:0] after_4 = step(data[31:0] ^ crc);
    wire [31:0] after_8 = step(data[63:32] ^ after_4);
    assign after_12 = step(data[95:64] ^ after_8);
    assign after_16 = step(data[127:96] ^ after_12);
endmodule
`default_nettype wire
