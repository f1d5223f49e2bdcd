// SPDX-License-Identifier: Apache-2.0
// Primitives of an ECP5 (fpga/common/models/ecp5), each by itself, against what Lattice and prjtrellis write of it,
// said here in another way than in the models. ecp5_models_test.py runs it.
`default_nettype none
`timescale 1ns/1ns
module primitives_bench;
    integer wrong = 0, checks = 0;
    task check(input good, input [8*40-1:0] what);
        begin
            checks = checks + 1;
            if (good !== 1'b1) begin
                wrong = wrong + 1;
                $display("FAILED: %0s at %0d", what, checks);
            end
        end
    endtask

    // Tables: bit {D, C, B, A}; the multiplexers; what is not known matters only where it decides.
    reg  [3:0] a = 0;
    reg        s = 0, carry = 0;
    wire       z, z_five, z_six, comb, comb_five, comb_six;
    localparam [15:0] TABLE = 16'hB3C5;
    LUT4 #(.INIT(TABLE)) lut (.A(a[0]), .B(a[1]), .C(a[2]), .D(a[3]), .Z(z));
    PFUMX   five (.ALUT(a[0]), .BLUT(a[1]), .C0(s), .Z(z_five));
    L6MUX21 six  (.D0(a[0]), .D1(a[1]), .SD(s), .Z(z_six));
    TRELLIS_COMB #(.MODE("LOGIC"), .INITVAL(TABLE)) logic_low (
        .A(a[0]), .B(a[1]), .C(a[2]), .D(a[3]), .M(s), .F1(a[2]), .F(comb), .OFX(comb_five));
    TRELLIS_COMB #(.MODE("LOGIC"), .IS_Z1(1'b1)) logic_high (.M(s), .FXA(a[0]), .FXB(a[1]), .OFX(comb_six));

    // Carry mode: a + b, and a - b with the table of an inverted b; of the first, its INJECT1 ends a chain.
    wire [1:0] sum, difference, ended;
    wire       sum_carry, difference_carry, half_carry, half_sum, half_sum_1, half_carry_1;
    CCU2C #(.INIT0(16'h96AA), .INIT1(16'h96AA), .INJECT1_0("NO"), .INJECT1_1("NO")) plus (
        .CIN(carry), .A0(a[0]), .B0(a[2]), .C0(1'b0), .D0(1'b1), .A1(a[1]), .B1(a[3]), .C1(1'b0), .D1(1'b1),
        .S0(sum[0]), .S1(sum[1]), .COUT(sum_carry));
    CCU2C #(.INIT0(16'h96AA), .INIT1(16'h96AA), .INJECT1_0("NO"), .INJECT1_1("NO")) minus (
        .CIN(carry), .A0(a[0]), .B0(a[2]), .C0(1'b1), .D0(1'b1), .A1(a[1]), .B1(a[3]), .C1(1'b1), .D1(1'b1),
        .S0(difference[0]), .S1(difference[1]), .COUT(difference_carry));
    CCU2C #(.INIT0(16'hFFFF), .INIT1(16'h0000), .INJECT1_0("YES"), .INJECT1_1("NO")) tail (
        .CIN(carry), .A0(1'b0), .B0(1'b0), .C0(1'b0), .D0(1'b0), .A1(1'b0), .B1(1'b0), .C1(1'b0), .D1(1'b0),
        .S0(ended[0]), .S1(ended[1]), .COUT());
    TRELLIS_COMB #(.MODE("CCU2"), .INITVAL(16'h96AA), .CCU2_INJECT1("NO")) half_0 (
        .A(a[0]), .B(a[2]), .C(1'b0), .D(1'b1), .FCI(carry), .F(half_sum), .FCO(half_carry));
    TRELLIS_COMB #(.MODE("CCU2"), .INITVAL(16'h96AA), .CCU2_INJECT1("NO")) half_1 (
        .A(a[1]), .B(a[3]), .C(1'b0), .D(1'b1), .FCI(half_carry), .F(half_sum_1), .FCO(half_carry_1));

    integer n;
    reg [2:0] total;
    task tables;
        for (n = 0; n < 64; n = n + 1) begin
            {carry, s, a} = n;
            #1;
            check(z === (TABLE >> a & 1'b1) && comb === z, "table");
            check(z_five === (s ? a[0] : a[1]) && z_six === (s ? a[1] : a[0]), "multiplexers");
            check(comb_five === (s ? a[2] : comb) && comb_six === z_six, "multiplexers of a slice");
            total = a[1:0] + a[3:2] + carry;
            check({sum_carry, sum} === total && {half_carry_1, half_sum_1, half_sum} === total, "sum");
            total = a[1:0] + (a[3:2] ^ 2'b11) + carry;
            check({difference_carry, difference} === total, "difference");
            check(ended === {carry, 1'b1}, "ends of a chain");
        end
    endtask

    // Flip-flops: one of each way they may be set up, with the same inputs.
    reg  clk = 0, lsr = 0, ce = 0, d = 0, m = 0;
    wire [8:0] q;
    TRELLIS_FF #(.CEMUX("CE"), .REGSET("SET")) f0 (.CLK(clk), .LSR(lsr), .CE(ce), .DI(d), .M(m), .Q(q[0]));
    TRELLIS_FF #(.CEMUX("INV"), .LSRMUX("INV")) f1 (.CLK(clk), .LSR(lsr), .CE(ce), .DI(d), .M(m), .Q(q[1]));
    TRELLIS_FF #(.CEMUX("CE"), .SRMODE("CE_OVER_LSR"), .REGSET("SET")) f2 (
        .CLK(clk), .LSR(lsr), .CE(ce), .DI(d), .M(m), .Q(q[2]));
    TRELLIS_FF #(.CEMUX("CE"), .SRMODE("ASYNC")) f3 (.CLK(clk), .LSR(lsr), .CE(ce), .DI(d), .M(m), .Q(q[3]));
    TRELLIS_FF #(.CLKMUX("INV"), .SD("0")) f4 (.CLK(clk), .LSR(lsr), .CE(1'b0), .DI(d), .M(m), .Q(q[4]));
    TRELLIS_FF #(.CEMUX("CE"), .LSRMODE("PRLD")) f5 (.CLK(clk), .LSR(lsr), .CE(ce), .DI(d), .M(m), .Q(q[5]));
    TRELLIS_FF #(.CEMUX("0"), .REGSET("SET")) f6 (.CLK(clk), .LSR(lsr), .CE(ce), .DI(d), .M(m), .Q(q[6]));
    TRELLIS_FF #(.CEMUX("1"), .LSRMUX("0")) f7 (.CLK(clk), .LSR(lsr), .CE(ce), .DI(d), .M(m), .Q(q[7]));
    TRELLIS_FF f8 (.CLK(clk), .LSR(lsr), .CE(ce), .DI(d), .M(m), .Q(q[8]));
    reg [8:0] was, want;
    task flops;
        begin
            lsr = 1; ce = 1; #1; clk = 1; #1; clk = 0; #1;
            check(q[0] === 1'b1 && q[2] === 1'b1 && q[3] === 1'b0 && q[6] === 1'b1 && q[8] === 1'b0, "set by LSR");
            for (n = 0; n < 400; n = n + 1) begin
                {m, d, ce, lsr} = $random;
                #1;
                was = q;
                check(!lsr || q[3] === 1'b0, "at once");
                clk = 1;
                #1;
                want[0] = lsr ? 1'b1 : ce ? d : was[0];
                want[1] = !lsr ? 1'b0 : !ce ? d : was[1];
                want[2] = !ce ? was[2] : lsr ? 1'b1 : d;
                want[3] = lsr ? 1'b0 : ce ? d : was[3];
                want[4] = was[4];
                want[5] = lsr ? m : ce ? d : was[5];
                want[6] = lsr ? 1'b1 : was[6];
                want[7] = d;
                want[8] = lsr ? 1'b0 : d;
                check(n < 20 || q === want, "at the edge");
                clk = 0;
                #1;
                check(q[4] === (lsr ? 1'b0 : m), "at the other edge");
            end
        end
    endtask

    // 16 words in tables: as Yosys has them, and bit 0 as nextpnr has it, whose table is in another order.
    localparam [63:0] WORDS = 64'hFEDC_BA98_7654_3210;
    reg  [3:0] wad = 0, rad = 0, di = 0;
    reg        wre = 0;
    wire [3:0] word, wado, wdo;
    wire       bit_0;
    function [15:0] table_of(input [63:0] words);
        integer i;
        // the table's index is {D, C, B, A}, and the address of a read {A, C, B, D}
        for (i = 0; i < 16; i = i + 1)
            table_of[i] = words[4 * {i[0], i[2], i[1], i[3]}];
    endfunction
    TRELLIS_DPR16X4 #(.INITVAL(WORDS)) words (.DI(di), .WAD(wad), .WRE(wre), .WCK(clk), .RAD(rad), .DO(word));
    TRELLIS_RAMW ramw (
        .D0(wad[0]), .B0(wad[1]), .C0(wad[2]), .A0(wad[3]), .C1(di[0]), .A1(di[1]), .D1(di[2]), .B1(di[3]),
        .WADO0(wado[0]), .WADO1(wado[1]), .WADO2(wado[2]), .WADO3(wado[3]),
        .WDO0(wdo[0]), .WDO1(wdo[1]), .WDO2(wdo[2]), .WDO3(wdo[3]));
    TRELLIS_COMB #(.MODE("DPRAM"), .INITVAL(table_of(WORDS))) cell_0 (
        .D(rad[0]), .B(rad[1]), .C(rad[2]), .A(rad[3]), .WD(wdo[0]), .WRE(wre), .WCK(clk),
        .WAD0(wado[0]), .WAD1(wado[1]), .WAD2(wado[2]), .WAD3(wado[3]), .F(bit_0));
    reg  [3:0] kept [0:15];
    task small_memories;
        begin
            // what is there at power-on is not known here (models: "Power-on"): all is written first
            for (n = 0; n < 500; n = n + 1) begin
                {wad, di} = n < 16 ? {n[3:0], n[3:0] ^ 4'h5} : $random;
                wre = n < 16 || $random;
                rad = $random;
                #1;
                check({wado, wdo} === {wad, di}, "wires of a memory");
                check(n < 16 || (word === kept[rad] && bit_0 === kept[rad][0]), "small memory");
                clk = 1;
                #1;
                if (wre) kept[wad] = di;
                check(n < 16 || (word === kept[rad] && bit_0 === kept[rad][0]), "small memory, written");
                clk = 0;
            end
        end
    endtask

    // Block memories.
    wire [7:0] done, good;
    memory_bench #(.WIDTH_A(18), .WIDTH_B(9)) m0 (.done(done[0]), .good(good[0]));
    memory_bench #(.WIDTH_A(4), .WIDTH_B(1), .MODE_A("WRITETHROUGH")) m1 (.done(done[1]), .good(good[1]));
    memory_bench #(.WIDTH_A(2), .WIDTH_B(18), .MODE_B("READBEFOREWRITE")) m2 (.done(done[2]), .good(good[2]));
    memory_bench #(.WIDTH_A(36), .WIDTH_B(36)) m3 (.done(done[3]), .good(good[3]));
    memory_bench #(.WIDTH_A(36), .WIDTH_B(18)) m4 (.done(done[4]), .good(good[4]));
    memory_bench #(.WIDTH_A(9), .WIDTH_B(2), .MODE_A("READBEFOREWRITE")) m5 (.done(done[5]), .good(good[5]));
    memory_bench #(.WIDTH_A(1), .WIDTH_B(4), .MODE_B("WRITETHROUGH")) m6 (.done(done[6]), .good(good[6]));
    memory_bench #(.WIDTH_A(36), .WIDTH_B(4)) m7 (.done(done[7]), .good(good[7]));

    initial begin
        tables;
        flops;
        small_memories;
        wait (done == 8'hFF);
        check(good === 8'hFF, "block memories");
        if (wrong == 0)
            $display("PASSED: %0d checks", checks);
        $finish;
    end
endmodule
`default_nettype wire
