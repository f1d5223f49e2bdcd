// SPDX-License-Identifier: Apache-2.0
// What a board does that tests cables of QCDOC links: ENDS ends of links (qcdoc_tester), each cabled to another one,
// behind one serial line. Even ends run on a_clk, odd ones on b_clk, so that two of different parity have clocks of
// their own. A board's top adds clocks, samples of its pins, and nothing else.
//
//   rxd, txd <--> board_line ---+--> registers of the board      0x00 to 0x02
//                 (a_clk)       +--> ends A, C, E                0x40, 0x50, 0x60: 16 registers each
//                               |    their signals, captured     0x70
//                               +--> crossing --> ends B, D, F   0x80, 0x90, 0xA0
//                                    their signals, captured     0xB0
//
// An address without a register is answered by an error.
//
// LEDs: {clock, out of reset, a wrong word arrived at an odd end, at an even end (latched), good words arrive at the
// odd ends, at the even ones (blinking), all odd ends are UP, all even ones are UP}.
`default_nettype none
`include "qcdoc_probe.vh"
module qcdoc_cable_tester #(
    parameter        ENDS        = 2,          // 2, 4 or 6
    parameter [31:0] IDENTITY    = 32'd0,      // of the board
    parameter [31:0] SOURCE_HASH = 32'd0,      // of the sources this was built from: the host's program compares it
    parameter [15:0] BAUD_CYCLES = 16'd50,     // of a_clk
    parameter        CAPTURE     = 0           // 1: signals of an end of each clock are captured (signal_capture)
) (
    input  wire       a_clk,
    input  wire       a_rst,
    input  wire       b_clk,
    input  wire       b_rst,
    input  wire       rxd,
    output wire       txd,
    input  wire [4*ENDS-1:0] samples,          // of end i's pin at [4*i +: 4], on its clock
    output wire [ENDS-1:0]   serial_out,
    output reg  [7:0] led
);
    localparam PAIRS = ENDS / 2;

    // the serial line, and whom a request is for
    wire        valid, write, ack, error;
    wire [7:0]  address;
    wire [31:0] wdata, rdata;
    wire        for_a = address[7:6] == 2'd1;
    wire        for_b = address[7:6] == 2'd2;
    board_line #(.IDENTITY(IDENTITY), .SOURCE_HASH(SOURCE_HASH), .BAUD_CYCLES(BAUD_CYCLES)) host (
        .clk(a_clk), .rst(a_rst), .rxd(rxd), .txd(txd), .valid(valid), .write(write), .address(address),
        .wdata(wdata), .ack(ack), .rdata(rdata), .error(error));

    // of the ends, in pairs, and behind them what is captured of them
    wire [3:0]   a_error, b_error;
    wire [127:0] a_rdata, b_rdata;
    wire [`QCDOC_PROBE_WIDTH*PAIRS-1:0] a_probes, b_probes;
    wire [PAIRS-1:0] a_passed, a_failed, a_up, b_passed, b_failed, b_up;

    // a request of odd ends crosses to their clock, and its answer comes back
    wire        b_asked, b_write, b_ack, b_answer_error;
    wire [5:0]  b_address;
    wire [31:0] b_wdata, b_answer;
    register_crossing #(.ADDRESS_BITS(6)) crossing (
        .clk(a_clk), .rst(a_rst), .valid(valid && for_b), .write(write), .address(address[5:0]), .wdata(wdata),
        .ack(b_ack), .rdata(b_answer), .error(b_answer_error),
        .dst_clk(b_clk), .dst_rst(b_rst), .reg_valid(b_asked), .reg_write(b_write), .reg_address(b_address),
        .reg_wdata(b_wdata), .reg_rdata(b_rdata[32*b_address[5:4] +: 32]), .reg_error(b_error[b_address[5:4]]));

    // where there is no pair, every access is an error
    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : gen_pair
            if (i < PAIRS) begin : gen_ends
                localparam [31:0] EVEN = 2 * i, ODD = 2 * i + 1;
                wire [1:0] a_state, b_state;
                assign a_up[i] = a_state == 2'd2;
                assign b_up[i] = b_state == 2'd2;
                qcdoc_tester a (
                    .clk(a_clk), .rst(a_rst), .port(EVEN[3:0]), .serial_out(serial_out[2*i]),
                    .samples(samples[8*i +: 4]), .reg_valid(valid && for_a && address[5:4] == i), .reg_write(write),
                    .reg_address(address[3:0]), .reg_wdata(wdata), .reg_rdata(a_rdata[32*i +: 32]),
                    .reg_error(a_error[i]), .state(a_state), .passed(a_passed[i]), .failed(a_failed[i]),
                    .probe(a_probes[`QCDOC_PROBE_WIDTH*i +: `QCDOC_PROBE_WIDTH]));
                qcdoc_tester b (
                    .clk(b_clk), .rst(b_rst), .port(ODD[3:0]), .serial_out(serial_out[2*i+1]),
                    .samples(samples[8*i+4 +: 4]), .reg_valid(b_asked && b_address[5:4] == i),
                    .reg_write(b_write), .reg_address(b_address[3:0]), .reg_wdata(b_wdata),
                    .reg_rdata(b_rdata[32*i +: 32]), .reg_error(b_error[i]), .state(b_state),
                    .passed(b_passed[i]), .failed(b_failed[i]),
                    .probe(b_probes[`QCDOC_PROBE_WIDTH*i +: `QCDOC_PROBE_WIDTH]));
            end else if (i == 3 && CAPTURE != 0) begin : gen_capture
                signal_capture #(
                    .WIDTH(`QCDOC_PROBE_WIDTH), .SOURCES(PAIRS), .SIGNALS(`QCDOC_PROBE_SIGNALS)
                ) a (
                    .clk(a_clk), .rst(a_rst), .probes(a_probes), .reg_valid(valid && for_a && address[5:4] == i),
                    .reg_write(write), .reg_address(address[3:0]), .reg_wdata(wdata),
                    .reg_rdata(a_rdata[32*i +: 32]), .reg_error(a_error[i]));
                signal_capture #(
                    .WIDTH(`QCDOC_PROBE_WIDTH), .SOURCES(PAIRS), .SIGNALS(`QCDOC_PROBE_SIGNALS)
                ) b (
                    .clk(b_clk), .rst(b_rst), .probes(b_probes), .reg_valid(b_asked && b_address[5:4] == i),
                    .reg_write(b_write), .reg_address(b_address[3:0]), .reg_wdata(b_wdata),
                    .reg_rdata(b_rdata[32*i +: 32]), .reg_error(b_error[i]));
            end else begin : gen_none
                assign {a_error[i], b_error[i]} = 2'b11;
                assign a_rdata[32*i +: 32] = 32'd0;
                assign b_rdata[32*i +: 32] = 32'd0;
            end
        end
    endgenerate

    assign ack   = for_b ? b_ack : valid;
    assign rdata = for_a ? a_rdata[32*address[5:4] +: 32] : b_answer;
    assign error = for_a ? a_error[address[5:4]] : !for_b || b_answer_error;

    reg  [19:0] a_passed_reg, b_passed_reg;
    reg  [25:0] beat_reg;
    reg         a_failed_reg, b_failed_reg, b_up_reg;
    wire [3:0]  b_shown;
    cdc_bits #(.WIDTH(4)) show (
        .clk(a_clk), .rst(a_rst), .src({b_rst, b_failed_reg, b_passed_reg[19], b_up_reg}), .dst(b_shown));

    always @(posedge a_clk) begin
        beat_reg     <= beat_reg + 26'd1;
        if (|a_passed)
            a_passed_reg <= a_passed_reg + 20'd1;
        if (|a_failed)
            a_failed_reg <= 1'b1;
        led <= {beat_reg[25], !b_shown[3], b_shown[2], a_failed_reg, b_shown[1], a_passed_reg[19], b_shown[0], &a_up};
        if (a_rst) begin
            a_failed_reg <= 1'b0;
            a_passed_reg <= 20'd0;
            beat_reg     <= 26'd0;
        end
    end

    always @(posedge b_clk) begin
        b_up_reg <= &b_up;
        if (|b_passed)
            b_passed_reg <= b_passed_reg + 20'd1;
        if (|b_failed)
            b_failed_reg <= 1'b1;
        if (b_rst) begin
            b_failed_reg <= 1'b0;
            b_passed_reg <= 20'd0;
            b_up_reg     <= 1'b0;
        end
    end

    // where nothing is captured
    wire unused = &{1'b0, a_probes, b_probes, 1'b0};

    initial begin
        if (ENDS != 2 && ENDS != 4 && ENDS != 6) begin
            $display("qcdoc_cable_tester: ENDS is 2, 4 or 6");
            $finish;
        end
    end
endmodule
`default_nettype wire
