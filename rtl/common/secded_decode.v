// SPDX-License-Identifier: Apache-2.0
// 64 data bits and their 8 check bits of secded_encode: corrects one wrong bit, data or check, and detects two.
// An odd number of wrong bits above one is detected or, in about 56 of 100 cases for three, taken for another single
// one. Combinational.
`default_nettype none
module secded_decode (
    input  wire [63:0] data,
    input  wire [7:0]  check,
    output wire [63:0] corrected,
    output wire [7:0]  corrected_check,
    output wire        single,        // one bit was wrong and is corrected
    output wire        uncorrectable  // more than one were: the data are not to be used
);
    secded_decode_enabled u_decode (
        .enable(1'b1), .data(data), .check(check), .corrected(corrected), .corrected_check(corrected_check),
        .single(single), .uncorrectable(uncorrectable)
    );
endmodule
`default_nettype wire
