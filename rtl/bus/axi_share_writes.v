// SPDX-License-Identifier: Apache-2.0
// One AXI4 write channel for several managers, burst by burst, round robin. The ID says whose a burst is, so that
// answers of different ones may overtake each other, and those of one do not ([AXI] IHI 0022E, A5.3). AXI4 has no
// interleaving of write data (A5.4): AW and all of W of one burst go before the next one's.
//
// What is shown stands, and valid waits for no ready: the choice is a register. Who was served last is seen at once
// while nobody else asks; the first burst of another comes a cycle later.
`default_nettype none
module axi_share_writes #(
    parameter PORTS         = 2,          // at most 16
    parameter ADDRESS_WIDTH = 40,
    parameter DATA_WIDTH    = 128,
    parameter ID_WIDTH      = 4
) (
    input  wire                           clk,
    input  wire                           rst,

    input  wire [PORTS-1:0]               s_awvalid,
    output wire [PORTS-1:0]               s_awready,
    input  wire [PORTS*ADDRESS_WIDTH-1:0] s_awaddr,
    input  wire [PORTS*8-1:0]             s_awlen,
    input  wire [PORTS-1:0]               s_wvalid,
    output wire [PORTS-1:0]               s_wready,
    input  wire [PORTS*DATA_WIDTH-1:0]    s_wdata,
    input  wire [PORTS*DATA_WIDTH/8-1:0]  s_wstrb,
    input  wire [PORTS-1:0]               s_wlast,
    output wire [PORTS-1:0]               s_bvalid,   // taken at once

    output wire                           m_axi_awvalid,
    input  wire                           m_axi_awready,
    output wire [ID_WIDTH-1:0]            m_axi_awid,
    output wire [ADDRESS_WIDTH-1:0]       m_axi_awaddr,
    output wire [7:0]                     m_axi_awlen,
    output wire                           m_axi_wvalid,
    input  wire                           m_axi_wready,
    output wire [DATA_WIDTH-1:0]          m_axi_wdata,
    output wire [DATA_WIDTH/8-1:0]        m_axi_wstrb,
    output wire                           m_axi_wlast,
    input  wire                           m_axi_bvalid,
    input  wire [ID_WIDTH-1:0]            m_axi_bid
);
    reg  [3:0]       owner_reg;
    reg              busy_reg;            // owner_reg is somebody
    reg              address_reg;         // its address has
    reg              data_reg;            // its data have
    wire             found;
    wire [3:0]       choice;
    wire [15:0]      is_owner = {15'd0, busy_reg} << owner_reg;
    wire [PORTS-1:0] owner    = is_owner[PORTS-1:0];
    wire [15:0]      requests = {{16-PORTS{1'b0}}, s_awvalid & ~owner};
    wire             address_goes = m_axi_awvalid && m_axi_awready;
    wire             data_go      = m_axi_wvalid && m_axi_wready && m_axi_wlast;
    wire             ends = (address_reg || address_goes) && (data_reg || data_go);
    wire             rests = !m_axi_awvalid && !address_reg && !data_reg;   // between bursts
    wire [15:0]      whose = 16'd1 << m_axi_bid;

    select_next #(.N(16), .WIDTH(4)) u_turn (.request(requests), .last(owner_reg), .found(found), .choice(choice));

    assign m_axi_awvalid = busy_reg && !address_reg && |(owner & s_awvalid);
    assign m_axi_awid    = {{ID_WIDTH{1'b0}} | owner_reg[ID_WIDTH-1:0]};
    assign m_axi_awaddr  = s_awaddr[ADDRESS_WIDTH*owner_reg +: ADDRESS_WIDTH];
    assign m_axi_awlen   = s_awlen[8*owner_reg +: 8];
    assign m_axi_wvalid  = busy_reg && !data_reg && |(owner & s_wvalid);
    assign m_axi_wdata   = s_wdata[DATA_WIDTH*owner_reg +: DATA_WIDTH];
    assign m_axi_wstrb   = s_wstrb[DATA_WIDTH/8*owner_reg +: DATA_WIDTH/8];
    assign m_axi_wlast   = |(owner & s_wlast);
    assign s_awready     = m_axi_awready && !address_reg ? owner : {PORTS{1'b0}};
    assign s_wready      = m_axi_wready && !data_reg ? owner : {PORTS{1'b0}};
    assign s_bvalid      = m_axi_bvalid ? whose[PORTS-1:0] : {PORTS{1'b0}};

    wire unused = &{1'b0, is_owner, whose};

    always @(posedge clk) begin
        address_reg <= !ends && (address_reg || address_goes);
        data_reg    <= !ends && (data_reg || data_go);
        if ((ends || rests) && found) begin
            owner_reg <= choice;
            busy_reg  <= 1'b1;
        end
        if (rst) begin
            busy_reg    <= 1'b0;
            owner_reg   <= 4'd15;
            address_reg <= 1'b0;
            data_reg    <= 1'b0;
        end
    end
endmodule
`default_nettype wire
