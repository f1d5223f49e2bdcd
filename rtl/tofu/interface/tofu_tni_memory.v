// SPDX-License-Identifier: Apache-2.0
// A small memory of a network interface, in words of 64 bits with their SECDED code: read corrected, in the same cycle.
// One write port, one read port; all WORDS of an address at once. `flip_mask` corrupts what is written, for tests of
// that.
`default_nettype none
module tofu_tni_memory #(
    parameter WORDS        = 2,
    parameter ADDRESS_BITS = 6
) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [64*WORDS-1:0]     wr_data,
    input  wire                    rd_en,        // read data are looked at: errors count
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [64*WORDS-1:0]     rd_data,
    input  wire [143:0]            flip_mask,    // of words 0 and 1: 16 check bits, 128 of data
    output wire                    flipped,      // it was used
    output wire                    single,       // of what is read, something was corrected
    output wire                    uncorrectable // something could not be
);
    wire [72*WORDS-1:0] coded, stored;
    wire [WORDS-1:0]    singles, doubles;

    ram_small #(.WIDTH(72*WORDS), .ADDRESS_BITS(ADDRESS_BITS)) u_ram (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(coded),
        .rd_address(rd_address), .rd_data(stored));

    assign flipped       = wr_en && flip_mask != 144'd0;
    assign single        = singles != {WORDS{1'b0}};
    assign uncorrectable = doubles != {WORDS{1'b0}};

    genvar n;
    generate
        for (n = 0; n < WORDS; n = n + 1) begin : g_word
            wire [7:0]  check, unused;
            wire [71:0] flip;
            if (n < 2) begin : g_flip
                assign flip = {flip_mask[128+8*n +: 8], flip_mask[64*n +: 64]};
            end else begin : g_plain
                assign flip = 72'd0;
            end
            assign coded[72*n +: 72] = {check, wr_data[64*n +: 64]} ^ flip;
            secded_encode u_encode (.data(wr_data[64*n +: 64]), .check(check));
            secded_decode_enabled u_decode (
                .enable(rd_en), .data(stored[72*n +: 64]), .check(stored[72*n+64 +: 8]),
                .corrected(rd_data[64*n +: 64]), .corrected_check(unused), .single(singles[n]),
                .uncorrectable(doubles[n]));
        end
    endgenerate
endmodule
`default_nettype wire
