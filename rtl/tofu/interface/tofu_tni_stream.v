// SPDX-License-Identifier: Apache-2.0
// Makes packets of messages: translates where the payload lies piece by piece, reads it, moves it to byte 0, and sends
// it in packets of 1,920 bytes with header and CRC. Two in a network interface: requests, and answers to others'
// requests (RESPONSE 1).
//
//   job --> translate --> pieces (2) --> rd_* ==> memory ==> buffer (64 chunks, SECDED) --> current --> previous
//                                                                                                 --> inj_beat
//
//   cycle   0         1          3 with an answer in 2    4 + memory         5 + memory ...
//           job       request    first read               first chunk        header, header, payload, CRC
//
// A packet begins when all of it is translated and its first chunk is there, so no packet breaks off. A message is read
// without regard to packets, ahead of what is sent; the next job is translated and read while the last one leaves. 123
// cycles a full packet. Memory is translated in pieces of 2 KB at most: a tag that is forgotten is noticed by the next
// one. A translation that fails ends the message between two packets; of a job of answers a RESPONSE with the cause is
// sent then. From the buffer to the beat (two cycles) data have no code.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_stream #(
    parameter RESPONSE   = 0,            // class of the packets
    parameter DEPTH_BITS = 6             // log2 of the buffer's chunks of 16 bytes
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,
    input  wire [1:0]   number,          // of the interface
    input  wire         blocked,

    // a message: held until job_ready
    input  wire         job_valid,
    output wire         job_ready,
    input  wire [3:0]   job_kind,
    input  wire [18:0]  job_to,
    input  wire [3:0]   job_path,
    input  wire [1:0]   job_interface,
    input  wire [5:0]   job_queue,       // at the destination
    input  wire [5:0]   job_source_queue,
    input  wire [7:0]   job_message,
    input  wire [15:0]  job_edata,
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
    input  wire         job_local,       // the tag is one of our own command
    input  wire [5:0]   job_right_queue, // queue that must own it
    output reg          end_valid,       // pulse: the last packet left, or none will
    output reg  [7:0]   end_message,
    output reg  [3:0]   end_cause,

    input  wire         forget_all,      // memory is read by the tag that is forgotten
    input  wire [17:0]  forget_tag,
    output wire         forgetting,

    // translation
    output wire         req_valid,
    input  wire         req_ready,
    output wire [17:0]  req_tag,
    output wire [39:0]  req_offset,
    output wire [23:0]  req_length,
    output wire         req_local,
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
    localparam [23:0] PACKET = 24'd1920, PIECE = 24'd2048;
    localparam [4:0]  HEAD = 5'd1, SECOND = 5'd2, PAYLOAD = 5'd4, TRAILER = 5'd8, DRAIN = 5'd16;

    // ---- what is to be read ------------------------------------------------------------------------
    reg          fetched_reg;            // the job at the port is seen to
    reg          half_reg;               // the first 16 bytes of job_data are in the buffer
    reg          left_reg, asked_reg;    // something is left to be translated; an answer is awaited
    reg  [39:0]  t_offset_reg;
    reg  [23:0]  t_length_reg;
    reg  [17:0]  t_tag_reg;
    reg          t_local_reg, t_check_reg;
    reg  [5:0]   t_queue_reg;
    reg          failed_reg;
    reg  [3:0]   failed_cause_reg;
    reg  [20:0]  covered_reg;            // chunks of the message that are translated
    reg  [1:0]   piece_reg;              // two pieces: the second waits for the first
    reg  [35:0]  address_reg, next_address_reg;
    reg  [20:0]  chunks_reg, next_chunks_reg;

    reg  [DEPTH_BITS:0]   reserved_reg, coming_reg, stored_reg;
    reg  [DEPTH_BITS-1:0] write_reg, read_reg;

    wire         at_rest   = !left_reg && !asked_reg && piece_reg == 2'd0 && !failed_reg;
    wire         is_get    = job_kind == `TOFU_KIND_GET;
    wire         no_data   = is_get || job_length == 24'd0;
    wire         in_memory = job_length != 24'd0 && !job_immediate;   // a GET's local memory is only checked
    wire         two       = job_length > 24'd16;
    wire         sees      = job_valid && !fetched_reg && at_rest && !blocked;
    wire         pushes    = sees && job_length != 24'd0 && job_immediate &&
                             coming_reg == {DEPTH_BITS+1{1'b0}} && !stored_reg[DEPTH_BITS];
    wire         seen      = fetched_reg ||
                             (sees && (job_length == 24'd0 || in_memory || (pushes && (half_reg || !two))));
    wire         starts;                 // the sender takes the job

    wire         asks      = req_valid && req_ready;
    wire         good      = ans_valid && ans_cause == 4'd0;
    wire         reads     = rd_valid && rd_ready;
    wire         piece_end = reads && chunks_reg == 21'd1;
    wire [23:0]  piece     = PIECE - {20'd0, ans_address[3:0]};
    wire [23:0]  wanted    = t_length_reg > piece ? piece : t_length_reg;
    wire [23:0]  bytes     = ans_left > {17'd0, wanted} ? wanted : ans_left[23:0];
    wire [24:0]  rounded   = {1'b0, bytes} + {21'd0, ans_address[3:0]} + 25'd15;
    wire [20:0]  covers    = rounded[24:4];
    wire         pop;

    assign forgetting = !at_rest && (forget_all || t_tag_reg == forget_tag);
    assign job_ready  = starts;
    assign req_valid  = left_reg && !asked_reg && !piece_reg[1] && !failed_reg && !blocked;
    assign req_tag    = t_tag_reg;
    assign req_offset = t_offset_reg;
    assign req_length = t_length_reg;
    assign req_local  = t_local_reg;
    assign req_queue  = t_queue_reg;
    assign rd_valid   = piece_reg[0] && !reserved_reg[DEPTH_BITS] && !blocked;
    assign rd_address = address_reg;

    // ---- buffer ------------------------------------------------------------------------------------
    wire         stores = rd_rvalid || pushes;
    wire [127:0] chunk;
    wire         single, hopeless;
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(DEPTH_BITS)) u_buffer (
        .clk(clk), .wr_en(stores), .wr_address(write_reg),
        .wr_data(rd_rvalid ? rd_data : half_reg ? job_data[255:128] : job_data[127:0]),
        .flip_mask(flip_mask), .flipped(flipped), .rd_en(pop), .rd_address(read_reg), .rd_data(chunk),
        .single(single), .uncorrectable(hopeless));

    // ---- the message that leaves -------------------------------------------------------------------
    reg          busy_reg;
    reg  [4:0]   at_reg;
    reg          memory_reg;             // its payload is read from memory
    reg  [3:0]   kind_reg;
    reg  [3:0]   cause_reg;
    reg  [103:0] fixed_reg;              // what its headers have in common
    reg          parity_reg;             // of fixed_reg, cause_reg and kind_reg
    reg  [39:0]  offset_reg;             // at the destination
    reg  [23:0]  left_bytes_reg;         // of payload
    reg  [23:0]  position_reg;           // bytes in the packets before
    reg  [3:0]   shift_reg;              // bytes in front of the payload in its first chunk
    reg  [20:0]  to_come_reg;            // chunks of it that are not in previous_reg yet
    reg  [20:0]  need_reg;               // chunks up to the end of this packet
    reg          first_reg;
    reg  [6:0]   beats_reg;              // of payload, left in this packet
    reg          current_valid_reg, previous_valid_reg;
    reg  [127:0] current_reg, previous_reg;

    wire [3:0]   f_path;
    wire [18:0]  f_to;
    wire [1:0]   f_interface;
    wire [5:0]   f_queue, f_source_queue;
    wire [7:0]   f_message;
    wire [15:0]  f_edata;
    wire         f_notice;
    wire [17:0]  f_tag;
    wire [23:0]  f_length;
    assign {f_path, f_to, f_interface, f_queue, f_source_queue, f_message, f_edata, f_notice, f_tag,
            f_length} = fixed_reg;

    wire         last_packet = left_bytes_reg <= PACKET;
    wire [23:0]  packet      = last_packet ? left_bytes_reg : PACKET;
    wire [23:0]  position    = kind_reg == `TOFU_KIND_PUT || kind_reg == `TOFU_KIND_DATA ? position_reg + packet
                                                                                         : 24'd0;
    wire [23:0]  packet_up   = packet + 24'd15;
    wire [6:0]   beats       = packet_up[10:4];
    wire [3:0]   last_bytes  = packet == 24'd0 ? 4'd0 : packet[3:0] - 4'd1;
    wire         own_fetch   = memory_reg && !fetched_reg;   // what is being read is of this message
    wire         covered     = !own_fetch || (last_packet ? !left_reg && !asked_reg && !failed_reg
                                                          : covered_reg >= need_reg);
    wire         there       = packet == 24'd0 || stored_reg != {DEPTH_BITS+1{1'b0}} || current_valid_reg ||
                               previous_valid_reg;
    wire         fails       = at_reg[0] && busy_reg && own_fetch && failed_reg && !covered;

    wire [255:0] pair        = {current_reg, previous_reg} >> {shift_reg, 3'd0};
    wire         end_beat    = last_packet && beats_reg == 7'd1;
    wire [127:0] kept        = end_beat ? ~(128'd0) >> {~last_bytes, 3'd0} : ~128'd0;
    wire         filled      = previous_valid_reg && (shift_reg == 4'd0 || to_come_reg == 21'd0 || current_valid_reg);
    wire         state_wrong = (at_reg & (at_reg - 5'd1)) != 5'd0 || at_reg == 5'd0 ||
                               (busy_reg && parity_reg != ^{fixed_reg, kind_reg, cause_reg}) ||
                               (at_reg[3] && last_packet && to_come_reg != 21'd0);
    wire         moves       = inj_valid && inj_ready;
    wire         pays        = moves && at_reg[2];
    wire         shifts      = current_valid_reg && busy_reg && !at_reg[4] && to_come_reg != 21'd0 &&
                               (!previous_valid_reg || pays);
    wire         drained     = at_reg[4] && piece_reg == 2'd0 && reserved_reg == {DEPTH_BITS+1{1'b0}} &&
                               !current_valid_reg;
    wire         ends        = (moves && at_reg[3] && last_packet) || (drained && RESPONSE == 0);
    wire [31:0]  crc;
    wire [15:0]  check;
    reg  [255:0] header;
    reg  [127:0] beat;

    assign starts    = seen && !busy_reg && job_valid && !blocked;
    assign pop       = stored_reg != {DEPTH_BITS+1{1'b0}} && (!current_valid_reg || shifts || at_reg[4]);
    assign inj_valid = !blocked && !state_wrong &&
                       ((at_reg[0] && busy_reg && covered && there) || at_reg[1] || (at_reg[2] && filled) || at_reg[3]);
    assign inj_beat  = {!(at_reg[0] ^ at_reg[3]), 1'b0, at_reg[3], at_reg[0], check, beat};
    assign sent      = moves && at_reg[3];
    assign corrected = pop && single;
    assign fatal     = (pop && hopeless) || state_wrong || (good && ans_left == 41'd0);
    assign obs_idle  = !job_valid && !fetched_reg && at_rest && !busy_reg && !end_valid &&
                       reserved_reg == {DEPTH_BITS+1{1'b0}} && stored_reg == {DEPTH_BITS+1{1'b0}} && !current_valid_reg;

    always @* begin
        header = 256'd0;
        header[`TOFU_HEADER_KIND]      = kind_reg;
        header[`TOFU_HEADER_RESPONSE]  = RESPONSE != 0;
        header[`TOFU_HEADER_BEATS]     = beats;
        header[`TOFU_HEADER_TO]        = f_to;
        header[`TOFU_HEADER_PATH]      = f_path;
        header[`TOFU_HEADER_FROM]      = coordinates;
        header[`TOFU_HEADER_INTERFACE] = {1'b0, f_interface};
        header[80 +: 40]  = offset_reg;
        header[120 +: 18] = f_tag;
        header[138 +: 6]  = f_queue;
        header[144 +: 6]  = f_source_queue;
        header[150 +: 2]  = number;
        header[152 +: 8]  = f_message;
        header[160 +: 16] = f_edata;
        header[176 +: 4]  = last_bytes;
        header[180]       = first_reg;
        header[181]       = last_packet;
        header[182]       = f_notice;
        header[183]       = last_packet && RESPONSE == 0;
        header[184 +: 4]  = RESPONSE != 0 ? cause_reg : 4'd0;
        header[188 +: 4]  = kind_reg == `TOFU_KIND_ATOMIC ? cause_reg : 4'd0;
        header[192 +: 24] = f_length | position;

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

    // what a header needs of the job; operation and cause share a place
    wire [103:0] job_fixed = {job_path, job_to, job_interface, job_queue, job_source_queue, job_message, job_edata,
                              job_notice, job_far_tag, is_get ? job_length : 24'd0} |
                             (job_kind == `TOFU_KIND_ATOMIC ? {100'd0, job_operation[3], !job_operation[3], 2'd0}
                                                            : 104'd0);
    wire [3:0]   job_extra = job_kind == `TOFU_KIND_ATOMIC ? job_operation : job_cause;
    wire [23:0]  job_bytes = no_data ? 24'd0 : job_length;
    wire [3:0]   job_shift = in_memory ? job_offset[3:0] : 4'd0;
    wire [24:0]  job_up    = {1'b0, job_bytes} + {21'd0, job_shift} + 25'd15;

    always @(posedge clk) begin
        // translation and reading
        fetched_reg <= seen && !starts;
        if (pushes)
            half_reg <= two && !half_reg;
        if (sees && in_memory) begin
            left_reg     <= 1'b1;
            t_offset_reg <= job_offset;
            t_length_reg <= job_length;
            t_tag_reg    <= job_tag;
            t_local_reg  <= job_local;
            t_check_reg  <= is_get;
            t_queue_reg  <= job_right_queue;
            covered_reg  <= 21'd0;
        end
        if (asks)
            asked_reg <= 1'b1;
        if (piece_end) begin
            piece_reg   <= {1'b0, piece_reg[1]};
            address_reg <= next_address_reg;
            chunks_reg  <= next_chunks_reg;
        end else if (reads) begin
            address_reg <= address_reg + 36'd1;
            chunks_reg  <= chunks_reg - 21'd1;
        end
        if (ans_valid) begin
            asked_reg <= 1'b0;
            if (good && t_check_reg) begin
                left_reg <= 1'b0;
            end else if (good) begin
                t_offset_reg <= t_offset_reg + {16'd0, bytes};
                t_length_reg <= t_length_reg - bytes;
                left_reg     <= t_length_reg != bytes;
                covered_reg  <= covered_reg + covers;
                if (!piece_reg[0] || piece_end) begin
                    piece_reg[0] <= 1'b1;
                    address_reg  <= ans_address[39:4];
                    chunks_reg   <= covers;
                end else begin
                    piece_reg[1]     <= 1'b1;
                    next_address_reg <= ans_address[39:4];
                    next_chunks_reg  <= covers;
                end
            end else begin
                left_reg         <= 1'b0;
                failed_reg       <= 1'b1;
                failed_cause_reg <= ans_cause;
            end
        end

        // buffer
        reserved_reg <= reserved_reg + {{DEPTH_BITS{1'b0}}, reads || pushes} - {{DEPTH_BITS{1'b0}}, pop};
        coming_reg   <= coming_reg + {{DEPTH_BITS{1'b0}}, reads} - {{DEPTH_BITS{1'b0}}, rd_rvalid};
        stored_reg   <= stored_reg + {{DEPTH_BITS{1'b0}}, stores} - {{DEPTH_BITS{1'b0}}, pop};
        if (stores)
            write_reg <= write_reg + {{DEPTH_BITS-1{1'b0}}, 1'b1};
        if (pop) begin
            read_reg    <= read_reg + {{DEPTH_BITS-1{1'b0}}, 1'b1};
            current_reg <= chunk;
        end
        current_valid_reg <= at_reg[4] ? 1'b0 : pop || (current_valid_reg && !shifts);
        if (shifts) begin
            previous_reg <= current_reg;
            to_come_reg  <= to_come_reg - 21'd1;
        end
        previous_valid_reg <= (shifts || (previous_valid_reg && !pays)) && !(pays && end_beat) && !at_reg[4];

        // packets
        end_valid <= ends;
        if (ends) begin
            busy_reg    <= 1'b0;
            end_message <= f_message;
            end_cause   <= drained ? failed_cause_reg : kind_reg == `TOFU_KIND_RESPONSE ? cause_reg : 4'd0;
        end
        if (starts) begin
            busy_reg       <= 1'b1;
            memory_reg     <= in_memory;
            kind_reg       <= job_kind;
            cause_reg      <= job_extra;
            fixed_reg      <= job_fixed;
            parity_reg     <= ^{job_fixed, job_kind, job_extra};
            offset_reg     <= job_far_offset;
            left_bytes_reg <= job_bytes;
            position_reg   <= 24'd0;
            shift_reg      <= job_shift;
            to_come_reg    <= no_data ? 21'd0 : job_up[24:4];
            need_reg       <= 21'd120 + {20'd0, job_shift != 4'd0};
            first_reg      <= 1'b1;
        end
        if (moves) begin
            if (at_reg[0])
                at_reg <= SECOND;
            if (at_reg[1])
                at_reg <= beats_reg == 7'd0 ? TRAILER : PAYLOAD;
            if (at_reg[2] && beats_reg == 7'd1)
                at_reg <= TRAILER;
            if (at_reg[3])
                at_reg <= HEAD;
            if (at_reg[0])
                beats_reg <= beats;
            if (pays)
                beats_reg <= beats_reg - 7'd1;
            if (at_reg[3] && !last_packet) begin
                first_reg      <= 1'b0;
                offset_reg     <= offset_reg + {16'd0, PACKET};
                left_bytes_reg <= left_bytes_reg - PACKET;
                position_reg   <= position_reg + PACKET;
                need_reg       <= need_reg + 21'd120;
            end
        end
        if (fails)
            at_reg <= DRAIN;
        if (drained) begin
            at_reg     <= HEAD;
            failed_reg <= 1'b0;
            if (RESPONSE != 0) begin
                memory_reg     <= 1'b0;
                kind_reg       <= `TOFU_KIND_RESPONSE;
                cause_reg      <= failed_cause_reg;
                parity_reg     <= ^{fixed_reg, `TOFU_KIND_RESPONSE, failed_cause_reg};
                offset_reg     <= 40'd0;
                left_bytes_reg <= 24'd0;
                to_come_reg    <= 21'd0;
                first_reg      <= 1'b1;
            end
        end

        if (rst) begin
            fetched_reg        <= 1'b0;
            half_reg           <= 1'b0;
            left_reg           <= 1'b0;
            asked_reg          <= 1'b0;
            piece_reg          <= 2'd0;
            failed_reg         <= 1'b0;
            reserved_reg       <= {DEPTH_BITS+1{1'b0}};
            coming_reg         <= {DEPTH_BITS+1{1'b0}};
            stored_reg         <= {DEPTH_BITS+1{1'b0}};
            write_reg          <= {DEPTH_BITS{1'b0}};
            read_reg           <= {DEPTH_BITS{1'b0}};
            busy_reg           <= 1'b0;
            at_reg             <= HEAD;
            current_valid_reg  <= 1'b0;
            previous_valid_reg <= 1'b0;
            end_valid          <= 1'b0;
        end
    end

    wire unused = &{1'b0, rounded[3:0], packet_up[23:11], packet_up[3:0], job_up[3:0], pair[255:128]};
endmodule
`default_nettype wire
