// SPDX-License-Identifier: Apache-2.0
// The receiver of rtl/qpace/README.md, "Receiver", as a model; reply_refines.sv proves qpace_link_reply
// equivalent to it. A report is NACK, BUSY or READY, a newer one replaces an older one; a command of
// any kind says what is expected next, and so everything.
`default_nettype none
module gbn_receiver #(
    parameter SEQ_BITS = 3
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                up,
    input  wire                arrived,        // a packet ended
    input  wire                good,           // the CRC was right
    input  wire                cut,            // bad, and the header may be another's
    input  wire [SEQ_BITS-1:0] seq,
    input  wire                room,           // its channel has a free slot
    input  wire                free,           // the channel that was refused last has one
    input  wire                keepalive,      // say once more what was said: whenever the prover likes
    input  wire                command_taken,
    output wire                accept,
    output wire                report_due,
    output wire                ack_due,
    output wire [1:0]          command_type,
    output reg  [SEQ_BITS-1:0] expected
);
    localparam [1:0] NACK = 2'd1, BUSY = 2'd2, READY = 2'd3;

    reg       told, refusing, report, ack;
    reg [1:0] report_type;

    wire [SEQ_BITS-1:0] d         = seq - expected;
    wire                duplicate = up && arrived && good && d[SEQ_BITS-1];
    wire                gap       = up && arrived && good && d != 0 && !d[SEQ_BITS-1];
    wire                refuse    = up && arrived && good && d == 0 && !room;
    wire                bad       = up && arrived && !good;
    wire                again     = bad && !cut && d == 0 && !refusing;   // the very one that was asked for

    assign accept       = up && arrived && good && d == 0 && room;
    assign report_due   = up && report;
    assign ack_due      = up && ack;
    assign command_type = report ? report_type : 2'd0;

    always @(posedge clk) begin
        if (command_taken) begin
            report <= 1'b0;
            ack    <= 1'b0;
        end
        if (refusing && !report && free) begin
            refusing    <= 1'b0;
            report      <= 1'b1;
            report_type <= READY;
        end
        if (accept) begin
            expected <= expected + 1'b1;
            told     <= 1'b0;
            refusing <= 1'b0;
            report   <= 1'b0;
        end
        if (accept || duplicate || keepalive)
            ack <= 1'b1;
        if (((gap || bad) && !told) || again) begin
            told        <= 1'b1;
            report      <= 1'b1;
            report_type <= NACK;
        end
        if (refuse) begin
            told        <= 1'b1;
            refusing    <= 1'b1;
            report      <= 1'b1;
            report_type <= BUSY;
        end
        if (!up) begin
            told     <= 1'b0;
            refusing <= 1'b0;
            report   <= 1'b0;
            ack      <= 1'b0;
        end
        if (rst)
            expected <= {SEQ_BITS{1'b0}};
    end
endmodule
`default_nettype wire
