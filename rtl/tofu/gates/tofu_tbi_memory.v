// SPDX-License-Identifier: Apache-2.0
// A small memory of words of 64 bits, each with its SECDED code: written encoded, read corrected, in the same cycle.
// One write port, one read port; all WORDS of an address at once. `flip` corrupts what is being read, for tests of
// that.
`default_nettype none
module tofu_tbi_memory #(
    parameter WORDS        = 1,
    parameter ADDRESS_BITS = 6
) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [64*WORDS-1:0]     wr_data,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [64*WORDS-1:0]     rd_data,
    input  wire [1:0]              flip,         // so many bits of word 0
    output wire                    single,       // of what is read, something was corrected
    output wire                    uncorrectable // something could not be
);
    wire [72*WORDS-1:0] coded, stored;
    wire [WORDS-1:0]    singles, doubles;

    ram_small #(.WIDTH(72*WORDS), .ADDRESS_BITS(ADDRESS_BITS)) u_ram (
        .clk(clk), .wr_en(wr_en), .wr_address(wr_address), .wr_data(coded),
        .rd_address(rd_address), .rd_data(stored));

    assign single = singles != {WORDS{1'b0}};
    assign uncorrectable = doubles != {WORDS{1'b0}};

    genvar n;
    generate
        for (n = 0; n < WORDS; n = n + 1) begin : g_word
            wire [71:0] read;
            wire [7:0]  unused;
            if (n == 0) begin : g_flip
                assign read = stored[71:0] ^ {31'd0, flip == 2'd2, 34'd0, flip != 2'd0, 5'd0};
            end else begin : g_plain
                assign read = stored[72*n +: 72];
            end
            assign coded[72*n +: 64] = wr_data[64*n +: 64];
            secded_encode u_encode (.data(wr_data[64*n +: 64]), .check(coded[72*n+64 +: 8]));
            secded_decode u_decode (.data(read[63:0]), .check(read[71:64]), .corrected(rd_data[64*n +: 64]),
                                    .corrected_check(unused), .single(singles[n]), .uncorrectable(doubles[n]));
        end
    endgenerate
endmodule
`default_nettype wire
