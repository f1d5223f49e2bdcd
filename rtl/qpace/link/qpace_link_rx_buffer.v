// SPDX-License-Identifier: Apache-2.0
// Receive buffer of a QPACE link ([QPACE2009] section 6: virtual channels, reordering by credit): 2^SLOT_BITS
// packets reserved for each of 8 channels, so that a channel that is not emptied does not block the
// others. Payload is written as it comes, into a free slot of its channel; `accept` makes it visible.
// Each beat lies in memories of 32 bits, four or eight, whose spare bits hold the packet's offset.
//
// Latency: accept to rx_waiting 1 to 2 core cycles after the end of its link cycle; rx_vc/rx_beat to rx_data
// and rx_offset one core cycle.
`default_nettype none
module qpace_link_rx_buffer #(
    parameter SLOT_BITS = 3,             // 2^SLOT_BITS packets a channel
    parameter BEAT_BITS = 3              // of 2^BEAT_BITS beats: 3 (16 bytes each) or 2 (32 bytes)
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         link_clk,
    input  wire         link_rst,

    // link_clk: a frame's payload; vc and offset stand still from its first word to accept
    input  wire         payload_valid,
    input  wire [4:0]   payload_index,
    input  wire [31:0]  payload,
    input  wire [2:0]   vc,
    input  wire [14:0]  offset,
    output wire         room,            // the frame has a slot; valid from its second word to accept
    input  wire         accept,
    input  wire         deliver,         // with accept: it is not a withdrawn packet
    output wire [7:0]   free,            // channel has a free slot
    input  wire         clear_checksum,
    output wire [31:0]  checksum,        // over accepted packets; withdrawn ones count differently

    // clk: the oldest packet of each channel
    output wire [7:0]   rx_waiting,
    input  wire [2:0]   rx_vc,
    input  wire [BEAT_BITS-1:0] rx_beat,
    output wire [(1024>>BEAT_BITS)-1:0] rx_data,
    output wire [14:0]  rx_offset,
    input  wire         rx_mute,         // with rx_vc, rx_beat: 0 instead of data and offset
    input  wire         rx_pop
);
    localparam           WORD_BITS = 5 - BEAT_BITS;       // 2^WORD_BITS words a beat
    localparam           SPARE     = 16 >> WORD_BITS;     // bits in a memory's word
    reg                  room_reg;
    reg  [31:0]          sum_reg;        // accepted packets and the frame so far
    reg  [31:0]          checksum_reg;
    wire                 first    = payload_index == 5'd0;
    wire                 room_now = first ? free[vc] : room_reg;
    wire                 write    = payload_valid && room_now;
    wire [31:0]          sum      = first ? checksum_reg : sum_reg;
    wire [15:0]          spare    = {1'b0, offset};
    wire [15:0]          spare_read;

    assign room      = room_reg;
    assign checksum  = checksum_reg;
    assign rx_offset = spare_read[14:0];

    // Pointers: packets written and taken of each channel, modulo twice the number of slots, each read by the other
    // clock domain as well: whatever the clocks' ratio, a side sees the other's pointer as it was a little before.
    localparam           COUNT_BITS = SLOT_BITS + 1;
    localparam [COUNT_BITS-1:0] ALL = {1'b1, {SLOT_BITS{1'b0}}};
    wire [7:0]           put   = {7'd0, accept && deliver} << vc;
    wire [7:0]           take  = {7'd0, rx_pop} << rx_vc;
    wire [8*COUNT_BITS-1:0] wr_count, wr_taken;          // link_clk
    wire [8*COUNT_BITS-1:0] rd_count, rd_written;        // clk
    wire [7:0]           full, waiting;
    wire                 read = rx_mute || waiting != 8'd0;
    reg  [7:0]           full_reg;                       // a cycle ago: a slot counts as free one cycle later
    wire [SLOT_BITS-1:0] wr_slot = wr_count[COUNT_BITS*vc +: SLOT_BITS];
    wire [SLOT_BITS-1:0] rd_slot = rd_count[COUNT_BITS*rx_vc +: SLOT_BITS];

    wire [SLOT_BITS+BEAT_BITS+2:0] wr_address = {vc, wr_slot, payload_index[4:WORD_BITS]};
    wire [SLOT_BITS+BEAT_BITS+2:0] rd_address = {rx_vc, rd_slot, rx_beat};

    assign free       = ~(full | full_reg);
    assign rx_waiting = waiting;

    cdc_counter #(.WIDTH(COUNT_BITS), .COUNT(8)) u_written (
        .src_clk(link_clk), .src_rst(link_rst), .src_step(put), .src_count(wr_count),
        .dst_clk(clk), .dst_rst(rst), .dst_count(rd_written)
    );

    cdc_counter #(.WIDTH(COUNT_BITS), .COUNT(8)) u_taken (
        .src_clk(clk), .src_rst(rst), .src_step(take), .src_count(rd_count),
        .dst_clk(link_clk), .dst_rst(link_rst), .dst_count(wr_taken)
    );

    always @(posedge link_clk) begin
        full_reg <= full;
        if (link_rst) begin
            full_reg <= 8'd0;
        end
    end

    genvar i;
    generate
        for (i = 0; i < 8; i = i + 1) begin : gen_channel
            assign full[i]    = wr_count[COUNT_BITS*i +: COUNT_BITS] == (wr_taken[COUNT_BITS*i +: COUNT_BITS] ^ ALL);
            assign waiting[i] = rd_count[COUNT_BITS*i +: COUNT_BITS] != rd_written[COUNT_BITS*i +: COUNT_BITS];
        end
        for (i = 0; i < (1 << WORD_BITS); i = i + 1) begin : gen_bank
            ram_dual_clock #(.WIDTH(32 + SPARE), .ADDRESS_BITS(SLOT_BITS + BEAT_BITS + 3)) u_data (
                .wr_clk(link_clk), .wr_en(write && payload_index[WORD_BITS-1:0] == i), .wr_address(wr_address),
                .wr_data({spare[SPARE*i +: SPARE], payload}),
                .rd_clk(clk), .rd_en(read), .rd_clear(rx_mute), .rd_address(rd_address),
                .rd_data({spare_read[SPARE*i +: SPARE], rx_data[32*i +: 32]})
            );
        end
    endgenerate

    always @(posedge link_clk) begin
        if (payload_valid) begin
            if (first) begin
                room_reg <= room_now;
            end
            sum_reg <= payload + {sum[30:0], sum[31]};   // this way round a carry chain takes the multiplexer in
        end
        if (accept) begin
            checksum_reg <= {sum_reg[31:1], sum_reg[0] ^ !deliver};
        end
        if (link_rst || clear_checksum) begin
            checksum_reg <= 32'd0;
        end
    end

    wire unused = &{1'b0, spare_read[15]};   // 15 bits of 16
endmodule
`default_nettype wire
