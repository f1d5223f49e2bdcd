// SPDX-License-Identifier: Apache-2.0
// The links' big memories for pair.sv, whose packets have a payload of zeros: the transmit buffer's data need not be
// kept (what is written is 0, as asserted), of the receive buffer only the offset's bits are.
`default_nettype none
module ram_dual_clock #(parameter WIDTH = 36, parameter ADDRESS_BITS = 7) (
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
    generate
        if (WIDTH == 129) begin : transmit
            assign rd_data = {WIDTH{1'b0}};
            always @* zeros: assert (!wr_en || wr_data == {WIDTH{1'b0}});
        end else begin : receive
            reg [WIDTH-33:0] memory [0:(1 << ADDRESS_BITS)-1];
            reg [WIDTH-33:0] rd_data_reg;
            assign rd_data = {rd_data_reg, 32'd0};
            always @(posedge wr_clk)
                if (wr_en) memory[wr_address] <= wr_data[WIDTH-1:32];
            always @(posedge rd_clk)
                if (rd_en) rd_data_reg <= rd_clear ? {WIDTH-32{1'b0}} : memory[rd_address];
        end
    endgenerate
endmodule
`default_nettype wire
