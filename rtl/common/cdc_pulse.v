// SPDX-License-Identifier: Apache-2.0
// A pulse of one cycle into another clock domain, as the edge of a level. Pulses must be at least
// three cycles of dst_clk apart; both sides must be reset together.
// Latency: dst_pulse 1 to 2 cycles of dst_clk after the cycle that follows src_pulse.
`default_nettype none
module cdc_pulse (
    input  wire src_clk,
    input  wire src_rst,
    input  wire src_pulse,
    input  wire dst_clk,
    input  wire dst_rst,
    output wire dst_pulse
);
    reg  level_reg;
    reg  seen_reg;
    wire level_dst;

    assign dst_pulse = level_dst != seen_reg;

    always @(posedge src_clk) begin
        if (src_pulse) begin
            level_reg <= !level_reg;
        end
        if (src_rst) begin
            level_reg <= 1'b0;
        end
    end

    cdc_bits #(.WIDTH(1)) u_sync (
        .clk(dst_clk), .rst(dst_rst), .src(level_reg), .dst(level_dst)
    );

    always @(posedge dst_clk) begin
        if (dst_pulse) begin
            seen_reg <= level_dst;
        end
        if (dst_rst) begin
            seen_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
