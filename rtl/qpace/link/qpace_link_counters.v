// SPDX-License-Identifier: Apache-2.0
// Counters of a QPACE link, in one small memory instead of an adder each; the memory also keeps a copy of the
// configuration, so that it can be read back without a multiplexer. Events wait, a few bits each, for their turn to be
// added. Nothing is ever lost: packets that end are added at once; what single words cause, at most one event a cycle,
// is collected and added together; the rest is rarer than its turn comes.
//
// Latency: an event is in its counter after 1 to about 15 cycles; `quiet` says that all are. A read takes
// the turn of everything but a packet's end: a line of nothing but errors does not keep it out.
// Clearing the counters takes 22 to 44 cycles, and reset, which also gives the configuration its reset values, 32 to
// 64; reads wait for it.
`default_nettype none
`include "qpace_link_regs.vh"
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
    input  wire        replayed,
    input  wire        nack_sent,
    input  wire        busy_sent,
    input  wire        timeout,
    input  wire        retrain,
    input  wire        silent,
    input  wire        freed,          // a slot of the transmit FIFO was freed
    input  wire        flush,          // the slots freed from now on are given up, not acknowledged

    output wire        quiet,          // nothing waits
    input  wire        read,
    output wire        read_ready,     // with read: read_value is there
    input  wire [4:0]  read_index,     // low bits of a register's address
    output wire [31:0] read_value,     // same cycle
    input  wire        write,          // with read and read_ready: write_value is what read_index has from now on
    input  wire [31:0] write_value
);
    // places in the memory: the lower five bits of the register addresses
    localparam [5:0]
        SENT          = `QPACE_LINK_COUNT_SENT,
        RETRANSMITTED = `QPACE_LINK_COUNT_RETRANSMITTED,
        ACKNOWLEDGED  = `QPACE_LINK_COUNT_ACKNOWLEDGED,
        ACCEPTED      = `QPACE_LINK_COUNT_ACCEPTED,
        DUPLICATE     = `QPACE_LINK_COUNT_DUPLICATE,
        CRC_ERROR     = `QPACE_LINK_COUNT_CRC_ERROR,
        CODE_ERROR    = `QPACE_LINK_COUNT_CODE_ERROR,
        FRAMING_ERROR = `QPACE_LINK_COUNT_FRAMING_ERROR,
        COMMAND_ERROR = `QPACE_LINK_COUNT_COMMAND_ERROR,
        NACK_SENT     = `QPACE_LINK_COUNT_NACK_SENT,
        NACK_RECEIVED = `QPACE_LINK_COUNT_NACK_RECEIVED,
        BUSY_SENT     = `QPACE_LINK_COUNT_BUSY_SENT,
        BUSY_RECEIVED = `QPACE_LINK_COUNT_BUSY_RECEIVED,
        TIMEOUT       = `QPACE_LINK_COUNT_TIMEOUT,
        RETRAIN       = `QPACE_LINK_COUNT_RETRAIN,
        FLUSHED       = `QPACE_LINK_COUNT_FLUSHED,
        GAP           = `QPACE_LINK_COUNT_GAP,
        REFUSED       = `QPACE_LINK_COUNT_REFUSED,
        REPLAYED      = `QPACE_LINK_COUNT_REPLAYED,
        SILENT        = `QPACE_LINK_COUNT_SILENT;
    // where clearing begins: 3 to 9 configuration, 12 to 31 counters, 32 and 33 (so 0 and 1) two more; done at 34
    localparam [5:0] CLEAR_ALL = 6'd2, CLEAR_COUNTERS = 6'd12;

    // what is collected: {freed, framing, code, command, busy, nack}, 4 bits each
    localparam SUMS = 6;

    reg  [7:0]        wait_reg;       // {silent, replayed, retrain, timeout, busy_sent, nack_sent, retransmitted, sent}
    reg  [4*SUMS-1:0] sum_reg;
    reg               flushing_reg;
    reg  [5:0]        clear_reg;      // next word to be cleared; 34: done
    reg               turn_reg;       // while clearing: not clearing's turn

    wire              now      = accepted || duplicate || gap || refused || crc_error;
    wire              waits    = wait_reg != 8'd0 || sum_reg != 24'd0;
    wire              clear_on = !(clear_reg[5] && clear_reg[1]);
    wire              add      = now || (waits && (clear_on ? turn_reg : !read));
    wire              clearing = clear_on && !add;
    wire [SUMS-1:0]   event_in = {freed, framing_error, code_error, command_error, busy_received, nack_received};
    reg  [4:0]        index;
    reg  [3:0]        amount;
    reg  [7:0]        serve;          // of wait_reg
    reg  [SUMS-1:0]   serve_sum;
    wire [4:0]        address  = add ? index : read_index;
    wire [31:0] stored;
    reg  [31:0] fresh;          // what is written if nothing is added

    assign quiet      = !waits && !clear_on && !turn_reg && !flushing_reg;
    assign read_ready = !now && !clear_on;
    assign read_value = stored;

    // whose turn it is, if `add`
    always @* begin
        index     = ACCEPTED[4:0];
        amount    = 4'd1;
        serve     = 8'd0;
        serve_sum = {SUMS{1'b0}};
        if (now) begin
            if (duplicate) index = DUPLICATE[4:0];
            if (gap)       index = GAP[4:0];
            if (refused)   index = REFUSED[4:0];
            if (crc_error) index = CRC_ERROR[4:0];
        end else if (wait_reg[0]) begin
            index    = SENT[4:0];
            serve[0] = 1'b1;
        end else if (wait_reg[1]) begin
            index    = RETRANSMITTED[4:0];
            serve[1] = 1'b1;
        end else if (wait_reg[2]) begin
            index    = NACK_SENT[4:0];
            serve[2] = 1'b1;
        end else if (wait_reg[3]) begin
            index    = BUSY_SENT[4:0];
            serve[3] = 1'b1;
        end else if (wait_reg[4]) begin
            index    = TIMEOUT[4:0];
            serve[4] = 1'b1;
        end else if (wait_reg[5]) begin
            index    = RETRAIN[4:0];
            serve[5] = 1'b1;
        end else if (wait_reg[6]) begin
            index    = REPLAYED[4:0];
            serve[6] = 1'b1;
        end else if (wait_reg[7]) begin
            index    = SILENT[4:0];
            serve[7] = 1'b1;
        end else if (sum_reg[23] || sum_reg[19:0] == 20'd0) begin
            // A whole window may be freed in as many cycles, and must not keep the words out for so long.
            index        = flushing_reg ? FLUSHED[4:0] : ACKNOWLEDGED[4:0];
            amount       = sum_reg[23:20];
            serve_sum[5] = 1'b1;
        end else if (sum_reg[3:0] != 4'd0) begin
            index        = NACK_RECEIVED[4:0];
            amount       = sum_reg[3:0];
            serve_sum[0] = 1'b1;
        end else if (sum_reg[7:4] != 4'd0) begin
            index        = BUSY_RECEIVED[4:0];
            amount       = sum_reg[7:4];
            serve_sum[1] = 1'b1;
        end else if (sum_reg[11:8] != 4'd0) begin
            index        = COMMAND_ERROR[4:0];
            amount       = sum_reg[11:8];
            serve_sum[2] = 1'b1;
        end else if (sum_reg[15:12] != 4'd0) begin
            index        = CODE_ERROR[4:0];
            amount       = sum_reg[15:12];
            serve_sum[3] = 1'b1;
        end else begin
            index        = FRAMING_ERROR[4:0];
            amount       = sum_reg[19:16];
            serve_sum[4] = 1'b1;
        end
    end

    always @* begin
        case (clear_reg)
            `QPACE_LINK_ACK_TIMEOUT:   fresh = `QPACE_LINK_ACK_TIMEOUT_RESET;
            `QPACE_LINK_RETRY_LIMIT:   fresh = `QPACE_LINK_RETRY_LIMIT_RESET;
            `QPACE_LINK_RETRAIN_LIMIT: fresh = `QPACE_LINK_RETRAIN_LIMIT_RESET;
            `QPACE_LINK_TRAIN_TIMEOUT: fresh = `QPACE_LINK_TRAIN_TIMEOUT_RESET;
            `QPACE_LINK_BUSY_PROBE:    fresh = `QPACE_LINK_BUSY_PROBE_RESET;
            default:                   fresh = 32'd0;
        endcase
        if (write) begin
            fresh = write_value;
        end
    end

    ram_small #(.WIDTH(32), .ADDRESS_BITS(5)) u_counts (
        .clk(link_clk), .wr_en(add || clearing || write), .wr_address(clearing ? clear_reg[4:0] : address),
        // always a sum, so that a carry chain takes the choice in
        .wr_data({28'd0, amount & {4{add}}} + (add ? stored : fresh)),
        .rd_address(address), .rd_data(stored)
    );

    always @(posedge link_clk) begin
        wait_reg <= (wait_reg & ~(add ? serve : 8'd0))
                    | {silent, replayed, retrain, timeout, busy_sent, nack_sent, retransmitted, sent};
        if (clearing) begin
            clear_reg <= clear_reg + 6'd1;
        end
        turn_reg <= clear_on && !turn_reg;
        if (clear) begin
            clear_reg <= CLEAR_COUNTERS;
        end
        if (flush) begin
            flushing_reg <= 1'b1;
        end else if (!freed && sum_reg[23:20] == 4'd0) begin
            flushing_reg <= 1'b0;
        end
        if (link_rst) begin
            clear_reg    <= CLEAR_ALL;
            wait_reg     <= 8'd0;
            flushing_reg <= 1'b0;
            turn_reg     <= 1'b0;
        end
    end

    // all sums at once: bit n changes if the event came and all bits below it are 1. (Written out: an adder's carry
    // chains would cost more.)
    wire [4*SUMS-1:0] served = {{4{serve_sum[5]}}, {4{serve_sum[4]}}, {4{serve_sum[3]}}, {4{serve_sum[2]}},
                                {4{serve_sum[1]}}, {4{serve_sum[0]}}} & {4*SUMS{add}};
    wire [4*SUMS-1:0] kept   = sum_reg & ~served;
    wire [4*SUMS-1:0] flip_0 = {3'd0, event_in[5], 3'd0, event_in[4], 3'd0, event_in[3], 3'd0, event_in[2],
                                3'd0, event_in[1], 3'd0, event_in[0]};
    wire [4*SUMS-1:0] low_2  = kept & (kept << 1);
    wire [4*SUMS-1:0] low_3  = kept & (low_2 << 1);
    wire [4*SUMS-1:0] flip_1 = (flip_0 & kept) << 1;
    wire [4*SUMS-1:0] flip_2 = ((flip_0 << 1) & low_2) << 1;
    wire [4*SUMS-1:0] flip_3 = ((flip_0 << 2) & low_3) << 1;

    always @(posedge link_clk) begin
        sum_reg <= kept ^ flip_0 ^ flip_1 ^ flip_2 ^ flip_3;
        if (link_rst) begin
            sum_reg <= {4*SUMS{1'b0}};
        end
    end
endmodule
`default_nettype wire
