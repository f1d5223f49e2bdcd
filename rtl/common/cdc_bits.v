// SPDX-License-Identifier: Apache-2.0
// Levels into another clock domain: two flip-flops each. Bits are independent: a group of them must
// not be read as a number (cdc_counter does that). Latency: 1 to 2 cycles of clk.
`default_nettype none
module cdc_bits #(
    parameter WIDTH = 1
) (
    input  wire             clk,     // destination
    input  wire             rst,     // synchronous to clk
    input  wire [WIDTH-1:0] src,     // registers of another clock domain
    output wire [WIDTH-1:0] dst
);
    (* ASYNC_REG = "TRUE" *) reg [WIDTH-1:0] meta_reg;
    (* ASYNC_REG = "TRUE" *) reg [WIDTH-1:0] sync_reg;

    assign dst = sync_reg;

    always @(posedge clk) begin
        meta_reg <= src;
        sync_reg <= meta_reg;
        if (rst) begin
            meta_reg <= {WIDTH{1'b0}};
            sync_reg <= {WIDTH{1'b0}};
        end
    end
endmodule
`default_nettype wire
