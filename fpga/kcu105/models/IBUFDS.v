// SPDX-License-Identifier: Apache-2.0
// Our model of a differential clock pin that a simulation lets run PIN_CYCLES (even) times as fast as a board does: at
// the rate of a line's bits, so that all pins move together.
`default_nettype none
`ifndef PIN_CYCLES
`define PIN_CYCLES 40
`endif
// verilator lint_off UNUSEDSIGNAL
module IBUFDS (
    input  wire I,
    input  wire IB,
    output reg  O
);
    localparam [6:0] LAST = `PIN_CYCLES / 2 - 1;
    reg [6:0] count_reg;

    always @(posedge I) begin
        count_reg <= count_reg == LAST ? 7'd0 : count_reg + 7'd1;
        if (count_reg == LAST)
            O <= !O;
    end
endmodule
`default_nettype wire
