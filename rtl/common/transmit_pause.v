// SPDX-License-Identifier: Apache-2.0
// What a link needs before lanes (lane_bundle): at each rise of `pause` two words in a row are left idle, the next ones
// that are no part of a frame. Nothing is held without lanes, and there are no registers.
//
//   between  ______________/-----------------     a frame ends
//   pause    _____/-----------------------\__     two words or more behind the second idle one
//   hold     ______________/-------\_________     two words
//
// Both may be idle anyhow; lanes ask again when they need the next two, INTERVAL words after those they used. So a
// pause costs two words, and asking costs nothing.
//
// Latency: from the rise of pause to hold 1 word.
`default_nettype none
module transmit_pause #(
    parameter LANES = 0          // 0: none
) (
    input  wire clk,
    input  wire rst,
    input  wire en,              // a word is chosen in this cycle
    input  wire pause,           // of lane_bundle, on clk
    input  wire between,         // with en: the word is no part of a frame under way
    output wire hold,            // it is to be idle: no frame may begin
    output wire idle             // no register changes unless `pause` does
);
    generate
        if (LANES == 0) begin : gen_none
            assign hold = 1'b0;
            assign idle = 1'b1;
            wire unused = &{1'b0, clk, rst, en, pause, between};
        end else begin : gen_lanes
            reg       asked_reg;
            reg [1:0] left_reg;  // words to be left idle

            assign hold = left_reg != 2'd0 && between;
            assign idle = left_reg == 2'd0 && asked_reg == pause;

            always @(posedge clk) begin
                if (en) begin
                    asked_reg <= pause;
                    if (pause && !asked_reg) begin
                        left_reg <= 2'd2;
                    end else if (hold) begin
                        left_reg <= left_reg - 2'd1;
                    end
                end
                if (rst) begin
                    asked_reg <= 1'b0;
                    left_reg  <= 2'd0;
                end
            end
        end
    endgenerate
endmodule
`default_nettype wire
