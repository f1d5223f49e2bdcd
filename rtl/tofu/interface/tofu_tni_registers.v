// SPDX-License-Identifier: Apache-2.0
// Register bus of a network interface: decodes requests, and collects sticky errors and counters. Map:
// tni_registers.toml.
//
// reg_valid and the request are held until reg_ack, a pulse one cycle later, which brings reg_rdata and reg_error; a
// write takes effect in the cycle of reg_ack. A refused request has no other effect than ERROR, and ERROR_INFO if ERROR
// was clear.
`default_nettype none
`include "tofu_tni_regs.vh"
module tofu_tni_registers #(
    parameter QUEUES = 255               // a bit for each that is there
) (
    input  wire         clk,
    input  wire         rst,

    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [7:0]   reg_address,
    input  wire [31:0]  reg_wdata,
    output reg          reg_ack,
    output reg  [31:0]  reg_rdata,
    output reg          reg_error,

    // queues
    output wire         access,
    output wire         access_write,
    output wire [2:0]   access_queue,
    output wire [2:0]   access_word,
    input  wire [31:0]  access_value,
    input  wire         access_busy,
    input  wire         access_wrong,

    output reg          enable,
    output reg  [31:0]  table_base,
    output reg  [18:0]  table_tags,
    output reg          forget_valid,    // pulse
    output reg          forget_all,
    output reg  [17:0]  forget_tag,
    input  wire         forget_busy,
    output reg  [4:0]   time_limit,      // log2 of it, in ticks
    output reg  [5:0]   group,
    output wire         renew,           // pulse: commands begin with this generation; only while there are none
    output wire [3:0]   generation,
    input  wire         under_way,

    // what happened: pulses
    input  wire         hit,
    input  wire         miss,
    input  wire [1:0]   sent,
    input  wire         received,
    input  wire         faulted,
    input  wire         error_descriptor,
    input  wire [2:0]   descriptor_queue,
    input  wire [15:0]  descriptor_index,
    input  wire         error_overflow,
    input  wire         error_packet,
    input  wire         error_response,
    input  wire         strayed,
    input  wire         late,
    input  wire [31:0]  receive_info,    // for ERROR_INFO of these three
    input  wire         corrected,
    input  wire         fatal,
    output reg          blocked,         // from a fatal error until reset
    output reg  [143:0] flip_mask,       // spoils the next beat written
    input  wire         flipped,

    output wire         attention,
    output wire         obs_idle
);
    reg  [8:0]   error_reg;
    reg  [3:0]   generation_reg;
    reg  [31:0]  info_reg, hits_reg, misses_reg, sent_reg, received_reg, faults_reg, late_reg, strayed_reg;

    wire         serve     = reg_valid && !reg_ack;
    wire         in_queues = reg_address[7:6] != 2'd0 && !(reg_address[7] && reg_address[6]);   // 40 to BF
    localparam [7:0] THERE = QUEUES[7:0];
    wire         at_queue  = in_queues && !reg_address[3] && THERE[access_queue];
    reg          known, writable, valid;
    reg  [31:0]  value;

    assign access       = serve && at_queue && valid && (!reg_write || writable);
    assign access_write = reg_write;
    assign access_queue = {!reg_address[6], reg_address[5:4]};
    assign access_word  = reg_address[2:0];

    wire         is_unknown   = serve && !known;
    wire         is_read_only = serve && known && reg_write && !writable;
    wire         is_busy      = access && access_busy;
    wire         refused      = is_unknown || is_read_only || is_busy || (access && access_wrong) ||
                                (serve && reg_write && !valid);
    wire         store        = serve && reg_write && !refused;
    wire [8:0]   cause        = {fatal, corrected, error_response, error_packet, error_descriptor, error_overflow,
                                 is_busy, is_read_only, is_unknown};
    wire [8:0]   error_kept   = store && reg_address == `TOFU_TNI_ERROR ? error_reg & ~reg_wdata[8:0] : error_reg;
    wire [7:0]   bit_first    = reg_wdata[`TOFU_TNI_INJECT_BIT];
    wire [7:0]   bit_second   = reg_wdata[`TOFU_TNI_INJECT_SECOND];

    assign renew      = store && reg_address == `TOFU_TNI_GENERATION;
    assign generation = reg_wdata[`TOFU_TNI_GENERATION_FIRST];

    assign attention = error_reg != 9'd0;
    assign obs_idle  = !reg_valid && !reg_ack && cause == 9'd0 && !forget_valid && !hit && !miss && sent == 2'd0 &&
                       !received && !faulted && !late && !strayed;

    wire [31:0]  single_value;
    wire         single, single_writable;
    tofu_tni_reads u_reads (
        .address(reg_address), .control_enable(enable), .error(error_reg), .error_info(info_reg),
        .table_base(table_base), .table_tags_count(table_tags), .table_forget_busy(forget_busy),
        .cache_hits(hits_reg), .cache_misses(misses_reg), .sent(sent_reg), .received(received_reg),
        .faults(faults_reg), .time_limit_log2(time_limit), .late(late_reg), .group_number(group),
        .strayed(strayed_reg), .generation_first(generation_reg),
        .value(single_value), .known(single), .writable(single_writable));

    // queues' registers are arrays
    always @* begin
        known    = single || at_queue;
        writable = at_queue ? reg_address[3:0] != `TOFU_TNI_QUEUE_CONSUMER_WORD : single_writable;
        value    = at_queue ? access_value : single_value;
        case (reg_address)
            `TOFU_TNI_CONTROL:      valid = reg_wdata <= `TOFU_TNI_CONTROL_MAX;
            `TOFU_TNI_TABLE_TAGS:   valid = reg_wdata <= `TOFU_TNI_TABLE_TAGS_MAX;
            `TOFU_TNI_TABLE_FORGET: valid = !forget_busy;
            `TOFU_TNI_INJECT:       valid = bit_first < 8'd144 && bit_second < 8'd144;
            `TOFU_TNI_TIME_LIMIT:   valid = reg_wdata >= `TOFU_TNI_TIME_LIMIT_MIN &&
                                            reg_wdata <= `TOFU_TNI_TIME_LIMIT_MAX;
            `TOFU_TNI_GROUP:        valid = reg_wdata <= `TOFU_TNI_GROUP_MAX;
            `TOFU_TNI_GENERATION:   valid = reg_wdata <= `TOFU_TNI_GENERATION_MAX && !enable && !under_way;
            default:                valid = !at_queue ||
                                            (reg_address[3:0] == `TOFU_TNI_QUEUE_CONTROL_WORD ?
                                             reg_wdata <= `TOFU_TNI_QUEUE_CONTROL_MAX :
                                             !reg_address[2] || reg_wdata <= `TOFU_TNI_QUEUE_PRODUCER_MAX);
        endcase
        if (!reg_write)
            valid = 1'b1;
    end

    always @(posedge clk) begin
        reg_ack      <= serve;
        reg_rdata    <= serve && !reg_write && known ? value : 32'd0;
        reg_error    <= refused;
        forget_valid <= 1'b0;

        error_reg <= error_kept | cause;
        if (cause != 9'd0 && error_kept == 9'd0)
            info_reg <= is_unknown || is_read_only || is_busy ? {24'd0, reg_address} :
                        error_descriptor ? {5'd0, descriptor_queue, 8'd0, descriptor_index} :
                        error_overflow || error_packet || error_response ? receive_info : 32'd0;
        if (fatal)
            blocked <= 1'b1;
        if (flipped)
            flip_mask <= 144'd0;

        hits_reg     <= hits_reg + {31'd0, hit};
        misses_reg   <= misses_reg + {31'd0, miss};
        sent_reg     <= sent_reg + {31'd0, sent[0]} + {31'd0, sent[1]};
        received_reg <= received_reg + {31'd0, received};
        faults_reg   <= faults_reg + {31'd0, faulted};
        late_reg     <= late_reg + {31'd0, late};
        strayed_reg  <= strayed_reg + {31'd0, strayed};

        if (store)
            case (reg_address)
                `TOFU_TNI_CONTROL:    enable     <= reg_wdata[`TOFU_TNI_CONTROL_ENABLE];
                `TOFU_TNI_TABLE_BASE: table_base <= reg_wdata;
                `TOFU_TNI_TABLE_TAGS: table_tags <= reg_wdata[`TOFU_TNI_TABLE_TAGS_COUNT];
                `TOFU_TNI_TABLE_FORGET: begin
                    forget_valid <= 1'b1;
                    forget_all   <= reg_wdata[`TOFU_TNI_TABLE_FORGET_ALL];
                    forget_tag   <= reg_wdata[`TOFU_TNI_TABLE_FORGET_TAG];
                end
                `TOFU_TNI_TIME_LIMIT: time_limit <= reg_wdata[`TOFU_TNI_TIME_LIMIT_LOG2];
                `TOFU_TNI_GROUP:      group      <= reg_wdata[`TOFU_TNI_GROUP_NUMBER];
                `TOFU_TNI_GENERATION: generation_reg <= generation;
                `TOFU_TNI_INJECT: flip_mask <= (144'd1 << bit_first) | (144'd1 << bit_second);
                default: ;
            endcase

        if (rst) begin
            reg_ack      <= 1'b0;
            reg_rdata    <= 32'd0;
            reg_error    <= 1'b0;
            enable       <= `TOFU_TNI_CONTROL_ENABLE_RESET;
            table_base   <= `TOFU_TNI_TABLE_BASE_RESET;
            table_tags   <= `TOFU_TNI_TABLE_TAGS_COUNT_RESET;
            error_reg    <= 9'd0;
            info_reg     <= 32'd0;
            hits_reg     <= 32'd0;
            misses_reg   <= 32'd0;
            sent_reg     <= 32'd0;
            received_reg <= 32'd0;
            faults_reg   <= 32'd0;
            late_reg     <= 32'd0;
            strayed_reg  <= 32'd0;
            group        <= `TOFU_TNI_GROUP_NUMBER_RESET;
            generation_reg <= `TOFU_TNI_GENERATION_FIRST_RESET;
            time_limit   <= `TOFU_TNI_TIME_LIMIT_LOG2_RESET;
            forget_valid <= 1'b0;
            blocked      <= 1'b0;
            flip_mask    <= 144'd0;
        end
    end
endmodule
`default_nettype wire
