// SPDX-License-Identifier: Apache-2.0
// Four-state test bench of the HX8K board's top (fpga/hx8k) in real time, in ps: its PLLs are two oscillators that
// differ, cables delay by any time, edges jitter, the cable is pulled and put back, and the bench sits at the serial
// line. Known at first are only the registers that need a bitstream's zeros: of the clocks and of the sampled pins.
// Prints PASSED, or FAILED and the reason.
//
//   +PPM=n     end B's clock is faster by n ppm; may be negative
//   +JITTER=n  every edge on the cable comes up to n ps late, at random
//   +PERIOD=n  a bit is flipped every n bits at both ends; 0: none
//   +WORDS=n   words each way at least
//   +CABLE=n   ps from end A to end B; back it is 3,800 more
//
// sources: fpga/hx8k/*.v verif/icarus/qcdoc/ice40/*.v
//
// run.py runs it with:
//   run: +PPM=600 +JITTER=2000 +PERIOD=997
`default_nettype none
module hx8k_board;
    localparam CYCLES = 16;              // of 50.25 MHz: a bit of the serial line
    localparam BAUD   = 318408;          // ps, the same
    localparam [7:0] A = 8'h40, B = 8'h80;
    localparam [7:0] CONTROL = 8'd0, STATUS = 8'd1, TX_CHECKSUM = 8'd2, RX_CHECKSUM = 8'd3, SENT = 8'd4, RESENT = 8'd5,
                     CHECKED = 8'd6, WRONG = 8'd7, DAMAGED = 8'd8, RETRAINS = 8'd9, PERIOD = 8'd10, INJECTED = 8'd11;

    integer ppm, jitter, period, words, cable, failures, i;
    reg     clk12, plugged, sends, known;
    reg     a_in, b_in;
    wire    a_out, b_out, txd;
    wire [7:0] led;

    hx8k_qcdoc #(.SOURCE_HASH(32'hC0FFEE01), .BAUD_CYCLES(CYCLES)) dut (
        .clk12(clk12), .rxd(sends), .txd(txd), .a_in(a_in), .a_out(a_out), .b_in(b_in), .b_out(b_out), .led(led));

    // Wires that delay, with jitter; edges of a line are 20 ns apart; a pin without a wire is pulled up.
    always @(a_out or plugged)
        b_in <= #(cable + (jitter > 0 ? $unsigned($random) % jitter : 0)) plugged ? a_out : 1'b1;
    always @(b_out or plugged)
        a_in <= #(cable + 3800 + (jitter > 0 ? $unsigned($random) % jitter : 0)) plugged ? b_out : 1'b1;

    initial begin
        clk12 = 1'b0;
        forever #41667 clk12 = !clk12;
    end

    task fail(input [8*40-1:0] what, input [31:0] got, input [31:0] wanted);
        begin
            $display("FAILED: %0s: %h, not %h, at %0d ns", what, got, wanted, $time / 1000);
            failures = failures + 1;
            if (failures == 10)
                $finish_and_return(1);
        end
    endtask

    // ---- the serial line ----
    function [15:0] crc(input [15:0] before, input [7:0] data);
        integer n;
        begin
            crc = before ^ {data, 8'd0};
            for (n = 0; n < 8; n = n + 1)
                crc = {crc[14:0], 1'b0} ^ (crc[15] ? 16'h1021 : 16'h0000);
        end
    endfunction

    reg [15:0] sum;
    task character(input [7:0] value);
        integer n;
        begin
            sum = crc(sum, value);
            sends = 1'b0;
            #BAUD;
            for (n = 0; n < 8; n = n + 1) begin
                sends = value[n];
                #BAUD;
            end
            sends = 1'b1;
            #BAUD;
        end
    endtask

    reg [55:0] answer;                   // the first character in 7:0
    integer    answered, k;
    reg [7:0]  heard;
    initial begin
        answered = 0;
        @(posedge known);
        forever begin
            @(negedge txd);
            #(BAUD / 2);
            for (k = 0; k < 8; k = k + 1) begin
                #BAUD;
                heard[k] = txd;
            end
            #BAUD;
            if (txd !== 1'b1) fail("stop bit", {31'd0, txd}, 1);
            answer = {heard, answer[55:8]};
            answered = answered + 1;
        end
    end

    reg [31:0] value;
    reg [15:0] check;
    task access(input write, input [7:0] address, input [31:0] data);
        integer waited;
        begin
            answered = 0;
            sum = 16'hFFFF;
            character(write ? "W" : "R");
            character(address);
            if (write) begin
                character(data[7:0]);
                character(data[15:8]);
                character(data[23:16]);
                character(data[31:24]);
            end
            check = sum;
            character(check[15:8]);
            character(check[7:0]);
            waited = 0;
            while (answered < 7 && waited < 200) begin
                #BAUD;
                waited = waited + 1;
            end
            value = answer[39:8];
            if (answered !== 7) fail("characters of an answer", answered, 7);
            if (answer[7:0] !== "A") fail("answer", {24'd0, answer[7:0]}, "A");
            check = crc(crc(crc(16'hFFFF, answer[7:0]), answer[15:8]), answer[23:16]);
            check = crc(crc(check, answer[31:24]), answer[39:32]);
            if ({answer[47:40], answer[55:48]} !== check)
                fail("CRC of an answer", {16'd0, answer[47:40], answer[55:48]}, {16'd0, check});
            if (^value === 1'bx) fail("a register is unknown", {24'd0, address}, value);
        end
    endtask
    task expect_register(input [7:0] address, input [31:0] wanted);
        begin
            access(1'b0, address, 32'd0);
            if (value !== wanted) fail("register", value, wanted);
        end
    endtask
    task both(input [7:0] address, input [31:0] data);
        begin
            access(1'b1, A + address, data);
            access(1'b1, B + address, data);
        end
    endtask
    task wait_for_up;
        integer tries;
        begin
            tries = 0;
            while (led[1:0] !== 2'b11 && tries < 1000) begin
                #1000000;
                tries = tries + 1;
            end
            if (led[1:0] !== 2'b11) fail("LEDs of the links", {24'd0, led}, 3);
        end
    endtask
    task wait_for_words(input integer wanted);
        begin
            value = 32'd0;
            while (value < wanted && failures == 0) access(1'b0, A + CHECKED, 32'd0);
            value = 32'd0;
            while (value < wanted && failures == 0) access(1'b0, B + CHECKED, 32'd0);
        end
    endtask

    // What must never be unknown.
    always @(posedge clk12) if (known) begin
        if (^{txd, led} === 1'bx) fail("a pin is unknown", {23'd0, txd, led}, 0);
        if (^{a_out, b_out} === 1'bx) fail("a line is unknown", {30'd0, a_out, b_out}, 0);
    end

    reg [31:0] sent [0:1];
    reg [31:0] sums [0:1];
    reg [7:0]  near, far;
    initial begin
        if (!$value$plusargs("PPM=%d", ppm)) ppm = 0;
        if (!$value$plusargs("JITTER=%d", jitter)) jitter = 0;
        if (!$value$plusargs("PERIOD=%d", period)) period = 0;
        if (!$value$plusargs("WORDS=%d", words)) words = 45;
        if (!$value$plusargs("CABLE=%d", cable)) cable = 3300;
        failures = 0;
        known = 1'b0;
        sends = 1'b1;
        plugged = 1'b1;
        #1;
        dut.b_clocks.pll.ppm = ppm;
        dut.b_clocks.pll.start = 3700;
        // A bitstream's zeros; of the 65,536 bits of reset all but 1,000 have passed.
        dut.a_clocks.wait_reg = 17'd64536;
        dut.b_clocks.wait_reg = 17'd64536;
        dut.a_line.four.turn_reg = 1'b0;
        dut.b_line.four.turn_reg = 1'b0;
        #30000000;
        known = 1'b1;
        expect_register(8'd0, 32'h48545142);
        expect_register(8'd1, 32'hC0FFEE01);
        both(CONTROL, 32'd3);
        wait_for_up;
        wait_for_words(words / 3);
        if (jitter <= 4000) begin             // none flipped yet, and an eye of three samples
            expect_register(A + RESENT, 32'd0);
            expect_register(B + RESENT, 32'd0);
        end
        both(PERIOD, period);
        wait_for_words(2 * words / 3);
        plugged = 1'b0;
        #300000000;
        if (led[1:0] !== 2'b00) fail("LEDs without a cable", {24'd0, led}, 0);
        plugged = 1'b1;
        wait_for_up;
        wait_for_words(words);
        both(PERIOD, 32'd0);
        both(CONTROL, 32'd1);
        #60000000;
        for (i = 0; i < 2; i = i + 1) begin
            near = i == 0 ? A : B;
            access(1'b0, near + SENT, 32'd0);
            sent[i] = value;
            access(1'b0, near + TX_CHECKSUM, 32'd0);
            sums[i] = value;
            expect_register(near + WRONG, 32'd0);
            access(1'b0, near + INJECTED, 32'd0);
            if ((value == 32'd0) != (period == 0)) fail("bits flipped", value, period);
            access(1'b0, near + DAMAGED, 32'd0);
            if (value == 32'd0 && period != 0) fail("bits found flipped", value, 1);
            access(1'b0, near + RETRAINS, 32'd0);
            if (value == 32'd0) fail("trainings after the cable came back", value, 1);
            expect_register(near + STATUS, i == 0 ? 32'h12 : 32'h02);
        end
        for (i = 0; i < 2; i = i + 1) begin
            far = i == 0 ? B : A;
            expect_register(far + CHECKED, sent[i]);
            expect_register(far + RX_CHECKSUM, sums[i]);
        end
        if (failures == 0)
            $display("PASSED: %0d and %0d words, %0d ppm, jitter %0d ps", sent[0], sent[1], ppm, jitter);
        $finish_and_return(failures != 0);
    end

    initial begin
        #30000000000;
        $display("FAILED: not done after 30 ms");
        $finish_and_return(1);
    end
endmodule
`default_nettype wire
