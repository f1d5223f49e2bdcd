// SPDX-License-Identifier: Apache-2.0
// Header codes of a QCDOC link, the one table of them: rtl/qcdoc/README.md, "Headers".
//
// A header is {k[4:0], ~^k, b[1:0]}: six bits of odd parity, so that codes differ in two bits at least, and two
// more. Frames (k < 24) have the parity of their data in b; bare codes (k >= 24) have b = 00 or 11, and idle bytes are
// chosen so that none of them is a bare code when it is read at a wrong byte boundary. Neither
// 00 nor FF is a header: a dead line says nothing. One of the two parities of a 64-bit word is inverted, so that a
// repeated bare code that is read at a wrong byte boundary (odd weight at every rotation) is never a frame: eight
// equal bytes want a b of weight one, hence a header of even weight, and so does one byte of odd weight, whose
// parities are not inverted.
`ifndef QCDOC_CODES_VH
`define QCDOC_CODES_VH
// k[4:3], class
`define QCDOC_CLASS_DATA       2'd0   // k[2:0]: {0, data ack}, {10, supervisor ack} or {11, interrupt ack}
`define QCDOC_CLASS_SUPERVISOR 2'd1   // k[2:0]: {sequence, data ack}
`define QCDOC_CLASS_INTERRUPT  2'd2   // k[2:0]: {sequence, data ack}
`define QCDOC_CLASS_BARE       2'd3
`define QCDOC_HEADER(k, b)     {k, ~^(k), b}
`define QCDOC_PARITY_64        2'b01  // inverts the parity of the even bits
`define QCDOC_PARITY_SUP       2'b10  // of a supervisor word that of the odd bits: two flips make no data word of it
`define QCDOC_PARITY_8         2'b00
// bare codes: {k[2:0], b}; idle is {0, data ack, hold, hold}, but for the last one
`define QCDOC_BARE_IDLE        1'b0   // k[2]
`define QCDOC_IDLE_3_HOLD      8'hE0
`define QCDOC_MARK             8'hEC  // at least ten of them precede a record
`define QCDOC_ACK_SUPERVISOR_0 8'hDF
`define QCDOC_ACK_SUPERVISOR_1 8'hFB
`define QCDOC_ACK_INTERRUPT_0  8'hEF
`define QCDOC_ACK_INTERRUPT_1  8'hF7
`define QCDOC_BREAK            8'hE3  // no header, two bits away from all: the link goes to training, or down
// F4 and F8 are not given away: no headers
// a record, after marks: {number of the next word, out of step, 1}, its complement, {number of the next word wanted,
// words that wait before it}, its complement, a mark; the 1 makes the first byte no mark
// idle bytes that follow a supervisor word or an interrupt, by which it is believed
`define QCDOC_SURE             2'd3
// the check byte of a supervisor word and of an interrupt begins with this, then come the header and the payload
// (qcdoc_crc8); with this value idle bytes behind a damaged header never have the right check byte
`define QCDOC_CHECK_FIRST      8'h55
// training sequence: these two bytes, a status byte and its complement (the framing bytes of SONET, whose
// sixteen bits have one alignment only)
`define QCDOC_TRAIN_0          8'hF6
`define QCDOC_TRAIN_1          8'h28
`endif
