// SPDX-License-Identifier: Apache-2.0
// Receiving half of a QCDOC link: headers, parity, markers, and the three words of idle receive. Seed 000,
// section 2.2; formats in rtl/qcdoc/README.md.
//
//            header        last byte, parity good
//   HEADER ---------> BODY -----------------------> HEADER
//    |  ^ \             | parity wrong
//    |  |  mark         v             ten marks in a row, then
//    |  |    \------> LOST (in MARKS, counting) -----------------> HEADER
//    |  | resume number ^             a resume number
//    |  +---------------|--- MARKS
//    +------------------+  not a header
//
// Words live in a memory of four, addressed by their number modulo 4; `expected` is the number of the next one,
// `taken` that of the next one to be handed over, which is also what the acknowledgements say. Three words may wait.
`default_nettype none
`include "qcdoc_codes.vh"
module qcdoc_link_rx #(
    parameter MARKS      = 10,           // markers in a row that are none of a payload's (it can mimic 8)
    parameter LOST_BYTES = 1024          // bytes without a resume after which the alignment is doubted
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        restart,          // pulse, up: wait for markers
    input  wire        clear,            // pulse, a new session: numbers begin at 0
    input  wire        up,

    // deserialiser
    input  wire        strobe,
    input  wire [7:0]  data,

    // what the peer acknowledges
    output reg         peer_ack,         // pulse: peer_ack_number is the next data word it wants
    output wire [1:0]  peer_ack_number,
    output reg         peer_ack_sup,     // pulse: peer_ack_bit was the sequence
    output reg         peer_ack_int,
    output wire        peer_ack_bit,
    output wire        peer_hold,        // it has no place for data yet
    output reg         request,          // pulse: it asks us to resend

    // words
    output wire        word_valid,
    output wire [63:0] word,
    input  wire        word_take,
    output wire [1:0]  taken,            // to be acknowledged
    output wire        accept,           // pulse: accept_word goes into the checksum
    output wire [63:0] accept_word,

    // a data frame as it comes, for pass-through
    output wire        early_start,      // pulse: header of a new word
    output wire [1:0]  early_parity,
    output wire        early_byte,       // pulse: `data` is its next byte
    output wire        early_bad,        // pulse, with the last byte: parity disagrees

    // supervisor words and partition interrupts; new or repeated, both are acknowledged
    output reg         sup_valid,        // pulse: a new one
    output reg         sup_again,        // pulse: the one before it once more
    output wire [63:0] sup_word,
    output reg         int_valid,
    output reg         int_again,
    output wire [7:0]  int_code,
    output wire        sup_sequence,     // of the last one accepted
    output wire        int_sequence,

    output wire        lost,             // waiting for a resume
    output reg         signal_lost,      // pulse: for LOST_BYTES
    output wire        used,             // something was accepted in this session
    output wire        idle,             // between frames, in step
    output reg         event_header,     // pulses, for counters and observation
    output reg         event_parity,
    output reg         event_marker,
    output reg         event_duplicate,
    output wire        obs_start,
    output wire        obs_ok,
    output wire        obs_error
);
    localparam [1:0] HEADER = 2'd0, BODY = 2'd1, COUNT = 2'd2, LOST = 2'd3;
    localparam [3:0] ENOUGH = MARKS;
    localparam [15:0] LAST_BYTE = LOST_BYTES - 1;

    reg  [1:0]  state_reg;
    reg  [1:0]  class_reg;
    reg         bit_reg;                 // sequence of a supervisor word or an interrupt
    reg  [1:0]  parity_reg;              // of the header, then with that of the data: 0 if they agree
    reg  [2:0]  count_reg;               // bytes still to come after this one
    reg  [3:0]  marks_reg;
    reg  [63:0] body_reg;
    reg  [1:0]  expected_reg, taken_reg;
    reg  [1:0]  skip_reg;                // words of a resume that are here already
    reg         sup_reg, int_reg;        // sequence expected
    reg         used_reg;
    reg  [15:0] lost_reg;                // bytes since the step was lost
    reg  [2:0]  ack_reg;                 // k[1:0] and b[0] of the last header

    wire        good_code = ^data[7:2];
    wire [1:0]  kind      = data[7:6];
    wire        bare      = kind == `QCDOC_CLASS_BARE;
    wire        header_ok = good_code && (!bare || data[1] == data[0]) &&
                            data != `QCDOC_BREAK && data != `QCDOC_RESERVED;
    wire        mark      = data == `QCDOC_MARK;
    wire [1:0]  number    = data[5:4];
    wire        resume_ok = data == `QCDOC_RESUME(number);
    wire        enough    = marks_reg == ENOUGH;
    wire        at_header = up && strobe && state_reg == HEADER;
    wire        in_body   = up && strobe && state_reg == BODY;
    wire        at_end    = in_body && count_reg == 3'd0;
    wire        is_data   = class_reg == `QCDOC_CLASS_DATA;
    wire [1:0]  parity    = parity_reg ^ {^(data & 8'hAA), ^(data & 8'h55)};
    wire        agrees    = parity == 2'd0;
    wire        new_word  = at_end && agrees && is_data && skip_reg == 2'd0;

    // a resume's place: between frames after marks, or out of step
    wire        resuming  = up && strobe && !mark && (state_reg == COUNT || state_reg == LOST);
    wire        resume    = resuming && enough && resume_ok;

    ram_small #(.WIDTH(64), .ADDRESS_BITS(2)) words (
        .clk(clk),
        .wr_en(new_word), .wr_address(expected_reg), .wr_data(accept_word),
        .rd_address(taken_reg), .rd_data(word));

    assign accept          = new_word;
    assign accept_word     = {data, body_reg[63:8]};
    assign word_valid      = expected_reg != taken_reg;
    assign taken           = taken_reg;
    assign peer_ack_number = ack_reg[2:1];
    assign peer_ack_bit    = ack_reg[1];
    assign peer_hold       = ack_reg[0];
    assign early_start     = at_header && header_ok && kind == `QCDOC_CLASS_DATA && skip_reg == 2'd0;
    assign early_parity    = data[1:0];
    assign early_byte      = in_body && is_data && skip_reg == 2'd0;
    assign early_bad       = at_end && is_data && skip_reg == 2'd0 && !agrees;
    assign sup_word        = body_reg;
    assign int_code        = body_reg[63:56];
    assign sup_sequence    = !sup_reg;
    assign int_sequence    = !int_reg;
    assign lost            = state_reg == LOST;
    assign used            = used_reg;
    assign idle            = state_reg == HEADER && skip_reg == 2'd0 && !word_take;
    assign obs_start       = at_header && header_ok && !bare;
    assign obs_ok          = at_end && agrees;
    assign obs_error       = (at_header && !header_ok) || (at_end && !agrees) || (resuming && !resume && state_reg == COUNT);

    always @(posedge clk) begin
        peer_ack        <= 1'b0;
        peer_ack_sup    <= 1'b0;
        peer_ack_int    <= 1'b0;
        request         <= 1'b0;
        sup_valid       <= 1'b0;
        sup_again       <= 1'b0;
        int_valid       <= 1'b0;
        int_again       <= 1'b0;
        signal_lost     <= 1'b0;
        event_header    <= 1'b0;
        event_parity    <= 1'b0;
        event_marker    <= 1'b0;
        event_duplicate <= 1'b0;

        if (word_take)
            taken_reg <= taken_reg + 2'd1;

        if (at_header) begin
            class_reg  <= kind;
            bit_reg    <= data[5];
            parity_reg <= data[1:0] ^ (kind == `QCDOC_CLASS_INTERRUPT ? `QCDOC_PARITY_8 : `QCDOC_PARITY_64);
            count_reg  <= kind == `QCDOC_CLASS_INTERRUPT ? 3'd0 : 3'd7;
            if (!header_ok) begin
                state_reg    <= LOST;
                marks_reg    <= 4'd0;
                event_header <= 1'b1;
            end else if (mark) begin
                state_reg <= COUNT;
                marks_reg <= 4'd1;
            end else if (!bare) begin
                state_reg <= BODY;
                ack_reg   <= {data[4:3], 1'b0};
                if (kind != `QCDOC_CLASS_DATA || !data[5]) begin
                    peer_ack <= 1'b1;
                end else begin
                    peer_ack_sup <= !data[4];
                    peer_ack_int <= data[4];
                end
            end else begin
                ack_reg <= {data[4:3], data[0]};
                if (data[5] == `QCDOC_BARE_IDLE) begin
                    peer_ack <= 1'b1;
                end else begin
                    // the bit that tells two acknowledgements apart is b here, k[0] in a data header
                    ack_reg[1]   <= data[0];
                    peer_ack_sup <= data[4:3] == 2'd2;
                    peer_ack_int <= data[4:3] == 2'd3;
                    request      <= data == `QCDOC_REQUEST;
                end
            end
        end

        if (in_body) begin
            body_reg   <= accept_word;
            count_reg  <= count_reg - 3'd1;
            parity_reg <= parity;
        end
        if (at_end) begin
            state_reg <= HEADER;
            if (!agrees) begin
                state_reg    <= LOST;
                marks_reg    <= 4'd0;
                event_parity <= 1'b1;
            end else begin
                used_reg <= 1'b1;
                case (class_reg)
                    `QCDOC_CLASS_SUPERVISOR: begin
                        sup_valid <= bit_reg == sup_reg;
                        sup_again <= bit_reg != sup_reg;
                        sup_reg   <= !bit_reg;
                    end
                    `QCDOC_CLASS_INTERRUPT: begin
                        int_valid <= bit_reg == int_reg;
                        int_again <= bit_reg != int_reg;
                        int_reg   <= !bit_reg;
                    end
                    default: begin
                        if (skip_reg != 2'd0) begin
                            skip_reg        <= skip_reg - 2'd1;
                            event_duplicate <= 1'b1;
                        end else begin
                            expected_reg <= expected_reg + 2'd1;
                        end
                    end
                endcase
            end
        end

        if (up && strobe && (state_reg == COUNT || state_reg == LOST) && mark)
            marks_reg <= enough ? marks_reg : marks_reg + 4'd1;
        if (resuming) begin
            marks_reg <= 4'd0;
            if (resume) begin
                state_reg <= HEADER;
                skip_reg  <= expected_reg - number;
            end else begin
                state_reg    <= LOST;
                event_marker <= state_reg == COUNT;
            end
        end

        if (strobe)
            lost_reg <= lost_reg + 16'd1;
        if (!up || state_reg != LOST)
            lost_reg <= 16'd0;
        if (up && strobe && state_reg == LOST && lost_reg == LAST_BYTE) begin
            lost_reg    <= 16'd0;
            signal_lost <= 1'b1;
        end

        if (rst || clear) begin
            expected_reg <= 2'd0;
            taken_reg    <= 2'd0;
            sup_reg      <= 1'b0;
            int_reg      <= 1'b0;
            used_reg     <= 1'b0;
        end
        if (rst || restart) begin
            state_reg <= LOST;
            marks_reg <= 4'd0;
            skip_reg  <= 2'd0;
            lost_reg  <= 16'd0;
        end
        if (rst) begin
            ack_reg   <= 3'd0;
            class_reg <= 2'd0;
            bit_reg   <= 1'b0;
            count_reg <= 3'd0;
        end
    end
endmodule
`default_nettype wire
