// SPDX-License-Identifier: Apache-2.0
// Which of 64 data bits each of the 8 check bits covers: M. Y. Hsiao's code, "A class of optimal minimum
// odd-weight-column SEC-DED codes", IBM J. Res. Dev. 14 (1970). Every data bit has 3 check bits, or 5 (the eight
// highest); every check bit covers 26 data bits.
//
// HT_NO_SECDED, defined for all sources of a design: no check bits are made or looked at, which saves an FPGA's tables
// where the paper's protection is not wanted. A wrong bit of a memory is then neither corrected nor noticed.
`ifndef SECDED_VH
`define SECDED_VH
`ifdef HT_NO_SECDED
`define SECDED_PRESENT 1'b0
`else
`define SECDED_PRESENT 1'b1
`endif
`define SECDED_MASK_0 64'hF104225844B12CB7
`define SECDED_MASK_1 64'hE30844A88952555B
`define SECDED_MASK_2 64'hC710893112649A6D
`define SECDED_MASK_3 64'h8F2111C22388E38E
`define SECDED_MASK_4 64'h1F421E043C0F03F0
`define SECDED_MASK_5 64'h3E83E007C00FFC00
`define SECDED_MASK_6 64'h7CFC0007FFF00000
`define SECDED_MASK_7 64'hF8FFFFF800000000
`endif
