// SPDX-License-Identifier: Apache-2.0
// A stage that FPGAs need: a wire, or with STAGES a register.
`default_nettype none
module stage_register #(
    parameter WIDTH  = 1,
    parameter STAGES = 0                // 0 or 1
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [WIDTH-1:0] in,
    output wire [WIDTH-1:0] out,
    output wire             settled     // out is what in is
);
    generate
        if (STAGES == 0) begin : gen_wire
            assign out     = in;
            assign settled = 1'b1;
            wire   unused  = &{1'b0, clk, rst};
        end else begin : gen_register
            reg [WIDTH-1:0] value_reg;
            assign out     = value_reg;
            assign settled = value_reg == in;
            always @(posedge clk)
                value_reg <= rst ? {WIDTH{1'b0}} : in;
        end
    endgenerate
endmodule
`default_nettype wire
