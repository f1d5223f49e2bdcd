// SPDX-License-Identifier: Apache-2.0
// Model of a flip-flop of an ECP5 [ECP5DS, "Slice"; names of prjtrellis]. LSR sets it to REGSET (or to M, with
// LSRMODE PRLD), before or after the clock enable has its say; SD says whether data comes from the table beside it
// (DI) or past it (M), which nextpnr decides and Yosys does not know of.
//
// Power-on: the chip's is REGSET. Who has registers come up at random (Verilator's --x-initial unique, Icarus' X)
// gets that: what the simulator chose is inverted where REGSET is SET, so that from a zero it is the chip's state.
`default_nettype none
module TRELLIS_FF #(
    parameter         GSR     = "DISABLED",
    parameter [127:0] CEMUX   = "1",
    parameter         CLKMUX  = "CLK",
    parameter         LSRMUX  = "LSR",
    parameter [127:0] LSRMODE = "LSR",
    parameter         SRMODE  = "LSR_OVER_CE",
    parameter         REGSET  = "RESET",
    parameter         SD      = "1"
) (
    input  wire CLK,
    input  wire LSR,
    input  wire CE,
    input  wire DI,
    input  wire M,
    output wire Q
);
    wire clk    = CLKMUX == "INV" ? !CLK : CLK;
    wire enable = CEMUX == "1" ? 1'b1 : CEMUX == "0" ? 1'b0 : CEMUX == "INV" ? !CE : CE;
    wire set    = LSRMUX == "INV" ? !LSR : LSRMUX == "0" ? 1'b0 : LSR;
    wire value  = LSRMODE == "PRLD" ? M : REGSET == "SET";
    wire data   = SD == "0" ? M : DI;
    reg  q;
    initial q = q ^ (REGSET == "SET");
    generate
        if (SRMODE == "ASYNC") begin : g_async
            always @(posedge clk or posedge set)
                if (set)
                    q <= value;
                else if (enable)
                    q <= data;
        end else begin : g_sync
            always @(posedge clk)
                if (SRMODE == "CE_OVER_LSR" ? enable && set : set)
                    q <= value;
                else if (enable)
                    q <= data;
        end
    endgenerate
    assign Q = q;
endmodule
`default_nettype wire
