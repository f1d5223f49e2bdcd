// SPDX-License-Identifier: Apache-2.0
// The Ethernet interface's counters, modulo 2^32, in one small memory: an event adds one to its
// counter in the next cycles. Two sources of events, each at most one in four cycles; after reset the
// memory is cleared for 16 cycles, in which `busy` holds and events would be lost.
`default_nettype none
module qpace_gmac_counters (
    input  wire        clk,
    input  wire        rst,
    input  wire        a_event,
    input  wire [3:0]  a_counter,
    input  wire        b_event,
    input  wire [3:0]  b_counter,
    input  wire        c_event,
    input  wire [3:0]  c_counter,
    input  wire [3:0]  read_counter,
    output wire [31:0] read_value,
    output wire        busy
);
    reg         a_waits, b_waits, c_waits;
    reg  [3:0]  a_place, b_place, c_place;
    reg  [4:0]  clear;                   // next to be cleared; 16: all are

    wire        clearing = !clear[4];
    wire [3:0]  place    = clearing ? clear[3:0] : a_waits ? a_place : b_waits ? b_place : c_place;
    wire        step     = a_waits || b_waits || c_waits;
    wire [31:0] value;

    assign busy = step || clearing;

    ram_small #(.WIDTH(32), .ADDRESS_BITS(4)) counters (
        .clk(clk), .wr_en(busy), .wr_address(place), .wr_data(clearing ? 32'd0 : value + 32'd1),
        .rd_address(place), .rd_data(value));

    // a second copy of the memory, for the register bus
    ram_small #(.WIDTH(32), .ADDRESS_BITS(4)) shown (
        .clk(clk), .wr_en(busy), .wr_address(place), .wr_data(clearing ? 32'd0 : value + 32'd1),
        .rd_address(read_counter), .rd_data(read_value));

    always @(posedge clk) begin
        if (clearing)
            clear <= clear + 5'd1;
        if (!clearing) begin
            a_waits <= 1'b0;
            if (!a_waits) begin
                b_waits <= 1'b0;
                if (!b_waits)
                    c_waits <= 1'b0;
            end
        end
        if (a_event) begin
            a_waits <= 1'b1;
            a_place <= a_counter;
        end
        if (b_event) begin
            b_waits <= 1'b1;
            b_place <= b_counter;
        end
        if (c_event) begin
            c_waits <= 1'b1;
            c_place <= c_counter;
        end
        if (rst) begin
            clear   <= 5'd0;
            a_waits <= 1'b0;
            b_waits <= 1'b0;
            c_waits <= 1'b0;
        end
    end
endmodule
`default_nettype wire
