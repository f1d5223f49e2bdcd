// SPDX-License-Identifier: Apache-2.0
// 64 data bits and their 8 check bits of secded_encode: corrects one wrong bit, data or check, and notices two.
// An odd number of wrong bits above one is noticed or, in about 56 of 100 cases for three, taken for another single one.
// Combinational.
`default_nettype none
`include "secded.vh"
module secded_decode (
    input  wire [63:0] data,
    input  wire [7:0]  check,
    output reg  [63:0] corrected,
    output reg  [7:0]  corrected_check,
    output wire        single,        // one bit was wrong and is corrected
    output wire        uncorrectable         // more than one were: the data are not to be used
);
    wire [7:0] expected;
    wire [7:0] syndrome = expected ^ check;
    reg        found;                 // the wrong bit
    integer    i;

    secded_encode u_encode (.data(data), .check(expected));

    assign single = found;
    assign uncorrectable = syndrome != 8'd0 && !found;

    wire [63:0] mask_0 = `SECDED_MASK_0;
    wire [63:0] mask_1 = `SECDED_MASK_1;
    wire [63:0] mask_2 = `SECDED_MASK_2;
    wire [63:0] mask_3 = `SECDED_MASK_3;
    wire [63:0] mask_4 = `SECDED_MASK_4;
    wire [63:0] mask_5 = `SECDED_MASK_5;
    wire [63:0] mask_6 = `SECDED_MASK_6;
    wire [63:0] mask_7 = `SECDED_MASK_7;

    always @* begin
        corrected       = data;
        corrected_check = check;
        found           = 1'b0;
        if (syndrome != 8'd0) begin
            for (i = 0; i < 64; i = i + 1) begin
                if (syndrome == {mask_7[i], mask_6[i], mask_5[i], mask_4[i], mask_3[i], mask_2[i], mask_1[i], mask_0[i]}) begin
                    corrected[i] = !data[i];
                    found        = 1'b1;
                end
            end
            for (i = 0; i < 8; i = i + 1) begin
                if (syndrome == (8'd1 << i)) begin
                    corrected_check[i] = !check[i];
                    found              = 1'b1;
                end
            end
        end
    end
endmodule
`default_nettype wire
