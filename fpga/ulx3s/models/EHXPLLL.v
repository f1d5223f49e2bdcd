// SPDX-License-Identifier: Apache-2.0
// Our model of an ECP5 PLL, for simulations without delays: the reference is taken for the fastest output, CLKOP,
// itself, so whoever simulates lets the pin run at that rate; the others are it, divided, with their edges on edges of
// it. Their dividers are even multiples of CLKOP's. Where something else on the board is faster, ECP5_PIN_CYCLES (even)
// is how many cycles of the pin are one of CLKOP.
`default_nettype none
`ifndef ECP5_PIN_CYCLES
`define ECP5_PIN_CYCLES 1
`endif
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
module EHXPLLL #(
    parameter CLKI_DIV      = 1,
    parameter CLKFB_DIV     = 1,
    parameter FEEDBK_PATH   = "CLKOP",
    parameter CLKOP_ENABLE  = "ENABLED",
    parameter CLKOP_DIV     = 8,
    parameter CLKOP_CPHASE  = 0,
    parameter CLKOP_FPHASE  = 0,
    parameter CLKOS_ENABLE  = "DISABLED",
    parameter CLKOS_DIV     = 16,
    parameter CLKOS_CPHASE  = 0,
    parameter CLKOS_FPHASE  = 0,
    parameter CLKOS2_ENABLE = "DISABLED",
    parameter CLKOS2_DIV    = 16,
    parameter CLKOS2_CPHASE = 0,
    parameter CLKOS2_FPHASE = 0,
    parameter CLKOS3_ENABLE = "DISABLED",
    parameter CLKOS3_DIV    = 16,
    parameter CLKOS3_CPHASE = 0,
    parameter CLKOS3_FPHASE = 0
) (
    input  wire CLKI,
    input  wire CLKFB,
    output wire CLKOP,
    output wire CLKOS,
    output wire CLKOS2,
    output wire CLKOS3,
    output wire LOCK,
    input  wire RST,
    input  wire STDBY,
    input  wire PHASESEL0,
    input  wire PHASESEL1,
    input  wire PHASEDIR,
    input  wire PHASESTEP,
    input  wire PHASELOADREG,
    input  wire PLLWAKESYNC,
    input  wire ENCLKOP,
    input  wire ENCLKOS,
    input  wire ENCLKOS2,
    input  wire ENCLKOS3
);
    // half a period of each output, in cycles of CLKOP; at least one: of an output that nobody uses
    localparam [7:0] HALF_S  = CLKOS_DIV < 2 * CLKOP_DIV ? 1 : CLKOS_DIV / CLKOP_DIV / 2;
    localparam [7:0] HALF_S2 = CLKOS2_DIV < 2 * CLKOP_DIV ? 1 : CLKOS2_DIV / CLKOP_DIV / 2;
    localparam [7:0] HALF_S3 = CLKOS3_DIV < 2 * CLKOP_DIV ? 1 : CLKOS3_DIV / CLKOP_DIV / 2;

    reg       s_reg, s2_reg, s3_reg;
    reg [7:0] count_s_reg, count_s2_reg, count_s3_reg;

    generate
        if (`ECP5_PIN_CYCLES == 1) begin : gen_pin
            assign CLKOP = CLKI;
        end else begin : gen_slower
            localparam [7:0] LAST = `ECP5_PIN_CYCLES / 2 - 1;
            reg       op_reg;
            reg [7:0] count_reg;
            assign CLKOP = op_reg;
            always @(posedge CLKI) begin
                count_reg <= count_reg == LAST ? 8'd0 : count_reg + 8'd1;
                if (count_reg == LAST)
                    op_reg <= !op_reg;
            end
        end
    endgenerate
    assign CLKOS  = s_reg;
    assign CLKOS2 = s2_reg;
    assign CLKOS3 = s3_reg;
    assign LOCK   = 1'b1;

    always @(posedge CLKOP) begin
        count_s_reg  <= count_s_reg + 8'd1;
        count_s2_reg <= count_s2_reg + 8'd1;
        count_s3_reg <= count_s3_reg + 8'd1;
        if (count_s_reg + 8'd1 >= HALF_S) begin
            count_s_reg <= 8'd0;
            s_reg       <= !s_reg;
        end
        if (count_s2_reg + 8'd1 >= HALF_S2) begin
            count_s2_reg <= 8'd0;
            s2_reg       <= !s2_reg;
        end
        if (count_s3_reg + 8'd1 >= HALF_S3) begin
            count_s3_reg <= 8'd0;
            s3_reg       <= !s3_reg;
        end
    end
endmodule
`default_nettype wire
