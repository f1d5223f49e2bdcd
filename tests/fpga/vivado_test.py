#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boards for Vivado, where there is none: the script that a board gets is Tcl, and its files are there (a tclsh whose
unknown commands do nothing); what build.py makes of Vivado's reports and ends, by a program of that name that writes
reports as Vivado words them: vivado_test.py ROOT"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
BUILD = ROOT / "fpga" / "common" / "build.py"
BOARDS = [p.parent.name for p in sorted((ROOT / "fpga").glob("*/board.toml")) if 'family = "vivado"' in p.read_text()]
CELLS = """
+----------------------------+-------+-------+------------+-----------+-------+
|          Site Type         |  Used | Fixed | Prohibited | Available | Util% |
+----------------------------+-------+-------+------------+-----------+-------+
| {luts}*                  | {used} |     0 |          0 |    242400 |  {share} |
| Block RAM Tile             |    31 |     0 |          0 |       600 |  5.17 |
"""
SKEW = """
Id  Position  From  To  Requirement(ns)  Actual(ns)  Slack(ns)
1   2         a     b   8.000            {skew}       {slack}
"""
VIVADO = """#!/bin/sh
cp {folder}/cells.txt {folder}/fit.txt {folder}/skew.txt .
echo bitstream > {name}.bit
exit {code}
"""


def run(*words, path=None, code=0):
    environment = os.environ | ({"PATH": f"{path}:{os.environ['PATH']}"} if path else {})
    done = subprocess.run([BUILD, *words], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    assert code == 0 or len([l for l in done.stderr.splitlines() if l.startswith("hypertorus: ")]) == 1, done.stderr
    return done.stdout, done.stderr


def script_is_tcl(name):
    """Without Vivado it is written and named; a tclsh runs it with commands that do nothing."""
    _, err = run(name, code=10, path="/nonexistent")
    script = ROOT / re.search(r"What it would run: (\S+)", err)[1]
    text = script.read_text()
    for file in re.findall(r"^\s*\{(/.*\.v)\}$|add_files .*\{(/[^}]*)\}|^source \{(.*)\}$", text, re.M):
        assert pathlib.Path("".join(file)).is_file(), file
    assert f"{name}.bit" in text and "crossings.tcl" in text
    stub = """
proc unknown args { return "" }
foreach name {open close puts file glob} { rename $name "" ; proc $name args { return "" } }
proc get_property args { return [expr {"PROGRESS" in $args ? "100%" : 1.0}] }
proc get_clocks args { return {a b} }
proc get_cells args { return {x y} }
"""
    everything = stub + text
    everything += (ROOT / "fpga" / "common" / "crossings.tcl").read_text()
    done = subprocess.run(["tclsh"], input=everything, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", (name, done.stderr)


def reports(name, limit, *, used, share, setup, skew, slack):
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "cells.txt").write_text(CELLS.format(luts=limit, used=used, share=share))
        (here / "fit.txt").write_text(f"slack setup {setup}\nslack hold 0.031\n")
        (here / "skew.txt").write_text(SKEW.format(skew=skew, slack=slack))
        vivado = here / "vivado"
        vivado.write_text(VIVADO.format(folder=folder, name=name, code=0))
        vivado.chmod(0o755)
        good = share < 20 and setup >= 0 and slack >= 0
        out, err = run(name, path=folder, code=0 if good else 1)
        document = json.loads((ROOT / "build" / "fpga" / name / f"{name}.json").read_text())
        assert f"{used}" in out and len(document["rows"]) == 4, out
        assert bool(document["missed"]) != good
        vivado.write_text(VIVADO.format(folder=folder, name=name, code=3))
        assert "vivado failed" in run(name, path=folder, code=12)[1]
        return err


def main():
    if subprocess.run(["which", "tclsh"], capture_output=True).returncode != 0:
        print("SKIPPED: no tclsh")
        return 10
    assert BOARDS == ["kcu105", "pynq_z2"], BOARDS
    for name in BOARDS:
        script_is_tcl(name)
    good = dict(used=12345, share=5.09, setup=0.214, skew=1.2, slack=6.8)
    reports("kcu105", "CLB LUTs", **good)
    assert "0.150 ns late" in reports("kcu105", "CLB LUTs", **(good | {"setup": -0.15}))
    assert "35.1 % of the device" in reports("kcu105", "CLB LUTs", **(good | {"share": 35.1}))
    assert "too far apart" in reports("kcu105", "CLB LUTs", **(good | {"skew": 9.5, "slack": -1.5}))
    print("boards for Vivado: all good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
