// SPDX-License-Identifier: Apache-2.0
// Carries out what tofu_tni_check accepted, one packet after the other: payload into memory (tofu_tni_deposit),
// atomics, then the notice, then the answer or, for responses, word to the command. README.md, "Receiver"; [Tofu2012]
// section 4.1.
//
//   put:              MOVE -> NOTICE? -> FINISH?       get:   NOTICE? -> FINISH, a good one's notice is owed
//   atomic: FETCH -> OPERAND -> ATOMIC -> NOTICE? -> FINISH
//   data:             MOVE                             response: (FETCH -> OPERAND ->) FINISH
//
// An answer is given when memory has taken what was written: its receiver finds the data, by any interface of the
// node, and a get what puts before it brought.
//
// A packet of 120 beats takes 122 cycles, 123 where it is not aligned: the next one begins in the last of them.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_execute #(
    parameter SLOT_BITS = 2
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 act_valid,       // tofu_tni_check
    output wire                 act_ready,
    input  wire                 act_class,
    input  wire [SLOT_BITS-1:0] act_slot,
    input  wire [255:0]         act_head,
    input  wire                 act_drop,
    input  wire [3:0]           act_cause,
    input  wire                 act_write,
    input  wire [10:0]          act_bytes,
    input  wire [39:0]          act_address,

    output wire [1:0]           free,            // tofu_tni_receive
    output wire                 fetch_en,
    output wire                 fetch_look,
    output reg                  read_class,
    output reg  [SLOT_BITS-1:0] read_slot,
    input  wire [127:0]         read_data,

    output wire                 deposit,         // tofu_tni_deposit: begins, with act_*
    input  wire                 deposited,

    input  wire                 writing,         // memory has not taken everything yet
    input  wire                 wr_pending,      // or does not hold what it took: the three as tofu_icc has them
    output wire                 wr_mark,
    input  wire                 wr_passed,
    output wire                 atomic_start,    // tofu_tni_atomic
    output wire [2:0]           atomic_operation,
    output wire                 atomic_wide,
    output reg  [39:0]          atomic_address,
    output reg  [127:0]         operand,         // {compare value, operand}
    input  wire                 atomic_done,
    input  wire [63:0]          atomic_old,

    output wire                 notice_valid,    // tofu_tni_entries
    input  wire                 notice_ready,
    input  wire                 notice_lost,
    output wire [2:0]           notice_queue,
    output wire [255:0]         notice,
    output wire                 notice_owed,     // of a get: tofu_tni_owed
    input  wire                 notice_kept,

    output wire                 job_push,        // tofu_tni_jobs
    output wire                 job_data,        // what a get asked for; else a response
    output wire [3:0]           job_cause,
    output wire                 job_owed,        // and its notice is owed
    output wire                 job_old,         // with the old value of an atomic
    output wire [63:0]          old,
    output wire [255:0]         job_head,        // of the request

    output wire                 rsp_valid,       // pulse: word to the command
    output wire [7:0]           rsp_message,
    output wire [10:0]          rsp_bytes,
    output wire                 rsp_last,
    output wire [3:0]           rsp_cause,
    output wire [63:0]          rsp_old,

    output wire                 faulted,         // pulse: a request was carried out with a cause
    output reg                  error_overflow,  // pulse, with notice_queue: a notice was lost
    output reg                  fault,
    output wire                 obs_idle
);
    localparam [6:0] IDLE = 7'd1, MOVE = 7'd2, FETCH = 7'd4, OPERAND = 7'd8, ATOMIC = 7'd16, NOTICE = 7'd32,
                     FINISH = 7'd64;
    localparam [3:0] LOST = `TOFU_CAUSE_NOTICE_LOST, FULL = `TOFU_CAUSE_FULL;
    reg  [6:0]   state_reg;
    reg  [255:0] head_reg;
    reg          drop_reg, lost_reg, owed_reg;
    reg  [3:0]   cause_reg;
    reg  [10:0]  bytes_reg;
    reg  [63:0]  old_reg;

    wire [3:0]   kind     = head_reg[`TOFU_HEADER_KIND];
    wire         get      = kind == `TOFU_KIND_GET;
    wire         atomic   = kind == `TOFU_KIND_ATOMIC;
    wire         response = kind == `TOFU_KIND_RESPONSE;
    wire         good     = cause_reg == 4'd0;
    wire         brings   = head_reg[24];                    // a response with a beat: an atomic's
    wire         notices  = !drop_reg && !read_class && head_reg[`TOFU_REMOTE_LAST] &&
                            (good ? head_reg[`TOFU_REMOTE_NOTICE] : cause_reg <= 4'd4);
    // what found no room among the open messages is answered at once, and once more at its end
    wire         answers  = !drop_reg && !read_class && (get || head_reg[`TOFU_REMOTE_ANSWER] || cause_reg == FULL);
    wire         moved    = state_reg[1] && deposited;
    // An answer says that all is in memory. Others of this interface's writes may follow for ever, so that those
    // before it are marked.
    reg          marked_reg;
    wire         written  = wr_pending ? marked_reg && wr_passed : !writing;
    wire         ends     = (state_reg[6] && !(answers && !written)) || (moved && !notices && !answers);

    // the same of what comes next
    wire [3:0]   act_kind    = act_head[`TOFU_HEADER_KIND];
    wire         act_fetch   = !act_drop && act_cause == 4'd0 &&
                               (act_kind == `TOFU_KIND_ATOMIC || (act_kind == `TOFU_KIND_RESPONSE && act_head[24]));
    wire         act_notices = !act_drop && !act_class && act_head[`TOFU_REMOTE_LAST] &&
                               (act_cause == 4'd0 ? act_head[`TOFU_REMOTE_NOTICE] : act_cause <= 4'd4);

    assign act_ready        = state_reg[0] || ends;
    assign deposit          = act_valid && act_ready && act_write;
    assign free             = ends ? (read_class ? 2'd2 : 2'd1) : 2'd0;
    assign fetch_en         = state_reg[2];
    assign fetch_look       = state_reg[3];
    assign atomic_start     = state_reg[4];
    assign {atomic_wide, atomic_operation} = head_reg[`TOFU_REMOTE_OPERATION];

    assign notice_valid = state_reg[5];
    wire [5:0]   queue = head_reg[`TOFU_REMOTE_QUEUE];
    assign notice_queue = queue[2:0];
    assign notice       = {64'd0, 6'd0, head_reg[`TOFU_REMOTE_TAG], head_reg[`TOFU_REMOTE_OFFSET], 32'd0,
                           head_reg[`TOFU_REMOTE_SOURCE_INTERFACE],
                           head_reg[`TOFU_REMOTE_SOURCE_QUEUE], head_reg[`TOFU_REMOTE_SOURCE_INTERFACE_HIGH], 4'd0,
                           head_reg[`TOFU_HEADER_FROM], 4'd0, kind, head_reg[`TOFU_REMOTE_LENGTH], 8'd0, 4'd0,
                                                      cause_reg,
                           head_reg[`TOFU_REMOTE_EDATA]};

    assign notice_owed  = get && good;
    assign wr_mark   = state_reg[6] && answers && wr_pending && !writing && !marked_reg;
    assign job_push  = ends && answers;
    assign job_data  = get && good;
    assign job_cause = !good ? cause_reg : lost_reg ? LOST : 4'd0;
    assign job_owed  = owed_reg;
    assign job_old   = atomic && good;
    assign job_head  = head_reg;
    assign old       = old_reg;
    assign faulted   = job_push && job_cause != 4'd0;

    assign rsp_valid   = ends && !drop_reg && read_class;
    assign rsp_message = head_reg[`TOFU_REMOTE_NUMBER];
    assign rsp_bytes   = response ? 11'd0 : bytes_reg;
    assign rsp_last    = response ? head_reg[`TOFU_REMOTE_CAUSE] != FULL : head_reg[`TOFU_REMOTE_LAST];
    assign rsp_cause   = good && (response || rsp_last) ? head_reg[`TOFU_REMOTE_CAUSE] : cause_reg;
    assign rsp_old     = response && brings ? operand[63:0] : 64'd0;

    assign obs_idle    = state_reg[0] && !act_valid && !error_overflow && !fault;

    always @(posedge clk) begin
        marked_reg     <= wr_mark || (marked_reg && !ends);
        fault          <= state_reg == 7'd0 || (state_reg & (state_reg - 7'd1)) != 7'd0;
        error_overflow <= state_reg[5] && notice_ready && notice_lost;
        case (1'b1)
            state_reg[1]: if (moved) state_reg <= notices ? NOTICE : answers ? FINISH : IDLE;
            state_reg[2]: state_reg <= OPERAND;
            state_reg[3]: begin
                operand   <= read_data;
                state_reg <= atomic ? ATOMIC : FINISH;
            end
            state_reg[4]: if (atomic_done) begin
                old_reg   <= atomic_old;
                state_reg <= notices ? NOTICE : FINISH;
            end
            state_reg[5]: if (notice_ready) begin
                lost_reg  <= notice_lost;
                owed_reg  <= notice_kept;
                state_reg <= FINISH;
            end
            default: if (state_reg[0] || ends) state_reg <= IDLE;
        endcase
        if (act_ready && act_valid) begin
            head_reg       <= act_head;
            read_class     <= act_class;
            read_slot      <= act_slot;
            drop_reg       <= act_drop;
            cause_reg      <= act_cause;
            bytes_reg      <= act_bytes;
            atomic_address <= act_address;
            lost_reg       <= 1'b0;
            owed_reg       <= 1'b0;
            state_reg      <= act_write ? MOVE : act_fetch ? FETCH : act_notices ? NOTICE : FINISH;
        end
        if (rst) begin
            state_reg      <= IDLE;
            marked_reg     <= 1'b0;
            error_overflow <= 1'b0;
            fault          <= 1'b0;
        end
    end

    wire unused = &{1'b0, act_head, queue[5:3]};
endmodule
`default_nettype wire
