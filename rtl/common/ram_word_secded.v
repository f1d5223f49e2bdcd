// SPDX-License-Identifier: Apache-2.0
// ram_small for whole words of 64 bits with the check bits of secded_encode beside them: what is read has one wrong bit
// corrected and two detected. `flip` corrupts what is written, for tests of that. Read without a clock; looked at only
// while rd_en. Data and check bits are two memories, which simulates faster than one of 72 bits.
`default_nettype none
module ram_word_secded #(
    parameter ADDRESS_BITS = 4
) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [63:0]             wr_data,
    input  wire [71:0]             flip,          // {check bits, data}
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [63:0]             rd_data,
    output wire                    single,        // one bit was wrong and is corrected
    output wire                    uncorrectable  // more than one were
);
    wire [7:0]  check, stored_check, unused_check;
    wire [63:0] stored;

    secded_encode_enabled u_encode (.enable(wr_en), .data(wr_data), .check(check));

    ram_small #(.WIDTH(64), .ADDRESS_BITS(ADDRESS_BITS)) u_data (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(wr_data ^ flip[63:0]),
        .rd_address(rd_address), .rd_data(stored)
    );
    ram_small #(.WIDTH(8), .ADDRESS_BITS(ADDRESS_BITS)) u_check (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(check ^ flip[71:64]),
        .rd_address(rd_address), .rd_data(stored_check)
    );

    secded_decode_enabled u_decode (
        .enable(rd_en), .data(stored), .check(stored_check), .corrected(rd_data), .corrected_check(unused_check),
        .single(single), .uncorrectable(uncorrectable)
    );

    wire unused = &{1'b0, unused_check};
endmodule
`default_nettype wire
