// SPDX-License-Identifier: Apache-2.0
// The queue of credits of any one channel: qpace_credits together with the qpace_pw_out that uses them. Never more than
// four, never fewer than none, used in the order in which they were posted, by whole packets of their own channel.
// Environment: a request stands still until its ack; packets wait and the sink is ready whenever they like. Size: the
// channels that requests and packets name differ in the bits of VARY only, numbers have DATA bits, and the rest of both
// is constant, which leaves few words of the memories. The memories are as they were cleared after reset (simulated).
`default_nettype none
module credits_queue #(
    parameter [5:0] FIXED = 6'd0,        // {link, vc}
    parameter [5:0] VARY  = 6'b001000,
    parameter       DATA  = 1,
    parameter       BEAT_BITS = 3,
    parameter       STAGES = 0,
    parameter       ANY_END = 0          // a line completes its credit whenever the prover likes: more than can
                                         // happen, and no data
) (
    input wire        clk,
    input wire        go,
    input wire        go_write,
    input wire [2:0]  go_word,
    input wire [5:0]  go_channel,
    input wire [31:0] go_data,
    input wire [47:0] packets,
    input wire        ready,
    input wire        notify,
    input wire        mark,
    input wire        any_end
);
    reg [1:0] reset_count = 2'd0;
    wire      rst = !reset_count[1];
    always @(posedge clk) if (rst) reset_count <= reset_count + 2'd1;

    // any channel, of those that there are
    (* anyconst *) wire [5:0] any_who;
    wire [5:0] who = (any_who & VARY) | FIXED;

    // register side
    reg         reg_valid, reg_write;
    reg  [2:0]  word;
    reg  [5:0]  vary;
    reg  [DATA-1:0] data;
    wire        reg_ack, error_full, error_size, error_no_base, error_range, error_overlap;
    wire [5:0]  channel = (vary & VARY) | FIXED;
    wire [31:0] reg_wdata = {{32-DATA{1'b0}}, data};
    wire [31:0] reg_rdata;
    always @(posedge clk) begin
        if (!reg_valid || reg_ack) begin
            reg_valid <= go;
            reg_write <= go_write;
            word  <= go_word;
            vary  <= go_channel;
            data  <= go_data[DATA-1:0];
        end
        if (rst)
            reg_valid <= 1'b0;
    end

    wire [47:0] waiting;
    genvar i;
    generate
        for (i = 0; i < 48; i = i + 1) begin : g_waiting
            assign waiting[i] = (i & ~VARY) == FIXED && packets[i];
        end
    endgenerate

    wire [47:0] credit;
    wire [5:0]  head_channel, line_channel, cancel_channel;
    wire [31:0] head_destination, line_count;
    wire [14:0] line_offset;
    wire        line_outside;
    wire        line_completes, line_done, line_last, line_cancelled, cancel, cancel_active;

    qpace_credits #(.STAGES(STAGES)) dut (
        .clk(clk), .rst(rst),
        .reg_valid(reg_valid), .reg_write(reg_write), .word(word), .channel(channel), .reg_wdata(reg_wdata),
        .waiting(waiting), .reg_ack(reg_ack), .reg_rdata(reg_rdata),
        .error_full(error_full), .error_size(error_size), .error_no_base(error_no_base),
        .error_range(error_range), .error_overlap(error_overlap),
        .credit(credit), .head_channel(head_channel), .head_destination(head_destination), .line_channel(line_channel),
        .line_completes(line_completes), .line_offset(line_offset), .line_outside(line_outside),
        .line_count(line_count), .line_done(line_done), .line_last(line_last),
        .line_cancelled(line_cancelled), .cancel(cancel), .cancel_channel(cancel_channel),
        .cancel_active(cancel_active),
        .obs_idle());

    qpace_pw_out #(.BEAT_BITS(BEAT_BITS), .STAGES(STAGES)) user (
        .clk(clk), .rst(rst),
        .rx_waiting(waiting), .rx_vc(), .rx_beat(), .rx_data({6*(1024>>BEAT_BITS){1'b0}}),
        .rx_offset(90'd0), .rx_mute(), .rx_pop(),
        .credit(credit), .head_channel(head_channel), .head_destination(head_destination), .line_channel(line_channel),
        .line_completes(ANY_END ? any_end : line_completes), .line_offset(line_offset), .line_outside(line_outside),
        .outside(), .outside_info(), .line_count(line_count), .line_done(line_done),
        .line_last(line_last),
        .cancel(cancel), .cancel_channel(cancel_channel), .cancel_active(cancel_active),
        .line_cancelled(line_cancelled),
        .notify_enable(notify), .notify_base(32'd0),
        .pw_out_valid(), .pw_out_ready(ready), .pw_out_addr(), .pw_out_data(), .pw_out_last(), .pw_out_notify(),
        .obs_idle());

    // The same queue, said simply: how many, and where in it stands one credit, which may be any.
    (* hierconn *) wire        \dut.queue_write ;
    (* hierconn *) wire [31:0] \dut.base ;
    (* hierconn *) wire [46:0] \dut.head ;
    (* hierconn *) wire        \user.c_valid ;
    (* hierconn *) wire [BEAT_BITS:0] \user.c_beat ;
    wire        posted    = \dut.queue_write && channel == who;
    wire        dropped   = cancel && cancel_channel == who;
    wire        of_who    = line_channel == who;
    wire        ended     = line_done && of_who && (line_last || line_cancelled);
    wire        first     = \user.c_valid && \user.c_beat == 0 && of_who;   // a line begins, its credit is looked at
    reg  [3:0]  count;                   // wide enough to be wrong
    reg         watching;
    reg  [2:0]  before;                  // credits before the one watched
    reg  [2*DATA:0] watched;             // its destination and packets
    reg         dropping;                // a line of a dropped credit is on its way
    wire [2*DATA:0] head = {\dut.head [15+:DATA+1], \dut.head [DATA-1:0]};

    always @(posedge clk) begin
        count <= dropped ? {3'd0, cancel_active} : count + posted - ended;
        if (posted && mark && !watching) begin
            watching <= 1'b1;
            before   <= count[2:0] - ended;
            watched  <= {\dut.base [DATA:0], data};
        end else if (watching && ended) begin
            watching <= before != 3'd0;
            before   <= before - 3'd1;
        end
        if (dropped)
            watching <= 1'b0;
        dropping <= (dropping && !ended) || (dropped && cancel_active);
        if (rst) begin
            count    <= 4'd0;
            watching <= 1'b0;
            dropping <= 1'b0;
        end
    end

    // posted - taken, of the channel on the register side
    (* hierconn *) wire [2:0]  \dut.queued_now ;
    wire        same_channel = channel == who;

    // a request to post, and the number of credits when it is decided
    reg  [3:0]  now, was;
    reg         ended_then;
    always @(posedge clk) begin
        now        <= count;
        was        <= STAGES == 0 ? count : now;
        ended_then <= ended;
    end
    wire        answered = reg_ack && reg_write && word == 3'd2 && channel == who;

    always @* assume (who < 6'd48 && channel < 6'd48);

    always @* if (!rst) begin
        never_over:  assert (count <= 4'd4 && !(posted && count == 4'd4));
        never_under: assert (!ended || count != 4'd0);
        same_count:  assert (!same_channel || \dut.queued_now == count[2:0]);
        refused:     assert (!answered || !error_full || was == 4'd4);
        not_refused: assert (!answered || was != 4'd4 || error_full || error_size || error_no_base);
        in_order:    assert (ANY_END || !(first && watching && before == 3'd0) || head == watched);
        offered:     assert (!credit[who] || count != 4'd0);
        full:        cover (answered && error_full);
        used:        cover (first && watching && before == 3'd0 && count == 4'd1 && watched[DATA-1:0] != 0);
        dropped_on_its_way: cover (ended && dropping && count == 4'd2);
    end
endmodule
`default_nettype wire
