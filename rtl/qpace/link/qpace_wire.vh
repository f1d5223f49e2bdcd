// SPDX-License-Identifier: Apache-2.0
// Codes of the QPACE wire: rtl/qpace/README.md, "Wire format".
`ifndef QPACE_WIRE_VH
`define QPACE_WIRE_VH
`define QPACE_WIRE_IDLE_DATA    32'h07070707
`define QPACE_WIRE_IDLE_CONTROL 4'hF
`define QPACE_WIRE_START_CONTROL 4'h1   // lane 0 holds a start code, lanes 1 to 3 data
`define QPACE_WIRE_PACKET       8'hFB
`define QPACE_WIRE_COMMAND      8'h5C
`define QPACE_WIRE_HELLO        8'h9C
`define QPACE_WIRE_WITHDRAWN    8'h7C   // with the inverted rest of the CRC, at a packet's end
`define QPACE_WIRE_ERROR        8'hFE
`define QPACE_WIRE_VERSION      8'd2
// types of commands
`define QPACE_WIRE_ACK          2'd0
`define QPACE_WIRE_NACK         2'd1
`define QPACE_WIRE_BUSY         2'd2
`define QPACE_WIRE_READY        2'd3
`endif
