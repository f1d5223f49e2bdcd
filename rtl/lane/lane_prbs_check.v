// SPDX-License-Identifier: Apache-2.0
// Looks for PRBS-7 or PRBS-31 in the bits of one lane, on its receive clock, before any alignment. Unlocked, it
// takes what comes as the sequence's state until 16 words in a row are what the state says comes next; locked, it
// goes on by itself, so that each wrong bit counts once. Of 15 more wrong words than right ones the lock is lost.
//
// `error` is high once for each wrong bit, at most once a cycle: up to 255 wait their turn.
`default_nettype none
module lane_prbs_check #(
    parameter WIDTH = 10
) (
    input  wire             rx_clk,
    input  wire             rx_rst,
    input  wire             enable,
    input  wire             prbs31,
    input  wire             in_valid,
    input  wire [WIDTH-1:0] in_bits,
    output wire             locked,
    output wire             error
);
    reg         locked_reg;
    reg  [3:0]  count_reg;          // unlocked: right words in a row; locked: wrong ones more than right
    reg  [30:0] state_reg;
    reg  [7:0]  errors_reg;         // not reported yet

    wire [WIDTH-1:0] expected;
    wire [30:0]      next;

    lane_prbs #(.WIDTH(WIDTH)) u_sequence (.prbs31(prbs31), .state(state_reg), .bits(expected), .next(next));

    wire [WIDTH-1:0] wrong = in_bits ^ expected;
    wire             right = wrong == {WIDTH{1'b0}};
    // the state that the received bits leave, and whether it is one of the sequence
    reg  [30:0] received;
    wire              alive = prbs31 ? |state_reg : |state_reg[6:0];

    reg [7:0] count;
    integer   i;
    always @* begin
        i        = 0;
        count    = 8'd0;
        received = state_reg;
        for (i = 0; i < WIDTH; i = i + 1) begin
            count    = count + {7'd0, wrong[i]};
            received = {received[29:0], in_bits[i] ^ prbs31};
        end
    end

    wire [7:0] waiting = errors_reg - {7'd0, errors_reg != 8'd0};
    wire [7:0] new_errors = in_valid && locked_reg ? count : 8'd0;
    wire [8:0] sum     = {1'b0, waiting} + {1'b0, new_errors};

    assign locked = locked_reg;
    assign error  = errors_reg != 8'd0;

    always @(posedge rx_clk) begin
        errors_reg <= sum[8] ? 8'hFF : sum[7:0];
        if (in_valid) begin
            state_reg <= locked_reg ? next : received;
            if (!locked_reg) begin
                count_reg  <= right && alive ? count_reg + 4'd1 : 4'd0;
                locked_reg <= right && alive && (&count_reg);
            end else begin
                if (!right) begin
                    count_reg  <= count_reg + 4'd1;
                    locked_reg <= count_reg < 4'd14;
                end else if (count_reg != 4'd0) begin
                    count_reg <= count_reg - 4'd1;
                end
            end
        end
        if (rx_rst || !enable) begin
            locked_reg <= 1'b0;
            count_reg  <= 4'd0;
            errors_reg <= 8'd0;
        end
    end
endmodule
`default_nettype wire
