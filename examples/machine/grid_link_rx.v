// SPDX-License-Identifier: Apache-2.0
// The receiving side of a Grid link: takes frames off the wire, checks them, and says what is to be answered.
//
// Words go to memory as they come, to where the channel's next frame belongs. Memory of a receive that is under way is
// the link's, so a damaged frame does no harm there: only a good CRC moves on to the next place, and until then the
// same place is written again. What is damaged is dropped without a word; the sender hears nothing and repeats it.
//
// All obs_* pulses and counts come in the cycle after their word was on rx_data.
`default_nettype none
module grid_link_rx #(
    parameter [7:0] VERSION = 8'd1
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        clear,           // the link is off: forget everything but the checksum

    input  wire [31:0] rx_data,
    input  wire [3:0]  rx_control,

    output reg         mem_write,
    output reg  [31:0] mem_waddress,
    output reg  [31:0] mem_wdata,

    // From the registers.
    input  wire [1:0]  set_line,        // pulses: where a channel's next message goes, in lines of 32 words
    input  wire [1:0]  set_frames,      // how many frames it has: gives them a place
    input  wire [31:0] wdata,
    input  wire [7:0]  session,
    output wire [1:0]  active,          // channels that wait for frames

    // To the sending side.
    output wire        want_welcome,    // pulses: something is to be answered
    output wire [1:0]  want_ack,
    output wire [1:0]  want_busy,
    output wire [15:0] expected,        // numbers of the frames that are expected, by channel
    output wire        got_ack,         // pulses: an answer came,
    output wire        got_busy,
    output wire        got_channel,     // of that channel
    output wire [7:0]  got_number,
    output wire        greeted,         // pulse: the peer knows that this end is there

    output reg  [31:0] checksum,        // over frames that were accepted
    output wire        idle,
    output reg  [1:0]  done,            // pulse: a channel's last frame was accepted
    output reg         start,           // pulses: a header,
    output reg         ok,              // the end of a frame whose CRC is good,
    output reg         code_error,      // a word that is no code word, or of no use
    output reg         framing_error,   // a word out of place
    output reg         crc_error,
    output reg         stranger,        // a good frame of another version or session, or one that was never due
    output reg         accepted,        // a data frame; it came again; there is no place for it
    output reg         duplicate,
    output reg         turned_away
);
    localparam [2:0] HELLO = 3'd0, WELCOME = 3'd1, DATA = 3'd2, ACK = 3'd3, BUSY = 3'd4;

    reg  [26:0] line_reg [0:1];         // by channel: where its next frame goes,
    reg  [31:0] frames_reg [0:1];       // how many there is a place for,
    reg  [7:0]  expected_reg [0:1];     // and the number of the next

    // The frame on the wire.
    reg         inside_reg;
    reg  [23:0] header_reg;             // without the start code
    reg         take_reg;               // it is the frame that is expected, and has a place
    reg  [5:0]  word_reg;
    reg  [31:0] running_reg;            // sum of its words

    wire       is_idle  = rx_control == 4'hF && rx_data == 32'h07070707;
    wire       is_start = rx_control == 4'h1 && rx_data[7:0] == 8'hFB;
    wire       is_plain = rx_control == 4'h0;

    wire [2:0] kind    = header_reg[2:0];
    wire       channel = header_reg[3];
    wire [7:0] number  = header_reg[23:16];
    wire       in_word = inside_reg && is_plain && kind == DATA && !word_reg[5];
    wire       in_crc  = inside_reg && is_plain && !in_word;

    wire [31:0] crc;
    crc32c crc_unit (.clk(clk), .en(is_start || in_word), .first(is_start), .data(rx_data), .crc(crc));

    // A frame whose CRC is good.
    wire good    = in_crc && rx_data == crc && !clear;
    wire ours    = good && header_reg[15:8] == session && header_reg[7:4] == 4'd0;
    wire spoken  = number == VERSION;
    wire is_data = ours && kind == DATA;
    wire again  = is_data && number == expected_reg[channel] - 8'd1;
    wire due     = is_data && number == expected_reg[channel];
    wire accepts = due && take_reg;

    assign want_welcome = ours && kind == HELLO && spoken;
    assign want_ack     = {(accepts || again) && channel, (accepts || again) && !channel};
    assign want_busy    = {due && !take_reg && channel, due && !take_reg && !channel};
    assign got_ack      = ours && kind == ACK;
    assign got_busy     = ours && kind == BUSY;
    assign got_channel  = channel;
    assign got_number   = number;
    assign greeted      = ours && (kind == WELCOME ? spoken : kind == DATA || got_ack || got_busy);
    assign expected     = {expected_reg[1], expected_reg[0]};
    assign active       = {frames_reg[1] != 32'd0, frames_reg[0] != 32'd0};
    assign idle         = !inside_reg;


    integer i;
    always @(posedge clk) begin
        start         <= is_start && !clear;
        ok            <= good;
        code_error    <= !is_idle && !is_start && !is_plain && !clear;
        framing_error <= (inside_reg ? is_start || is_idle : is_plain) && !clear;
        crc_error     <= in_crc && !good;
        stranger      <= good && !want_welcome && !greeted || is_data && !again && !due;
        accepted      <= accepts;
        duplicate     <= again;
        turned_away   <= due && !take_reg;
        done          <= 2'd0;
        mem_write     <= in_word && take_reg;
        mem_waddress  <= {line_reg[channel], word_reg[4:0]};
        mem_wdata     <= rx_data;

        if (is_start) begin
            inside_reg  <= 1'b1;
            header_reg  <= rx_data[31:8];
            take_reg    <= active[rx_data[11]] && rx_data[31:24] == expected_reg[rx_data[11]] &&
                           rx_data[23:16] == session;
            word_reg    <= 6'd0;
            running_reg <= {8'd0, rx_data[31:8]};
        end else if (in_word) begin
            word_reg    <= word_reg + 6'd1;
            running_reg <= {running_reg[30:0], running_reg[31]} + rx_data;
        end else
            inside_reg <= 1'b0;

        if (accepts) begin
            expected_reg[channel] <= number + 8'd1;
            line_reg[channel]     <= line_reg[channel] + 27'd1;
            frames_reg[channel]   <= frames_reg[channel] - 32'd1;
            done[channel]         <= frames_reg[channel] == 32'd1;
            checksum              <= checksum + running_reg;
        end
        for (i = 0; i < 2; i = i + 1) begin
            if (set_line[i])
                line_reg[i] <= wdata[26:0];
            if (set_frames[i])
                frames_reg[i] <= wdata;
        end

        if (rst)
            checksum <= 32'd0;
        if (rst || clear) begin
            inside_reg <= 1'b0;
            mem_write  <= 1'b0;
            done       <= 2'd0;
            for (i = 0; i < 2; i = i + 1) begin
                frames_reg[i]   <= 32'd0;
                expected_reg[i] <= 8'd0;
            end
        end
    end
endmodule
`default_nettype wire
