// SPDX-License-Identifier: Apache-2.0
// One of the two serial ports of [QPACE2009] section 5 (to the service processor and to the root card):
// FIFOs of 16 characters each way, bit time by register, sticky errors, interrupt by cause. Registers:
// uart_registers.toml, in the manner of a 16550.
//
// Protocol: reg_valid for one cycle with a request; reg_rdata and reg_error (it is refused) are combinational in that
// cycle, the effect comes with its end. Nothing changes while the line is quiet and no request comes.
`default_nettype none
`include "qpace_uart_regs.vh"
module qpace_uart (
    input  wire        clk,
    input  wire        rst,

    input  wire        reg_valid,
    input  wire        reg_write,
    input  wire [3:0]  reg_address,
    input  wire [31:0] reg_wdata,
    output wire [31:0] reg_rdata,
    output wire        reg_error,

    input  wire        rxd,          // of another clock, or of none
    output wire        txd,
    output wire        irq,
    output wire        obs_idle
);
    reg  [15:0] divisor;
    reg         parity, even, two_stop, loopback, send_break;
    reg  [4:0]  trigger;
    reg  [4:0]  error;
    reg  [2:0]  enable;

    // the line
    wire        tx_line, tx_idle, rx_line, rx_idle, line;
    wire        rx_valid, rx_parity, rx_framing, rx_break;
    wire [7:0]  rx_data;

    // FIFOs: pointers with one bit more than the address
    reg  [4:0]  tx_write, tx_read, rx_write, rx_read;
    wire [4:0]  tx_level = tx_write - tx_read;
    wire [4:0]  rx_level = rx_write - rx_read;
    wire        tx_full  = tx_level[4];
    wire        rx_full  = rx_level[4];
    wire        tx_empty = tx_level == 5'd0;
    wire        rx_empty = rx_level == 5'd0;
    wire        put      = reg_valid && reg_write && reg_address == `QPACE_UART_DATA;
    wire        get      = reg_valid && !reg_write && reg_address == `QPACE_UART_DATA && !rx_empty;
    wire [7:0]  tx_data;
    wire        tx_take;
    wire [10:0] rx_head;

    ram_small #(.WIDTH(8), .ADDRESS_BITS(4)) tx_fifo (
        .clk(clk), .wr_en(put && !tx_full), .wr_address(tx_write[3:0]), .wr_data(reg_wdata[7:0]),
        .rd_address(tx_read[3:0]), .rd_data(tx_data));

    ram_small #(.WIDTH(11), .ADDRESS_BITS(4)) rx_fifo (
        .clk(clk), .wr_en(rx_valid && !rx_full), .wr_address(rx_write[3:0]),
        .wr_data({rx_break, rx_framing, rx_parity, rx_data}),
        .rd_address(rx_read[3:0]), .rd_data(rx_head));

    uart_tx tx (
        .clk(clk), .rst(rst), .divisor(divisor), .parity(parity), .even(even), .two_stop(two_stop),
        .valid(!tx_empty), .data(tx_data), .take(tx_take), .txd(tx_line), .idle(tx_idle));

    // The line is idle when it is 1, and cdc_bits comes out of reset with 0.
    cdc_bits #(.WIDTH(1)) sync (.clk(clk), .rst(rst), .src(!rxd), .dst(line));
    assign rx_line = loopback ? tx_line && !send_break : !line;

    uart_rx rx (
        .clk(clk), .rst(rst), .divisor(divisor), .parity(parity), .even(even), .rxd(rx_line),
        .valid(rx_valid), .data(rx_data), .parity_error(rx_parity), .framing_error(rx_framing),
        .break_seen(rx_break), .idle(rx_idle));

    assign txd = (tx_line && !send_break) || loopback;

    // registers
    wire [2:0]  cause = {error != 5'd0, tx_empty, rx_level >= trigger};
    wire [4:0]  cleared = reg_valid && reg_write && reg_address == `QPACE_UART_ERROR ? reg_wdata[4:0] : 5'd0;
    reg  [4:0]  error_new;

    assign irq      = (cause & enable) != 3'd0;
    assign obs_idle = tx_idle && tx_empty && rx_idle && rx_line;

    always @* begin
        error_new = 5'd0;
        error_new[`QPACE_UART_ERROR_OVERRUN]    = rx_valid && rx_full;
        error_new[`QPACE_UART_ERROR_PARITY]     = rx_valid && rx_parity;
        error_new[`QPACE_UART_ERROR_FRAMING]    = rx_valid && rx_framing;
        error_new[`QPACE_UART_ERROR_BREAK]      = rx_valid && rx_break;
        error_new[`QPACE_UART_ERROR_TX_OVERRUN] = put && tx_full;
    end

    wire        known, writable;
    wire [10:0] head  = rx_empty ? 11'd0 : rx_head;
    reg         unfit;               // a number that the register cannot hold, or work with

    always @* begin
        case (reg_address)
            `QPACE_UART_DIVISOR:
                unfit = reg_wdata > `QPACE_UART_DIVISOR_MAX || reg_wdata < `QPACE_UART_DIVISOR_MIN;
            // TRIGGER is on top, so that its limits are the register's
            `QPACE_UART_CONTROL:
                unfit = (reg_wdata & ~`QPACE_UART_CONTROL_MASK) != 32'd0 || reg_wdata > `QPACE_UART_CONTROL_MAX
                        || reg_wdata < `QPACE_UART_CONTROL_MIN;
            `QPACE_UART_INTERRUPT_ENABLE:
                unfit = reg_wdata > `QPACE_UART_INTERRUPT_ENABLE_MAX;
            default:
                unfit = 1'b0;
        endcase
    end

    qpace_uart_reads u_reads (
        .address(reg_address),
        .data_character(head[7:0]), .data_parity(head[8]), .data_framing(head[9]), .data_break(head[10]),
        .data_valid(!rx_empty),
        .divisor_cycles(divisor),
        .control_parity(parity), .control_even(even), .control_two_stop(two_stop), .control_loopback(loopback),
        .control_send_break(send_break), .control_trigger(trigger),
        .status_data_ready(!rx_empty), .status_tx_empty(tx_empty), .status_tx_idle(tx_empty && tx_idle),
        .status_tx_full(tx_full), .status_rx_level(rx_level), .status_tx_level(tx_level),
        .error(error),
        .interrupt_enable_received(enable[`QPACE_UART_INTERRUPT_CAUSE_RECEIVED]),
        .interrupt_enable_tx_empty(enable[`QPACE_UART_INTERRUPT_CAUSE_TX_EMPTY]),
        .interrupt_enable_error(enable[`QPACE_UART_INTERRUPT_CAUSE_ERROR]),
        .interrupt_cause_received(cause[`QPACE_UART_INTERRUPT_CAUSE_RECEIVED]),
        .interrupt_cause_tx_empty(cause[`QPACE_UART_INTERRUPT_CAUSE_TX_EMPTY]),
        .interrupt_cause_error(cause[`QPACE_UART_INTERRUPT_CAUSE_ERROR]),
        .value(reg_rdata), .known(known), .writable(writable));
    assign reg_error = !known || (reg_write && (!writable || unfit));

    always @(posedge clk) begin
        if (put && !tx_full)
            tx_write <= tx_write + 5'd1;
        if (tx_take)
            tx_read <= tx_read + 5'd1;
        if (rx_valid && !rx_full)
            rx_write <= rx_write + 5'd1;
        if (get)
            rx_read <= rx_read + 5'd1;
        error <= (error & ~cleared) | error_new;
        if (reg_valid && reg_write && !reg_error)
            case (reg_address)
                `QPACE_UART_DIVISOR:
                    divisor <= reg_wdata[`QPACE_UART_DIVISOR_CYCLES];
                `QPACE_UART_CONTROL: begin
                    parity     <= reg_wdata[`QPACE_UART_CONTROL_PARITY];
                    even       <= reg_wdata[`QPACE_UART_CONTROL_EVEN];
                    two_stop   <= reg_wdata[`QPACE_UART_CONTROL_TWO_STOP];
                    loopback   <= reg_wdata[`QPACE_UART_CONTROL_LOOPBACK];
                    send_break <= reg_wdata[`QPACE_UART_CONTROL_SEND_BREAK];
                    trigger    <= reg_wdata[`QPACE_UART_CONTROL_TRIGGER];
                end
                `QPACE_UART_INTERRUPT_ENABLE:
                    enable <= reg_wdata[2:0];
                default: ;
            endcase
        if (rst) begin
            divisor  <= `QPACE_UART_DIVISOR_CYCLES_RESET;
            trigger  <= `QPACE_UART_CONTROL_TRIGGER_RESET;
            enable   <= 3'd0;
            error    <= 5'd0;
            tx_write <= 5'd0;
            tx_read  <= 5'd0;
            rx_write <= 5'd0;
            rx_read  <= 5'd0;
            {parity, even, two_stop, loopback, send_break} <= 5'd0;
        end
    end
endmodule
`default_nettype wire
