// SPDX-License-Identifier: Apache-2.0
// tofu_input, the Verilog itself, behind any output of a link's receiver: the units it frees are those of
// the good packets that left it or that it refused, each once; so none is lost and none doubled, whatever is void,
// refused, cut through, or of an old session. It offers no packet to an output that is reserved for another head, and
// a head waits (`waits`, for tofu_reserve) until it leaves, or is dropped because it is bad. One channel is watched.
// Ports, turns, routes and when packets leave are the prover's.
//
// The buffer's contents are not kept: a packet's last beat is read only once the packet is whole, and says whether
// it is bad (`marks`). With STAGES what arrives counts two cycles later.
`default_nettype none
module input_credits #(
    parameter       UB     = 6,         // a channel has 2^UB units
    parameter [1:0] MINE   = 2'd1,      // the channel
    parameter [6:0] FROM   = 7'd62,     // where its pointers
    parameter [6:0] CREDIT = 7'd126,    // and credits stand at first: about to wrap
    parameter       STAGES = 0
) (
    input wire        clk,
    input wire        rx_valid, rx_first, rx_last, rx_bad,
    input wire [1:0]  rx_channel,
    input wire [6:0]  rx_beats,
    input wire [5:0]  rx_group,
    input wire        rx_reset,
    input wire [63:0] go,
    input wire [14:0] ready,
    input wire [15:0] reserved,
    input wire [3:0]  due,
    input wire        grant
);
    localparam N = 1 << UB;
    reg first = 1'b1;
    always @(posedge clk) first <= 1'b0;
    wire [1:0] mine = MINE;

    wire [4*(UB+1)-1:0] rx_free;
    wire [27:0]         rx_credit;
    wire [14:0]         want;
    wire                m_valid, dropped, idle;
    wire [27:0]         waits;
    wire [3:0]          want_port;
    wire [147:0]        m_beat;
    wire [147:0]        beat = {1'b0, rx_bad, rx_last, rx_first, 16'd0, 42'd0, rx_group, 49'd0, rx_beats, 6'd0,
                                rx_channel, 16'd0};
    wire                granted = grant && want != 15'd0;
    tofu_input #(.VC_BITS(2), .UNIT_BITS(UB), .STAGES(STAGES)) dut (
        .clk(clk), .rst(1'b0), .place(19'd0), .shape(32'd0), .group(6'd1),
        .rx_valid(rx_valid), .rx_beat(beat), .rx_free(rx_free), .rx_credit(rx_credit), .rx_reset(rx_reset),
        .go(go), .reserved(reserved), .owed(due), .waits(waits), .ready(ready), .want(want), .want_port(want_port),
        .granted(granted), .m_valid(m_valid), .m_beat(m_beat),
        .inject(8'd0), .dropped(dropped), .idle(idle));

    (* hierconn *) wire [4*(UB+1)-1:0] \dut.put_reg , \dut.take_reg , \dut.old_end_reg ;
    (* hierconn *) wire [3:0]  \dut.old_reg , \dut.waits_reg ;
    (* hierconn *) wire [1:0]  \dut.rx_state , \dut.tx_state , \dut.tx_vc , \dut.pick ;
    (* hierconn *) wire        \dut.refuse , \dut.done , \dut.read , \dut.complete , \dut.keep ;
    (* hierconn *) wire [4:0]  \dut.tx_units ;
    (* hierconn *) wire [1:0]  \dut.u_buffer.any ;

    wire [UB:0]    put     = \dut.put_reg >> ((UB + 1) * mine);
    wire [UB:0]    take    = \dut.take_reg >> ((UB + 1) * mine);
    wire [UB:0]    old_end = \dut.old_end_reg >> ((UB + 1) * mine);
    wire           old     = \dut.old_reg >> mine;
    wire [6:0]     credit  = rx_credit >> (7 * mine);

    // ---- the packet that arrives, as the link has it
    reg        sending;
    reg  [7:0] sent_length, sent;
    wire [7:0] new_length = {1'b0, rx_beats} + 8'd3;
    wire [7:0] new_units  = (new_length + 8'd7) >> 3;
    always @(posedge clk) begin
        if (rx_valid) begin
            sending <= !rx_last;
            sent    <= rx_first ? 8'd1 : sent + 8'd1;
            if (rx_first)
                sent_length <= new_length;
        end
    end

    // ---- and where it is stored: {reset, beats, channel, bad, last, first, valid}
    reg  [13:0] came, came_before;
    wire [13:0] comes = {rx_reset, rx_beats, rx_channel, rx_bad, rx_last, rx_first, rx_valid};
    always @(posedge clk) begin
        came        <= comes;
        came_before <= came;
    end
    wire       in_valid, in_first, in_last, in_bad, in_reset;
    wire [1:0] in_channel;
    wire [6:0] in_beats;
    assign {in_reset, in_beats, in_channel, in_bad, in_last, in_first, in_valid} = STAGES == 0 ? comes : came_before;
    wire       resets = STAGES != 0 && (came[13] || came_before[13]);

    reg        arriving, refused;
    reg  [1:0] channel;
    reg  [7:0] length;
    wire [7:0] in_length = {1'b0, in_beats} + 8'd3;
    wire [7:0] my_units  = (length + 8'd7) >> 3;
    wire       ends      = in_valid && in_last && arriving;
    always @(posedge clk) begin
        if (in_valid) begin
            arriving <= !in_last;
            if (in_first) begin
                refused <= \dut.refuse ;
                channel <= in_channel;
                length  <= in_length;
            end
        end
    end
    wire       coming = arriving && !refused && channel == mine;

    // ---- what good packets took since the session began; is the packet that is sent a bad one
    reg  [6:0]   taken;
    reg          void_one;
    wire         leaves = \dut.done && \dut.tx_vc == mine;
    always @(posedge clk) begin
        if (ends && !in_bad && channel == mine)
            taken <= taken + my_units[6:0];
        if (leaves)
            void_one <= 1'b0;
        if (\dut.keep && channel == mine && in_bad)
            void_one <= 1'b1;
        if (in_reset)
            taken <= 7'd0;
    end

    // ---- the head waits until it is granted, or lost
    wire         waits_now   = waits >> (7 * mine + 6);
    wire         granted_now = granted && \dut.pick == mine;
    reg          waited, was_granted, was_lost;   // lost: since it was last seen that no head waits
    always @(posedge clk) begin
        waited      <= !first && waits_now && !granted_now && !was_lost && !(dropped && channel == mine);
        was_lost    <= !first && ((dropped && channel == mine) || (was_lost && waits_now));
        was_granted <= !first && granted_now;
    end

    wire [UB:0] held    = put - take;
    wire [UB:0] of_old  = old ? old_end - take : {UB+1{1'b0}};
    wire [UB:0] of_void = void_one && !old ? {{UB-4{1'b0}}, \dut.tx_units } : {UB+1{1'b0}};
    wire [6:0]  owed    = {{6-UB{1'b0}}, held - of_old - of_void};
    wire [6:0]  missing = taken - credit;

    // ---- what the receiver, the outputs and the buffer do
    // The link looked at the room a cycle ago; without STAGES what it looked at holds now.
    reg  [4*(UB+1)-1:0] rx_free_before;
    reg  [15:0]         reserved_before;
    reg  [3:0]          due_before;
    always @(posedge clk) begin
        rx_free_before  <= rx_free;
        reserved_before <= reserved;
        due_before      <= due;
    end
    wire [UB:0] free_here = (STAGES == 0 ? rx_free : rx_free_before) >> ((UB + 1) * rx_channel);
    wire [15:0] reserved_seen = STAGES == 0 ? reserved : reserved_before;
    wire [3:0]  due_seen      = STAGES == 0 ? due : due_before;
    always @* begin
        // at first nothing is there
        assume (!first || (\dut.put_reg == {4{FROM[UB:0]}} && \dut.take_reg == {4{FROM[UB:0]}} &&
                           !was_lost && rx_credit == {4{CREDIT}} && \dut.rx_state == 2'b01 && \dut.tx_state == 2'b01 &&
                           \dut.old_reg == 4'd0 && \dut.waits_reg == 4'd0 && idle && !came[0] && !came_before[0] &&
                           !came[13] && !came_before[13] && rx_free_before == rx_free &&
                           !m_valid && !sending && !arriving && !void_one && taken == credit));
        assume (!rx_valid || rx_first != sending);
        assume (!(rx_valid && rx_first) || (!rx_last && {1'b0, new_units} <= {{8-UB{1'b0}}, free_here}));
        assume (!(rx_valid && !rx_first) ||
                (rx_last ? rx_bad || sent + 8'd1 == sent_length : sent + 8'd1 < sent_length));
        assume (!rx_reset || !(sending || rx_valid) || (sending && rx_valid && rx_last && rx_bad));
        assume (!\dut.read || !\dut.u_buffer.any [0] || (!granted && \dut.complete ));
        assume (!\dut.read || !\dut.u_buffer.any [0] || \dut.tx_vc != mine || \dut.u_buffer.any [1] == void_one);
    end

    always @(posedge clk) begin
        conserved: assert (resets || missing == owed);
        settled:   assert (held != 0 || coming || resets || credit == taken);
        fits:      assert (held + (coming ? my_units : 8'd0) <= N);
        polite:    assert (want == 15'd0 || !reserved_seen[want_port] || due_seen[\dut.pick ]);
        stays:     assert (first || !waited || waits_now);
        leaves_off: assert (first || !was_granted || !waits_now);
        wrapped:   cover (leaves && !void_one && taken == 7'd0);
        void_sent: cover (leaves && void_one && taken != credit);
        void_lost: cover (dropped && channel == mine && held != 0);
        was_refused: cover (ends && refused && !in_bad && channel == mine && leaves && !void_one);
        session:   cover (leaves && old && taken != credit && of_old != held);
    end
endmodule
`default_nettype wire
