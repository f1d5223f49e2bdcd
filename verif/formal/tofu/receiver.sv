// SPDX-License-Identifier: Apache-2.0
// tofu_link_receiver, the Verilog itself, behind any output of a parser and before a small buffer of one
// channel that gives up beats when it likes: what the router gets are packets, one after another, each closed; good
// ones are those that are accepted, in sequence, each once; the buffer never overflows, though it may hold void copies
// without credits, and what fits is not refused.
`default_nettype none
module receiver #(
    parameter BUFFER = 12,            // beats
    parameter MOST   = 3              // beats of payload
) (
    input wire       clk,
    input wire       up_now,
    input wire       flush_now,
    input wire [2:0] what,            // the beat that came
    input wire       good, voided, broken,
    input wire [7:0] seq_now,
    input wire [6:0] beats_now,
    input wire       drain, taken, ask
);
    localparam [2:0] IDLE = 3'd0, FIRST = 3'd1, DATA = 3'd2, LAST = 3'd3, BAD = 3'd4;

    reg rst = 1'b1;
    reg up;
    always @(posedge clk) begin
        rst <= 1'b0;
        up  <= up_now && !rst;
    end

    // the parser's part: where in a packet it is
    reg        packet;
    reg [6:0]  index;
    reg [7:0]  seq;
    reg [6:0]  beats;
    wire       first  = what == FIRST;
    wire       second = packet && what == DATA && index == 7'd1;
    wire       head   = second && !broken;
    wire       body   = packet && what == DATA && index != 7'd1 && index != beats + 7'd2;
    wire       ends   = packet && what == LAST && index != 7'd1;
    wire       breaks = packet && (first || what == BAD || (second && broken) || (what == DATA && !second && !body)
                                   || (what == LAST && index == 7'd1));
    wire       whole  = ends && good && index == beats + 7'd2;
    always @(posedge clk) begin
        if (first) begin
            packet <= 1'b1;
            index  <= 7'd1;
            seq    <= seq_now;
            beats  <= beats_now <= MOST ? beats_now : 7'd0;
        end else if (breaks || ends)
            packet <= 1'b0;
        else if (second || body)
            index <= index + 7'd1;
        if (rst)
            packet <= 1'b0;
    end

    // the buffer: a packet takes the room of all its beats with the first, and gives back with the last that of those
    // that did not come
    reg  [4:0]   held, stored, rest;
    wire         rx_valid, accept, refuses, control, idle;
    wire [147:0] rx_beat;
    wire [7:0]   expected;
    wire         drains = drain && stored != 0;
    wire [8:0]   free   = BUFFER - held;
    wire [4:0]   total  = 5'd3 + beats[4:0];
    wire [4:0]   coming = rx_beat[144] ? total : rest;              // with the beat that comes now
    always @(posedge clk) begin
        if (rx_valid)
            rest <= coming - 5'd1;
        held   <= held + (rx_valid && rx_beat[144] ? total : 5'd0) -
                  (rx_valid && rx_beat[145] ? coming - 5'd1 : 5'd0) - drains;
        stored <= stored + rx_valid - drains;
        if (rst)
            {held, stored} <= 10'd0;
    end

    wire flush = flush_now && !up;
    tofu_link_receiver dut (
        .clk(clk), .rst(rst), .up(up), .flush(flush),
        .data(128'd0), .first_beat(first), .head(head), .body(body), .packet_end(ends), .packet_good(whole),
        .packet_void(ends && voided && !whole), .packet_break(breaks), .seq(seq), .channel(2'd0), .beats(beats),
        .anomaly(what == BAD), .asked(1'b0),
        .rx_valid(rx_valid), .rx_beat(rx_beat), .rx_free({4{free}}), .rx_credit(28'd0),
        .ask(ask), .control(control), .control_taken(taken && up), .expected(expected),
        .inject(1'b0),
        .idle(idle), .accept(accept), .event_refused(refuses)
    );

    wire b_first = rx_beat[144];
    wire b_last  = rx_beat[145];
    wire b_bad   = rx_beat[146];

    reg       open;                   // a packet is half delivered
    reg [1:0] due;                    // accepted one or two cycles ago
    reg [7:0] next;                   // number of the next packet to be accepted
    always @(posedge clk) begin
        if (rx_valid)
            open <= !b_last;
        due <= {due[0], accept};
        if (accept)
            next <= next + 8'd1;
        if (flush)
            next <= 8'd0;
        if (rst) begin
            {open, due} <= 3'd0;
            next        <= 8'd0;
        end
    end

    always @(posedge clk) if (!rst) begin
        framed:   assert (!rx_valid || b_first != open);
        odd:      assert (!rx_valid || ^rx_beat[147:144]);
        once:     assert ((rx_valid && b_last && !b_bad) == due[1]);
        numbered: assert (!accept || (seq == next && next == expected));
        fits:     assert (held <= BUFFER && stored <= held);
        needed:   assert (!refuses || held + total > BUFFER);

        delivered: cover (accept && expected == 8'd2);
        cut:       cover (rx_valid && b_last && b_bad && !b_first && expected == 8'd1 && up);
        dropped:   cover (rx_valid && b_last && b_bad && !up);
        refused:   cover (head && up && seq == expected && held > 8 && !rx_valid);
        full:      cover (held == BUFFER);
    end
endmodule
`default_nettype wire
