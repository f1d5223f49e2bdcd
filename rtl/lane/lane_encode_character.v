// SPDX-License-Identifier: Apache-2.0
// One character in the 8b/10b code of A. X. Widmer and P. A. Franaszek, IBM J. Res. Dev. 27 (1983) 440, as IEEE
// 802.3 tables 36-1a to 36-2 list it. Combinational. Code groups stand in the tables as abcdei and fghj, bit a first
// on the line; `code` has bit a in bit 0. The tables hold what is sent at negative running disparity; at positive
// disparity sub-blocks with as many zeros as ones stay, but for D.7 and D.x.3, and all others are inverted.
//
// `inverts` does not wait for `positive`, so that the disparity before each of several characters is an exclusive or.
// A control byte that is none of the twelve gives a code group that means nothing: lane_transmit sends none.
`default_nettype none
module lane_encode_character (
    input  wire [7:0] data,
    input  wire       control,
    input  wire       positive,   // running disparity before this character
    output wire [9:0] code,
    output wire       inverts     // the disparity behind it is the other one
);
    wire [4:0] x = data[4:0];
    wire [2:0] y = data[7:5];

    // {unbalanced, abcdei}
    reg [6:0] six;
    always @* begin
        case (x)
            5'd0:    six = 7'b1_100111;
            5'd1:    six = 7'b1_011101;
            5'd2:    six = 7'b1_101101;
            5'd3:    six = 7'b0_110001;
            5'd4:    six = 7'b1_110101;
            5'd5:    six = 7'b0_101001;
            5'd6:    six = 7'b0_011001;
            5'd7:    six = 7'b0_111000;
            5'd8:    six = 7'b1_111001;
            5'd9:    six = 7'b0_100101;
            5'd10:   six = 7'b0_010101;
            5'd11:   six = 7'b0_110100;
            5'd12:   six = 7'b0_001101;
            5'd13:   six = 7'b0_101100;
            5'd14:   six = 7'b0_011100;
            5'd15:   six = 7'b1_010111;
            5'd16:   six = 7'b1_011011;
            5'd17:   six = 7'b0_100011;
            5'd18:   six = 7'b0_010011;
            5'd19:   six = 7'b0_110010;
            5'd20:   six = 7'b0_001011;
            5'd21:   six = 7'b0_101010;
            5'd22:   six = 7'b0_011010;
            5'd23:   six = 7'b1_111010;
            5'd24:   six = 7'b1_110011;
            5'd25:   six = 7'b0_100110;
            5'd26:   six = 7'b0_010110;
            5'd27:   six = 7'b1_110110;
            5'd28:   six = control ? 7'b1_001111 : 7'b0_001110;
            5'd29:   six = 7'b1_101110;
            5'd30:   six = 7'b1_011110;
            default: six = 7'b1_101011;
        endcase
    end

    wire       six_inverted = positive && (six[6] || x == 5'd7);
    wire [5:0] abcdei       = six[5:0] ^ {6{six_inverted}};
    wire       middle       = positive ^ six[6];   // disparity between the sub-blocks

    // D.x.7 has another form where the first would make a run of five equal bits.
    wire alternative = middle ? x == 5'd11 || x == 5'd13 || x == 5'd14 : x == 5'd17 || x == 5'd18 || x == 5'd20;

    // {unbalanced, fghj}
    reg [4:0] four;
    always @* begin
        case (y)
            3'd0:    four = 5'b1_1011;
            3'd1:    four = control ? 5'b0_0110 : 5'b0_1001;
            3'd2:    four = control ? 5'b0_1010 : 5'b0_0101;
            3'd3:    four = 5'b0_1100;
            3'd4:    four = 5'b1_1101;
            3'd5:    four = control ? 5'b0_0101 : 5'b0_1010;
            3'd6:    four = control ? 5'b0_1001 : 5'b0_0110;
            default: four = control || alternative ? 5'b1_0111 : 5'b1_1110;
        endcase
    end

    // of control characters every second sub-block is inverted, so that a comma stands where none else can
    wire       four_inverted = middle && (four[4] || y == 3'd3 || control);
    wire [3:0] fghj          = four[3:0] ^ {4{four_inverted}};

    assign code = {fghj[0], fghj[1], fghj[2], fghj[3],
                   abcdei[0], abcdei[1], abcdei[2], abcdei[3], abcdei[4], abcdei[5]};
    assign inverts = six[6] ^ four[4];
endmodule
`default_nettype wire
