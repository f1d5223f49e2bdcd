// SPDX-License-Identifier: Apache-2.0
// qcdoc_link_tx's memory for tx_refines.sv: of each word bit 0, the others are 0.
`default_nettype none
module ram_dual_clock #(parameter WIDTH = 64, parameter ADDRESS_BITS = 4) (
    input  wire                    wr_clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire                    rd_clk,
    input  wire                    rd_en,
    input  wire                    rd_clear,    // never
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0]        rd_data
);
    reg [(1<<ADDRESS_BITS)-1:0] bits;
    reg                         rd_bit;
    assign rd_data = {{WIDTH-1{1'b0}}, rd_bit};
    always @(posedge wr_clk)
        if (wr_en) bits[wr_address] <= wr_data[0];
    always @(posedge rd_clk)
        if (rd_en) rd_bit <= bits[rd_address];
endmodule
`default_nettype wire
