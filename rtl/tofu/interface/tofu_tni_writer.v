// SPDX-License-Identifier: Apache-2.0
// The write port of a network interface: atomics before ring entries before payload. One register, so whatever is taken
// later is written later: an entry that is handed over after the payload it refers to follows it into memory.
//
// Latency: 1 cycle.
`default_nettype none
module tofu_tni_writer (
    input  wire         clk,
    input  wire         rst,
    input  wire         blocked,         // a fault was found: nothing leaves

    input  wire         payload_valid,
    output wire         payload_ready,
    input  wire [35:0]  payload_address,
    input  wire [127:0] payload_data,
    input  wire [15:0]  payload_strobe,

    input  wire         atomic_valid,
    output wire         atomic_ready,
    input  wire [35:0]  atomic_address,
    input  wire [127:0] atomic_data,
    input  wire [15:0]  atomic_strobe,

    input  wire         entry_valid,
    output wire         entry_ready,
    input  wire [35:0]  entry_address,
    input  wire [127:0] entry_data,

    output wire         wr_valid,
    input  wire         wr_ready,
    output reg  [35:0]  wr_address,
    output reg  [127:0] wr_data,
    output reg  [15:0]  wr_strobe,

    input  wire         look,            // pulse: what is in hand now,
    output wire         seen,            // was taken; from its cycle on
    output wire         obs_idle
);
    reg  valid_reg;
    wire moves = !valid_reg || (wr_ready && !blocked);

    // An entry of a ring is in hand until entry_valid falls, and then in the register. A look at a blocked interface is
    // not to wait for ever.
    reg  looks_reg, entered_reg;
    wire entered = (looks_reg && entered_reg) || !entry_valid;
    wire over    = (entered && moves) || blocked;
    assign seen  = over || !(look || looks_reg);

    assign wr_valid      = valid_reg && !blocked;
    assign atomic_ready  = moves;
    assign entry_ready   = moves && !atomic_valid;
    assign payload_ready = moves && !atomic_valid && !entry_valid;
    assign obs_idle      = !valid_reg && !payload_valid && !atomic_valid && !entry_valid && !look && !looks_reg;

    always @(posedge clk) begin
        if (moves) begin
            valid_reg  <= payload_valid || atomic_valid || entry_valid;
            wr_address <= atomic_valid ? atomic_address : entry_valid ? entry_address : payload_address;
            wr_data    <= atomic_valid ? atomic_data : entry_valid ? entry_data : payload_data;
            wr_strobe  <= atomic_valid ? atomic_strobe : entry_valid ? 16'hFFFF : payload_strobe;
        end
        looks_reg   <= (look || looks_reg) && !over;
        entered_reg <= entered;
        if (rst) begin
            valid_reg   <= 1'b0;
            looks_reg   <= 1'b0;
            entered_reg <= 1'b0;
        end
    end
endmodule
`default_nettype wire
