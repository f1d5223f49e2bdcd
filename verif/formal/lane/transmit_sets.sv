// SPDX-License-Identifier: Apache-2.0
// lane_transmit, one byte a word: outside of training a link's word that is not idle goes out one word later,
// unaltered; a SKIP stands behind each COMMA and nowhere else; sets are at least INTERVAL words apart, and asked for
// only then; K28.7 and what is no character of the code never go out.
`default_nettype none
`include "lane_wire.vh"
module transmit_sets #(
    parameter INTERVAL = 6
) (
    input wire       clk,
    input wire       en,
    input wire       fault,
    input wire       train,
    input wire [7:0] in_data,
    input wire       in_control
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    wire [7:0] out_data;
    wire       out_control, pause, late, mark;
    (* hierconn *) wire \dut.training_reg ;
    wire       training = \dut.training_reg ;

    lane_transmit #(.BYTES(1), .LANES(1), .INTERVAL(INTERVAL)) dut (
        .clk(clk), .rst(rst), .en(en), .fault(fault), .train(train), .in_data(in_data), .in_control(in_control),
        .pause(pause), .late(late), .out_data(out_data), .out_control(out_control), .out_mark(mark));

    reg        began, word, word_control, after_comma;
    reg  [7:0] word_data;
    reg  [3:0] since;           // words since a COMMA, up to 15
    wire       comma = out_control && out_data == `LANE_COMMA;
    wire       skip  = out_control && out_data == `LANE_SKIP;
    initial began = 1'b0;
    always @(posedge clk) begin
        if (rst) begin
            began <= 1'b0;
            after_comma <= 1'b0;
            since <= 4'd0;
        end else if (en) begin
            began        <= 1'b1;
            word_data    <= in_data;
            word_control <= in_control;
            after_comma  <= comma;
            since        <= comma ? 4'd0 : since + (since != 4'd15);
        end
    end

    wire known_k = out_data[4:0] == 5'd28 || (out_data[7:5] == 3'd7 && (out_data[4:0] == 5'd23 || out_data[4:0] == 5'd27
                                              || out_data[4:0] == 5'd29 || out_data[4:0] == 5'd30));
    always @* if (!rst && began) begin
        data_passes:   assert (training || word_control || (!out_control && out_data == word_data));
        control_passes: assert (training || !word_control || word_data != 8'hFB || (out_control && out_data == 8'hFB));
        skip_behind:   assert (skip == after_comma);
        marked:        assert (mark == comma);
        apart:         assert (training || !comma || since >= INTERVAL - 1);
        asked_late:    assert (training || !pause || since >= INTERVAL - 1);
        in_the_code:   assert (!out_control || (known_k && out_data != `LANE_UNUSED_K28_7));
        two_sets:      cover (comma && !training && since == INTERVAL + 2);
        is_late:       cover (late);
    end
endmodule
`default_nettype wire
