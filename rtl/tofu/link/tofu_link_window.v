// SPDX-License-Identifier: Apache-2.0
// The sender's side of go-back-N on a Tofu link ([Tofu2012] section 4.5): which packet goes next, what is acknowledged,
// when to go back. Sequence numbers are 8 bits; the ring knows where packets lie.
//
//      oldest            send                 high           write
//   .....|==================|=====================|--------------|......    outstanding = oldest..high
//   freed  sent, not acked    to be sent again      not yet sent whole
//
// Going back (NACK, BUSY, timeout, a training, an acknowledgement that overtakes a replay) is always to the oldest. It
// takes a cycle, and cuts short a packet under way: that ends nullified. BUSY also holds all packets, until NACK,
// progress or the timer. While nothing is outstanding but credits, the timer asks for them (ASK), for the control
// packet with the last ones may be lost.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_window #(
    parameter WINDOW = 64               // packets unacknowledged, at most 128
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        up,
    input  wire        flush,           // everything is given up, numbers restart at 0

    // what the peer said: a good control packet, or a hello's next expected sequence number
    input  wire        control,
    input  wire [1:0]  control_type,
    input  wire [7:0]  peer_seq,
    output wire        peer_seq_ok,     // lies within oldest..high
    output wire        heed,
    input  wire        resume,          // training ended: go on at peer_seq

    // input, ring, framer
    input  wire        commit,          // a packet is whole in the ring
    input  wire        kill,            // the one under way is void
    output wire        room,            // for two more packets
    output wire [7:0]  write_seq,
    output wire [7:0]  send_seq,
    output wire        send_under_way,  // the packet to be sent is the one being written
    output wire        send_new,        // it was never sent whole
    output wire        send_first,      // not even in part
    output wire        back,
    input  wire        packet_start,
    input  wire        packet_end,      // sent whole

    // credits and timer
    input  wire        credits_out,
    input  wire        credits_progress,
    input  wire        timer_expired,
    output wire        timer_run,
    output wire        timer_restart,
    output wire        held,
    output wire        ask,             // pulse: credits are to be asked for
    input  wire [7:0]  retry_limit,
    output wire        retry_exceeded,

    output wire        outstanding,
    output wire [7:0]  count_outstanding,
    output wire [7:0]  count_kept,      // whole packets in the ring
    output wire        progress,        // packets before peer_seq are acknowledged, one at least
    output wire        quiet,
    input  wire [3:0]  inject,          // pulse: flip a bit of {write, high, send, oldest}
    output wire        error_parity,    // one of these is wrong
    output wire        disorder,        // a state that cannot be
    output wire        event_ignored,   // control packet outside the window
    output wire        event_nack,
    output wire        event_busy,
    output wire        event_timeout
);
    localparam [7:0] PACKETS = WINDOW[7:0];

    wire [7:0] oldest_reg, send_reg, high_reg, write_reg;
    reg  [7:0] oldest_next, send_next, high_next, write_next;
    wire [3:0] wrong;
    reg        begun_reg;               // packet `high` was sent in part
    reg        back_reg;
    reg        held_reg;
    reg        restart_reg;
    reg  [7:0] retry_reg;

    wire [7:0] advance  = peer_seq - oldest_reg;
    wire [7:0] span     = high_reg - oldest_reg;
    wire [7:0] sent     = send_reg - oldest_reg;
    wire [7:0] waiting  = write_reg - oldest_reg;
    wire       move     = heed || resume;
    wire       nack     = heed && control_type == `TOFU_CONTROL_NACK;
    wire       busy     = heed && control_type == `TOFU_CONTROL_BUSY;
    wire       expired  = timer_expired && up;
    wire       again    = expired && (outstanding || held_reg);
    wire       overtaken = sent > span;          // `send` is acknowledged already

    assign peer_seq_ok       = advance <= span;
    assign heed              = up && control && peer_seq_ok;
    assign room              = waiting < PACKETS - 8'd2;
    assign write_seq         = write_reg;
    assign send_seq          = send_reg;
    assign send_under_way    = send_reg == write_reg;
    assign send_new          = send_reg == high_reg;
    assign send_first        = send_new && !begun_reg;
    assign back              = back_reg || overtaken;
    assign timer_run         = up && (outstanding || credits_out || held_reg);
    assign timer_restart     = restart_reg;
    assign held              = held_reg;
    assign ask               = expired && !again;
    assign retry_exceeded    = retry_reg > retry_limit;
    assign outstanding       = oldest_reg != high_reg;
    assign count_outstanding = span;
    assign count_kept        = waiting;
    assign progress          = move && advance != 8'd0;
    assign quiet             = !back_reg && !overtaken && !timer_run && !restart_reg;
    assign disorder          = span > waiting || waiting > PACKETS;
    assign error_parity      = wrong != 4'd0;
    assign event_ignored     = up && control && !peer_seq_ok;
    assign event_nack        = nack;
    assign event_busy        = busy;
    assign event_timeout     = expired;

    // sequence numbers, each with a parity bit
    always @* begin
        oldest_next = move ? peer_seq : oldest_reg;
        write_next  = write_reg + {7'd0, commit};
        high_next   = high_reg + {7'd0, packet_end && send_reg == high_reg};
        send_next   = back ? oldest_reg : send_reg + {7'd0, packet_end};
        if (rst || flush) begin
            oldest_next = 8'd0;
            write_next  = 8'd0;
            high_next   = 8'd0;
            send_next   = 8'd0;
        end
    end
    register_parity u_oldest (.clk(clk), .next(oldest_next), .flip(inject[0]), .value(oldest_reg), .wrong(wrong[0]));
    register_parity u_send   (.clk(clk), .next(send_next),   .flip(inject[1]), .value(send_reg),   .wrong(wrong[1]));
    register_parity u_high   (.clk(clk), .next(high_next),   .flip(inject[2]), .value(high_reg),   .wrong(wrong[2]));
    register_parity u_write  (.clk(clk), .next(write_next),  .flip(inject[3]), .value(write_reg),  .wrong(wrong[3]));

    always @(posedge clk) begin
        restart_reg <= progress || credits_progress || expired || resume || (packet_end && !outstanding)
                       || (packet_start && !timer_run);
        back_reg    <= nack || busy || again || resume;
        if (packet_start && send_reg == high_reg) begin
            begun_reg <= 1'b1;
        end
        if (packet_end && send_reg == high_reg) begin
            begun_reg <= 1'b0;
        end
        if (kill && high_reg == write_reg) begin
            begun_reg <= 1'b0;
        end
        if (busy) begin
            held_reg <= 1'b1;
        end else if (progress || nack || again) begin
            held_reg <= 1'b0;
        end
        if (progress || busy || (heed && !outstanding)) begin
            retry_reg <= {7'd0, nack};
        end else if ((nack || expired) && retry_reg != 8'hFF) begin
            retry_reg <= retry_reg + 8'd1;
        end
        if (!up) begin
            held_reg  <= 1'b0;
            retry_reg <= 8'd0;
        end
        if (rst || flush) begin
            begun_reg  <= 1'b0;
            back_reg   <= 1'b0;
            restart_reg <= 1'b0;
            held_reg   <= 1'b0;
            retry_reg  <= 8'd0;
        end
    end
endmodule
`default_nettype wire
