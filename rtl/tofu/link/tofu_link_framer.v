// SPDX-License-Identifier: Apache-2.0
// What goes on the wire of a Tofu link (rtl/tofu/README.md, "Wire format"): packets from the ring with sequence number
// and header CRC, link control packets in their last beats or alone, hellos. A packet that turns out void, or is cut
// short because the link goes back or down, ends nullified.
//
//   cycle      0        1        2                n        n + 1
//   source     first    second   payload   ...    last     first
//   txd                 first    second           ...      last
//
// Latency: 1 cycle, with STAGES 2: CRCs are made of the beat in txd_reg, and go into it in tofu_link_fill.
// Back to back, no beat is lost between packets.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_framer #(
    parameter STAGES = 0                // 0 or 1: tofu_link
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         up,
    input  wire         block,          // a fault: idle beats only

    // hello
    input  wire         hello,
    input  wire [127:0] hello_beat,     // but for start code and CRC, which are 0
    output wire         hello_taken,

    // link control packet
    input  wire         control,        // there is something to say
    input  wire         urgent,         // at once: between two beats of a packet
    input  wire [1:0]   control_type,
    input  wire [7:0]   control_seq,
    input  wire [27:0]  control_credits,
    output wire         control_taken,

    // ring and window
    input  wire         source_valid,
    input  wire [127:0] source_data,
    input  wire         source_first,
    input  wire         source_last,
    output wire         take,
    input  wire         hold,           // begin no packet
    input  wire         back,           // end the packet under way, begin none
    input  wire         voided,          // the packet to be sent, or under way, is void
    input  wire [7:0]   send_seq,
    output wire         packet_start,
    output wire         packet_end,     // sent whole
    output wire         event_nullified,
    output wire         idle,
    output wire         between,        // no packet is under way

    output wire [127:0] txd,
    output wire [15:0]  txc
);
    localparam [2:0] IDLE = 3'd0, HELLO = 3'd1, CONTROL = 3'd2, FIRST = 3'd3, SECOND = 3'd4, BODY = 3'd5, END = 3'd6,
                     NULLIFIED = 3'd7;

    reg          packet_reg;            // a packet is under way
    reg          second_reg;            // its second beat is next
    reg  [127:0] txd_reg;
    reg  [15:0]  txc_reg;
    reg  [2:0]   kind;

    wire         cut   = packet_reg && (back || voided || !up || block);
    wire         speaks = urgent && !source_last;       // a last beat says it anyway
    wire         begins = !packet_reg && up && !hello && source_valid && source_first && !hold && !back && !voided &&
                          !block && !speaks;

    assign take            = begins || (packet_reg && !cut && source_valid && !speaks);
    assign packet_start    = begins;
    assign packet_end      = take && source_last;
    assign hello_taken     = kind == HELLO;
    assign control_taken   = kind == CONTROL || kind == END || kind == NULLIFIED;
    assign event_nullified = cut;
    assign between         = !packet_reg;
    assign idle            = !packet_reg && txc_reg == {2{`TOFU_HALF_IDLE}} && txc == {2{`TOFU_HALF_IDLE}};

    always @* begin
        kind = IDLE;
        if (cut) begin
            kind = NULLIFIED;
        end else if (take) begin
            kind = source_last ? END : begins ? FIRST : second_reg ? SECOND : BODY;
        end else if (hello && !packet_reg) begin
            kind = HELLO;
        end else if (control && up) begin
            kind = CONTROL;
        end
        if (block && !cut) begin
            kind = IDLE;
        end
    end

    // The header's CRC covers its bytes 1 to 27. Byte 0 is left out by beginning with the value from which one
    // zero byte leads to all ones; a hello's CRC is that of its bytes 1 to 11 in the same way.
    localparam [31:0] BEFORE_FIRST = 32'hA942E6BC;
    reg  [127:0] header;
    reg  [63:0]  said;                  // without its CRC
    wire [31:0]  beat_crc, cut_crc;     // of a hello or a second beat, of a header that was sent; 0 with STAGES
    wire [15:0]  said_crc;              // 0 with STAGES
    generate
        if (STAGES == 0) begin : gen_at_once
            reg  [31:0]  crc_reg;       // of the header: register of the CRC, then CRC
            wire [127:0] body = (kind == HELLO) ? hello_beat : begins ? header : source_data;
            wire [31:0]  after_12, after_16;
            crc32c_beat u_crc (
                .crc(packet_reg ? crc_reg : BEFORE_FIRST), .data(body), .after_12(after_12), .after_16(after_16)
            );
            tofu_control_crc u_control_crc (.data(said[47:8]), .crc(said_crc));
            assign beat_crc = ~after_12;
            assign cut_crc  = ~crc_reg;
            assign txd      = txd_reg;
            assign txc      = txc_reg;
            always @(posedge clk) begin
                if (begins) begin
                    crc_reg <= after_16;
                end else if (take && second_reg) begin
                    crc_reg <= ~after_12;
                end
            end
        end else begin : gen_fill
            reg  [2:0]   kind_reg;
            assign beat_crc = 32'd0;
            assign cut_crc  = 32'd0;
            assign said_crc = 16'd0;
            tofu_link_fill u_fill (
                .clk(clk), .rst(rst), .hello(kind_reg == HELLO), .first(kind_reg == FIRST), .second(kind_reg == SECOND),
                .nullified(kind_reg == NULLIFIED),
                .control(kind_reg == CONTROL || kind_reg == END || kind_reg == NULLIFIED), .data(txd_reg),
                .codes(txc_reg), .txd(txd), .txc(txc)
            );
            always @(posedge clk)
                kind_reg <= rst ? IDLE : kind;
        end
    endgenerate

    reg  [63:0]  control_packet;

    always @* begin
        header                        = source_data;
        header[`TOFU_HEADER_START]    = 8'd0;
        header[`TOFU_HEADER_SEQUENCE] = send_seq;

        said                          = 64'd0;
        said[`TOFU_CONTROL_START]     = `TOFU_WIRE_CONTROL;
        said[`TOFU_CONTROL_TYPE]      = control_type;
        said[`TOFU_CONTROL_EXPECTED]  = control_seq;
        said[`TOFU_CONTROL_CREDITS]   = control_credits;
    end
    always @* begin
        control_packet                    = said;
        control_packet[`TOFU_CONTROL_CRC] = said_crc;
    end

    always @(posedge clk) begin
        if (take) begin
            packet_reg <= !source_last;
            second_reg <= begins;
        end
        if (cut) begin
            packet_reg <= 1'b0;
            second_reg <= 1'b0;
        end
        case (kind)
            HELLO: begin
                txd_reg                    <= hello_beat;
                txd_reg[`TOFU_HELLO_START] <= `TOFU_WIRE_HELLO;
                txd_reg[`TOFU_HELLO_CRC]   <= beat_crc;
                txc_reg                    <= {`TOFU_HALF_DATA, `TOFU_HALF_CODE};
            end
            CONTROL: begin
                txd_reg <= {control_packet, {8{`TOFU_WIRE_IDLE}}};
                txc_reg <= {`TOFU_HALF_CODE, `TOFU_HALF_IDLE};
            end
            FIRST: begin
                txd_reg                     <= header;
                txd_reg[`TOFU_HEADER_START] <= `TOFU_WIRE_START;
                txc_reg                     <= {`TOFU_HALF_DATA, `TOFU_HALF_CODE};
            end
            SECOND: begin
                txd_reg                           <= source_data;
                txd_reg[`TOFU_HEADER_CRC_IN_BEAT] <= beat_crc;
                txc_reg                           <= {2{`TOFU_HALF_DATA}};
            end
            BODY: begin
                txd_reg <= source_data;
                txc_reg <= {2{`TOFU_HALF_DATA}};
            end
            END: begin
                txd_reg                        <= 128'd0;
                txd_reg[`TOFU_TRAILER_START]   <= `TOFU_WIRE_END;
                txd_reg[`TOFU_TRAILER_CRC]     <= source_data[`TOFU_TRAILER_CRC];
                txd_reg[`TOFU_TRAILER_CONTROL] <= control_packet;
                txc_reg                        <= {2{`TOFU_HALF_CODE}};
            end
            NULLIFIED: begin
                // Whatever it is taken for, this is not the CRC of a packet: not of the payload, and not of the header.
                txd_reg                        <= 128'd0;
                txd_reg[`TOFU_TRAILER_START]   <= `TOFU_WIRE_NULLIFIED;
                txd_reg[`TOFU_TRAILER_CRC]     <= cut_crc;
                txd_reg[`TOFU_TRAILER_CONTROL] <= control_packet;
                txc_reg                        <= {2{`TOFU_HALF_CODE}};
            end
            default: begin
                txd_reg <= {16{`TOFU_WIRE_IDLE}};
                txc_reg <= {2{`TOFU_HALF_IDLE}};
            end
        endcase
        if (rst) begin
            packet_reg <= 1'b0;
            second_reg <= 1'b0;
            txd_reg    <= {16{`TOFU_WIRE_IDLE}};
            txc_reg    <= {2{`TOFU_HALF_IDLE}};
        end
    end
endmodule
`default_nettype wire
