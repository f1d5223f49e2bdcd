// SPDX-License-Identifier: Apache-2.0
// Counters of a QPACE link, in one small memory instead of an adder each: events wait, a few bits each, for
// their turn to be added. Nothing is ever lost: packets that end are added at once; what single words
// cause, at most one event a cycle, is collected and added together; the rest is rarer than its turn comes.
//
// Latency: an event is in its counter after 1 to about 15 cycles; `quiet` says that all are. A read takes
// the turn of everything but a packet's end: a line of nothing but errors does not keep it out.
`default_nettype none
module qpace_link_counters (
    input  wire        link_clk,
    input  wire        link_rst,
    input  wire        clear,

    // a frame came to its end: one of these
    input  wire        accepted,
    input  wire        duplicate,
    input  wire        gap,
    input  wire        refused,
    input  wire        crc_error,
    // one of these a word, and a framing error
    input  wire        nack_received,
    input  wire        busy_received,
    input  wire        command_error,
    input  wire        code_error,
    input  wire        framing_error,
    // much rarer
    input  wire        sent,
    input  wire        retransmitted,
    input  wire        nack_sent,
    input  wire        busy_sent,
    input  wire        timeout,
    input  wire        retrain,
    input  wire        acknowledged,
    input  wire [4:0]  acknowledged_count,
    input  wire        flushed,
    input  wire [4:0]  flushed_count,

    output wire        quiet,          // nothing waits
    input  wire        read,
    output wire        read_ready,     // with read: read_value is there
    input  wire [4:0]  read_index,
    output wire [31:0] read_value      // same cycle
);
    // places in the memory: as the register addresses, from COUNT_SENT on
    localparam [4:0] SENT = 5'd0, RETRANSMITTED = 5'd1, ACKNOWLEDGED = 5'd2, ACCEPTED = 5'd3, DUPLICATE = 5'd4,
                     CRC_ERROR = 5'd5, CODE_ERROR = 5'd6, FRAMING_ERROR = 5'd7, COMMAND_ERROR = 5'd8,
                     NACK_SENT = 5'd9, NACK_RECEIVED = 5'd10, BUSY_SENT = 5'd11, BUSY_RECEIVED = 5'd12,
                     TIMEOUT = 5'd13, RETRAIN = 5'd14, FLUSHED = 5'd15, GAP = 5'd16, REFUSED = 5'd17;

    // what single words cause: {framing, code, command, busy, nack}, 5 bits each
    localparam WORDS = 5;

    reg  [5:0]  wait_reg;              // {retrain, timeout, busy_sent, nack_sent, retransmitted, sent}
    reg  [5:0]  ack_reg;               // amounts that wait
    reg  [5:0]  flush_reg;
    reg  [5*WORDS-1:0] word_reg;
    reg  [17:0] used_reg;              // the memory's word holds a count; 0 if not

    wire        now      = accepted || duplicate || gap || refused || crc_error;
    wire        add      = now || (!read && !quiet);
    wire [WORDS-1:0] word_event = {framing_error, code_error, command_error, busy_received, nack_received};
    reg  [4:0]  index;
    reg  [5:0]  amount;
    reg  [5:0]  serve;                 // of wait_reg
    reg         serve_ack;
    reg         serve_flush;
    reg  [WORDS-1:0] serve_word;
    wire [4:0]  address   = add ? index : read_index;
    wire [31:0] stored;
    wire [31:0] used_wide = {14'd0, used_reg};
    wire [31:0] value     = used_wide[address] ? stored : 32'd0;

    assign quiet      = wait_reg == 6'd0 && ack_reg == 6'd0 && flush_reg == 6'd0 && word_reg == 25'd0;
    assign read_ready = !now;
    assign read_value = value;

    // whose turn it is, if `add`
    always @* begin
        index       = ACCEPTED;
        amount      = 6'd1;
        serve       = 6'd0;
        serve_ack   = 1'b0;
        serve_flush = 1'b0;
        serve_word  = 5'd0;
        if (now) begin
            if (duplicate) index = DUPLICATE;
            if (gap)       index = GAP;
            if (refused)   index = REFUSED;
            if (crc_error) index = CRC_ERROR;
        end else if (wait_reg[0]) begin
            index    = SENT;
            serve[0] = 1'b1;
        end else if (wait_reg[1]) begin
            index    = RETRANSMITTED;
            serve[1] = 1'b1;
        end else if (wait_reg[2]) begin
            index    = NACK_SENT;
            serve[2] = 1'b1;
        end else if (wait_reg[3]) begin
            index    = BUSY_SENT;
            serve[3] = 1'b1;
        end else if (wait_reg[4]) begin
            index    = TIMEOUT;
            serve[4] = 1'b1;
        end else if (wait_reg[5]) begin
            index    = RETRAIN;
            serve[5] = 1'b1;
        end else if (ack_reg != 6'd0) begin
            index     = ACKNOWLEDGED;
            amount    = ack_reg;
            serve_ack = 1'b1;
        end else if (flush_reg != 6'd0) begin
            index       = FLUSHED;
            amount      = flush_reg;
            serve_flush = 1'b1;
        end else if (word_reg[4:0] != 5'd0) begin
            index         = NACK_RECEIVED;
            amount        = {1'b0, word_reg[4:0]};
            serve_word[0] = 1'b1;
        end else if (word_reg[9:5] != 5'd0) begin
            index         = BUSY_RECEIVED;
            amount        = {1'b0, word_reg[9:5]};
            serve_word[1] = 1'b1;
        end else if (word_reg[14:10] != 5'd0) begin
            index         = COMMAND_ERROR;
            amount        = {1'b0, word_reg[14:10]};
            serve_word[2] = 1'b1;
        end else if (word_reg[19:15] != 5'd0) begin
            index         = CODE_ERROR;
            amount        = {1'b0, word_reg[19:15]};
            serve_word[3] = 1'b1;
        end else begin
            index         = FRAMING_ERROR;
            amount        = {1'b0, word_reg[24:20]};
            serve_word[4] = 1'b1;
        end
    end

    ram_small #(.WIDTH(32), .ADDRESS_BITS(5)) u_counts (
        .clk(link_clk), .wr_en(add), .wr_address(index), .wr_data(value + {26'd0, amount}),
        .rd_address(address), .rd_data(stored)
    );

    always @(posedge link_clk) begin
        wait_reg  <= (wait_reg & ~(add ? serve : 6'd0))
                     | {retrain, timeout, busy_sent, nack_sent, retransmitted, sent};
        ack_reg   <= (add && serve_ack ? 6'd0 : ack_reg) + (acknowledged ? {1'b0, acknowledged_count} : 6'd0);
        flush_reg <= (add && serve_flush ? 6'd0 : flush_reg) + (flushed ? {1'b0, flushed_count} : 6'd0);
        if (add) begin
            used_reg[index] <= 1'b1;
        end
        if (clear || link_rst) begin
            used_reg <= 18'd0;
        end
        if (link_rst) begin
            wait_reg  <= 6'd0;
            ack_reg   <= 6'd0;
            flush_reg <= 6'd0;
        end
    end

    genvar i;
    generate
        for (i = 0; i < WORDS; i = i + 1) begin : gen_word
            always @(posedge link_clk) begin
                word_reg[5*i +: 5] <= (add && serve_word[i] ? 5'd0 : word_reg[5*i +: 5]) + {4'd0, word_event[i]};
                if (link_rst) begin
                    word_reg[5*i +: 5] <= 5'd0;
                end
            end
        end
    endgenerate
endmodule
`default_nettype wire
