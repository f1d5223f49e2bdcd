// SPDX-License-Identifier: Apache-2.0
// Which data words a QCDOC link has in the air, as a model (rtl/qcdoc/README.md, "Protocol"); qcdoc_link_tx is held against it by
// tx_refines.sv. Numbers modulo 4: oldest <= send <= high <= oldest + 3. Words carry no number: after a resume number they
// follow without an omission, so acknowledgements are not heeded until all are sent again.
`default_nettype none
module link_sender (
    input  wire       clk,
    input  wire       rst,
    input  wire       ack,         // a header says: the next word I want is number
    input  wire [1:0] number,
    input  wire       burst,       // marks begin: resume from the oldest
    input  wire       word,        // a word's header goes out
    output wire       room,        // a word never sent may go out
    output wire       caught_up,   // all are sent (again)
    output wire       heeded,      // `oldest` becomes `number`
    output wire [1:0] oldest_next,
    output reg  [1:0] oldest,
    output reg  [1:0] send,
    output reg  [1:0] high
);
    wire [1:0] in_air = high - oldest;
    wire [1:0] freed  = number - oldest;

    assign room        = in_air != 2'd3;
    assign caught_up   = send == high;
    assign heeded      = ack && caught_up && freed <= in_air;
    assign oldest_next = heeded ? number : oldest;

    always @(posedge clk) begin
        oldest <= oldest_next;
        if (word) begin
            send <= send + 2'd1;
            if (caught_up)
                high <= high + 2'd1;
        end
        if (burst)
            send <= oldest_next;
        if (rst) begin
            oldest <= 2'd0;
            send   <= 2'd0;
            high   <= 2'd0;
        end
    end
endmodule
`default_nettype wire
