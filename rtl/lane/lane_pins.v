// SPDX-License-Identifier: Apache-2.0
// Soft lanes, where there is no transceiver: between lane_bundle and pins that a board samples four times a bit.
//
//   phy_tx --> lane_serialise   --> line_out        word_clk to bit_clk, its clock of WIDTH times the rate
//   phy_rx <-- lane_deserialise <-- samples         of bit_clk, which is the bundle's rx_clk
`default_nettype none
module lane_pins #(
    parameter LANES = 4,
    parameter WIDTH = 10                 // bits of a word
) (
    input  wire                   word_clk,
    input  wire                   bit_clk,
    input  wire                   rst,           // of any clock
    input  wire [LANES*WIDTH-1:0] phy_tx,
    output wire [LANES-1:0]       line_out,
    input  wire [4*LANES-1:0]     samples,       // of a lane, the earliest in the highest bit
    output wire [LANES-1:0]       phy_rx_valid,
    output wire [LANES*WIDTH-1:0] phy_rx,
    output wire [LANES-1:0]       phy_rx_signal
);
    wire bit_rst;
    cdc_bits #(.WIDTH(1)) bit_reset (.clk(bit_clk), .rst(1'b0), .src(rst), .dst(bit_rst));

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            lane_serialise #(.WIDTH(WIDTH)) out (
                .clk(word_clk), .word(phy_tx[WIDTH*i +: WIDTH]), .bit_clk(bit_clk), .line(line_out[i]));
            lane_deserialise #(.WIDTH(WIDTH), .SAMPLES(4)) in (
                .bit_clk(bit_clk), .rst(bit_rst), .samples(samples[4*i +: 4]), .valid(phy_rx_valid[i]),
                .word(phy_rx[WIDTH*i +: WIDTH]), .signal(phy_rx_signal[i]));
        end
    endgenerate
endmodule
`default_nettype wire
