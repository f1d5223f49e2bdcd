// SPDX-License-Identifier: Apache-2.0
// Four-state test bench: two Tofu links power on with every register unknown, train, and carry packets of all virtual
// channels both ways. Nothing is initialised, and an input
// that says nothing in a cycle is unknown. Prints PASSED, or FAILED and the reason.
//
//   +PACKETS=n  packets each way    +CABLE=n  cycles one way, 1 to 64
//   +DAMAGE=n  a bit is flipped every n cycles, one way and the other by turns; 0: none
//
// run.py runs it with:
//   run: +CABLE=64 +PACKETS=17
//   run: +CABLE=5 +DAMAGE=61 +PACKETS=17
`default_nettype none
`include "tofu_wire.vh"
`include "tofu_link_regs.vh"
module tofu_link_pair;
    localparam LIMIT = 20000;        // cycles until the run is given up

    integer packets, cable, damage, failures;
    reg     clk, rst, known;

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
        if (!$value$plusargs("PACKETS=%d", packets)) packets = 40;
        if (!$value$plusargs("CABLE=%d", cable)) cable = 13;
        if (!$value$plusargs("DAMAGE=%d", damage)) damage = 0;
        failures = 0;
        clk = 1'b0;
        forever #1600 clk = !clk;
    end

    // longer than any cable, so that a known beat comes out of it
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
        $display("FAILED: not done after %0d cycles", LIMIT);
        $finish_and_return(1);
    end

    // A packet's beats but for the last one: number, sender and place tell each, the channel turns.
    function [127:0] beat_of(input [31:0] number, input [31:0] place, input [7:0] sender);
        begin
            if (place == 0) begin
                beat_of                     = {64'd0, number, 32'd0};
                beat_of[`TOFU_HEADER_VC]    = number[1:0];
                beat_of[`TOFU_HEADER_BEATS] = number % 13;
            end else begin
                beat_of = {32'd0, number, place ^ 32'h5A5A5A5A, sender, place[23:0]};
            end
        end
    endfunction

    wire [143:0] wire_out [0:1];
    wire [1:0]   done;

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

    genvar i, n;
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_end
            // the cable: what the other end sends, some cycles later
            reg  [143:0] line [0:63];
            integer      place;
            wire [143:0] wire_in = line[cable - 1];
            always @(posedge clk) begin
                for (place = 63; place > 0; place = place - 1) begin
                    line[place] <= line[place - 1];
                end
                line[0] <= wire_out[1 - i] ^ (strikes && beaten == i ? 144'd1 << (struck * 29) % 144 : 144'd0);
            end

            // registers: node, epoch, enable; then all are read by turns
            reg         reg_valid, reg_write;
            reg  [5:0]  reg_address;
            reg  [31:0] reg_wdata;
            wire        reg_ack, reg_error;
            wire [31:0] reg_rdata;
            integer     address;
            task access(input write, input [5:0] to, input [31:0] value);
                begin
                    reg_valid   <= 1'b1;
                    reg_write   <= write;
                    reg_address <= to;
                    reg_wdata   <= value;
                    @(posedge clk);
                    while (reg_ack !== 1'b1) @(posedge clk);
                    reg_valid   <= 1'b0;
                    reg_write   <= 1'bx;
                    reg_address <= 6'bx;
                    reg_wdata   <= 32'bx;
                    if (write && reg_error !== 1'b0) fail("a write is refused", i);
                    if (^{reg_error, reg_rdata} === 1'bx) begin
                        $display("register %h reads %h", to, reg_rdata);
                        fail("a register is unknown", i);
                    end
                    @(posedge clk);
                end
            endtask
            initial begin
                reg_valid = 1'b0;
                reg_write = 1'bx;
                reg_address = 6'bx;
                reg_wdata = 32'bx;
                wait (known);
                @(posedge clk);
                access(1'b1, `TOFU_LINK_NODE, 32'd1 + i);
                access(1'b1, `TOFU_LINK_EPOCH, 32'd7);
                access(1'b1, `TOFU_LINK_CONTROL, 32'd1);
                address = 0;
                forever begin
                    access(1'b0, address[5:0], 32'd0);
                    address = (address + 1) % 64;
                end
            end

            // packets: the channel turns; 0 to 12 beats of payload
            wire [1:0]   state;
            integer      sent, beat, wait_for_room;
            wire         tx_ready;
            wire [27:0]  tx_room;
            wire [6:0]   beats = sent % 13;
            wire [6:0]   units = (beats + 7'd10) >> 3;
            wire         tx_first = beat == 0;
            wire         tx_last = beat == beats + 2;
            wire         tx_valid = known && state == 2'd2 && sent < packets &&
                                    (!tx_first || (wait_for_room == 0 && tx_room[7*(sent % 4) +: 7] >= units));
            wire [31:0]  crc;
            wire [127:0] tx_data = tx_last ? {64'd0, crc, 32'd0} : beat_of(sent, beat, i);
            wire [15:0]  tx_check;
            wire [2:0]   tx_mark = {1'b0, tx_last, tx_first};
            tofu_packet_crc crc_of_sent (
                .clk(clk), .en(tx_valid && tx_ready), .first(tx_first), .second(beat == 1), .data(tx_data), .crc(crc)
            );
            for (n = 0; n < 2; n = n + 1) begin : gen_check
                secded_encode encode (.data(tx_data[64*n +: 64]), .check(tx_check[8*n +: 8]));
            end
            always @(posedge clk) begin
                if (wait_for_room > 0) wait_for_room <= wait_for_room - 1;
                if (tx_valid && tx_ready) begin
                    beat <= tx_last ? 0 : beat + 1;
                    if (tx_last) begin
                        sent <= sent + 1;
                        wait_for_room <= 3;
                    end
                end
                if (rst) begin
                    sent <= 0;
                    beat <= 0;
                    wait_for_room <= 0;
                end
            end

            // taken as they come; their units are free at their end
            wire         rx_valid, rx_reset;
            wire [147:0] rx_beat;
            reg  [27:0]  rx_credit;
            integer      taken, place_taken;
            wire [6:0]   others_beats = taken % 13;
            reg          differs;
            wire [127:0] others_data = beat_of(taken, place_taken, 1 - i);
            assign done[i] = sent == packets && taken == packets;
            always @(posedge clk) begin
                if (rx_valid === 1'b1) begin
                    // what is damaged was on its way before its end could say so
                    differs     <= !rx_beat[`TOFU_BEAT_LAST] && (rx_beat[127:0] !== others_data || differs);
                    place_taken <= rx_beat[`TOFU_BEAT_LAST] ? 0 : place_taken + 1;
                    if (rx_beat[`TOFU_BEAT_FIRST] !== (place_taken == 0)) fail("first", i);
                    if (rx_beat[`TOFU_BEAT_LAST] && !rx_beat[`TOFU_BEAT_BAD]) begin
                        if (place_taken != others_beats + 2 || differs) fail("a good packet is damaged", i);
                        taken <= taken + 1;
                        rx_credit[7*(taken % 4) +: 7] <= rx_credit[7*(taken % 4) +: 7] + ((others_beats + 7'd10) >> 3);
                    end
                    if (damage == 0 && rx_beat[`TOFU_BEAT_BAD]) fail("a packet is bad", i);
                end
                if (rst || rx_reset === 1'b1) rx_credit <= 28'd0;
                if (rst) begin
                    taken       <= 0;
                    place_taken <= 0;
                    differs     <= 1'b0;
                end
            end

            wire        attention, fault;
            wire        obs_idle, obs_rx_start, obs_rx_ok, obs_rx_command, obs_rx_error, obs_rx_command_error;
            wire        obs_retransmit, obs_accept;
            tofu_link link (
                .clk(clk), .rst(rst), .port(i[3:0]),
                .txd(wire_out[i][127:0]), .txc(wire_out[i][143:128]), .rxd(wire_in[127:0]), .rxc(wire_in[143:128]),
                .tx_pause(1'b0),
                .rx_valid(rx_valid), .rx_beat(rx_beat), .rx_free({4{9'd511}}), .rx_credit(rx_credit),
                .rx_reset(rx_reset),
                .tx_valid(tx_valid), .tx_beat(tx_valid ? {!(^tx_mark), tx_mark, tx_check, tx_data} : 148'bx), 
                .tx_ready(tx_ready), .tx_room(tx_room),
                .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
                .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error),
                .attention(attention), .fault(fault),
                .obs_idle(obs_idle), .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok),
                .obs_rx_command(obs_rx_command), .obs_rx_error(obs_rx_error),
                .obs_rx_command_error(obs_rx_command_error), .obs_retransmit(obs_retransmit),
                .obs_accept(obs_accept), .obs_state(state)
            );

            // what must never be unknown
            always @(posedge clk) if (known) begin
                if (^wire_out[i] === 1'bx) fail("the wire is unknown", i);
                if (^{rx_valid, rx_reset, tx_ready, reg_ack} === 1'bx) fail("a valid or ready is unknown", i);
                if (rx_valid === 1'b1 && ^rx_beat === 1'bx) fail("a beat is unknown", i);
                if (^tx_room === 1'bx) fail("tx_room is unknown", i);
                if (^{state, attention, fault} === 1'bx) fail("a state is unknown", i);
                if (^{obs_idle, obs_rx_start, obs_rx_ok, obs_rx_command, obs_rx_error, obs_rx_command_error,
                      obs_retransmit, obs_accept} === 1'bx) fail("an observation is unknown", i);
                if (attention === 1'b1 || fault === 1'b1) fail("attention", i);
                if (damage == 0 && obs_retransmit === 1'b1) fail("a packet is sent again", i);
            end
        end
    endgenerate

    initial begin
        @(posedge known);
        while (done !== 2'b11) @(posedge clk);
        repeat (300) @(posedge clk);
        if (damage != 0 && struck == 0) fail("nothing was damaged", 0);
        if (failures == 0) $display("PASSED: %0d packets each way, cable %0d, %0d bits flipped",
                                    packets, cable, struck);
        $finish_and_return(failures != 0);
    end
endmodule
`default_nettype wire
