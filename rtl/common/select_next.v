// SPDX-License-Identifier: Apache-2.0
// Round robin without a memory of its own: the first request after number `last`, cyclically, so that
// `last` itself comes last. With the number last served kept in `last` there is no starvation. Combinational.
`default_nettype none
module select_next #(
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
        i      = 0;
        choice = {WIDTH{1'b0}};
        for (i = N - 1; i >= 0; i = i - 1)
            if (among[i])
                choice = i[WIDTH-1:0];
    end
endmodule
`default_nettype wire
