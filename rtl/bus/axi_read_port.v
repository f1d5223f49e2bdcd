// SPDX-License-Identifier: Apache-2.0
// Reads of a node, a unit of the bus's width each and answered in order, become bursts of an AXI4 manager: AR, R.
// [AXI] is ARM IHI 0022E.
//
// ARVALID waits for no ready (A3.3.1), its payload stands while stalled (A3.2.1), no burst crosses 4 KiB (A3.4.1).
// The node takes an answer whenever it comes, so RREADY is 0 only while a read beyond `pages` has its turn, which does
// not go to the bus.
//
// A read beyond `pages` (error_range), or one that the bus refuses (SLVERR, DECERR: error_refused), is never answered,
// nor is any behind it, and no other is taken: the port is stopped, so that nobody goes on with data that are none.
// Once the node is in reset and all is answered it begins anew.
//
// A read sees what was written before it through the same port: where a write to such a page is pending it waits until
// all writes before it are answered. A5.3 promises no order between the two.
//
// Latency: AR three cycles after a read was taken, its answer one cycle after R.
`default_nettype none
module axi_read_port #(
    parameter ADDRESS_WIDTH    = 40,
    parameter DATA_WIDTH       = 128,
    parameter UNIT_BITS        = 36,      // of the node's addresses, which count units of DATA_WIDTH
    parameter BURST_BITS       = 4,
    parameter OUTSTANDING_BITS = 3
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire [ADDRESS_WIDTH-13:0] base_page,    // constant while anything is under way
    input  wire [31:0]              pages,
    input  wire                     node_rst,
    output wire                     stopped,

    // the node
    input  wire                     s_valid,
    output wire                     s_ready,
    input  wire [UNIT_BITS-1:0]     s_address,
    output reg                      s_rvalid,
    output reg  [DATA_WIDTH-1:0]    s_rdata,

    // writes before it: axi_write_port
    input  wire                     write_pending,
    output wire                     write_mark,
    input  wire                     write_passed,
    input  wire                     write_stopped,

    input  wire                     mark,          // as in axi_pending
    output wire                     passed,
    output wire                     idle,

    output wire                     error_range,   // pulses, with error_address
    output wire                     error_refused,
    output wire [UNIT_BITS-1:0]     error_address,

    output reg                      m_axi_arvalid,
    input  wire                     m_axi_arready,
    output reg  [ADDRESS_WIDTH-1:0] m_axi_araddr,
    output reg  [7:0]               m_axi_arlen,
    input  wire                     m_axi_rvalid,
    output wire                     m_axi_rready,
    input  wire [DATA_WIDTH-1:0]    m_axi_rdata,
    input  wire [1:0]               m_axi_rresp
);
    localparam UNIT_BYTES_BITS = $clog2(DATA_WIDTH / 8);
    localparam PAGE_BITS       = 12 - UNIT_BYTES_BITS;
    localparam COUNT_BITS      = BURST_BITS + OUTSTANDING_BITS + 4;
    localparam [BURST_BITS-1:0] ONE_BEAT = 1;

    // behind writes
    reg                   waits_reg;                         // all before the mark are waited for
    reg                   stopped_reg;
    wire                  free  = (waits_reg ? write_passed : !write_pending) && !write_stopped && !stopped_reg;
    wire                  bursts_ready;
    wire                  taken = s_valid && s_ready;
    assign write_mark = s_valid && write_pending && !waits_reg;
    assign s_ready    = bursts_ready && free;

    wire                  b_valid, unused_first, starts;
    wire [UNIT_BITS-1:0]  b_address;
    wire [BURST_BITS-1:0] b_length;

    axi_bursts #(.UNIT_BITS(UNIT_BITS), .PAGE_BITS(PAGE_BITS), .BURST_BITS(BURST_BITS)) u_bursts (
        .clk(clk), .rst(rst), .s_valid(s_valid && free), .s_ready(bursts_ready), .s_address(s_address),
        .s_first(1'b0), .s_last(1'b0),
        .m_valid(b_valid), .m_ready(starts), .m_address(b_address), .m_length(b_length), .m_first(unused_first));

    // bursts that are not answered to the end
    wire                  flies, flies_full, f_beyond;
    wire [UNIT_BITS-1:0]  f_address;
    wire [BURST_BITS-1:0] f_length;
    reg  [BURST_BITS-1:0] beat_reg;
    wire                  beyond;
    wire [ADDRESS_WIDTH-1:0] b_bus_address;
    wire                  local_answer = flies && f_beyond;
    wire                  bus_answer   = flies && !f_beyond && m_axi_rvalid;
    wire                  answered     = local_answer || bus_answer;
    wire                  last         = beat_reg == f_length;
    wire                  void_answer  = local_answer || (bus_answer && m_axi_rresp[1]);

    assign stopped = stopped_reg;
    assign starts = b_valid && !flies_full && (!m_axi_arvalid || m_axi_arready);

    axi_window #(.ADDRESS_WIDTH(ADDRESS_WIDTH), .UNIT_BYTES_BITS(UNIT_BYTES_BITS), .UNIT_BITS(UNIT_BITS)) u_window (
        .base_page(base_page), .pages(pages), .unit(b_address), .beyond(beyond), .address(b_bus_address));

    bus_fifo #(.WIDTH(UNIT_BITS + BURST_BITS + 1), .BITS(OUTSTANDING_BITS)) u_flying (
        .clk(clk), .rst(rst), .put(starts), .put_data({beyond, b_length, b_address}), .full(flies_full),
        .take(answered && last), .some(flies), .head({f_beyond, f_length, f_address}));

    assign m_axi_rready  = !local_answer;
    assign error_range   = local_answer && beat_reg == {BURST_BITS{1'b0}};
    assign error_refused = bus_answer && m_axi_rresp[1];
    assign error_address = f_address;

    wire [1:0]            both_passed;
    assign passed = both_passed[0];
    axi_pending #(.BITS(COUNT_BITS)) u_pending (
        .clk(clk), .rst(rst), .taken(taken), .answered({{COUNT_BITS-1{1'b0}}, answered}), .mark({1'b0, mark}),
        .passed(both_passed), .none(idle));

    wire unused = &{1'b0, unused_first, both_passed[1], m_axi_rresp[0]};

    always @(posedge clk) begin
        waits_reg <= (waits_reg || write_mark) && s_valid && !taken;   // a node that is held takes its request back
        if (m_axi_arready)
            m_axi_arvalid <= 1'b0;
        if (starts) begin
            m_axi_arvalid <= !beyond;
            m_axi_araddr  <= b_bus_address;
            m_axi_arlen   <= {{8-BURST_BITS{1'b0}}, b_length};
        end
        if (answered)
            beat_reg <= last ? {BURST_BITS{1'b0}} : beat_reg + ONE_BEAT;
        stopped_reg <= (stopped_reg || void_answer) && !(node_rst && idle);
        s_rvalid    <= answered && !void_answer && !stopped_reg;
        s_rdata     <= m_axi_rdata;
        if (rst) begin
            waits_reg     <= 1'b0;
            m_axi_arvalid <= 1'b0;
            beat_reg      <= {BURST_BITS{1'b0}};
            stopped_reg   <= 1'b0;
            s_rvalid      <= 1'b0;
        end
    end
endmodule
`default_nettype wire
