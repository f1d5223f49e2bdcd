// SPDX-License-Identifier: Apache-2.0
// Ethernet's memory port: a request stands still until it is taken, each is shown to memory once and in its turn, and
// the beats of an answer go to the requester, and nowhere else.
// Environment: a requester may make, change or withdraw its request in any cycle; memory takes a request when
// it likes and answers, in order, any time after it took it.
// Induction needs invariants that relate the queue of requesters and the counts (l_*).
`default_nettype none
module ram_small #(parameter WIDTH = 2, parameter ADDRESS_BITS = 3) (
    input  wire clk, input wire wr_en, input wire [ADDRESS_BITS-1:0] wr_address, input wire [WIDTH-1:0] wr_data,
    input  wire [ADDRESS_BITS-1:0] rd_address, output wire [WIDTH-1:0] rd_data
);
    reg [(WIDTH << ADDRESS_BITS)-1:0] words;
    assign rd_data = words[WIDTH*rd_address +: WIDTH];
    always @(posedge clk) if (wr_en) words[WIDTH*wr_address +: WIDTH] <= wr_data;
endmodule

module gmac_memory (
    input wire         clk,
    input wire [2:0]   fetch,            // transmitter, transmit ring, receive ring
    input wire [95:0]  line,
    input wire         tx_back,
    input wire         tx_back_bad,
    input wire [34:0]  tx_back_word,
    input wire         rx_write,
    input wire         rx_write_last,
    input wire [34:0]  rx_write_word,
    input wire [127:0] rx_write_data,
    input wire         read_ready,
    input wire         write_ready,
    input wire         data,
    input wire         watch
);
    reg [1:0] reset_count = 2'd0;
    wire      rst = !reset_count[1];
    always @(posedge clk) if (rst) reset_count <= reset_count + 2'd1;

    wire         read_valid, write_valid, write_last, back_taken, write_taken;
    wire [2:0]   taken, beat;
    wire [31:0]  read_line;
    wire [34:0]  write_word;
    wire [127:0] write_data;

    // what memory took and did not answer to the end yet: only of that come data
    reg  [3:0]   lines;
    reg  [2:0]   beats;
    wire         data_valid = data && lines != 4'd0;
    wire         shown      = read_valid && read_ready;
    wire         answered   = data_valid && beats == 3'd7;

    qpace_gmac_memory dut (
        .clk(clk), .rst(rst),
        .rx_ring_fetch(fetch[2]), .rx_ring_line(line[95:64]), .rx_ring_taken(taken[2]), .rx_ring_beat(beat[2]),
        .tx_ring_fetch(fetch[1]), .tx_ring_line(line[63:32]), .tx_ring_taken(taken[1]), .tx_ring_beat(beat[1]),
        .tx_fetch(fetch[0]), .tx_line(line[31:0]), .tx_taken(taken[0]), .tx_beat(beat[0]),
        .tx_back(tx_back), .tx_back_word(tx_back_word), .tx_back_bad(tx_back_bad), .tx_back_taken(back_taken),
        .rx_write(rx_write), .rx_write_word(rx_write_word), .rx_write_data(rx_write_data),
        .rx_write_last(rx_write_last), .rx_write_taken(write_taken),
        .mem_read_valid(read_valid), .mem_read_ready(read_ready), .mem_read_line(read_line),
        .mem_data_valid(data_valid), .mem_write_valid(write_valid), .mem_write_ready(write_ready),
        .mem_write_word(write_word), .mem_write_data(write_data), .mem_write_last(write_last), .obs_idle());

    // One request to read is watched, and it may be any: who made it, which line, how many are shown before it, and
    // how many are answered before it.
    reg          watched, was_shown, was_answered;
    reg  [2:0]   who;
    reg  [31:0]  which;
    reg  [3:0]   before;
    wire [4:0]   pending = {1'b0, lines} + {4'd0, read_valid};
    wire         begins  = watch && taken != 3'd0 && !watched && !rst;
    wire         mine    = watched && !was_answered && before == 4'd0;

    // the cycle before
    reg          past;
    reg          held_read, held_write, any_taken, any_written;
    reg  [31:0]  old_line, taken_line;
    reg  [163:0] old_write, taken_write;
    wire [163:0] now_write = {write_last, write_word, write_data};

    always @(posedge clk) begin
        lines <= lines + {3'd0, shown} - {3'd0, answered};
        beats <= beats + {2'd0, data_valid};
        if (begins) begin
            watched <= 1'b1;
            who     <= taken;
            which   <= taken[2] ? line[95:64] : taken[1] ? line[63:32] : line[31:0];
            before  <= pending[3:0] - {3'd0, answered};
        end else if (watched && answered && before != 4'd0)
            before <= before - 4'd1;
        if (watched && shown)
            was_shown <= 1'b1;      // it stands in the register from the cycle after it was taken
        if (mine && answered)
            was_answered <= 1'b1;

        past        <= !rst;
        held_read   <= read_valid && !read_ready;
        held_write  <= write_valid && !write_ready;
        old_line    <= read_line;
        old_write   <= now_write;
        any_taken   <= taken != 3'd0;
        any_written <= back_taken || write_taken;
        taken_line  <= taken[2] ? line[95:64] : taken[1] ? line[63:32] : line[31:0];
        taken_write <= back_taken ? {1'b1, tx_back_word, {65'd0, tx_back_bad, 62'd0}}
                                  : {rx_write_last, rx_write_word, rx_write_data};
        if (rst) begin
            lines        <= 4'd0;
            beats        <= 3'd0;
            watched      <= 1'b0;
            was_shown    <= 1'b0;
            was_answered <= 1'b0;
            past         <= 1'b0;
        end
    end

    (* hierconn *) wire [3:0]  \dut.asked ;
    (* hierconn *) wire [3:0]  \dut.answered ;
    (* hierconn *) wire [2:0]  \dut.beat ;
    (* hierconn *) wire [15:0] \dut.askers.words ;
    wire [2:0] turn  = \dut.answered [2:0] + before[2:0];
    wire [1:0] asker = \dut.askers.words [2*turn +: 2];
    wire [3:0] under_way = \dut.asked - \dut.answered ;

    always @* begin
        l_reset:       assert (reset_count[1] || !(watched || past));
        l_begin:       assert (watched || !(was_shown || was_answered));
        l_count:       assert ({1'b0, under_way} == pending && \dut.beat == beats);
        l_turn:        assert (!watched || was_answered || ({1'b0, before} < pending && before < 4'd8));
        l_asker:       assert (!watched || was_answered || {asker == 2'd0, asker == 2'd1, asker == 2'd2} == who);
        l_who:         assert (!watched || who == 3'd1 || who == 3'd2 || who == 3'd4);
        l_shown:       assert (!watched || was_shown || (before == pending[3:0] - 4'd1 && !was_answered));
        // both ports: what is offered stands, and is what was taken last
        read_stands:   assert (!past || !held_read || (read_valid && read_line == old_line));
        write_stands:  assert (!past || !held_write || (write_valid && now_write == old_write));
        read_new:      assert (!past || held_read || read_valid == any_taken);
        read_same:     assert (!past || !any_taken || (read_valid && read_line == taken_line));
        write_new:     assert (!past || held_write || write_valid == any_written);
        write_same:    assert (!past || !any_written || (write_valid && now_write == taken_write));
        // one at a time, of those who ask
        one_reader:    assert ((taken & (taken - 3'd1)) == 3'd0 && (taken & ~fetch) == 3'd0);
        one_writer:    assert (!(back_taken && (write_taken || !tx_back)) && !(write_taken && !rx_write));
        no_more:       assert (rst || pending <= 5'd8);
        // the watched one
        shown_itself:  assert (rst || !(watched && !was_shown) || (read_valid && read_line == which));
        whose_answer:  assert (rst || !(mine && data_valid) || beat == who);
        eight_behind:  cover (watched && before == 4'd7);
        answered_ring: cover (was_answered && who == 3'd4);
        both_wait:     cover (held_read && held_write && write_last);
    end
endmodule
`default_nettype wire
