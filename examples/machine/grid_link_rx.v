// SPDX-License-Identifier: Apache-2.0
// The receiving side of a Grid link: takes frames off the wire, checks them, and says what is to be answered.
//
// Words go to memory as they come, to where the channel's next frame belongs. Memory of a receive that is under way is
// the link's, so a damaged frame does no harm there: only a good CRC moves on to the next place, and until then the
// same place is written again. A damaged frame is dropped silently; the sender gets no answer and repeats it.
//
// Pulses for counters and obs_* come in the cycle after their word was on rx_data, words to memory too.
`default_nettype none
module grid_link_rx #(
    parameter [7:0] VERSION = 8'd1
) (
    input  wire        clk, rst,
    input  wire        clear,           // the link is off: forget everything but the checksum
    input  wire [31:0] rx_data, input wire [3:0] rx_control,
    output reg         mem_write, output reg [31:0] mem_waddress, mem_wdata,

    // From the registers: a channel's next message, where it goes, in lines of 32 words, and how many it has.
    input  wire [3:0]  set,             // pulses: line, frames of channel 0; of channel 1
    input  wire [31:0] wdata,
    input  wire [7:0]  session,
    output wire [1:0]  active,          // channels that wait for frames

    // To the sending side, as pulses: what is to be answered, by channel, and what answers came.
    output wire        want_welcome,
    output wire [1:0]  want_ack, want_busy,
    output wire [15:0] expected,        // numbers of the frames that are expected, by channel
    output wire        got_ack, got_busy, got_channel,
    output wire [7:0]  got_number,
    output wire        greeted,         // pulse: the peer knows that this end is there

    output reg  [31:0] checksum,        // over frames that were accepted
    output wire        idle,
    output reg         done, start, ok, // pulses: a message is complete; a header; the end of a good frame
    output reg         code_error, framing_error, crc_error,    // no code word; a word out of place; a bad CRC
    output reg         stranger,        // a good frame of another version or session, or one that was never due
    output reg         accepted, duplicate, refused     // a data frame; refused: there is no place for it
);
    localparam [2:0] HELLO = 3'd0, WELCOME = 3'd1, DATA = 3'd2, ACK = 3'd3, BUSY = 3'd4;

    // By channel, of the next frame:
    reg  [26:0] line_reg [0:1];         // where it goes
    reg  [63:0] frames_reg;             // how many there is a place for
    reg  [15:0] number_reg;
    // The frame on the wire:
    reg         inside_reg;
    reg  [23:0] header_reg;             // without the start code
    reg         take_reg;               // it is the frame that is expected, and has a place
    reg  [5:0]  word_reg;
    reg  [31:0] running_reg;            // sum of its words

    wire        is_idle  = rx_control == 4'hF && rx_data == 32'h07070707;
    wire        is_start = rx_control == 4'h1 && rx_data[7:0] == 8'hFB;
    wire        is_plain = rx_control == 4'h0;
    wire [2:0]  kind     = header_reg[2:0];
    wire        channel  = header_reg[3];
    wire [7:0]  number   = header_reg[23:16];
    wire        in_word  = inside_reg && is_plain && kind == DATA && !word_reg[5];
    wire        in_crc   = inside_reg && is_plain && !in_word;

    wire [31:0] crc;
    crc32c crc_unit (.clk(clk), .en(is_start || in_word), .first(is_start), .data(rx_data), .crc(crc));

    // What a frame is whose CRC is good.
    wire        good    = in_crc && rx_data == crc && !clear;
    wire        ours    = good && header_reg[15:8] == session && header_reg[7:4] == 4'd0;
    wire        data    = ours && kind == DATA;
    wire        due     = data && number == number_reg[8*channel +: 8];
    wire        again   = data && number == number_reg[8*channel +: 8] - 8'd1;
    wire        accepts = due && take_reg;
    wire        hello   = ours && (kind == HELLO || kind == WELCOME) && number == VERSION;

    assign want_welcome = hello && kind == HELLO;
    assign want_ack     = {1'b0, accepts || again} << channel;
    assign want_busy    = {1'b0, due && !take_reg} << channel;
    assign expected     = number_reg;
    assign got_ack      = ours && kind == ACK;
    assign got_busy     = ours && kind == BUSY;
    assign got_channel  = channel;
    assign got_number   = number;
    assign greeted      = hello && kind == WELCOME || data || got_ack || got_busy;
    assign active       = {frames_reg[63:32] != 32'd0, frames_reg[31:0] != 32'd0};
    assign idle         = !inside_reg;

    integer i;
    always @(posedge clk) begin
        start         <= is_start && !clear;
        ok            <= good;
        code_error    <= !is_idle && !is_start && !is_plain && !clear;
        framing_error <= (inside_reg ? is_start || is_idle : is_plain) && !clear;
        crc_error     <= in_crc && !good;
        stranger      <= good && !hello && !got_ack && !got_busy && !due && !again;
        accepted      <= accepts;
        duplicate     <= again;
        refused       <= due && !take_reg;
        done          <= accepts && frames_reg[32*channel +: 32] == 32'd1;
        mem_write     <= in_word && take_reg;
        mem_waddress  <= {line_reg[channel], word_reg[4:0]};
        mem_wdata     <= rx_data;

        inside_reg <= is_start || in_word;
        if (is_start) begin
            header_reg  <= rx_data[31:8];
            take_reg    <= active[rx_data[11]] && rx_data[31:24] == number_reg[8*rx_data[11] +: 8] &&
                           rx_data[23:16] == session;
            word_reg    <= 6'd0;
            running_reg <= {8'd0, rx_data[31:8]};
        end else if (in_word) begin
            word_reg    <= word_reg + 6'd1;
            running_reg <= {running_reg[30:0], running_reg[31]} + rx_data;
        end

        if (accepts) begin
            number_reg[8*channel +: 8]   <= number + 8'd1;
            line_reg[channel]            <= line_reg[channel] + 27'd1;
            frames_reg[32*channel +: 32] <= frames_reg[32*channel +: 32] - 32'd1;
            checksum                     <= checksum + running_reg;
        end
        for (i = 0; i < 2; i = i + 1) begin
            if (set[2*i])
                line_reg[i] <= wdata[26:0];
            if (set[2*i + 1])
                frames_reg[32*i +: 32] <= wdata;
        end

        if (rst)
            checksum <= 32'd0;
        if (rst || clear) begin
            {inside_reg, mem_write, done} <= 3'd0;
            number_reg <= 16'd0;
            frames_reg <= 64'd0;
        end
    end
endmodule
`default_nettype wire
