// SPDX-License-Identifier: Apache-2.0
// Levels into another clock domain: two flip-flops each. Bits are independent: a group of them must
// not be read as a number (cdc_counter does that). Latency: 1 to 2 cycles of clk; where a first
// flip-flop that becomes metastable falls back to its old value, one more.
`default_nettype none
module cdc_bits #(
    parameter WIDTH = 1
) (
    input  wire             clk,     // destination
    input  wire             rst,     // synchronous to clk
    input  wire [WIDTH-1:0] src,     // registers of another clock domain
    output wire [WIDTH-1:0] dst
);
    (* ASYNC_REG = "TRUE" *) reg [WIDTH-1:0] meta_reg;
    (* ASYNC_REG = "TRUE" *) reg [WIDTH-1:0] sync_reg;

    wire [WIDTH-1:0] sampled;

    assign dst = sync_reg;

`ifdef VERILATOR
    // That falling back, by chance, in simulations whose registers come up with random bits (the
    // generator of a simulation whose registers come up as zeros stays at zero). It moves only with
    // src, so that skipped idle cycles do not matter.
    reg  [15:0] chance_reg; // never reset: its start is the seed
    reg         late_reg;
    wire        changed = src != meta_reg;
    wire        late    = changed && chance_reg[0] && !late_reg;

    assign sampled = late ? meta_reg : src;

    always @(posedge clk) begin
        late_reg <= late;
        if (changed) begin
            chance_reg <= {1'b0, chance_reg[15:1]} ^ (chance_reg[0] ? 16'hb400 : 16'h0000);
        end
    end
`else
    assign sampled = src;
`endif

    always @(posedge clk) begin
        meta_reg <= sampled;
        sync_reg <= meta_reg;
        if (rst) begin
            meta_reg <= {WIDTH{1'b0}};
            sync_reg <= {WIDTH{1'b0}};
        end
    end
endmodule
`default_nettype wire
