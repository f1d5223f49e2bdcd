// SPDX-License-Identifier: Apache-2.0
// qcdoc_dma neither drops, doubles nor displaces a word that memory gave it for a link, or a link for memory. One
// watched read of link LINK: its word is marked 1, all others 0. What engines there are, where they are in memory, when
// they start and stop, is the prover's choice (dma_memories.sv). Memory answers reads in order, any time later; an
// access that it lets wait stays. A STOP of the engine, or a new session of the link, makes the word void: it is handed
// to nobody, then or later. (A word of an instruction that was done is not void by a STOP.) Memories may say at any
// time that two bits of theirs flipped, but not under an access that waits: then engines stop, or all stands still.
//
// What the prover is told besides: where in the queue of reads each of the link's up to four words is (`place`, by the
// number of its place beside the link), which of these the watched one has (`mine_at`), and that the places in use of
// the queue are those between its two pointers.
`default_nettype none
module dma_once #(
    parameter LINK = 5                   // as in dma_memories.sv
) (
    input wire         clk,
    input wire         start,
    input wire [23:0]  start_engines, stop,
    input wire [3:0]   start_slot,
    input wire [31:0]  memory_bytes,
    input wire         mem_ready, answer,
    input wire [11:0]  word_ready, take_valid,
    input wire [11:0]  take_bit,
    input wire [11:0]  forget,
    input wire         watch
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    reg  [5:0]   reads;                  // not answered
    wire         mem_rvalid = answer && reads != 6'd0 && !rst;
    reg          watching, answered, handed, void, undone;
    reg          left;                   // handed over, or let go
    reg          waits, waits_write;     // for memory
    reg  [4:0]   waits_link;
    reg  [5:0]   ahead;                  // reads that are answered before the watched one
    reg  [2:0]   before;                 // words of LINK that leave before it
    wire         mine = watching && !answered && mem_rvalid && ahead == 6'd0;
    wire         mem_valid, mem_write;
    wire [63:0]  mem_wdata, word;
    wire [11:0]  word_valid, take, storing, busy;
    reg  [767:0] take_data;
    integer      i;
    always @* begin
        take_data = 768'd0;
        for (i = 0; i < 12; i = i + 1)
            take_data[64*i] = take_bit[i];
    end

    qcdoc_dma dut (
        .clk(clk), .rst(rst), .memory_bytes(memory_bytes), .store(1'b0), .store_engine(5'd0), .store_slot(4'd0),
        .store_word(2'd0), .store_data(32'd0), .start(start), .start_engines(start_engines), .start_slot(start_slot),
        .stop(stop), .mem_valid(mem_valid), .mem_ready(mem_ready), .mem_write(mem_write), .mem_wdata(mem_wdata),
        .mem_rvalid(mem_rvalid), .mem_rdata({63'd0, mine}), .word_valid(word_valid), .word(word),
        .word_ready(word_ready), .take_valid(take_valid), .take_data(take_data), .take(take),
        .storing(storing), .busy(busy), .forget(forget),
        .flip(72'd0), .flip_memory(5'd0));

    (* hierconn *) wire [4:0]  \dut.link ;
    (* hierconn *) wire [11:0] \dut.commits , \dut.leaves ;
    (* hierconn *) wire        \dut.wanted ;
    wire read  = mem_valid && mem_ready && !mem_write && !rst;
    wire wrote = mem_valid && mem_ready && mem_write && !rst;
    wire reads_mine = read && \dut.link == LINK;
    wire hands = word_valid[LINK] && word_ready[LINK] && !rst;
    wire begin_watch = reads_mine && watch && !watching;
    wire gone = watching && !handed && (forget[LINK] || (stop[LINK] && undone));
    reg [3:0]  taken;
    reg [2:0]  kept;                     // words of LINK asked for, neither handed over nor let go

    always @* begin
        taken = 4'd0;
        for (i = 0; i < 12; i = i + 1)
            taken = taken + take[i];
    end
    always @(posedge clk) begin
        reads <= reads + read - mem_rvalid;
        kept  <= kept + reads_mine - (\dut.leaves [LINK] && !rst);
        waits <= mem_valid && !mem_ready;
        waits_write <= mem_write;
        waits_link <= \dut.link ;
        if (begin_watch) begin
            watching <= 1'b1;
            ahead    <= reads - mem_rvalid;
            before   <= kept - (\dut.leaves [LINK] && !rst);
            void     <= stop[LINK] || !\dut.wanted ;
            undone   <= !\dut.commits [LINK];
        end else begin
            if (watching && mem_rvalid && !mine)
                ahead <= ahead - 6'd1;
            if (watching && \dut.leaves [LINK] && before != 3'd0)
                before <= before - 3'd1;
            if (gone && !(hands && word[0]))
                void <= 1'b1;
            if (\dut.commits [LINK])
                undone <= 1'b0;
            if (watching && answered && \dut.leaves [LINK] && before == 3'd0)
                left <= 1'b1;
        end
        if (mine)
            answered <= 1'b1;
        if (hands && word[0])
            handed <= 1'b1;
        if (rst) begin
            reads <= 6'd0;
            kept  <= 3'd0;
            {watching, answered, handed, left, void, undone, waits} <= 7'd0;
        end
    end
    wire turn_comes = watching && answered && before == 3'd0;    // the watched word is the first one to leave

    // what the design remembers of words on their way, for the prover
    (* hierconn *) wire        \dut.waits_reg , \dut.turn_reg , \dut.loading_reg , \dut.blocked_reg ;
    (* hierconn *) wire        \dut.state_lost , \dut.comes ;
    (* hierconn *) wire [4:0]  \dut.engine_reg ;
    (* hierconn *) wire [5:0]  \dut.asked_reg , \dut.answered_reg ;
    (* hierconn *) wire [3:0]  \dut.arriving ;
    (* hierconn *) wire [35:0] \dut.used_reg , \dut.here_reg ;
    (* hierconn *) wire [23:0] \dut.first_reg ;
    (* hierconn *) wire [47:0] \dut.void_reg , \dut.undone_reg ;
    (* hierconn *) wire [63:0] \dut.readers.gen_queue.bits , \dut.staged.gen_queue.bits ;
    wire [2:0]  used  = \dut.used_reg [3*LINK +: 3];
    wire [2:0]  here  = \dut.here_reg [3*LINK +: 3];
    wire [1:0]  first = \dut.first_reg [2*LINK +: 2];
    wire [1:0]  next  = first + used[1:0];
    reg  [23:0] place;                   // in the queue of reads, by place beside the link
    reg  [1:0]  mine_at;                 // the watched one's place beside the link
    reg  [63:0] outstanding;             // places of the queue that are in use
    reg         quiet;                   // all stands still
    always @(posedge clk) begin
        if (reads_mine)
            place[6*next +: 6] <= \dut.asked_reg ;
        if (begin_watch)
            mine_at <= next;
        outstanding <= rst ? 64'd0 : (outstanding | ({63'd0, read} << \dut.asked_reg )) &
                                     ~({63'd0, mem_rvalid} << \dut.answered_reg );
        quiet <= !rst && \dut.blocked_reg && (quiet || !\dut.turn_reg );
    end
    // the link's places, the first to leave first
    reg  [63:0] theirs;
    reg  [5:0]  behind;                  // reads answered before the one at hand
    reg         in_queue, ordered;
    reg  [1:0]  at;
    reg  [3:0]  marks;
    reg  [5:0]  flying;
    always @* begin
        theirs  = 64'd0;
        ordered = 1'b1;
        marks   = 4'd0;
        behind  = 6'd0;
        for (i = 0; i < 4; i = i + 1) begin
            at = first + i[1:0];
            in_queue = i >= here && i < used;
            if (in_queue) begin
                theirs = theirs | (64'd1 << place[6*at +: 6]);
                if (place[6*at +: 6] - \dut.answered_reg >= reads ||
                    (i > here && place[6*at +: 6] - \dut.answered_reg <= behind))
                    ordered = 1'b0;
                behind = place[6*at +: 6] - \dut.answered_reg ;
            end
            if (i < here)
                marks[at] = \dut.staged.gen_queue.bits [4*LINK + at];
        end
        flying = 6'd0;
        for (i = 0; i < 12; i = i + 1)
            flying = flying + {3'd0, \dut.used_reg [3*i +: 3] - \dut.here_reg [3*i +: 3]};
    end
    wire [63:0] in_order = (64'd1 << reads) - 64'd1;
    wire [1:0]  index    = mine_at - first;    // of the watched one among the link's
    wire        watched  = watching && !left;
    reg         sizes;
    always @* begin
        sizes = 1'b1;
        for (i = 0; i < 12; i = i + 1)
            if (\dut.used_reg [3*i +: 3] > 3'd4 || \dut.here_reg [3*i +: 3] > \dut.used_reg [3*i +: 3])
                sizes = 1'b0;
    end

    always @* begin
        // of the other links it may be said what is asserted of this one, which is any of them
        assume (!\dut.comes || \dut.arriving == LINK ||
                \dut.used_reg [3*\dut.arriving +: 3] != \dut.here_reg [3*\dut.arriving +: 3]);
        assume (!\dut.waits_reg || !\dut.state_lost );
        // qcdoc_link_registers and qcdoc_scu see to that
        assume ((forget & busy) == 12'd0);
        assume (!waits || !waits_write || take_valid[waits_link[3:0]]);
    end

    always @* if (!rst && !\dut.blocked_reg ) begin
        queue:     assert (\dut.asked_reg == \dut.answered_reg + reads && reads == flying && reads <= 6'd48);
        places:    assert (sizes && kept == used);
        in_use:    assert (outstanding == (in_order << \dut.answered_reg | in_order >> (7'd64 - \dut.answered_reg )));
        whose:     assert ((\dut.readers.gen_queue.bits & outstanding) == theirs && ordered);
        turn:      assert (!\dut.turn_reg || \dut.loading_reg || \dut.engine_reg >= 5'd12 ||
                           \dut.used_reg [3*\dut.engine_reg +: 3] != 3'd4);
        watches:   assert (watching || (!answered && !handed && !left));
        index_is:  assert (!watched || ({1'b0, index} == before && before < used && answered == (before < here)));
        place_is:  assert (!watched || answered || place[6*mine_at +: 6] == \dut.answered_reg + ahead);
        state_is:  assert (!watched || (void == \dut.void_reg [4*LINK + mine_at] &&
                                        undone == \dut.undone_reg [4*LINK + mine_at] && !handed));
        mark_is:   assert (marks == (watched && answered ? 4'd1 << mine_at : 4'd0));
        gone_is:   assert (!left || handed || void);
        few:       assert (kept <= 3'd4);
        // the watched one is handed to its link, in its turn, once, unless it is void; nobody else's word is it
        marked:    assert (word_valid == 12'd0 || !word[0] || (hands && answered && !handed && !void));
        in_turn:   assert (!hands || !watching || handed || void || (before == 3'd0) == word[0]);
        not_lost:  assert (!\dut.leaves [LINK] || !turn_comes || handed || void || (hands && word[0]));
    end
    always @* begin
        begins:    assert (!rst || !\dut.blocked_reg );
        others:    assert (\dut.blocked_reg || (\dut.staged.gen_queue.bits & ~(64'hF << 4*LINK)) == 64'd0);
    end
    always @* if (!rst) begin
        // two flipped bits in a word, or where it is noted whose it is: the turn in work ends, then nothing moves
        stand:     assert (!quiet || (\dut.blocked_reg && !\dut.turn_reg && !mem_valid && word_valid == 12'd0));
        engines:   assert (!\dut.turn_reg || \dut.engine_reg < 5'd24);
        blocked:   assert (!\dut.blocked_reg || word_valid == 12'd0);
        stays:     assert (waits == \dut.waits_reg &&
                           (!waits || (mem_valid && mem_write == waits_write && \dut.link == waits_link)));
        offered:   assert ((word_valid & ~word_ready) == 12'd0 && (word_valid & (word_valid - 12'd1)) == 12'd0);
        // a word is taken from a link exactly when memory takes it
        taken_once: assert (taken == wrote);
        taken_here: assert (!take[LINK] || (wrote && take_valid[LINK] && mem_wdata == take_data[64*LINK +: 64]));
        handed_over: cover (hands && word[0] && reads == 6'd3);
        third:      cover (hands && word[0] && kept == 3'd4);
        dropped:    cover (void && answered && \dut.leaves [LINK] && before == 3'd0);
        received:   cover (take[LINK] && take_bit[LINK]);
    end
endmodule
`default_nettype wire
