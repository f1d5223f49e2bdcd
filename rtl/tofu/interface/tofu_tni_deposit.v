// SPDX-License-Identifier: Apache-2.0
// Writes a packet's payload to memory, 16 bytes a cycle, at any byte address. It lies in one piece, or in two if a page
// ends in it: pages and frames are of whole words, so bytes keep their places in words.
//
//   cycle     0       1      2        3
//             start   read   correct  payload_valid, then a word a cycle
`default_nettype none
module tofu_tni_deposit (
    input  wire         clk,
    input  wire         rst,

    input  wire         start,           // with these:
    input  wire [10:0]  bytes,           // of payload, 1 to 1,920
    input  wire [39:0]  address,         // of the first byte
    input  wire [10:0]  first_bytes,     // that are in the first piece
    input  wire [35:0]  second,          // word where the second piece begins
    output wire         done,            // the last word is taken

    output wire         read_en,         // payload, tofu_tni_receive
    output wire [6:0]   read_beat,
    output wire         read_look,
    input  wire [127:0] read_data,
    input  wire         read_wrong,

    output wire         payload_valid,   // tofu_tni_writer
    input  wire         payload_ready,
    output wire [35:0]  payload_address,
    output wire [127:0] payload_data,
    output wire [15:0]  payload_strobe,

    output wire         fault,           // counts that cannot be
    output wire         obs_idle
);
    reg          active_reg;             // words are still to be asked for
    reg  [6:0]   ask_reg;                // next word
    reg  [6:0]   beats_reg;              // of payload
    reg  [6:0]   words_reg;              // of memory
    reg  [6:0]   split_reg;              // words of the first piece
    reg  [3:0]   shift_reg;
    reg  [10:0]  stop_reg;               // first byte behind, counted from the first word's
    reg  [35:0]  first_word_reg, second_word_reg;
    reg          asked_valid_reg, word_valid_reg;
    reg  [6:0]   asked_reg, word_reg;    // word of each stage
    reg  [127:0] now_reg, before_reg;    // beats
    wire         moves   = !word_valid_reg || payload_ready;
    wire         last    = word_reg == words_reg - 7'd1;
    wire [10:0]  end_at  = bytes + {7'd0, address[3:0]};
    wire [11:0]  round   = {1'b0, end_at} + 12'd15;
    wire [10:0]  round_b = bytes + 11'd15;
    wire [10:0]  split   = first_bytes + {7'd0, address[3:0]};

    assign read_en         = active_reg && moves && ask_reg < beats_reg;
    assign read_beat       = ask_reg + 7'd2;
    assign read_look       = asked_valid_reg && asked_reg < beats_reg;
    assign payload_valid   = word_valid_reg;
    assign done            = word_valid_reg && payload_ready && last;
    assign payload_address = word_reg < split_reg ? first_word_reg + {29'd0, word_reg} :
                                                    second_word_reg + {29'd0, word_reg - split_reg};
    assign fault           = (word_valid_reg && word_reg >= words_reg) || ask_reg > 7'd126;
    assign obs_idle        = !active_reg && !asked_valid_reg && !word_valid_reg;

    wire [255:0] both = {now_reg, before_reg} << {shift_reg, 3'd0};
    assign payload_data = both[255:128];
    genvar b;
    generate
        for (b = 0; b < 16; b = b + 1) begin : g_byte
            localparam [3:0] BYTE = b;
            assign payload_strobe[b] = {word_reg, BYTE} >= {7'd0, shift_reg} && {word_reg, BYTE} < stop_reg;
        end
    endgenerate

    always @(posedge clk) begin
        if (moves) begin
            asked_valid_reg <= active_reg;
            asked_reg       <= ask_reg;
            word_valid_reg  <= asked_valid_reg && !read_wrong;
            word_reg        <= asked_reg;
            now_reg         <= read_data;
            before_reg      <= now_reg;
            if (active_reg) begin
                ask_reg    <= ask_reg + 7'd1;
                active_reg <= ask_reg != words_reg - 7'd1;
            end
        end
        if (start) begin
            active_reg      <= 1'b1;
            ask_reg         <= 7'd0;
            beats_reg       <= round_b[10:4];
            words_reg       <= round[10:4];
            split_reg       <= first_bytes < bytes ? split[10:4] : 7'd127;
            shift_reg       <= address[3:0];
            stop_reg        <= end_at;
            first_word_reg  <= address[39:4];
            second_word_reg <= second;
        end
        if (rst) begin
            active_reg      <= 1'b0;
            ask_reg         <= 7'd0;
            asked_valid_reg <= 1'b0;
            word_valid_reg  <= 1'b0;
        end
    end

    wire unused = &{1'b0, round[11], round[3:0], round_b[3:0], split[3:0], both[127:0]};
endmodule
`default_nettype wire
