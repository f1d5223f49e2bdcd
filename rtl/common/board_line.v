// SPDX-License-Identifier: Apache-2.0
// A board's serial line to its host (8N1; serial_bridge has the format), and the registers that every board has:
//
//   00  IDENTITY      which board this is
//   01  SOURCE_HASH   of the sources the bitstream was built from: the host's program compares it
//   02  SCRATCH       does nothing, to test the line with
//
// Requests for addresses from 40 on are handed on: valid until ack, with which rdata and error are there. An address
// below without a register is answered by an error.
`default_nettype none
module board_line #(
    parameter [31:0] IDENTITY    = 32'd0,
    parameter [31:0] SOURCE_HASH = 32'd0,
    parameter [15:0] BAUD_CYCLES = 16'd50
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        rxd,              // any clock
    output wire        txd,

    output wire        valid,
    output wire        write,
    output wire [7:0]  address,
    output wire [31:0] wdata,
    input  wire        ack,
    input  wire [31:0] rdata,
    input  wire        error
);
    wire        line, rx_valid, parity_error, framing_error, break_seen, rx_idle, tx_valid, tx_take, tx_idle;
    wire [7:0]  rx_data, tx_data;
    wire        asked;
    wire        ours = address[7:6] == 2'd0;

    reg  [31:0] scratch_reg, own;
    reg         own_known, own_writable;

    assign valid = asked && !ours;

    // a line without a cable is 1, and cdc_bits comes out of reset with 0
    cdc_bits #(.WIDTH(1)) sync (.clk(clk), .rst(rst), .src(!rxd), .dst(line));
    uart_rx rx (
        .clk(clk), .rst(rst), .divisor(BAUD_CYCLES), .parity(1'b0), .even(1'b0), .rxd(!line), .valid(rx_valid),
        .data(rx_data), .parity_error(parity_error), .framing_error(framing_error), .break_seen(break_seen),
        .idle(rx_idle));
    uart_tx tx (
        .clk(clk), .rst(rst), .divisor(BAUD_CYCLES), .parity(1'b0), .even(1'b0), .two_stop(1'b0),
        .valid(tx_valid), .data(tx_data), .take(tx_take), .txd(txd), .idle(tx_idle));
    serial_bridge bridge (
        .clk(clk), .rst(rst), .rx_valid(rx_valid && !framing_error), .rx_data(rx_data),
        .tx_valid(tx_valid), .tx_data(tx_data), .tx_take(tx_take), .reg_valid(asked), .reg_write(write),
        .reg_address(address), .reg_wdata(wdata), .reg_ack(ours || ack), .reg_rdata(ours ? own : rdata),
        .reg_error(ours ? !own_known || (write && !own_writable) : error));

    always @* begin
        own          = 32'd0;
        own_known    = 1'b1;
        own_writable = 1'b0;
        case (address[5:0])
            6'd0: own = IDENTITY;
            6'd1: own = SOURCE_HASH;
            6'd2: begin
                own          = scratch_reg;
                own_writable = 1'b1;
            end
            default: own_known = 1'b0;
        endcase
    end

    always @(posedge clk) begin
        if (asked && write && ours && own_writable)
            scratch_reg <= wdata;
        if (rst)
            scratch_reg <= 32'd0;
    end

    // what a UART could say, and nobody asks here
    wire unused = &{1'b0, parity_error, break_seen, rx_idle, tx_idle, 1'b0};
endmodule
`default_nettype wire
