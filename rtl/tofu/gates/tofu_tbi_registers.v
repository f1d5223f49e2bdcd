// SPDX-License-Identifier: Apache-2.0
// Register bus of the barrier interface: decodes requests, and collects the sticky errors. Map: tbi_registers.toml.
// Starts and accesses to gates go through the gates' pipeline; OPERAND, RESULT and STATUS are the channels'.
//
// reg_valid and the request are held until reg_ack, a pulse one cycle later or more, which brings reg_rdata and
// reg_error. A refused request changes nothing but ERROR, ERROR_COUNT and, if ERROR was clear, ERROR_INFO and
// ERROR_FIRST.
`default_nettype none
`include "tofu_tbi_regs.vh"
module tofu_tbi_registers #(
    parameter STATES   = 1,              // of 320 bits, that an operation carries
    parameter GATES    = 64,
    parameter FLOATING = 1               // 0: words of 64 bits only
) (
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

    // gates
    output wire         start_valid,
    output wire         access_valid,
    input  wire         gates_taken,
    input  wire         gates_done,
    input  wire [31:0]  gates_value,
    input  wire [3:0]   gates_refused,   // {start unwired, wiring incomplete, self, busy}

    // channels
    output wire [4:0]   channel_word,    // of OPERAND and RESULT
    output wire         write_operand,
    output wire         write_address,
    output wire         reads_result,
    input  wire [31:0]  result_value,
    input  wire [7:0]   moving,          // the channel whose result is on its way into memory
    input  wire         result_wrong,
    input  wire [31:0]  address_value,
    input  wire [31:0]  status_value,
    output wire [7:0]   acknowledge,
    output wire [7:0]   give_up,
    output wire         prepare,
    input  wire         refuse_operation,
    input  wire         refuse_operand,
    output wire         accept,
    input  wire [7:0]   busy,
    input  wire [7:0]   done,

    // what went wrong
    input  wire [4:0]   errors,          // of gates: {broadcast, mismatch, sequence, group, address}
    input  wire [5:0]   errors_gate,
    input  wire [18:0]  errors_node,
    input  wire         packet_bad,
    input  wire         fault,           // pulse
    output reg          blocked,         // from then on
    input  wire         packet_good,
    input  wire         packet_sent,
    input  wire [3:0]   corrected,
    output reg  [1:0]   flip,
    output reg  [2:0]   flip_memory,
    input  wire         flipped,

    output wire         obs_idle
);
    reg          answered_reg, prepared_reg, sent_reg;
    reg  [15:0]  error_reg, first_reg, count_reg, corrected_reg;
    reg  [31:0]  info_reg, scratch_reg, in_reg, out_reg;
    reg  [7:0]   done_enable_reg;

    wire         request    = reg_valid && !reg_ack && !answered_reg;
    localparam LAST_GATE = GATES - 1;
    localparam [6:0] MOST_GATE = LAST_GATE[6:0];
    localparam [3:0] CHANNEL_WORDS = FLOATING != 0 ? 4'd10 : 4'd2;     // of OPERAND and RESULT
    wire         in_gates   = reg_address[11:8] == 4'h4 &&
                              (GATES == 64 || {1'b0, reg_address[7:2]} <= MOST_GATE);
    wire         in_channel = reg_address[11:8] == 4'h1;
    // words of operands and results beyond the first ten
    wire         in_more    = STATES > 1 && reg_address[11:9] == 3'h4;
    localparam   ALL_WORDS  = 10*STATES;
    wire [4:0]   word       = reg_address[4:0];
    wire [2:0]   channel    = reg_address[7:5];
    wire         is_start   = in_channel && word == `TOFU_TBI_START_WORD;
    wire         is_result  = (in_channel && word[4]) || (in_more && reg_address[8]);
    wire         own        = !in_gates && !is_start;
    reg          known, writable;
    reg  [31:0]  value;

    // a start: operand read and judged, then to the gates
    wire         starts       = request && reg_write && is_start;
    wire         start_busy   = starts && busy[channel];
    wire         first_cycle  = starts && !prepared_reg;
    wire         start_wrong  = first_cycle && (start_busy || refuse_operation || refuse_operand);
    wire         gates_read_only = in_gates && reg_write && reg_address[1:0] == `TOFU_TBI_GATE_STATE_WORD;
    wire         uses_gates   = request && ((in_gates && !gates_read_only) || (starts && prepared_reg));
    // a request that a fault took along is answered, too
    wire         gates_end    = sent_reg && (gates_done || fault);
    wire         refused_there = sent_reg && (gates_done ? gates_refused != 4'd0 : fault);

    assign prepare      = first_cycle;
    assign start_valid  = uses_gates && starts && !sent_reg;
    assign access_valid = uses_gates && !starts && !sent_reg;
    assign accept       = starts && gates_end && !refused_there;
    assign reads_result = request && !reg_write && is_result && known && moving == 8'd0;

    // RESULT is read out of the same memory; and after CHANNEL_RESET no result may come into memory any more
    wire [7:0]   waits_for = !reg_write && is_result && known ? 8'hFF :
                             reg_write && reg_address == `TOFU_TBI_CHANNEL_RESET ? reg_wdata[7:0] : 8'h00;
    wire         finish   = request && (in_gates && !gates_read_only ? gates_end :
                                        starts ? start_wrong || gates_end :
                                        (waits_for & moving) == 8'd0);
    wire         accepts  = finish && reg_write && own && known && writable;

    assign channel_word  = in_more ? word + 5'd10 : {1'b0, word[3:0]};
    assign write_operand = accepts && ((in_channel && word < 5'd10) || (in_more && !reg_address[8]));
    assign write_address = accepts && in_channel && word == `TOFU_TBI_RESULT_ADDRESS_WORD;
    assign acknowledge   = accepts && reg_address == `TOFU_TBI_CHANNEL_DONE ? reg_wdata[7:0] : 8'd0;
    assign give_up       = accepts && reg_address == `TOFU_TBI_CHANNEL_RESET ? reg_wdata[7:0] : 8'd0;
    assign irq           = error_reg != 16'd0 || (done & done_enable_reg) != 8'd0;
    assign obs_idle      = !reg_valid && !reg_ack && !answered_reg && !packet_good && !packet_sent && !packet_bad &&
                           corrected == 4'd0 && !fault;

    wire         is_unknown   = finish && own && !known;
    wire         is_read_only = finish && reg_write && ((own && known && !writable) || gates_read_only);
    wire         gates_judge  = finish && gates_end && gates_done;
    wire [15:0]  cause = {fault, packet_bad, errors[4:2], errors[1:0],
                          gates_judge && gates_refused[2], gates_judge && gates_refused[1],
                          gates_judge && gates_refused[0], start_wrong && !start_busy && !refuse_operation,
                          start_wrong && !start_busy && refuse_operation, gates_judge && gates_refused[3],
                          start_busy && start_wrong, is_read_only, is_unknown};
    // one for the request, one for each of what came, though a cycle may have all of them
    wire [15:0]  count_now  = {15'd0, cause[8:0] != 9'd0} + {15'd0, errors != 5'd0} + {15'd0, packet_bad} +
                              {15'd0, fault};
    wire         refused    = is_unknown || is_read_only || start_wrong || (finish && refused_there) ||
                              (reads_result && result_wrong);
    wire [15:0]  error_kept = accepts && reg_address == `TOFU_TBI_ERROR ? error_reg & ~reg_wdata[15:0] : error_reg;

    wire [31:0]  single_value;
    wire         single, single_writable;
    tofu_tbi_reads u_reads (
        .address(reg_address),
        .error(error_reg), .error_info_number(info_reg[`TOFU_TBI_ERROR_INFO_NUMBER]),
        .error_info_node(info_reg[`TOFU_TBI_ERROR_INFO_NODE]), .error_info_gate(info_reg[`TOFU_TBI_ERROR_INFO_GATE]),
        .error_first({16'd0, first_reg}), .error_count_count(count_reg),
        .channel_busy_channels(busy), .channel_done(done), .done_enable_channels(done_enable_reg),
        .soft_corrected_count(corrected_reg), .packets_in(in_reg), .packets_out(out_reg), .scratch(scratch_reg),
        .value(single_value), .known(single), .writable(single_writable));

    // registers of channels are arrays; gates answer for themselves
    always @* begin
        known    = single;
        writable = single_writable;
        value    = single_value;
        if (in_channel) begin
            known    = 1'b1;
            writable = 1'b1;
            case (word)
                `TOFU_TBI_START_WORD:          value = 32'd0;
                `TOFU_TBI_STATUS_WORD:         begin value = status_value; writable = 1'b0; end
                `TOFU_TBI_RESULT_ADDRESS_WORD: value = address_value;
                default: begin
                    value    = word[4] ? result_value : 32'd0;
                    writable = !word[4];
                    known    = word[3:0] < CHANNEL_WORDS;
                end
            endcase
        end else if (in_gates) begin
            known    = 1'b1;
            writable = 1'b1;
        end else if (in_more) begin
            known    = {1'b0, word} + 6'd10 < ALL_WORDS[5:0];
            writable = !reg_address[8];
            value    = reg_address[8] ? result_value : 32'd0;
        end
    end

    always @(posedge clk) begin
        reg_ack      <= finish;
        answered_reg <= reg_ack;
        prepared_reg <= (prepared_reg || first_cycle) && !finish && request;
        sent_reg     <= (sent_reg || ((start_valid || access_valid) && gates_taken)) && !finish;
        if (finish) begin
            reg_rdata <= reg_write ? 32'd0 : in_gates ? gates_value : value;
            reg_error <= refused;
        end

        error_reg <= error_kept | cause;
        if (cause != 16'd0) begin
            count_reg <= count_reg + count_now;
            if (error_kept == 16'd0) begin
                first_reg <= cause;
                info_reg  <= errors != 5'd0 ? {1'b1, errors_node, 6'd0, errors_gate}
                                            : {20'd0, refused ? reg_address : 12'd0};
            end
        end
        if (fault)
            blocked <= 1'b1;
        corrected_reg <= corrected_reg + {15'd0, corrected[0]} + {15'd0, corrected[1]} + {15'd0, corrected[2]} +
                         {15'd0, corrected[3]};
        in_reg  <= in_reg + {31'd0, packet_good};
        out_reg <= out_reg + {31'd0, packet_sent};

        if (flipped)
            flip <= 2'd0;
        if (accepts)
            case (reg_address)
                `TOFU_TBI_DONE_ENABLE: done_enable_reg <= reg_wdata[7:0];
                `TOFU_TBI_SCRATCH:     scratch_reg     <= reg_wdata;
                `TOFU_TBI_INJECT: begin
                    flip        <= reg_wdata[`TOFU_TBI_INJECT_BITS];
                    flip_memory <= reg_wdata[`TOFU_TBI_INJECT_MEMORY];
                end
                default: ;
            endcase

        if (rst) begin
            reg_ack         <= 1'b0;
            reg_rdata       <= 32'd0;
            reg_error       <= 1'b0;
            answered_reg    <= 1'b0;
            prepared_reg    <= 1'b0;
            sent_reg        <= 1'b0;
            error_reg       <= 16'd0;
            first_reg       <= 16'd0;
            count_reg       <= 16'd0;
            info_reg        <= 32'd0;
            corrected_reg   <= 16'd0;
            scratch_reg     <= 32'd0;
            in_reg          <= 32'd0;
            out_reg         <= 32'd0;
            done_enable_reg <= 8'd0;
            blocked         <= 1'b0;
            flip            <= 2'd0;
            flip_memory     <= 3'd0;
        end
    end
endmodule
`default_nettype wire
