// SPDX-License-Identifier: Apache-2.0
// Between the bytes of a QCDOC link and a bundle of lanes (rtl/lane, BYTES = 1, `en` is `slot`), in the place of its
// serialiser and deserialiser. A byte is a data character; two idle words between frames, at each rise of tx_pause,
// are slots of which the link does not know, and give the receiver no strobe.
//
//   received             strobe, data                 damaged
//   data                 yes                          0
//   idle word            none, up to QUIET in a row   -
//   more idle words      yes, of no byte              1        the peer does not send: it receives nothing itself
//   other characters     yes, of no byte              1        errors of the line, or it is dead
//
// The lanes have found where bytes begin; `aligned` says, as qcdoc_serial_rx does, where the training does.
//
// Latency: 0, both ways.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_lane_bytes #(
    parameter LANES = 1,
    parameter QUIET = 8              // idle words in a row: a pause is two, and the elastic buffer may add one
) (
    input  wire       clk,
    input  wire       rst,
    input  wire       slot,          // every eighth cycle

    // the link
    output wire       link_slot,     // a byte of its is sent
    input  wire [7:0] tx_data,
    input  wire       framing,       // it is one of a frame
    input  wire       hunt,
    output wire       aligned,       // with strobe: this byte is the second one of a training sequence
    output wire       strobe,
    output wire [7:0] rx_data,
    output wire       rx_damaged,    // with strobe: something else was sent
    output wire       idle,          // no register changes while pause and words stay as they are

    // lane_bundle
    output wire [7:0] lane_data,
    output wire       lane_control,
    input  wire       tx_pause,
    input  wire       lane_rx_strobe,
    input  wire [7:0] lane_rx_data,
    input  wire       lane_rx_control
);
    localparam [7:0] IDLE  = 8'h07;  // with control: what lanes take for nothing, and receive so
    localparam [3:0] LIMIT = QUIET;

    reg  [3:0] quiet_reg;            // idle words in a row
    reg        first_reg;            // the last byte began a training sequence

    wire hold, pause_idle;
    wire nothing = lane_rx_control && lane_rx_data == IDLE;
    wire silent  = quiet_reg == LIMIT;

    transmit_pause #(.LANES(LANES)) pauses (
        .clk(clk), .rst(rst), .en(slot), .pause(tx_pause), .between(!framing), .hold(hold), .idle(pause_idle)
    );

    assign link_slot    = slot && !hold;
    assign lane_data    = hold ? IDLE : tx_data;
    assign lane_control = hold;
    assign rx_damaged   = lane_rx_control;
    assign rx_data      = lane_rx_control ? `QCDOC_BREAK : lane_rx_data;
    assign strobe       = lane_rx_strobe && (!nothing || silent);
    assign aligned      = hunt && first_reg && !rx_damaged && rx_data == `QCDOC_TRAIN_SECOND;
    assign idle         = pause_idle && (!nothing || silent);

    always @(posedge clk) begin
        if (lane_rx_strobe) begin
            if (!nothing) begin
                quiet_reg <= 4'd0;
            end else if (!silent) begin
                quiet_reg <= quiet_reg + 4'd1;
            end
        end
        if (strobe) begin
            first_reg <= !rx_damaged && rx_data == `QCDOC_TRAIN_FIRST;
        end
        if (rst) begin
            quiet_reg <= 4'd0;
            first_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
