// SPDX-License-Identifier: Apache-2.0
// Memory with one write port and one read port, each with its clock; a block RAM, unless STYLE says otherwise. rd_data
// one cycle after rd_en, and kept until the next. With rd_clear and rd_en it is 0 instead of what the address holds
// (the reset input of a block RAM's output): outputs of which all but one are 0 need no multiplexer, an OR is enough.
// Reading a word while it is written gives either value: the pointers around it prevent that.
`default_nettype none
module ram_dual_clock #(
    parameter WIDTH        = 32,
    parameter ADDRESS_BITS = 7,
    /* verilator lint_off UNUSEDPARAM */  // in an attribute only
    parameter STYLE        = "block"      // "auto": synthesis may take lookup tables, which answer sooner
    /* verilator lint_on UNUSEDPARAM */
) (
    input  wire                    wr_clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire                    rd_clk,
    input  wire                    rd_en,
    input  wire                    rd_clear,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0]        rd_data
);
    (* ram_style = STYLE *) reg [WIDTH-1:0] memory [0:(1 << ADDRESS_BITS)-1];
    reg [WIDTH-1:0] rd_data_reg;

    assign rd_data = rd_data_reg;

    always @(posedge wr_clk) begin
        if (wr_en) begin
            memory[wr_address] <= wr_data;
        end
    end

    always @(posedge rd_clk) begin
        if (rd_en) begin
            rd_data_reg <= rd_clear ? {WIDTH{1'b0}} : memory[rd_address];
        end
    end
endmodule
`default_nettype wire
