// SPDX-License-Identifier: Apache-2.0
// Where a node's address lies on the bus: its memory is `pages` pages of 4 KiB from page `base_page` on. What lies
// beyond them, or beyond the bus's own addresses, is not to go there. Combinational.
`default_nettype none
module axi_window #(
    parameter ADDRESS_WIDTH   = 40,       // of the bus, bytes; at most 64
    parameter UNIT_BYTES_BITS = 4,        // log2 of the bytes of a unit
    parameter UNIT_BITS       = 36        // of the node's addresses, which count units
) (
    input  wire [ADDRESS_WIDTH-13:0] base_page,
    input  wire [31:0]               pages,
    input  wire [UNIT_BITS-1:0]      unit,
    output wire                      beyond,
    output wire [ADDRESS_WIDTH-1:0]  address
);
    localparam PAGE_BITS = 12 - UNIT_BYTES_BITS;

    wire [31:0] number = {{32-UNIT_BITS+PAGE_BITS{1'b0}}, unit[UNIT_BITS-1:PAGE_BITS]};
    wire [63:0] place  = {{76-ADDRESS_WIDTH{1'b0}}, base_page} + {32'd0, number};

    assign beyond  = number >= pages || place[63:ADDRESS_WIDTH-12] != {76-ADDRESS_WIDTH{1'b0}};
    assign address = {place[ADDRESS_WIDTH-13:0], unit[PAGE_BITS-1:0], {UNIT_BYTES_BITS{1'b0}}};
endmodule
`default_nettype wire
