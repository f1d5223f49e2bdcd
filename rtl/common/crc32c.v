// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, iSCSI; RFC 3720) over 32 bits a cycle: polynomial 1EDC6F41, reflected, initial
// value and final exclusive-or all ones, lane 0 (bits 7:0) first. `crc` is ready to be sent: low byte
// in lane 0. It changes one cycle after `en`.
//
// A first word enters with its lane 0 left out (a frame's start code is not covered): what stands
// in for it is the register value from which one more zero byte leads to all ones.
//
// Each bit of a word, shifted through the register with those behind it, leaves a pattern; the sum of the patterns is
// the next value. Summed in pairs, so that a LUT of four inputs takes four patterns: four levels of logic with `first`.
`default_nettype none
module crc32c (
    input  wire        clk,
    input  wire        en,
    input  wire        first,   // with en: begin anew with lanes 1 to 3 of data
    input  wire [31:0] data,
    output wire [31:0] crc
);
    localparam [31:0] BEFORE_FIRST = 32'hA942E6BC;

    reg  [31:0] crc_reg;

    assign crc = ~crc_reg;

    wire [31:0] x = first ? {data[31:8] ^ BEFORE_FIRST[31:8], BEFORE_FIRST[7:0]} : data ^ crc_reg;
    wire [31:0] sum_0 = (((32'hDD45AAB8 & {32{x[0]}}) ^ (32'hBF672381 & {32{x[1]}}))
                         ^ ((32'h7B2231F3 & {32{x[2]}}) ^ (32'hF64463E6 & {32{x[3]}})));
    wire [31:0] sum_1 = (((32'hE964B13D & {32{x[4]}}) ^ (32'hD725148B & {32{x[5]}}))
                         ^ ((32'hABA65FE7 & {32{x[6]}}) ^ (32'h52A0C93F & {32{x[7]}})));
    wire [31:0] sum_2 = (((32'hA541927E & {32{x[8]}}) ^ (32'h4F6F520D & {32{x[9]}}))
                         ^ ((32'h9EDEA41A & {32{x[10]}}) ^ (32'h38513EC5 & {32{x[11]}})));
    wire [31:0] sum_3 = (((32'h70A27D8A & {32{x[12]}}) ^ (32'hE144FB14 & {32{x[13]}}))
                         ^ ((32'hC76580D9 & {32{x[14]}}) ^ (32'h8B277743 & {32{x[15]}})));
    wire [31:0] sum_4 = (((32'h13A29877 & {32{x[16]}}) ^ (32'h274530EE & {32{x[17]}}))
                         ^ ((32'h4E8A61DC & {32{x[18]}}) ^ (32'h9D14C3B8 & {32{x[19]}})));
    wire [31:0] sum_5 = (((32'h3FC5F181 & {32{x[20]}}) ^ (32'h7F8BE302 & {32{x[21]}}))
                         ^ ((32'hFF17C604 & {32{x[22]}}) ^ (32'hFBC3FAF9 & {32{x[23]}})));
    wire [31:0] sum_6 = (((32'hF26B8303 & {32{x[24]}}) ^ (32'hE13B70F7 & {32{x[25]}}))
                         ^ ((32'hC79A971F & {32{x[26]}}) ^ (32'h8AD958CF & {32{x[27]}})));
    wire [31:0] sum_7 = (((32'h105EC76F & {32{x[28]}}) ^ (32'h20BD8EDE & {32{x[29]}}))
                         ^ ((32'h417B1DBC & {32{x[30]}}) ^ (32'h82F63B78 & {32{x[31]}})));

    always @(posedge clk) begin
        if (en) begin
            crc_reg <= ((sum_0 ^ sum_1) ^ (sum_2 ^ sum_3)) ^ ((sum_4 ^ sum_5) ^ (sum_6 ^ sum_7));
        end
    end
endmodule
`default_nettype wire
