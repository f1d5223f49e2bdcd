// SPDX-License-Identifier: Apache-2.0
// Whether a QCDOC link is in step, and which data words it accepts, as a model (rtl/qcdoc/README.md, "Errors" and "Marks");
// qcdoc_link_rx is held against it by rx_refines.sv. Three words may wait to be taken, for any time.
`default_nettype none
module link_receiver (
    input  wire       clk,
    input  wire       rst,
    input  wire       broken,      // no header, wrong parity, marks without a resume number, a training
    input  wire       resume,      // marks and a resume number
    input  wire [1:0] number,
    input  wire       word,        // a data word with good header and parity
    input  wire       take,        // the host takes the oldest
    output wire       accept,
    output wire       waiting,
    output reg        lost,        // out of step
    output reg  [1:0] expected,
    output reg  [1:0] taken,
    output reg  [1:0] skip
);
    wire skipped = skip != 2'd0;

    assign accept  = word && !lost && !skipped;
    assign waiting = expected != taken;

    always @(posedge clk) begin
        if (accept)
            expected <= expected + 2'd1;
        if (word && !lost && skipped)
            skip <= skip - 2'd1;
        if (take)
            taken <= taken + 2'd1;
        if (resume) begin
            lost <= 1'b0;
            skip <= expected - number;
        end
        if (broken)
            lost <= 1'b1;
        if (rst) begin
            lost     <= 1'b1;
            expected <= 2'd0;
            taken    <= 2'd0;
            skip     <= 2'd0;
        end
    end
endmodule
`default_nettype wire
