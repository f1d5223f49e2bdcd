// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, iSCSI; RFC 3720) over 32 bits a cycle: polynomial 1EDC6F41, reflected, initial
// value and final exclusive-or all ones, lane 0 (bits 7:0) first. `crc` is ready to be sent: low byte
// in lane 0. It changes one cycle after `en`.
//
// A first word enters with its lane 0 left out (a frame's start code is not covered): what stands
// in for it is the register value from which one more zero byte leads to all ones.
//
// One mask a bit of the result: this form simulates twice as fast as a loop over bits.
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

    function [31:0] step;
        input [31:0] x;
        begin
            step[0]  = ^(x & 32'h1F91CAF6);
            step[1]  = ^(x & 32'h3F2395EC);
            step[2]  = ^(x & 32'h7E472BD8);
            step[3]  = ^(x & 32'hFC8E57B1);
            step[4]  = ^(x & 32'hE68D6595);
            step[5]  = ^(x & 32'hD28B01DD);
            step[6]  = ^(x & 32'hBA87C94C);
            step[7]  = ^(x & 32'h6A9E586F);
            step[8]  = ^(x & 32'hD53CB0DE);
            step[9]  = ^(x & 32'hB5E8AB4B);
            step[10] = ^(x & 32'h74409C60);
            step[11] = ^(x & 32'hE88138C1);
            step[12] = ^(x & 32'hCE93BB74);
            step[13] = ^(x & 32'h82B6BC1F);
            step[14] = ^(x & 32'h1AFCB2C8);
            step[15] = ^(x & 32'h35F96591);
            step[16] = ^(x & 32'h6BF2CB23);
            step[17] = ^(x & 32'hD7E59646);
            step[18] = ^(x & 32'hB05AE67B);
            step[19] = ^(x & 32'h7F240600);
            step[20] = ^(x & 32'hFE480C00);
            step[21] = ^(x & 32'hE301D2F6);
            step[22] = ^(x & 32'hD9926F1B);
            step[23] = ^(x & 32'hACB514C0);
            step[24] = ^(x & 32'h46FBE377);
            step[25] = ^(x & 32'h8DF7C6EE);
            step[26] = ^(x & 32'h047E472B);
            step[27] = ^(x & 32'h08FC8E57);
            step[28] = ^(x & 32'h11F91CAF);
            step[29] = ^(x & 32'h23F2395E);
            step[30] = ^(x & 32'h47E472BD);
            step[31] = ^(x & 32'h8FC8E57B);
        end
    endfunction

    always @(posedge clk) begin
        if (en) begin
            crc_reg <= step(first ? {data[31:8] ^ BEFORE_FIRST[31:8], BEFORE_FIRST[7:0]} : data ^ crc_reg);
        end
    end
endmodule
`default_nettype wire
