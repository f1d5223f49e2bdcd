// SPDX-License-Identifier: Apache-2.0
// Cells of serial lines side by side, for their tests: two UARTs, and samplers of two sizes.
`default_nettype none
module serial_cells_top (
    input  wire        clk,
    input  wire        rst,

    // uart_tx, uart_rx
    input  wire [15:0] divisor,
    input  wire        parity,
    input  wire        even,
    input  wire        two_stop,
    input  wire        tx_valid,
    input  wire [7:0]  tx_data,
    output wire        tx_take,
    output wire        txd,
    output wire        tx_idle,
    input  wire        rxd,
    output wire        rx_valid,
    output wire [7:0]  rx_data,
    output wire        rx_parity_error,
    output wire        rx_framing_error,
    output wire        rx_break,
    output wire        rx_idle,

    // bit_sampler: four samples and four votes, eight and one
    input  wire [3:0]  samples_4,
    output wire [1:0]  count_4,
    output wire [1:0]  bits_4,
    input  wire [7:0]  samples_8,
    output wire [1:0]  count_8,
    output wire [1:0]  bits_8
);
    uart_tx u_tx (
        .clk(clk), .rst(rst), .divisor(divisor), .parity(parity), .even(even), .two_stop(two_stop), .valid(tx_valid),
        .data(tx_data), .take(tx_take), .txd(txd), .idle(tx_idle)
    );

    uart_rx u_rx (
        .clk(clk), .rst(rst), .divisor(divisor), .parity(parity), .even(even), .rxd(rxd), .valid(rx_valid),
        .data(rx_data), .parity_error(rx_parity_error), .framing_error(rx_framing_error), .break_seen(rx_break),
        .idle(rx_idle)
    );

    bit_sampler #(.SAMPLES(4), .VOTES(4)) u_four (
        .clk(clk), .rst(rst), .samples(samples_4), .count(count_4), .bits(bits_4)
    );

    bit_sampler #(.SAMPLES(8), .VOTES(1)) u_eight (
        .clk(clk), .rst(rst), .samples(samples_8), .count(count_8), .bits(bits_8)
    );
endmodule
`default_nettype wire
