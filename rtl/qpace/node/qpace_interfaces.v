// SPDX-License-Identifier: Apache-2.0
// Which serial interface the PHY of each link uses: the primary or the redundant one. [QPACE2009] section 6 and figure
// 5: redundant interfaces are wired so that a row of nodes is one ring or two, and software selects. Ours: the register
// (INTERFACE_* of nwp_registers.toml), and that a link is switched in DOWN only, where nothing is under way on either
// cable.
//
// Latency: answer 1 cycle after the request; phy_select changes with it.
`default_nettype none
`include "qpace_nwp_regs.vh"
module qpace_interfaces (
    input  wire        clk,
    input  wire        rst,

    // a block of the register bus (qpace_dcr): refuses unknown registers, writes to read-only ones, and to select for a
    // link that is not DOWN another interface than it has; then no link's selection changes
    input  wire        reg_valid,         // pulse
    input  wire        reg_write,
    input  wire [3:0]  reg_address,
    input  wire [31:0] reg_wdata,
    output wire        reg_ack,           // pulse, one cycle later
    output wire [31:0] reg_rdata,
    output wire        reg_error,

    input  wire [5:0]  link_down,         // link i is DOWN and not enabled
    output wire [5:0]  phy_select,        // to the PHYs: link i uses the redundant interface

    output wire        obs_idle
);
    reg  [5:0]  select_reg;
    reg         ack_reg;
    reg         error_reg;
    reg  [31:0] rdata_reg;
    localparam [11:0] FIRST = `QPACE_NWP_INTERFACE_SELECT;
    wire [11:0] address = {FIRST[11:4], reg_address};
    wire [5:0]  changes = reg_wdata[`QPACE_NWP_INTERFACE_SELECT_REDUNDANT] ^ select_reg;
    wire        known, writable;
    wire        refused = !known || (reg_write && (!writable || (changes & ~link_down) != 6'd0));
    wire [31:0] value;

    assign reg_ack    = ack_reg;
    assign reg_rdata  = rdata_reg;
    assign reg_error  = error_reg;
    assign phy_select = select_reg;
    assign obs_idle   = !reg_valid && !ack_reg;

    qpace_nwp_interfaces_reads u_reads (
        .address(address), .interface_select_redundant(select_reg), .interface_status_down(link_down),
        .value(value), .known(known), .writable(writable));

    always @(posedge clk) begin
        ack_reg <= reg_valid;
        if (reg_valid) begin
            error_reg <= refused;
            rdata_reg <= refused ? 32'd0 : value;
            if (reg_write && !refused) begin
                select_reg <= reg_wdata[`QPACE_NWP_INTERFACE_SELECT_REDUNDANT];
            end
        end
        if (rst) begin
            select_reg <= `QPACE_NWP_INTERFACE_SELECT_REDUNDANT_RESET;
            ack_reg    <= 1'b0;
            error_reg  <= 1'b0;
        end
    end

    wire unused = &{1'b0, reg_wdata[31:6]};
endmodule
`default_nettype wire
