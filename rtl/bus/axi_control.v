// SPDX-License-Identifier: Apache-2.0
// The buses' own registers: where the node's memory is, the node's reset, and what the buses refused. README.md.
// The node is in reset until software has said where its memory is: without, it would write anywhere.
//
// A request is answered in its cycle. node_rst lasts RESET_CYCLES at least, and until nothing is under way (`idle`).
`default_nettype none
`include "bus_control_regs.vh"
module axi_control #(
    parameter ADDRESS_WIDTH = 40,
    parameter RESET_CYCLES  = 32
) (
    input  wire        clk,
    input  wire        rst,

    input  wire        valid,
    input  wire        write,
    input  wire [3:0]  address,
    input  wire [31:0] wdata,
    output wire [31:0] rdata,
    output wire        error,             // refused

    output reg         node_rst,
    input  wire        idle,
    output wire [ADDRESS_WIDTH-13:0] base_page,
    output reg  [31:0] pages,

    input  wire [5:0]  errors,            // pulses, as in ERROR
    input  wire [63:0] error_offset,      // with one of errors[3:0]
    input  wire [3:0]  error_port,
    output wire        irq
);
    localparam TIME_BITS = $clog2(RESET_CYCLES + 1);
    localparam [31:0] CYCLES = RESET_CYCLES;
    localparam [TIME_BITS-1:0] LIMIT = CYCLES[TIME_BITS-1:0], ONE_CYCLE = 1;

    reg                 hold_reg;         // as written
    reg [TIME_BITS-1:0] time_reg;         // the node has been in reset
    reg [51:0]          base_reg;
    reg [5:0]           error_reg;
    reg [63:0]          offset_reg;
    reg [3:0]           port_reg;

    wire known, writable;
    wire resting = node_rst && idle && time_reg == LIMIT;
    wire memory  = address == `BUS_CONTROL_BASE_LOW || address == `BUS_CONTROL_BASE_HIGH ||
                   address == `BUS_CONTROL_PAGES;
    wire goes    = valid && write && !error;
    wire holds   = goes && address == `BUS_CONTROL_CONTROL ? wdata[`BUS_CONTROL_CONTROL_HOLD] : hold_reg;
    wire [5:0] cleared = goes && address == `BUS_CONTROL_ERROR ? wdata[5:0] : 6'd0;
    wire [5:0] kept    = error_reg & ~cleared;

    assign error     = valid && (!known || (write && !writable) || (write && memory && !(node_rst && idle)));
    assign irq       = error_reg != 6'd0;
    assign base_page = base_reg[ADDRESS_WIDTH-13:0];

    bus_control_reads u_reads (
        .address(address), .control_hold(node_rst), .control_busy(!idle),
        .base_low_page(base_reg[19:0]), .base_high(base_reg[51:20]),
        .pages(pages), .error(error_reg), .error_low(offset_reg[31:0]),
        .error_high(offset_reg[63:32]), .error_port_number(port_reg),
        .value(rdata), .known(known), .writable(writable));

    always @(posedge clk) begin
        if (goes) begin
            case (address)
                `BUS_CONTROL_BASE_LOW:  base_reg[19:0]  <= wdata[31:12];
                `BUS_CONTROL_BASE_HIGH: base_reg[51:20] <= wdata;
                `BUS_CONTROL_PAGES:     pages           <= wdata;
                default: ;
            endcase
        end
        hold_reg <= holds;
        node_rst <= holds || (node_rst && !resting);
        time_reg <= !node_rst ? {TIME_BITS{1'b0}} : time_reg == LIMIT ? time_reg : time_reg + ONE_CYCLE;

        error_reg <= kept | errors;
        if (errors[3:0] != 4'd0 && kept[3:0] == 4'd0) begin
            offset_reg <= error_offset;
            port_reg   <= error_port;
        end
        if (rst) begin
            hold_reg   <= 1'b1;
            node_rst   <= 1'b1;
            time_reg   <= {TIME_BITS{1'b0}};
            base_reg   <= 52'd0;
            pages      <= 32'd0;
            error_reg  <= 6'd0;
            offset_reg <= 64'd0;
            port_reg   <= 4'd0;
        end
    end
endmodule
`default_nettype wire
