// SPDX-License-Identifier: Apache-2.0
// Our model of a transceiver's channel, uncoded, for simulations without delays: WIDTH bits a cycle of a clock that is
// the line's rate divided by that. bit_clk is the clock of the line's bits. Words of the receiver begin wherever the
// signal did. No noise, no drift: those are for cables.
`default_nettype none
module transceiver_model #(
    parameter WIDTH = 20
) (
    input  wire             bit_clk,

    input  wire             tx_pll_rst,
    input  wire             tx_rst,      // nothing goes out
    output wire             tx_locked,
    output wire             tx_clk,
    input  wire [WIDTH-1:0] tx_word,     // tx_clk; bit 0 goes first
    output wire             tx_line,

    input  wire             rx_rst,
    output wire             rx_lost,     // no edge for 64 bits
    output wire             rx_locked,
    output wire             rx_clk,
    output reg  [WIDTH-1:0] rx_word,     // rx_clk
    input  wire             rx_line
);
    localparam [6:0] STILL = 7'd64;      // bits without an edge: no signal
    localparam [8:0] LOCK  = 9'd300;     // bits until something has locked
    localparam [6:0] LAST  = WIDTH - 1;
    localparam [6:0] HALF  = WIDTH / 2;

    // ---- the sender
    reg  [6:0]       tx_place_reg;
    reg  [8:0]       tx_lock_reg;
    reg  [WIDTH-1:0] tx_word_reg, tx_shift_reg;
    reg              tx_clk_reg;

    assign tx_locked = tx_lock_reg == LOCK;
    assign tx_clk    = tx_clk_reg;
    assign tx_line   = tx_shift_reg[0];

    always @(posedge tx_clk) tx_word_reg <= tx_word;

    always @(posedge bit_clk) begin
        tx_lock_reg  <= tx_pll_rst ? 9'd0 : tx_locked ? LOCK : tx_lock_reg + 9'd1;
        tx_place_reg <= tx_place_reg == LAST ? 7'd0 : tx_place_reg + 7'd1;
        tx_clk_reg   <= tx_place_reg < HALF;
        // in the middle of the port's cycle
        tx_shift_reg <= tx_place_reg == HALF && !tx_rst ? tx_word_reg : {1'b0, tx_shift_reg[WIDTH-1:1]};
    end

    // ---- the receiver
    reg  [6:0]       rx_place_reg;
    reg  [8:0]       rx_lock_reg;
    reg  [6:0]       rx_still_reg;
    reg  [WIDTH-1:0] rx_shift_reg, rx_hold_reg;
    reg              rx_last_reg, rx_clk_reg;
    wire             rx_edge = rx_line != rx_last_reg;

    assign rx_lost   = rx_still_reg == STILL;
    assign rx_locked = rx_lock_reg == LOCK;
    assign rx_clk    = rx_clk_reg;

    always @(posedge bit_clk) begin
        rx_last_reg  <= rx_line;
        rx_still_reg <= rx_edge ? 7'd0 : rx_lost ? STILL : rx_still_reg + 7'd1;
        rx_lock_reg  <= rx_rst || rx_lost ? 9'd0 : rx_locked ? LOCK : rx_lock_reg + 9'd1;
        rx_shift_reg <= {rx_line, rx_shift_reg[WIDTH-1:1]};
        rx_place_reg <= rx_place_reg == LAST || (rx_lost && rx_edge) ? 7'd0 : rx_place_reg + 7'd1;
        rx_clk_reg   <= rx_place_reg < HALF;
        if (rx_place_reg == HALF)
            rx_hold_reg <= rx_shift_reg;
    end

    always @(posedge rx_clk) rx_word <= rx_hold_reg;
endmodule
`default_nettype wire
