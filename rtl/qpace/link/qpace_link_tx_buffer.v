// SPDX-License-Identifier: Apache-2.0
// Transmit FIFO of a QPACE link, which is also its retransmission buffer ([QPACE2009] section 6: 2 KB a
// link). The core writes lines of 2^BEAT_BITS beats; the link reads any beat of any packet that was
// not freed yet. Pointers count modulo twice the size; reading may begin with the first beat of a line.
//
// Latency: a beat taken in a core cycle is in `written` 1 to 2 link cycles after that cycle's end; with STAGES, for
// FPGAs, one more.
`default_nettype none
module qpace_link_tx_buffer #(
    parameter SLOT_BITS = 4,             // 2^SLOT_BITS packets
    parameter BEAT_BITS = 3,             // of 2^BEAT_BITS beats: 3 (16 bytes each) or 2 (32 bytes)
    parameter STAGES    = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 link_clk,
    input  wire                 link_rst,

    // clk: lines
    input  wire                 tx_valid,
    output wire                 tx_ready,   // for a first beat: a whole packet fits
    input  wire [(1024>>BEAT_BITS)-1:0] tx_data,
    input  wire                 tx_first,
    input  wire [2:0]           tx_vc,      // with the first beat
    input  wire [14:0]          tx_offset,  // with the first beat
    input  wire                 tx_void,    // with the last beat: the packet is withdrawn
    output wire                 tx_room,    // one more packet fits, after the line being written

    // link_clk
    output wire [SLOT_BITS+BEAT_BITS:0] written, // beats written: {packets, beat}
    input  wire [SLOT_BITS:0]   acknowledged, // packets that may be overwritten
    output wire                 freed,      // the core side has been notified of all
    input  wire [SLOT_BITS-1:0] head_slot,
    output wire [17:0]          head,       // {vc, offset} of head_slot, same cycle
    input  wire                 rd_en,
    input  wire [SLOT_BITS+BEAT_BITS-1:0] rd_address, // {slot, beat}
    output wire [(1024>>BEAT_BITS)-1:0] rd_data, // one cycle after rd_en
    output wire                 rd_void     // with the last beat
);
    localparam           WIDTH     = 1024 >> BEAT_BITS;
    wire [SLOT_BITS+BEAT_BITS:0] beats, arrived;
    wire [SLOT_BITS:0]   freed_clk;
    wire [SLOT_BITS:0]   freed_link;
    wire                 write     = tx_valid && tx_ready;
    wire                 in_line   = beats[BEAT_BITS-1:0] != {BEAT_BITS{1'b0}};
    wire [SLOT_BITS:0]   packets   = beats[SLOT_BITS+BEAT_BITS:BEAT_BITS];   // whole ones
    wire [SLOT_BITS-1:0] used      = packets[SLOT_BITS-1:0] - freed_clk[SLOT_BITS-1:0];   // 0 if all
    wire                 full      = freed_clk == (packets ^ {1'b1, {SLOT_BITS{1'b0}}});
    wire                 last_slot = &used;

    assign tx_ready = in_line || !full;
    assign tx_room  = !full && !(in_line && last_slot);
    assign freed    = freed_link == acknowledged;

    cdc_counter #(.WIDTH(SLOT_BITS + BEAT_BITS + 1)) u_written (
        .src_clk(clk), .src_rst(rst), .src_step(write), .src_count(beats),
        .dst_clk(link_clk), .dst_rst(link_rst), .dst_count(arrived)
    );

    generate
        if (STAGES == 0) begin : g_written
            assign written = arrived;
        end else begin : g_written_reg
            reg [SLOT_BITS+BEAT_BITS:0] written_reg;
            assign written = written_reg;
            always @(posedge link_clk)
                written_reg <= link_rst ? {SLOT_BITS+BEAT_BITS+1{1'b0}} : arrived;
        end
    endgenerate

    // An acknowledgement may free several packets; a Gray code crosses safely in single steps only.
    cdc_counter #(.WIDTH(SLOT_BITS + 1)) u_freed (
        .src_clk(link_clk), .src_rst(link_rst), .src_step(!freed), .src_count(freed_link),
        .dst_clk(clk), .dst_rst(rst), .dst_count(freed_clk)
    );

    ram_dual_clock #(.WIDTH(WIDTH + 1), .ADDRESS_BITS(SLOT_BITS + BEAT_BITS)) u_data (
        .wr_clk(clk), .wr_en(write), .wr_address(beats[SLOT_BITS+BEAT_BITS-1:0]),
        .wr_data({tx_void, tx_data}),
        .rd_clk(link_clk), .rd_en(rd_en), .rd_clear(1'b0), .rd_address(rd_address), .rd_data({rd_void, rd_data})
    );

    ram_small #(.WIDTH(18), .ADDRESS_BITS(SLOT_BITS)) u_head (
        .clk(clk), .wr_en(write && tx_first), .wr_address(beats[SLOT_BITS+BEAT_BITS-1:BEAT_BITS]),
        .wr_data({tx_vc, tx_offset}), .rd_address(head_slot), .rd_data(head)
    );
endmodule
`default_nettype wire
