#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What rtl_expressions.py finds in a module, against what a reader finds in it."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import rtl_expressions  # noqa: E402

MODULE = """
module m #(parameter N = 4'd3) (input wire clk, input wire [3:0] a, output wire b, output reg [3:0] q);
    localparam [3:0] ONE = 4'd1;
    wire       sum = ^a;              // a != b stands in a comment
    wire [3:0] x, y;
    assign b = a[3:0] == 4'd7 && !sum;
    function [3:0] f(input [3:0] v);
        f = v + 4'd1;
    endfunction
    initial q = 4'd0;
    generate
        if (N == 4'd3) begin : g
            assign x = b ? {4{1'b1}} : ~a;
        end
    endgenerate
    always @(posedge clk) begin
        if (a < ONE) q <= q + 4'd1;
        else case (a)
            4'd2, 4'd3: q[1:0] <= 2'd0;
            default:    begin : named
                integer i;
                for (i = 0; i < 4; i = i + 1) q[i] <= a[i];
            end
        endcase
    end
endmodule
"""
WRONG = [
    (4, "value", ["lowest bit inverted"]),
    (6, "value", ["lowest bit inverted", "== is !=", "4'd7 is 4'h6", "&& is ||", "no !"]),
    (13, "value", ["lowest bit inverted", "the other way round", "1'b1 is 1'h0", "no ~"]),
    (17, "condition", ["never", "always", "< is <="]),
    (17, "assignment", ["not assigned"]),
    (17, "register", ["lowest bit inverted", "+ is -", "4'd1 is 4'h0"]),
    (19, "assignment", ["not assigned"]),
    (19, "register", ["lowest bit inverted", "2'd0 is 2'h1"]),
    (22, "assignment", ["not assigned"]),
    (22, "register", ["lowest bit inverted"]),
]
TEXTS = {(6, "&& is ||"): "a[3:0] == 4'd7 || !sum", (13, "the other way round"): "!(b ) ? {4{1'b1}} : ~a",
         (17, "+ is -"): "q - 4'd1", (17, "never"): "1'b0", (6, "lowest bit inverted"): "(a[3:0] == 4'd7 && !sum) ^ 1'b1"}


def main():
    places = rtl_expressions.places(MODULE)
    found = [(p.line, p.role, [what for what, _ in p.broken]) for p in places]
    failures = [f"found {f}, and expected {w}" for f, w in zip(found, WRONG) if f != w]
    if len(found) != len(WRONG):
        failures.append(f"{len(found)} places, not {len(WRONG)}: {found}")
    texts = {(p.line, what): " ".join(new.split()) for p in places for what, new in p.broken}
    failures += [f"{key}: {texts.get(key)}, not {text}" for key, text in TEXTS.items()
                 if texts.get(key, "").replace(" ", "") != text.replace(" ", "")]
    try:
        rtl_expressions.places("module m; always @* begin forever; end endmodule")
        failures.append("a statement that it does not know was read")
    except rtl_expressions.NotRead:
        pass
    print("\n".join(failures) or f"{len(places)} places, as a reader finds them")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
