// SPDX-License-Identifier: Apache-2.0
// A barrier gate fires exactly once an operation, whatever the order in which its signals and packets come, if nobody
// is more than one operation ahead (FAR 0); and if one is, that is reported (FAR 1). Gate GATE of the whole of
// tofu_tbi_gates, with two inputs; all other gates are in any state and get anything at any time (gate_memories.sv).
// The prover chooses when messages come, in which order operations of one sender come, when outputs have left, what the
// register bus does to other gates.
`default_nettype none
module gate_once #(
    parameter FAR  = 0,
    parameter BITS = 2                   // of a sequence: operations modulo 4
) (
    input wire        clk,
    input wire        packet_offer, signal_offer,
    input wire [1:0]  packet_ahead, signal_ahead,
    input wire [74:0] packet_other, signal_other,
    input wire        packet_mine, signal_mine,
    input wire        start_valid, access_valid, access_write,
    input wire [5:0]  reg_gate,
    input wire [1:0]  access_word,
    input wire [31:0] access_data,
    input wire [7:0]  channel_busy,
    input wire [31:0] channel_operation,
    input wire [63:0] pending_others, left_others,
    input wire        leave
);
    localparam [5:0]  GATE = 6'd8;       // as in gate_memories.sv
    localparam [23:0] MASK = (24'd1 << BITS) - 24'd1;
    reg [1:0] reset = 2'b11;             // two cycles: in the first, whatever was under way may still be written
    wire      rst   = reset[0];
    always @(posedge clk) reset <= {1'b0, reset[1]};

    (* anyconst *) wire [3:0]  operation;
    (* anyconst *) wire [18:0] coordinates;
    (* hierconn *) wire [63:0] \dut.u_control.word , \dut.u_wiring.word , \dut.u_state.word ;
    wire [31:0] control = \dut.u_control.word [31:0];
    wire [31:0] source  = \dut.u_wiring.word [31:0];
    wire [63:0] state   = \dut.u_state.word ;

    // ---- the two senders --------------------------------------------------------------------------
    reg  [23:0] turn;                    // operation the gate fires next
    reg  [1:0]  said_packet, said_signal; // of {next, this} operation a message was sent,
    reg  [1:0]  came_packet, came_signal; // and taken
    reg         packet_valid, signal_valid;
    reg  [74:0] packet, signal;
    wire        packet_taken, signal_taken;
    wire        fired;
    wire [5:0]  fire_gate;
    wire        fires = fired && fire_gate == GATE;

    wire        packet_may = packet_ahead == 2'd2 ? FAR != 0 : packet_ahead != 2'd3 && !said_packet[packet_ahead[0]];
    wire        signal_may = signal_ahead == 2'd2 ? FAR != 0 : signal_ahead != 2'd3 && !said_signal[signal_ahead[0]];
    wire [23:0] packet_turn = (turn + packet_ahead) & MASK;
    wire [23:0] signal_turn = (turn + signal_ahead) & MASK;
    wire [74:0] my_packet = {source[31:30], source[23], 4'd0, 1'b1, operation, packet_turn, control[31:24],
                             source[18:0], source[29:24], GATE};
    wire [74:0] my_signal = {7'd0, 1'b1, operation, signal_turn, control[31:24], coordinates, control[13:8], GATE};
    // the second bit of what is offered, or of what waits: is it of the next operation
    wire        packet_next = packet[39] != turn[0];
    wire        signal_next = signal[39] != turn[0];
    wire        new_packet = packet_offer && (!packet_valid || packet_taken);
    wire        new_signal = signal_offer && (!signal_valid || signal_taken);
    wire        is_packet  = packet_taken && packet[5:0] == GATE;
    wire        is_signal  = signal_taken && signal[5:0] == GATE;
    wire [1:0]  says_packet = new_packet && packet_mine && packet_ahead < 2'd2 ? 2'd1 << packet_ahead : 2'd0;
    wire [1:0]  says_signal = new_signal && signal_mine && signal_ahead < 2'd2 ? 2'd1 << signal_ahead : 2'd0;
    wire [1:0]  gets_packet = is_packet ? 2'd1 << packet_next : 2'd0;
    wire [1:0]  gets_signal = is_signal ? 2'd1 << signal_next : 2'd0;

    always @(posedge clk) begin
        packet_valid <= new_packet || (packet_valid && !packet_taken);
        signal_valid <= new_signal || (signal_valid && !signal_taken);
        if (new_packet)
            packet <= packet_mine ? my_packet : packet_other;
        if (new_signal)
            signal <= signal_mine ? my_signal : signal_other;
        said_packet <= (said_packet | says_packet) >> fires;
        said_signal <= (said_signal | says_signal) >> fires;
        came_packet <= (came_packet | gets_packet) >> fires;
        came_signal <= (came_signal | gets_signal) >> fires;
        if (fires)
            turn <= (turn + 24'd1) & MASK;
        if (rst) begin
            {packet_valid, signal_valid} <= 2'd0;
            {said_packet, said_signal, came_packet, came_signal} <= 8'd0;
            turn <= 24'd0;
        end
    end

    // ---- the gate's outputs -----------------------------------------------------------------------
    reg         waits;                   // for its outputs to leave
    reg         left_mine;
    wire        fire;
    always @(posedge clk) begin
        waits     <= (waits && !leave) || (fire && fire_gate == GATE);
        left_mine <= waits && leave;
        if (rst)
            {waits, left_mine} <= 2'd0;
    end
    wire [63:0] mine = 64'd1 << GATE;

    wire [4:0]  errors;
    tofu_tbi_gates #(.SEQUENCE_BITS(BITS)) dut (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(3'd0), .blocked(1'b0), .clearing(1'b0),
        .clear_address(7'd0),
        .packet_valid(packet_valid), .packet(packet), .packet_data(320'd0), .packet_taken(packet_taken),
        .signal_valid(signal_valid), .signal(signal), .signal_data(320'd0), .signal_taken(signal_taken),
        .start_valid(start_valid), .access_valid(access_valid), .access_write(access_write), .reg_gate(reg_gate),
        .access_word(access_word), .access_data(access_data), .start_operation(4'd0), .start_empty(1'b1),
        .start_data(320'd0), .channel_busy(channel_busy), .channel_operation(channel_operation),
        .pending((pending_others & ~mine) | (waits ? mine : 64'd0)),
        .left((left_others & ~mine) | (left_mine ? mine : 64'd0)), .fire(fire), .fire_gate(fire_gate), .fired(fired),
        .errors(errors), .flip(2'd0), .flip_memory(3'd0));

    (* hierconn *) wire        \dut.act_valid_reg , \dut.arrival , \dut.complete , \dut.bank_wrong ;
    (* hierconn *) wire [2:0]  \dut.act_kind_reg ;
    (* hierconn *) wire [74:0] \dut.act_message_reg ;
    (* hierconn *) wire [63:0] \dut.again_reg ;
    (* hierconn *) wire [5:0]  \dut.again_gate ;
    wire        acts     = \dut.act_valid_reg && \dut.act_message_reg [5:0] == GATE;
    wire [23:0] act_turn = \dut.act_message_reg [62:39];
    wire        too_far  = acts && \dut.arrival && act_turn != turn && act_turn != ((turn + 24'd1) & MASK);
    reg         act_mine, act_far, spoiled;
    reg         by_check;                // what is written now was a check
    reg  [4:0]  waited;                  // complete, its last outputs gone, not fired
    wire        due = came_packet[0] && came_signal[0] && !waits && !left_mine && !fires;
    always @(posedge clk) begin
        act_mine <= !rst && acts && \dut.arrival ;
        act_far  <= !rst && too_far;
        by_check <= !rst && acts && \dut.act_kind_reg == 3'd0;
        spoiled  <= !rst && (spoiled || too_far);
        waited   <= due && !rst ? waited + (waited != 5'd31) : 5'd0;
    end

    always @* begin
        // the gate is wired with both inputs and some output; its own words are not written by the host
        assume (control[2:0] == 3'b111 && control[4:3] != 2'd0 && operation < 4'd8);
        assume (!rst || state == 64'd0);
        assume (reg_gate != GATE);
        assume (!packet_offer || (packet_mine ? packet_may : packet_other[5:0] != GATE));
        assume (!signal_offer || (signal_mine ? signal_may : signal_other[5:0] != GATE));
        // others do not keep the pipeline for ever from a gate that waits
        assume (waited == 5'd0 || (!packet_offer && !signal_offer && !start_valid && !access_valid &&
                                   (!\dut.again_reg [GATE] || \dut.again_gate == GATE)));
        if (!rst && FAR == 0) begin
            complete: assert (!fires || (came_packet[0] && came_signal[0]));
            counted:  assert (state[23:0] == turn);
            kept:     assert (!fires || !waits);
            silent:   assert (!act_mine || errors == 5'd0);
            sound:    assert (!acts || !\dut.bank_wrong );
            soon:     assert (waited < 5'd12);
            went_ahead: cover (fires && said_packet[1] && said_signal[1]);
            checked:    cover (fires && by_check && came_packet[1]);
            backwards:  cover (is_packet && packet_next && !said_packet[0]);
        end
        if (!rst && FAR != 0) begin
            told:     assert (!act_far || errors[2]);
            reported: cover (act_far && errors[2] && turn == 24'd1);
        end
    end
endmodule
`default_nettype wire
