// SPDX-License-Identifier: Apache-2.0
// A few words of memory with one write port and one read port without a clock; lookup-table RAM. A
// reader in another clock domain may look only at words that pointers through cdc_counter say are written.
`default_nettype none
module ram_small #(
    parameter WIDTH        = 18,
    parameter ADDRESS_BITS = 4
) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0]        rd_data
);
    (* ram_style = "distributed" *) reg [WIDTH-1:0] memory [0:(1 << ADDRESS_BITS)-1];

    assign rd_data = memory[rd_address];

    always @(posedge clk) begin
        if (wr_en) begin
            memory[wr_address] <= wr_data;
        end
    end
endmodule
`default_nettype wire
