// SPDX-License-Identifier: Apache-2.0
// A node's interface to the global signal tree: two wires up, two down. [QPACE2009] sections 3 and 5 ("2 differential
// lines per direction": conditions, synchronisation, kill); ours: the code, the registers, the number of
// the killer. Registers: SIGNAL_* of nwp_registers.toml.
//
//          vote written       tree is NULL         result comes down
//   READY -------------> WAIT ------------> VOTE -------------------> READY (NULL up, DONE)
//
//   up    NULL | TRUE                   | NULL          | TRUE ...
//   down  NULL               | TRUE                | NULL
//              ^ vote        ^ DONE: all have voted     ^ next vote goes up: all saw the result
//
// An OR is an AND of inverted votes whose result is inverted. A result without a vote of ours, or one that changes, is
// an error (ORDER): a disturbance that outlived the filter shows as that.
//
// Kill: KILL up, then 16 bits of SIGNAL_KILL, high bit first, each as TRUE or FALSE between KILLs, 32 cycles each, then
// KILL until released. One wire changes at a time but for the first step, which the filter makes one. A node that sees
// KILL withdraws its vote, interrupts and collects the bits; its tree is free when KILL has gone. A number is sent
// whole, a release waits for its end, and nobody kills while killed, nor in the first 16 cycles after a reset, in which
// filters might not see that the wires were NULL: so what nodes hear is one number.
// Latency: vote to wires 3 cycles; wires to DONE filter + 1.
`default_nettype none
`include "qpace_nwp_regs.vh"
`include "qpace_signal.vh"
module qpace_signals #(
    parameter [3:0] HOLD = 4'd8           // see qpace_signal_filter
) (
    input  wire        clk,
    input  wire        rst,

    // a block of the register bus (qpace_dcr): refuses unknown registers, writes to read-only ones, votes while one is
    // under way or the partition is killed, kills while it is, and numbers that have more than 16 bits
    input  wire        reg_valid,         // pulse
    input  wire        reg_write,
    input  wire [3:0]  reg_address,
    input  wire [31:0] reg_wdata,
    output wire        reg_ack,           // pulse, one cycle later
    output wire [31:0] reg_rdata,
    output wire        reg_error,

    // the wires
    output wire [1:0]  signal_out,
    input  wire [1:0]  signal_in,

    output wire        irq,
    output wire        obs_idle
);
    localparam [1:0]
        READY = 2'd0,
        WAIT  = 2'd1,                     // for the tree to be NULL
        VOTE  = 2'd2;                     // for its result

    reg  [1:0]  state_reg;
    reg  [1:0]  up_reg;
    reg         value_reg;                // of our vote
    reg         is_or_reg;
    reg         result_reg;
    reg  [15:0] count_reg;                // operations complete
    reg  [2:0]  event_reg;                // as in SIGNAL_EVENT
    reg         killed_reg;               // KILL came down and has not gone
    reg         killer_reg;               // we kill
    reg         release_reg;              // until the number is sent
    reg  [15:0] send_reg;                 // bits to be told, next one on top
    reg  [5:0]  step_reg;                 // 32 bits and KILLs, then stop
    reg  [4:0]  cycle_reg;
    reg  [15:0] number_reg;               // bits heard
    reg  [4:0]  heard_reg;                // how many
    reg  [1:0]  before_reg;               // `down` a cycle ago
    reg  [4:0]  age_reg;                  // cycles since the reset, up to 16

    wire [1:0]  down;
    wire        quiet;
    wire        is_value  = down == `QPACE_SIGNAL_TRUE || down == `QPACE_SIGNAL_FALSE;
    wire        was_value = before_reg == `QPACE_SIGNAL_TRUE || before_reg == `QPACE_SIGNAL_FALSE;
    wire        killing   = down == `QPACE_SIGNAL_KILL;
    wire        new_value = is_value && down != before_reg && !killed_reg;
    wire        busy      = state_reg != READY || killed_reg || killer_reg;
    wire        sending   = killer_reg && step_reg != 6'd33;
    wire        too_large = reg_wdata[31:16] != 16'd0;

    wire        known, writable;
    wire [31:0] value;
    reg         ack_reg;
    reg         error_reg;
    reg  [31:0] rdata_reg;
    localparam [11:0] FIRST = `QPACE_NWP_SIGNAL_STATUS;
    wire [11:0] address = {FIRST[11:4], reg_address};
    wire        too_soon = (address == `QPACE_NWP_SIGNAL_VOTE && busy) ||
                           (address == `QPACE_NWP_SIGNAL_KILL &&
                            (killer_reg || killing || killed_reg || too_large || !age_reg[4]));
    wire        refused = !known || (reg_write && (!writable || too_soon));
    wire        store   = reg_valid && reg_write && !refused;
    wire        cast    = store && address == `QPACE_NWP_SIGNAL_VOTE;
    wire        kill    = store && address == `QPACE_NWP_SIGNAL_KILL;
    wire        release_now = store && address == `QPACE_NWP_SIGNAL_CONTROL &&
                              reg_wdata[`QPACE_NWP_SIGNAL_CONTROL_RELEASE];
    wire        give_up = (release_now || release_reg) && !sending;

    assign reg_ack    = ack_reg;
    assign reg_rdata  = rdata_reg;
    assign reg_error  = error_reg;
    assign signal_out = up_reg;
    assign irq        = event_reg != 3'd0;
    assign obs_idle   = quiet && down == before_reg && !sending && !release_reg && !reg_valid && !ack_reg
                        && age_reg[4] && (state_reg != WAIT || down != `QPACE_SIGNAL_NULL);

    qpace_signal_filter #(.HOLD(HOLD)) u_filter (
        .clk(clk), .rst(rst), .wires(signal_in), .state(down), .quiet(quiet)
    );

    qpace_nwp_signals_reads u_reads (
        .address(address), .signal_status_up(up_reg), .signal_status_down(down),
        .signal_status_pending(state_reg != READY), .signal_status_killed(killed_reg),
        .signal_result_value(result_reg), .signal_result_count(count_reg), .signal_event(event_reg),
        .signal_killer_number(number_reg), .signal_killer_valid(heard_reg == 5'd16),
        .value(value), .known(known), .writable(writable));

    always @(posedge clk) begin
        before_reg <= down;
        age_reg    <= age_reg + {4'd0, !age_reg[4]};
        ack_reg    <= reg_valid;
        if (reg_valid) begin
            error_reg <= refused;
            rdata_reg <= refused ? 32'd0 : value;
        end
        if (store && address == `QPACE_NWP_SIGNAL_EVENT) begin
            event_reg <= event_reg & ~reg_wdata[2:0];
        end

        // votes
        case (state_reg)
            WAIT:
                if (down == `QPACE_SIGNAL_NULL) begin
                    state_reg <= VOTE;
                    up_reg    <= value_reg ? `QPACE_SIGNAL_TRUE : `QPACE_SIGNAL_FALSE;
                end
            VOTE:
                if (is_value) begin
                    state_reg  <= READY;
                    up_reg     <= `QPACE_SIGNAL_NULL;
                    result_reg <= (down == `QPACE_SIGNAL_TRUE) != is_or_reg;
                    count_reg  <= count_reg + 16'd1;
                    event_reg[`QPACE_NWP_SIGNAL_EVENT_DONE] <= 1'b1;
                end
            default:
                if (cast) begin
                    state_reg <= WAIT;
                    value_reg <= reg_wdata[`QPACE_NWP_SIGNAL_VOTE_VALUE] != reg_wdata[`QPACE_NWP_SIGNAL_VOTE_OR];
                    is_or_reg <= reg_wdata[`QPACE_NWP_SIGNAL_VOTE_OR];
                end
        endcase
        if (new_value && (was_value || state_reg != VOTE)) begin
            event_reg[`QPACE_NWP_SIGNAL_EVENT_ORDER] <= 1'b1;
        end

        // being killed
        if (killing && !killed_reg) begin
            killed_reg <= 1'b1;
            heard_reg  <= 5'd0;
            number_reg <= 16'd0;
            event_reg[`QPACE_NWP_SIGNAL_EVENT_KILLED] <= 1'b1;
        end
        if (killed_reg) begin
            if (killing && was_value && heard_reg != 5'd16) begin
                heard_reg  <= heard_reg + 5'd1;
                number_reg <= {number_reg[14:0], before_reg == `QPACE_SIGNAL_TRUE};
            end
            if (down == `QPACE_SIGNAL_NULL) begin
                killed_reg <= 1'b0;
            end
        end
        if (killing || killed_reg) begin
            state_reg <= READY;
            if (!killer_reg) begin
                up_reg <= `QPACE_SIGNAL_NULL;
            end
        end

        // killing
        if (sending) begin
            cycle_reg <= cycle_reg + 5'd1;
            if (cycle_reg == 5'd31) begin
                step_reg <= step_reg + 6'd1;
                up_reg   <= step_reg[0] || step_reg == 6'd32 ? `QPACE_SIGNAL_KILL
                            : send_reg[15] ? `QPACE_SIGNAL_TRUE : `QPACE_SIGNAL_FALSE;
                if (!step_reg[0]) begin
                    send_reg <= {send_reg[14:0], 1'b0};
                end
            end
        end
        if (kill) begin
            killer_reg <= 1'b1;
            state_reg  <= READY;
            send_reg   <= reg_wdata[`QPACE_NWP_SIGNAL_KILL_NUMBER];
            step_reg   <= 6'd0;
            cycle_reg  <= 5'd0;
            up_reg     <= `QPACE_SIGNAL_KILL;
        end
        if (release_now && sending) begin
            release_reg <= 1'b1;
        end
        if (give_up) begin
            killer_reg  <= 1'b0;
            release_reg <= 1'b0;
            state_reg   <= READY;
            up_reg      <= `QPACE_SIGNAL_NULL;
        end

        if (rst) begin
            ack_reg    <= 1'b0;
            error_reg  <= 1'b0;
            state_reg  <= READY;
            up_reg     <= `QPACE_SIGNAL_NULL;
            count_reg  <= 16'd0;
            result_reg <= 1'b0;
            event_reg  <= 3'd0;
            killed_reg <= 1'b0;
            killer_reg <= 1'b0;
            release_reg <= 1'b0;
            number_reg <= 16'd0;
            heard_reg  <= 5'd0;
            before_reg <= `QPACE_SIGNAL_NULL;
            age_reg    <= 5'd0;
        end
    end
endmodule
`default_nettype wire
