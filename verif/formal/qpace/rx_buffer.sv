// SPDX-License-Identifier: Apache-2.0
// The receive buffer of a link, any one of its channels: never more packets than slots, never popped below none, no
// word written while all slots are held, rx_waiting only when there is a packet; and a slot that was freed is known to
// be free CROSSING cycles later, so that no channel is taken for full for ever.
// Environment: frames of WORDS words (34 in a link: fewer is more than can happen), accepted at their end only with a
// slot (qpace.reply) or not at all; pops of a channel that waited a cycle ago too, at least POPS cycles apart
// (qpace_pw_out reads a line's beats, eight or four, before its pop). Both clocks are one here.
`default_nettype none
module ram_dual_clock #(parameter WIDTH = 36, parameter ADDRESS_BITS = 7) (
    input  wire wr_clk, input wire wr_en, input wire [ADDRESS_BITS-1:0] wr_address, input wire [WIDTH-1:0] wr_data,
    input  wire rd_clk, input wire rd_en, input wire rd_clear, input wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0] rd_data
);
    assign rd_data = {WIDTH{1'b0}};
endmodule

module rx_buffer #(
    parameter SLOT_BITS = 1,
    parameter BEAT_BITS = 3,
    parameter WORDS     = 8,
    parameter POPS      = 8,
    parameter CROSSING  = 4
) (
    input wire       clk,
    input wire       begins,
    input wire [2:0] begins_vc,
    input wire       good,
    input wire       deliver,
    input wire       pops,
    input wire [2:0] pops_vc
);
    reg  [3:0] age;                      // the memories are cleared in the first 8 cycles
    wire       ready = age == 4'd12;
    always @(posedge clk) if (!ready) age <= age + 4'd1;
    (* anyconst *) wire [2:0] who;

    reg  [3:0] word;                     // 0: between frames
    reg  [2:0] vc_reg;
    wire       first  = ready && word == 4'd0 && begins;
    wire [2:0] vc     = first ? begins_vc : vc_reg;
    wire       room;
    wire       accept = word == WORDS && good && room;
    wire [7:0] free, waiting;
    reg  [3:0] since;                    // the last pop
    reg  [7:0] waited;                   // a cycle ago
    wire       pop    = ready && pops && since == 4'd0 && waiting[pops_vc] && waited[pops_vc];
    always @(posedge clk) begin
        word   <= first ? 4'd1 : (word == 4'd0 || word == WORDS) ? 4'd0 : word + 4'd1;
        waited <= waiting;
        vc_reg <= vc;
        since  <= pop ? POPS - 1 : since != 4'd0 ? since - 4'd1 : 4'd0;
    end

    qpace_link_rx_buffer #(.SLOT_BITS(SLOT_BITS), .BEAT_BITS(BEAT_BITS)) dut (
        .clk(clk), .rst(1'b0), .link_clk(clk), .link_rst(1'b0),
        .payload_valid(first || (word != 4'd0 && word != WORDS)), .payload_index({1'b0, word}), .payload(32'd0),
        .vc(vc), .offset(15'd0), .room(room), .accept(accept), .deliver(deliver), .free(free), .clear_checksum(1'b0),
        .checksum(),
        .rx_waiting(waiting), .rx_vc(pops_vc), .rx_beat({BEAT_BITS{1'b0}}), .rx_data(), .rx_offset(),
        .rx_mute(1'b0), .rx_pop(pop));

    (* hierconn *) wire \dut.write ;
    reg  [SLOT_BITS+1:0] fill;
    wire put  = accept && deliver && vc == who;
    wire took = pop && pops_vc == who;
    reg  [2:0] free_for;                 // cycles since the last pop, not all slots held, up to 7
    always @(posedge clk) begin
        fill     <= fill + put - took;
        free_for <= took || fill == (1 << SLOT_BITS) ? 3'd0 : free_for == 3'd7 ? 3'd7 : free_for + 3'd1;
    end

    always @* begin
        never_over:   assert (fill <= (1 << SLOT_BITS) && !(put && fill == (1 << SLOT_BITS)));
        never_under:  assert (!took || fill != 0);
        no_overwrite: assert (!(\dut.write && vc == who) || fill < (1 << SLOT_BITS));
        waits:        assert (!waiting[who] || fill != 0);
        free_again:   assert (free_for < CROSSING || fill == (1 << SLOT_BITS) || free[who]);
        take_and_put: cover (put && took && fill == (1 << SLOT_BITS) - 1);
        full:         cover (fill == (1 << SLOT_BITS) && word == WORDS && vc == who && good && !room);
    end
endmodule
`default_nettype wire
