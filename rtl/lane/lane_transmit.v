// SPDX-License-Identifier: Apache-2.0
// What the lanes of a bundle send: a link's words, and between them, where the link leaves two idle words, a set of
// COMMA and SKIP; while either end receives nothing it could use, training instead of the link's words.
//
//   in         w0    w1    idle  idle  w2          a link that leaves room
//   pause      ______/-----------\_______________  from INTERVAL words after a set until the next one has its place
//   out              w0    w1    COMMA SKIP  w2
//
//   training:  COMMA, SKIP, IDENTIFY, identity, polarity, then 59 words of FAULT (we do not receive) or IDLE (the peer
//   does not)
//
// At each rise of `pause` a link leaves two idle words at the end of the frame that it is sending; any two idle
// words will do. Sets cost at most 2 words in INTERVAL + 2. Training begins and ends between two words, without
// regard for frames.
//
// Latency: 1 word; with the encoder's, 2.
`default_nettype none
`include "lane_wire.vh"
module lane_transmit #(
    parameter BYTES    = 4,
    parameter LANES    = 1,      // byte b of a word travels on lane b % LANES
    parameter INTERVAL = 510     // words from a set to the request for the next one: 400 to 640
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               en,
    input  wire               fault,         // send FAULT
    input  wire               train,         // send training
    input  wire [8*BYTES-1:0] in_data,       // the link's word
    input  wire [BYTES-1:0]   in_control,
    output wire               pause,
    output wire               late,          // no place was found for a set in twice INTERVAL
    output wire [8*BYTES-1:0] out_data,      // characters of the line
    output wire [BYTES-1:0]   out_control,
    output wire               out_mark       // the word is a set's COMMA
);
    localparam [9:0] LAST       = INTERVAL - 1;
    localparam [2:0] LOG2_LANES = LANES == 8 ? 3'd3 : LANES == 4 ? 3'd2 : LANES == 2 ? 3'd1 : 3'd0;
    localparam [2:0] LOG2_BYTES = BYTES == 16 ? 3'd4 : BYTES == 8 ? 3'd3 : BYTES == 4 ? 3'd2 : BYTES == 2 ? 3'd1 : 3'd0;
    // what the next word is
    localparam [2:0] LINK = 3'd0, COMMA = 3'd1, SKIP = 3'd2, IDENTIFY = 3'd3, IDENTITY = 3'd4, FAULT = 3'd5,
                     IDLE = 3'd6, POLARITY = 3'd7;

    reg  [8*BYTES-1:0] word_reg;
    reg  [BYTES-1:0]   control_reg;
    reg                idle_reg;         // the word is idle throughout
    reg                skip_reg;         // the SKIP of a set that has begun
    reg                due_reg, late_reg, training_reg;
    reg  [9:0]         count_reg;        // words since a set
    reg  [5:0]         phase_reg;        // word of the training's block

    wire idle_in = in_control == {BYTES{1'b1}} && in_data == {BYTES{`LANE_PORT_IDLE}};
    wire place   = !training_reg && due_reg && !skip_reg && idle_reg && idle_in;

    reg  [2:0] kind;
    always @* begin
        kind = LINK;
        if (training_reg) begin
            case (phase_reg)
                6'd0:    kind = COMMA;
                6'd1:    kind = SKIP;
                6'd2:    kind = IDENTIFY;
                6'd3:    kind = IDENTITY;
                6'd4:    kind = POLARITY;
                default: kind = fault ? FAULT : IDLE;
            endcase
        end else if (skip_reg) begin
            kind = SKIP;
        end else if (place) begin
            kind = COMMA;
        end
    end

    assign pause    = due_reg;
    assign late     = late_reg;
    assign out_mark = kind == COMMA;

    // Of words of several characters a lane the first one says what the word is; SKIP and FAULT are whole words.
    genvar i;
    generate
        for (i = 0; i < BYTES; i = i + 1) begin : gen_byte
            localparam       LANE  = i % LANES;
            localparam       FIRST = i < LANES;
            localparam [7:0] SELF  = {LOG2_BYTES, LOG2_LANES[1:0], LANE[2:0]};
            wire [7:0] link_data;
            wire       link_control;
            lane_map #(.RECEIVE(0)) u_map (
                .in_data(word_reg[8*i +: 8]), .in_control(control_reg[i]), .in_error(1'b0),
                .out_data(link_data), .out_control(link_control)
            );
            reg [8:0] character;
            always @* begin
                case (kind)
                    LINK:     character = {link_control, link_data};
                    COMMA:    character = {1'b1, FIRST ? `LANE_COMMA : `LANE_IDLE};
                    SKIP:     character = {1'b1, `LANE_SKIP};
                    IDENTIFY: character = {1'b1, FIRST ? `LANE_IDENTIFY : `LANE_IDLE};
                    IDENTITY: character = FIRST ? {1'b0, SELF} : {1'b1, `LANE_IDLE};
                    POLARITY: character = FIRST ? {1'b0, `LANE_POLARITY_RIGHT} : {1'b1, `LANE_IDLE};
                    FAULT:    character = {1'b1, `LANE_FAULT};
                    default:  character = {1'b1, `LANE_IDLE};
                endcase
            end
            assign out_data[8*i +: 8] = character[7:0];
            assign out_control[i]     = character[8];
        end
    endgenerate

    always @(posedge clk) begin
        if (en) begin
            word_reg    <= in_data;
            control_reg <= in_control;
            idle_reg    <= idle_in;
            skip_reg    <= place;
            count_reg   <= kind == COMMA ? 10'd0 : count_reg == LAST ? 10'd0 : count_reg + 10'd1;
            // a block of training is finished
            phase_reg   <= training_reg ? phase_reg + 6'd1 : 6'd0;
            // nor is a set cut in two
            training_reg <= (train && !place) || (training_reg && phase_reg != 6'd63);
            if (kind == COMMA) begin
                due_reg  <= 1'b0;
                late_reg <= 1'b0;
            end else if (count_reg == LAST) begin
                due_reg  <= 1'b1;
                late_reg <= due_reg;
            end
        end
        if (rst) begin
            control_reg  <= {BYTES{1'b1}};
            idle_reg     <= 1'b0;
            skip_reg     <= 1'b0;
            due_reg      <= 1'b0;
            late_reg     <= 1'b0;
            training_reg <= 1'b1;
            count_reg    <= 10'd0;
            phase_reg    <= 6'd0;
        end
    end
endmodule
`default_nettype wire
