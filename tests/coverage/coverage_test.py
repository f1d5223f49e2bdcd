#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""states.py: what it refuses; coverage.py: what it adds up, and its verdict."""
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "coverage"))
import coverage  # noqa: E402
import states  # noqa: E402

MODULE = """module light (input wire clk, input wire rst, input wire go);
    localparam [1:0] RED = 0, GREEN = 1, YELLOW = 2;
    reg [1:0] state_reg;
endmodule
"""
LIST = """[[fsm]]
module = "light"
register = "state_reg"
reset = "rst"
clock = "clk"
[fsm.states]
RED = ["GREEN"]
GREEN = ["YELLOW"]
YELLOW = ["RED"]
"""
failures = []


def check(good, what):
    if not good:
        failures.append(what)


def refusals():
    for change, said in (
            (('module = "light"', 'module = "lamp"'), "no such module"),
            (('"state_reg"', '"phase_reg"'), "the module has no phase_reg"),
            (('reset = "rst"', 'reset = "rst || hold"'), "the module has no hold"),
            (("YELLOW = [", "BLUE = ["), "the module has no BLUE"),
            (('["YELLOW"]', '["YELLOW", "GREEN"]'), "GREEN -> GREEN is no transition"),
            (('YELLOW = ["RED"]', 'YELLOW = ["RED"]\n[fsm.waive]\n"RED -> YELLOW" = "never"'), "nothing is called 'RED -> YELLOW'"),
            (('YELLOW = ["RED"]', 'YELLOW = ["RED"]\n[fsm.waive]\n"RED -> others" = "never"'), "nothing is called 'RED -> others'"),
            (('reset = "rst"', 'reset = "rst"\nonehot = true'), "onehot means nothing")):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "rtl/x").mkdir(parents=True)
            (root / "rtl/x/light.v").write_text(MODULE)
            check(change[0] in LIST, f"{change[0]} is not in the list")
            (root / "rtl/x/states.toml").write_text(LIST.replace(*change, 1))
            bad = list(states.complaints(root))
            check(any(said in line for line in bad), f"{change}: {bad}")


def verdicts():
    """Counts as a run leaves them, made by hand."""
    light = {"module": "light", "register": "state_reg", "waive": {},
             "states": {"RED": ["GREEN"], "GREEN": ["YELLOW"], "YELLOW": ["RED"]}}
    reached = {f"light.state_reg: {p}": 3 for p, _, to in states.points(light) if to != ()}
    usual = states.machines

    def faults(machine, counted):
        states.machines = lambda: iter([machine])
        counts = type("Counts", (), {"states": counted})()
        return [row[4] for row in coverage.state_rows(counts)][0]
    try:
        check(faults(light, reached) == [], "all reached")
        for point in reached:
            missing = {p: n for p, n in reached.items() if p != point}
            check(faults(light, missing) == [f"{point.split(': ')[1]}: not reached"], f"{point} missing")
        check(faults(light, {**reached, "light.state_reg: RED -> others": 1}) == ["RED -> others: 1 times"], "unlisted")
        waived = {**light, "waive": {"YELLOW -> RED": "it never ends"}}
        check(faults(waived, reached) == ["YELLOW -> RED: waived, and reached 3 times"], "waived, and reached")
        without = {p: n for p, n in reached.items() if not p.endswith("YELLOW -> RED")}
        check(faults(waived, without) == [], "waived")
    finally:
        states.machines = usual


def lines():
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        (build / "states").mkdir()
        (build / "counts").mkdir()
        (build / "states/light.sv").write_text("// first\n    cover property (@(posedge clk) is[0]);  // light.state_reg: RED\n")
        at = ROOT / "rtl/x/light.v"
        (build / "counts/1.counts").write_text(f"2\t{at}\t5\t3\tv_branch/light\tif\t5-6,8\n0\t{at}\t5\t4\tv_branch/light\telse\t\n"
                                               "7\t/x/states/light.sv\t2\t5\tv_user/states_light\tcover\t2\n")
        (build / "counts/2.counts").write_text(f"0\t{at}\t6\t3\tv_line/light__P1\tblock\t6,9\n4\t/usr/a.v\t1\t1\tv_line/a\tblock\t1\n"
                                               f"1\t{at}\t5\t3\tv_branch/light\tif\t5-6,8\n")
        # killed within its last line, inside its last field and before it
        (build / "counts/3.counts").write_text(f"1\t{at}\t6\t3\tv_line/light\tblock\t9,1")
        (build / "counts/4.counts").write_text(f"1\t{at}\t6")
        counts = coverage.Counts(build)
        check(dict(counts.lines) == {"rtl/x/light.v": {5: 3, 6: 3, 8: 3, 9: 0}}, dict(counts.lines))
        check(dict(counts.branches["rtl/x/light.v"]) == {(5, 3, "if"): 3, (5, 4, "else"): 0}, dict(counts.branches))
        check(dict(counts.states) == {"light.state_reg: RED": 7}, dict(counts.states))
        check(coverage.by_folder(counts.lines) == {"rtl/x": [3, 4]}, "by folder")
        check(counts.cut_off == 2, f"{counts.cut_off} lines that were cut off")
        # counts that a test keeps for itself, far from what the compiler wrote
        (build / "tests/kept").mkdir(parents=True)
        (build / "tests/kept/light.cpp.gcda").write_bytes(b"not counts")
        check(coverage.cpp_lines(build) == {}, "counts of a test's own")


def options():
    wrong = coverage.unknown_to_ctest(["-R", "a", "--output-on-failur"])
    check(wrong.startswith("--output-on-failur: ") and wrong.endswith("; did you mean --output-on-failure?"), wrong)
    check("--nosuch: " in coverage.unknown_to_ctest(["--nosuch=1"]), "an option of nobody's")
    for words in (["-LE", "nightly"], ["--output-on-failure", "-j4"], ["--repeat", "until-fail:2"], ["--timeout", "5"]):
        check(coverage.unknown_to_ctest(words) == "", words)


for part in (refusals, verdicts, lines, options):
    part()
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
