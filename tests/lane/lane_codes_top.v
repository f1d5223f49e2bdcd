// SPDX-License-Identifier: Apache-2.0
// The code of rtl/lane by itself: one character each way, words of four characters each way, and pseudo-random bits.
`default_nettype none
module lane_codes_top (
    input  wire [7:0]  data,
    input  wire        control,
    input  wire        positive,
    output wire [9:0]  code,
    output wire        inverts,

    input  wire [9:0]  group,
    input  wire        group_positive,
    output wire [7:0]  group_data,
    output wire        group_control,
    output wire        group_invalid,
    output wire        group_disparity,
    output wire        group_after,

    input  wire        clk,
    input  wire        rst,
    input  wire        en,
    input  wire [31:0] word,
    input  wire [3:0]  word_control,
    output wire [39:0] word_code,
    output wire [31:0] back,
    output wire [3:0]  back_control,
    output wire [3:0]  back_bad,

    input  wire        prbs31,
    input  wire [30:0] state,
    output wire [39:0] bits,
    output wire [30:0] next
);
    wire [3:0] invalid, disparity;

    lane_encode_character u_encode_character (
        .data(data), .control(control), .positive(positive), .code(code), .inverts(inverts));
    lane_decode_character u_decode_character (
        .code(group), .positive(group_positive), .data(group_data), .control(group_control), .invalid(group_invalid),
        .disparity(group_disparity), .after(group_after));
    lane_encode #(.CHARS(4)) u_encode (
        .clk(clk), .rst(rst), .en(en), .data(word), .control(word_control), .code(word_code));
    lane_decode #(.CHARS(4)) u_decode (
        .clk(clk), .rst(rst), .en(en), .code(word_code), .data(back), .control(back_control),
        .invalid(invalid), .disparity(disparity));
    assign back_bad = invalid | disparity;
    lane_prbs #(.WIDTH(40)) u_prbs (.prbs31(prbs31), .state(state), .bits(bits), .next(next));
endmodule
`default_nettype wire
