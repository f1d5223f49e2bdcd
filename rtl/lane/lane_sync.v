// SPDX-License-Identifier: Apache-2.0
// Whether one lane is in step with its line, in the manner of IEEE 802.3 figure 36-9: three words in a row that
// begin with COMMA and are marked by lane_align, with at most two bad words between two of them, are
// synchronisation; `level` 4 is its loss. Also who the lane says it is: the character behind IDENTIFY,
// and the one behind that, which is another one on wires that are swapped, where all of training else looks the same.
//
//   level   0 good; a bad word adds one, four good ones in a row take one away; 4: lost
//
// Latency: `synced` changes 1 cycle after the word that decides it.
`default_nettype none
`include "lane_wire.vh"
module lane_sync (
    input  wire       clk,
    input  wire       rst,
    input  wire       en,           // a decoded word
    input  wire       bad,          // one of its characters is
    input  wire       mark,         // it is the COMMA of a set
    input  wire [7:0] data,         // its first character
    input  wire       control,
    input  wire       signal,       // the receiver hears something
    input  wire       again,        // to begin anew
    input  wire [7:0] expected,     // identity of the lane at the other end
    output wire       synced,
    output wire       identified,   // the lane at the other end is the expected one
    output wire       mismatch      // it is another one, twice in a row
);
    reg [2:0] level_reg;            // 4: not synchronised
    reg [1:0] count_reg;            // marks, or good words in a row
    reg [1:0] spoilt_reg;           // not synchronised: bad words since a mark, up to three
    reg       next_reg;             // an identity follows
    reg       judge_reg, same_reg;  // it was the character before, and the expected one
    reg       identified_reg, doubt_reg, mismatch_reg;

    wire lost = level_reg[2];
    // An end that sends no polarity has a control character there.
    wire good = same_reg && !bad && (control || data == `LANE_POLARITY_RIGHT);

    assign synced     = !lost;
    assign identified = identified_reg;
    assign mismatch   = mismatch_reg;

    always @(posedge clk) begin
        if (en) begin
            next_reg  <= !bad && control && data == `LANE_IDENTIFY;
            judge_reg <= next_reg && !bad && !control;
            same_reg  <= data == expected;
            if (lost) begin
                if (bad) begin
                    spoilt_reg <= (&spoilt_reg) ? 2'd3 : spoilt_reg + 2'd1;
                end else if (mark) begin
                    spoilt_reg <= 2'd0;
                    count_reg  <= (&spoilt_reg) ? 2'd1 : count_reg + 2'd1;
                    if (count_reg == 2'd2 && !(&spoilt_reg)) begin
                        level_reg <= 3'd0;
                        count_reg <= 2'd0;
                    end
                end
                identified_reg <= 1'b0;
                doubt_reg      <= 1'b0;
            end else begin
                if (bad) begin
                    level_reg  <= level_reg + 3'd1;
                    count_reg  <= 2'd0;
                    spoilt_reg <= 2'd3;
                end else if (level_reg != 3'd0) begin
                    count_reg <= count_reg + 2'd1;
                    if (count_reg == 2'd3) begin
                        level_reg <= level_reg - 3'd1;
                    end
                end
                if (judge_reg) begin
                    doubt_reg <= !good;
                    if (good) begin
                        identified_reg <= 1'b1;
                        mismatch_reg   <= 1'b0;
                    end else if (doubt_reg) begin
                        identified_reg <= 1'b0;
                        mismatch_reg   <= 1'b1;
                    end
                end
            end
        end
        if (rst || !signal || again) begin
            level_reg      <= 3'd4;
            count_reg      <= 2'd0;
            spoilt_reg     <= 2'd3;
            next_reg       <= 1'b0;
            judge_reg      <= 1'b0;
            identified_reg <= 1'b0;
            doubt_reg      <= 1'b0;
        end
        if (rst) begin
            mismatch_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
