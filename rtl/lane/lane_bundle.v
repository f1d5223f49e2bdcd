// SPDX-License-Identifier: Apache-2.0
// 1, 2, 4 or 8 serial lanes between a link and a cable: what a 10-Gigabit PHY or a transceiver's coding sublayer does,
// after IEEE 802.3 clauses 36 and 48, in plain Verilog. README.md has the drawing, the characters and the numbers.
//
//   link's words --> lane_transmit --> lane_encode --> phy_tx      10 bits a character, CHARS = BYTES / LANES a lane
//   link's words <-- lane_state <-- lane_receive <-- phy_rx        a receive clock for each lane
//                      lane_deskew: reads the lanes' buffers
//
// Words are BYTES bytes with a control bit each; byte b travels on lane b % LANES. 07 with control in all bytes is
// an idle word: nothing is sent. `en` says in which cycles of clk a word is taken, at equal distances; the
// transceiver's side may have another pace, `rx_valid`, that is equal within 600 ppm. tx_pause and what it asks of a
// link: lane_transmit.
//
// Latency without cable and skew: README.md.
`default_nettype none
`include "lane_wire.vh"
module lane_bundle #(
    parameter BYTES    = 4,      // 1, 2, 4, 8 or 16
    parameter LANES    = 1,      // 1, 2, 4 or 8; at most BYTES
    parameter INTERVAL = 510     // words between sets, 400 to 640: lane_transmit
) (
    input  wire                clk,
    /* verilator lint_off SYNCASYNCNET */   // the receive clocks' resets are made of it, asynchronously
    input  wire                rst,            // synchronous to clk, four cycles or more
    /* verilator lint_on SYNCASYNCNET */
    input  wire                en,

    // the link
    input  wire [8*BYTES-1:0]  tx_data,        // with en
    input  wire [BYTES-1:0]    tx_control,
    output wire                tx_pause,       // at its rise: leave two idle words at the end of the frame
    output wire                rx_strobe,      // a word, once for each en
    output wire [8*BYTES-1:0]  rx_data,
    output wire [BYTES-1:0]    rx_control,

    // the transceiver: lane l in bits [10 * CHARS * l +: 10 * CHARS], the first bit on the line lowest
    output wire [10*BYTES-1:0] phy_tx,         // clk, changes after en
    input  wire [LANES-1:0]    rx_clk,         // recovered clocks
    input  wire [LANES-1:0]    phy_rx_valid,   // of rx_clk: a word came
    input  wire [10*BYTES-1:0] phy_rx,         // of rx_clk
    input  wire [LANES-1:0]    phy_rx_signal,  // the receiver hears something; of any clock; 1 if nobody says so

    // clk: tests
    input  wire                loopback_near,  // what is sent is received; the receive clocks may stand
    input  wire                loopback_far,   // what is received is sent
    input  wire                prbs,           // pseudo-random bits are sent, and looked for
    input  wire                prbs31,      // PRBS-31, else PRBS-7

    // clk: status
    output wire                up,             // words of the peer pass; it may hear ours a little later (README.md)
    output wire                local_fault,    // nothing useful is received
    output wire                remote_fault,   // the peer says so of itself
    output wire                deskewed,
    output wire                late,           // the link leaves no room for sets
    output wire [LANES-1:0]    lane_signal,
    output wire [LANES-1:0]    lane_synced,
    output wire [LANES-1:0]    lane_mismatch,  // the peer's lane is another one, of another shape, or inverted
    output wire [LANES-1:0]    prbs_locked,
    output wire [16*LANES-1:0] prbs_errors,    // wrong bits, modulo 65536 a lane
    output wire [LANES-1:0]    event_bad,      // pulse: a word with a bad character
    output wire                event_added,    // pulse: a SKIP was added on the way to the link
    output wire                event_dropped,
    output wire                event_lost      // pulse: the lanes are not beside one another any more
);
    localparam CHARS      = BYTES / LANES;
    localparam WIDTH      = 10 * CHARS;
    localparam DEPTH_BITS = 5;
    localparam [1:0] LOG2_LANES = LANES == 8 ? 2'd3 : LANES == 4 ? 2'd2 : LANES == 2 ? 2'd1 : 2'd0;
    localparam [2:0] LOG2_BYTES = BYTES == 16 ? 3'd4 : BYTES == 8 ? 3'd3 : BYTES == 4 ? 3'd2 : BYTES == 2 ? 3'd1 : 3'd0;

    // A shape that does not exist stops elaboration here. With INTERVAL and a frame of 1,000 words clocks drift by less
    // than a word from set to set.
    localparam GOOD = (BYTES == 1 || BYTES == 2 || BYTES == 4 || BYTES == 8 || BYTES == 16)
                      && (LANES == 1 || LANES == 2 || LANES == 4 || LANES == 8) && LANES <= BYTES
                      && INTERVAL >= 400 && INTERVAL <= 640;
    generate
        if (!GOOD) begin : gen_bad
            lane_bundle_parameters_are_wrong u_wrong ();
        end
    endgenerate

    wire [8*BYTES-1:0]  send_data, line_data, column;
    wire [BYTES-1:0]    send_control, line_control, column_control, column_bad;
    wire                line_mark, tx_mark_now;
    reg                 mark_sent_reg, prbs_reg, prbs31_reg;
    reg                 near_skip_reg;
    reg  [30:0]         sequence_reg;
    wire [30:0]         sequence_next;
    wire [WIDTH-1:0]    sequence_bits;
    reg  [WIDTH-1:0]    prbs_bits_reg;
    wire [10*BYTES-1:0] coded;

    wire [LANES*(DEPTH_BITS+1)-1:0] fill;
    wire [2*LANES-1:0]  take;
    wire [LANES-1:0]    over, mark, flush, take_valid, identified;
    wire                locked, again, column_mark, column_skip, there, here;
    reg                 set_reg, set_2_reg, strobe_reg, strobe_2_reg, strobe_3_reg;

    // ---- transmit
    assign send_data    = loopback_far ? rx_data : tx_data;
    assign send_control = loopback_far ? rx_control : tx_control;
    assign tx_mark_now  = mark_sent_reg;

    lane_transmit #(.BYTES(BYTES), .LANES(LANES), .INTERVAL(INTERVAL)) u_transmit (
        .clk(clk), .rst(rst), .en(en), .fault(here), .train(here || there),
        .in_data(send_data), .in_control(send_control), .pause(tx_pause), .late(late),
        .out_data(line_data), .out_control(line_control), .out_mark(line_mark)
    );
    lane_prbs #(.WIDTH(WIDTH)) u_sequence (
        .prbs31(prbs31), .state(sequence_reg), .bits(sequence_bits), .next(sequence_next)
    );

    // ---- lanes
    genvar l, c;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : gen_lane
            localparam [2:0] LANE = l;
            wire [8*CHARS-1:0] data, sent;
            wire [CHARS-1:0]   control, bad, sent_control;
            for (c = 0; c < CHARS; c = c + 1) begin : gen_character
                assign sent[8*c +: 8]                   = line_data[8*(c*LANES+l) +: 8];
                assign sent_control[c]                  = line_control[c*LANES+l];
                assign column[8*(c*LANES+l) +: 8]       = data[8*c +: 8];
                assign column_control[c*LANES+l]        = control[c];
                assign column_bad[c*LANES+l]            = bad[c];
            end
            lane_encode #(.CHARS(CHARS)) u_encode (
                .clk(clk), .rst(rst), .en(en), .data(sent), .control(sent_control), .code(coded[WIDTH*l +: WIDTH])
            );
            assign phy_tx[WIDTH*l +: WIDTH] = prbs_reg ? prbs_bits_reg : coded[WIDTH*l +: WIDTH];
            lane_receive #(.CHARS(CHARS), .DEPTH_BITS(DEPTH_BITS)) u_receive (
                .rx_clk(rx_clk[l]), .rx_valid(phy_rx_valid[l]), .rx_code(phy_rx[WIDTH*l +: WIDTH]),
                .rx_signal(phy_rx_signal[l]),
                .clk(clk), .rst(rst), .en(en), .identity({LOG2_BYTES, LOG2_LANES, LANE}),
                .again(again), .looped(loopback_near), .loop_code(coded[WIDTH*l +: WIDTH]), .loop_mark(tx_mark_now),
                .take(take[2*l +: 2]), .flush(flush[l]), .take_valid(take_valid[l]),
                .fill(fill[(DEPTH_BITS+1)*l +: DEPTH_BITS+1]), .over(over[l]), .mark(mark[l]),
                .data(data), .control(control), .bad(bad), .bad_word(event_bad[l]),
                .has_signal(lane_signal[l]), .synced(lane_synced[l]), .identified(identified[l]),
                .mismatch(lane_mismatch[l]),
                .prbs(prbs_reg), .prbs31(prbs31_reg), .prbs_locked(prbs_locked[l]),
                .prbs_errors(prbs_errors[16*l +: 16])
            );
        end
    endgenerate

    // ---- receive
    lane_deskew #(.LANES(LANES), .DEPTH_BITS(DEPTH_BITS)) u_deskew (
        .clk(clk), .rst(rst || loopback_near), .en(en), .synced(lane_synced), .over(over), .fill(fill), .mark(mark),
        .take(take), .flush(flush), .valid(take_valid), .locked(locked), .column_mark(column_mark),
        .column_skip(column_skip), .added(event_added), .dropped(event_dropped), .lost(event_lost),
        .again(again)
    );

    assign deskewed = loopback_near || locked;
    wire ready = deskewed && (&lane_synced) && (&identified);

    lane_state #(.BYTES(BYTES), .LANES(LANES)) u_state (
        .clk(clk), .rst(rst), .en(strobe_2_reg), .ready(ready), .in_set(set_2_reg),
        .data(column), .control(column_control), .bad(column_bad),
        .local_fault(here), .remote_fault(there), .up(up), .out_data(rx_data), .out_control(rx_control)
    );

    assign local_fault  = here;
    assign remote_fault = there;
    assign rx_strobe    = strobe_3_reg;

    always @(posedge clk) begin
        strobe_reg     <= en;
        strobe_2_reg   <= strobe_reg;
        strobe_3_reg   <= strobe_2_reg;
        set_2_reg      <= set_reg;
        if (en) begin
            mark_sent_reg <= line_mark;
            near_skip_reg <= mark_sent_reg;
            set_reg       <= loopback_near ? mark_sent_reg || near_skip_reg : column_mark || column_skip;
            prbs_bits_reg <= sequence_bits;
            sequence_reg  <= prbs ? sequence_next : 31'h7FFFFFFF;
            prbs_reg      <= prbs;
            prbs31_reg <= prbs31;
        end
        if (rst) begin
            strobe_reg    <= 1'b0;
            strobe_2_reg  <= 1'b0;
            strobe_3_reg  <= 1'b0;
            mark_sent_reg <= 1'b0;
            near_skip_reg <= 1'b0;
            set_reg       <= 1'b0;
            set_2_reg     <= 1'b0;
            sequence_reg  <= 31'h7FFFFFFF;
            prbs_reg      <= 1'b0;
            prbs31_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
