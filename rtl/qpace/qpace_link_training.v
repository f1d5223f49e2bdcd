// SPDX-License-Identifier: Apache-2.0
// State of a QPACE link: DOWN, TRAIN, UP; hellos; who the peer is; what is to be given up when that changes.
// Not in the paper: it does not say how a link comes up.
//
//            enable                  hello: heard us, in this training
//   DOWN ------------------> TRAIN -----------------------------------> UP
//    ^  ^ disabled,            |  ^  signal lost, retries exhausted,      |
//    |  | training too long    |  |  the peer trains again, asked to      |
//    |  +----------------------+  +---------------------------------------+
//    +-- disabled; retrained too often without progress ------------------+
//
// Both ends, cable delay d, A enabled first:
//   A  TRAIN  hello(heard=0)...      hello(heard=1) UP hello(up=1)
//   B         DOWN | TRAIN  hello(heard=0)  hello(heard=1)       UP hello(up=1)
//
// A different peer (node, port, epoch) is learned in two steps: the first hello that differs drops the known one
// (and flushes, if there was a session), the next one is recorded. So is one that lost its session with us (reset, or was
// somebody else's peer in between): it was never UP, says its hello, but packets were exchanged.
`default_nettype none
`include "qpace_wire.vh"
module qpace_link_training (
    input  wire        link_clk,
    input  wire        link_rst,
    input  wire [2:0]  port,

    // registers
    input  wire        enable,
    input  wire        retrain,          // pulse
    input  wire [15:0] node,
    input  wire [15:0] epoch,
    input  wire        identity_written, // pulse: node or epoch changes
    input  wire [3:0]  retrain_limit,

    // parser
    input  wire        identity_valid,   // `word` is word 1 of a hello
    input  wire [31:0] word,
    input  wire        hello_good,
    input  wire [23:0] header,
    input  wire        signal_lost,

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
    output wire [23:0] hello_0,
    output wire [31:0] hello_1,
    input  wire        hello_taken,
    input  wire        framer_idle,

    // timer
    input  wire        timer_expired,
    input  wire        timer_tick,       // time for a hello
    output wire        timer_restart,

    output wire        up,
    output wire        train,
    output wire        quiet,            // nothing to be done
    output wire        heard,
    output wire        peer_known,
    output wire [15:0] peer_node,
    output wire [2:0]  peer_port,
    output wire [15:0] peer_epoch,
    output wire        disable_link,     // pulse: down by itself
    output wire        event_retrain,
    output wire        error_retries,    // pulses, for the sticky bits
    output wire        error_timeout,
    output wire        error_version,
    output wire        error_peer,
    output wire        error_protocol,
    output wire        error_signal
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
    reg         differs_reg;       // the hello on its way in is another's
    reg         learned_reg;       // its identity is in peer_reg
    reg         flush_reg;         // to be flushed
    reg         stale_reg;         // our own identity changed, or sequence numbers disagreed
    reg  [31:0] peer_reg;          // {node, epoch}
    reg  [2:0]  peer_port_reg;
    reg  [3:0]  retrain_reg;
    reg         restart_reg;

    wire        h_up       = header[15];
    wire        h_heard    = header[14];
    wire        h_session  = header[13];
    wire        h_used     = header[12];
    wire [2:0]  h_port     = header[10:8];
    wire [3:0]  h_train    = header[23:20];
    wire [3:0]  h_echo     = header[19:16];
    wire        version_ok = header[7:0] == `QPACE_WIRE_VERSION;
    wire        same       = !differs_reg && h_port == peer_port_reg && (h_session || !used_reg);
    wire        in_train   = state_reg == TRAIN;
    wire        in_up      = state_reg == UP;
    wire        listen     = hello_good && version_ok;
    // in TRAIN
    wire        meet       = in_train && listen && !flush_reg && (peer_known_reg ? same : learned_reg);
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
    wire        begin_train = enable && ((state_reg == DOWN) || (fall && !give_up));

    assign resume        = go_up;
    assign flush         = flush_reg && flush_ready && framer_idle;
    assign hello         = hello_reg;
    assign hello_0       = {train_id_reg, peer_train_reg, in_up, heard_reg, session_reg, used_reg, 1'b0, port, `QPACE_WIRE_VERSION};
    assign hello_1       = {node, epoch};
    assign timer_restart = restart_reg;
    assign up            = in_up;
    assign train         = in_train;
    assign quiet         = !in_train && !hello_reg && !restart_reg && !(state_reg == DOWN && enable);
    assign heard         = heard_reg;
    assign peer_known    = peer_known_reg;
    assign peer_node     = peer_reg[31:16];
    assign peer_port     = peer_port_reg;
    assign peer_epoch    = peer_reg[15:0];
    assign disable_link  = give_up || too_long || impossible;
    assign event_retrain = fall && begin_train;
    assign error_retries = give_up;
    assign error_timeout = too_long;
    assign error_version = hello_good && !version_ok && (in_train || in_up);
    assign error_peer    = stranger && session_reg;
    assign error_protocol = impossible;
    assign error_signal  = in_up && signal_lost;

    always @(posedge link_clk) begin
        restart_reg <= begin_train;

        if (identity_valid) begin
            differs_reg <= word != peer_reg;
            learned_reg <= !peer_known_reg;
            if (!peer_known_reg) begin
                peer_reg <= word;
            end
        end

        if (hello_taken) begin
            hello_reg <= 1'b0;
        end
        if ((in_train && timer_tick) || go_up || reply) begin
            hello_reg <= 1'b1;
        end

        if (meet) begin
            heard_reg      <= 1'b1;
            peer_train_reg <= h_train;
            peer_port_reg  <= h_port;
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
        if (impossible || (identity_written && session_reg)) begin
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
        if (state_reg == DOWN) begin
            retrain_reg <= 4'd0;
        end

        if (link_rst) begin
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
            peer_reg       <= 32'd0;
            peer_port_reg  <= 3'd0;
        end
    end

    wire unused = &{1'b0, header[11]};   // reserved
endmodule
`default_nettype wire
