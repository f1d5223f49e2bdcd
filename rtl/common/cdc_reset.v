// SPDX-License-Identifier: Apache-2.0
// A reset for one clock domain from an asynchronous one: on at once, off two to three clock edges later,
// synchronously, so that every register of the domain leaves reset in the same cycle.
`default_nettype none
module cdc_reset (
    input  wire clk,
    input  wire async_rst,   // active high
    output wire rst          // active high, released synchronously to clk
);
    (* ASYNC_REG = "TRUE" *) reg [2:0] shift_reg;

    assign rst = shift_reg[2];

    always @(posedge clk or posedge async_rst) begin
        if (async_rst) begin
            shift_reg <= 3'b111;
        end else begin
            shift_reg <= {shift_reg[1:0], 1'b0};
        end
    end
endmodule
`default_nettype wire
