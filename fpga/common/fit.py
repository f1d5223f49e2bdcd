#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places and routes a module on an ECP5-85, out of context, and says what it takes and how fast its clocks may be.

    fit.py MODULE                     the worst of three seeds, 1, 2, 3 if fit.toml has no others; build/fit/MODULE/fit.json
    fit.py MODULE --set PORT_BYTES=32 another parameter; no limits are held then
    fit.py MODULE --seeds 7           these seeds (commas between several)
    fit.py --list                     the modules of fpga/MACHINE/fit.toml, with their limits

fit.toml has of each module its clocks, with the MHz that the worst seed has to reach; parameters that are not as they stand
(`set`); macros of the sources (`define`); options of synth_ecp5 (`synthesis`) and of nextpnr (`routing`); seeds of placement
(`seeds`); the ports of the clocks but the first (expressions of whole names); how many numbers cross clocks in Gray code.

The module stands in a harness of flip-flops: every input comes from one, every output goes to one, of the clock that the
port belongs to, so that no path begins or ends at a pin. For every clock: what it reached with the worst seed, and the
critical path of that seed with the lines of the sources it comes from. For every number that crosses clocks in Gray code
(cdc_counter): how much later the last of its bits may arrive than the first, as routed; it must be less than a cycle of
the clock it comes from, or a reader might see two steps mixed. Yosys 0.70 and nextpnr 0.11, pinned in wheels.txt.
Exit codes: 0 good, 1 a limit is missed, 2 usage, 10 a tool is missing, 12 a tool failed.
"""
import argparse
import collections
import difflib
import json
import pathlib
import re
import sys
import tomllib

import families
import tools
import wheels
from tools import FAILED, MISSED, ROOT, USAGE, BoardError, exit_code_of, run

SEEDS = [1, 2, 3]
DEVICE = ["--85k", "--package", "CABGA381", "--speed", "6"]


def modules():
    """{module: its entry of fit.toml, with "machine" added}."""
    listed = {}
    for path in sorted((ROOT / "fpga").glob("*/fit.toml")):
        with open(path, "rb") as file:
            for top, entry in tomllib.load(file).items():
                listed[top] = {"machine": path.parent.name, **entry}
    return listed


def find(top):
    listed = modules()
    if top not in listed:
        near = difflib.get_close_matches(top, listed, 1, 0.3)
        raise BoardError(USAGE, f"no {top} in fpga/*/fit.toml; " + (f"did you mean {near[0]}?" if near else "see --list"))
    return listed[top]


def reading(entry):
    """Yosys' lines that read the sources: the machine's and the common ones."""
    sources = sorted(p for name in ("common", entry["machine"]) for p in (ROOT / "rtl" / name).rglob("*.v"))
    includes = " ".join(f"-I{folder}" for folder in sorted({p.parent for p in sources}))
    macros = " ".join(f"-D{name}" for name in entry.get("define", []))
    return [f"read_verilog -defer {macros} {includes} {source}" for source in sources]


def ports_of(top, entry, parameters, folder):
    """{port: (direction, bits)} of the module with its parameters, as Yosys elaborates it."""
    script = folder / "ports.ys"
    lines = reading(entry) + [f"chparam -set {n} {v} {top}" for n, v in parameters]
    lines += [f"hierarchy -top {top}", "proc -noopt", f"rename -top {top}", f"select {top}", "write_json -selected ports.json"]
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    run(1, 3, "its ports (Yosys)", wheels.yosys(script), folder / "ports.log", folder)
    ports = json.loads((folder / "ports.json").read_text(encoding="utf-8"))["modules"][top]["ports"]
    return {name: (port["direction"], len(port["bits"])) for name, port in ports.items()}


def clock_of_port(name, entry):
    """The clock that a port belongs to: the first one whose expression in `ports` it matches, or the first clock of all."""
    for clock, pattern in entry.get("ports", {}).items():
        if re.fullmatch(pattern, name):
            return clock
    return next(iter(entry["clocks"]))


def harness(top, ports, entry, parameters):
    """Verilog of the harness. A shift register feeds the inputs of a clock, another one collects its outputs."""
    clocks = list(entry["clocks"])
    missing = [c for c in clocks if c not in ports]
    if missing:
        raise BoardError(FAILED, f"fit.toml: {top} has no clock {', '.join(missing)}")
    of = {clock: {"input": [], "output": []} for clock in clocks}
    for name, (direction, bits) in ports.items():
        if name not in clocks:
            of[clock_of_port(name, entry)][direction].append((name, bits))
    pins, body = [f"input wire {c}" for c in clocks], []
    for name, (_, bits) in ports.items():
        if name not in clocks:
            body.append(f"    wire [{bits - 1}:0] {name};")
    for clock in clocks:
        width = {d: sum(bits for _, bits in of[clock][d]) for d in ("input", "output")}
        if width["input"]:
            pins.append(f"input wire {clock}_scan_in")
            body += [f"    reg [{width['input'] - 1}:0] {clock}_in_reg;",
                     f"    assign {{{', '.join(n for n, _ in of[clock]['input'])}}} = {clock}_in_reg;",
                     f"    always @(posedge {clock}) {clock}_in_reg <= {{{clock}_in_reg, {clock}_scan_in}};"]
        if width["output"]:
            pins.append(f"output wire {clock}_scan_out")
            last = width["output"] - 1
            body += [f"    reg [{last}:0] {clock}_out_reg, {clock}_fold_reg;",
                     f"    assign {clock}_scan_out = {clock}_fold_reg[{last}];",
                     f"    always @(posedge {clock}) begin",
                     f"        {clock}_out_reg  <= {{{', '.join(n for n, _ in of[clock]['output'])}}};",
                     f"        {clock}_fold_reg <= {{{clock}_fold_reg, 1'b0}} ^ {clock}_out_reg;", "    end"]
    set_there = ", ".join(f".{n}({v})" for n, v in parameters)
    connected = ", ".join(f".{n}({n})" for n in ports)
    return "\n".join([f"module harness ({', '.join(pins)});", *body,
                      f"    {top} {f'#({set_there}) ' if set_there else ''}dut ({connected});", "endmodule"]) + "\n"


def synthesise(top, entry, parameters, folder):
    ports = ports_of(top, entry, parameters, folder)
    (folder / "harness.v").write_text(harness(top, ports, entry, parameters), encoding="utf-8")
    (folder / "clocks.lpf").write_text("".join(f'FREQUENCY PORT "{c}" {mhz} MHZ;\n' for c, mhz in entry["clocks"].items()),
                                       encoding="utf-8")
    script = folder / "synth.ys"
    script.write_text("\n".join(reading(entry) + ["read_verilog harness.v", "hierarchy -top harness", families.Ecp5.unproved,
                                                  f"synth_ecp5 {entry.get('synthesis', '')} -top harness -json netlist.json", "check -assert"]) + "\n", encoding="utf-8")
    run(2, 3, "synthesis (Yosys), about a minute", wheels.yosys(script), folder / "yosys.log", folder)
    tools.refuse_latches(folder / "yosys.log")


def route(folder, seed, options):
    """Places and routes with a seed. Returns nextpnr's report."""
    report = f"report{seed}.json"
    run(3, 3, f"place and route (nextpnr), seed {seed}, some minutes",
        [wheels.tool("nextpnr-ecp5"), *DEVICE, "--json", "netlist.json", "--lpf", "clocks.lpf", "--lpf-allow-unconstrained",
         "--seed", str(seed), "--timing-allow-fail", "--detailed-timing-report", "--report", report, *options.split()],
        folder / f"nextpnr{seed}.log", folder)
    return json.loads((folder / report).read_text(encoding="utf-8"))


def clock_of(event, clocks):
    """The clock of fit.toml of an event as nextpnr names it ("posedge $glbnet$link_clk$TRELLIS_IO_IN"), or None."""
    edge, _, net = event.partition(" ")
    return families.clock_of(net, clocks) if edge in ("posedge", "negedge") else None


def source_of(step, cells):
    """File and line, of rtl/ or the harness, that a step of a path comes from: its net's, or its cell's; "" if neither has any
    (most of what lies between registers has none: the mapper makes it anew)."""
    cell = cells.get(step["from"]["cell"] if step["type"] == "clk-to-q" else step["to"]["cell"], {})
    for source in step.get("sources", []) + cell.get("attributes", {}).get("src", "").split("|"):
        file, _, place = source.rpartition(":")
        if "/rtl/" in file:
            return f"rtl/{file.split('/rtl/')[1]}:{place.split('.')[0]}"
        if file.endswith("harness.v"):
            return "harness"
    return ""


def critical_paths(report, netlist, clocks):
    """{clock: {"ns", "levels", "steps": [(source, net or cell, ns since the edge)]}}: from each clock to itself."""
    cells, paths = netlist["modules"]["harness"]["cells"], {}
    for path in report["critical_paths"]:
        clock = clock_of(path["from"], clocks)
        if clock is None or clock_of(path["to"], clocks) != clock:
            continue
        time, levels, steps = 0.0, 0, []
        for step in path["path"]:
            time += step["delay"]
            # a carry chain's many steps take next to no time each, and are one level
            levels += step["type"] == "logic" and step["delay"] > 0.1
            name = re.split("_(?:LUT4|CCU2C|TRELLIS|PFUMX|L6MUX21|DP16KD)", step.get("net", step["from"]["cell"]))[0].removeprefix("dut.")
            source = source_of(step, cells)
            # one line for a carry chain, too
            if step["type"] != "logic" and (not steps or name != steps[-1][1] or source not in ("", steps[-1][0])):
                steps.append((source, name, round(time, 2)))
        paths[clock] = {"ns": round(time, 2), "levels": levels, "steps": steps}
    return paths


def gray_codes(netlist, report, clocks):
    """[{"name", "from", "to", "bits", "skew_ns", "limit_ns"}]: every number of several bits that a cdc_counter sends."""
    nets = netlist["modules"]["harness"]["netnames"]
    names = collections.defaultdict(set)
    for name, net in nets.items():
        for i, bit in enumerate(net["bits"]):
            names[bit].add(name if len(net["bits"]) == 1 else f"{name}[{i}]")
    timed = {net["net"]: net for net in report["detailed_net_timings"]}
    # The number has two names, of which Yosys may drop either: the register's, and that of the port of u_sync, the cdc_bits
    # within a cdc_counter. (That of a cdc_pulse is of one bit.)
    sent = {found[1]: net for name, net in nets.items()
            if (found := re.fullmatch(r"(.*)\.(?:gray_reg|u_sync\.src)", name)) and len(net["bits"]) > 1}
    codes = []
    for name, net in sorted(sent.items()):
        early, late, ends = [], [], set()
        for bit in net["bits"]:
            routed = next((timed[n] for n in sorted(names[bit]) if n in timed), None)
            for end in routed["endpoints"] if routed else []:
                ways = clock_of(routed["event"], clocks), clock_of(end["event"], clocks)
                if None not in ways and ways[0] != ways[1]:
                    ends.add(ways)
                    early.append(end["delay"][0])
                    late.append(end["delay"][1])
        if len(early) != len(net["bits"]) or len(ends) != 1:
            raise BoardError(FAILED, f"{name}: {len(net['bits'])} bits, of which nextpnr reports {len(early)} from one clock to one other")
        ((source, sink),) = ends
        codes.append({"name": name.removeprefix("dut."), "from": source, "to": sink, "bits": len(early),
                      "skew_ns": round(max(late) - min(early), 3), "limit_ns": round(1000 / clocks[source], 3)})
    return codes


def crossed_harness(report, clocks):
    """Names of the harness' registers whose first destination is of another clock: a port that fit.toml has at the wrong one."""
    wrong = set()
    for net in report["detailed_net_timings"]:
        found = re.match(r"(\w+)_(?:in|out)_reg\b", net["net"])
        if not found or found[1] not in clocks:
            continue
        for end in net["endpoints"]:
            there = clock_of(end["event"], clocks)
            if there is not None and there != found[1]:
                wrong.add(net["net"])
    return sorted(wrong)


def luts_of_harness(netlist, clocks):
    """How many tables of four inputs are the harness' own: it collects every output with an exclusive-or."""
    own = re.compile(rf"({'|'.join(map(re.escape, clocks))})_(in|out|fold)_reg_")
    return sum(cell["type"] == "LUT4" and own.match(name) is not None for name, cell in netlist["modules"]["harness"]["cells"].items())


def judge(entry, reports, netlist):
    """The fit of all seeds: {"cells", "harness_luts", "clocks", "paths", "gray", "missed"}."""
    clocks = entry["clocks"]
    result = {"cells": {}, "harness_luts": luts_of_harness(netlist, clocks), "clocks": [], "paths": {}, "gray": [], "missed": []}
    for report in reports.values():
        for cell, use in report["utilization"].items():
            if use["used"]:
                known = result["cells"].setdefault(cell, {"used": 0, "available": use["available"]})
                known["used"] = max(known["used"], use["used"])
    for clock, limit in clocks.items():
        reached = {seed: next((f["achieved"] for net, f in report["fmax"].items() if clock_of(f"posedge {net}", clocks) == clock), None)
                   for seed, report in reports.items()}
        if None in reached.values():
            raise BoardError(FAILED, f"nextpnr does not report the clock {clock}")
        worst = min(reached, key=reached.get)
        result["clocks"].append({"clock": clock, "mhz": round(reached[worst], 2), "seed": worst, "limit_mhz": limit,
                                 "seeds": {seed: round(mhz, 2) for seed, mhz in reached.items()}})
        result["paths"][clock] = critical_paths(reports[worst], netlist, clocks).get(clock)
        if reached[worst] < limit:
            result["missed"].append(f"{clock}: {reached[worst]:.2f} MHz with seed {worst}, {limit} wanted")
    for seed, report in reports.items():
        codes = gray_codes(netlist, report, clocks)
        if len(codes) != entry.get("gray", 0):
            raise BoardError(FAILED, f"{len(codes)} numbers cross clocks in Gray code, {entry.get('gray', 0)} in fit.toml")
        for code in codes:
            known = next((g for g in result["gray"] if g["name"] == code["name"]), None)
            if known is None:
                result["gray"].append({**code, "seed": seed})
            elif code["skew_ns"] > known["skew_ns"]:
                known.update(code, seed=seed)
    for code in result["gray"]:
        if code["skew_ns"] >= code["limit_ns"]:
            result["missed"].append(f"{code['name']}: bits {code['skew_ns']} ns apart, less than {code['limit_ns']} wanted")
    return result


def show(result):
    for cell, use in sorted(result["cells"].items()):
        print(f"{cell:<24}{use['used']:>10} of {use['available']}")
        if cell == "TRELLIS_COMB":
            print(f"  of the harness{result['harness_luts']:>20}")
    for row in result["clocks"]:
        limit = "" if row["limit_mhz"] is None else f"   limit {row['limit_mhz']}"
        print(f"{row['clock']:<24}{row['mhz']:>10.2f} MHz{limit}   (" + ", ".join(f"{mhz:.2f}" for mhz in row["seeds"].values()) + ")")
    for code in result["gray"]:
        print(f"{code['name']:<24}{code['skew_ns']:>10.2f} ns between the first and the last of {code['bits']} bits, "
              f"{code['from']} to {code['to']}   limit {code['limit_ns']}")
    for clock, path in result["paths"].items():
        if path is None:
            continue
        print(f"\ncritical path of {clock}: {path['ns']} ns, {path['levels']} levels of logic")
        for source, name, time in path["steps"]:
            print(f"    {time:>6.2f} ns  {source:<44} {name}")


def fit(top, parameters, seeds):
    entry = find(top)
    wheels.prepare()
    ours = list(entry.get("set", {}).items())
    folder = ROOT / "build" / "fit" / "_".join([top, *(f"{n}_{v}" for n, v in parameters)])
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{top} on an LFE5U-85F, speed 6, out of context", file=sys.stderr)
    synthesise(top, entry, list(dict(ours + parameters).items()), folder)
    netlist = json.loads((folder / "netlist.json").read_text(encoding="utf-8"))
    reports = {seed: route(folder, seed, entry.get("routing", "")) for seed in seeds or entry.get("seeds", SEEDS)}
    wrong = sorted({name for report in reports.values() for name in crossed_harness(report, entry["clocks"])})
    if wrong:
        raise BoardError(FAILED, f"ports that fit.toml has at another clock than the module: {', '.join(wrong)}")
    result = judge(entry, reports, netlist)
    if parameters:
        result["missed"] = []
    show(result)
    (folder / "fit.json").write_text(json.dumps({"module": top, "set": dict(ours + parameters), **result}, indent=2) + "\n", encoding="utf-8")
    if result["missed"]:
        raise BoardError(MISSED, "; ".join(result["missed"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", nargs="?", help="a module of fpga/*/fit.toml")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the module")
    parser.add_argument("--seeds", help="of placement, commas between them (default: fit.toml's, or 1,2,3)")
    parser.add_argument("--list", action="store_true", help="the modules and the limits of their clocks")
    options = parser.parse_args()

    def work():
        if options.list:
            for top, entry in modules().items():
                print(f"{top:<20}" + ", ".join(f"{clock} {mhz} MHz" for clock, mhz in entry["clocks"].items()))
            return
        if options.module is None:
            raise BoardError(USAGE, "which module? They are " + ", ".join(modules()))
        parameters = [tuple(p.split("=", 1)) for p in options.set]
        if any(len(p) != 2 or not re.fullmatch(r"\w+", p[0]) or not re.fullmatch(r"\d+", p[1]) for p in parameters):
            raise BoardError(USAGE, "--set takes NAME=NUMBER, as in --set TX_PACKETS=32")
        if options.seeds is not None and not re.fullmatch(r"\d+(,\d+)*", options.seeds):
            raise BoardError(USAGE, "--seeds takes numbers with commas between them, as in --seeds 1,2,3")
        fit(options.module, parameters, options.seeds and list(dict.fromkeys(int(s) for s in options.seeds.split(","))))

    return exit_code_of(work)


if __name__ == "__main__":
    sys.exit(main())
