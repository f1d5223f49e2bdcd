// SPDX-License-Identifier: Apache-2.0
// The receiving half of a network interface. [Tofu2012] sections 2 and 4.1; README.md, "Receiver".
//
//   router -> tofu_tni_receive -> tofu_tni_check -> tofu_tni_execute -> tofu_tni_jobs -> stream of answers
//               packets, CRC       tags, places       |        |  \-> word to commands
//                      \------ payload ------> tofu_tni_deposit | -> tofu_tni_atomic
//                                                     |         tofu_tni_entries <- completions, tofu_tni_owed
//                                                     +--> tofu_tni_writer <--+
//
// Latency: last beat of a put's packet of up to 16 bytes in to wr_valid: 11 cycles, if the caches know the tag.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_receiver #(
    parameter GETS_BITS = 5,                 // log2 of the gets of several packets that are answered at once
    parameter PUTS_BITS = 5                  // and of the puts of several packets that may be open
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,
    input  wire [2:0]   number,
    input  wire         enable,
    input  wire [5:0]   group,               // of the interface
    input  wire         blocked,             // a fault was found: nothing leaves

    input  wire         ej_valid,            // router
    input  wire [147:0] ej_beat,
    output wire [1:0]   ej_room,

    output wire         req_valid,           // tofu_tni_translate
    input  wire         req_ready,
    output wire [17:0]  req_tag,
    output wire [39:0]  req_offset,
    output wire [23:0]  req_length,
    output wire [1:0]   req_right,
    output wire         req_local,
    output wire [5:0]   req_queue,
    input  wire         ans_valid,
    input  wire [39:0]  ans_address,
    input  wire [40:0]  ans_left,
    input  wire [3:0]   ans_cause,

    output wire         rd_valid,            // atomics, tofu_tni_reader
    input  wire         rd_ready,
    output wire [35:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,
    output wire         wr_valid,            // memory
    input  wire         wr_ready,
    output wire [35:0]  wr_address,
    output wire [127:0] wr_data,
    output wire [15:0]  wr_strobe,
    input  wire         wr_pending,          // these as tofu_icc has them
    output wire         wr_mark,
    input  wire         wr_passed,
    input  wire         mem_look,
    output wire         mem_seen,
    input  wire         mem_stopped,

    output wire         job_valid,           // an answer, tofu_tni_stream
    input  wire         job_ready,
    output wire [3:0]   job_kind,            // DATA or RESPONSE
    output wire [18:0]  job_to,
    output wire [3:0]   job_path,
    output wire [2:0]   job_interface,
    output wire [5:0]   job_queue,
    output wire [5:0]   job_source_queue,
    output wire [7:0]   job_message,
    output wire [3:0]   job_cause,
    output wire [5:0]   job_group,           // of who asked
    output wire [23:0]  job_length,
    output wire         job_immediate,       // RESPONSE: payload is job_data
    output wire [63:0]  job_data,
    output wire [17:0]  job_tag,             // DATA: from here; job_source_queue owns it
    output wire [39:0]  job_offset,
    output wire         job_owed,            // DATA: a notice is owed,
    output wire [5:0]   job_slot,            // this one
    input  wire         answered,            // pulse: the last packet of an answer left,
    input  wire         answered_owed,       // with job_owed, job_slot
    input  wire [5:0]   answered_slot,
    input  wire [3:0]   answered_cause,

    output wire         look_valid,          // tofu_tni_messages: what a response is for
    output wire [7:0]   look_message,
    input  wire         look_known,
    input  wire         look_late,
    input  wire         look_orphan,
    input  wire [3:0]   look_kind,
    input  wire [2:0]   look_queue,
    input  wire [17:0]  look_tag,
    input  wire [39:0]  look_offset,
    input  wire [23:0]  look_length,
    output wire         rsp_valid,           // pulse: a packet of look_message was carried out
    output wire [10:0]  rsp_bytes,
    output wire         rsp_last,
    output wire [3:0]   rsp_cause,
    output wire [63:0]  rsp_old,
    input  wire         cpl_valid,           // a completion to be written
    output wire         cpl_ready,
    input  wire [2:0]   cpl_queue,
    input  wire [15:0]  cpl_index,
    input  wire [3:0]   cpl_cause,
    input  wire         cpl_notice,
    input  wire [63:0]  cpl_old,

    output wire         entry_read,          // rings, tofu_tni_queues
    output wire [2:0]   entry_queue,
    input  wire [31:0]  entry_completions,
    input  wire [3:0]   entry_completions_size,
    input  wire [31:0]  entry_notices,
    input  wire [3:0]   entry_notices_size,
    input  wire [15:0]  entry_noticed,
    input  wire [7:0]   queue_enabled,
    input  wire [7:0]   queue_restart,
    output wire         entry_written,
    output wire         entry_notice,

    input  wire         get_ended,           // pulse: a get of several packets is answered
    input  wire         period,              // pulse: a time limit is over
    output wire         pending,             // a time limit runs
    output wire         holds,               // a packet that was judged waits,
    output wire         executes,            // is carried out,
    output wire         writes,              // is on its way into memory

    input  wire [143:0] flip_mask,
    output wire         flipped,
    output wire         strayed,             // pulses
    output wire         late,
    output wire         received,
    output wire         faulted,
    output wire         error_packet,
    output wire         error_response,
    output wire         error_overflow,
    output wire [31:0]  receive_info,        // with an error: whose queue, as ERROR_INFO
    output wire         corrected,
    output wire         fatal,
    output wire         obs_idle
);
    localparam SLOT_BITS = 2;

    wire [1:0]           shown, take, free;
    wire                 look;
    wire [255:0]         head, act_head, job_head;
    wire [SLOT_BITS-1:0] slot, act_slot, read_slot;
    wire                 read_class, read_wrong, deposit_en, deposit_look, fetch_en, fetch_look;
    wire [6:0]           deposit_beat;
    wire [127:0]         read_data, operand;
    wire                 act_valid, act_ready, act_class, act_drop, act_write, deposit, deposited;
    wire [3:0]           act_cause, push_cause;
    wire [10:0]          act_bytes, act_first_bytes;
    wire [39:0]          act_address, atomic_address;
    wire [35:0]          act_second;
    wire                 job_room, job_push, push_data, push_old;
    wire                 atomic_start, atomic_wide, atomic_done;
    wire [2:0]           atomic_operation;
    wire [63:0]          atomic_old, old;
    wire                 notice_valid, notice_ready, notice_lost, notice_owed, notice_kept, push_owed;
    wire [2:0]           notice_queue, late_queue;
    wire [255:0]         notice, late_notice;
    wire                 late_valid, entries_ready, owed_room;
    wire                 payload_valid, payload_ready, change_valid, change_ready, entry_valid, entry_ready;
    wire [35:0]          payload_address, change_address, entry_address;
    wire [127:0]         payload_data, change_data, entry_data;
    wire [15:0]          payload_strobe, change_strobe;
    wire [1:0]           wrong_packet;
    wire [3:0]           flips;
    wire [4:0]           corrects;
    wire [7:0]           faults;
    wire [7:0]           idle;
    wire                 check_looks;
    wire [7:0]           check_message, rsp_message;

    assign flipped      = flips != 4'd0;
    assign error_packet = wrong_packet != 2'd0;
    assign corrected    = corrects != 5'd0;
    assign fatal        = faults != 8'd0;
    // the command was over when the packet was judged, or when it was carried out
    wire                 unknown, judged_late;
    wire                 gone = rsp_valid && !look_known;
    assign late           = judged_late || (gone && look_late);
    assign error_response = unknown || (gone && !look_late);
    assign executes       = !act_ready;
    assign writes         = wr_valid && !wr_ready;
    wire [5:0]           job_to_queue = job_head[`TOFU_REMOTE_QUEUE], act_queue = act_head[`TOFU_REMOTE_QUEUE];
    assign receive_info = {5'd0, error_overflow ? notice_queue : gone ? job_to_queue[2:0] :
                                 unknown || wrong_packet[1] ? act_queue[2:0] : 3'd0, 24'd0};
    assign look_valid   = rsp_valid || check_looks;
    assign look_message = rsp_valid ? rsp_message : check_message;
    assign obs_idle     = idle == 8'hFF;

    tofu_tni_receive #(.SLOT_BITS(SLOT_BITS)) u_receive (
        .clk(clk), .rst(rst), .blocked(blocked), .stopped(mem_stopped),
        .ej_valid(ej_valid), .ej_beat(ej_beat), .ej_room(ej_room),
        .shown(shown), .look(look), .head(head), .slot(slot), .take(take), .free(free),
        .read_en(deposit_en || fetch_en), .read_class(read_class), .read_slot(read_slot),
        .read_beat(fetch_en ? 7'd2 : deposit_beat), .read_look(deposit_look || fetch_look), .read_data(read_data),
        .read_wrong(read_wrong),
        .received(received), .wrong(wrong_packet[0]), .flip_mask(flip_mask), .flipped(flips[0]),
        .corrected(corrects[0]), .fault(faults[0]), .obs_idle(idle[0]));

    tofu_tni_check #(.SLOT_BITS(SLOT_BITS), .OPEN_BITS(PUTS_BITS), .GETS_BITS(GETS_BITS)) u_check (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(number), .enable(enable), .group(group),
        .queue_enabled(queue_enabled),
        .shown(shown), .look(look), .head(head), .slot(slot), .take(take), .job_room(job_room && owed_room),
        .req_valid(req_valid), .req_ready(req_ready), .req_tag(req_tag), .req_offset(req_offset),
        .req_length(req_length), .req_right(req_right), .req_local(req_local), .req_queue(req_queue),
        .ans_valid(ans_valid), .ans_address(ans_address), .ans_left(ans_left), .ans_cause(ans_cause),
        .look_busy(rsp_valid), .look_valid(check_looks), .look_message(check_message), .look_known(look_known),
        .look_late(look_late), .look_orphan(look_orphan), .look_kind(look_kind), .look_queue(look_queue),
        .look_tag(look_tag), .look_offset(look_offset), .look_length(look_length),
        .act_valid(act_valid), .act_ready(act_ready), .act_class(act_class), .act_slot(act_slot), .act_head(act_head),
        .act_drop(act_drop), .act_cause(act_cause), .act_write(act_write), .act_bytes(act_bytes),
        .act_address(act_address), .act_first_bytes(act_first_bytes), .act_second(act_second),
        .get_ended(get_ended), .period(period), .pending(pending), .holds(holds), .flip_mask(flip_mask),
        .flipped(flips[2]),
        .corrected(corrects[3]), .error_packet(wrong_packet[1]), .error_response(unknown), .strayed(strayed),
        .late(judged_late),
        .fault(faults[1]), .obs_idle(idle[1]));

    tofu_tni_execute #(.SLOT_BITS(SLOT_BITS)) u_execute (
        .clk(clk), .rst(rst),
        .act_valid(act_valid), .act_ready(act_ready), .act_class(act_class), .act_slot(act_slot), .act_head(act_head),
        .act_drop(act_drop), .act_cause(act_cause), .act_write(act_write), .act_bytes(act_bytes),
        .act_address(act_address),
        .free(free), .fetch_en(fetch_en), .fetch_look(fetch_look), .read_class(read_class), .read_slot(read_slot),
        .read_data(read_data),
        .deposit(deposit), .deposited(deposited),
        .writing(wr_valid), .wr_pending(wr_pending), .wr_mark(wr_mark), .wr_passed(wr_passed),
        .atomic_start(atomic_start), .atomic_operation(atomic_operation), .atomic_wide(atomic_wide),
        .atomic_address(atomic_address), .operand(operand), .atomic_done(atomic_done), .atomic_old(atomic_old),
        .notice_valid(notice_valid), .notice_ready(notice_ready), .notice_lost(notice_lost),
        .notice_queue(notice_queue), .notice(notice), .notice_owed(notice_owed), .notice_kept(notice_kept),
        .job_push(job_push), .job_data(push_data), .job_cause(push_cause), .job_owed(push_owed), .job_old(push_old),
        .old(old),
        .job_head(job_head),
        .rsp_valid(rsp_valid), .rsp_message(rsp_message), .rsp_bytes(rsp_bytes), .rsp_last(rsp_last),
        .rsp_cause(rsp_cause), .rsp_old(rsp_old),
        .faulted(faulted), .error_overflow(error_overflow), .fault(faults[2]), .obs_idle(idle[2]));

    tofu_tni_deposit u_deposit (
        .clk(clk), .rst(rst), .start(deposit), .bytes(act_bytes), .address(act_address), .first_bytes(act_first_bytes),
        .second(act_second), .done(deposited), .read_en(deposit_en), .read_beat(deposit_beat), .read_look(deposit_look),
        .read_data(read_data), .read_wrong(read_wrong), .payload_valid(payload_valid), .payload_ready(payload_ready),
        .payload_address(payload_address), .payload_data(payload_data), .payload_strobe(payload_strobe),
        .fault(faults[3]), .obs_idle(idle[3]));

    tofu_tni_atomic u_atomic (
        .clk(clk), .rst(rst),
        .start(atomic_start), .operation(atomic_operation), .wide(atomic_wide), .address(atomic_address),
        .operand(operand[63:0]), .compare(operand[127:64]), .writing(wr_valid), .done(atomic_done), .old(atomic_old),
        .rd_valid(rd_valid), .rd_ready(rd_ready), .rd_address(rd_address), .rd_rvalid(rd_rvalid), .rd_data(rd_data),
        .atomic_valid(change_valid), .atomic_ready(change_ready), .atomic_address(change_address),
        .atomic_data(change_data), .atomic_strobe(change_strobe), .fault(faults[4]));

    // a notice that is owed comes before others; there are no more of them than gets were accepted
    localparam SLOT_OWED = GETS_BITS < 3 ? 4 : GETS_BITS + 1;
    reg  [SLOT_OWED-1:0] slot_reg;               // where the one of the request in hand is kept
    wire [SLOT_OWED-1:0] owed_free;
    assign notice_ready = entries_ready && !late_valid;
    always @(posedge clk) begin
        if (notice_kept)
            slot_reg <= owed_free;
        if (rst)
            slot_reg <= {SLOT_OWED{1'b0}};   // all answers have it, with check bits
    end
    tofu_tni_owed #(.SLOT_BITS(SLOT_OWED)) u_owed (
        .clk(clk), .rst(rst), .queue_enabled(queue_enabled), .room(owed_room), .free(owed_free), .keep(notice_kept),
        .keep_queue(notice_queue), .keep_notice(notice), .done(answered && answered_owed),
        .done_slot(answered_slot[SLOT_OWED-1:0]), .done_cause(answered_cause),
        .late_valid(late_valid), .late_ready(entries_ready), .late_queue(late_queue), .late_notice(late_notice),
        .flip_mask(flip_mask), .flipped(flips[3]), .corrected(corrects[4]), .fault(faults[7]), .obs_idle(idle[7]));

    tofu_tni_entries u_entries (
        .clk(clk), .rst(rst),
        .completion_valid(cpl_valid), .completion_ready(cpl_ready), .completion_queue(cpl_queue),
        .completion_index(cpl_index), .completion_cause(cpl_cause), .completion_notice(cpl_notice),
        .completion_old(cpl_old),
        .notice_valid(notice_valid || late_valid), .notice_ready(entries_ready), .notice_lost(notice_lost),
        .notice_queue(late_valid ? late_queue : notice_queue), .notice(late_valid ? late_notice : notice),
        .notice_owed(notice_owed && !late_valid), .notice_late(late_valid), .notice_kept(notice_kept),
        .entry_read(entry_read), .entry_queue(entry_queue), .entry_completions(entry_completions),
        .entry_completions_size(entry_completions_size), .entry_notices(entry_notices),
        .entry_notices_size(entry_notices_size), .entry_noticed(entry_noticed), .queue_enabled(queue_enabled),
        .queue_restart(queue_restart), .entry_written(entry_written), .entry_notice(entry_notice),
        .entry_valid(entry_valid), .entry_ready(entry_ready), .entry_address(entry_address), .entry_data(entry_data),
        .corrected(corrects[1]), .fault(faults[5]), .obs_idle(idle[4]));

    tofu_tni_writer u_writer (
        .clk(clk), .rst(rst), .blocked(blocked),
        .payload_valid(payload_valid), .payload_ready(payload_ready), .payload_address(payload_address),
        .payload_data(payload_data), .payload_strobe(payload_strobe),
        .atomic_valid(change_valid), .atomic_ready(change_ready), .atomic_address(change_address),
        .atomic_data(change_data), .atomic_strobe(change_strobe),
        .entry_valid(entry_valid), .entry_ready(entry_ready), .entry_address(entry_address), .entry_data(entry_data),
        .wr_valid(wr_valid), .wr_ready(wr_ready), .wr_address(wr_address), .wr_data(wr_data), .wr_strobe(wr_strobe),
        .look(mem_look), .seen(mem_seen), .obs_idle(idle[5]));

    // ---- answers: the header says where to, and what of -------------------------------------------------------------
    wire [191:0] job;
    wire [63:0]  what = push_data ? {6'd0, job_head[`TOFU_REMOTE_TAG], job_head[`TOFU_REMOTE_OFFSET]} :
                           push_old ? old : 64'd0;
    wire [5:0]   owed_at = {{6-SLOT_OWED{1'b0}}, slot_reg};
    tofu_tni_jobs #(.WORDS(3)) u_jobs (
        .clk(clk), .rst(rst), .blocked(blocked), .push(job_push),
        .push_job({39'd0, owed_at, push_owed, job_head[`TOFU_REMOTE_SOURCE_INTERFACE_HIGH],
                   job_head[`TOFU_REMOTE_GROUP], push_old, push_data, push_cause, job_head[`TOFU_REMOTE_NUMBER],
                   job_to_queue, job_head[`TOFU_REMOTE_SOURCE_INTERFACE], job_head[`TOFU_REMOTE_SOURCE_QUEUE],
                   job_head[`TOFU_HEADER_PATH], job_head[`TOFU_HEADER_FROM],
                   push_data ? job_head[`TOFU_REMOTE_LENGTH] : {20'd0, push_old, 3'd0}, what}),
        .room(job_room), .valid(job_valid), .ready(job_ready), .job(job), .flip_mask(flip_mask), .flipped(flips[1]),
        .corrected(corrects[2]), .fault(faults[6]), .obs_idle(idle[6]));
    assign job_data         = job[63:0];
    assign job_offset       = job[39:0];
    assign job_tag          = job[57:40];
    assign job_length       = job[87:64];
    assign job_to           = job[106:88];
    assign job_path         = job[110:107];
    assign job_queue        = job[116:111];
    assign job_interface    = {job[145], job[118:117]};
    assign job_source_queue = job[124:119];
    assign job_message      = job[132:125];
    assign job_cause        = job[136:133];
    assign job_kind         = job[137] ? `TOFU_KIND_DATA : `TOFU_KIND_RESPONSE;
    assign job_immediate    = job[138];

    assign job_group        = job[144:139];
    assign job_owed         = job[146];
    assign job_slot         = job[152:147];

    wire unused = &{1'b0, job[191:153], job_head, act_queue[5:3], answered_slot};
endmodule
`default_nettype wire
