// SPDX-License-Identifier: Apache-2.0
// The last stage of a Tofu link's framer where it has one more (STAGES of tofu_link): CRCs go into a beat that has all
// but them. As without the stage: the header's CRC into its second beat, its complement into the end of a nullified
// packet (of a packet cut short after its first beat, of what there is), a hello's CRC, a link control packet's.
//
// Latency: 1 cycle.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_fill (
    input  wire         clk,
    input  wire         rst,

    // a beat and what it is
    input  wire         hello,
    input  wire         first,         // of a header
    input  wire         second,
    input  wire         nullified,
    input  wire         control,       // a link control packet is in its upper half
    input  wire [127:0] data,
    input  wire [15:0]  codes,

    output reg  [127:0] txd,
    output reg  [15:0]  txc
);
    reg  [31:0] header_reg;            // of the header: register of the CRC, then CRC
    wire [31:0] all, twelve, first_16, hello_12, header_12;
    wire [15:0] control_crc;

    // The code in byte 0 is left out: the value before the first beat has it, too (tofu_link_framer).
    crc32c_parity u_all (.data(data), .sum(all));
    crc32c_parity #(.BITS(96)) u_twelve (.data(data[95:0]), .sum(twelve));
    crc32c_parity u_first (.data({96'd0, 32'hA942E6BC ^ {24'd0, `TOFU_WIRE_START}}), .sum(first_16));
    crc32c_parity #(.BITS(96)) u_hello (.data({64'd0, 32'hA942E6BC ^ {24'd0, `TOFU_WIRE_HELLO}}), .sum(hello_12));
    crc32c_parity #(.BITS(96)) u_header (.data({64'd0, header_reg}), .sum(header_12));
    tofu_control_crc u_control_crc (.data(data[111:72]), .crc(control_crc));

    always @(posedge clk) begin
        txd <= data;
        txc <= codes;
        if (first)
            header_reg <= first_16 ^ all;
        if (second) begin
            header_reg                    <= ~(header_12 ^ twelve);
            txd[`TOFU_HEADER_CRC_IN_BEAT] <= ~(header_12 ^ twelve);
        end
        if (hello)
            txd[`TOFU_HELLO_CRC] <= ~(hello_12 ^ twelve);
        if (nullified)
            txd[`TOFU_TRAILER_CRC] <= ~header_reg;
        if (control)
            txd[127:112] <= control_crc;
        if (rst) begin
            txd <= {16{`TOFU_WIRE_IDLE}};
            txc <= {2{`TOFU_HALF_IDLE}};
        end
    end
endmodule
`default_nettype wire
