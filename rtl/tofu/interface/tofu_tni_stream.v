// SPDX-License-Identifier: Apache-2.0
// Sends messages in packets of 1,920 bytes with header and CRC, several messages at once, packet by packet in turn:
// README.md, "Sharing". Two in a network interface: requests, one message of each queue at a time, and answers to
// others' requests (RESPONSE 1).
//
//   job --> tofu_tni_packets --> pieces --> tofu_tni_fetch --> current --> previous --> inj_beat
//             tofu_tni_rests \-> packets (4) ----------------------------> header
//
//   cycle   0         1          3 with an answer in 2    4 + memory         5 + memory ...
//           job       request    first read               first chunk        header, header, payload, CRC
//
// A packet begins when all of it is translated and its first chunk is there, so no packet breaks off. Memory is read
// without regard to packets, ahead of what is sent. 123 cycles a full packet. Every packet is translated by itself: a
// tag that is forgotten takes effect with the next one. A translation that fails ends the message between two packets;
// of a job of answers a RESPONSE with the cause is sent then. From the buffer to the beat (two cycles) data have no
// code.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_stream #(
    parameter RESPONSE   = 0,            // class of the packets
    parameter INDEX_BITS = 3,            // log2 of the messages of several packets that are sent at once
    parameter DEPTH_BITS = 6             // log2 of the buffer's chunks of 16 bytes
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,
    input  wire [2:0]   number,          // of the interface
    input  wire         blocked,

    // a message: held until job_ready
    input  wire         job_valid,
    output wire         job_ready,
    input  wire [3:0]   job_kind,
    input  wire [18:0]  job_to,
    input  wire [3:0]   job_path,
    input  wire [2:0]   job_interface,
    input  wire [5:0]   job_queue,       // at the destination
    input  wire [5:0]   job_source_queue,
    input  wire [7:0]   job_message,
    input  wire [15:0]  job_edata,
    input  wire [5:0]   job_group,
    input  wire         job_notice,
    input  wire [3:0]   job_cause,
    input  wire [3:0]   job_operation,
    input  wire [17:0]  job_far_tag,
    input  wire [39:0]  job_far_offset,
    input  wire [23:0]  job_length,      // of the payload; of a GET: bytes wanted
    input  wire         job_immediate,   // the payload is job_data, at most 32 bytes
    input  wire [255:0] job_data,
    input  wire [17:0]  job_tag,         // else it lies there
    input  wire [39:0]  job_offset,
    input  wire [5:0]   job_right_queue, // queue that must own it
    output wire [(1<<INDEX_BITS)-1:0] waiting,   // messages of which packets are still to be made
    output wire         ended,           // pulse: one of several packets has none to be made any more
    output reg          end_valid,       // pulse: the last packet left, or none will
    output reg  [7:0]   end_message,
    output reg  [3:0]   end_cause,
    output reg          end_owed,        // RESPONSE: job_notice,
    output reg  [15:0]  end_slot,        // and job_edata, which are not sent then

    input  wire         forget_all,      // memory is read by the tag that is forgotten
    input  wire [17:0]  forget_tag,
    output wire         forgetting,

    // translation
    output wire         req_valid,
    input  wire         req_ready,
    output wire [17:0]  req_tag,
    output wire [39:0]  req_offset,
    output wire [23:0]  req_length,
    output wire [5:0]   req_queue,
    input  wire         ans_valid,
    input  wire [39:0]  ans_address,
    input  wire [40:0]  ans_left,
    input  wire [3:0]   ans_cause,

    // memory
    output wire         rd_valid,
    input  wire         rd_ready,
    output wire [35:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,

    // router
    output wire         inj_valid,
    input  wire         inj_ready,
    output wire [147:0] inj_beat,

    input  wire [143:0] flip_mask,
    output wire         flipped,
    output wire         sent,            // pulse: a packet left
    output wire         corrected,
    output wire         fatal,
    output wire         obs_idle
);
    localparam [3:0] HEAD = 4'd1, SECOND = 4'd2, PAYLOAD = 4'd4, TRAILER = 4'd8;

    // ---- packets, and their payload ----------------------------------------------------------------
    wire [86:0]  job_fixed = {job_group, job_path, job_to, job_interface, job_queue, job_source_queue, job_message,
                              job_edata, job_notice, job_far_tag};
    wire         holds, go, fetch_ready, quiet, push, reading, packet_valid, packet_room, there, pop;
    wire [17:0]  holds_tag, reading_tag;
    wire [35:0]  first_address, second_address;
    wire [6:0]   first_chunks, second_chunks;
    wire [127:0] push_data, chunk;
    wire [177:0] packet;
    wire [2:0]   flips, corrects, fatals;
    wire [1:0]   idle;
    tofu_tni_packets #(.RESPONSE(RESPONSE), .INDEX_BITS(INDEX_BITS)) u_packets (
        .clk(clk), .rst(rst), .blocked(blocked),
        .job_valid(job_valid), .job_ready(job_ready), .job_kind(job_kind), .job_fixed(job_fixed),
        .job_extra(job_kind == `TOFU_KIND_ATOMIC ? job_operation : job_cause),
        .job_number(job_source_queue[INDEX_BITS-1:0]),
        .job_far_offset(job_far_offset), .job_length(job_length), .job_immediate(job_immediate), .job_data(job_data),
        .job_tag(job_tag), .job_offset(job_offset), .job_right_queue(job_right_queue), .waiting(waiting), .ended(ended),
        .req_valid(req_valid), .req_ready(req_ready), .req_tag(req_tag), .req_offset(req_offset),
        .req_length(req_length), .req_queue(req_queue), .ans_valid(ans_valid), .ans_address(ans_address),
        .ans_left(ans_left), .ans_cause(ans_cause), .holds(holds), .holds_tag(holds_tag),
        .go(go), .fetch_ready(fetch_ready), .first_address(first_address), .first_chunks(first_chunks),
        .second_address(second_address), .second_chunks(second_chunks), .quiet(quiet), .push(push),
        .push_data(push_data), .packet_valid(packet_valid), .packet_room(packet_room), .packet(packet),
        .flip_mask(flip_mask), .flipped(flips[0]), .corrected(corrects[0]), .fatal(fatals[0]), .obs_idle(idle[0]));
    tofu_tni_fetch #(.DEPTH_BITS(DEPTH_BITS)) u_fetch (
        .clk(clk), .rst(rst), .blocked(blocked), .go(go), .ready(fetch_ready), .first_address(first_address),
        .first_chunks(first_chunks), .second_address(second_address), .second_chunks(second_chunks), .tag(holds_tag),
        .reading(reading), .reading_tag(reading_tag), .quiet(quiet), .push(push), .push_data(push_data),
        .rd_valid(rd_valid), .rd_ready(rd_ready), .rd_address(rd_address), .rd_rvalid(rd_rvalid), .rd_data(rd_data),
        .there(there), .pop(pop), .chunk(chunk), .flip_mask(flip_mask), .flipped(flips[1]), .corrected(corrects[1]),
        .fatal(fatals[1]), .obs_idle(idle[1]));

    // ---- packets that wait: four -------------------------------------------------------------------
    reg  [2:0]   in_reg, out_reg;
    wire [2:0]   held   = in_reg - out_reg;
    wire         some   = held != 3'd0;
    wire         takes;                  // the sender takes the next one
    wire         keeps  = packet_valid && !(takes && !some);
    wire [191:0] oldest;
    wire         single, hopeless;
    tofu_tni_memory #(.WORDS(3), .ADDRESS_BITS(2)) u_wait (
        .clk(clk), .wr_en(keeps), .wr_address(in_reg[1:0]), .wr_data({14'd0, packet}), .rd_en(takes && some),
        .rd_address(out_reg[1:0]), .rd_data(oldest), .flip_mask(flip_mask), .flipped(flips[2]), .single(single),
        .uncorrectable(hopeless));
    wire [177:0] next = some ? oldest[177:0] : packet;
    assign packet_room = !held[2];
    assign corrects[2] = takes && some && single;
    assign fatals[2]   = (takes && some && hopeless) || held > 3'd4;

    // ---- the packet that leaves --------------------------------------------------------------------
    reg          busy_reg;
    reg  [3:0]   at_reg;
    reg          parity_reg;             // of fixed_reg, extra_reg and kind_reg
    reg          void_reg;               // it is not sent: the message ends with extra_reg as its cause
    reg          first_reg, last_reg;    // of its message
    reg  [3:0]   shift_reg;              // bytes in front of the payload in its first chunk
    reg  [10:0]  bytes_reg;              // of payload
    reg  [39:0]  offset_reg;             // at the destination
    reg  [23:0]  end_reg;                // for the header's length
    reg  [3:0]   extra_reg, kind_reg;
    reg  [86:0]  fixed_reg;              // what the message's headers have in common
    reg  [6:0]   to_come_reg;            // chunks of it that are not in previous_reg yet
    reg  [6:0]   beats_reg;              // of payload, left
    reg          current_valid_reg, previous_valid_reg;
    reg  [127:0] current_reg, previous_reg;

    wire [5:0]   f_group;
    wire [3:0]   f_path;
    wire [18:0]  f_to;
    wire [2:0]   f_interface;
    wire [5:0]   f_queue, f_source_queue;
    wire [7:0]   f_message;
    wire [15:0]  f_edata;
    wire         f_notice;
    wire [17:0]  f_tag;
    assign {f_group, f_path, f_to, f_interface, f_queue, f_source_queue, f_message, f_edata, f_notice,
            f_tag} = fixed_reg;

    wire [10:0]  next_bytes  = next[169:159];
    wire [11:0]  next_up     = {1'b0, next_bytes} + {8'd0, next[173:170]} + 12'd15;
    wire [10:0]  bytes_up    = bytes_reg + 11'd15;
    wire [6:0]   beats       = bytes_up[10:4];
    wire [3:0]   last_bytes  = bytes_reg == 11'd0 ? 4'd0 : bytes_reg[3:0] - 4'd1;
    wire         ready       = bytes_reg == 11'd0 || there || current_valid_reg || previous_valid_reg;

    wire [255:0] pair        = {current_reg, previous_reg} >> {shift_reg, 3'd0};
    wire         end_beat    = beats_reg == 7'd1;
    wire [127:0] kept        = end_beat ? ~(128'd0) >> {~last_bytes, 3'd0} : ~128'd0;
    wire         filled      = previous_valid_reg && (shift_reg == 4'd0 || to_come_reg == 7'd0 || current_valid_reg);
    wire         state_wrong = (at_reg & (at_reg - 4'd1)) != 4'd0 || at_reg == 4'd0 ||
                               (busy_reg && parity_reg != ^{fixed_reg, kind_reg, extra_reg}) ||
                               (at_reg[3] && to_come_reg != 7'd0);
    wire         moves       = inj_valid && inj_ready;
    wire         pays        = moves && at_reg[2];
    wire         shifts      = current_valid_reg && busy_reg && to_come_reg != 7'd0 && (!previous_valid_reg || pays);
    wire         leaves      = (moves && at_reg[3]) || (busy_reg && void_reg);
    wire [31:0]  crc;
    wire [15:0]  check;
    reg  [255:0] header;
    reg  [127:0] beat;

    assign takes      = (!busy_reg || leaves) && (some || packet_valid) && !blocked;
    assign pop        = there && (!current_valid_reg || shifts);
    assign inj_valid  = !blocked && !state_wrong && busy_reg && !void_reg &&
                        ((at_reg[0] && ready) || at_reg[1] || (at_reg[2] && filled) || at_reg[3]);
    assign inj_beat   = {!(at_reg[0] ^ at_reg[3]), 1'b0, at_reg[3], at_reg[0], check, beat};
    assign sent       = moves && at_reg[3];
    assign forgetting = (holds && (forget_all || holds_tag == forget_tag)) ||
                        (reading && (forget_all || reading_tag == forget_tag));
    assign flipped    = flips != 3'd0;
    assign corrected  = corrects != 3'd0;
    assign fatal      = fatals != 3'd0 || state_wrong;
    assign obs_idle   = idle == 2'd3 && !some && !busy_reg && !end_valid && !current_valid_reg;

    always @* begin
        header = 256'd0;
        header[`TOFU_HEADER_KIND]              = kind_reg;
        header[`TOFU_HEADER_RESPONSE]          = RESPONSE != 0;
        header[`TOFU_HEADER_BEATS]             = beats;
        header[`TOFU_HEADER_TO]                = f_to;
        header[`TOFU_HEADER_PATH]              = f_path;
        header[`TOFU_HEADER_FROM]              = coordinates;
        // 4 is a barrier interface
        header[`TOFU_HEADER_INTERFACE]         = {1'b0, f_interface} + {3'd0, f_interface[2]};
        header[`TOFU_REMOTE_GROUP]             = f_group;
        header[`TOFU_REMOTE_OFFSET]            = offset_reg;
        header[`TOFU_REMOTE_TAG]               = f_tag;
        header[`TOFU_REMOTE_QUEUE]             = f_queue;
        header[`TOFU_REMOTE_SOURCE_QUEUE]      = f_source_queue;
        header[`TOFU_REMOTE_SOURCE_INTERFACE]  = number[1:0];
        header[`TOFU_REMOTE_SOURCE_INTERFACE_HIGH] = number[2];
        header[`TOFU_REMOTE_NUMBER]            = f_message;
        header[`TOFU_REMOTE_EDATA]             = RESPONSE != 0 ? 16'd0 : f_edata;
        header[`TOFU_REMOTE_LAST_BYTES]        = last_bytes;
        header[`TOFU_REMOTE_FIRST]             = first_reg;
        header[`TOFU_REMOTE_LAST]              = last_reg;
        header[`TOFU_REMOTE_NOTICE]            = f_notice && RESPONSE == 0;
        header[`TOFU_REMOTE_ANSWER]            = last_reg && RESPONSE == 0;
        header[`TOFU_REMOTE_CAUSE]             = RESPONSE != 0 ? extra_reg : 4'd0;
        header[`TOFU_REMOTE_OPERATION]         = kind_reg == `TOFU_KIND_ATOMIC ? extra_reg : 4'd0;
        header[`TOFU_REMOTE_LENGTH]            = end_reg;

        case (1'b1)
            at_reg[0]: beat = header[127:0];
            at_reg[1]: beat = header[255:128];
            at_reg[2]: beat = pair[127:0] & kept;
            default:   beat = {64'd0, crc, 32'd0};
        endcase
    end
    secded_encode u_low (.data(beat[63:0]), .check(check[7:0]));
    secded_encode u_high (.data(beat[127:64]), .check(check[15:8]));
    tofu_packet_crc u_crc (
        .clk(clk), .en(moves && !at_reg[3]), .first(at_reg[0]), .second(at_reg[1]), .data(beat), .crc(crc));

    always @(posedge clk) begin
        if (keeps)
            in_reg <= in_reg + 3'd1;
        if (takes && some)
            out_reg <= out_reg + 3'd1;

        // payload
        if (pop)
            current_reg <= chunk;
        current_valid_reg <= pop || (current_valid_reg && !shifts);
        if (shifts) begin
            previous_reg <= current_reg;
            to_come_reg  <= to_come_reg - 7'd1;
        end
        previous_valid_reg <= (shifts || (previous_valid_reg && !pays)) && !(pays && end_beat);

        // beats
        if (moves) begin
            if (at_reg[0])
                at_reg <= SECOND;
            if (at_reg[1])
                at_reg <= beats_reg == 7'd0 ? TRAILER : PAYLOAD;
            if (at_reg[2] && end_beat)
                at_reg <= TRAILER;
            if (at_reg[3])
                at_reg <= HEAD;
            if (at_reg[0])
                beats_reg <= beats;
            if (pays)
                beats_reg <= beats_reg - 7'd1;
        end

        // packets
        end_valid <= leaves && last_reg;
        if (leaves) begin
            busy_reg    <= 1'b0;
            end_message <= f_message;
            end_cause   <= void_reg || kind_reg == `TOFU_KIND_RESPONSE ? extra_reg : 4'd0;
            end_owed    <= f_notice;
            end_slot    <= f_edata;
        end
        if (takes) begin
            busy_reg    <= 1'b1;
            {parity_reg, void_reg, first_reg, last_reg, shift_reg, bytes_reg, offset_reg, end_reg, extra_reg, kind_reg,
             fixed_reg} <= next;
            to_come_reg <= next_bytes == 11'd0 ? 7'd0 : next_up[10:4];
        end

        if (rst) begin
            in_reg             <= 3'd0;
            out_reg            <= 3'd0;
            busy_reg           <= 1'b0;
            at_reg             <= HEAD;
            current_valid_reg  <= 1'b0;
            previous_valid_reg <= 1'b0;
            end_valid          <= 1'b0;
        end
    end

    wire unused = &{1'b0, oldest[191:178], next_up[11], next_up[3:0], bytes_up[3:0], pair[255:128]};
endmodule
`default_nettype wire
