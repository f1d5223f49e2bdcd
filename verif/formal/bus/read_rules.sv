// SPDX-License-Identifier: Apache-2.0
// What ARM IHI 0022E asks of the read half of a manager. Any reset, at any time.
`default_nettype none
module read_rules #(
    parameter ADDRESS_WIDTH = 16,
    parameter DATA_WIDTH    = 16,
    parameter ID_WIDTH      = 1
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     arvalid,
    input  wire                     arready,
    input  wire [ID_WIDTH-1:0]      arid,
    input  wire [ADDRESS_WIDTH-1:0] araddr,
    input  wire [7:0]               arlen
);
    localparam SIZE = $clog2(DATA_WIDTH / 8);
    localparam PAYLOAD = ID_WIDTH + ADDRESS_WIDTH + 8;

    reg               past = 1'b0;
    reg               held, was_reset;
    reg [PAYLOAD-1:0] old;
    wire [PAYLOAD-1:0] ar  = {arid, araddr, arlen};
    wire [12:0]       to   = {1'b0, araddr[11:0]} + ({5'd0, arlen} << SIZE);

    always @(posedge clk) begin
        past      <= 1'b1;
        was_reset <= rst;
        held      <= arvalid && !arready && !rst;
        old       <= ar;
    end

    always @* if (past) begin
        ar_stands:   assert (!held || (arvalid && ar == old));                         // A3.2.1
        ar_page:     assert (!arvalid || !to[12]);                                     // A3.4.1
        ar_aligned:  assert (!arvalid || (araddr & ((1 << SIZE) - 1)) == 0);
        reset_quiet: assert (!was_reset || !arvalid);                                  // A3.1.2
    end
endmodule
`default_nettype wire
