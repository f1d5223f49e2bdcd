// SPDX-License-Identifier: Apache-2.0
// The sending side of a Grid link: puts frames on the wire, one at a time (README.md, "The wire"). A data frame stays
// where it is, in the node's memory, until it is acknowledged; then the next one's turn comes. Each of two channels
// waits for itself, so that a message nobody fetches does not hold up the other channel's.
//
//   wire    idle | header | word 0 | ... | word 31 | CRC | idle | (waits)      a data frame
//   memory   rd0   rd1      rd2      ...                                       address; data come a cycle later
//
// A channel's frame is sent again when no answer has come `timeout` cycles after its end. An acknowledgement that comes
// while the frame is being sent again ends the wait for it, and the copy goes on: its number makes it a duplicate.
`default_nettype none
module grid_link_tx #(
    parameter [7:0] VERSION = 8'd1
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        clear,           // the link is off: forget everything but the checksum

    output reg  [31:0] tx_data,
    output reg  [3:0]  tx_control,

    // Memory, a word a cycle; data come in the cycle after the address.
    output wire [31:0] mem_raddress,
    input  wire [31:0] mem_rdata,

    // From the registers.
    input  wire [1:0]  set_line,        // pulses: where a channel's next message is, in lines of 32 words
    input  wire [1:0]  set_frames,      // how many frames it has: starts it
    input  wire [31:0] wdata,
    input  wire        greets,          // the link comes up: a HELLO every 64 cycles
    input  wire        up,
    input  wire [7:0]  session,
    input  wire [15:0] timeout,
    output wire [1:0]  active,          // channels that have frames to send

    // From the receiving side.
    input  wire        want_welcome,    // pulses: something is to be answered
    input  wire [1:0]  want_ack,
    input  wire [1:0]  want_busy,
    input  wire [15:0] expected,        // numbers of the frames that are expected, by channel
    input  wire        got_ack,         // pulses: an answer came,
    input  wire        got_busy,
    input  wire        got_channel,     // of that channel
    input  wire [7:0]  got_number,

    output reg  [31:0] checksum,        // over frames that were acknowledged
    output wire        idle,            // nothing is on its way or waits
    output reg  [1:0]  done,            // pulse: a channel's last frame was acknowledged
    output reg         sent,            // pulses, for counters: an acknowledged frame,
    output reg         resent,          // one sent again because no answer came,
    output reg         refused          // one that the peer had no place for
);
    localparam [2:0] HELLO = 3'd0, WELCOME = 3'd1, DATA = 3'd2, ACK = 3'd3, BUSY = 3'd4;
    localparam [5:0] GAP = 6'd34, LAST_WORD = 6'd32, CRC = 6'd33;
    localparam [31:0] IDLE_WORD = 32'h07070707;

    // What is waited for.
    reg         welcome_reg;            // answers that are due
    reg  [1:0]  ack_reg, busy_reg;
    reg  [26:0] line_reg [0:1];         // by channel: the oldest frame that is not acknowledged,
    reg  [31:0] frames_reg [0:1];       // how many are left, it included,
    reg  [7:0]  number_reg [0:1];       // its number
    reg  [31:0] sum_reg [0:1];          // and the sum of its words,
    reg  [1:0]  flying_reg;             // once it was sent
    reg  [1:0]  refused_reg;            // the peer had no place for it
    reg  [15:0] wait_reg;               // cycles until something may be sent again
    reg         last_reg;               // channel of the last data frame

    // The frame on the wire.
    reg  [5:0]  step_reg;               // 0: none; then the number of the next word
    reg  [7:0]  flight_reg;             // its number, of a data frame
    reg         data_reg;
    reg  [31:0] running_reg;

    wire [1:0] pending = {frames_reg[1] != 32'd0, frames_reg[0] != 32'd0};
    wire       other   = !last_reg;
    wire       channel = pending[other] ? other : last_reg;
    wire       starts  = step_reg == 6'd0;
    wire       answers = welcome_reg || ack_reg != 2'd0 || busy_reg != 2'd0;
    wire       greet   = greets && wait_reg == 16'd0;
    wire       data    = up && pending != 2'd0 && wait_reg == 16'd0;
    wire       reply   = !(ack_reg[0] || busy_reg[0]);          // channel of the answer
    wire [7:0] number  = number_reg[channel];
    wire [7:0] due     = reply ? expected[15:8] : expected[7:0];

    reg  [31:0] header;
    reg         begins;
    always @* begin
        begins = starts;
        header = {VERSION, session, 5'd0, HELLO, 8'hFB};
        if (welcome_reg)
            header[10:8] = WELCOME;
        else if (answers && ack_reg[reply])
            header = {due - 8'd1, session, 4'd0, reply, ACK, 8'hFB};
        else if (answers)
            header = {due, session, 4'd0, reply, BUSY, 8'hFB};
        else if (data)
            header = {number, session, 4'd0, channel, DATA, 8'hFB};
        else if (!greet)
            begins = 1'b0;
    end

    wire        sends_data = begins && !answers && data;
    wire        speaking   = data_reg ? last_reg : channel;
    wire        copies     = data_reg && step_reg != 6'd0 && step_reg <= LAST_WORD;
    wire [31:0] crc;
    crc32c crc_unit (.clk(clk), .en(begins || copies), .first(begins), .data(begins ? header : mem_rdata), .crc(crc));

    assign mem_raddress = {line_reg[speaking], step_reg[4:0]};
    assign active       = pending;
    assign idle         = starts && !answers && !greets && wait_reg == 16'd0 && !(up && pending != 2'd0);

    // An answer counts if it is to the frame that is waited for.
    wire acked   = got_ack && flying_reg[got_channel] && got_number == number_reg[got_channel];
    wire waved   = got_busy && flying_reg[got_channel] && got_number == number_reg[got_channel];
    wire current = flight_reg == number_reg[last_reg] && pending[last_reg];

    integer i;
    always @(posedge clk) begin
        // Answers that are due.
        if (begins && answers) begin
            welcome_reg <= 1'b0;
            if (!welcome_reg) begin
                ack_reg[reply]  <= 1'b0;
                busy_reg[reply] <= 1'b0;
            end
        end
        if (want_welcome)
            welcome_reg <= 1'b1;
        for (i = 0; i < 2; i = i + 1)
            if (want_ack[i] || want_busy[i]) begin
                ack_reg[i]  <= want_ack[i];
                busy_reg[i] <= want_busy[i];
            end

        // The wire.
        tx_data    <= IDLE_WORD;
        tx_control <= 4'hF;
        resent     <= 1'b0;
        if (wait_reg != 16'd0 && step_reg == 6'd0)
            wait_reg <= wait_reg - 16'd1;
        if (begins) begin
            tx_data     <= header;
            tx_control  <= 4'h1;
            step_reg    <= sends_data ? 6'd1 : CRC;
            data_reg    <= sends_data;
            running_reg <= {8'd0, header[31:8]};
            if (sends_data) begin
                last_reg             <= channel;
                flight_reg           <= number;
                resent               <= flying_reg[channel] && !refused_reg[channel];
                refused_reg[channel] <= 1'b0;
                wait_reg             <= timeout;
            end else if (!answers)
                wait_reg <= 16'd63;
        end else if (copies) begin
            tx_data     <= mem_rdata;
            tx_control  <= 4'h0;
            step_reg    <= step_reg + 6'd1;
            running_reg <= {running_reg[30:0], running_reg[31]} + mem_rdata;
        end else if (step_reg == CRC) begin
            tx_data    <= crc;
            tx_control <= 4'h0;
            step_reg   <= GAP;
            if (data_reg && current) begin
                flying_reg[last_reg] <= 1'b1;
                sum_reg[last_reg]    <= running_reg;
            end
        end else begin
            step_reg <= 6'd0;
            data_reg <= 1'b0;
        end

        // Answers that came.
        sent    <= acked;
        refused <= waved;
        done    <= 2'd0;
        if (acked) begin
            flying_reg[got_channel] <= 1'b0;
            number_reg[got_channel] <= number_reg[got_channel] + 8'd1;
            line_reg[got_channel]   <= line_reg[got_channel] + 27'd1;
            frames_reg[got_channel] <= frames_reg[got_channel] - 32'd1;
            done[got_channel]       <= frames_reg[got_channel] == 32'd1;
            checksum                <= checksum + sum_reg[got_channel];
            if (got_channel == last_reg && !sends_data)
                wait_reg <= 16'd0;
        end
        if (waved) begin
            refused_reg[got_channel] <= 1'b1;
            if (got_channel == last_reg && pending[other] && !sends_data)
                wait_reg <= 16'd0;
        end

        // Messages that are started.
        for (i = 0; i < 2; i = i + 1) begin
            if (set_line[i])
                line_reg[i] <= wdata[26:0];
            if (set_frames[i])
                frames_reg[i] <= wdata;
        end

        if (rst)
            checksum <= 32'd0;
        if (rst || clear) begin
            welcome_reg <= 1'b0;
            ack_reg     <= 2'd0;
            busy_reg    <= 2'd0;
            flying_reg  <= 2'd0;
            refused_reg <= 2'd0;
            wait_reg    <= 16'd0;
            last_reg    <= 1'b0;
            step_reg    <= 6'd0;
            data_reg    <= 1'b0;
            done        <= 2'd0;
            sent        <= 1'b0;
            refused     <= 1'b0;
            for (i = 0; i < 2; i = i + 1) begin
                frames_reg[i] <= 32'd0;
                number_reg[i] <= 8'd0;
            end
        end
    end
endmodule
`default_nettype wire
