// SPDX-License-Identifier: Apache-2.0
// A Tofu network interface: puts, gets and atomics between memories, from descriptors in memory. Seed 002, sections 2 and 4.1;
// README.md, "Network interfaces"; registers in tni_registers.toml. Four in an interconnect controller (tofu_icc).
//
// So far a place to be wired: it answers its registers with an error, and is silent otherwise.
`default_nettype none
module tofu_tni (
    input  wire         clk,
    input  wire         rst,
    input  wire [18:0]  coordinates,     // of this node
    input  wire [1:0]   number,          // of this interface

    // register bus: held until reg_ack
    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [7:0]   reg_address,
    input  wire [31:0]  reg_wdata,
    output reg          reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,

    // router, 148 bits a beat: {responses, requests} out, packets of both classes in
    output wire [1:0]   inj_valid,
    input  wire [1:0]   inj_ready,
    output wire [295:0] inj_beat,
    input  wire         ej_valid,
    input  wire [147:0] ej_beat,
    output wire [1:0]   ej_room,         // for one whole packet of the class

    // memory, units of 16 bytes; reads are answered in order
    output wire         rd_valid,
    input  wire         rd_ready,
    output wire [35:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,
    output wire         wr_valid,
    input  wire         wr_ready,
    output wire [35:0]  wr_address,
    output wire [127:0] wr_data,
    output wire [15:0]  wr_strobe,       // a bit a byte

    output wire         attention,       // some sticky error
    output wire         fault,           // outputs are blocked until reset
    output wire         obs_idle         // with idle inputs everything stays as it is
);
    assign reg_rdata  = 32'd0;
    assign reg_error  = reg_ack;
    assign inj_valid  = 2'd0;
    assign inj_beat   = 296'd0;
    assign ej_room    = 2'd3;
    assign rd_valid   = 1'b0;
    assign rd_address = 36'd0;
    assign wr_valid   = 1'b0;
    assign wr_address = 36'd0;
    assign wr_data    = 128'd0;
    assign wr_strobe  = 16'd0;
    assign attention  = 1'b0;
    assign fault      = 1'b0;
    assign obs_idle   = !reg_valid && !reg_ack;

    always @(posedge clk)
        reg_ack <= reg_valid && !reg_ack && !rst;

    wire unused = &{1'b0, coordinates, number, reg_write, reg_address, reg_wdata, inj_ready, ej_valid, ej_beat, rd_ready,
                    rd_rvalid, rd_data, wr_ready};
endmodule
`default_nettype wire
