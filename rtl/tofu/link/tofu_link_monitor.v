// SPDX-License-Identifier: Apache-2.0
// Watches what must hold of a Tofu link's state machines whatever comes in ([Tofu2012] section 4.6: "a monitoring state
// machine that detects abnormal state transitions"), and latches a fault, upon which the link goes down and sends idle
// beats only, until software has cleared the error.
//
// Latency: 1 cycle.
`default_nettype none
module tofu_link_monitor (
    input  wire       clk,
    input  wire       rst,
    input  wire [1:0] state,          // 0 DOWN, 1 TRAIN, 2 UP
    input  wire       disorder,       // of sequence numbers
    input  wire       beyond,         // of the ring's pointers
    output wire       error           // pulse
);
    reg  [1:0] before_reg;

    // UP comes after TRAIN only; 3 is no state
    assign error = state == 2'd3 || (state == 2'd2 && before_reg == 2'd0) || disorder || beyond;

    always @(posedge clk) begin
        before_reg <= rst ? 2'd0 : state;
    end
endmodule
`default_nettype wire
