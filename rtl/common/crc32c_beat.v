// SPDX-License-Identifier: Apache-2.0
// CRC-32C (see crc32c.v) over 16 bytes a cycle, byte 0 (bits 7:0) first: what the register shall hold after the
// first 12 of them, and after all. The user keeps the register; its complement is the CRC. Combinational: crc32c_word
// four times, about 16 LUTs deep.
`default_nettype none
module crc32c_beat (
    input  wire [31:0]  crc,       // register before; all ones at the beginning
    input  wire [127:0] data,
    output wire [31:0]  after_12,
    output wire [31:0]  after_16
);
    wire [31:0] after_4, after_8;

    crc32c_word u_word_0 (.sum(data[31:0] ^ crc), .after(after_4));
    crc32c_word u_word_1 (.sum(data[63:32] ^ after_4), .after(after_8));
    crc32c_word u_word_2 (.sum(data[95:64] ^ after_8), .after(after_12));
    crc32c_word u_word_3 (.sum(data[127:96] ^ after_12), .after(after_16));
endmodule
`default_nettype wire
