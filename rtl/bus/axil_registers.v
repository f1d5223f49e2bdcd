// SPDX-License-Identifier: Apache-2.0
// An AXI4-Lite subordinate in front of a node's register bus. [AXI] is ARM IHI 0022E, chapter B1.
//
//   byte address      0 .. 4 * 2^REG_BITS - 1    registers of the node, 4 bytes each
//   then              4 * 2^CONTROL_BITS bytes   registers of the buses: bus_control_registers.toml, and others
//   anything else                                DECERR
//
// One access at a time, reads and writes by turns. AWREADY, WREADY and ARREADY say that there is room for one, and
// depend on no valid; address and data of a write may come in any order (A3.3.1). Answers stand until they are taken.
// Registers are written whole: with some of WSTRB 0 a write is refused (SLVERR), with all of it 0 it writes nothing.
// Bits 1:0 of an address are ignored.
//
// SLVERR: the node refused it, is in reset, or gave no answer in TIMEOUT cycles. The register bus's request stands
// until it is acknowledged, so after that others are refused until the late answer comes (a write may still take
// effect).
//
// A read's answer waits for all that the node had handed to its memory by then (`mark`, `settled`): who sees in a
// register that something has come sees it in memory as well. Memory that gives no answer in TIMEOUT cycles, or that
// has refused a write (`lost`): SLVERR.
//
//   clk           0    1    2    3    4    5
//   ARVALID       ____/--\____________________
//   reg_valid     ______________/-------\_____   until reg_ack, here one cycle later
//   reg_ack       ___________________/--\_____
//   mark          ___________________/--\_____   a read's
//   RVALID        _____________________________/-- until RREADY
`default_nettype none
module axil_registers #(
    parameter ADDRESS_WIDTH = 15,         // of s_axi_awaddr and s_axi_araddr, at least REG_BITS + 3
    parameter REG_BITS      = 12,         // of the node's register numbers
    parameter CONTROL_BITS  = 4,          // of those of the buses
    parameter TIMEOUT       = 4096        // cycles, at least 4
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     node_rst,        // the node alone is in reset

    input  wire                     s_axi_awvalid,
    output wire                     s_axi_awready,
    input  wire [ADDRESS_WIDTH-1:0] s_axi_awaddr,
    input  wire                     s_axi_wvalid,
    output wire                     s_axi_wready,
    input  wire [31:0]              s_axi_wdata,
    input  wire [3:0]               s_axi_wstrb,
    output reg                      s_axi_bvalid,
    input  wire                     s_axi_bready,
    output reg  [1:0]               s_axi_bresp,
    input  wire                     s_axi_arvalid,
    output wire                     s_axi_arready,
    input  wire [ADDRESS_WIDTH-1:0] s_axi_araddr,
    output reg                      s_axi_rvalid,
    input  wire                     s_axi_rready,
    output reg  [31:0]              s_axi_rdata,
    output reg  [1:0]               s_axi_rresp,

    // the node's register bus
    output reg                      reg_valid,       // held until reg_ack
    output reg                      reg_write,
    output reg  [REG_BITS-1:0]      reg_address,
    output reg  [31:0]              reg_wdata,
    input  wire                     reg_ack,
    input  wire [31:0]              reg_rdata,
    input  wire                     reg_error,

    // the buses' own registers: answered in the cycle of the request
    output wire                     control_valid,
    output wire                     control_write,
    output wire [CONTROL_BITS-1:0]  control_address,
    output wire [31:0]              control_wdata,
    input  wire [31:0]              control_rdata,
    input  wire                     control_error,

    output wire                     mark,            // pulse
    input  wire                     settled,         // one cycle later or more
    input  wire                     lost,            // a write is not in memory: settled is 0
    output wire                     register_timeout, memory_timeout   // pulses
);
    localparam [1:0] OKAY = 2'd0, SLVERR = 2'd2, DECERR = 2'd3;
    localparam [1:0] CHOOSE = 2'd0, ACCESS = 2'd1, SETTLE = 2'd2;
    localparam TIME_BITS = $clog2(TIMEOUT + 1);
    localparam [31:0] CYCLES = TIMEOUT;
    localparam [TIME_BITS-1:0] LIMIT = CYCLES[TIME_BITS-1:0], ONE_CYCLE = 1;

    // what came and is not answered
    reg                     aw_reg, w_reg, ar_reg;
    reg [ADDRESS_WIDTH-1:0] awaddr_reg, araddr_reg;
    reg [31:0]              wdata_reg;
    reg [3:0]               wstrb_reg;

    reg [1:0]               state_reg;
    reg                     writes_reg;              // the access in work; the last one
    reg                     stuck_reg;               // the node owes an answer that nobody waits for
    reg [TIME_BITS-1:0]     time_reg;
    wire                    late = time_reg == LIMIT;

    assign s_axi_awready = !aw_reg;
    assign s_axi_wready  = !w_reg;
    assign s_axi_arready = !ar_reg;

    wire can_write = aw_reg && w_reg && !s_axi_bvalid;
    wire can_read  = ar_reg && !s_axi_rvalid;
    wire chooses   = state_reg == CHOOSE && (can_write || can_read);
    wire writes    = can_write && !(can_read && writes_reg);

    /* verilator lint_off UNUSEDSIGNAL */            // its bits 1:0
    wire [ADDRESS_WIDTH-1:0]          place = writes ? awaddr_reg : araddr_reg;
    /* verilator lint_on UNUSEDSIGNAL */
    wire [ADDRESS_WIDTH-REG_BITS-3:0] above = place[ADDRESS_WIDTH-1:REG_BITS+2];
    wire at_node    = above == {ADDRESS_WIDTH-REG_BITS-2{1'b0}};
    wire at_control = above == {{ADDRESS_WIDTH-REG_BITS-3{1'b0}}, 1'b1} &&
                      place[REG_BITS+1:CONTROL_BITS+2] == {REG_BITS-CONTROL_BITS{1'b0}};
    wire nothing    = writes && wstrb_reg == 4'd0;
    wire in_part    = writes && wstrb_reg != 4'd0 && wstrb_reg != 4'hF;
    wire asks_node  = chooses && at_node && !nothing && !in_part && !node_rst && !stuck_reg;

    assign control_valid   = chooses && at_control && !nothing && !in_part;
    assign control_write   = writes;
    assign control_address = place[CONTROL_BITS+1:2];
    assign control_wdata   = wdata_reg;

    // an access that ends now, and how
    reg         ends;
    reg  [1:0]  response;
    wire        ends_write = ends && (state_reg == CHOOSE ? writes : writes_reg);
    wire        ends_read  = ends && !ends_write;

    assign mark             = state_reg == ACCESS && reg_ack && !writes_reg;
    assign register_timeout = state_reg == ACCESS && !reg_ack && late;
    assign memory_timeout   = state_reg == SETTLE && !settled && !lost && late;

    always @* begin
        ends     = 1'b0;
        response = OKAY;
        case (state_reg)
            CHOOSE: begin
                ends     = chooses && !asks_node;
                response = !at_node && !at_control ? DECERR : nothing ? OKAY :
                           in_part || at_node || control_error ? SLVERR : OKAY;
            end
            ACCESS: begin
                ends     = (reg_ack && writes_reg) || register_timeout;
                response = reg_ack && !reg_error ? OKAY : SLVERR;
            end
            SETTLE: begin
                ends     = settled || lost || memory_timeout;
                response = settled ? s_axi_rresp : SLVERR;
            end
            default: ;
        endcase
    end

    always @(posedge clk) begin
        if (s_axi_awvalid && s_axi_awready) begin
            aw_reg     <= 1'b1;
            awaddr_reg <= s_axi_awaddr;
        end
        if (s_axi_wvalid && s_axi_wready) begin
            w_reg     <= 1'b1;
            wdata_reg <= s_axi_wdata;
            wstrb_reg <= s_axi_wstrb;
        end
        if (s_axi_arvalid && s_axi_arready) begin
            ar_reg     <= 1'b1;
            araddr_reg <= s_axi_araddr;
        end
        if (ends_write) begin
            aw_reg <= 1'b0;
            w_reg  <= 1'b0;
        end
        if (ends_read)
            ar_reg <= 1'b0;

        time_reg <= late ? time_reg : time_reg + ONE_CYCLE;
        if (chooses)
            writes_reg <= writes;
        if (asks_node) begin
            state_reg   <= ACCESS;
            time_reg    <= {TIME_BITS{1'b0}};
            reg_write   <= writes;
            reg_address <= place[REG_BITS+1:2];
            reg_wdata   <= wdata_reg;
        end
        if (mark) begin
            state_reg <= SETTLE;
            time_reg  <= {TIME_BITS{1'b0}};
        end
        if (ends)
            state_reg <= CHOOSE;

        reg_valid <= asks_node || (reg_valid && !reg_ack);
        stuck_reg <= register_timeout || (stuck_reg && !reg_ack);

        s_axi_bvalid <= ends_write || (s_axi_bvalid && !s_axi_bready);
        if (ends_write)
            s_axi_bresp <= response;
        s_axi_rvalid <= ends_read || (s_axi_rvalid && !s_axi_rready);
        if (mark || ends_read)
            s_axi_rresp <= response;
        if (mark || (ends_read && state_reg != SETTLE))
            s_axi_rdata <= state_reg == ACCESS ? (register_timeout ? 32'd0 : reg_rdata) :
                           control_valid ? control_rdata : 32'd0;

        // the node forgets what it was asked
        if (node_rst) begin
            reg_valid <= 1'b0;
            stuck_reg <= 1'b0;
        end
        if (rst) begin
            state_reg    <= CHOOSE;
            writes_reg   <= 1'b0;
            aw_reg       <= 1'b0;
            w_reg        <= 1'b0;
            ar_reg       <= 1'b0;
            reg_valid    <= 1'b0;
            stuck_reg    <= 1'b0;
            s_axi_bvalid <= 1'b0;
            s_axi_rvalid <= 1'b0;
        end
    end
endmodule
`default_nettype wire
