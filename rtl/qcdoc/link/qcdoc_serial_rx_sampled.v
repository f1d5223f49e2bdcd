// SPDX-License-Identifier: Apache-2.0
// Deserialiser of a QCDOC link whose line is sampled several times a bit, by a clock that is not the sender's: what the
// HSSL macro of [QCDOC2004] section 2.2, does by its training, best sample and byte boundary. bit_sampler finds the
// first, this module the second, as qcdoc_serial_rx does: while `hunt`, the first two training bytes in a row set it.
// `strobe` comes every eighth cycle of the sender's clock, so that it may come after 7 or 9 of ours.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_serial_rx_sampled #(
    parameter SAMPLES = 4
) (
    input  wire               clk,
    input  wire               rst,
    input  wire [SAMPLES-1:0] serial,    // the earliest in the highest bit
    input  wire               hunt,
    output wire               aligned,   // with strobe: this byte is the second one of a training sequence just found
    output wire               strobe,
    output wire [7:0]         data
);
    localparam [15:0] PATTERN = {`QCDOC_TRAIN_FIRST, `QCDOC_TRAIN_SECOND};

    wire [1:0]  count, bits;
    reg  [15:0] shift_reg;
    reg  [2:0]  count_reg;               // bits of the byte that has begun
    reg  [7:0]  data_reg;
    reg         strobe_reg, aligned_reg;

    bit_sampler #(.SAMPLES(SAMPLES)) sampler (
        .clk(clk), .rst(rst), .samples(serial), .count(count), .bits(bits));

    // after the first bit of this cycle, and after the second
    wire [15:0] one = {shift_reg[14:0], bits[1]};
    wire [15:0] two = {one[14:0], bits[0]};
    wire        one_found = hunt && count != 2'd0 && one == PATTERN;
    wire        two_found = hunt && count == 2'd2 && two == PATTERN;
    wire        one_done  = one_found || (count != 2'd0 && count_reg == 3'd7);
    wire [2:0]  one_count = one_found ? 3'd0 : count_reg + {2'd0, count != 2'd0};
    wire        two_done  = two_found || (count == 2'd2 && one_count == 3'd7);

    assign data    = data_reg;
    assign strobe  = strobe_reg;
    assign aligned = aligned_reg;

    always @(posedge clk) begin
        shift_reg   <= count == 2'd0 ? shift_reg : count == 2'd1 ? one : two;
        count_reg   <= two_found ? 3'd0 : one_count + {2'd0, count == 2'd2};
        strobe_reg  <= one_done || two_done;
        aligned_reg <= one_found || two_found;
        if (one_done || two_done)
            data_reg <= two_done ? two[7:0] : one[7:0];
        if (rst) begin
            count_reg   <= 3'd0;
            strobe_reg  <= 1'b0;
            aligned_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
