// SPDX-License-Identifier: Apache-2.0
// The 24 DMA engines of a QCDOC node: 12 that send from memory, 12 that receive into it, block-strided, with stored
// instructions; one start for any subset of them. [QCDOC2004] sections 2.2 and 3.3; descriptors, chains and errors in
// rtl/qcdoc/README.md.
//
// One sequencer serves all engines, one 64-bit word a turn, because a link brings or takes a word every 72 cycles only:
//
//   choose (round robin over engines with something to do)
//     -> state of the engine, one cycle later; next state written back, and
//          send:     memory read; its data go to the end of the link's queue in `staged`, then into the link
//          receive:  memory write of the word that waits in the link
//          load:     stored instruction -> state
//
// A link has AHEAD places for words that were asked for and are not in the link yet: 4 words in 288 cycles are its full
// rate, so memory may take 250 cycles (500 ns). A word is read only when it has a place, so reads never wait for links.
// What an engine has read ahead is void when it is stopped, what a link's engine has when the link begins a new
// session: the word keeps its place until memory has answered, and leaves it without going anywhere. Words of an
// instruction that was DONE are not the stopped one's. A new session must find no turn of the link in work (`busy`).
//
// All memories have SECDED. Two flipped bits in a stored instruction or in the state of an engine stop that engine, or
// keep it from its start. In a word that waits for its link, or where it is noted whose a read is, they block it all:
// no access, and nothing for a link, until reset.
`default_nettype none
module qcdoc_dma #(
    parameter SLOT_BITS = 4              // 2^SLOT_BITS stored instructions an engine
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [31:0]  memory_bytes,    // size of the memory, a multiple of 8

    // stored instructions: engine 0 to 11 send on link 0 to 11, 12 to 23 receive from it
    input  wire         store,
    input  wire [4:0]   store_engine,
    input  wire [SLOT_BITS-1:0] store_slot,
    input  wire [1:0]   store_word,      // 0 address, 1 {blocks, words a block}, 2 pitch, 3 {chain, slot of the next}
    input  wire [31:0]  store_data,

    input  wire         start,           // pulse
    input  wire [23:0]  start_engines,
    input  wire [SLOT_BITS-1:0] start_slot,
    input  wire [23:0]  stop,            // engines to be stopped after the word in work
    output wire [23:0]  active,          // started, not done
    output reg  [23:0]  done,            // pulses
    output reg          error,           // pulse: an engine was stopped, or not started
    output reg  [4:0]   error_engine,
    output reg  [26:0]  error_address,   // in words, as far as there is room
    output reg          error_range,     // why: outside memory
    output reg          error_alignment, // not a multiple of 8
    output reg          error_empty,     // no blocks, or empty ones
    output reg          error_engine_memory,  // two flipped bits in the instruction, or in the engine's state
    output reg          error_blocked,   // in a word, or whose it is: everything stands still
    output wire         error_busy,      // with start: an engine of it was active

    // memory, 64-bit words; reads are answered in order
    output wire         mem_valid,
    input  wire         mem_ready,
    output wire         mem_write,
    output wire [28:0]  mem_address,     // in words
    output wire [63:0]  mem_wdata,
    input  wire         mem_rvalid,
    input  wire [63:0]  mem_rdata,

    // links
    output wire [11:0]  word_valid,      // at most one
    output wire [63:0]  word,
    input  wire [11:0]  word_ready,
    input  wire [11:0]  take_valid,      // a word waits, and may be taken
    input  wire [767:0] take_data,
    output wire [11:0]  take,
    output wire [11:0]  storing,         // the word that waits is on its way into memory
    output wire [11:0]  busy,            // an access for this link, either way, waits for memory
    input  wire [11:0]  forget,          // pulses, not while busy: a new session

    // soft errors, for tests: bits of what is stored next in one of the memories; by memory, as in `corrected`
    input  wire [71:0]  flip,            // {check bits, data}
    input  wire [4:0]   flip_memory,
    output wire [4:0]   flipped,
    // pulses: a flipped bit was corrected in {a word for a link, whose a read is, the part of an engine's state that
    // stays, the part that moves, a stored instruction}
    output wire [4:0]   corrected,

    output wire         obs_idle
);
    localparam INSTRUCTION_BITS = 5 + SLOT_BITS;
    localparam [2:0] AHEAD = 3'd4;       // words a link; two bits of an address in `staged`

    reg  [23:0] active_reg;              // an instruction is loaded
    reg  [23:0] load_reg;                // one is to be loaded
    // by link: places in use, from the first one to leave on, and how many of their words are here, 0 to 4 each; a bit
    // a place: void; of an instruction that is not done
    reg  [35:0] used_reg, here_reg;
    reg  [23:0] first_reg;
    reg  [47:0] void_reg, undone_reg;
    reg  [11:0] room, ready, drops;
    reg  [23:0] new_place, came_place;
    reg         turn_reg;                // the engine in engine_reg has its turn
    reg         waits_reg;               // and memory has seen the access, which stays whatever the registers say now
    reg  [4:0]  engine_reg, last_reg;
    reg         loading_reg;
    reg  [24*SLOT_BITS-1:0] next_reg;    // slot that is loaded next

    // who has something to do; the engine in work may not be chosen again before its state is written
    wire [23:0] in_work = turn_reg ? 24'd1 << engine_reg : 24'd0;
    reg         blocked_reg;             // two flipped bits where nobody knows what to do without them
    wire [23:0] request = blocked_reg ? 24'd0 : (load_reg | (active_reg & {take_valid, room})) & ~in_work;
    wire        found;
    wire [4:0]  choice;
    wire        advance;                 // the turn in work ends

    select_next #(.N(24), .WIDTH(5)) chooser (
        .request(request), .last(last_reg), .found(found), .choice(choice));

    // stored instructions
    genvar i;
    wire [95:0] instruction;
    wire [SLOT_BITS:0] link_on;          // {chain, next slot}
    wire [3:0]  columns_single, columns_lost;
    wire        loads = turn_reg && loading_reg;
    wire [SLOT_BITS-1:0] choice_slot = next_reg[SLOT_BITS*choice +: SLOT_BITS];
    generate
        for (i = 0; i < 3; i = i + 1) begin : g_store
            ram_dual_clock_secded #(.WIDTH(32), .ADDRESS_BITS(INSTRUCTION_BITS)) column (
                .wr_clk(clk), .wr_en(store && store_word == i), .wr_address({store_engine, store_slot}),
                .wr_data(store_data), .flip(flip[39:0] & {40{flip_memory[0]}}),
                .rd_clk(clk), .rd_en(advance), .rd_address({choice, choice_slot}), .look(loads),
                .rd_data(instruction[32*i +: 32]), .single(columns_single[i]), .uncorrectable(columns_lost[i]));
        end
    endgenerate
    ram_dual_clock_secded #(.WIDTH(SLOT_BITS + 1), .ADDRESS_BITS(INSTRUCTION_BITS)) chains_column (
        .wr_clk(clk), .wr_en(store && store_word == 2'd3), .wr_address({store_engine, store_slot}),
        .wr_data({store_data[31], store_data[SLOT_BITS-1:0]}),
        .flip(flip[SLOT_BITS+8:0] & {SLOT_BITS+9{flip_memory[0]}}),
        .rd_clk(clk), .rd_en(advance), .rd_address({choice, choice_slot}), .look(loads), .rd_data(link_on),
        .single(columns_single[3]), .uncorrectable(columns_lost[3]));

    // state of an engine
    wire [31:0] address;
    wire [15:0] words, blocks, block_words;    // still to come in this block; blocks after it; of a whole one
    wire [31:0] gap;                           // from the end of a block to the next one, bytes
    wire        chain;
    wire [SLOT_BITS-1:0] next_slot;
    reg  [31:0] address_next;
    reg  [15:0] words_next, blocks_next;
    wire        write_state = turn_reg && advance && (loading_reg || moves);
    wire        works = turn_reg && !loading_reg;
    wire        moving_single, moving_lost, fixed_single, fixed_lost;
    // what stays is written again where a bit was wrong
    wire        write_fixed = write_state && (loading_reg || fixed_single);

    ram_word_secded #(.ADDRESS_BITS(5)) moving (
        .clk(clk), .wr_en(write_state), .wr_address(engine_reg),
        .wr_data({address_next, words_next, blocks_next}), .flip(flip_memory[1] ? flip : 72'd0),
        .rd_en(works), .rd_address(engine_reg), .rd_data({address, words, blocks}),
        .single(moving_single), .uncorrectable(moving_lost));
    ram_small_secded #(.WIDTH(49 + SLOT_BITS), .ADDRESS_BITS(5)) fixed (
        .clk(clk), .wr_en(write_fixed), .wr_address(engine_reg),
        .wr_data(loading_reg ? {i_chain, i_next, i_words, i_gap} : {chain, next_slot, block_words, gap}),
        .flip(flip[56+SLOT_BITS:0] & {57+SLOT_BITS{flip_memory[2]}}),
        .rd_en(works), .rd_address(engine_reg), .rd_data({chain, next_slot, block_words, gap}),
        .single(fixed_single), .uncorrectable(fixed_lost));

    wire [31:0] i_address = instruction[31:0];
    wire [15:0] i_words   = instruction[47:32];
    wire [15:0] i_blocks  = instruction[63:48];
    wire [31:0] i_pitch   = instruction[95:64];
    wire [SLOT_BITS-1:0] i_next = link_on[SLOT_BITS-1:0];
    wire        i_chain   = link_on[SLOT_BITS];
    wire [31:0] i_gap     = i_pitch - {13'd0, i_words, 3'd0};
    wire        i_aligned = i_address[2:0] == 3'd0 && i_pitch[2:0] == 3'd0;
    wire        i_empty   = i_words == 16'd0 || i_blocks == 16'd0;
    wire        i_lost    = columns_lost != 4'd0;
    wire        state_lost = moving_lost || fixed_lost;

    wire        receives  = engine_reg >= 5'd12;
    wire [4:0]  link      = receives ? engine_reg - 5'd12 : engine_reg;
    wire        in_memory = waits_reg || address < memory_bytes;    // both are multiples of 8
    // a stalled turn is finished even if the engine is stopped meanwhile, but the engine is no longer touched by it
    wire        wanted    = active_reg[engine_reg];
    // a new session may have emptied the link since the choice
    wire        there     = waits_reg || !receives || take_valid[link[3:0]];
    wire        moves     = works && in_memory && there && !state_lost;
    wire        last_word = words == 16'd1;
    wire        last      = last_word && blocks == 16'd0;
    wire        moved     = moves && mem_ready;
    wire        bad_load  = loads && (!i_aligned || i_empty || i_lost) && load_reg[engine_reg];
    wire        bad_range = works && !in_memory && !state_lost && wanted;
    wire        bad_state = works && state_lost && wanted;
    wire [23:0] engine    = 24'd1 << engine_reg;
    wire [11:0] at_link   = 12'd1 << link;

    assign advance     = !moves || mem_ready;
    assign mem_valid   = moves;
    assign mem_write   = receives;
    assign mem_address = address[31:3];
    assign mem_wdata   = take_data[64*link +: 64];
    assign take        = moved && receives ? at_link : 12'd0;
    assign storing     = turn_reg && receives ? at_link : 12'd0;
    assign busy        = turn_reg ? at_link : 12'd0;
    assign active      = active_reg | load_reg;
    assign error_busy  = start && (start_engines & active) != 24'd0;
    assign obs_idle    = !turn_reg && !found && asked_reg == answered_reg && drops == 12'd0 && !offer && !start;

    always @* begin
        if (loading_reg) begin
            address_next = i_address;
            words_next   = i_words;
            blocks_next  = i_blocks - 16'd1;
        end else begin
            address_next = address + 32'd8 + (last_word ? gap : 32'd0);
            words_next   = last_word ? block_words : words - 16'd1;
            blocks_next  = last_word ? blocks - 16'd1 : blocks;
        end
    end

    // which link each word on its way from memory is for; never more than 48
    wire [3:0]  arriving;
    wire        reader_single, reader_lost;
    reg  [5:0]  asked_reg, answered_reg;
    ram_small_secded #(.WIDTH(4), .ADDRESS_BITS(6)) readers (
        .clk(clk), .wr_en(moved && !receives), .wr_address(asked_reg), .wr_data(link[3:0]),
        .flip(flip[11:0] & {12{flip_memory[3]}}),
        .rd_en(mem_rvalid), .rd_address(answered_reg), .rd_data(arriving),
        .single(reader_single), .uncorrectable(reader_lost));

    // words for links
    wire        offer;
    wire        word_single, word_lost;
    wire [3:0]  offered;
    reg  [3:0]  offered_reg;
    select_next #(.N(12), .WIDTH(4)) offers (
        .request(blocked_reg ? 12'd0 : ready & word_ready), .last(offered_reg), .found(offer), .choice(offered));
    ram_word_secded #(.ADDRESS_BITS(6)) staged (
        .clk(clk), .wr_en(comes), .wr_address({arriving, came_place[2*arriving +: 2]}), .wr_data(mem_rdata),
        .flip(flip_memory[4] ? flip : 72'd0),
        .rd_en(offer), .rd_address({offered, first_reg[2*offered +: 2]}), .rd_data(word),
        .single(word_single), .uncorrectable(word_lost));
    wire        hands = offer && !word_lost;
    assign word_valid = hands ? 12'd1 << offered : 12'd0;

    wire        comes   = mem_rvalid && !reader_lost;
    wire [11:0] arrives = comes ? 12'd1 << arriving : 12'd0;
    wire [11:0] asks    = moved && !receives ? at_link : 12'd0;
    wire [11:0] commits = ends && !chain && !receives ? at_link & ~stop[11:0] : 12'd0;
    wire [11:0] leaves  = word_valid | drops;
    wire [23:0] starts  = start && !error_busy ? start_engines : 24'd0;
    wire [23:0] loaded  = turn_reg && advance && loading_reg ? engine & load_reg : 24'd0;
    wire        ends    = moved && last && wanted;
    wire [23:0] ended   = ends || bad_range || bad_state ? engine : 24'd0;
    wire [23:0] chains  = ends && chain ? engine : 24'd0;
    assign corrected = {hands && word_single, reader_single, write_state && fixed_single, write_state && moving_single,
                        columns_single != 4'd0 && !i_lost};
    assign flipped   = flip_memory & {comes, moved && !receives, write_fixed, write_state, store};
    integer     e;

    integer     l;
    always @* begin
        l = 0;
        for (l = 0; l < 12; l = l + 1) begin
            room[l]      = used_reg[3*l +: 3] != AHEAD;
            ready[l]     = here_reg[3*l +: 3] != 3'd0 && !void_reg[{l[3:0], first_reg[2*l +: 2]}];
            drops[l]     = here_reg[3*l +: 3] != 3'd0 && void_reg[{l[3:0], first_reg[2*l +: 2]}];
            new_place[2*l +: 2]  = first_reg[2*l +: 2] + used_reg[3*l +: 2];
            came_place[2*l +: 2] = first_reg[2*l +: 2] + here_reg[3*l +: 2];
        end
    end

    always @(posedge clk) begin
        if (advance) begin
            turn_reg   <= found;
            engine_reg <= choice;
            if (found) begin
                last_reg    <= choice;
                loading_reg <= load_reg[choice];
            end
        end

        load_reg    <= ((load_reg & ~loaded) | starts | chains) & ~stop;
        active_reg  <= ((active_reg & ~ended) | (bad_load ? 24'd0 : loaded)) & ~stop;
        for (e = 0; e < 12; e = e + 1) begin
            if (asks[e] != leaves[e])
                used_reg[3*e +: 3] <= asks[e] ? used_reg[3*e +: 3] + 3'd1 : used_reg[3*e +: 3] - 3'd1;
            if (arrives[e] != leaves[e])
                here_reg[3*e +: 3] <= arrives[e] ? here_reg[3*e +: 3] + 3'd1 : here_reg[3*e +: 3] - 3'd1;
            if (leaves[e])
                first_reg[2*e +: 2] <= first_reg[2*e +: 2] + 2'd1;
            if (forget[e])
                void_reg[4*e +: 4] <= 4'hF;
            else if (stop[e])
                void_reg[4*e +: 4] <= void_reg[4*e +: 4] | undone_reg[4*e +: 4];
            // a read that was in work when its engine was stopped is void, too
            if (asks[e]) begin
                void_reg[{e[3:0], new_place[2*e +: 2]}]   <= stop[e] || !wanted;
                undone_reg[{e[3:0], new_place[2*e +: 2]}] <= 1'b1;
            end
            if (commits[e])
                undone_reg[4*e +: 4] <= 4'h0;
        end
        waits_reg   <= moves && !mem_ready;
        if (hands)
            offered_reg <= offered;
        if (reader_lost || word_lost)
            blocked_reg <= 1'b1;
        if (asks != 12'd0)
            asked_reg <= asked_reg + 6'd1;
        if (mem_rvalid)
            answered_reg <= answered_reg + 6'd1;

        for (e = 0; e < 24; e = e + 1)
            if (starts[e])
                next_reg[SLOT_BITS*e +: SLOT_BITS] <= start_slot;
            else if (chains[e])
                next_reg[SLOT_BITS*e +: SLOT_BITS] <= next_slot;

        done            <= ends && !chain ? engine & ~stop : 24'd0;
        error           <= bad_load || bad_range || bad_state || reader_lost || word_lost;
        error_engine    <= bad_load || bad_range || bad_state ? engine_reg : reader_lost ? 5'd31 : {1'b0, offered};
        error_address   <= bad_load ? i_address[29:3] : bad_range ? address[29:3] : 27'd0;
        error_range     <= bad_range;
        error_alignment <= bad_load && !i_aligned && !i_lost;
        error_empty     <= bad_load && i_empty && !i_lost;
        error_engine_memory <= bad_state || (bad_load && i_lost);
        error_blocked   <= reader_lost || word_lost;

        if (rst) begin
            active_reg   <= 24'd0;
            load_reg     <= 24'd0;
            used_reg     <= 36'd0;
            here_reg     <= 36'd0;
            first_reg    <= 24'd0;
            void_reg     <= 48'd0;
            undone_reg   <= 48'd0;
            turn_reg     <= 1'b0;
            waits_reg    <= 1'b0;
            blocked_reg  <= 1'b0;
            last_reg     <= 5'd0;
            engine_reg   <= 5'd0;
            offered_reg  <= 4'd0;
            asked_reg    <= 6'd0;
            answered_reg <= 6'd0;
            done         <= 24'd0;
            error        <= 1'b0;
        end
    end
endmodule
`default_nettype wire
