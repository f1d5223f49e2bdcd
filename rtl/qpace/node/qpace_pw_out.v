// SPDX-License-Identifier: Apache-2.0
// Posted-write port out: takes packets that have a credit from the six links' receive buffers, round
// robin over the links and over the channels of each, and writes them to the node's memory, 2^BEAT_BITS
// beats a packet (eight of 16 bytes, or four of 32), never interleaved; then, if the packet completed its
// credit, one notification beat: 16 bytes, of a beat of 32 those that its address names (both halves have
// them). [QPACE2009] section 6 ("After an arbiter provided a grant, data are moved to their destination
// and the processor gets notified").
//
// A pipeline, each stage one cycle: a link is chosen, then a channel of it; A asks the link for a
// beat, B has it at the link's memory output, then the port's registers. First beat on the port 4
// cycles after the packet is seen waiting with a credit. Lines follow one another without a gap; one
// cycle is lost between two lines of one link, and two or three when nothing but the same channel
// has anything.
//
//   cycle      0    1    2    3    4    5   ..   9    10   11   12     (BEAT_BITS = 3)
//   link       X         Y
//   channel         X                       ..   Y
//   A                    X0   X1   X2   X3  ..   X7   Y0   Y1   Y2
//   B                         X0   X1   X2  ..   X6   X7   Y0   Y1    pop of X as X7 leaves B
//   port                           X0   X1  ..   X5   X6   X7   Y0
//
// A line that lies outside of its credit goes through the stages and not to the port.
//
// While the port stalls, B's beat is asked for again every cycle, so nothing needs to be stored.
//
// With STAGES, for FPGAs, there is a stage C between B and the port, of registers (qpace_pw_out_slice): memories'
// outputs end there, and B need not know whether the port takes a beat. All is a cycle later, and two are lost between
// two lines of one link.
`default_nettype none
module qpace_pw_out #(
    parameter BEAT_BITS = 3,
    parameter STAGES    = 0
) (
    input  wire         clk,
    input  wire         rst,

    // receive side of the six links
    input  wire [47:0]  rx_waiting,       // 8 * link + vc
    output reg  [17:0]  rx_vc,            // 3 bits a link
    output wire [BEAT_BITS-1:0] rx_beat,  // all links
    input  wire [6*(1024>>BEAT_BITS)-1:0] rx_data,   // a beat a link
    input  wire [89:0]  rx_offset,        // 15 bits a link
    output wire [5:0]   rx_mute,          // all links but the one that is asked answer 0
    output reg  [5:0]   rx_pop,

    // credits
    input  wire [47:0]  credit,
    output wire [5:0]   head_channel,
    input  wire [31:0]  head_destination,
    output wire [5:0]   line_channel,
    input  wire         line_completes,
    output wire [14:0]  line_offset,      // with line_outside, of the line whose first beat is in C
    input  wire         line_outside,     // it is to be dropped
    input  wire [31:0]  line_count,
    output wire         line_done,
    output reg          line_last,

    // The credits of cancel_channel are dropped (a pulse): if a line of it is on its way, it is
    // finished, and line_cancelled comes with its line_done.
    input  wire         cancel,
    input  wire [5:0]   cancel_channel,
    output wire         cancel_active,    // such a line is on its way; combinational
    output wire         line_cancelled,

    // a line was dropped: where from, and its offset
    output reg          outside,          // pulse
    output wire [31:0]  outside_info,     // as the address of the posted write that sent it

    // registers
    input  wire         notify_enable,
    input  wire [31:0]  notify_base,      // units of 128 B

    // the port
    output reg          pw_out_valid,
    input  wire         pw_out_ready,
    output wire [38:0]  pw_out_addr,
    output reg  [(1024>>BEAT_BITS)-1:0] pw_out_data,
    output reg          pw_out_last,
    output reg          pw_out_notify,

    output wire         obs_idle
);
    localparam               W     = 1024 >> BEAT_BITS;   // bits of a beat
    localparam [BEAT_BITS:0] FIRST = 0, ONE = 1, NOTIFY = 1 << BEAT_BITS, LAST = NOTIFY - 1;

    // stage A: beat being asked for; its channel stays when the stage empties
    reg         a_valid;
    reg  [2:0]  a_link, a_vc;
    reg  [BEAT_BITS:0] a_beat;
    // stage B: beat at the links' outputs
    reg         b_valid;
    reg  [2:0]  b_link, b_vc;
    reg  [BEAT_BITS:0] b_beat;
    // stage C: beat before the port's registers; without STAGES it is B
    wire        c_valid, c_cancelled, c_match;
    wire [2:0]  c_link, c_vc;
    wire [BEAT_BITS:0] c_beat;
    wire [14:0] c_offset;
    wire [W-1:0] c_data;
    reg  [31:0] line_base;                // of the line on the port, units of 128 B
    reg  [2:0]  line_beat;                // in units of 16 bytes
    reg         drop_reg;                 // the line in C, beyond its first beat, is dropped
    reg  [14:0] dropped_offset;
    wire        c_first  = c_beat == FIRST;
    wire        drop     = c_first ? line_outside : drop_reg && !c_beat[BEAT_BITS];

    wire        free     = !pw_out_valid || pw_out_ready;
    wire        c_move   = c_valid && free;
    wire        b_free;                   // B's beat goes on
    wire        b_move   = b_valid && b_free;
    wire        b_hold   = b_valid && !b_free;
    reg         b_last;                   // it is the line's last
    wire        b_pop    = b_move && b_last;
    // The pop, with STAGES a cycle later. It borrows rx_vc of its link for a cycle.
    wire        pop;
    wire [2:0]  pop_link, pop_vc;
    wire        conflict = a_beat == FIRST && ((b_pop && a_link == b_link) || (pop && a_link == pop_link));
    wire        a_move   = a_valid && !b_hold && !conflict;
    // line_last was found when the line's first beat was in C, before it matters here
    wire        a_end    = a_beat == NOTIFY || (a_beat == LAST && !(line_last && notify_enable));
    wire        a_take   = !a_valid || (a_move && a_end);

    // The choice, in two steps: first a link, ahead of its turn, then a channel of it. The channel
    // in the pipeline is left out of the second: its packet is about to be popped.
    wire [5:0]  any;                      // links with a packet that has a credit
    reg         link_valid;
    reg  [2:0]  link;                     // whose turn is next
    wire [2:0]  link_next;
    wire        link_found;
    wire        hide     = (a_valid || b_valid || c_valid) && a_link == link;
    reg  [7:0]  asking;                   // its channels
    reg  [2:0]  last_vc;                  // of link, served last
    wire [2:0]  vc;
    wire        vc_found;
    wire        found    = link_valid && vc_found;

    reg  [17:0] served;                   // the channel of each link served last
    integer     k;

    genvar i;
    generate
        for (i = 0; i < 6; i = i + 1) begin : g_any
            assign any[i] = (rx_waiting[8*i +: 8] & credit[8*i +: 8]) != 8'd0;
        end
    endgenerate

    select_next #(.N(6), .WIDTH(3)) link_select (
        .request(any), .last(link), .found(link_found), .choice(link_next));

    always @* begin
        case (link)
            3'd0:    {last_vc, asking} = {served[2:0],   rx_waiting[7:0]   & credit[7:0]};
            3'd1:    {last_vc, asking} = {served[5:3],   rx_waiting[15:8]  & credit[15:8]};
            3'd2:    {last_vc, asking} = {served[8:6],   rx_waiting[23:16] & credit[23:16]};
            3'd3:    {last_vc, asking} = {served[11:9],  rx_waiting[31:24] & credit[31:24]};
            3'd4:    {last_vc, asking} = {served[14:12], rx_waiting[39:32] & credit[39:32]};
            default: {last_vc, asking} = {served[17:15], rx_waiting[47:40] & credit[47:40]};
        endcase
        if (hide)
            asking[a_vc] = 1'b0;
    end

    select_next #(.N(8), .WIDTH(3)) vc_select (
        .request(asking), .last(last_vc), .found(vc_found), .choice(vc));

    // what the links see, and what the selected one answers
    wire [2*W-1:0] b_data;                // of links 0 to 2, and of 3 to 5
    wire [29:0]  b_offset;
    integer      n;

    assign rx_mute      = ~(6'd1 << (b_hold ? b_link : a_link));
    assign rx_beat      = b_hold ? b_beat[BEAT_BITS-1:0] : a_beat[BEAT_BITS-1:0];
    assign head_channel = {a_link, a_vc};
    assign line_channel = {c_link, c_vc};
    // One that is dropped is not counted, so that its credit never looks complete; a cancelled credit ends with it.
    assign line_done    = c_move && c_beat == LAST && (!drop_reg || c_cancelled);
    assign line_offset  = c_offset;
    assign outside_info = {4'd0, c_link, c_vc, dropped_offset, 7'd0};

    // a notification is not part of a line: its credit is complete
    reg          a_cancelled, b_cancelled;
    wire         a_match = a_valid && !a_beat[BEAT_BITS] && head_channel == cancel_channel;
    wire         b_match = b_valid && !b_beat[BEAT_BITS] && {b_link, b_vc} == cancel_channel;

    assign cancel_active  = a_match || b_match || c_match;
    assign line_cancelled = c_cancelled;

    always @* begin
        n      = 0;
        rx_vc  = {6{a_vc}};
        rx_pop = 6'd0;
        for (n = 0; n < 6; n = n + 1)
            if (b_link == n[2:0] && b_hold)
                rx_vc[3*n +: 3] = b_vc;
        for (n = 0; n < 6; n = n + 1)
            if (pop_link == n[2:0] && pop) begin
                rx_pop[n]       = 1'b1;
                rx_vc[3*n +: 3] = pop_vc;
            end
    end

    wire         c_notify = c_beat[BEAT_BITS];

    // all but one of them are 0
    assign b_offset = {rx_offset[59:45] | rx_offset[74:60] | rx_offset[89:75],
                       rx_offset[14:0] | rx_offset[29:15] | rx_offset[44:30]};
    assign b_data   = {rx_data[3*W +: W] | rx_data[4*W +: W] | rx_data[5*W +: W],
                       rx_data[0*W +: W] | rx_data[1*W +: W] | rx_data[2*W +: W]};

    generate
        if (STAGES == 0) begin : g_direct
            assign {c_valid, c_cancelled, c_link, c_vc, c_beat} = {b_valid, b_cancelled, b_link, b_vc, b_beat};
            assign {c_match, b_free} = {1'b0, free};
            assign {pop, pop_link, pop_vc} = {b_pop, b_link, b_vc};
            assign c_offset = b_offset[14:0] | b_offset[29:15];
            assign c_data   = b_data[0 +: W] | b_data[W +: W];
        end else begin : g_stage
            reg       pop_reg;
            reg [2:0] link_reg, vc_reg;
            assign {pop, pop_link, pop_vc} = {pop_reg, link_reg, vc_reg};
            always @(posedge clk) begin
                pop_reg            <= b_pop && !rst;
                {link_reg, vc_reg} <= {b_link, b_vc};
            end
            qpace_pw_out_slice #(.BEAT_BITS(BEAT_BITS)) u_slice (
                .clk(clk), .rst(rst), .cancel(cancel), .cancel_channel(cancel_channel), .cancel_match(c_match),
                .in_valid(b_valid), .in_ready(b_free), .in_channel({b_link, b_vc}), .in_beat(b_beat),
                .in_offset(b_offset), .in_data(b_data), .in_cancelled(b_cancelled || (cancel && b_match)),
                .out_valid(c_valid), .out_ready(free), .out_channel({c_link, c_vc}), .out_beat(c_beat),
                .out_offset(c_offset), .out_data(c_data), .out_cancelled(c_cancelled));
        end
    endgenerate

    assign pw_out_addr = {line_base, line_beat, 4'd0};
    assign obs_idle    = !a_valid && !b_valid && !c_valid && !pop && !pw_out_valid && any == 6'd0;

    always @(posedge clk) begin
        if (a_take || !found) begin
            link_valid <= link_found;
            if (link_found)
                link <= link_next;
        end

        if (a_take) begin
            a_valid <= found;
            a_beat  <= FIRST;
            if (found) begin
                a_link <= link;
                a_vc   <= vc;
                for (k = 0; k < 6; k = k + 1)
                    if (link == k[2:0])
                        served[3*k +: 3] <= vc;
            end
        end else if (a_move)
            a_beat <= a_beat + ONE;

        if (!b_hold)
            b_valid <= a_move;
        if (a_move) begin
            b_link <= a_link;
            b_vc   <= a_vc;
            b_beat <= a_beat;
            b_last <= a_beat == LAST;
        end

        // the mark goes with the beats
        if (a_take)
            a_cancelled <= 1'b0;
        else if (cancel && a_match)
            a_cancelled <= 1'b1;
        if (a_move)
            b_cancelled <= a_cancelled || (cancel && a_match);
        else if (cancel && b_match)
            b_cancelled <= 1'b1;

        outside <= c_move && c_first && drop;
        if (c_valid && c_first) begin
            line_last      <= line_completes && !line_outside;
            drop_reg       <= line_outside;
            dropped_offset <= c_offset;
        end

        if (free)
            pw_out_valid <= c_valid && !drop;
        if (c_move) begin
            pw_out_data   <= c_notify ? {W/128{85'd0, c_link, 5'd0, c_vc, line_count}} : c_data;
            pw_out_last   <= c_notify || c_beat == LAST;
            pw_out_notify <= c_notify;
            line_beat     <= c_notify ? c_vc : c_beat[2:0] << (3 - BEAT_BITS);
            if (c_notify || c_first)
                line_base <= {17'd0, c_notify ? {12'd0, c_link} : c_offset}
                             + (c_notify ? notify_base : head_destination);
        end

        if (rst) begin
            link_valid   <= 1'b0;
            link         <= 3'd5;
            served       <= {6{3'd7}};
            a_valid      <= 1'b0;
            b_valid      <= 1'b0;
            outside      <= 1'b0;
            pw_out_valid <= 1'b0;
        end
    end
endmodule
`default_nettype wire
