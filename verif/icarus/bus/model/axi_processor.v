// SPDX-License-Identifier: Apache-2.0
// What a processor does on AXI4-Lite, for benches: tasks that write and read a register. What is not valid is unknown.
// A bench resets it with `quiet`.
`default_nettype none
`include "bus_control_regs.vh"
module axi_processor #(
    parameter ADDRESS_WIDTH = 15
) (
    input  wire        aclk,
    output reg         awvalid,
    input  wire        awready,
    output reg  [ADDRESS_WIDTH-1:0] awaddr,
    output reg         wvalid,
    input  wire        wready,
    output reg  [31:0] wdata,
    input  wire        bvalid,
    output reg         bready,
    input  wire [1:0]  bresp,
    output reg         arvalid,
    input  wire        arready,
    output reg  [ADDRESS_WIDTH-1:0] araddr,
    input  wire        rvalid,
    output reg         rready,
    input  wire [31:0] rdata,
    input  wire [1:0]  rresp
);
    reg [31:0] answer;
    reg [1:0]  response;
    reg        refused;               // of hold

    task quiet;
        {awvalid, wvalid, arvalid, bready, rready} <= 5'd0;
    endtask

    task write(input [ADDRESS_WIDTH-1:0] address, input [31:0] value);
        begin
            awvalid <= 1'b1;
            wvalid  <= 1'b1;
            awaddr  <= address;
            wdata   <= value;
            bready  <= 1'b1;
            @(posedge aclk);
            while (awvalid || wvalid || !bvalid) begin
                if (awready) begin
                    awvalid <= 1'b0;
                    awaddr  <= {ADDRESS_WIDTH{1'bx}};
                end
                if (wready) begin
                    wvalid <= 1'b0;
                    wdata  <= 32'dx;
                end
                @(posedge aclk);
            end
            response = bresp;
            bready <= 1'b0;
        end
    endtask

    task read(input [ADDRESS_WIDTH-1:0] address);
        begin
            arvalid <= 1'b1;
            araddr  <= address;
            rready  <= 1'b1;
            @(posedge aclk);
            while (arvalid || !rvalid) begin
                if (arready) begin
                    arvalid <= 1'b0;
                    araddr  <= {ADDRESS_WIDTH{1'bx}};
                end
                @(posedge aclk);
            end
            response = rresp;
            answer   = rdata;
            rready <= 1'b0;
        end
    endtask

    // Holds the node whose buses' registers begin at `own` in reset, until nothing is under way, and clears `errors`.
    task hold(input [ADDRESS_WIDTH-1:0] own, input [31:0] errors);
        begin
            write(own + 4 * `BUS_CONTROL_CONTROL, 32'd1);
            refused = response !== 2'd0;
            answer = 32'd2;
            while (answer[1]) read(own + 4 * `BUS_CONTROL_CONTROL);
            write(own + 4 * `BUS_CONTROL_ERROR, errors);
            refused = refused || response !== 2'd0;
        end
    endtask
endmodule
`default_nettype wire
