// SPDX-License-Identifier: Apache-2.0
// A small FIFO of one clock in lookup-table RAM. The head is there without a request, a word that is put is the head
// one cycle later. `full` and `some` are registers' values: neither depends on put or take.
`default_nettype none
module bus_fifo #(
    parameter WIDTH = 8,
    parameter BITS  = 2               // 2^BITS words
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             put,      // not when full
    input  wire [WIDTH-1:0] put_data,
    output wire             full,
    input  wire             take,     // only when some
    output wire             some,
    output wire [WIDTH-1:0] head
);
    localparam [BITS:0] ONE = 1;
    reg  [BITS:0] in_reg, out_reg;    // words put and taken, modulo twice the size

    assign full = in_reg == {~out_reg[BITS], out_reg[BITS-1:0]};
    assign some = in_reg != out_reg;

    ram_small #(.WIDTH(WIDTH), .ADDRESS_BITS(BITS)) u_memory (
        .clk(clk), .wr_en(put), .wr_address(in_reg[BITS-1:0]), .wr_data(put_data),
        .rd_address(out_reg[BITS-1:0]), .rd_data(head));

    always @(posedge clk) begin
        if (put)
            in_reg <= in_reg + ONE;
        if (take)
            out_reg <= out_reg + ONE;
        if (rst) begin
            in_reg  <= {BITS+1{1'b0}};
            out_reg <= {BITS+1{1'b0}};
        end
    end
endmodule
`default_nettype wire
