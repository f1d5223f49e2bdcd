// SPDX-License-Identifier: Apache-2.0
// Reads a word of 4 or 8 bytes, changes it, writes it back. One at a time, and it reads when memory has taken all that
// was written before: atomic among all that comes through this interface. Operations: 0 add, 1 and, 2 or, 3 xor, 4
// swap, 5 compare and swap.
`default_nettype none
module tofu_tni_atomic (
    input  wire         clk,
    input  wire         rst,

    input  wire         start,           // held until done with what belongs to it
    input  wire [2:0]   operation,
    input  wire         wide,            // 8 bytes
    input  wire [39:0]  address,         // a multiple of 4 or 8
    input  wire [63:0]  operand,
    input  wire [63:0]  compare,
    input  wire         writing,         // memory has not taken everything yet
    output wire         done,            // the write is taken
    output wire [63:0]  old,             // with done: what was there; of 4 bytes, 0 above

    output wire         rd_valid,        // tofu_tni_reader
    input  wire         rd_ready,
    output wire [35:0]  rd_address,
    input  wire         rd_rvalid,
    input  wire [127:0] rd_data,

    output wire         atomic_valid,    // tofu_tni_writer
    input  wire         atomic_ready,
    output wire [35:0]  atomic_address,
    output wire [127:0] atomic_data,
    output wire [15:0]  atomic_strobe,
    output wire         fault
);
    localparam [3:0] ASK = 4'd1, WAIT = 4'd2, CHANGE = 4'd4, WRITE = 4'd8;
    reg  [3:0]   state_reg;
    reg          held_reg;               // a read waits: it stays
    reg  [63:0]  old_reg, new_reg;
    wire [63:0]  half  = address[3] ? rd_data[127:64] : rd_data[63:0];
    wire [31:0]  word  = address[2] ? half[63:32] : half[31:0];
    wire [63:0]  a     = old_reg;
    wire [63:0]  b     = wide ? operand : {32'd0, operand[31:0]};
    wire [63:0]  c     = wide ? compare : {32'd0, compare[31:0]};
    reg  [63:0]  value;

    always @* begin
        case (operation)
            3'd0:    value = a + b;
            3'd1:    value = a & b;
            3'd2:    value = a | b;
            3'd3:    value = a ^ b;
            3'd4:    value = b;
            default: value = a == c ? b : a;
        endcase
    end

    assign rd_valid       = start && state_reg[0] && (held_reg || !writing);
    assign rd_address     = address[39:4];
    assign atomic_valid   = state_reg[3];
    assign atomic_address = address[39:4];
    assign atomic_data    = wide ? {2{new_reg}} : {4{new_reg[31:0]}};
    assign atomic_strobe  = (wide ? 16'h00FF : 16'h000F) << {address[3:2], 2'd0};
    assign done           = state_reg[3] && atomic_ready;
    assign old            = old_reg;
    assign fault          = state_reg == 4'd0 || (state_reg & (state_reg - 4'd1)) != 4'd0;

    always @(posedge clk) begin
        held_reg <= rd_valid && !rd_ready;
        case (1'b1)
            state_reg[0]: if (rd_valid && rd_ready) state_reg <= WAIT;
            state_reg[1]: if (rd_rvalid) begin
                old_reg   <= wide ? half : {32'd0, word};
                state_reg <= CHANGE;
            end
            state_reg[2]: begin
                new_reg   <= value;
                state_reg <= WRITE;
            end
            default: if (atomic_ready) state_reg <= ASK;
        endcase
        if (rst) begin
            state_reg <= ASK;
            held_reg  <= 1'b0;
        end
    end

    wire unused = &{1'b0, address[1:0]};
endmodule
`default_nettype wire
