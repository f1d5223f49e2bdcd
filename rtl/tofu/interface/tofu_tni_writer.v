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
    output wire         obs_idle
);
    reg  valid_reg;
    wire moves = !valid_reg || (wr_ready && !blocked);

    assign wr_valid      = valid_reg && !blocked;
    assign atomic_ready  = moves;
    assign entry_ready   = moves && !atomic_valid;
    assign payload_ready = moves && !atomic_valid && !entry_valid;
    assign obs_idle      = !valid_reg && !payload_valid && !atomic_valid && !entry_valid;

    always @(posedge clk) begin
        if (moves) begin
            valid_reg  <= payload_valid || atomic_valid || entry_valid;
            wr_address <= atomic_valid ? atomic_address : entry_valid ? entry_address : payload_address;
            wr_data    <= atomic_valid ? atomic_data : entry_valid ? entry_data : payload_data;
            wr_strobe  <= atomic_valid ? atomic_strobe : entry_valid ? 16'hFFFF : payload_strobe;
        end
        if (rst)
            valid_reg <= 1'b0;
    end
endmodule
`default_nettype wire
