// SPDX-License-Identifier: Apache-2.0
// Fetches descriptors, queue by queue in turn, checks them, and starts them as messages: a job for the stream of
// requests. README.md, "Commands". One of each queue is held, and one more is in hand, of a queue that can start one:
// so no queue waits for another's messages. Two are fetched at once.
//
//   cycle   0          1         2 + memory ... 5   3 + memory ... 6     4 + memory
//           doorbell   turn      beats come         decoded              job (commands 2 and 4: 6 + memory)
//
// An invalid descriptor is not sent: it ends with cause DESCRIPTOR. Commands of a queue that was disabled since they
// were fetched are forgotten.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_commands #(
    parameter INTERFACES = 4,            // of a node: a command may name so many
    parameter QUEUES     = 255           // a bit for each that is there
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         blocked,

    // queues
    input  wire         turn,
    output wire         turn_taken,
    input  wire [2:0]   turn_queue,
    input  wire [15:0]  turn_index,
    input  wire [35:0]  turn_address,
    output wire         turn_used,
    output wire         fetched,
    output wire [2:0]   fetched_queue,
    input  wire [7:0]   queue_enabled,
    output wire [7:0]   queue_room,      // there is room for a descriptor of this queue
    input  wire [7:0]   queue_waiting,   // packets of its last message are still to be made

    // memory
    output wire         rd_valid,
    input  wire         rd_ready,
    output wire [35:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,

    // messages
    input  wire         free,            // there is a number for a message,
    input  wire [7:0]   free_for,        // and this queue may have it
    input  wire [7:0]   free_message,    // {generation, number}
    output wire         start_valid,
    output wire [3:0]   start_kind,
    output wire [2:0]   start_queue,
    output wire [15:0]  start_index,
    output wire         start_old,       // its queue was disabled while the stream had not taken it yet
    output wire         start_wants,
    output wire         start_notice,
    output wire         start_local,
    output wire [17:0]  start_tag,
    output wire [39:0]  start_offset,
    output wire [23:0]  start_length,
    output reg          end_valid,       // this one was over at once
    input  wire         end_ready,
    output reg  [3:0]   end_message,
    output reg  [3:0]   end_cause,
    output wire         error_descriptor,

    // the stream of requests
    output wire         job_valid,
    input  wire         job_ready,
    output wire [3:0]   job_kind,
    output wire [18:0]  job_to,
    output wire [3:0]   job_path,
    output wire [2:0]   job_interface,
    output wire [5:0]   job_queue,
    output wire [5:0]   job_source_queue,
    output wire [7:0]   job_message,
    output wire [15:0]  job_edata,
    output wire         job_notice,
    output wire [3:0]   job_operation,
    output wire [17:0]  job_far_tag,
    output wire [39:0]  job_far_offset,
    output wire [23:0]  job_length,
    output wire         job_immediate,
    output wire [255:0] job_data,
    output wire [17:0]  job_tag,
    output wire [39:0]  job_offset,

    input  wire [143:0] flip_mask,
    output wire         flipped,
    output wire         corrected,
    output wire         fatal,
    output wire         obs_idle
);
    localparam [7:0] NOTHING = 8'd0, PUT_HERE = 8'd2, GET = 8'd3, ATOMIC = 8'd4;
    localparam [3:0] CAUSE_DESCRIPTOR = 4'd6;

    // ---- fetch: a turn, four reads, four beats ----------------------------------------------------------
    reg          asking_reg;
    reg          new_reg;                // the turn was just taken
    reg  [1:0]   ask_reg;                // beat to ask for
    reg  [1:0]   turns_reg, arrived_reg; // descriptors with a turn, and those of them that are here, modulo 4
    reg  [3:0]   order_reg [0:1];        // {parity, queue} of those on their way
    reg  [1:0]   write_reg;              // beats of the next one that are here
    reg  [7:0]   taken_reg;              // the queue's place is: its descriptor is here or on its way
    reg  [7:0]   here_reg;               // all of it is here
    reg  [7:0]   stale_reg;              // its queue was disabled
    reg  [16:0]  index_reg [0:7];        // {parity, index} of each
    wire [1:0]   coming    = turns_reg - arrived_reg;
    wire [3:0]   order     = order_reg[arrived_reg[0]];
    wire [2:0]   comer     = order[2:0]; // whose beats come
    wire [7:0]   comer_bit = coming != 2'd0 && !(coming == 2'd1 && new_reg) ? 8'd1 << comer : 8'd0;
    wire         complete  = rd_rvalid && write_reg == 2'd3;

    assign turn_taken = turn && !coming[1] && !asking_reg && !blocked;
    assign turn_used  = asking_reg;
    assign rd_valid   = asking_reg && !blocked;
    assign rd_address = {turn_address[35:2], ask_reg};
    assign queue_room = ~taken_reg;

    // ---- whose descriptor is taken in hand: of those with a beat here, in turn ----------------------------
    reg          hand_reg;               // one is
    reg  [2:0]   queue_reg;              // whose
    reg  [2:0]   have_reg;               // beats in hand
    wire [7:0]   some   = taken_reg & (here_reg | (write_reg != 2'd0 ? comer_bit : 8'd0));
    wire [7:0]   able   = some & ((free_for & ~queue_waiting) | stale_reg);
    wire         found;
    wire [2:0]   choice;
    select_next #(.N(8), .WIDTH(3)) u_choice (.request(able), .last(queue_reg), .found(found), .choice(choice));
    wire         grasps = found && !hand_reg && !blocked;
    wire [2:0]   reads  = hand_reg ? queue_reg : choice;
    wire [7:0]   hand   = 8'd1 << reads;
    wire         next_here = (here_reg & hand) != 8'd0 || ((comer_bit & hand) != 8'd0 && {1'b0, write_reg} > have_reg);
    wire         pop    = grasps || (hand_reg && !have_reg[2] && next_here);
    wire         emptied = pop && have_reg == 3'd3;

    wire [127:0] beat;
    wire         single, hopeless;
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(5)) u_beats (
        .clk(clk), .wr_en(rd_rvalid), .wr_address({comer, write_reg}), .wr_data(rd_data), .rd_en(pop),
        .rd_address({reads, have_reg[1:0]}), .rd_data(beat), .flip_mask(flip_mask), .flipped(flipped), .single(single),
        .uncorrectable(hopeless));

    assign fetched       = complete && !stale_reg[comer];
    assign fetched_queue = comer;

    // ---- the descriptor in hand --------------------------------------------------------------------------
    reg  [511:0] word_reg;
    reg  [3:0]   word_parity_reg;        // of each beat
    reg          old_reg;                // its queue was disabled since it was fetched
    reg  [19:0]  whose_reg;              // {parity, queue, index}
    wire         begins;                 // it is done with
    wire [7:0]   command   = word_reg[7:0];
    wire [7:0]   flags     = word_reg[15:8];
    wire [7:0]   operation = word_reg[23:16];
    wire [23:0]  length    = word_reg[87:64];
    wire [39:0]  offset    = word_reg[167:128];
    wire [39:0]  far_offset = word_reg[231:192];
    wire         has_data  = command == PUT_HERE || command == ATOMIC;
    wire         wide      = flags[3];
    wire [40:0]  far_end   = {1'b0, far_offset} + {17'd0, length};
    wire         beyond    = far_end[40] && far_end[39:0] != 40'd0;
    wire         wrong     = command > ATOMIC || (command == PUT_HERE && length > 24'd32) ||
                             (command == ATOMIC &&
                              (operation > 8'd5 || far_offset[1:0] != 2'd0 || (wide && far_offset[2]))) ||
                             (command != ATOMIC && command != NOTHING && beyond);
    wire         decoded   = have_reg >= 3'd2 && (have_reg[2] || !has_data || wrong);
    reg          begun_now_reg;          // it is started; what is left of its beats follows
    wire         forgets   = old_reg || !queue_enabled[start_queue];
    wire         may       = decoded && !begun_now_reg && !blocked && !fault;
    wire         at_once   = wrong || command == NOTHING;
    wire         ends_now  = may && !forgets && at_once && free && !end_valid;
    wire         begun_now = (may && forgets && !job_held_reg) || ends_now || (job_valid && job_ready);
    reg          job_held_reg;           // the stream may have seen it: it stays
    assign begins = (begun_now_reg || begun_now) && have_reg[2];

    wire [3:0]   parity = {^word_reg[511:384], ^word_reg[383:256], ^word_reg[255:128], ^word_reg[127:0]};
    wire         order_wrong = rd_rvalid && (coming == 2'd0 || !(^order));
    wire         fault  = order_wrong || (have_reg >= 3'd2 && (parity[1:0] != word_parity_reg[1:0] || !(^whose_reg))) ||
                          (have_reg[2] && parity[3:2] != word_parity_reg[3:2]);

    assign job_valid        = (may && !forgets && !at_once && free) || job_held_reg;
    assign job_kind         = command == GET ? `TOFU_KIND_GET : command == ATOMIC ? `TOFU_KIND_ATOMIC : `TOFU_KIND_PUT;
    assign job_to           = word_reg[50:32];
    assign job_path         = word_reg[54:51];
    assign job_interface    = {INTERFACES > 4 && word_reg[55], word_reg[31:30]};
    assign job_queue        = word_reg[29:24];
    assign job_source_queue = {3'd0, start_queue};
    assign job_message      = free_message;
    assign job_edata        = word_reg[127:112];
    assign job_notice       = flags[1];
    assign job_operation    = {wide, operation[2:0]};
    assign job_far_tag      = word_reg[249:232];
    assign job_far_offset   = far_offset;
    assign job_length       = command == ATOMIC ? 24'd16 : length;
    assign job_immediate    = has_data;
    assign job_data         = word_reg[511:256];
    assign job_tag          = word_reg[105:88];
    assign job_offset       = offset;

    assign start_valid  = ends_now || (job_valid && job_ready);
    assign start_old    = forgets;
    assign start_kind   = job_kind;
    assign start_queue  = whose_reg[18:16];
    assign start_index  = whose_reg[15:0];
    assign start_wants  = flags[0] || flags[2];
    assign start_notice = flags[2];
    assign start_local  = !at_once && !has_data && length != 24'd0;
    assign start_tag    = job_tag;
    assign start_offset = offset;
    assign start_length = length;

    assign error_descriptor = ends_now && wrong;
    assign corrected = pop && single;
    assign fatal     = (pop && hopeless) || fault;
    // what is held and cannot start waits for a number, or for packets of its queue
    wire         waits = hand_reg && have_reg[2] && !free && !forgets && !begun_now_reg && !job_held_reg;
    assign obs_idle  = (!hand_reg || waits) && !(found && !hand_reg) && coming == 2'd0 && !turn_taken && !asking_reg &&
                       !new_reg && !end_valid;

    integer q;
    always @(posedge clk) begin
        if (turn_taken) begin
            asking_reg <= 1'b1;
            ask_reg    <= 2'd0;
            turns_reg  <= turns_reg + 2'd1;
        end else if (rd_valid && rd_ready) begin
            ask_reg    <= ask_reg + 2'd1;
            asking_reg <= ask_reg != 2'd3;
        end
        new_reg <= turn_taken;
        if (new_reg) begin
            order_reg[!turns_reg[0]] <= {!(^turn_queue), turn_queue};
            index_reg[turn_queue]    <= {!(^turn_index), turn_index};
        end
        for (q = 0; q < 8; q = q + 1) begin
            stale_reg[q] <= stale_reg[q] || !queue_enabled[q];
            if (new_reg && turn_queue == q[2:0] && QUEUES[q]) begin
                taken_reg[q] <= 1'b1;
                here_reg[q]  <= 1'b0;
                stale_reg[q] <= !queue_enabled[q];
            end
            if (complete && comer == q[2:0])
                here_reg[q] <= 1'b1;
            if (emptied && hand[q])
                taken_reg[q] <= 1'b0;
        end

        if (rd_rvalid) begin
            write_reg <= write_reg + 2'd1;
            if (complete)
                arrived_reg <= arrived_reg + 2'd1;
        end
        old_reg <= old_reg || !queue_enabled[start_queue];
        if (grasps) begin
            hand_reg  <= 1'b1;
            queue_reg <= choice;
            old_reg   <= stale_reg[choice] || !queue_enabled[choice];
            whose_reg <= {index_reg[choice][16] ^ ^choice, choice, index_reg[choice][15:0]};
        end
        if (pop) begin
            have_reg <= have_reg + 3'd1;
            word_reg[128*have_reg[1:0] +: 128] <= beat;
            word_parity_reg[have_reg[1:0]]     <= ^beat;
        end
        job_held_reg  <= job_valid && !job_ready;
        begun_now_reg <= begun_now_reg || begun_now;
        if (begins) begin
            hand_reg      <= 1'b0;
            begun_now_reg <= 1'b0;
            have_reg      <= 3'd0;
        end

        end_valid <= ends_now || (end_valid && !end_ready);
        if (ends_now) begin
            end_message <= free_message[3:0];
            end_cause   <= wrong ? CAUSE_DESCRIPTOR : 4'd0;
        end

        if (rst) begin
            asking_reg    <= 1'b0;
            new_reg       <= 1'b0;
            turns_reg     <= 2'd0;
            arrived_reg   <= 2'd0;
            write_reg     <= 2'd0;
            taken_reg     <= 8'd0;
            hand_reg      <= 1'b0;
            queue_reg     <= 3'd7;
            have_reg      <= 3'd0;
            begun_now_reg <= 1'b0;
            job_held_reg  <= 1'b0;
            end_valid     <= 1'b0;
        end
    end

    wire unused = &{1'b0, word_reg[63:55], word_reg[111:106], word_reg[191:168], word_reg[255:250], flags[7:4],
                    turn_address[1:0]};
endmodule
`default_nettype wire
