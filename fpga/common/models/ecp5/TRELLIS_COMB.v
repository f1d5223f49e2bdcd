// SPDX-License-Identifier: Apache-2.0
// Model of a lookup table of an ECP5 as nextpnr places it: logic, half of a CCU2C, or a bit of a memory of 16 words;
// and the multiplexer behind it, which makes larger tables of it and of others.
//
// A memory is addressed by {A, C, B, D} for reads and {WAD3..WAD0} for writes; INITVAL has it as the table has it,
// by {D, C, B, A}. Power-on: as TRELLIS_FF.
`default_nettype none
module TRELLIS_COMB #(
    parameter        MODE         = "LOGIC",
    parameter [15:0] INITVAL      = 16'h0000,
    parameter        CCU2_INJECT1 = "NO",
    parameter        WCKMUX       = "WCK",
    parameter        WREMUX       = "WRE",
    parameter        IS_Z1        = 1'b0
) (
    input  wire A,
    input  wire B,
    input  wire C,
    input  wire D,
    input  wire M,
    input  wire FCI,
    input  wire F1,
    input  wire FXA,
    input  wire FXB,
    input  wire WD,
    input  wire WAD0,
    input  wire WAD1,
    input  wire WAD2,
    input  wire WAD3,
    input  wire WRE,
    input  wire WCK,
    output wire F,
    output wire FCO,
    output wire OFX
);
    generate
        if (MODE == "CCU2") begin : g_carry
            carry_bit #(.INIT(INITVAL), .INJECT1(CCU2_INJECT1)) half (
                .A(A), .B(B), .C(C), .D(D), .FCI(FCI), .F(F), .FCO(FCO));
        end else if (MODE == "DPRAM") begin : g_memory
            wire clk   = WCKMUX == "INV" ? !WCK : WCK;
            wire write = WREMUX == "1" ? 1'b1 : WREMUX == "0" ? 1'b0 : WREMUX == "INV" ? !WRE : WRE;
            reg  [15:0] memory;
            initial memory = memory ^ INITVAL;
            always @(posedge clk)
                if (write)
                    memory[{WAD0, WAD2, WAD1, WAD3}] <= WD;
            assign F   = memory[{D, C, B, A}];
            assign FCO = 1'b0;
        end else begin : g_logic
            LUT4 #(.INIT(INITVAL)) lut (.A(A), .B(B), .C(C), .D(D), .Z(F));
            assign FCO = 1'b0;
        end
        if (IS_Z1) begin : g_wide
            L6MUX21 mux (.D0(FXA), .D1(FXB), .SD(M), .Z(OFX));
        end else begin : g_five
            PFUMX mux (.ALUT(F1), .BLUT(F), .C0(M), .Z(OFX));
        end
    endgenerate
endmodule
`default_nettype wire
