// SPDX-License-Identifier: Apache-2.0
// A Grid link: a sending and a receiving side, the state between them, registers and counters (README.md).
//
//   DOWN --enable--> TRAIN --a WELCOME, an answer or data of this session--> UP       no enable: DOWN from anywhere
//
// While it trains it sends a HELLO every 64 cycles; in TRAIN and UP it answers every HELLO with a WELCOME. Each end
// comes up by itself. A cable that is pulled takes nothing down: frames are repeated until it is back.
`default_nettype none
module grid_link (
    input  wire        clk, rst,
    // The wire: four bytes, byte 0 first, and which of them are control characters.
    output wire [31:0] tx_data, output wire [3:0] tx_control,
    input  wire [31:0] rx_data, input  wire [3:0] rx_control,
    // Memory, in words; what is read comes a cycle after its address.
    output wire [31:0] mem_raddress, input wire [31:0] mem_rdata,
    output wire        mem_write, output wire [31:0] mem_waddress, mem_wdata,
    // Registers; a write is a pulse, an error: there is no such register.
    input  wire        reg_write,
    input  wire [4:0]  reg_address, input wire [31:0] reg_wdata,
    output reg  [31:0] reg_rdata, output reg reg_error,
    // What happens: pulses for what was on rx_data a cycle ago, for frames sent again, for messages that are complete.
    output wire [1:0]  obs_state,       // 0 down, 1 training, 2 up
    output wire        obs_rx_start, obs_rx_ok, obs_rx_error,
    output wire [1:0]  obs_rx_cause,    // of an error: 0 no code word, 1 a word out of place, 2 a bad CRC
    output wire        obs_retransmit, obs_done, obs_idle
);
    localparam [7:0] VERSION = 8'd1;
    localparam       COUNTERS = 10;

    reg                    enable_reg, up_reg;
    reg  [7:0]             session_reg;
    reg  [15:0]            timeout_reg;
    reg  [32*COUNTERS-1:0] counts_reg;

    wire [COUNTERS-1:0] events;         // pulses, in the order of the counters
    wire        clear = !enable_reg;
    wire        greeted, tx_idle, rx_idle, tx_done, rx_done, want_welcome, got_ack, got_busy, got_channel;
    wire [1:0]  want_ack, want_busy, tx_active, rx_active;
    wire [7:0]  got_number;
    wire [15:0] expected;
    wire [31:0] tx_checksum, rx_checksum;

    // Registers 4 to 11: line and frames, of sending and of receiving, of channel 0 and 1.
    wire        sets = reg_write && (reg_address[4:2] == 3'd1 || reg_address[4:2] == 3'd2);
    wire [7:0]  set  = {7'd0, sets} << {reg_address[3], reg_address[1:0]};

    grid_link_tx #(.VERSION(VERSION)) tx (
        .clk(clk), .rst(rst), .clear(clear), .tx_data(tx_data), .tx_control(tx_control),
        .mem_raddress(mem_raddress), .mem_rdata(mem_rdata),
        .set(set[3:0]), .wdata(reg_wdata), .greets(enable_reg && !up_reg),
        .up(up_reg), .session(session_reg), .timeout(timeout_reg), .active(tx_active),
        .want_welcome(want_welcome), .want_ack(want_ack), .want_busy(want_busy), .expected(expected),
        .got_ack(got_ack), .got_busy(got_busy), .got_channel(got_channel), .got_number(got_number),
        .checksum(tx_checksum), .idle(tx_idle), .done(tx_done),
        .sent(events[0]), .resent(events[1]), .refused(events[2]));

    grid_link_rx #(.VERSION(VERSION)) rx (
        .clk(clk), .rst(rst), .clear(clear), .rx_data(rx_data), .rx_control(rx_control),
        .mem_write(mem_write), .mem_waddress(mem_waddress), .mem_wdata(mem_wdata),
        .set(set[7:4]), .wdata(reg_wdata), .session(session_reg), .active(rx_active),
        .want_welcome(want_welcome), .want_ack(want_ack), .want_busy(want_busy), .expected(expected),
        .got_ack(got_ack), .got_busy(got_busy), .got_channel(got_channel), .got_number(got_number), .greeted(greeted),
        .checksum(rx_checksum), .idle(rx_idle), .done(rx_done), .start(obs_rx_start), .ok(obs_rx_ok),
        .accepted(events[3]), .duplicate(events[4]), .refused(events[5]),
        .code_error(events[6]), .framing_error(events[7]), .crc_error(events[8]), .stranger(events[9]));

    assign obs_state      = {up_reg, enable_reg && !up_reg};
    assign obs_rx_error   = events[8:6] != 3'd0;
    assign obs_rx_cause   = events[8:7];
    assign obs_retransmit = events[1];
    assign obs_done       = tx_done || rx_done;
    assign obs_idle       = tx_idle && rx_idle;

    always @* begin
        reg_rdata = 32'd0;
        reg_error = 1'b0;
        case (reg_address)
            5'd0:    reg_rdata = {24'd0, VERSION};
            5'd1:    reg_rdata = {16'd0, session_reg, 7'd0, enable_reg};
            5'd2:    reg_rdata = {24'd0, rx_active, tx_active, 2'd0, obs_state};
            5'd3:    reg_rdata = {16'd0, timeout_reg};
            5'd26:   reg_rdata = tx_checksum;
            5'd27:   reg_rdata = rx_checksum;
            default:
                if (reg_address[4] && reg_address[3:0] < 4'd10)
                    reg_rdata = counts_reg[32*reg_address[3:0] +: 32];
                else
                    reg_error = reg_address[4] || reg_address[3:2] == 2'd3;
        endcase
    end

    integer i;
    always @(posedge clk) begin
        up_reg <= enable_reg && (up_reg || greeted);
        if (reg_write && reg_address == 5'd1)
            {session_reg, enable_reg} <= {reg_wdata[15:8], reg_wdata[0]};
        if (reg_write && reg_address == 5'd3)
            timeout_reg <= reg_wdata[15:0];
        for (i = 0; i < COUNTERS; i = i + 1)
            if (events[i])
                counts_reg[32*i +: 32] <= counts_reg[32*i +: 32] + 32'd1;
        if (rst) begin
            {enable_reg, up_reg, session_reg} <= 10'd0;
            timeout_reg <= 16'd255;
            counts_reg  <= {32*COUNTERS{1'b0}};
        end
    end
endmodule
`default_nettype wire
