// SPDX-License-Identifier: Apache-2.0
// Writes of a node, a unit of the bus's width a beat, become bursts of an AXI4 manager: AW, W, B. [AXI] is AMBA AXI and
// ACE Protocol Specification, ARM IHI 0022E.
//
// A burst goes out when all its data are here, so that it never keeps the bus waiting, and goes on whatever becomes of
// the node. AWVALID and WVALID wait for no ready (A3.3.1), payload stands while stalled (A3.2.1), no burst crosses
// 4 KiB (A3.4.1), BREADY is always 1.
//
// Order: bursts have one ID, so that their answers come in order (A5.3); a write is *done* with its answer only. One
// with s_after begins when all before it are answered (a notification, behind what it notifies of), with ORDERED each
// burst does.
//
// A burst beyond `pages` is not written (error_range), nor is one that the bus refuses (SLVERR, DECERR: error_refused).
// Then the port is `stopped`: bursts that have not begun are dropped in their turn and no mark is passed, so that
// nothing is told to be in memory that is not. Once the node is in reset and all is answered it begins anew.
//
//   clk        0    1    2    3    4    5
//   s          D0   D1   D2   D3
//   gathered                       D0,4
//   AW, W                               AW D0 ..
//
// Latency, last beat taken to AWVALID: 3 cycles; a single write, or the first of four: 3 and 6.
`default_nettype none
module axi_write_port #(
    parameter ADDRESS_WIDTH    = 40,
    parameter DATA_WIDTH       = 128,
    parameter UNIT_BITS        = 36,      // of the node's addresses, which count units of DATA_WIDTH
    parameter BURST_BITS       = 4,       // at most 2^BURST_BITS beats a burst
    parameter OUTSTANDING_BITS = 3,       // at most 2^OUTSTANDING_BITS bursts without an answer
    parameter ORDERED          = 0
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire [ADDRESS_WIDTH-13:0] base_page,    // constant while anything is under way
    input  wire [31:0]              pages,
    input  wire                     node_rst,
    output reg                      stopped,

    // the node
    input  wire                     s_valid,
    output wire                     s_ready,
    input  wire [UNIT_BITS-1:0]     s_address,
    input  wire [DATA_WIDTH-1:0]    s_data,
    input  wire [DATA_WIDTH/8-1:0]  s_strobe,
    input  wire                     s_last,        // a burst ends here
    input  wire                     s_after,       // behind the answers to all before it

    // who has to wait for writes
    input  wire [2:0]               mark,          // as in axi_pending
    output wire [2:0]               passed,
    input  wire [UNIT_BITS-1:0]     look_address,
    output wire                     look_pending,  // a write there, or in pages like it, is not answered
    output wire                     idle,

    output wire                     error_range,   // pulses, with error_address
    output wire                     error_refused,
    output wire [UNIT_BITS-1:0]     error_address,

    output reg                      m_axi_awvalid,
    input  wire                     m_axi_awready,
    output reg  [ADDRESS_WIDTH-1:0] m_axi_awaddr,
    output reg  [7:0]               m_axi_awlen,
    output wire                     m_axi_wvalid,
    input  wire                     m_axi_wready,
    output wire [DATA_WIDTH-1:0]    m_axi_wdata,
    output wire [DATA_WIDTH/8-1:0]  m_axi_wstrb,
    output wire                     m_axi_wlast,
    input  wire                     m_axi_bvalid,
    output wire                     m_axi_bready,
    input  wire [1:0]               m_axi_bresp
);
    localparam UNIT_BYTES_BITS = $clog2(DATA_WIDTH / 8);
    localparam PAGE_BITS       = 12 - UNIT_BYTES_BITS;
    localparam COUNT_BITS      = BURST_BITS + OUTSTANDING_BITS + 4;
    localparam KINDS           = 8;                          // of pages, by the low bits of their numbers
    localparam [BURST_BITS-1:0] ONE_BEAT = 1;

    // gathering
    wire                  data_full, bursts_ready, b_valid, b_first;
    wire [UNIT_BITS-1:0]  b_address;
    wire [BURST_BITS-1:0] b_length;
    wire                  taken = s_valid && s_ready;
    wire                  starts;                            // the burst at the head of the queue begins

    assign s_ready = bursts_ready && !data_full;

    axi_bursts #(.UNIT_BITS(UNIT_BITS), .PAGE_BITS(PAGE_BITS), .BURST_BITS(BURST_BITS)) u_bursts (
        .clk(clk), .rst(rst), .s_valid(s_valid && !data_full), .s_ready(bursts_ready), .s_address(s_address),
        .s_first(s_after), .s_last(s_last),
        .m_valid(b_valid), .m_ready(starts), .m_address(b_address), .m_length(b_length), .m_first(b_first));

    // data of gathered bursts and of the one on W; a burst that is being gathered always has room
    reg                   w_active_reg, w_void_reg;          // void: it is dropped
    reg  [BURST_BITS-1:0] w_left_reg, w_length_reg;
    wire                  w_moves = w_active_reg && (w_void_reg || m_axi_wready);
    wire                  w_ends  = w_moves && m_axi_wlast;
    wire                  unused_some;

    bus_fifo #(.WIDTH(DATA_WIDTH + DATA_WIDTH / 8), .BITS(BURST_BITS + 1)) u_data (
        .clk(clk), .rst(rst), .put(taken), .put_data({s_strobe, s_data}), .full(data_full),
        .take(w_moves), .some(unused_some), .head({m_axi_wstrb, m_axi_wdata}));

    assign m_axi_wvalid = w_active_reg && !w_void_reg;
    assign m_axi_wlast  = w_left_reg == {BURST_BITS{1'b0}};
    assign m_axi_bready = 1'b1;

    // bursts without an answer
    wire                  flies, flies_full;
    wire [UNIT_BITS-1:0]  f_address;
    wire [BURST_BITS-1:0] f_length;
    wire                  beyond;
    wire [ADDRESS_WIDTH-1:0] b_bus_address;
    wire                  drops    = beyond || stopped;
    wire                  alone    = b_first || drops || ORDERED != 0;
    wire                  answered = m_axi_bvalid && flies;

    assign starts = b_valid && (alone ? !flies : !flies_full) && (!m_axi_awvalid || m_axi_awready) &&
                    (!w_active_reg || w_ends);

    axi_window #(.ADDRESS_WIDTH(ADDRESS_WIDTH), .UNIT_BYTES_BITS(UNIT_BYTES_BITS), .UNIT_BITS(UNIT_BITS)) u_window (
        .base_page(base_page), .pages(pages), .unit(b_address), .beyond(beyond), .address(b_bus_address));

    bus_fifo #(.WIDTH(UNIT_BITS + BURST_BITS), .BITS(OUTSTANDING_BITS)) u_flying (
        .clk(clk), .rst(rst), .put(starts && !drops), .put_data({b_length, b_address}), .full(flies_full),
        .take(answered), .some(flies), .head({f_length, f_address}));

    assign error_range   = starts && beyond;
    assign error_refused = answered && m_axi_bresp[1];
    assign error_address = error_range ? b_address : f_address;

    // who waits: a burst that was dropped is answered with its last beat, which is in its turn as it began alone
    wire                  dropped  = w_ends && w_void_reg;
    wire [COUNT_BITS-1:0] beats    = dropped  ? {{COUNT_BITS-BURST_BITS{1'b0}}, w_length_reg} + 1'b1 :
                                     answered ? {{COUNT_BITS-BURST_BITS{1'b0}}, f_length} + 1'b1 : {COUNT_BITS{1'b0}};

    wire [2:0]            all_answered;
    assign passed = stopped ? 3'b000 : all_answered;
    axi_pending #(.BITS(COUNT_BITS), .MARKS(3)) u_pending (
        .clk(clk), .rst(rst), .taken(taken), .answered(beats), .mark(mark), .passed(all_answered), .none(idle));

    // by kind of page, so that a read need not wait for all writes: what is dropped is not looked for, and does not
    // leave its count behind either
    reg  [2:0]            w_kind_reg;
    wire [KINDS-1:0]      pending_kinds;
    wire [2:0]            s_kind = s_address[PAGE_BITS +: 3];
    wire [2:0]            done_kind = dropped ? w_kind_reg : f_address[PAGE_BITS +: 3];
    assign look_pending = pending_kinds[look_address[PAGE_BITS +: 3]];

    genvar i;
    generate
        for (i = 0; i < KINDS; i = i + 1) begin : g_kind
            localparam [2:0] KIND = i;
            reg  [COUNT_BITS-1:0] count_reg;
            assign pending_kinds[i] = count_reg != {COUNT_BITS{1'b0}};
            always @(posedge clk) begin
                count_reg <= count_reg + {{COUNT_BITS-1{1'b0}}, taken && s_kind == KIND}
                             - (done_kind == KIND ? beats : {COUNT_BITS{1'b0}});
                if (rst)
                    count_reg <= {COUNT_BITS{1'b0}};
            end
        end
    endgenerate

    wire unused = &{1'b0, look_address, unused_some, m_axi_bresp[0]};

    always @(posedge clk) begin
        if (m_axi_awready)
            m_axi_awvalid <= 1'b0;
        if (w_moves)
            w_left_reg <= w_left_reg - ONE_BEAT;
        if (w_ends)
            w_active_reg <= 1'b0;
        if (starts) begin
            m_axi_awvalid <= !drops;
            m_axi_awaddr  <= b_bus_address;
            m_axi_awlen   <= {{8-BURST_BITS{1'b0}}, b_length};
            w_active_reg  <= 1'b1;
            w_void_reg    <= drops;
            w_left_reg    <= b_length;
            w_length_reg  <= b_length;
            w_kind_reg    <= b_address[PAGE_BITS +: 3];
        end
        stopped <= (stopped || error_range || error_refused) && !(node_rst && idle);
        if (rst) begin
            stopped       <= 1'b0;
            m_axi_awvalid <= 1'b0;
            w_active_reg  <= 1'b0;
        end
    end
endmodule
`default_nettype wire
