// SPDX-License-Identifier: Apache-2.0
// Credits of the 48 channels (6 links x 8 virtual channels) of a node: where their packets go, how
// many there are, and how many completed. [QPACE2009] section 6: a credit "may contain additional
// information where to write the data"; the destination is base + remote offset + local offset.
//
// A credit is {destination = BASE + CREDIT_OFFSET at the time of posting, packets}; a channel
// queues four. Everything but one bit a channel lives in memories: block RAM for the queue and the
// registers, distributed RAM for the pointers. Each memory has one writer, the register side or the
// receive side, and is cleared (or marked as such) in the 128 cycles after reset, during which requests wait.
//
// If CREDIT_LIMIT is not 0, a credit's place, `packets` units from its destination, must end before it
// and touch no other credit in its channel's queue, which are looked at one by one. The limit lies
// where channel 63 would have its BASE.
//
// Then a packet's remote offset must lie below its credit's packets, too, else it is dropped: a faulty peer does
// not write outside of the memory granted to it.
//
// CREDIT_CANCEL empties a channel's queue. The channel's bit in `credit` falls first, so that no more
// packets are chosen; one that has been is finished, and its credit, which stays queued until then, is
// dropped with it.
//
// Register side: reg_valid and the request are held until reg_ack (2 to 4 cycles later; one more, and one for
// each credit queued, when a credit is checked; reading a status and cancelling wait one more if a
// packet was written just then). Receive side: head_* one cycle after head_channel; line_* combinational.
// With STAGES, for FPGAs, a credit takes a cycle more, and three for CREDIT_LIMIT and for each one it is compared with;
// what is known of line_channel is a cycle old.
`default_nettype none
`include "qpace_nwp_regs.vh"
module qpace_credits #(
    parameter STAGES = 0
) (
    input  wire         clk,
    input  wire         rst,

    // register side
    input  wire         reg_valid,        // held until reg_ack
    input  wire         reg_write,
    input  wire [2:0]   word,             // 0 BASE, then CREDIT_ OFFSET, POST, STATUS, 4 and more CREDIT_CANCEL
    input  wire [5:0]   channel,          // {link, vc}
    input  wire [31:0]  reg_wdata,
    input  wire [47:0]  waiting,          // a packet waits in the channel, 8 * link + vc
    output reg          reg_ack,          // a pulse
    output reg  [31:0]  reg_rdata,        // with reg_ack; with STAGES a cycle later
    output reg          error_full,       // with reg_ack: nothing was queued
    output reg          error_size,
    output reg          error_no_base,
    output reg          error_range,
    output reg          error_overlap,

    // receive side
    output reg  [47:0]  credit,           // the channel has a credit
    input  wire [5:0]   head_channel,
    output wire [31:0]  head_destination, // units of 128 B
    input  wire [5:0]   line_channel,
    output wire         line_completes,   // this packet completes the credit that head_channel read
    output wire [31:0]  line_count,       // completed credits of line_channel, modulo 2^32
    input  wire [14:0]  line_offset,      // remote offset of the packet whose credit head_channel read
    output wire         line_outside,     // it lies outside of the credit's place, and CREDIT_LIMIT is set
    input  wire         line_done,        // the packet was written ...
    input  wire         line_last,        // ... and completed its credit
    input  wire         line_cancelled,   // ... or its credit was cancelled meanwhile
    output wire         cancel,           // a pulse: the credits of cancel_channel are dropped
    output wire [5:0]   cancel_channel,
    input  wire         cancel_active,    // a packet of it is on its way

    output wire         obs_idle
);
    localparam [2:0]
        CLEAR  = 3'd0,    // clearing the memories after reset
        IDLE   = 3'd1,
        OFFSET = 3'd2,    // reading CREDIT_OFFSET, BASE arrives
        SUM    = 3'd3,    // reading the limit, CREDIT_OFFSET arrives
        LIMIT  = 3'd4,    // the limit arrives: the credit is queued, refused or checked
        CHECK  = 3'd5,    // a queued credit arrives, newest first
        VALUE  = 3'd6,    // the value read arrives
        CANCEL = 3'd7;    // the channel's bit in `credit` has fallen

    reg  [2:0]  state;
    reg  [6:0]  clear_count;
    wire        clearing   = state == CLEAR;
    wire        start      = state == IDLE && reg_valid && !reg_ack;
    wire        posting    = reg_write && word == {1'b0, `QPACE_NWP_CREDIT_POST_WORD};
    wire        cancelling = reg_write && word[2];

    // BASE, CREDIT_OFFSET and the limit: block RAM, written and read by the register side only
    (* ram_style = "block" *) reg [31:0] config_mem [0:127];
    reg  [31:0] config_q;
    reg  [31:0] base;                     // then base + offset
    reg         carry;
    wire        config_second = state == OFFSET || word[0];
    wire        config_write  = start && reg_write && word[2:1] == 2'd0;
    wire        config_limit  = state == SUM || state == LIMIT || state == CHECK;
    wire [6:0]  config_addr   = clearing ? clear_count : config_limit ? 7'd126 : {channel, config_second};

    reg         check_lines;              // CREDIT_LIMIT is not 0

    // words are 0 until they are written: a bit each says whether they were
    reg         config_set_mem [0:127];
    wire        config_set    = config_set_mem[config_addr];

    always @(posedge clk) begin
        if (config_write)
            config_mem[config_addr] <= reg_wdata;
        else
            config_q <= config_set ? config_mem[config_addr] : 32'd0;
    end

    always @(posedge clk)
        if (config_write || clearing)
            config_set_mem[config_addr] <= !clearing;

    // written by the register side: whether BASE is set, credits posted modulo 8
    reg         base_set_mem [0:63];
    reg  [2:0]  posted_mem [0:63];
    wire        base_set_now = base_set_mem[channel];
    wire        base_set;
    wire [2:0]  posted      = posted_mem[channel];
    wire [2:0]  line_posted = posted_mem[line_channel];
    wire        queue_write;
    wire [5:0]  slow_addr   = clearing ? clear_count[5:0] : channel;

    always @(posedge clk) begin
        if (clearing || (start && reg_write && word == {1'b0, `QPACE_NWP_BASE_WORD}))
            base_set_mem[slow_addr] <= !clearing;
        if (clearing || queue_write || cancel)
            posted_mem[slow_addr] <= clearing ? 3'd0
                                     : cancel ? taken + {2'd0, cancel_active} : posted + 3'd1;
    end

    // written by the receive side: credits completed modulo 8 (taken) and modulo 2^32 (count),
    // packets written of the oldest credit (used)
    reg  [2:0]  taken_mem [0:63];
    reg  [14:0] used_mem [0:63];
    reg  [31:0] count_mem [0:63];
    wire [31:0] count;                    // of line_channel
    wire        completed   = line_done && line_last;
    wire        ended       = line_done && (line_last || line_cancelled);
    wire        clear_used  = cancel && !cancel_active;   // the other writer of used_mem, never at once
    wire [2:0]  taken       = taken_mem[channel];
    wire [14:0] used        = used_mem[channel];
    /* verilator lint_off UNUSED */   // its top bit only tells full from empty
    wire [2:0]  head_taken  = taken_mem[head_channel];
    /* verilator lint_on UNUSED */
    wire [2:0]  line_taken  = taken_mem[line_channel];
    wire [14:0] line_used   = used_mem[line_channel];
    wire [14:0] line_used1  = line_used + 15'd1;
    // all ones + 1 = 0: one adder counts and clears
    wire [31:0] line_count1 = (count | {32{clearing}}) + 32'd1;
    wire [2:0]  line_taken1 = line_taken + 3'd1;
    wire [5:0]  fast_addr   = clearing ? clear_count[5:0] : line_channel;
    wire [5:0]  used_addr   = cancel ? channel : fast_addr;

    assign line_count = count;
    generate
        if (STAGES == 0) begin : g_count
            assign count = count_mem[line_channel];
        end else begin : g_count_reg
            // a line's beats come one by one, so that its channel stands still before it is done
            reg [31:0] count_reg;
            always @(posedge clk)
                count_reg <= completed ? line_count1 : count_mem[line_channel];
            assign count = count_reg;
        end
    endgenerate

    always @(posedge clk) begin
        if (clearing || line_done || clear_used)
            used_mem[used_addr] <= (clearing || ended || clear_used) ? 15'd0 : line_used1;
        if (clearing || ended)
            taken_mem[fast_addr] <= clearing ? 3'd0 : line_taken1;
        if (clearing || completed)
            count_mem[fast_addr] <= line_count1;
    end

    // the queue: block RAM, {destination, packets} of credit n of a channel at {channel, n mod 4}
    (* ram_style = "block" *) reg [46:0] queue_mem [0:255];
    reg  [46:0] head_q;

    always @(posedge clk) begin
        if (queue_write)
            queue_mem[{channel, posted[1:0]}] <= {base, reg_wdata[14:0]};
        head_q         <= queue_mem[{head_channel, head_taken[1:0]}];
    end

    // a copy for the register side, so that it never meets the data
    (* ram_style = "block" *) reg [46:0] copy_mem [0:255];
    reg  [46:0] copy_q;
    reg  [2:0]  check_slot;               // the credit that is in copy_q, in CHECK
    wire [2:0]  next_slot = (state == CHECK ? check_slot : posted) - 3'd1;
    wire [1:0]  copy_slot = (state == CHECK || state == LIMIT) ? next_slot[1:0] : taken[1:0];

    always @(posedge clk) begin
        if (queue_write)
            copy_mem[{channel, posted[1:0]}] <= {base, reg_wdata[14:0]};
        copy_q <= copy_mem[{channel, copy_slot}];
    end

    wire [46:0] head;
    generate
        if (STAGES == 0) begin : g_head
            assign head = head_q;
        end else begin : g_head_reg
            // a line needs it a cycle later, and head_channel stands still until then
            reg [46:0] head_reg;
            always @(posedge clk)
                head_reg <= head_q;
            assign head = head_reg;
        end
    endgenerate

    assign head_destination = head[46:15];
    assign line_completes   = line_used1 == head[14:0];
    assign line_outside     = check_lines && line_offset >= head[14:0];

    // register side
    wire [2:0]  queued_now = posted - taken;
    // with STAGES a cycle old, when one more may have been there
    wire [2:0]  queued, oldest;
    wire        size_ok;
    wire [14:0] oldest_size, oldest_used;            // of the oldest credit, in VALUE
    generate
        if (STAGES == 0) begin : g_queued
            assign {queued, oldest, size_ok, base_set} = {queued_now, taken, size_ok_now, base_set_now};
            assign {oldest_size, oldest_used}          = {copy_q[14:0], used};
        end else begin : g_queued_reg
            reg [7:0]  queue_reg;
            reg [29:0] oldest_reg;
            always @(posedge clk) begin
                queue_reg  <= {queued_now, taken, size_ok_now, base_set_now};
                oldest_reg <= {copy_q[14:0], used};
            end
            assign {queued, oldest, size_ok, base_set} = queue_reg;
            assign {oldest_size, oldest_used}          = oldest_reg;
        end
    endgenerate
    wire        full    = queued == 3'd4;
    wire        size_ok_now = reg_wdata[31:15] == 17'd0 && reg_wdata[14:0] != 15'd0;
    wire        good    = base_set && size_ok && !full;

    // CREDIT_OFFSET, in SUM; with STAGES in its second cycle
    wire [31:0] offset;
    wire        sum_ready;

    // One subtractor: how far the limit, or a queued credit, lies above the new one; in units of
    // 128 B, modulo 2^32 as the addresses are.
    wire [31:0] against = state == CHECK ? copy_q[46:15] : config_q;
    wire [32:0] above;
    wire [14:0] size;                                // of the queued credit
    wire        covers_now  = above[31:15] == 17'd0 && above[14:0] < reg_wdata[14:0];
    wire [15:0] end_low     = {1'b0, above[14:0]} + {1'b0, size};
    wire        reached_now = above[31:15] == {17{1'b1}} && end_low[15] && end_low[14:0] != 15'd0;
    wire        covers, reached;                     // the new one reaches it; it reaches the new one
    wire        below = above[32];                   // the limit lies below
    wire        settled;                             // they belong to what state says
    generate
        if (STAGES == 0) begin : g_compare
            assign above   = {1'b0, against} - {1'b0, base};
            assign size    = copy_q[14:0];
            assign covers  = covers_now;
            assign reached = reached_now;
            assign settled = 1'b1;
            assign {offset, sum_ready} = {config_q, 1'b1};
        end else begin : g_compare_reg
            reg [1:0]  step;                         // of LIMIT, or of a CHECK
            reg [31:0] against_reg;
            reg [14:0] size_reg;
            reg [32:0] above_reg;
            reg        covers_reg, reached_reg;
            assign above   = above_reg;
            assign size    = size_reg;
            assign covers  = covers_reg;
            assign reached = reached_reg;
            assign settled = &step || !check_lines;   // without a limit nothing is compared
            reg [31:0] offset_reg;
            reg        sum_reg;
            assign {offset, sum_ready} = {offset_reg, sum_reg};
            always @(posedge clk) begin
                offset_reg <= config_q;
                sum_reg    <= state == SUM && !sum_reg;
                step <= (state == LIMIT || state == CHECK) ? step + 2'd1 : 2'd0;
                if (step == 2'd0) begin
                    against_reg <= against;
                    size_reg    <= copy_q[14:0];
                end
                above_reg   <= {1'b0, against_reg} - {1'b0, base};
                covers_reg  <= covers_now;
                reached_reg <= reached_now;
            end
        end
    endgenerate
    wire        beyond   = check_lines && (carry || below || covers);
    /* verilator lint_off UNUSED */   // the sign is asked for
    wire [2:0]  from_oldest = check_slot - oldest;
    /* verilator lint_on UNUSED */
    wire        checked  = from_oldest[2];            // below the oldest: all have been looked at
    wire        overlap  = state == CHECK && !checked && (covers || reached);
    wire        decided  = settled && (state == LIMIT ? (!good || beyond || !check_lines || queued == 3'd0)
                                                      : (state == CHECK && (checked || overlap)));

    // A credit posted in the very cycle in which the last one completes counts.
    wire        last_now = line_taken1 == line_posted;   // line_channel's is the last
    wire        last;
    generate
        if (STAGES == 0) begin : g_last
            assign last = last_now;
        end else begin : g_last_reg
            // line_channel stands still before a line is done
            reg last_reg, more_reg;
            always @(posedge clk) begin
                last_reg <= last_now;
                more_reg <= queue_write && channel == line_channel;
            end
            assign last = last_reg && !more_reg;
        end
    endgenerate
    wire [5:0]  drop_link = (ended && last) ? 6'd1 << line_channel[5:3] : 6'd0;
    wire [7:0]  drop_vc   = 8'd1 << line_channel[2:0];
    wire [5:0]  set_link  = queue_write ? 6'd1 << channel[5:3] : 6'd0;
    wire [7:0]  set_vc    = 8'd1 << channel[2:0];
    wire [5:0]  stop_link = (start && cancelling) ? 6'd1 << channel[5:3] : 6'd0;
    reg  [47:0] credit_next;
    integer     l;

    always @* begin
        l = 0;
        for (l = 0; l < 6; l = l + 1)
            credit_next[8*l +: 8] = (credit[8*l +: 8] & ~(drop_vc & {8{drop_link[l]}})
                                                      & ~(set_vc & {8{stop_link[l]}}))
                                    | (set_vc & {8{set_link[l]}});
    end

    assign queue_write    = decided && good && !(state == LIMIT && beyond) && !overlap;
    assign cancel         = state == CANCEL && !line_done;
    assign cancel_channel = channel;
    assign obs_idle       = state == IDLE && !reg_ack;

    always @* begin
        reg_rdata = 32'd0;
        case (word)
            {1'b0, `QPACE_NWP_BASE_WORD}, {1'b0, `QPACE_NWP_CREDIT_OFFSET_WORD}: reg_rdata = config_q;
            {1'b0, `QPACE_NWP_CREDIT_STATUS_WORD}: begin
                reg_rdata[`QPACE_NWP_CREDIT_STATUS_LEFT]     = queued == 3'd0 ? 15'd0 : oldest_size - oldest_used;
                reg_rdata[`QPACE_NWP_CREDIT_STATUS_FREE]     = 3'd4 - queued;
                reg_rdata[`QPACE_NWP_CREDIT_STATUS_WAITING]  = channel < 6'd48 && waiting[channel];
                reg_rdata[`QPACE_NWP_CREDIT_STATUS_BASE_SET] = base_set;
            end
            default: reg_rdata = 32'd0;
        endcase
    end

    always @(posedge clk) begin
        reg_ack       <= 1'b0;
        error_full    <= 1'b0;
        error_size    <= 1'b0;
        error_no_base <= 1'b0;
        error_range   <= 1'b0;
        error_overlap <= 1'b0;
        case (state)
            CLEAR: begin
                clear_count <= clear_count + 7'd1;
                if (clear_count == 7'd127)
                    state <= IDLE;
            end
            IDLE:
                if (start)
                    state <= posting ? OFFSET : cancelling ? CANCEL : VALUE;
            OFFSET: begin
                base  <= config_q;
                state <= SUM;
            end
            SUM: if (sum_ready) begin
                {carry, base} <= {1'b0, base} + {1'b0, offset};
                state         <= LIMIT;
            end
            LIMIT, CHECK: if (settled) begin
                check_slot <= next_slot;
                state      <= CHECK;
                if (decided) begin
                    error_full    <= base_set && size_ok && full;
                    error_size    <= !size_ok;
                    error_no_base <= !base_set;
                    error_range   <= state == LIMIT && good && beyond;
                    error_overlap <= overlap;
                    reg_ack       <= 1'b1;
                    state         <= IDLE;
                end
            end
            CANCEL:
                if (!line_done) begin
                    reg_ack <= 1'b1;
                    state <= IDLE;
                end
            VALUE:
                // copy_q must belong to the credit that is the oldest with reg_ack
                if (!ended) begin
                    reg_ack <= 1'b1;
                    state <= IDLE;
                end
            default:
                state <= IDLE;
        endcase

        credit <= credit_next;
        if (config_write && channel == 6'd63)
            check_lines <= reg_wdata != 32'd0;

        if (rst) begin
            state       <= CLEAR;
            clear_count <= 7'd0;
            reg_ack     <= 1'b0;
            credit      <= 48'd0;
            check_lines <= 1'b0;
        end
    end
endmodule
`default_nettype wire
