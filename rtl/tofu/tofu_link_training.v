// SPDX-License-Identifier: Apache-2.0
// State of a Tofu link: DOWN, TRAIN, UP; hellos; who the peer is; what is to be given up when that changes. Not in the paper; the
// same rules as rtl/qpace/qpace_link_training.v, whose hellos take four words where these are one beat.
//
//            enable                  hello: heard us, in this training
//   DOWN ------------------> TRAIN -----------------------------------> UP
//    ^  ^ disabled,            |  ^  signal lost, retries exhausted,      |
//    |  | training too long    |  |  the peer trains again, asked to      |
//    |  +----------------------+  +---------------------------------------+
//    +-- disabled, fault; retrained too often without progress -----------+
//
// A different peer (node, port, epoch) is learned in two steps: the first hello that differs drops the known one
// (and flushes, if there was a session), the next one is recorded. So is one that lost its session with us.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_training (
    input  wire        clk,
    input  wire        rst,
    input  wire [3:0]  port,

    // registers
    input  wire        enable,
    input  wire        retrain,          // pulse
    input  wire [31:0] node,
    input  wire [15:0] epoch,
    input  wire        identity_written, // pulse: node or epoch changes
    input  wire [3:0]  retrain_limit,
    input  wire        fault,            // the state of the sender is not to be trusted
    input  wire        inject,           // pulse: an impossible state

    // parser
    input  wire        hello_good,
    input  wire [87:0] hello_in,         // bytes 1 to 11
    input  wire        signal_lost,

    // window
    input  wire        peer_seq_ok,
    input  wire        outstanding,
    input  wire        progress,         // the peer has packets of ours
    input  wire        accept,           // and we have one of its
    input  wire        retry_exceeded,
    output wire        resume,
    output wire        flush,

    // framer
    input  wire [7:0]  expected,
    output wire        hello,
    output wire [87:0] hello_out,
    input  wire        hello_taken,

    // timer
    input  wire        timer_expired,
    input  wire        timer_tick,       // time for a hello
    output wire        timer_restart,

    output wire [1:0]  state,
    output wire        up,
    output wire        train,
    output wire        down,
    output wire        quiet,            // nothing to be done
    output wire        heard,
    output wire        peer_known,
    output wire [31:0] peer_node,
    output wire [3:0]  peer_port,
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
    reg         flush_reg;         // to be flushed
    reg         stale_reg;         // our own identity changed, sequence numbers disagreed, or a fault
    reg  [47:0] peer_reg;          // {epoch, node}
    reg  [3:0]  peer_port_reg;
    reg  [3:0]  retrain_reg;
    reg         restart_reg;

    wire [3:0]  h_port     = hello_in[11:8];
    wire        h_used     = hello_in[12];
    wire        h_session  = hello_in[13];
    wire        h_heard    = hello_in[14];
    wire        h_up       = hello_in[15];
    wire [3:0]  h_echo     = hello_in[19:16];
    wire [3:0]  h_train    = hello_in[23:20];
    wire [47:0] h_identity = hello_in[71:24];
    wire        version_ok = hello_in[7:0] == `TOFU_WIRE_VERSION;
    wire        same       = h_identity == peer_reg && h_port == peer_port_reg && (h_session || !used_reg);
    wire        in_train   = state_reg == TRAIN;
    wire        in_up      = state_reg == UP;
    wire        listen     = hello_good && version_ok;
    // in TRAIN
    wire        meet       = in_train && listen && !flush_reg && (!peer_known_reg || same);
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
    wire        begin_train = enable && !fault && ((state_reg == DOWN) || (fall && !give_up));

    assign resume         = go_up;
    assign flush          = flush_reg;
    assign hello          = hello_reg;
    assign hello_out      = {8'd0, expected, epoch, node, train_id_reg, peer_train_reg,
                             in_up, heard_reg, session_reg, used_reg, port, `TOFU_WIRE_VERSION};
    assign timer_restart  = restart_reg;
    assign state          = state_reg;
    assign up             = in_up;
    assign train          = in_train;
    assign down           = state_reg == DOWN;
    assign quiet          = !in_train && !hello_reg && !restart_reg && !flush_reg && !(state_reg == DOWN && enable);
    assign heard          = heard_reg;
    assign peer_known     = peer_known_reg;
    assign peer_node      = peer_reg[31:0];
    assign peer_port      = peer_port_reg;
    assign peer_epoch     = peer_reg[47:32];
    assign disable_link   = give_up || too_long || impossible || fault;
    assign event_retrain  = fall && begin_train;
    assign error_retries  = give_up;
    assign error_timeout  = too_long;
    assign error_version  = hello_good && !version_ok && (in_train || in_up);
    assign error_peer     = stranger && session_reg;
    assign error_protocol = impossible;
    assign error_signal   = in_up && signal_lost;

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
            peer_port_reg  <= h_port;
            peer_reg       <= h_identity;
            peer_known_reg <= 1'b1;
        end
        flush_reg <= 1'b0;
        if (stranger) begin
            heard_reg      <= 1'b0;
            peer_known_reg <= 1'b0;
            session_reg    <= 1'b0;
            flush_reg      <= session_reg;
        end
        if (flush_reg) begin
            used_reg <= 1'b0;
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
        if (state_reg == DOWN) begin
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
            peer_reg       <= 48'd0;
            peer_port_reg  <= 4'd0;
        end
    end

    wire unused = &{1'b0, hello_in[87:72]};   // next expected goes to the window
endmodule
`default_nettype wire
