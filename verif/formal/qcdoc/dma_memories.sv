// SPDX-License-Identifier: Apache-2.0
// qcdoc_dma's memories and choices for dma_once.sv: stored instructions and the engines' state say anything at any
// time; of the queue of reads is kept whose is link LINK's, of the words that wait for their links the watched mark,
// bit 0. Whoever is chosen has asked; more is not said of turns (common.arbiter).
`default_nettype none
module ram_dual_clock #(parameter WIDTH = 32, parameter ADDRESS_BITS = 7) (
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
    (* anyseq *) wire [WIDTH-1:0] anything;
    assign rd_data = anything;
endmodule

module ram_small #(parameter WIDTH = 18, parameter ADDRESS_BITS = 4) (
    input  wire                    clk,
    input  wire                    wr_en,
    input  wire [ADDRESS_BITS-1:0] wr_address,
    input  wire [WIDTH-1:0]        wr_data,
    input  wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0]        rd_data
);
    localparam LINK = 5;
    (* anyseq *) wire [WIDTH-1:0] anything;
    generate
        if (ADDRESS_BITS == 5) begin : gen_state
            assign rd_data = anything;
        end else begin : gen_queue
            // a bit each: is it LINK's (readers), is it the watched one (staged)
            reg [63:0] bits;
            wire       write_bit = WIDTH == 4 ? wr_data == LINK : wr_data[0];
            wire       read_bit  = bits[rd_address];
            always @(posedge clk)
                if (wr_en)
                    bits[wr_address] <= write_bit;
            if (WIDTH == 4) begin : gen_readers
                always @* assume (anything < 12 && anything != LINK);
                assign rd_data = read_bit ? LINK : anything;
            end else begin : gen_staged
                assign rd_data = {{WIDTH-1{1'b0}}, read_bit};
            end
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
