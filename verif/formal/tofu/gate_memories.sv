// SPDX-License-Identifier: Apache-2.0
// tofu_tbi_gates' memories, arithmetic and turns for gate_once.sv: a memory keeps the word of gate GATE and returns
// arbitrary values for the others; data are not modelled; a gate that is chosen has requested.
`default_nettype none
module tofu_tbi_memory #(parameter WORDS = 1, parameter ADDRESS_BITS = 6) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [64*WORDS-1:0]     wr_data,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [64*WORDS-1:0]     rd_data,
    input  wire [1:0]              flip,
    output wire                    single,
    output wire                    uncorrectable
);
    localparam GATE = 8;
    (* anyseq *) wire [63:0] anything;
    (* keep *) reg [63:0] word;
    assign single        = 1'b0;
    assign uncorrectable = 1'b0;
    generate
        if (WORDS == 1) begin : gen_gate
            assign rd_data = rd_address == GATE ? word : anything;
            always @(posedge clk)
                if (wr_en && wr_address == GATE)
                    word <= wr_data;
        end else begin : gen_data
            assign rd_data = {64*WORDS{1'b0}};
        end
    endgenerate
endmodule

module tofu_tbi_alu #(parameter STATES = 1, parameter FLOATING = 1) (
    input  wire         clk,
    input  wire [3:0]   operation,
    input  wire         use_a,
    input  wire         use_b,
    input  wire [319:0] a,
    input  wire [319:0] b,
    output wire [319:0] result
);
    assign result = 320'd0;
endmodule

module select_next #(parameter N = 8, parameter WIDTH = 3) (
    input  wire [N-1:0]     request,
    input  wire [WIDTH-1:0] last,
    output wire             found,
    output wire [WIDTH-1:0] choice
);
    (* anyseq *) wire [WIDTH-1:0] any;
    assign found  = |request;
    assign choice = any;
    always @* assume (!found || request[any]);
endmodule
`default_nettype wire
