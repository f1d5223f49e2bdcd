// SPDX-License-Identifier: Apache-2.0
// A board's first reset: held for 2^BITS cycles of clk from the moment on in which `ready` (a PLL's lock) has been seen
// for the first time. Its registers must be 0 when the bitstream has come, as those of an FPGA are; what happens to the
// PLL later is not its business.
`default_nettype none
module held_reset #(
    parameter BITS = 16
) (
    input  wire clk,
    input  wire ready,                   // of no clock
    output wire rst
);
    reg [BITS:0] wait_reg;
    wire         seen;

    assign rst = !wait_reg[BITS];

    cdc_bits #(.WIDTH(1)) settle (.clk(clk), .rst(1'b0), .src(ready), .dst(seen));

    always @(posedge clk) begin
        if (seen && rst)
            wait_reg <= wait_reg + 1'b1;
    end
endmodule
`default_nettype wire
