// SPDX-License-Identifier: Apache-2.0
// Model of a block memory of an ECP5 [ECP5MEM]: 1024 words of 18 bits, two ports of 1, 2, 4, 9 or 18 bits each, or
// one of 36 for writes (at A) and one of any width for reads (at B). As Yosys uses it: no output registers,
// synchronous resets, no chip selects; anything else ends the simulation. A reset port does not write. Power-on: as
// TRELLIS_FF.
//
// Within a word, bits of address a choose: a[3] the byte, a[2] the nibble, a[1] the pair, a[0] the bit; what is
// narrower than a byte leaves out its ninth bit. Ports of 18 bits and more have byte enables in the low bits of
// their address.
`default_nettype none
module DP16KD #(
    parameter DATA_WIDTH_A = 18,
    parameter REGMODE_A = "NOREG",
    parameter WRITEMODE_A = "NORMAL",
    parameter CSDECODE_A = "0b000",
    parameter CLKAMUX = "CLKA",
    parameter WEAMUX = "WEA",
    parameter CEAMUX = "CEA",
    parameter RSTAMUX = "RSTA",
    parameter DATA_WIDTH_B = 18,
    parameter REGMODE_B = "NOREG",
    parameter WRITEMODE_B = "NORMAL",
    parameter CSDECODE_B = "0b000",
    parameter CLKBMUX = "CLKB",
    parameter WEBMUX = "WEB",
    parameter CEBMUX = "CEB",
    parameter RSTBMUX = "RSTB",
    parameter RESETMODE = "SYNC",
    parameter ASYNC_RESET_RELEASE = "SYNC",
    parameter GSR = "ENABLED",
    parameter [319:0] INITVAL_00 = 320'h0, INITVAL_01 = 320'h0, INITVAL_02 = 320'h0, INITVAL_03 = 320'h0,
    parameter [319:0] INITVAL_04 = 320'h0, INITVAL_05 = 320'h0, INITVAL_06 = 320'h0, INITVAL_07 = 320'h0,
    parameter [319:0] INITVAL_08 = 320'h0, INITVAL_09 = 320'h0, INITVAL_0A = 320'h0, INITVAL_0B = 320'h0,
    parameter [319:0] INITVAL_0C = 320'h0, INITVAL_0D = 320'h0, INITVAL_0E = 320'h0, INITVAL_0F = 320'h0,
    parameter [319:0] INITVAL_10 = 320'h0, INITVAL_11 = 320'h0, INITVAL_12 = 320'h0, INITVAL_13 = 320'h0,
    parameter [319:0] INITVAL_14 = 320'h0, INITVAL_15 = 320'h0, INITVAL_16 = 320'h0, INITVAL_17 = 320'h0,
    parameter [319:0] INITVAL_18 = 320'h0, INITVAL_19 = 320'h0, INITVAL_1A = 320'h0, INITVAL_1B = 320'h0,
    parameter [319:0] INITVAL_1C = 320'h0, INITVAL_1D = 320'h0, INITVAL_1E = 320'h0, INITVAL_1F = 320'h0,
    parameter [319:0] INITVAL_20 = 320'h0, INITVAL_21 = 320'h0, INITVAL_22 = 320'h0, INITVAL_23 = 320'h0,
    parameter [319:0] INITVAL_24 = 320'h0, INITVAL_25 = 320'h0, INITVAL_26 = 320'h0, INITVAL_27 = 320'h0,
    parameter [319:0] INITVAL_28 = 320'h0, INITVAL_29 = 320'h0, INITVAL_2A = 320'h0, INITVAL_2B = 320'h0,
    parameter [319:0] INITVAL_2C = 320'h0, INITVAL_2D = 320'h0, INITVAL_2E = 320'h0, INITVAL_2F = 320'h0,
    parameter [319:0] INITVAL_30 = 320'h0, INITVAL_31 = 320'h0, INITVAL_32 = 320'h0, INITVAL_33 = 320'h0,
    parameter [319:0] INITVAL_34 = 320'h0, INITVAL_35 = 320'h0, INITVAL_36 = 320'h0, INITVAL_37 = 320'h0,
    parameter [319:0] INITVAL_38 = 320'h0, INITVAL_39 = 320'h0, INITVAL_3A = 320'h0, INITVAL_3B = 320'h0,
    parameter [319:0] INITVAL_3C = 320'h0, INITVAL_3D = 320'h0, INITVAL_3E = 320'h0, INITVAL_3F = 320'h0
) (
    input  wire CLKA, CEA, OCEA, WEA, RSTA, CSA2, CSA1, CSA0,
    input  wire ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
    input  wire DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9,
    input  wire DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
    output wire DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
    output wire DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
    input  wire CLKB, CEB, OCEB, WEB, RSTB, CSB2, CSB1, CSB0,
    input  wire ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
    input  wire DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9,
    input  wire DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
    output wire DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
    output wire DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
    localparam WIDE = DATA_WIDTH_A == 36;
    initial
        if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CSDECODE_A != "0b000" || CSDECODE_B != "0b000" ||
            (DATA_WIDTH_B == 36 && !WIDE)) begin
            $display("DP16KD: no model of output registers, chip selects, 36 bits at B alone");
            $finish;
        end

    wire        clk_a     = CLKAMUX == "INV" ? !CLKA : CLKA;
    wire        enable_a  = (CEAMUX == "INV" ? !CEA : CEA) && !(CSA2 || CSA1 || CSA0);
    wire        write_a   = WEAMUX == "INV" ? !WEA : WEA;
    wire        reset_a   = RSTAMUX == "INV" ? !RSTA : RSTA;
    wire [13:0] address_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7,
                             ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [17:0] data_a    = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9,
                             DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
    wire        clk_b     = CLKBMUX == "INV" ? !CLKB : CLKB;
    wire        enable_b  = (CEBMUX == "INV" ? !CEB : CEB) && !(CSB2 || CSB1 || CSB0);
    wire        write_b   = WEBMUX == "INV" ? !WEB : WEB;
    wire        reset_b   = RSTBMUX == "INV" ? !RSTB : RSTB;
    wire [13:0] address_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7,
                             ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
    wire [17:0] data_b    = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9,
                             DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};

    // A memory that is never reset is said to be so at any time.
    generate
        if (RESETMODE != "SYNC") begin : g_async
            always @(posedge reset_a or posedge reset_b) begin
                $display("DP16KD: no model of asynchronous resets");
                $finish;
            end
        end
    endgenerate

    // The bits of a word that a port of that width sees at an address, and its data where they lie.
    function [17:0] bits_seen(input integer width, input [3:0] a);
        case (width)
            1:       bits_seen = 18'h1 << (9 * a[3] + 4 * a[2] + 2 * a[1] + a[0]);
            2:       bits_seen = 18'h3 << (9 * a[3] + 4 * a[2] + 2 * a[1]);
            4:       bits_seen = 18'hF << (9 * a[3] + 4 * a[2]);
            9:       bits_seen = a[3] ? 18'h3FE00 : 18'h001FF;
            default: bits_seen = {{9{a[1]}}, {9{a[0]}}};
        endcase
    endfunction
    function [17:0] spread(input integer width, input [17:0] data);
        case (width)
            1:       spread = {1'b0, {8{data[0]}}, 1'b0, {8{data[0]}}};
            2:       spread = {1'b0, {4{data[1:0]}}, 1'b0, {4{data[1:0]}}};
            4:       spread = {1'b0, {2{data[3:0]}}, 1'b0, {2{data[3:0]}}};
            9:       spread = {2{data[8:0]}};
            default: spread = data;
        endcase
    endfunction
    function [17:0] gather(input integer width, input [3:0] a, input [17:0] word);
        reg [17:0] down;
        begin
            down = word >> (9 * a[3] + (width <= 4 ? 4 * a[2] : 0) + (width <= 2 ? 2 * a[1] : 0) +
                            (width == 1 ? a[0] : 0));
            gather = width >= 18 ? word : down & ((18'h1 << width) - 18'h1);
        end
    endfunction

    reg  [17:0] memory [0:1023];
    reg  [17:0] out_a, out_b;
    localparam [20479:0] INIT = {
        INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C,
        INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
        INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34,
        INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
        INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C,
        INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
        INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
        INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
        INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C,
        INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
        INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14,
        INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
        INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C,
        INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
        INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04,
        INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00};
    integer     i;
    initial begin
        for (i = 0; i < 1024; i = i + 1)
            memory[i] = memory[i] ^ INIT[20 * i +: 18];
        out_a = out_a ^ 18'h0;
        out_b = out_b ^ 18'h0;
    end

    // one of 36 bits: the even word at A, the odd one at B
    wire [17:0] mask_a = WIDE ? {{9{address_a[1]}}, {9{address_a[0]}}} : bits_seen(DATA_WIDTH_A, address_a[3:0]);
    wire [17:0] mask_b = bits_seen(DATA_WIDTH_B, address_b[3:0]);
    wire [17:0] odd    = {{9{address_a[3]}}, {9{address_a[2]}}};
    wire [9:0]  word_a = WIDE ? {address_a[13:5], 1'b0} : address_a[13:4];
    wire [9:0]  word_b = address_b[13:4];
    wire [17:0] old_a  = memory[word_a];
    wire [17:0] old_b  = memory[word_b];
    wire [17:0] new_a  = (old_a & ~mask_a) | (spread(WIDE ? 18 : DATA_WIDTH_A, data_a) & mask_a);
    wire [17:0] new_b  = (old_b & ~mask_b) | (spread(DATA_WIDTH_B, data_b) & mask_b);
    generate
        if (WIDE) begin : g_wide
            always @(posedge clk_a)
                if (enable_a && !reset_a) begin
                    memory[word_a]         <= new_a;
                    memory[word_a | 10'd1] <= (memory[word_a | 10'd1] & ~odd) | (data_b & odd);
                end
            always @(posedge clk_b)
                if (reset_b) begin
                    out_a <= 18'h0;
                    out_b <= 18'h0;
                end else if (enable_b) begin
                    out_a <= memory[{address_b[13:5], 1'b0}];
                    out_b <= DATA_WIDTH_B == 36 ? memory[{address_b[13:5], 1'b1}] :
                                                  gather(DATA_WIDTH_B, address_b[3:0], old_b);
                end
        end else begin : g_two
            always @(posedge clk_a)
                if (reset_a)
                    out_a <= 18'h0;
                else if (enable_a) begin
                    if (write_a)
                        memory[word_a] <= new_a;
                    if (!write_a || WRITEMODE_A == "READBEFOREWRITE")
                        out_a <= gather(DATA_WIDTH_A, address_a[3:0], old_a);
                    else if (WRITEMODE_A == "WRITETHROUGH")
                        out_a <= gather(DATA_WIDTH_A, address_a[3:0], new_a);
                end
            always @(posedge clk_b)
                if (reset_b)
                    out_b <= 18'h0;
                else if (enable_b) begin
                    if (write_b)
                        memory[word_b] <= new_b;
                    if (!write_b || WRITEMODE_B == "READBEFOREWRITE")
                        out_b <= gather(DATA_WIDTH_B, address_b[3:0], old_b);
                    else if (WRITEMODE_B == "WRITETHROUGH")
                        out_b <= gather(DATA_WIDTH_B, address_b[3:0], new_b);
                end
        end
    endgenerate
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
            DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = out_a;
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
            DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = out_b;
endmodule
`default_nettype wire
