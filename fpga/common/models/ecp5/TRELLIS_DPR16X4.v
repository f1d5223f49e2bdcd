// SPDX-License-Identifier: Apache-2.0
// Model of a memory of 16 words of 4 bits in lookup tables of an ECP5 [ECP5DS, "RAM mode"]: written at the clock,
// read at once. Power-on: as TRELLIS_FF.
`default_nettype none
module TRELLIS_DPR16X4 #(
    parameter        WCKMUX  = "WCK",
    parameter        WREMUX  = "WRE",
    parameter [63:0] INITVAL = 64'h0
) (
    input  wire [3:0] DI,
    input  wire [3:0] WAD,
    input  wire       WRE,
    input  wire       WCK,
    input  wire [3:0] RAD,
    output wire [3:0] DO
);
    wire clk   = WCKMUX == "INV" ? !WCK : WCK;
    wire write = WREMUX == "1" ? 1'b1 : WREMUX == "0" ? 1'b0 : WREMUX == "INV" ? !WRE : WRE;
    reg  [3:0] memory [0:15];
    integer    i;
    initial
        for (i = 0; i < 16; i = i + 1)
            memory[i] = memory[i] ^ INITVAL[4*i +: 4];
    always @(posedge clk)
        if (write)
            memory[WAD] <= DI;
    assign DO = memory[RAD];
endmodule
`default_nettype wire
