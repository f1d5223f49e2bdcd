// SPDX-License-Identifier: Apache-2.0
// Receive buffer of a QPACE link (seed 004 section 6: virtual channels, reordering by credit): 2^SLOT_BITS
// packets reserved for each of 8 channels, so that a channel that nobody empties does not block the
// others. Payload is written as it comes, into a free slot of its channel; `accept` makes it visible.
// Each 128-bit beat lies in four memories of 32 bits, whose spare bits hold the packet's offset.
//
// Latency: accept to rx_waiting 1 to 2 core cycles after the end of its link cycle; rx_vc/rx_beat to rx_data
// and rx_offset one core cycle.
`default_nettype none
module qpace_link_rx_buffer #(
    parameter SLOT_BITS = 3              // 2^SLOT_BITS packets a channel
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
    input  wire [2:0]   rx_beat,
    output wire [127:0] rx_data,
    output wire [14:0]  rx_offset,
    input  wire         rx_pop
);
    localparam WIDTH = SLOT_BITS + 1;

    reg                  room_reg;
    reg  [31:0]          sum_reg;        // accepted packets and the frame so far
    reg  [31:0]          checksum_reg;
    wire [SLOT_BITS-1:0] wr_slot [0:7];
    wire [SLOT_BITS-1:0] rd_slot [0:7];
    wire                 first    = payload_index == 5'd0;
    wire                 room_now = first ? free[vc] : room_reg;
    wire                 write    = payload_valid && room_now;
    wire [31:0]          sum      = first ? checksum_reg : sum_reg;
    wire                 read     = rx_waiting != 8'd0;
    wire [SLOT_BITS+5:0] wr_address = {vc, wr_slot[vc], payload_index[4:2]};
    wire [SLOT_BITS+5:0] rd_address = {rx_vc, rd_slot[rx_vc], rx_beat};
    wire [15:0]          spare = {1'b0, offset};
    wire [15:0]          spare_read;

    assign room      = room_reg;
    assign checksum  = checksum_reg;
    assign rx_offset = spare_read[14:0];

    genvar i;
    generate
        for (i = 0; i < 8; i = i + 1) begin : gen_channel
            wire [WIDTH-1:0] written;
            wire [WIDTH-1:0] written_clk;
            wire [WIDTH-1:0] taken;
            wire [WIDTH-1:0] taken_link;
            wire [WIDTH-1:0] used = written - taken_link;

            assign free[i]       = !used[SLOT_BITS];
            assign rx_waiting[i] = written_clk != taken;
            assign wr_slot[i]    = written[SLOT_BITS-1:0];
            assign rd_slot[i]    = taken[SLOT_BITS-1:0];

            cdc_counter #(.WIDTH(WIDTH)) u_written (
                .src_clk(link_clk), .src_rst(link_rst), .src_step(accept && deliver && vc == i), .src_count(written),
                .dst_clk(clk), .dst_rst(rst), .dst_count(written_clk)
            );

            cdc_counter #(.WIDTH(WIDTH)) u_taken (
                .src_clk(clk), .src_rst(rst), .src_step(rx_pop && rx_vc == i), .src_count(taken),
                .dst_clk(link_clk), .dst_rst(link_rst), .dst_count(taken_link)
            );
        end

        for (i = 0; i < 4; i = i + 1) begin : gen_bank
            ram_dual_clock #(.WIDTH(36), .ADDRESS_BITS(SLOT_BITS + 6)) u_data (
                .wr_clk(link_clk), .wr_en(write && payload_index[1:0] == i), .wr_address(wr_address),
                .wr_data({spare[4*i +: 4], payload}),
                .rd_clk(clk), .rd_en(read), .rd_address(rd_address),
                .rd_data({spare_read[4*i +: 4], rx_data[32*i +: 32]})
            );
        end
    endgenerate

    always @(posedge link_clk) begin
        if (payload_valid) begin
            if (first) begin
                room_reg <= room_now;
            end
            sum_reg <= {sum[30:0], sum[31]} + payload;
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
