// SPDX-License-Identifier: Apache-2.0
// Register bus of a QCDOC node: decodes requests to the node's own registers, to the links and to the stored
// instructions, and collects the sticky errors. Map: scu_registers.toml.
//
// reg_valid and the request are held until reg_ack, a pulse one cycle later or more, which brings reg_rdata and
// reg_error. A refused request changes nothing but ERROR, ERROR_COUNT and, if ERROR was clear, ERROR_INFO and
// ERROR_FIRST. Up to three errors may come in a cycle, all of which count: a refused request, an engine's, and a
// partition interrupt that is late; they are named in the order engine, request, interrupt.
`default_nettype none
`include "qcdoc_scu_regs.vh"
module qcdoc_registers (
    input  wire         clk,
    input  wire         rst,

    input  wire         reg_valid,
    input  wire         reg_write,
    input  wire [11:0]  reg_address,
    input  wire [31:0]  reg_wdata,
    output reg          reg_ack,
    output reg  [31:0]  reg_rdata,
    output reg          reg_error,
    output wire         irq,

    // links; address and data are the bus's
    output wire [11:0]  link_valid,
    input  wire [11:0]  link_ack,
    input  wire [383:0] link_rdata,
    input  wire [11:0]  link_unknown,
    input  wire [11:0]  link_read_only,
    input  wire [11:0]  link_busy,
    input  wire [11:0]  link_up,
    input  wire [11:0]  link_attention,
    input  wire [11:0]  sup_arrived,
    input  wire [11:0]  sup_sending,
    output reg  [15:0]  train_timeout,
    output reg  [3:0]   retrain_limit,

    // DMA
    output reg  [31:0]  memory_bytes,
    output wire         store,           // a stored instruction: address and data are the bus's
    output wire         start,
    output wire [23:0]  stop,
    input  wire [23:0]  active,
    input  wire [23:0]  done,
    input  wire         dma_error,
    input  wire [4:0]   dma_error_engine,
    input  wire [26:0]  dma_error_address,
    input  wire         dma_error_range,
    input  wire         dma_error_alignment,
    input  wire         dma_error_empty,
    input  wire         dma_error_busy,
    input  wire         dma_error_engine_memory,
    input  wire         dma_error_blocked,

    // soft errors: what was corrected, pulses {DMA memories, links' words that came, links' words to be sent}
    input  wire [28:0]  corrected,
    output reg  [71:0]  flip,            // for tests: spoils what is stored next
    output wire [4:0]   flip_memory,     // in this memory of the DMA
    output wire [11:0]  flip_send,       // or of the links
    output wire [11:0]  flip_receive,
    input  wire         flipped,

    // global operations: set i at [i]
    output wire [1:0]   set_setup,
    output reg  [1:0]   set_enable,
    output reg  [1:0]   set_store,
    output reg  [7:0]   set_input,
    output reg  [23:0]  set_outputs,
    output reg  [31:0]  set_limit,
    output reg  [1:0]   set_none,
    input  wire [31:0]  set_count,

    // partition interrupts
    output reg  [11:0]  partition_links,
    output wire         raise,
    input  wire [6:0]   present,
    output wire         present_clear,
    input  wire         late,
    output reg          window_enable,
    output reg  [3:0]   window_log2_ticks,

    output wire         obs_idle
);
    localparam [11:0] LINK_WINDOW = `QCDOC_SCU_LINK_WINDOW;
    localparam [3:0]  LINK_FIRST  = LINK_WINDOW[8:5];

    reg         answered_reg;
    reg  [12:0] error_reg, first_reg;
    reg  [31:0] info_reg, scratch_reg;
    reg  [15:0] count_reg;
    reg  [23:0] done_reg, done_enable_reg;
    reg  [31:0] corrected_count_reg;
    reg  [16:0] corrected_where_reg;     // {DMA memories, links}
    reg  [2:0]  flip_where_reg;          // as INJECT.MEMORY
    reg  [3:0]  flip_link_reg;

    wire        request  = reg_valid && !reg_ack && !answered_reg;
    wire        in_links = reg_address >= `QCDOC_SCU_LINK_WINDOW && reg_address < `QCDOC_SCU_LINK_WINDOW + 12'h180;
    wire [3:0]  link     = reg_address[8:5] - LINK_FIRST;
    wire        in_store = reg_address[11] && reg_address[10:9] != 2'b11;    // 24 engines of 64 words
    wire        in_sets  = {reg_address[11:3], 3'd0} == `QCDOC_SCU_GLOBAL_CONTROL;      // of set 0
    wire        set      = reg_address[2];
    wire [1:0]  word     = reg_address[1:0];      // of a set, or of an instruction
    wire        own      = !in_links && !in_store;
    wire        finish   = request && (!in_links || link_ack[link]);
    reg         known, writable;
    reg  [31:0] value;

    // bits that a register has; those without a largest number in the map ignore others
    reg  [31:0] holds;
    always @* begin
        case ({reg_address[11:3], reg_address[2] && !in_sets, reg_address[1:0]})     // of both sets
            `QCDOC_SCU_MEMORY_BYTES:     holds = `QCDOC_SCU_MEMORY_BYTES_MASK;
            `QCDOC_SCU_DONE_ENABLE:      holds = `QCDOC_SCU_DONE_ENABLE_MASK;
            `QCDOC_SCU_PARTITION_LINKS:  holds = `QCDOC_SCU_PARTITION_LINKS_MASK;
            `QCDOC_SCU_PARTITION_RAISE:  holds = `QCDOC_SCU_PARTITION_RAISE_MASK;
            `QCDOC_SCU_PARTITION_WINDOW: holds = `QCDOC_SCU_PARTITION_WINDOW_MASK;
            `QCDOC_SCU_TRAIN_TIMEOUT:    holds = `QCDOC_SCU_TRAIN_TIMEOUT_MASK;
            `QCDOC_SCU_RETRAIN_LIMIT:    holds = `QCDOC_SCU_RETRAIN_LIMIT_MASK;
            `QCDOC_SCU_GLOBAL_CONTROL:   holds = `QCDOC_SCU_GLOBAL_CONTROL_MASK;
            `QCDOC_SCU_GLOBAL_OUTPUTS:   holds = `QCDOC_SCU_GLOBAL_OUTPUTS_MASK;
            `QCDOC_SCU_GLOBAL_LIMIT:     holds = `QCDOC_SCU_GLOBAL_LIMIT_MASK;
            default:                     holds = 32'hFFFFFFFF;
        endcase
    end
    wire        unfit    = (reg_wdata & ~holds) != 32'd0;

    wire        stores   = finish && reg_write && own && known && writable;
    wire        accepts  = stores && !unfit;
    wire        enables  = accepts && in_sets && word == `QCDOC_SCU_GLOBAL_CONTROL_WORD &&
                           reg_wdata[`QCDOC_SCU_GLOBAL_CONTROL_ENABLE];
    // what the set would use, and what the other one does
    wire [3:0]  new_input = reg_wdata[`QCDOC_SCU_GLOBAL_CONTROL_INPUT];
    wire [11:0] new_in   = 12'd1 << new_input;
    wire [11:0] new_out  = set ? set_outputs[23:12] : set_outputs[11:0];
    wire [3:0]  other_in  = set ? set_input[3:0] : set_input[7:4];
    wire [11:0] other_out = set ? set_outputs[11:0] : set_outputs[23:12];
    wire        other     = set ? set_enable[0] : set_enable[1];
    // 24 unidirectional connections: a ring both ways at once uses the same two links in both sets
    wire        overlap  = enables && (new_input > 4'd11 || (new_in & new_out) != 12'd0 ||
                                       (other && (new_input == other_in || (new_out & other_out) != 12'd0)));
    wire        outputs_in_use = accepts && in_sets && word != `QCDOC_SCU_GLOBAL_CONTROL_WORD && set_enable[set];

    wire        is_unknown   = finish && (in_links ? link_unknown[link] : in_store ? 1'b0 : !known);
    wire        is_read_only = finish && reg_write &&
                               (in_links ? link_read_only[link] : own && known && !writable);
    wire        is_busy      = finish && in_links && link_busy[link];
    wire        is_overlap   = overlap || outputs_in_use;
    wire        is_value     = stores && unfit;
    // the number of a stored instruction, as far as there are fewer than it has bits
    wire        start_slot_bad = accepts && reg_address == `QCDOC_SCU_START && reg_wdata[31:28] != 4'd0;
    wire        chain_slot_bad = finish && reg_write && in_store && word == `QCDOC_SCU_DMA_CHAIN_WORD &&
                                 reg_wdata[30:4] != 27'd0;
    wire        is_slot      = start_slot_bad || chain_slot_bad;
    wire [12:0] of_engine    = {dma_error && dma_error_blocked, dma_error && dma_error_engine_memory, 4'd0,
                                dma_error && dma_error_empty, dma_error && dma_error_alignment,
                                dma_error && dma_error_range, 4'd0};
    wire [12:0] of_request   = {2'd0, is_busy, 1'b0, is_overlap, dma_error_busy, 3'd0, is_slot, is_value,
                                is_read_only, is_unknown};
    wire [12:0] cause        = of_engine | of_request | {3'd0, late, 9'd0};
    wire        refused      = of_request != 13'd0;
    wire        clears       = accepts && reg_address == `QCDOC_SCU_ERROR;
    wire [12:0] error_kept   = clears ? error_reg & ~reg_wdata[12:0] : error_reg;

    // soft errors
    wire        injects      = accepts && reg_address == `QCDOC_SCU_INJECT;
    wire [6:0]  flip_first   = reg_wdata[`QCDOC_SCU_INJECT_BIT];
    wire [6:0]  flip_second  = reg_wdata[`QCDOC_SCU_INJECT_SECOND];
    wire [16:0] where        = {corrected[28:24], corrected[23:12] | corrected[11:0]};
    wire [11:0] flip_at_link = 12'd1 << flip_link_reg;
    reg  [4:0]  corrections;
    integer     c;
    always @* begin
        c           = 0;
        corrections = 5'd0;
        if (corrected != 29'd0)
            for (c = 0; c < 29; c = c + 1)
                corrections = corrections + {4'd0, corrected[c]};
    end
    assign flip_send    = flip_where_reg == `QCDOC_SCU_INJECT_MEMORY_SEND ? flip_at_link : 12'd0;
    assign flip_receive = flip_where_reg == `QCDOC_SCU_INJECT_MEMORY_RECEIVE ? flip_at_link : 12'd0;
    assign flip_memory  = {flip_where_reg == `QCDOC_SCU_INJECT_MEMORY_WORD,
                           flip_where_reg == `QCDOC_SCU_INJECT_MEMORY_READER,
                           flip_where_reg == `QCDOC_SCU_INJECT_MEMORY_FIXED,
                           flip_where_reg == `QCDOC_SCU_INJECT_MEMORY_MOVING,
                           flip_where_reg == `QCDOC_SCU_INJECT_MEMORY_INSTRUCTION};

    assign link_valid    = request && in_links ? 12'd1 << link : 12'd0;
    assign store         = finish && reg_write && in_store && !chain_slot_bad;
    assign start         = accepts && reg_address == `QCDOC_SCU_START && !start_slot_bad;
    assign stop          = accepts && reg_address == `QCDOC_SCU_STOP ? reg_wdata[23:0] : 24'd0;
    assign raise         = accepts && reg_address == `QCDOC_SCU_PARTITION_RAISE;
    assign present_clear = accepts && reg_address == `QCDOC_SCU_PARTITION_PRESENT;
    wire        control  = accepts && in_sets && word == `QCDOC_SCU_GLOBAL_CONTROL_WORD && !is_overlap;
    assign set_setup     = control ? 2'd1 << set : 2'd0;
    assign irq           = error_reg != 13'd0 || link_attention != 12'd0 || sup_arrived != 12'd0 || present != 7'd0 ||
                           (done_reg & done_enable_reg) != 24'd0;
    assign obs_idle      = !reg_valid && !reg_ack && cause == 13'd0 && done == 24'd0 && corrected == 29'd0;

    wire [31:0] single_value;
    wire        single, single_writable;
    qcdoc_scu_reads u_reads (
        .address(reg_address),
        .error(error_reg), .error_info(info_reg), .error_first({19'd0, first_reg}), .error_count_count(count_reg),
        .memory_bytes_words(memory_bytes[31:3]), .active_engines(active),
        .done(done_reg), .done_enable_engines(done_enable_reg),
        .link_status_up(link_up), .link_status_attention(link_attention),
        .supervisor_status_arrived(sup_arrived), .supervisor_status_sending(sup_sending),
        .scratch(scratch_reg), .corrected(corrected_count_reg),
        .corrected_where({corrected_where_reg[16:12], 4'd0, corrected_where_reg[11:0]}),
        .partition_links_links(partition_links), .partition_present(present),
        .partition_window_log2_ticks(window_log2_ticks), .partition_window_enable(window_enable),
        .train_timeout_bytes(train_timeout), .retrain_limit_count(retrain_limit),
        .value(single_value), .known(single), .writable(single_writable));

    // the two sets are arrays
    always @* begin
        known    = single;
        writable = single_writable;
        value    = single_value;
        if (in_sets) begin
            known    = 1'b1;
            writable = 1'b1;
            case (word)
                `QCDOC_SCU_GLOBAL_CONTROL_WORD: begin
                    value[`QCDOC_SCU_GLOBAL_CONTROL_ENABLE] = set_enable[set];
                    value[`QCDOC_SCU_GLOBAL_CONTROL_STORE]  = set_store[set];
                    value[`QCDOC_SCU_GLOBAL_CONTROL_INPUT]  = set ? set_input[7:4] : set_input[3:0];
                end
                `QCDOC_SCU_GLOBAL_OUTPUTS_WORD: value[`QCDOC_SCU_GLOBAL_OUTPUTS_LINKS] = new_out;
                `QCDOC_SCU_GLOBAL_LIMIT_WORD: begin
                    value[`QCDOC_SCU_GLOBAL_LIMIT_NONE]  = set_none[set];
                    value[`QCDOC_SCU_GLOBAL_LIMIT_WORDS] = set ? set_limit[31:16] : set_limit[15:0];
                end
                default: begin
                    value[`QCDOC_SCU_GLOBAL_COUNT_WORDS] = set ? set_count[31:16] : set_count[15:0];
                    writable = 1'b0;
                end
            endcase
        end
    end

    always @(posedge clk) begin
        reg_ack      <= finish;
        answered_reg <= reg_ack;
        if (finish) begin
            reg_rdata <= reg_write || in_store ? 32'd0 : in_links ? link_rdata[32*link +: 32] : value;
            reg_error <= refused;
        end

        error_reg <= error_kept | cause;
        if (cause != 13'd0) begin
            count_reg <= count_reg + {15'd0, dma_error} + {15'd0, refused} + {15'd0, late};
            if (error_kept == 13'd0) begin
                first_reg <= dma_error ? of_engine : refused ? of_request : cause;
                info_reg  <= dma_error ? {dma_error_engine, dma_error_address} :
                             refused ? {20'd0, reg_address} : 32'd0;
            end
        end

        corrected_count_reg <= corrected_count_reg + {27'd0, corrections};
        corrected_where_reg <= (accepts && reg_address == `QCDOC_SCU_CORRECTED_WHERE ?
                                corrected_where_reg & ~{reg_wdata[`QCDOC_SCU_CORRECTED_WHERE_DMA],
                                                        reg_wdata[`QCDOC_SCU_CORRECTED_WHERE_LINKS]} :
                                corrected_where_reg) | where;
        if (flipped)
            flip_where_reg <= `QCDOC_SCU_INJECT_MEMORY_NONE;
        if (injects) begin
            flip           <= (72'd1 << flip_first) | (72'd1 << flip_second);
            flip_where_reg <= reg_wdata[`QCDOC_SCU_INJECT_MEMORY];
            flip_link_reg  <= reg_wdata[`QCDOC_SCU_INJECT_LINK];
        end

        if (accepts)
            case (reg_address)
                `QCDOC_SCU_MEMORY_BYTES:     memory_bytes    <= {reg_wdata[31:3], 3'd0};
                `QCDOC_SCU_DONE_ENABLE:      done_enable_reg <= reg_wdata[`QCDOC_SCU_DONE_ENABLE_ENGINES];
                `QCDOC_SCU_SCRATCH:          scratch_reg     <= reg_wdata;
                `QCDOC_SCU_PARTITION_LINKS:  partition_links <= reg_wdata[`QCDOC_SCU_PARTITION_LINKS_LINKS];
                `QCDOC_SCU_PARTITION_WINDOW: begin
                    window_enable     <= reg_wdata[`QCDOC_SCU_PARTITION_WINDOW_ENABLE];
                    window_log2_ticks <= reg_wdata[`QCDOC_SCU_PARTITION_WINDOW_LOG2_TICKS];
                end
                `QCDOC_SCU_TRAIN_TIMEOUT:    train_timeout   <= reg_wdata[`QCDOC_SCU_TRAIN_TIMEOUT_BYTES];
                `QCDOC_SCU_RETRAIN_LIMIT:    retrain_limit   <= reg_wdata[`QCDOC_SCU_RETRAIN_LIMIT_COUNT];
                default: ;
            endcase
        // a start clears DONE, that of an instruction which ends in this very cycle, too
        done_reg <= ((done_reg & ~(accepts && reg_address == `QCDOC_SCU_DONE ? reg_wdata[23:0] : 24'd0)) | done) &
                    ~(start && !dma_error_busy ? reg_wdata[23:0] : 24'd0);

        if (control) begin
            set_enable[set] <= reg_wdata[`QCDOC_SCU_GLOBAL_CONTROL_ENABLE];
            set_store[set]  <= reg_wdata[`QCDOC_SCU_GLOBAL_CONTROL_STORE];
            if (set)
                set_input[7:4] <= new_input;
            else
                set_input[3:0] <= new_input;
        end
        if (accepts && in_sets && !is_overlap && word == `QCDOC_SCU_GLOBAL_OUTPUTS_WORD) begin
            if (set)
                set_outputs[23:12] <= reg_wdata[11:0];
            else
                set_outputs[11:0] <= reg_wdata[11:0];
        end
        if (accepts && in_sets && !is_overlap && word == `QCDOC_SCU_GLOBAL_LIMIT_WORD) begin
            set_none[set] <= reg_wdata[`QCDOC_SCU_GLOBAL_LIMIT_NONE];
            if (set)
                set_limit[31:16] <= reg_wdata[15:0];
            else
                set_limit[15:0] <= reg_wdata[15:0];
        end

        if (rst) begin
            reg_ack         <= 1'b0;
            reg_error       <= 1'b0;
            reg_rdata       <= 32'd0;
            answered_reg    <= 1'b0;
            error_reg       <= 13'd0;
            first_reg       <= 13'd0;
            corrected_count_reg <= 32'd0;
            corrected_where_reg <= 17'd0;
            flip_where_reg  <= `QCDOC_SCU_INJECT_MEMORY_NONE;
            info_reg        <= 32'd0;
            count_reg       <= 16'd0;
            memory_bytes    <= `QCDOC_SCU_MEMORY_BYTES_RESET;
            done_reg        <= 24'd0;
            done_enable_reg <= `QCDOC_SCU_DONE_ENABLE_ENGINES_RESET;
            scratch_reg     <= `QCDOC_SCU_SCRATCH_RESET;
            partition_links <= `QCDOC_SCU_PARTITION_LINKS_LINKS_RESET;
            window_enable   <= `QCDOC_SCU_PARTITION_WINDOW_ENABLE_RESET;
            window_log2_ticks <= `QCDOC_SCU_PARTITION_WINDOW_LOG2_TICKS_RESET;
            train_timeout   <= `QCDOC_SCU_TRAIN_TIMEOUT_BYTES_RESET;
            retrain_limit   <= `QCDOC_SCU_RETRAIN_LIMIT_COUNT_RESET;
            set_enable      <= {2{`QCDOC_SCU_GLOBAL_CONTROL_ENABLE_RESET}};
            set_store       <= {2{`QCDOC_SCU_GLOBAL_CONTROL_STORE_RESET}};
            set_input       <= {2{`QCDOC_SCU_GLOBAL_CONTROL_INPUT_RESET}};
            set_outputs     <= {2{`QCDOC_SCU_GLOBAL_OUTPUTS_LINKS_RESET}};
            set_limit       <= {2{`QCDOC_SCU_GLOBAL_LIMIT_WORDS_RESET}};
            set_none        <= {2{`QCDOC_SCU_GLOBAL_LIMIT_NONE_RESET}};
        end
    end
endmodule
`default_nettype wire
