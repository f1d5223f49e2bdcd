// SPDX-License-Identifier: Apache-2.0
// An AXI4-Stream register of two places ([AXIS] ARM IHI 0051A, 2.2): TREADY is a register, depends on nothing that
// comes in the same cycle, and cuts the path from a node's posted-write port, whose ready depends on the address, to
// the stream. Full rate. Latency: 1 cycle.
`default_nettype none
module axis_register #(
    parameter WIDTH = 161                 // of all payload together
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_tvalid,
    output wire             s_tready,
    input  wire [WIDTH-1:0] s_payload,
    output wire             m_tvalid,
    input  wire             m_tready,
    output wire [WIDTH-1:0] m_payload
);
    reg              valid_reg, second_valid_reg;
    reg              ready_reg;           // not right after reset, as IHI 0051A 2.7.2 wants of TVALID
    reg  [WIDTH-1:0] payload_reg, second_reg;

    assign s_tready  = ready_reg && !second_valid_reg;
    assign m_tvalid  = valid_reg;
    assign m_payload = payload_reg;

    always @(posedge clk) begin
        ready_reg <= 1'b1;
        if (!valid_reg || m_tready) begin
            valid_reg        <= second_valid_reg || (s_tvalid && s_tready);
            payload_reg      <= second_valid_reg ? second_reg : s_payload;
            second_valid_reg <= 1'b0;
        end else if (s_tvalid && s_tready) begin
            second_valid_reg <= 1'b1;
            second_reg       <= s_payload;
        end
        if (rst) begin
            ready_reg        <= 1'b0;
            valid_reg        <= 1'b0;
            second_valid_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
