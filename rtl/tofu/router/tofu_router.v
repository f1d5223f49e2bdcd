// SPDX-License-Identifier: Apache-2.0
// The router of a Tofu node ([Tofu2012] sections 3 and 4): ten links and the node's interfaces, all to all, a
// multiplexer an output.
//
// Ports 0 to 9 links (X+ X- Y+ Y- Z+ Z- A B+ B- C), then the barrier interfaces, then the network interfaces: 10, and
// 11 to 14; TofuD's 10 to 15, and 16 to 21. An interface's packets come in by inj_* and leave by ej_*. Packets are
// beats of 148 bits (rtl/tofu/README.md, "Inside a chip"). Virtual cut-through: a packet begins when its header is
// there, its output is free, and the next buffer has room for a longest packet; so it never stops for lack of room once
// begun, and long packets do not starve among short ones. Responses and gate packets have channels of their own, up to
// the interfaces: what stalls requests does not stall them. Latency, unloaded: rx_beat or inj_beat to tx_beat or
// ej_beat three cycles; with STAGES eight to a link, seven to an interface, and an output begins its next packet when
// the last one has left.
//
// Of a smaller node's ten links only those of LINKS are there. Inside, ports are counted without the others; outside
// they keep their numbers, and a packet whose way leads over one that is not there is refused as one to nowhere is.
//
// Schedule: packets in transit before those that enter the network, but for every 16th packet of an output; `in_turn`:
// all alike. In either no packet waits while more than 799 (of 22 ports: 1,023) others are chosen at its output and
// the next buffer has room (tofu_reserve).
`default_nettype none
`include "tofu_wire.vh"
module tofu_router #(
    parameter INTERFACES      = 4,           // network interfaces, at most 6
    parameter GATE_INTERFACES = 1,           // barrier interfaces, at most 6
    parameter LINKS     = 1023,     // those that are there
    parameter STAGES    = 0,        // 0 or 1
    parameter FACES = GATE_INTERFACES + INTERFACES,
    parameter PORTS = 10 + FACES
) (
    input  wire          clk,
    input  wire          rst,
    input  wire [18:0]   place,          // registers COORDINATES
    input  wire [31:0]   shape,          // and SHAPE
    input  wire          in_turn,
    input  wire [59:0]   groups,         // registers PORT_GROUP, 6 bits a link

    // links, by port
    input  wire [9:0]    rx_valid,
    input  wire [1479:0] rx_beat,        // 10 x 148
    output wire [359:0]  rx_free,        // 10 x 4 x 9: beats free in the buffer of each channel
    output wire [279:0]  rx_credit,      // 10 x 4 x 7: units freed, cumulative
    input  wire [9:0]    rx_reset,       // new session
    output wire [9:0]    tx_valid,
    output wire [1479:0] tx_beat,
    input  wire [9:0]    tx_ready,
    input  wire [279:0]  tx_room,        // 10 x 4 x 7: units free in the peer's buffers

    // interfaces, i for port 10 + i; streams 2 i for requests and 2 i + 1 for responses
    input  wire [2*FACES-1:0]   inj_valid,
    input  wire [296*FACES-1:0] inj_beat,    // 148 a stream
    output wire [2*FACES-1:0]   inj_ready,
    output wire [FACES-1:0]     ej_valid,    // taken at once
    output wire [148*FACES-1:0] ej_beat,
    input  wire [2*FACES-1:0]   ej_room, // a further packet of the class may begin; falls in the cycle after one began,
                                         // or never

    // registers
    input  wire [7:0]    inject_kind,    // tofu_input's; with inject_output an output's state
    input  wire [PORTS-1:0] inject_port, // pulse, one-hot
    input  wire          inject_output,
    output wire [PORTS-1:0] event_sent,  // pulses, by output
    output wire [PORTS-1:0] event_nullified,
    output wire [PORTS-1:0] event_dropped,   // pulses, by input
    output wire [PORTS-1:0] event_refused,
    output wire [9:0]    event_strayed,
    output reg  [7:0]    cause,          // pulses, order of the register ROUTER_ERROR
    output reg           fault,          // until reset: all outputs are blocked
    output wire          obs_idle
`ifdef HT_RESTING_PARTS
    // of the simulator: this input has no edge; with nothing to take it stays as it is
    ,
    input  wire [PORTS-1:0] rest,
    output wire [PORTS-1:0] obs_rest
`endif
);
`include "tofu_links.vh"
    // Inside: links that are there, then interfaces.
    localparam CABLES = links_below(10);
    localparam INNER = CABLES + FACES;
    localparam PB    = $clog2(INNER);
    localparam HEADS = 4*CABLES + 2*FACES;   // of link p 4 p + channel, then of interface i 2 i + response
    localparam WB    = PB + 3;
    // Ports that may not be there; then nobody chooses them.
    localparam P3 = INNER > 3 ? 3 : 0, P4 = INNER > 4 ? 4 : 0, P5 = INNER > 5 ? 5 : 0;
    localparam P6 = INNER > 6 ? 6 : 0, P7 = INNER > 7 ? 7 : 0, P8 = INNER > 8 ? 8 : 0;
    localparam P9 = INNER > 9 ? 9 : 0, P10 = INNER > 10 ? 10 : 0, P11 = INNER > 11 ? 11 : 0;
    localparam P12 = INNER > 12 ? 12 : 0, P13 = INNER > 13 ? 13 : 0, P14 = INNER > 14 ? 14 : 0;
    localparam P15 = INNER > 15 ? 15 : 0, P16 = INNER > 16 ? 16 : 0, P17 = INNER > 17 ? 17 : 0;
    localparam P18 = INNER > 18 ? 18 : 0, P19 = INNER > 19 ? 19 : 0, P20 = INNER > 20 ? 20 : 0;
    localparam P21 = INNER > 21 ? 21 : 0;

    wire [FACES-1:0]     enter_valid;        // what the interfaces bring
    wire [148*FACES-1:0] enter_beat;
    wire [INNER-1:0]     m_valid;
    wire [148*INNER-1:0] m_beat /* verilator split_var */;
    wire [PB*INNER-1:0]  m_port;
    wire [INNER*INNER-1:0] want;             // {input, output}
    wire [PB*INNER-1:0]  want_port;
    wire [INNER-1:0]     free, uncounted, ready, granted, held;
    wire [PB*INNER-1:0]  winner, source;
    wire [(4<<PB)-1:0]   go;                 // {output, response, routing channel}
    wire [4*INNER-1:0]   room;               // the same, without regard to what the output does
    wire [WB*HEADS-1:0]  waits;
    wire [(1<<PB)-1:0]   reserved;           // output is kept for one head
    wire [6*INNER-1:0]   reserved_head;      // for this one
    reg  [63:0]          owed;               // head: its output is kept for it
    wire [INNER-1:0]     corrected_in, corrected_out, refused_to, refused_interface, refused_length, uncorrectable;
    wire [INNER-1:0]     fault_header_in, fault_parity_in, fault_state_in;
    wire [INNER-1:0]     fault_header_out, fault_parity_out, fault_state_out;
    wire [INNER-1:0]     idle_in, idle_out;
    wire [INNER-1:0]     out_valid;
    wire [148*INNER-1:0] out_beat;
    wire [INNER-1:0]     out_ready, inject, drained;
    wire [INNER-1:0]     sent, nullified, dropped;
    wire [CABLES-1:0]    strayed;
    // with STAGES a cycle later
    wire [(4<<PB)-1:0]   go_seen;
    wire [(1<<PB)-1:0]   reserved_seen;
    wire [63:0]          owed_seen;
    wire [INNER-1:0]     sent_seen, nullified_seen, dropped_seen, refused_seen;
    wire [CABLES-1:0]    strayed_seen;
    wire [1:0]           settled;
    genvar               n, p;

    assign ej_valid  = out_valid[INNER-1:CABLES];
    assign obs_idle  = &idle_in && &idle_out && rx_valid == 10'd0 && inj_valid == {2*FACES{1'b0}} &&
                       rx_reset == 10'd0 && inject_port == {PORTS{1'b0}} && cause == 8'd0 && &settled;

    wire          unused = &{1'b0, uncounted, owed_seen, tx_ready, rx_beat, tx_room, groups};

    initial begin
        if (LINKS < 1 || LINKS > 1023) begin
            $display("%m: LINKS has a bit for each of the ten links, and at least one is there");
            $finish;
        end
        if (INTERFACES < 1 || INTERFACES > 6 || GATE_INTERFACES < 1 || GATE_INTERFACES > 6) begin
            $display("%m: a router has one to six network interfaces and one to six barrier interfaces");
            $finish;
        end
    end

    reg  [INNER-1:0] anybody;                // wants an output
    always @* begin : asks
        integer i;
        i       = 0;
        anybody = {INNER{1'b0}};
        for (i = 0; i < INNER; i = i + 1)
            anybody = anybody | want[INNER*i +: INNER];
    end
    // With STAGES an input looked at `free` a cycle ago.
    wire [INNER-1:0] chooses = STAGES == 0 ? anybody : anybody & free;

    stage_register #(.WIDTH((4<<PB) + (1<<PB) + 64), .STAGES(STAGES)) u_seen (
        .clk(clk), .rst(rst), .in({go, reserved, owed}), .out({go_seen, reserved_seen, owed_seen}), .settled(settled[0])
    );
    stage_register #(.WIDTH(4*INNER + CABLES), .STAGES(STAGES)) u_events (
        .clk(clk), .rst(rst), .in({sent, nullified, dropped, refused_to | refused_interface | refused_length, strayed}),
        .out({sent_seen, nullified_seen, dropped_seen, refused_seen, strayed_seen}), .settled(settled[1])
    );

    generate
        for (p = 0; p < CABLES; p = p + 1) begin : gen_link
            localparam PORT = link_of(p);
            wire [27:0] units;
            assign rx_free[36*PORT +: 36] = {units[27] ? 9'd511 : {units[26:21], 3'd0},
                                             units[20] ? 9'd511 : {units[19:14], 3'd0},
                                             units[13] ? 9'd511 : {units[12:7], 3'd0},
                                             units[6] ? 9'd511 : {units[5:0], 3'd0}};
`ifdef HT_RESTING_PARTS
            wire input_clk = clk && !rest[PORT];
            assign obs_rest[PORT] = idle_in[p] && !rx_valid[PORT] && !rx_reset[PORT] && !inject[p];
`else
            wire input_clk = clk;
`endif
            tofu_input #(.VC_BITS(2), .UNIT_BITS(6), .INTERFACES(INTERFACES), .GATE_INTERFACES(GATE_INTERFACES),
                         .LINKS(LINKS), .STAGES(STAGES), .PORTS(INNER)) u_input (
                .clk(input_clk), .rst(rst), .place(place), .shape(shape), .group(groups[6*PORT +: 6]),
                .rx_valid(rx_valid[PORT]), .rx_beat(rx_beat[148*PORT +: 148]), .rx_free(units),
                .rx_credit(rx_credit[28*PORT +: 28]), .rx_reset(rx_reset[PORT]),
                .go(go_seen), .reserved(reserved_seen), .owed(owed_seen[4*p +: 4]),
                .waits(waits[4*WB*p +: 4*WB]), .ready(ready),
                .want(want[INNER*p +: INNER]), .want_port(want_port[PB*p +: PB]), .granted(granted[p]),
                .m_valid(m_valid[p]), .m_beat(m_beat[148*p +: 148]), .m_port(m_port[PB*p +: PB]),
                .inject(inject[p] && !inject_output ? inject_kind : 8'd0), .corrected(corrected_in[p]),
                .refused_to(refused_to[p]), .refused_interface(refused_interface[p]),
                .refused_length(refused_length[p]), .strayed(strayed[p]), .dropped(dropped[p]),
                .fault_header(fault_header_in[p]), .fault_parity(fault_parity_in[p]), .fault_state(fault_state_in[p]),
                .idle(idle_in[p])
            );
            // rooms smaller than a packet of 16 units are no rooms
            wire [6:0] least = uncounted[p] ? 7'd17 : 7'd16;
            assign go[4*p +: 4] = {tx_room[28*PORT + 21 +: 7] >= least, tx_room[28*PORT + 14 +: 7] >= least,
                                   tx_room[28*PORT + 7 +: 7] >= least, tx_room[28*PORT +: 7] >= least} & {4{free[p]}};
            assign room[4*p +: 4] = {tx_room[28*PORT + 21 +: 7] >= 7'd16, tx_room[28*PORT + 14 +: 7] >= 7'd16,
                                     tx_room[28*PORT + 7 +: 7] >= 7'd16, tx_room[28*PORT +: 7] >= 7'd16};
            if (STAGES == 0) begin : gen_out
                assign tx_valid[PORT] = out_valid[p];
                assign tx_beat[148*PORT +: 148] = out_beat[148*p +: 148];
                assign out_ready[p] = tx_ready[PORT];
                assign drained[p]   = 1'b1;
            end else begin : gen_out_after
                wire         leaves;
                wire [147:0] unused_spare;
                register_slice #(.WIDTH(148)) u_slice (
                    .clk(clk), .rst(rst), .in_valid(out_valid[p]), .in_ready(out_ready[p]),
                    .in_data(out_beat[148*p +: 148]), .out_valid(leaves), .out_ready(tx_ready[PORT]),
                    .out_data(tx_beat[148*PORT +: 148]), .spare(unused_spare)
                );
                assign tx_valid[PORT] = leaves && !fault;
                assign drained[p]     = !leaves;
                wire unused_slice     = &{1'b0, unused_spare};
            end
            assign inject[p]    = inject_port[PORT];
            assign event_sent[PORT]      = sent_seen[p];
            assign event_nullified[PORT] = nullified_seen[p];
            assign event_dropped[PORT]   = dropped_seen[p];
            assign event_refused[PORT]   = refused_seen[p];
            assign event_strayed[PORT]   = strayed_seen[p];
        end
        // An interface's buffers hold two longest packets of either class, and take a packet when one is free.
        for (p = 0; p < FACES; p = p + 1) begin : gen_interface
            localparam HERE = CABLES + p;
            wire [11:0] units;
            wire [13:0] unused_credit;
            wire        unused_strayed, unused_settled;
            wire [1:0]  space, space_seen;
            wire        unused_units = &{1'b0, units, unused_strayed, unused_settled};
            assign      space = {|units[11:10], |units[5:4]};
`ifdef HT_RESTING_PARTS
            wire        input_clk = clk && !rest[10 + p];
            assign obs_rest[10 + p] = idle_in[HERE] && !enter_valid[p] && !inject[HERE];
`else
            wire        input_clk = clk;
`endif
            stage_register #(.WIDTH(2), .STAGES(STAGES)) u_space (
                .clk(clk), .rst(rst), .in(space), .out(space_seen), .settled(unused_settled)
            );
            tofu_inject u_inject (
                .clk(clk), .rst(rst), .halt(fault), .room(space_seen),
                .inj_valid(inj_valid[2*p +: 2]), .inj_beat(inj_beat[296*p +: 296]), .inj_ready(inj_ready[2*p +: 2]),
                .valid(enter_valid[p]), .beat(enter_beat[148*p +: 148])
            );
            tofu_input #(.VC_BITS(1), .UNIT_BITS(5), .INTERFACES(INTERFACES), .GATE_INTERFACES(GATE_INTERFACES),
                         .LINKS(LINKS), .STAGES(STAGES), .PORTS(INNER)) u_input (
                .clk(input_clk), .rst(rst), .place(place), .shape(shape), .group(6'd0),
                .rx_valid(enter_valid[p]), .rx_beat(enter_beat[148*p +: 148]), .rx_free(units),
                .rx_credit(unused_credit), .rx_reset(1'b0),
                .go(go_seen), .reserved(reserved_seen), .owed(owed_seen[4*CABLES + 2*p +: 2]),
                .waits(waits[WB*(4*CABLES + 2*p) +: 2*WB]), .ready(ready),
                .want(want[INNER*HERE +: INNER]), .want_port(want_port[PB*HERE +: PB]),
                .granted(granted[HERE]), .m_valid(m_valid[HERE]), .m_beat(m_beat[148*HERE +: 148]),
                .m_port(m_port[PB*HERE +: PB]),
                .inject(inject[HERE] && !inject_output ? inject_kind : 8'd0), .corrected(corrected_in[HERE]),
                .refused_to(refused_to[HERE]), .refused_interface(refused_interface[HERE]),
                .refused_length(refused_length[HERE]), .strayed(unused_strayed), .dropped(dropped[HERE]),
                .fault_header(fault_header_in[HERE]), .fault_parity(fault_parity_in[HERE]),
                .fault_state(fault_state_in[HERE]), .idle(idle_in[HERE])
            );
            assign room[4*HERE +: 4] = {{2{ej_room[2*p + 1]}}, {2{ej_room[2*p]}}};
            assign go[4*HERE +: 4] = room[4*HERE +: 4] & {4{free[HERE]}};
            assign ej_beat[148*p +: 148] = out_beat[148*HERE +: 148];
            assign out_ready[HERE]         = 1'b1;
            assign drained[HERE]           = 1'b1;
            assign inject[HERE]            = inject_port[10 + p];
            assign event_sent[10 + p]      = sent_seen[HERE];
            assign event_nullified[10 + p] = nullified_seen[HERE];
            assign event_dropped[10 + p]   = dropped_seen[HERE];
            assign event_refused[10 + p]   = refused_seen[HERE];
        end
        for (p = INNER; p < (1 << PB); p = p + 1) begin : gen_none
            assign go[4*p +: 4] = 4'd0;
            assign reserved[p]  = 1'b0;
        end
        for (n = 0; n < 10; n = n + 1) begin : gen_absent
            if (!LINKS[n]) begin : gen_nothing
                assign rx_free[36*n +: 36]    = 36'd0;
                assign rx_credit[28*n +: 28]  = 28'd0;
                assign tx_valid[n]            = 1'b0;
                assign tx_beat[148*n +: 148]  = 148'd0;
                assign event_sent[n]          = 1'b0;
                assign event_nullified[n]     = 1'b0;
                assign event_dropped[n]       = 1'b0;
                assign event_refused[n]       = 1'b0;
                assign event_strayed[n]       = 1'b0;
`ifdef HT_RESTING_PARTS
                assign obs_rest[n]            = 1'b0;
`endif
            end
        end
    endgenerate

    // An output that others keep from a head is reserved for it.
    reg  some_wait;
    always @* begin : somebody
        integer i;
        i         = 0;
        some_wait = 1'b0;
        for (i = 0; i < HEADS; i = i + 1)
            some_wait = some_wait || waits[WB*i + WB - 1];
    end
    always @* begin : owes
        integer i;
        i    = 0;
        owed = 64'd0;
        if (reserved != {(1<<PB){1'b0}})
            for (i = 0; i < INNER; i = i + 1)
                if (reserved[i])
                    owed[reserved_head[6*i +: 6]] = 1'b1;
    end

    // A multiplexer an output; who asks for it is looked at only if somebody does.
    wire [INNER-1:0] first = {{FACES{in_turn}}, {CABLES{1'b1}}};
    generate
        for (p = 0; p < INNER; p = p + 1) begin : gen_output
            localparam [PB-1:0] HERE = p;
            reg  [INNER-1:0] asking;
            reg  [147:0]     beat;
            wire [PB-1:0]    from = source[PB*p +: PB];
            integer          i;
            always @* begin
                i      = 0;
                asking = {INNER{1'b0}};
                if (chooses[p])
                    for (i = 0; i < INNER; i = i + 1)
                        asking[i] = want[INNER*i + p];
            end
            always @* begin
                beat = 148'd0;
                if (held[p])   // else nobody looks
                case ({{5-PB{1'b0}}, from})
                    5'd0:    beat = m_beat[148*0 +: 148];
                    5'd1:    beat = m_beat[148*1 +: 148];
                    5'd2:    beat = m_beat[148*2 +: 148];
                    5'd3:    beat = m_beat[148*P3 +: 148];
                    5'd4:    beat = m_beat[148*P4 +: 148];
                    5'd5:    beat = m_beat[148*P5 +: 148];
                    5'd6:    beat = m_beat[148*P6 +: 148];
                    5'd7:    beat = m_beat[148*P7 +: 148];
                    5'd8:    beat = m_beat[148*P8 +: 148];
                    5'd9:    beat = m_beat[148*P9 +: 148];
                    5'd10:   beat = m_beat[148*P10 +: 148];
                    5'd11:   beat = m_beat[148*P11 +: 148];
                    5'd12:   beat = m_beat[148*P12 +: 148];
                    5'd13:   beat = m_beat[148*P13 +: 148];
                    5'd14:   beat = m_beat[148*P14 +: 148];
                    5'd15:   beat = m_beat[148*P15 +: 148];
                    5'd16:   beat = m_beat[148*P16 +: 148];
                    5'd17:   beat = m_beat[148*P17 +: 148];
                    5'd18:   beat = m_beat[148*P18 +: 148];
                    5'd19:   beat = m_beat[148*P19 +: 148];
                    5'd20:   beat = m_beat[148*P20 +: 148];
                    default: beat = m_beat[148*P21 +: 148];
                endcase
            end
            assign granted[p] = want[INNER*p +: INNER] != {INNER{1'b0}} &&
                                (STAGES == 0 || free[want_port[PB*p +: PB]]) &&
                                winner[PB*want_port[PB*p +: PB] +: PB] == HERE;
            tofu_reserve #(.PORT(p), .PORT_BITS(PB), .HEADS(HEADS)) u_reserve (
                .clk(clk), .rst(rst), .some(some_wait), .waits(waits), .room(room[4*p +: 4]), .chosen(chooses[p]),
                .free(free[p]), .reserved(reserved[p]), .head(reserved_head[6*p +: 6])
            );
            tofu_output #(.PORT(p), .PORTS(INNER), .STAGES(STAGES)) u_output (
                .clk(clk), .rst(rst), .halt(fault),
                .want(asking), .first(first), .free(free[p]), .uncounted(uncounted[p]), .winner(winner[PB*p +: PB]),
                .held(held[p]), .source(source[PB*p +: PB]),
                .in_valid(held[p] && m_valid[from]), .in_port(m_port[PB*from +: PB]), .in_beat(beat),
                .in_ready(ready[p]),
                .tx_valid(out_valid[p]), .tx_beat(out_beat[148*p +: 148]), .tx_ready(out_ready[p]),
                .drained(drained[p]),
                .inject(inject[p] && inject_output), .sent(sent[p]), .nullified(nullified[p]),
                .corrected(corrected_out[p]), .uncorrectable(uncorrectable[p]), .fault_header(fault_header_out[p]),
                .fault_parity(fault_parity_out[p]), .fault_state(fault_state_out[p]), .idle(idle_out[p])
            );
        end
    endgenerate

    wire [2:0] fault_cause = {|fault_state_in || |fault_state_out, |fault_parity_in || |fault_parity_out,
                              |fault_header_in || |fault_header_out};
    always @(posedge clk) begin
        cause <= {fault_cause, |refused_length, |refused_interface, |refused_to, |uncorrectable,
                  |corrected_in || |corrected_out};
        fault <= fault || fault_cause != 3'd0;
        if (rst) begin
            cause <= 8'd0;
            fault <= 1'b0;
        end
    end
endmodule
`default_nettype wire
