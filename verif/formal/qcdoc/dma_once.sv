// SPDX-License-Identifier: Apache-2.0
// qcdoc_dma neither drops nor doubles a word that memory gave it for a link, or a link for memory. One watched read of
// link LINK: its word is marked 1, all others 0. What engines there are, where they are in memory, when they start and
// stop, is the prover's choice (dma_memories.sv). Memory answers reads in order, any time later; an access that it lets
// wait stays. A new session of the link, which finds no access under way, makes it forget the word beside it.
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

    reg  [3:0]   reads;                  // not answered
    wire         mem_rvalid = answer && reads != 4'd0 && !rst;
    reg          watching, answered, handed;    // or forgotten
    reg          waits, waits_write;     // for memory
    reg  [4:0]   waits_link;
    reg  [3:0]   ahead;                  // reads that are answered before the watched one
    wire         mine = watching && !answered && mem_rvalid && ahead == 4'd0;
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
        .storing(storing), .busy(busy), .forget(forget));

    (* hierconn *) wire [4:0] \dut.link ;
    wire read  = mem_valid && mem_ready && !mem_write && !rst;
    wire wrote = mem_valid && mem_ready && mem_write && !rst;
    wire reads_mine = read && \dut.link == LINK;
    wire hands = word_valid[LINK] && word_ready[LINK] && !rst;
    wire begin_watch = reads_mine && watch && !watching;
    reg        flying;                   // read for LINK and not handed over
    reg [3:0]  taken;

    always @* begin
        taken = 4'd0;
        for (i = 0; i < 12; i = i + 1)
            taken = taken + take[i];
    end
    always @(posedge clk) begin
        reads  <= reads + read - mem_rvalid;
        flying <= (flying || reads_mine) && !hands && !forget[LINK];
        waits  <= mem_valid && !mem_ready;
        waits_write <= mem_write;
        waits_link <= \dut.link ;
        if (begin_watch) begin
            watching <= 1'b1;
            ahead    <= reads - mem_rvalid;
        end else if (watching && mem_rvalid && !mine) begin
            ahead <= ahead - 4'd1;
        end
        if (mine)
            answered <= 1'b1;
        if ((hands && word[0]) || (forget[LINK] && answered))
            handed <= 1'b1;
        if (rst) begin
            reads <= 4'd0;
            {flying, watching, answered, handed, waits} <= 5'd0;
        end
    end

    // what the design remembers of the word on its way, for the prover
    (* hierconn *) wire [3:0]  \dut.asked_reg , \dut.answered_reg ;
    (* hierconn *) wire [11:0] \dut.reading_reg , \dut.staged_reg ;
    (* hierconn *) wire [15:0] \dut.readers.gen_queue.bits , \dut.staged.gen_queue.bits ;
    reg  [3:0]  my_place;                // in the queue of reads
    reg  [15:0] outstanding;             // places of the queue that are in use
    always @(posedge clk) begin
        if (reads_mine)
            my_place <= \dut.asked_reg ;
        outstanding <= rst ? 16'd0 : (outstanding | ({15'd0, read} << \dut.asked_reg )) &
                                     ~({15'd0, mem_rvalid} << \dut.answered_reg );
    end
    (* hierconn *) wire        \dut.turn_reg , \dut.loading_reg , \dut.waits_reg ;
    (* hierconn *) wire [4:0]  \dut.engine_reg ;
    (* hierconn *) wire [3:0]  \dut.arriving ;
    wire [15:0] in_order = (16'd1 << reads) - 16'd1;
    reg  [3:0]  reading;
    always @* begin
        reading = 4'd0;
        for (i = 0; i < 12; i = i + 1)
            reading = reading + \dut.reading_reg [i];
        // of the other links it may be said what is asserted of this one, which is any of them
        assume (!mem_rvalid || \dut.arriving == LINK || \dut.reading_reg [\dut.arriving ]);
        // qcdoc_link_registers and qcdoc_scu see to that
        assume ((forget & busy) == 12'd0);
        assume (!waits || !waits_write || take_valid[waits_link[3:0]]);
    end
    wire [3:0]  my_ahead = my_place - \dut.answered_reg ;

    always @* if (!rst) begin
        queue:     assert (\dut.asked_reg == \dut.answered_reg + reads && reads == reading);
        whose:     assert ((\dut.readers.gen_queue.bits & outstanding) ==
                           ({15'd0, \dut.reading_reg [LINK]} << my_place));
        in_use:    assert (outstanding == (in_order << \dut.answered_reg | in_order >> (5'd16 - \dut.answered_reg )));
        place:     assert (!\dut.reading_reg [LINK] || my_ahead < reads);
        states:    assert (flying == (\dut.reading_reg [LINK] || \dut.staged_reg [LINK]) &&
                           !(\dut.reading_reg [LINK] && \dut.staged_reg [LINK]));
        turn:      assert (!\dut.turn_reg || (\dut.engine_reg < 5'd24 &&
                           (\dut.loading_reg || \dut.engine_reg >= 5'd12 ||
                            (!\dut.reading_reg [\dut.engine_reg [3:0]] &&
                             !\dut.staged_reg [\dut.engine_reg [3:0]]))));
        watched:   assert (watching ? answered || (\dut.reading_reg [LINK] && ahead == my_ahead && !handed)
                                    : !answered && !handed);
        marked:    assert ((\dut.staged.gen_queue.bits [11:0] & \dut.staged_reg ) ==
                           ({11'd0, answered && !handed} << LINK) && (answered || !handed));
        // at most one word of a link is between memory and the link, none is handed over that was not read
        one:       assert (!reads_mine || !flying);
        none_else: assert (!hands || flying);
        few:       assert (reads <= 4'd12);
        stays:     assert (waits == \dut.waits_reg &&
                           (!waits || (mem_valid && mem_write == waits_write && \dut.link == waits_link)));
        // the watched one is handed to its link, once, and nobody else's word is
        right:     assert (!hands || !watching || handed || word[0]);
        once:      assert (word_valid == 12'd0 || !word[0] || (hands && answered && !handed) || !word_ready[LINK]);
        offered:   assert ((word_valid & ~word_ready) == 12'd0 && (word_valid & (word_valid - 12'd1)) == 12'd0);
        // a word is taken from a link exactly when memory takes it
        taken_once: assert (taken == wrote);
        taken_here: assert (!take[LINK] || (wrote && take_valid[LINK] && mem_wdata == take_data[64*LINK +: 64]));
        handed_over: cover (hands && word[0] && reads == 4'd3);
        received:    cover (take[LINK] && take_bit[LINK]);
    end
endmodule
`default_nettype wire
