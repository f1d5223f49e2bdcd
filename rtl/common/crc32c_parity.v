// SPDX-License-Identifier: Apache-2.0
// CRC-32C (see crc32c.v) of up to 16 bytes at once, a parity for each bit of the register: what `data`, byte 0 (bits
// 7:0) first, make of a register of zeros. As everything here is a sum, with a register that is not zero the result is
// that of both, added: that of the register is `sum` of it in bits 31:0 and zeros above. Combinational, four LUTs of
// four inputs deep where crc32c_beat is sixteen, twice as large, and far slower in a simulator.
`default_nettype none
module crc32c_parity #(
    parameter BITS = 128           // 8 to 128
) (
    input  wire [BITS-1:0] data,
    output wire [31:0]     sum
);
    // Of each bit of the sum, the data bits that it has: a bit that goes in leads to the polynomial, and then the
    // register shifts once for every bit that follows.
    function [32*BITS-1:0] parities;
        input integer bits;
        integer       i, j;
        reg    [31:0] column;
        begin
            parities = {32*BITS{1'b0}};
            column   = 32'd1;
            for (i = bits - 1; i >= 0; i = i - 1) begin
                column = {1'b0, column[31:1]} ^ (column[0] ? 32'h82F63B78 : 32'd0);
                for (j = 0; j < 32; j = j + 1)
                    parities[BITS*j + i] = column[j];
            end
        end
    endfunction
    localparam [32*BITS-1:0] OF = parities(BITS);

    genvar n;
    generate
        for (n = 0; n < 32; n = n + 1) begin : g_bit
            assign sum[n] = ^(data & OF[BITS*n +: BITS]);
        end
    endgenerate
endmodule
`default_nettype wire
