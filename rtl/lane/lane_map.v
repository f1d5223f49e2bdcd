// SPDX-License-Identifier: Apache-2.0
// One character between a link's port and the line, both ways. Combinational. A link's idle travels as the lanes' own;
// control characters that are no link's (the lanes' own, and what is no K character) become ERROR, so that no link
// can send what only lanes send, nor receive it.
`default_nettype none
`include "lane_wire.vh"
module lane_map #(
    parameter RECEIVE = 0       // 1: from the line to the port
) (
    input  wire [7:0] in_data,
    input  wire       in_control,
    input  wire       in_error,     // of the line: no character at all
    output reg  [7:0] out_data,
    output reg        out_control
);
    wire [7:0] idle_in  = RECEIVE ? `LANE_IDLE : `LANE_PORT_IDLE;
    wire [7:0] idle_out = RECEIVE ? `LANE_PORT_IDLE : `LANE_IDLE;

    // K28.2, K28.3, K28.4, K27.7, K29.7: the links'
    wire links = in_data == 8'h5C || in_data == 8'h7C || in_data == 8'h9C || in_data == 8'hFB || in_data == 8'hFD;

    always @* begin
        out_data    = in_data;
        out_control = in_control;
        if (in_error) begin
            out_data    = `LANE_PORT_ERROR;
            out_control = 1'b1;
        end else if (in_control) begin
            if (in_data == idle_in) begin
                out_data = idle_out;
            end else if (!links) begin
                out_data = `LANE_PORT_ERROR;
            end
        end
    end
endmodule
`default_nettype wire
