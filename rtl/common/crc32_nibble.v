// SPDX-License-Identifier: Apache-2.0
// CRC-32 of Ethernet (IEEE 802.3, 3.2.9) over four bits a cycle: polynomial 04C11DB7, reflected,
// initial value and final exclusive-or all ones; the low nibble of a byte first. With `shift` the
// check sequence leaves by fcs, its first nibble first, eight in all. After a frame and its check
// sequence `good` holds. Latency: one cycle from `en`.
`default_nettype none
module crc32_nibble (
    input  wire       clk,
    input  wire       init,     // begin anew
    input  wire       en,       // take a nibble
    input  wire       shift,    // give a nibble of the check sequence
    input  wire [3:0] data,
    output wire [3:0] fcs,
    output wire       good
);
    localparam [31:0] RESIDUE = 32'hDEBB20E3;

    reg  [31:0] crc_reg;
    wire [3:0]  in = data ^ crc_reg[3:0];

    assign fcs  = ~crc_reg[3:0];
    assign good = crc_reg == RESIDUE;

    // The table of one nibble, as exclusive-ors: entry 1 is 1DB71064, 2 3B6E20C8, 4 76DC4190, 8 EDB88320.
    wire [31:0] table_in = ({32{in[0]}} & 32'h1DB71064) ^ ({32{in[1]}} & 32'h3B6E20C8)
                         ^ ({32{in[2]}} & 32'h76DC4190) ^ ({32{in[3]}} & 32'hEDB88320);

    always @(posedge clk)
        if (init)
            crc_reg <= 32'hFFFFFFFF;
        else if (en)
            crc_reg <= {4'd0, crc_reg[31:4]} ^ table_in;
        else if (shift)
            crc_reg <= {4'hF, crc_reg[31:4]};
endmodule
`default_nettype wire
