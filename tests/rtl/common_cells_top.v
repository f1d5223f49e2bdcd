// SPDX-License-Identifier: Apache-2.0
// All cells of rtl/common side by side, for their tests.
`default_nettype none
module common_cells_top (
    input  wire        a_clk,
    input  wire        a_rst,
    input  wire        b_clk,
    input  wire        b_rst,

    // cdc_bits, cdc_reset
    input  wire [3:0]  bits_a,
    output wire [3:0]  bits_b,
    input  wire        async_rst,
    output wire        reset_b,

    // cdc_counter: a to b
    input  wire        count_step,
    output wire [4:0]  count_a,
    output wire [4:0]  count_b,
    output wire [4:0]  count_crossing,  // what leaves domain a

    // cdc_pulse: a to b
    input  wire        pulse_a,
    output wire        pulse_b,

    // cdc_request: a asks, b answers
    input  wire        request_a,
    input  wire [15:0] argument_a,
    output wire        done_a,
    output wire [15:0] answer_a,
    output wire        request_b,
    output wire [15:0] argument_b,
    input  wire        done_b,
    input  wire [15:0] answer_b,

    // register_crossing: a asks, registers of b answer
    input  wire        crossing_valid,
    input  wire        crossing_write,
    input  wire [3:0]  crossing_address,
    input  wire [31:0] crossing_wdata,
    output wire        crossing_ack,
    output wire [31:0] crossing_rdata,
    output wire        crossing_error,
    output wire        crossed_valid,
    output wire        crossed_write,
    output wire [3:0]  crossed_address,
    output wire [31:0] crossed_wdata,
    input  wire [31:0] crossed_rdata,
    input  wire        crossed_error,

    // link_timer, clk a
    input  wire        timer_restart,
    input  wire [23:0] timer_cycles,
    input  wire        timer_run,
    output wire        timer_tick,
    output wire        timer_expired,

    // ram_dual_clock: a writes, b reads; ram_small: a writes
    input  wire        ram_write,
    input  wire [4:0]  ram_write_address,
    input  wire [31:0] ram_write_data,
    input  wire        ram_read,
    input  wire [4:0]  ram_read_address,
    output wire [31:0] ram_data,
    output wire [31:0] ram_small_data,

    // ram_small_secded, clk a: the same addresses
    input  wire        coded_write,
    input  wire [9:0]  coded_write_data,
    input  wire [17:0] coded_flip,
    output wire [9:0]  coded_data,
    output wire        coded_single,
    output wire        coded_uncorrectable,
    // ram_dual_clock_secded, clk a: the same words, and secded_data with secded_flip; ram_word_secded: the latter
    output wire [9:0]  clocked_data,
    output wire        clocked_single,
    output wire        clocked_uncorrectable,
    output wire [63:0] clocked_word,
    output wire        clocked_word_single,
    output wire        clocked_word_uncorrectable,
    output wire [63:0] word_data,
    output wire        word_single,
    output wire        word_uncorrectable,
    // ram_dual_clock_secded, ram_word_secded with STAGES: the same, a cycle later
    output wire [9:0]  staged_data,
    output wire        staged_single,
    output wire        staged_uncorrectable,
    output wire [63:0] staged_clocked_word,
    output wire        staged_clocked_word_single,
    output wire        staged_clocked_word_uncorrectable,
    output wire [63:0] staged_word,
    output wire        staged_word_single,
    output wire        staged_word_uncorrectable,

    // register_parity, clk a
    input  wire [7:0]  parity_next,
    input  wire        parity_flip,
    output wire [7:0]  parity_value,
    output wire        parity_wrong,

    // arbiter_round_robin, clk a, two widths
    input  wire [7:0]  arbiter_request,
    input  wire        arbiter_take,
    output wire [7:0]  arbiter_grant,
    output wire [2:0]  arbiter_grant_3,

    // crc32c, clk a; crc16_byte
    input  wire        crc_en,
    input  wire        crc_first,
    input  wire [31:0] crc_data,
    output wire [31:0] crc,
    input  wire [7:0]  crc16_data,
    output wire [15:0] crc16,

    // secded_encode, secded_decode; crc32c_beat
    input  wire [63:0] secded_data,
    input  wire [71:0] secded_flip,
    output wire [7:0]  secded_check,
    output wire [63:0] secded_corrected,
    output wire [7:0]  secded_corrected_check,
    output wire        secded_single,
    output wire        secded_uncorrectable,
    input  wire [31:0] beat_crc,
    input  wire [127:0] beat_data,
    output wire [31:0] beat_after_12,
    output wire [31:0] beat_after_16
);
    cdc_bits #(.WIDTH(4)) u_bits (.clk(b_clk), .rst(b_rst), .src(bits_a), .dst(bits_b));

    cdc_reset u_reset (.clk(b_clk), .async_rst(async_rst), .rst(reset_b));

    cdc_counter #(.WIDTH(5)) u_counter (
        .src_clk(a_clk), .src_rst(a_rst), .src_step(count_step), .src_count(count_a),
        .dst_clk(b_clk), .dst_rst(b_rst), .dst_count(count_b)
    );
    // The one place where a cell is looked into: that this changes by single bits is all that makes it
    // safe, and simulated flip-flops always catch whole numbers.
    assign count_crossing = u_counter.u_sync.src;

    cdc_pulse u_pulse (
        .src_clk(a_clk), .src_rst(a_rst), .src_pulse(pulse_a),
        .dst_clk(b_clk), .dst_rst(b_rst), .dst_pulse(pulse_b)
    );

    cdc_request #(.ARGUMENT_WIDTH(16), .ANSWER_WIDTH(16)) u_request (
        .src_clk(a_clk), .src_rst(a_rst), .src_request(request_a), .src_argument(argument_a),
        .src_done(done_a), .src_answer(answer_a),
        .dst_clk(b_clk), .dst_rst(b_rst), .dst_request(request_b), .dst_argument(argument_b),
        .dst_done(done_b), .dst_answer(answer_b)
    );

    register_crossing #(.ADDRESS_BITS(4)) u_crossing (
        .clk(a_clk), .rst(a_rst), .valid(crossing_valid), .write(crossing_write), .address(crossing_address),
        .wdata(crossing_wdata), .ack(crossing_ack), .rdata(crossing_rdata), .error(crossing_error),
        .dst_clk(b_clk), .dst_rst(b_rst), .reg_valid(crossed_valid), .reg_write(crossed_write),
        .reg_address(crossed_address), .reg_wdata(crossed_wdata), .reg_rdata(crossed_rdata), .reg_error(crossed_error)
    );

    link_timer u_timer (
        .clk(a_clk), .rst(a_rst), .restart(timer_restart), .cycles(timer_cycles), .run(timer_run), .tick(timer_tick),
        .expired(timer_expired)
    );

    ram_dual_clock #(.WIDTH(32), .ADDRESS_BITS(5)) u_ram (
        .wr_clk(a_clk), .wr_en(ram_write), .wr_address(ram_write_address), .wr_data(ram_write_data),
        .rd_clk(b_clk), .rd_en(ram_read), .rd_clear(1'b0), .rd_address(ram_read_address), .rd_data(ram_data)
    );

    ram_small #(.WIDTH(32), .ADDRESS_BITS(5)) u_small (
        .clk(a_clk), .wr_en(ram_write), .wr_address(ram_write_address), .wr_data(ram_write_data),
        .rd_address(ram_read_address), .rd_data(ram_small_data)
    );

    ram_small_secded #(.WIDTH(10), .ADDRESS_BITS(5)) u_coded (
        .clk(a_clk), .wr_en(coded_write), .wr_address(ram_write_address), .wr_data(coded_write_data), .flip(coded_flip),
        .rd_en(ram_read), .rd_address(ram_read_address), .rd_data(coded_data), .single(coded_single),
        .uncorrectable(coded_uncorrectable)
    );

    ram_dual_clock_secded #(.WIDTH(10), .ADDRESS_BITS(5)) u_clocked (
        .wr_clk(a_clk), .wr_en(coded_write), .wr_address(ram_write_address), .wr_data(coded_write_data),
        .flip(coded_flip), .rd_clk(a_clk), .rd_en(1'b1), .rd_address(ram_read_address), .look(ram_read),
        .rd_data(clocked_data), .single(clocked_single), .uncorrectable(clocked_uncorrectable)
    );

    ram_dual_clock_secded #(.WIDTH(64), .ADDRESS_BITS(5)) u_clocked_word (
        .wr_clk(a_clk), .wr_en(coded_write), .wr_address(ram_write_address), .wr_data(secded_data),
        .flip(secded_flip), .rd_clk(a_clk), .rd_en(1'b1), .rd_address(ram_read_address), .look(ram_read),
        .rd_data(clocked_word), .single(clocked_word_single), .uncorrectable(clocked_word_uncorrectable)
    );

    ram_word_secded #(.ADDRESS_BITS(5)) u_word (
        .clk(a_clk), .wr_en(coded_write), .wr_address(ram_write_address), .wr_data(secded_data), .flip(secded_flip),
        .rd_en(ram_read), .rd_address(ram_read_address), .rd_data(word_data), .single(word_single),
        .uncorrectable(word_uncorrectable)
    );

    ram_dual_clock_secded #(.WIDTH(10), .ADDRESS_BITS(5), .STAGES(1)) u_staged (
        .wr_clk(a_clk), .wr_en(coded_write), .wr_address(ram_write_address), .wr_data(coded_write_data),
        .flip(coded_flip), .rd_clk(a_clk), .rd_en(1'b1), .rd_address(ram_read_address), .look(ram_read),
        .rd_data(staged_data), .single(staged_single), .uncorrectable(staged_uncorrectable)
    );

    ram_dual_clock_secded #(.WIDTH(64), .ADDRESS_BITS(5), .STAGES(1)) u_staged_clocked_word (
        .wr_clk(a_clk), .wr_en(coded_write), .wr_address(ram_write_address), .wr_data(secded_data),
        .flip(secded_flip), .rd_clk(a_clk), .rd_en(1'b1), .rd_address(ram_read_address), .look(ram_read),
        .rd_data(staged_clocked_word), .single(staged_clocked_word_single),
        .uncorrectable(staged_clocked_word_uncorrectable)
    );

    ram_word_secded #(.ADDRESS_BITS(5), .STAGES(1)) u_staged_word (
        .clk(a_clk), .wr_en(coded_write), .wr_address(ram_write_address), .wr_data(secded_data), .flip(secded_flip),
        .rd_en(ram_read), .rd_address(ram_read_address), .rd_data(staged_word), .single(staged_word_single),
        .uncorrectable(staged_word_uncorrectable)
    );

    register_parity #(.WIDTH(8)) u_parity (
        .clk(a_clk), .next(parity_next), .flip(parity_flip), .value(parity_value), .wrong(parity_wrong)
    );

    arbiter_round_robin #(.WIDTH(8)) u_arbiter (
        .clk(a_clk), .rst(a_rst), .request(arbiter_request), .take(arbiter_take), .grant(arbiter_grant)
    );

    arbiter_round_robin #(.WIDTH(3)) u_arbiter_3 (
        .clk(a_clk), .rst(a_rst), .request(arbiter_request[2:0]), .take(arbiter_take), .grant(arbiter_grant_3)
    );

    crc32c u_crc (.clk(a_clk), .en(crc_en), .first(crc_first), .data(crc_data), .crc(crc));

    crc16_byte u_crc16 (.data(crc16_data), .crc(crc16));

    secded_encode u_secded (.data(secded_data), .check(secded_check));

    secded_decode u_secded_decode (
        .data(secded_data ^ secded_flip[63:0]), .check(secded_check ^ secded_flip[71:64]),
        .corrected(secded_corrected), .corrected_check(secded_corrected_check),
        .single(secded_single), .uncorrectable(secded_uncorrectable)
    );

    crc32c_beat u_crc_beat (.crc(beat_crc), .data(beat_data), .after_12(beat_after_12), .after_16(beat_after_16));
endmodule
`default_nettype wire
