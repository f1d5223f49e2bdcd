// SPDX-License-Identifier: Apache-2.0
// The sixteen commands of a network interface that are under way: what an answer needs to know of them, and what came.
// A command whose answer came, or that failed here, is handed to the entries as a completion, if it wants one or
// failed; then its number is free again.
//
// One whose last packet left, and for which nothing came in a whole time limit, ends with cause TIMEOUT. Its number is
// given again with the next generation, so that what comes for it after all is known to be late: README.md, "Time
// limits". With which generation all numbers begin is software's choice, so that what comes for commands from before a
// reset is known as well: README.md, "After a reset".
//
// A number is kept for every queue that is enabled and has none: no queue waits until another's commands end.
//
// The receiver looks a message up (`look_*`, combinational), and says once for each of its packets what came (`rsp_*`,
// of look_message, always taken). Answers for a message that is over are dropped: `look_known` is 0.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_messages #(
    parameter MESSAGES = 16              // numbers from this one on are never given
) (
    input  wire         clk,
    input  wire         rst,

    // a new one
    output wire         free,            // there is a number left,
    output wire [7:0]   free_message,    // this one, {generation, number}, until it is taken
    output wire [7:0]   free_for,        // for a command of this queue
    input  wire         start_valid,
    input  wire [3:0]   start_kind,      // of the packet it sends
    input  wire [2:0]   start_queue,
    input  wire [15:0]  start_index,
    input  wire         start_old,       // of a queue that was disabled since
    input  wire         start_wants,     // a completion even if all is good
    input  wire         start_notice,    // bit of that completion
    input  wire         start_local,     // it names local memory:
    input  wire [17:0]  start_tag,
    input  wire [39:0]  start_offset,
    input  wire [23:0]  start_length,
    input  wire [7:0]   queue_enabled,   // commands of a queue that was not meanwhile end without an entry

    // pulse: its last packet left
    input  wire         left_valid,
    input  wire [3:0]   left_message,
    input  wire         period,          // pulse: a time limit is over
    output wire         pending,         // a time limit runs

    input  wire         renew,           // pulse: the next command of every number has this generation
    input  wire [3:0]   generation,
    output wire         under_way,       // there are commands

    // pulse: a tag, or all of them, is forgotten; commands that use it are under way
    input  wire         forget,
    input  wire         forget_all,
    input  wire [17:0]  forget_tag,
    output wire         forgetting,

    // it ends here: held until end_ready
    input  wire         end_valid,
    output wire         end_ready,
    input  wire [3:0]   end_message,
    input  wire [3:0]   end_cause,

    // what the receiver got
    input  wire         look_valid,      // the lookup is in use
    input  wire [7:0]   look_message,
    output wire         look_known,
    output wire         look_late,       // it was one of a command that ended by its time limit, or before a reset
    output wire         look_orphan,     // nothing is to be written for it: its queue was disabled meanwhile
    output wire [3:0]   look_kind,
    output wire [2:0]   look_queue,
    output wire [17:0]  look_tag,
    output wire [39:0]  look_offset,
    output wire [23:0]  look_length,
    input  wire         rsp_valid,
    input  wire [10:0]  rsp_bytes,       // of data, in this packet
    input  wire         rsp_last,        // the message is over
    input  wire [3:0]   rsp_cause,       // the first one of a message that is not 0 stays
    input  wire [63:0]  rsp_old,         // what an atomic found

    // completions
    output wire         cpl_valid,
    input  wire         cpl_ready,
    output wire [2:0]   cpl_queue,
    output wire [15:0]  cpl_index,
    output wire [3:0]   cpl_cause,
    output wire         cpl_notice,
    output wire [63:0]  cpl_old,
    output wire         release_valid,   // pulse: ended without an entry
    output wire [2:0]   release_queue,

    input  wire [143:0] flip_mask,
    output wire         flipped,
    output wire         corrected,
    output wire         fatal,
    output wire         obs_idle
);
    localparam LAST_MESSAGE = MESSAGES - 1;
    localparam [3:0] LAST = LAST_MESSAGE[3:0];
    localparam [15:0] THERE = ~(16'hFFFE << LAST);
    localparam [3:0] NOTICE_LOST = 4'd7, DATA_LOST = 4'd8, FULL = 4'd9, TIMEOUT = 4'd10;

    reg  [15:0]  used_reg, over_reg;     // numbers given; those of them that are done
    reg  [15:0]  fresh_reg;              // nothing came yet
    reg  [15:0]  left_reg;               // the last packet left
    reg  [15:0]  alive_reg;              // it left, or something came, since the last period
    reg  [15:0]  late_reg;               // ended by the time limit
    reg  [15:0]  blocks_reg;             // uses the tag that is forgotten
    wire [63:0]  generations;
    wire [3:0]   free_number, free_choice, over_number;
    wire [15:0]  orphans;                // their queue was disabled meanwhile
    reg  [3:0]   last_reg;               // number given last
    reg          ending_reg;             // `ending_message_reg` is over: its entry is next
    reg  [3:0]   ending_message_reg;

    // fixed {0, length, offset, tag, index, kind, notice, wants, queue}, and what came {0, position, cause, old}
    wire [127:0] start_word = {17'd0, start_length, start_offset, start_tag, start_index, start_kind, start_notice,
                               start_wants, start_queue, 4'd0};
    wire [127:0] look_fixed, look_came, fixed, came;
    wire [3:0]   singles, doubles, flips;
    wire [3:0]   number     = look_message[3:0];
    wire         in_range   = look_message[7:4] == generations[4*number +: 4];
    wire         looks      = look_valid && look_known;

    assign look_known    = in_range && used_reg[number] && !over_reg[number];
    assign look_late     = !in_range;
    assign look_orphan   = orphans[number];
    assign look_queue    = look_fixed[6:4];
    assign look_kind     = look_fixed[12:9];
    assign look_tag      = look_fixed[46:29];
    assign look_offset   = look_fixed[86:47];
    assign look_length   = look_fixed[110:87];

    // ---- what came ---------------------------------------------------------------------------------
    wire         comes     = rsp_valid && look_known;
    wire         ends      = end_valid && !comes;
    wire         ends_now  = ends && used_reg[end_message] && !over_reg[end_message];
    wire [3:0]   cause_now = fresh_reg[number] ? 4'd0 : look_came[67:64];
    wire [23:0]  position  = (fresh_reg[number] ? 24'd0 : look_came[91:68]) + {13'd0, rsp_bytes};
    wire [3:0]   cause_sum = cause_now != 4'd0 ? cause_now : rsp_cause;
    // data were dropped on the way: the get must not end well
    wire         lost      = rsp_last && look_kind == `TOFU_KIND_GET && position != look_length &&
                             (cause_sum == 4'd0 || cause_sum == NOTICE_LOST);
    wire [127:0] came_word = comes ? {36'd0, position, lost ? DATA_LOST : cause_sum, rsp_old}
                                   : {60'd0, end_cause, 64'd0};
    wire [3:0]   came_at   = comes ? number : end_message;
    wire         came_en   = comes || ends_now;
    wire [15:0]  came_bit  = 16'd1 << came_at;
    wire         refused   = rsp_cause == FULL && look_kind == `TOFU_KIND_GET;   // its only answer
    wire         is_over   = ends_now || (comes && (rsp_last || refused) && left_reg[number]);
    assign end_ready = !comes;

    // ---- time limit --------------------------------------------------------------------------------
    wire [15:0]  seen_bit  = looks ? 16'd1 << number : 16'd0;
    wire [15:0]  left_bit  = left_valid ? 16'd1 << left_message : 16'd0;
    wire [15:0]  dead      = period ? used_reg & left_reg & ~over_reg & ~alive_reg & ~seen_bit &
                                      ~(came_en ? came_bit : 16'd0) : 16'd0;
    assign pending    = (used_reg & left_reg) != 16'd0;
    assign under_way  = used_reg != 16'd0;
    assign forgetting = blocks_reg != 16'd0;

    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(4)) u_look_fixed (
        .clk(clk), .wr_en(start_valid), .wr_address(free_number), .wr_data(start_word), .rd_en(looks),
        .rd_address(number), .rd_data(look_fixed), .flip_mask(flip_mask), .flipped(flips[0]), .single(singles[0]),
        .uncorrectable(doubles[0]));
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(4)) u_look_came (
        .clk(clk), .wr_en(came_en), .wr_address(came_at), .wr_data(came_word), .rd_en(looks && !fresh_reg[number]),
        .rd_address(number), .rd_data(look_came), .flip_mask(flip_mask), .flipped(flips[1]), .single(singles[1]),
        .uncorrectable(doubles[1]));
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(4)) u_fixed (
        .clk(clk), .wr_en(start_valid), .wr_address(free_number), .wr_data(start_word), .rd_en(ending_reg),
        .rd_address(ending_message_reg), .rd_data(fixed), .flip_mask(flip_mask), .flipped(flips[2]),
        .single(singles[2]), .uncorrectable(doubles[2]));
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(4)) u_came (
        .clk(clk), .wr_en(came_en), .wr_address(came_at), .wr_data(came_word), .rd_en(ending_reg && !late),
        .rd_address(ending_message_reg), .rd_data(came), .flip_mask(flip_mask), .flipped(flips[3]), .single(singles[3]),
        .uncorrectable(doubles[3]));

    // ---- numbers -----------------------------------------------------------------------------------
    wire [15:0]  start_bit  = start_valid ? 16'd1 << free_number : 16'd0;
    wire         over_found;
    wire [3:0]   over_choice;
    wire [15:0]  ending_bit = 16'd1 << ending_message_reg;
    select_next #(.N(16), .WIDTH(4)) u_free (
        .request(~used_reg & THERE), .last(last_reg), .found(free), .choice(free_choice));
    assign free_number = free_choice & LAST;
    assign free_message = {generations[4*free_number +: 4], free_number};
    reg  [7:0]   having;                 // queues that have a number
    reg  [4:0]   left;                   // numbers that nobody has
    reg  [3:0]   lacking;                // queues for which one is kept
    wire [47:0]  owners;
    integer      i;
    always @* begin
        i       = 0;
        having  = 8'd0;
        left    = 5'd0;
        lacking = 4'd0;
        for (i = 0; i < 16; i = i + 1) begin
            if (used_reg[i])
                having[owners[3*i +: 3]] = 1'b1;
            else if (THERE[i])
                left = left + 5'd1;
        end
        for (i = 0; i < 8; i = i + 1) begin
            if (queue_enabled[i] && !having[i])
                lacking = lacking + 4'd1;
        end
    end
    assign free_for = ~having & {8{free}} | {8{left > {1'b0, lacking}}};
    select_next #(.N(16), .WIDTH(4)) u_over (
        .request(over_reg), .last(ending_message_reg), .found(over_found), .choice(over_number));
    assign over_choice = over_number & LAST;

    assign cpl_queue  = fixed[6:4];
    assign cpl_index  = fixed[28:13];
    assign cpl_notice = fixed[8];
    wire         late       = (late_reg & ending_bit) != 16'd0;
    assign cpl_cause  = late ? TIMEOUT : came[67:64];
    assign cpl_old    = late ? 64'd0 : came[63:0];
    wire         orphan = (orphans & ending_bit) != 16'd0;
    wire         hopeless = doubles[2] || (doubles[3] && !late);
    assign cpl_valid     = ending_reg && !hopeless && !orphan && (fixed[7] || cpl_cause != 4'd0);
    assign release_valid = ending_reg && !hopeless && !orphan && !cpl_valid;
    assign release_queue = cpl_queue;
    wire         gone    = ending_reg && (!cpl_valid || cpl_ready);

    assign flipped   = flips != 4'd0;
    assign corrected = singles != 4'd0;
    assign fatal     = doubles != 4'd0 || (over_reg & ~used_reg) != 16'd0;
    assign obs_idle  = over_reg == 16'd0 && !ending_reg && !start_valid && !end_valid && !rsp_valid && !look_valid &&
                       !left_valid && !period && !forget;

    genvar n;
    generate
        for (n = 0; n < 16; n = n + 1) begin : g_message
            localparam [3:0] NUMBER = n;
            reg        orphan_reg;
            reg [2:0]  queue_reg;
            reg [3:0]  generation_reg;
            reg        local_reg;
            reg [17:0] tag_reg;
            assign orphans[n]            = orphan_reg || !queue_enabled[queue_reg];
            assign generations[4*n +: 4] = generation_reg;
            assign owners[3*n +: 3]      = queue_reg;
            always @(posedge clk) begin
                orphan_reg <= orphans[n];
                if (start_valid && free_number == NUMBER) begin
                    orphan_reg <= start_old;
                    queue_reg  <= start_queue;
                    local_reg  <= start_local;
                    tag_reg    <= start_tag;
                end
                if (dead[n])
                    generation_reg <= generation_reg + 4'd1;
                if (renew)
                    generation_reg <= generation;
                if (forget)
                    blocks_reg[n] <= used_reg[n] && local_reg && (forget_all || tag_reg == forget_tag);
                if ((gone && ending_message_reg == NUMBER) || rst)
                    blocks_reg[n] <= 1'b0;
                if (rst)
                    generation_reg <= 4'd0;
            end
        end
    endgenerate

    always @(posedge clk) begin
        if (start_valid)
            last_reg <= free_number;
        used_reg   <= (used_reg | start_bit) & ~(gone ? ending_bit : 16'd0);
        over_reg   <= (over_reg | (is_over ? came_bit : 16'd0) | dead) & ~(gone ? ending_bit : 16'd0);
        fresh_reg  <= (fresh_reg & ~(came_en ? came_bit : 16'd0)) | start_bit;
        left_reg   <= (left_reg | left_bit) & ~start_bit;
        late_reg   <= (late_reg | dead) & ~start_bit;
        alive_reg  <= (period ? 16'd0 : alive_reg) | seen_bit | left_bit;
        ending_reg <= ending_reg ? !gone : over_found;
        if (!ending_reg)
            ending_message_reg <= over_choice;

        if (rst) begin
            used_reg   <= 16'd0;
            over_reg   <= 16'd0;
            last_reg   <= LAST;
            ending_reg <= 1'b0;
            ending_message_reg <= 4'd0;
        end
    end

    wire unused = &{1'b0, look_fixed[127:111], look_fixed[28:13], look_fixed[8:7], look_fixed[3:0], look_came[127:92],
                    look_came[63:0], fixed[127:29], fixed[12:9], fixed[3:0], came[127:68]};
endmodule
`default_nettype wire
