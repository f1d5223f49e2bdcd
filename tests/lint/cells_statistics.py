#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fpga/common/cells.py reads what Yosys says, the system's and, where somebody installed it, that of the package pyosys.

    cells_statistics.py ROOT

A CRC-32 register has 32 flip-flops on any family, whatever the version. 1 if a statistic is read wrongly.
"""
import importlib.util
import json
import pathlib
import sys
import tempfile


def statistics(root, top):
    """`stat -json` of a synthesised module by pyosys."""
    from pyosys import libyosys
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "stat.json"
        design = libyosys.Design()
        for command in (f"read_verilog {root}/rtl/common/{top}.v", f"synth_xilinx -family xc5v -flatten -top {top}",
                        f"tee -q -o {file} stat -json"):
            libyosys.run_pass(command, design)
        return file.read_text(encoding="utf-8")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    spec = importlib.util.spec_from_file_location("cells", root / "fpga/common/cells.py")
    cells = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cells)
    family = cells.FAMILIES["xc5v"]

    # as Yosys 0.23 and 0.70 write it: counts of a module, then the same of the whole design
    counted = {"num_cells": 47, "num_cells_by_type": {"FDRE": 32, "LUT3": 10, "RAM32M": 3, "RAMB18E1": 1, "INV": 1}}
    expected = {"LUTs": 22, "flip-flops": 32, "block RAMs": 0.5}
    bad = False
    for more in ({}, {"num_submodules": 0, "num_ports": 5}):
        text = json.dumps({"creator": "Yosys", "modules": {"\\top": counted | more}, "design": counted | more})
        got = cells.numbers(text, family)
        if {key: got[key] for key in expected} != expected:
            print(f"{text}: read as {got}")
            bad = True
    for broken in ("", "{}", '{"modules": {}}', json.dumps({"modules": {"\\top": counted | {"num_cells": 48}}}),
                   json.dumps({"modules": {"\\top": {"num_cells": 1, "num_cells_by_type": {"RAM999": 1}}}})):
        try:
            got = cells.numbers(broken, family)
            print(f"'{broken}' is read as {got}, not refused")
            bad = True
        except SystemExit as refusal:
            print(refusal)
    if importlib.util.find_spec("pyosys"):
        found = cells.numbers(statistics(root, "crc32c"), family)
        print({key: found[key] for key in expected})
        bad = bad or found["flip-flops"] != 32 or found["LUTs"] == 0
    return bad


if __name__ == "__main__":
    sys.exit(main())
