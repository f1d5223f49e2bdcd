// SPDX-License-Identifier: Apache-2.0
// Stage C of qpace_pw_out: a register_slice for its beats whose lines can be marked as cancelled while they are in
// it. A cycle's latency, full rate, two beats.
`default_nettype none
module qpace_pw_out_slice #(
    parameter BEAT_BITS = 3
) (
    input  wire         clk,
    input  wire         rst,

    input  wire         cancel,           // pulse: lines of cancel_channel are marked
    input  wire [5:0]   cancel_channel,
    output wire         cancel_match,     // one is here; combinational

    input  wire         in_valid,
    output wire         in_ready,
    input  wire [5:0]   in_channel,
    input  wire [BEAT_BITS:0] in_beat,    // its top bit: a notification, which belongs to no line
    // Two halves of offset and data, of which one is 0: one level of logic less behind the memories they come from.
    input  wire [29:0]  in_offset,
    input  wire [2*(1024>>BEAT_BITS)-1:0] in_data,
    input  wire         in_cancelled,

    output wire         out_valid,
    input  wire         out_ready,
    output wire [5:0]   out_channel,
    output wire [BEAT_BITS:0] out_beat,
    output wire [14:0]  out_offset,
    output wire [(1024>>BEAT_BITS)-1:0] out_data,
    output reg          out_cancelled
);
    localparam W = 1024 >> BEAT_BITS;
    localparam N = 6 + (BEAT_BITS + 1) + 30 + 2*W;

    wire [N-1:0] out, spare;
    reg          spare_cancelled;
    wire         out_match    = out_valid && !out[BEAT_BITS] && out[BEAT_BITS+1 +: 6] == cancel_channel;
    wire         spare_match  = !in_ready && !spare[BEAT_BITS] && spare[BEAT_BITS+1 +: 6] == cancel_channel;
    wire         spare_marked = spare_cancelled || (cancel && spare_match);

    register_slice #(.WIDTH(N)) u_slice (
        .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready),
        .in_data({in_data, in_offset, in_channel, in_beat}),
        .out_valid(out_valid), .out_ready(out_ready), .out_data(out), .spare(spare)
    );

    assign cancel_match = out_match || spare_match;
    assign {out_channel, out_beat} = out[0 +: BEAT_BITS+7];
    assign out_offset   = out[BEAT_BITS+7 +: 15] | out[BEAT_BITS+22 +: 15];
    assign out_data     = out[BEAT_BITS+37 +: W] | out[BEAT_BITS+37+W +: W];

    // the marks go with the beats
    always @(posedge clk) begin
        if (!out_valid || out_ready)
            out_cancelled <= in_ready ? in_cancelled : spare_marked;
        else
            out_cancelled <= out_cancelled || (cancel && out_match);
        spare_cancelled <= in_ready ? in_cancelled : spare_marked;
    end
endmodule
`default_nettype wire
