// SPDX-License-Identifier: Apache-2.0
// Sending half of a QCDOC link: three words in flight, sent again from where the peer says it is; supervisor words and
// partition interrupts before data, each waiting for its own acknowledgement. [QCDOC2004] section 2.2; formats in
// rtl/qcdoc/README.md.
//
// Once every eight cycles (`slot`) the next byte is chosen:
//
//   training bytes, or else                                          slots
//   between frames:  marks, record                                   15         after training, an error, a lost peer
//                    interrupt: header, code, check, idle bytes      3 + 3
//                    supervisor word: header, 8 bytes, check, idle   10 + 3
//                    data word, stored or passed through             9
//                    acknowledgement of a supervisor word or interrupt   1
//                    idle with the acknowledgement of data           1
//
// Acknowledgements ride in headers, so words follow one another without a gap: 64 of every 72 bits are data.
//
// Which word is the next one, and where it is, qcdoc_link_tx_words knows.
`default_nettype none
`include "qcdoc_wire.vh"
module qcdoc_link_tx #(
    parameter MARKS       = `QCDOC_MARKS,
    parameter RETRY_SLOTS = 192,         // bytes after which an unanswered record is repeated: set by qcdoc_link
    parameter STAGES      = 0            // 1: a stored word is read, corrected, and its parity made in a cycle each
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        slot,
    output reg  [7:0]  tx_data,

    // training
    input  wire        up,
    input  wire        restart,          // pulse, with up: begin with marks
    input  wire        clear,            // pulse: a new session
    input  wire [7:0]  training_data,

    // receiving half
    input  wire        lost,
    input  wire [5:0]  expected,
    input  wire [1:0]  waiting,
    input  wire [1:0]  taken,
    input  wire        hold,
    input  wire        peer_ack,
    input  wire [1:0]  peer_ack_number,
    output wire        bad_ack,          // with peer_ack: acknowledges what was not sent
    input  wire        peer_ack_sup,
    input  wire        peer_ack_int,
    input  wire        peer_sup_bit,
    input  wire        peer_int_bit,
    input  wire        record,
    input  wire        record_lost,
    input  wire [5:0]  record_expected,
    input  wire [1:0]  record_waiting,
    input  wire        sup_ack_due,      // pulse: acknowledge the last supervisor word
    input  wire        int_ack_due,
    input  wire        sup_ack_again,    // level: one was acknowledged in this session
    input  wire        int_ack_again,
    input  wire        sup_ack_sequence,
    input  wire        int_ack_sequence,

    // words; one that was passed through already comes with word_sent
    input  wire        word_valid,
    output wire        word_ready,
    input  wire [63:0] word,
    input  wire        word_sent,

    // a word that is still arriving elsewhere: started together with a slot, then a byte for every slot. It is believed
    // there when a good header followed, and so here: where none did, what follows here is none, either. From then on
    // `through_sure`, until it is handed in with word_sent.
    input  wire        through_valid,
    output wire        through_start,
    input  wire [1:0]  through_parity,
    input  wire [7:0]  through_data,
    input  wire        through_sure,

    // held until done
    input  wire        sup_valid,
    input  wire [63:0] sup_word,
    output wire        sup_first,        // pulse: it goes out for the first time
    output wire        sup_done,
    input  wire        int_valid,
    input  wire [7:0]  int_code,
    output wire        int_done,

    output wire        used,             // the peer acknowledged something in this session
    output wire        outstanding,      // words not acknowledged
    output wire        idle,
    output wire        framing,          // in a frame
    output wire        error_protocol,   // pulse: the peer wants a word that is not here any more
    output wire        error_memory,     // pulse: the next word has two flipped bits and does not go out
    output wire        corrected,        // pulse: the word that goes out had one
    input  wire [71:0] flip,             // spoils the word that is stored, for tests
    output wire        event_sent,       // pulses
    output wire        event_acked,      // one or more words
    output wire        event_retransmitted,
    output reg         event_request,    // a record that asks for words was sent
    output reg         event_burst       // marks begun
);
    localparam [1:0] BETWEEN = 2'd0, BODY = 2'd1, THROUGH = 2'd2, MARK = 2'd3;
    localparam [3:0] MARKS_LEFT = MARKS - 1;
    localparam [31:0] RETRY     = RETRY_SLOTS - 1;
    // bytes behind the next one: of a frame's payload and check byte, of a record
    localparam [31:0] DATA_LEFT       = `QCDOC_DATA_FRAME_BITS / 8 - 2;
    localparam [31:0] SUPERVISOR_LEFT = `QCDOC_SUPERVISOR_FRAME_BITS / 8 - 2;
    localparam [31:0] INTERRUPT_LEFT  = `QCDOC_INTERRUPT_FRAME_BITS / 8 - 2;
    localparam [31:0] RECORD_LEFT     = `QCDOC_RECORD_BITS / 8 - 1;

    reg  [1:0]  state_reg;
    reg  [3:0]  count_reg;               // bytes still to come
    reg  [63:0] body_reg;
    reg         burst_reg;               // marks are due
    reg  [1:0]  sure_reg;                // idle bytes due
    reg         checked_reg;             // the frame's last byte is its check byte:
    reg  [7:0]  check_reg;               // of what went out of the frame so far
    reg         sup_known_reg;           // the supervisor word went out before
    reg         lost_reg;
    reg  [7:0]  retry_reg;
    reg         sup_ack_reg, int_ack_reg;    // acknowledgements due
    reg         sup_sent_reg, int_sent_reg;
    reg         sup_sequence_reg, int_sequence_reg;
    reg         used_reg;
    reg         through_reg;             // a word is going through, or was the last one that went out,
    reg         owed_reg;                // or went before, is believed and about to be handed in

    // of the next word
    wire        due, settled, all_sent, air, stored_single, stored_lost;
    wire [5:0]  send;
    wire [63:0] stored;
    wire [1:0]  parity_stored;
    wire        freed, back, crossing;
    wire        passes  = through_reg && STAGES == 0;     // these two as they are, for what is cut away on FPGAs
    wire        owed    = owed_reg && STAGES == 0;
    wire        store   = word_valid && word_ready;

    // the word that went through is not believed, and must not be at the peer
    wire        void_go = state_reg == BETWEEN && passes && !through_sure;
    wire        handed  = store && word_sent && STAGES == 0;
    wire        between = state_reg == BETWEEN && !burst_reg && !void_go;
    wire        free    = between && sure_reg == 2'd0;
    // a frame that has begun is finished, whatever happens to the link: training bytes in its place might have the
    // right parity, one time in four
    wire        in_frame = state_reg == BODY || state_reg == THROUGH;
    wire        int_go  = int_valid && !int_sent_reg;
    wire        sup_go  = sup_valid && !sup_sent_reg;
    wire        urgent  = int_go || sup_go;
    wire        data_go = settled && !stored_lost;
    wire        through_go = through_valid && all_sent && air;
    wire        chosen  = slot && up && free;
    wire        start_word    = chosen && !urgent && data_go;
    wire        start_through = chosen && !urgent && through_go;
    wire        start_burst   = slot && up && state_reg == BETWEEN && burst_reg && !void_go;
    wire        marking = state_reg == MARK && count_reg > 4'd2;    // a record that comes now is answered by this one
    wire        start_record  = slot && up && state_reg == MARK && count_reg == 4'd1;

    wire [1:0]  parity_sup    = {^(sup_word & {8{8'hAA}}), ^(sup_word & {8{8'h55}})} ^ `QCDOC_INVERTED_SUPERVISOR;
    wire [1:0]  parity_int    = {^(int_code & 8'hAA), ^(int_code & 8'h55)} ^ `QCDOC_INVERTED_INTERRUPT;
    wire        frame_go  = sure_reg == 2'd0 && (urgent || data_go || through_go);
    reg  [7:0]  header;                  // of the frame that goes, or else of an idle byte
    wire [`QCDOC_RECORD_BITS-1:0] record_bytes;

    qcdoc_link_tx_words #(.RETRY_SLOTS(RETRY_SLOTS), .STAGES(STAGES)) words (
        .clk(clk), .rst(rst), .slot(slot), .restart(restart), .clear(clear),
        .lost(lost), .peer_ack(peer_ack), .peer_ack_number(peer_ack_number), .bad_ack(bad_ack), .freed(freed),
        .record(record), .record_lost(record_lost), .record_expected(record_expected), .record_waiting(record_waiting),
        .back(back), .crossing(crossing), .word_valid(word_valid), .word_ready(word_ready), .word(word),
        .handed(handed), .passing({owed, passes}), .start_through(start_through), .flip(flip),
        .all_sent(all_sent), .air(air), .due(due), .settled(settled), .send(send), .stored(stored),
        .parity(parity_stored), .single(stored_single), .uncorrectable(stored_lost), .start_word(start_word),
        .marks(start_burst || state_reg == MARK), .start_record(start_record), .outstanding(outstanding),
        .error_protocol(error_protocol), .event_sent(event_sent), .event_acked(event_acked),
        .event_retransmitted(event_retransmitted));

    wire [7:0]  check_next;
    wire        check_on, check_first;
    wire [7:0]  check_data;
    qcdoc_crc8 check (
        .crc(check_first ? `QCDOC_CHECK_FIRST : check_reg), .data(check_data), .next(check_next));

    generate
        if (STAGES == 0) begin : gen_check_at_once
            assign check_on    = slot && (up || in_frame);
            assign check_first = state_reg == BETWEEN;
            assign check_data  = tx_data;
        end else begin : gen_check_staged
            reg        on_reg, first_reg;
            reg  [7:0] data_reg;
            assign check_on    = on_reg;
            assign check_first = first_reg;
            assign check_data  = data_reg;
            always @(posedge clk) begin
                on_reg    <= slot && (up || in_frame);
                first_reg <= state_reg == BETWEEN;
                data_reg  <= tx_data;
            end
        end
    endgenerate

    assign record_bytes[`QCDOC_RECORD_ONE]             = 1'b1;
    assign record_bytes[`QCDOC_RECORD_LOST]            = lost;
    assign record_bytes[`QCDOC_RECORD_NEXT]            = send;
    assign record_bytes[`QCDOC_RECORD_FIRST_INVERTED]  = ~{send, lost, 1'b1};
    assign record_bytes[`QCDOC_RECORD_WAITING]         = waiting;
    assign record_bytes[`QCDOC_RECORD_EXPECTED]        = expected;
    assign record_bytes[`QCDOC_RECORD_SECOND_INVERTED] = ~{expected, waiting};
    assign record_bytes[`QCDOC_RECORD_MARK]            = `QCDOC_MARK;

    // the word that starts through takes the next number, and is handed in when it is complete
    assign error_memory  = chosen && !urgent && settled && stored_lost;
    assign corrected     = start_word && stored_single;
    assign through_start = start_through;
    assign sup_first     = chosen && !int_go && sup_go && !sup_known_reg;
    assign sup_done      = peer_ack_sup && sup_sent_reg && peer_sup_bit == sup_sequence_reg;
    assign int_done      = peer_ack_int && int_sent_reg && peer_int_bit == int_sequence_reg;
    assign framing       = in_frame;
    assign used          = used_reg;
    // nothing to say; what waits for the peer or for a place waits as it is
    assign idle          = up && free && !lost && !urgent && !due && !sup_ack_reg && !int_ack_reg && !record &&
                           !crossing && !store && !through_valid && !passes && !owed;

    always @* begin
        header[`QCDOC_HEADER_CLASS]    = `QCDOC_CLASS_BARE;
        header[`QCDOC_HEADER_SEQUENCE] = 1'b0;
        header[`QCDOC_HEADER_NUMBER]   = taken;
        header[`QCDOC_HEADER_PARITY]   = {2{hold}};
        if (frame_go) begin
            if (int_go) begin
                header[`QCDOC_HEADER_CLASS]    = `QCDOC_CLASS_INTERRUPT;
                header[`QCDOC_HEADER_SEQUENCE] = int_sequence_reg;
                header[`QCDOC_HEADER_PARITY]   = parity_int;
            end else if (sup_go) begin
                header[`QCDOC_HEADER_CLASS]    = `QCDOC_CLASS_SUPERVISOR;
                header[`QCDOC_HEADER_SEQUENCE] = sup_sequence_reg;
                header[`QCDOC_HEADER_PARITY]   = parity_sup;
            end else begin
                header[`QCDOC_HEADER_CLASS]  = `QCDOC_CLASS_DATA;
                header[`QCDOC_HEADER_PARITY] = data_go ? parity_stored : through_parity;
                if (int_ack_reg || sup_ack_reg) begin
                    header[`QCDOC_HEADER_OTHER]          = 1'b1;
                    header[`QCDOC_HEADER_OF_INTERRUPT]   = int_ack_reg;
                    header[`QCDOC_HEADER_OTHER_SEQUENCE] = int_ack_reg ? int_ack_sequence : sup_ack_sequence;
                end
            end
        end
        header[`QCDOC_HEADER_ODD] = ~^header[`QCDOC_HEADER_CODE];

        case (state_reg)
            BODY:    tx_data = checked_reg && count_reg == 4'd0 ? check_reg : body_reg[7:0];
            THROUGH: tx_data = through_data;
            MARK:    tx_data = `QCDOC_MARK;
            default: begin
                tx_data = header;
                if (void_go)
                    tx_data = `QCDOC_BREAK;
                else if (burst_reg)
                    tx_data = `QCDOC_MARK;
                else if (!frame_go && sure_reg == 2'd0 && int_ack_reg)
                    tx_data = int_ack_sequence ? `QCDOC_ACK_INTERRUPT_1 : `QCDOC_ACK_INTERRUPT_0;
                else if (!frame_go && sure_reg == 2'd0 && sup_ack_reg)
                    tx_data = sup_ack_sequence ? `QCDOC_ACK_SUPERVISOR_1 : `QCDOC_ACK_SUPERVISOR_0;
                else if (!frame_go && hold && taken == 2'd3)
                    tx_data = `QCDOC_IDLE_3_HOLD;
            end
        endcase
        if (!up && !in_frame)
            tx_data = training_data;
    end

    always @(posedge clk) begin
        event_request <= 1'b0;
        event_burst   <= 1'b0;

        if (slot && (up || in_frame)) begin
            count_reg <= count_reg - 4'd1;
            case (state_reg)
                BODY, THROUGH:
                    if (count_reg == 4'd0)
                        state_reg <= BETWEEN;
                MARK:
                    if (start_record) begin
                        state_reg     <= BODY;
                        count_reg     <= RECORD_LEFT[3:0];
                        checked_reg   <= 1'b0;
                        event_request <= lost;
                    end
                default: begin
                    through_reg <= start_through;
                    owed_reg    <= (owed_reg || through_reg) && through_sure && !handed;
                    if (void_go) begin
                        state_reg    <= BETWEEN;
                    end else if (burst_reg) begin
                        state_reg    <= MARK;
                        count_reg    <= MARKS_LEFT;
                        burst_reg    <= 1'b0;
                        sure_reg     <= 2'd0;
                        sup_sent_reg <= 1'b0;
                        int_sent_reg <= 1'b0;
                        event_burst  <= 1'b1;
                    end else if (sure_reg != 2'd0) begin
                        sure_reg     <= sure_reg - 2'd1;
                    end else if (int_go) begin
                        state_reg    <= BODY;
                        count_reg    <= INTERRUPT_LEFT[3:0];
                        checked_reg  <= 1'b1;
                        int_sent_reg <= 1'b1;
                        sure_reg     <= `QCDOC_SURE;
                    end else if (sup_go) begin
                        state_reg    <= BODY;
                        count_reg    <= SUPERVISOR_LEFT[3:0];
                        checked_reg  <= 1'b1;
                        sup_sent_reg <= 1'b1;
                        sure_reg     <= `QCDOC_SURE;
                    end else if (data_go || through_go) begin
                        state_reg <= data_go ? BODY : THROUGH;
                        count_reg <= DATA_LEFT[3:0];
                        checked_reg <= 1'b0;
                    end
                end
            endcase
        end

        // whether a frame begins or not: it is looked at in one only
        if (slot)
            case (state_reg)
                BODY, THROUGH: body_reg <= {8'h00, body_reg[63:8]};
                MARK:          body_reg <= {24'd0, record_bytes};
                default:       body_reg <= int_go ? {56'd0, int_code} : sup_go ? sup_word : stored;
            endcase

        if (check_on)
            check_reg <= check_next;

        if (chosen && !urgent) begin
            // the header, or the bare code, takes one of them along
            int_ack_reg <= 1'b0;
            if (!int_ack_reg)
                sup_ack_reg <= 1'b0;
        end

        // between two slots
        if (handed && !(slot && up && state_reg == BETWEEN)) begin
            owed_reg <= 1'b0;
            if (!owed_reg)
                through_reg <= 1'b0;
        end

        if (freed)
            used_reg <= 1'b1;

        if (back)
            burst_reg <= !marking;

        if (sup_first)
            sup_known_reg <= 1'b1;
        if (sup_done) begin
            sup_sent_reg     <= 1'b0;
            sup_known_reg    <= 1'b0;
            sup_sequence_reg <= !sup_sequence_reg;
            used_reg         <= 1'b1;
        end
        if (int_done) begin
            int_sent_reg     <= 1'b0;
            int_sequence_reg <= !int_sequence_reg;
            used_reg         <= 1'b1;
        end

        lost_reg <= lost && up;
        if (slot)
            retry_reg <= retry_reg + 8'd1;
        if (start_burst || !lost)
            retry_reg <= 8'd0;
        if (lost && up && (!lost_reg || (slot && retry_reg == RETRY[7:0])) && !marking)
            burst_reg <= 1'b1;
        if ((record && record_lost) || restart) begin
            sup_ack_reg <= sup_ack_again;
            int_ack_reg <= int_ack_again;
        end
        if (sup_ack_due)
            sup_ack_reg <= 1'b1;
        if (int_ack_due)
            int_ack_reg <= 1'b1;

        if (restart) begin
            state_reg <= BETWEEN;
            burst_reg <= 1'b1;
        end
        if (rst || restart || clear) begin
            through_reg <= 1'b0;
            owed_reg    <= 1'b0;
        end
        if (rst || clear) begin
            sup_sent_reg     <= 1'b0;
            int_sent_reg     <= 1'b0;
            sup_sequence_reg <= 1'b0;
            int_sequence_reg <= 1'b0;
            sup_ack_reg      <= 1'b0;
            int_ack_reg      <= 1'b0;
            sup_known_reg    <= 1'b0;
            used_reg         <= 1'b0;
        end
        if (rst) begin
            state_reg <= BETWEEN;
            count_reg <= 4'd0;
            burst_reg <= 1'b0;
            sure_reg  <= 2'd0;
            lost_reg  <= 1'b0;
            retry_reg <= 8'd0;
        end
    end
endmodule
`default_nettype wire
