// SPDX-License-Identifier: Apache-2.0
// The eight control queues of a network interface: where their rings lie, how far each end has come, and whose turn it
// is. README.md, "Commands". A queue has a turn when it has commands that were not fetched, and its ring of completions
// has room for one more entry besides those of all its commands under way.
//
// Software's indices of a queue that is enabled only go forward: PRODUCER as far as its ring has room behind the
// commands fetched, COMPLETED and NOTICED as far as entries were written. Anything else would run commands again, or
// write over entries that nobody has read.
//
// Rings' places are in memories with SECDED (three copies: for the register bus, for commands, for entries), indices
// have a parity bit each, which is checked whenever they are used.
`default_nettype none
`include "tofu_tni_regs.vh"
module tofu_tni_queues #(
    parameter QUEUES = 255               // a bit for each that is there; the others are never enabled
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         clearing,        // after a reset: all places to 0
    input  wire [2:0]   clear_queue,
    input  wire         enable,

    // register bus: word 0 to 7 of a queue
    input  wire         access,
    input  wire         access_write,
    input  wire [2:0]   access_queue,
    input  wire [2:0]   access_word,
    input  wire [31:0]  access_data,
    output wire [31:0]  access_value,
    output wire         access_busy,     // refused: the queue is enabled
    output wire         access_wrong,    // refused: the index cannot be

    // whose turn: the descriptor is at turn_address one cycle after turn_taken
    input  wire [7:0]   turn_room,       // queues that may have one
    output wire         turn,
    input  wire         turn_taken,
    output reg  [2:0]   turn_queue,      // of the turn taken last
    output reg  [15:0]  turn_index,
    output wire [35:0]  turn_address,    // units of 16 bytes
    input  wire         turn_used,       // the address is in use
    input  wire         fetched,         // pulse: a descriptor of this queue is here
    input  wire [2:0]   fetched_queue,
    input  wire         release_valid,   // pulse: a command of this queue ended without an entry
    input  wire [2:0]   release_queue,

    // entries
    input  wire         entry_read,
    input  wire [2:0]   entry_queue,
    input  wire         entry_written,   // pulse: an entry of this queue is written now,
    input  wire         entry_notice,    // a notice
    output wire [31:0]  entry_completions,
    output wire [3:0]   entry_completions_size,
    output wire [31:0]  entry_notices,
    output wire [3:0]   entry_notices_size,
    output wire [15:0]  entry_noticed,
    output wire [7:0]   queue_enabled,
    output wire [7:0]   queue_restart,   // pulse: indices begin at 0

    input  wire [143:0] flip_mask,
    output wire         flipped,
    output wire         corrected,
    output wire         fatal
);
    // {parity, value} of each queue: odd parity with the value
    wire [111:0] controls;               // notices, completions, commands, enable
    wire [135:0] producers;
    wire [135:0] takens;                 // given a turn
    wire [135:0] consumers;
    wire [135:0] reserveds;              // entries written or promised
    wire [135:0] completeds;
    wire [135:0] noticeds;
    wire [135:0] completions;            // entries written
    wire [135:0] notices;
    reg          used_reg;               // the indices of turn_queue were just used

    localparam [3:0] CONTROL = `TOFU_TNI_QUEUE_CONTROL_WORD, COMMANDS = `TOFU_TNI_QUEUE_COMMANDS_WORD,
                     COMPLETIONS = `TOFU_TNI_QUEUE_COMPLETIONS_WORD, NOTICES = `TOFU_TNI_QUEUE_NOTICES_WORD,
                     PRODUCER = `TOFU_TNI_QUEUE_PRODUCER_WORD, COMPLETED = `TOFU_TNI_QUEUE_COMPLETED_WORD,
                     NOTICED = `TOFU_TNI_QUEUE_NOTICED_WORD;

    // {0, notices, completions, commands}
    wire [127:0] places, turn_places, entry_places;
    wire [2:0]   singles, doubles, flips;
    wire [12:0]  control   = controls[14*access_queue +: 13];
    wire         other     = access_data[12:1] != control[12:1];
    wire         sets      = access && access_write;
    wire         sets_place = sets && access_word != CONTROL[2:0] && !access_word[2] && !control[0];
    wire [7:0]   work;

    wire [16:0]  index     = access_word[1] ? (access_word[0] ? noticeds[17*access_queue +: 17]
                                                              : completeds[17*access_queue +: 17])
                                            : access_word[0] ? consumers[17*access_queue +: 17]
                                                             : producers[17*access_queue +: 17];
    // from where the index is, software may move it up to its limit
    wire [16:0]  far_end   = access_word[1] ? (access_word[0] ? notices[17*access_queue +: 17]
                                                              : completions[17*access_queue +: 17])
                                            : consumers[17*access_queue +: 17];
    wire [15:0]  room      = access_word[1] ? 16'd0 : 16'd1 << control[4:1];
    wire [15:0]  most      = far_end[15:0] + room - index[15:0];
    wire [15:0]  step      = access_data[15:0] - index[15:0];
    wire         moves     = access_write && access_word[2] && control[0];
    wire [31:0]  place     = access_word[1] ? (access_word[0] ? places[95:64] : places[63:32])
                                            : access_word[0] ? places[31:0] : {19'd0, control};

    assign access_value  = access_word[2] ? {16'd0, index[15:0]} : place;
    assign access_busy   = control[0] && access_write &&
                           (access_word == CONTROL[2:0] ? access_data[0] && other : !access_word[2]);
    assign access_wrong  = moves && step > most;
    assign turn_address  = {4'd0, turn_places[31:0]} +
                           {18'd0, turn_index & ~(16'hFFFF << controls[14*turn_queue + 1 +: 4]), 2'd0};

    assign entry_completions      = entry_places[63:32];
    assign entry_notices          = entry_places[95:64];
    assign entry_completions_size = controls[14*entry_queue + 5 +: 4];
    assign entry_notices_size     = controls[14*entry_queue + 9 +: 4];
    assign entry_noticed          = noticeds[17*entry_queue +: 16];

    wire         turn_wrong  = used_reg && {^controls[14*turn_queue +: 14], ^producers[17*turn_queue +: 17],
                                            ^takens[17*turn_queue +: 17], ^reserveds[17*turn_queue +: 17],
                                            ^completeds[17*turn_queue +: 17]} != 5'd31;
    wire         entry_wrong = entry_read && !(^controls[14*entry_queue +: 14] && ^noticeds[17*entry_queue +: 17]);
    wire         index_wrong = access && moves && !(^index && ^far_end);
    assign flipped   = flips != 3'd0;
    assign corrected = singles != 3'd0;
    assign fatal     = doubles != 3'd0 || turn_wrong || entry_wrong || index_wrong;

    // a part of a word is written by reading the others
    wire [127:0] new_places = {32'd0, access_word == NOTICES[2:0] ? access_data : places[95:64],
                               access_word == COMPLETIONS[2:0] ? access_data : places[63:32],
                               access_word == COMMANDS[2:0] ? access_data : places[31:0]};
    wire         wr_en      = sets_place || clearing;
    wire [2:0]   wr_address = clearing ? clear_queue : access_queue;
    wire [127:0] wr_data    = clearing ? 128'd0 : new_places;
    wire         reads      = access && access_word != CONTROL[2:0] && !access_word[2];

    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(3)) u_bus (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(wr_data), .rd_en(reads), .rd_address(access_queue),
        .rd_data(places), .flip_mask(flip_mask), .flipped(flips[0]), .single(singles[0]), .uncorrectable(doubles[0]));
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(3)) u_commands (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(wr_data), .rd_en(turn_used),
        .rd_address(turn_queue), .rd_data(turn_places), .flip_mask(flip_mask), .flipped(flips[1]), .single(singles[1]),
        .uncorrectable(doubles[1]));
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(3)) u_entries (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(wr_data), .rd_en(entry_read),
        .rd_address(entry_queue), .rd_data(entry_places), .flip_mask(flip_mask), .flipped(flips[2]),
        .single(singles[2]), .uncorrectable(doubles[2]));

    wire [2:0]   choice;
    select_next #(.N(8), .WIDTH(3)) u_turn (.request(work), .last(turn_queue), .found(turn), .choice(choice));

    genvar q;
    generate
        for (q = 0; q < 8; q = q + 1) begin : g_queue
            localparam [2:0] QUEUE = q;
            reg  [13:0] control_reg;
            reg  [16:0] producer_reg, taken_reg, consumer_reg, reserved_reg, completed_reg, noticed_reg;
            reg  [16:0] completions_reg, notices_reg;
            assign controls[14*q +: 14]   = control_reg;
            assign producers[17*q +: 17]  = producer_reg;
            assign takens[17*q +: 17]     = taken_reg;
            assign consumers[17*q +: 17]  = consumer_reg;
            assign reserveds[17*q +: 17]  = reserved_reg;
            assign completeds[17*q +: 17] = completed_reg;
            assign noticeds[17*q +: 17]   = noticed_reg;
            assign completions[17*q +: 17] = completions_reg;
            assign notices[17*q +: 17]    = notices_reg;
            wire        here     = sets && !access_wrong && access_queue == QUEUE;
            wire        writes   = entry_written && entry_queue == QUEUE;
            wire [15:0] completion = completions_reg[15:0] + 16'd1;
            wire [15:0] notice   = notices_reg[15:0] + 16'd1;
            wire        restarts = here && access_word == CONTROL[2:0] && access_data[0] && !control_reg[0];
            wire        takes    = turn_taken && choice == QUEUE;
            wire        releases = release_valid && release_queue == QUEUE;
            wire [15:0] next     = taken_reg[15:0] + 16'd1;
            wire [15:0] after    = consumer_reg[15:0] + 16'd1;
            wire [15:0] promised = reserved_reg[15:0] + {15'd0, takes} - {15'd0, releases};
            wire [15:0] waiting  = reserved_reg[15:0] - completed_reg[15:0];

            assign work[q]          = enable && turn_room[q] && control_reg[0] &&
                                      producer_reg[15:0] != taken_reg[15:0] &&
                                      waiting >> control_reg[8:5] == 16'd0;
            assign queue_enabled[q] = control_reg[0];
            assign queue_restart[q] = restarts;

            always @(posedge clk) begin
                if (takes)
                    taken_reg <= {!(^next), next};
                if (fetched && fetched_queue == QUEUE)
                    consumer_reg <= {!(^after), after};
                if (takes != releases)
                    reserved_reg <= {!(^promised), promised};
                if (writes && entry_notice)
                    notices_reg <= {!(^notice), notice};
                if (writes && !entry_notice)
                    completions_reg <= {!(^completion), completion};
                if (here) begin
                    case (access_word)
                        CONTROL[2:0]:
                            if (!control_reg[0] || !access_data[0])
                                control_reg <= {!(^access_data[12:0]), access_data[12:0]};
                        PRODUCER[2:0]:  producer_reg  <= {!(^access_data[15:0]), access_data[15:0]};
                        COMPLETED[2:0]: completed_reg <= {!(^access_data[15:0]), access_data[15:0]};
                        NOTICED[2:0]:   noticed_reg   <= {!(^access_data[15:0]), access_data[15:0]};
                        default: ;
                    endcase
                end
                if (restarts || rst || !QUEUES[q]) begin
                    producer_reg  <= 17'h10000;
                    taken_reg     <= 17'h10000;
                    consumer_reg  <= 17'h10000;
                    reserved_reg  <= 17'h10000;
                    completed_reg <= 17'h10000;
                    noticed_reg   <= 17'h10000;
                    completions_reg <= 17'h10000;
                    notices_reg   <= 17'h10000;
                end
                if (rst || !QUEUES[q])
                    control_reg <= 14'h2000;
            end
        end
    endgenerate

    always @(posedge clk) begin
        used_reg <= turn_taken;
        if (turn_taken) begin
            turn_queue <= choice;
            turn_index <= takens[17*choice +: 16];
        end
        if (rst) begin
            used_reg   <= 1'b0;
            turn_queue <= 3'd7;
            turn_index <= 16'd0;
        end
    end

    wire unused = &{1'b0, access_data[31:16], places[127:96], turn_places[127:32], entry_places[127:96],
                    entry_places[31:0]};
endmodule
`default_nettype wire
