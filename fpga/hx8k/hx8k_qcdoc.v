// SPDX-License-Identifier: Apache-2.0
// iCE40 HX8K breakout board: two ends of a QCDOC link at 50.25 Mb/s, each with a PLL and so a clock of its own, to be
// cabled over pins: to one another by two jumpers, or to a second board. A tester at each end makes, checks and damages
// traffic; a serial line over the board's USB reads and writes all registers. What to plug where: README.md here.
//
//   usb <--> uart --> serial_bridge --+--> board registers      0x00 to 0x07
//            (clock of end A)         +--> qcdoc_tester A <==> a_out, a_in      0x40 to 0x4F
//                                     +--> crossing --> qcdoc_tester B <==> b_out, b_in      0x80 to 0x8F
`default_nettype none
module hx8k_qcdoc #(
    parameter [31:0] SOURCE_HASH = 32'd0,   // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd50   // of 50.25 MHz: 1,005,000 baud
) (
    input  wire       clk12,
    input  wire       rxd,
    output wire       txd,
    input  wire       a_in,
    output wire       a_out,
    input  wire       b_in,
    output wire       b_out,
    output reg  [7:0] led
);
    localparam [31:0] IDENTITY = 32'h48545142;      // "HTQB"

    wire        a_sample_clk, a_clk, a_rst, b_sample_clk, b_clk, b_rst;
    wire [3:0]  a_samples, b_samples;

    hx8k_clocks a_clocks (
        .ref_clk(clk12), .sample_clk(a_sample_clk), .clk(a_clk), .rst(a_rst));
    hx8k_clocks b_clocks (
        .ref_clk(clk12), .sample_clk(b_sample_clk), .clk(b_clk), .rst(b_rst));
    hx8k_samples a_line (.sample_clk(a_sample_clk), .clk(a_clk), .pin(a_in), .samples(a_samples));
    hx8k_samples b_line (.sample_clk(b_sample_clk), .clk(b_clk), .pin(b_in), .samples(b_samples));

    // the serial line, and whom a request is for
    wire        line, rx_valid, parity_error, framing_error, break_seen, rx_idle, tx_valid, tx_take, tx_idle;
    wire [7:0]  rx_data, tx_data, address;
    wire        valid, write, ack, error;
    wire [31:0] wdata, rdata;
    wire        for_board = address[7:6] == 2'd0;
    wire        for_a     = address[7:6] == 2'd1;
    wire        for_b     = address[7:6] == 2'd2;

    // a line without a cable is 1, and cdc_bits comes out of reset with 0
    cdc_bits #(.WIDTH(1)) sync (.clk(a_clk), .rst(a_rst), .src(!rxd), .dst(line));
    uart_rx rx (
        .clk(a_clk), .rst(a_rst), .divisor(BAUD_CYCLES), .parity(1'b0), .even(1'b0), .rxd(!line), .valid(rx_valid),
        .data(rx_data), .parity_error(parity_error), .framing_error(framing_error), .break_seen(break_seen),
        .idle(rx_idle));
    uart_tx tx (
        .clk(a_clk), .rst(a_rst), .divisor(BAUD_CYCLES), .parity(1'b0), .even(1'b0), .two_stop(1'b0),
        .valid(tx_valid), .data(tx_data), .take(tx_take), .txd(txd), .idle(tx_idle));
    serial_bridge bridge (
        .clk(a_clk), .rst(a_rst), .rx_valid(rx_valid && !framing_error), .rx_data(rx_data),
        .tx_valid(tx_valid), .tx_data(tx_data), .tx_take(tx_take), .reg_valid(valid), .reg_write(write),
        .reg_address(address), .reg_wdata(wdata), .reg_ack(ack), .reg_rdata(rdata), .reg_error(error));

    // the board's own
    reg  [31:0] scratch_reg, own;
    reg         own_known, own_writable;
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

    // end A
    wire        a_error, a_passed, a_failed, b_error, b_passed, b_failed;
    wire [31:0] a_rdata, b_rdata;
    wire [1:0]  a_state, b_state;
    qcdoc_tester a (
        .clk(a_clk), .rst(a_rst), .port(4'd0), .serial_out(a_out), .samples(a_samples),
        .reg_valid(valid && for_a), .reg_write(write), .reg_address(address[3:0]), .reg_wdata(wdata),
        .reg_rdata(a_rdata), .reg_error(a_error), .state(a_state), .passed(a_passed),
        .failed(a_failed));

    // end B, in its own clock: a request crosses, and its answer comes back
    reg         asked_reg, b_valid_reg, b_answered_reg;
    reg  [32:0] b_answer_reg;
    wire        b_request, b_done;
    wire [36:0] b_argument;
    wire [32:0] b_answer;
    cdc_request #(.ARGUMENT_WIDTH(37), .ANSWER_WIDTH(33)) crossing (
        .src_clk(a_clk), .src_rst(a_rst), .src_request(valid && for_b && !asked_reg),
        .src_argument({write, address[3:0], wdata}), .src_done(b_done), .src_answer(b_answer),
        .dst_clk(b_clk), .dst_rst(b_rst), .dst_request(b_request), .dst_argument(b_argument),
        .dst_done(b_answered_reg), .dst_answer(b_answer_reg));
    qcdoc_tester b (
        .clk(b_clk), .rst(b_rst), .port(4'd1), .serial_out(b_out), .samples(b_samples),
        .reg_valid(b_valid_reg), .reg_write(b_argument[36]), .reg_address(b_argument[35:32]),
        .reg_wdata(b_argument[31:0]), .reg_rdata(b_rdata), .reg_error(b_error), .state(b_state),
        .passed(b_passed), .failed(b_failed));

    assign ack   = for_b ? b_done : valid;
    assign rdata = for_a ? a_rdata : for_b ? b_answer[31:0] : own;
    assign error = for_a ? a_error || address[5:4] != 2'd0 : for_b ? b_answer[32] || address[5:4] != 2'd0 :
                   !for_board || !own_known || (write && !own_writable);

    // LEDs: both ends UP, words that come right (they blink), a wrong one since the reset, ready, the clock
    reg  [19:0] a_passed_reg, b_passed_reg;
    reg  [25:0] beat_reg;
    reg         a_failed_reg, b_failed_reg;
    wire [4:0]  b_shown;
    cdc_bits #(.WIDTH(5)) show (
        .clk(a_clk), .rst(a_rst), .src({b_rst, b_failed_reg, b_passed_reg[19], b_state}), .dst(b_shown));

    always @(posedge a_clk) begin
        asked_reg    <= valid && for_b && !b_done;
        beat_reg     <= beat_reg + 26'd1;
        if (a_passed)
            a_passed_reg <= a_passed_reg + 20'd1;
        if (a_failed)
            a_failed_reg <= 1'b1;
        if (valid && write && for_board && address[5:0] == 6'd2)
            scratch_reg <= wdata;
        led <= {beat_reg[25], !b_shown[4], b_shown[3], a_failed_reg, b_shown[2], a_passed_reg[19],
                b_shown[1:0] == 2'd2, a_state == 2'd2};
        if (a_rst) begin
            asked_reg    <= 1'b0;
            a_failed_reg <= 1'b0;
            a_passed_reg <= 20'd0;
            beat_reg     <= 26'd0;
            scratch_reg  <= 32'd0;
        end
    end

    always @(posedge b_clk) begin
        b_answered_reg <= b_valid_reg;
        if (b_request)
            b_valid_reg <= 1'b1;
        if (b_valid_reg) begin
            b_valid_reg  <= 1'b0;
            b_answer_reg <= {b_error, b_rdata};
        end
        if (b_passed)
            b_passed_reg <= b_passed_reg + 20'd1;
        if (b_failed)
            b_failed_reg <= 1'b1;
        if (b_rst) begin
            b_valid_reg    <= 1'b0;
            b_answered_reg <= 1'b0;
            b_failed_reg   <= 1'b0;
            b_passed_reg   <= 20'd0;
        end
    end

    // what a UART could say, and nobody asks here
    wire unused = &{1'b0, parity_error, break_seen, rx_idle, tx_idle, 1'b0};
endmodule
`default_nettype wire
