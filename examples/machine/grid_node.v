// SPDX-License-Identifier: Apache-2.0
// The network side of a node of a Grid, a two-dimensional torus made for teaching: four links (0 +x, 1 -x, 2 +y, 3 -y),
// each with a port of its own to the node's memory, and one register bus. README.md is its documentation. The ports are
// those of grid_link, one link's beside the other's.
`default_nettype none
module grid_node (
    input  wire         clk, rst,
    output wire [127:0] tx_data, output wire [15:0] tx_control,
    input  wire [127:0] rx_data, input  wire [15:0] rx_control,
    output wire [127:0] mem_raddress, input wire [127:0] mem_rdata,
    output wire [3:0]   mem_write, output wire [127:0] mem_waddress, mem_wdata,
    // Registers: bits 6:5 of the address are the link. Valid until ack, which comes a cycle later.
    input  wire         reg_valid, reg_write,
    input  wire [6:0]   reg_address, input wire [31:0] reg_wdata,
    output reg          reg_ack, reg_error, output reg [31:0] reg_rdata,
    output wire [7:0]   obs_state,
    output wire [3:0]   obs_rx_start, obs_rx_ok, obs_rx_error,
    output wire [7:0]   obs_rx_cause,
    output wire [3:0]   obs_retransmit, obs_done, output wire obs_idle
);
    wire [127:0] values;
    wire [3:0]   errors, idle;
    wire [1:0]   chosen = reg_address[6:5];

    assign obs_idle = idle == 4'hF;

    genvar g;
    generate
        for (g = 0; g < 4; g = g + 1) begin : g_link
            grid_link link (
                .clk(clk), .rst(rst),
                .tx_data(tx_data[32*g +: 32]), .tx_control(tx_control[4*g +: 4]),
                .rx_data(rx_data[32*g +: 32]), .rx_control(rx_control[4*g +: 4]),
                .mem_raddress(mem_raddress[32*g +: 32]), .mem_rdata(mem_rdata[32*g +: 32]),
                .mem_write(mem_write[g]), .mem_waddress(mem_waddress[32*g +: 32]), .mem_wdata(mem_wdata[32*g +: 32]),
                .reg_write(reg_valid && reg_write && !reg_ack && chosen == g), .reg_address(reg_address[4:0]),
                .reg_wdata(reg_wdata), .reg_rdata(values[32*g +: 32]), .reg_error(errors[g]),
                .obs_state(obs_state[2*g +: 2]), .obs_rx_start(obs_rx_start[g]), .obs_rx_ok(obs_rx_ok[g]),
                .obs_rx_error(obs_rx_error[g]), .obs_rx_cause(obs_rx_cause[2*g +: 2]),
                .obs_retransmit(obs_retransmit[g]), .obs_done(obs_done[g]), .obs_idle(idle[g]));
        end
    endgenerate

    always @(posedge clk) begin
        reg_ack   <= reg_valid && !reg_ack && !rst;
        reg_rdata <= values[32*chosen +: 32];
        reg_error <= errors[chosen];
    end
endmodule
`default_nettype wire
