// SPDX-License-Identifier: Apache-2.0
// A small signal_capture behind a register_crossing, for its test: a sample's signals lie in two words, the ring and
// the time go round within a few cycles.
`default_nettype none
module signal_capture_top (
    input  wire        a_clk,
    input  wire        a_rst,
    input  wire        valid,
    input  wire        write,
    input  wire [3:0]  address,
    input  wire [31:0] wdata,
    output wire        ack,
    output wire [31:0] rdata,
    output wire        error,

    input  wire        b_clk,
    input  wire        b_rst,
    input  wire [39:0] probes_0,
    input  wire [39:0] probes_1,
    output wire        reg_valid,        // when a request arrives
    output wire        reg_write,
    output wire [3:0]  reg_address,
    output wire [31:0] reg_wdata
);
    wire [31:0] reg_rdata;
    wire        reg_error;

    register_crossing crossing (
        .clk(a_clk), .rst(a_rst), .valid(valid), .write(write), .address(address), .wdata(wdata), .ack(ack),
        .rdata(rdata), .error(error), .dst_clk(b_clk), .dst_rst(b_rst), .reg_valid(reg_valid), .reg_write(reg_write),
        .reg_address(reg_address), .reg_wdata(reg_wdata), .reg_rdata(reg_rdata), .reg_error(reg_error));
    signal_capture #(.WIDTH(40), .SOURCES(2), .TIME_BITS(5), .ADDRESS_BITS(4), .SIGNALS(32'hC0FFEE00)) capture (
        .clk(b_clk), .rst(b_rst), .probes({probes_1, probes_0}), .reg_valid(reg_valid), .reg_write(reg_write),
        .reg_address(reg_address), .reg_wdata(reg_wdata), .reg_rdata(reg_rdata), .reg_error(reg_error));
endmodule
`default_nettype wire
