// SPDX-License-Identifier: Apache-2.0
// The code of the two wires of the global signal tree.
`ifndef QPACE_SIGNAL_VH
`define QPACE_SIGNAL_VH
`define QPACE_SIGNAL_NULL  2'd0
`define QPACE_SIGNAL_FALSE 2'd1
`define QPACE_SIGNAL_TRUE  2'd2
`define QPACE_SIGNAL_KILL  2'd3
`endif
