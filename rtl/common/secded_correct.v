// SPDX-License-Identifier: Apache-2.0
// The second half of secded_decode: what the syndrome (check bits as read, exclusive-or those that secded_encode makes
// of the data as read) says. For FPGAs, with a register between the halves or because a table of 256 bits says whether
// one bit is wrong, in few levels of logic. Combinational.
`default_nettype none
`include "secded.vh"
module secded_correct (
    input  wire [63:0] data,
    input  wire [7:0]  check,
    input  wire [7:0]  syndrome,
    output wire [63:0] corrected,
    output wire [7:0]  corrected_check,
    output wire        single,        // one bit was wrong and is corrected
    output wire        uncorrectable  // more than one were: the data are not to be used
);
    wire [63:0] mask_0 = `SECDED_MASK_0;
    wire [63:0] mask_1 = `SECDED_MASK_1;
    wire [63:0] mask_2 = `SECDED_MASK_2;
    wire [63:0] mask_3 = `SECDED_MASK_3;
    wire [63:0] mask_4 = `SECDED_MASK_4;
    wire [63:0] mask_5 = `SECDED_MASK_5;
    wire [63:0] mask_6 = `SECDED_MASK_6;
    wire [63:0] mask_7 = `SECDED_MASK_7;
    reg  [255:0] known;               // of each syndrome: it is one bit's
    reg  [63:0]  wrong;
    reg  [7:0]   wrong_check, of_bit;
    integer      i;

    always @* begin
        i           = 0;
        known       = 256'd0;
        wrong       = 64'd0;
        wrong_check = 8'd0;
        of_bit      = 8'd0;
        for (i = 0; i < 64; i = i + 1) begin
            of_bit        = {mask_7[i], mask_6[i], mask_5[i], mask_4[i], mask_3[i], mask_2[i], mask_1[i], mask_0[i]};
            known[of_bit] = 1'b1;
            wrong[i]      = syndrome == of_bit;
        end
        for (i = 0; i < 8; i = i + 1) begin
            of_bit         = 8'd1 << i;
            known[of_bit]  = 1'b1;
            wrong_check[i] = syndrome == of_bit;
        end
    end

    assign corrected       = `SECDED_PRESENT ? data ^ wrong : data;
    assign corrected_check = `SECDED_PRESENT ? check ^ wrong_check : check;
    assign single          = `SECDED_PRESENT && known[syndrome];
    assign uncorrectable   = `SECDED_PRESENT && syndrome != 8'd0 && !single;
endmodule
`default_nettype wire
