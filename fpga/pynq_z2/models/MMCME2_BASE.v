// SPDX-License-Identifier: Apache-2.0
// Our model of what is used of a 7-series MMCM, for simulations without delays: the reference is taken for the fastest
// output, CLKOUT0, itself, so whoever simulates lets the pin run at that rate; the others are it, divided, with their
// edges on edges of it.
`default_nettype none
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
module MMCME2_BASE #(
    parameter      CLKIN1_PERIOD    = 0.0,
    parameter      DIVCLK_DIVIDE    = 1,
    parameter      CLKFBOUT_MULT_F  = 5.0,
    parameter real CLKOUT0_DIVIDE_F = 1.0,
    parameter      CLKOUT1_DIVIDE   = 1,
    parameter      CLKOUT4_CASCADE  = "FALSE",
    parameter      CLKOUT4_DIVIDE   = 1,
    parameter      CLKOUT6_DIVIDE   = 1
) (
    input  wire CLKIN1,
    input  wire CLKFBIN,
    output wire CLKFBOUT,
    output wire CLKOUT0,
    output wire CLKOUT1,
    output wire CLKOUT4,
    output wire LOCKED,
    input  wire PWRDWN,
    input  wire RST
);
    // half a period of each output, in cycles of the fastest one
    localparam integer FASTEST = $rtoi(CLKOUT0_DIVIDE_F);
    localparam integer LAST_1  = CLKOUT1_DIVIDE / FASTEST / 2 - 1;
    localparam integer LAST_4  = CLKOUT4_DIVIDE * CLKOUT6_DIVIDE / FASTEST / 2 - 1;

    reg       out_1_reg, out_4_reg;
    reg [7:0] count_1_reg, count_4_reg;

    assign CLKFBOUT = CLKIN1;
    assign CLKOUT0  = CLKIN1;
    assign CLKOUT1  = out_1_reg;
    assign CLKOUT4  = out_4_reg;
    assign LOCKED   = 1'b1;

    always @(posedge CLKIN1) begin
        count_1_reg <= count_1_reg == LAST_1[7:0] ? 8'd0 : count_1_reg + 8'd1;
        count_4_reg <= count_4_reg == LAST_4[7:0] ? 8'd0 : count_4_reg + 8'd1;
        if (count_1_reg == LAST_1[7:0])
            out_1_reg <= !out_1_reg;
        if (count_4_reg == LAST_4[7:0])
            out_4_reg <= !out_4_reg;
    end
endmodule
`default_nettype wire
