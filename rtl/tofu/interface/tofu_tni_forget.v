// SPDX-License-Identifier: Apache-2.0
// Forgets a steering tag, or all of them: from `start` on translations are made anew from the table, and it is busy
// until nothing uses an older one. README.md, "Steering tags".
//
//   start -> CHECK -> EXECUTE -> WRITE -> STREAM -> MARK -> READS -> IDLE, and messages besides
//            packets that were judged   answers   reads at memory
//
// Each step waits for what could have an older translation when it began, in the order in which packets go through the
// receiver. Own commands are waited for by tofu_tni_messages, to their end: a get's data may still come.
`default_nettype none
module tofu_tni_forget (
    input  wire clk,
    input  wire rst,
    input  wire start,                   // pulse
    input  wire holds,                   // a judged packet waits (tofu_tni_check)
    input  wire executes,                // one is carried out (tofu_tni_execute)
    input  wire writes,                  // memory has not taken the last word
    input  wire streams,                 // an answer is read by the tag (tofu_tni_stream)
    output wire mark,                    // pulse: reads asked for by now (tofu_tni_reader)
    input  wire marked,                  // are not all answered
    input  wire messages,                // commands that use it are under way
    output wire busy,
    output reg  fault,
    output wire obs_idle
);
    localparam [6:0] IDLE = 7'd1, CHECK = 7'd2, EXECUTE = 7'd4, WRITE = 7'd8, STREAM = 7'd16, MARK = 7'd32,
                     READS = 7'd64;
    reg  [6:0] state_reg;

    assign mark     = state_reg[5];
    assign busy     = !state_reg[0] || messages || start;
    assign obs_idle = state_reg[0] && !start && !fault;

    always @(posedge clk) begin
        fault <= state_reg == 7'd0 || (state_reg & (state_reg - 7'd1)) != 7'd0;
        case (1'b1)
            state_reg[1]: if (!holds) state_reg <= EXECUTE;
            state_reg[2]: if (!executes) state_reg <= WRITE;
            state_reg[3]: if (!writes) state_reg <= STREAM;
            state_reg[4]: if (!streams) state_reg <= MARK;
            state_reg[5]: state_reg <= READS;
            state_reg[6]: if (!marked) state_reg <= IDLE;
            default: if (start) state_reg <= CHECK;
        endcase
        if (rst) begin
            state_reg <= IDLE;
            fault     <= 1'b0;
        end
    end
endmodule
`default_nettype wire
