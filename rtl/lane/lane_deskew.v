// SPDX-License-Identifier: Apache-2.0
// Reads the elastic buffers of a bundle's lanes: brings the lanes back beside one another, and keeps the buffers half
// full where the clocks differ. Both by the sets of COMMA and SKIP, whose COMMA is the mark at the head of a buffer.
//
//   SEEK     each lane is read as words come, but stands at a mark until all lanes stand at theirs and FILL words wait;
//          where HOLD words wait, they are given up, so that the lane is not late for ever
//   LOCKED   all are read together; too many wait: the SKIP behind a mark is left out; too few: it is read twice
//
//   column       w     COMMA SKIP  w           w     COMMA w            w     COMMA SKIP  SKIP  w
//   take         1     1     1     1           1     2     1            1     1     0     1     1
//
// A SKIP is balanced, so the decoder, which comes behind, does not notice. Locked until a lane loses synchronisation
// or runs empty or over, four marks in a row are in some lanes only, or 4096 words bring no mark. Lanes may differ
// by HOLD - FILL words less one. Marks are 64 words apart in training, so that those of two sets are never taken for
// one.
//
// A lane may have its words at a wrong place, where nothing that training repeats is a bad character, and be taken
// for synchronised: whoever heard nothing for a while may find the line's bits at another place. It then has no marks.
// So lanes that are synchronised for 1024 words and do not come to stand beside one another begin `again`.
`default_nettype none
module lane_deskew #(
    parameter LANES      = 1,
    parameter DEPTH_BITS = 5,
    parameter FILL       = 5,     // words that wait at a mark, of the last lane
    parameter HOLD       = 20     // words that wait at most at a mark before it is given up
) (
    input  wire                            clk,
    input  wire                            rst,
    input  wire                            en,
    input  wire [LANES-1:0]                synced,
    input  wire [LANES-1:0]                over,
    input  wire [LANES*(DEPTH_BITS+1)-1:0] fill,
    input  wire [LANES-1:0]                mark,      // the word at the head of the lane's buffer is one
    output wire [2*LANES-1:0]              take,
    output wire [LANES-1:0]                flush,
    output wire [LANES-1:0]                valid,     // the head is a word of this lane, to be decoded
    output wire                            locked,
    output wire                            column_mark,   // the heads are the COMMA of a set
    output wire                            column_skip,   // they are its SKIP
    output wire                            added,         // a SKIP was read once more
    output wire                            dropped,       // one was left out
    output wire                            lost,          // the lock
    output wire                            again          // pulse: all lanes are to synchronise themselves anew
);
    localparam [DEPTH_BITS:0] LOW = FILL, HIGH = FILL + 2, MOST = HOLD;

    reg                locked_reg;
    reg                skip_reg;         // the heads are the SKIP behind a mark
    reg                added_reg;        // it was read once already
    reg  [DEPTH_BITS:0] least_reg;       // words that wait in the lane with the fewest
    reg  [1:0]         stray_reg;        // marks in a row that were in some lanes only
    reg  [11:0]        silent_reg;       // words since a mark
    reg  [9:0]         apart_reg;        // words for which all were synchronised and not locked

    wire [LANES-1:0]   empty, enough, standing;
    wire               all_mark = &(mark & ~empty);
    wire               any_mark = |(mark & ~empty);
    wire               start    = !locked_reg && (&synced) && all_mark && (&enough);
    wire               too_many = least_reg > HIGH;
    wire               too_few  = least_reg < LOW;
    wire               drop     = locked_reg && all_mark && !skip_reg && too_many;
    wire               add      = locked_reg && skip_reg && too_few && !added_reg;
    wire               fails    = !(&synced) || (|over) || (|empty) || (stray_reg == 2'd3 && any_mark && !all_mark)
                                  || (&silent_reg);

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire [DEPTH_BITS:0] waiting = fill[i*(DEPTH_BITS+1) +: DEPTH_BITS+1];
            wire                seek    = !empty[i] && !standing[i];
            assign empty[i]    = waiting == {DEPTH_BITS+1{1'b0}};
            assign enough[i]   = waiting >= LOW;
            assign standing[i] = (&synced) && mark[i] && !start;
            assign valid[i]    = en && (locked_reg ? !empty[i] : seek);
            assign flush[i]    = en && (locked_reg ? fails : over[i] || waiting > MOST);
            assign take[2*i +: 2] = !en || empty[i] ? 2'd0
                                    : !locked_reg ? {1'b0, !standing[i]}
                                    : drop ? 2'd2 : add ? 2'd0 : 2'd1;
        end
    endgenerate

    reg [DEPTH_BITS:0] least;
    integer            k;
    always @* begin
        k     = 0;
        least = fill[DEPTH_BITS:0];
        for (k = 1; k < LANES; k = k + 1) begin
            if (fill[k*(DEPTH_BITS+1) +: DEPTH_BITS+1] < least) begin
                least = fill[k*(DEPTH_BITS+1) +: DEPTH_BITS+1];
            end
        end
    end

    assign locked      = locked_reg;
    assign column_mark = start || (locked_reg && all_mark && !skip_reg);
    assign column_skip = locked_reg && skip_reg;
    assign added       = en && add && !fails;
    assign dropped     = en && drop && !fails;
    assign lost        = en && locked_reg && fails;
    assign again       = en && (&apart_reg);

    always @(posedge clk) begin
        if (en) begin
            least_reg <= least;
            apart_reg <= locked_reg || start || !(&synced) || again ? 10'd0 : apart_reg + 10'd1;
            added_reg <= add;
            skip_reg  <= start || (locked_reg && ((all_mark && !skip_reg && !drop) || add));
            if (locked_reg) begin
                silent_reg <= all_mark ? 12'd0 : silent_reg + 12'd1;
                if (any_mark) begin
                    stray_reg <= all_mark ? 2'd0 : stray_reg + 2'd1;
                end
                if (fails) begin
                    locked_reg <= 1'b0;
                    skip_reg   <= 1'b0;
                end
            end else begin
                locked_reg <= start;
                silent_reg <= 12'd0;
                stray_reg  <= 2'd0;
            end
        end
        if (rst) begin
            locked_reg <= 1'b0;
            skip_reg   <= 1'b0;
            added_reg  <= 1'b0;
            apart_reg  <= 10'd0;
        end
    end
endmodule
`default_nettype wire
