// SPDX-License-Identifier: Apache-2.0
// Round-robin choice, combinational: the first request after number `last`, cyclically, so that
// `last` itself comes last. Keep `last` = the number last served and nobody starves. Latency 0.
`default_nettype none
module rr_select #(
    parameter N     = 8,             // requests
    parameter WIDTH = 3              // bits of a number, 2^WIDTH >= N
) (
    input  wire [N-1:0]     request,
    input  wire [WIDTH-1:0] last,
    output wire             found,
    output reg  [WIDTH-1:0] choice   // 0 if nothing is found
);
    wire [N-1:0] after = request & ({N{1'b1}} << last << 1);
    wire [N-1:0] among = (after != {N{1'b0}}) ? after : request;
    integer      i;

    assign found = |request;

    always @* begin
        choice = {WIDTH{1'b0}};
        for (i = N - 1; i >= 0; i = i - 1)
            if (among[i])
                choice = i[WIDTH-1:0];
    end
endmodule
`default_nettype wire
