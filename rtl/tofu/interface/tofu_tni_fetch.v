// SPDX-License-Identifier: Apache-2.0
// Reads payload ahead of what is sent, packet after packet, into a buffer with SECDED. A packet's payload lies in one
// piece of memory or in two; the next packet's pieces are taken while the last chunk of this one's is asked for, so
// that a chunk a cycle is read. What needs no reading is pushed in.
//
//   cycle   0    1            2 + memory
//           go   first read   first chunk
`default_nettype none
module tofu_tni_fetch #(
    parameter DEPTH_BITS = 6             // log2 of the buffer's chunks of 16 bytes
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         blocked,

    input  wire         go,              // pulse, if ready: a packet's pieces, in units of 16 bytes
    output wire         ready,
    input  wire [35:0]  first_address,
    input  wire [6:0]   first_chunks,    // 1 at least
    input  wire [35:0]  second_address,
    input  wire [6:0]   second_chunks,   // 0: it lies in one piece
    input  wire [17:0]  tag,             // of its memory
    output wire         reading,         // reads of a packet are still to be asked for:
    output reg  [17:0]  reading_tag,

    output wire         quiet,           // everything asked for is here, and there is room for two chunks:
    input  wire         push,            // pulse, if quiet: this is a chunk
    input  wire [127:0] push_data,

    output wire         rd_valid,        // tofu_tni_reader
    input  wire         rd_ready,
    output wire [35:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,

    output wire         there,           // the buffer holds a chunk
    input  wire         pop,
    output wire [127:0] chunk,

    input  wire [143:0] flip_mask,
    output wire         flipped,
    output wire         corrected,
    output wire         fatal,
    output wire         obs_idle
);
    localparam [DEPTH_BITS:0] NONE = 0, ONE = 1;

    reg  [1:0]            piece_reg;     // pieces left; the second waits for the first
    reg  [35:0]           address_reg, next_address_reg;
    reg  [6:0]            chunks_reg, next_chunks_reg;
    reg  [DEPTH_BITS:0]   reserved_reg, coming_reg, stored_reg;
    reg  [DEPTH_BITS-1:0] write_reg, read_reg;
    wire                  single, hopeless;

    wire         reads     = rd_valid && rd_ready;
    wire         piece_end = reads && chunks_reg == 7'd1;
    wire         stores    = rd_rvalid || push;

    assign ready      = piece_reg == 2'd0 || (piece_end && !piece_reg[1]);
    assign reading    = piece_reg[0];
    assign quiet      = piece_reg == 2'd0 && coming_reg == NONE && !stored_reg[DEPTH_BITS] &&
                        stored_reg[DEPTH_BITS-1:0] != {DEPTH_BITS{1'b1}};
    assign rd_valid   = piece_reg[0] && !reserved_reg[DEPTH_BITS] && !blocked;
    assign rd_address = address_reg;
    assign there      = stored_reg != NONE;
    assign corrected  = pop && single;
    assign fatal      = (pop && (hopeless || !there)) || piece_reg == 2'd2;
    assign obs_idle   = piece_reg == 2'd0 && reserved_reg == NONE && stored_reg == NONE;

    tofu_tni_memory #(.WORDS(2), .ADDRESS_BITS(DEPTH_BITS)) u_buffer (
        .clk(clk), .wr_en(stores), .wr_address(write_reg), .wr_data(rd_rvalid ? rd_data : push_data),
        .flip_mask(flip_mask), .flipped(flipped), .rd_en(pop), .rd_address(read_reg), .rd_data(chunk),
        .single(single), .uncorrectable(hopeless));

    always @(posedge clk) begin
        if (piece_end) begin
            piece_reg   <= {1'b0, piece_reg[1]};
            address_reg <= next_address_reg;
            chunks_reg  <= next_chunks_reg;
        end else if (reads) begin
            address_reg <= address_reg + 36'd1;
            chunks_reg  <= chunks_reg - 7'd1;
        end
        if (go) begin
            piece_reg        <= {second_chunks != 7'd0, 1'b1};
            address_reg      <= first_address;
            chunks_reg       <= first_chunks;
            next_address_reg <= second_address;
            next_chunks_reg  <= second_chunks;
            reading_tag      <= tag;
        end

        reserved_reg <= reserved_reg + {{DEPTH_BITS{1'b0}}, reads || push} - {{DEPTH_BITS{1'b0}}, pop};
        coming_reg   <= coming_reg + {{DEPTH_BITS{1'b0}}, reads} - {{DEPTH_BITS{1'b0}}, rd_rvalid};
        stored_reg   <= stored_reg + {{DEPTH_BITS{1'b0}}, stores} - {{DEPTH_BITS{1'b0}}, pop};
        if (stores)
            write_reg <= write_reg + ONE[DEPTH_BITS-1:0];
        if (pop)
            read_reg <= read_reg + ONE[DEPTH_BITS-1:0];

        if (rst) begin
            piece_reg    <= 2'd0;
            reserved_reg <= NONE;
            coming_reg   <= NONE;
            stored_reg   <= NONE;
            write_reg    <= {DEPTH_BITS{1'b0}};
            read_reg     <= {DEPTH_BITS{1'b0}};
        end
    end
endmodule
`default_nettype wire
