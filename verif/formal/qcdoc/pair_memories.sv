// SPDX-License-Identifier: Apache-2.0
// The links' memories for pair.sv, whose words have zeros above their low byte: only that is kept, and that the others
// are 0 is asserted.
`default_nettype none
module ram_dual_clock_secded #(parameter WIDTH = 64, parameter ADDRESS_BITS = 4, parameter STAGES = 0) (
    input  wire                    wr_clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire [WIDTH+7:0]        flip,        // never
    input  wire                    rd_clk,
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    input  wire                    look,
    output wire [WIDTH-1:0]        rd_data,
    output wire                    single,
    output wire                    uncorrectable
);
    assign single        = 1'b0;
    assign uncorrectable = 1'b0;
    reg [7:0] memory [0:(1 << ADDRESS_BITS)-1];
    reg [7:0] rd_data_reg;
    assign rd_data = {{WIDTH-8{1'b0}}, rd_data_reg};
    always @(posedge wr_clk)
        if (wr_en) memory[wr_address] <= wr_data[7:0];
    always @(posedge rd_clk)
        if (rd_en) rd_data_reg <= memory[rd_address];
    always @* zeros: assert (!wr_en || wr_data[WIDTH-1:8] == 0);
endmodule

module ram_word_secded #(parameter ADDRESS_BITS = 2, parameter STAGES = 0) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [63:0]             wr_data,
    input  wire [71:0]             flip,        // never
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [63:0]             rd_data,
    output wire                    single,
    output wire                    uncorrectable
);
    assign single        = 1'b0;
    assign uncorrectable = 1'b0;
    reg [7:0] memory [0:(1 << ADDRESS_BITS)-1];
    assign rd_data = {56'd0, memory[rd_address]};
    always @(posedge clk)
        if (wr_en) memory[wr_address] <= wr_data[7:0];
    // no word that was damaged is accepted
    always @* zeros: assert (!wr_en || wr_data[63:8] == 0);
endmodule
`default_nettype wire
