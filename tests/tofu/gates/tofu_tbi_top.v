// SPDX-License-Identifier: Apache-2.0
// The barrier interface, and beside it its arithmetic by itself for tests of every bit.
`default_nettype none
module tofu_tbi_top #(
    parameter STATES          = 1,
    parameter GATE_INTERFACES = 1
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,
    input  wire [2:0]   number,
    output wire         out_valid,
    output wire [147:0] out_beat,
    input  wire         out_ready,
    input  wire         in_valid,
    input  wire [147:0] in_beat,
    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [11:0]  reg_address,
    input  wire [31:0]  reg_wdata,
    output wire         reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,
    output wire         mem_valid,
    input  wire         mem_ready,
    output wire [35:0]  mem_address,
    output wire [127:0] mem_wdata,
    output wire         mem_last,
    input  wire         mem_pending,
    output wire         irq,
    output wire         fault,
    output wire         obs_idle,
    output wire         obs_fired,
    output wire [5:0]   obs_gate,
    output wire [7:0]   obs_done,

    input  wire [3:0]   alu_operation,
    input  wire         alu_use_a,
    input  wire         alu_use_b,
    input  wire [320*STATES-1:0] alu_a,
    input  wire [320*STATES-1:0] alu_b,
    output wire [320*STATES-1:0] alu_result,
    input  wire [63:0]  double_in,
    output wire [319:0] double_state
);
    tofu_tbi #(.STATES(STATES), .GATE_INTERFACES(GATE_INTERFACES)) u_tbi (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(number),
        .out_valid(out_valid), .out_beat(out_beat), .out_ready(out_ready), .in_valid(in_valid), .in_beat(in_beat),
        .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error),
        .mem_valid(mem_valid), .mem_ready(mem_ready), .mem_address(mem_address), .mem_wdata(mem_wdata),
        .mem_last(mem_last), .mem_pending(mem_pending),
        .irq(irq), .fault(fault),
        .obs_idle(obs_idle), .obs_fired(obs_fired), .obs_gate(obs_gate), .obs_done(obs_done));

    tofu_tbi_alu #(.STATES(STATES)) u_alu (
        .clk(clk), .operation(alu_operation), .use_a(alu_use_a), .use_b(alu_use_b), .a(alu_a), .b(alu_b),
        .result(alu_result));

    tofu_tbi_double u_double (.x(double_in), .state(double_state));
endmodule
`default_nettype wire
