#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fpga/common/fit.py reads what nextpnr reports, and refuses what it cannot vouch for; fit.toml and rtl/ agree.

    fit_test.py ROOT

Reports are written here by hand, small ones in the form of nextpnr 0.11. 1 if something is read wrongly.
"""
import copy
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "fpga" / "common"))
import fit  # noqa: E402  (its folder comes from the command line)
from tools import BoardError  # noqa: E402

FAST, SLOW = "posedge $glbnet$fast$TRELLIS_IO_IN", "posedge $glbnet$slow$TRELLIS_IO_IN"
ENTRY = {"machine": "qpace", "clocks": {"fast": 200, "slow": 50}, "ports": {"slow": "s_.*"}, "gray": 1}
CELLS = {"dut.a_reg_TRELLIS_FF_Q": {"type": "TRELLIS_FF", "attributes": {"src": "/x/rtl/qpace/link/a.v:7.5-9.8"}},
         "dut.sum": {"type": "LUT4", "attributes": {}}, "slow_fold_reg_TRELLIS_FF_Q_DI_LUT4_Z": {"type": "LUT4", "attributes": {}},
         "fast_fold_reg_TRELLIS_FF_Q": {"type": "TRELLIS_FF", "attributes": {}}}
NETLIST = {"modules": {"harness": {"cells": CELLS, "netnames": {
    "dut.u_count.u_sync.src": {"bits": [2, 3, 4]}, "dut.top_bit": {"bits": [4]},
    "dut.u_pulse.u_sync.src": {"bits": [9]}, "dut.u_status.src": {"bits": [10, 11]}}}}}


def net(name, source, sink, delay, cell="dut.u_count.u_sync.meta_reg_TRELLIS_FF_Q"):
    return {"net": name, "event": source, "driver": "x", "port": "Q", "endpoints": [{"cell": cell, "event": sink, "port": "M", "delay": delay}]}


def step(kind, delay, from_cell, to_cell, name=None, source=None):
    found = {"type": kind, "delay": delay, "from": {"cell": from_cell, "port": "Q"}, "to": {"cell": to_cell, "port": "D"}}
    return found | ({"net": name, "sources": [source] if source else []} if name else {})


def report():
    return {
        "utilization": {"TRELLIS_FF": {"used": 7, "available": 100}, "DCUA": {"used": 0, "available": 2}},
        "fmax": {"$glbnet$fast$TRELLIS_IO_IN": {"achieved": 210.0}, "$glbnet$slow$TRELLIS_IO_IN": {"achieved": 60.0}},
        "critical_paths": [
            {"from": FAST, "to": FAST, "path": [
                step("clk-to-q", 0.5, "dut.a_reg_TRELLIS_FF_Q", "dut.a_reg_TRELLIS_FF_Q"),
                step("routing", 1.0, "dut.a_reg_TRELLIS_FF_Q", "dut.sum", "dut.a_reg[3]", "/x/rtl/common/b.v:12.1-12.3"),
                step("logic", 0.07, "dut.sum", "dut.sum"), step("logic", 0.25, "dut.sum", "dut.sum"),
                step("setup", 0.1, "dut.a_reg_TRELLIS_FF_Q", "dut.a_reg_TRELLIS_FF_Q")]},
            {"from": FAST, "to": SLOW, "path": [step("routing", 99.0, "x", "y", "z")]}],
        "detailed_net_timings": [
            net("dut.u_count.u_sync.src[0]", FAST, SLOW, [1.0, 1.1]), net("dut.u_count.u_sync.src[1]", FAST, SLOW, [0.75, 0.9]),
            net("dut.top_bit", FAST, SLOW, [1.2, 1.5]), net("dut.u_pulse.u_sync.src", FAST, SLOW, [0.1, 9.0]),
            net("fast_in_reg[0]", FAST, FAST, [0.1, 0.2])]}


def judged(*reports, entry=None):
    return fit.judge(entry or ENTRY, dict(enumerate(reports, 1)), NETLIST)


def refused(call, words):
    try:
        call()
    except BoardError as error:
        return words in str(error)
    return False


def checks():
    good = judged(report())
    yield "nothing is missed", good["missed"] == []
    yield "cells that are used", good["cells"] == {"TRELLIS_FF": {"used": 7, "available": 100}}
    yield "of a Gray code, the last bit at its latest less the first at its earliest", [
        (g["name"], g["bits"], g["from"], g["to"], g["skew_ns"], g["limit_ns"]) for g in good["gray"]] == [("u_count", 3, "fast", "slow", 0.75, 5.0)]
    yield "tables of the harness", good["harness_luts"] == 1
    path = good["paths"]["fast"]
    yield "time and levels of a path, a carry's step no level", (path["ns"], path["levels"]) == (1.92, 1)
    yield "lines of sources, of cells and of nets", [s[0] for s in path["steps"]] == [
        "rtl/qpace/link/a.v:7", "rtl/common/b.v:12", "rtl/qpace/link/a.v:7"]
    yield "no path of its own", good["paths"]["slow"] is None

    slower = report()
    slower["fmax"]["$glbnet$slow$TRELLIS_IO_IN"]["achieved"] = 49.0
    both = judged(report(), slower, report())
    yield "the worst seed counts", both["clocks"][1]["seed"] == 2 and both["missed"] == ["slow: 49.00 MHz with seed 2, 50 wanted"]

    apart = report()
    apart["detailed_net_timings"][2]["endpoints"][0]["delay"] = [1.2, 5.75]
    yield "bits a cycle apart are missed", judged(report(), apart)["missed"] == ["u_count: bits 5.0 ns apart, less than 5.0 wanted"]

    lost = report()
    del lost["detailed_net_timings"][1]
    yield "a bit that is not reported is refused", refused(lambda: judged(lost), "3 bits, of which nextpnr reports 2")
    renamed = copy.deepcopy(NETLIST)
    names = renamed["modules"]["harness"]["netnames"]
    names["dut.u_count.gray_reg"] = names.pop("dut.u_count.u_sync.src")
    at_register = json.loads(json.dumps(report()).replace("u_count.u_sync.src[", "u_count.gray_reg["))
    yield "a Gray code by the name of its register", fit.judge(ENTRY, {1: at_register}, renamed)["gray"] == [
        g | {"seed": 1} for g in good["gray"]]
    both_names = copy.deepcopy(NETLIST)
    both_names["modules"]["harness"]["netnames"]["dut.u_count.gray_reg"] = names["dut.u_count.gray_reg"]
    yield "one with both names is one", len(fit.judge(ENTRY, {1: report()}, both_names)["gray"]) == 1
    yield "another number of Gray codes is refused", refused(lambda: judged(report(), entry=ENTRY | {"gray": 2}), "1 numbers cross")
    clockless = report()
    del clockless["fmax"]["$glbnet$slow$TRELLIS_IO_IN"]
    yield "a clock without a number is refused", refused(lambda: judged(clockless), "does not report the clock slow")

    yield "ports are at their clocks", fit.crossed_harness(report(), ENTRY["clocks"]) == []
    crossed = copy.deepcopy(report())
    crossed["detailed_net_timings"][-1]["endpoints"][0]["event"] = SLOW
    yield "a port at the wrong clock is found", fit.crossed_harness(crossed, ENTRY["clocks"]) == ["fast_in_reg[0]"]

    text = fit.harness("m", {"fast": ("input", 1), "slow": ("input", 1), "a": ("input", 3), "s_b": ("output", 2)}, ENTRY, [("N", "4")])
    yield "a harness of flip-flops", all(part in text for part in (
        "reg [2:0] fast_in_reg;", "assign {a} = fast_in_reg;", "slow_out_reg  <= {s_b};", "m #(.N(4)) dut (.fast(fast), .slow(slow), .a(a), .s_b(s_b));"))
    yield "an unknown module, the nearest named", refused(lambda: fit.find("qpace_lnk"), "did you mean qpace_link?")

    for top, entry in fit.modules().items():
        yield f"{top} is judged by three seeds", len(set(entry.get("seeds", fit.SEEDS))) == 3
        (source,) = (ROOT / "rtl" / entry["machine"]).rglob(f"{top}.v")
        head = source.read_text(encoding="utf-8").split("\n);")[0]
        for clock in entry["clocks"]:
            yield f"{top} has the clock {clock}", re.search(rf"input\s+wire\s+(\[\S+\]\s+)?{clock}\b", head) is not None
        yield f"{top}: ports of clocks that it has", set(entry.get("ports", {})) <= set(entry["clocks"])


def main():
    failed = [what for what, holds in checks() if not holds]
    for what in failed:
        print(f"fit.py: not so: {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
