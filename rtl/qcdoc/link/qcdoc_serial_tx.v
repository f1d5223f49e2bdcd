// SPDX-License-Identifier: Apache-2.0
// Serialiser of a QCDOC link: one bit a cycle, most significant bit first. Stands, with qcdoc_serial_rx, for the
// HSSL macro of [QCDOC2004] section 2.2. The first bit of `data` is on the line in the cycle after `slot`.
//
//   slot   __/~\______________/~\____
//   data     a                 b
//   serial     a7 a6 ... a0      b7 b6
`default_nettype none
module qcdoc_serial_tx (
    input  wire       clk,
    input  wire       slot,      // every eighth cycle: data is taken
    input  wire [7:0] data,
    output wire       serial
);
    reg [7:0] shift_reg;

    assign serial = shift_reg[7];

    always @(posedge clk)
        shift_reg <= slot ? data : {shift_reg[6:0], 1'b0};
endmodule
`default_nettype wire
