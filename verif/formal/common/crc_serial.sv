// SPDX-License-Identifier: Apache-2.0
// The commands' CRC-16 by masks equals the CRC bit by bit, and any two commands differ in at least eight bits. (The
// CRC-32C has 64 inputs: sums of that many bits are what these provers are worst at; it is linear, and
// tests/rtl compares it with the standard's examples.)
`default_nettype none
module crc_serial (
    input wire       clk,
    input wire [7:0] any_one, any_other
);
    reg [7:0] one, other;
    always @(posedge clk) begin
        one   <= any_one;
        other <= any_other;
    end

    wire [15:0] crc_one, crc_other;
    reg  [15:0] y;
    integer     i;

    crc16_byte u_one   (.data(one), .crc(crc_one));
    crc16_byte u_other (.data(other), .crc(crc_other));

    wire [23:0] differ = {one ^ other, crc_one ^ crc_other};
    reg  [4:0]  weight;
    always @* begin
        y = 16'hFFFF;
        for (i = 7; i >= 0; i = i - 1)
            y = {y[14:0], 1'b0} ^ ((y[15] ^ one[i]) ? 16'hD25F : 16'd0);
        weight = 5'd0;
        for (i = 0; i < 24; i = i + 1)
            weight = weight + differ[i];
    end

    always @* begin
        crc16:    assert (crc_one == y);
        distance: assert (one == other || weight >= 5'd8);
        eight:    cover (one != other && weight == 5'd8);
    end
endmodule
`default_nettype wire
