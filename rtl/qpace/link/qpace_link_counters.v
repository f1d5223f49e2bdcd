// SPDX-License-Identifier: Apache-2.0
// Counters of a QPACE link, in one small memory instead of an adder each; the memory also keeps a copy of the
// configuration, so that it can be read back without a multiplexer. Events wait, a few bits each, for their turn to be
// added. Nothing is ever lost: packets that end are added at once; what single words cause, at most one event a cycle,
// is collected and added together; the rest is rarer than its turn comes.
//
//   cycle     0            1                       2                    3
//   event     accepted     noted: now_reg          its turn: index_reg  in its counter
//             code_error   noted: event_reg        in sum_reg           pick_reg, its turn, in its counter
//   read      read         its turn: index_reg     read_ready
//
// Latency: an event is in its counter after 3 to about 17 cycles; `quiet` says that all are. read to read_ready 1 cycle
// and more: a read takes the turn of everything but a packet's end, so a line of nothing but errors does not keep it
// out.
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
    output wire        read_ready,     // with read, and it stands since the cycle before: read_value is there
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

    reg               now_reg;        // a frame came to its end
    reg  [4:0]        now_index_reg;
    reg  [SUMS-1:0]   event_reg;
    reg  [7:0]        wait_reg;       // {silent, replayed, retrain, timeout, busy_sent, nack_sent, retransmitted, sent}
    reg  [4*SUMS-1:0] sum_reg;
    reg  [SUMS-1:0]   any_reg;        // sum is not 0
    reg  [SUMS-1:0]   pick_reg;       // the one of them whose turn is next, if there is any
    reg               flushing_reg;
    reg  [5:0]        clear_reg;      // next word to be cleared; 34: done
    reg               turn_reg;       // while clearing: not clearing's turn

    // whose turn it is at the memory
    reg               add_reg;
    reg               clearing_reg;
    reg               ready_reg;      // a read's
    reg  [4:0]        index_reg;
    reg  [3:0]        amount_reg;     // 0 if nothing is added

    wire              waits    = wait_reg != 8'd0;
    wire              clear_on = !(clear_reg[5] && clear_reg[1]);
    wire              go       = !now_reg && (clear_on ? turn_reg : !read);   // what waits may have the next turn
    wire              add      = now_reg || (go && (waits || pick_reg != {SUMS{1'b0}}));
    reg  [4:0]        now_index, wait_index, sum_index;
    reg  [3:0]        amount;
    integer           i;
    reg  [7:0]        serve;          // of wait_reg
    reg  [SUMS-1:0]   pick;
    wire [SUMS-1:0]   done   = pick_reg & {SUMS{go && !waits}};
    wire [31:0]       stored;
    reg  [31:0]       fresh;          // what is written if nothing is added

    assign quiet      = !now_reg && event_reg == {SUMS{1'b0}} && !waits && any_reg == {SUMS{1'b0}} && !clear_on
                        && !turn_reg && !add_reg && !clearing_reg && !flushing_reg;
    assign read_ready = ready_reg;
    assign read_value = stored;

    always @* begin
        now_index = ACCEPTED[4:0];
        if (duplicate) now_index = DUPLICATE[4:0];
        if (gap)       now_index = GAP[4:0];
        if (refused)   now_index = REFUSED[4:0];
        if (crc_error) now_index = CRC_ERROR[4:0];
    end

    // which of those that wait, if there are any
    always @* begin
        serve = 8'd0;
        if (wait_reg[0]) begin
            wait_index = SENT[4:0];
            serve[0]   = 1'b1;
        end else if (wait_reg[1]) begin
            wait_index = RETRANSMITTED[4:0];
            serve[1]   = 1'b1;
        end else if (wait_reg[2]) begin
            wait_index = NACK_SENT[4:0];
            serve[2]   = 1'b1;
        end else if (wait_reg[3]) begin
            wait_index = BUSY_SENT[4:0];
            serve[3]   = 1'b1;
        end else if (wait_reg[4]) begin
            wait_index = TIMEOUT[4:0];
            serve[4]   = 1'b1;
        end else if (wait_reg[5]) begin
            wait_index = RETRAIN[4:0];
            serve[5]   = 1'b1;
        end else if (wait_reg[6]) begin
            wait_index = REPLAYED[4:0];
            serve[6]   = 1'b1;
        end else begin
            wait_index = SILENT[4:0];
            serve[7]   = 1'b1;
        end
    end

    // which of the sums is next, and what the one has whose turn it is
    localparam [5*SUMS-1:0] SUM_INDEX = {ACKNOWLEDGED[4:0], FRAMING_ERROR[4:0], CODE_ERROR[4:0], COMMAND_ERROR[4:0],
                                         BUSY_RECEIVED[4:0], NACK_RECEIVED[4:0]};
    wire [SUMS-1:0] others = any_reg & ~pick_reg;
    always @* begin
        // A whole window may be freed in as many cycles, and must not keep the words out for so long.
        pick = {SUMS{1'b0}};
        if (others[5] && (sum_reg[23] || others[4:0] == 5'd0)) begin
            pick[5] = 1'b1;
        end else begin
            pick[4:0] = others[4:0] & ~{|others[3:0], |others[2:0], |others[1:0], others[0], 1'b0};
        end
    end

    always @* begin
        i         = 0;
        sum_index = 5'd0;
        amount    = 4'd0;
        for (i = 0; i < SUMS; i = i + 1) begin
            sum_index = sum_index | (SUM_INDEX[5*i +: 5] & {5{pick_reg[i]}});
            amount    = amount | (sum_reg[4*i +: 4] & {4{pick_reg[i]}});
        end
        if (pick_reg[5] && flushing_reg) begin
            sum_index = FLUSHED[4:0];
        end
    end

    always @(posedge link_clk) begin
        now_reg       <= accepted || duplicate || gap || refused || crc_error;
        now_index_reg <= now_index;
        event_reg     <= {freed, framing_error, code_error, command_error, busy_received, nack_received};
        if (done != {SUMS{1'b0}} || pick_reg == {SUMS{1'b0}}) begin
            pick_reg  <= pick;
        end
        add_reg       <= add;
        clearing_reg  <= clear_on && !add;
        ready_reg     <= read && !now_reg && !clear_on;
        index_reg     <= now_reg ? now_index_reg : !go ? (clear_on ? clear_reg[4:0] : read_index)
                         : waits ? wait_index : add ? sum_index : clear_reg[4:0];
        amount_reg    <= (now_reg || (go && waits)) ? 4'd1 : go ? amount : 4'd0;
        if (link_rst) begin
            now_reg      <= 1'b0;
            event_reg    <= {SUMS{1'b0}};
            pick_reg     <= {SUMS{1'b0}};
            add_reg      <= 1'b0;
            clearing_reg <= 1'b0;
            ready_reg    <= 1'b0;
        end
    end

    always @* begin
        case ({1'b0, index_reg})
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
        .clk(link_clk), .wr_en(add_reg || clearing_reg || write), .wr_address(index_reg),
        // always a sum, so that a carry chain takes the choice in
        .wr_data({28'd0, amount_reg} + (add_reg ? stored : fresh)),
        .rd_address(index_reg), .rd_data(stored)
    );

    always @(posedge link_clk) begin
        wait_reg <= (wait_reg & ~(go ? serve : 8'd0))
                    | {silent, replayed, retrain, timeout, busy_sent, nack_sent, retransmitted, sent};
        if (clear_on && !add) begin
            clear_reg <= clear_reg + 6'd1;
        end
        turn_reg <= clear_on && !turn_reg;
        if (clear) begin
            clear_reg <= CLEAR_COUNTERS;
        end
        if (flush) begin
            flushing_reg <= 1'b1;
        end else if (!freed && !event_reg[5] && !any_reg[5]) begin
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
    wire [4*SUMS-1:0] served = {{4{done[5]}}, {4{done[4]}}, {4{done[3]}}, {4{done[2]}}, {4{done[1]}}, {4{done[0]}}};
    wire [4*SUMS-1:0] kept   = sum_reg & ~served;
    wire [4*SUMS-1:0] flip_0 = {3'd0, event_reg[5], 3'd0, event_reg[4], 3'd0, event_reg[3], 3'd0, event_reg[2],
                                3'd0, event_reg[1], 3'd0, event_reg[0]};
    wire [4*SUMS-1:0] low_2  = kept & (kept << 1);
    wire [4*SUMS-1:0] low_3  = kept & (low_2 << 1);
    wire [4*SUMS-1:0] flip_1 = (flip_0 & kept) << 1;
    wire [4*SUMS-1:0] flip_2 = ((flip_0 << 1) & low_2) << 1;
    wire [4*SUMS-1:0] flip_3 = ((flip_0 << 2) & low_3) << 1;

    always @(posedge link_clk) begin
        sum_reg <= kept ^ flip_0 ^ flip_1 ^ flip_2 ^ flip_3;
        any_reg <= (any_reg & ~done) | event_reg;
        if (link_rst) begin
            any_reg <= {SUMS{1'b0}};
            sum_reg <= {4*SUMS{1'b0}};
        end
    end
endmodule
`default_nettype wire
