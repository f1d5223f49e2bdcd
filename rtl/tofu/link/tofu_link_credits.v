// SPDX-License-Identifier: Apache-2.0
// The sender's account of the peer's receive buffers: for each of four virtual channels, the units of 128 bytes that
// packets took since the session began, and those that the peer says it freed, both modulo 128. What a nullified packet
// took is given back.
//
// A packet that the router began while the link was DOWN, where there is always room, may come as training begins, and
// is kept. It may take up to 16 units more than there are; then nothing is free.
//
// Latency: a packet counts in `room` two cycles after its first beat was taken from the router, before its third is.
// What is freed counts in the cycle after it was said, with STAGES in the one after that.
`default_nettype none
module tofu_link_credits #(
    parameter UNITS  = 64,            // of a channel's buffer; 64 is the paper's 8 KB; at most 111
    parameter STAGES = 0              // 0 or 1: tofu_link
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        clear,         // a new session
    input  wire        start,         // a packet takes `units`
    input  wire        kill,          // it is void
    input  wire [1:0]  channel,
    input  wire [4:0]  units,
    input  wire        heed,          // a good control packet came
    input  wire [27:0] freed,         // 7 bits a channel
    output wire [27:0] room,          // 7 bits a channel
    output wire        out,           // some channel's credits are not all back
    output wire        quiet,         // what was said counts
    output wire        progress,      // the peer freed more
    output wire        error,         // it freed more than was taken
    input  wire [1:0]  inject,        // pulse: flip a bit of channel 0's {freed, used}
    output wire        error_parity   // the account is wrong
);
    wire        heard;                // `heed`, and `freed` with it
    wire [27:0] freed_said;
    generate
        if (STAGES == 0) begin : gen_at_once
            assign heard      = heed;
            assign freed_said = freed;
            assign quiet      = 1'b1;
        end else begin : gen_after
            reg        heard_reg;
            reg [27:0] said_reg;
            assign heard      = heard_reg;
            assign freed_said = said_reg;
            assign quiet      = !heard_reg;
            always @(posedge clk) begin
                heard_reg <= heed && !clear && !rst;
                said_reg  <= freed;
            end
        end
    endgenerate

    wire [27:0] used_reg, freed_reg;
    wire [3:0]  differs, moves, wrong, used_wrong, freed_wrong;

    assign out      = differs != 4'd0;
    assign progress = moves != 4'd0;
    assign error    = wrong != 4'd0;
    assign error_parity = used_wrong != 4'd0 || freed_wrong != 4'd0;

    genvar n;
    generate
        for (n = 0; n < 4; n = n + 1) begin : g_channel
            wire [6:0] used  = used_reg[7*n +: 7];
            wire [6:0] taken = used - freed_reg[7*n +: 7];
            wire       mine  = channel == n;
            wire [6:0] said  = freed_said[7*n +: 7];
            wire [6:0] moved = said - freed_reg[7*n +: 7];
            wire       sound = moved <= taken;

            assign room[7*n +: 7] = taken <= UNITS ? UNITS - taken : 7'd0;
            assign differs[n]     = taken != 7'd0;
            assign moves[n]       = heard && sound && moved != 7'd0;
            assign wrong[n]       = heard && !sound;

            reg  [6:0] used_next, freed_next;
            always @* begin
                used_next  = used;
                freed_next = freed_reg[7*n +: 7];
                if (mine && kill) begin
                    used_next = used - {2'd0, units};
                end else if (mine && start) begin
                    used_next = used + {2'd0, units};
                end
                if (moves[n]) begin
                    freed_next = said;
                end
                if (rst || clear) begin
                    used_next  = 7'd0;
                    freed_next = 7'd0;
                end
            end
            register_parity #(.WIDTH(7)) u_used (
                .clk(clk), .next(used_next), .flip(n == 0 && inject[0]), .value(used_reg[7*n +: 7]),
                .wrong(used_wrong[n])
            );
            register_parity #(.WIDTH(7)) u_freed (
                .clk(clk), .next(freed_next), .flip(n == 0 && inject[1]), .value(freed_reg[7*n +: 7]),
                .wrong(freed_wrong[n])
            );
        end
    endgenerate
endmodule
`default_nettype wire
