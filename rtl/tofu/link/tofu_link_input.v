// SPDX-License-Identifier: Apache-2.0
// Where the router's packets enter a Tofu link: corrects single soft errors, checks each packet's form and CRC, hands
// good beats to the retransmission ring, and says at a packet's end whether it stays (commit) or is taken back (kill).
// A packet with a wrong CRC would be refused by the peer for ever, so it is killed here, as one that comes nullified
// is.
//
//   cycle          0         1         2            n         n + 1
//   tx_beat        first     second    ...          last
//   beat                     first     second                 last
//   store                    1         1                      1
//   commit                                                    1, or kill
//
// While the link is DOWN packets are swallowed; what is left of a packet killed before its end is, too.
// Latency: 1 cycle. With STAGES a beat is corrected before it is registered (the router has it in a register), and a
// bit that flips in the register itself is no more corrected, but found by the packet's CRC.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_input #(
    parameter STAGES = 0                // 0 or 1: tofu_link
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         up,
    input  wire         down,
    input  wire         flush,          // a new session: a packet under way is killed

    // router
    input  wire         tx_valid,
    input  wire [147:0] tx_beat,
    output wire         tx_ready,
    input  wire         ring_room,      // for two more beats
    input  wire         window_room,    // for two more packets

    // ring
    output wire         store,          // `beat` is of a sound packet so far
    output wire [147:0] beat,
    output wire         first,
    output wire         last,
    output wire         commit,         // with store and last
    output wire         kill,           // the packet under way is void
    output wire         gives_up,       // with flush: a packet that began is lost with it

    // credits
    output wire [1:0]   channel,        // of the packet that starts or is killed
    output wire [4:0]   units,

    input  wire         clear_checksum,
    output wire [31:0]  checksum,
    output wire         idle,
    output wire         event_corrected,
    output wire         event_nullified,// a packet came, or became, void
    output wire         event_dropped,  // a packet was swallowed
    output wire         error_packet,   // malformed, two wrong bits, or a wrong CRC
    output wire         error_parity    // of the control bits beside the data
);
    reg          valid_reg;
    reg  [147:0] beat_reg;
    reg          between_reg;           // the last beat taken was a packet's last
    reg          open_reg;
    reg          drop_reg;              // swallow up to the packet's last beat
    reg  [6:0]   index_reg;             // of the beat to come
    reg  [6:0]   beats_reg;             // index of the last one
    reg  [1:0]   channel_reg;
    reg  [4:0]   units_reg;

    // Once it began, a packet to be stored comes whole.
    wire         accept = tx_valid && tx_ready;
    assign tx_ready = down || drop_reg || (up && ring_room && (window_room || !between_reg));

    // soft errors
    wire [127:0] data;
    wire [15:0]  ecc;
    wire [1:0]   single, double;
    genvar n;
    generate
        if (STAGES == 0) begin : gen_at_once
            for (n = 0; n < 2; n = n + 1) begin : g_half
                secded_decode u_decode (
                    .data(beat_reg[64*n +: 64]), .check(beat_reg[128 + 8*n +: 8]), .corrected(data[64*n +: 64]),
                    .corrected_check(ecc[8*n +: 8]), .single(single[n]), .uncorrectable(double[n])
                );
            end
        end else begin : gen_before
            wire [15:0]  made, right_check;
            wire [127:0] right;
            wire [1:0]   one, two;
            reg  [147:0] right_reg;
            for (n = 0; n < 2; n = n + 1) begin : g_half
                secded_encode u_encode (.data(tx_beat[64*n +: 64]), .check(made[8*n +: 8]));
                secded_correct u_correct (
                    .data(tx_beat[64*n +: 64]), .check(tx_beat[128 + 8*n +: 8]),
                    .syndrome(made[8*n +: 8] ^ tx_beat[128 + 8*n +: 8]), .corrected(right[64*n +: 64]),
                    .corrected_check(right_check[8*n +: 8]), .single(one[n]), .uncorrectable(two[n])
                );
            end
            assign {ecc, data, single, double} = right_reg;
            always @(posedge clk)
                if (accept)
                    right_reg <= {right_check, right, one, two};
        end
    endgenerate

    // form
    wire        is_first = beat_reg[`TOFU_BEAT_FIRST];
    wire        is_second = !is_first && index_reg == 7'd1;
    wire        is_last  = beat_reg[`TOFU_BEAT_LAST];
    wire        is_bad   = beat_reg[`TOFU_BEAT_BAD];
    wire        parity   = ^beat_reg[147:144];
    wire [6:0]  beats    = data[`TOFU_HEADER_BEATS];
    wire        damaged  = double != 2'd0 || !parity;
    wire        starts   = valid_reg && is_first && !open_reg && !damaged && !is_last && beats <= 7'd125;
    wire        goes_on  = valid_reg && !is_first && open_reg && !damaged && is_last == (index_reg == beats_reg) &&
                           !is_bad;
    wire        voided   = valid_reg && !is_first && open_reg && parity && is_last && is_bad;
    wire        dropped  = valid_reg && !open_reg && drop_reg && !is_first;
    wire [31:0] crc;
    wire        crc_good = data[63:32] == crc;
    wire        away     = down || flush;           // nothing is kept
    wire        keep     = !away && (starts || (goes_on && (!is_last || crc_good)));
    wire        wrong    = valid_reg && !away && !keep && !voided && !dropped;

    assign store           = keep;
    assign beat            = {beat_reg[147:144], ecc, data};
    assign first           = is_first;
    assign last            = is_last;
    assign commit          = keep && is_last;
    assign kill            = open_reg && (away || (valid_reg && !keep));
    assign gives_up        = flush && !down && (open_reg || (valid_reg && is_first));
    assign channel         = open_reg ? channel_reg : data[`TOFU_HEADER_VC];
    wire [7:0]  rounded    = {1'b0, beats} + 8'd10; // header, trailer, and 7 to round up
    assign units           = open_reg ? units_reg : rounded[7:3];
    assign idle            = !valid_reg && !open_reg;
    assign event_corrected = valid_reg && single != 2'd0;
    assign event_nullified = kill;
    assign event_dropped   = down && (open_reg || (valid_reg && is_first));
    assign error_packet    = wrong && parity;
    assign error_parity    = valid_reg && !parity;

    tofu_packet_crc #(.STAGES(STAGES)) u_crc (
        .clk(clk), .en(keep), .first(is_first), .second(is_second), .data(data), .crc(crc)
    );

    tofu_link_checksum u_checksum (
        .clk(clk), .rst(rst), .clear(clear_checksum), .en(keep), .first(is_first), .second(is_second),
        .good(is_last), .data(data), .checksum(checksum)
    );

    always @(posedge clk) begin
        valid_reg <= accept;
        if (accept) begin
            beat_reg    <= tx_beat;
            between_reg <= tx_beat[`TOFU_BEAT_LAST];
        end
        if (valid_reg) begin
            // the rest of what is not kept is swallowed
            drop_reg <= !keep && !is_last;
            open_reg <= keep && !is_last;
        end else if (away && open_reg) begin
            drop_reg <= 1'b1;
            open_reg <= 1'b0;
        end
        if (keep) begin
            index_reg <= is_first ? 7'd1 : index_reg + 7'd1;
            if (is_first) begin
                channel_reg <= data[`TOFU_HEADER_VC];
                beats_reg   <= beats + 7'd2;
                units_reg   <= rounded[7:3];
            end
        end
        if (rst) begin
            valid_reg   <= 1'b0;
            between_reg <= 1'b1;
            open_reg    <= 1'b0;
            drop_reg    <= 1'b0;
            index_reg   <= 7'd0;
        end
    end

    wire unused = &{1'b0, rounded[2:0], beat_reg};
endmodule
`default_nettype wire
