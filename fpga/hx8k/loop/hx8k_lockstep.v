// SPDX-License-Identifier: Apache-2.0
// The board's top, and the circuit that its bitstream makes of the chip (`chip`, by icebox_vlog), on the same pins.
// Where outputs differ, the simulation ends. For fpga/common/loop.py.
`default_nettype none
module hx8k_lockstep (
    input  wire       clk12,
    input  wire       rxd,
    output wire       txd,
    input  wire       a_in,
    output wire       a_out,
    input  wire       b_in,
    output wire       b_out,
    output wire [7:0] led
);
    wire [10:0] top_pins, chip_pins;
    assign {txd, a_out, b_out, led} = chip_pins;

    hx8k_qcdoc #(.SOURCE_HASH(`SOURCE_HASH)) top (
        .clk12(clk12), .rxd(rxd), .txd(top_pins[10]), .a_in(a_in), .a_out(top_pins[9]), .b_in(b_in),
        .b_out(top_pins[8]), .led(top_pins[7:0]));
    chip chip (
        .clk12(clk12), .rxd(rxd), .txd(chip_pins[10]), .a_in(a_in), .a_out(chip_pins[9]), .b_in(b_in),
        .b_out(chip_pins[8]), .\led[7] (chip_pins[7]), .\led[6] (chip_pins[6]), .\led[5] (chip_pins[5]),
        .\led[4] (chip_pins[4]), .\led[3] (chip_pins[3]), .\led[2] (chip_pins[2]), .\led[1] (chip_pins[1]),
        .\led[0] (chip_pins[0]));

    // at an edge, what has settled since the one before
    always @(posedge clk12, negedge clk12)
        if (top_pins != chip_pins) begin
            $display("pins differ at step %0d: txd, a_out, b_out, led %b of the top, %b of the bitstream",
                     $time, top_pins, chip_pins);
            $fatal;
        end
endmodule
`default_nettype wire
