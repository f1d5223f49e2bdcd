// SPDX-License-Identifier: Apache-2.0
// One output of the router, tofu_reserve and tofu_output as they are: while a head waits for it with room downstream,
// at most BOUND packets of others are chosen, in either schedule. Heads, rooms, who asks and when, and how long packets
// take, are the prover's. One head is watched; it is any of the 50.
//
// Of the inputs it is assumed what tofu.input proves of tofu_input: a head waits until it is chosen (or dropped because
// it is bad, which is not this bound's matter), then waits no more, and no input asks for an output reserved for
// another head. A head that was passed over, because its input did not finish in 2^WAIT_BITS cycles what it was
// sending, counts anew.
`default_nettype none
module reserve_bound #(
    parameter [3:0] PATIENCE = 4'd15,
    parameter       BOUND = 799
) (
    input wire         clk,
    input wire [349:0] waits,
    input wire [3:0]   room,
    input wire [14:0]  want,
    input wire [5:0]   asks,          // the head that the input chosen offers
    input wire         in_turn,
    input wire         in_valid, in_last, tx_ready, halt
);
    localparam [3:0] PORT = 4'd3;
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    (* anyconst *) wire [5:0] watched;
    wire [6:0] mine   = waits >> (7 * watched);
    wire       stands = mine[6] && mine[3:0] == PORT && room[mine[5:4]];

    reg        some;
    integer    i;
    always @* begin
        some = 1'b0;
        for (i = 0; i < 50; i = i + 1)
            some = some || waits[7*i + 6];
    end

    reg  [1:0]   beats;                  // of the packet under way, up to 2
    wire         in_first = beats == 2'd0;
    wire [147:0] beat = {!(in_first ^ in_last), 1'b0, in_last, in_first, 144'd0};
    wire [5:0]   head;
    wire         reserved, free, in_ready;
    wire         chosen = want != 15'd0;
    tofu_reserve #(.PORT(PORT), .PATIENCE(PATIENCE)) dut (
        .clk(clk), .rst(rst), .some(some), .waits(waits), .room(room), .chosen(chosen), .free(free),
        .reserved(reserved), .head(head));
    tofu_output #(.PORT(PORT)) u_output (
        .clk(clk), .rst(rst), .halt(halt), .want(want), .first(in_turn ? 15'h7FFF : 15'h03FF), .free(free),
        .in_valid(in_valid), .in_port(PORT), .in_beat(beat), .in_ready(in_ready), .tx_ready(tx_ready), .inject(1'b0));

    (* hierconn *) wire [3:0]  \dut.chosen_reg ;
    (* hierconn *) wire [11:0] \dut.wait_reg ;
    wire [6:0]   looked_at   = waits >> (7 * head);
    wire         passed_over = &\dut.wait_reg && head == watched;
    wire         served      = chosen && stands && asks == watched;

    reg  [10:0] since;                   // packets of others chosen while it waits
    reg         waited;                  // it waited and was not chosen
    reg         was_chosen, was_owed;    // a packet was chosen; it was the one that the output was reserved for
    reg  [5:0]  was;                     // its head
    always @(posedge clk) begin
        waited     <= !rst && stands && !served;
        was        <= asks;
        was_chosen <= !rst && chosen;
        was_owed   <= !rst && chosen && reserved && !(&\dut.wait_reg );
        since      <= rst || !stands || served || passed_over ? 11'd0 : since + {10'd0, chosen};
        beats      <= chosen ? 2'd0 : in_valid && in_ready && beats != 2'd2 ? beats + 2'd1 : beats;
    end

    // Each head that was looked at since has cost PATIENCE + 1 packets at most.
    wire [5:0]  ahead = watched >= head ? watched - head : watched + 6'd50 - head;
    wire [10:0] spent = ({5'd0, 6'd49 - ahead} * (PATIENCE + 1)) + {7'd0, \dut.chosen_reg } + {10'd0, was_owed};
    wire [6:0]  gone  = waits >> (7 * was);

    always @* begin
        assume (watched < 6'd50 && asks < 6'd50);
        assume (rst || free || want == 15'd0);
        assume (!in_last || beats == 2'd2);
        assume (rst || !waited || stands);
        assume (rst || !was_chosen || !gone[6]);
        assume (rst || !reserved || !chosen || asks == head);
    end
    always @(posedge clk) if (!rst) begin
        bounded:   assert (since <= BOUND);
        ranked:    assert (since <= spent);
        held:      assert (!was_chosen || (!free && beats == 2'd0));
        of_head:   assert (!was_owed || (was == head && was_chosen));
        in_range:  assert (head < 6'd50 && \dut.chosen_reg <= PATIENCE);
        rightful:  assert (!reserved || (looked_at[6] && looked_at[3:0] == PORT && room[looked_at[5:4]]));
        overtaken: cover (stands && since == {7'd0, PATIENCE} + 11'd1);
        its_turn:  cover (served && reserved && since == {7'd0, PATIENCE});
    end
endmodule
`default_nettype wire
