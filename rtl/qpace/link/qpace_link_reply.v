// SPDX-License-Identifier: Apache-2.0
// The receiver's side of go-back-N on a QPACE link: which packets are accepted, and which commands
// answer them. Every command carries the next expected sequence number, so each acknowledges.
//
//   good, expected, room       accept; ACK when the line is free, or after ACK_EVERY packets of our own
//   good, expected, no room    drop; BUSY, and READY as soon as its channel has room
//   good, ahead                drop; NACK, unless the peer was notified already
//   good, behind               drop; it was accepted before: ACK again
//   nothing for long           ACK again: a keep-alive
//   bad                        NACK, unless the peer was notified already, of another packet
//
// "Notified" (`told`) lasts from a NACK or BUSY until the expected packet is accepted: packets in flight behind
// a lost one cost one command, not one each. If the command is lost, the peer's timeout replays.
//
// Latency: packet_end to accept 0 cycles.
`default_nettype none
`include "qpace_wire.vh"
module qpace_link_reply #(
    parameter SEQ_BITS  = 6,
    parameter ACK_EVERY = 3
) (
    input  wire                link_clk,
    input  wire                link_rst,
    input  wire                up,
    input  wire                flush,          // restart at sequence 0
    input  wire                keepalive,      // acknowledge once more what was acknowledged

    // a packet came to its end
    input  wire                packet_end,
    input  wire                packet_good,    // only with packet_end
    input  wire                packet_cut,     // vc and seq are not this packet's
    input  wire [2:0]          packet_vc,
    input  wire [SEQ_BITS-1:0] packet_seq,
    input  wire                packet_room,
    input  wire [7:0]          free,           // channels with a free slot
    output wire                accept,

    // framer
    output wire                command_urgent,
    output wire                command_lazy,
    output wire [1:0]          command_type,
    input  wire                command_taken,
    input  wire                packet_taken,   // a packet of our own goes out

    output wire [SEQ_BITS-1:0] expected,
    output wire                refusing,       // BUSY was said, READY not yet
    output wire                quiet,          // nothing to be said
    output wire                event_duplicate,
    output wire                event_gap,
    output wire                event_refused,
    output wire                event_nack_sent,
    output wire                event_busy_sent
);
    localparam [1:0] EVERY = ACK_EVERY[1:0];   // 1 to 3

    reg  [SEQ_BITS-1:0] expected_reg;
    reg                 next_reg;              // the packet is the expected one
    reg                 past_reg;              // it was accepted before
    reg                 told_reg;
    reg                 refusing_reg;
    reg  [2:0]          refused_vc_reg;
    reg                 report_reg;            // report_type_reg waits to be sent
    reg  [1:0]          report_type_reg;
    reg                 ack_reg;               // an ACK waits
    reg  [1:0]          since_reg;             // packets of our own since the last command

    wire [SEQ_BITS-1:0] ahead    = packet_seq - expected_reg;
    wire                arrived  = up && packet_end;
    wire                good     = up && packet_good;
    wire                refuse   = good && next_reg && !packet_room;
    wire                gap      = good && !next_reg && !past_reg;
    wire                bad      = arrived && !packet_good;
    wire                complain = (gap || bad) && (!told_reg || (bad && next_reg && !packet_cut && !refusing_reg));
    wire                ready    = refusing_reg && !report_reg && free[refused_vc_reg];

    assign accept          = good && next_reg && packet_room;
    assign command_urgent  = up && (report_reg || (ack_reg && since_reg == EVERY));
    assign command_lazy    = up && ack_reg;
    assign command_type    = report_reg ? report_type_reg : `QPACE_WIRE_ACK;
    assign expected        = expected_reg;
    assign refusing        = refusing_reg;
    assign quiet           = !report_reg && !ack_reg && !ready;
    assign event_duplicate = good && past_reg;
    assign event_gap       = gap;
    assign event_refused   = refuse;
    assign event_nack_sent = command_taken && command_type == `QPACE_WIRE_NACK;
    assign event_busy_sent = command_taken && command_type == `QPACE_WIRE_BUSY;

    always @(posedge link_clk) begin
        // before the packet's end: unless it is cut, packet_seq and expected_reg stand still since its second word
        next_reg <= ahead == {SEQ_BITS{1'b0}};
        past_reg <= ahead[SEQ_BITS-1];
        // what is sent now says all there was to say
        if (command_taken) begin
            report_reg <= 1'b0;
            ack_reg    <= 1'b0;
            since_reg  <= 2'd0;
        end else if (packet_taken && since_reg != EVERY) begin
            since_reg <= since_reg + 2'd1;
        end
        if (ready) begin
            refusing_reg    <= 1'b0;
            report_reg      <= 1'b1;
            report_type_reg <= `QPACE_WIRE_READY;
        end
        if (accept) begin
            expected_reg <= expected_reg + {{SEQ_BITS-1{1'b0}}, 1'b1};
            told_reg     <= 1'b0;
            refusing_reg <= 1'b0;
            report_reg   <= 1'b0;
        end
        if (accept || event_duplicate || keepalive) begin
            ack_reg <= 1'b1;
        end
        if (complain) begin
            told_reg        <= 1'b1;
            report_reg      <= 1'b1;
            report_type_reg <= `QPACE_WIRE_NACK;
        end
        if (refuse) begin
            told_reg        <= 1'b1;
            refusing_reg    <= 1'b1;
            refused_vc_reg  <= packet_vc;
            report_reg      <= 1'b1;
            report_type_reg <= `QPACE_WIRE_BUSY;
        end
        if (flush) begin
            expected_reg <= {SEQ_BITS{1'b0}};
        end
        if (!up) begin
            told_reg     <= 1'b0;
            refusing_reg <= 1'b0;
            report_reg   <= 1'b0;
            ack_reg      <= 1'b0;
            since_reg    <= EVERY;
        end
        if (link_rst) begin
            expected_reg <= {SEQ_BITS{1'b0}};
        end
    end
endmodule
`default_nettype wire
