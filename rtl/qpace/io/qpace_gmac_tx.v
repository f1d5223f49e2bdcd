// SPDX-License-Identifier: Apache-2.0
// Sends Ethernet frames over RGMII, modelled as four bits a cycle of 250 MHz ([QPACE2009] section 5): the
// low nibble of a byte first, as at the rising edge of a real RGMII's 125 MHz clock. Adds preamble,
// start delimiter, zeros up to 60 bytes, the frame check sequence, and a gap of 12 bytes, so that
// frames follow one another every 2 x (8 + bytes + 4 + 12) cycles while there are any.
//
//   ctl  ____/-----------------------------------------\_________________________/---
//   txd      5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 D  data  pad  fcs        24 cycles      5
//
// Data lie in a buffer of 32 lines of 128 B. A frame starts when all its lines are there, or eight.
// If memory does not keep up then, the check sequence is sent inverted, the rest is swallowed, and
// the frame is reported as broken off.
`default_nettype none
module qpace_gmac_tx (
    input  wire         clk,
    input  wire         rst,

    // the next frame: whole until taken
    input  wire         frame_valid,
    input  wire         frame_bad,       // only to be reported
    input  wire [13:0]  frame_length,    // bytes, 1 or more, without the check sequence
    output wire         frame_take,
    output reg          done,            // pulse, in order: a frame has left, or was reported
    output reg          done_bad,

    // the buffer: lines that are there, in order
    input  wire [5:0]   lines,
    output reg          line_free,       // pulse: the oldest may be overwritten
    output wire         read,
    output wire [7:0]   read_address,
    input  wire [127:0] read_data,       // one cycle after read, and kept

    output reg  [3:0]   rgmii_txd,
    output reg          rgmii_tx_ctl,
    output wire         obs_idle
);
    localparam [2:0]
        IDLE     = 3'd0,
        PREAMBLE = 3'd1,
        DATA     = 3'd2,
        PAD      = 3'd3,
        FCS      = 3'd4,
        GAP      = 3'd5,
        DRAIN    = 3'd6;    // after a frame that was broken off

    reg  [2:0]  state;
    reg  [4:0]  count;           // of preamble, check sequence and gap
    reg  [14:0] nibbles;         // of data still to go, the present one included
    reg  [6:0]  short_left;      // nibbles until 60 bytes are reached; 0: they are
    reg  [4:0]  line;            // being read
    reg  [7:0]  place;           // nibble in that line
    reg  [6:0]  more;            // lines of the frame after this one
    reg         broken;

    wire [6:0]  need       = frame_length[13:7] + {6'd0, frame_length[6:0] != 7'd0};
    wire        there      = {1'b0, lines} >= need || lines >= 6'd8;
    wire        can_start  = frame_valid && !frame_bad && there;
    wire        gap_over   = state == GAP && count == 5'd23;
    wire        start      = can_start && (state == IDLE || (gap_over && !broken));
    wire        report     = frame_valid && frame_bad && state == IDLE;
    wire        last       = nibbles == 15'd1;
    wire        word_ends  = place[4:0] == 5'd31;
    wire        line_ends  = place == 8'd255;
    wire        starved    = state == DATA && line_ends && !last && lines == 6'd1;
    wire        next_word  = state == DATA && word_ends && !last && !starved;
    wire [3:0]  nibble     = read_data[{place[4:0], 2'd0} +: 4];
    wire [3:0]  fcs;

    assign frame_take   = start || report;
    assign read         = start || next_word;
    assign read_address = start ? {line, 3'd0}
                                : {line_ends ? line + 5'd1 : line, place[7:5] + 3'd1};
    assign obs_idle     = state == IDLE && !frame_take && !done && !line_free && !rgmii_tx_ctl;

    crc32_nibble crc (
        .clk(clk), .init(state == PREAMBLE), .en(state == DATA || state == PAD),
        .shift(state == FCS), .data(state == DATA ? nibble : 4'd0), .fcs(fcs),
        /* verilator lint_off PINCONNECTEMPTY */
        .good());
        /* verilator lint_on PINCONNECTEMPTY */

    always @(posedge clk) begin
        done         <= 1'b0;
        done_bad     <= 1'b0;
        line_free    <= 1'b0;
        rgmii_tx_ctl <= 1'b0;
        rgmii_txd    <= 4'd0;
        case (state)
            PREAMBLE: begin
                rgmii_tx_ctl <= 1'b1;
                rgmii_txd    <= count == 5'd15 ? 4'hD : 4'h5;
                count        <= count + 5'd1;
                if (count == 5'd15)
                    state <= DATA;
            end
            DATA: begin
                rgmii_tx_ctl <= 1'b1;
                rgmii_txd    <= nibble;
                nibbles      <= nibbles - 15'd1;
                place        <= place + 8'd1;
                if (short_left != 7'd0)
                    short_left <= short_left - 7'd1;
                count        <= 5'd0;
                if (line_ends || last) begin
                    line_free <= 1'b1;
                    line      <= line + 5'd1;
                    more      <= more - 7'd1;
                end
                if (last)
                    state <= short_left > 7'd1 ? PAD : FCS;
                if (starved) begin
                    broken <= 1'b1;
                    state  <= FCS;
                end
            end
            PAD: begin
                rgmii_tx_ctl <= 1'b1;
                short_left   <= short_left - 7'd1;
                if (short_left == 7'd1)
                    state <= FCS;
            end
            FCS: begin
                rgmii_tx_ctl <= 1'b1;
                rgmii_txd    <= broken ? ~fcs : fcs;
                count        <= count + 5'd1;
                if (count == 5'd7) begin
                    state    <= GAP;
                    count    <= 5'd0;
                    done     <= !broken;
                end
            end
            GAP: begin
                count <= count + 5'd1;
                if (gap_over)
                    state <= broken ? DRAIN : IDLE;
            end
            DRAIN:
                if (more == 7'd0) begin
                    state    <= IDLE;
                    done     <= 1'b1;
                    done_bad <= 1'b1;
                    broken   <= 1'b0;
                end else if (lines != 6'd0 && !line_free) begin
                    line_free <= 1'b1;
                    line      <= line + 5'd1;
                    more      <= more - 7'd1;
                end
            default:
                if (report) begin
                    done     <= 1'b1;
                    done_bad <= 1'b1;
                end
        endcase
        if (start) begin
            state      <= PREAMBLE;
            count      <= 5'd0;
            nibbles    <= {frame_length, 1'b0};
            short_left <= 7'd120;
            place      <= 8'd0;
            more       <= need;
        end
        if (rst) begin
            state        <= IDLE;
            line         <= 5'd0;
            broken       <= 1'b0;
            done         <= 1'b0;
            line_free    <= 1'b0;
            rgmii_tx_ctl <= 1'b0;
        end
    end
endmodule
`default_nettype wire
