// SPDX-License-Identifier: Apache-2.0
// What a beat on the wire of a Tofu link is (rtl/tofu/README.md, "What a receiver makes of a beat"). Combinational.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_class (
    input  wire [127:0] data,
    input  wire [15:0]  control,
    output wire         is_data,
    output wire         is_first,
    output wire         is_hello,
    output wire         is_end,
    output wire         is_void,
    output wire         is_idle,
    output wire         high_idle,     // its upper half is idle
    output wire         control_good,  // has a link control packet in it,
    output wire         control_bad    // with a wrong CRC
);
    wire [7:0]   code       = data[7:0];
    wire [63:0]  said       = data[`TOFU_TRAILER_CONTROL];
    wire [7:0]   low_half   = control[7:0];
    wire [7:0]   high_half  = control[15:8];
    wire         low_code   = low_half == `TOFU_HALF_CODE;
    wire         low_idle   = low_half == `TOFU_HALF_IDLE && data[63:0] == {8{`TOFU_WIRE_IDLE}};
    wire         high_code  = high_half == `TOFU_HALF_CODE && said[`TOFU_CONTROL_START] == `TOFU_WIRE_CONTROL;
    wire         high_known = high_idle || high_code;
    wire         speaks     = high_code && (is_end || is_void || is_idle);
    wire [15:0]  control_sum;
    wire         sum_good   = said[`TOFU_CONTROL_CRC] == control_sum;

    assign high_idle    = high_half == `TOFU_HALF_IDLE && said == {8{`TOFU_WIRE_IDLE}};
    assign is_data      = control == {2{`TOFU_HALF_DATA}};
    assign is_first     = control == {`TOFU_HALF_DATA, `TOFU_HALF_CODE} && code == `TOFU_WIRE_START;
    assign is_hello     = control == {`TOFU_HALF_DATA, `TOFU_HALF_CODE} && code == `TOFU_WIRE_HELLO;
    assign is_end       = low_code && high_known && code == `TOFU_WIRE_END;
    assign is_void      = low_code && high_known && code == `TOFU_WIRE_NULLIFIED;
    assign is_idle      = low_idle && high_known;
    assign control_good = speaks && sum_good;
    assign control_bad  = speaks && !sum_good;

    tofu_control_crc u_control_crc (.data(said[47:8]), .crc(control_sum));

    wire unused = &{1'b0, data};
endmodule
`default_nettype wire
