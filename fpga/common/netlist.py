#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places and routes a module of one clock on an ECP5-85, out of context, and turns what nextpnr has then back into Verilog
with the module's own ports: MODULE_routed. Our models of the chip's primitives, fpga/common/models/ecp5, simulate it.

    netlist.py MODULE                build/fpga/netlist/MODULE/MODULE_routed.v, and fit.json
    netlist.py MODULE --spoil        with a thousandth of the lookup tables inverted, in MODULE_spoilt.v

Every bit of the module's ports comes from a flip-flop of its own or goes to one, so that no path begins or ends at a pin;
where these stood the Verilog has its ports. Nets that the sources name keep their names. What was routed is kept for as long
as the sources, the tools and the way it is done are the same. --installed refuses to install the tools (fpga/common/wheels.py).
Exit codes: 0 good, 2 usage, 10 a tool is missing, 12 a tool failed.
"""
import argparse
import hashlib
import inspect
import json
import pathlib
import re
import sys

import fit
import tools
import wheels
from families import Ecp5
from tools import FAILED, MISSING, ROOT, USAGE, BoardError, run

MODELS = ROOT / "fpga" / "common" / "models" / "ecp5"
CLOCK, MHZ = "clk", 40
# Inputs that nothing drives and that are 1 in the chip then; others are 0, but for those of a block memory (tied()).
IDLE_HIGH = {"TRELLIS_COMB": {"A", "B", "C", "D"}, "TRELLIS_FF": {"CE"}}
# What is said of a cell besides, and does not change what it does.
PHYSICAL = {"DPRAM_INIT", "WID", "INIT_DATA"}


def machine_of(top):
    for path in sorted((ROOT / "rtl").rglob(f"{top}.v")):
        return path.relative_to(ROOT / "rtl").parts[0]
    raise BoardError(USAGE, f"no module {top} in rtl/")


def harness(top, ports):
    """Verilog of the harness: a flip-flop of the chip a bit, which nothing may remove; those of inputs form a chain."""
    body, last = [f"    wire [{bits - 1}:0] {name};" for name, (_, bits) in ports.items() if name != CLOCK], "scan_in"
    made = '    (* keep *) TRELLIS_FF #(.CEMUX("1"), .LSRMUX("INV")) '
    for name, (direction, bits) in ports.items():
        for i in range(bits if name != CLOCK else 0):
            data, out = (last, f"{name}[{i}]") if direction == "input" else (f"{name}[{i}]", "")
            body.append(f"{made}{direction[:-3]}_{name}_{i} (.CLK({CLOCK}), .LSR(1'b1), .CE(1'b1), .DI({data}), .Q({out}));")
            last = out or last
    connected = ", ".join(f".{n}({n})" for n in ports)
    return "\n".join([f"module harness (input wire {CLOCK}, input wire scan_in);", *body, f"    {top} dut ({connected});", "endmodule"]) + "\n"


def synthesise(top, entry, folder):
    ports = fit.ports_of(top, entry, [], folder)
    if CLOCK not in ports:
        raise BoardError(USAGE, f"{top} has no clock {CLOCK}")
    (folder / "harness.v").write_text(harness(top, ports), encoding="utf-8")
    (folder / "clocks.lpf").write_text(f'FREQUENCY PORT "{CLOCK}" {MHZ} MHZ;\n', encoding="utf-8")
    script = folder / "synth.ys"
    script.write_text("\n".join(fit.reading(entry) + [
        "read_verilog harness.v", "hierarchy -top harness",
        Ecp5.unproved, f"synth_ecp5 {Ecp5.synthesis} -top harness -json netlist.json",
        "check -assert"]) + "\n", encoding="utf-8")
    run(2, 4, "synthesis (Yosys), minutes", wheels.yosys(script), folder / "yosys.log", folder)
    tools.refuse_latches(folder / "yosys.log")
    (folder / "ports.json").write_text(json.dumps(ports) + "\n", encoding="utf-8")


def route(folder):
    # in two steps: a design that finds no wires is placed by then
    way = [wheels.tool("nextpnr-ecp5"), *fit.DEVICE, "--lpf", "clocks.lpf", "--lpf-allow-unconstrained", "--seed", "1", *Ecp5.ways,
           "--timing-allow-fail"]
    run(3, 4, "placement (nextpnr), up to half an hour", [*way, "--json", "netlist.json", "--no-route", "--write", "placed.json"],
        folder / "place.log", folder)
    run(4, 4, "routing (nextpnr), up to half an hour",
        [*way, "--json", "placed.json", "--no-pack", "--no-place", "--report", "report.json", "--write", "routed.json"], folder / "route.log", folder)


def key_of(entry):
    """Over all that the routed netlist is made of."""
    digest = hashlib.sha256(wheels.PINNED.read_bytes())
    for machine in ("common", entry["machine"]):
        for path in sorted((ROOT / "rtl" / machine).rglob("*.v*")):
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    for step in (harness, synthesise, route):
        digest.update(inspect.getsource(step).encode())
    digest.update(repr((CLOCK, MHZ, Ecp5.synthesis, Ecp5.unproved, Ecp5.ways, fit.DEVICE)).encode())
    return digest.hexdigest()[:16]


def routed(top, folder, installed):
    """Places and routes it, unless the folder has it of these sources and tools."""
    entry = {"machine": machine_of(top)}
    stamp, key = folder / "key", key_of(entry)
    if stamp.exists() and stamp.read_text(encoding="utf-8").strip() == key:
        return
    if installed and not wheels.installed():
        raise BoardError(MISSING, f"the routed netlist of {top} needs {wheels.wanted()[0]} and nextpnr-ecp5, which are not "
                                  f"installed; run, once: fpga/common/netlist.py {top}")
    wheels.prepare()
    folder.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    synthesise(top, entry, folder)
    route(folder)
    stamp.write_text(key + "\n", encoding="utf-8")


def models():
    """{primitive: (names of its parameters, names of its pins)} that our models have."""
    known = {}
    for path in MODELS.glob("*.v"):
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        header, ports = re.fullmatch(r".*?\bmodule \w+ (?:#\((.*?)\n\) )?\((.*?)\n\);.*", text, re.S).groups()
        known[path.stem] = (set(re.findall(r"(\w+)\s*=", header or "")), set(re.findall(r"\w+", ports)) - {"input", "output", "wire"})
    return known


def literal(value):
    """A parameter of a JSON netlist in Verilog: digits are a number, and text that looks like one ends with a space."""
    if isinstance(value, int):
        return str(value)
    return f"{len(value)}'b{value.replace('x', '0')}" if re.fullmatch(r"[01x]+", value) else f'"{value.strip()}"'


def tied(pin, mux):
    """What is at an input of a block memory that nothing drives: addresses and data are what their multiplexer says, or 0; others
    are 1, and inverted where it says so. Without one, clock enables are on, and all else is off."""
    if pin[:2] in ("AD", "DI"):
        return "1'b1" if mux == "1" else "1'b0"
    return "1'b0" if (mux or ("" if pin[:2] in ("CE", "OC") else "INV")) == "INV" else "1'b1"


class Netlist:
    """nextpnr's module, cut where the harness' flip-flops stand."""

    def __init__(self, top, module, ports):
        self.top, self.ports, self.cells, self.names = top, ports, dict(module["cells"]), {}
        self.outputs = {}
        for name, net in module["netnames"].items():
            for i, bit in enumerate(net["bits"]):
                if isinstance(bit, int) and (bit not in self.names or self.names[bit].startswith("$")):
                    self.names[bit] = name if len(net["bits"]) == 1 else f"{name}[{i}]"
        self.verilog = {}  # of a net's number
        self._cut()

    def _pin(self, cell, port):
        bits = cell["connections"].get(port, [])
        return bits[0] if bits else None

    def _cut(self):
        for name, (direction, bits) in self.ports.items():
            for i in range(bits if name != CLOCK else 0):
                flop = self.cells.pop(f"{direction[:-3]}_{name}_{i}", None)
                if flop is None:
                    raise BoardError(FAILED, f"nextpnr's netlist has no flip-flop at {name}[{i}]")
                bit = name if bits == 1 else f"{name}[{i}]"
                if direction == "input":
                    self.verilog[self._pin(flop, "Q")] = bit
                else:
                    data = "M" if str(flop["parameters"].get("SD", "1")).strip() == "0" else "DI"
                    self.outputs[bit] = self._pin(flop, data)
        # Pads and clock buffers are wires.
        for name in [n for n, c in self.cells.items() if c["type"] == "TRELLIS_IO"]:
            if name.startswith(CLOCK):
                self.verilog[self._pin(self.cells[name], "O")] = CLOCK
            del self.cells[name]
        for name in [n for n, c in self.cells.items() if c["type"] == "DCCA"]:
            buffer = self.cells.pop(name)
            self.verilog[self._pin(buffer, "CLKO")] = self.net(self._pin(buffer, "CLKI"))

    def net(self, bit):
        if isinstance(bit, str):
            return f"1'b{bit if bit in '01' else '0'}"
        if bit not in self.verilog:
            name = self.names.get(bit, "$")
            # Names within the module, but for those that Yosys made of cells'; an escaped one ends at a space.
            made = "$" in name or not name.startswith("dut.") or re.search("_(LUT4|CCU2C|TRELLIS|PFUMX|L6MUX21|DO)_", name)
            self.verilog[bit] = f"n{bit}" if made else f"\\{name} "
        return self.verilog[bit]

    def spoil(self):
        """One table alone may be of what no traffic reaches."""
        tables = [c for _, c in sorted(self.cells.items()) if c["type"] == "TRELLIS_COMB" and "MODE" not in c["parameters"]]
        for cell in tables[::1000]:
            table = cell["parameters"]["INITVAL"]
            cell["parameters"]["INITVAL"] = "".join("10"[int(c)] for c in table)

    def write(self, path):
        known, lines, tables, equations, driven = models(), [], [], [], set()
        for number, (name, cell) in enumerate(sorted(self.cells.items())):
            kind, directions = cell["type"], dict(cell["port_directions"])
            # What nothing drives may be left out.
            undriven = {p for p in known[kind][1] if p[:2] != "DO"} if kind == "DP16KD" else IDLE_HIGH.get(kind, set())
            directions |= {p: "input" for p in undriven - directions.keys()}
            used = {p: self._pin(cell, p) for p in directions}
            outputs = {p for p, d in directions.items() if d == "output" and used[p] is not None}
            if not outputs:
                continue  # it keeps others away from a place
            if kind not in known:
                raise BoardError(FAILED, f"no model of {kind} ({name})")
            parameters, pins = known[kind]
            idle = {p: "1'b1" if p in IDLE_HIGH.get(kind, ()) else "1'b0" for p, d in directions.items() if d == "input"}
            cell = {**cell, "parameters": dict(cell["parameters"])}
            for pin in [p for p in idle if kind == "DP16KD" and used[p] is None]:
                idle[pin] = tied(pin, cell["parameters"].pop(f"{pin}MUX", "").strip())
            unknown = (set(cell["parameters"]) - parameters - PHYSICAL) | {p for p, bit in used.items() if bit is not None} - pins
            if unknown:
                raise BoardError(FAILED, f"no model of {kind} with {', '.join(sorted(unknown))} ({name})")
            set_there = {n: literal(v) for n, v in cell["parameters"].items() if n in parameters}
            if kind == "TRELLIS_FF" and used.get("LSR") is None:
                set_there["LSRMUX"] = '"0"'  # the chip has it at 1, inverted
            driven |= {used[p] for p in outputs}
            connected = [f".{p}({idle[p] if bit is None else self.net(bit)})" for p, bit in sorted(used.items())
                         if p in pins and (p in outputs or p in idle)]
            values = ", ".join(f".{n}({v})" for n, v in sorted(set_there.items()))
            line = f"{kind} {f'#({values}) ' if values else ''}c{number} ({', '.join(connected)});"
            if kind == "TRELLIS_COMB" and outputs == {"F"} and "MODE" not in cell["parameters"]:
                at = ", ".join(idle[p] if used[p] is None else self.net(used[p]) for p in "DCBA")
                tables.append(line)
                equations.append(f"assign {self.net(used['F'])} = {set_there['INITVAL']} >> {{{at}}};")
            else:
                lines.append(line)
        header = ", ".join(f"{d} wire {'' if bits == 1 else f'[{bits - 1}:0] '}{name}" for name, (d, bits) in self.ports.items())
        wires = sorted({self.net(bit) for bit in driven})
        # Instances are a matter of hours for Verilator; it knows no X, for which the model of a table asks more.
        body = [f"wire {w};" for w in wires] + ["`ifdef VERILATOR", *equations, "`else", *tables, "`endif"] + lines + \
            [f"assign {port} = {self.net(bit)};" for port, bit in self.outputs.items()]
        path.write_text(f"/* verilator lint_off WIDTH */\nmodule {self.top}_routed ({header});\n" + "\n".join(body) + "\nendmodule\n",
                        encoding="utf-8")


def show(top, folder, count):
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    for cell, use in sorted(report["utilization"].items()):
        if use["used"]:
            print(f"{cell:<24}{use['used']:>10} of {use['available']}")
    for clock in report["fmax"].values():
        print(f"{CLOCK:<24}{clock['achieved']:>10.2f} MHz")
    print(f"{top}_routed: {count} cells in Verilog")
    return {"module": top, "cells": {n: u["used"] for n, u in report["utilization"].items() if u["used"]}, "verilog_cells": count}


def build(top, spoil, installed):
    folder = ROOT / "build" / "fpga" / "netlist" / top
    routed(top, folder, installed)
    (module,) = json.loads((folder / "routed.json").read_text(encoding="utf-8"))["modules"].values()
    netlist = Netlist(top, module, json.loads((folder / "ports.json").read_text(encoding="utf-8")))
    if spoil:
        netlist.spoil()
    netlist.write(folder / f"{top}_{'spoilt' if spoil else 'routed'}.v")
    (folder / "fit.json").write_text(json.dumps(show(top, folder, len(netlist.cells)), indent=2) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", help="a module of rtl/ whose only clock is clk")
    parser.add_argument("--spoil", action="store_true", help="invert a thousandth of the lookup tables")
    parser.add_argument("--installed", action="store_true", help="do not install tools")
    options = parser.parse_args()
    return tools.exit_code_of(lambda: build(options.module, options.spoil, options.installed))


if __name__ == "__main__":
    sys.exit(main())
