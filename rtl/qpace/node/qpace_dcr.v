// SPDX-License-Identifier: Apache-2.0
// Register bus of a node, in the style of the Device Control Register bus of [QPACE2009] section 5:
// decodes requests to the node's own registers, the credit engine and the blocks (the six links and
// what else is on the chip), and collects the sticky errors. The map is nwp_registers.toml.
//
// Protocol: reg_valid and the request are held until reg_ack, a pulse, which brings reg_rdata and
// reg_error. Latency from request to ack: 1 cycle for own registers, 6 or less for channels
// (with CREDIT_LIMIT set, one more and one for each credit queued), a round trip through two clock crossings for link
// registers. A refused request changes nothing but ERROR, ERROR_COUNT and, if ERROR was clear, ERROR_INFO and
// ERROR_FIRST.
//
// A block sees a pulse block_valid with block_write; address and data are the bus's, which stand
// still until the answer: a pulse block_ack, one cycle later or more, with block_rdata and
// block_error. A block whose clock is stopped would hang the bus, so that after TIMEOUT cycles the
// request ends with an error. Such a block is `stuck` until its late answer comes, which is not taken
// for another's: meanwhile requests to it are refused at once, and block_write is 0, so that a write
// that waits at the block's side turns into a read when the clock comes back. A block whose reads have effects
// keeps what is asked and looks at block_stuck: then it does nothing.
//
//   clk          0    1    2    3   ..  511  512  513
//   reg_valid    ____/---------------------------\___
//   block_valid  _________/--\_______________________
//   busy         _________/----------------------\___   no block_ack
//   stuck        ________________________________/----  until block_ack
//   reg_ack      ________________________________/--\_  with reg_error
//
// With STAGES, for FPGAs: a request is looked at for a cycle before anything else, the credit engine's answer is
// taken a cycle after its ack, which is when it is there, a block's a cycle after its, and the posted-write port's
// errors come a cycle later.
//
// To attach a block: its bit in ATTACHED and its wires, both in qpace_nwp.
`default_nettype none
`include "qpace_nwp_regs.vh"
`include "qpace_link_regs.vh"
module qpace_dcr #(
    parameter [31:0] VERSION  = 32'd0,
    parameter        BLOCKS   = 9,
    parameter [8:0]  ATTACHED = 9'h03F,   // blocks that are there; the others are unknown registers
    parameter        TIMEOUT  = `QPACE_NWP_BLOCK_TIMEOUT,  // cycles, a power of two
    parameter        STAGES   = 0
) (
    input  wire         clk,
    input  wire         rst,

    // the bus
    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [11:0]  reg_address,
    input  wire [31:0]  reg_wdata,
    output reg          reg_ack,
    output reg  [31:0]  reg_rdata,
    output reg          reg_error,

    // credit engine: request held until ack
    output wire         credit_valid,
    input  wire         credit_ack,
    input  wire [31:0]  credit_rdata,
    output reg  [2:0]   credit_word,      // as qpace_credits wants it
    output reg  [5:0]   credit_channel,
    input  wire         credit_full,
    input  wire         credit_size,
    input  wire         credit_no_base,
    input  wire         credit_range,
    input  wire         credit_overlap,

    // blocks, one bit each: 0 to 5 links, 6 global signals, 7 link interfaces, 8 UARTs and Ethernet
    output reg  [BLOCKS-1:0]    block_valid,  // pulse
    output wire [BLOCKS-1:0]    block_write,
    input  wire [BLOCKS-1:0]    block_ack,    // pulse
    input  wire [32*BLOCKS-1:0] block_rdata,
    input  wire [BLOCKS-1:0]    block_error,  // refused
    output wire [BLOCKS-1:0]    block_stuck,  // nobody waits for its answer any more; until block_ack
    input  wire [5:0]   link_up,
    input  wire [5:0]   link_attention,

    // errors of the posted-write port in
    input  wire         pw_error,
    input  wire         pw_unaligned,
    input  wire         pw_bad_link,
    input  wire         pw_bad_address,
    input  wire         pw_short,
    input  wire         pw_long,
    input  wire [31:0]  pw_info,

    // a packet that was dropped
    input  wire         outside,
    input  wire [31:0]  outside_info,

    output reg          notify_enable,
    output reg  [31:0]  notify_base,
    output wire         irq,
    output wire         obs_idle
);
    localparam TIME_BITS = $clog2(TIMEOUT);
    localparam [1:0]
        IDLE   = 2'd0,
        CREDIT = 2'd1,    // the credit engine works on it
        BLOCK  = 2'd2;    // a block works on it

    reg  [1:0]  state;
    reg  [31:0] scratch;
    reg  [31:0] error, error_kept;        // less what is cleared now
    reg  [31:0] error_info;
    reg  [31:0] error_first;
    reg  [15:0] error_count;

    // decode
    wire        asked      = state == IDLE && reg_valid && !reg_ack;
    wire        start;
    wire        is_cancel  = {reg_address[11:6], 6'd0} == `QPACE_NWP_CREDIT_CANCEL && reg_address[5:4] != 2'd3;
    wire        is_limit   = reg_address == `QPACE_NWP_CREDIT_LIMIT;
    wire        is_channel = (reg_address[11:8] == 4'h1 && reg_address[7:5] < 3'd6) || is_cancel || is_limit;
    wire        channel_ro = reg_address[1:0] == `QPACE_NWP_CREDIT_STATUS_WORD && !is_cancel;

    // which block
    wire [BLOCKS-1:0] address;            // its addresses
    wire [BLOCKS-1:0] hit      = address & ATTACHED;
    wire              is_block = hit != {BLOCKS{1'b0}};
    wire              is_link  = hit[5:0] != 6'd0;

    localparam [11:0] LINKS = `QPACE_NWP_LINK_WINDOW, SIGNALS = `QPACE_NWP_SIGNAL_STATUS,
                      INTERFACES = `QPACE_NWP_INTERFACE_SELECT;

    genvar i;
    generate
        for (i = 0; i < 6; i = i + 1) begin : g_link
            localparam [2:0] LINK = i;
            assign address[i] = reg_address[11:6] == {LINKS[11:9], LINK};
        end
    endgenerate

    assign address[6]  = reg_address[11:4] == SIGNALS[11:4];
    assign address[7]  = reg_address[11:4] == INTERFACES[11:4];
    assign address[8]  = reg_address[11:7] == 5'b01100 && reg_address[6:5] != 2'd0;

    // own registers: the first sixteen words
    wire        own_known, own_writable;
    wire        own = reg_address[11:4] == 8'd0 && own_known;
    wire [31:0] own_rdata;
    wire [3:0]  word = reg_address[3:0];
    // those of full width, words 9, 6 and 3: two address bits tell them apart
    wire [31:0] wide = word[3] ? scratch : word[2] ? notify_base : error_info;

    qpace_nwp_reads u_reads (
        .address({8'd0, word}), .version(VERSION), .error(error[17:0]), .stored(wide), .error_first(error_first),
        .error_count_count(error_count), .notify_control_enable(notify_enable),
        .link_status_up(link_up), .link_status_attention(link_attention),
        .value(own_rdata), .known(own_known), .writable(own_writable));

    // Numbers that a link register cannot hold, or cannot work with, are refused here, once for the six links.
    reg         unfit;

    always @* begin
        case (reg_address[5:0])
            `QPACE_LINK_NODE:          unfit = reg_wdata > `QPACE_LINK_NODE_MAX;
            `QPACE_LINK_EPOCH:         unfit = reg_wdata > `QPACE_LINK_EPOCH_MAX;
            `QPACE_LINK_ACK_TIMEOUT:   unfit = reg_wdata > `QPACE_LINK_ACK_TIMEOUT_MAX
                                               || reg_wdata < `QPACE_LINK_ACK_TIMEOUT_MIN;
            `QPACE_LINK_RETRY_LIMIT:   unfit = reg_wdata > `QPACE_LINK_RETRY_LIMIT_MAX
                                               || reg_wdata < `QPACE_LINK_RETRY_LIMIT_MIN;
            `QPACE_LINK_RETRAIN_LIMIT: unfit = reg_wdata > `QPACE_LINK_RETRAIN_LIMIT_MAX;
            `QPACE_LINK_TRAIN_TIMEOUT: unfit = (reg_wdata & ~`QPACE_LINK_TRAIN_TIMEOUT_MASK) != 32'd0
                                               || reg_wdata < `QPACE_LINK_TRAIN_TIMEOUT_MIN;
            `QPACE_LINK_BUSY_PROBE:    unfit = (reg_wdata & ~`QPACE_LINK_BUSY_PROBE_MASK) != 32'd0
                                               || reg_wdata < `QPACE_LINK_BUSY_PROBE_MIN;
            `QPACE_LINK_ALIVE_TIMEOUT: unfit = (reg_wdata & ~`QPACE_LINK_ALIVE_TIMEOUT_MASK) != 32'd0
                                               || reg_wdata < `QPACE_LINK_ALIVE_TIMEOUT_MIN;
            default:                   unfit = 1'b0;
        endcase
        unfit = unfit && reg_write && is_link;
    end

    reg  [BLOCKS-1:0] stuck;
    wire        is_stuck = (hit & stuck) != {BLOCKS{1'b0}};

    // what a request that begins asks for
    wire [6:0]  kind;
    wire        to_own, to_writable, to_channel, to_status, to_block, to_stuck, misfit;
    wire [6:0]  kind_now = {own, own_writable, is_channel, channel_ro, is_block, is_stuck, unfit};

    assign {to_own, to_writable, to_channel, to_status, to_block, to_stuck, misfit} = kind;

    // what the credit engine answers
    wire        answer;
    wire [4:0]  answer_errors;            // full, size, no base, range, overlap
    wire [5:0]  answer_now = {credit_ack, credit_full, credit_size, credit_no_base, credit_range, credit_overlap};

    generate
        if (STAGES == 0) begin : g_direct
            assign start        = asked;
            assign kind         = kind_now;
            assign credit_valid = state == CREDIT;
            assign {answer, answer_errors} = answer_now;
        end else begin : g_stage
            reg        asked_reg;
            reg [6:0]  kind_reg;
            reg [5:0]  answer_reg;
            assign start        = asked_reg;           // the bus still asks
            assign kind         = kind_reg;
            assign credit_valid = state == CREDIT && !answer;   // it must not begin again
            assign {answer, answer_errors} = answer_reg;
            always @(posedge clk) begin
                asked_reg  <= asked && !asked_reg && !rst;
                kind_reg   <= kind_now;
                answer_reg <= rst ? 6'd0 : answer_now;
            end
        end
    endgenerate

    // the block that works on the request; the bus still holds the address
    wire [BLOCKS-1:0] busy     = hit & {BLOCKS{state == BLOCK}};
    reg  [TIME_BITS-1:0] timer;
    wire        acked    = (busy & block_ack) != {BLOCKS{1'b0}};
    wire        late     = timer == {TIME_BITS{1'b1}};
    reg  [31:0] selected_rdata;
    integer     n;
    // how it ended: answered, refused by a link, by another block, in vain
    wire [3:0]  end_now  = {acked, {2{acked && (busy & block_error) != {BLOCKS{1'b0}}}} & {is_link, !is_link},
                            late && !acked};
    wire        answered, link_refused, block_refused, in_vain;
    wire [31:0] answered_rdata;

    assign block_write = {BLOCKS{reg_write}} & ~stuck;
    assign block_stuck = stuck;

    always @* begin
        n = 0;
        case (reg_address[8:6])
            3'd0:    selected_rdata = block_rdata[31:0];
            3'd1:    selected_rdata = block_rdata[63:32];
            3'd2:    selected_rdata = block_rdata[95:64];
            3'd3:    selected_rdata = block_rdata[127:96];
            3'd4:    selected_rdata = block_rdata[159:128];
            default: selected_rdata = block_rdata[191:160];
        endcase
        for (n = 6; n < BLOCKS; n = n + 1)
            if (hit[n])
                selected_rdata = block_rdata[32*n +: 32];
    end

    // what a request ends with
    reg         done;
    reg  [31:0] done_rdata;
    reg  [31:0] refused;                  // causes, as in ERROR

    generate
        if (STAGES == 0) begin : g_answer
            assign {answered, link_refused, block_refused, in_vain} = end_now;
            assign answered_rdata = selected_rdata;
        end else begin : g_answer_reg
            reg [3:0]  end_reg;
            reg [31:0] rdata_reg;
            assign {answered, link_refused, block_refused, in_vain} = end_reg;
            assign answered_rdata = rdata_reg;
            always @(posedge clk) begin
                end_reg   <= rst || done ? 4'd0 : end_now;   // a late answer is not another one
                rdata_reg <= selected_rdata;
            end
        end
    endgenerate

    always @* begin
        done    = 1'b0;
        refused = 32'd0;
        case (state)
            CREDIT: begin
                done       = answer;
                done_rdata = credit_rdata;
                refused[`QPACE_NWP_ERROR_CREDIT_FULL]    = answer && answer_errors[4];
                refused[`QPACE_NWP_ERROR_CREDIT_SIZE]    = answer && answer_errors[3];
                refused[`QPACE_NWP_ERROR_CREDIT_NO_BASE] = answer && answer_errors[2];
                refused[`QPACE_NWP_ERROR_CREDIT_RANGE]   = answer && answer_errors[1];
                refused[`QPACE_NWP_ERROR_CREDIT_OVERLAP] = answer && answer_errors[0];
            end
            BLOCK: begin
                done       = answered || in_vain;
                done_rdata = answered_rdata;
                refused[`QPACE_NWP_ERROR_REGISTER_LINK]    = link_refused;
                refused[`QPACE_NWP_ERROR_REGISTER_BLOCK]   = block_refused;
                refused[`QPACE_NWP_ERROR_REGISTER_TIMEOUT] = in_vain;
            end
            default: begin
                done       = start && !(to_block && !to_stuck && !misfit) && !(to_channel && !(reg_write && to_status));
                done_rdata = own_rdata;
                refused[`QPACE_NWP_ERROR_REGISTER_UNKNOWN]   = done && !to_own && !to_channel && !to_block;
                refused[`QPACE_NWP_ERROR_REGISTER_TIMEOUT]   = done && to_block && !misfit;
                refused[`QPACE_NWP_ERROR_REGISTER_VALUE]     = done && misfit;
                refused[`QPACE_NWP_ERROR_REGISTER_READ_ONLY] = done && reg_write &&
                                                               (to_channel || (to_own && !to_writable));
            end
        endcase
    end

    // sticky errors
    wire        is_refused  = refused != 32'd0;
    wire        own_write   = done && !is_refused && reg_write && state == IDLE;
    reg  [31:0] port_causes;              // of the ports' errors
    wire [5:0]  pw_now     = {pw_error, {5{pw_error}} & {pw_unaligned, pw_bad_link, pw_bad_address, pw_short, pw_long}};
    wire        pw_told;
    wire [4:0]  pw_told_causes;
    wire [31:0] pw_told_info;
    wire        port_error = pw_told || outside;
    wire        port_waits;               // an error that is not told yet

    generate
        if (STAGES == 0) begin : g_port
            assign {pw_told, pw_told_causes} = pw_now;
            assign pw_told_info              = pw_info;
            assign port_waits                = 1'b0;
        end else begin : g_port_reg
            reg [5:0]  pw_reg;
            reg [31:0] info_reg;
            assign {pw_told, pw_told_causes} = pw_reg;
            assign pw_told_info              = info_reg;
            assign port_waits                = pw_reg[5];
            always @(posedge clk) begin
                pw_reg   <= rst ? 6'd0 : pw_now;
                info_reg <= pw_info;
            end
        end
    endgenerate

    always @* begin
        port_causes = 32'd0;
        port_causes[`QPACE_NWP_ERROR_WRITE_UNALIGNED]   = pw_told_causes[4];
        port_causes[`QPACE_NWP_ERROR_WRITE_BAD_LINK]    = pw_told_causes[3];
        port_causes[`QPACE_NWP_ERROR_WRITE_BAD_ADDRESS] = pw_told_causes[2];
        port_causes[`QPACE_NWP_ERROR_WRITE_SHORT]       = pw_told_causes[1];
        port_causes[`QPACE_NWP_ERROR_WRITE_LONG]        = pw_told_causes[0];
        port_causes[`QPACE_NWP_ERROR_PACKET_OUTSIDE]    = outside;
        error_kept = error;
        if (own_write && {8'd0, word} == `QPACE_NWP_ERROR)
            error_kept = error & ~reg_wdata;
    end

    assign irq      = error != 32'd0 || link_attention != 6'd0;
    assign obs_idle = state == IDLE && !reg_ack && !port_waits;

    always @(posedge clk) begin
        reg_ack <= done;
        if (done) begin
            reg_rdata <= done_rdata;
            reg_error <= is_refused;
        end
        if (done && (reg_write || is_refused))
            reg_rdata <= 32'd0;

        credit_word    <= {is_cancel, reg_address[1:0]};
        credit_channel <= is_cancel ? reg_address[5:0] : reg_address[7:2];
        block_valid <= {BLOCKS{1'b0}};
        stuck     <= (stuck | (in_vain ? busy : {BLOCKS{1'b0}})) & ~block_ack;
        if (state == BLOCK)
            timer <= timer + {{TIME_BITS-1{1'b0}}, 1'b1};
        case (state)
            IDLE:
                if (start && to_channel && !done)
                    state <= CREDIT;
                else if (start && !done) begin
                    state     <= BLOCK;
                    block_valid <= hit;
                end
            default:
                if (done) begin
                    state <= IDLE;
                    timer <= {TIME_BITS{1'b0}};
                end
        endcase

        if (own_write)
            case ({8'd0, word})
                `QPACE_NWP_NOTIFY_BASE: begin
                    notify_base   <= reg_wdata;
                    notify_enable <= 1'b1;
                end
                `QPACE_NWP_NOTIFY_CONTROL:
                    notify_enable <= reg_wdata[`QPACE_NWP_NOTIFY_CONTROL_ENABLE];
                `QPACE_NWP_SCRATCH:
                    scratch <= reg_wdata;
                default: ;
            endcase

        error <= (error_kept | refused | port_causes) & `QPACE_NWP_ERROR_MASK;   // the others stay 0
        if (is_refused || port_error) begin
            error_count <= error_count + {15'd0, is_refused} + {15'd0, pw_told} + {15'd0, outside};
            if (error_kept == 32'd0) begin
                error_first <= is_refused ? refused : port_causes;
                error_info  <= pw_told ? pw_told_info : outside_info;
                if (is_refused)
                    error_info <= {20'd0, reg_address};
            end
        end

        if (rst) begin
            state         <= IDLE;
            reg_ack       <= 1'b0;
            block_valid   <= {BLOCKS{1'b0}};
            stuck         <= {BLOCKS{1'b0}};
            timer         <= {TIME_BITS{1'b0}};
            scratch       <= `QPACE_NWP_SCRATCH_RESET;
            error         <= 32'd0;
            error_info    <= 32'd0;
            error_first   <= 32'd0;
            error_count   <= 16'd0;
            notify_base   <= `QPACE_NWP_NOTIFY_BASE_RESET;
            notify_enable <= `QPACE_NWP_NOTIFY_CONTROL_ENABLE_RESET;
        end
    end
endmodule
`default_nettype wire
