// SPDX-License-Identifier: Apache-2.0
// Sends characters over a serial line: start bit 0, eight data bits with the lowest first, parity if
// wanted, one or two stop bits 1; a bit lasts `divisor` cycles. Characters follow one another without
// a gap while `valid` holds. Nothing counts while nothing is sent.
//
//   txd  ---\____<d0><d1>...<d7>[<p>]-----[-----]
//           start                    stop  stop
`default_nettype none
module uart_tx (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] divisor,
    input  wire        parity,
    input  wire        even,
    input  wire        two_stop,

    input  wire        valid,
    input  wire [7:0]  data,
    output wire        take,     // the character is taken; it may go

    output reg         txd,
    output wire        idle
);
    reg  [3:0]  bits;            // still to go, the one on the line included
    reg  [15:0] count;           // cycles of the bit on the line, less one
    reg  [8:0]  shift;

    wire        last = count == 16'd0;

    assign idle = bits == 4'd0;
    assign take = valid && (idle || (bits == 4'd1 && last));

    always @(posedge clk) begin
        if (take) begin
            txd   <= 1'b0;
            shift <= {parity ? ^data ^ !even : 1'b1, data};
            bits  <= 4'd10 + {3'd0, parity} + {3'd0, two_stop};
            count <= divisor - 16'd1;
        end else if (!idle) begin
            count <= count - 16'd1;
            if (last) begin
                txd   <= bits == 4'd1 || shift[0];
                shift <= {1'b1, shift[8:1]};
                bits  <= bits - 4'd1;
                count <= divisor - 16'd1;
            end
        end
        if (rst) begin
            txd  <= 1'b1;
            bits <= 4'd0;
        end
    end
endmodule
`default_nettype wire
