// SPDX-License-Identifier: Apache-2.0
// Check bits of 64 data bits: one wrong bit of the 72 can be corrected and two are detected (secded_decode).
// Hsiao's code, see secded.vh. Combinational.
`default_nettype none
`include "secded.vh"
module secded_encode (
    input  wire [63:0] data,
    output wire [7:0]  check
);
    assign check = {8{`SECDED_PRESENT}} &
                   {^(data & `SECDED_MASK_7), ^(data & `SECDED_MASK_6), ^(data & `SECDED_MASK_5),
                    ^(data & `SECDED_MASK_4), ^(data & `SECDED_MASK_3), ^(data & `SECDED_MASK_2),
                    ^(data & `SECDED_MASK_1), ^(data & `SECDED_MASK_0)};
endmodule
`default_nettype wire
