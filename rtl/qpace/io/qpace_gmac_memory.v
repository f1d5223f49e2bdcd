// SPDX-License-Identifier: Apache-2.0
// The memory port of Ethernet: two rings and the transmitter read lines, the receiver writes words, the transmitter
// writes descriptors. Both ways end in a register, which holds a request until memory takes it, so that a
// requester may withdraw or be switched off: a request on the port stays. Ours; [QPACE2009] says only that there
// is an Ethernet interface.
//
// Read data come in the order asked for; who asked for the lines on their way is kept in a queue of eight.
//
//   *_fetch        ____/----\______________   and *_fetch_line
//   *_fetch_taken  _______/-\______________   combinational: the register takes it
//   mem_read_valid _________/-----------\__   until mem_read_ready
//   *_beat         _______________________..  with each of its eight mem_data_valid
//
// Latency: one cycle each way.
`default_nettype none
module qpace_gmac_memory (
    input  wire         clk,
    input  wire         rst,

    // lines to be read: the receive ring before the transmit ring before the transmitter
    input  wire         rx_ring_fetch,
    input  wire [31:0]  rx_ring_line,       // units of 128 B
    output wire         rx_ring_taken,
    output wire         rx_ring_beat,
    input  wire         tx_ring_fetch,
    input  wire [31:0]  tx_ring_line,
    output wire         tx_ring_taken,
    output wire         tx_ring_beat,
    input  wire         tx_fetch,
    input  wire [31:0]  tx_line,
    output wire         tx_taken,
    output wire         tx_beat,

    // words to be written: the transmitter's descriptors before what is received
    input  wire         tx_back,
    input  wire [34:0]  tx_back_word,       // units of 16 B
    input  wire         tx_back_bad,
    output wire         tx_back_taken,
    input  wire         rx_write,
    input  wire [34:0]  rx_write_word,
    input  wire [127:0] rx_write_data,
    input  wire         rx_write_last,
    output wire         rx_write_taken,

    // the port
    output reg          mem_read_valid,
    input  wire         mem_read_ready,
    output reg  [31:0]  mem_read_line,
    input  wire         mem_data_valid,
    output reg          mem_write_valid,
    input  wire         mem_write_ready,
    output reg  [34:0]  mem_write_word,
    output reg  [127:0] mem_write_data,
    output reg          mem_write_last,

    output wire         obs_idle
);
    localparam [1:0] RX_RING = 2'd0, TX_RING = 2'd1, TX_DATA = 2'd2;

    // reading
    reg  [3:0] asked, answered;             // lines, modulo 16
    reg  [2:0] beat;
    wire [3:0] outstanding = asked - answered;
    wire [1:0] owner;
    wire       room        = !outstanding[3] && (!mem_read_valid || mem_read_ready);
    wire       asks        = rx_ring_taken || tx_ring_taken || tx_taken;

    assign rx_ring_taken = room && rx_ring_fetch;
    assign tx_ring_taken = room && tx_ring_fetch && !rx_ring_fetch;
    assign tx_taken      = room && tx_fetch && !tx_ring_fetch && !rx_ring_fetch;
    assign rx_ring_beat  = mem_data_valid && owner == RX_RING;
    assign tx_ring_beat  = mem_data_valid && owner == TX_RING;
    assign tx_beat       = mem_data_valid && owner == TX_DATA;

    ram_small #(.WIDTH(2), .ADDRESS_BITS(3)) askers (
        .clk(clk), .wr_en(asks), .wr_address(asked[2:0]),
        .wr_data(rx_ring_taken ? RX_RING : tx_ring_taken ? TX_RING : TX_DATA),
        .rd_address(answered[2:0]), .rd_data(owner));

    // writing
    wire       free = !mem_write_valid || mem_write_ready;

    assign tx_back_taken  = free && tx_back;
    assign rx_write_taken = free && rx_write && !tx_back;
    assign obs_idle       = !mem_read_valid && !mem_write_valid && outstanding == 4'd0;

    always @(posedge clk) begin
        if (asks) begin
            asked         <= asked + 4'd1;
            mem_read_line <= rx_ring_taken ? rx_ring_line : tx_ring_taken ? tx_ring_line : tx_line;
        end
        if (!mem_read_valid || mem_read_ready)
            mem_read_valid <= asks;
        if (mem_data_valid) begin
            beat <= beat + 3'd1;
            if (beat == 3'd7)
                answered <= answered + 4'd1;
        end

        if (free) begin
            mem_write_valid <= tx_back || rx_write;
            mem_write_word  <= tx_back ? tx_back_word : rx_write_word;
            mem_write_data  <= tx_back ? {65'd0, tx_back_bad, 62'd0} : rx_write_data;
            mem_write_last  <= tx_back || rx_write_last;
        end

        if (rst) begin
            asked           <= 4'd0;
            answered        <= 4'd0;
            beat            <= 3'd0;
            mem_read_valid  <= 1'b0;
            mem_write_valid <= 1'b0;
        end
    end
endmodule
`default_nettype wire
