// SPDX-License-Identifier: Apache-2.0
// The receiver's side of go-back-N on a Tofu link: passes the packet that is expected to the router while it comes in
// (cut-through), drops all others, and decides what to answer. A packet is accepted at its end; one that turns
// out damaged or nullified, or breaks off, is closed with last and bad. Beats get their SECDED bits here.
//
//   cycle        0        1        2        3              n        n + 1    n + 2    n + 3
//   rxd          first    second   payload                 last
//   rx_beat                                 first                                     last
//
// Latency: 3 cycles, with which the header's CRC is waited for.
//
// One NACK for all that is missing: `told` (the peer was notified) is set until the expected packet comes again. BUSY
// when its channel has no room, and NACK when it has.
`default_nettype none
`include "tofu_wire.vh"
module tofu_link_receiver (
    input  wire         clk,
    input  wire         rst,
    input  wire         up,
    input  wire         flush,

    // parser
    input  wire [127:0] data,
    input  wire         first_beat,
    input  wire         head,
    input  wire         body,
    input  wire         packet_end,
    input  wire         packet_good,
    input  wire         packet_void,
    input  wire         packet_break,
    input  wire [7:0]   seq,
    input  wire [1:0]   channel,
    input  wire [6:0]   beats,
    input  wire         anomaly,       // anything damaged
    input  wire         asked,         // the peer wants to know its credits

    // router
    output wire         rx_valid,
    output wire [147:0] rx_beat,
    input  wire [35:0]  rx_free,       // beats free for each channel; a packet that began is counted whole
    input  wire [27:0]  rx_credit,     // units freed since the session began

    // answers to the peer
    input  wire         ask,           // pulse: we want to know ours
    output wire         control,
    output wire         urgent,        // NACK or BUSY
    output wire [1:0]   control_type,
    input  wire         control_taken,
    output wire [7:0]   expected,

    input  wire         inject,        // pulse: flip a bit of `expected`
    output wire         error_parity,  // it is wrong

    output wire [31:0]  checksum,
    output wire         refusing,
    output wire         idle,
    output wire         accept,
    output wire         event_duplicate,
    output wire         event_gap,
    output wire         event_void,
    output wire         event_refused,
    output wire         event_nack
);
    // one beat that waits for the header's CRC, or for nothing
    reg          beat_reg, beat_first_reg, beat_second_reg, beat_last_reg, beat_bad_reg;
    reg  [127:0] data_reg;
    // output
    reg          valid_reg;
    reg  [147:0] out_reg;
    // protocol
    reg          open_reg;             // the packet under way is passed on
    wire [7:0]   expected_reg;
    reg          told_reg, nack_reg, busy_reg, ask_reg, reply_reg, refusing_reg;
    reg  [1:0]   refused_reg;          // channel
    reg  [7:0]   need_reg;             // beats
    reg  [7:0]   said_seq_reg;
    reg  [27:0]  said_credit_reg;

    wire [8:0]   free_of [0:3];
    assign free_of[0] = rx_free[8:0];
    assign free_of[1] = rx_free[17:9];
    assign free_of[2] = rx_free[26:18];
    assign free_of[3] = rx_free[35:27];

    wire [7:0]   total   = {1'b0, beats} + 8'd3;
    wire         room    = free_of[channel] >= {1'b0, total};
    wire         mine    = up && head && seq == expected_reg && beat_reg;
    wire         go      = mine && room;
    wire         refuse  = mine && !room;
    wire [7:0]   ahead   = seq - expected_reg;    // 128 and more: it was accepted before
    wire         others  = up && head && !mine;
    wire         close   = open_reg && (packet_break || !up);
    wire         finish  = open_reg && packet_end && up;
    wire         good    = packet_good;
    wire         emit    = beat_reg && (!beat_first_reg || go);
    wire         gap     = others && !ahead[7];
    wire         missing = up && (gap || anomaly || (finish && !good && !packet_void));
    wire         relief  = refusing_reg && free_of[refused_reg] >= {1'b0, need_reg};

    assign rx_valid        = valid_reg;
    assign rx_beat         = out_reg;
    assign control_type    = nack_reg ? `TOFU_CONTROL_NACK : busy_reg ? `TOFU_CONTROL_BUSY
                             : ask_reg ? `TOFU_CONTROL_ASK : `TOFU_CONTROL_ACK;
    assign control         = nack_reg || busy_reg || ask_reg || reply_reg || expected_reg != said_seq_reg
                             || rx_credit != said_credit_reg;
    assign urgent          = nack_reg || busy_reg;
    assign expected        = expected_reg;
    assign refusing        = refusing_reg;
    assign idle            = !beat_reg && !valid_reg && !open_reg && !(up && control) && !relief;
    assign accept          = finish && good;
    assign event_duplicate = others && ahead[7];
    assign event_gap       = gap;
    assign event_void      = finish && packet_void;
    assign event_refused   = refuse;
    assign event_nack      = control_taken && nack_reg;

    // what is written into the beat that waits: inside a chip the header's link fields are 0
    reg  [127:0] stripped;
    always @* begin
        stripped = data;
        if (first_beat) begin
            stripped[`TOFU_HEADER_START]    = 8'd0;
            stripped[`TOFU_HEADER_SEQUENCE] = 8'd0;
        end
        if (head) begin
            stripped[`TOFU_HEADER_CRC_IN_BEAT] = 32'd0;
        end
        if (packet_end) begin
            stripped                    = 128'd0;
            stripped[`TOFU_TRAILER_CRC] = data[`TOFU_TRAILER_CRC];
        end
    end

    wire [15:0]  ecc;
    secded_encode u_low  (.data(data_reg[63:0]), .check(ecc[7:0]));
    secded_encode u_high (.data(data_reg[127:64]), .check(ecc[15:8]));
    wire         out_first = emit && beat_first_reg;
    wire         out_last  = close || beat_last_reg;
    wire         out_bad   = close || beat_bad_reg;

    tofu_link_checksum u_checksum (
        .clk(clk), .rst(rst), .clear(flush), .en(emit), .first(beat_first_reg), .second(beat_second_reg),
        .good(beat_last_reg && !beat_bad_reg), .data(data_reg), .checksum(checksum)
    );

    register_parity u_expected (
        .clk(clk), .next(rst || flush ? 8'd0 : expected_reg + {7'd0, accept}), .flip(inject), .value(expected_reg),
        .wrong(error_parity)
    );

    always @(posedge clk) begin
        // the beat that waits
        beat_reg        <= first_beat || go || (open_reg && up && (body || packet_end))
                           || (beat_reg && beat_first_reg && !emit && !head && !packet_break);
        if (first_beat || head || body || packet_end) begin
            data_reg        <= stripped;
            beat_first_reg  <= first_beat;
            beat_second_reg <= head;
            beat_last_reg   <= packet_end;
            beat_bad_reg    <= packet_end && !good;
        end

        // output; a packet that breaks off ends with what there is
        valid_reg <= emit || close;
        if (emit || close) begin
            out_reg <= {~(out_first ^ out_last ^ out_bad), out_bad, out_last, out_first, ecc, data_reg};
        end
        if (go) begin
            open_reg <= 1'b1;
        end else if (close || finish) begin
            open_reg <= 1'b0;
        end

        // answers to the peer
        if (control_taken) begin
            said_seq_reg    <= expected_reg;
            said_credit_reg <= rx_credit;
            reply_reg       <= 1'b0;
            nack_reg        <= 1'b0;
            if (!nack_reg) begin
                busy_reg <= 1'b0;
                if (!busy_reg) begin
                    ask_reg <= 1'b0;
                end
            end
        end
        if (ask) begin
            ask_reg <= 1'b1;
        end
        if (asked || event_duplicate) begin
            reply_reg <= 1'b1;
        end
        if (mine) begin
            told_reg     <= refuse;
            refusing_reg <= refuse;
            nack_reg     <= 1'b0;
            busy_reg     <= 1'b0;
        end
        if (missing && !told_reg) begin
            nack_reg <= 1'b1;
            told_reg <= 1'b1;
        end
        if (refuse) begin
            busy_reg    <= 1'b1;
            refused_reg <= channel;
            need_reg    <= total;
        end else if (relief) begin
            nack_reg     <= 1'b1;
            busy_reg     <= 1'b0;
            refusing_reg <= 1'b0;
        end
        if (!up) begin
            beat_reg     <= 1'b0;
            open_reg     <= 1'b0;
            told_reg     <= 1'b0;
            nack_reg     <= 1'b0;
            busy_reg     <= 1'b0;
            ask_reg      <= 1'b0;
            reply_reg    <= 1'b1;      // the first thing that is said
            refusing_reg <= 1'b0;
        end
        if (rst) begin
            beat_reg  <= 1'b0;
            valid_reg <= 1'b0;
            open_reg  <= 1'b0;
        end
    end

    wire unused = &{1'b0, ahead[6:0]};
endmodule
`default_nettype wire
