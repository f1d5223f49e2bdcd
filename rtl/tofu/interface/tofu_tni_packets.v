// SPDX-License-Identifier: Apache-2.0
// Cuts messages into packets of 1,920 bytes and finds where each one's payload lies, one packet ahead of what is read
// (tofu_tni_fetch), two ahead of what is sent (tofu_tni_stream). New messages and those that go on (tofu_tni_rests)
// take turns, packet by packet: README.md, "Sharing".
//
//   job, rest --> packet in hand --> translate --> pieces (tofu_tni_fetch), packet (tofu_tni_stream)
//
//   cycle   0          1            3 + translation
//           job        translate    pieces, packet
//
// What has no payload, or brings it (job_data), is a packet at once, as soon as what is before it was read. A
// translation that fails ends the message with a packet that only reports it: `void`, or of a stream of answers a
// RESPONSE with the cause. Parity goes with what headers have in common.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_packets #(
    parameter RESPONSE   = 0,            // class of the packets
    parameter INDEX_BITS = 3             // log2 of the messages that may go on
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         blocked,

    input  wire         job_valid,       // a message: tofu_tni_stream
    output wire         job_ready,
    input  wire [3:0]   job_kind,
    input  wire [86:0]  job_fixed,       // what its headers have in common
    input  wire [3:0]   job_extra,       // cause, or an atomic's operation
    input  wire [INDEX_BITS-1:0] job_number,      // of the entry it takes, if RESPONSE is 0
    input  wire [39:0]  job_far_offset,
    input  wire [23:0]  job_length,
    input  wire         job_immediate,
    input  wire [255:0] job_data,
    input  wire [17:0]  job_tag,
    input  wire [39:0]  job_offset,
    input  wire [5:0]   job_right_queue,
    output wire [(1<<INDEX_BITS)-1:0] waiting,   // messages that go on, the one in hand as well
    output wire         ended,           // pulse: one of several packets does not go on

    output wire         req_valid,       // translation
    input  wire         req_ready,
    output wire [17:0]  req_tag,
    output wire [39:0]  req_offset,
    output wire [23:0]  req_length,
    output wire [5:0]   req_queue,
    input  wire         ans_valid,
    input  wire [39:0]  ans_address,
    input  wire [40:0]  ans_left,
    input  wire [3:0]   ans_cause,
    output wire         holds,           // memory of this tag is to be read:
    output wire [17:0]  holds_tag,

    output wire         go,              // tofu_tni_fetch
    input  wire         fetch_ready,
    output wire [35:0]  first_address,
    output wire [6:0]   first_chunks,
    output wire [35:0]  second_address,
    output wire [6:0]   second_chunks,
    input  wire         quiet,
    output wire         push,
    output wire [127:0] push_data,

    output wire         packet_valid,    // pulse, if there is room
    input  wire         packet_room,
    output wire [177:0] packet,          // {parity, void, first, last, shift, bytes, offset, end, extra, kind, fixed}

    input  wire [143:0] flip_mask,
    output wire         flipped,
    output wire         corrected,
    output wire         fatal,
    output wire         obs_idle
);
    localparam [23:0] PACKET = 24'd1920;

    // ---- the packet in hand -------------------------------------------------------------------------------------
    reg                  valid_reg;
    reg                  new_reg;        // since this cycle: what is left of its message is stored
    reg                  begins_reg;     // first of its message
    reg                  asks_reg, asked_reg;
    reg                  second_reg;     // the first piece is known
    reg                  known_reg, failed_reg;
    reg  [3:0]           cause_reg;
    reg  [86:0]          fixed_reg;
    reg                  parity_reg;     // of fixed_reg
    reg  [3:0]           kind_reg, extra_reg;
    reg  [39:0]          far_reg, offset_reg;
    reg  [23:0]          left_reg;       // of the message, this packet as well; of a GET: wanted
    reg  [23:0]          position_reg;
    reg  [17:0]          tag_reg;
    reg  [5:0]           queue_reg;
    reg  [INDEX_BITS-1:0] index_reg;
    reg  [35:0]          first_address_reg, second_address_reg;
    reg  [6:0]           first_chunks_reg, second_chunks_reg;
    reg  [10:0]          done_reg;       // bytes of the first piece

    wire         get       = kind_reg == `TOFU_KIND_GET;
    wire         more      = !get && left_reg > PACKET;
    wire [10:0]  bytes     = get ? 11'd0 : more ? PACKET[10:0] : left_reg[10:0];

    // ---- whose turn ---------------------------------------------------------------------------------------------
    reg          job_last_reg;           // a job had the last turn
    reg          half_reg;               // the first 16 bytes of job_data are in the buffer
    wire         rest_found, rest_room;
    wire [INDEX_BITS-1:0] rest_choice, rest_free;
    wire [255:0] rest;
    wire         is_get    = job_kind == `TOFU_KIND_GET;
    wire         in_memory = job_length != 24'd0 && !job_immediate;      // a GET's local memory is only checked
    wire         several   = in_memory && !is_get && job_length > PACKET;
    wire         two       = job_length > 24'd16;
    wire         able      = job_valid && (!several || (RESPONSE != 0 ? rest_room : !waiting[job_number]));
    wire         job_turn  = able && !(rest_found && job_last_reg);
    wire         at_rest   = !valid_reg && !blocked;
    wire         begins    = at_rest && job_turn && in_memory;
    wire         goes_on   = at_rest && !job_turn && rest_found;
    assign push      = at_rest && job_turn && job_immediate && job_length != 24'd0 && quiet && packet_room;
    wire         direct    = at_rest && job_turn && !in_memory && packet_room &&
                             (job_length == 24'd0 || (push && (half_reg || !two)));
    assign job_ready = begins || direct;
    assign push_data = half_reg ? job_data[255:128] : job_data[127:0];

    // ---- where its payload lies ---------------------------------------------------------------------------------
    wire         good      = ans_valid && ans_cause == 4'd0;
    wire [10:0]  wanted    = bytes - done_reg;
    wire         all       = get || ans_left >= {30'd0, wanted};
    wire [10:0]  piece     = all ? wanted : ans_left[10:0];
    wire [11:0]  rounded   = {1'b0, piece} + {8'd0, ans_address[3:0]} + 12'd15;
    wire [6:0]   chunks    = rounded[10:4];
    wire         known     = known_reg || (good && all);
    wire         failed    = failed_reg || (ans_valid && !good);
    wire         hands     = valid_reg && packet_room && !blocked && ((known && (get || fetch_ready)) || failed);

    assign req_valid  = asks_reg && !blocked;
    assign req_tag    = tag_reg;
    assign req_offset = offset_reg + {29'd0, done_reg};
    assign req_length = left_reg - {13'd0, done_reg};
    assign req_queue  = queue_reg;
    assign holds      = valid_reg;
    assign holds_tag  = tag_reg;

    assign go             = hands && !failed && !get;
    assign first_address  = second_reg || known_reg ? first_address_reg : ans_address[39:4];
    assign first_chunks   = second_reg || known_reg ? first_chunks_reg : chunks;
    assign second_address = known_reg ? second_address_reg : ans_address[39:4];
    assign second_chunks  = known_reg ? second_chunks_reg : second_reg ? chunks : 7'd0;

    // ---- the packet ---------------------------------------------------------------------------------------------
    wire [3:0]   cause     = failed_reg ? cause_reg : ans_cause;
    wire [3:0]   kind      = failed && RESPONSE != 0 ? `TOFU_KIND_RESPONSE : kind_reg;
    wire [3:0]   extra     = failed ? cause : extra_reg;
    wire [23:0]  stop      = get ? left_reg : position_reg + {13'd0, bytes};
    wire [177:0] handed    = {parity_reg ^ ^{extra, kind}, failed && RESPONSE == 0, failed || begins_reg,
                              failed || !more, failed || get ? 4'd0 : offset_reg[3:0], failed ? 11'd0 : bytes,
                              failed ? 40'd0 : far_reg, failed ? 24'd0 : stop, extra, kind, fixed_reg};
    wire [23:0]  job_end   = job_kind == `TOFU_KIND_ATOMIC ? {20'd0, job_extra[3], !job_extra[3], 2'd0} :
                             job_kind == `TOFU_KIND_RESPONSE ? 24'd0 : job_length;
    wire [177:0] at_once   = {^{job_extra, job_kind, job_fixed}, 1'b0, 1'b1, 1'b1, 4'd0,
                              is_get ? 11'd0 : job_length[10:0], job_far_offset, job_end, job_extra, job_kind,
                              job_fixed};
    assign packet_valid = hands || direct;
    assign packet       = valid_reg ? handed : at_once;

    // ---- what is left of its message ----------------------------------------------------------------------------
    wire [3:0]   rest_kind = RESPONSE != 0 ? `TOFU_KIND_DATA : `TOFU_KIND_PUT;
    wire         drops     = hands && failed && more;
    wire         stores    = (new_reg && (more || !begins_reg)) || drops;
    wire [255:0] new_rest  = {12'd0, parity_reg, queue_reg, extra_reg, position_reg + PACKET, left_reg - PACKET,
                              offset_reg + {16'd0, PACKET}, far_reg + {16'd0, PACKET}, tag_reg, fixed_reg};
    wire         rest_fatal;
    wire [(1<<INDEX_BITS)-1:0] rests;
    localparam [(1<<INDEX_BITS)-1:0] ONE = 1;
    tofu_tni_rests #(.INDEX_BITS(INDEX_BITS)) u_rests (
        .clk(clk), .rst(rst), .found(rest_found), .choice(rest_choice), .rest(rest), .take(goes_on),
        .store(stores), .index(index_reg), .more(!drops && more), .new_rest(new_rest), .waiting(rests),
        .room(rest_room), .free(rest_free), .flip_mask(flip_mask), .flipped(flipped), .corrected(corrected),
        .fatal(rest_fatal));
    assign waiting  = rests | (new_reg && more ? ONE << index_reg : {(1<<INDEX_BITS){1'b0}});
    assign ended    = stores && (drops || !more);
    assign fatal    = rest_fatal || (good && ans_left == 41'd0) || (ans_valid && !asked_reg) ||
                      (goes_on && rest[243] != ^rest[86:0]);
    assign obs_idle = !job_valid && !valid_reg && !rest_found && !half_reg;

    always @(posedge clk) begin
        new_reg <= begins || goes_on;
        if (begins || goes_on) begin
            valid_reg  <= 1'b1;
            begins_reg <= begins;
            asks_reg   <= 1'b1;
            asked_reg  <= 1'b0;
            second_reg <= 1'b0;
            known_reg  <= 1'b0;
            failed_reg <= 1'b0;
            done_reg   <= 11'd0;
        end
        if (begins || direct)
            job_last_reg <= 1'b1;
        if (push)
            half_reg <= two && !half_reg;
        if (begins) begin
            kind_reg     <= job_kind;
            fixed_reg    <= job_fixed;
            parity_reg   <= ^job_fixed;
            extra_reg    <= job_extra;
            far_reg      <= job_far_offset;
            offset_reg   <= job_offset;
            left_reg     <= job_length;
            position_reg <= 24'd0;
            tag_reg      <= job_tag;
            queue_reg    <= job_right_queue;
            index_reg    <= RESPONSE != 0 ? rest_free : job_number;
        end
        if (goes_on) begin
            job_last_reg <= 1'b0;
            kind_reg     <= rest_kind;
            {parity_reg, queue_reg, extra_reg, position_reg, left_reg, offset_reg, far_reg, tag_reg, fixed_reg} <=
                rest[243:0];
            index_reg    <= rest_choice;
        end

        if (req_valid && req_ready) begin
            asks_reg  <= 1'b0;
            asked_reg <= 1'b1;
        end
        if (ans_valid) begin
            asked_reg  <= 1'b0;
            failed_reg <= !good;
            cause_reg  <= ans_cause;
            known_reg  <= good && all;
            if (!second_reg) begin
                first_address_reg <= ans_address[39:4];
                first_chunks_reg  <= chunks;
                second_chunks_reg <= 7'd0;
            end else begin
                second_address_reg <= ans_address[39:4];
                second_chunks_reg  <= chunks;
            end
            if (good && !all) begin
                asks_reg   <= 1'b1;
                second_reg <= 1'b1;
                done_reg   <= piece;
            end
        end
        if (hands)
            valid_reg <= 1'b0;

        if (rst) begin
            valid_reg    <= 1'b0;
            new_reg      <= 1'b0;
            asks_reg     <= 1'b0;
            asked_reg    <= 1'b0;
            half_reg     <= 1'b0;
            job_last_reg <= 1'b0;
        end
    end

    wire unused = &{1'b0, rest[255:244], rounded[11], rounded[3:0], job_number};
endmodule
`default_nettype wire
