// SPDX-License-Identifier: Apache-2.0
// A router with its registers: what sim/tofu/bench/net.cpp joins to a torus.
`default_nettype none
module tofu_router_top #(
    parameter INTERFACES      = 4,
    parameter GATE_INTERFACES = 1,
    parameter LINKS     = 1023,
    parameter STAGES    = 0,
    parameter FACES           = INTERFACES + GATE_INTERFACES
) (
    input  wire          clk,
    input  wire          rst,
    input  wire [9:0]    rx_valid,
    input  wire [1479:0] rx_beat,
    output wire [359:0]  rx_free,
    output wire [279:0]  rx_credit,
    input  wire [9:0]    rx_reset,
    output wire [9:0]    tx_valid,
    output wire [1479:0] tx_beat,
    input  wire [9:0]    tx_ready,
    input  wire [279:0]  tx_room,
    input  wire [2*FACES-1:0]   inj_valid,
    input  wire [296*FACES-1:0] inj_beat,
    output wire [2*FACES-1:0]   inj_ready,
    output wire [FACES-1:0]     ej_valid,
    output wire [148*FACES-1:0] ej_beat,
    input  wire [2*FACES-1:0]   ej_room,
    input  wire          reg_valid,
    input  wire          reg_write,
    input  wire [9:0]    reg_address,
    input  wire [31:0]   reg_wdata,
    output wire          reg_ack,
    output wire [31:0]   reg_rdata,
    output wire          reg_error,
    output wire          attention,
    output wire          fault,
    output wire          obs_idle
);
    wire [18:0] place;
    wire [31:0] shape;
    wire        in_turn, inject_output, idle_registers, idle_router;
    wire [7:0]  inject_kind;
    wire [59:0] groups;
    wire [9:0]  event_strayed;
    wire [FACES+9:0] inject_port, event_sent, event_nullified, event_dropped, event_refused;
    wire [7:0]  cause;

    assign obs_idle = idle_registers && idle_router;

    tofu_icc_registers #(.PORTS(10 + FACES), .LINKS(LINKS)) u_registers (
        .clk(clk), .rst(rst), .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address),
        .reg_wdata(reg_wdata), .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error), .place(place),
        .shape(shape), .in_turn(in_turn), .groups(groups), .inject_kind(inject_kind), .inject_port(inject_port),
        .inject_output(inject_output), .event_sent(event_sent), .event_nullified(event_nullified),
        .event_dropped(event_dropped), .event_refused(event_refused), .event_strayed(event_strayed), .cause(cause),
        .fault(fault), .links_enabled(1'b0),
        .attention(attention), .obs_idle(idle_registers)
    );

    tofu_router #(.INTERFACES(INTERFACES), .GATE_INTERFACES(GATE_INTERFACES), .LINKS(LINKS), .STAGES(STAGES)) u_router (
        .clk(clk), .rst(rst), .place(place), .shape(shape), .in_turn(in_turn), .groups(groups), .rx_valid(rx_valid),
        .rx_beat(rx_beat),
        .rx_free(rx_free), .rx_credit(rx_credit), .rx_reset(rx_reset), .tx_valid(tx_valid), .tx_beat(tx_beat),
        .tx_ready(tx_ready), .tx_room(tx_room), .inj_valid(inj_valid), .inj_beat(inj_beat), .inj_ready(inj_ready),
        .ej_valid(ej_valid), .ej_beat(ej_beat), .ej_room(ej_room), .inject_kind(inject_kind),
        .inject_port(inject_port), .inject_output(inject_output), .event_sent(event_sent),
        .event_nullified(event_nullified), .event_dropped(event_dropped), .event_refused(event_refused),
        .event_strayed(event_strayed),
        .cause(cause), .fault(fault), .obs_idle(idle_router)
    );
endmodule
`default_nettype wire
