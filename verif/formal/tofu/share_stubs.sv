// SPDX-License-Identifier: Apache-2.0
// Stub for the memory of the rests of messages in share.sv: arbitrary values, without soft errors.
`default_nettype none
module tofu_tni_memory #(
    parameter WORDS        = 2,
    parameter ADDRESS_BITS = 6
) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [64*WORDS-1:0]     wr_data,
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [64*WORDS-1:0]     rd_data,
    input  wire [143:0]            flip_mask,
    output wire                    flipped,
    output wire                    single,
    output wire                    uncorrectable
);
    (* anyseq *) wire [64*WORDS-1:0] any;
    assign rd_data       = any;
    assign flipped       = 1'b0;
    assign single        = 1'b0;
    assign uncorrectable = 1'b0;
endmodule
`default_nettype wire
