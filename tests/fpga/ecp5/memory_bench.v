// SPDX-License-Identifier: Apache-2.0
// A block memory of an ECP5 with ports of WIDTH_A and WIDTH_B bits and random accesses at both, beside an array of
// bits: byte n has 9 of them from 9 n on, and what is narrower than a byte sees the lower 8 only.
`default_nettype none
`timescale 1ns/1ns
module memory_bench #(
    parameter WIDTH_A = 18,
    parameter WIDTH_B = 18,
    parameter MODE_A  = "NORMAL",
    parameter MODE_B  = "NORMAL"
) (
    output reg done,
    output reg good
);
    localparam BITS = 512;   // of the memory that is used
    reg         clk_a = 0, clk_b = 0, ce_a = 0, ce_b = 0, we_a = 0, we_b = 0, rst_a = 0, rst_b = 0;
    reg  [13:0] address_a = 0, address_b = 0;
    reg  [35:0] write_a = 0, write_b = 0, read_a, read_b;
    wire [17:0] out_a, out_b;
    wire [17:0] data_a = write_a[17:0];
    wire [17:0] data_b = WIDTH_A == 36 ? write_a[35:18] : write_b[17:0];
    reg         kept [0:BITS * 9 / 8 - 1];

    DP16KD #(.DATA_WIDTH_A(WIDTH_A), .DATA_WIDTH_B(WIDTH_B), .WRITEMODE_A(MODE_A), .WRITEMODE_B(MODE_B)) memory (
        .ADA0(address_a[0]), .ADA1(address_a[1]), .ADA2(address_a[2]), .ADA3(address_a[3]), .ADA4(address_a[4]),
        .ADA5(address_a[5]), .ADA6(address_a[6]), .ADA7(address_a[7]), .ADA8(address_a[8]), .ADA9(address_a[9]),
        .ADA10(address_a[10]), .ADA11(address_a[11]), .ADA12(address_a[12]), .ADA13(address_a[13]),
        .DIA0(data_a[0]), .DIA1(data_a[1]), .DIA2(data_a[2]), .DIA3(data_a[3]), .DIA4(data_a[4]), .DIA5(data_a[5]),
        .DIA6(data_a[6]), .DIA7(data_a[7]), .DIA8(data_a[8]), .DIA9(data_a[9]), .DIA10(data_a[10]),
        .DIA11(data_a[11]), .DIA12(data_a[12]), .DIA13(data_a[13]), .DIA14(data_a[14]), .DIA15(data_a[15]),
        .DIA16(data_a[16]), .DIA17(data_a[17]),
        .DOA0(out_a[0]), .DOA1(out_a[1]), .DOA2(out_a[2]), .DOA3(out_a[3]), .DOA4(out_a[4]), .DOA5(out_a[5]),
        .DOA6(out_a[6]), .DOA7(out_a[7]), .DOA8(out_a[8]), .DOA9(out_a[9]), .DOA10(out_a[10]), .DOA11(out_a[11]),
        .DOA12(out_a[12]), .DOA13(out_a[13]), .DOA14(out_a[14]), .DOA15(out_a[15]), .DOA16(out_a[16]),
        .DOA17(out_a[17]),
        .ADB0(address_b[0]), .ADB1(address_b[1]), .ADB2(address_b[2]), .ADB3(address_b[3]), .ADB4(address_b[4]),
        .ADB5(address_b[5]), .ADB6(address_b[6]), .ADB7(address_b[7]), .ADB8(address_b[8]), .ADB9(address_b[9]),
        .ADB10(address_b[10]), .ADB11(address_b[11]), .ADB12(address_b[12]), .ADB13(address_b[13]),
        .DIB0(data_b[0]), .DIB1(data_b[1]), .DIB2(data_b[2]), .DIB3(data_b[3]), .DIB4(data_b[4]), .DIB5(data_b[5]),
        .DIB6(data_b[6]), .DIB7(data_b[7]), .DIB8(data_b[8]), .DIB9(data_b[9]), .DIB10(data_b[10]),
        .DIB11(data_b[11]), .DIB12(data_b[12]), .DIB13(data_b[13]), .DIB14(data_b[14]), .DIB15(data_b[15]),
        .DIB16(data_b[16]), .DIB17(data_b[17]),
        .DOB0(out_b[0]), .DOB1(out_b[1]), .DOB2(out_b[2]), .DOB3(out_b[3]), .DOB4(out_b[4]), .DOB5(out_b[5]),
        .DOB6(out_b[6]), .DOB7(out_b[7]), .DOB8(out_b[8]), .DOB9(out_b[9]), .DOB10(out_b[10]), .DOB11(out_b[11]),
        .DOB12(out_b[12]), .DOB13(out_b[13]), .DOB14(out_b[14]), .DOB15(out_b[15]), .DOB16(out_b[16]),
        .DOB17(out_b[17]),
        .CLKA(clk_a), .CEA(ce_a), .OCEA(1'b1), .WEA(we_a), .RSTA(rst_a), .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0),
        .CLKB(clk_b), .CEB(ce_b), .OCEB(1'b1), .WEB(we_b), .RSTB(rst_b), .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0));

    // Where bit i of what is at that address lies.
    function integer place(input integer width, input [13:0] address, input integer i);
        if (width <= 4)
            place = (address / width * width + i) / 8 * 9 + (address / width * width + i) % 8;
        else
            place = (width == 9 ? address / 8 : width == 18 ? address / 16 * 2 : address / 32 * 4) * 9 + i;
    endfunction
    function [35:0] read(input integer width, input [13:0] address);
        integer i;
        begin
            read = 36'h0;
            for (i = 0; i < width; i = i + 1)
                read[i] = kept[place(width, address, i)];
        end
    endfunction
    task write(input integer width, input [13:0] address, input [35:0] data);
        integer i;
        for (i = 0; i < width; i = i + 1)
            // bytes that the low bits of the address enable, where there are several
            if (width < 18 || address[i / 9])
                kept[place(width, address, i)] = data[i];
    endtask
    // What a port has on its outputs after an edge.
    function [35:0] seen(input integer width, input mode_through, input mode_before, input enable, input writes,
                         input reset, input [35:0] held, input [35:0] before, input [35:0] after);
        if (reset)
            seen = 36'h0;
        else if (!enable || (writes && !mode_through && !mode_before))
            seen = held;
        else
            seen = writes && mode_through ? after : before;
    endfunction

    integer    n;
    reg [35:0] before_a, before_b, got_b;
    initial begin
        done = 0;
        good = 1;
        // Everything is written once.
        ce_a = 1;
        we_a = 1;
        for (n = 0; n < BITS; n = n + (WIDTH_A == 9 ? 8 : WIDTH_A == 18 ? 16 : WIDTH_A == 36 ? 32 : WIDTH_A)) begin
            address_a = WIDTH_A >= 18 ? n | 15 : n;
            write_a   = {$random, $random};
            #1 clk_a = 1;
            #1 clk_a = 0;
            write(WIDTH_A, address_a, write_a);
        end
        rst_a = 1;
        rst_b = 1;
        #1 clk_a = 1;
        clk_b = 1;
        #1 clk_a = 0;
        clk_b = 0;
        {read_a, read_b} = 72'h0;
        for (n = 0; n < 200; n = n + 1) begin
            {address_a, address_b} = {4'd0, $random} & {4'd0, 10'h1FF, 4'd0, 10'h1FF};
            write_a = {$random, $random};
            write_b = {$random, $random};
            {ce_a, ce_b, we_a, we_b} = $random;
            {rst_a, rst_b} = $random % 8 == 0 ? $random : 0;
            we_b = WIDTH_A != 36 && we_b;
            if (WIDTH_A == 36) rst_a = 0;
            // One port at a time: what both do to one place at once is not said.
            if (n % 2 == 0) begin
                before_a = read(WIDTH_A, address_a);
                if (ce_a && (we_a || WIDTH_A == 36) && !rst_a)
                    write(WIDTH_A, address_a, write_a);
                read_a = seen(WIDTH_A, MODE_A == "WRITETHROUGH", MODE_A == "READBEFOREWRITE", ce_a, we_a, rst_a, read_a,
                              before_a, read(WIDTH_A, address_a));
                #1 clk_a = 1;
            end else begin
                before_b = read(WIDTH_B, address_b);
                if (ce_b && we_b && !rst_b)
                    write(WIDTH_B, address_b, write_b);
                read_b = seen(WIDTH_B, MODE_B == "WRITETHROUGH", MODE_B == "READBEFOREWRITE", ce_b, we_b, rst_b, read_b,
                              before_b, read(WIDTH_B, address_b));
                #1 clk_b = 1;
            end
            #1;
            // Of 36 bits the even word comes out at A; a port of fewer has its at B, whatever A writes.
            got_b = WIDTH_B == 36 ? {out_b, out_a} : out_b;
            if ((WIDTH_A != 36 && out_a !== read_a[17:0]) || got_b !== read_b)
                good = 0;
            clk_a = 0;
            clk_b = 0;
        end
        done = 1;
    end
endmodule
`default_nettype wire
