// SPDX-License-Identifier: Apache-2.0
// Sending half of a QCDOC link: three words in the air, resent from the oldest unacknowledged one when the peer
// asks; supervisor words and partition interrupts before data, each waiting for its own acknowledgement. Seed 000,
// section 2.2; formats in rtl/qcdoc/README.md.
//
// Once every eight cycles (`slot`) the next byte is chosen:
//
//   training bytes, or else                                     slots
//   between frames:  marks, resume number[, request]            11 or 12   after training, a request, an error
//                    interrupt: header, code                     2
//                    supervisor word: header, 8 bytes            9
//                    data word, stored or passed through         9
//                    acknowledgement of a supervisor word or interrupt   1
//                    idle with the acknowledgement of data       1
//
// Acknowledgements ride in headers, so words follow one another without a gap: 64 of every 72 bits are data.
//
// Numbers modulo 4: oldest <= send <= high <= head <= oldest + 3; head is the next to be stored, high the first
// never sent. After a resume number the words follow from there without an omission, so that the peer can count
// them: until all are sent again (send = high) acknowledgements are not heeded. They are state, and come again.
`default_nettype none
`include "qcdoc_codes.vh"
module qcdoc_link_tx #(
    parameter MARKS       = 10,
    parameter RETRY_SLOTS = 64           // bytes after which an unanswered request is repeated
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
    input  wire [1:0]  taken,
    input  wire        hold,
    input  wire        request,
    input  wire        peer_ack,
    input  wire [1:0]  peer_ack_number,
    input  wire        peer_ack_sup,
    input  wire        peer_ack_int,
    input  wire        peer_ack_bit,
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

    // a word that is still arriving elsewhere: started together with a slot, then a byte for every slot
    input  wire        through_valid,
    output wire        through_start,
    input  wire [1:0]  through_parity,
    input  wire [7:0]  through_data,

    // held until done
    input  wire        sup_valid,
    input  wire [63:0] sup_word,
    output wire        sup_done,
    input  wire        int_valid,
    input  wire [7:0]  int_code,
    output wire        int_done,

    output wire        used,             // the peer acknowledged something in this session
    output wire        outstanding,      // words not acknowledged
    output wire        idle,
    output wire        framing,          // in a frame
    output reg         event_sent,       // pulses
    output reg         event_acked,      // one or more words
    output reg         event_resent,
    output reg         event_request,    // a request sent
    output reg         event_burst,      // marks begun
    output reg         event_bad_ack     // acknowledges what was not sent
);
    localparam [2:0] BETWEEN = 3'd0, BODY = 3'd1, THROUGH = 3'd2, MARK = 3'd3, RESUME = 3'd4,
                     REQUEST = 3'd5;
    localparam [3:0] MARKS_LEFT = MARKS - 1;
    localparam [7:0] RETRY      = RETRY_SLOTS - 1;

    reg  [2:0]  state_reg;
    reg  [3:0]  count_reg;               // bytes still to come
    reg  [63:0] body_reg;
    reg  [1:0]  oldest_reg, send_reg, high_reg, head_reg;
    reg         burst_reg;               // marks are due
    reg         lost_reg;
    reg  [7:0]  retry_reg;
    reg         sup_ack_reg, int_ack_reg;    // acknowledgements due
    reg         sup_sent_reg, int_sent_reg;
    reg         sup_sequence_reg, int_sequence_reg;
    reg         used_reg;

    wire [63:0] stored;
    wire [1:0]  waiting = head_reg - oldest_reg;
    wire [1:0]  in_air  = high_reg - oldest_reg;
    wire        caught_up = send_reg == high_reg;
    wire [1:0]  freed   = peer_ack_number - oldest_reg;
    wire        ack_ok  = peer_ack && caught_up && freed <= in_air;
    wire [1:0]  oldest_next = ack_ok ? peer_ack_number : oldest_reg;
    wire        store   = word_valid && word_ready;

    wire        between = state_reg == BETWEEN && !burst_reg;
    // a frame that has begun is finished, whatever happens to the link: training bytes in its place might have the
    // right parity, one time in four
    wire        in_frame = state_reg == BODY || state_reg == THROUGH;
    wire        int_go  = int_valid && !int_sent_reg;
    wire        sup_go  = sup_valid && !sup_sent_reg;
    wire        data_go = send_reg != head_reg;
    wire        through_go = through_valid && !data_go && waiting != 2'd3;
    wire        urgent  = int_go || sup_go;
    wire        chosen  = slot && up && between;
    wire        start_word    = chosen && !urgent && data_go;
    wire        start_through = chosen && !urgent && through_go;
    wire        start_burst   = slot && up && state_reg == BETWEEN && burst_reg;

    // what a data header acknowledges
    wire [2:0]  data_ack = int_ack_reg ? {2'b11, int_ack_sequence} :
                           sup_ack_reg ? {2'b10, sup_ack_sequence} : {1'b0, taken};
    wire [1:0]  parity_stored = {^(stored & {8{8'hAA}}), ^(stored & {8{8'h55}})} ^ `QCDOC_PARITY_64;
    wire [1:0]  parity_sup    = {^(sup_word & {8{8'hAA}}), ^(sup_word & {8{8'h55}})} ^ `QCDOC_PARITY_64;
    wire [1:0]  parity_int    = {^(int_code & 8'hAA), ^(int_code & 8'h55)} ^ `QCDOC_PARITY_8;
    wire [4:0]  k_data = {`QCDOC_CLASS_DATA, data_ack};
    wire [4:0]  k_sup  = {`QCDOC_CLASS_SUPERVISOR, sup_sequence_reg, taken};
    wire [4:0]  k_int  = {`QCDOC_CLASS_INTERRUPT, int_sequence_reg, taken};
    wire [4:0]  k_idle = {`QCDOC_CLASS_BARE, `QCDOC_BARE_IDLE, taken};

    ram_small #(.WIDTH(64), .ADDRESS_BITS(2)) words (
        .clk(clk),
        .wr_en(store), .wr_address(head_reg), .wr_data(word),
        .rd_address(send_reg), .rd_data(stored));

    // the word that starts through takes the next number, and is handed in when it is complete
    assign word_ready    = waiting != 2'd3 && !start_through;
    assign through_start = start_through;
    assign sup_done      = peer_ack_sup && sup_sent_reg && peer_ack_bit == sup_sequence_reg;
    assign int_done      = peer_ack_int && int_sent_reg && peer_ack_bit == int_sequence_reg;
    assign framing       = in_frame;
    assign used          = used_reg;
    assign outstanding   = waiting != 2'd0;
    // nothing to say; what waits for the peer or for a place waits as it is
    assign idle          = up && between && !lost && !int_go && !sup_go && !data_go && !sup_ack_reg && !int_ack_reg &&
                           !store && !through_valid;

    always @* begin
        case (state_reg)
            BODY:    tx_data = body_reg[7:0];
            THROUGH: tx_data = through_data;
            MARK:    tx_data = `QCDOC_MARK;
            RESUME:  tx_data = `QCDOC_RESUME(oldest_reg);
            REQUEST: tx_data = `QCDOC_REQUEST;
            default: begin
                if (burst_reg)
                    tx_data = `QCDOC_MARK;
                else if (int_go)
                    tx_data = `QCDOC_HEADER(k_int, parity_int);
                else if (sup_go)
                    tx_data = `QCDOC_HEADER(k_sup, parity_sup);
                else if (data_go)
                    tx_data = `QCDOC_HEADER(k_data, parity_stored);
                else if (through_go)
                    tx_data = `QCDOC_HEADER(k_data, through_parity);
                else if (int_ack_reg)
                    tx_data = int_ack_sequence ? `QCDOC_ACK_INTERRUPT_1 : `QCDOC_ACK_INTERRUPT_0;
                else if (sup_ack_reg)
                    tx_data = sup_ack_sequence ? `QCDOC_ACK_SUPERVISOR_1 : `QCDOC_ACK_SUPERVISOR_0;
                else
                    tx_data = `QCDOC_HEADER(k_idle, {2{hold}});
            end
        endcase
        if (!up && !in_frame)
            tx_data = training_data;
    end

    always @(posedge clk) begin
        event_sent    <= 1'b0;
        event_request <= 1'b0;
        event_burst   <= 1'b0;

        if (slot && (up || in_frame)) begin
            case (state_reg)
                BODY, THROUGH: begin
                    body_reg  <= {8'h00, body_reg[63:8]};
                    count_reg <= count_reg - 4'd1;
                    if (count_reg == 4'd0)
                        state_reg <= BETWEEN;
                end
                MARK: begin
                    count_reg <= count_reg - 4'd1;
                    if (count_reg == 4'd1)
                        state_reg <= RESUME;
                end
                RESUME: begin
                    state_reg <= lost ? REQUEST : BETWEEN;
                    retry_reg <= 8'd0;
                end
                REQUEST: begin
                    state_reg     <= BETWEEN;
                    event_request <= 1'b1;
                end
                default: begin
                    if (burst_reg) begin
                        state_reg    <= MARK;
                        count_reg    <= MARKS_LEFT;
                        burst_reg    <= 1'b0;
                        sup_sent_reg <= 1'b0;
                        int_sent_reg <= 1'b0;
                        event_burst  <= 1'b1;
                    end else if (int_go) begin
                        state_reg    <= BODY;
                        count_reg    <= 4'd0;
                        body_reg     <= {56'd0, int_code};
                        int_sent_reg <= 1'b1;
                    end else if (sup_go) begin
                        state_reg    <= BODY;
                        count_reg    <= 4'd7;
                        body_reg     <= sup_word;
                        sup_sent_reg <= 1'b1;
                    end else if (data_go || through_go) begin
                        state_reg <= data_go ? BODY : THROUGH;
                        count_reg <= 4'd7;
                        body_reg  <= stored;
                    end
                end
            endcase
        end

        if (chosen && !urgent) begin
            // the header, or the bare code, takes one of them along
            int_ack_reg <= 1'b0;
            if (!int_ack_reg)
                sup_ack_reg <= 1'b0;
        end

        oldest_reg <= oldest_next;
        event_acked <= ack_ok && freed != 2'd0;
        if (ack_ok && freed != 2'd0)
            used_reg <= 1'b1;
        event_bad_ack <= peer_ack && caught_up && !ack_ok;
        if (store)
            head_reg <= head_reg + 2'd1;
        if ((start_word && caught_up) || (store && word_sent)) begin
            high_reg   <= high_reg + 2'd1;
            event_sent <= 1'b1;
        end
        event_resent <= start_word && !caught_up;
        if (start_word || (store && word_sent && caught_up))
            send_reg <= send_reg + 2'd1;
        if (start_burst)
            send_reg <= oldest_next;

        if (sup_done) begin
            sup_sent_reg     <= 1'b0;
            sup_sequence_reg <= !sup_sequence_reg;
            used_reg         <= 1'b1;
        end
        if (int_done) begin
            int_sent_reg     <= 1'b0;
            int_sequence_reg <= !int_sequence_reg;
            used_reg         <= 1'b1;
        end

        // who is out of step sends marks as well: the peer may be out of step too, and would not hear a request
        lost_reg <= lost && up;
        if (slot && up && lost && state_reg == BETWEEN)
            retry_reg <= retry_reg + 8'd1;
        if ((lost && up && !lost_reg) || (slot && lost && retry_reg == RETRY)) begin
            burst_reg <= 1'b1;
            retry_reg <= 8'd0;
        end
        if (request && state_reg != MARK && state_reg != RESUME)
            burst_reg <= 1'b1;
        if (request || restart) begin
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
        if (rst || clear) begin
            oldest_reg       <= 2'd0;
            send_reg         <= 2'd0;
            high_reg         <= 2'd0;
            head_reg         <= 2'd0;
            sup_sent_reg     <= 1'b0;
            int_sent_reg     <= 1'b0;
            sup_sequence_reg <= 1'b0;
            int_sequence_reg <= 1'b0;
            sup_ack_reg      <= 1'b0;
            int_ack_reg      <= 1'b0;
            used_reg         <= 1'b0;
        end
        if (rst) begin
            state_reg <= BETWEEN;
            count_reg <= 4'd0;
            burst_reg <= 1'b0;
            lost_reg  <= 1'b0;
            retry_reg <= 8'd0;
        end
    end
endmodule
`default_nettype wire
