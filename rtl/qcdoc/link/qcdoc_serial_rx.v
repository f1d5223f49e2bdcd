// SPDX-License-Identifier: Apache-2.0
// Deserialiser of a QCDOC link, with the byte alignment that the HSSL macro of [QCDOC2004] section 2.2, found by
// training. While `hunt`, the first two training bytes in a row, at any of the eight phases, set the byte
// boundary; otherwise it stays. `strobe` comes in the
// cycle after a byte's last bit was on the line.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_serial_rx (
    input  wire       clk,
    input  wire       rst,
    input  wire       serial,
    input  wire       hunt,
    output wire       aligned,   // with strobe: this byte is the second one of a training sequence just found
    output wire       strobe,    // every eighth cycle: data is a byte
    output wire [7:0] data
);
    localparam [15:0] PATTERN = {`QCDOC_TRAIN_FIRST, `QCDOC_TRAIN_SECOND};

    reg [14:0] shift_reg;
    reg [2:0]  count_reg;
    reg        strobe_reg, aligned_reg;

    wire found = hunt && {shift_reg, serial} == PATTERN;

    assign data    = shift_reg[7:0];
    assign strobe  = strobe_reg;
    assign aligned = aligned_reg;

    always @(posedge clk) begin
        shift_reg   <= {shift_reg[13:0], serial};
        count_reg   <= found ? 3'd0 : count_reg + 3'd1;
        strobe_reg  <= found || count_reg == 3'd7;
        aligned_reg <= found;
        if (rst) begin
            count_reg   <= 3'd0;
            strobe_reg  <= 1'b0;
            aligned_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
