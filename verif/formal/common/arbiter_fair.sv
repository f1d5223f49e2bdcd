// SPDX-License-Identifier: Apache-2.0
// Round robin, both kinds: a persistent request is granted within N grants, whatever the others request;
// nothing is granted without a request, and never two at once.
`default_nettype none
module arbiter_fair #(
    parameter N     = 8,
    parameter WIDTH = 3
) (
    input wire             clk,
    input wire [N-1:0]     request,
    input wire             take,
    input wire [WIDTH-1:0] any
);
    reg rst = 1'b1;
    always @(posedge clk) rst <= 1'b0;
    (* anyconst *) wire [WIDTH-1:0] who;
    always @* assume (who < N);

    wire [N-1:0]     grant;
    wire             found;
    wire [WIDTH-1:0] choice;
    reg  [WIDTH-1:0] last;

    arbiter_round_robin #(.WIDTH(N)) u_arbiter (
        .clk(clk), .rst(rst), .request(request), .take(take), .grant(grant));
    select_next #(.N(N), .WIDTH(WIDTH)) u_select (
        .request(request), .last(last), .found(found), .choice(choice));

    reg [WIDTH:0] passed, skipped;      // others served while `who` was asking
    always @(posedge clk) begin
        if (rst)
            last <= any < N ? any : {WIDTH{1'b0}};
        else if (take && found)
            last <= choice;
        passed  <= (rst || !request[who] || (take && grant[who])) ? 0 : passed + (take && request != 0);
        skipped <= (rst || !request[who] || (take && choice == who)) ? 0 : skipped + (take && request != 0);
    end

    always @* if (!rst) begin
        who_asks:   assert ((grant & ~request) == 0 && (grant & (grant - 1'b1)) == 0 && (grant != 0) == (request != 0));
        same_asks:  assert (found == (request != 0) && (!found || request[choice]));
        bounded:    assert (passed < N && skipped < N);
        waits_long: cover (passed == N - 1 && skipped == N - 1);
    end
endmodule
`default_nettype wire
