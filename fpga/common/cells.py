#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the cells a module takes on an FPGA family, with Yosys and nothing of a vendor's.

    cells.py crc32c                              Virtex-5
    cells.py crc32c --family ice40
    cells.py ram_small --set WIDTH=36             another parameter; --json FILE writes the sums, too
    cells.py crc32c_beat --without crc32c_word    what is left of it without a module below it (commas between several)
    cells.py --table MACHINE --json cells.json   what fpga/MACHINE/cells.toml lists (many minutes)

Prints one line a cell type, then LUTs, flip-flops and block RAMs of 36 kbit, on iCE40 of 4 kbit. A RAM32M counts as
four LUTs (others by the LUTs they occupy), as in the paper's table 1 ([QPACE2009]). LUTs of 1 to 6 inputs are one LUT each, and that is what the mapper is
told to keep few (in two ways, of which the better counts); `--weights stock` tells it what Yosys' own script for the family does (a LUT of two inputs is two
fifths of one of six, since two of them fit into one site), and gives more and smaller ones.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def xilinx(family):
    synth = f"synth_xilinx -family {family} -flatten -nowidelut -top {{top}}"
    # synth_xilinx with another `abc`: once as Yosys runs it, once for area and without `fraig` and `dc2`, which undo
    # what exclusive-ors share.
    last = ("clean; techmap -map +/xilinx/ff_map.v; xilinx_srl -fixed -minlen 3; "
            "techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=6; "
            f"opt_lut_ins -tech xilinx; {synth} -run finalize:")
    abc = "design -reset; read_rtlil {file}; abc -luts 1,1,1,1,1,1"
    return {
        "stock": [synth],
        "equal": [f"{synth} -run begin:map_luts; opt_expr -mux_undef -noclkinv; write_rtlil {{file}}; {abc}; {last}",
                  f"{abc} -script +strash;scorr;dch,-f;if,-K,6,-a;mfs2;lutpack,-S,1; {last}"],
        "luts": {**{f"LUT{n}": 1 for n in range(1, 7)}, "RAM32M": 4, "RAM32X1D": 2, "RAM64M": 4, "RAM64X1D": 2, "RAM128X1S": 2,
                 "RAM128X1D": 4, "RAM32X1S": 1, "RAM64X1S": 1, "SRL16E": 1, "SRLC32E": 1},
        "beside": r"CARRY4|MUXF[78]|MUXCY|XORCY|INV|BUFG|IBUF|OBUF",
        "flip_flops": r"FD[A-Z]*",
        "block_rams": {r"RAMB36[A-Z]*\d*": 1, r"RAMB18[A-Z]*\d*": 0.5},
        "kbit": 36,
    }


# By family: Yosys' scripts; LUTs that a cell of a type occupies; types that are flip-flops; 36 or 4 kbit memories; and `beside`, types
# that count as none, since they lie beside LUTs or at pins. A cell of any other type is refused: nobody would miss what it takes.
FAMILIES = {
    "xc5v": xilinx("xc5v"),
    "xc7": xilinx("xc7"),
    # no lookup-table RAM here: small memories read without a clock become flip-flops, others block RAM
    "ice40": {"stock": ["hierarchy -top {top}; proc; setattr -unset ram_style */m:*; synth_ice40 -top {top}"], "luts": {"SB_LUT4": 1}, "beside": "SB_CARRY", "flip_flops": r"SB_DFF[A-Z]*",
              "block_rams": {"SB_RAM40_4K": 1}, "kbit": 4},
}

# A machine's table. A row has what it is, its part of the ids of `--json`, what the machine's paper counts, our modules
# and how many of each, with parameters that are not as they stand, the modules below it that other lines count
# (`without`), and what to know. A module that is not there yet is left out. `paper` has totals of the paper's that are not
# split so; `sum` is what all rows make together, of a machine whose rows do not overlap.
TABLES = {p.parent.name: p for p in sorted((ROOT / "fpga").glob("*/cells.toml"))}


def count(top, family, weights, parameters, without=()):
    """{"LUTs", "flip-flops", "block RAMs", "cells"} of a top. The modules `without` are emptied: cells that count as none.
    Exits with a message if Yosys is missing or refuses, or if there is no such module below the top."""
    if not shutil.which("yosys"):
        sys.exit("cells.py: yosys is not installed")
    of = FAMILIES[family]
    # its folder and the common one: other folders' names would shuffle what the mapper does
    own = {p.relative_to(ROOT / "rtl").parts[0] for p in (ROOT / "rtl").rglob(f"{top}.v")} | {"common"}
    sources = sorted(p for name in own for p in (ROOT / "rtl" / name).rglob("*.v*"))
    includes = " ".join(f"-I{folder}" for folder in sorted({p.parent for p in sources}))
    script = [f"read_verilog {includes} " + " ".join(f'"{s}"' for s in sources if s.suffix == ".v")]
    script += [f"chparam -set {name} {value} {top}" for name, value in parameters]
    if without:
        # Yosys names a module with parameters anew, and keeps the name that it had.
        emptied = [f"A:hdlname=\\{name}" for name in without]
        script += [f"hierarchy -top {top}", *(f"select -assert-min 1 {name} {pattern}" for name, pattern in zip(without, emptied)),
                   f"blackbox {' '.join([*without, *emptied])}"]
    with tempfile.TemporaryDirectory() as folder:
        reports = []
        for way in of.get(weights, of["stock"]):
            reports.append(pathlib.Path(folder) / f"way{len(reports)}.json")
            script += [way.format(top=top, file=f'"{folder}/flat.il"'), f"tee -q -o {reports[-1].name} stat -json"]
        run = subprocess.run(["yosys", "-p", "\n".join(script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, check=False, cwd=folder)
        if run.returncode != 0:
            errors = [line for line in run.stdout.splitlines() if "ERROR" in line]
            sys.exit("cells.py: " + (allowed(errors[0], parameters) if errors else f"yosys ended with {run.returncode}"))
        ways = [numbers(report.read_text(encoding="utf-8"), of) for report in reports]
    return min(ways, key=lambda way: way["LUTs"])


def allowed(error, parameters):
    """What a module prints of its parameters where it refuses one; Yosys only says that it ended. Else the error as it is."""
    found = re.match(r"(.*\.v):\d+: ERROR: System task `\$finish' executed", error)
    if not found:
        return error
    said = re.findall(r'\$display\("([^"]*)"\);', pathlib.Path(found[1]).read_text(encoding="utf-8"))
    of_these = [line for line in said if any(re.search(rf"\b{re.escape(name)}\b", line) for name, _ in parameters)]
    return "; ".join(of_these or said) or error


def numbers(text, of):
    """What Yosys' `stat -json` of one flattened module says. (The form for people to read differs between versions.)"""
    try:
        (module,) = json.loads(text)["modules"].values()
        cells, whole = module["num_cells_by_type"], module["num_cells"]
    except (ValueError, KeyError, TypeError) as error:
        sys.exit(f"cells.py: statistics that cannot be read: {error}")
    if sum(cells.values()) != whole:
        sys.exit(f"cells.py: statistics of {whole} cells list {sum(cells.values())}")
    # an emptied module with parameters has the name that Yosys gave it
    plain = collections.Counter()
    for name, n in cells.items():
        plain[re.sub(r"^\$paramod.*\\(\w+)$|^\$paramod\\(\w+)\\.*$", lambda m: m[1] or m[2], name)] += n
    cells = dict(plain)
    emptied = {p.stem for p in (ROOT / "rtl").rglob("*.v")}
    known = "|".join([*of["luts"], of["flip_flops"], *of["block_rams"], of["beside"]])
    if strange := [name for name in cells if name not in emptied and not re.fullmatch(known, name)]:
        sys.exit(f"cells.py: nothing says what {', '.join(strange)} takes: add it to FAMILIES")
    return {
        "LUTs": sum(n * of["luts"].get(name, 0) for name, n in cells.items()),
        "flip-flops": sum(n for name, n in cells.items() if re.fullmatch(of["flip_flops"], name)),
        "block RAMs": sum(n * size for pattern, size in of["block_rams"].items() for name, n in cells.items()
                          if re.fullmatch(pattern, name)),
        "cells": cells,
    }


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def beside(number, paper):
    return f"{number:>7g}" if paper is None else f"{number:>7g} of {paper:>6} {100 * number / paper:4.0f} %"


def table(machine, family, weights, file):
    listed = tomllib.loads(TABLES[machine].read_text(encoding="utf-8"))
    rows = []
    have = {p.stem for p in (ROOT / "rtl" / machine).rglob("*.v")}
    suffix = "" if family == "xc5v" else "_" + family
    print(f"{family:<24} {'flip-flops':<24} {'LUTs':<24} block RAMs ({FAMILIES[family]['kbit']} kbit)")
    columns = ("LUTs", "flip-flops", "block RAMs")
    totals = dict.fromkeys(columns, 0)
    for row in listed["row"]:
        what, note = row["what"], row.get("note", "")
        registers, luts = (row.get("paper", {}).get(key) for key in ("registers", "luts"))
        modules = [module for module in row["modules"] if module["top"] in have]
        if not modules:
            print(f"{what:<24} {'- of ' + str(registers):>17} {'':<6} {'- of ' + str(luts):>17} {'':<12} {note}")
            continue
        total = dict.fromkeys(columns, 0)
        parts = []
        for module in modules:
            top, times, parameters = module["top"], module.get("times", 1), module.get("parameters", {}).items()
            without = module.get("without", [])
            progress(f"{top} ...")
            one = count(top, family, weights, parameters, without)
            top = " ".join([top, *(f"{name}={value}" for name, value in parameters), *(["without the above"] if without else [])])
            for key in columns:
                total[key] += times * one[key]
                totals[key] += times * one[key]
            parts.append(f"    {times} x {top:<18} {one['flip-flops']:>7} {'':<16} {one['LUTs']:>7} {'':<16}"
                         f" {one['block RAMs']:>5g}")
        progress("")
        print(f"{what:<24} {beside(total['flip-flops'], registers):<24} {beside(total['LUTs'], luts):<24}"
              f" {total['block RAMs']:>5g}  {note}".rstrip())
        print("\n".join(parts), flush=True)
        for unit, value, there in zip(("luts", "ffs", "brams"), total.values(), (luts, registers, None)):
            rows.append({"id": f"{machine}.{row['id'].format(unit)}{suffix}", "value": value, "unit": unit, "paper": there,
                         "limit": None})
    if what := listed.get("sum"):
        print(f"{what:<24} {totals['flip-flops']:>7g} {'':<16} {totals['LUTs']:>7g} {'':<16} {totals['block RAMs']:>5g}")
        rows += [{"id": f"{machine}.all_{unit}{suffix}", "value": value, "unit": unit, "paper": None, "limit": None}
                 for unit, value in zip(("luts", "ffs", "brams"), totals.values())]
    if whole := listed.get("paper"):
        print(f"{'all of these':<24} {totals['flip-flops']:>7g} {'':<16} {totals['LUTs']:>7g} {'':<16} "
              f"{beside(totals['block RAMs'], whole['block_rams'])}")
        print(f"{'the whole of the paper':<24} {whole['registers']:>7} {'':<16} {whole['luts']:>7} {'':<16} "
              f"{whole['block_rams']:>7} of {whole['block_rams_on_chip']} on the chip")
        rows.append({"id": f"{machine}.brams{suffix}", "value": totals["block RAMs"], "unit": "brams",
                     "paper": whole["block_rams"], "limit": whole["block_rams_on_chip"]})
    if file:
        write(file, rows)


def write(file, what):
    try:
        pathlib.Path(file).write_text(json.dumps(what, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        sys.exit(f"cells.py: cannot write {file}: {error.strerror}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top", nargs="?", help="module of rtl/")
    parser.add_argument("--family", default="xc5v", choices=FAMILIES)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the top")
    parser.add_argument("--without", default="", metavar="MODULE,...", help="modules below the top that count as nothing")
    parser.add_argument("--weights", default="equal", choices=("equal", "stock"), help="of LUTs, for the mapper")
    parser.add_argument("--table", choices=TABLES, help="of a machine; the paper's beside ours")
    parser.add_argument("--json", metavar="FILE",
                        help="with --table: rows {id, value, unit, paper, limit}; else luts, ffs and brams of the module")
    arguments = parser.parse_args()
    if bool(arguments.top) == bool(arguments.table):
        parser.error("give a module of rtl/, or --table")
    if arguments.table:
        table(arguments.table, arguments.family, arguments.weights, arguments.json)
        return 0
    parameters = [p.split("=", 1) for p in arguments.set]
    if any(len(p) != 2 for p in parameters):
        parser.error("--set takes NAME=VALUE")
    result = count(arguments.top, arguments.family, arguments.weights, parameters, [m for m in arguments.without.split(",") if m])
    if arguments.json:
        counts = {"luts": result["LUTs"], "ffs": result["flip-flops"], "brams": result["block RAMs"]}
        what = {"module": arguments.top, "family": arguments.family, "set": dict(parameters), **counts}
        write(arguments.json, what)
    for name, n in sorted(result["cells"].items()):
        print(f"    {name:<16} {n:>7}")
    print(f"{arguments.top} on {arguments.family}: LUTs {result['LUTs']}, flip-flops {result['flip-flops']}, "
          f"block RAMs {result['block RAMs']:g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
