// SPDX-License-Identifier: Apache-2.0
// The eight channels of the barrier interface: operands, what an operation starts with, status, results, and results'
// way into memory. [Tofu2012] section 5. An operation is done when its result can be read, and, with a RESULT_ADDRESS,
// is in memory: 40 bytes a state of result, then STATUS and sequence, so that the last of three beats of 16 bytes (of
// three states eight) says that all is there. Behind a bus that beat is a burst by itself (mem_last), and an operation
// is done when its answer has come (mem_pending).
`default_nettype none
`include "tofu_wire.vh"
`include "tofu_tbi_regs.vh"
module tofu_tbi_channels #(
    parameter STATES   = 1,              // of 320 bits, that an operation carries: an odd number
    parameter FLOATING = 1,              // 0: words of 64 bits only
    parameter BITS     = FLOATING != 0 ? 320*STATES : 64
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         blocked,
    input  wire         clearing,
    input  wire [2:0]   clear_address,

    // register bus: what it is at
    input  wire [2:0]   channel,
    input  wire [4:0]   word,            // of OPERAND and RESULT
    input  wire [31:0]  reg_wdata,
    input  wire         write_operand,
    input  wire         write_address,
    input  wire         reads_result,    // RESULT is looked at now
    output wire [31:0]  result_value,
    output wire         result_wrong,    // it cannot be read
    output wire [7:0]   moving,          // the channel whose result is on its way into memory: RESULT cannot be read
    output wire [31:0]  address_value,
    output wire [31:0]  status_value,
    input  wire [7:0]   acknowledge,
    input  wire [7:0]   give_up,

    // a start of operation wdata: prepared in a cycle, then refused or accepted
    input  wire         prepare,
    output reg          start_empty,
    output reg  [BITS-1:0] start_data,
    output wire         refuse_operation,
    output wire         refuse_operand,
    input  wire         accept,          // pulse

    // from the gates
    input  wire         result,
    input  wire [2:0]   result_channel,
    input  wire [BITS-1:0] result_data,
    input  wire [4:0]   result_status,
    input  wire [23:0]  result_sequence,
    input  wire [4:0]   errors,          // {broadcast, mismatch, sequence, group, address}
    input  wire         errors_valid,
    input  wire [2:0]   errors_channel,

    output reg  [7:0]   busy,
    output reg  [7:0]   done,
    output wire [7:0]   finished,        // pulses
    output wire [31:0]  operations,      // 4 bits a channel

    output wire         mem_valid,
    input  wire         mem_ready,
    output wire [35:0]  mem_address,     // units of 16 bytes
    output wire [127:0] mem_wdata,
    output wire         mem_last,        // STATUS comes next
    input  wire         mem_pending,     // not all that was offered is in memory yet

    input  wire [1:0]   flip,
    input  wire [2:0]   flip_memory,     // 5 results, 6 operands
    output wire         flipped,
    output reg          corrected,
    output reg          fault,
    output wire         obs_idle
);
    localparam D     = BITS;
    localparam WHOLE = 320*STATES;                      // bits of a result in memory, STATUS behind them
    localparam WORDS = STATES > 1 ? 2*STATES : 1;       // integers
    localparam BEATS = (WHOLE + 64)/128;                    // of a result in memory
    localparam BEAT_BITS = $clog2(BEATS);
    localparam [BEAT_BITS-1:0] BEAT_1 = 1;
    localparam LAST_BEAT = BEATS - 1;

    // ---- operands ---------------------------------------------------------------------------------
    wire [D-1:0] operand;
    wire [1:0]   singles, doubles;
    reg  [D-1:0] operand_next;
    integer      i;
    always @* begin : words_of_operand
        integer w;
        w            = 0;
        operand_next = operand;
        for (w = 0; w < BITS/32; w = w + 1)
            if (word == w[4:0])
                operand_next[32*w +: 32] = reg_wdata;
    end
    wire reads_operand = write_operand || prepare;
    tofu_tbi_memory #(.WORDS(BITS/64), .ADDRESS_BITS(3)) u_operand (
        .clk(clk), .wr_en(write_operand || clearing), .wr_address(clearing ? clear_address : channel),
        .wr_data(clearing ? {D{1'b0}} : operand_next), .rd_address(channel), .rd_data(operand),
        .flip(flip_memory == 3'd6 ? flip : 2'd0), .single(singles[0]), .uncorrectable(doubles[0]));

    wire [3:0]   operation = reg_wdata[`TOFU_TBI_START_OPERATION];
    wire [1:0]   form      = reg_wdata[`TOFU_TBI_START_FORM];
    wire [D-1:0] of_double;
    // a state's first lane has the higher group; the second one may be empty, and has no flags
    wire [STATES-1:0] ordered;
    genvar       n;
    generate
        for (n = 0; FLOATING != 0 && n < STATES; n = n + 1) begin : g_state
            wire [319:0] given     = operand[320*n +: 320];
            wire         low_empty = given[316:160] == 157'd0;
            assign ordered[n] = given[319:317] == 3'd0 &&
                                (given[156:152] > given[316:312] || (given[156:152] == 5'd0 && low_empty));
            tofu_tbi_double u_double (.x(operand[64*n +: 64]), .state(of_double[320*n +: 320]));
            wire unused = &{1'b0, given};
        end
        if (FLOATING == 0) begin : g_words
            assign of_double = {D{1'b0}};
            assign ordered   = {STATES{1'b0}};
        end
    endgenerate

    reg          fits;
    always @*
        case (operation)
            `TOFU_OP_BARRIER:   fits = form == `TOFU_TBI_START_FORM_NONE;
            `TOFU_OP_AND, `TOFU_OP_OR, `TOFU_OP_XOR, `TOFU_OP_MAX,
            `TOFU_OP_SUM:       fits = form == `TOFU_TBI_START_FORM_NONE || form == `TOFU_TBI_START_FORM_WORD;
            `TOFU_OP_FSUM:      fits = FLOATING != 0 && form != `TOFU_TBI_START_FORM_WORD;
            `TOFU_OP_BROADCAST: fits = form != `TOFU_TBI_START_FORM_DOUBLE &&
                                       (FLOATING != 0 || form != `TOFU_TBI_START_FORM_STATE);
            `TOFU_OP_MAXLOC:    fits = STATES > 1 && (form == `TOFU_TBI_START_FORM_NONE ||
                                                      form == `TOFU_TBI_START_FORM_WORD);
            default:            fits = 1'b0;
        endcase
    assign refuse_operation = !fits || reg_wdata[31:6] != 26'd0;
    assign refuse_operand   = operation == `TOFU_OP_FSUM && form == `TOFU_TBI_START_FORM_STATE && !(&ordered);

    // ---- status -----------------------------------------------------------------------------------
    reg  [3:0]   operation_reg [0:7];
    reg  [6:0]   status_reg [0:7];       // as STATUS[14:8]
    reg  [31:0]  address_reg [0:7];
    reg  [7:0]   waiting_reg;            // results on their way into memory
    wire [6:0]   found = {errors[1], 1'b0, errors[4], errors[0], errors[2], errors[3], 1'b0};
    wire         founds = errors_valid && errors != 5'd0;
    // A channel that was given up has no result any more, though its gate found one in the cycle before.
    wire         ends       = result && busy[result_channel] && !give_up[result_channel];
    wire [6:0]   status_end = status_reg[result_channel] | {2'b00, result_status[4:0]} |
                              (founds && errors_channel == result_channel ? found : 7'd0);
    wire         to_memory  = address_reg[result_channel] != 32'd0;
    wire [63:0]  report     = {8'd0, result_sequence, 17'd0, status_end, operation_reg[result_channel], 4'b0010};

    generate
        for (n = 0; n < 8; n = n + 1) begin : g_operation
            assign operations[4*n +: 4] = operation_reg[n];
        end
    endgenerate
    assign status_value  = {17'd0, status_reg[channel], operation_reg[channel], 2'b00, done[channel], busy[channel]};
    assign address_value = address_reg[channel];

    // ---- results ----------------------------------------------------------------------------------
    reg          moving_reg;
    reg          moved_reg;              // all its beats were taken, and are not in memory yet
    reg  [2:0]   moving_channel_reg;
    reg  [BEAT_BITS-1:0] beat_reg;
    wire         choose_found;
    wire [2:0]   choose_channel;
    select_next #(.N(8), .WIDTH(3)) u_turn (.request(waiting_reg), .last(moving_channel_reg), .found(choose_found),
                                            .choice(choose_channel));
    wire [D+63:0] stored;
    wire         reads_stored = (moving_reg && !moved_reg) || reads_result;
    tofu_tbi_memory #(.WORDS(1 + BITS/64), .ADDRESS_BITS(3)) u_result (
        .clk(clk), .wr_en(ends || clearing), .wr_address(clearing ? clear_address : result_channel),
        .wr_data(clearing ? {D+64{1'b0}} : {report, result_data}),
        .rd_address(moving_reg ? moving_channel_reg : channel),
        .rd_data(stored), .flip(flip_memory == 3'd5 ? flip : 2'd0), .single(singles[1]), .uncorrectable(doubles[1]));

    reg  [31:0]  result_word;
    always @* begin : words_of_result
        integer w;
        w           = 0;
        result_word = 32'd0;
        for (w = 0; w < BITS/32; w = w + 1)
            if (word == w[4:0])
                result_word = stored[32*w +: 32];
    end
    assign result_value = result_word;
    assign result_wrong = doubles[1];
    assign moving       = moving_reg ? 8'd1 << moving_channel_reg : 8'd0;
    assign mem_valid    = moving_reg && !moved_reg && !blocked && !doubles[1];
    assign mem_address  = {4'd0, address_reg[moving_channel_reg]} + {{36-BEAT_BITS{1'b0}}, beat_reg};
    wire [WHOLE+63:0] whole = FLOATING != 0 ? {{WHOLE-D{1'b0}}, stored} :
                              {stored[D +: 64], {WHOLE-D{1'b0}}, stored[D-1:0]};
    reg  [127:0] beat;
    always @* begin : beats
        integer k;
        k    = 0;
        beat = whole[WHOLE+63 -: 128];
        for (k = 0; k < LAST_BEAT; k = k + 1)
            if (beat_reg == k[BEAT_BITS-1:0])
                beat = whole[128*k +: 128];
    end
    assign mem_wdata    = beat;
    assign mem_last     = beat_reg == LAST_BEAT[BEAT_BITS-1:0] - BEAT_1;

    wire         chooses    = !moving_reg && choose_found && !give_up[choose_channel] && !blocked;
    wire         moves      = mem_valid && mem_ready;
    wire         taken      = moved_reg || (moves && beat_reg == LAST_BEAT[BEAT_BITS-1:0]);
    wire         moved      = taken && !mem_pending;
    wire [7:0]   result_bit = ends ? 8'd1 << result_channel : 8'd0;
    wire [7:0]   moved_bit  = moved ? 8'd1 << moving_channel_reg : 8'd0;
    wire [7:0]   accept_bit = accept ? 8'd1 << channel : 8'd0;
    wire         uses       = (reads_operand && singles[0]) || (reads_stored && singles[1]);

    assign finished = ((to_memory ? 8'd0 : result_bit) | moved_bit) & busy;
    assign flipped  = flip != 2'd0 && ((reads_operand && flip_memory == 3'd6) || (reads_stored && flip_memory == 3'd5));
    assign obs_idle = waiting_reg == 8'd0 && !moving_reg && !corrected;

    always @(posedge clk) begin
        if (prepare) begin
            start_empty <= form == `TOFU_TBI_START_FORM_NONE;
            start_data  <= form == `TOFU_TBI_START_FORM_STATE ? operand :
                           form == `TOFU_TBI_START_FORM_DOUBLE ? of_double :
                           {{D-64*WORDS{1'b0}}, operand[64*WORDS-1:0]};
        end
        if (founds && busy[errors_channel])
            status_reg[errors_channel] <= status_reg[errors_channel] | found;
        if (ends)
            status_reg[result_channel] <= status_end;
        if (accept) begin
            status_reg[channel]    <= 7'd0;
            operation_reg[channel] <= operation;
        end
        if (write_address)
            address_reg[channel] <= reg_wdata;

        busy <= (busy & ~finished & ~give_up) | accept_bit;
        done <= (done & ~acknowledge & ~accept_bit) | finished;

        if (chooses) begin
            moving_reg         <= 1'b1;
            moving_channel_reg <= choose_channel;
            beat_reg           <= {BEAT_BITS{1'b0}};
        end
        if (moves)
            beat_reg <= beat_reg + BEAT_1;
        moved_reg <= taken && !moved && !blocked;
        if (moved || blocked)              // after a fault nothing is sent, and RESULT can be read
            moving_reg <= 1'b0;
        waiting_reg <= (waiting_reg & ~(chooses ? 8'd1 << choose_channel : 8'd0) & ~give_up) |
                       (to_memory ? result_bit : 8'd0);

        corrected <= uses;
        fault     <= (reads_operand && doubles[0]) || (reads_stored && doubles[1]);

        if (rst) begin
            for (i = 0; i < 8; i = i + 1) begin
                operation_reg[i] <= 4'd0;
                status_reg[i]    <= 7'd0;
                address_reg[i]   <= 32'd0;
            end
            busy               <= 8'd0;
            done               <= 8'd0;
            waiting_reg        <= 8'd0;
            moving_reg         <= 1'b0;
            moved_reg          <= 1'b0;
            moving_channel_reg <= 3'd0;
            beat_reg           <= {BEAT_BITS{1'b0}};
            corrected          <= 1'b0;
            fault              <= 1'b0;
        end
    end
endmodule
`default_nettype wire
