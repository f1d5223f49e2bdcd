// SPDX-License-Identifier: Apache-2.0
// Receiving half of a QCDOC link: headers, parity, records, and the three words of idle receive. [QCDOC2004],
// section 2.2; formats in rtl/qcdoc/README.md.
//
//            header        last byte, parity and check good    a good header
//   HEADER ---------> BODY -----------------------> HEADER ------------------> the word is there
//    |  ^ \             | parity wrong
//    |  |  mark         v             ten marks in a row, then a record
//    |  |    \------> LOST <--------- that goes on with another number
//    |  | record with  ^
//    |  | our number   |
//    |  +--------------|--- MARKS
//    +-----------------+  not a header, or one never sent in step
//
// Words live in a memory of four, addressed by their number; `expected` is the number of the next one, `taken` that
// of the next one to be handed over, which is also what the acknowledgements say. Three words may wait. A word counts
// when a good header follows it: a line that went dead inside it may leave its two parity bits right, but is no header.
//
// What cannot be undone is acted on late, because a byte that lies across two (alignment lost) may look like
// anything: a supervisor word or an interrupt after SURE idle bytes, which its sender lets follow; their
// acknowledgements after CONFIRM good headers more. Out of step, both are forgotten: they come again.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_link_rx #(
    parameter MARKS      = `QCDOC_MARKS, // markers in a row that are none of a payload's (it can mimic 8)
    parameter LOST_BYTES = 1024,         // bytes without a record after which the alignment is doubted
    parameter CONFIRM    = 4,
    parameter STAGES     = 0             // 1: what a byte is, is found before a register; a word that came is read and
                                         // corrected in a cycle each
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        restart,          // pulse, up: wait for markers
    input  wire        clear,            // pulse, a new session: numbers begin at 0
    input  wire        up,

    // deserialiser
    input  wire        rx_strobe,
    input  wire [7:0]  rx_data,
    input  wire        rx_damaged,       // with rx_strobe: whatever rx_data is, another byte was sent

    // what the peer acknowledges
    output wire        peer_ack,         // pulse: peer_ack_number is the next data word it wants
    output wire [1:0]  peer_ack_number,
    input  wire        bad_ack,          // with peer_ack: it cannot be, so this is no header
    output reg         peer_ack_sup,     // pulse: peer_sup_bit was the sequence
    output reg         peer_ack_int,
    output reg         peer_sup_bit,
    output reg         peer_int_bit,
    output wire        held,             // it has no place for data yet

    // a record
    output reg         record,           // pulse: the peer says where it is
    output wire        record_lost,      // and is out of step
    output wire [5:0]  record_expected,  // the next word it accepts
    output wire [1:0]  record_waiting,   // and how many before that were not taken

    // words
    output wire        word_valid,
    output wire [63:0] word,
    input  wire        word_take,
    output wire [5:0]  expected,
    output wire [1:0]  waiting,
    output wire [1:0]  taken,            // to be acknowledged
    output wire        accept,           // pulse: accept_word goes into the checksum
    output wire [63:0] accept_word,

    // a data frame as it comes, for pass-through
    output wire        early_start,      // pulse: header of a new word
    output wire [1:0]  early_parity,
    output wire        early_byte,       // pulse: `data` is its next byte

    // supervisor words and partition interrupts; new or repeated, both are acknowledged
    output reg         sup_valid,        // pulse: a new one
    output reg         sup_again,        // pulse: the one before it once more
    output wire [63:0] sup_word,
    output reg         int_valid,
    output reg         int_again,
    output wire [7:0]  int_code,
    output wire        sup_sequence,     // of the last one accepted
    output wire        int_sequence,

    output wire        lost,             // waiting for a record
    output reg         signal_lost,      // pulse: for LOST_BYTES
    output wire        used,             // something was accepted in this session
    output wire        idle,             // between frames, in step
    output wire        error_memory,     // level: the word that waits has two flipped bits, nobody gets it
    output wire        corrected,        // pulse: the word that is taken had one
    input  wire [71:0] flip,             // spoils the word that is stored, for tests
    output reg         event_header,     // pulses, for counters and observation
    output reg         event_parity,
    output reg         event_marker,
    output reg         event_refused,
    output wire        obs_rx_start,
    output wire        obs_rx_ok,
    output wire        obs_rx_error
);
    localparam [1:0] HEADER = 2'd0, BODY = 2'd1, MARK = 2'd2, LOST = 2'd3;
    localparam [3:0] ENOUGH = MARKS;
    localparam [2:0] SOON = CONFIRM;
    // bytes still to come after the first one behind a header
    localparam [31:0] DATA_LEFT       = `QCDOC_DATA_FRAME_BITS / 8 - 2;
    localparam [31:0] SUPERVISOR_LEFT = `QCDOC_SUPERVISOR_FRAME_BITS / 8 - 2;
    localparam [31:0] INTERRUPT_LEFT  = `QCDOC_INTERRUPT_FRAME_BITS / 8 - 2;
    localparam [15:0] LAST_BYTE = LOST_BYTES[15:0] - 16'd1;

    reg  [1:0]  state_reg;
    reg  [1:0]  class_reg;
    reg         bit_reg;                 // sequence of a supervisor word or an interrupt
    reg  [1:0]  parity_reg;              // of the header, then with that of the data: 0 if they agree
    reg  [3:0]  count_reg;               // bytes still to come after this one
    reg  [7:0]  check_reg;               // of the frame so far
    reg  [63:0] body_reg;
    reg         word_reg;                // body_reg is a data word that waits for the header behind it
    reg  [5:0]  expected_reg, taken_reg;
    reg         sup_reg, int_reg;        // sequences expected
    reg         hold_reg;
    reg  [1:0]  sure_reg;                // idle bytes still to come before the frame in body_reg is believed
    reg  [2:0]  soon_reg;                // good headers still to come before these acknowledgements are:
    reg         sup_ack_reg, int_ack_reg;
    reg         sup_bit_reg, int_bit_reg;
    reg  [3:0]  marks_reg;
    reg  [2:0]  place_reg;               // in the record
    reg  [15:0] lost_reg;
    reg         used_reg;

    // the byte that came, or with STAGES came in the cycle before
    wire        strobe, damaged, good_header, mark, sup_code, int_ack, idle_code, idle_3, holds;
    wire [7:0]  data;
    wire [1:0]  data_parity;
    qcdoc_link_byte #(.STAGES(STAGES)) u_byte (
        .clk(clk), .rst(rst), .listens(up && !restart), .rx_strobe(rx_strobe), .rx_data(rx_data),
        .rx_damaged(rx_damaged), .strobe(strobe), .data(data), .damaged(damaged), .header(good_header), .mark(mark),
        .sup_code(sup_code), .int_code(int_ack), .idle_code(idle_code), .idle_3(idle_3), .holds(holds),
        .parity(data_parity));
    wire [1:0]  kind      = data[`QCDOC_HEADER_CLASS];
    wire        bare      = kind == `QCDOC_CLASS_BARE;
    wire        is_data   = kind == `QCDOC_CLASS_DATA;
    wire [1:0]  other     = {data[`QCDOC_HEADER_OTHER], data[`QCDOC_HEADER_OF_INTERRUPT]};
    wire        full      = waiting == 2'd3 || (waiting == 2'd2 && word_reg);    // a sender in step knows that
    wire        header_ok = good_header && (sure_reg == 2'd0 || idle_code || mark);
    wire        refuse    = bad_ack || (is_data && full);
    wire        heard     = strobe && (up || STAGES != 0);       // with STAGES it came while `up`
    wire        at_header = heard && state_reg == HEADER;
    wire        in_body   = heard && state_reg == BODY;
    wire        at_end    = in_body && (count_reg == 4'd0 || damaged);
    wire        in_data   = class_reg == `QCDOC_CLASS_DATA;
    wire [1:0]  parity    = parity_reg ^ data_parity;
    wire        checks    = at_end && !in_data;   // this byte is the check byte
    wire        agrees    = !damaged && (in_data ? parity == 2'd0 : parity_reg == 2'd0 && data == check_reg);
    wire        new_word  = at_header && word_reg && header_ok && !refuse;
    wire        at_mark   = heard && (state_reg == MARK || state_reg == LOST);
    // a record: ~ of the byte before it in every other place, and a mark, which would not be one had a bit been lost
    // meanwhile
    wire        echo      = data == ~body_reg[63:56];
    wire        enough    = marks_reg == ENOUGH;
    wire        bad_record = at_mark && (damaged || (place_reg == 3'd0 ? !mark && !(enough && data[`QCDOC_RECORD_ONE]) :
                                    place_reg == 3'd4 ? !mark : place_reg != 3'd2 && !echo));
    wire        complete  = at_mark && place_reg == 3'd4 && mark;
    // the record, its first three bytes
    wire [23:0] record_bytes = body_reg[63:40];
    wire [5:0]  number    = record_bytes[`QCDOC_RECORD_NEXT];
    wire        goes_on   = number == expected_reg;

    wire [7:0]  check_next;
    qcdoc_crc8 check (
        .crc(state_reg == HEADER ? `QCDOC_CHECK_FIRST : check_reg), .data(data), .next(check_next));

    // The fourth place is free: with STAGES a word is stored there whether it will be accepted or not.
    wire        read_single, read_lost, settled;
    ram_word_secded #(.ADDRESS_BITS(2), .STAGES(STAGES)) words (
        .clk(clk),
        .wr_en(STAGES == 0 ? new_word : heard && word_reg), .wr_address(expected_reg[1:0]), .wr_data(accept_word),
        .flip(flip),
        .rd_en(waiting != 2'd0), .rd_address(taken_reg[1:0]), .rd_data(word),
        .single(read_single), .uncorrectable(read_lost));

    // what was read is the word that waits now
    generate
        if (STAGES == 0) begin : gen_at_once
            assign settled = waiting != 2'd0;
        end else begin : gen_staged
            reg [1:0] settled_reg;
            assign settled = settled_reg[1];
            always @(posedge clk)
                settled_reg <= {settled_reg[0], waiting != 2'd0} & {2{!word_take && !rst && !clear}};
        end
    endgenerate

    wire        stored_lost = read_lost && settled;
    assign accept          = new_word;
    assign accept_word     = body_reg;
    assign waiting         = expected_reg[1:0] - taken_reg[1:0];
    assign word_valid      = settled && !stored_lost;
    assign error_memory    = stored_lost;
    assign corrected       = word_take && read_single;
    assign expected        = expected_reg;
    assign taken           = taken_reg[1:0];
    assign peer_ack        = at_header && header_ok &&
                             (idle_code || (!bare && !(is_data && data[`QCDOC_HEADER_OTHER])));
    assign peer_ack_number = idle_3 ? 2'd3 : data[`QCDOC_HEADER_NUMBER];
    assign held            = hold_reg;
    assign record_lost     = record_bytes[`QCDOC_RECORD_LOST];
    assign record_expected = record_bytes[`QCDOC_RECORD_EXPECTED];
    assign record_waiting  = record_bytes[`QCDOC_RECORD_WAITING];
    assign early_start     = at_header && header_ok && is_data && !refuse;
    assign early_parity    = data[`QCDOC_HEADER_PARITY];
    assign early_byte      = in_body && in_data;
    assign sup_word        = body_reg;
    assign int_code        = body_reg[63:56];
    assign sup_sequence    = !sup_reg;
    assign int_sequence    = !int_reg;
    assign lost            = state_reg == LOST;
    assign used            = used_reg;
    assign idle            = state_reg == HEADER && !word_reg && !word_take && sure_reg == 2'd0 && soon_reg == 3'd0;
    assign obs_rx_start    = at_header && header_ok && !refuse && !bare;
    assign obs_rx_ok       = at_end && agrees;
    assign obs_rx_error    = (at_header && (!header_ok || refuse)) || (at_end && !agrees) ||
                             (bad_record && state_reg == MARK) || (complete && !goes_on);

    always @(posedge clk) begin
        peer_ack_sup    <= 1'b0;
        peer_ack_int    <= 1'b0;
        record          <= 1'b0;
        sup_valid       <= 1'b0;
        sup_again       <= 1'b0;
        int_valid       <= 1'b0;
        int_again       <= 1'b0;
        signal_lost     <= 1'b0;
        event_header    <= 1'b0;
        event_parity    <= 1'b0;
        event_marker    <= 1'b0;
        event_refused   <= 1'b0;

        if (word_take)
            taken_reg <= taken_reg + 6'd1;

        if (new_word) begin
            used_reg     <= 1'b1;
            expected_reg <= expected_reg + 6'd1;
        end
        if (at_header) begin
            word_reg   <= 1'b0;
            class_reg  <= kind;
            bit_reg    <= data[`QCDOC_HEADER_SEQUENCE];
            parity_reg <= data[`QCDOC_HEADER_PARITY] ^
                          (kind == `QCDOC_CLASS_INTERRUPT ? `QCDOC_INVERTED_INTERRUPT :
                           kind == `QCDOC_CLASS_SUPERVISOR ? `QCDOC_INVERTED_SUPERVISOR : `QCDOC_INVERTED_DATA);
            count_reg  <= kind == `QCDOC_CLASS_INTERRUPT ? INTERRUPT_LEFT[3:0] :
                          kind == `QCDOC_CLASS_SUPERVISOR ? SUPERVISOR_LEFT[3:0] : DATA_LEFT[3:0];
            check_reg  <= check_next;
            if (!header_ok || refuse) begin
                state_reg     <= LOST;
                event_header  <= !header_ok;
                event_refused <= header_ok && !bad_ack;
            end else begin
                if (mark)
                    state_reg <= MARK;
                else if (!bare)
                    state_reg <= BODY;
                if (!bare || idle_code)
                    hold_reg <= idle_code && (holds || idle_3);
                if (soon_reg != 3'd0)
                    soon_reg <= soon_reg - 3'd1;
                if (soon_reg == 3'd1) begin
                    peer_ack_sup <= sup_ack_reg;
                    peer_ack_int <= int_ack_reg;
                    peer_sup_bit <= sup_bit_reg;
                    peer_int_bit <= int_bit_reg;
                    sup_ack_reg  <= 1'b0;
                    int_ack_reg  <= 1'b0;
                end
                if (bare ? sup_code : is_data && other == 2'd2) begin
                    soon_reg    <= SOON;
                    sup_ack_reg <= 1'b1;
                    sup_bit_reg <= bare ? data == `QCDOC_ACK_SUPERVISOR_1 : data[`QCDOC_HEADER_OTHER_SEQUENCE];
                end
                if (bare ? int_ack : is_data && other == 2'd3) begin
                    soon_reg    <= SOON;
                    int_ack_reg <= 1'b1;
                    int_bit_reg <= bare ? data == `QCDOC_ACK_INTERRUPT_1 : data[`QCDOC_HEADER_OTHER_SEQUENCE];
                end
                // the frame before is believed
                if (mark)
                    sure_reg <= 2'd0;
                else if (sure_reg != 2'd0)
                    sure_reg <= sure_reg - 2'd1;
                if (sure_reg == 2'd1 && !mark) begin
                    used_reg <= 1'b1;
                    if (class_reg == `QCDOC_CLASS_SUPERVISOR) begin
                        sup_valid <= bit_reg == sup_reg;
                        sup_again <= bit_reg != sup_reg;
                        sup_reg   <= !bit_reg;
                    end else begin
                        int_valid <= bit_reg == int_reg;
                        int_again <= bit_reg != int_reg;
                        int_reg   <= !bit_reg;
                    end
                end
                if (sure_reg != 2'd0) begin
                    class_reg <= class_reg;
                    bit_reg   <= bit_reg;
                end
            end
        end

        if (in_body) begin
            count_reg  <= count_reg - 4'd1;
            parity_reg <= parity;
            check_reg  <= check_next;
        end
        if ((in_body && !checks) || (at_mark && place_reg < 3'd3))
            body_reg <= {data, body_reg[63:8]};
        if (at_end) begin
            state_reg <= HEADER;
            if (!agrees) begin
                state_reg    <= LOST;
                event_parity <= 1'b1;
            end else if (in_data) begin
                word_reg <= 1'b1;
            end else begin
                sure_reg <= `QCDOC_SURE;
            end
        end

        marks_reg <= state_reg == HEADER || state_reg == BODY ? 4'd0 : marks_reg;
        if (at_header && mark)
            marks_reg <= 4'd1;
        if (at_mark) begin
            if (place_reg == 3'd0 && mark)
                marks_reg <= enough ? marks_reg : marks_reg + 4'd1;
            else
                place_reg <= place_reg + 3'd1;
            if (bad_record) begin
                marks_reg    <= 4'd0;
                place_reg    <= 3'd0;
                state_reg    <= LOST;
                event_marker <= state_reg == MARK;
            end
            if (complete) begin
                marks_reg <= 4'd0;
                place_reg <= 3'd0;
                record    <= 1'b1;
                state_reg <= goes_on ? HEADER : LOST;
                event_marker <= !goes_on;
            end
        end

        // out of step: what was not sure yet comes again
        if (state_reg == LOST || !up) begin
            sure_reg    <= 2'd0;
            soon_reg    <= 3'd0;
            sup_ack_reg <= 1'b0;
            int_ack_reg <= 1'b0;
        end

        if (strobe)
            lost_reg <= lost_reg + 16'd1;
        if (!up || state_reg != LOST)
            lost_reg <= 16'd0;
        if (heard && state_reg == LOST && lost_reg == LAST_BYTE) begin
            lost_reg    <= 16'd0;
            signal_lost <= 1'b1;
        end

        if (rst || clear) begin
            expected_reg <= 6'd0;
            taken_reg    <= 6'd0;
            sup_reg      <= 1'b0;
            int_reg      <= 1'b0;
            used_reg     <= 1'b0;
        end
        // not a byte of what came before a training goes with what comes behind it: a word would be accepted that is
        // half of either
        if (rst || !up || restart) begin
            state_reg   <= LOST;
            word_reg    <= 1'b0;
            marks_reg   <= 4'd0;
            place_reg   <= 3'd0;
            lost_reg    <= 16'd0;
            sure_reg    <= 2'd0;
            soon_reg    <= 3'd0;
            sup_ack_reg <= 1'b0;
            int_ack_reg <= 1'b0;
        end
        if (rst) begin
            hold_reg  <= 1'b0;
            class_reg <= 2'd0;
            bit_reg   <= 1'b0;
            count_reg <= 4'd0;
        end
    end

    wire unused = &{1'b0, record_bytes[`QCDOC_RECORD_FIRST_INVERTED], record_bytes[`QCDOC_RECORD_ONE]};
endmodule
`default_nettype wire
