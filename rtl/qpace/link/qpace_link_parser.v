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
    output wire        packet_good,     // only with packet_end
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
    output wire [1:0]  command_type,    // of a command's word
    output wire [5:0]  peer_seq,        // of a command's word, or of a hello's word 2

    output wire        obs_rx_start,
    output wire        obs_rx_ok,
    output wire        obs_rx_command,
    output wire        obs_rx_error,
    output wire        idle             // nothing on its way
);
    reg  [31:0] word_reg;
    reg  [6:0]  kind_reg;        // what word_reg is, decided while it was on the wire
    reg         in_frame_reg;
    reg         hello_reg;       // the frame is a hello
    reg         bad_reg;         // a word of the frame was damaged
    reg  [5:0]  index_reg;       // words of the frame since its header
    reg  [31:8] header_reg;
    reg  [1:0]  type_reg;
    reg  [5:0]  seq_reg;
    reg  [6:0]  lost_reg;        // error characters in a row, up to 64

    reg         void_reg;
    reg         start_reg, packet_end_reg, packet_cut_reg, packet_good_reg, hello_good_reg, command_good_reg;
    reg         error_crc_reg, error_code_reg, error_framing_reg, error_command_reg;

    // what the word on the wire is
    wire [3:0]  error_lane = {xgmii_rxd[31:24] == `QPACE_WIRE_ERROR, xgmii_rxd[23:16] == `QPACE_WIRE_ERROR,
                              xgmii_rxd[15:8] == `QPACE_WIRE_ERROR, xgmii_rxd[7:0] == `QPACE_WIRE_ERROR};
    wire        code       = xgmii_rxc == `QPACE_WIRE_START_CONTROL;
    wire        hello      = code && xgmii_rxd[7:0] == `QPACE_WIRE_HELLO;
    wire [6:0]  kind       = {(error_lane & xgmii_rxc) != 4'd0,
                              xgmii_rxc == `QPACE_WIRE_IDLE_CONTROL && xgmii_rxd == {4{`QPACE_WIRE_IDLE}},
                              xgmii_rxc == `QPACE_WIRE_DATA_CONTROL,
                              hello || (code && xgmii_rxd[7:0] == `QPACE_WIRE_PACKET), hello,
                              code && xgmii_rxd[7:0] == `QPACE_WIRE_COMMAND,
                              code && xgmii_rxd[7:0] == `QPACE_WIRE_WITHDRAWN};
    localparam [6:0] KIND_IDLE = 7'b0100000;

    // what word_reg is
    wire        is_error, is_idle, is_data, is_start, is_hello, is_command, is_withdrawn;
    assign {is_error, is_idle, is_data, is_start, is_hello, is_command, is_withdrawn} = kind_reg;
    wire [15:8] command    = word_reg[15:8];     // if it is one
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
    wire        withdrawn  = is_withdrawn && !hello_reg;
    wire        good       = (is_data || withdrawn) && !bad_reg
                             && word_reg[31:8] == (crc[31:8] ^ {24{withdrawn}})
                             && (withdrawn || word_reg[7:0] == crc[7:0]);

    assign payload_valid  = advance && !hello_reg && !at_end;
    assign payload_index  = index_reg[4:0];
    assign identity_valid = advance && hello_reg && index_reg[1:0] == 2'd0;
    assign word           = word_reg;
    assign packet_end     = packet_end_reg;
    assign packet_good    = packet_good_reg;
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
    assign command_type   = type_reg;
    assign peer_seq       = seq_reg;
    assign obs_rx_start   = start_reg;
    assign obs_rx_ok      = packet_good_reg || hello_good_reg;
    assign obs_rx_command = command_good_reg;
    assign obs_rx_error   = error_crc_reg || error_code_reg || error_framing_reg || error_command_reg;
    assign idle           = is_idle && !obs_rx_ok && !command_good_reg && !obs_rx_error && !start_reg
                            && lost_reg == 7'd0;

    crc32c u_crc (
        .clk(link_clk), .en(is_start || (advance && is_data)), .first(is_start), .data(word_reg), .crc(crc)
    );

    crc16_byte u_command_crc (.data(command), .crc(command_crc));

    always @(posedge link_clk) begin
        word_reg <= xgmii_rxd;
        kind_reg <= kind;

        start_reg         <= is_start;
        packet_end_reg    <= (frame_end || cut) && !hello_reg;
        packet_cut_reg    <= cut;
        packet_good_reg   <= frame_end && good && !hello_reg;
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
            type_reg     <= command[`QPACE_COMMAND_TYPE];
            seq_reg      <= command[`QPACE_COMMAND_SEQUENCE];
        end else if (advance) begin
            in_frame_reg <= !at_end;
            index_reg    <= index_reg + 6'd1;
            bad_reg      <= bad_reg || !is_data;
            if (hello_reg && index_reg[0]) begin
                seq_reg <= hello_2[`QPACE_HELLO_NEXT_EXPECTED];
            end
        end

        if (link_rst) begin
            kind_reg          <= KIND_IDLE;
            in_frame_reg      <= 1'b0;
            start_reg         <= 1'b0;
            packet_end_reg    <= 1'b0;
            packet_good_reg   <= 1'b0;
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
