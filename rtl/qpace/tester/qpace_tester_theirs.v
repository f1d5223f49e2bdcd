// SPDX-License-Identifier: Apache-2.0
// Which of a tester's registers are its link's own, and where the link has them. Combinational.
`default_nettype none
`include "qpace_link_regs.vh"
`include "qpace_tester_regs.vh"
module qpace_tester_theirs (
    input  wire [3:0] address,
    output reg        theirs,
    output reg  [5:0] link_address
);
    always @* begin
        theirs = 1'b1;
        case (address)
            `QPACE_TESTER_CONTROL:     link_address = `QPACE_LINK_CONTROL;
            `QPACE_TESTER_STATUS:      link_address = `QPACE_LINK_STATUS;
            `QPACE_TESTER_TX_CHECKSUM: link_address = `QPACE_LINK_TX_CHECKSUM;
            `QPACE_TESTER_RX_CHECKSUM: link_address = `QPACE_LINK_RX_CHECKSUM;
            `QPACE_TESTER_SENT:        link_address = `QPACE_LINK_COUNT_SENT;
            `QPACE_TESTER_RESENT:      link_address = `QPACE_LINK_COUNT_RETRANSMITTED;
            `QPACE_TESTER_RETRAINS:    link_address = `QPACE_LINK_COUNT_RETRAIN;
            default: begin
                theirs       = 1'b0;
                link_address = 6'd0;
            end
        endcase
    end
endmodule
`default_nettype wire
