// SPDX-License-Identifier: Apache-2.0
// Notices of gets, which are owed until memory has been read: README.md, "Ring entries". One is kept from when its get
// is accepted, and has room in its ring from then on, until the last packet of the answer has left; then it is handed
// to the entries, in no order. Of a queue that was disabled meanwhile none is. Words have SECDED.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_owed #(
    parameter SLOT_BITS = 6              // log2 of the notices that are kept
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [7:0]           queue_enabled,

    output wire                 room,            // for two at least: one may be on its way here
    output reg  [SLOT_BITS-1:0] free,            // the next one is kept here
    input  wire                 keep,            // pulse
    input  wire [2:0]           keep_queue,
    input  wire [255:0]         keep_notice,     // as entries have it; what is the same of all is not kept

    input  wire                 done,            // pulse: the answer of this one has left,
    input  wire [SLOT_BITS-1:0] done_slot,
    input  wire [3:0]           done_cause,      // with this cause

    output wire                 late_valid,      // tofu_tni_entries
    input  wire                 late_ready,
    output wire [2:0]           late_queue,
    output wire [255:0]         late_notice,

    input  wire [143:0]         flip_mask,
    output wire                 flipped,
    output reg                  corrected,
    output reg                  fault,
    output wire                 obs_idle
);
    localparam SLOTS = 1 << SLOT_BITS;
    localparam [SLOTS-1:0] ONE = 1;
    localparam [SLOT_BITS:0] NONE = 0, MORE = 1;
    localparam MOST_KEPT = SLOTS - 2;

    reg  [SLOTS-1:0]     used_reg;       // kept here
    reg  [SLOTS-1:0]     done_reg;       // and to be written
    reg  [SLOT_BITS:0]   held_reg;       // how many are kept
    reg                  out_valid_reg;  // this one is handed over
    reg  [SLOT_BITS-1:0] out_reg;
    reg  [SLOTS-1:0]     orphan_reg;     // its queue was disabled meanwhile
    reg  [3*SLOTS-1:0]   queue_reg;
    reg  [7:0]           enabled_reg;
    wire [7:0]           closed = enabled_reg & ~queue_enabled;
    wire                 found;
    wire [SLOT_BITS-1:0] choice;
    wire [127:0]         kept;
    wire [63:0]          cause;
    wire [1:0]           singles, doubles, flips;
    wire                 orphan = orphan_reg[out_reg] || !queue_enabled[late_queue];
    wire                 gone   = out_valid_reg && (orphan || (late_valid && late_ready));
    wire                 picks  = !out_valid_reg && found;
    integer              i, n;

    always @* begin
        i    = 0;
        free = {SLOT_BITS{1'b0}};
        for (i = SLOTS - 1; i >= 0; i = i - 1) begin
            if (!used_reg[i])
                free = i[SLOT_BITS-1:0];
        end
    end

    // {tag, offset, whose, from, length, edata}
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(SLOT_BITS)) u_notices (
        .clk(clk), .wr_en(keep), .wr_address(free),
        .wr_data({2'd0, keep_notice[185:128], keep_notice[95:87], keep_notice[82:64], keep_notice[55:32],
                  keep_notice[15:0]}),
        .rd_en(out_valid_reg && !orphan), .rd_address(out_reg), .rd_data(kept), .flip_mask(flip_mask),
        .flipped(flips[0]), .single(singles[0]), .uncorrectable(doubles[0]));
    tofu_tni_memory #(.WORDS(1), .ADDRESS_BITS(SLOT_BITS)) u_causes (
        .clk(clk), .wr_en(done), .wr_address(done_slot), .wr_data({60'd0, done_cause}),
        .rd_en(out_valid_reg && !orphan), .rd_address(out_reg), .rd_data(cause), .flip_mask(flip_mask),
        .flipped(flips[1]), .single(singles[1]), .uncorrectable(doubles[1]));
    select_next #(.N(SLOTS), .WIDTH(SLOT_BITS)) u_next (
        .request(done_reg), .last(out_reg), .found(found), .choice(choice));

    assign room        = held_reg <= MOST_KEPT[SLOT_BITS:0];
    assign flipped     = flips != 2'd0;
    assign late_valid  = out_valid_reg && !orphan && doubles == 2'd0;
    assign late_queue  = queue_reg[3*out_reg +: 3];
    assign late_notice = {70'd0, kept[125:68], 32'd0, kept[67:59], 4'd0, kept[58:40], 4'd0, `TOFU_KIND_GET,
                          kept[39:16], 12'd0, cause[3:0], kept[15:0]};
    assign obs_idle    = done_reg == {SLOTS{1'b0}} && !out_valid_reg && !keep && !done && !corrected && !fault;

    always @(posedge clk) begin
        used_reg      <= (used_reg | (keep ? ONE << free : {SLOTS{1'b0}})) &
                         ~(gone ? ONE << out_reg : {SLOTS{1'b0}});
        done_reg      <= (done_reg | (done ? ONE << done_slot : {SLOTS{1'b0}})) &
                         ~(picks ? ONE << choice : {SLOTS{1'b0}});
        held_reg      <= held_reg + (keep ? MORE : NONE) - (gone ? MORE : NONE);
        out_valid_reg <= picks || (out_valid_reg && !gone);
        if (picks)
            out_reg <= choice;
        enabled_reg   <= queue_enabled;
        if (closed != 8'd0) begin
            for (n = 0; n < SLOTS; n = n + 1)
                if (closed[queue_reg[3*n +: 3]])
                    orphan_reg[n] <= 1'b1;
        end
        if (keep) begin
            orphan_reg[free]       <= 1'b0;
            queue_reg[3*free +: 3] <= keep_queue;
        end
        corrected     <= gone && singles != 2'd0;
        fault         <= (out_valid_reg && doubles != 2'd0) || (done && !used_reg[done_slot]) ||
                         (keep && used_reg[free]);
        if (rst) begin
            used_reg      <= {SLOTS{1'b0}};
            done_reg      <= {SLOTS{1'b0}};
            held_reg      <= NONE;
            out_valid_reg <= 1'b0;
            out_reg       <= {SLOT_BITS{1'b1}};
            enabled_reg   <= 8'd0;
            corrected     <= 1'b0;
            fault         <= 1'b0;
        end
    end

    wire unused = &{1'b0, keep_notice, kept[127:126], cause[63:4]};
endmodule
`default_nettype wire
