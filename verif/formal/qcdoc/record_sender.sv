// SPDX-License-Identifier: Apache-2.0
// Which data words a QCDOC link has in flight, as a model (rtl/qcdoc/README.md, "Protocol"); the same as in
// qcdoc_link_tx. Words have numbers of BITS bits and stay in a memory of MEM, also after they were acknowledged. An
// acknowledgement has two bits and is provisional until a record gives the peer's position.
//   oldest   first word not acknowledged      send   next to go out      head   next to be stored
`default_nettype none
module record_sender #(
    parameter BITS = 6,
    parameter MEM  = 16
) (
    input  wire            clk,
    input  wire            rst,
    input  wire            ack,            // a header says: the first word not taken is number
    input  wire [1:0]      ack_number,
    output wire            bad_ack,        // it cannot be
    input  wire            record,         // a record came: the peer wants word expected next, waiting before it were
                                           // not taken
    input  wire            record_lost,    // and it is out of step
    input  wire            answered,       // by the record that we sent before this one came
    input  wire [BITS-1:0] record_expected,
    input  wire [1:0]      record_waiting,
    input  wire            marks,          // marks and our record go out
    output wire [BITS-1:0] next,           // with it: the number of the word that follows
    output wire            room,           // a word may be stored
    input  wire            store,
    output wire            go,             // a word may go out
    input  wire            sent,
    output wire            gone,           // the peer wants a word that is not here any more
    output reg  [BITS-1:0] oldest,
    output reg  [BITS-1:0] send,
    output reg  [BITS-1:0] head
);
    reg             back;                  // go on with
    reg  [BITS-1:0] back_number;

    wire [BITS-1:0] gap    = head - send;
    wire [BITS-1:0] in_air = send - oldest;
    wire [BITS-1:0] kept   = head - oldest;
    wire [BITS-1:0] behind = head - record_expected;
    wire [1:0]      freed  = ack_number - oldest[1:0];
    // or send is behind oldest, until marks go out
    wire            ack_ok = ack && (in_air[BITS-1] ? freed == 0 : freed <= in_air);

    assign bad_ack = ack && !ack_ok;
    assign next    = back ? back_number : send;
    assign room    = gap[BITS-1] || kept < 3;
    assign go      = gap != 0 && !gap[BITS-1] && in_air < 3;
    assign gone    = record && record_lost && !answered && behind > MEM - 2 && behind < (1 << BITS) - MEM;

    always @(posedge clk) begin
        if (ack_ok)
            oldest <= oldest + freed;
        if (store)
            head <= head + 1'b1;
        if (sent)
            send <= send + 1'b1;
        if (marks) begin
            send <= next;
            back <= 1'b0;
        end
        if (record) begin
            oldest <= record_expected - record_waiting;
            if (record_lost && !answered) begin
                back        <= 1'b1;
                back_number <= record_expected;
            end
        end
        if (rst) begin
            oldest <= {BITS{1'b0}};
            send   <= {BITS{1'b0}};
            head   <= {BITS{1'b0}};
            back   <= 1'b0;
        end
    end
endmodule
`default_nettype wire
