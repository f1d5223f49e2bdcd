// SPDX-License-Identifier: Apache-2.0
// The tester of one of a board's QPACE links: its registers, counts of what came, a flipped bit every so many cycles.
// Registers that are the link's own are read from the link (qpace_tester_theirs).
`default_nettype none
`include "qpace_tester_regs.vh"
module qpace_tester_end (
    input  wire        clk,
    input  wire        rst,
    input  wire        link_clk,
    input  wire        link_rst,

    // clk: registers. `taken`: the host's write of this end's register ends in this cycle, without an error
    input  wire        taken,
    input  wire [3:0]  address,
    input  wire [31:0] wdata,
    input  wire        enabled,          // CONTROL.ENABLE, as the link has it
    input  wire [31:0] stored,           // what the link says, of a register that is its own
    input  wire [31:0] lanes,            // LANES; 0 without
    output wire [31:0] value,
    output wire        known,
    output wire        writable,

    // clk: traffic
    output reg         traffic,          // packets go out
    output wire        clear,            // pulse: what comes next begins its sequence
    input  wire        came,             // pulse: a packet of this link came
    input  wire        came_wrong,       // with it
    output wire        damaged,          // pulse: words with something wrong were seen

    // link_clk
    input  wire        rx_error,         // the link's receiver saw something wrong
    output wire        flip              // pulse: flip a bit
);
    reg  [31:0] checked_reg, wrong_reg, damaged_reg, injected_reg;
    reg  [23:0] period_reg, countdown_reg;
    reg  [3:0]  seen_reg;
    wire [3:0]  errors, sent_errors;
    wire        control = taken && address == `QPACE_TESTER_CONTROL;
    wire        period  = taken && address == `QPACE_TESTER_INJECT_PERIOD;
    wire [23:0] spacing = wdata[23:6] == 18'd0 && wdata[5:0] != 6'd0 ? 24'd64 : wdata[23:0];
    wire        strike  = period_reg != 24'd0 && countdown_reg == 24'd1;
    assign clear   = control && wdata[`QPACE_TESTER_CONTROL_CLEAR];
    assign damaged = errors != seen_reg;

    // anomalies the link's receiver sees, on its own clock
    cdc_counter #(.WIDTH(4)) u_errors (
        .src_clk(link_clk), .src_rst(link_rst), .src_step(rx_error), .src_count(sent_errors),
        .dst_clk(clk), .dst_rst(rst), .dst_count(errors));
    cdc_pulse u_strike (
        .src_clk(clk), .src_rst(rst), .src_pulse(strike), .dst_clk(link_clk), .dst_rst(link_rst), .dst_pulse(flip));

    qpace_tester_reads reads (
        .address(address), .control_enable(enabled), .control_traffic(traffic), .stored(stored), .checked(checked_reg),
        .wrong(wrong_reg), .damaged(damaged_reg), .inject_period_cycles(period_reg), .injected(injected_reg),
        .lanes_up(lanes[`QPACE_TESTER_LANES_UP]), .lanes_local_fault(lanes[`QPACE_TESTER_LANES_LOCAL_FAULT]),
        .lanes_remote_fault(lanes[`QPACE_TESTER_LANES_REMOTE_FAULT]),
        .lanes_deskewed(lanes[`QPACE_TESTER_LANES_DESKEWED]), .lanes_late(lanes[`QPACE_TESTER_LANES_LATE]),
        .lanes_signal(lanes[`QPACE_TESTER_LANES_SIGNAL]), .lanes_synced(lanes[`QPACE_TESTER_LANES_SYNCED]),
        .lanes_mismatch(lanes[`QPACE_TESTER_LANES_MISMATCH]), .value(value), .known(known), .writable(writable));

    always @(posedge clk) begin
        countdown_reg <= countdown_reg <= 24'd1 ? period_reg : countdown_reg - 24'd1;
        seen_reg      <= errors;
        checked_reg   <= checked_reg + {31'd0, came};
        wrong_reg     <= wrong_reg + {31'd0, came && came_wrong};
        damaged_reg   <= damaged_reg + {28'd0, errors - seen_reg};
        injected_reg  <= injected_reg + {31'd0, strike};
        if (control)
            traffic <= wdata[`QPACE_TESTER_CONTROL_TRAFFIC];
        if (period) begin
            period_reg    <= spacing;
            countdown_reg <= spacing;
        end
        if (rst || clear) begin
            checked_reg  <= 32'd0;
            wrong_reg    <= 32'd0;
            damaged_reg  <= 32'd0;
            injected_reg <= 32'd0;
        end
        if (rst) begin
            traffic       <= 1'b0;
            period_reg    <= 24'd0;
            countdown_reg <= 24'd0;
            seen_reg      <= 4'd0;
        end
    end

    wire unused = &{1'b0, sent_errors, lanes[7:5], wdata[31:24], 1'b0};
endmodule
`default_nettype wire
