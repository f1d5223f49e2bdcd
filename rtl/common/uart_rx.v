// SPDX-License-Identifier: Apache-2.0
// Receives characters from a serial line (uart_tx has the format). The line is sampled in the
// middle of each bit, counted from the start bit's edge; a start bit that is gone by its middle was
// none. After a character without a stop bit the line must be 1 again before the next begins.
// Latency: `valid` in the cycle after the middle of the (first) stop bit was sampled.
`default_nettype none
module uart_rx (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] divisor,
    input  wire        parity,
    input  wire        even,
    input  wire        rxd,            // synchronised

    output reg         valid,          // pulse
    output reg  [7:0]  data,
    output reg         parity_error,
    output reg         framing_error,
    output reg         break_seen,
    output wire        idle
);
    reg  [3:0]  bits;                  // still to be sampled; 0: waiting for a start bit
    reg  [15:0] count;
    reg  [8:0]  shift;                 // the last nine samples, the newest in bit 8
    reg         hold;                  // the line has not been 1 since the last character

    wire        sample = bits != 4'd0 && count == 16'd0;
    wire        first  = bits == 4'd10 + {3'd0, parity};   // the start bit
    wire        last   = bits == 4'd1;                      // the stop bit
    wire        parity_bit = shift[8];

    // when the stop bit comes: data in 7:0 with a parity bit above, in 8:1 without
    wire [7:0]  character = parity ? shift[7:0] : shift[8:1];
    assign idle = bits == 4'd0 && !hold && !valid;

    always @(posedge clk) begin
        valid <= 1'b0;
        if (rxd)
            hold <= 1'b0;
        if (bits == 4'd0) begin
            if (!rxd && !hold) begin
                bits  <= 4'd10 + {3'd0, parity};
                count <= {1'b0, divisor[15:1]} - 16'd1;
            end
        end else begin
            count <= count - 16'd1;
            if (sample) begin
                count <= divisor - 16'd1;
                bits  <= first && rxd ? 4'd0 : bits - 4'd1;
                shift <= {rxd, shift[8:1]};
                if (last) begin
                    valid         <= 1'b1;
                    data          <= character;
                    parity_error  <= parity && parity_bit != (^character ^ !even);
                    framing_error <= !rxd;
                    break_seen    <= !rxd && character == 8'd0 && !(parity && parity_bit);
                    hold          <= !rxd;
                end
            end
        end
        if (rst) begin
            valid <= 1'b0;
            bits  <= 4'd0;
            hold  <= 1'b0;
        end
    end
endmodule
`default_nettype wire
