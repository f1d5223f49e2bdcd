// SPDX-License-Identifier: Apache-2.0
// qcdoc_dma neither drops, doubles nor displaces a word that memory gave it for a link, or a link for memory. One
// watched read of link LINK: its word is marked 1, all others 0. What engines there are, where they are in memory, when
// they start and stop, is the prover's choice (dma_memories.sv). Memory answers reads in order, any time later; an
// access that it lets wait stays. A STOP of the engine, or a new session of the link, makes the word void: it is never
// handed over. (A word of an instruction that was done is not void by a STOP.) Memories may report at any
// time two flipped bits, but not under an access that waits: then engines stop, or the whole DMA does.
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
        end
        if (mine)
            answered <= 1'b1;
        if (hands && word[0])
            handed <= 1'b1;
        if (rst) begin
            reads <= 6'd0;
            kept  <= 3'd0;
            {watching, answered, handed, void, undone, waits} <= 6'd0;
        end
    end
    wire turn_comes = watching && answered && before == 3'd0;    // the watched word is the first one to leave

    (* hierconn *) wire        \dut.waits_reg , \dut.turn_reg , \dut.blocked_reg , \dut.state_lost ;
    reg          quiet;                  // all stands still
    always @(posedge clk) quiet <= !rst && \dut.blocked_reg && (quiet || !\dut.turn_reg );
    always @* begin
        assume (!\dut.waits_reg || !\dut.state_lost );
        // qcdoc_link_registers and qcdoc_scu see to that
        assume ((forget & busy) == 12'd0);
        assume (!waits || !waits_write || take_valid[waits_link[3:0]]);
    end

    always @* if (!rst) begin
        stays:     assert (waits == \dut.waits_reg &&
                           (!waits || (mem_valid && mem_write == waits_write && \dut.link == waits_link)));
        few:       assert (kept <= 3'd4);
        // two flipped bits in a word, or where it is noted whose it is: the turn in work ends, then nothing moves
        stand:     assert (!quiet || (!mem_valid && word_valid == 12'd0));
        blocked:   assert (!\dut.blocked_reg || word_valid == 12'd0);
        // the watched one is handed to its link, in its turn, once, unless it is void; nobody else's word is it
        marked:    assert (\dut.blocked_reg || word_valid == 12'd0 || !word[0] ||
                           (hands && answered && !handed && !void));
        in_turn:   assert (\dut.blocked_reg || !hands || !watching || handed || void ||
                           (before == 3'd0) == word[0]);
        not_lost:  assert (\dut.blocked_reg || !\dut.leaves [LINK] || !turn_comes || handed || void ||
                           (hands && word[0]));
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
