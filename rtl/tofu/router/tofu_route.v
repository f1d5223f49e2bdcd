// SPDX-License-Identifier: Apache-2.0
// Where a packet goes from here: extended dimension order routing of the Tofu interconnect ([Tofu2012] section 3.3).
// First along B, C, A to where the header's PATH leads, then X, Y, Z, then A, C, B to the destination. A ring is gone
// round the shorter way; of two equal ones the parity of the place decides, so that a ring of four is used evenly.
//
// Routing channel (ours; the paper says only that there are two): first leg 0, last leg 1. Within X, Y, Z: 0 until the
// cable between the last place and place 0 is behind the packet, 1 from there on; a packet that never passes it stays
// on one of both, by the parity of where it goes. verif/model/tofu/dependency.hpp shows that this cannot deadlock.
// Combinational.
`default_nettype none
`include "tofu_wire.vh"
module tofu_route #(
    parameter INTERFACES      = 4,       // of the node: network interfaces 0 to 3, and up to 5
    parameter GATE_INTERFACES = 1,       // barrier interface 0, and up to 5
    parameter LINKS     = 1023, // that are there: a packet whose way leads over another is refused
    parameter PORT_BITS       = 4
) (
    input  wire         enable,          // a header's first beat is there; else nothing is computed
    input  wire [18:0]  place,           // of this node, as TO
    input  wire [31:0]  shape,           // register SHAPE
    input  wire [127:0] header,          // first beat
    output wire [PORT_BITS-1:0] port,    // links that are there, then barrier interfaces, then network interfaces
    output reg          channel,
    output reg          leg,             // the first leg is done
    output reg          bad_to,          // TO or PATH is outside of the torus, or there is no such link
    output reg          bad_interface    // there is no such interface
);
    wire [18:0] to        = header[`TOFU_HEADER_TO];
    wire [14:0] from      = header[`TOFU_HEADER_FROM_XYZ];
    wire [3:0]  path      = header[`TOFU_HEADER_PATH];
    wire [3:0]  iface     = header[`TOFU_HEADER_INTERFACE];

    // Of what is at a node: which of its kind, whether it is there, and its port.
    localparam [3:0] NETWORKS = INTERFACES[3:0], BARRIERS = GATE_INTERFACES[3:0];
    localparam [4:0] FIRST_NETWORK = 5'd10 + GATE_INTERFACES[4:0];
    wire        barrier   = iface == `TOFU_INTERFACE_BARRIER || iface[3];
    wire [2:0]  which     = iface[3] ? iface[2:0] : barrier ? 3'd0 : iface[2:0] - {2'd0, iface[2]};
    wire        exists    = barrier ? {1'b0, which} < BARRIERS && iface != `TOFU_INTERFACE_MORE_BARRIERS
                                    : {1'b0, which} < NETWORKS;
    wire [4:0]  at_node   = {2'd0, which} + (barrier ? 5'd10 : FIRST_NETWORK);
    reg  [4:0]  way;
    localparam [31:0] ABSENT = {22'd0, ~LINKS[9:0]};
    generate
        if (LINKS == 1023) begin : g_all
            assign port = way[PORT_BITS-1:0];
        end else begin : g_some
            // without those that are not there
            reg  [4:0] inner;
            always @* begin : counts
                integer i;
                i      = 0;
                inner  = way;
                for (i = 0; i < 10; i = i + 1)
                    if (ABSENT[i] && i[4:0] < way)
                        inner = inner - 5'd1;
            end
            assign port = inner[PORT_BITS-1:0];
            wire unused_inner = &{1'b0, inner};
        end
    endgenerate

    // One axis of X, Y, Z is looked at: the first in which place and destination differ.
    reg  [4:0]  x_here, x_to, x_from, x_last;
    reg         x_ring;
    reg  [3:0]  x_port;
    reg  [5:0]  ahead;
    reg         plus, wraps, wrapped;
    reg  [1:0]  b_to;                    // where the leg ends
    reg         b_plus;

    always @* begin
        way           = 5'd0;
        channel       = 1'b0;
        leg           = 1'b0;
        bad_to        = 1'b0;
        bad_interface = 1'b0;
        x_here        = 5'd0;
        x_to          = 5'd0;
        x_from        = 5'd0;
        x_last        = 5'd0;
        x_ring        = 1'b0;
        x_port        = 4'd0;
        ahead         = 6'd0;
        plus          = 1'b0;
        wraps         = 1'b0;
        wrapped       = 1'b0;
        b_to          = 2'd0;
        b_plus        = 1'b0;
        if (enable) begin
            bad_to = to[4:0] > shape[4:0] || to[9:5] > shape[9:5] || to[14:10] > shape[14:10] || to[15] > shape[15] ||
                     to[17:16] > shape[17:16] || to[18] > shape[18] ||
                     path[0] > shape[15] || path[2:1] > shape[17:16] || path[3] > shape[18];
            bad_interface = !exists;
            leg    = header[`TOFU_HEADER_LEG] || place[18:15] == path;
            b_to   = leg ? to[17:16] : path[2:1];
            // one hop round a ring of three
            b_plus = shape[17:16] == 2'd2 ? b_to == (place[17:16] == 2'd2 ? 2'd0 : place[17:16] + 2'd1)
                                          : b_to > place[17:16];

            if (place[4:0] != to[4:0]) begin
                {x_here, x_to, x_from, x_last} = {place[4:0], to[4:0], from[4:0], shape[4:0]};
                x_ring = shape[24];
                x_port = 4'd0;
            end else if (place[9:5] != to[9:5]) begin
                {x_here, x_to, x_from, x_last} = {place[9:5], to[9:5], from[9:5], shape[9:5]};
                x_ring = shape[25];
                x_port = 4'd2;
            end else begin
                {x_here, x_to, x_from, x_last} = {place[14:10], to[14:10], from[14:10], shape[14:10]};
                x_ring = shape[26];
                x_port = 4'd4;
            end
            ahead   = {1'b0, x_to} - {1'b0, x_here} + (x_to < x_here ? {1'b0, x_last} + 6'd1 : 6'd0);
            plus    = !x_ring ? x_to > x_here
                              : {1'b0, ahead, 1'b0} < {3'd0, x_last} + 8'd1 ||
                                ({1'b0, ahead, 1'b0} == {3'd0, x_last} + 8'd1 && !x_here[0]);
            wraps   = plus ? x_to < x_here : x_to > x_here;
            wrapped = plus ? x_from > x_here : x_from < x_here;

            if (!leg) begin
                if (place[17:16] != path[2:1])
                    way = b_plus ? 5'd7 : 5'd8;
                else if (place[18] != path[3])
                    way = 5'd9;
                else
                    way = 5'd6;
            end else if (place[14:0] != to[14:0]) begin
                way     = {1'b0, x_port[3:1], !plus};
                channel = wraps ? 1'b0 : wrapped ? 1'b1 : x_to[0];
            end else begin
                channel = 1'b1;
                if (place[15] != to[15])
                    way = 5'd6;
                else if (place[18] != to[18])
                    way = 5'd9;
                else if (place[17:16] != to[17:16])
                    way = b_plus ? 5'd7 : 5'd8;
                else begin
                    way     = at_node;
                    channel = 1'b0;
                end
            end
            if (ABSENT[way])
                bad_to = 1'b1;
        end
    end

    // kind, beats and what is the kind's own are not the router's
    wire unused = &{1'b0, header[127:79], header[74:71], header[55], header[31:19], header[17:0], shape[31:27],
                    shape[23:19], x_port[0], way};
endmodule
`default_nettype wire
