// SPDX-License-Identifier: Apache-2.0
// A register in a stream with valid and ready, at full rate: what goes in comes out a cycle later or more, and no path
// goes through, neither forwards nor backwards. It holds two entries, so that in_ready can come from a register.
//
//   cycle      0    1    2    3    4    5
//   in         A    B    C    C    C    D     in_ready is 0 in cycles 2 and 3
//   out             A    A    A    B    C     out_ready is 0 in cycles 1 and 2
//   spare                B    B
`default_nettype none
module register_slice #(
    parameter WIDTH = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             in_valid,     // moves when in_valid and in_ready are 1
    output wire             in_ready,
    input  wire [WIDTH-1:0] in_data,
    output reg              out_valid,    // stays, with its data, until out_ready
    input  wire             out_ready,
    output reg  [WIDTH-1:0] out_data,
    output reg  [WIDTH-1:0] spare         // what waits behind out_data, while in_ready is 0
);
    reg             spare_valid;
    wire            move = !out_valid || out_ready;

    assign in_ready = !spare_valid;

    always @(posedge clk) begin
        if (move) begin
            out_valid   <= in_valid || spare_valid;
            out_data    <= spare_valid ? spare : in_data;
            spare_valid <= 1'b0;
        end else if (in_valid && in_ready)
            spare_valid <= 1'b1;
        if (in_ready)
            spare <= in_data;
        if (rst) begin
            out_valid   <= 1'b0;
            spare_valid <= 1'b0;
        end
    end
endmodule
`default_nettype wire
