// SPDX-License-Identifier: Apache-2.0
// Writes completions (16 bytes) and notices (32) into their queues' rings, each with its phase: of a notice the
// second half first, so that it is whole when its phase shows. Commands keep room for their completions; a notice whose
// ring is full is lost, which its sender learns. One that is owed (tofu_tni_owed) only gets room at first, which it
// takes when it is late. README.md, "Ring entries".
`default_nettype none
module tofu_tni_entries (
    input  wire         clk,
    input  wire         rst,

    input  wire         completion_valid,
    output wire         completion_ready,
    input  wire [2:0]   completion_queue,
    input  wire [15:0]  completion_index,    // of the command
    input  wire [3:0]   completion_cause,
    input  wire         completion_notice,
    input  wire [63:0]  completion_old,

    input  wire         notice_valid,
    output wire         notice_ready,
    output wire         notice_lost,         // with ready
    input  wire [2:0]   notice_queue,
    input  wire [255:0] notice,              // without phase
    input  wire         notice_owed,         // it gets room, and is written when it comes again,
    input  wire         notice_late,         // as this: never lost
    output wire         notice_kept,         // with ready: it got room

    // queue's registers, tofu_tni_registers; base addresses in units of 16 bytes, sizes log2
    output wire         entry_read,
    output wire [2:0]   entry_queue,
    input  wire [31:0]  entry_completions,
    input  wire [3:0]   entry_completions_size,
    input  wire [31:0]  entry_notices,
    input  wire [3:0]   entry_notices_size,
    input  wire [15:0]  entry_noticed,
    input  wire [7:0]   queue_enabled,
    input  wire [7:0]   queue_restart,       // pulses: indices begin at 0
    output wire         entry_written,       // pulse: one more entry of entry_queue's ring,
    output wire         entry_notice,        // a notice

    output wire         entry_valid,         // tofu_tni_writer
    input  wire         entry_ready,
    output reg  [35:0]  entry_address,
    output wire [127:0] entry_data,

    output reg          corrected,
    output reg          fault,
    output wire         obs_idle
);
    localparam [2:0] IDLE = 3'd1, FIRST = 3'd2, SECOND = 3'd4;
    reg  [2:0]   state_reg;
    reg          two_reg;                // a notice
    reg  [255:0] entry_reg;
    reg          turn_reg;               // a completion was served last
    reg  [7:0]   fresh_reg;              // indices are 0, whatever memory says

    wire         noticing = notice_valid && !(completion_valid && !turn_reg);
    wire         taken    = state_reg[0] && (notice_valid || completion_valid);
    wire [63:0]  stored;
    wire         single, hopeless;
    wire         fresh    = fresh_reg[entry_queue];
    wire [15:0]  completed = fresh ? 16'd0 : stored[15:0];
    wire [15:0]  noticed   = fresh ? 16'd0 : stored[31:16];
    wire [15:0]  index     = noticing ? noticed : completed;
    wire [15:0]  size      = 16'd1 << (noticing ? entry_notices_size : entry_completions_size);
    wire [15:0]  at        = index & (size - 16'd1);
    wire         phase     = (index & size) == 16'd0;
    wire [7:0]   owed      = fresh ? 8'd0 : stored[39:32];
    wire [15:0]  held      = noticed - entry_noticed + {8'd0, owed};
    wire         full      = held >= size && !notice_late;
    wire         counts    = taken && queue_enabled[entry_queue] && !(noticing && full);
    wire         keeps     = noticing && notice_owed;
    wire         writes    = counts && !keeps;

    assign entry_read       = taken;
    assign entry_written    = writes;
    assign entry_notice     = noticing;
    assign entry_queue      = noticing ? notice_queue : completion_queue;
    assign notice_ready     = state_reg[0] && noticing;
    assign completion_ready = state_reg[0] && !noticing;
    assign notice_lost      = full && queue_enabled[entry_queue];
    assign notice_kept      = counts && keeps;
    assign entry_valid      = state_reg[1] || state_reg[2];
    assign entry_data       = entry_reg[127:0];
    assign obs_idle         = state_reg[0] && !notice_valid && !completion_valid && queue_restart == 8'd0 &&
                              !corrected && !fault;

    wire unused_flip;
    tofu_tni_memory #(.WORDS(1), .ADDRESS_BITS(3)) u_indices (
        .clk(clk), .wr_en(counts), .wr_address(entry_queue),
        .wr_data({24'd0, keeps ? {owed + 8'd1, noticed, completed} :
                         noticing ? {owed - {7'd0, notice_late}, noticed + 16'd1, completed} :
                         {owed, noticed, completed + 16'd1}}),
        .rd_en(taken && !fresh), .rd_address(entry_queue), .rd_data(stored), .flip_mask(144'd0), .flipped(unused_flip),
        .single(single), .uncorrectable(hopeless));

    always @(posedge clk) begin
        corrected <= single;
        fault     <= hopeless || state_reg == 3'd0 || (state_reg & (state_reg - 3'd1)) != 3'd0;
        case (1'b1)
            state_reg[0]: if (taken) begin
                turn_reg      <= !noticing;
                two_reg       <= noticing;
                entry_address <= noticing ? {4'd0, entry_notices} + {19'd0, at, 1'b1}
                                          : {4'd0, entry_completions} + {20'd0, at};
                entry_reg     <= {128'd0, completion_old, 38'd0, completion_notice, phase, 4'd0, completion_cause,
                                  completion_index};
                if (noticing)
                    entry_reg <= {notice[127:25], phase, notice[23:0], notice[255:128]};
                if (writes)
                    state_reg <= FIRST;
            end
            state_reg[1]: if (entry_ready) begin
                entry_address    <= entry_address - 36'd1;
                entry_reg[127:0] <= entry_reg[255:128];
                state_reg        <= two_reg ? SECOND : IDLE;
            end
            default: if (entry_ready) state_reg <= IDLE;
        endcase
        fresh_reg <= (counts ? fresh_reg & ~(8'd1 << entry_queue) : fresh_reg) | queue_restart;
        if (rst) begin
            state_reg <= IDLE;
            turn_reg  <= 1'b0;
            fresh_reg <= 8'hFF;
            corrected <= 1'b0;
            fault     <= 1'b0;
        end
    end

    wire unused = &{1'b0, unused_flip, stored[63:40], notice[24]};
endmodule
`default_nettype wire
