// SPDX-License-Identifier: Apache-2.0
// The retransmission buffer of a Tofu link ([Tofu2012] section 4.5: 8 KB): a ring of beats with their SECDED bits.
// Beats are read once to be sent, and stay until the peer has acknowledged their packet. A beat that finds nothing
// before it passes by the memory in the same cycle.
//
//     oldest             fetch            start          write
//   ...|==================|=================|--------------|.....
//       sent               to be sent (again)  packet under way
//
// kill takes `write` back to `start`; back takes `fetch` to `oldest`. Latency: 0 cycles past the memory, 2 through it;
// with STAGES 1 and 3: beats are registered behind the memory with what their check bits say (secded_correct).
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_ring #(
    parameter RING_BITS  = 9,            // 2^9 beats are the paper's 8 KB
    parameter TABLE_BITS = 6,            // at most 2^TABLE_BITS packets in the ring
    parameter STAGES     = 0             // 0 or 1: tofu_link
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         flush,
    input  wire         up,

    // input
    input  wire         store,
    input  wire [147:0] beat,
    input  wire         first,
    input  wire         commit,
    input  wire         kill,
    output wire         room,            // for two more beats
    output wire         beyond,          // more beats than fit: never

    // window
    input  wire [7:0]   write_seq,       // of the packet under way or to come
    input  wire         move,            // packets before peer_seq are acknowledged, one at least
    input  wire [7:0]   peer_seq,
    input  wire         back,            // send from the oldest again

    // framer
    output wire         source_valid,
    output wire [127:0] source_data,
    output wire         source_first,
    output wire         source_last,
    input  wire         take,

    // error injection: flips bit `inject_bit` of the next beat written, or of the next table entry and its check bits;
    // with bit 1 the one above too
    input  wire [1:0]   inject,
    input  wire [1:0]   inject_table,
    input  wire [6:0]   inject_bit,
    output wire         empty,           // everything was sent
    output wire         fetching,
    output wire         event_corrected,
    output wire         error_double,    // a beat to be sent is lost
    output wire         error_table      // where the oldest packet begins is lost
);
    localparam [RING_BITS:0] ONE = {{RING_BITS{1'b0}}, 1'b1};

    reg  [RING_BITS:0] write_reg, start_reg, fetch_reg, oldest_reg;
    reg                have_reg;         // the memory's output is to be sent
    wire               waits;            // and, with STAGES, so is what is registered behind it

    wire [RING_BITS:0] used    = write_reg - oldest_reg;
    wire [RING_BITS:0] fetched = fetch_reg - oldest_reg;
    wire [RING_BITS:0] kept    = start_reg - oldest_reg;
    wire [RING_BITS:0] start_of;
    wire               alone   = store && !have_reg && fetch_reg == write_reg;
    wire               past    = alone && STAGES == 0;
    wire               enters  = alone && STAGES != 0 && moves;      // past the memory into the register
    wire               overrun = kill && fetched > kept;    // beats of the void packet were fetched
    wire               moves   = take || (STAGES != 0 && !waits);   // the memory's output is used
    wire               fetch   = fetch_reg != write_reg && (!have_reg || moves) && !back && !kill;
    wire [147:0]       stored;
    wire               control_good = ^stored[147:144];
    // of what is to be sent: {two wrong bits, one, last, first, data}
    wire [131:0]       ready;
    wire               ready_valid = STAGES == 0 ? have_reg : waits;
    wire [127:0]       flip    = {126'd0, inject[1], inject != 2'd0} << inject_bit;

    assign room            = used < {1'b0, {RING_BITS-2{1'b1}}, 2'b00};
    assign beyond          = used > {1'b1, {RING_BITS{1'b0}}};
    assign source_valid    = ready_valid || past;
    assign source_data     = ready_valid ? ready[127:0] : beat[`TOFU_BEAT_DATA];
    assign source_first    = ready_valid ? ready[128] : first;
    assign source_last     = ready_valid ? ready[129] : beat[`TOFU_BEAT_LAST];
    assign empty           = !have_reg && !waits && fetch_reg == write_reg;
    assign fetching        = fetch || (STAGES != 0 && ((have_reg && moves) || moved));
    assign event_corrected = (ready_valid && take && ready[130]) || table_single;
    assign error_double    = up && ready_valid && ready[131];

    ram_dual_clock #(.WIDTH(148), .ADDRESS_BITS(RING_BITS)) u_memory (
        .wr_clk(clk), .wr_en(store), .wr_address(write_reg[RING_BITS-1:0]), .wr_data(beat ^ {20'd0, flip}),
        .rd_clk(clk), .rd_en(fetch), .rd_clear(1'b0), .rd_address(fetch_reg[RING_BITS-1:0]), .rd_data(stored)
    );

    genvar n;
    generate
        if (STAGES == 0) begin : gen_at_once
            wire [15:0]  unused_check;
            wire [127:0] corrected;
            wire [1:0]   single, double;
            for (n = 0; n < 2; n = n + 1) begin : g_half
                secded_decode u_decode (
                    .data(stored[64*n +: 64]), .check(stored[128 + 8*n +: 8]), .corrected(corrected[64*n +: 64]),
                    .corrected_check(unused_check[8*n +: 8]), .single(single[n]), .uncorrectable(double[n])
                );
            end
            assign waits = 1'b0;
            assign ready = {double != 2'd0 || !control_good, single != 2'd0, stored[`TOFU_BEAT_LAST],
                            stored[`TOFU_BEAT_FIRST], corrected};
            wire   unused = &{1'b0, unused_check};
        end else begin : gen_registered
            reg          waits_reg, last_reg, first_reg, wrong_reg;
            reg  [127:0] data_reg;
            reg  [15:0]  syndrome_reg;
            wire [15:0]  made, unused_check;
            wire [127:0] corrected;
            wire [1:0]   single, double;
            // What the memory gave after it is of the void packet, it is not.
            wire         before_void = have_reg && fetched == kept + ONE;
            for (n = 0; n < 2; n = n + 1) begin : g_half
                secded_encode u_encode (.data(stored[64*n +: 64]), .check(made[8*n +: 8]));
                secded_correct u_correct (
                    .data(data_reg[64*n +: 64]), .check(8'd0), .syndrome(syndrome_reg[8*n +: 8]),
                    .corrected(corrected[64*n +: 64]), .corrected_check(unused_check[8*n +: 8]), .single(single[n]),
                    .uncorrectable(double[n])
                );
            end
            assign waits = waits_reg;
            assign ready = {double != 2'd0 || wrong_reg, single != 2'd0, last_reg, first_reg, corrected};
            always @(posedge clk) begin
                if (moves) begin
                    waits_reg    <= have_reg || enters;
                    data_reg     <= have_reg ? stored[`TOFU_BEAT_DATA] : beat[`TOFU_BEAT_DATA];
                    syndrome_reg <= have_reg ? made ^ stored[143:128] : 16'd0;
                    last_reg     <= have_reg ? stored[`TOFU_BEAT_LAST] : beat[`TOFU_BEAT_LAST];
                    first_reg    <= have_reg ? stored[`TOFU_BEAT_FIRST] : first;
                    wrong_reg    <= have_reg && !control_good;
                end
                if (overrun)
                    waits_reg <= waits_reg && !take && before_void;
                if (back || rst || flush)
                    waits_reg <= 1'b0;
            end
            wire unused = &{1'b0, unused_check};
        end
    endgenerate

    // where packets begin; with all of them acknowledged it is not looked at. With STAGES it is, a cycle later.
    wire               moved;
    wire [7:0]         moved_to;
    generate
        if (STAGES == 0) begin : gen_move_at_once
            assign moved    = move;
            assign moved_to = peer_seq;
        end else begin : gen_move_after
            reg        moved_reg;
            reg  [7:0] moved_to_reg;
            assign moved    = moved_reg;
            assign moved_to = moved_to_reg;
            always @(posedge clk) begin
                moved_reg    <= move && !flush && !rst;
                moved_to_reg <= peer_seq;
            end
        end
    endgenerate
    wire               from_table = moved && moved_to != write_seq;
    wire [RING_BITS:0] oldest_next = !moved || error_table ? oldest_reg : from_table ? start_of : start_reg;
    wire               table_single;
    wire [127:0]       table_flip = {126'd0, inject_table[1], inject_table != 2'd0} << inject_bit;
    ram_small_secded #(.WIDTH(RING_BITS + 1), .ADDRESS_BITS(TABLE_BITS)) u_table (
        .clk(clk), .wr_en(store && first), .wr_address(write_seq[TABLE_BITS-1:0]), .wr_data(write_reg),
        .flip(table_flip[RING_BITS+8:0]), .rd_en(from_table), .rd_address(moved_to[TABLE_BITS-1:0]), .rd_data(start_of),
        .single(table_single), .uncorrectable(error_table)
    );

    always @(posedge clk) begin
        if (store) begin
            write_reg <= write_reg + ONE;
        end
        if (commit) begin
            start_reg <= write_reg + ONE;
        end
        if (kill) begin
            write_reg <= start_reg;
        end
        oldest_reg <= oldest_next;
        if (fetch || enters || (past && take)) begin
            fetch_reg <= fetch_reg + ONE;
        end
        have_reg <= fetch || (have_reg && !moves);
        if (back || overrun) begin
            fetch_reg <= !back ? start_reg : STAGES == 0 ? oldest_reg : oldest_next;   // the window's oldest
            have_reg  <= 1'b0;
        end
        if (rst || flush) begin
            write_reg  <= {RING_BITS+1{1'b0}};
            start_reg  <= {RING_BITS+1{1'b0}};
            fetch_reg  <= {RING_BITS+1{1'b0}};
            oldest_reg <= {RING_BITS+1{1'b0}};
            have_reg   <= 1'b0;
        end
    end

    wire unused = &{1'b0, table_flip[127:RING_BITS+9], stored[`TOFU_BEAT_BAD]};
endmodule
`default_nettype wire
