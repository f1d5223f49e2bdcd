// SPDX-License-Identifier: Apache-2.0
// The transmit buffer of a link never holds more than its packets, and no beat is written over one that may yet be
// sent; both clocks with any edges. Environment: an acknowledgement frees packets that are there whole, as many at
// once as it likes (qpace.window: `in_buffer`, `freed_by_ack`).
// The data written are not kept: only the addresses matter.
`default_nettype none
module ram_dual_clock #(parameter WIDTH = 32, parameter ADDRESS_BITS = 7) (
    input  wire wr_clk, input wire wr_en, input wire [ADDRESS_BITS-1:0] wr_address, input wire [WIDTH-1:0] wr_data,
    input  wire rd_clk, input wire rd_en, input wire rd_clear, input wire [ADDRESS_BITS-1:0] rd_address,
    output wire [WIDTH-1:0] rd_data
);
    assign rd_data = {WIDTH{1'b0}};
endmodule

module ram_small #(parameter WIDTH = 18, parameter ADDRESS_BITS = 4) (
    input  wire clk, input wire wr_en, input wire [ADDRESS_BITS-1:0] wr_address, input wire [WIDTH-1:0] wr_data,
    input  wire [ADDRESS_BITS-1:0] rd_address, output wire [WIDTH-1:0] rd_data
);
    assign rd_data = {WIDTH{1'b0}};
endmodule

module tx_buffer #(
    parameter SLOT_BITS = 1,
    parameter BEAT_BITS = 3
) (
    input wire               clk,
    input wire               link_clk,
    input wire               valid,
    input wire [SLOT_BITS:0] more        // packets acknowledged now
);
    localparam [SLOT_BITS+BEAT_BITS+1:0] BEATS = 1 << (SLOT_BITS + BEAT_BITS);
    wire                 ready, room, freed;
    wire [SLOT_BITS+BEAT_BITS:0] written;
    reg  [SLOT_BITS:0]   acknowledged;

    qpace_link_tx_buffer #(.SLOT_BITS(SLOT_BITS), .BEAT_BITS(BEAT_BITS)) dut (
        .clk(clk), .rst(1'b0), .link_clk(link_clk), .link_rst(1'b0),
        .tx_valid(valid), .tx_ready(ready), .tx_data({(1024>>BEAT_BITS){1'b0}}),
        .tx_first(1'b0), .tx_vc(3'd0), .tx_offset(15'd0),
        .tx_void(1'b0), .tx_room(room),
        .written(written), .acknowledged(acknowledged), .freed(freed), .head_slot({SLOT_BITS{1'b0}}), .head(),
        .rd_en(1'b0), .rd_address({SLOT_BITS+BEAT_BITS{1'b0}}), .rd_data(), .rd_void());

    // whole packets that the link knows of and has not freed
    wire [SLOT_BITS:0]   there = written[SLOT_BITS+BEAT_BITS:BEAT_BITS] - acknowledged;
    wire [SLOT_BITS:0]   frees = more <= there ? more : {SLOT_BITS+1{1'b0}};
    always @(posedge link_clk) acknowledged <= acknowledged + frees;

    // how many there really are, with one bit more than the pointers
    wire                 write = valid && ready;
    reg  [SLOT_BITS+BEAT_BITS+1:0] beats;
    reg  [SLOT_BITS+1:0] gone;
    always @(posedge clk) if (write) beats <= beats + 1'b1;
    always @(posedge link_clk) gone <= gone + frees;
    wire [SLOT_BITS+BEAT_BITS+1:0] fill = beats - {gone, {BEAT_BITS{1'b0}}};   // also the beats that may yet be sent
    wire [SLOT_BITS+BEAT_BITS:0]   seen = written - {acknowledged, {BEAT_BITS{1'b0}}};

    always @* begin
        never_over_or_under: assert (fill <= BEATS);
        no_overwrite:        assert (!write || fill < BEATS);
        link_sees_no_more:   assert ({1'b0, seen} <= fill);
        whole_line:          assert (beats[BEAT_BITS-1:0] == {BEAT_BITS{1'b0}} || ready);
        full:                cover (fill == BEATS && valid && !ready);
    end
endmodule
`default_nettype wire
