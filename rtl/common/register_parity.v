// SPDX-License-Identifier: Apache-2.0
// A register with a parity bit, which is checked in every cycle. A reset is part of `next`.
`default_nettype none
module register_parity #(
    parameter WIDTH = 8
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] next,
    input  wire             flip,       // spoils bit 0 of what is stored, for tests
    output wire [WIDTH-1:0] value,
    output wire             wrong       // an odd number of bits changed since they were stored
);
    reg [WIDTH-1:0] value_reg;
    reg             parity_reg;

    assign value = value_reg;
    assign wrong = ^value_reg != parity_reg;

    always @(posedge clk) begin
        value_reg  <= next ^ {{WIDTH-1{1'b0}}, flip};
        parity_reg <= ^next;
    end
endmodule
`default_nettype wire
