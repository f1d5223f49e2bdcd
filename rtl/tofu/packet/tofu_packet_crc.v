// SPDX-License-Identifier: Apache-2.0
// The CRC-32C that a Tofu packet's source makes and every hop checks (rtl/tofu/README.md, "Header"): over all beats but
// the last, bytes 0 to 2 and 28 to 31 of the header counted as 0. `crc` covers the beats up to the cycle before, and
// goes into bytes 4 to 7 of the last beat.
`default_nettype none
module tofu_packet_crc #(
    parameter STAGES = 0           // 1: in few levels of logic, of more of it
) (
    input  wire         clk,
    input  wire         en,
    input  wire         first,     // with en: first beat of the header
    input  wire         second,    // with en: second beat of the header
    input  wire [127:0] data,
    output wire [31:0]  crc
);
    reg  [31:0] crc_reg;
    wire [31:0] after_16;
    wire [31:0] upper = second ? 32'd0 : data[127:96];
    wire [23:0] lower = first ? 24'd0 : data[23:0];
    wire [31:0] start = first ? 32'hFFFFFFFF : crc_reg;

    assign crc = ~crc_reg;

    generate
        if (STAGES == 0) begin : gen_words
            wire [31:0] after_12;
            crc32c_beat u_step (
                .crc(start), .data({upper, data[95:24], lower}), .after_12(after_12), .after_16(after_16)
            );
            wire unused = &{1'b0, after_12};
        end else begin : gen_parity
            wire [31:0] of_data, of_register;
            crc32c_parity u_data (.data({upper, data[95:24], lower}), .sum(of_data));
            crc32c_parity u_register (.data({96'd0, start}), .sum(of_register));
            assign after_16 = of_data ^ of_register;
        end
    endgenerate

    always @(posedge clk) begin
        if (en) begin
            crc_reg <= after_16;
        end
    end
endmodule
`default_nettype wire
