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
    wire                 read     = rx_mute || put_pulse || waiting_reg != 8'd0;   // any rx_waiting
    wire [15:0]          spare    = {1'b0, offset};
    wire [15:0]          spare_read;

    assign room      = room_reg;
    assign checksum  = checksum_reg;
    assign rx_offset = spare_read[14:0];

    // Pointers: slots written and slots taken of each channel, modulo the number of slots, and one bit a
    // channel that tells all from none. Each domain has a copy of both, in memories that are cleared in
    // the 8 cycles after reset. A pointer's new value stands still while the pulse that announces it crosses:
    // packets come 34 words apart at least, and pops a packet's beats.
    localparam [SLOT_BITS-1:0] ONE = {SLOT_BITS{1'b1}} ^ ({SLOT_BITS{1'b1}} << 1);

    // link_clk
    reg  [3:0]           clear_link_reg;
    reg  [7:0]           full_reg;
    reg  [SLOT_BITS+2:0] put_reg;        // {channel, slots written} of the last packet
    wire                 clear_link = !clear_link_reg[3];
    wire                 put     = accept && deliver;
    wire                 taken_pulse;
    wire [SLOT_BITS-1:0] wr_slot, wr_taken;
    wire [SLOT_BITS-1:0] wr_next = (wr_slot | {SLOT_BITS{clear_link}}) + ONE;   // clears, too
    wire [7:0]           taken   = {7'd0, taken_pulse} << take_reg[SLOT_BITS+2:SLOT_BITS];

    // clk
    reg  [3:0]           clear_reg;
    reg  [7:0]           waiting_reg;
    reg  [SLOT_BITS+2:0] take_reg;       // {channel, slots taken} of the last packet
    wire                 clear = !clear_reg[3];
    wire                 put_pulse;
    wire [SLOT_BITS-1:0] rd_slot, rd_written;
    wire [SLOT_BITS-1:0] rd_next = (rd_slot | {SLOT_BITS{clear}}) + ONE;
    wire [7:0]           arrived = {7'd0, put_pulse} << put_reg[SLOT_BITS+2:SLOT_BITS];

    wire [SLOT_BITS+BEAT_BITS+2:0] wr_address = {vc, wr_slot, payload_index[4:WORD_BITS]};
    wire [SLOT_BITS+BEAT_BITS+2:0] rd_address = {rx_vc, rd_slot, rx_beat};

    assign free       = ~full_reg;
    assign rx_waiting = waiting_reg | arrived;

    ram_small #(.WIDTH(SLOT_BITS), .ADDRESS_BITS(3)) u_wr_slot (
        .clk(link_clk), .wr_en(put || clear_link), .wr_address(clear_link ? clear_link_reg[2:0] : vc),
        .wr_data(wr_next), .rd_address(vc), .rd_data(wr_slot)
    );

    ram_small #(.WIDTH(SLOT_BITS), .ADDRESS_BITS(3)) u_wr_taken (
        .clk(link_clk), .wr_en(taken_pulse || clear_link),
        .wr_address(clear_link ? clear_link_reg[2:0] : take_reg[SLOT_BITS+2:SLOT_BITS]),
        .wr_data(take_reg[SLOT_BITS-1:0]), .rd_address(vc), .rd_data(wr_taken)
    );

    ram_small #(.WIDTH(SLOT_BITS), .ADDRESS_BITS(3)) u_rd_slot (
        .clk(clk), .wr_en(rx_pop || clear), .wr_address(clear ? clear_reg[2:0] : rx_vc),
        .wr_data(rd_next), .rd_address(rx_vc), .rd_data(rd_slot)
    );

    ram_small #(.WIDTH(SLOT_BITS), .ADDRESS_BITS(3)) u_rd_written (
        .clk(clk), .wr_en(put_pulse || clear),
        .wr_address(clear ? clear_reg[2:0] : put_reg[SLOT_BITS+2:SLOT_BITS]),
        .wr_data(put_reg[SLOT_BITS-1:0]), .rd_address(rx_vc), .rd_data(rd_written)
    );

    cdc_pulse u_put (
        .src_clk(link_clk), .src_rst(link_rst), .src_pulse(put),
        .dst_clk(clk), .dst_rst(rst), .dst_pulse(put_pulse)
    );

    cdc_pulse u_take (
        .src_clk(clk), .src_rst(rst), .src_pulse(rx_pop),
        .dst_clk(link_clk), .dst_rst(link_rst), .dst_pulse(taken_pulse)
    );

    always @(posedge link_clk) begin
        if (clear_link) begin
            clear_link_reg <= clear_link_reg + 4'd1;
        end
        if (put) begin
            put_reg <= {vc, wr_next};
        end
        full_reg <= (full_reg | ({8{put && wr_next == wr_taken}} & (8'd1 << vc))) & ~taken;
        if (link_rst) begin
            clear_link_reg <= 4'd0;
            put_reg        <= {SLOT_BITS+3{1'b0}};
            full_reg       <= 8'd0;
        end
    end

    always @(posedge clk) begin
        if (clear) begin
            clear_reg <= clear_reg + 4'd1;
        end
        if (rx_pop) begin
            take_reg <= {rx_vc, rd_next};
        end
        waiting_reg <= (waiting_reg & ~({8{rx_pop && rd_next == rd_written}} & (8'd1 << rx_vc))) | arrived;
        if (rst) begin
            clear_reg   <= 4'd0;
            take_reg    <= {SLOT_BITS+3{1'b0}};
            waiting_reg <= 8'd0;
        end
    end

    genvar i;
    generate
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
