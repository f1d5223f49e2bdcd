// SPDX-License-Identifier: Apache-2.0
// The sending side of a Grid link: puts frames on the wire, one at a time (README.md, "The wire"). A data frame stays
// where it is, in the node's memory, until it is acknowledged; then the next one's turn comes. Each of two channels
// waits for itself, so that a message without a receive does not block the other channel's.
//
//   wire              idle | header | word 0 | word 1 | ... | word 31 | CRC | idle | until an answer or the timeout
//   mem_raddress      word 0 | word 1 | word 2 | ...                       data come in the cycle after their address
//
// A channel's frame is sent again when no answer has come `timeout` cycles after its end. An acknowledgement that comes
// while the frame is being sent again ends the wait for it, and the copy goes on: its number makes it a duplicate.
`default_nettype none
module grid_link_tx #(
    parameter [7:0] VERSION = 8'd1
) (
    input  wire        clk, rst,
    input  wire        clear,           // the link is off: forget everything but the checksum
    output reg  [31:0] tx_data, output reg [3:0] tx_control,
    output wire [31:0] mem_raddress, input wire [31:0] mem_rdata,

    // From the registers: a channel's next message, where it is, in lines of 32 words, and how many it has.
    input  wire [3:0]  set,             // pulses: line, frames of channel 0; of channel 1
    input  wire [31:0] wdata,
    input  wire        greets,          // the link comes up: a HELLO every 64 cycles
    input  wire        up,
    input  wire [7:0]  session,
    input  wire [15:0] timeout,
    output wire [1:0]  active,          // channels that have frames to send

    // From the receiving side, as pulses: what is to be answered, by channel, and what answers came.
    input  wire        want_welcome,
    input  wire [1:0]  want_ack, want_busy,
    input  wire [15:0] expected,        // numbers of the frames that are expected, by channel
    input  wire        got_ack, got_busy, got_channel,
    input  wire [7:0]  got_number,

    output reg  [31:0] checksum,        // over frames that were acknowledged
    output wire        idle,            // nothing is on its way or waits
    output reg         done, sent,      // pulses: a message, a frame was acknowledged,
    output reg         resent, refused  // a frame is sent again; the peer had no place for it
);
    localparam [2:0]  HELLO = 3'd0, WELCOME = 3'd1, DATA = 3'd2, ACK = 3'd3, BUSY = 3'd4;
    localparam [5:0]  LAST_WORD = 6'd32, CRC = 6'd33, GAP = 6'd34;
    localparam [31:0] IDLE_WORD = 32'h07070707;

    reg         welcome_reg;            // answers that are due
    reg  [1:0]  ack_reg, busy_reg;
    // By channel, of the oldest frame that is not acknowledged:
    reg  [26:0] line_reg [0:1];
    reg  [63:0] frames_reg;             // how many are left, it included
    reg  [15:0] number_reg;
    reg  [31:0] sum_reg [0:1];          // of its words
    reg  [1:0]  flying_reg;             // it was sent
    reg  [1:0]  refused_reg;            // the peer had no place for it
    reg  [15:0] wait_reg;               // cycles until a frame may be sent that is no answer
    reg         last_reg;               // channel of the last data frame
    // The frame on the wire:
    reg  [5:0]  step_reg;               // 0: none; then the number of the next word
    reg         data_reg;               // it is a data frame,
    reg  [7:0]  flight_reg;             // of this number
    reg  [31:0] running_reg;            // sum of its words so far

    assign      active  = {frames_reg[63:32] != 32'd0, frames_reg[31:0] != 32'd0};
    wire        other   = !last_reg;
    wire        channel = active[other] ? other : last_reg;
    wire [7:0]  number  = number_reg[8*channel +: 8];
    wire        answers = welcome_reg || ack_reg != 2'd0 || busy_reg != 2'd0;
    wire        reply   = !(ack_reg[0] || busy_reg[0]);         // the answer's channel
    wire [7:0]  due     = expected[8*reply +: 8];
    wire        data    = up && active != 2'd0;
    wire        begins  = step_reg == 6'd0 && (answers || wait_reg == 16'd0 && (data || greets));
    wire        sends   = begins && !answers && data;
    wire        copies  = data_reg && step_reg != 6'd0 && step_reg <= LAST_WORD;

    reg  [31:0] header;
    always @*
        if (answers)
            header = welcome_reg    ? {VERSION, session, 5'd0, WELCOME, 8'hFB}
                   : ack_reg[reply] ? {due - 8'd1, session, 4'd0, reply, ACK, 8'hFB}
                                    : {due, session, 4'd0, reply, BUSY, 8'hFB};
        else
            header = data ? {number, session, 4'd0, channel, DATA, 8'hFB} : {VERSION, session, 5'd0, HELLO, 8'hFB};

    wire [31:0] crc;
    crc32c crc_unit (.clk(clk), .en(begins || copies), .first(begins), .data(begins ? header : mem_rdata), .crc(crc));

    assign mem_raddress = {line_reg[data_reg ? last_reg : channel], step_reg[4:0]};
    assign idle         = step_reg == 6'd0 && wait_reg == 16'd0 && !answers && !greets && !data;

    // An answer counts if it is to the frame that is waited for.
    wire known   = flying_reg[got_channel] && got_number == number_reg[8*got_channel +: 8];
    wire acked   = got_ack && known;
    wire waved   = got_busy && known;
    wire current = active[last_reg] && flight_reg == number_reg[8*last_reg +: 8];

    integer i;
    always @(posedge clk) begin
        if (begins && welcome_reg)
            welcome_reg <= 1'b0;
        else if (begins && answers) begin
            ack_reg[reply]  <= 1'b0;
            busy_reg[reply] <= 1'b0;
        end
        if (want_welcome)
            welcome_reg <= 1'b1;
        for (i = 0; i < 2; i = i + 1)
            if (want_ack[i] || want_busy[i]) begin
                ack_reg[i]  <= want_ack[i];
                busy_reg[i] <= want_busy[i];
            end

        tx_data    <= IDLE_WORD;
        tx_control <= 4'hF;
        resent     <= sends && flying_reg[channel] && !refused_reg[channel];
        if (wait_reg != 16'd0 && step_reg == 6'd0)
            wait_reg <= wait_reg - 16'd1;
        if (begins) begin
            tx_data     <= header;
            tx_control  <= 4'h1;
            step_reg    <= sends ? 6'd1 : CRC;
            data_reg    <= sends;
            running_reg <= {8'd0, header[31:8]};
            if (sends) begin
                last_reg             <= channel;
                flight_reg           <= number;
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

        sent    <= acked;
        refused <= waved;
        done    <= acked && frames_reg[32*got_channel +: 32] == 32'd1;
        if (acked) begin
            flying_reg[got_channel]          <= 1'b0;
            number_reg[8*got_channel +: 8]   <= got_number + 8'd1;
            line_reg[got_channel]            <= line_reg[got_channel] + 27'd1;
            frames_reg[32*got_channel +: 32] <= frames_reg[32*got_channel +: 32] - 32'd1;
            checksum                         <= checksum + sum_reg[got_channel];
        end
        if (waved)
            refused_reg[got_channel] <= 1'b1;
        if ((acked || waved && active[other]) && got_channel == last_reg && !sends)
            wait_reg <= 16'd0;

        for (i = 0; i < 2; i = i + 1) begin
            if (set[2*i])
                line_reg[i] <= wdata[26:0];
            if (set[2*i + 1])
                frames_reg[32*i +: 32] <= wdata;
        end

        if (rst)
            checksum <= 32'd0;
        if (rst || clear) begin
            {welcome_reg, last_reg, data_reg, step_reg, wait_reg, done, sent, refused} <= 28'd0;
            ack_reg     <= 2'd0;
            busy_reg    <= 2'd0;
            flying_reg  <= 2'd0;
            refused_reg <= 2'd0;
            number_reg  <= 16'd0;
            frames_reg  <= 64'd0;
        end
    end
endmodule
`default_nettype wire
