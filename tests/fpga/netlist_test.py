#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""netlist_test.py ROOT: fpga/common/netlist.py reads a netlist of nextpnr's, written here by hand, refuses what we have no
model of, and says in one line what to run where the tools are missing."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "fpga" / "common"))
import netlist  # noqa: E402  (its folder comes from the command line)

failures = []


def check(good, what):
    if not good:
        failures.append(what)


def without_tools(root, folder):
    for room in ("fpga/common", "rtl"):
        shutil.copytree(root / room, folder / room)
    done = subprocess.run([folder / "fpga" / "common" / "netlist.py", "qcdoc_scu", "--installed"], capture_output=True, text=True, check=False)
    check(done.returncode == 10 and done.stderr.count("\n") == 1 and "run, once: fpga/common/netlist.py qcdoc_scu" in done.stderr, done.stderr)
    done = subprocess.run([folder / "fpga" / "common" / "netlist.py", "qcdoc_sku"], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and done.stderr == "hypertorus: no module qcdoc_sku in rtl/\n", done.stderr)


def cell(kind, parameters, inputs, outputs):
    """Of a JSON netlist; inputs and outputs are {pin: number of its net, or None}."""
    directions = {pin: "input" for pin in inputs} | {pin: "output" for pin in outputs}
    return {"type": kind, "parameters": parameters, "port_directions": directions,
            "connections": {p: [] if b is None else [b] for p, b in (inputs | outputs).items()}}


def by_hand():
    """A memory read into a port, a table of one input, and a flip-flop, with what is tied as nextpnr ties it."""
    pad = cell("TRELLIS_IO", {}, {}, {"O": 1})
    memory = {"ADA0MUX": "0 ", "ADA1MUX": "1 ", "ADA3MUX": "1 ", "CSA1MUX": "INV", "RSTAMUX": "INV", "CSA0MUX": "INV", "OCEAMUX": "INV", "CEAMUX": "CEA", "WEAMUX": "WEA", "CLKAMUX": "CLKA"}
    return {"netnames": {"dut.a_reg": {"bits": [5]}, "$x": {"bits": [6]}}, "cells": {
        "clk$tr_io": pad, "buffer": cell("DCCA", {}, {"CLKI": 1}, {"CLKO": 2}),
        "in_d_0": cell("TRELLIS_FF", {"SD": "0 "}, {"M": None, "CLK": 2}, {"Q": 3}),
        "out_q_0": cell("TRELLIS_FF", {"SD": "0 "}, {"M": 5, "DI": 9, "CLK": 2}, {}),
        "out_q_1": cell("TRELLIS_FF", {"SD": "1 "}, {"DI": 6, "CLK": 2}, {}),
        "place": cell("TRELLIS_COMB", {"MODE": "RAMW_BLOCK"}, {"A": None}, {"F": None}),
        "flop": cell("TRELLIS_FF", {"SD": "0 ", "LSRMUX": "LSR", "CEMUX": "1 "}, {"M": 3, "LSR": None, "CLK": 2}, {"Q": 5}),
        "table": cell("TRELLIS_COMB", {"INITVAL": "1010101010101010"}, {"A": None, "B": 7, "C": None, "D": None}, {"F": 6}),
        "memory": cell("DP16KD", memory, {p: None for p in ("ADA0", "ADA1", "ADA2", "RSTA", "RSTB", "CSA0", "OCEA", "CEA", "CEB", "WEA", "WEB")} | {"CLKA": 2},
                       {"DOA0": 7})}}


def written(folder, module):
    ports = {"clk": ("input", 1), "d": ("input", 1), "q": ("output", 2)}
    netlist.Netlist("small", module, ports).write(folder / "small.v")
    return (folder / "small.v").read_text()


def reads(folder):
    text = written(folder, by_hand())
    for line in ("module small_routed (input wire clk, input wire d, output wire [1:0] q);", "assign q[0] = \\dut.a_reg ;", "assign q[1] = n6;",
                 'TRELLIS_FF #(.CEMUX("1"), .LSRMUX("0"), .SD("0"))', ".CLK(clk), .LSR(1'b0), .M(d), .Q(\\dut.a_reg )",
                 "TRELLIS_COMB #(.INITVAL(16'b1010101010101010))", "(.A(1'b1), .B(n7), .C(1'b1), .D(1'b1), .F(n6));",
                 "DP16KD #(.CLKAMUX(\"CLKA\"))"):
        check(line in text, f"no {line} in {text}")
    # Of a memory's pins nextpnr leaves out some that are tied: ADA3 and CSA1, say.
    for pin in ("ADA0(1'b0)", "ADA1(1'b1)", "ADA2(1'b0)", "ADA3(1'b1)", "CEA(1'b1)", "CEB(1'b1)", "CLKA(clk)", "CSA0(1'b0)", "CSA1(1'b0)", "DOA0(n7)",
                "OCEA(1'b0)", "RSTA(1'b0)", "RSTB(1'b0)", "WEA(1'b1)", "WEB(1'b0)"):
        check(f".{pin}" in text, f"no {pin} in {text}")
    check(text.count("TRELLIS") + text.count("DP16KD") == 3, f"cells of the harness, or without an output: {text}")
    for change, said in ((("type", "EHXPLLL"), "no model of EHXPLLL"), (("parameters", {"TURBO": "1 "}), "no model of DP16KD with TURBO")):
        module = by_hand()
        module["cells"]["memory"][change[0]] = change[1]
        try:
            written(folder, module)
            check(False, f"not refused: {said}")
        except netlist.BoardError as error:
            check(said in str(error), str(error))


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        reads(folder)
        without_tools(ROOT, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(failures) or "what it should")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
