#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants in a small module that is Verilated: each makes the difference that it should when it is awake, and where none is,
those are noted that would have made one (rtl_mutants.py, rtl_judges.py)."""
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
import mutants  # noqa: E402
import rtl_expressions  # noqa: E402
import rtl_judges  # noqa: E402
import rtl_mutants  # noqa: E402

MODULE = """
module m (input wire clk, input wire [3:0] a, input wire [3:0] none, output wire [4:0] sum, output wire off, output reg [3:0] q,
          output reg [3:0] same, output reg seen);
    assign sum = a + none;
    assign off = none != 4'd0;
    always @(posedge clk) begin
        q    <= a;
        same <= same & none;
        if (off) seen <= 1'b1;
        if (a == 4'd3) seen <= 1'b0;
    end
endmodule
"""
# Five cycles with a = 0 to 4; ends with what was seen as its exit code, of 0 to 255.
MAIN = """
#include "Vm.h"
int main() {
  Vm m;
  unsigned all = 0;
  m.none = 0;
  for (int i = 0; i < 5; ++i) {
    m.a = i;
    m.clk = 0;
    m.eval();
    m.clk = 1;
    m.eval();
    all = 31 * all + m.sum + 3 * m.off + 5 * m.q + 7 * m.same + 11 * m.seen;
  }
  return all == PLAIN ? 0 : 1;
}
"""
PLAIN = 0
for i in range(5):
    PLAIN = 31 * PLAIN + i + 5 * i
# (line, what): whether it makes a difference. Of a sum with a zero that is not: a + 0 is a - 0.
DIFFERS = {(4, "value, + is -"): False, (4, "value, lowest bit inverted"): True,
           (5, "value, != is =="): True, (5, "value, 4'd0 is 4'h1"): True,
           (7, "assignment, not assigned"): True, (8, "assignment, not assigned"): False,
           (8, "register, & is |"): False, (8, "register, lowest bit inverted"): True,
           (9, "condition, never"): False, (9, "condition, always"): True, (9, "register, 1'b1 is 1'h0"): False,
           (10, "condition, == is !="): True, (10, "condition, always"): True, (10, "condition, never"): True,
           (10, "assignment, not assigned"): False}
# What differs and cannot be seen from outside: `seen` is 0 whether it is told so or not.
HIDDEN = {(10, "condition, == is !="), (10, "condition, always"), (10, "condition, never")}


def main():
    drawn = []
    for p, place in enumerate(rtl_expressions.places(MODULE)):
        for way in range(len(place.broken)):
            what = f"{place.role}, {rtl_mutants.called(place, way)}"
            if (place.line, what) in DIFFERS:
                drawn.append(rtl_mutants.Mutant(len(drawn) + 1, "m.v", place.line, what, p, way))
    failures = [f"{key} is not among what can be wrong" for key in DIFFERS.keys() - {(m.line, m.what) for m in drawn}]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "aa_mutants.v").write_text(rtl_mutants.PACKAGE)
        (folder / "m.v").write_text(rtl_mutants.with_mutants(MODULE, drawn))
        (folder / "main.cpp").write_text(MAIN.replace("PLAIN", f"{PLAIN % 2**32}u"))
        header = Path(__file__).resolve().parent / "mutants_reached.hpp"
        code, output = mutants.run(["verilator", "--cc", "--exe", "--build", "-Wno-lint", "-Wno-fatal", "--top", "m", "-CFLAGS",
                                    f"-O0 -include {header}", "aa_mutants.v", "m.v", "main.cpp"], folder)
        if code != 0:
            sys.exit(output[-3000:])
        judge = rtl_judges.Judge("m", [folder / "obj_dir/Vm"], folder)
        _, numbers, _ = rtl_judges.noted(judge, len(drawn))
        for m in drawn:
            key = (m.line, m.what)
            if (m.number in numbers) != DIFFERS[key]:
                failures.append(f"line {m}: noted as {'one that differs' if m.number in numbers else 'one that does not'}")
            noticed = judge.call(m.number, 60)[0] != 0
            if noticed != (DIFFERS[key] and key not in HIDDEN):
                failures.append(f"line {m}: {'noticed' if noticed else 'not noticed'} when it is awake")
    print("\n".join(failures) or f"{len(drawn)} mutants; {len(numbers)} of them make a difference")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
