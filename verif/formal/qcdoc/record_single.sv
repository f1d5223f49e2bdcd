// SPDX-License-Identifier: Apache-2.0
// Supervisor words and partition interrupts of a QCDOC link as a model: one at a time, numbered 0, 1, 0, ... Sending
// half, and receiving half with its acknowledgement. A supervisor word is acknowledged when it is read, an interrupt
// (READ = 0) when it comes. In qcdoc_link the two halves are spread over qcdoc_link_tx, qcdoc_link_rx and qcdoc_link.
`default_nettype none
module record_single #(
    parameter READ = 1
) (
    input  wire       clk,
    input  wire       rst,
    // sender
    input  wire       start,       // there is a new one, the last one being done
    input  wire       sent,        // it goes out
    input  wire       burst,       // it is sent again after marks
    input  wire       ack,
    input  wire       ack_number,
    output reg        valid,
    output wire       go,          // to be sent
    output wire       done,
    output reg        number,
    // receiver
    input  wire       came,        // good, in step
    input  wire       came_number,
    input  wire       read,
    input  wire       again,       // a request or a training: acknowledge the last one again
    input  wire       ack_sent,
    output wire       fresh,       // it is a new one
    output reg        unread,
    output reg        ack_due,
    output wire       ack_says
);
    reg out;                       // on its way
    reg expected, any_read, read_number;

    assign go       = valid && !out;
    assign done     = ack && out && ack_number == number;
    assign fresh    = came && came_number == expected;
    assign ack_says = READ ? read_number : !expected;
    wire   read_now = read && unread;

    always @(posedge clk) begin
        if (start)
            valid <= 1'b1;
        if (sent)
            out <= 1'b1;
        if (burst)
            out <= 1'b0;
        if (done) begin
            valid  <= 1'b0;
            out    <= 1'b0;
            number <= !number;
        end

        if (ack_sent)
            ack_due <= 1'b0;
        if (again)
            ack_due <= any_read && !unread;
        if (came)
            expected <= !came_number;
        if (READ) begin
            if (fresh) begin
                unread <= 1'b1;
            end else if (read_now) begin
                unread      <= 1'b0;
                any_read    <= 1'b1;
                read_number <= !expected;
            end
            if (read_now || (came && !fresh && !unread))
                ack_due <= 1'b1;
        end else begin
            if (fresh)
                any_read <= 1'b1;
            if (came)
                ack_due <= 1'b1;
        end
        if (rst) begin
            valid       <= 1'b0;
            out         <= 1'b0;
            number      <= 1'b0;
            expected    <= 1'b0;
            unread      <= 1'b0;
            any_read    <= 1'b0;
            read_number <= 1'b0;
            ack_due     <= 1'b0;
        end
    end
endmodule
`default_nettype wire
