// SPDX-License-Identifier: Apache-2.0
// Receive parser of a QPACE link (wire format in README.md): takes words off the wire, finds frames and
// commands, checks CRCs, reports every anomaly. Holds no protocol state.
//
//   cycle            0        1        2             33      34      35       36
//   xgmii_rxd        header   w0       w1     ...    CRC     (next)
//   word_reg                  header   w0            w31     CRC     (next)
//   payload_*                          w0 ...        w30     w31
//   header (output)                    header ...                    header
//   packet_end, obs_rx_*                                             here
//
// Latency: every result of a word comes 2 cycles after the cycle in which it was on xgmii_rxd.
`default_nettype none
`include "qpace_wire.vh"
module qpace_link_parser (
    input  wire        link_clk,
    input  wire        link_rst,
    input  wire [31:0] xgmii_rxd,
    input  wire [3:0]  xgmii_rxc,

    // the word now in word_reg, before its frame was checked
    output wire        payload_valid,
    output wire [4:0]  payload_index,
    output wire        identity_valid,  // word 1 of a hello
    output wire [31:0] word,

    // results of a word, 2 cycles after it was on the wire
    output wire        packet_end,      // a packet came to its end, whole or not
    output wire        packet_good,     // with packet_end
    output wire        packet_void,     // with packet_good: withdrawn by the sender
    output wire        packet_cut,      // with packet_end: truncated, `header` may be another's
    output wire        hello_good,
    output wire        command_good,
    output wire        error_crc,       // packet or hello with a bad CRC or a damaged word
    output wire        error_code,      // word with an error character
    output wire        error_framing,   // word out of place, truncated frame
    output wire        error_command,   // command with a bad CRC
    output wire        signal_lost,     // 64 words with error characters in a row
    output wire [31:8] header,          // lanes 1 to 3 of the frame's first word
    output wire [15:8] command,         // of a command's word
    output wire [5:0]  hello_next,      // of a hello's word 2

    output wire        obs_rx_start,
    output wire        obs_rx_ok,
    output wire        obs_rx_command,
    output wire        obs_rx_error,
    output wire        idle             // nothing on its way
);
    reg  [31:0] word_reg;
    reg  [3:0]  control_reg;
    reg         in_frame_reg;
    reg         hello_reg;       // the frame is a hello
    reg         bad_reg;         // a word of the frame was damaged
    reg  [5:0]  index_reg;       // words of the frame since its header
    reg  [31:8] header_reg;
    reg  [15:8] command_reg;
    reg  [5:0]  next_reg;
    reg  [6:0]  lost_reg;        // error characters in a row, up to 64

    reg         void_reg;
    reg         start_reg, packet_end_reg, packet_cut_reg, good_reg, hello_good_reg, command_good_reg;
    reg         error_crc_reg, error_code_reg, error_framing_reg, error_command_reg;

    // what the word is
    wire [3:0]  error_lane = {word_reg[31:24] == `QPACE_WIRE_ERROR, word_reg[23:16] == `QPACE_WIRE_ERROR,
                              word_reg[15:8] == `QPACE_WIRE_ERROR, word_reg[7:0] == `QPACE_WIRE_ERROR};
    wire        is_error   = (error_lane & control_reg) != 4'd0;
    wire        is_idle    = control_reg == `QPACE_WIRE_IDLE_CONTROL && word_reg == {4{`QPACE_WIRE_IDLE}};
    wire        is_data    = control_reg == `QPACE_WIRE_DATA_CONTROL;
    wire        is_code    = control_reg == `QPACE_WIRE_START_CONTROL;
    wire        is_packet  = is_code && word_reg[7:0] == `QPACE_WIRE_PACKET;
    wire        is_hello   = is_code && word_reg[7:0] == `QPACE_WIRE_HELLO;
    wire        is_command = is_code && word_reg[7:0] == `QPACE_WIRE_COMMAND;
    wire        is_start   = is_packet || is_hello;
    wire [95:64] hello_2   = word_reg;           // if it is word 2 of a hello
    wire        is_known   = is_start || is_command;

    // what it does: a damaged word inside a frame stands for one of its words
    wire        advance    = in_frame_reg && !is_idle && !is_known;
    wire        at_end     = hello_reg ? index_reg[1] : index_reg[5];
    wire        frame_end  = advance && at_end;
    // A command has no place inside a frame. It is ignored there: a few damaged bits can make a start
    // code of a data character, and 16 bits of CRC are too few between payload and an acknowledgement.
    wire        cut        = in_frame_reg && is_known;
    wire        is_lone    = is_command && !in_frame_reg;
    wire [31:0] crc;
    wire [15:0] command_crc;
    // A withdrawn packet ends with a code and the inverted rest of its CRC: no damage to one lane
    // makes it of a good one.
    wire        withdrawn  = is_code && word_reg[7:0] == `QPACE_WIRE_WITHDRAWN && !hello_reg;
    wire        good       = (is_data || withdrawn) && !bad_reg
                             && word_reg[31:8] == (crc[31:8] ^ {24{withdrawn}})
                             && (withdrawn || word_reg[7:0] == crc[7:0]);

    assign payload_valid  = advance && !hello_reg && !at_end;
    assign payload_index  = index_reg[4:0];
    assign identity_valid = advance && hello_reg && index_reg[1:0] == 2'd0;
    assign word           = word_reg;
    assign packet_end     = packet_end_reg;
    assign packet_good    = good_reg;
    assign packet_void    = void_reg;
    assign packet_cut     = packet_cut_reg;
    assign hello_good     = hello_good_reg;
    assign command_good   = command_good_reg;
    assign error_crc      = error_crc_reg;
    assign error_code     = error_code_reg;
    assign error_framing  = error_framing_reg;
    assign error_command  = error_command_reg;
    assign signal_lost    = lost_reg[6];
    assign header         = header_reg;
    assign command        = command_reg;
    assign hello_next     = next_reg;
    assign obs_rx_start   = start_reg;
    assign obs_rx_ok      = good_reg;
    assign obs_rx_command = command_good_reg;
    assign obs_rx_error   = error_crc_reg || error_code_reg || error_framing_reg || error_command_reg;
    assign idle           = is_idle && !good_reg && !command_good_reg && !obs_rx_error && !start_reg
                            && lost_reg == 7'd0;

    crc32c u_crc (
        .clk(link_clk), .en(is_start || (advance && is_data)), .first(is_start), .data(word_reg), .crc(crc)
    );

    crc16_byte u_command_crc (.data(word_reg[15:8]), .crc(command_crc));

    always @(posedge link_clk) begin
        word_reg    <= xgmii_rxd;
        control_reg <= xgmii_rxc;

        start_reg         <= is_start;
        packet_end_reg    <= (frame_end || cut) && !hello_reg;
        packet_cut_reg    <= cut;
        good_reg          <= frame_end && good;
        void_reg          <= frame_end && withdrawn;
        hello_good_reg    <= frame_end && good && hello_reg;
        command_good_reg  <= is_lone && word_reg[31:16] == command_crc;
        error_crc_reg     <= frame_end && !good;
        error_code_reg    <= is_error;
        error_framing_reg <= !is_error && !is_idle && !is_known && !(is_data && in_frame_reg)
                             && !(frame_end && good) || cut;
        error_command_reg <= is_lone && word_reg[31:16] != command_crc;

        if (!is_error) begin
            lost_reg <= 7'd0;
        end else if (!lost_reg[6]) begin
            lost_reg <= lost_reg + 7'd1;
        end

        if (is_start) begin
            in_frame_reg <= 1'b1;
            hello_reg    <= is_hello;
            bad_reg      <= 1'b0;
            index_reg    <= 6'd0;
            header_reg   <= word_reg[31:8];
        end else if (is_command) begin
            in_frame_reg <= 1'b0;
            command_reg  <= word_reg[15:8];
        end else if (advance) begin
            in_frame_reg <= !at_end;
            index_reg    <= index_reg + 6'd1;
            bad_reg      <= bad_reg || !is_data;
            if (hello_reg && index_reg[0]) begin
                next_reg <= hello_2[`QPACE_HELLO_NEXT_EXPECTED];
            end
        end

        if (link_rst) begin
            word_reg          <= {4{`QPACE_WIRE_IDLE}};
            control_reg       <= `QPACE_WIRE_IDLE_CONTROL;
            in_frame_reg      <= 1'b0;
            start_reg         <= 1'b0;
            packet_end_reg    <= 1'b0;
            good_reg          <= 1'b0;
            hello_good_reg    <= 1'b0;
            command_good_reg  <= 1'b0;
            error_crc_reg     <= 1'b0;
            error_code_reg    <= 1'b0;
            error_framing_reg <= 1'b0;
            error_command_reg <= 1'b0;
            lost_reg          <= 7'd0;
        end
    end

    wire unused = &{1'b0, hello_2};   // most of it is no field
endmodule
`default_nettype wire
