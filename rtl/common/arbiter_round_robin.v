// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter: of the requests, the first after the one served last. A request that
// persists is served within WIDTH grants. Combinational from request to grant; the priority
// moves on in the cycle `take` is high.
`default_nettype none
module arbiter_round_robin #(
    parameter WIDTH = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [WIDTH-1:0] request,
    input  wire             take,     // the grant of this cycle is used
    output wire [WIDTH-1:0] grant     // one-hot, or 0 without a request
);
    // ones above the position served last
    reg  [WIDTH-1:0] later_reg;
    wire [WIDTH-1:0] one    = {{WIDTH-1{1'b0}}, 1'b1};
    wire [WIDTH-1:0] later  = request & later_reg;
    wire [WIDTH-1:0] source = (later != {WIDTH{1'b0}}) ? later : request;
    wire [WIDTH-1:0] below  = source - one;   // borrows up to the lowest one

    assign grant = source & ~below;

    always @(posedge clk) begin
        if (take && request != {WIDTH{1'b0}}) begin
            later_reg <= ~(below ^ source);   // above the granted position
        end
        if (rst) begin
            later_reg <= {WIDTH{1'b0}};
        end
    end
endmodule
`default_nettype wire
