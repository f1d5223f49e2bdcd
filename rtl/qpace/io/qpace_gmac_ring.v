// SPDX-License-Identifier: Apache-2.0
// A ring of descriptors in host memory: knows where it lies, what of it is the hardware's (from `head`
// up to, not including, `tail`), and hands its descriptors out one after the other. They are read a
// line of eight at a time.
//
// A descriptor is 16 bytes: [31:0] address of the buffer in units of 128 B, [45:32] length in bytes,
// [62] bad (written by hardware), [63] 1 = the hardware's; the other bits are unused. One that should
// be the hardware's and is not stops the ring until `retry`.
`default_nettype none
module qpace_gmac_ring (
    input  wire        clk,
    input  wire        rst,

    // registers
    input  wire        enable,
    input  wire        set_base,
    input  wire        set_size,
    input  wire        set_tail,
    input  wire [31:0] reg_wdata,
    output reg  [31:0] base,
    output reg  [3:0]  size,            // 2^size descriptors
    output reg  [11:0] tail,
    output wire [11:0] mask,
    output reg         owner_error,     // pulse
    input  wire        retry,

    // reading a line of memory
    output wire        fetch,
    output wire [31:0] fetch_line,
    input  wire        fetch_taken,
    input  wire        fetch_valid,     // its eight beats follow in order
    /* verilator lint_off UNUSEDSIGNAL */   // bits that are nobody's
    input  wire [63:0] fetch_data,
    /* verilator lint_on UNUSEDSIGNAL */

    // the descriptor at the head
    output wire        valid,
    output wire [31:0] address,
    output wire [13:0] length,
    input  wire        next,            // with valid: it was used
    output reg  [11:0] head,
    output wire        obs_idle
);
    reg  [11:0] limit;                  // descriptors from head up to here were read
    reg  [11:0] read_tail;              // tail when the read began
    reg  [2:0]  beat;
    reg         waiting;                // for beats
    reg         stale;                  // the ring was moved meanwhile
    reg         stopped;

    wire [46:0] entry;
    wire        own;
    wire        there    = head != limit && !waiting;
    wire [11:0] line_end = ({head[11:3], 3'd7} + 12'd1) & mask;
    wire        in_line  = read_tail[11:3] == head[11:3] && read_tail[2:0] > head[2:0];

    assign mask       = ~(12'hFFF << size);
    assign fetch      = enable && !stopped && !waiting && head == limit && head != tail;
    assign fetch_line = base + {23'd0, head[11:3]};
    assign valid      = enable && there && own && !stopped;
    assign {own, length, address} = entry;
    assign obs_idle   = !waiting && !fetch && !owner_error && (!there || own || stopped || !enable);

    ram_small #(.WIDTH(47), .ADDRESS_BITS(3)) cache (
        .clk(clk), .wr_en(fetch_valid), .wr_address(beat),
        .wr_data({fetch_data[63], fetch_data[45:0]}), .rd_address(head[2:0]), .rd_data(entry));

    always @(posedge clk) begin
        owner_error <= enable && there && !own && !stopped;
        if (enable && there && !own)
            stopped <= 1'b1;
        if (fetch_taken) begin
            waiting   <= 1'b1;
            read_tail <= tail;
        end
        if (fetch_valid) begin
            beat <= beat + 3'd1;
            if (beat == 3'd7) begin
                waiting <= 1'b0;
                stale   <= 1'b0;
                if (!stale && read_tail != head)
                    limit <= in_line ? read_tail : line_end;
            end
        end
        if (next)
            head <= (head + 12'd1) & mask;
        if (retry && stopped) begin     // only then does the head stand still
            stopped <= 1'b0;
            limit   <= head;
        end
        if (set_tail)
            tail <= reg_wdata[11:0] & mask;
        if (set_size)
            size <= reg_wdata[3:0];
        if (set_base) begin
            base    <= reg_wdata;
            head    <= 12'd0;
            tail    <= 12'd0;
            limit   <= 12'd0;
            stopped <= 1'b0;
            stale   <= fetch_taken || (waiting && !(fetch_valid && beat == 3'd7));
        end
        if (rst) begin
            base        <= 32'd0;
            size        <= 4'd3;
            head        <= 12'd0;
            tail        <= 12'd0;
            limit       <= 12'd0;
            beat        <= 3'd0;
            waiting     <= 1'b0;
            stale       <= 1'b0;
            stopped     <= 1'b0;
            owner_error <= 1'b0;
        end
    end
endmodule
`default_nettype wire
