// SPDX-License-Identifier: Apache-2.0
// Whether a sequence number that the peer names lies in the window of a QPACE link's sender, oldest..high.
// Combinational. Within a window of less than half the numbers a sign says which of two comes first. In one of half the
// numbers there are two that are as far apart one way as the other: its ends.
`default_nettype none
module qpace_link_within #(
    parameter SLOT_BITS = 4,             // of the transmit FIFO
    parameter SEQ_BITS  = 6
) (
    input  wire [SEQ_BITS-1:0] seq,
    input  wire [SEQ_BITS-1:0] oldest,
    input  wire [SEQ_BITS-1:0] high,
    output wire                fits,
    output wire                is_oldest,
    output wire                is_high,
    output wire                at_ends   // of a window of half the numbers
);
    localparam          HALF    = SLOT_BITS == SEQ_BITS - 1;
    wire [SEQ_BITS-1:0] advance = seq - oldest;
    wire [SEQ_BITS-1:0] rest    = high - seq;
    wire [SEQ_BITS-1:0] span    = high - oldest;

    assign is_oldest = seq == oldest;
    assign is_high   = seq == high;
    assign at_ends   = HALF && span == {1'b1, {SEQ_BITS-1{1'b0}}} && (is_oldest || is_high);
    assign fits      = at_ends || !(advance[SEQ_BITS-1] || rest[SEQ_BITS-1]);
endmodule
`default_nettype wire
