// SPDX-License-Identifier: Apache-2.0
// secded_encode that computes only while `enable`: idle cells cost a simulator nothing. Otherwise the check bits are
// 0. Combinational.
`default_nettype none
`include "secded.vh"
module secded_encode_enabled (
    input  wire        enable,
    input  wire [63:0] data,
    output reg  [7:0]  check
);
    always @* begin
        check = 8'd0;
        if (enable && `SECDED_PRESENT)
            check = {^(data & `SECDED_MASK_7), ^(data & `SECDED_MASK_6), ^(data & `SECDED_MASK_5),
                     ^(data & `SECDED_MASK_4), ^(data & `SECDED_MASK_3), ^(data & `SECDED_MASK_2),
                     ^(data & `SECDED_MASK_1), ^(data & `SECDED_MASK_0)};
    end
endmodule
`default_nettype wire
