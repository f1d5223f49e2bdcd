// SPDX-License-Identifier: Apache-2.0
// qcdoc_link_rx's memory for rx_refines.sv, which is independent of the data; any word may turn out to have two
// flipped bits.
`default_nettype none
module ram_word_secded #(parameter ADDRESS_BITS = 2, parameter STAGES = 0) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [63:0]             wr_data,
    input  wire [71:0]             flip,
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [63:0]             rd_data,
    output wire                    single,
    output wire                    uncorrectable
);
    (* anyseq *) wire        wrong;
    (* anyseq *) wire [63:0] anything;
    assign rd_data       = anything;
    assign single        = 1'b0;
    assign uncorrectable = wrong && rd_en;
endmodule
`default_nettype wire
