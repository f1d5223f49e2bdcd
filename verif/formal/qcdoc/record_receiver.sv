// SPDX-License-Identifier: Apache-2.0
// Whether a QCDOC link is in step, and which data words it accepts, as a model (rtl/qcdoc/README.md, "Errors"); the
// same as in qcdoc_link_rx. Three words may wait to be taken, for any time; a fourth puts it out of step.
`default_nettype none
module record_receiver #(
    parameter BITS = 6
) (
    input  wire            clk,
    input  wire            rst,
    input  wire            broken,      // no header, wrong parity, marks without a record, a training
    input  wire            record,      // marks and a record: word `next` follows
    input  wire [BITS-1:0] next,
    input  wire            word,        // a data word with good header and parity
    input  wire            take,        // the host takes the oldest
    output wire            accept,
    output wire            refuse,
    output wire [1:0]      waiting,
    output reg             lost,        // out of step
    output reg  [BITS-1:0] expected,
    output reg  [BITS-1:0] taken
);
    wire full = waiting == 2'd3;

    assign waiting = expected[1:0] - taken[1:0];
    assign accept  = word && !lost && !full;
    assign refuse  = word && !lost && full;

    always @(posedge clk) begin
        if (accept)
            expected <= expected + 1'b1;
        if (take)
            taken <= taken + 1'b1;
        if (record)
            lost <= next != expected;
        if (broken || refuse)
            lost <= 1'b1;
        if (rst) begin
            lost     <= 1'b1;
            expected <= {BITS{1'b0}};
            taken    <= {BITS{1'b0}};
        end
    end
endmodule
`default_nettype wire
