// SPDX-License-Identifier: Apache-2.0
// A checksum of a QCDOC link, over what is handed in here or what is accepted there ([QCDOC2004] section 2.2):
//
//   sum = rotl(sum, 1) + (half ^ STEP)    for the low, then the high half of every data word
//
// so that words of zeros count, too. Supervisor words and interrupts that say something add to a sum of their own,
// because they overtake data; what they add does not depend on their order. The totals at both ends are equal when
// nothing is outstanding. Latency: 1 cycle; with STAGES 2 of supervisor words and interrupts.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_link_checksum #(
    parameter STAGES = 0               // 0 or 1: qcdoc_link
) (
    input  wire        clk,
    input  wire        clear,
    input  wire        word_counts,    // pulses, each with what counts
    input  wire [63:0] word,
    input  wire        sup_counts,
    input  wire [63:0] sup,
    input  wire        int_counts,
    input  wire [7:0]  int_code,
    output wire [31:0] sum
);
    // (A function would keep simulators from sharing code among links.)
    localparam [31:0] STEP = 32'h9E3779B9;
    reg  [31:0] words_reg, singles_reg;
    wire [31:0] half    = {words_reg[30:0], words_reg[31]} + (word[31:0] ^ STEP);
    wire [31:0] of_sup  = (sup[31:0] ^ STEP) + {sup[62:32], sup[63]};
    wire        raises  = int_counts && int_code[`QCDOC_INTERRUPT_CODE_RAISED] != 7'd0;
    // of {a supervisor word, an interrupt}
    wire [1:0]  adds;
    wire [31:0] added;
    wire [7:0]  code;

    assign sum = words_reg + singles_reg;

    generate
        if (STAGES == 0) begin : gen_at_once
            assign adds  = {sup_counts, raises};
            assign added = of_sup;
            assign code  = int_code;
        end else begin : gen_after
            reg [1:0]  adds_reg;
            reg [31:0] added_reg;
            reg [7:0]  code_reg;
            assign adds  = adds_reg;
            assign added = added_reg;
            assign code  = code_reg;
            always @(posedge clk) begin
                adds_reg  <= clear ? 2'd0 : {sup_counts, raises};
                added_reg <= of_sup;
                code_reg  <= int_code;
            end
        end
    endgenerate

    always @(posedge clk) begin
        if (word_counts)
            words_reg <= {half[30:0], half[31]} + (word[63:32] ^ STEP);
        if (adds != 2'd0)
            singles_reg <= singles_reg + (adds[1] ? added : 32'd0) + (adds[0] ? {24'd0, code} ^ STEP : 32'd0);
        if (clear) begin
            words_reg   <= 32'd0;
            singles_reg <= 32'd0;
        end
    end
endmodule
`default_nettype wire
