// SPDX-License-Identifier: Apache-2.0
// One end of the two wires of the global signal tree ([QPACE2009] sections 3 and 5): samples a code that changes at any
// time, and takes it over once HOLD samples in a row agreed. Not in the paper: how the wires are
// coded and sampled.
//
// Guaranteed: a disturbance of both wires of at most HOLD - 2 clocks (HOLD - 1 after the synchronisers, which may see
// its end a clock late) never shows, nor does a skew of the two wires of as much. A code must stand HOLD + 1 clocks.
// Latency, wire to state: HOLD + 1 to HOLD + 2 cycles.
`default_nettype none
module qpace_signal_filter #(
    parameter [3:0] HOLD = 4'd8          // samples, 2 to 8
) (
    input  wire       clk,
    input  wire       rst,
    input  wire [1:0] wires,             // of another clock
    output wire [1:0] state,
    output wire       quiet              // nothing will change while the wires do not
);
    localparam [3:0] LAST = HOLD - 4'd2;

    reg  [1:0] candidate_reg;
    reg  [1:0] state_reg;
    reg  [2:0] count_reg;                // samples that agreed with the candidate's first
    wire [1:0] sample;

    assign state = state_reg;
    assign quiet = sample == candidate_reg && candidate_reg == state_reg;

    cdc_bits #(.WIDTH(2)) u_sample (
        .clk(clk), .rst(rst), .src(wires), .dst(sample)
    );

    always @(posedge clk) begin
        candidate_reg <= sample;
        if (sample != candidate_reg) begin
            count_reg <= 3'd0;
        end else if (candidate_reg != state_reg) begin
            count_reg <= count_reg + 3'd1;
            if ({1'b0, count_reg} == LAST) begin
                state_reg <= candidate_reg;
            end
        end
        if (rst) begin
            candidate_reg <= 2'd0;
            state_reg     <= 2'd0;
            count_reg     <= 3'd0;
        end
    end

    initial begin
        if (HOLD < 2 || HOLD > 8) begin
            $display("qpace_signal_filter: HOLD is 2 to 8");
            $finish;
        end
    end
endmodule
`default_nettype wire
