// SPDX-License-Identifier: Apache-2.0
// Takes packets from the router and holds them, four whole ones of a class, until they have been carried out. Only a
// packet whose CRC and length were good is shown; void ones are dropped silently (the link sends them again), wrong
// ones with `wrong`. [Tofu2012] section 4.6; README.md, "Receiver".
//
//   cycle      0           1            2
//              last beat   CRC right    shown
//
// The module that executes them takes the oldest of a class by `take`, reads payload (a cycle after read_en) until
// `free`, in the same order. After a fault everything is dropped, so that the network goes on.
`default_nettype none
`include "tofu_wire.vh"
module tofu_tni_receive #(
    parameter SLOT_BITS = 2              // log2 of the packets held of a class
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 blocked,
    input  wire                 stopped,     // memory answers no more: what comes is swallowed

    input  wire                 ej_valid,
    input  wire [147:0]         ej_beat,
    output wire [1:0]           ej_room,     // {responses, requests}: for one whole packet

    output wire [1:0]           shown,       // a packet waits, by class
    input  wire                 look,        // class whose oldest one is shown
    output wire [255:0]         head,        // its header; as `shown` in the same cycle
    output wire [SLOT_BITS-1:0] slot,        // where it is
    input  wire [1:0]           take,
    input  wire [1:0]           free,

    input  wire                 read_en,
    input  wire                 read_class,
    input  wire [SLOT_BITS-1:0] read_slot,
    input  wire [6:0]           read_beat,   // of the packet, 0 and 1 the header
    input  wire                 read_look,   // the data are looked at
    output wire [127:0]         read_data,   // corrected; stays until the next read_en
    output wire                 read_wrong,  // two bits: not to be used, and a fault

    output reg                  received,    // pulse: a good packet
    output reg                  wrong,       // pulse: a packet that cannot be
    input  wire [143:0]         flip_mask,
    output wire                 flipped,
    output reg                  corrected,
    output reg                  fault,
    output wire                 obs_idle
);
    localparam SLOTS = 1 << SLOT_BITS;
    localparam [SLOT_BITS:0] ONE = 1, FULL = SLOTS;

    // ---- a beat: corrected, then looked at ----------------------------------------------------------------------
    wire [127:0] data;
    wire [15:0]  check;
    wire [1:0]   singles, doubles;
    secded_decode_enabled u_low (
        .enable(ej_valid), .data(ej_beat[63:0]), .check(ej_beat[135:128]), .corrected(data[63:0]),
        .corrected_check(check[7:0]), .single(singles[0]), .uncorrectable(doubles[0]));
    secded_decode_enabled u_high (
        .enable(ej_valid), .data(ej_beat[127:64]), .check(ej_beat[143:136]), .corrected(data[127:64]),
        .corrected_check(check[15:8]), .single(singles[1]), .uncorrectable(doubles[1]));

    reg                 valid_reg, first_reg, last_reg, void_reg, wrong_reg;
    reg  [127:0]        beat_reg;
    reg  [15:0]         check_reg;
    reg                 open_reg;        // between first and last
    wire                begins = ej_valid && ej_beat[`TOFU_BEAT_FIRST];
    wire                kind_class  = data[`TOFU_HEADER_RESPONSE];

    // ---- the packet -------------------------------------------------------------------------------------------------
    reg                 class_reg;       // of the packet that comes
    reg  [6:0]          beats_reg;
    reg  [7:0]          count_reg;       // beats before this one
    reg                 spoilt_reg;      // one of them was wrong
    wire                at_class = first_reg ? beat_reg[`TOFU_HEADER_RESPONSE] : class_reg;
    wire [7:0]          at       = first_reg ? 8'd0 : count_reg;
    wire [31:0]         crc;
    wire                ends     = valid_reg && last_reg;
    wire                good     = ends && !first_reg && !void_reg && !wrong_reg && !spoilt_reg && !blocked &&
                                   !stopped && count_reg == {1'b0, beats_reg} + 8'd2 && beat_reg[63:32] == crc;
    wire                drops    = ends && !good;
    tofu_packet_crc u_crc (
        .clk(clk), .en(valid_reg && !last_reg), .first(first_reg), .second(count_reg == 8'd1), .data(beat_reg),
        .crc(crc));

    // ---- slots of a class: written >= taken >= freed; reserved from a first beat on ---------------------------------
    wire [2*SLOT_BITS-1:0] next_written, next_taken;
    wire [1:0]          astray, empty;
    genvar c;
    generate
        for (c = 0; c < 2; c = c + 1) begin : g_class
            localparam [0:0]    CLASS = c;
            reg  [SLOT_BITS:0]  written_reg, taken_reg, freed_reg, reserved_reg;
            wire [SLOT_BITS:0]  ahead  = written_reg - taken_reg;
            wire [SLOT_BITS:0]  behind = taken_reg - freed_reg;
            wire                enters = begins && kind_class == CLASS;
            wire                leaves = drops && at_class == CLASS;
            assign shown[c]   = ahead != {SLOT_BITS+1{1'b0}} && !blocked;
            assign ej_room[c] = reserved_reg != FULL || blocked || stopped;
            assign astray[c]  = ahead > FULL || behind > FULL || (reserved_reg > FULL && !stopped);
            assign empty[c]   = reserved_reg == {SLOT_BITS+1{1'b0}};
            assign next_written[SLOT_BITS*c +: SLOT_BITS] = written_reg[SLOT_BITS-1:0];
            assign next_taken[SLOT_BITS*c +: SLOT_BITS]   = taken_reg[SLOT_BITS-1:0];
            always @(posedge clk) begin
                if (good && at_class == CLASS)
                    written_reg <= written_reg + ONE;
                if (take[c])
                    taken_reg <= taken_reg + ONE;
                if (free[c])
                    freed_reg <= freed_reg + ONE;
                reserved_reg <= reserved_reg + {{SLOT_BITS{1'b0}}, enters} - {{SLOT_BITS{1'b0}}, leaves} -
                                   {{SLOT_BITS{1'b0}}, free[c]};
                if (rst) begin
                    written_reg  <= {SLOT_BITS+1{1'b0}};
                    taken_reg    <= {SLOT_BITS+1{1'b0}};
                    freed_reg    <= {SLOT_BITS+1{1'b0}};
                    reserved_reg <= {SLOT_BITS+1{1'b0}};
                end
            end
        end
    endgenerate

    // ---- memories: packets whole, and headers once more, to be looked at while payload is read ----------------------
    wire [SLOT_BITS-1:0] into   = at_class ? next_written[2*SLOT_BITS-1:SLOT_BITS] : next_written[SLOT_BITS-1:0];
    wire                 stores = valid_reg && !last_reg && !at[7] && !blocked;
    wire [143:0]         stored = {check_reg, beat_reg} ^ flip_mask;
    wire [287:0]         coded;
    wire [3:0]           head_singles, head_doubles;
    wire [47:0]          unused_check;
    wire [143:0]         read_coded;
    wire [1:0]           read_singles, read_doubles;
    assign flipped = stores && flip_mask != 144'd0;
    assign slot    = look ? next_taken[2*SLOT_BITS-1:SLOT_BITS] : next_taken[SLOT_BITS-1:0];

    ram_dual_clock #(.WIDTH(144), .ADDRESS_BITS(SLOT_BITS + 8)) u_packets (
        .wr_clk(clk), .wr_en(stores), .wr_address({at_class, into, at[6:0]}), .wr_data(stored), .rd_clk(clk),
        .rd_en(read_en), .rd_clear(1'b0), .rd_address({read_class, read_slot, read_beat}), .rd_data(read_coded));
    secded_decode_enabled u_read_low (
        .enable(read_look), .data(read_coded[63:0]), .check(read_coded[135:128]), .corrected(read_data[63:0]),
        .corrected_check(unused_check[39:32]), .single(read_singles[0]), .uncorrectable(read_doubles[0]));
    secded_decode_enabled u_read_high (
        .enable(read_look), .data(read_coded[127:64]), .check(read_coded[143:136]), .corrected(read_data[127:64]),
        .corrected_check(unused_check[47:40]), .single(read_singles[1]), .uncorrectable(read_doubles[1]));
    assign read_wrong = read_doubles != 2'd0;

    genvar n;
    generate
        for (n = 0; n < 2; n = n + 1) begin : g_head
            localparam [7:0] AT = n;
            ram_small #(.WIDTH(144), .ADDRESS_BITS(SLOT_BITS + 1)) u_heads (
                .clk(clk), .wr_en(stores && at == AT), .wr_address({at_class, into}), .wr_data(stored),
                .rd_address({look, slot}), .rd_data(coded[144*n +: 144]));
            secded_decode_enabled u_low (
                .enable(shown[look]), .data(coded[144*n +: 64]), .check(coded[144*n+128 +: 8]),
                .corrected(head[128*n +: 64]), .corrected_check(unused_check[16*n +: 8]), .single(head_singles[2*n]),
                .uncorrectable(head_doubles[2*n]));
            secded_decode_enabled u_high (
                .enable(shown[look]), .data(coded[144*n+64 +: 64]), .check(coded[144*n+136 +: 8]),
                .corrected(head[128*n+64 +: 64]), .corrected_check(unused_check[16*n+8 +: 8]),
                .single(head_singles[2*n+1]), .uncorrectable(head_doubles[2*n+1]));
        end
    endgenerate

    assign obs_idle = !ej_valid && !valid_reg && !open_reg && shown == 2'd0 && !received && !wrong && !corrected &&
                      !fault && empty == 2'd3;

    always @(posedge clk) begin
        valid_reg <= ej_valid;
        if (ej_valid) begin
            beat_reg  <= data;
            check_reg <= check;
            first_reg <= ej_beat[`TOFU_BEAT_FIRST];
            last_reg  <= ej_beat[`TOFU_BEAT_LAST];
            void_reg  <= ej_beat[`TOFU_BEAT_LAST] && ej_beat[`TOFU_BEAT_BAD];
            wrong_reg <= doubles != 2'd0 || !(^ej_beat[147:144]);
            open_reg  <= !ej_beat[`TOFU_BEAT_LAST];
        end
        if (valid_reg) begin
            count_reg  <= at[7] ? at : at + 8'd1;
            spoilt_reg <= wrong_reg || (spoilt_reg && !first_reg);
            class_reg  <= at_class;
            if (first_reg)
                beats_reg <= beat_reg[`TOFU_HEADER_BEATS];
        end
        received  <= good;
        wrong     <= drops && !void_reg && !blocked && !stopped;
        corrected <= singles != 2'd0 || (head_singles != 4'd0 && take != 2'd0) || read_singles != 2'd0;
        // the router sends whole packets, each only when there is room
        fault     <= (ej_valid && begins == open_reg) || (begins && !ej_room[kind_class]) || astray != 2'd0 ||
                     head_doubles != 4'd0 || read_wrong;
        if (rst) begin
            valid_reg <= 1'b0;
            open_reg  <= 1'b0;
            count_reg <= 8'd0;
            received  <= 1'b0;
            wrong     <= 1'b0;
            corrected <= 1'b0;
            fault     <= 1'b0;
        end
    end

    wire unused = &{1'b0, unused_check};
endmodule
`default_nettype wire
