#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the cells a module takes on an FPGA family, with Yosys and nothing of a vendor's.

    cells.py qpace_link                          Virtex-5, QPACE's own family
    cells.py qpace_link --set RX_SLOTS=2         another parameter
    cells.py crc32c --family ice40

Prints one line a cell type, then LUTs and flip-flops. On Xilinx families a RAM32M counts as four
LUTs, as in the paper's table 1 (seed 004). A link takes two to three minutes.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# family -> (Yosys command, LUTs a cell type counts for, pattern of flip-flops)
XILINX = ({**{f"LUT{n}": 1 for n in range(1, 7)}, "RAM32M": 4, "RAM32X1D": 2, "RAM64M": 4}, r"FD[A-Z]*")
FAMILIES = {
    "xc5v": ("synth_xilinx -family xc5v -flatten -nowidelut", *XILINX),
    "xc7": ("synth_xilinx -family xc7 -flatten -nowidelut", *XILINX),
    "ice40": ("synth_ice40", {"SB_LUT4": 1}, r"SB_DFF[A-Z]*"),
}


def count(top, family, parameters):
    """Cells by type. Exits with a message if Yosys is missing or refuses."""
    if not shutil.which("yosys"):
        sys.exit("cells.py: yosys is not installed")
    sources = sorted(str(p) for p in (ROOT / "rtl").glob("*/*.v"))
    command, _, _ = FAMILIES[family]
    script = [f"read_verilog -I{ROOT}/rtl/include " + " ".join(f'"{s}"' for s in sources)]
    script += [f"chparam -set {name} {value} {top}" for name, value in parameters]
    script += [f"{command} -top {top}", "stat"]
    run = subprocess.run(["yosys", "-p", "; ".join(script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         check=False)
    if run.returncode != 0:
        errors = [line for line in run.stdout.splitlines() if "ERROR" in line]
        sys.exit("cells.py: " + (errors[0] if errors else f"yosys ended with {run.returncode}"))
    last = run.stdout.rsplit("Number of cells:", 1)[1]
    return {name: int(n) for name, n in re.findall(r"^\s+(\w+)\s+(\d+)$", last, re.M)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top", help="module of rtl/")
    parser.add_argument("--family", default="xc5v", choices=FAMILIES)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the top")
    arguments = parser.parse_args()
    parameters = [p.split("=", 1) for p in arguments.set]
    if any(len(p) != 2 for p in parameters):
        parser.error("--set takes NAME=VALUE")
    cells = count(arguments.top, arguments.family, parameters)
    _, luts, flip_flops = FAMILIES[arguments.family]
    for name, n in sorted(cells.items()):
        print(f"    {name:<16} {n:>7}")
    print(f"{arguments.top} on {arguments.family}: LUTs {sum(n * luts.get(name, 0) for name, n in cells.items())}, "
          f"flip-flops {sum(n for name, n in cells.items() if re.fullmatch(flip_flops, name))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
