// SPDX-License-Identifier: Apache-2.0
// transmit_pause before qpace_link_framer, as in qpace_link: two idle words in a row are on the wire at most SOON words
// after lanes have asked for them, whatever is to be sent and however late the core writes it; a word inside a frame is
// idle only because the core has not written the next beat. A core that makes the link wait leaves an idle word behind
// each beat but the last, or two in a row.
`default_nettype none
`include "qpace_wire.vh"
module pauses #(
    parameter SOON = 44
) (
    input wire        clk,
    input wire        pause,
    input wire        hello,
    input wire        urgent,
    input wire        lazy,
    input wire        packet,
    input wire        rd_void,
    input wire [7:0]  written
);
    reg  rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    wire        gap, hold, idle, stalled, packet_taken, hello_taken, command_taken, framer_idle, rd_en;
    wire [3:0]  txc;
    wire [31:0] txd, checksum;
    wire [6:0]  rd_address;

    transmit_pause #(.LANES(1)) u_pause (
        .clk(clk), .rst(rst), .en(1'b1), .pause(pause), .between(gap), .hold(hold), .idle(idle));
    qpace_link_framer u_framer (
        .link_clk(clk), .link_rst(rst),
        .hello(hello && !hold), .hello_words(88'd0), .hello_taken(hello_taken),
        .command_urgent(urgent && !hold), .command_lazy(lazy && !hold), .command(8'd0), .command_taken(command_taken),
        .packet(packet && !hold), .packet_pointer(5'd0), .packet_header(24'd0), .packet_first(1'b1),
        .packet_taken(packet_taken), .stalled(stalled), .written(written), .rd_en(rd_en), .rd_address(rd_address),
        .rd_data(128'd0), .rd_void(rd_void), .clear_checksum(1'b0), .checksum(checksum), .idle(framer_idle), .gap(gap),
        .xgmii_txd(txd), .xgmii_txc(txc));

    wire       word_idle = txc == `QPACE_WIRE_IDLE_CONTROL;
    reg        asked, owed, was_idle;
    reg  [5:0] waits;                       // words since they were asked for
    reg  [1:0] inside, late;                // of the word that is chosen: in a frame, the core is late; two words later
    wire       two = word_idle && was_idle; // on the wire
    initial {owed, waits, asked, was_idle, inside, late} = 0;
    always @(posedge clk) if (!rst) begin
        asked    <= pause;
        was_idle <= word_idle && (owed || (pause && !asked));
        inside   <= {inside[0], !gap};
        late     <= {late[0], stalled};
        waits    <= waits + 6'd1;
        if (two) owed <= 1'b0;
        if (pause && !asked) begin
            owed  <= 1'b1;
            waits <= 6'd0;
        end
    end

    always @* if (!rst) begin
        soon:      assert (!owed || waits < SOON);
        unbroken:  assert (!inside[1] || late[1] || !word_idle);
        waited:    cover (owed && two && waits > 6'd30);
        in_packet: cover (owed && two && inside[1]);
    end
endmodule
`default_nettype wire
