// SPDX-License-Identifier: Apache-2.0
// What arrives at an input of a Tofu router: its header corrected, and its way. Combinational, or with STAGES two
// cycles later, and a new session with it:
//
//   cycle    0          1                      2
//   rx_beat  header     registered, with       beat, data, port
//                       what its check bits
//                       say: corrected, routed
`default_nettype none
`include "tofu_wire.vh"
module tofu_input_arrive #(
    parameter INTERFACES      = 4,       // network and
    parameter GATE_INTERFACES = 1,       // barrier interfaces of the node
    parameter LINKS     = 1023,          // those that are there
    parameter STAGES    = 0,             // 0 or 1
    parameter PORT_BITS = 4
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  place,
    input  wire [31:0]  shape,
    input  wire         rx_valid,
    input  wire [147:0] rx_beat,
    input  wire         rx_reset,        // new session

    output wire         valid,
    output wire [147:0] beat,
    output wire         reset,           // new session, in its place between the beats
    output wire         resets,          // it is on its way here
    // of a header
    output wire [127:0] data,
    output wire [15:0]  check,
    output wire [1:0]   one_wrong,
    output wire [1:0]   more_wrong,
    output wire [PORT_BITS-1:0] port,    // and so on: tofu_route
    output wire         channel,
    output wire         leg,
    output wire         bad_to,
    output wire         bad_interface,
    output wire         idle
);
    wire         route_enable;
    wire [127:0] header;
    wire [PORT_BITS-1:0] way;
    wire         way_channel, way_leg, no_place, no_interface;
    tofu_route #(.INTERFACES(INTERFACES), .GATE_INTERFACES(GATE_INTERFACES), .LINKS(LINKS), .PORT_BITS(PORT_BITS))
    u_route (
        .enable(route_enable), .place(place), .shape(shape), .header(header), .port(way), .channel(way_channel),
        .leg(way_leg), .bad_to(no_place), .bad_interface(no_interface)
    );

    generate
        if (STAGES == 0) begin : gen_at_once
            assign valid         = rx_valid;
            assign beat          = rx_beat;
            assign reset         = rx_reset;
            assign resets        = 1'b0;
            assign idle          = 1'b1;
            assign route_enable  = rx_valid && rx_beat[`TOFU_BEAT_FIRST];
            assign header        = data;
            assign port          = way;
            assign channel       = way_channel;
            assign leg           = way_leg;
            assign bad_to        = no_place;
            assign bad_interface = no_interface;
            secded_decode_enabled u_low (
                .enable(route_enable),
                .data(rx_beat[63:0]), .check(rx_beat[135:128]), .corrected(data[63:0]), .corrected_check(check[7:0]),
                .single(one_wrong[0]), .uncorrectable(more_wrong[0])
            );
            secded_decode_enabled u_high (
                .enable(route_enable),
                .data(rx_beat[127:64]), .check(rx_beat[143:136]), .corrected(data[127:64]),
                .corrected_check(check[15:8]), .single(one_wrong[1]), .uncorrectable(more_wrong[1])
            );
            wire unused = &{1'b0, clk, rst};
        end else begin : gen_after
            reg          came_reg, came_reset_reg, valid_reg, reset_reg;
            reg  [147:0] came_beat_reg, beat_reg;   // beat_reg: a header's corrected
            reg  [15:0]  syndrome_reg;
            reg  [1:0]   one_wrong_reg, more_wrong_reg;
            reg  [PORT_BITS+3:0] way_reg;
            wire [15:0]  made, corrected_check;
            wire [127:0] corrected;
            wire [1:0]   single, double;
            wire         head = came_beat_reg[`TOFU_BEAT_FIRST];
            genvar       n;
            for (n = 0; n < 2; n = n + 1) begin : g_half
                secded_encode u_encode (.data(rx_beat[64*n +: 64]), .check(made[8*n +: 8]));
                secded_correct u_correct (
                    .data(came_beat_reg[64*n +: 64]), .check(came_beat_reg[128 + 8*n +: 8]),
                    .syndrome(syndrome_reg[8*n +: 8]), .corrected(corrected[64*n +: 64]),
                    .corrected_check(corrected_check[8*n +: 8]), .single(single[n]), .uncorrectable(double[n])
                );
            end
            assign route_enable  = came_reg && head;
            assign header        = corrected;
            assign valid         = valid_reg;
            assign beat          = beat_reg;
            assign reset         = reset_reg;
            assign resets        = came_reset_reg || reset_reg;
            assign data          = beat_reg[127:0];
            assign check         = beat_reg[143:128];
            assign one_wrong     = one_wrong_reg;
            assign more_wrong    = more_wrong_reg;
            assign {bad_interface, bad_to, leg, channel, port} = way_reg;
            assign idle          = !came_reg && !valid_reg && !came_reset_reg && !reset_reg;
            always @(posedge clk) begin
                came_reg       <= rx_valid && !rst;
                came_reset_reg <= rx_reset && !rst;
                valid_reg      <= came_reg && !rst;
                reset_reg      <= came_reset_reg && !rst;
                if (rx_valid) begin
                    came_beat_reg <= rx_beat;
                    syndrome_reg  <= made ^ rx_beat[143:128];
                end
                if (came_reg) begin
                    beat_reg       <= head ? {came_beat_reg[147:144], corrected_check, corrected} : came_beat_reg;
                    one_wrong_reg  <= single;
                    more_wrong_reg <= double;
                    way_reg        <= {no_interface, no_place, way_leg, way_channel, way};
                end
            end
        end
    endgenerate
endmodule
`default_nettype wire
