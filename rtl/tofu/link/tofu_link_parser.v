// SPDX-License-Identifier: Apache-2.0
// Takes beats off the wire of a Tofu link (rtl/tofu/README.md, "Wire format"), finds packets, hellos and link control
// packets, checks CRCs and lengths, reports every anomaly. Holds no protocol state.
//
//   cycle        0        1        2        3              n        n + 1
//   rxd          first    second   payload                 last
//   data                  first    second   payload                 last
//   first_beat            1
//   head                           1   header CRC good
//   body                                    1
//   packet_end                                                      1
//
// Everything about a beat is said in the cycle after it was on rxd. After a break (a damaged beat, a wrong header, too
// many beats) the rest of the packet is skipped in silence.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_parser (
    input  wire         clk,
    input  wire         rst,
    input  wire [127:0] rxd,
    input  wire [15:0]  rxc,

    output wire [127:0] data,
    output wire         first_beat,    // a packet begins
    output wire         head,          // second beat; the header is good, and below
    output wire         body,          // a beat of payload where one is due
    output wire         packet_end,    // the last beat, END or NULLIFIED
    output wire         packet_good,   // with packet_end: right CRC, right length
    output wire         packet_void,   // with packet_end: nullified
    output wire         packet_break,  // the packet under way ends here, badly
    output wire [7:0]   seq,
    output wire [1:0]   channel,
    output wire [6:0]   beats,         // of payload

    output wire         hello_good,    // `data` is a hello
    output wire         control_good,
    output wire [1:0]   control_type,
    output wire [7:0]   control_seq,
    output wire [27:0]  control_credits,

    output wire         error_code,    // damaged beat
    output wire         error_framing, // a beat out of place, a packet cut short or too long
    output wire         error_header,  // header with a wrong CRC
    output wire         error_crc,     // packet with a wrong CRC, hello with one
    output wire         error_control, // link control packet with a wrong CRC
    output wire         signal_lost,   // 64 damaged beats in a row
    output wire         idle
);
    reg  [127:0] data_reg;
    reg  [15:0]  control_reg;
    reg          packet_reg;           // a packet is under way
    reg          skip_reg;             // the rest of one is skipped
    reg  [6:0]   index_reg;            // of the beat to come
    reg  [7:0]   seq_reg;
    reg  [1:0]   channel_reg;
    reg  [6:0]   beats_reg;
    reg  [31:0]  header_reg;           // register of the header's CRC, then that CRC
    reg  [5:0]   lost_reg;             // damaged beats in a row

    // what the beat is
    wire [7:0]   code       = data_reg[7:0];
    wire [63:0]  said       = data_reg[`TOFU_TRAILER_CONTROL];
    wire [7:0]   low_half   = control_reg[7:0];
    wire [7:0]   high_half  = control_reg[15:8];
    wire         low_code   = low_half == `TOFU_HALF_CODE;
    wire         low_idle   = low_half == `TOFU_HALF_IDLE && data_reg[63:0] == {8{`TOFU_WIRE_IDLE}};
    wire         high_idle  = high_half == `TOFU_HALF_IDLE && said == {8{`TOFU_WIRE_IDLE}};
    wire         high_code  = high_half == `TOFU_HALF_CODE && said[`TOFU_CONTROL_START] == `TOFU_WIRE_CONTROL;
    wire         is_data    = control_reg == {2{`TOFU_HALF_DATA}};
    wire         is_first   = control_reg == {`TOFU_HALF_DATA, `TOFU_HALF_CODE} && code == `TOFU_WIRE_START;
    wire         is_hello   = control_reg == {`TOFU_HALF_DATA, `TOFU_HALF_CODE} && code == `TOFU_WIRE_HELLO;
    wire         high_known = high_idle || high_code;
    wire         is_end     = low_code && high_known && code == `TOFU_WIRE_END;
    wire         is_void    = low_code && high_known && code == `TOFU_WIRE_NULLIFIED;
    wire         is_idle    = low_idle && high_known;
    wire         is_last    = is_end || is_void;
    wire         is_known   = is_data || is_first || is_hello || is_last || is_idle;

    // where it is
    wire [31:0]  after_12, after_16, crc;
    wire         second     = packet_reg && is_data && index_reg == 7'd1;
    wire         head_good  = data_reg[`TOFU_HEADER_CRC_IN_BEAT] == ~after_12 && beats_reg <= 7'd125;
    wire         in_place   = index_reg == beats_reg + 7'd2;     // for the last beat
    wire         payload    = packet_reg && is_data && index_reg != 7'd1;
    wire         end_good   = is_end && in_place && data_reg[`TOFU_TRAILER_CRC] == crc && data_reg[31:8] == 24'd0;
    wire         end_void   = is_void && index_reg != 7'd1 && data_reg[`TOFU_TRAILER_CRC] == ~header_reg;
    wire         hello_sum  = data_reg[`TOFU_HELLO_CRC] == ~after_12;
    wire [15:0]  control_sum;

    assign data            = data_reg;
    assign first_beat      = is_first;
    assign head            = second && head_good;
    assign body            = payload && !in_place;
    assign packet_end      = packet_reg && is_last && index_reg != 7'd1;
    assign packet_good     = end_good;
    assign packet_void     = end_void;
    assign packet_break    = packet_reg && (is_first || is_hello || !is_known || (payload && in_place)
                             || (second && !head_good) || (is_last && index_reg == 7'd1));
    assign seq             = seq_reg;
    assign channel         = channel_reg;
    assign beats           = beats_reg;
    assign hello_good      = is_hello && hello_sum;
    assign control_good    = high_code && is_known && said[`TOFU_CONTROL_CRC] == control_sum;
    assign control_type    = said[`TOFU_CONTROL_TYPE];
    assign control_seq     = said[`TOFU_CONTROL_EXPECTED];
    assign control_credits = said[`TOFU_CONTROL_CREDITS];
    assign error_code      = !is_known;
    assign error_framing   = (packet_reg && (is_first || is_hello || (payload && in_place) || (is_end && !in_place)))
                             || (!packet_reg && !skip_reg && (is_data || is_last));
    assign error_header    = second && !head_good;
    assign error_crc       = (packet_end && (is_end ? in_place && !end_good : !end_void)) || (is_hello && !hello_sum);
    assign error_control   = high_code && is_known && said[`TOFU_CONTROL_CRC] != control_sum;
    assign signal_lost     = !is_known && lost_reg == 6'd63;
    assign idle            = !packet_reg && !skip_reg && is_idle && high_idle && lost_reg == 6'd0;

    wire [7:0]   low_byte   = (is_first || is_hello) ? 8'd0 : data_reg[7:0];
    crc32c_beat u_header_crc (
        .crc(second ? header_reg : 32'hA942E6BC),      // see tofu_link_framer
        .data({data_reg[127:8], low_byte}), .after_12(after_12), .after_16(after_16)
    );

    tofu_packet_crc u_packet_crc (
        .clk(clk), .en(is_first || second || payload), .first(is_first), .second(second), .data(data_reg), .crc(crc)
    );

    tofu_control_crc u_control_crc (.data(said[47:8]), .crc(control_sum));

    always @(posedge clk) begin
        data_reg    <= rxd;
        control_reg <= rxc;
        if (is_first) begin
            packet_reg  <= 1'b1;
            skip_reg    <= 1'b0;
            index_reg   <= 7'd1;
            seq_reg     <= data_reg[`TOFU_HEADER_SEQUENCE];
            channel_reg <= data_reg[`TOFU_HEADER_VC];
            beats_reg   <= data_reg[`TOFU_HEADER_BEATS];
            header_reg  <= after_16;
        end else begin
            if (packet_break || packet_end) begin
                packet_reg <= 1'b0;
            end
            skip_reg <= (skip_reg && (is_data || !is_known))
                        || (!is_known || (packet_break && is_data) || (!packet_reg && is_data));
            if (second || payload) begin
                index_reg <= index_reg + 7'd1;
            end
            if (second) begin
                header_reg <= ~after_12;
            end
        end
        lost_reg <= is_known ? 6'd0 : (lost_reg == 6'd63) ? lost_reg : lost_reg + 6'd1;
        if (rst) begin
            data_reg    <= {16{`TOFU_WIRE_IDLE}};
            control_reg <= {2{`TOFU_HALF_IDLE}};
            packet_reg  <= 1'b0;
            skip_reg    <= 1'b0;
            lost_reg    <= 6'd0;
        end
    end
endmodule
`default_nettype wire
