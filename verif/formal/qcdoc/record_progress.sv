// SPDX-License-Identifier: Apache-2.0
// The link makes progress, each class independently: bounded liveness as safety. From whatever state errors have led
// to, once the cables are free of errors for a while
//   words       while the host takes words and A has some, B accepts one every WORDS_M steps
//   supervisor  a word is here within SUPS_M steps, and its acknowledgement back within as many after it was read
//   interrupt   one is acknowledged within INTS_M steps
// While the cables have errors the prover is unconstrained; while they have none, the ends send whenever they can, and
// an end out of step asks again after RETRY steps. What the other classes do, in the model or not, is the prover's
// choice: data words need never be taken (idle receive), nor supervisor words read. A class that is not in the model
// takes A's turns (THEFT_A of any four steps at most, for each waits for an answer), and its acknowledgements take the
// place of others in B's headers (THEFT_B); B's own supervisor words and interrupts, two of any four.
`default_nettype none
module record_progress #(
    parameter DELAY   = 1,
    parameter BITS    = 4,
    parameter RETRY   = 6,
    parameter THEFT_A = 2,
    parameter THEFT_B = 2,
    parameter WORDS_M = 30,
    parameter SUPS_M  = 30,
    parameter INTS_M  = 30,
    parameter WORDS   = 1,
    parameter SUPS    = 1,
    parameter INTS    = 1,
    parameter CHECK   = 7        // 1 words, 2 supervisor words, 4 interrupts
) (
    input wire       clk,
    input wire       calm,
    input wire       new_word, new_sup, new_int, take, read,
    input wire       any_a_go, any_b_go, any_a_stop, any_b_stop, any_a_hurt, any_b_hurt, any_a_late,
    input wire       any_a_train, any_b_train, any_a_retry, any_b_retry, any_b_urgent, b_data, any_b_other, b_fits,
    input wire       a_heeds
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    reg  [2:0] urgent;           // B's last three were
    wire       b_urgent = any_b_urgent && !(calm && urgent[0] + urgent[1] + urgent[2] >= 2);
    reg  [2:0] theft_a, theft_b;
    wire       a_theft  = calm && !any_a_go && theft_a[0] + theft_a[1] + theft_a[2] < THEFT_A;
    wire       b_other  = any_b_other && !(calm && theft_b[0] + theft_b[1] + theft_b[2] >= THEFT_B);
    reg  [3:0] a_timer, b_timer;
    wire       accept, sup_fresh, int_fresh, sup_valid, int_valid, sup_unread, a_marks, b_marks, a_lost, b_lost;

    record_model #(.DELAY(DELAY), .BITS(BITS), .WORDS(WORDS), .SUPS(SUPS), .INTS(INTS), .CHECK(0)) u_model (
        .clk(clk), .new_word(new_word),
        .new_sup(new_sup), .new_int(new_int), .watch_word(1'b0), .watch_sup(1'b0), .watch_int(1'b0),
        .take(take),
        .read(read),
        .a_go(calm ? !a_theft : any_a_go),
        .b_go(calm || any_b_go), .a_stop(!calm && any_a_stop), .b_stop(!calm && any_b_stop),
        .a_hurt(!calm && any_a_hurt),
        .b_hurt(!calm && any_b_hurt), .a_late(!calm && any_a_late),
        .a_train(!calm && any_a_train),
        .b_train(!calm && any_b_train), .a_retry(calm ? a_timer == 4'd0 : any_a_retry),
        .b_retry(calm ? b_timer == 4'd0 : any_b_retry), .a_heeds(a_heeds),
        .b_urgent(b_urgent),
        .b_data(b_data),
        .b_other(b_other), .b_fits(b_fits),
        .words_left(),
        .a_slip(1'b0),
        .b_slip(1'b0), .garbage(1'b0), .mimics(1'b0),
        .garbage_type(3'd0), .garbage_number(2'd0),
        .accept(accept),
        .sup_fresh(sup_fresh), .int_fresh(int_fresh),
        .sup_valid(sup_valid),
        .int_valid(int_valid), .sup_unread(sup_unread),
        .a_marks(a_marks),
        .b_marks(b_marks),
        .a_lost(a_lost), .b_lost(b_lost));

    reg [5:0] words_age, sups_age, ints_age;
    always @(posedge clk) begin
        urgent  <= {urgent, b_urgent};
        theft_a <= {theft_a, a_theft};
        theft_b <= {theft_b, b_other};
        a_timer <= (rst || a_marks) ? RETRY : a_timer - (a_timer != 4'd0);
        b_timer <= (rst || b_marks) ? RETRY : b_timer - (b_timer != 4'd0);
        words_age <= (rst || !calm || !new_word || !take || accept) ? 6'd0 : words_age + 6'd1;
        sups_age  <= (rst || !calm || !sup_valid || sup_unread || sup_fresh) ? 6'd0 : sups_age + 6'd1;
        ints_age  <= (rst || !calm || !int_valid) ? 6'd0 : ints_age + 6'd1;
    end

    always @(posedge clk) if (!rst) begin
        words_go_on: assert (!(CHECK & 1) || words_age != WORDS_M);
        sups_go_on:  assert (!(CHECK & 2) || sups_age != SUPS_M);
        ints_go_on:  assert (!(CHECK & 4) || ints_age != INTS_M);
    end
endmodule
`default_nettype wire
