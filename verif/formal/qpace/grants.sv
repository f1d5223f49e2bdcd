// SPDX-License-Identifier: Apache-2.0
// Grants of qpace_pw_out: any one of the 48 channels that keeps having a packet and a credit is granted a line before
// it has seen 48 of others, while all other channels come and go as they like; and while the sink is ready, there are
// at most GAP cycles without a grant. That many only because a link is chosen a cycle before its channel, and the
// others' requests may have gone in that cycle.
// Six links in turn, at most five between two turns of one; eight channels of a link in turn, at most seven between:
// the lines of others are at most 6 * 7 + 5 = 47.
`default_nettype none
module grants #(
    parameter GAP       = 16,
    parameter BEAT_BITS = 3
) (
    input wire        clk,
    input wire [47:0] waiting,
    input wire [47:0] credit,
    input wire        completes,
    input wire        outside,
    input wire        notify,
    input wire        ready,
    input wire        cancel,
    input wire [5:0]  cancel_channel
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;
    (* anyconst *) wire [5:0] who;       // 8 * link + vc
    always @* assume (who < 6'd48);

    qpace_pw_out #(.BEAT_BITS(BEAT_BITS)) dut (
        .clk(clk), .rst(rst),
        .rx_waiting(waiting), .rx_vc(), .rx_beat(), .rx_data({6*(1024>>BEAT_BITS){1'b0}}),
        .rx_offset(90'd0), .rx_mute(), .rx_pop(),
        .credit(credit), .head_channel(), .head_destination(32'd0), .line_channel(),
        .line_completes(completes), .line_offset(), .line_outside(outside),
        .outside(), .outside_info(),
        .line_count(32'd0), .line_done(), .line_last(),
        .cancel(cancel), .cancel_channel(cancel_channel), .cancel_active(), .line_cancelled(),
        .notify_enable(notify), .notify_base(32'd0),
        .pw_out_valid(), .pw_out_ready(ready), .pw_out_addr(), .pw_out_data(), .pw_out_last(), .pw_out_notify(),
        .obs_idle());

    (* hierconn *) wire       \dut.a_take ;
    (* hierconn *) wire       \dut.found ;
    (* hierconn *) wire [2:0] \dut.link ;
    (* hierconn *) wire [2:0] \dut.vc ;
    wire       grant = \dut.a_take && \dut.found ;
    wire [5:0] to    = {\dut.link , \dut.vc };
    wire       asks  = waiting[who] && credit[who];
    wire       mine  = grant && to == who;
    wire       near  = grant && to[5:3] == who[5:3];

    reg [2:0] links;                     // lines of other links since the last of its own
    reg [3:0] vcs;                       // lines of others of its link since its own
    reg [7:0] had;                       // which they were
    reg [6:0] lines;                     // lines of others since its own
    reg [4:0] gap;                       // cycles without a grant, the sink being ready
    always @(posedge clk) begin
        links <= (rst || !asks || near) ? 3'd0 : links + grant;
        vcs   <= (rst || !asks || mine) ? 4'd0 : vcs + near;
        had   <= (rst || !asks || mine) ? 8'd0 : had | ({7'd0, near} << to[2:0]);
        lines <= (rst || !asks || mine) ? 7'd0 : lines + grant;
        gap   <= (rst || !asks || grant || !ready) ? 5'd0 : gap + (gap != 5'd31);
    end

    always @* if (!rst) begin
        links_turn: assert (links <= 3'd5);
        vcs_turn:   assert (vcs <= 4'd7);
        none_twice: assert (!near || mine || !asks || !had[to[2:0]]);
        sum:        assert (lines <= 6 * vcs + links);
        bound:      assert (lines <= 7'd47);
        soon:       assert (gap <= GAP);
        waits:      cover (links == 3'd5 && vcs == 4'd1);
    end
endmodule
`default_nettype wire
