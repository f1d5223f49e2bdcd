// SPDX-License-Identifier: Apache-2.0
// Counters of a QPACE link, in one small memory instead of an adder each: events wait, a few bits each, for
// their turn to be added. Nothing is ever lost: what follows from a received word (at most one a
// cycle) is added at once, everything else is rarer than its turn comes.
//
// Latency: an event is in its counter after 1 to about 10 cycles; `quiet` says that all are. `read` must
// wait for !busy.
`default_nettype none
module qpace_link_counters (
    input  wire        link_clk,
    input  wire        link_rst,
    input  wire        clear,

    // one of these a cycle
    input  wire        accepted,
    input  wire        duplicate,
    input  wire        gap,
    input  wire        refused,
    input  wire        crc_error,
    input  wire        command_error,
    input  wire        nack_received,
    input  wire        busy_received,
    // any number of these a cycle
    input  wire        code_error,
    input  wire        framing_error,
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

    output wire        busy,           // this cycle's turn is taken
    output wire        quiet,          // nothing waits
    input  wire [4:0]  read_index,
    output wire [31:0] read_value      // same cycle, if not busy
);
    // places in the memory: as the register addresses, from COUNT_SENT on
    localparam [4:0] SENT = 5'd0, RETRANSMITTED = 5'd1, ACKNOWLEDGED = 5'd2, ACCEPTED = 5'd3, DUPLICATE = 5'd4,
                     CRC_ERROR = 5'd5, CODE_ERROR = 5'd6, FRAMING_ERROR = 5'd7, COMMAND_ERROR = 5'd8,
                     NACK_SENT = 5'd9, NACK_RECEIVED = 5'd10, BUSY_SENT = 5'd11, BUSY_RECEIVED = 5'd12,
                     TIMEOUT = 5'd13, RETRAIN = 5'd14, FLUSHED = 5'd15, GAP = 5'd16, REFUSED = 5'd17;

    reg  [5:0]  wait_reg;              // {retrain, timeout, busy_sent, nack_sent, retransmitted, sent}
    reg  [5:0]  ack_reg;               // amounts that wait
    reg  [5:0]  flush_reg;
    reg  [4:0]  code_reg;
    reg  [4:0]  framing_reg;
    reg  [17:0] used_reg;              // the memory's word holds a count; 0 if not

    wire        now = accepted || duplicate || gap || refused || crc_error || command_error
                      || nack_received || busy_received;
    reg  [4:0]  index;
    reg  [5:0]  amount;
    reg  [5:0]  serve;                 // of wait_reg
    reg         serve_ack, serve_flush, serve_code, serve_framing;
    wire [4:0]  address = busy ? index : read_index;
    wire [31:0] stored;
    wire [31:0] used_wide = {14'd0, used_reg};
    wire [31:0] value   = used_wide[address] ? stored : 32'd0;

    assign quiet      = wait_reg == 6'd0 && ack_reg == 6'd0 && flush_reg == 6'd0 && code_reg == 5'd0
                        && framing_reg == 5'd0;
    assign busy       = now || !quiet;
    assign read_value = value;

    always @* begin
        index         = ACCEPTED;
        amount        = 6'd1;
        serve         = 6'd0;
        serve_ack     = 1'b0;
        serve_flush   = 1'b0;
        serve_code    = 1'b0;
        serve_framing = 1'b0;
        if (now) begin
            if (duplicate)     index = DUPLICATE;
            if (gap)           index = GAP;
            if (refused)       index = REFUSED;
            if (crc_error)     index = CRC_ERROR;
            if (command_error) index = COMMAND_ERROR;
            if (nack_received) index = NACK_RECEIVED;
            if (busy_received) index = BUSY_RECEIVED;
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
        end else if (framing_reg != 5'd0) begin
            index         = FRAMING_ERROR;
            amount        = {1'b0, framing_reg};
            serve_framing = 1'b1;
        end else begin
            index      = CODE_ERROR;
            amount     = {1'b0, code_reg};
            serve_code = 1'b1;
        end
    end

    ram_small #(.WIDTH(32), .ADDRESS_BITS(5)) u_counts (
        .clk(link_clk), .wr_en(busy), .wr_address(index), .wr_data(value + {26'd0, amount}),
        .rd_address(address), .rd_data(stored)
    );

    always @(posedge link_clk) begin
        wait_reg    <= (wait_reg & ~serve) | {retrain, timeout, busy_sent, nack_sent, retransmitted, sent};
        ack_reg     <= (serve_ack ? 6'd0 : ack_reg) + (acknowledged ? {1'b0, acknowledged_count} : 6'd0);
        flush_reg   <= (serve_flush ? 6'd0 : flush_reg) + (flushed ? {1'b0, flushed_count} : 6'd0);
        framing_reg <= (serve_framing ? 5'd0 : framing_reg) + {4'd0, framing_error};
        code_reg    <= (serve_code ? 5'd0 : code_reg) + {4'd0, code_error};
        if (busy) begin
            used_reg[index] <= 1'b1;
        end
        if (clear || link_rst) begin
            used_reg <= 18'd0;
        end
        if (link_rst) begin
            wait_reg    <= 6'd0;
            ack_reg     <= 6'd0;
            flush_reg   <= 6'd0;
            framing_reg <= 5'd0;
            code_reg    <= 5'd0;
        end
    end
endmodule
`default_nettype wire
