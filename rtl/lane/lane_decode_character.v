// SPDX-License-Identifier: Apache-2.0
// What a code group of ten bits says: the way back of lane_encode_character, combinational. `invalid`: it is in
// neither column of IEEE 802.3 tables 36-1 and 36-2; `disparity`: it is in the other column only. Either way nothing
// is known of the character: a flipped bit may show in a later one only. The running disparity follows the bits,
// sub-block by sub-block, whatever they are (36.2.4.4), so that one flipped bit cannot spoil more than the
// characters up to the next unbalanced sub-block.
`default_nettype none
module lane_decode_character (
    input  wire [9:0] code,        // bit a in bit 0
    input  wire       positive,    // running disparity before it
    output wire [7:0] data,
    output wire       control,
    output wire       invalid,
    output wire       disparity,
    output wire       after        // running disparity behind it: positive
);
    wire [5:0] abcdei = {code[0], code[1], code[2], code[3], code[4], code[5]};
    wire [3:0] fghj   = {code[6], code[7], code[8], code[9]};

    // {known, D.x, whether it needs positive disparity, or negative}
    reg [7:0] six;
    always @* begin
        case (abcdei)
            6'b100111: six = {1'b1, 5'd0,  2'b01};
            6'b011000: six = {1'b1, 5'd0,  2'b10};
            6'b011101: six = {1'b1, 5'd1,  2'b01};
            6'b100010: six = {1'b1, 5'd1,  2'b10};
            6'b101101: six = {1'b1, 5'd2,  2'b01};
            6'b010010: six = {1'b1, 5'd2,  2'b10};
            6'b110001: six = {1'b1, 5'd3,  2'b00};
            6'b110101: six = {1'b1, 5'd4,  2'b01};
            6'b001010: six = {1'b1, 5'd4,  2'b10};
            6'b101001: six = {1'b1, 5'd5,  2'b00};
            6'b011001: six = {1'b1, 5'd6,  2'b00};
            6'b111000: six = {1'b1, 5'd7,  2'b01};
            6'b000111: six = {1'b1, 5'd7,  2'b10};
            6'b111001: six = {1'b1, 5'd8,  2'b01};
            6'b000110: six = {1'b1, 5'd8,  2'b10};
            6'b100101: six = {1'b1, 5'd9,  2'b00};
            6'b010101: six = {1'b1, 5'd10, 2'b00};
            6'b110100: six = {1'b1, 5'd11, 2'b00};
            6'b001101: six = {1'b1, 5'd12, 2'b00};
            6'b101100: six = {1'b1, 5'd13, 2'b00};
            6'b011100: six = {1'b1, 5'd14, 2'b00};
            6'b010111: six = {1'b1, 5'd15, 2'b01};
            6'b101000: six = {1'b1, 5'd15, 2'b10};
            6'b011011: six = {1'b1, 5'd16, 2'b01};
            6'b100100: six = {1'b1, 5'd16, 2'b10};
            6'b100011: six = {1'b1, 5'd17, 2'b00};
            6'b010011: six = {1'b1, 5'd18, 2'b00};
            6'b110010: six = {1'b1, 5'd19, 2'b00};
            6'b001011: six = {1'b1, 5'd20, 2'b00};
            6'b101010: six = {1'b1, 5'd21, 2'b00};
            6'b011010: six = {1'b1, 5'd22, 2'b00};
            6'b111010: six = {1'b1, 5'd23, 2'b01};
            6'b000101: six = {1'b1, 5'd23, 2'b10};
            6'b110011: six = {1'b1, 5'd24, 2'b01};
            6'b001100: six = {1'b1, 5'd24, 2'b10};
            6'b100110: six = {1'b1, 5'd25, 2'b00};
            6'b010110: six = {1'b1, 5'd26, 2'b00};
            6'b110110: six = {1'b1, 5'd27, 2'b01};
            6'b001001: six = {1'b1, 5'd27, 2'b10};
            6'b001110: six = {1'b1, 5'd28, 2'b00};
            6'b001111: six = {1'b1, 5'd28, 2'b01};   // K28
            6'b110000: six = {1'b1, 5'd28, 2'b10};
            6'b101110: six = {1'b1, 5'd29, 2'b01};
            6'b010001: six = {1'b1, 5'd29, 2'b10};
            6'b011110: six = {1'b1, 5'd30, 2'b01};
            6'b100001: six = {1'b1, 5'd30, 2'b10};
            6'b101011: six = {1'b1, 5'd31, 2'b01};
            6'b010100: six = {1'b1, 5'd31, 2'b10};
            default:   six = 8'd0;
        endcase
    end
    wire [4:0] x   = six[6:2];
    wire       k28 = abcdei == 6'b001111 || abcdei == 6'b110000;

    // of K28 behind 110000, where the disparity is negative; else as it is
    wire [3:0] bits = fghj ^ {4{abcdei == 6'b001111}};

    // {known, y, whether it needs positive disparity between the sub-blocks, or negative, alternative}
    reg [6:0] four;
    always @* begin
        if (k28) begin
            case (bits)
                4'b1011: four = {1'b1, 3'd0, 3'b000};
                4'b0110: four = {1'b1, 3'd1, 3'b000};
                4'b1010: four = {1'b1, 3'd2, 3'b000};
                4'b1100: four = {1'b1, 3'd3, 3'b000};
                4'b1101: four = {1'b1, 3'd4, 3'b000};
                4'b0101: four = {1'b1, 3'd5, 3'b000};
                4'b1001: four = {1'b1, 3'd6, 3'b000};
                4'b0111: four = {1'b1, 3'd7, 3'b000};
                default: four = 7'd0;
            endcase
        end else begin
            case (bits)
                4'b1011: four = {1'b1, 3'd0, 3'b010};
                4'b0100: four = {1'b1, 3'd0, 3'b100};
                4'b1001: four = {1'b1, 3'd1, 3'b000};
                4'b0101: four = {1'b1, 3'd2, 3'b000};
                4'b1100: four = {1'b1, 3'd3, 3'b010};
                4'b0011: four = {1'b1, 3'd3, 3'b100};
                4'b1101: four = {1'b1, 3'd4, 3'b010};
                4'b0010: four = {1'b1, 3'd4, 3'b100};
                4'b1010: four = {1'b1, 3'd5, 3'b000};
                4'b0110: four = {1'b1, 3'd6, 3'b000};
                4'b1110: four = {1'b1, 3'd7, 3'b010};
                4'b0001: four = {1'b1, 3'd7, 3'b100};
                4'b0111: four = {1'b1, 3'd7, 3'b011};
                4'b1000: four = {1'b1, 3'd7, 3'b101};
                default: four = 7'd0;
            endcase
        end
    end

    wire k_other = x == 5'd23 || x == 5'd27 || x == 5'd29 || x == 5'd30;
    // characters whose .7 is the alternative, by the disparity before it
    wire needs_alternative = four[2] ? x == 5'd11 || x == 5'd13 || x == 5'd14 : x == 5'd17 || x == 5'd18 || x == 5'd20;
    wire form_ok = k28 || four[5:3] != 3'd7 || (four[0] ? needs_alternative || k_other : !needs_alternative);

    function odd(input [5:0] block);   // more ones than zeros, or the later ones
        odd = block == 6'b000111 || {2'd0, block[0]} + {2'd0, block[1]} + {2'd0, block[2]} + {2'd0, block[3]}
                                    + {2'd0, block[4]} + {2'd0, block[5]} > 3'd3;
    endfunction
    wire six_up    = odd(abcdei);
    wire six_down  = odd(~abcdei);      // of both, neither or one is true
    wire four_up   = fghj == 4'b0011 || fghj == 4'b0111 || fghj == 4'b1011 || fghj == 4'b1101 || fghj == 4'b1110
                     || fghj == 4'b1111;
    wire four_down = fghj == 4'b1100 || fghj == 4'b1000 || fghj == 4'b0100 || fghj == 4'b0010 || fghj == 4'b0001
                     || fghj == 4'b0000;

    // in the column of negative, and of positive disparity
    wire       known     = six[7] && four[6] && form_ok;
    wire       mid_minus = six_up;                                  // behind it, if it was negative before
    wire       mid_plus  = !six_down;
    wire       in_minus  = known && !six[1] && (mid_minus ? !four[1] : !four[2]);
    wire       in_plus   = known && !six[0] && (mid_plus  ? !four[1] : !four[2]);
    wire       middle    = six_up || (positive && !six_down);

    assign data      = {four[5:3], x};
    assign control   = k28 || (four[0] && k_other);
    assign invalid   = !in_minus && !in_plus;
    assign disparity = positive ? !in_plus && in_minus : !in_minus && in_plus;
    assign after     = four_up || (middle && !four_down);
endmodule
`default_nettype wire
