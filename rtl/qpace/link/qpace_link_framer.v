// SPDX-License-Identifier: Apache-2.0
// Transmit framer of a QPACE link ([QPACE2009] section 6; wire format in README.md): puts hellos, commands and
// packets on the wire, one word a cycle, and appends CRCs. A frame once begun is always finished;
// idle words fill in while the core has not written a packet's next beat yet (cut-through).
//
// Priority at a frame's end: hello, urgent command, packet, lazy command.
//
//   cycle           0        1        2       3      ...  33       34       35
//   decision        packet   -        -       -           -        next
//   buffer          read b0  beat 0   beat 0  ...
//   word_reg        idle     header   w0      w1          w31      (CRC)    header
//   crc                               header  w0          w30      w31
//   xgmii_txd       idle     idle     header  w0          w30      w31      CRC
//
// Latency: decision to header on the wire 2 cycles. Back to back, 34 cycles a packet.
`default_nettype none
`include "qpace_wire.vh"
module qpace_link_framer #(
    parameter SLOT_BITS = 4,
    parameter BEAT_BITS = 3       // 2^BEAT_BITS beats a packet: 3 (16 bytes each) or 2 (32 bytes)
) (
    input  wire                 link_clk,
    input  wire                 link_rst,

    input  wire                 hello,
    input  wire [95:8]          hello_words,     // all but its start code and its CRC
    output wire                 hello_taken,

    // command: bits 15:8 of its word
    input  wire                 command_urgent,
    input  wire                 command_lazy,    // only if no packet waits
    input  wire [15:8]          command,
    output wire                 command_taken,

    // packet: its slot must hold a beat
    input  wire                 packet,
    input  wire [SLOT_BITS:0]   packet_pointer,
    input  wire [31:8]          packet_header,   // lanes 1 to 3
    input  wire                 packet_first,    // never sent before: counts in the checksum
    output wire                 packet_taken,
    output wire                 stalled,         // inside a packet, waiting for the core

    // transmit buffer
    input  wire [SLOT_BITS+BEAT_BITS:0] written,
    output wire                 rd_en,
    output wire [SLOT_BITS+BEAT_BITS-1:0] rd_address,
    input  wire [(1024>>BEAT_BITS)-1:0] rd_data,
    input  wire                 rd_void,         // with a packet's last beat: it is withdrawn

    input  wire                 clear_checksum,  // at the node's reset, too
    output wire [31:0]          checksum,
    output wire                 idle,            // nothing on its way
    output wire                 gap,             // a frame may begin

    output wire [31:0]          xgmii_txd,
    output wire [3:0]           xgmii_txc
);
    localparam       WORD_BITS = 5 - BEAT_BITS;   // 2^WORD_BITS words a beat
    localparam [BEAT_BITS-1:0] ONE = 1;
    localparam [1:0] GAP = 2'd0, PACKET = 2'd1, HELLO = 2'd2;
    // what word_reg holds besides a word to be sent as it is
    localparam [1:0] PLAIN = 2'd0, FIRST = 2'd1, BODY = 2'd2, CRC = 2'd3;

    reg  [1:0]         state_reg;
    reg  [5:0]         index_reg;      // word of the frame, header not counted
    reg                have_reg;       // the buffer's output is the beat of index_reg
    reg  [SLOT_BITS:0] pointer_reg;
    reg                first_reg;
    reg  [31:0]        payload_reg;    // a word of payload, else 0
    reg  [31:0]        other_reg;      // another word, else 0
    reg                control_reg;    // word_reg is idle
    reg  [1:0]         kind_reg;
    reg                sum_reg;        // word_reg counts in the checksum
    reg                void_reg;       // with CRC: the packet is withdrawn
    reg  [31:0]        checksum_reg;
    reg  [31:0]        txd_reg;
    reg  [3:0]         txc_reg;

    wire               lazy         = command_lazy && !packet;
    wire [15:0]        command_crc;
    wire [31:0]        crc;
    wire               packet_end   = index_reg[5];                   // 32
    wire               hello_end    = index_reg[1];                   // 2
    wire               beat_end     = index_reg[WORD_BITS-1:0] == {WORD_BITS{1'b1}};
    wire [BEAT_BITS-1:0] next_beat  = have_reg ? index_reg[4:WORD_BITS] + ONE : index_reg[4:WORD_BITS];
    wire               beat_written = written != {pointer_reg, next_beat};
    wire               want_beat    = state_reg == PACKET && !packet_end && !(have_reg && !beat_end)
                                      && !(have_reg && index_reg == 6'd31);
    reg  [31:0]        payload;
    wire [31:0]        word_reg     = payload_reg | other_reg;

    assign gap           = state_reg == GAP;
    assign hello_taken   = gap && hello;
    assign command_taken = gap && !hello && (command_urgent || lazy);
    assign packet_taken  = gap && !hello && !command_urgent && packet;
    assign stalled       = state_reg == PACKET && !have_reg && !packet_end;
    assign rd_en         = packet_taken || (want_beat && beat_written);
    assign rd_address    = gap ? {packet_pointer[SLOT_BITS-1:0], {BEAT_BITS{1'b0}}}
                               : {pointer_reg[SLOT_BITS-1:0], next_beat};
    assign checksum      = checksum_reg;
    assign idle          = gap && control_reg && kind_reg == PLAIN && !sum_reg && txc_reg == `QPACE_WIRE_IDLE_CONTROL;
    assign xgmii_txd     = txd_reg;
    assign xgmii_txc     = txc_reg;

    // words that are not payload; what stands here while nothing is to be sent does not matter
    wire [1:0]         source = (state_reg == HELLO) ? 2'd3 : hello ? 2'd2 : (command_urgent || lazy) ? 2'd1 : 2'd0;
    reg  [31:0]        other;
    wire [127:0]       quad;           // the four words of which one is next

    generate
        if (BEAT_BITS == 2) begin : gen_quad
            assign quad = index_reg[2] ? rd_data[255:128] : rd_data[127:0];
        end else begin : gen_quad
            assign quad = rd_data;
        end
    endgenerate

    always @* begin
        case (index_reg[1:0])
            2'd0:    payload = quad[31:0];
            2'd1:    payload = quad[63:32];
            2'd2:    payload = quad[95:64];
            default: payload = quad[127:96];
        endcase
        case (source)
            2'd0:    other = {packet_header, `QPACE_WIRE_PACKET};
            2'd1:    other = {command_crc, command, `QPACE_WIRE_COMMAND};
            2'd2:    other = {hello_words[31:8], `QPACE_WIRE_HELLO};
            default: other = index_reg[0] ? hello_words[95:64] : hello_words[63:32];
        endcase
    end

    crc16_byte u_command_crc (.data(command), .crc(command_crc));

    crc32c u_crc (
        .clk(link_clk), .en(kind_reg[1] ^ kind_reg[0]), .first(kind_reg == FIRST), .data(word_reg), .crc(crc)
    );

    // words
    always @(posedge link_clk) begin
        payload_reg <= (state_reg == PACKET) ? payload : 32'd0;
        other_reg   <= (state_reg == PACKET) ? 32'd0 : other;
        control_reg <= 1'b1;
        kind_reg    <= PLAIN;
        sum_reg     <= 1'b0;
        void_reg    <= 1'b0;
        case (state_reg)
            GAP: begin
                index_reg <= 6'd0;
                if (hello) begin
                    control_reg <= 1'b0;
                    kind_reg    <= FIRST;
                    state_reg   <= HELLO;
                end else if (command_urgent || lazy) begin
                    // sent as it is: the kind says that lane 0 is a code
                    control_reg <= 1'b0;
                    kind_reg    <= PLAIN;
                end else if (packet) begin
                    control_reg <= 1'b0;
                    kind_reg    <= FIRST;
                    state_reg   <= PACKET;
                    have_reg    <= 1'b1;
                    pointer_reg <= packet_pointer;
                    first_reg   <= packet_first;
                end
            end
            PACKET: begin
                if (packet_end) begin
                    kind_reg    <= CRC;
                    control_reg <= 1'b0;
                    void_reg    <= rd_void;
                    state_reg   <= GAP;
                end else if (have_reg) begin
                    control_reg <= 1'b0;
                    kind_reg    <= BODY;
                    sum_reg     <= first_reg;
                    index_reg   <= index_reg + 6'd1;
                    if (beat_end) begin
                        have_reg <= beat_written;
                    end
                end else begin
                    have_reg    <= beat_written;
                end
            end
            default: begin   // HELLO
                control_reg <= 1'b0;
                index_reg   <= index_reg + 6'd1;
                if (hello_end) begin
                    kind_reg  <= CRC;
                    state_reg <= GAP;
                end else begin
                    kind_reg <= BODY;
                end
            end
        endcase
        if (link_rst) begin
            state_reg   <= GAP;
            control_reg <= 1'b1;
            kind_reg    <= PLAIN;
            sum_reg     <= 1'b0;
            void_reg    <= 1'b0;
        end
    end

    // checksum, and the wire
    always @(posedge link_clk) begin
        if (sum_reg) begin
            checksum_reg <= {checksum_reg[30:0], checksum_reg[31]} + payload_reg;
        end
        txd_reg <= (kind_reg == CRC) ? crc : word_reg;
        if (void_reg) begin
            // a code and the complement: no few errors make this of a sound packet's last word
            txd_reg <= {~crc[31:8], `QPACE_WIRE_WITHDRAWN};
            if (first_reg) begin
                checksum_reg[0] <= !checksum_reg[0];
            end
        end
        case (kind_reg)
            PLAIN, FIRST: txc_reg <= `QPACE_WIRE_START_CONTROL;
            default:      txc_reg <= void_reg ? `QPACE_WIRE_START_CONTROL : `QPACE_WIRE_DATA_CONTROL;
        endcase
        if (clear_checksum) begin
            checksum_reg <= 32'd0;
        end
        if (link_rst || (kind_reg == PLAIN && control_reg)) begin
            txd_reg <= {4{`QPACE_WIRE_IDLE}};
            txc_reg <= `QPACE_WIRE_IDLE_CONTROL;
        end
    end
endmodule
`default_nettype wire
