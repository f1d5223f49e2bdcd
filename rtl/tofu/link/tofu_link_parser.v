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
// Everything about a beat is said in the cycle after it was on rxd; with STAGES in the one after that: what the beat is
// and what it adds to CRCs is found before a register (crc32c_parity), of an rxd that comes from one, and what is said
// comes from registers, too. After a break (a damaged beat, a wrong header, too many beats) the rest of the packet is
// skipped in silence.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_parser #(
    parameter STAGES = 0               // 0 or 1: tofu_link
) (
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
    wire [8:0]   class_now, class_here;
    wire         is_data, is_first, is_hello, is_end, is_void, is_idle, high_idle, speaks, speech_wrong;
    tofu_link_class u_class (
        .data(STAGES == 0 ? data_reg : rxd), .control(STAGES == 0 ? control_reg : rxc),
        .is_data(class_now[8]), .is_first(class_now[7]), .is_hello(class_now[6]), .is_end(class_now[5]),
        .is_void(class_now[4]), .is_idle(class_now[3]), .high_idle(class_now[2]), .control_good(class_now[1]),
        .control_bad(class_now[0])
    );
    assign {is_data, is_first, is_hello, is_end, is_void, is_idle, high_idle, speaks, speech_wrong} = class_here;
    wire         is_last    = is_end || is_void;
    wire         is_known   = is_data || is_first || is_hello || is_last || is_idle;

    // where it is
    wire [31:0]  crc;
    wire         header_sum, hello_sum;              // the beat's CRC is that of a header, of a hello
    wire         second     = packet_reg && is_data && index_reg == 7'd1;
    wire         head_good  = header_sum && beats_reg <= 7'd125;
    wire         in_place   = index_reg == beats_reg + 7'd2;     // for the last beat
    wire         payload    = packet_reg && is_data && index_reg != 7'd1;
    wire         end_good   = is_end && in_place && data_reg[`TOFU_TRAILER_CRC] == crc && data_reg[31:8] == 24'd0;
    wire         end_void   = is_void && index_reg != 7'd1 && data_reg[`TOFU_TRAILER_CRC] == ~header_reg;

    wire         ended        = packet_reg && is_last && index_reg != 7'd1;
    wire         broken       = packet_reg && (is_first || is_hello || !is_known || (payload && in_place)
                                || (second && !head_good) || (is_last && index_reg == 7'd1));
    wire         out_of_place = (packet_reg && (is_first || is_hello || (payload && in_place)
                                || (is_end && !in_place))) || (!packet_reg && !skip_reg && (is_data || is_last));
    wire         crc_wrong    = (ended && (is_end ? in_place && !end_good : !end_void)) || (is_hello && !hello_sum);
    wire         lost         = !is_known && lost_reg == 6'd63;
    wire         rests        = !packet_reg && !skip_reg && is_idle && high_idle && lost_reg == 6'd0;

    // said at once, or with STAGES in the next cycle
    localparam EVENTS = 15;
    wire [EVENTS-1:0] events = {is_first, second && head_good, payload && !in_place, ended, end_good, end_void, broken,
                                is_hello && hello_sum, speaks, !is_known, out_of_place, second && !head_good,
                                crc_wrong, speech_wrong, lost};
    wire [EVENTS-1:0] said;
    assign {first_beat, head, body, packet_end, packet_good, packet_void, packet_break,
            hello_good, control_good, error_code, error_framing, error_header,
            error_crc, error_control, signal_lost} = said;
    generate
        if (STAGES == 0) begin : gen_said_at_once
            assign said    = events;
            assign data    = data_reg;
            assign seq     = seq_reg;
            assign channel = channel_reg;
            assign beats   = beats_reg;
            assign idle    = rests;
        end else begin : gen_said_after
            reg [EVENTS-1:0] said_reg;
            reg [127:0]      data_said_reg;
            reg [7:0]        seq_said_reg;
            reg [1:0]        channel_said_reg;
            reg [6:0]        beats_said_reg;
            reg              rests_reg;
            assign said    = said_reg;
            assign data    = data_said_reg;
            assign seq     = seq_said_reg;
            assign channel = channel_said_reg;
            assign beats   = beats_said_reg;
            assign idle    = rests && rests_reg;
            always @(posedge clk) begin
                said_reg         <= rst ? {EVENTS{1'b0}} : events;
                data_said_reg    <= data_reg;
                seq_said_reg     <= seq_reg;
                channel_said_reg <= channel_reg;
                beats_said_reg   <= beats_reg;
                rests_reg        <= rests;
            end
        end
    endgenerate
    wire [63:0]  control   = data[`TOFU_TRAILER_CONTROL];
    wire         unused    = &{1'b0, control};
    assign control_type    = control[`TOFU_CONTROL_TYPE];
    assign control_seq     = control[`TOFU_CONTROL_EXPECTED];
    assign control_credits = control[`TOFU_CONTROL_CREDITS];

    // CRCs. A header's and a hello's leave out byte 0 of the first beat: tofu_link_framer says how.
    wire [31:0]  header_next;                        // of header_reg, behind a first beat and behind a second one
    generate
        if (STAGES == 0) begin : gen_at_once
            wire [31:0] after_12, after_16;
            wire [7:0]  low_byte = (is_first || is_hello) ? 8'd0 : data_reg[7:0];
            assign class_here  = class_now;
            assign header_sum  = data_reg[`TOFU_HEADER_CRC_IN_BEAT] == ~after_12;
            assign hello_sum   = data_reg[`TOFU_HELLO_CRC] == ~after_12;
            assign header_next = is_first ? after_16 : ~after_12;
            crc32c_beat u_header_crc (
                .crc(second ? header_reg : 32'hA942E6BC), .data({data_reg[127:8], low_byte}), .after_12(after_12),
                .after_16(after_16)
            );
            tofu_packet_crc u_packet_crc (
                .clk(clk), .en(is_first || second || payload), .first(is_first), .second(second), .data(data_reg),
                .crc(crc)
            );
        end else begin : gen_before
            // what the beat adds: all of it, its first 12 bytes, its first 3, and its last 4
            wire [31:0] all, twelve, three, four;
            reg  [31:0] all_reg, twelve_reg, three_reg, four_reg, sum_reg;
            reg  [8:0]  class_reg;
            crc32c_parity u_all (.data(rxd), .sum(all));
            crc32c_parity #(.BITS(96)) u_twelve (.data(rxd[95:0]), .sum(twelve));
            crc32c_parity u_three (.data({104'd0, rxd[23:0]}), .sum(three));
            crc32c_parity #(.BITS(32)) u_four (.data(rxd[127:96]), .sum(four));

            // what registers lead to: of the value before the first beat, with the code in byte 0 taken out again
            wire [31:0] first_16, hello_12, header_12, ones_16, packet_16;
            crc32c_parity u_first (.data({96'd0, 32'hA942E6BC ^ {24'd0, `TOFU_WIRE_START}}), .sum(first_16));
            crc32c_parity #(.BITS(96)) u_hello (.data({64'd0, 32'hA942E6BC ^ {24'd0, `TOFU_WIRE_HELLO}}),
                                                .sum(hello_12));
            crc32c_parity #(.BITS(96)) u_header (.data({64'd0, header_reg}), .sum(header_12));
            crc32c_parity u_ones (.data({96'd0, 32'hFFFFFFFF}), .sum(ones_16));
            crc32c_parity u_packet (.data({96'd0, sum_reg}), .sum(packet_16));
            wire [31:0] after_12 = header_12 ^ twelve_reg;

            assign class_here  = class_reg;
            assign header_sum  = data_reg[`TOFU_HEADER_CRC_IN_BEAT] == ~after_12;
            assign hello_sum   = data_reg[`TOFU_HELLO_CRC] == ~(hello_12 ^ twelve_reg);
            assign header_next = is_first ? first_16 ^ all_reg : ~after_12;
            assign crc         = ~sum_reg;
            always @(posedge clk) begin
                class_reg  <= class_now;
                all_reg    <= all;
                twelve_reg <= twelve;
                three_reg  <= three;
                four_reg   <= four;
                if (is_first)
                    sum_reg <= ones_16 ^ all_reg ^ three_reg;
                else if (second)
                    sum_reg <= packet_16 ^ all_reg ^ four_reg;
                else if (payload)
                    sum_reg <= packet_16 ^ all_reg;
                if (rst)
                    class_reg <= 9'b000001100;       // an idle beat
            end
        end
    endgenerate

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
            header_reg  <= header_next;
        end else begin
            if (broken || ended) begin
                packet_reg <= 1'b0;
            end
            skip_reg <= (skip_reg && (is_data || !is_known))
                        || (!is_known || (broken && is_data) || (!packet_reg && is_data));
            if (second || payload) begin
                index_reg <= index_reg + 7'd1;
            end
            if (second) begin
                header_reg <= header_next;
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
