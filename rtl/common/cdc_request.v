// SPDX-License-Identifier: Apache-2.0
// A request with an argument into another clock domain, and its answer back. Argument and answer
// cross as they are: they stand still while the pulses that announce them pass two flip-flops.
// The source keeps src_argument from src_request to src_done; the destination keeps dst_answer from
// dst_done to the next dst_request. One request at a time.
// Latency: 2 to 3 cycles of dst_clk there, 2 to 3 of src_clk back.
`default_nettype none
module cdc_request #(
    parameter ARGUMENT_WIDTH = 32,
    parameter ANSWER_WIDTH   = 32
) (
    input  wire                      src_clk,
    input  wire                      src_rst,
    input  wire                      src_request,   // pulse
    input  wire [ARGUMENT_WIDTH-1:0] src_argument,
    output wire                      src_done,      // pulse
    output wire [ANSWER_WIDTH-1:0]   src_answer,    // valid with src_done and until the next request

    input  wire                      dst_clk,
    input  wire                      dst_rst,
    output wire                      dst_request,   // pulse
    output wire [ARGUMENT_WIDTH-1:0] dst_argument,
    input  wire                      dst_done,      // pulse, in the cycle dst_answer is there or later
    input  wire [ANSWER_WIDTH-1:0]   dst_answer     // a register
);
    assign dst_argument = src_argument;
    assign src_answer   = dst_answer;

    cdc_pulse u_request (
        .src_clk(src_clk), .src_rst(src_rst), .src_pulse(src_request),
        .dst_clk(dst_clk), .dst_rst(dst_rst), .dst_pulse(dst_request)
    );

    cdc_pulse u_done (
        .src_clk(dst_clk), .src_rst(dst_rst), .src_pulse(dst_done),
        .dst_clk(src_clk), .dst_rst(src_rst), .dst_pulse(src_done)
    );
endmodule
`default_nettype wire
