// SPDX-License-Identifier: Apache-2.0
// The one timer of a link: training, acknowledgement or busy probe, whichever the state asks for; they
// exclude each other. Stands still when nothing is waited for. `tick`: every 64 cycles while it runs.
`default_nettype none
module link_timer (
    input  wire        clk,
    input  wire        rst,
    input  wire        restart,
    input  wire [23:0] cycles,    // since restart; a change needs a restart in its first cycle
    input  wire        run,
    output wire        tick,
    output wire        expired    // until restarted
);
    reg [23:0] past_reg;
    reg        due_reg;           // past_reg == cycles

    wire [23:0] past_next = past_reg + 24'd1;

    assign tick    = run && !restart && past_reg[5:0] == 6'd0;
    assign expired = run && !restart && due_reg;

    always @(posedge clk) begin
        if (run && !expired) begin
            past_reg <= past_next;
            due_reg  <= past_next == cycles;
        end
        if (restart || rst) begin
            past_reg <= 24'd0;
            due_reg  <= cycles == 24'd0;
        end
    end
endmodule
`default_nettype wire
