// SPDX-License-Identifier: Apache-2.0
// cdc_request between two clocks with any edges: every request arrives exactly once with its argument, and
// is answered exactly once with its answer. At most once is `once_*`; at least once is `arrives`:
// within four edges of the destination's clock after the source's pulse.
`default_nettype none
module cdc_request_once (
    input wire       src_clk,
    input wire       dst_clk,
    input wire       ask,
    input wire [1:0] argument,
    input wire       answer_now,
    input wire [1:0] answer
);
    wire       src_done, dst_request;
    wire [1:0] src_answer, dst_argument;
    reg        open;               // source: asked, not answered
    reg  [1:0] argument_reg;
    reg        busy;               // destination: has a request
    reg  [1:0] answer_reg;
    reg        done_reg;
    wire       request = ask && !open;

    // the request is a pulse, the argument is there before it and stays
    reg        request_reg;
    always @(posedge src_clk) begin
        request_reg <= request;
        if (request)
            argument_reg <= argument;
        open <= request || (open && !src_done);
    end
    always @(posedge dst_clk) begin
        done_reg <= (busy || dst_request) && !done_reg && answer_now;
        if ((busy || dst_request) && answer_now && !done_reg)
            answer_reg <= answer;
        busy <= (busy || dst_request) && !answer_now;
    end

    cdc_request #(.ARGUMENT_WIDTH(2), .ANSWER_WIDTH(2)) dut (
        .src_clk(src_clk), .src_rst(1'b0), .src_request(request_reg), .src_argument(argument_reg),
        .src_done(src_done), .src_answer(src_answer),
        .dst_clk(dst_clk), .dst_rst(1'b0), .dst_request(dst_request), .dst_argument(dst_argument),
        .dst_done(done_reg), .dst_answer(answer_reg));

    // what was asked and answered
    reg [1:0] asked_argument, given_answer;
    always @(posedge src_clk) if (request) asked_argument <= argument;
    always @(posedge dst_clk) if ((busy || dst_request) && answer_now && !done_reg) given_answer <= answer;

    // counts modulo 4, for they never differ by more than one
    reg [1:0] asked, came, answered, back;
    always @(posedge src_clk) begin
        if (request) asked <= asked + 2'd1;
        if (src_done) back <= back + 2'd1;
    end
    always @(posedge dst_clk) begin
        if (dst_request) came <= came + 2'd1;
        if (done_reg) answered <= answered + 2'd1;
    end
    reg [2:0] source_edges;       // the source sends its pulse one edge after it asked
    always @(posedge src_clk) source_edges <= request ? 3'd0 : source_edges + !(&source_edges);
    reg [2:0] since_pulse;
    always @(posedge dst_clk)
        since_pulse <= (asked == came || source_edges == 0 || dst_request) ? 3'd0 : since_pulse + !(&since_pulse);

    always @* begin
        once_there: assert (!dst_request || (came + 2'd1 == asked && open));
        once_back:  assert (!src_done || (back + 2'd1 == answered + done_reg && open));
        order:      assert (asked - came <= 2'd1 && came - answered <= 2'd1 && answered - back <= 2'd1);
        its_argument: assert (!dst_request || dst_argument == asked_argument);
        its_answer:   assert (!src_done || src_answer == given_answer);
        arrives:      assert (since_pulse < 3'd4);
        twice: cover (back == 2'd2);
    end
endmodule
`default_nettype wire
