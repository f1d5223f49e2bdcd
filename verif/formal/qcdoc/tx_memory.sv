// SPDX-License-Identifier: Apache-2.0
// qcdoc_link_tx's memory for tx_refines.sv: of each word bit 0, the others are 0; any word may turn out to have two
// flipped bits (one alone changes nothing).
`default_nettype none
module ram_dual_clock_secded #(parameter WIDTH = 64, parameter ADDRESS_BITS = 4, parameter STAGES = 0) (
    input  wire                    wr_clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire [WIDTH+7:0]        flip,
    input  wire                    rd_clk,
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    input  wire                    look,
    output wire [WIDTH-1:0]        rd_data,
    output wire                    single,
    output wire                    uncorrectable
);
    (* anyseq *) wire           wrong;
    reg [(1<<ADDRESS_BITS)-1:0] bits;
    reg                         rd_bit;
    assign rd_data       = {{WIDTH-1{1'b0}}, rd_bit};
    assign single        = 1'b0;
    assign uncorrectable = wrong && look;
    always @(posedge wr_clk)
        if (wr_en) bits[wr_address] <= wr_data[0];
    always @(posedge rd_clk)
        if (rd_en) rd_bit <= bits[rd_address];
endmodule
`default_nettype wire
