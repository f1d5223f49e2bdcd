// SPDX-License-Identifier: Apache-2.0
// Takes the router's beats for the barrier gates, always, and makes of each good packet a message to its gate. Bits of
// a beat are corrected, the payload's CRC is checked. Packets marked void are dropped silently (the link sends them
// again); wrong ones are an error.
//
//   cycle      0           1            2
//              last beat   CRC right    message, until taken: at most 2 cycles, so before the next packet can end
`default_nettype none
`include "tofu_wire.vh"
module tofu_tbi_parser #(
    parameter STATES          = 1,       // of 320 bits, in a packet's payload
    parameter GATE_INTERFACES = 1,       // of a node
    parameter GATES           = 64,
    parameter FLOATING        = 1,       // 0: no sums of doubles, only words of 64 bits
    parameter BITS            = FLOATING != 0 ? 320*STATES : 64   // of an operation's data
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,
    input  wire [2:0]   number,      // of this barrier interface

    input  wire         in_valid,
    input  wire [147:0] in_beat,

    output reg          valid,
    output reg  [74:0]  message,     // {from interface, status[4:0], operation, sequence, group, from node, from gate,
                                     //  gate}
    output reg  [BITS-1:0] data,
    input  wire         taken,

    output reg          good,        // pulse: a message came
    output reg          bad,         // pulse: a malformed packet
    output wire         corrected,   // pulse
    output reg          overrun,     // pulse: the message before was not taken; cannot be
    output wire         obs_idle
);
    localparam       FULL = 5*STATES/2;          // beats of payload that are full,
    localparam       ODD  = 5*STATES - 2*FULL;   // and half a one
    localparam [6:0] PAYLOAD = FULL[6:0] + ODD[6:0];
    localparam       COUNT_BITS = STATES > 1 ? 4 : 3;
    localparam [COUNT_BITS-1:0] MOST = ~{COUNT_BITS{1'b0}}, ONE = 1, TWO = 2;

    wire [63:0] low, high;
    wire [1:0]  singles, doubles;
    wire [15:0] unused_check;
    secded_decode u_low (.data(in_beat[63:0]), .check(in_beat[135:128]), .corrected(low),
                         .corrected_check(unused_check[7:0]), .single(singles[0]), .uncorrectable(doubles[0]));
    secded_decode u_high (.data(in_beat[127:64]), .check(in_beat[143:136]), .corrected(high),
                          .corrected_check(unused_check[15:8]), .single(singles[1]), .uncorrectable(doubles[1]));

    reg          beat_valid_reg, first_reg, last_reg, void_reg, wrong_reg, single_reg;
    reg  [127:0] beat_reg;

    reg  [COUNT_BITS-1:0] count_reg; // beats of this packet so far, up to MOST
    reg          wrong_packet_reg;   // one of them was wrong
    reg  [127:0] first_beat_reg;
    reg  [4:0]   status_reg;
    reg  [2:0]   from_interface_reg;
    reg  [320*STATES-1:0] payload_reg;
    reg          more_reg;           // its payload is more than a word
    reg          upper_zero_reg;     // of the status byte
    wire [31:0]  crc;

    tofu_packet_crc u_crc (.clk(clk), .en(beat_valid_reg && !last_reg), .first(first_reg), .second(count_reg == ONE),
                           .data(beat_reg), .crc(crc));

    wire [6:0]   beats    = first_beat_reg[`TOFU_HEADER_BEATS];
    wire [3:0]   op       = first_beat_reg[`TOFU_GATE_OPERATION];
    wire         barrier  = op == `TOFU_OP_BARRIER;
    // without floating point, words only: what is behind them is 0
    localparam LAST_GATE = GATES - 1;
    localparam [6:0] MOST_GATE = LAST_GATE[6:0];
    localparam       ALL_GATES = GATES == 64;
    wire         words_ok = FLOATING != 0 || (op != `TOFU_OP_FSUM && !more_reg);
    wire         form_ok  = (ALL_GATES || {1'b0, first_beat_reg[`TOFU_GATE_TO]} <= MOST_GATE) && words_ok &&
                            first_beat_reg[`TOFU_HEADER_KIND] == `TOFU_KIND_GATE &&
                            first_beat_reg[`TOFU_HEADER_TO] == coordinates &&
                            first_beat_reg[`TOFU_HEADER_INTERFACE] == (number == 3'd0 ? `TOFU_INTERFACE_BARRIER
                                                                                      : {1'b1, number}) &&
                            (!op[3] || (STATES > 1 && op == `TOFU_OP_MAXLOC)) && upper_zero_reg &&
                            (barrier ? beats == 7'd0 && count_reg == TWO
                                     : beats == PAYLOAD && count_reg == PAYLOAD[COUNT_BITS-1:0] + TWO);
    wire         ends     = beat_valid_reg && last_reg;
    wire         sound    = ends && !first_reg && !void_reg && !wrong_reg && !wrong_packet_reg && form_ok &&
                            beat_reg[63:32] == crc;

    assign corrected = beat_valid_reg && single_reg;
    assign obs_idle  = !in_valid && !beat_valid_reg && !valid && !good && !bad && !overrun;

    integer i;
    always @(posedge clk) begin
        beat_valid_reg <= in_valid;
        if (in_valid) begin
            beat_reg   <= {high, low};
            first_reg  <= in_beat[`TOFU_BEAT_FIRST];
            last_reg   <= in_beat[`TOFU_BEAT_LAST];
            void_reg   <= in_beat[`TOFU_BEAT_LAST] && in_beat[`TOFU_BEAT_BAD];
            wrong_reg  <= doubles != 2'd0 || !(^in_beat[147:144]);
            single_reg <= singles != 2'd0;
        end

        if (beat_valid_reg) begin
            if (first_reg) begin
                count_reg        <= ONE;
                first_beat_reg   <= beat_reg;
                wrong_packet_reg <= wrong_reg;
                more_reg         <= 1'b0;
            end else begin
                if (count_reg != MOST)
                    count_reg <= count_reg + ONE;
                if (wrong_reg)
                    wrong_packet_reg <= 1'b1;
                if (count_reg == ONE) begin
                    status_reg         <= beat_reg[4:0];
                    upper_zero_reg     <= beat_reg[7:5] == 3'd0;
                    from_interface_reg <= GATE_INTERFACES > 1 ? beat_reg[10:8] : 3'd0;
                end
                if (FLOATING == 0 && !last_reg && count_reg >= TWO &&
                    (beat_reg[127:64] != 64'd0 || (count_reg != TWO && beat_reg[63:0] != 64'd0)))
                    more_reg <= 1'b1;
                for (i = 0; i < FULL; i = i + 1)
                    if (count_reg == i[COUNT_BITS-1:0] + TWO)
                        payload_reg[128*i +: 128] <= beat_reg;
                if (ODD != 0 && count_reg == FULL[COUNT_BITS-1:0] + TWO)
                    payload_reg[320*STATES-1 -: 64] <= beat_reg[63:0];
            end
        end

        good    <= sound;
        bad     <= ends && !void_reg && !sound;
        overrun <= sound && valid && !taken;
        if (sound) begin
            // a barrier brings nothing, whatever it says
            message <= {from_interface_reg, status_reg[4:1], status_reg[`TOFU_STATUS_EMPTY] || barrier, op,
                        first_beat_reg[`TOFU_GATE_SEQUENCE], first_beat_reg[`TOFU_GATE_GROUP],
                        first_beat_reg[`TOFU_HEADER_FROM], first_beat_reg[`TOFU_GATE_FROM],
                        first_beat_reg[`TOFU_GATE_TO]};
            data    <= payload_reg[BITS-1:0];
        end
        valid <= sound || (valid && !taken);
        if (rst) begin
            beat_valid_reg <= 1'b0;
            count_reg      <= {COUNT_BITS{1'b0}};
            valid          <= 1'b0;
            good           <= 1'b0;
            bad            <= 1'b0;
            overrun        <= 1'b0;
        end
    end

    wire unused = &{1'b0, unused_check, first_beat_reg, payload_reg, more_reg};
endmodule
`default_nettype wire
