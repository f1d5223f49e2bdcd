// SPDX-License-Identifier: Apache-2.0
// secded_decode that works only while `enable`: idle cells cost a simulator nothing. Otherwise data and check bits
// pass as they are, and nothing is found. Combinational.
`default_nettype none
`include "secded.vh"
module secded_decode_enabled (
    input  wire        enable,
    input  wire [63:0] data,
    input  wire [7:0]  check,
    output reg  [63:0] corrected,
    output reg  [7:0]  corrected_check,
    output reg         single,        // one bit was wrong and is corrected
    output reg         uncorrectable  // more than one were: the data are not to be used
);
    wire [63:0] mask_0 = `SECDED_MASK_0;
    wire [63:0] mask_1 = `SECDED_MASK_1;
    wire [63:0] mask_2 = `SECDED_MASK_2;
    wire [63:0] mask_3 = `SECDED_MASK_3;
    wire [63:0] mask_4 = `SECDED_MASK_4;
    wire [63:0] mask_5 = `SECDED_MASK_5;
    wire [63:0] mask_6 = `SECDED_MASK_6;
    wire [63:0] mask_7 = `SECDED_MASK_7;
    reg  [7:0]  syndrome, of_bit;
    integer     i;

    // Of each syndrome: it is one bit's. A table, which takes fewer cells than 72 comparisons.
    function [255:0] of_one_bit;
        input [511:0] masks;
        integer       column;
        begin
            of_one_bit = 256'd0;
            for (column = 0; column < 64; column = column + 1)
                of_one_bit[{masks[448 + column], masks[384 + column], masks[320 + column], masks[256 + column],
                            masks[192 + column], masks[128 + column], masks[64 + column], masks[column]}] = 1'b1;
            for (column = 0; column < 8; column = column + 1)
                of_one_bit[1 << column] = 1'b1;
        end
    endfunction
    localparam [255:0] KNOWN = of_one_bit({`SECDED_MASK_7, `SECDED_MASK_6, `SECDED_MASK_5, `SECDED_MASK_4,
                                           `SECDED_MASK_3, `SECDED_MASK_2, `SECDED_MASK_1, `SECDED_MASK_0});

    always @* begin
        i               = 0;
        corrected       = data;
        corrected_check = check;
        single          = 1'b0;
        uncorrectable   = 1'b0;
        syndrome        = 8'd0;
        of_bit          = 8'd0;
        if (enable && `SECDED_PRESENT) begin
            syndrome = check ^ {^(data & `SECDED_MASK_7), ^(data & `SECDED_MASK_6), ^(data & `SECDED_MASK_5),
                                ^(data & `SECDED_MASK_4), ^(data & `SECDED_MASK_3), ^(data & `SECDED_MASK_2),
                                ^(data & `SECDED_MASK_1), ^(data & `SECDED_MASK_0)};
            if (syndrome != 8'd0) begin
                for (i = 0; i < 64; i = i + 1) begin
                    of_bit       = {mask_7[i], mask_6[i], mask_5[i], mask_4[i],
                                    mask_3[i], mask_2[i], mask_1[i], mask_0[i]};
                    corrected[i] = data[i] ^ (syndrome == of_bit);
                end
                for (i = 0; i < 8; i = i + 1)
                    corrected_check[i] = check[i] ^ (syndrome == (8'd1 << i));
                single        = KNOWN[syndrome];
                uncorrectable = !single;
            end
        end
    end
endmodule
`default_nettype wire
