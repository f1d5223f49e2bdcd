// SPDX-License-Identifier: Apache-2.0
// A Tofu network interface: puts, gets and atomics between memories, from descriptors in memory. [Tofu2012] sections 2
// and 4.1; README.md, "Network interfaces"; registers in tni_registers.toml. Four in an interconnect controller
// (tofu_icc).
//
//                    tofu_tni_queues <-- tofu_tni_registers <-- register bus
//                      v turns  ^ room
//   memory --> tofu_tni_commands --> tofu_tni_stream (requests) --> inj 0      tofu_tni_reader: read port, five readers
//                      v jobs            answers come v                        tofu_tni_translate: steering tags,
//              tofu_tni_messages --> completions --> tofu_tni_receiver <-- ej            three clients
//                                                     v jobs     v payload, entries
//              inj 1 <-- tofu_tni_stream (answers) <--+          memory
//
// Memories have SECDED, beats as well; control has parity and monitors. What cannot be corrected sets ERROR.SOFT_FATAL
// and blocks all outputs but the register bus until reset. Latency in README.md.
`default_nettype none
module tofu_tni #(
    parameter INTERFACES = 4,            // of a node: a command may name so many
    parameter QUEUES     = 255,          // a bit for each of the eight that is there
    parameter MESSAGES   = 16,           // commands under way: 8 or 16
    parameter PUTS       = 32,           // puts of several packets that may be open here: 4, 8, 16 or 32
    parameter GETS       = 32,           // gets of several packets that are answered at once: the same
    parameter LINES      = 64,           // of each of the two caches of steering tags: 16, 32 or 64
    parameter CHUNKS     = 64            // of 16 bytes, read ahead for each of the two streams: 16, 32 or 64
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,     // of this node
    input  wire [2:0]   number,          // of this interface
    input  wire [15:0]  tick_count,      // time: one more every 64 cycles

    // register bus: held until reg_ack
    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [7:0]   reg_address,
    input  wire [31:0]  reg_wdata,
    output wire         reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,

    // router, 148 bits a beat: {responses, requests} out, packets of both classes in
    output wire [1:0]   inj_valid,
    input  wire [1:0]   inj_ready,
    output wire [295:0] inj_beat,
    input  wire         ej_valid,
    input  wire [147:0] ej_beat,
    output wire [1:0]   ej_room,         // for one whole packet of the class

    // memory, units of 16 bytes; reads are answered in order
    output wire         rd_valid,
    input  wire         rd_ready,
    output wire [35:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,
    output wire         wr_valid,
    input  wire         wr_ready,
    output wire [35:0]  wr_address,
    output wire [127:0] wr_data,
    output wire [15:0]  wr_strobe,       // a bit a byte
    input  wire         wr_pending,      // these as tofu_icc has them
    output wire         wr_mark,
    input  wire         wr_passed,
    input  wire         mem_look,
    output wire         mem_seen,
    input  wire         mem_stopped,

    output wire         attention,       // some sticky error
    output wire         fault,           // outputs are blocked until reset
    output wire         obs_idle,        // with idle inputs everything stays as it is,
    output wire [4:0]   obs_period       // until tick_count is a multiple of 2 to the power of this; 31: whatever it is
);
    localparam GETS_BITS = $clog2(GETS), PUTS_BITS = $clog2(PUTS), DEPTH_BITS = $clog2(CHUNKS);

    // queues' places are cleared first
    reg  [3:0]   clear_reg;
    wire         clearing = !clear_reg[3];
    always @(posedge clk) begin
        if (clearing)
            clear_reg <= clear_reg + 4'd1;
        if (rst)
            clear_reg <= 4'd0;
    end

    // time limits: a pulse when tick_count comes to a multiple of their period
    reg  [15:0]  tick_reg;
    reg          period_reg;
    wire [4:0]   time_limit;
    wire [15:0]  in_period = tick_count & ~(16'hFFFF << time_limit);
    wire [1:0]   pending;                // messages, receiver
    always @(posedge clk) begin
        tick_reg   <= tick_count;
        period_reg <= tick_count != tick_reg && in_period == 16'd0;
        if (rst)
            period_reg <= 1'b0;
    end
    assign obs_period = pending != 2'd0 ? time_limit : 5'd31;

    wire         forget_busy, forget_fault, forget_idle, holds, executes, writes, streams, mark, marked, forgetting;
    wire         late, strayed, unused_forgetting;
    wire [5:0]   group, s_group;
    wire         renew, under_way;
    wire [3:0]   generation;
    wire         enable, blocked;
    wire [31:0]  table_base;
    wire [18:0]  table_tags;
    wire         forget_valid, forget_all;
    wire [17:0]  forget_tag;
    wire         hit, miss, received, faulted, error_descriptor, error_overflow, error_packet, error_response;
    wire [1:0]   sent;
    wire [31:0]  receive_info;
    wire [143:0] flip_mask;
    wire [6:0]   flipped, corrected;     // queues, commands, messages, stream 0, stream 1, translate, receiver
    wire [8:0]   fatal;                  // and the reader, forgetting
    wire [7:0]   idle;

    wire         access, access_write, access_busy, access_wrong;
    wire [2:0]   access_queue, access_word;
    wire [31:0]  access_value;
    wire         turn, turn_taken, turn_used, fetched, release_valid;
    wire [2:0]   turn_queue, fetched_queue, release_queue;
    wire [15:0]  turn_index;
    wire [35:0]  turn_address;
    wire         entry_read, entry_written, entry_notice;
    wire [2:0]   entry_queue;
    wire [31:0]  entry_completions, entry_notices;
    wire [3:0]   entry_completions_size, entry_notices_size;
    wire [15:0]  entry_noticed;
    wire [7:0]   queue_enabled, queue_restart;

    // readers: commands, stream 0, stream 1, translation, atomics
    wire [4:0]   r_valid, r_ready, r_rvalid;
    wire [179:0] r_address;
    // clients of translation: stream 0, stream 1, receiver
    wire [2:0]   q_valid, q_ready, q_local, a_valid;
    wire [53:0]  q_tag;
    wire [119:0] q_offset;
    wire [71:0]  q_length;
    wire [5:0]   q_right;
    wire [17:0]  q_queue;
    wire [39:0]  a_address;
    wire [40:0]  a_left;
    wire [3:0]   a_cause;

    wire [7:0]   free_for, queue_room, sending;
    wire         get_ended, unused_ended;
    wire [(1<<GETS_BITS)-1:0] unused_waiting;
    wire         free, start_valid, start_old, start_wants, start_notice, start_local;
    wire [7:0]   free_message;
    wire [3:0]   start_kind;
    wire [2:0]   start_queue;
    wire [15:0]  start_index;
    wire [17:0]  start_tag;
    wire [39:0]  start_offset;
    wire [23:0]  start_length;
    wire         look_valid, look_known, look_late, look_orphan;
    wire [7:0]   look_message;
    wire [3:0]   look_kind;
    wire [2:0]   look_queue;
    wire [17:0]  look_tag;
    wire [39:0]  look_offset;
    wire [23:0]  look_length;
    wire         rsp_valid, rsp_last;
    wire [10:0]  rsp_bytes;
    wire [3:0]   rsp_cause;
    wire [63:0]  rsp_old;
    wire         cpl_valid, cpl_ready, cpl_notice;
    wire [2:0]   cpl_queue;
    wire [15:0]  cpl_index;
    wire [3:0]   cpl_cause;
    wire [63:0]  cpl_old;

    // jobs: commands to stream 0 (c_), receiver to stream 1 (s_)
    wire         c_valid, c_ready, c_notice, c_immediate;
    wire [3:0]   c_kind, c_path, c_operation;
    wire [18:0]  c_to;
    wire [2:0]   c_interface;
    wire [5:0]   c_queue, c_source_queue;
    wire [7:0]   c_message;
    wire [15:0]  c_edata;
    wire [17:0]  c_far_tag, c_tag;
    wire [39:0]  c_far_offset, c_offset;
    wire [23:0]  c_length;
    wire [255:0] c_data;
    wire         s_valid, s_ready, s_immediate;
    wire [3:0]   s_kind, s_path, s_cause;
    wire [18:0]  s_to;
    wire [2:0]   s_interface;
    wire [5:0]   s_queue, s_source_queue;
    wire [7:0]   s_message;
    wire [17:0]  s_tag;
    wire [39:0]  s_offset;
    wire [23:0]  s_length;
    wire [63:0]  s_data;
    wire         s_owed, answered, answered_owed;
    wire [5:0]   s_slot;
    wire [15:0]  answered_slot;
    wire [3:0]   answered_cause;

    // what ended in the sender: a stream's failure waits here, commands' behind it
    wire         fail_valid, over_valid, end_ready;
    wire [7:0]   fail_message;
    wire [3:0]   fail_cause, over_message, over_cause;
    reg          failed_reg;
    reg  [3:0]   failed_message_reg, failed_cause_reg;
    always @(posedge clk) begin
        if (fail_valid && fail_cause != 4'd0) begin
            failed_reg         <= 1'b1;
            failed_message_reg <= fail_message[3:0];
            failed_cause_reg   <= fail_cause;
        end else if (end_ready) begin
            failed_reg <= 1'b0;
        end
        if (rst)
            failed_reg <= 1'b0;
    end

    assign q_right[3:0] = 4'd0;
    assign q_local[1:0] = 2'd1;
    assign fault        = blocked;
    assign obs_idle     = idle == 8'hFF && !clearing && !failed_reg && !period_reg && forget_idle && !rst;

    initial begin
        if (QUEUES < 1 || QUEUES > 255) begin
            $display("%m: QUEUES has a bit for each of the eight queues, and at least one is there");
            $finish;
        end
        if (MESSAGES != 8 && MESSAGES != 16) begin
            $display("%m: MESSAGES is 8 or 16");
            $finish;
        end
        if (PUTS != 1 << PUTS_BITS || GETS != 1 << GETS_BITS || PUTS < 4 || PUTS > 32 || GETS < 4 || GETS > 32) begin
            $display("%m: PUTS and GETS are powers of two from 4 to 32");
            $finish;
        end
        if (LINES != 16 && LINES != 32 && LINES != 64) begin
            $display("%m: LINES is 16, 32 or 64");
            $finish;
        end
        if (CHUNKS != 16 && CHUNKS != 32 && CHUNKS != 64) begin
            $display("%m: CHUNKS is 16, 32 or 64");
            $finish;
        end
    end

    tofu_tni_registers #(.QUEUES(QUEUES)) u_registers (
        .clk(clk), .rst(rst),
        .reg_valid(reg_valid && !clearing), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error),
        .access(access), .access_write(access_write), .access_queue(access_queue), .access_word(access_word),
        .access_value(access_value), .access_busy(access_busy), .access_wrong(access_wrong),
        .enable(enable), .table_base(table_base), .table_tags(table_tags), .forget_valid(forget_valid),
        .forget_all(forget_all), .forget_tag(forget_tag), .forget_busy(forget_busy), .time_limit(time_limit),
        .group(group), .renew(renew), .generation(generation), .under_way(under_way),
        .strayed(strayed), .late(late), .hit(hit), .miss(miss), .sent(sent), .received(received),
        .faulted(faulted),
        .error_descriptor(error_descriptor), .descriptor_queue(start_queue), .descriptor_index(start_index),
        .error_overflow(error_overflow), .error_packet(error_packet), .error_response(error_response),
        .receive_info(receive_info), .corrected(corrected != 7'd0), .fatal(fatal != 9'd0), .blocked(blocked),
        .flip_mask(flip_mask), .flipped(flipped != 7'd0),
        .attention(attention), .obs_idle(idle[7]));

    tofu_tni_queues #(.QUEUES(QUEUES)) u_queues (
        .clk(clk), .rst(rst), .clearing(clearing), .clear_queue(clear_reg[2:0]), .enable(enable),
        .access(access), .access_write(access_write), .access_queue(access_queue), .access_word(access_word),
        .access_data(reg_wdata), .access_value(access_value), .access_busy(access_busy), .access_wrong(access_wrong),
        .turn_room(queue_room), .turn(turn), .turn_taken(turn_taken), .turn_queue(turn_queue), .turn_index(turn_index),
        .turn_address(turn_address), .turn_used(turn_used), .fetched(fetched), .fetched_queue(fetched_queue),
        .release_valid(release_valid), .release_queue(release_queue),
        .entry_read(entry_read), .entry_queue(entry_queue), .entry_written(entry_written), .entry_notice(entry_notice),
        .entry_completions(entry_completions),
        .entry_completions_size(entry_completions_size), .entry_notices(entry_notices),
        .entry_notices_size(entry_notices_size), .entry_noticed(entry_noticed), .queue_enabled(queue_enabled),
        .queue_restart(queue_restart),
        .flip_mask(flip_mask), .flipped(flipped[0]), .corrected(corrected[0]), .fatal(fatal[0]));

    tofu_tni_commands #(.INTERFACES(INTERFACES), .QUEUES(QUEUES)) u_commands (
        .clk(clk), .rst(rst), .blocked(blocked),
        .turn(turn), .turn_taken(turn_taken), .turn_queue(turn_queue), .turn_index(turn_index),
        .turn_address(turn_address), .turn_used(turn_used), .fetched(fetched), .fetched_queue(fetched_queue),
        .queue_enabled(queue_enabled), .queue_room(queue_room), .queue_waiting(sending),
        .rd_valid(r_valid[0]), .rd_ready(r_ready[0]), .rd_address(r_address[35:0]), .rd_rvalid(r_rvalid[0]),
        .rd_data(rd_data),
        .free(free), .free_message(free_message), .free_for(free_for), .start_valid(start_valid),
        .start_kind(start_kind),
        .start_queue(start_queue), .start_index(start_index), .start_old(start_old), .start_wants(start_wants),
        .start_notice(start_notice),
        .start_local(start_local), .start_tag(start_tag), .start_offset(start_offset), .start_length(start_length),
        .end_valid(over_valid),
        .end_ready(end_ready && !failed_reg), .end_message(over_message), .end_cause(over_cause),
        .error_descriptor(error_descriptor),
        .job_valid(c_valid), .job_ready(c_ready), .job_kind(c_kind), .job_to(c_to), .job_path(c_path),
        .job_interface(c_interface), .job_queue(c_queue), .job_source_queue(c_source_queue), .job_message(c_message),
        .job_edata(c_edata), .job_notice(c_notice), .job_operation(c_operation), .job_far_tag(c_far_tag),
        .job_far_offset(c_far_offset), .job_length(c_length), .job_immediate(c_immediate), .job_data(c_data),
        .job_tag(c_tag), .job_offset(c_offset),
        .flip_mask(flip_mask), .flipped(flipped[1]), .corrected(corrected[1]), .fatal(fatal[1]), .obs_idle(idle[0]));

    tofu_tni_messages #(.MESSAGES(MESSAGES)) u_messages (
        .clk(clk), .rst(rst),
        .free(free), .free_message(free_message), .free_for(free_for), .start_valid(start_valid),
        .start_kind(start_kind),
        .start_queue(start_queue), .start_index(start_index), .start_old(start_old), .start_wants(start_wants),
        .start_notice(start_notice),
        .start_local(start_local), .start_tag(start_tag), .start_offset(start_offset), .start_length(start_length),
        .queue_enabled(queue_enabled), .left_valid(fail_valid), .left_message(fail_message[3:0]), .period(period_reg),
        .pending(pending[0]), .renew(renew), .generation(generation), .under_way(under_way),
        .forget(forget_valid), .forget_all(forget_all), .forget_tag(forget_tag),
        .forgetting(forgetting),
        .end_valid(failed_reg || over_valid), .end_ready(end_ready),
        .end_message(failed_reg ? failed_message_reg : over_message),
        .end_cause(failed_reg ? failed_cause_reg : over_cause),
        .look_valid(look_valid), .look_message(look_message), .look_known(look_known), .look_late(look_late),
        .look_orphan(look_orphan), .look_kind(look_kind),
        .look_queue(look_queue), .look_tag(look_tag), .look_offset(look_offset), .look_length(look_length),
        .rsp_valid(rsp_valid), .rsp_bytes(rsp_bytes), .rsp_last(rsp_last), .rsp_cause(rsp_cause), .rsp_old(rsp_old),
        .cpl_valid(cpl_valid), .cpl_ready(cpl_ready), .cpl_queue(cpl_queue), .cpl_index(cpl_index),
        .cpl_cause(cpl_cause), .cpl_notice(cpl_notice), .cpl_old(cpl_old), .release_valid(release_valid),
        .release_queue(release_queue),
        .flip_mask(flip_mask), .flipped(flipped[2]), .corrected(corrected[2]), .fatal(fatal[2]), .obs_idle(idle[1]));

    wire [7:0]   unused_message;
    wire         unused_owed;
    wire [15:0]  unused_slot;
    tofu_tni_stream #(.RESPONSE(0), .DEPTH_BITS(DEPTH_BITS)) u_requests (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(number), .blocked(blocked),
        .job_valid(c_valid), .job_ready(c_ready), .job_kind(c_kind), .job_to(c_to), .job_path(c_path),
        .job_interface(c_interface), .job_queue(c_queue), .job_source_queue(c_source_queue), .job_message(c_message),
        .job_edata(c_edata), .job_group(group), .job_notice(c_notice), .job_cause(4'd0), .job_operation(c_operation),
        .job_far_tag(c_far_tag), .job_far_offset(c_far_offset), .job_length(c_length), .job_immediate(c_immediate),
        .job_data(c_data), .job_tag(c_tag), .job_offset(c_offset), .job_right_queue(c_source_queue),
        .waiting(sending), .ended(unused_ended), .end_valid(fail_valid), .end_message(fail_message),
        .end_cause(fail_cause), .end_owed(unused_owed), .end_slot(unused_slot),
        .forget_all(forget_all), .forget_tag(forget_tag), .forgetting(unused_forgetting),
        .req_valid(q_valid[0]), .req_ready(q_ready[0]), .req_tag(q_tag[17:0]), .req_offset(q_offset[39:0]),
        .req_length(q_length[23:0]), .req_queue(q_queue[5:0]), .ans_valid(a_valid[0]),
        .ans_address(a_address), .ans_left(a_left), .ans_cause(a_cause),
        .rd_valid(r_valid[1]), .rd_ready(r_ready[1]), .rd_address(r_address[71:36]), .rd_rvalid(r_rvalid[1]),
        .rd_data(rd_data),
        .inj_valid(inj_valid[0]), .inj_ready(inj_ready[0]), .inj_beat(inj_beat[147:0]),
        .flip_mask(flip_mask), .flipped(flipped[3]), .sent(sent[0]), .corrected(corrected[3]), .fatal(fatal[3]),
        .obs_idle(idle[2]));

    tofu_tni_stream #(.RESPONSE(1), .INDEX_BITS(GETS_BITS), .DEPTH_BITS(DEPTH_BITS)) u_answers (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(number), .blocked(blocked),
        .job_valid(s_valid), .job_ready(s_ready), .job_kind(s_kind), .job_to(s_to), .job_path(s_path),
        .job_interface(s_interface), .job_queue(s_queue), .job_source_queue(s_source_queue), .job_message(s_message),
        .job_edata({10'd0, s_slot}), .job_group(s_group), .job_notice(s_owed), .job_cause(s_cause),
        .job_operation(4'd0),
        .job_far_tag(18'd0),
        .job_far_offset(40'd0), .job_length(s_length), .job_immediate(s_immediate), .job_data({192'd0, s_data}),
        .job_tag(s_tag), .job_offset(s_offset), .job_right_queue(s_source_queue),
        .waiting(unused_waiting), .ended(get_ended), .end_valid(answered), .end_message(unused_message),
        .end_cause(answered_cause), .end_owed(answered_owed), .end_slot(answered_slot),
        .forget_all(forget_all), .forget_tag(forget_tag), .forgetting(streams),
        .req_valid(q_valid[1]), .req_ready(q_ready[1]), .req_tag(q_tag[35:18]), .req_offset(q_offset[79:40]),
        .req_length(q_length[47:24]), .req_queue(q_queue[11:6]), .ans_valid(a_valid[1]),
        .ans_address(a_address), .ans_left(a_left), .ans_cause(a_cause),
        .rd_valid(r_valid[2]), .rd_ready(r_ready[2]), .rd_address(r_address[107:72]), .rd_rvalid(r_rvalid[2]),
        .rd_data(rd_data),
        .inj_valid(inj_valid[1]), .inj_ready(inj_ready[1]), .inj_beat(inj_beat[295:148]),
        .flip_mask(flip_mask), .flipped(flipped[4]), .sent(sent[1]), .corrected(corrected[4]), .fatal(fatal[4]),
        .obs_idle(idle[3]));

    tofu_tni_translate #(.LINES(LINES)) u_translate (
        .clk(clk), .rst(rst), .table_base(table_base), .table_tags(table_tags), .forget_valid(forget_valid),
        .forget_tag(forget_tag), .forget_all(forget_all),
        .req_valid(q_valid), .req_ready(q_ready), .req_tag(q_tag), .req_offset(q_offset), .req_length(q_length),
        .req_right(q_right), .req_local(q_local), .req_queue(q_queue), .ans_valid(a_valid), .ans_address(a_address),
        .ans_left(a_left), .ans_cause(a_cause),
        .rd_valid(r_valid[3]), .rd_ready(r_ready[3]), .rd_address(r_address[143:108]), .rd_rvalid(r_rvalid[3]),
        .rd_data(rd_data),
        .hit(hit), .miss(miss), .flip_mask(flip_mask), .flipped(flipped[5]), .corrected(corrected[5]), .fault(fatal[5]),
        .obs_idle(idle[4]));

    tofu_tni_reader u_reader (
        .clk(clk), .rst(rst), .blocked(blocked),
        .valid(r_valid), .ready(r_ready), .address(r_address), .rvalid(r_rvalid),
        .rd_valid(rd_valid), .rd_ready(rd_ready), .rd_address(rd_address), .rd_rvalid(rd_rvalid),
        .mark(mark), .marked(marked), .fault(fatal[7]), .obs_idle(idle[5]));

    tofu_tni_forget u_forget (
        .clk(clk), .rst(rst), .start(forget_valid), .holds(holds), .executes(executes), .writes(writes),
        .streams(streams), .mark(mark), .marked(marked), .messages(forgetting), .busy(forget_busy),
        .fault(forget_fault), .obs_idle(forget_idle));
    assign fatal[8] = forget_fault;

    tofu_tni_receiver #(.GETS_BITS(GETS_BITS), .PUTS_BITS(PUTS_BITS)) u_receiver (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(number), .enable(enable), .group(group),
        .blocked(blocked),
        .ej_valid(ej_valid), .ej_beat(ej_beat), .ej_room(ej_room),
        .req_valid(q_valid[2]), .req_ready(q_ready[2]), .req_tag(q_tag[53:36]), .req_offset(q_offset[119:80]),
        .req_length(q_length[71:48]), .req_right(q_right[5:4]), .req_local(q_local[2]), .req_queue(q_queue[17:12]),
        .ans_valid(a_valid[2]), .ans_address(a_address), .ans_left(a_left), .ans_cause(a_cause),
        .rd_valid(r_valid[4]), .rd_ready(r_ready[4]), .rd_address(r_address[179:144]), .rd_rvalid(r_rvalid[4]),
        .rd_data(rd_data), .wr_valid(wr_valid), .wr_ready(wr_ready), .wr_address(wr_address), .wr_data(wr_data),
        .wr_strobe(wr_strobe), .wr_pending(wr_pending), .wr_mark(wr_mark), .wr_passed(wr_passed),
        .mem_look(mem_look), .mem_seen(mem_seen), .mem_stopped(mem_stopped),
        .look_valid(look_valid), .look_message(look_message), .look_known(look_known), .look_late(look_late),
        .look_orphan(look_orphan), .look_kind(look_kind),
        .look_queue(look_queue), .look_tag(look_tag), .look_offset(look_offset), .look_length(look_length),
        .rsp_valid(rsp_valid), .rsp_bytes(rsp_bytes), .rsp_last(rsp_last), .rsp_cause(rsp_cause), .rsp_old(rsp_old),
        .cpl_valid(cpl_valid), .cpl_ready(cpl_ready), .cpl_queue(cpl_queue), .cpl_index(cpl_index),
        .cpl_cause(cpl_cause), .cpl_notice(cpl_notice), .cpl_old(cpl_old),
        .job_valid(s_valid), .job_ready(s_ready), .job_kind(s_kind), .job_to(s_to), .job_path(s_path),
        .job_interface(s_interface), .job_queue(s_queue), .job_source_queue(s_source_queue), .job_message(s_message),
        .job_cause(s_cause), .job_group(s_group), .job_length(s_length), .job_immediate(s_immediate),
        .job_data(s_data), .job_tag(s_tag), .job_offset(s_offset), .job_owed(s_owed), .job_slot(s_slot),
        .answered(answered), .answered_owed(answered_owed), .answered_slot(answered_slot[5:0]),
        .answered_cause(answered_cause),
        .entry_read(entry_read), .entry_queue(entry_queue), .entry_completions(entry_completions),
        .entry_completions_size(entry_completions_size), .entry_notices(entry_notices),
        .entry_notices_size(entry_notices_size), .entry_noticed(entry_noticed), .queue_enabled(queue_enabled),
        .queue_restart(queue_restart), .entry_written(entry_written), .entry_notice(entry_notice),
        .get_ended(get_ended), .period(period_reg), .pending(pending[1]), .holds(holds),
        .executes(executes),
        .writes(writes), .strayed(strayed), .late(late), .received(received), .faulted(faulted),
        .error_overflow(error_overflow),
        .error_packet(error_packet), .error_response(error_response), .receive_info(receive_info),
        .flip_mask(flip_mask), .flipped(flipped[6]), .corrected(corrected[6]), .fatal(fatal[6]), .obs_idle(idle[6]));

    wire unused = &{1'b0, unused_message, unused_owed, unused_slot, answered_slot[15:6], unused_forgetting,
                    unused_ended, unused_waiting, fail_message[7:4]};
endmodule
`default_nettype wire
