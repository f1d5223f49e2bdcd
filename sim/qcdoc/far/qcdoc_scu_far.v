// SPDX-License-Identifier: Apache-2.0
// A QCDOC node's unit twice, behind one node's pins: as its Verilog, and as it was placed and routed for an ECP5
// (fpga/common/netlist.py). `routed`, constant, says which of them the node has; a routed one that it has not has no
// clock and no inputs, Verilog no clock.
`default_nettype none
module qcdoc_scu_far (
    input  wire         routed,
    input  wire         clk,
    input  wire         rst,
    input  wire [15:0]  global_count,
    output wire [11:0]  serial_out,
    input  wire [11:0]  serial_in,
    output wire         lane_slot,
    output wire [95:0]  lane_data,
    output wire [11:0]  lane_control,
    input  wire [11:0]  tx_pause,
    input  wire [11:0]  lane_rx_strobe,
    input  wire [95:0]  lane_rx_data,
    input  wire [11:0]  lane_rx_control,
    output wire         mem_valid,
    input  wire         mem_ready,
    output wire         mem_write,
    output wire [28:0]  mem_address,
    output wire [63:0]  mem_wdata,
    input  wire         mem_rvalid,
    input  wire [63:0]  mem_rdata,
    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [11:0]  reg_address,
    input  wire [31:0]  reg_wdata,
    output wire         reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,
    output wire         irq,
    output wire         obs_idle,
    output wire [11:0]  obs_rx_start,
    output wire [11:0]  obs_rx_ok,
    output wire [11:0]  obs_rx_error,
    output wire [11:0]  obs_retransmit,
    output wire [11:0]  obs_accept,
    output wire [23:0]  obs_state,
    input  wire [11:0]  link_rest,
    output wire [11:0]  obs_rest,
    output wire [2:0]   obs_place
);
    wire [11:0]  near_serial_out, far_serial_out;
    wire         near_lane_slot, far_lane_slot;
    wire [95:0]  near_lane_data, far_lane_data;
    wire [11:0]  near_lane_control, far_lane_control;
    wire         near_mem_valid, far_mem_valid;
    wire         near_mem_write, far_mem_write;
    wire [28:0]  near_mem_address, far_mem_address;
    wire [63:0]  near_mem_wdata, far_mem_wdata;
    wire         near_reg_ack, far_reg_ack;
    wire [31:0]  near_reg_rdata, far_reg_rdata;
    wire         near_reg_error, far_reg_error;
    wire         near_irq, far_irq;
    wire         near_obs_idle, far_obs_idle;
    wire [11:0]  near_obs_rx_start, far_obs_rx_start;
    wire [11:0]  near_obs_rx_ok, far_obs_rx_ok;
    wire [11:0]  near_obs_rx_error, far_obs_rx_error;
    wire [11:0]  near_obs_retransmit, far_obs_retransmit;
    wire [11:0]  near_obs_accept, far_obs_accept;
    wire [23:0]  near_obs_state, far_obs_state;
    wire [11:0]  near_obs_rest;

    qcdoc_scu u_near (
        .clk(clk && !routed), .rst(rst), .global_count(global_count), .serial_out(near_serial_out),
        .serial_in(serial_in), .lane_slot(near_lane_slot), .lane_data(near_lane_data),
        .lane_control(near_lane_control), .tx_pause(tx_pause), .lane_rx_strobe(lane_rx_strobe),
        .lane_rx_data(lane_rx_data), .lane_rx_control(lane_rx_control), .mem_valid(near_mem_valid),
        .mem_ready(mem_ready), .mem_write(near_mem_write), .mem_address(near_mem_address),
        .mem_wdata(near_mem_wdata), .mem_rvalid(mem_rvalid), .mem_rdata(mem_rdata), .reg_valid(reg_valid),
        .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata), .reg_ack(near_reg_ack),
        .reg_rdata(near_reg_rdata), .reg_error(near_reg_error), .irq(near_irq), .obs_idle(near_obs_idle),
        .obs_rx_start(near_obs_rx_start), .obs_rx_ok(near_obs_rx_ok), .obs_rx_error(near_obs_rx_error),
        .obs_retransmit(near_obs_retransmit), .obs_accept(near_obs_accept), .obs_state(near_obs_state),
        .link_rest(link_rest), .obs_rest(near_obs_rest), .obs_place(obs_place));
    qcdoc_scu_routed u_far (
        .clk(clk && routed), .rst(rst && routed), .global_count(global_count & {16{routed}}),
        .serial_out(far_serial_out), .serial_in(serial_in & {12{routed}}), .lane_slot(far_lane_slot),
        .lane_data(far_lane_data), .lane_control(far_lane_control), .tx_pause(tx_pause & {12{routed}}),
        .lane_rx_strobe(lane_rx_strobe & {12{routed}}), .lane_rx_data(lane_rx_data & {96{routed}}),
        .lane_rx_control(lane_rx_control & {12{routed}}), .mem_valid(far_mem_valid), .mem_ready(mem_ready && routed),
        .mem_write(far_mem_write), .mem_address(far_mem_address), .mem_wdata(far_mem_wdata),
        .mem_rvalid(mem_rvalid && routed), .mem_rdata(mem_rdata & {64{routed}}), .reg_valid(reg_valid && routed),
        .reg_write(reg_write && routed), .reg_address(reg_address & {12{routed}}), .reg_wdata(reg_wdata & {32{routed}}),
        .reg_ack(far_reg_ack), .reg_rdata(far_reg_rdata), .reg_error(far_reg_error), .irq(far_irq),
        .obs_idle(far_obs_idle), .obs_rx_start(far_obs_rx_start), .obs_rx_ok(far_obs_rx_ok),
        .obs_rx_error(far_obs_rx_error), .obs_retransmit(far_obs_retransmit), .obs_accept(far_obs_accept),
        .obs_state(far_obs_state));

    assign serial_out     = routed ? far_serial_out : near_serial_out;
    assign lane_slot      = routed ? far_lane_slot : near_lane_slot;
    assign lane_data      = routed ? far_lane_data : near_lane_data;
    assign lane_control   = routed ? far_lane_control : near_lane_control;
    assign mem_valid      = routed ? far_mem_valid : near_mem_valid;
    assign mem_write      = routed ? far_mem_write : near_mem_write;
    assign mem_address    = routed ? far_mem_address : near_mem_address;
    assign mem_wdata      = routed ? far_mem_wdata : near_mem_wdata;
    assign reg_ack        = routed ? far_reg_ack : near_reg_ack;
    assign reg_rdata      = routed ? far_reg_rdata : near_reg_rdata;
    assign reg_error      = routed ? far_reg_error : near_reg_error;
    assign irq            = routed ? far_irq : near_irq;
    assign obs_idle       = routed ? far_obs_idle : near_obs_idle;
    assign obs_rx_start   = routed ? far_obs_rx_start : near_obs_rx_start;
    assign obs_rx_ok      = routed ? far_obs_rx_ok : near_obs_rx_ok;
    assign obs_rx_error   = routed ? far_obs_rx_error : near_obs_rx_error;
    assign obs_retransmit = routed ? far_obs_retransmit : near_obs_retransmit;
    assign obs_accept     = routed ? far_obs_accept : near_obs_accept;
    assign obs_state      = routed ? far_obs_state : near_obs_state;
    assign obs_rest       = routed ? 12'd0 : near_obs_rest;
endmodule
`default_nettype wire
