// SPDX-License-Identifier: Apache-2.0
// Choice of the next packet of a stream of a network interface: tofu_tni_packets and tofu_tni_rests as they are, with
// eight messages that may go on. A message that goes on, and one that begins, is chosen before more than BOUND packets
// of others are. Jobs, translations, what memory takes, and what is left of each message are the prover's.
`default_nettype none
module share #(
    parameter REST_BOUND = 15,           // of others, before the next packet of a message that goes on
    parameter JOB_BOUND  = 1             // before the first one of a job
) (
    input wire         clk,
    input wire         job_valid_in, job_immediate_in,
    input wire [3:0]   job_kind_in,
    input wire [2:0]   job_number_in,
    input wire [23:0]  job_length_in,
    input wire         req_ready, ans_valid_in, fetch_ready, quiet, packet_room,
    input wire [39:0]  ans_address,
    input wire [40:0]  ans_left,
    input wire [3:0]   ans_cause
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    // a job stays until it is taken, and is of a message of which nothing is left
    reg         held;
    reg         job_immediate_reg;
    reg  [3:0]  job_kind_reg;
    reg  [2:0]  job_number_reg;
    reg  [23:0] job_length_reg;
    wire        job_ready, packet_valid, req_valid, go, push;
    wire        job_valid     = held || job_valid_in;
    wire        job_immediate = held ? job_immediate_reg : job_immediate_in;
    wire [3:0]  job_kind      = held ? job_kind_reg : job_kind_in;
    wire [2:0]  job_number    = held ? job_number_reg : job_number_in;
    wire [23:0] job_length    = held ? job_length_reg : job_length_in;
    wire [7:0]  waiting;
    always @(posedge clk) begin
        held              <= job_valid && !job_ready && !rst;
        job_immediate_reg <= job_immediate;
        job_kind_reg      <= job_kind;
        job_number_reg    <= job_number;
        job_length_reg    <= job_length;
    end
    reg asked;                           // an answer of the translation is due
    always @(posedge clk)
        asked <= ((req_valid && req_ready) || (asked && !ans_valid_in)) && !rst;

    tofu_tni_packets #(.RESPONSE(0), .INDEX_BITS(3)) dut (
        .clk(clk), .rst(rst), .blocked(1'b0), .job_fixed(87'd0), .job_extra(4'd0),
        .job_far_offset(40'd0), .job_data(256'd0), .job_tag(18'd0), .job_offset(40'd0), .job_right_queue(6'd0),
        .flip_mask(144'd0), .job_valid(job_valid), .job_ready(job_ready), .job_kind(job_kind),
        .job_number(job_number), .job_length(job_length), .job_immediate(job_immediate), .waiting(waiting),
        .req_valid(req_valid), .req_ready(req_ready), .ans_valid(asked && ans_valid_in), .ans_address(ans_address),
        .ans_left(ans_left), .ans_cause(ans_cause), .go(go), .fetch_ready(fetch_ready), .quiet(quiet), .push(push),
        .packet_valid(packet_valid), .packet_room(packet_room));

    (* hierconn *) wire       \dut.goes_on ;
    (* hierconn *) wire       \dut.new_reg ;
    (* hierconn *) wire       \dut.valid_reg ;
    (* hierconn *) wire       \dut.job_last_reg ;
    (* hierconn *) wire [2:0] \dut.rest_choice ;
    (* hierconn *) wire [2:0] \dut.index_reg ;
    (* hierconn *) wire [7:0] \dut.u_rests.waiting_reg ;
    (* hierconn *) wire [2:0] \dut.u_rests.last_reg ;
    wire        goes_on = \dut.goes_on ;
    wire        mine    = goes_on && \dut.rest_choice == watched;

    (* anyconst *) wire [2:0] watched;
    wire        stands  = \dut.u_rests.waiting_reg [watched];
    reg  [4:0]  rests, jobs;             // packets of others chosen while it stands
    reg  [1:0]  before_job;              // packets of rests chosen while a job waits
    // others that may still come before it in turn
    wire [2:0]  others  = watched - \dut.u_rests.last_reg - 3'd1;
    always @(posedge clk) begin
        rests <= !stands || mine || rst ? 5'd0 : rests + {4'd0, goes_on};
        jobs  <= !stands || mine || rst ? 5'd0 : jobs + {4'd0, job_ready};
        before_job <= !job_valid || job_ready || rst ? 2'd0 : before_job + {1'b0, goes_on};

        if (!rst) begin
            // how far each count can be
            rest_turns: assert (rests + {2'd0, others} <= 5'd7);
            job_turns:  assert (jobs <= rests + {4'd0, \dut.job_last_reg });
            rest_bound: assert (!stands || rests + jobs <= REST_BOUND);
            job_bound:  assert (before_job <= JOB_BOUND);
            in_turn:    assert (before_job == 2'd0 || !\dut.job_last_reg );
            // one packet is in hand, and what is left of its message is stored in the cycle after
            in_hand:    assert (!\dut.new_reg || \dut.valid_reg );
            alone:      assert (!packet_valid || !goes_on);
        end
    end
    // a job is of a message of which nothing is left: tofu_tni_commands sees to that
    always @* assume (!job_valid || !waiting[job_number]);
    always @(posedge clk) if (!rst) begin
        rest_served: cover (mine && rests == 5'd1 && jobs == 5'd1);
        job_served:  cover (job_ready && before_job == 2'd1);
    end
endmodule
`default_nettype wire
