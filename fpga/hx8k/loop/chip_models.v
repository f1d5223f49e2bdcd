// SPDX-License-Identifier: Apache-2.0
// Our models of what icebox_vlog leaves as primitives, in the modes that the board uses: a block RAM of 256 words of 16
// bits (mode 0) or 512 of 8 (mode 1: they come and go on even bits, and bit 8 of the address chooses between the even
// and the odd bits of what is stored), and the PLL, which is that of ../models with all its pins.
`default_nettype none
module chip_ram #(
    parameter READ_MODE = 0, parameter WRITE_MODE = 0,
    parameter [255:0] INIT_0 = 256'd0, parameter [255:0] INIT_1 = 256'd0, parameter [255:0] INIT_2 = 256'd0,
    parameter [255:0] INIT_3 = 256'd0, parameter [255:0] INIT_4 = 256'd0, parameter [255:0] INIT_5 = 256'd0,
    parameter [255:0] INIT_6 = 256'd0, parameter [255:0] INIT_7 = 256'd0, parameter [255:0] INIT_8 = 256'd0,
    parameter [255:0] INIT_9 = 256'd0, parameter [255:0] INIT_A = 256'd0, parameter [255:0] INIT_B = 256'd0,
    parameter [255:0] INIT_C = 256'd0, parameter [255:0] INIT_D = 256'd0, parameter [255:0] INIT_E = 256'd0,
    parameter [255:0] INIT_F = 256'd0
) (
    input  wire [10:0] WADDR,
    input  wire [10:0] RADDR,
    input  wire [15:0] MASK,             // 1: the bit stays
    input  wire [15:0] WDATA,
    output reg  [15:0] RDATA,
    input  wire        WE,
    input  wire        WCLKE,
    input  wire        WCLK,
    input  wire        RE,
    input  wire        RCLKE,
    input  wire        RCLK
);
    reg [15:0] memory [0:255];
    wire [4095:0] init = {INIT_F, INIT_E, INIT_D, INIT_C, INIT_B, INIT_A, INIT_9, INIT_8, INIT_7, INIT_6, INIT_5,
                          INIT_4, INIT_3, INIT_2, INIT_1, INIT_0};
    integer i;
    initial begin
        if (READ_MODE > 1 || WRITE_MODE > 1) begin
            $display("chip_ram: words of 16 or 8 bits only");
            $fatal;
        end
        for (i = 0; i < 256; i = i + 1)
            memory[i] = init[16*i +: 16];
    end
    // as it is stored: each bit twice, and one of the two kept
    wire [15:0] even  = WDATA & 16'h5555;
    wire [15:0] data  = WRITE_MODE == 0 ? WDATA : even | even << 1;
    wire [15:0] stays = WRITE_MODE == 0 ? MASK : WADDR[8] ? 16'h5555 : 16'hAAAA;
    wire [15:0] word  = memory[RADDR[7:0]];

    always @(posedge WCLK)
        if (WE && WCLKE)
            memory[WADDR[7:0]] <= (memory[WADDR[7:0]] & stays) | (data & ~stays);
    always @(posedge RCLK)
        if (RE && RCLKE)
            RDATA <= READ_MODE == 0 ? word : (RADDR[8] ? word >> 1 : word) & 16'h5555;
endmodule

module chip_pll #(
    parameter FEEDBACK_PATH = "", parameter DELAY_ADJUSTMENT_MODE_FEEDBACK = "",
    parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "", parameter PLLOUT_SELECT_PORTA = "",
    parameter PLLOUT_SELECT_PORTB = "", parameter SHIFTREG_DIV_MODE = 0, parameter FDA_FEEDBACK = 0,
    parameter FDA_RELATIVE = 0, parameter DIVR = 0, parameter DIVF = 0, parameter DIVQ = 0,
    parameter FILTER_RANGE = 0, parameter ENABLE_ICEGATE_PORTA = 0, parameter ENABLE_ICEGATE_PORTB = 0,
    parameter TEST_MODE = 0
) (
    input  wire       REFERENCECLK,
    output wire       PLLOUTCOREA,
    output wire       PLLOUTGLOBALA,
    output wire       PLLOUTCOREB,
    output wire       PLLOUTGLOBALB,
    input  wire       EXTFEEDBACK,
    input  wire [7:0] DYNAMICDELAY,
    output wire       LOCK,
    input  wire       BYPASS,
    input  wire       RESETB,
    input  wire       LATCHINPUTVALUE,
    output wire       SDO,
    input  wire       SDI,
    input  wire       SCLK
);
    SB_PLL40_2F_CORE pll (
        .REFERENCECLK(REFERENCECLK), .RESETB(RESETB), .BYPASS(BYPASS), .PLLOUTGLOBALA(PLLOUTGLOBALA),
        .PLLOUTGLOBALB(PLLOUTGLOBALB));
    assign PLLOUTCOREA = PLLOUTGLOBALA;
    assign PLLOUTCOREB = PLLOUTGLOBALB;
    assign LOCK        = 1'b1;
    assign SDO         = 1'b0;
endmodule
`default_nettype wire
