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
    reg  [7:0]  syndrome;
    integer     i;

    always @* begin
        i               = 0;
        corrected       = data;
        corrected_check = check;
        single          = 1'b0;
        uncorrectable   = 1'b0;
        syndrome        = 8'd0;
        if (enable) begin
            syndrome = check ^ {^(data & `SECDED_MASK_7), ^(data & `SECDED_MASK_6), ^(data & `SECDED_MASK_5),
                                ^(data & `SECDED_MASK_4), ^(data & `SECDED_MASK_3), ^(data & `SECDED_MASK_2),
                                ^(data & `SECDED_MASK_1), ^(data & `SECDED_MASK_0)};
            if (syndrome != 8'd0) begin
                for (i = 0; i < 64; i = i + 1) begin
                    if (syndrome == {mask_7[i], mask_6[i], mask_5[i], mask_4[i],
                                     mask_3[i], mask_2[i], mask_1[i], mask_0[i]}) begin
                        corrected[i] = !data[i];
                        single       = 1'b1;
                    end
                end
                for (i = 0; i < 8; i = i + 1) begin
                    if (syndrome == (8'd1 << i)) begin
                        corrected_check[i] = !check[i];
                        single             = 1'b1;
                    end
                end
                uncorrectable = !single;
            end
        end
    end
endmodule
`default_nettype wire
