// SPDX-License-Identifier: Apache-2.0
// Posted-write port out: takes packets that have a credit from the six links' receive buffers, round
// robin over the links and over the channels of each, and writes them to the node's memory, eight
// beats a packet, never interleaved; then, if the packet completed its credit, one notification
// beat. Seed 004 section 6 ("After an arbiter provided a grant, data are moved to their destination
// and the processor gets notified").
//
// A three-stage pipeline, each stage one cycle: A asks the link for a beat, B has it at the link's
// memory output, then the port's registers. First beat on the port 3 cycles after the packet is
// seen waiting with a credit. Lines follow one another without a gap; one cycle is lost between
// two lines of one link, and two when nothing but the same channel has anything.
//
//   cycle      0    1    2    3    4   ..   8    9    10   11
//   choice     X                       ..   Y
//   A               X0   X1   X2   X3  ..   X7   Y0   Y1   Y2
//   B                    X0   X1   X2  ..   X6   X7   Y0   Y1     pop of X in the cycle X7 leaves B
//   port                      X0   X1  ..   X5   X6   X7   Y0
//
// While the port stalls, B's beat is asked for again every cycle, so nothing needs to be stored.
`default_nettype none
module qpace_pw_out (
    input  wire         clk,
    input  wire         rst,

    // receive side of the six links
    input  wire [47:0]  rx_waiting,       // 8 * link + vc
    output reg  [17:0]  rx_vc,            // 3 bits a link
    output wire [2:0]   rx_beat,          // all links
    input  wire [767:0] rx_data,          // 128 bits a link
    input  wire [89:0]  rx_offset,        // 15 bits a link
    output reg  [5:0]   rx_pop,

    // credits
    input  wire [47:0]  credit,
    output wire [5:0]   head_channel,
    input  wire [31:0]  head_destination,
    output wire [5:0]   line_channel,
    input  wire         line_completes,
    input  wire [31:0]  line_count,
    output wire         line_done,
    output reg          line_last,

    // registers
    input  wire         notify_enable,
    input  wire [31:0]  notify_base,      // units of 128 B

    // the port
    output reg          pw_out_valid,
    input  wire         pw_out_ready,
    output wire [38:0]  pw_out_addr,
    output reg  [127:0] pw_out_data,
    output reg          pw_out_last,
    output reg          pw_out_notify,

    output wire         obs_idle
);
    localparam [3:0] LAST = 4'd7, NOTIFY = 4'd8;

    // stage A: beat being asked for; its channel stays when the stage empties
    reg         a_valid;
    reg  [2:0]  a_link, a_vc;
    reg  [3:0]  a_beat;
    // stage B: beat at the links' outputs
    reg         b_valid;
    reg  [2:0]  b_link, b_vc;
    reg  [3:0]  b_beat;
    reg  [31:0] line_base;                // of the line on the port, units of 128 B
    reg  [2:0]  line_beat;

    wire        free     = !pw_out_valid || pw_out_ready;
    wire        b_move   = b_valid && free;
    wire        b_hold   = b_valid && !free;
    wire        b_pop    = b_move && b_beat == LAST;
    // a pop borrows rx_vc of its link for a cycle
    wire        conflict = b_pop && a_beat == 4'd0 && a_link == b_link;
    wire        a_move   = a_valid && !b_hold && !conflict;
    // line_last was found when the line's first beat was in B, long before it matters here
    wire        a_end    = a_beat == NOTIFY || (a_beat == LAST && !(line_last && notify_enable));
    wire        a_take   = !a_valid || (a_move && a_end);

    // The choice. The channel in the pipeline is left out: its packet is about to be popped.
    wire [5:0]  hide_link = (a_valid || b_valid) ? 6'd1 << a_link : 6'd0;
    wire [7:0]  hide_vc   = 8'd1 << a_vc;
    wire [5:0]  link_request, link_grant;
    wire [47:0] vc_grant;
    wire        found     = link_request != 6'd0;
    reg  [2:0]  choice_link, choice_vc;
    integer     j, k;

    genvar i;
    generate
        for (i = 0; i < 6; i = i + 1) begin : g_link
            wire [7:0] request = rx_waiting[8*i +: 8] & credit[8*i +: 8] & ~(hide_link[i] ? hide_vc : 8'd0);
            assign link_request[i] = request != 8'd0;
            arbiter_round_robin #(.WIDTH(8)) vc_arbiter (
                .clk(clk), .rst(rst), .request(request), .take(a_take && link_grant[i]),
                .grant(vc_grant[8*i +: 8]));
        end
    endgenerate

    arbiter_round_robin #(.WIDTH(6)) link_arbiter (
        .clk(clk), .rst(rst), .request(link_request), .take(a_take), .grant(link_grant));

    always @* begin
        choice_link = 3'd0;
        choice_vc   = 3'd0;
        for (j = 0; j < 6; j = j + 1) begin
            if (link_grant[j])
                choice_link = choice_link | j[2:0];
            for (k = 0; k < 8; k = k + 1)
                if (link_grant[j] && vc_grant[8*j + k])
                    choice_vc = choice_vc | k[2:0];
        end
    end

    // what the links see, and what the selected one answers
    reg  [127:0] b_data;
    reg  [14:0]  b_offset;
    integer      n;

    assign rx_beat      = b_hold ? b_beat[2:0] : a_beat[2:0];
    assign head_channel = {a_link, a_vc};
    assign line_channel = {b_link, b_vc};
    assign line_done    = b_pop;

    always @* begin
        rx_vc  = {6{a_vc}};
        rx_pop = 6'd0;
        for (n = 0; n < 6; n = n + 1)
            if (b_link == n[2:0]) begin
                rx_pop[n] = b_pop;
                if (b_hold || b_pop)
                    rx_vc[3*n +: 3] = b_vc;
            end
    end

    wire         b_notify = b_beat[3];

    // One mux for all: an eight-way one costs no more than a six-way one.
    always @* begin
        b_data   = {64'd0, 21'd0, b_link, 5'd0, b_vc, line_count};
        b_offset = rx_offset[14:0];
        case (b_notify ? 3'd7 : b_link)
            3'd0: {b_offset, b_data} = {rx_offset[0 +: 15], rx_data[0 +: 128]};
            3'd1: {b_offset, b_data} = {rx_offset[15 +: 15], rx_data[128 +: 128]};
            3'd2: {b_offset, b_data} = {rx_offset[30 +: 15], rx_data[256 +: 128]};
            3'd3: {b_offset, b_data} = {rx_offset[45 +: 15], rx_data[384 +: 128]};
            3'd4: {b_offset, b_data} = {rx_offset[60 +: 15], rx_data[512 +: 128]};
            3'd5: {b_offset, b_data} = {rx_offset[75 +: 15], rx_data[640 +: 128]};
            default: b_offset = {12'd0, b_link};   // notifications of a link share a line
        endcase
    end

    assign pw_out_addr = {line_base, line_beat, 4'd0};
    assign obs_idle    = !a_valid && !b_valid && !pw_out_valid && !found;

    always @(posedge clk) begin
        if (a_take) begin
            a_valid <= found;
            a_beat  <= 4'd0;
            if (found) begin
                a_link <= choice_link;
                a_vc   <= choice_vc;
            end
        end else if (a_move)
            a_beat <= a_beat + 4'd1;

        if (!b_hold)
            b_valid <= a_move;
        if (a_move) begin
            b_link <= a_link;
            b_vc   <= a_vc;
            b_beat <= a_beat;
        end

        if (b_valid && b_beat == 4'd0)
            line_last <= line_completes;

        if (free)
            pw_out_valid <= b_valid;
        if (b_move) begin
            pw_out_data   <= b_data;
            pw_out_last   <= b_notify || b_beat == LAST;
            pw_out_notify <= b_notify;
            line_beat     <= b_notify ? b_vc : b_beat[2:0];
            if (b_notify || b_beat == 4'd0)
                line_base <= (b_notify ? notify_base : head_destination) + {17'd0, b_offset};
        end

        if (rst) begin
            a_valid      <= 1'b0;
            b_valid      <= 1'b0;
            pw_out_valid <= 1'b0;
        end
    end
endmodule
`default_nettype wire
