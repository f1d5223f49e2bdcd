// SPDX-License-Identifier: Apache-2.0
// One AXI4 read channel for several managers, round robin. The ID says whose a burst is: data of different ones may
// come interleaved and in any order, those of one come in order ([AXI] IHI 0022E, A5.3).
//
// What is shown stands, and valid waits for no ready: the choice is a register. Who was served last is seen at once
// while nobody else asks; the first burst of another comes a cycle later. RREADY is 0 while any port answers a
// read by itself, which takes a burst's time at most and waits for nothing.
`default_nettype none
module axi_share_reads #(
    parameter PORTS         = 2,          // at most 16
    parameter ADDRESS_WIDTH = 40,
    parameter ID_WIDTH      = 4
) (
    input  wire                           clk,
    input  wire                           rst,

    input  wire [PORTS-1:0]               s_arvalid,
    output wire [PORTS-1:0]               s_arready,
    input  wire [PORTS*ADDRESS_WIDTH-1:0] s_araddr,
    input  wire [PORTS*8-1:0]             s_arlen,
    output wire [PORTS-1:0]               s_rvalid,
    input  wire [PORTS-1:0]               s_rready,

    output wire                           m_axi_arvalid,
    input  wire                           m_axi_arready,
    output wire [ID_WIDTH-1:0]            m_axi_arid,
    output wire [ADDRESS_WIDTH-1:0]       m_axi_araddr,
    output wire [7:0]                     m_axi_arlen,
    input  wire                           m_axi_rvalid,
    output wire                           m_axi_rready,
    input  wire [ID_WIDTH-1:0]            m_axi_rid
);
    reg  [3:0]       owner_reg;
    reg              busy_reg;
    wire [15:0]      is_owner = {15'd0, busy_reg} << owner_reg;
    wire [PORTS-1:0] owner    = is_owner[PORTS-1:0];
    wire [15:0]      requests = {{16-PORTS{1'b0}}, s_arvalid & ~owner};
    wire             found;
    wire [3:0]       choice;
    wire [15:0]      whose    = 16'd1 << m_axi_rid;

    select_next #(.N(16), .WIDTH(4)) u_turn (.request(requests), .last(owner_reg), .found(found), .choice(choice));

    assign m_axi_arvalid = |(owner & s_arvalid);
    assign m_axi_arid    = {{ID_WIDTH{1'b0}} | owner_reg[ID_WIDTH-1:0]};
    assign m_axi_araddr  = s_araddr[ADDRESS_WIDTH*owner_reg +: ADDRESS_WIDTH];
    assign m_axi_arlen   = s_arlen[8*owner_reg +: 8];
    assign s_arready     = m_axi_arready ? owner : {PORTS{1'b0}};
    assign m_axi_rready  = &s_rready;
    assign s_rvalid      = m_axi_rvalid && m_axi_rready ? whose[PORTS-1:0] : {PORTS{1'b0}};

    wire unused = &{1'b0, is_owner, whose};

    always @(posedge clk) begin
        if ((!m_axi_arvalid || m_axi_arready) && found) begin
            owner_reg <= choice;
            busy_reg  <= 1'b1;
        end
        if (rst) begin
            busy_reg  <= 1'b0;
            owner_reg <= 4'd15;
        end
    end
endmodule
`default_nettype wire
