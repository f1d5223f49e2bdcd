// SPDX-License-Identifier: Apache-2.0
// Every character comes back from its code group, at either disparity; its group has as many ones as the disparity
// allows; and with any one bit of the group flipped it never comes back as it was without an error.
`default_nettype none
module code_round_trip (
    input wire       clk,
    input wire [7:0] any_data,
    input wire       any_control,
    input wire       any_positive,
    input wire [3:0] any_flipped
);
    // a step of the prover's, as it wants a register
    reg [7:0] data;
    reg       control, positive;
    reg [3:0] flipped;
    always @(posedge clk) begin
        data     <= any_data;
        control  <= any_control;
        positive <= any_positive;
        flipped  <= any_flipped;
    end

    wire k28   = data[4:0] == 5'd28;
    wire other = data[7:5] == 3'd7 && (data[4:0] == 5'd23 || data[4:0] == 5'd27 || data[4:0] == 5'd29
                                       || data[4:0] == 5'd30);
    always @* begin
        is_character: assume (!control || k28 || other);
        is_a_bit:     assume (flipped < 4'd10);
    end

    wire [9:0] code;
    wire [7:0] back, damaged;
    wire       inverts, back_control, damaged_control, invalid, disparity, after, damaged_invalid, damaged_disparity;
    wire       unused;

    lane_encode_character u_encode (
        .data(data), .control(control), .positive(positive), .code(code), .inverts(inverts));
    lane_decode_character u_decode (
        .code(code), .positive(positive), .data(back), .control(back_control), .invalid(invalid), .disparity(disparity),
        .after(after));
    lane_decode_character u_damaged (
        .code(code ^ (10'd1 << flipped)), .positive(positive), .data(damaged), .control(damaged_control),
        .invalid(damaged_invalid), .disparity(damaged_disparity), .after(unused));

    wire [3:0] ones = {3'd0, code[0]} + {3'd0, code[1]} + {3'd0, code[2]} + {3'd0, code[3]} + {3'd0, code[4]}
                      + {3'd0, code[5]} + {3'd0, code[6]} + {3'd0, code[7]} + {3'd0, code[8]} + {3'd0, code[9]};

    always @* begin
        comes_back: assert (back == data && back_control == control && !invalid && !disparity);
        follows:    assert (after == (positive ^ inverts));
        balanced:   assert (ones == (!inverts ? 4'd5 : positive ? 4'd4 : 4'd6));
        flip_shows: assert (damaged_invalid || damaged_disparity || damaged != data || damaged_control != control);
        silent:     cover (!damaged_invalid && !damaged_disparity);   // it shows behind it, or in a check of the link's
    end
endmodule
`default_nettype wire
