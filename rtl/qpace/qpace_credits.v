// SPDX-License-Identifier: Apache-2.0
// Credits of the 48 channels (6 links x 8 virtual channels) of a node: where their packets go, how
// many there are, and how many completed. Seed 004 section 6: a credit "may contain additional
// information where to write the data"; the destination is base + remote offset + local offset.
//
// A credit is {destination = BASE + CREDIT_OFFSET at the time of posting, packets}; a channel
// queues four. Everything but one bit a channel lives in memories: block RAM for the queue and the
// registers, distributed RAM for the pointers. Each memory has one writer, the register side or the
// receive side, and is cleared in the 128 cycles after reset, during which requests wait.
//
// Register side: `req` and the request are held until `ack` (2 or 3 cycles later; reading a status
// waits one more if a credit completes just then). Receive side: head_* one cycle after head_channel; line_* combinational.
`default_nettype none
`include "qpace_nwp_regs.vh"
module qpace_credits (
    input  wire         clk,
    input  wire         rst,

    // register side
    input  wire         req,              // held until ack
    input  wire         write,
    input  wire [1:0]   word,             // 0 BASE, 1 CREDIT_OFFSET, 2 CREDIT_POST, 3 CREDIT_STATUS
    input  wire [5:0]   channel,          // {link, vc}
    input  wire [31:0]  wdata,
    input  wire [47:0]  waiting,          // a packet waits in the channel, 8 * link + vc
    output reg          ack,              // a pulse
    output reg  [31:0]  rdata,            // with ack
    output reg          error_full,       // with ack: nothing was queued
    output reg          error_size,
    output reg          error_no_base,

    // receive side
    output reg  [47:0]  credit,           // the channel has a credit
    input  wire [5:0]   head_channel,
    output wire [31:0]  head_destination, // units of 128 B
    input  wire [5:0]   line_channel,
    output wire         line_completes,   // this packet completes the credit that head_channel read
    output wire [31:0]  line_count,       // completed credits of line_channel, modulo 2^32
    input  wire         line_done,        // the packet was written ...
    input  wire         line_last,        // ... and completed its credit

    output wire         obs_idle
);
    localparam [2:0]
        CLEAR  = 3'd0,    // clearing the memories after reset
        IDLE   = 3'd1,
        OFFSET = 3'd2,    // reading CREDIT_OFFSET, BASE arrives
        QUEUE  = 3'd3,    // CREDIT_OFFSET arrives, the credit is queued
        VALUE  = 3'd4;    // the value read arrives

    reg  [2:0]  state;
    reg  [6:0]  clear_count;
    wire        clearing = state == CLEAR;
    wire        start    = state == IDLE && req && !ack;
    wire        posting  = write && word == 2'd2;

    // BASE and CREDIT_OFFSET: block RAM, written and read by the register side only
    (* ram_style = "block" *) reg [31:0] config_mem [0:127];
    reg  [31:0] config_q;
    reg  [31:0] base;
    wire        config_second = state == OFFSET || word[0];
    wire        config_write  = clearing || (start && write && !word[1]);
    wire [6:0]  config_addr   = clearing ? clear_count : {channel, config_second};
    wire [31:0] config_data   = clearing ? 32'd0 : wdata;

    always @(posedge clk) begin
        if (config_write)
            config_mem[config_addr] <= config_data;
        else if (!clearing)
            config_q <= config_mem[config_addr];
    end

    // written by the register side: whether BASE is set, credits posted modulo 8
    reg         base_set_mem [0:63];
    reg  [2:0]  posted_mem [0:63];
    wire        base_set    = base_set_mem[channel];
    wire [2:0]  posted      = posted_mem[channel];
    wire [2:0]  line_posted = posted_mem[line_channel];
    wire        queue_write;
    wire [5:0]  slow_addr   = clearing ? clear_count[5:0] : channel;

    always @(posedge clk) begin
        if (clearing || (start && write && word == 2'd0))
            base_set_mem[slow_addr] <= !clearing;
        if (clearing || queue_write)
            posted_mem[slow_addr] <= clearing ? 3'd0 : posted + 3'd1;
    end

    // written by the receive side: credits completed modulo 8 (taken) and modulo 2^32 (count),
    // packets written of the oldest credit (used)
    reg  [2:0]  taken_mem [0:63];
    reg  [14:0] used_mem [0:63];
    reg  [31:0] count_mem [0:63];
    wire        completed   = line_done && line_last;
    wire [2:0]  taken       = taken_mem[channel];
    wire [14:0] used        = used_mem[channel];
    /* verilator lint_off UNUSED */   // its top bit only tells full from empty
    wire [2:0]  head_taken  = taken_mem[head_channel];
    /* verilator lint_on UNUSED */
    wire [2:0]  line_taken  = taken_mem[line_channel];
    wire [14:0] line_used   = used_mem[line_channel];
    // all ones + 1 = 0: one adder counts and clears
    wire [14:0] line_used1  = (line_used | {15{clearing || completed}}) + 15'd1;
    wire [31:0] line_count1 = (line_count | {32{clearing}}) + 32'd1;
    wire [2:0]  line_taken1 = line_taken + 3'd1;
    wire [5:0]  fast_addr   = clearing ? clear_count[5:0] : line_channel;

    assign line_count = count_mem[line_channel];

    always @(posedge clk) begin
        if (clearing || line_done)
            used_mem[fast_addr] <= line_used1;
        if (clearing || completed)
            taken_mem[fast_addr] <= clearing ? 3'd0 : line_taken1;
        if (clearing || completed)
            count_mem[fast_addr] <= line_count1;
    end

    // the queue: block RAM, {destination, packets} of credit n of a channel at {channel, n mod 4}
    (* ram_style = "block" *) reg [46:0] queue_mem [0:255];
    reg  [46:0] head_q;
    reg  [14:0] status_packets;
    wire [31:0] destination = base + config_q;

    always @(posedge clk) begin
        if (queue_write)
            queue_mem[{channel, posted[1:0]}] <= {destination, wdata[14:0]};
        head_q         <= queue_mem[{head_channel, head_taken[1:0]}];
    end

    // a copy of the packets for CREDIT_STATUS, so that reading it never meets the data
    (* ram_style = "block" *) reg [14:0] packets_mem [0:255];
    always @(posedge clk) begin
        if (queue_write)
            packets_mem[{channel, posted[1:0]}] <= wdata[14:0];
        status_packets <= packets_mem[{channel, taken[1:0]}];
    end

    assign head_destination = head_q[46:15];
    assign line_completes   = line_used1 == head_q[14:0];

    // register side
    wire [2:0]  queued  = posted - taken;
    wire        full    = queued == 3'd4;
    wire        size_ok = wdata[31:15] == 17'd0 && wdata[14:0] != 15'd0;

    // A credit posted in the very cycle in which the last one completes counts.
    wire [5:0]  drop_link = (completed && line_taken1 == line_posted) ? 6'd1 << line_channel[5:3] : 6'd0;
    wire [7:0]  drop_vc   = 8'd1 << line_channel[2:0];
    wire [5:0]  set_link  = queue_write ? 6'd1 << channel[5:3] : 6'd0;
    wire [7:0]  set_vc    = 8'd1 << channel[2:0];
    reg  [47:0] credit_next;
    integer     l;

    always @*
        for (l = 0; l < 6; l = l + 1)
            credit_next[8*l +: 8] = (credit[8*l +: 8] & ~(drop_vc & {8{drop_link[l]}}))
                                    | (set_vc & {8{set_link[l]}});

    assign queue_write = state == QUEUE && base_set && size_ok && !full;
    assign obs_idle    = state == IDLE && !ack;

    always @* begin
        rdata = 32'd0;
        case (word)
            2'd0, 2'd1: rdata = config_q;
            2'd3: begin
                rdata[`QPACE_NWP_CREDIT_STATUS_LEFT]     = queued == 3'd0 ? 15'd0 : status_packets - used;
                rdata[`QPACE_NWP_CREDIT_STATUS_FREE]     = 3'd4 - queued;
                rdata[`QPACE_NWP_CREDIT_STATUS_WAITING]  = channel < 6'd48 && waiting[channel];
                rdata[`QPACE_NWP_CREDIT_STATUS_BASE_SET] = base_set;
            end
            default: rdata = 32'd0;
        endcase
    end

    always @(posedge clk) begin
        ack           <= 1'b0;
        error_full    <= 1'b0;
        error_size    <= 1'b0;
        error_no_base <= 1'b0;
        case (state)
            CLEAR: begin
                clear_count <= clear_count + 7'd1;
                if (clear_count == 7'd127)
                    state <= IDLE;
            end
            IDLE:
                if (start)
                    state <= posting ? OFFSET : VALUE;
            OFFSET: begin
                base  <= config_q;
                state <= QUEUE;
            end
            QUEUE: begin
                error_full    <= base_set && size_ok && full;
                error_size    <= !size_ok;
                error_no_base <= !base_set;
                ack           <= 1'b1;
                state         <= IDLE;
            end
            VALUE:
                // status_packets must belong to the credit that is the oldest with ack
                if (!completed) begin
                    ack   <= 1'b1;
                    state <= IDLE;
                end
            default:
                state <= IDLE;
        endcase

        credit <= credit_next;

        if (rst) begin
            state       <= CLEAR;
            clear_count <= 7'd0;
            ack         <= 1'b0;
            credit      <= 48'd0;
        end
    end
endmodule
`default_nettype wire
