// SPDX-License-Identifier: Apache-2.0
// qpace_link_reply does what gbn_receiver does, step by step, at its real size; and what is relied on, said
// directly. Environment: a packet that was cut short is not good (parser.sv), the framer takes a
// command only when one is offered, a flush comes only while the link is not up (training.sv).
`default_nettype none
module reply_refines #(
    parameter SEQ_BITS  = 6,
    parameter ACK_EVERY = 3
) (
    input wire                clk,
    input wire                up,
    input wire                flush,
    input wire                packet_end, packet_good, packet_cut, packet_room,
    input wire [2:0]          packet_vc,
    input wire [SEQ_BITS-1:0] packet_seq,
    input wire [7:0]          free,
    input wire                go,
    input wire                keepalive,
    input wire                packet_taken
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    wire                accept, urgent, lazy, refusing, quiet;
    wire [1:0]          command_type;
    wire [SEQ_BITS-1:0] expected;
    wire                taken = go && (urgent || lazy);

    qpace_link_reply #(.SEQ_BITS(SEQ_BITS), .ACK_EVERY(ACK_EVERY)) dut (
        .link_clk(clk), .link_rst(rst), .up(up), .flush(flush), .keepalive(keepalive), .packet_end(packet_end),
        .packet_good(packet_good),
        .packet_cut(packet_cut), .packet_vc(packet_vc), .packet_seq(packet_seq), .packet_room(packet_room), .free(free),
        .accept(accept), .command_urgent(urgent), .command_lazy(lazy), .command_type(command_type),
        .command_taken(taken), .packet_taken(packet_taken), .expected(expected), .refusing(refusing), .quiet(quiet));

    wire                m_accept, m_report, m_ack;
    wire [1:0]          m_type;
    wire [SEQ_BITS-1:0] m_expected;
    reg  [2:0]          refused_vc;
    gbn_receiver #(.SEQ_BITS(SEQ_BITS)) model (
        .clk(clk), .rst(rst || flush), .up(up), .arrived(packet_end), .good(packet_good), .cut(packet_cut),
        .seq(packet_seq), .room(packet_room), .free(free[refused_vc]), .keepalive(keepalive),
        .command_taken(taken), .accept(m_accept),
        .report_due(m_report), .ack_due(m_ack), .command_type(m_type), .expected(m_expected));

    always @(posedge clk)
        if (up && packet_end && packet_good && packet_seq == expected && !packet_room)
            refused_vc <= packet_vc;

    always @* begin
        assume (!(packet_good && packet_cut));
        assume (!packet_good || packet_end);
        assume (!flush || !up);
        assume (!(packet_taken && taken));
        if (rst) assume (!up);
        // parser.sv, training.sv: a packet that is not cut short is 34 words long, and began while the link was up
        assume (!(up && packet_end && !packet_cut) || stands);
    end

    // packet_seq and expected stand since a cycle before
    reg                was = 1'b0;
    reg [SEQ_BITS-1:0] p_seq, p_number;
    wire               stands = was && p_seq == packet_seq && p_number == expected;
    always @(posedge clk) begin
        was      <= 1'b1;
        p_seq    <= packet_seq;
        p_number <= expected;
    end

    reg                seen = 1'b0;
    reg                p_accept, p_flush;
    reg [SEQ_BITS-1:0] p_expected;
    reg [1:0]          own;          // packets of our own while an ACK waits
    always @(posedge clk) begin
        seen       <= !rst;
        p_accept   <= accept;
        p_flush    <= flush;
        p_expected <= expected;
        own        <= (rst || !lazy || taken) ? 2'd0 : own + (packet_taken && own != 2'd3);
    end

    always @* if (!rst) begin
        same_accept:  assert (accept == m_accept && expected == m_expected);
        same_command: assert (lazy == m_ack && (!m_report || urgent) && (!urgent || m_report || m_ack)
                              && (!(urgent || lazy) || command_type == m_type));
        // a commit only on a good CRC, the expected sequence number and a free slot
        commit:       assert (!accept || (up && packet_end && packet_good && packet_seq == expected && packet_room));
        counts:       assert (!seen || expected == (p_flush ? {SEQ_BITS{1'b0}} : p_expected + p_accept));
        ack_bounded:  assert (!lazy || own < ACK_EVERY || urgent);
        refused:     cover (refusing && m_report && command_type == 2'd2);
        ready_said:  cover (taken && command_type == 2'd3);
        nack_again:  cover (taken && command_type == 2'd1 && expected == 6'd2);
        ack_urgent:  cover (own == 2'd3 && taken);
    end
endmodule
`default_nettype wire
