// SPDX-License-Identifier: Apache-2.0
// Four-state test bench: two QCDOC links power on with every register unknown, train, and carry data words, supervisor
// words and partition interrupts both ways. Nothing is initialised, and an input
// that says nothing in a cycle is unknown. Prints PASSED, or FAILED
// and the reason.
//
//   +PACKETS=n  words each way    +CABLE=n  bit times one way, 1 to 64
//   +DAMAGE=n  a bit is flipped every n cycles, one way and the other by turns; 0: none
//
// run.py runs it with:
//   run: +CABLE=1
//   run: +CABLE=13
//   run: +CABLE=64
//   run: +CABLE=14 +DAMAGE=997
`default_nettype none
module qcdoc_link_pair;
    localparam LIMIT = 60000;        // bit times until the run is given up

    integer   packets, cable, damage, failures;
    reg       clk, rst, known;
    reg [2:0] phase;

    // Ends fail at the same time, so that each call has arguments of its own.
    task automatic fail(input [8*40-1:0] what, input integer side);
        begin
            if (failures < 20) begin
                $display("FAILED: %0s, end %0d, %0t", what, side, $time);
            end
            failures = failures + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("PACKETS=%d", packets)) packets = 100;
        if (!$value$plusargs("CABLE=%d", cable)) cable = 13;
        if (!$value$plusargs("DAMAGE=%d", damage)) damage = 0;
        failures = 0;
        clk = 1'b0;
        forever #1000 clk = !clk;
    end

    // longer than any cable, so that a known level comes out of it
    initial begin
        rst = 1'b1;
        known = 1'b0;
        repeat (100) @(posedge clk);
        rst <= 1'b0;
        @(posedge clk);
        known <= 1'b1;
    end

    initial begin
        repeat (LIMIT) @(posedge clk);
        $display("FAILED: not done after %0d bit times", LIMIT);
        $finish_and_return(1);
    end

    always @(posedge clk) begin
        phase <= rst ? 3'd0 : phase + 3'd1;
    end
    wire slot = phase == 3'd7;

    wire [1:0] wire_out, up, done;

    // Damage: a flipped bit every so many cycles, one way and the other by turns.
    integer countdown, struck;
    wire    strikes = known && damage != 0 && countdown == 0;
    wire    beaten = struck % 2 != 0;
    always @(posedge clk) begin
        countdown <= countdown > 0 ? countdown - 1 : damage;
        if (strikes) struck <= struck + 1;
        if (rst) begin
            countdown <= damage;
            struck    <= 0;
        end
    end

    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_end
            // the cable: what the other end sends, some bit times later
            reg [63:0] line;
            wire       wire_in = line[cable - 1];
            always @(posedge clk) begin
                line <= {line[62:0], wire_out[1 - i] ^ (strikes && beaten == i)};
            end

            // words: three classes, each told by its number and end
            integer     sent, taken, sup_sent, sup_taken, int_sent, int_taken;
            wire [1:0]  state;
            wire        word_ready, take_valid, sup_done, sup_arrived, int_done, int_arrived;
            wire [63:0] take_data, sup_received;
            wire [7:0]  int_received;
            wire        word_valid = known && up[i] && sent < packets;
            wire        sup_valid  = known && up[i] && sup_sent < packets / 8;
            wire        int_valid  = known && up[i] && int_sent < packets / 8;
            wire [7:0]  own = 8'd165 + i;
            wire [7:0]  others = 8'd166 - i;
            // a word stays for a while before it is taken, and some come back to back
            wire        take = take_valid && (taken % 16 < 8 || phase == 3'd2);
            assign up[i]   = state == 2'd2;
            assign done[i] = sent == packets && taken == packets && sup_sent == packets / 8 &&
                             sup_taken == packets / 8 && int_sent == packets / 8 && int_taken == packets / 8;
            always @(posedge clk) begin
                if (word_valid && word_ready) sent <= sent + 1;
                if (sup_valid && sup_done)    sup_sent <= sup_sent + 1;
                if (int_valid && int_done)    int_sent <= int_sent + 1;
                if (take) begin
                    taken <= taken + 1;
                    if (take_data !== {~{taken[15:0], others, 8'd0}, taken[15:0], others, 8'd0}) fail("word", i);
                end
                if (sup_arrived === 1'b1 && phase == 3'd4) begin
                    sup_taken <= sup_taken + 1;
                    if (sup_received !== {others, sup_taken[23:0], 24'd0, others}) fail("supervisor word", i);
                end
                if (int_arrived === 1'b1) begin
                    int_taken <= int_taken + 1;
                    if (int_received !== {1'b0, int_taken[6:0]}) fail("interrupt", i);
                end
                if (rst) begin
                    sent      <= 0;
                    taken     <= 0;
                    sup_sent  <= 0;
                    sup_taken <= 0;
                    int_sent  <= 0;
                    int_taken <= 0;
                end
            end

            wire [3:0]  peer_port;
            wire        held, outstanding, disable_link;
            wire [5:0]  errors;
            wire [31:0] tx_checksum, rx_checksum;
            wire        through_start, early_start, early_byte, in_step, flipped;
            wire [1:0]  early_parity, corrected;
            wire [7:0]  early_data, lane_data;
            wire        lane_control;
            wire [10:0] events;
            wire        obs_idle, obs_rx_start, obs_rx_ok, obs_rx_error;
            qcdoc_link link (
                .clk(clk), .rst(rst), .port(i[3:0]), .slot(slot), .serial_out(wire_out[i]), .serial_in(wire_in),
                .lane_data(lane_data), .lane_control(lane_control), .tx_pause(1'b0), .lane_rx_strobe(1'b0),
                .lane_rx_data(8'd0), .lane_rx_control(1'b0),
                .enable(known), .retrain(1'b0), .new_session(1'b0), .train_timeout(16'd0), .retrain_limit(4'd15),
                .state(state), .peer_port(peer_port), .held(held), .outstanding(outstanding),
                .disable_link(disable_link), .error_timeout(errors[0]), .error_retrains(errors[1]),
                .error_peer(errors[2]), .error_version(errors[3]), .error_protocol(errors[4]),
                .error_memory(errors[5]), .tx_checksum(tx_checksum), .rx_checksum(rx_checksum),
                .word_valid(word_valid), .word_ready(word_ready),
                .word(word_valid ? {~{sent[15:0], own, 8'd0}, sent[15:0], own, 8'd0} : 64'bx),
                .word_sent(word_valid ? 1'b0 : 1'bx),
                .through_valid(1'b0), .through_start(through_start), .through_parity(2'bx), .through_data(8'bx),
                .through_sure(1'b0),
                .take_valid(take_valid), .take_data(take_data), .take(take), .hold(1'b0),
                .early_start(early_start), .early_parity(early_parity), .early_byte(early_byte),
                .early_data(early_data), .in_step(in_step),
                .sup_valid(sup_valid), .sup_word(sup_valid ? {own, sup_sent[23:0], 24'd0, own} : 64'bx),
                .sup_done(sup_done),
                .sup_arrived(sup_arrived), .sup_received(sup_received),
                .sup_read(sup_arrived && phase == 3'd4),
                .int_valid(int_valid), .int_code(int_valid ? {1'b0, int_sent[6:0]} : 8'bx), .int_done(int_done),
                .int_arrived(int_arrived), .int_received(int_received),
                .event_sent(events[0]), .event_retransmitted(events[1]), .event_accepted(events[2]),
                .event_refused(events[3]), .event_header(events[4]), .event_parity(events[5]),
                .event_marker(events[6]), .event_request(events[7]), .event_burst(events[8]),
                .event_bad_ack(events[9]), .event_retrain(events[10]), .event_corrected(corrected),
                .flip(72'd0), .flip_send(1'b0), .flip_receive(1'b0), .flipped(flipped),
                .obs_idle(obs_idle), .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok),
                .obs_rx_error(obs_rx_error)
            );

            // what must never be unknown
            always @(posedge clk) if (known) begin
                if (wire_out[i] === 1'bx) fail("the wire is unknown", i);
                if (^{word_ready, take_valid, sup_done, sup_arrived, int_done, int_arrived, through_start,
                      early_start, early_byte, in_step} === 1'bx) fail("a valid or ready is unknown", i);
                if (take_valid === 1'b1 && ^take_data === 1'bx) fail("a word is unknown", i);
                if (sup_arrived === 1'b1 && ^sup_received === 1'bx) fail("a supervisor word is unknown", i);
                if (int_arrived === 1'b1 && ^int_received === 1'bx) fail("an interrupt is unknown", i);
                if (early_start === 1'b1 && ^early_parity === 1'bx) fail("a passing parity is unknown", i);
                if (early_byte === 1'b1 && ^early_data === 1'bx) fail("a passing byte is unknown", i);
                if (^{state, held, outstanding, disable_link, errors} === 1'bx) fail("a state is unknown", i);
                if (^{tx_checksum, rx_checksum} === 1'bx) fail("a checksum is unknown", i);
                if (^{events, corrected, flipped} === 1'bx) fail("an event is unknown", i);
                if (^{obs_idle, obs_rx_start, obs_rx_ok, obs_rx_error} === 1'bx) fail("an observation is unknown", i);
                if (up[i] === 1'b1 && peer_port !== 4'd1 - i) fail("the peer's port", i);
                if (errors !== 6'd0 || corrected !== 2'd0) fail("an error", i);
                if (damage == 0 && events[1] === 1'b1) fail("a word is sent again", i);
            end
        end
    endgenerate

    initial begin
        @(posedge known);
        while (done !== 2'b11) @(posedge clk);
        repeat (2000) @(posedge clk);
        if (damage != 0 && struck == 0) fail("nothing was damaged", 0);
        if (failures == 0) $display("PASSED: %0d words each way, cable %0d, %0d bits flipped", packets, cable, struck);
        $finish_and_return(failures != 0);
    end
endmodule
`default_nettype wire
