// SPDX-License-Identifier: Apache-2.0
// Whether the peer of an UP link is still there. An end that has sent nothing since the last mark repeats its
// acknowledgement at the next one, so that a good cable is never silent for longer than 2048 cycles; an end that
// heard nothing good for `limit` marks, 1024 (limit - 1) to 1024 limit cycles, trains anew. Ours: the paper does not
// say how a dead cable is detected.
//
// Time is an input: `beat` changes every 1024 cycles (a mark), by a counter outside, so that nothing counts here while
// nothing happens.
//
//   beat       _____/---------\_________/---------\____
//   spoke      __/\_____________________________________
//   keepalive  _____________/\________/\________/\______   the first mark comes after something was sent
//
// Latency: keepalive and silent come in the first cycle of a beat.
`default_nettype none
module qpace_link_alive (
    input  wire       link_clk,
    input  wire       link_rst,
    input  wire       up,
    input  wire       beat,
    input  wire [5:0] limit,       // marks
    input  wire       spoke,       // a frame or command begins
    input  wire       heard,       // a good one was heard
    output wire       keepalive,   // pulse: say something
    output wire       silent       // pulse: nothing good for so long
);
    reg       beat_reg;
    reg       spoke_reg;           // since the last mark
    reg       heard_reg;           // since the last mark
    reg [5:0] marks_reg;           // since something was heard
    reg       late_reg;            // too many with the next one; there long before it is

    wire       mark  = beat != beat_reg;
    wire [5:0] marks = heard_reg ? 6'd1 : marks_reg + 6'd1;

    assign keepalive = up && mark && !spoke_reg;
    assign silent    = up && mark && (heard_reg ? limit <= 6'd1 : late_reg);

    always @(posedge link_clk) begin
        beat_reg <= beat;
        late_reg <= marks_reg + 6'd1 >= limit;
        if (mark) begin
            spoke_reg <= spoke;
            heard_reg <= heard;
            marks_reg <= marks;
        end else begin
            spoke_reg <= spoke_reg || spoke;
            heard_reg <= heard_reg || heard;
        end
        // a link that comes up was just heard
        if (link_rst || !up) begin
            spoke_reg <= 1'b1;
            heard_reg <= 1'b1;
            marks_reg <= 6'd0;
        end
    end
endmodule
`default_nettype wire
