// SPDX-License-Identifier: Apache-2.0
// Posted-write port in: checks each line's address and length and hands its beats to the link the
// address names. [QPACE2009] section 6 ("the necessary control information is encoded in the address
// used in the DMA put operation").
//
// Protocol: a line is 2^BEAT_BITS beats, eight of 16 bytes or four of 32, pw_in_last with the last. Address of a line:
//   [6:0] = 0, [21:7] remote offset in units of 128 B, [24:22] channel, [27:25] link, [31:28] = 0.
// Only the first beat's address counts. Beats go on at once (cut-through, latency 0), so a line
// whose length turns out wrong has begun already: it is filled up to that many and its last beat
// carries tx_void, upon which the link withdraws it.
//
//              0   1   2   3   4   5   6   7
//   good       A   B   C   D   E   F   G   H(last)
//   short      A   B   C(last) p   p   p   p   p+void    the port waits during p
//   long       A   B   C   D   E   F   G   H+void   swallowed up to and with last
//   bad addr   swallowed up to and with last, the port never waits
`default_nettype none
module qpace_pw_in #(
    parameter BEAT_BITS = 3
) (
    input  wire         clk,
    input  wire         rst,

    // the port; its data goes to the links directly
    input  wire         pw_in_valid,
    output reg          pw_in_ready,
    input  wire [31:0]  pw_in_addr,
    input  wire         pw_in_last,

    // the links: a beat moves when valid and ready of the same link are 1
    output reg  [5:0]   tx_valid,
    input  wire [5:0]   tx_ready,
    output wire         tx_first,
    output wire [2:0]   tx_vc,
    output wire [14:0]  tx_offset,
    output wire         tx_void,          // with the last beat: withdraw this line

    // what was wrong, a pulse on `error`
    output reg          error,
    output wire         error_unaligned,
    output wire         error_link,
    output wire         error_address,
    output reg          error_short,
    output reg          error_long,
    output wire [31:0]  error_info        // the address of the beat that showed it
);
    localparam [1:0]
        LINE    = 2'd0,   // beats of a line, or between lines
        FILL    = 2'd1,   // filling a short line up
        SWALLOW = 2'd2;   // dropping the rest of a bad line

    reg  [1:0] state, state_next;
    reg  [BEAT_BITS-1:0] beat, beat_next;
    reg  [2:0] link;                      // of the line under way

    localparam [BEAT_BITS-1:0] ZERO = 0, ONE = 1;
    wire       first    = beat == ZERO;
    wire       last     = &beat;
    wire [2:0] target   = (state == LINE && first) ? pw_in_addr[27:25] : link;
    wire       bad      = error_unaligned || error_link || error_address;
    wire       to_ready = target < 3'd6 && tx_ready[target];

    assign tx_first        = first;
    assign tx_vc           = pw_in_addr[24:22];
    assign tx_offset       = pw_in_addr[21:7];
    assign tx_void         = state == FILL || !pw_in_last;
    assign error_unaligned = state == LINE && first && pw_in_addr[6:0] != 7'd0;
    assign error_link      = state == LINE && first && pw_in_addr[27:25] >= 3'd6;
    assign error_address   = state == LINE && first && pw_in_addr[31:28] != 4'd0;
    assign error_info      = pw_in_addr;

    always @* begin
        state_next  = state;
        beat_next   = beat;
        pw_in_ready = 1'b0;
        tx_valid    = 6'd0;
        error       = 1'b0;
        error_short = 1'b0;
        error_long  = 1'b0;
        case (state)
            LINE:
                if (first && bad) begin
                    pw_in_ready = 1'b1;
                    if (pw_in_valid) begin
                        error = 1'b1;
                        if (!pw_in_last)
                            state_next = SWALLOW;
                    end
                end else begin
                    pw_in_ready      = to_ready;
                    tx_valid[target] = pw_in_valid;
                    if (pw_in_valid && to_ready) begin
                        beat_next = beat + ONE;
                        if (pw_in_last && !last) begin
                            error       = 1'b1;
                            error_short = 1'b1;
                            state_next  = FILL;
                        end
                        if (!pw_in_last && last) begin
                            error      = 1'b1;
                            error_long = 1'b1;
                            state_next = SWALLOW;
                        end
                    end
                end
            FILL: begin
                tx_valid[target] = 1'b1;
                if (to_ready) begin
                    beat_next = beat + ONE;
                    if (last)
                        state_next = LINE;
                end
            end
            SWALLOW: begin
                pw_in_ready = 1'b1;
                if (pw_in_valid && pw_in_last)
                    state_next = LINE;
            end
            default:
                state_next = LINE;
        endcase
    end

    always @(posedge clk) begin
        state <= state_next;
        beat  <= beat_next;
        if (state == LINE && first)
            link <= pw_in_addr[27:25];
        if (rst) begin
            state <= LINE;
            beat  <= ZERO;
        end
    end
endmodule
`default_nettype wire
