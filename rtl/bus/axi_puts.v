// SPDX-License-Identifier: Apache-2.0
// Puts: copies lines of 128 bytes from memory to a node's port of posted writes, so that a board needs no other DMA
// engine for it. A line is never interrupted by another. Registers: bus_puts_registers.toml; README.md.
//
// QUEUES queues take turns, a line each. Lines of one queue go in order, and at most one of them is in flight (`away`):
// its read has begun, and the port has not taken all of it. A line is begun only when its queue's `room` is 1, which
// says that the port will take it without a wait; any other source of lines for the same link must wait while `away` is
// 1, so that this stays true. So a link that is full keeps back its own puts only. For that a queue's lines are all for
// its own link, whose number their addresses have in bits 27:25: another TARGET is refused, and so are more LINES than
// fit behind it in its channel, whose lines are numbered by bits 21:7. Up to 2^AHEAD_BITS lines of different queues are
// read ahead.
//
//   registers --> queues --> rd_*, a beat each --> beats   --> m_*
//                    |                                          ^
//                    +-------- address, queue --> lines --------+
//
// A request at the registers is answered in its cycle.
`default_nettype none
`include "bus_puts_regs.vh"
module axi_puts #(
    parameter UNIT_BITS  = 35,            // of the memory's addresses, which count 16 bytes
    parameter AHEAD_BITS = 2
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 valid,
    input  wire                 write,
    input  wire [5:0]           address,
    input  wire [31:0]          wdata,
    output reg  [31:0]          rdata,
    output wire                 error,    // refused

    output wire                 rd_valid,
    input  wire                 rd_ready,
    output wire [UNIT_BITS-1:0] rd_address,
    input  wire                 rd_rvalid,
    input  wire [127:0]         rd_data,

    input  wire [`BUS_PUTS_QUEUES-1:0] room,   // a queue's next line will be taken without a wait
    output wire [`BUS_PUTS_QUEUES-1:0] away,   // from the cycle on in which its line is begun
    output wire                 m_valid,
    input  wire                 m_ready,
    output wire [31:0]          m_address,
    output wire [127:0]         m_data,
    output wire                 m_last
);
    localparam QUEUES    = `BUS_PUTS_QUEUES;
    localparam LINE_BITS = UNIT_BITS - 3 < 32 ? UNIT_BITS - 3 : 32;
    localparam PLACE_BITS = 15;                    // of a line in its channel
    localparam TARGET_BITS = PLACE_BITS + 3;       // with the channel
    localparam [16:0]           PLACES     = 1 << PLACE_BITS;
    localparam [LINE_BITS-1:0]  ONE_SOURCE = 1;
    localparam [TARGET_BITS-1:0] ONE_TARGET = 1;
    localparam [AHEAD_BITS:0]   ONE_LINE   = 1;

    reg [LINE_BITS-1:0] source_reg [0:QUEUES-1];   // of the line to be read next
    reg [TARGET_BITS-1:0] target_reg [0:QUEUES-1];
    reg [15:0]          unread_reg [0:QUEUES-1];   // lines of which nothing was read
    reg [15:0]          left_reg   [0:QUEUES-1];   // lines that the port has not taken

    // registers
    wire [5:0] place = address - `BUS_PUTS_SOURCE;
    wire [2:0] named = place[4:2];
    wire       known = !place[5] && named < 3'd6 && place[1:0] != 2'd3;
    wire [LINE_BITS-1:0] named_source = source_reg[named];
    wire [TARGET_BITS-1:0] named_target = target_reg[named];
    wire [15:0]          named_left   = left_reg[named];
    wire       rests = known && named_left == 16'd0;
    wire [16:0] behind  = {1'b0, wdata[15:0]} + {2'b00, named_target[PLACE_BITS-1:0]};
    wire       elsewhere = place[1:0] == 2'd1 && wdata[31:25] != {4'd0, named};
    wire       too_many  = place[1:0] == 2'd2 && behind > PLACES;
    wire       able      = rests && !elsewhere && !too_many;
    wire       goes  = valid && write && able;
    assign error = valid && (rst || !known || (write && !able));

    always @* begin
        rdata = 32'd0;
        if (known)
            case (place[1:0])
                2'd0:    rdata[LINE_BITS-1:0] = named_source;
                2'd1:    rdata[31:7]          = {4'd0, named, named_target};
                default: rdata[15:0]          = named_left;
            endcase
    end

    // the line that is read
    reg                  reads_reg;
    reg  [2:0]           queue_reg;                // its own; the last one
    reg  [2:0]           beat_reg;
    reg  [AHEAD_BITS:0]  ahead_reg;                // lines begun and not gone out
    wire                 full = ahead_reg[AHEAD_BITS];
    wire [QUEUES-1:0]    waits;
    reg  [QUEUES-1:0]    away_reg;
    wire                 found;
    wire [2:0]           choice;
    wire                 begins   = !reads_reg && found && !full;
    wire                 asked    = rd_valid && rd_ready;
    wire                 all_asked = asked && beat_reg == 3'd7;

    genvar q;
    generate
        for (q = 0; q < QUEUES; q = q + 1) begin : g_queue
            assign waits[q] = unread_reg[q] != 16'd0 && room[q] && !away_reg[q];
            assign away[q]  = away_reg[q] || (begins && choice == q);
        end
    endgenerate
    select_next #(.N(QUEUES), .WIDTH(3)) u_queue (
        .request(waits), .last(queue_reg), .found(found), .choice(choice));

    assign rd_valid = reads_reg;
    generate
        if (UNIT_BITS - 3 > LINE_BITS) begin : g_wide
            assign rd_address = {{UNIT_BITS-3-LINE_BITS{1'b0}}, source_reg[queue_reg], beat_reg};
        end else begin : g_narrow
            assign rd_address = {source_reg[queue_reg], beat_reg};
        end
    endgenerate

    // what goes out: a line's address and queue, and its beats as they come
    reg  [2:0]           out_beat_reg;
    wire                 line_some, beat_some, unused_lines_full, unused_beats_full;
    wire [TARGET_BITS+2:0] line;
    wire [2:0]           its_queue = line[TARGET_BITS+2:TARGET_BITS];
    wire                 moves = m_valid && m_ready;
    wire                 ends  = moves && m_last;
    assign m_valid   = line_some && beat_some;
    assign m_last    = out_beat_reg == 3'd7;
    assign m_address = {4'd0, line, 7'd0};

    bus_fifo #(.WIDTH(TARGET_BITS + 3), .BITS(AHEAD_BITS)) u_lines (
        .clk(clk), .rst(rst), .put(begins), .put_data({choice, target_reg[choice]}), .full(unused_lines_full),
        .take(ends), .some(line_some), .head(line));
    bus_fifo #(.WIDTH(128), .BITS(AHEAD_BITS + 3)) u_beats (
        .clk(clk), .rst(rst), .put(rd_rvalid), .put_data(rd_data), .full(unused_beats_full),
        .take(moves), .some(beat_some), .head(m_data));

    wire unused = &{1'b0, unused_lines_full, unused_beats_full};

    integer k;
    always @(posedge clk) begin
        if (goes)
            case (place[1:0])
                2'd0:    source_reg[named] <= wdata[LINE_BITS-1:0];
                2'd1:    target_reg[named] <= wdata[24:7];
                default: begin
                    unread_reg[named] <= wdata[15:0];
                    left_reg[named]   <= wdata[15:0];
                end
            endcase
        if (begins) begin
            reads_reg          <= 1'b1;
            away_reg[choice]   <= 1'b1;
            queue_reg          <= choice;
            beat_reg           <= 3'd0;
            target_reg[choice] <= target_reg[choice] + ONE_TARGET;
            unread_reg[choice] <= unread_reg[choice] - 16'd1;
        end
        if (asked)
            beat_reg <= beat_reg + 3'd1;
        if (all_asked) begin
            reads_reg             <= 1'b0;
            source_reg[queue_reg] <= source_reg[queue_reg] + ONE_SOURCE;
        end
        if (moves)
            out_beat_reg <= out_beat_reg + 3'd1;
        if (ends) begin
            away_reg[its_queue] <= 1'b0;
            left_reg[its_queue] <= left_reg[its_queue] - 16'd1;
        end
        ahead_reg <= ahead_reg + (begins ? ONE_LINE : {AHEAD_BITS+1{1'b0}}) - (ends ? ONE_LINE : {AHEAD_BITS+1{1'b0}});
        if (rst) begin
            for (k = 0; k < QUEUES; k = k + 1) begin
                source_reg[k] <= {LINE_BITS{1'b0}};
                target_reg[k] <= {TARGET_BITS{1'b0}};
                unread_reg[k] <= 16'd0;
                left_reg[k]   <= 16'd0;
            end
            reads_reg    <= 1'b0;
            away_reg     <= {QUEUES{1'b0}};
            queue_reg    <= 3'd0;
            ahead_reg    <= {AHEAD_BITS+1{1'b0}};
            out_beat_reg <= 3'd0;
        end
    end
endmodule
`default_nettype wire
