// SPDX-License-Identifier: Apache-2.0
// Checksum that both ends of a Tofu link keep over the packets delivered, so that software can compare them:
// for every beat sum = rotl(sum, 1) + (w0 ^ rotl(w1, 8) ^ rotl(w2, 16) ^ rotl(w3, 24)), of the packets that turned out
// good. What a link itself writes into a packet (bytes 0, 1 and 28 to 31 of the header) counts as 0.
`default_nettype none
module tofu_link_checksum (
    input  wire         clk,
    input  wire         rst,
    input  wire         clear,
    input  wire         en,
    input  wire         first,     // with en: first beat of the header
    input  wire         second,    // with en: second beat
    input  wire         good,      // with en: last beat of a good packet
    input  wire [127:0] data,
    output wire [31:0]  checksum
);
    reg  [31:0] sum_reg;
    reg  [31:0] run_reg;

    wire [31:0] previous = first ? sum_reg : run_reg;
    wire [31:0] w0     = first ? {data[31:16], 16'd0} : data[31:0];
    wire [31:0] w1     = {data[55:32], data[63:56]};
    wire [31:0] w2     = {data[79:64], data[95:80]};
    wire [31:0] w3     = second ? 32'd0 : {data[103:96], data[127:104]};
    wire [31:0] after  = {previous[30:0], previous[31]} + (w0 ^ w1 ^ w2 ^ w3);

    assign checksum = sum_reg;

    always @(posedge clk) begin
        if (en) begin
            run_reg <= after;
            if (good) begin
                sum_reg <= after;
            end
        end
        if (rst || clear) begin
            sum_reg <= 32'd0;
        end
    end
endmodule
`default_nettype wire
