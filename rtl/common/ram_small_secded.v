// SPDX-License-Identifier: Apache-2.0
// ram_small whose words carry the check bits of secded_encode: what is read has one wrong bit corrected and two
// detected. Shorter words are those of 64 bits with zeros above, so what would be corrected among these was several
// wrong bits. `flip` corrupts what is written, for tests of that. Read without a clock; looked at only while rd_en.
`default_nettype none
module ram_small_secded #(
    parameter WIDTH        = 18,         // at most 63
    parameter ADDRESS_BITS = 4
) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire [WIDTH+7:0]        flip,          // {check bits, data}
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0]        rd_data,
    output wire                    single,        // one bit was wrong and is corrected
    output wire                    uncorrectable  // more than one were
);
    wire [7:0]       check, unused_check;
    wire [WIDTH+7:0] stored;
    wire [63:0]      corrected;
    wire             one_wrong, more_wrong;
    wire             beyond = corrected[63:WIDTH] != {64-WIDTH{1'b0}};

    secded_encode u_encode (.data({{64-WIDTH{1'b0}}, wr_data}), .check(check));

    ram_small #(.WIDTH(WIDTH + 8), .ADDRESS_BITS(ADDRESS_BITS)) u_ram (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data({check, wr_data} ^ flip),
        .rd_address(rd_address), .rd_data(stored)
    );

    secded_decode_enabled u_decode (
        .enable(rd_en), .data({{64-WIDTH{1'b0}}, stored[WIDTH-1:0]}), .check(stored[WIDTH+7:WIDTH]),
        .corrected(corrected), .corrected_check(unused_check), .single(one_wrong), .uncorrectable(more_wrong)
    );

    assign rd_data       = corrected[WIDTH-1:0];
    assign single        = one_wrong && !beyond;
    assign uncorrectable = more_wrong || beyond;

    wire unused = &{1'b0, unused_check};
endmodule
`default_nettype wire
