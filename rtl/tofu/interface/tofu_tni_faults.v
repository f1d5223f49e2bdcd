// SPDX-License-Identifier: Apache-2.0
// Messages of several packets one of which could not be carried out: what follows is dropped, and the cause is kept
// until the last packet, which is answered with it. Eight messages; the ninth takes the place of the oldest, whose
// packets are then judged each by itself.
`default_nettype none
module tofu_tni_faults (
    input  wire        clk,
    input  wire        rst,
    input  wire [28:0] message,      // {message, source interface, from}
    output reg         found,        // combinational
    output reg  [3:0]  found_cause,
    input  wire        keep,         // pulse: this message, with this cause, if it is not kept yet
    input  wire [3:0]  keep_cause,
    input  wire        forget,       // pulse: this message
    output reg         fault,        // pulse: wrong parity
    output wire        obs_idle
);
    reg  [7:0]  valid_reg;
    reg  [271:0] kept_reg;           // 8 x {parity, cause, message}
    reg  [2:0]  next_reg;
    reg  [7:0]  match;
    reg         wrong;
    integer     i;

    always @* begin
        found       = 1'b0;
        found_cause = 4'd0;
        match       = 8'd0;
        wrong       = 1'b0;
        for (i = 0; i < 8; i = i + 1) begin
            if (valid_reg[i] && ^kept_reg[34*i +: 34])
                wrong = 1'b1;
            if (valid_reg[i] && kept_reg[34*i +: 29] == message) begin
                match[i]    = 1'b1;
                found       = 1'b1;
                found_cause = found_cause | kept_reg[34*i+29 +: 4];
            end
        end
    end

    assign obs_idle = !keep && !forget && !fault;

    always @(posedge clk) begin
        if (keep && !found) begin
            kept_reg[34*next_reg +: 34] <= {^{keep_cause, message}, keep_cause, message};
            valid_reg[next_reg]         <= 1'b1;
            next_reg                    <= next_reg + 3'd1;
        end
        if (forget)
            valid_reg <= valid_reg & ~match;
        fault <= wrong;
        if (rst) begin
            valid_reg <= 8'd0;
            next_reg  <= 3'd0;
            fault     <= 1'b0;
        end
    end
endmodule
`default_nettype wire
