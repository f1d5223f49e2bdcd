// SPDX-License-Identifier: Apache-2.0
// The slow devices of the network processor ([QPACE2009] section 5): two serial ports and Ethernet, on a
// clock of their own, so that a machine whose nodes do not use them need not run it.
//
// Protocol: reg_valid is a pulse with reg_write, reg_address and reg_wdata; the next comes after reg_ack, a pulse with
// reg_rdata and reg_error. Latency: 2 to 3 cycles of io_clk there, 2, and 2 to 3 cycles of clk back. reg_address is
// 020-02F for serial port 0, 030-03F for serial port 1, 040-07F for Ethernet. Without io_clk no answer comes; if nobody
// waits for it any more, which reg_cancel says until reg_ack, the request does nothing when io_clk comes back.
`default_nettype none
module qpace_io (
    input  wire         clk,
    input  wire         rst,
    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [6:0]   reg_address,
    input  wire [31:0]  reg_wdata,
    input  wire         reg_cancel,
    output wire         reg_ack,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,

    input  wire         io_clk,             // 250 MHz: RGMII's transmit clock as well
    /* verilator lint_off SYNCASYNCNET */   // eth_rx_clk's reset is made of it, asynchronously
    input  wire         io_rst,
    /* verilator lint_on SYNCASYNCNET */
    input  wire         eth_rx_clk,         // 250 MHz, the PHY's

    input  wire [1:0]   uart_rxd,
    output wire [1:0]   uart_txd,

    output wire [3:0]   rgmii_txd,          // io_clk
    output wire         rgmii_tx_ctl,
    input  wire [3:0]   rgmii_rxd,          // eth_rx_clk
    input  wire         rgmii_rx_ctl,

    // io_clk: Ethernet's way to host memory; qpace_gmac
    output wire         mem_read_valid,
    input  wire         mem_read_ready,
    output wire [31:0]  mem_read_line,
    input  wire         mem_data_valid,
    input  wire [127:0] mem_data,
    output wire         mem_write_valid,
    input  wire         mem_write_ready,
    output wire [34:0]  mem_write_word,
    output wire [127:0] mem_write_data,
    output wire         mem_write_last,

    output wire [2:0]   irq,                // io_clk, level: serial port 0, 1, Ethernet
    output wire         obs_eth_rx_start,   // eth_rx_clk
    output wire         obs_eth_rx_ok,
    output wire         obs_eth_rx_error,
    output wire         obs_idle            // with idle inputs nothing will change
);
    wire        rx_rst;

    cdc_reset rx_reset (.clk(eth_rx_clk), .async_rst(io_rst), .rst(rx_rst));

    // the request, registered on both sides: the bus goes on before one whose time was up arrives, and nothing in here
    // follows it. Reading takes characters, so that such a request is none, and not a read.
    reg  [39:0] request_reg;
    wire        cancelled;
    wire        arrives;
    wire [39:0] argument;
    reg         valid_reg, write_reg, done;
    reg  [6:0]  address_reg;
    reg  [31:0] wdata_reg;
    reg  [32:0] answer;

    cdc_request #(.ARGUMENT_WIDTH(40), .ANSWER_WIDTH(33)) request (
        .src_clk(clk), .src_rst(rst), .src_request(reg_valid), .src_argument(request_reg),
        .src_done(reg_ack), .src_answer({reg_error, reg_rdata}),
        .dst_clk(io_clk), .dst_rst(io_rst), .dst_request(arrives), .dst_argument(argument),
        .dst_done(done), .dst_answer(answer));

    // As fast as the request, which was there 512 cycles before.
    cdc_bits #(.WIDTH(1)) cancel (.clk(io_clk), .rst(io_rst), .src(reg_cancel), .dst(cancelled));

    always @(posedge clk) begin
        if (reg_valid)
            request_reg <= {reg_write, reg_address, reg_wdata};
    end

    wire [31:0] rdata_0, rdata_1, rdata_eth;
    wire        error_0, error_1, error_eth;
    wire        idle_0, idle_1, idle_eth;
    wire        to_0   = address_reg[6:4] == 3'd2;
    wire        to_1   = address_reg[6:4] == 3'd3;
    wire        to_eth = address_reg[6];
    wire        asked  = valid_reg && !cancelled;

    qpace_uart uart_0 (
        .clk(io_clk), .rst(io_rst),
        .reg_valid(asked && to_0), .reg_write(write_reg), .reg_address(address_reg[3:0]),
        .reg_wdata(wdata_reg), .reg_rdata(rdata_0), .reg_error(error_0),
        .rxd(uart_rxd[0]), .txd(uart_txd[0]), .irq(irq[0]), .obs_idle(idle_0));

    qpace_uart uart_1 (
        .clk(io_clk), .rst(io_rst),
        .reg_valid(asked && to_1), .reg_write(write_reg), .reg_address(address_reg[3:0]),
        .reg_wdata(wdata_reg), .reg_rdata(rdata_1), .reg_error(error_1),
        .rxd(uart_rxd[1]), .txd(uart_txd[1]), .irq(irq[1]), .obs_idle(idle_1));

    qpace_gmac gmac (
        .clk(io_clk), .rst(io_rst), .rx_clk(eth_rx_clk), .rx_rst(rx_rst),
        .reg_valid(asked && to_eth), .reg_write(write_reg), .reg_address(address_reg[5:0]), .reg_wdata(wdata_reg),
        .reg_rdata(rdata_eth), .reg_error(error_eth),
        .mem_read_valid(mem_read_valid), .mem_read_ready(mem_read_ready),
        .mem_read_line(mem_read_line), .mem_data_valid(mem_data_valid), .mem_data(mem_data),
        .mem_write_valid(mem_write_valid), .mem_write_ready(mem_write_ready),
        .mem_write_word(mem_write_word), .mem_write_data(mem_write_data),
        .mem_write_last(mem_write_last),
        .rgmii_txd(rgmii_txd), .rgmii_tx_ctl(rgmii_tx_ctl), .rgmii_rxd(rgmii_rxd),
        .rgmii_rx_ctl(rgmii_rx_ctl), .irq(irq[2]),
        .obs_rx_start(obs_eth_rx_start), .obs_rx_ok(obs_eth_rx_ok), .obs_rx_error(obs_eth_rx_error),
        .obs_idle(idle_eth));

    assign obs_idle = idle_0 && idle_1 && idle_eth && !arrives && !valid_reg && !done;

    always @(posedge io_clk) begin
        valid_reg <= arrives;
        done      <= valid_reg;
        if (arrives)
            {write_reg, address_reg, wdata_reg} <= argument;
        if (valid_reg)
            answer <= to_eth ? {error_eth, error_eth || write_reg ? 32'd0 : rdata_eth}
                    : to_1   ? {error_1, error_1 || write_reg ? 32'd0 : rdata_1}
                    : to_0   ? {error_0, error_0 || write_reg ? 32'd0 : rdata_0}
                    :          {1'b1, 32'd0};
        if (io_rst) begin
            valid_reg <= 1'b0;
            done      <= 1'b0;
        end
    end
endmodule
`default_nettype wire
