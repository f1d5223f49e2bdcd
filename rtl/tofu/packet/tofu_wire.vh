// SPDX-License-Identifier: Apache-2.0
// Codes and header fields of the Tofu wire: rtl/tofu/README.md, "Wire format".
`ifndef TOFU_WIRE_VH
`define TOFU_WIRE_VH
`define TOFU_WIRE_VERSION      8'd2
// control characters; every byte of the wire has a control bit beside it
`define TOFU_WIRE_IDLE         8'h07
`define TOFU_WIRE_START        8'hFB   // byte 0 of a packet's first beat
`define TOFU_WIRE_END          8'hFD   // byte 0 of its last beat
`define TOFU_WIRE_NULLIFIED    8'h7C   // instead of END, with the inverted CRC: the packet is void
`define TOFU_WIRE_CONTROL      8'h5C   // byte 8 of a beat: a link control packet
`define TOFU_WIRE_HELLO        8'h9C   // byte 0 of a beat of training
`define TOFU_WIRE_ERROR        8'hFE   // what a receiver sees instead of a character it cannot decode
// types of link control packets
`define TOFU_CONTROL_ACK       2'd0
`define TOFU_CONTROL_NACK      2'd1   // something came damaged: go back to the sequence number
`define TOFU_CONTROL_BUSY      2'd2   // no room for that packet: go back, and wait
`define TOFU_CONTROL_ASK       2'd3   // say your credits again
// kinds of packets
`define TOFU_KIND_PUT          4'd0
`define TOFU_KIND_GET          4'd1
`define TOFU_KIND_DATA         4'd2    // response: what a get asked for
`define TOFU_KIND_ATOMIC       4'd3
`define TOFU_KIND_RESPONSE     4'd4    // response: done, or the cause why not
`define TOFU_KIND_GATE         4'd5    // from barrier gate to barrier gate
// header, 256 bits, byte k in bits 8 k + 7 : 8 k; the first beat is bits 127:0
`define TOFU_HEADER_SEQUENCE   15:8    // of the link; 0 inside a chip
`define TOFU_HEADER_VC         17:16   // {response, routing channel}
`define TOFU_HEADER_CHANNEL    16
`define TOFU_HEADER_RESPONSE   17
`define TOFU_HEADER_LEG        18      // the first ABC leg is done
`define TOFU_HEADER_KIND       23:20
`define TOFU_HEADER_BEATS      30:24   // of payload, 0 to 125
`define TOFU_HEADER_TO         50:32   // {c, b[1:0], a, z[4:0], y[4:0], x[4:0]}
`define TOFU_HEADER_PATH       54:51   // where the first ABC leg leads, {c, b[1:0], a}
`define TOFU_HEADER_FROM       74:56   // as TO
`define TOFU_HEADER_INTERFACE  77:75   // at the destination: 0 to 3 network interfaces, 4 barrier
`define TOFU_HEADER_SPECIFIC   223:80  // by kind
`define TOFU_HEADER_CRC        255:224 // CRC-32C of bytes 1 to 27; 0 inside a chip
// kind GATE
`define TOFU_GATE_TO           85:80
`define TOFU_GATE_FROM         91:86
`define TOFU_GATE_GROUP        99:92
`define TOFU_GATE_SEQUENCE     123:100
`define TOFU_GATE_OPERATION    127:124
`define TOFU_GATE_STATUS       135:128
// operations of barrier gates
`define TOFU_OP_BARRIER        4'd0
`define TOFU_OP_AND            4'd1
`define TOFU_OP_OR             4'd2
`define TOFU_OP_XOR            4'd3
`define TOFU_OP_MAX            4'd4
`define TOFU_OP_SUM            4'd5
`define TOFU_OP_FSUM           4'd6    // doubles, order-independent
`define TOFU_OP_BROADCAST      4'd7
// status of a gate's packet
`define TOFU_STATUS_EMPTY      0       // it brings no data
`define TOFU_STATUS_MISMATCH   1       // errors, anywhere before: there is no result
`define TOFU_STATUS_SEQUENCE   2
`define TOFU_STATUS_ADDRESS    3
`define TOFU_STATUS_BROADCAST  4
// packets inside a chip: 148 bits a beat
`define TOFU_BEAT_BITS         148
`define TOFU_BEAT_DATA         127:0
`define TOFU_BEAT_ECC          143:128 // 8 for each 64 bits of data
`define TOFU_BEAT_FIRST        144
`define TOFU_BEAT_LAST         145
`define TOFU_BEAT_BAD          146     // with LAST: the packet is void
`define TOFU_BEAT_PARITY       147     // makes the parity of bits 147:144 odd
`endif
