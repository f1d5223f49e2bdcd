// SPDX-License-Identifier: Apache-2.0
// WIDTH bits of a pseudo-random sequence at once, combinational: PRBS-31 of ITU-T O.150 (x^31 + x^28 + 1, sent
// inverted) or PRBS-7 (x^7 + x^6 + 1, as it is). `state` holds the last 31 bits before inversion, the last one in
// bit 0; a sequence never has 31 zeros there, nor 7 in bits 6:0.
`default_nettype none
module lane_prbs #(
    parameter WIDTH = 10
) (
    input  wire             prbs31,        // PRBS-31, else PRBS-7
    input  wire [30:0]      state,
    output reg  [WIDTH-1:0] bits,        // as they are sent, the first in bit 0
    output reg  [30:0]      next
);
    integer i;
    always @* begin
        i    = 0;
        next = state;
        bits = {WIDTH{1'b0}};
        for (i = 0; i < WIDTH; i = i + 1) begin
            next    = {next[29:0], prbs31 ? next[30] ^ next[27] : next[6] ^ next[5]};
            bits[i] = next[0] ^ prbs31;
        end
    end
endmodule
`default_nettype wire
