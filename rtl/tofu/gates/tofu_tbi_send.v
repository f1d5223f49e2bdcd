// SPDX-License-Identifier: Apache-2.0
// Outputs of gates that fired: one of each gate may wait, in a memory with SECDED, however long the router lets it;
// arrivals go on meanwhile. They leave in turn: the signal back to the gates, the packet to the router, header beats,
// payload of three beats (of three states eight) if there are data, CRC. [Tofu2012] section 5.2 ("transmission").
//
//   cycle    0       1          2        3
//            fire    choose     read     first beat out
`default_nettype none
`include "tofu_wire.vh"
module tofu_tbi_send #(
    parameter STATES          = 1,       // of 320 bits, in a packet's payload
    parameter GATE_INTERFACES = 1,       // of a node
    parameter GATES           = 64,
    parameter FLOATING        = 1,       // 0: no sums of doubles, only words of 64 bits
    parameter BITS            = FLOATING != 0 ? 320*STATES : 64   // of an operation's data
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,
    input  wire [2:0]   number,          // of this barrier interface
    input  wire         blocked,         // a fault was found: nothing leaves
    input  wire         clearing,
    input  wire [5:0]   clear_address,

    input  wire         fire,
    input  wire [5:0]   fire_gate,
    input  wire [127:0] fire_head,       // see tofu_tbi_gates
    input  wire [BITS-1:0] fire_data,
    output reg  [GATES-1:0] pending,     // gates whose outputs wait
    output reg  [GATES-1:0] left,            // pulse: they do not any more

    output reg          signal_valid,
    output reg  [74:0]  signal,
    output reg  [BITS-1:0] signal_data,
    input  wire         signal_taken,

    output wire         out_valid,
    output wire [147:0] out_beat,
    input  wire         out_ready,
    output reg          sent,            // pulse: a packet left

    input  wire [1:0]   flip,            // of what is read next
    output wire         flipped,
    output reg          corrected,
    output reg          fault,
    output wire         obs_idle
);
    localparam D       = BITS;
    localparam GB      = $clog2(GATES);
    localparam [GATES-1:0] GATE_0 = 1, NONE = 0;
    localparam PAYLOAD = (5*STATES + 1)/2;   // beats
    localparam LAST    = PAYLOAD + 2;        // place of the trailer
    localparam [LAST:0] AT_0 = 1;

    reg          chosen_reg;
    reg  [5:0]   chosen_gate_reg;
    wire         found;
    wire [GB-1:0] choice;
    wire [GATES-1:0] chosen_bit = GATE_0 << chosen_gate_reg;
    wire [6:0]   wide_choice = {{7-GB{1'b0}}, choice};
    select_next #(.N(GATES), .WIDTH(GB)) u_turn (
        .request(pending), .last(chosen_gate_reg[GB-1:0]), .found(found), .choice(choice));

    wire [D+127:0] read;
    wire         single, hopeless;
    tofu_tbi_memory #(.WORDS(2 + BITS/64), .ADDRESS_BITS(GB)) u_memory (
        .clk(clk), .wr_en(fire || clearing), .wr_address(clearing ? clear_address[GB-1:0] : fire_gate[GB-1:0]),
        .wr_data(clearing ? {D+128{1'b0}} : {fire_data, fire_head}), .rd_address(chosen_gate_reg[GB-1:0]),
        .rd_data(read),
        .flip(chosen_reg ? flip : 2'd0), .single(single), .uncorrectable(hopeless));

    wire [31:0]  destination = read[127:96];
    wire [2:0]   to_interface = GATE_INTERFACES > 1 ? {destination[31:30], destination[23]} : 3'd0;
    wire [1:0]   outputs     = read[80:79];
    wire [5:0]   local_gate  = read[78:73];
    wire [7:0]   group       = read[72:65];
    wire [4:0]   status      = read[64:60];
    wire [3:0]   operation   = read[59:56];
    wire [23:0]  turn    = read[55:32];

    // ---- the packet: one beat of `at_reg` at a time ------------------------------------------------
    reg  [LAST:0] at_reg;                // one-hot: header, header, payload, trailer; 0: no packet
    reg  [127:0] header_reg;
    reg  [4:0]   packet_status_reg;
    reg  [D-1:0] payload_reg;
    wire [128*PAYLOAD-1:0] payload = {{128*PAYLOAD-D{1'b0}}, payload_reg};
    wire         has_payload = header_reg[`TOFU_GATE_OPERATION] != `TOFU_OP_BARRIER;
    wire         moves       = out_valid && out_ready;
    wire         packet_free = at_reg == {LAST+1{1'b0}} || (moves && at_reg[LAST]);
    wire         at_wrong    = (at_reg & (at_reg - AT_0)) != {LAST+1{1'b0}};
    wire [31:0]  crc;
    reg  [127:0] beat;
    wire [15:0]  check;

    always @* begin : beats
        integer i;
        i    = 0;
        beat = {64'd0, crc, 32'd0};
        for (i = PAYLOAD - 1; i >= 0; i = i - 1)
            if (at_reg[2 + i])
                beat = payload[128*i +: 128];
        if (at_reg[1])
            beat = {117'd0, number, 3'd0, packet_status_reg};
        if (at_reg[0])
            beat = header_reg;
    end
    secded_encode u_low (.data(beat[63:0]), .check(check[7:0]));
    secded_encode u_high (.data(beat[127:64]), .check(check[15:8]));
    tofu_packet_crc u_crc (
        .clk(clk), .en(moves && !at_reg[LAST]), .first(at_reg[0]), .second(at_reg[1]), .data(beat), .crc(crc));

    assign out_valid = at_reg != {LAST+1{1'b0}} && !blocked && !at_wrong;
    assign out_beat  = {!(at_reg[0] ^ at_reg[LAST]), 1'b0, at_reg[LAST], at_reg[0], check, beat};

    // ---- choose, read, hand over -------------------------------------------------------------------
    wire         readable = chosen_reg && !hopeless;
    wire         hands    = readable && !blocked && (!outputs[0] || !signal_valid || signal_taken) &&
                            (!outputs[1] || packet_free);
    assign flipped  = chosen_reg && flip != 2'd0 && (hands || hopeless);
    assign obs_idle = pending == NONE && left == NONE && !signal_valid && at_reg == {LAST+1{1'b0}} && !sent &&
                      !corrected &&
                      !fire;

    always @(posedge clk) begin
        if (!chosen_reg || hands) begin
            chosen_reg <= 1'b0;
            // the gate that leaves now is no more pending
            if (!chosen_reg && found) begin
                chosen_reg      <= 1'b1;
                chosen_gate_reg <= wide_choice[5:0];
            end
        end
        pending <= (pending & ~(hands ? chosen_bit : NONE)) | (fire ? GATE_0 << fire_gate : NONE);
        left    <= hands ? chosen_bit : NONE;

        signal_valid <= (hands && outputs[0]) || (signal_valid && !signal_taken);
        if (hands && outputs[0]) begin
            signal      <= {number, status, operation, turn, group, coordinates, chosen_gate_reg, local_gate};
            signal_data <= read[D+127:128];
        end

        sent <= moves && at_reg[LAST];
        if (moves)
            at_reg <= at_reg[1] && !has_payload ? AT_0 << LAST : {at_reg[LAST-1:0], 1'b0};
        if (hands && outputs[1]) begin
            at_reg            <= AT_0;
            header_reg        <= 128'd0;
            header_reg[`TOFU_HEADER_KIND]      <= `TOFU_KIND_GATE;
            header_reg[`TOFU_HEADER_BEATS]     <= operation == `TOFU_OP_BARRIER ? 7'd0 : PAYLOAD[6:0];
            header_reg[`TOFU_HEADER_TO]        <= destination[18:0];
            header_reg[`TOFU_HEADER_PATH]      <= destination[22:19];
            header_reg[`TOFU_HEADER_FROM]      <= coordinates;
            header_reg[`TOFU_HEADER_INTERFACE] <= to_interface == 3'd0 ? `TOFU_INTERFACE_BARRIER
                                                                      : {1'b1, to_interface};
            header_reg[`TOFU_GATE_TO]          <= destination[29:24];
            header_reg[`TOFU_GATE_FROM]        <= chosen_gate_reg;
            header_reg[`TOFU_GATE_GROUP]       <= group;
            header_reg[`TOFU_GATE_SEQUENCE]    <= turn;
            header_reg[`TOFU_GATE_OPERATION]   <= operation;
            packet_status_reg <= status;
            payload_reg       <= read[D+127:128];
        end

        corrected <= hands && single;
        fault     <= (chosen_reg && hopeless) || at_wrong;

        if (rst) begin
            chosen_reg      <= 1'b0;
            chosen_gate_reg <= 6'd0;
            pending         <= NONE;
            left            <= NONE;
            signal_valid    <= 1'b0;
            at_reg          <= {LAST+1{1'b0}};
            sent            <= 1'b0;
            corrected       <= 1'b0;
            fault           <= 1'b0;
        end
    end

    wire unused = &{1'b0, clear_address, wide_choice[6], read[95:81], read[31:0], destination[31:30], destination[23]};
endmodule
`default_nettype wire
