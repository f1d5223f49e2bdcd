// SPDX-License-Identifier: Apache-2.0
// Reserves one output of a Tofu router for a packet that others overtake, so that none starves. Ours: the paper does
// not say how it is done there.
//
// An input begins a packet only when its last one has left, and an output takes one only when its last one has left.
// Both may miss each other for ever: while the output is free the input sends another channel's packet elsewhere. So
// the output looks at the inputs' heads, the oldest packet of each channel, one a cycle. It stays at a head that waits
// for it while the next buffer has room for a longest packet. Once PATIENCE packets were chosen since, it is `reserved`
// and takes no other packet, and waits until the head's input has sent what it is sending. So while a head waits with
// room at most BOUND = HEADS (PATIENCE + 1) - 1 packets of others are chosen (799: 50 heads), whatever the schedule is:
// the other heads are looked at before it, each for PATIENCE packets and its own, and then it is looked at for PATIENCE
// packets.
//
// A head whose input does not finish what it is sending in 2^WAIT_BITS cycles (the link there is in training) is passed
// over, so that one link does not stop another for long; BOUND is for heads that are not. With no head waiting anywhere
// nothing moves: the router may sleep. State has no parity: a wrong bit costs time.
`default_nettype none
module tofu_reserve #(
    parameter       PORT = 0,
    parameter       PORT_BITS = 4,
    parameter       HEADS = 50,          // four a link, two an interface; at most 64
    parameter [3:0] PATIENCE = 4'd15,
    parameter       WAIT_BITS = 12
) (
    input  wire         clk,
    input  wire         rst,

    input  wire         some,            // some head waits, for whatever output
    input  wire [(PORT_BITS+3)*HEADS-1:0] waits,   // of each head {waits, response, routing channel, port}
    input  wire [3:0]   room,            // {response, routing channel}: room for a longest packet
    input  wire         chosen,          // pulse: the output chooses a packet
    input  wire         free,            // it could choose one

    output reg          reserved,
    output wire [5:0]   head             // for this head
);
    localparam                 WB = PORT_BITS + 3;
    localparam                 LAST_HEAD = HEADS - 1;
    localparam [5:0]           LAST = LAST_HEAD[5:0];
    localparam [PORT_BITS-1:0] HERE = PORT;

    reg  [5:0]           head_reg;
    reg  [3:0]           chosen_reg;     // packets chosen since the head is looked at
    reg  [WAIT_BITS-1:0] wait_reg;       // cycles for which the output could have taken the reserved one
    reg  [64*WB-1:0]     padded;
    reg  [WB-1:0]        seen;
    reg                  stays;

    assign head = head_reg;

    always @* begin
        padded   = {64*WB{1'b0}};
        seen     = {WB{1'b0}};
        stays    = 1'b0;
        reserved = 1'b0;
        if (some) begin
            padded[WB*HEADS-1:0] = waits;
            seen     = padded[WB*head_reg +: WB];
            stays    = seen[WB-1] && seen[PORT_BITS-1:0] == HERE && room[seen[WB-2:WB-3]];
            reserved = stays && chosen_reg == PATIENCE;
        end
    end

    always @(posedge clk) begin
        if (some) begin
            wait_reg <= reserved && free ? wait_reg + 1'b1 : {WAIT_BITS{1'b0}};
            if (!stays || &wait_reg) begin
                head_reg   <= head_reg == LAST ? 6'd0 : head_reg + 6'd1;
                chosen_reg <= 4'd0;
            end else if (chosen && chosen_reg != PATIENCE)
                chosen_reg <= chosen_reg + 4'd1;
        end
        if (rst) begin
            head_reg   <= 6'd0;
            chosen_reg <= 4'd0;
            wait_reg   <= {WAIT_BITS{1'b0}};
        end
    end
endmodule
`default_nettype wire
