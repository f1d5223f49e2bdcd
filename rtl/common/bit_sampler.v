// SPDX-License-Identifier: Apache-2.0
// Bits of a serial line that is sampled several times a bit by a clock of the receiver's own. It picks the sample that
// lies farthest from the line's edges, and follows them when they drift: the two clocks may differ permanently, and
// then a cycle now and then brings no bit, or two. [QCDOC2004] section 2.2, leaves this to IBM's HSSL macro, whose
// training establishes the best times for sampling; here the edges of whatever is sent do.
//
// An edge at distance d after the picked sample, in samples (SAMPLES = 4):
//
//   line        ____/~~~~~~~\_______       d = 0: the pick lies just behind the edge, so it should be later
//   sample     3 0 1 2 3 0 1 2 3 0         d = 1: the edge comes just after it, so it should be earlier
//   pick           ^       ^               d = 2, 3: as it should be
//
// VOTES more edges of one kind than of all others move the pick by one sample; single edges, out of place by noise,
// do not. Latency from the samples to their bit: 2 cycles.
`default_nettype none
module bit_sampler #(
    parameter SAMPLES = 4,               // a bit: 4 or more, a power of two
    parameter VOTES   = 4                // 1 to 15
) (
    input  wire               clk,
    input  wire               rst,
    input  wire [SAMPLES-1:0] samples,   // of this cycle, the earliest in the highest bit
    output reg  [1:0]         count,     // bits in this cycle: 0, 1 or 2
    output reg  [1:0]         bits       // bits[1] came first; of a single one, bits[1]
);
    localparam WIDTH = $clog2(SAMPLES);
    localparam [WIDTH-1:0] LAST = {WIDTH{1'b1}};
    localparam [3:0] ENOUGH = VOTES;

    reg  [WIDTH-1:0]   pick_reg;         // 0: the earliest sample of a cycle
    reg  [SAMPLES-1:0] samples_reg;      // of the cycle before
    reg                newest_reg;       // the last sample before those
    reg  [3:0]         votes_reg;        // for a move; its direction is later_reg
    reg                later_reg;
    reg                skip_reg;         // the pick went over the end of a cycle: no bit in the next one
    reg                double_reg;       // it went over the beginning: two bits

    // Bit i is sample i; its edge is the one between it and the sample before.
    wire [SAMPLES-1:0] in_order, edges;
    wire [WIDTH-1:0]   next      = pick_reg + 1'b1;
    wire               too_early = edges[pick_reg];
    wire               too_late  = edges[next];
    wire               vote      = too_early != too_late;
    wire               with_it   = vote && (votes_reg == 4'd0 || later_reg == too_early);
    wire               move      = with_it && votes_reg == ENOUGH - 4'd1;

    assign edges = in_order ^ {in_order[SAMPLES-2:0], newest_reg};

    genvar i;
    generate
        for (i = 0; i < SAMPLES; i = i + 1) begin : gen_order
            assign in_order[i] = samples_reg[SAMPLES - 1 - i];
        end
    endgenerate

    initial begin
        if (SAMPLES < 4 || SAMPLES != 1 << WIDTH)
            $error("SAMPLES is a power of two from 4");
        if (VOTES < 1 || VOTES > 15)
            $error("VOTES is 1 to 15");
    end

    always @(posedge clk) begin
        samples_reg <= samples;
        newest_reg  <= samples_reg[0];
        bits        <= {double_reg ? newest_reg : in_order[pick_reg], in_order[pick_reg]};
        count       <= skip_reg ? 2'd0 : double_reg ? 2'd2 : 2'd1;
        skip_reg    <= 1'b0;
        double_reg  <= 1'b0;
        if (move) begin
            votes_reg  <= 4'd0;
            pick_reg   <= too_early ? pick_reg + 1'b1 : pick_reg - 1'b1;
            skip_reg   <= too_early && pick_reg == LAST;
            double_reg <= !too_early && pick_reg == {WIDTH{1'b0}};
        end else if (with_it) begin
            votes_reg <= votes_reg + 4'd1;
            later_reg <= too_early;
        end else if (edges != {SAMPLES{1'b0}} && votes_reg != 4'd0) begin
            votes_reg <= votes_reg - 4'd1;
        end
        if (rst) begin
            count      <= 2'd0;
            pick_reg   <= {WIDTH{1'b0}};
            votes_reg  <= 4'd0;
            skip_reg   <= 1'b0;
            double_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
