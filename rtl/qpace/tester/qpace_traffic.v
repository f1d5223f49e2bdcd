// SPDX-License-Identifier: Apache-2.0
// What a board's tester has in place of a processor and its memory: lines for the channels of a QPACE node, eight a
// link, and a look at every line that comes, byte by byte. Not in the paper.
//
//   8 LINKS sequences --> lines, links in turn, channels of a link in turn --> pw_in   qpace_nwp, or one link
//   8 LINKS sequences <-- compared <----------------------------------------- pw_out   behind qpace_link_lines
//   a channel whose credit is used up <-- notification <-----------------------/
//
// A channel's sequence is one of 32 bits and maximal length, a step a beat; a beat of state s is {~s, s ^ 5A5A5A5A,
// halves of s exchanged ^ {link, channel}, s}, and a line's place in memory, in units of 128 bytes, is {link, channel,
// low 15 bits of its first state}: what comes is compared with what comes next, and where it is written, too. So a
// line of another channel, or of another link (of this number, whichever board sends), is wrong wherever it is written.
// After a wrong line the sequence goes on from that. A channel's first line after reset or `clear` begins its sequence.
`default_nettype none
module qpace_traffic #(
    parameter LINKS = 6                  // 1 to 6
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [LINKS-1:0] traffic,     // link i sends
    input  wire [LINKS-1:0] clear,       // pulse: what comes next on link i begins its sequences

    // qpace_nwp
    output wire         pw_in_valid,
    input  wire         pw_in_ready,
    output wire [31:0]  pw_in_addr,
    output wire [127:0] pw_in_data,
    output wire         pw_in_last,
    input  wire [LINKS-1:0] pw_in_room,
    input  wire         pw_out_valid,    // its ready is always 1
    input  wire [38:0]  pw_out_addr,
    input  wire [127:0] pw_out_data,
    input  wire         pw_out_last,
    input  wire         pw_out_notify,

    output reg          came,            // pulse: a line came
    output reg          wrong,           // with it: it was not the next one
    output reg  [2:0]   came_link,
    output reg          used,            // pulse: a credit of a channel is used up
    output reg  [5:0]   used_channel     // {link, channel}
);
    localparam [31:0] TAPS = 32'hA3000000;     // x^32 + x^30 + x^26 + x^25 + 1
    localparam        BITS = 3 + $clog2(LINKS);   // of a channel's number in the node, {link, channel}

    function [31:0] step(input [31:0] s);
        step = {1'b0, s[31:1]} ^ (s[0] ? TAPS : 32'd0);
    endfunction
    function [127:0] beat_of(input [31:0] s, input [5:0] channel);
        beat_of = {~s, s ^ 32'h5A5A5A5A, {s[15:0], s[31:16]} ^ {26'd0, channel}, s};
    endfunction

    // sequences begin with something else in each channel
    reg  [BITS:0] clear_reg;             // 2^BITS: done
    wire        clearing = !clear_reg[BITS];
    wire [31:0] seed     = 32'h5555_5540 | {{31-BITS{1'b0}}, clear_reg};

    // ---- lines out
    reg         busy_reg;
    reg  [2:0]  link_reg, beat_reg;
    reg  [3*LINKS-1:0] channels_reg;     // of each link the channel of its next line
    reg  [31:0] state_reg;
    reg  [14:0] offset_reg;
    wire        found;
    wire [2:0]  choice;
    wire [2:0]  channel_now  = channels_reg[3*link_reg +: 3];
    wire [2:0]  channel_next = channels_reg[3*choice +: 3];
    wire [31:0] stored;
    wire        moves  = busy_reg && pw_in_ready;
    wire        ends   = moves && beat_reg == 3'd7;

    assign pw_in_valid = busy_reg;
    assign pw_in_addr  = {4'd0, link_reg, channel_now, offset_reg, 7'd0};
    assign pw_in_data  = beat_of(state_reg, sending);
    assign pw_in_last  = beat_reg == 3'd7;

    wire [5:0]  sending = {link_reg, channel_now};
    wire [5:0]  next    = {choice, channel_next};
    wire        unused  = &{1'b0, sending, next, 1'b0};   // of fewer links their upper bits
    select_next #(.N(LINKS), .WIDTH(3)) turn (
        .request(traffic & pw_in_room), .last(link_reg), .found(found), .choice(choice));
    ram_small #(.WIDTH(32), .ADDRESS_BITS(BITS)) send_states (
        .clk(clk), .wr_en(clearing || ends), .wr_address(clearing ? clear_reg[BITS-1:0] : sending[BITS-1:0]),
        .wr_data(clearing ? seed : step(state_reg)), .rd_address(next[BITS-1:0]), .rd_data(stored));

    always @(posedge clk) begin
        if (!busy_reg && found && !clearing) begin
            busy_reg   <= 1'b1;
            link_reg   <= choice;
            state_reg  <= stored;
            offset_reg <= stored[14:0];
        end
        if (moves) begin
            beat_reg  <= beat_reg + 3'd1;
            state_reg <= step(state_reg);
        end
        if (ends) begin
            busy_reg <= 1'b0;
            channels_reg[3*link_reg +: 3] <= channel_now + 3'd1;
        end
        if (clearing)
            clear_reg <= clear_reg + 1'b1;
        if (rst) begin
            busy_reg     <= 1'b0;
            beat_reg     <= 3'd0;
            link_reg     <= 3'd0;
            channels_reg <= {3*LINKS{1'b0}};
            clear_reg    <= {BITS+1{1'b0}};
        end
    end

    // ---- lines that come
    reg  [8*LINKS-1:0] synced_reg;       // the channel's sequence has begun
    reg         bad_reg;                 // in the beats of this line before
    reg  [2:0]  at_reg;                  // the beat that should come
    reg  [31:0] wanted_reg;
    reg  [27:7] place_reg;               // of the line
    wire        beat    = pw_out_valid && !pw_out_notify;
    wire        first   = at_reg == 3'd0;
    wire [5:0]  channel = pw_out_addr[27:22];
    wire [31:0] known;
    wire [31:0] word    = pw_out_data[31:0];
    wire [31:0] wanted  = !first ? wanted_reg : synced_reg[channel[BITS-1:0]] ? known : word;
    wire [27:7] place   = first ? {channel, wanted[14:0]} : place_reg;
    wire        good    = pw_out_data == beat_of(wanted, channel) && pw_out_addr == {11'd0, place, at_reg, 4'd0}
                          && pw_out_last == (at_reg == 3'd7);

    ram_small #(.WIDTH(32), .ADDRESS_BITS(BITS)) check_states (
        .clk(clk), .wr_en(beat && pw_out_last), .wr_address(channel[BITS-1:0]), .wr_data(step(word)),
        .rd_address(channel[BITS-1:0]), .rd_data(known));

    integer i;
    always @(posedge clk) begin
        came         <= beat && pw_out_last;
        came_link    <= channel[5:3];
        wrong        <= bad_reg || !good;
        used         <= pw_out_valid && pw_out_notify;
        used_channel <= {pw_out_data[42:40], pw_out_data[34:32]};
        if (beat) begin
            wanted_reg <= step(wanted);
            place_reg  <= place;
            at_reg     <= pw_out_last ? 3'd0 : at_reg + 3'd1;
            bad_reg    <= !pw_out_last && (bad_reg || !good);
            if (pw_out_last)
                synced_reg[channel[BITS-1:0]] <= 1'b1;
        end
        for (i = 0; i < LINKS; i = i + 1)
            if (clear[i])
                synced_reg[8*i +: 8] <= 8'd0;
        if (rst) begin
            came       <= 1'b0;
            used       <= 1'b0;
            at_reg     <= 3'd0;
            bad_reg    <= 1'b0;
            synced_reg <= {8*LINKS{1'b0}};
        end
    end
endmodule
`default_nettype wire
