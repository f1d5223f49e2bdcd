// SPDX-License-Identifier: Apache-2.0
// The sender of rtl/qpace/README.md, "Sender: go-back-N", as a model: one step is the time of a frame. It
// holds sequence numbers only; WINDOW of them may be unacknowledged. window_refines.sv proves
// qpace_link_window equivalent to it.
`default_nettype none
module gbn_sender #(
    parameter SEQ_BITS = 3
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                up,
    input  wire                command,       // a good command
    input  wire [1:0]          command_type,  // 0 ACK, 1 NACK, 2 BUSY, 3 READY
    input  wire [SEQ_BITS-1:0] peer_seq,      // of the command, or of a hello
    input  wire                resume,        // a hello ended the training
    input  wire                more,          // there is a packet at `send`
    input  wire                taken,         // `packet` goes out
    input  wire                expired,       // the timer
    output wire                in_window,     // peer_seq lies in oldest..high
    output wire                packet,
    output wire                packet_first,  // never sent before
    output reg  [SEQ_BITS-1:0] oldest,
    output reg  [SEQ_BITS-1:0] send,
    output reg  [SEQ_BITS-1:0] high,
    output reg                 held
);
    reg probe;

    wire [SEQ_BITS-1:0] advance  = peer_seq - oldest;
    wire [SEQ_BITS-1:0] span     = high - oldest;
    wire                accepted = up && command && in_window;
    wire                ack      = accepted && command_type == 2'd0;
    wire                nack     = accepted && command_type == 2'd1;
    wire                busy     = accepted && command_type == 2'd2;
    wire                ready    = accepted && command_type == 2'd3;
    wire                progress = (accepted || resume) && peer_seq != oldest;

    assign in_window    = advance <= span;
    assign packet       = up && more && (!held || probe);
    assign packet_first = send == high;

    always @(posedge clk) begin
        if (taken && !held)
            send <= send + 1'b1;
        if (taken && send == high)
            high <= high + 1'b1;
        if (accepted || resume)
            oldest <= peer_seq;

        // where to go on; an ACK moves `send` only if it overtakes a replay
        if ((accepted || resume) && (!ack || advance > send - oldest))
            send <= peer_seq;
        else if (expired && !held && !progress)
            send <= oldest;

        if (taken)
            probe <= 1'b0;
        if (held && (expired || nack))
            probe <= 1'b1;
        if (busy && peer_seq != high) begin
            held  <= 1'b1;
            probe <= 1'b0;
        end else if (progress || ready)
            held <= 1'b0;

        if (!up)
            held <= 1'b0;
        if (rst) begin
            oldest <= {SEQ_BITS{1'b0}};
            send   <= {SEQ_BITS{1'b0}};
            high   <= {SEQ_BITS{1'b0}};
            held   <= 1'b0;
            probe  <= 1'b0;
        end
    end
endmodule
`default_nettype wire
