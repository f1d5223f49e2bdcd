// SPDX-License-Identifier: Apache-2.0
// Registers of the interconnect controller itself (icc_registers.toml, its windows excepted): the node's place, the
// router's sticky errors, counters and error injection. Unknown registers, writes to read-only ones, and values that
// mean nothing: `reg_error`, no effect. So are torus and place while a link is not DOWN: packets on their way would
// find another torus than they were sent into.
//
// Latency: reg_ack 1 cycle after reg_valid, which stays with its arguments until then; 0 on reg_rdata without reg_ack.
`default_nettype none
`include "tofu_icc_regs.vh"
module tofu_icc_registers #(
    parameter PORTS = 15,                // of the router, at most 22
    parameter LINKS = 1023      // those that are there; registers of the others are not
) (
    input  wire        clk,
    input  wire        rst,

    input  wire        reg_valid,
    input  wire        reg_write,
    input  wire [9:0]  reg_address,
    input  wire [31:0] reg_wdata,
    output reg         reg_ack,
    output reg  [31:0] reg_rdata,
    output reg         reg_error,

    // as the router's ports
    output wire [18:0] place,
    output wire [31:0] shape,
    output wire        in_turn,
    output wire [59:0] groups,
    output wire [7:0]  inject_kind,
    output wire [PORTS-1:0] inject_port,
    output wire        inject_output,
    input  wire [PORTS-1:0] event_sent,
    input  wire [PORTS-1:0] event_nullified,
    input  wire [PORTS-1:0] event_dropped,
    input  wire [PORTS-1:0] event_refused,
    input  wire [9:0]  event_strayed,
    input  wire [7:0]  cause,
    input  wire        fault,
    input  wire        links_enabled,    // some link is not DOWN

    output wire        attention,        // some sticky error
    output wire        obs_idle
);
    localparam [4:0]       COUNT = PORTS[4:0];
    localparam [PORTS-1:0] PORT_0 = 1;
    localparam [31:0]      THERE = {22'h3FFFFF, LINKS[9:0]};

    reg  [18:0] place_reg;
    reg  [31:0] shape_reg;
    reg         in_turn_reg;
    reg  [7:0]  error_reg;
    reg  [31:0] nullified_reg, dropped_reg, refused_reg, strayed_reg;
    wire [32*PORTS-1:0] sent;

    wire        serve   = reg_valid && !reg_ack;
    // counters of ports 0 to 14, and of those from 15 on
    wire        sent_more = reg_address[9:4] == 6'd3;
    wire [4:0]  sent_port = {1'b0, reg_address[3:0]} + (sent_more ? 5'd15 : 5'd0);
    wire        is_sent = (sent_more || (reg_address[9:4] == 6'd1 && reg_address[3:0] != 4'd15)) && sent_port < COUNT &&
                          THERE[sent_port];
    wire        is_group = reg_address[9:4] == 6'd2 && reg_address[3:0] < 4'd10 && THERE[{1'b0, reg_address[3:0]}];
    wire [3:0]  kind    = reg_wdata[`TOFU_ICC_ROUTER_INJECT_KIND];
    wire [4:0]  port    = {reg_wdata[`TOFU_ICC_ROUTER_INJECT_PORT_HIGH], reg_wdata[`TOFU_ICC_ROUTER_INJECT_PORT]};
    wire [15:0] address = {6'd0, reg_address};
    reg  [31:0] value;
    reg         readable, writable, fits;
    // COORDINATES lie in the torus of SHAPE, axis by axis, whichever of both is written
    wire        places  = address == `TOFU_ICC_COORDINATES;
    wire [18:0] to_be   = places ? reg_wdata[18:0] : place_reg;
    wire [18:0] around  = places ? shape_reg[18:0] : reg_wdata[18:0];
    wire        in_torus = to_be[`TOFU_ICC_COORDINATES_X] <= around[`TOFU_ICC_SHAPE_LAST_X] &&
                           to_be[`TOFU_ICC_COORDINATES_Y] <= around[`TOFU_ICC_SHAPE_LAST_Y] &&
                           to_be[`TOFU_ICC_COORDINATES_Z] <= around[`TOFU_ICC_SHAPE_LAST_Z] &&
                           to_be[`TOFU_ICC_COORDINATES_A] <= around[`TOFU_ICC_SHAPE_LAST_A] &&
                           to_be[`TOFU_ICC_COORDINATES_B] <= around[`TOFU_ICC_SHAPE_LAST_B] &&
                           to_be[`TOFU_ICC_COORDINATES_C] <= around[`TOFU_ICC_SHAPE_LAST_C];
    wire        store   = serve && reg_write && writable;
    wire        injects = store && address == `TOFU_ICC_ROUTER_INJECT;

    wire        unused  = &{1'b0, reg_wdata[31:27], reg_wdata[23:19]};   // of no register

    assign place         = place_reg;
    assign shape         = shape_reg;
    assign in_turn       = in_turn_reg;
    assign inject_kind   = {kind == `TOFU_ICC_ROUTER_INJECT_KIND_CREDIT,
                            kind == `TOFU_ICC_ROUTER_INJECT_KIND_TAKE,
                            kind == `TOFU_ICC_ROUTER_INJECT_KIND_PUT,
                            kind == `TOFU_ICC_ROUTER_INJECT_KIND_ROUTE_TWO_BITS,
                            kind == `TOFU_ICC_ROUTER_INJECT_KIND_ROUTE_ONE_BIT,
                            kind == `TOFU_ICC_ROUTER_INJECT_KIND_INPUT_STATE,
                            kind == `TOFU_ICC_ROUTER_INJECT_KIND_TWO_BITS,
                            kind == `TOFU_ICC_ROUTER_INJECT_KIND_ONE_BIT};
    assign inject_port   = injects ? PORT_0 << port : {PORTS{1'b0}};
    assign inject_output = kind == `TOFU_ICC_ROUTER_INJECT_KIND_OUTPUT_STATE;
    assign attention     = error_reg != 8'd0;
    assign obs_idle      = !reg_valid && !reg_ack;

    wire [31:0] single_value;
    wire        single, single_writable;
    tofu_icc_reads u_reads (
        .address(address), .coordinates(place_reg), .shape(shape_reg[26:0]), .router_control_in_turn(in_turn_reg),
        .router_error(error_reg), .router_status_fault(fault), .router_nullified(nullified_reg),
        .router_dropped(dropped_reg), .router_refused(refused_reg), .router_strayed(strayed_reg),
        .value(single_value), .known(single), .writable(single_writable));

    // counters and groups of ports are arrays
    always @* begin
        readable = single || is_sent || is_group;
        value    = single_value;
        if (is_sent)
            value = sent[32*sent_port +: 32];
        if (is_group)
            value[`TOFU_ICC_PORT_GROUP_NUMBER] = groups[6*reg_address[3:0] +: 6];
        case (address)
            `TOFU_ICC_COORDINATES:   fits = in_torus && !links_enabled;
            // B rings of four would deadlock
            `TOFU_ICC_SHAPE:         fits = in_torus && reg_wdata[`TOFU_ICC_SHAPE_LAST_B] != 2'd3 && !links_enabled;
            `TOFU_ICC_ROUTER_INJECT: fits = port < COUNT && THERE[port] && kind != 4'd0 && kind < 4'd10;
            default:                 fits = 1'b1;
        endcase
        writable = (single_writable && fits) || (is_group && reg_wdata <= `TOFU_ICC_PORT_GROUP_MAX);
    end

    // How many of the ports have an event.
    function [31:0] count;
        input [PORTS-1:0] events;
        integer      i;
        begin
            count = 32'd0;
            for (i = 0; i < PORTS; i = i + 1)
                count = count + {31'd0, events[i]};
        end
    endfunction

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : gen_sent
            reg [31:0] sent_reg;
            assign sent[32*p +: 32] = sent_reg;
            always @(posedge clk) begin
                if (event_sent[p])
                    sent_reg <= sent_reg + 32'd1;
                if (rst || !THERE[p])
                    sent_reg <= 32'd0;
            end
        end
    endgenerate

    generate
        for (p = 0; p < 10; p = p + 1) begin : gen_group
            localparam [3:0] LINK = p;
            reg [5:0] group_reg;
            assign groups[6*p +: 6] = group_reg;
            always @(posedge clk) begin
                if (store && is_group && reg_address[3:0] == LINK)
                    group_reg <= reg_wdata[`TOFU_ICC_PORT_GROUP_NUMBER];
                if (rst || !LINKS[p])
                    group_reg <= `TOFU_ICC_PORT_GROUP_NUMBER_RESET;
            end
        end
    endgenerate

    always @(posedge clk) begin
        reg_ack   <= serve;
        reg_error <= serve && !(reg_write ? writable : readable);
        reg_rdata <= serve && !reg_write ? value : 32'd0;
        error_reg <= (store && address == `TOFU_ICC_ROUTER_ERROR ? error_reg & ~reg_wdata[7:0] : error_reg) | cause;
        if (event_nullified != {PORTS{1'b0}})
            nullified_reg <= nullified_reg + count(event_nullified);
        if (event_dropped != {PORTS{1'b0}})
            dropped_reg <= dropped_reg + count(event_dropped);
        if (event_refused != {PORTS{1'b0}})
            refused_reg <= refused_reg + count(event_refused);
        if (event_strayed != 10'd0)
            strayed_reg <= strayed_reg + count({{PORTS-10{1'b0}}, event_strayed});
        if (store)
            case (address)
                `TOFU_ICC_COORDINATES:    place_reg   <= reg_wdata[18:0];
                `TOFU_ICC_SHAPE:          shape_reg   <= {5'd0, reg_wdata[26:24], 5'd0, reg_wdata[18:0]};
                `TOFU_ICC_ROUTER_CONTROL: in_turn_reg <= reg_wdata[`TOFU_ICC_ROUTER_CONTROL_IN_TURN];
                default: ;
            endcase
        if (rst) begin
            reg_ack       <= 1'b0;
            reg_error     <= 1'b0;
            reg_rdata     <= 32'd0;
            place_reg     <= 19'd0;
            shape_reg     <= `TOFU_ICC_SHAPE_RESET;
            in_turn_reg   <= `TOFU_ICC_ROUTER_CONTROL_IN_TURN_RESET;
            error_reg     <= 8'd0;
            nullified_reg <= 32'd0;
            dropped_reg   <= 32'd0;
            refused_reg   <= 32'd0;
            strayed_reg   <= 32'd0;
        end
    end
endmodule
`default_nettype wire
