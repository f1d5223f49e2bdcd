// SPDX-License-Identifier: Apache-2.0
// qpace_link_window does what gbn_sender does, step by step, at its real size; and what the rest of the
// link relies on, said directly. With STAGES it does so with what the peer said a cycle ago.
// Environment: the transmit buffer never has more than its size beyond what is acknowledged (tx_buffer.sv), the
// framer takes a packet only when one is offered and the last one's beats were all there, training resumes only from a
// number that fits, by a frame that is no command, not twice in a row, and flushes only while the link is not up and no
// line half written (training.sv).
`default_nettype none
module window_refines #(
    parameter SLOT_BITS = 4,
    parameter SEQ_BITS  = 6,
    parameter STAGES    = 0
) (
    input wire                clk,
    input wire                up,
    input wire                command,
    input wire [1:0]          command_type,
    input wire [SEQ_BITS-1:0] peer_seq,
    input wire                resume,
    input wire                flush,
    input wire [2:0]          beats,
    input wire                go,
    input wire                timer_expired,
    input wire [7:0]          retry_limit
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    wire                 ok, flush_ready, packet, packet_first, held, outstanding, timer_restart, retry_exceeded, empty;
    wire                 progress, inside;
    wire [SLOT_BITS:0]   acknowledged, packet_pointer, count;
    wire [SEQ_BITS-1:0]  packet_seq, high;
    wire                 taken = packet && go && !inside;
    reg  [SLOT_BITS+3:0] written;
    wire [SLOT_BITS+3:0] ahead = written - {acknowledged, 3'd0};
    wire [SLOT_BITS+4:0] then_ahead = {1'b0, ahead} + beats;

    // what counts now
    reg                  command_reg, resume_reg;
    reg  [1:0]           type_reg;
    reg  [SEQ_BITS-1:0]  seq_reg;
    wire                 told      = STAGES == 0 ? command : command_reg;
    wire                 go_on     = STAGES == 0 ? resume : resume_reg;
    wire [1:0]           told_type = STAGES == 0 ? command_type : type_reg;
    wire [SEQ_BITS-1:0]  told_seq  = STAGES == 0 ? peer_seq : seq_reg;
    wire                 later     = STAGES != 0 && resume_reg;
    always @(posedge clk) begin
        {command_reg, resume_reg} <= {command, resume} & {2{!rst}};
        {type_reg, seq_reg}       <= {command_type, peer_seq};
    end

    qpace_link_window #(.SLOT_BITS(SLOT_BITS), .SEQ_BITS(SEQ_BITS), .STAGES(STAGES)) dut (
        .link_clk(clk), .link_rst(rst), .up(up), .command(command), .command_type(command_type), .peer_seq(peer_seq),
        .peer_seq_ok(ok), .resume(resume), .flush(flush), .flush_ready(flush_ready), .written(written),
        .acknowledged(acknowledged), .packet(packet), .packet_pointer(packet_pointer), .packet_seq(packet_seq),
        .packet_first(packet_first), .packet_taken(taken), .timer_expired(timer_expired), .timer_restart(timer_restart),
        .held(held), .outstanding(outstanding), .retry_limit(retry_limit), .retry_exceeded(retry_exceeded),
        .empty(empty), .quiet(), .count_outstanding(count), .next_seq(high), .progress(progress),
        .for_room());

    wire                m_ok, m_packet, m_first, m_held;
    wire [SEQ_BITS-1:0] m_oldest, m_send, m_high;
    gbn_sender #(.SEQ_BITS(SEQ_BITS)) model (
        .clk(clk), .rst(rst || flush), .up(up), .command(told), .command_type(told_type), .peer_seq(told_seq),
        .resume(go_on), .more(written != {packet_pointer, 3'd0}), .taken(taken), .expired(timer_expired),
        .in_window(m_ok), .packet(m_packet), .packet_first(m_first), .oldest(m_oldest), .send(m_send), .high(m_high),
        .held(m_held));

    // the framer is inside a packet until its last beat was written
    reg                  busy;
    reg  [SLOT_BITS:0]   busy_pointer;
    wire [SLOT_BITS+3:0] busy_beats = written - {busy_pointer, 3'd0};
    assign inside = busy && busy_beats < 8;
    always @(posedge clk) begin
        busy <= !rst && (taken || inside);
        if (taken)
            busy_pointer <= packet_pointer;
    end

    always @(posedge clk) begin
        if (then_ahead <= {1'b1, {SLOT_BITS+3{1'b0}}})
            written <= written + beats;
        if (rst)
            written <= {SLOT_BITS+4{1'b0}};
    end

    always @* begin
        assume (!resume || (!up && ok && !later && !command));
        assume (!flush || (!up && flush_ready && !resume && !go_on && !inside && beats == 3'd0));
        assume (!timer_expired || (up && outstanding));
        // nobody acknowledges a packet that is not there whole
        assume (!(told || go_on) || !inside || told_seq != high);
        if (rst) assume (!up);
    end

    // before the step
    reg                  seen = 1'b0;
    reg                  p_moved, p_flush;
    reg [SEQ_BITS-1:0]   p_oldest, p_high, p_said;
    reg [SLOT_BITS:0]    p_acknowledged;
    // the one register whose upper bits no port shows; flatten joins wires of that name
    (* hierconn *) wire [SEQ_BITS-1:0] \dut.oldest_reg ;
    wire [SEQ_BITS-1:0]  oldest  = \dut.oldest_reg ;
    wire [SEQ_BITS-1:0]  d_send  = packet_seq - oldest;
    wire [SLOT_BITS:0]   freed   = acknowledged - p_acknowledged;
    always @(posedge clk) begin
        seen           <= !rst;
        p_moved        <= (up && told && m_ok) || go_on;
        p_flush        <= flush;
        p_oldest       <= oldest;
        p_high         <= high;
        p_said         <= told_seq;
        p_acknowledged <= acknowledged;
    end

    always @* if (!rst) begin
        same_packet: assert (packet == (m_packet && !later) && packet_seq == m_send && packet_first == m_first);
        same_window: assert (high == m_high && oldest == m_oldest && held == m_held && (STAGES != 0 || ok == m_ok));
        // the number that training goes on with still fits
        fits:        assert (!go_on || m_ok);
        not_held:    assert (!later || !held);
        // oldest <= send <= high <= oldest + size of the buffer, and nothing is sent that was not written
        pointers:    assert (d_send <= count && count <= (1 << SLOT_BITS) && count == high - oldest);
        in_buffer:   assert ({count, 3'd0} <= {1'b0, ahead} + (inside ? 7 : 0) && ahead <= (8 << SLOT_BITS));
        newest:      assert (!inside || busy_pointer + 1'b1 == acknowledged + count);
        held_at:     assert (!held || (d_send == 0 && count != 0));
        place:       assert (packet_pointer - acknowledged == d_send[SLOT_BITS:0]);
        // an entry is freed only by an acknowledgement inside the window (or given up in a flush)
        freed_by_ack: assert (!seen || freed == 0 || p_flush
                              || (p_moved && freed == p_said - p_oldest && freed <= p_high - p_oldest));
        full:     cover (count == (1 << SLOT_BITS));
        replayed: cover (taken && !packet_first && count > 2);
        held_up:  cover (held && taken && packet_seq == {SEQ_BITS{1'b0}} && count == 2);
        flushed:  cover (seen && p_flush && p_oldest != 0);
    end
endmodule
`default_nettype wire
