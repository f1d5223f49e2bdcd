// SPDX-License-Identifier: Apache-2.0
// Our model of a transceiver's reference pin.
`default_nettype none
// verilator lint_off UNUSEDSIGNAL
module IBUFDS_GTE3 (
    input  wire I,
    input  wire IB,
    input  wire CEB,
    output wire O,
    output wire ODIV2
);
    assign O     = I;
    assign ODIV2 = 1'b0;
endmodule
`default_nettype wire
