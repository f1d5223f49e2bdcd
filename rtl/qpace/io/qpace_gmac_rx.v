// SPDX-License-Identifier: Apache-2.0
// Receives Ethernet frames from RGMII, modelled as four bits a cycle of 250 MHz, low nibble first
// (qpace_gmac_tx has a picture). Writes their bytes, address to frame check sequence, as words of 16 B
// into a buffer, and a trailer after each frame that gives its length and status; a bad frame's words
// are there too. rx_ctl is data valid; a transmitter's error (RX_ER) reaches us as a frame cut short.
//
// Words: bit 128 = 0, bytes with the first in bits 7:0; what follows a frame's last byte is undefined.
// Trailer: bit 128 = 1, [45:32] bytes without check sequence, so that bits 127:0 can be the
// descriptor's new contents, [77:64] bytes, [80] check good, [81] words were lost, [82] no frame.
//
// obs_* come two cycles after their nibble was on rgmii_rxd: start with the frame start delimiter,
// ok or error with the first nibble after the frame, error also after carrier without a delimiter.
`default_nettype none
module qpace_gmac_rx (
    input  wire         clk,
    input  wire         rst,
    input  wire         enable,
    input  wire [3:0]   rgmii_rxd,
    input  wire         rgmii_rx_ctl,

    output reg          wr,
    output reg  [128:0] wr_data,
    input  wire         room_word,       // for a word, and a trailer after it
    input  wire         room_trailer,    // for a trailer
    output reg          missed,          // pulse: a frame was lost whole

    output reg          obs_rx_start,
    output reg          obs_rx_ok,
    output reg          obs_rx_error,
    output wire         obs_idle
);
    localparam [2:0]
        IDLE  = 3'd0,
        HUNT  = 3'd1,       // carrier, no delimiter yet
        DATA  = 3'd2,
        REST  = 3'd3,       // writes an unfinished word
        TRAIL = 3'd4,       // writes the trailer
        WAIT  = 3'd5;       // carrier while disabled

    reg  [2:0]   state;
    reg  [3:0]   nibble;
    reg          valid;
    reg          fives;      // the last nibble was 5
    reg  [127:0] word;
    reg  [14:0]  count;      // nibbles, up to 32767
    reg          lost, ok, none;

    wire         delimiter = state == HUNT && valid && fives && nibble == 4'hD;
    wire         take      = state == DATA && valid;
    wire         full      = count == 15'h7FFF;
    wire         complete  = take && count[4:0] == 5'd31 && !full;
    wire         good;
    wire [13:0]  payload   = count[14:1] - 14'd4;

    assign obs_idle = state == IDLE && !valid && !wr && !missed && !(obs_rx_start || obs_rx_ok || obs_rx_error);

    crc32_nibble crc (
        .clk(clk), .init(state == HUNT), .en(take), .shift(1'b0), .data(nibble),
        /* verilator lint_off PINCONNECTEMPTY */
        .fcs(),
        /* verilator lint_on PINCONNECTEMPTY */
        .good(good));

    always @(posedge clk) begin
        nibble    <= rgmii_rxd;
        valid     <= rgmii_rx_ctl;
        fives     <= valid && nibble == 4'h5;
        wr        <= 1'b0;
        missed    <= 1'b0;
        obs_rx_start <= delimiter;
        obs_rx_ok    <= state == DATA && !valid && good && !count[0];
        obs_rx_error <= !valid && (state == HUNT || (state == DATA && !(good && !count[0])));

        if (take) begin
            word[{count[4:0], 2'd0} +: 4] <= nibble;
            if (!full)
                count <= count + 15'd1;
        end
        case (state)
            IDLE:
                if (valid)
                    state <= enable ? HUNT : WAIT;
            HUNT: begin
                count <= 15'd0;
                lost  <= 1'b0;
                ok    <= 1'b0;
                none  <= !delimiter;
                if (delimiter)
                    state <= DATA;
                else if (!valid)
                    state <= TRAIL;
            end
            DATA: begin
                if (complete) begin
                    wr      <= room_word && !lost;
                    wr_data <= {1'b0, nibble, word[123:0]};
                    lost    <= lost || !room_word;
                end
                if (!valid) begin
                    ok    <= good && !count[0];
                    state <= count[4:0] != 5'd0 ? REST : TRAIL;
                end
            end
            REST: begin
                wr      <= room_word && !lost;
                wr_data <= {1'b0, word};
                lost    <= lost || !room_word;
                state   <= TRAIL;
            end
            TRAIL: begin
                wr      <= room_trailer;
                wr_data <= {1'b1, 45'd0, none, lost, ok, 2'b0, count[14:1], 18'd0, payload, 32'd0};
                missed  <= !room_trailer;
                state   <= IDLE;
            end
            default:
                if (!valid)
                    state <= IDLE;
        endcase
        if (rst) begin
            state     <= IDLE;
            valid     <= 1'b0;
            wr        <= 1'b0;
            missed    <= 1'b0;
            obs_rx_start <= 1'b0;
            obs_rx_ok    <= 1'b0;
            obs_rx_error <= 1'b0;
        end
    end
endmodule
`default_nettype wire
