// SPDX-License-Identifier: Apache-2.0
// The model makes progress: bounded liveness as safety. From whatever state errors have led to, once the channels are
// error-free and the sink ready for LIMIT steps in a row, B accepts a packet if it lacks one. Before that the
// prover is unconstrained; from then on the ends send whenever they can and the timer keeps time.
`default_nettype none
module gbn_progress #(
    parameter SEQ_BITS = 3,
    parameter WINDOW   = 4,
    parameter DELAY    = 2,
    parameter TRAINING = 0,
    parameter ID_BITS  = 2,
    parameter TIMEOUT  = 8,      // steps without progress after which A sends again
    parameter PROBE    = 12,     // the same while held
    parameter AGAIN    = 4,      // steps between hellos
    parameter LIMIT    = 30      // see README.md
) (
    input wire       clk,
    input wire       calm,
    input wire       new_packet,
    input wire       watch,
    input wire       any_a_go, any_b_go, any_room, any_free, cut, keepalive,
    input wire [5:0] any_mischief,
    input wire [SEQ_BITS-1:0] wrong_seq,
    input wire       any_a_fall, any_b_fall, any_a_again, any_b_again,
    input wire       slow
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;

    wire       accept, wanting, outstanding, held, timer_restart;
    reg  [4:0] timer;
    wire       run     = outstanding && (calm || !slow);
    wire       expired = run && timer == 5'd0;
    reg  [2:0] again;

    gbn_model #(.SEQ_BITS(SEQ_BITS), .WINDOW(WINDOW), .DELAY(DELAY), .TRAINING(TRAINING), .ID_BITS(ID_BITS),
                .CHECK(0)) u_model (
        .clk(clk), .new_packet(new_packet), .watch(watch), .a_go(calm || any_a_go), .b_go(calm || any_b_go),
        .expired(expired), .room(calm || any_room), .free(calm || any_free), .cut(cut),
        .keepalive(keepalive), .mischief(calm ? 6'd0 : any_mischief), .wrong_seq(wrong_seq),
        .a_fall(!calm && any_a_fall), .b_fall(!calm && any_b_fall),
        .a_again(calm ? again == 3'd0 : any_a_again), .b_again(calm ? again == 3'd0 : any_b_again),
        .accept(accept), .wanting(wanting), .outstanding(outstanding), .held(held), .timer_restart(timer_restart));

    // as in qpace_link: what the timer is set to is decided a cycle after what restarts it
    reg restart;
    always @(posedge clk) begin
        restart <= timer_restart;
        if (restart)
            timer <= held ? PROBE - 1 : TIMEOUT - 1;
        else if (run && timer != 5'd0)
            timer <= timer - 5'd1;
        again <= (again == 3'd0) ? AGAIN - 1 : again - 3'd1;
        if (rst) begin
            timer   <= 5'd0;
            again   <= 3'd0;
            restart <= 1'b0;
        end
    end

    reg [5:0] age;         // steps of calm in which B lacked a packet and got none
    always @(posedge clk)
        age <= (rst || !calm || !wanting || accept) ? 6'd0 : age + 6'd1;

    always @(posedge clk) if (!rst)
        goes_on: assert (age != LIMIT);
endmodule
`default_nettype wire
