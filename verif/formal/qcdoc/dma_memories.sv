// SPDX-License-Identifier: Apache-2.0
// qcdoc_dma's memories and choices for dma_once.sv: stored instructions and the engines' state return arbitrary values
// at any time, and may report two flipped bits (one alone changes nothing); of the queue of reads is kept whose is link
// LINK's, of the words that wait for their links the watched mark, bit 0. An engine that is chosen has requested; no
// more is assumed of the arbitration (common.arbiter).
`default_nettype none
module ram_dual_clock_secded #(parameter WIDTH = 32, parameter ADDRESS_BITS = 7, parameter STAGES = 0) (
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
    (* anyseq *) wire [WIDTH-1:0] anything;
    (* anyseq *) wire             wrong;
    assign rd_data       = anything;
    assign single        = 1'b0;
    assign uncorrectable = wrong && look;
endmodule

module ram_word_secded #(parameter ADDRESS_BITS = 4, parameter STAGES = 0) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [63:0]             wr_data,
    input  wire [71:0]             flip,
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [63:0]             rd_data,
    output wire                    single,
    output wire                    uncorrectable
);
    (* anyseq *) wire        wrong;
    (* anyseq *) wire [63:0] anything;
    assign single        = 1'b0;
    assign uncorrectable = wrong && rd_en;
    generate
        if (ADDRESS_BITS == 5) begin : gen_state
            assign rd_data = anything;
        end else begin : gen_queue
            // of each word that waits for its link a bit: is it the watched one
            reg [63:0] bits;
            assign rd_data = {63'd0, bits[rd_address]};
            always @(posedge clk)
                if (wr_en)
                    bits[wr_address] <= wr_data[0];
        end
    endgenerate
endmodule

module ram_small_secded #(parameter WIDTH = 18, parameter ADDRESS_BITS = 4) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire [WIDTH+7:0]        flip,
    input  wire                    rd_en,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0]        rd_data,
    output wire                    single,
    output wire                    uncorrectable
);
    localparam LINK = 5;
    (* anyseq *) wire             wrong;
    (* anyseq *) wire [WIDTH-1:0] anything;
    assign single        = 1'b0;
    assign uncorrectable = wrong && rd_en;
    generate
        if (WIDTH != 4) begin : gen_state
            assign rd_data = anything;
        end else begin : gen_queue
            // of each read a bit: is it LINK's
            reg [63:0] bits;
            always @(posedge clk)
                if (wr_en)
                    bits[wr_address] <= wr_data == LINK;
            always @* assume (anything < 12 && anything != LINK);
            assign rd_data = bits[rd_address] ? LINK : anything;
        end
    endgenerate
endmodule

module select_next #(parameter N = 8, parameter WIDTH = 3) (
    input  wire [N-1:0]     request,
    input  wire [WIDTH-1:0] last,
    output wire             found,
    output wire [WIDTH-1:0] choice
);
    (* anyseq *) wire [WIDTH-1:0] any;
    wire [(1<<WIDTH)-1:0] padded = request;
    assign found  = |request;
    assign choice = found ? any : {WIDTH{1'b0}};
    always @* assume (!found || padded[any]);
endmodule
`default_nettype wire
