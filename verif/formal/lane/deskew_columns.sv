// SPDX-License-Identifier: Apache-2.0
// lane_deskew with two lanes whose buffers fill at any pace, and marks anywhere: it never takes what is not there;
// locked, it takes the same of both lanes or drops all; a SKIP is left out or read twice only behind a mark of both
// lanes, and twice at most.
`default_nettype none
module deskew_columns (
    input wire       clk,
    input wire       en,
    input wire [1:0] synced,
    input wire [1:0] arrives,
    input wire [1:0] mark
);
    localparam BITS = 6;
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    reg  [BITS-1:0] fill_0, fill_1;
    wire [1:0]      over = {fill_1 > 6'd28, fill_0 > 6'd28};
    wire [1:0]      flush, valid;
    wire [3:0]      take;
    wire            locked, column_mark, column_skip, added, dropped, lost, again;

    lane_deskew #(.LANES(2)) dut (
        .clk(clk), .rst(rst), .en(en), .synced(synced), .over(over), .fill({fill_1, fill_0}), .mark(mark), .take(take),
        .flush(flush), .valid(valid), .locked(locked), .column_mark(column_mark), .column_skip(column_skip),
        .added(added), .dropped(dropped), .lost(lost), .again(again));

    reg was_mark, was_added, was_dropped;
    always @(posedge clk) begin
        fill_0 <= rst || flush[0] ? 6'd0 : fill_0 - {4'd0, take[1:0]} + {5'd0, arrives[0] && en};
        fill_1 <= rst || flush[1] ? 6'd0 : fill_1 - {4'd0, take[3:2]} + {5'd0, arrives[1] && en};
        if (rst) begin
            was_mark    <= 1'b0;
            was_added   <= 1'b0;
            was_dropped <= 1'b0;
        end else if (en) begin
            was_mark    <= column_mark && !lost;
            was_added   <= added;
            was_dropped <= dropped;
        end
    end

    always @* if (!rst) begin
        is_there:    assert (take[1:0] <= fill_0 && take[3:2] <= fill_1
                             && (!valid[0] || fill_0 != 0) && (!valid[1] || fill_1 != 0));
        in_range:    assert (fill_0 <= 6'd30 && fill_1 <= 6'd30);
        together:    assert (!locked || !en || lost || (take[1:0] == take[3:2] && valid == 2'b11));
        all_dropped: assert (!lost || flush == 2'b11);
        mark_of_all: assert (!column_mark || mark == 2'b11);
        skip_behind: assert (!column_skip || ((was_mark && !was_dropped) || was_added));
        once:        assert (!added || !was_added);
        at_marks:    assert ((!dropped || column_mark) && (!added || column_skip) && !(added && dropped));
        adds:        cover (added);
        drops:       cover (dropped);
    end
endmodule
`default_nettype wire
