// SPDX-License-Identifier: Apache-2.0
// rtl/common/cdc_bits.v for proofs: a bit that changes close to the sampling edge may be caught as it was or
// as it is, each bit for itself. Close is one step of the prover's time.
`default_nettype none
module cdc_bits #(
    parameter WIDTH = 1
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [WIDTH-1:0] src,
    output wire [WIDTH-1:0] dst
);
    (* gclk *)   wire             step;
    (* anyseq *) wire [WIDTH-1:0] missed;
    reg [WIDTH-1:0] before_reg;
    reg [WIDTH-1:0] meta_reg;
    reg [WIDTH-1:0] sync_reg;

    assign dst = sync_reg;

    always @(posedge step)
        before_reg <= src;

    always @(posedge clk) begin
        meta_reg <= (missed & before_reg) | (~missed & src);
        sync_reg <= meta_reg;
        if (rst) begin
            meta_reg <= {WIDTH{1'b0}};
            sync_reg <= {WIDTH{1'b0}};
        end
    end
endmodule
`default_nettype wire
