// SPDX-License-Identifier: Apache-2.0
// Four-state test bench: two QPACE links power on with every register unknown, train, and carry packets of all
// channels both ways. Nothing is initialised, and an input
// that says nothing in a cycle is unknown. Prints PASSED, or FAILED and the reason.
//
//   +PACKETS=n  packets each way    +CABLE=n  link cycles one way, 1 to 64    +PERIOD=n  core clock's period, link 4000
//   +DAMAGE=n  a bit is flipped every n cycles, one way and the other by turns; 0: none
//
// run.py runs it with:
//   run: +CABLE=1
//   run: +CABLE=13 +PERIOD=2000
//   run: +CABLE=64 +PERIOD=9000
//   run: +CABLE=5 +DAMAGE=97
`default_nettype none
`include "qpace_link_regs.vh"
module qpace_link_pair #(
    parameter RX_SLOTS = 8
);
    localparam LIMIT = 12000;        // link cycles until the run is given up

    integer packets, cable, damage, period, failures;
    reg     clk, link_clk, rst, link_rst;

    // Ends fail at the same time, so that each call has arguments of its own.
    task automatic fail(input [8*40-1:0] what, input integer side);
        begin
            if (failures < 20) begin
                $display("FAILED: %0s, end %0d, %0t ps", what, side, $time);
            end
            failures = failures + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("PACKETS=%d", packets)) packets = 40;
        if (!$value$plusargs("CABLE=%d", cable)) cable = 5;
        if (!$value$plusargs("DAMAGE=%d", damage)) damage = 0;
        if (!$value$plusargs("PERIOD=%d", period)) period = 4800;
        failures = 0;
        clk = 1'b0;
        forever #(period / 2) clk = !clk;
    end

    initial begin
        link_clk = 1'b0;
        #1300;
        forever #2000 link_clk = !link_clk;
    end

    // resets as the link's header draws them
    initial begin
        rst = 1'b1;
        link_rst = 1'b1;
        repeat (20) @(posedge clk);
        rst <= 1'b0;
        repeat (100) @(posedge link_clk);
        link_rst <= 1'b0;
    end

    // Time that the links' beat says, and how long the run may take.
    reg [15:0] link_time;
    always @(posedge link_clk) begin
        link_time <= link_rst ? 16'd0 : link_time + 16'd1;
    end
    initial begin
        repeat (LIMIT) @(posedge link_clk);
        $display("FAILED: not done after %0d link cycles", LIMIT);
        $finish_and_return(1);
    end

    // Outputs count as known a few cycles after reset: both clocks have seen it then.
    reg known, link_known;
    initial begin
        known = 1'b0;
        @(negedge rst);
        repeat (12) @(posedge clk);
        known = 1'b1;
    end
    initial begin
        link_known = 1'b0;
        @(negedge link_rst);
        repeat (4) @(posedge link_clk);
        link_known = 1'b1;
    end

    wire [35:0] wire_out [0:1];
    wire [1:0]  up, done;

    // Damage: a flipped bit every so many cycles, one way and the other by turns.
    integer countdown, struck;
    wire    strikes = link_known && damage != 0 && countdown == 0;
    wire    beaten = struck % 2 != 0;
    always @(posedge link_clk) begin
        countdown <= countdown > 0 ? countdown - 1 : damage;
        if (strikes) struck <= struck + 1;
        if (link_rst) begin
            countdown <= damage;
            struck    <= 0;
        end
    end

    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_end
            // the cable: what the other end sends, some cycles later
            reg [35:0] line [0:63];
            integer    place;
            wire [35:0] wire_in = line[cable - 1];
            always @(posedge link_clk) begin
                for (place = 63; place > 0; place = place - 1) begin
                    line[place] <= line[place - 1];
                end
                line[0] <= wire_out[1 - i] ^ (strikes && beaten == i ? 36'd1 << (struck * 29) % 36 : 36'd0);
            end

            // registers: node, epoch, enable; then STATUS is read for ever, and all others by turns
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
                    reg_valid   <= 1'b0;
                    while (reg_ack !== 1'b1) @(posedge clk);
                    reg_write   <= 1'bx;
                    reg_address <= 6'bx;
                    reg_wdata   <= 32'bx;
                    if (write && reg_error !== 1'b0) fail("a write is refused", i);
                end
            endtask
            initial begin
                reg_valid = 1'b0;
                reg_write = 1'bx;
                reg_address = 6'bx;
                reg_wdata = 32'bx;
                wait (known && link_known);
                @(posedge clk);
                access(1'b1, `QPACE_LINK_NODE, 32'd1 + i);
                access(1'b1, `QPACE_LINK_EPOCH, 32'd7);
                access(1'b1, `QPACE_LINK_CONTROL, 32'd1);
                address = 0;
                forever begin
                    access(1'b0, address[5:0], 32'd0);
                    if (^reg_rdata === 1'bx) begin
                        $display("register %h reads %h", address[5:0], reg_rdata);
                        fail("a register is unknown", i);
                    end
                    address = (address + 1) % 64;
                end
            end

            // packets: the channel turns, a payload's words are told by packet and place, the offset is the packet
            integer     sent, beat;
            wire        tx_ready, tx_room;
            wire        tx_valid = known && up[i] && sent < packets;
            wire         starts = tx_valid && beat == 0;
            wire [127:0] tx_data = {4{sent[15:0], 8'd165 + i[7:0], 5'd0, beat[2:0]}} ^ {32'd3, 32'd2, 32'd1, 32'd0};
            always @(posedge clk) begin
                if (tx_valid && tx_ready) begin
                    beat <= (beat + 1) % 8;
                    if (beat == 7) sent <= sent + 1;
                end
                if (rst) begin
                    sent <= 0;
                    beat <= 0;
                end
            end

            // taken in the order sent, since the channels turn
            wire [7:0]   rx_waiting;
            wire [127:0] rx_data;
            wire [14:0]  rx_offset;
            integer      taken, rx_beat;
            reg          look;
            reg  [2:0]   look_beat;
            reg  [15:0]  look_packet;
            // A packet that waits is not always looked at: no channel is named then.
            reg  [5:0]   core_time;
            wire         reading = rx_waiting[taken % 8] === 1'b1 && (rx_beat != 0 || core_time[5]);
            wire         rx_pop = reading && rx_beat == 7;
            wire [127:0] expected = {4{look_packet, 8'd165 + 8'd1 - i[7:0], 5'd0, look_beat}}
                                    ^ {32'd3, 32'd2, 32'd1, 32'd0};
            assign done[i] = sent == packets && taken == packets;
            always @(posedge clk) begin
                core_time   <= rst ? 6'd0 : core_time + 6'd1;
                look        <= reading;
                look_beat   <= rx_beat[2:0];
                look_packet <= taken[15:0];
                if (reading) begin
                    rx_beat <= (rx_beat + 1) % 8;
                    if (rx_beat == 7) taken <= taken + 1;
                end
                if (look && rx_data !== expected) fail("data", i);
                if (look && rx_offset !== look_packet[14:0]) fail("offset", i);
                if (rst) begin
                    look    <= 1'b0;
                    taken   <= 0;
                    rx_beat <= 0;
                end
            end

            wire         link_down, attention;
            wire         obs_idle, obs_rx_start, obs_rx_ok, obs_rx_command, obs_rx_error, obs_retransmit, obs_replay;
            wire         obs_accept;
            wire [3:0]   obs_state;
            qpace_link #(.RX_SLOTS(RX_SLOTS)) link (
                .clk(clk), .rst(rst), .link_clk(link_clk), .link_rst(link_rst), .beat(link_time[10]),
                .port(i[2:0]),
                .tx_valid(tx_valid), .tx_ready(tx_ready), .tx_data(tx_valid ? tx_data : 128'bx),
                .tx_first(tx_valid ? beat == 0 : 1'bx), .tx_vc(starts ? sent[2:0] : 3'bx),
                .tx_offset(starts ? sent[14:0] : 15'bx), .tx_void(tx_valid && beat == 7 ? 1'b0 : 1'bx),
                .tx_room(tx_room),
                .rx_waiting(rx_waiting), .rx_vc(reading ? taken[2:0] : 3'bx),
                .rx_beat(reading ? rx_beat[2:0] : 3'bx), .rx_data(rx_data), .rx_offset(rx_offset), .rx_mute(1'b0),
                .rx_pop(rx_pop),
                .reg_valid(reg_valid), .reg_write(reg_write), .reg_address(reg_address), .reg_wdata(reg_wdata),
                .reg_ack(reg_ack), .reg_rdata(reg_rdata), .reg_error(reg_error),
                .link_up(up[i]), .link_down(link_down), .link_attention(attention),
                .xgmii_txd(wire_out[i][31:0]), .xgmii_txc(wire_out[i][35:32]),
                .xgmii_rxd(wire_in[31:0]), .xgmii_rxc(wire_in[35:32]), .tx_pause(1'b0),
                .obs_idle(obs_idle), .obs_rx_start(obs_rx_start), .obs_rx_ok(obs_rx_ok),
                .obs_rx_command(obs_rx_command), .obs_rx_error(obs_rx_error), .obs_retransmit(obs_retransmit),
                .obs_replay(obs_replay), .obs_accept(obs_accept), .obs_state(obs_state)
            );

            // what must never be unknown
            always @(posedge clk) if (known) begin
                if (^{tx_ready, tx_room} === 1'bx) fail("tx_ready or tx_room is unknown", i);
                if (^rx_waiting === 1'bx) fail("rx_waiting is unknown", i);
                if (reg_ack === 1'bx) fail("reg_ack is unknown", i);
                if (^{up[i], link_down, attention} === 1'bx) fail("a state is unknown", i);
                if (attention === 1'b1) fail("attention", i);
            end
            always @(posedge link_clk) if (link_known) begin
                if (^wire_out[i] === 1'bx) fail("the wire is unknown", i);
                if (^{obs_rx_start, obs_rx_ok, obs_rx_command, obs_rx_error, obs_retransmit, obs_replay, obs_accept,
                      obs_state, obs_idle} === 1'bx) fail("an observation is unknown", i);
                if (damage == 0 && obs_retransmit === 1'b1) fail("a packet is sent again", i);
            end
        end
    endgenerate

    initial begin
        @(posedge known);
        while (done !== 2'b11) @(posedge clk);
        repeat (2000) @(posedge clk);
        if (damage != 0 && struck == 0) fail("nothing was damaged", 0);
        if (failures == 0) $display("PASSED: %0d packets each way, cable %0d, %0d bits flipped",
                                    packets, cable, struck);
        $finish_and_return(failures != 0);
    end
endmodule
`default_nettype wire
