// SPDX-License-Identifier: Apache-2.0
// State of a link that exchanges hellos with its peer: DOWN, TRAIN, UP; hellos; sessions; what is to be given up when
// the peer changes. Rules: "States" in the README of a machine that has such links. Not in the papers: they do not say
// how a link comes up. Who the peer is, and where a hello has its fields, is the machine's.
//
//            enable                  hello: heard us, in this training
//   DOWN ------------------> TRAIN -----------------------------------> UP
//    ^  ^ disabled, fault,     |  ^  signal lost, retries exhausted,      |
//    |  | training too long    |  |  the peer trains again, asked to      |
//    |  +----------------------+  +---------------------------------------+
//    +-- disabled, fault; retrained too often without progress -----------+
//
// Both ends, cable delay d, A enabled first:
//   A  TRAIN  hello(heard=0)...      hello(heard=1) UP hello(up=1)
//   B         DOWN | TRAIN  hello(heard=0)  hello(heard=1)       UP hello(up=1)
//
// A different peer (node, port, epoch) is learned in two steps: the first hello that differs drops the known one
// (and flushes, if there was a session), the next one is recorded. So is one that lost its session with us (reset, or
// was somebody else's peer in between): it was never UP, says its hello, but packets were exchanged.
`default_nettype none
module link_training (
    input  wire        clk,
    input  wire        rst,

    // registers
    input  wire        enable,
    input  wire        retrain,          // pulse
    input  wire        identity_written, // pulse: our own node or epoch changes
    input  wire [3:0]  retrain_limit,
    input  wire        fault,            // the state of the sender is not to be trusted
    input  wire        inject,           // pulse: an impossible state

    // parser
    input  wire        hello_good,       // with the next three
    input  wire        version_ok,
    input  wire        from_peer,        // from the known peer; or nobody is known, and its sender is recorded
    input  wire [11:0] hello_in,         // {training number, echoed one, up, heard, session, used}
    input  wire        signal_lost,
    output wire        peer_known,
    output wire        meet,             // the sender of the hello is the peer

    // window
    input  wire        peer_seq_ok,
    input  wire        outstanding,
    input  wire        progress,         // the peer has packets of ours
    input  wire        accept,           // and we have one of its
    input  wire        retry_exceeded,
    input  wire        flush_ready,
    output wire        resume,
    output wire        flush,

    // framer
    output wire        hello,
    output wire [11:0] hello_out,        // as hello_in
    input  wire        hello_taken,

    // timer
    input  wire        timer_expired,
    input  wire        timer_tick,       // time for a hello
    output wire        timer_restart,

    output wire [1:0]  state,
    output wire        up,
    output wire        train,
    output wire        down,
    output wire        quiet,            // nothing to be done but a flush
    output wire        heard,
    output wire        disable_link,     // pulse: down by itself
    output wire        event_retrain,
    output wire [5:0]  errors            // pulses for sticky bits: {signal, protocol, peer, version, timeout, retries}
);
    localparam [1:0] DOWN = 2'd0, TRAIN = 2'd1, UP = 2'd2;

    reg  [1:0]  state_reg;
    reg  [3:0]  train_id_reg;
    reg  [3:0]  peer_train_reg;
    reg         heard_reg;
    reg         hello_reg;         // a hello waits to be sent
    reg         peer_known_reg;
    reg         session_reg;       // the link was UP with that peer
    reg         used_reg;          // and one end has packets of the other
    reg         flush_reg;         // to be flushed
    reg         stale_reg;         // our own identity changed, sequence numbers disagreed, or a fault
    reg  [3:0]  retrain_reg;
    reg         restart_reg;

    wire [3:0]  h_train, h_echo;
    wire        h_up, h_heard, h_session, h_used;

    assign {h_train, h_echo, h_up, h_heard, h_session, h_used} = hello_in;

    wire        same       = from_peer && (h_session || !used_reg);
    wire        in_train   = state_reg == TRAIN;
    wire        in_up      = state_reg == UP;
    wire        listen     = hello_good && version_ok;
    // in TRAIN
    wire        stranger   = in_train && listen && !flush_reg && peer_known_reg && !same;
    wire        answered   = meet && h_heard && h_echo == train_id_reg && (session_reg || !h_used);
    wire        impossible = answered && !peer_seq_ok;
    wire        go_up      = answered && peer_seq_ok;
    wire        too_long   = in_train && timer_expired;
    // in UP
    wire        peer_again = in_up && listen && (!same || (!h_up && (!h_heard || h_train != peer_train_reg)));
    wire        reply      = in_up && listen && same && !h_up && h_heard && h_train == peer_train_reg;
    wire        fall       = in_up && (signal_lost || retry_exceeded || retrain || peer_again);
    wire        give_up    = fall && outstanding && retrain_reg >= retrain_limit;
    wire        begin_train = enable && !fault && (down || (fall && !give_up));

    assign meet          = in_train && listen && !flush_reg && (peer_known_reg ? same : from_peer);
    assign peer_known    = peer_known_reg;
    assign resume        = go_up;
    assign flush         = flush_reg && flush_ready;
    assign hello         = hello_reg;
    assign hello_out     = {train_id_reg, peer_train_reg, in_up, heard_reg, session_reg, used_reg};
    assign timer_restart = restart_reg;
    assign state         = state_reg;
    assign up            = in_up;
    assign train         = in_train;
    assign down          = state_reg == DOWN;
    assign quiet         = !in_train && !hello_reg && !restart_reg && !(down && enable);
    assign heard         = heard_reg;
    assign disable_link  = give_up || too_long || impossible || fault;
    assign event_retrain = fall && begin_train;
    assign errors[0]     = give_up;
    assign errors[1]     = too_long;
    assign errors[2]     = hello_good && !version_ok && (in_train || in_up);
    assign errors[3]     = stranger && session_reg;
    assign errors[4]     = impossible;
    assign errors[5]     = in_up && signal_lost;

    always @(posedge clk) begin
        restart_reg <= begin_train;

        if (hello_taken) begin
            hello_reg <= 1'b0;
        end
        if ((in_train && timer_tick) || go_up || reply) begin
            hello_reg <= 1'b1;
        end

        if (meet) begin
            heard_reg      <= 1'b1;
            peer_train_reg <= h_train;
            peer_known_reg <= 1'b1;
        end
        if (stranger) begin
            heard_reg      <= 1'b0;
            peer_known_reg <= 1'b0;
            session_reg    <= 1'b0;
            flush_reg      <= session_reg;
        end
        if (flush) begin
            flush_reg <= 1'b0;
            used_reg  <= 1'b0;
        end
        if (progress || accept) begin
            used_reg <= 1'b1;
        end

        if (progress) begin
            retrain_reg <= 4'd0;
        end else if (fall && outstanding) begin
            retrain_reg <= retrain_reg + 4'd1;
        end

        // sequence numbers as they are mean nothing to the peer any more
        if (impossible || fault || (identity_written && session_reg)) begin
            stale_reg <= 1'b1;
        end

        if (go_up) begin
            state_reg   <= UP;
            session_reg <= 1'b1;
        end
        if (begin_train) begin
            state_reg    <= TRAIN;
            train_id_reg <= train_id_reg + 4'd1;
            heard_reg    <= 1'b0;
            if (stale_reg) begin
                stale_reg      <= 1'b0;
                session_reg    <= 1'b0;
                peer_known_reg <= 1'b0;
                flush_reg      <= 1'b1;
            end
        end
        if (!enable || disable_link) begin
            state_reg <= DOWN;
            hello_reg <= 1'b0;
            heard_reg <= 1'b0;
        end
        if (inject) begin
            state_reg <= 2'd3;
        end
        if (down) begin
            retrain_reg <= 4'd0;
        end

        if (rst) begin
            state_reg      <= DOWN;
            train_id_reg   <= 4'd0;
            peer_train_reg <= 4'd0;
            heard_reg      <= 1'b0;
            hello_reg      <= 1'b0;
            peer_known_reg <= 1'b0;
            session_reg    <= 1'b0;
            used_reg       <= 1'b0;
            flush_reg      <= 1'b0;
            stale_reg      <= 1'b0;
            restart_reg    <= 1'b0;
        end
    end
endmodule
`default_nettype wire
