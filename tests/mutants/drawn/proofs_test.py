#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What rtl_proofs.py says of mutants of which a reader knows whether they are equivalent."""
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import mutants  # noqa: E402
import rtl_mutants  # noqa: E402
import rtl_proofs  # noqa: E402

MODULE = """
`default_nettype none
module m #(parameter WIDE = 0) (input wire clk, input wire rst, input wire [2:0] a, output wire [2:0] q, output reg [2:0] w);
    reg [2:0] count, old;
    assign q = count | (count == 3'd6 ? old : 3'd0);
    wire [2:0] y;
    wire unused = &{1'b0, clk};
    always @(posedge clk) begin
        old <= a;
        w <= w ^ a ^ y; // as nothing resets it
        if (count != 3'd5) count <= count + 3'd1;
        if (rst) count <= 3'd0;
    end
    generate
        if (WIDE != 0) begin : gen_wide
            assign y = a + 3'd1;
        end else begin : gen_narrow
            assign y = 3'd0;
        end
    endgenerate
endmodule
`default_nettype wire
"""
TWO_CLOCKS = """
`default_nettype none
module two (input wire a_clk, input wire b_clk, input wire a_rst, input wire d, output reg q, output reg p);
    reg two, three, x, y;
    wire unused = &{1'b0, a_rst};
    wire both   = two && !three;
    always @(posedge a_clk) {two, three} <= {d, d && three};
    always @(posedge b_clk) q <= both;
    always @(posedge a_clk) begin
        x <= !x;
        if (x != y) p <= d;
    end
    always @(posedge b_clk) y <= !y;
endmodule
`default_nettype wire
"""
# Module, line, what; the entry of survivors.toml; what is to be said
KNOWN = [
    ("m", 5, "3'd6 is 3'h7", {}, "equivalent"),              # count is never more than 5
    ("m", 5, "the other way round", {}, "not proved: refuted"),
    ("m", 5, "| is &", {}, "not proved: refuted"),
    ("m", 7, "1'b0 is 1'h1", {}, "equivalent"),              # goes nowhere
    ("m", 9, "not assigned", {}, "equivalent"),              # only looked at where count is 6
    ("m", 11, "always", {}, "not proved: refuted"),
    ("m", 11, "always", {"assume": "plain.count < 5"}, "equivalent if plain.count < 5"),
    ("m", 12, "3'd0 is 3'h1", {}, "not proved: refuted"),
    ("m", 16, "+ is -", {}, "not proved: not elaborated with these parameters"),
    ("m", 16, "+ is -", {"parameters": {"WIDE": 1}}, "not proved: refuted"),
    ("two", 5, "1'b0 is 1'h1", {}, "equivalent"),       # nobody reads it
    ("two", 6, "no !", {}, "not proved: refuted"),
    ("two", 7, "&& is ||", {}, "not proved: refuted"),
    ("two", 8, "not assigned", {}, "not proved: refuted"),
    ("two", 11, "never", {}, "not proved: refuted"),
]


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        mutants.ROOT = Path(folder)
        (mutants.ROOT / "rtl/x").mkdir(parents=True)
        (mutants.ROOT / "rtl/x/m.v").write_text(MODULE)
        (mutants.ROOT / "rtl/x/two.v").write_text(TWO_CLOCKS)
        drawn = rtl_mutants.draw(mutants.ROOT, "x", 1000, 1)
        for name, line, what, entry, expected in KNOWN:
            mutant = next(m for m in drawn if Path(m.file).stem == name and m.line == line and m.what.endswith(f", {what}"))
            said = rtl_proofs.equivalent(mutant, mutants.ROOT / "work", 20, entry)
            said = re.sub(r" in \d+ steps$", "", said)   # not always the fewest
            if said != expected:
                failures.append(f"{mutant}: {said}, and expected {expected}")
    print("\n".join(failures) or f"{len(KNOWN)} mutants, as a reader finds them")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
