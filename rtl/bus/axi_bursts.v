// SPDX-License-Identifier: Apache-2.0
// Accesses of one unit of the bus's width become bursts of consecutive ones. A burst ends at 2^BURST_BITS beats, at a
// page of 4 KiB ([AXI] A3.4.1: no burst crosses one), with s_last, before s_first, before an access that does not
// follow, and when a cycle brings no access: nothing waits for what may never come.
//
//   access   A0   A1   A2   B0   --   --
//   burst                   A,3  B,1        in the queue one cycle later
//
// s_ready says that the queue of bursts has room, and depends on nothing else. Latency: an access is in the queue at
// least two cycles after it was taken.
`default_nettype none
module axi_bursts #(
    parameter UNIT_BITS  = 36,            // of an address that counts units
    parameter PAGE_BITS  = 8,             // of them, within 4 KiB
    parameter BURST_BITS = 4,             // at most 2^BURST_BITS beats; 1 to 7
    parameter QUEUE_BITS = 2
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s_valid,
    output wire                 s_ready,
    input  wire [UNIT_BITS-1:0] s_address,
    input  wire                 s_first,  // begins a burst
    input  wire                 s_last,   // ends one

    output wire                 m_valid,
    input  wire                 m_ready,
    output wire [UNIT_BITS-1:0] m_address,
    output wire [BURST_BITS-1:0] m_length,  // beats less one
    output wire                 m_first   // began with s_first
);
    localparam [PAGE_BITS-1:0]  ONE_UNIT = 1;
    localparam [BURST_BITS-1:0] ONE_BEAT = 1;

    // the burst that is being gathered
    reg                  open_reg, ended_reg, first_reg;
    reg [UNIT_BITS-1:0]  address_reg;
    reg [PAGE_BITS-1:0]  next_reg;        // what follows it, within its page
    reg [BURST_BITS-1:0] length_reg;

    wire full;
    wire follows = !ended_reg && !s_first && s_address == {address_reg[UNIT_BITS-1:PAGE_BITS], next_reg};
    wire take    = s_valid && !full;
    wire joins   = take && open_reg && follows;
    wire closes  = open_reg && !full && !joins;
    wire [BURST_BITS-1:0] length = joins ? length_reg + ONE_BEAT : {BURST_BITS{1'b0}};

    assign s_ready = !full;

    bus_fifo #(.WIDTH(UNIT_BITS + BURST_BITS + 1), .BITS(QUEUE_BITS)) u_queue (
        .clk(clk), .rst(rst), .put(closes), .put_data({first_reg, length_reg, address_reg}), .full(full),
        .take(m_valid && m_ready), .some(m_valid), .head({m_first, m_length, m_address}));

    always @(posedge clk) begin
        if (take) begin
            ended_reg  <= s_last || length == {BURST_BITS{1'b1}} || s_address[PAGE_BITS-1:0] == {PAGE_BITS{1'b1}};
            next_reg   <= s_address[PAGE_BITS-1:0] + ONE_UNIT;
            length_reg <= length;
            if (!joins) begin
                address_reg <= s_address;
                first_reg   <= s_first;
            end
        end
        if (take || closes)
            open_reg <= take;
        if (rst)
            open_reg <= 1'b0;
    end
endmodule
`default_nettype wire
