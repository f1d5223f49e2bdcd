// SPDX-License-Identifier: Apache-2.0
// A network interface, its two streams to the router as ports of their own.
`default_nettype none
module tofu_tni_top (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,
    input  wire [2:0]   number,
    input  wire [15:0]  tick_count,
    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [7:0]   reg_address,
    input  wire [31:0]  reg_wdata,
    output wire         reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,
    output wire [1:0]   inj_valid,
    input  wire [1:0]   inj_ready,
    output wire [147:0] inj_request,
    output wire [147:0] inj_response,
    input  wire         ej_valid,
    input  wire [147:0] ej_beat,
    output wire [1:0]   ej_room,
    output wire         rd_valid,
    input  wire         rd_ready,
    output wire [35:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,
    output wire         wr_valid,
    input  wire         wr_ready,
    output wire [35:0]  wr_address,
    output wire [127:0] wr_data,
    output wire [15:0]  wr_strobe,
    input  wire         wr_pending,
    output wire         wr_mark,
    input  wire         wr_passed,
    input  wire         mem_look,
    output wire         mem_seen,
    input  wire         mem_stopped,
    output wire         attention,
    output wire         fault,
    output wire         obs_idle,
    output wire [4:0]   obs_period
);
    tofu_tni u_tni (
        .clk(clk), .rst(rst), .coordinates(coordinates), .number(number), .tick_count(tick_count),
        .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
        .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error),
        .inj_valid(inj_valid), .inj_ready(inj_ready), .inj_beat({inj_response, inj_request}), .ej_valid(ej_valid),
        .ej_beat(ej_beat), .ej_room(ej_room),
        .rd_valid(rd_valid), .rd_ready(rd_ready), .rd_address(rd_address), .rd_rvalid(rd_rvalid), .rd_data(rd_data),
        .wr_valid(wr_valid), .wr_ready(wr_ready), .wr_address(wr_address), .wr_data(wr_data), .wr_strobe(wr_strobe),
        .wr_pending(wr_pending), .wr_mark(wr_mark), .wr_passed(wr_passed),
        .mem_look(mem_look), .mem_seen(mem_seen), .mem_stopped(mem_stopped),
        .attention(attention), .fault(fault), .obs_idle(obs_idle), .obs_period(obs_period)
    );
endmodule
`default_nettype wire
