// SPDX-License-Identifier: Apache-2.0
// From {steering tag, offset} to memory: checks tag, owner, right and range, and finds the page. Entries of the table
// and frames of pages are kept in two direct-mapped caches of 64 (LINES) each; what is not there is read from memory.
// README.md, "Steering tags"; [Tofu2012] section 4.1. An entry that is not valid is not kept, so a new one need not be
// forgotten.
//
// Clients, in turn: 0 stream of requests, 1 stream of answers, 2 receiver. A request is held until req_ready; each has
// one at a time.
//
//   cycle     0          1       2        3
//             req_ready  LOOK    CHECK    ANSWER: ans_valid      reads in between if a cache does not know
`default_nettype none
module tofu_tni_translate #(
    parameter LINES = 64                 // of a cache: 16, 32 or 64
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [31:0]  table_base,      // units of 16 bytes
    input  wire [18:0]  table_tags,
    input  wire         forget_valid,    // pulse: forget this tag,
    input  wire [17:0]  forget_tag,
    input  wire         forget_all,      // or all of them

    input  wire [2:0]   req_valid,
    output wire [2:0]   req_ready,
    input  wire [53:0]  req_tag,         // 18 bits a client
    input  wire [119:0] req_offset,      // 40
    input  wire [71:0]  req_length,      // 24
    input  wire [5:0]   req_right,       // 2: 0 read, 1 write, 2 atomic
    input  wire [2:0]   req_local,       // a command's own memory: rights do not matter
    input  wire [17:0]  req_queue,       // 6: must own the tag
    output wire [2:0]   ans_valid,
    output wire [39:0]  ans_address,     // bytes
    output wire [40:0]  ans_left,        // bytes to the end of the page, or of the tag's memory
    output wire [3:0]   ans_cause,       // 0 good, 1 tag, 2 range, 3 right, 4 owner

    output wire         rd_valid,        // tables, tofu_tni_reader
    input  wire         rd_ready,
    output wire [35:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,

    output wire         hit,             // pulses: answered without reading; not
    output wire         miss,
    input  wire [143:0] flip_mask,
    output wire         flipped,
    output reg          corrected,
    output reg          fault,
    output wire         obs_idle
);
    localparam LB = $clog2(LINES);
    localparam [LINES-1:0] NO_LINE = 0;
    localparam [5:0] IDLE = 6'd1, LOOK = 6'd2, TABLE = 6'd4, CHECK = 6'd8, FRAME = 6'd16, ANSWER = 6'd32;
    localparam [3:0] GOOD = 4'd0, NO_TAG = 4'd1, OUT_OF_RANGE = 4'd2, NO_RIGHT = 4'd3, NOT_OWNER = 4'd4;

    reg  [5:0]   state_reg;
    reg  [2:0]   client_reg;             // one-hot
    reg  [17:0]  tag_reg;
    reg  [39:0]  offset_reg;
    reg  [23:0]  length_reg;
    reg  [1:0]   right_reg;
    reg          local_reg;
    reg  [5:0]   queue_reg;
    reg  [3:0]   cause_reg;
    reg          read_reg;               // memory was asked
    reg          stale_reg;              // the tag was forgotten meanwhile: what was read is not kept
    reg  [1:0]   asked_reg;              // reads of this state asked for
    reg          got_reg;                // first of two has come

    // ---- whose turn ------------------------------------------------------------------------------------------------
    wire [2:0]   grant;
    arbiter_round_robin #(.WIDTH(3)) u_turn (
        .clk(clk), .rst(rst), .request(req_valid), .take(state_reg[0]), .grant(grant));
    assign req_ready = state_reg[0] ? grant : 3'd0;

    // ---- entry of the table: {frames, length, page, owner, rights, upper tag bits} ----------------------------------
    reg          valid_reg;              // of the entry in hand
    reg  [2:0]   rights_reg;             // {atomic, write, read}
    reg  [5:0]   owner_reg, page_reg;
    reg  [39:0]  end_reg;
    reg  [35:0]  frames_reg;
    reg  [LINES-1:0] entries_reg;            // lines in use
    wire [127:0] entry;
    wire [1:0]   singles, doubles, flips;
    wire         entry_kept  = state_reg[2] && rd_rvalid && got_reg && valid_reg && !stale_reg && !forgets;
    wire         entry_known = entries_reg[tag_reg[LB-1:0]] && entry[11:0] == tag_reg[17:6] &&
                               (LINES == 64 || entry[108:103] == tag_reg[5:0]);
    wire         forgets     = forget_valid;
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(LB)) u_entries (
        .clk(clk), .wr_en(entry_kept), .wr_address(tag_reg[LB-1:0]),
        .wr_data({19'd0, LINES == 64 ? 6'd0 : tag_reg[5:0], rd_data[35:0], end_reg, page_reg, owner_reg, rights_reg,
                  tag_reg[17:6]}),
        .rd_en(state_reg[1] && entries_reg[tag_reg[LB-1:0]]), .rd_address(tag_reg[LB-1:0]), .rd_data(entry),
        .flip_mask(flip_mask), .flipped(flips[0]), .single(singles[0]), .uncorrectable(doubles[0]));

    // ---- what is asked ----------------------------------------------------------------------------------------------
    wire         whole     = page_reg == 6'd63;
    wire         page_good = whole || (page_reg >= 6'd12 && page_reg <= 6'd40);
    wire [40:0]  stop      = {1'b0, offset_reg} + {17'd0, length_reg};
    wire [40:0]  bytes     = 41'd1 << page_reg;                       // of a page
    wire [39:0]  in_page    = whole ? offset_reg : offset_reg & (bytes[39:0] - 40'd1);
    wire [39:0]  shifted   = offset_reg >> page_reg;
    wire [27:0]  number    = shifted[27:0];                           // of the page
    wire         right     = local_reg || (rights_reg[0] && right_reg == 2'd0) ||
                             (rights_reg[1] && right_reg == 2'd1) || (rights_reg[2] && right_reg == 2'd2);
    wire [3:0]   cause     = !valid_reg || !page_good  ? NO_TAG :
                             owner_reg != queue_reg    ? NOT_OWNER :
                             !right                    ? NO_RIGHT :
                             stop > {1'b0, end_reg}    ? OUT_OF_RANGE : GOOD;

    // ---- frame of the page: {frame, number of the page, tag} --------------------------------------------------------
    reg  [35:0]  frame_reg;
    reg  [LINES-1:0] in_use_reg;            // lines
    wire [127:0] line;
    wire [LB-1:0] place      = number[LB-1:0] ^ tag_reg[LB-1:0];
    wire [35:0]  frame_read  = number[0] ? rd_data[99:64] : rd_data[35:0];
    wire         frame_kept  = state_reg[4] && rd_rvalid && !stale_reg && !forgets;
    wire         frame_known = in_use_reg[place] && line[17:0] == tag_reg && line[45:18] == number;
    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(LB)) u_frames (
        .clk(clk), .wr_en(frame_kept), .wr_address(place), .wr_data({46'd0, frame_read, number, tag_reg}),
        .rd_en(state_reg[3] && in_use_reg[place]), .rd_address(place), .rd_data(line),
        .flip_mask(flip_mask), .flipped(flips[1]), .single(singles[1]), .uncorrectable(doubles[1]));

    // ---- answer, reads ----------------------------------------------------------------------------------------------
    wire [40:0]  to_page_end = bytes - {1'b0, in_page};
    wire [40:0]  to_end      = {1'b0, end_reg} - {1'b0, offset_reg};
    assign ans_valid   = state_reg[5] ? client_reg : 3'd0;
    assign ans_address = {frame_reg, 4'd0} + in_page;
    assign ans_left    = whole || to_end < to_page_end ? to_end : to_page_end;
    assign ans_cause   = cause_reg;
    assign rd_valid    = (state_reg[2] && !asked_reg[1]) || (state_reg[4] && !asked_reg[0]);
    assign rd_address  = state_reg[2] ? {4'd0, table_base} + {17'd0, tag_reg, asked_reg[0]}
                                      : frames_reg + {9'd0, number[27:1]};
    assign hit         = state_reg[5] && !read_reg;
    assign miss        = state_reg[5] && read_reg;
    assign flipped     = flips != 2'd0;
    assign obs_idle    = state_reg[0] && req_valid == 3'd0 && !forgets && !corrected && !fault;

    integer i;
    always @(posedge clk) begin
        corrected <= singles != 2'd0;
        fault     <= doubles != 2'd0 || (state_reg & (state_reg - 6'd1)) != 6'd0 || state_reg == 6'd0 ||
                     (client_reg & (client_reg - 3'd1)) != 3'd0;
        if (forgets)
            stale_reg <= 1'b1;
        if (rd_valid && rd_ready)
            asked_reg <= {asked_reg[0], 1'b1};
        case (1'b1)
            state_reg[0]: begin
                stale_reg <= 1'b0;
                read_reg  <= 1'b0;
                asked_reg <= 2'd0;
                got_reg   <= 1'b0;
                cause_reg <= GOOD;
                if (grant != 3'd0) begin
                    client_reg <= grant;
                    state_reg  <= LOOK;
                end
                for (i = 0; i < 3; i = i + 1) begin
                    if (grant[i]) begin
                        tag_reg    <= req_tag[18*i +: 18];
                        offset_reg <= req_offset[40*i +: 40];
                        length_reg <= req_length[24*i +: 24];
                        right_reg  <= req_right[2*i +: 2];
                        local_reg  <= req_local[i];
                        queue_reg  <= req_queue[6*i +: 6];
                    end
                end
            end
            state_reg[1]: begin
                valid_reg  <= 1'b1;
                rights_reg <= entry[14:12];
                owner_reg  <= entry[20:15];
                page_reg   <= entry[26:21];
                end_reg    <= entry[66:27];
                frames_reg <= entry[102:67];
                state_reg  <= entry_known ? CHECK : TABLE;
                read_reg   <= !entry_known;
                if ({1'b0, tag_reg} >= table_tags) begin
                    cause_reg <= NO_TAG;
                    read_reg  <= 1'b0;
                    state_reg <= ANSWER;
                end
            end
            state_reg[2]: begin
                if (rd_rvalid && !got_reg) begin
                    got_reg    <= 1'b1;
                    valid_reg  <= rd_data[0];
                    rights_reg <= rd_data[3:1];
                    owner_reg  <= rd_data[9:4];
                    page_reg   <= rd_data[15:10];
                    end_reg    <= rd_data[103:64];
                end
                if (rd_rvalid && got_reg) begin
                    frames_reg <= rd_data[35:0];
                    asked_reg  <= 2'd0;
                    state_reg  <= CHECK;
                end
            end
            state_reg[3]: begin
                cause_reg <= cause;
                frame_reg <= whole ? frames_reg : line[81:46];
                state_reg <= ANSWER;
                if (cause == GOOD && !whole && !frame_known) begin
                    read_reg  <= 1'b1;
                    state_reg <= FRAME;
                end
            end
            state_reg[4]: begin
                if (rd_rvalid) begin
                    frame_reg <= frame_read;
                    state_reg <= ANSWER;
                end
            end
            default: state_reg <= IDLE;
        endcase

        if (entry_kept)
            entries_reg[tag_reg[LB-1:0]] <= 1'b1;
        if (frame_kept)
            in_use_reg[place] <= 1'b1;
        if (forgets) begin
            // frames are many, and forgetting is rare: all of them
            entries_reg[forget_tag[LB-1:0]] <= 1'b0;
            in_use_reg                      <= NO_LINE;
        end
        if (forgets && forget_all)
            entries_reg <= NO_LINE;
        if (rst) begin
            state_reg   <= IDLE;
            client_reg  <= 3'd0;
            entries_reg <= NO_LINE;
            in_use_reg  <= NO_LINE;
            corrected   <= 1'b0;
            fault       <= 1'b0;
        end
    end

    wire unused = &{1'b0, entry[127:103], line[127:82], shifted[39:28], forget_tag, rd_data[127:104],
                    rd_data[63:36]};
endmodule
`default_nettype wire
