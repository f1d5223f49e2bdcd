// SPDX-License-Identifier: Apache-2.0
// Four-state test bench: two bundles of two lanes power on with every register unknown, come up over lanes that
// differ by three words and are cut anywhere, and carry numbered words both ways, their clocks 600 ppm apart. Prints
// PASSED, or FAILED and the reason.
//
//   +WORDS=n   words each way    +DAMAGE=n  a bit is flipped every n words, one way and the other by turns; 0: none
//   +NEAR=1    each end hears itself, and no receive clock ever runs
//
// run.py runs it with:
//   run: +WORDS=4000
//   run: +WORDS=2000 +DAMAGE=101
//   run: +WORDS=1000 +NEAR=1
`default_nettype none
module lane_bundle_pair;
    localparam LIMIT = 12000;            // words until the run is given up

    integer words, damage, near, failures;

    task automatic fail(input [8*40-1:0] what, input integer side);
        begin
            if (failures < 20) begin
                $display("FAILED: %0s, end %0d, %0t", what, side, $time);
            end
            failures = failures + 1;
        end
    endtask

    reg  [1:0]  clk, rst, known;
    wire [39:0] line [0:1];
    wire [1:0]  done;

    initial begin
        if (!$value$plusargs("WORDS=%d", words)) words = 4000;
        if (!$value$plusargs("DAMAGE=%d", damage)) damage = 0;
        if (!$value$plusargs("NEAR=%d", near)) near = 0;
        failures = 0;
        clk = 2'b00;
    end
    initial forever #1999400 clk[0] = !clk[0];
    initial #777000 forever #2000600 clk[1] = !clk[1];

    initial begin
        repeat (LIMIT) @(posedge clk[0]);
        $display("FAILED: not done after %0d words", LIMIT);
        $finish_and_return(1);
    end

    genvar i, l;
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_end
            // this end's cable: the other end's bits, some later, cut elsewhere, with the sender's clock
            reg  [1:0]  rx_clk;
            wire [39:0] rx;
            integer     countdown;
            reg  [39:0] flip;
            initial countdown = 50 + 17 * i;
            always @(posedge clk[1-i]) begin
                flip = 40'd0;
                if (damage != 0 && known == 2'b11) begin
                    countdown = countdown - 1;
                    if (countdown <= 0) begin
                        flip = 40'd1 << (($time / 1000) % 40);
                        countdown = damage;
                    end
                end
            end
            for (l = 0; l < 2; l = l + 1) begin : gen_lane
                reg [39:0] bits;         // two words
                reg [19:0] word;
                localparam integer CUT = 3 + 8 * l + 5 * i;
                localparam integer LATE = 1300000 + 12000000 * l;
                always @(posedge clk[1-i]) begin
                    bits = {line[1-i][20*l +: 20] ^ flip[20*l +: 20], bits[39:20]};
                end
                always @(posedge clk[1-i]) if (near == 0) begin
                    word      <= #(LATE) bits[CUT +: 20];
                    rx_clk[l] <= #(LATE + 500000) 1'b1;
                    rx_clk[l] <= #(LATE + 2500000) 1'b0;
                end
                assign rx[20*l +: 20] = word;
            end

            // numbered words, two idle ones for each pause, and others now and then
            integer     sent, gap;
            reg         asked;
            reg  [31:0] tx_data;
            reg  [3:0]  tx_control;
            wire        tx_pause, rx_strobe, up, local_fault, remote_fault, deskewed, late;
            wire [31:0] rx_data;
            wire [3:0]  rx_control;
            wire [1:0]  signal, synced, mismatch, prbs_locked, bad;
            wire [31:0] prbs_errors;
            wire        added, dropped, lost;
            always @(posedge clk[i]) begin
                asked <= tx_pause;
                tx_data    <= 32'h07070707;
                tx_control <= 4'b1111;
                if (gap > 0) begin
                    gap <= gap - 1;
                end else if (tx_pause && !asked) begin
                    gap <= 1;
                end else if (up && sent < words + 300 && sent % 97 != 96) begin
                    tx_data    <= {16'h5A00 + sent[7:0], sent[15:0]};
                    tx_control <= 4'b0000;
                    sent <= sent + 1;
                end else if (up) begin
                    sent <= sent + 1;
                end
                if (rst[i]) begin
                    sent  <= 0;
                    gap   <= 0;
                    asked <= 1'b0;
                end
            end

            lane_bundle #(.BYTES(4), .LANES(2)) u_bundle (
                .clk(clk[i]), .rst(rst[i]), .en(1'b1),
                .tx_data(tx_data), .tx_control(tx_control), .tx_pause(tx_pause),
                .rx_strobe(rx_strobe), .rx_data(rx_data), .rx_control(rx_control),
                .phy_tx(line[i]), .rx_clk(rx_clk), .phy_rx_valid(2'b11), .phy_rx(rx), .phy_rx_signal(2'b11),
                .loopback_near(near != 0), .loopback_far(1'b0), .prbs(1'b0), .prbs31(1'b0),
                .up(up), .local_fault(local_fault), .remote_fault(remote_fault), .deskewed(deskewed), .late(late),
                .lane_signal(signal), .lane_synced(synced), .lane_mismatch(mismatch), .prbs_locked(prbs_locked),
                .prbs_errors(prbs_errors), .event_bad(bad), .event_added(added), .event_dropped(dropped),
                .event_lost(lost)
            );

            initial begin
                rst[i]   = 1'b1;
                known[i] = 1'b0;
                repeat (20) @(posedge clk[i]);
                rst[i] <= 1'b0;
                repeat (4) @(posedge clk[i]);
                known[i] <= 1'b1;
            end

            // what must never be unknown, and numbers that go up by one or, past an idle, two; damage may cost some
            integer last, came, wrong;
            always @(posedge clk[i]) begin
                if (known[i]) begin
                    if (^{rx_strobe, rx_data, rx_control} === 1'bx) fail("what the link receives is unknown", i);
                    if (^{tx_pause, up, local_fault, remote_fault, deskewed, late} === 1'bx) begin
                        fail("the state is unknown", i);
                    end
                    if (near == 0 && ^{signal, synced, mismatch, bad, added, dropped, lost} === 1'bx) begin
                        fail("a lane's state is unknown", i);
                    end
                    if (^line[i] === 1'bx) fail("the line is unknown", i);
                end
                if (rst[i]) begin
                    last  <= -1;
                    came  <= 0;
                    wrong <= 0;
                end else if (rx_strobe === 1'b1 && rx_control == 4'b0000 && up === 1'b1) begin
                    came <= came + 1;
                    last <= rx_data[15:0];
                    if (rx_data[31:16] != 16'h5A00 + rx_data[7:0]
                            || (last >= 0 && rx_data[15:0] != last + 1 && rx_data[15:0] != last + 2)) begin
                        wrong <= wrong + 1;
                        if (damage == 0) fail("a word is wrong", i);
                    end
                end
            end
            assign done[i] = came >= words - words / 50;
            always @(posedge done[i]) begin
                if (damage != 0 && wrong * damage > 4 * words) fail("too many words are wrong", i);
            end
        end
    endgenerate

    always @(posedge clk[0]) if (done === 2'b11) begin
        if (failures == 0) begin
            $display("PASSED: %0d and %0d words came", gen_end[0].came, gen_end[1].came);
        end
        $finish_and_return(failures != 0);
    end
endmodule
`default_nettype wire
