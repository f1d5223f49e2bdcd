// SPDX-License-Identifier: Apache-2.0
// One lane from the transceiver's receive side to decoded words: alignment and elastic buffer on the receive clock
// of the lane, decoder and synchronisation on the link's. lane_deskew reads the buffers of all lanes. With `looped`
// the words that this lane sends are decoded instead, and the receive clock may stand still.
//
// Latency: from the port to `fill` 3 to 4 words of rx_clk and 1 to 2 cycles of clk; from the head of the buffer to
// `data` 2 words.
`default_nettype none
module lane_receive #(
    parameter CHARS      = 1,
    parameter DEPTH_BITS = 5
) (
    input  wire                rx_clk,
    input  wire                rx_valid,
    input  wire [10*CHARS-1:0] rx_code,
    input  wire                rx_signal,    // the receiver hears something; of any clock

    input  wire                clk,
    /* verilator lint_off SYNCASYNCNET */   // the receive clocks' resets are made of it, asynchronously
    input  wire                rst,
    /* verilator lint_on SYNCASYNCNET */
    input  wire                en,
    input  wire [7:0]          identity,     // of the lane at the other end
    input  wire                again,        // to synchronise itself anew
    input  wire                looped,
    input  wire [10*CHARS-1:0] loop_code,
    input  wire                loop_mark,

    // the elastic buffer
    input  wire [1:0]          take,
    input  wire                flush,
    input  wire                take_valid,   // the head is a word
    output wire [DEPTH_BITS:0] fill,
    output wire                over,
    output wire                mark,

    // decoded
    output wire [8*CHARS-1:0]  data,
    output wire [CHARS-1:0]    control,
    output wire [CHARS-1:0]    bad,
    output wire                bad_word,     // pulse
    output wire                has_signal,
    output wire                synced,
    output wire                identified,
    output wire                mismatch,

    // pseudo-random bits
    input  wire                prbs,
    input  wire                prbs31,
    output wire                prbs_locked,
    output wire [15:0]         prbs_errors   // modulo 65536
);
    localparam WIDTH = 10 * CHARS;

    wire             rx_rst, hunt_rx, prbs_rx, prbs31_rx, aligned_valid, aligned_mark, locked_rx, error_rx;
    wire [WIDTH-1:0] aligned, head_code;
    wire             head_mark;
    wire [15:0]      count_rx;
    wire [CHARS-1:0] invalid, disparity;
    reg  [WIDTH-1:0] code_reg;
    reg              valid_reg, mark_reg, decoded_reg, decoded_mark_reg;

    // ---- receive clock
    cdc_reset u_reset (.clk(rx_clk), .async_rst(rst), .rst(rx_rst));
    cdc_bits #(.WIDTH(3)) u_to_rx (
        .clk(rx_clk), .rst(rx_rst), .src({!synced, prbs, prbs31}), .dst({hunt_rx, prbs_rx, prbs31_rx})
    );
    lane_align #(.CHARS(CHARS)) u_align (
        .rx_clk(rx_clk), .rx_rst(rx_rst), .in_valid(rx_valid), .in_code(rx_code), .hunt(hunt_rx),
        .valid(aligned_valid), .code(aligned), .mark(aligned_mark)
    );
    lane_prbs_check #(.WIDTH(WIDTH)) u_prbs (
        .rx_clk(rx_clk), .rx_rst(rx_rst), .enable(prbs_rx), .prbs31(prbs31_rx), .in_valid(rx_valid),
        .in_bits(rx_code), .locked(locked_rx), .error(error_rx)
    );

    // ---- across
    lane_elastic #(.WIDTH(WIDTH + 1), .DEPTH_BITS(DEPTH_BITS)) u_elastic (
        .rx_clk(rx_clk), .rx_rst(rx_rst), .wr_en(aligned_valid), .wr_word({aligned_mark, aligned}),
        .clk(clk), .rst(rst), .take(take), .flush(flush), .fill(fill), .over(over), .head({head_mark, head_code})
    );
    cdc_counter #(.WIDTH(16)) u_errors (
        .src_clk(rx_clk), .src_rst(rx_rst), .src_step(error_rx), .src_count(count_rx),
        .dst_clk(clk), .dst_rst(rst), .dst_count(prbs_errors)
    );
    cdc_bits #(.WIDTH(2)) u_to_clk (
        .clk(clk), .rst(rst), .src({rx_signal, locked_rx}), .dst({has_signal, prbs_locked})
    );
    wire unused = &{1'b0, count_rx};

    // ---- the link's clock
    assign mark     = head_mark;
    assign bad      = invalid | disparity;
    assign bad_word = decoded_reg && (|bad);

    lane_decode #(.CHARS(CHARS)) u_decode (
        .clk(clk), .rst(rst), .en(valid_reg), .code(code_reg),
        .data(data), .control(control), .invalid(invalid), .disparity(disparity)
    );
    lane_sync u_sync (
        .clk(clk), .rst(rst), .en(decoded_reg), .bad(|bad), .mark(decoded_mark_reg), .data(data[7:0]),
        .control(control[0]), .signal(has_signal || looped), .again(again), .expected(identity),
        .synced(synced), .identified(identified), .mismatch(mismatch)
    );

    always @(posedge clk) begin
        valid_reg        <= looped ? en : take_valid;
        decoded_reg      <= valid_reg;
        decoded_mark_reg <= mark_reg;
        if (en) begin
            code_reg <= looped ? loop_code : head_code;
            mark_reg <= looped ? loop_mark : head_mark;
        end
        if (rst) begin
            valid_reg   <= 1'b0;
            decoded_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
