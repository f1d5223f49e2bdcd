#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the table beside the papers, in README.md and docs/results.md, to what is measured.

    beside.py HYPERTORUS [--check] [--from FOLDER]

The columns "here" are filled from the benches of the three machines (ids of their rows), from the block of `compare` in docs/results.md
and from the tables of cells in fpga/README.md, which outputs.py and tests/fpga hold to their commands. Some minutes; --from: the
benches' documents are in FOLDER already, as qpace.json, qcdoc.json and tofu.json. Without --check the pages are brought up to date.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/results.md")
MACHINES = ("qpace", "qcdoc", "tofu")
# By the row's first words: the cells of QPACE, QCDOC and Tofu; None stays as it is. {id*factor:format}, a glossary link as on the page.
ROWS = {
    "payload": ("{qpace.payload_bidir_gbs:.3f} GB/s", "{qcdoc.total_gbs:.3f} GB/s", "{tofu.payload_fraction*100:.1f} %"),
    "smallest message": (
        "{qpace.pingpong_host_path_us:.3f} us, {qpace.pingpong_us:.3f} us without the host",
        "{qcdoc.mem_to_mem_ns:.1f} ns at the worst [byte phase](GLOSSARY)",
        "8 bytes: {tofu.put8_ns:.0f} ns, doorbell to data, without PHY, cable and memory"),
    "forwarded": (None, "after {qcdoc.passthrough_best_bits:.0f} to {qcdoc.passthrough_worst_bits:.0f}",
                  "{tofu.hop_cycles:.0f} cycles of 3.2 ns, without PHY and cable"),
    "global operation": (
        "barrier by the tree {qpace.barrier_tree_us:.2f} us", "sum {qcdoc.sum_16_us:.2f} us",
        "barrier {tofu.barrier_doubling_8_us:.2f} and {tofu.barrier_doubling_16_us:.2f} us, "
        "sum of doubles {tofu.sum_doubling_8_us:.2f} and {tofu.sum_doubling_16_us:.2f}"),
    "Wilson solver": (
        "{compare.qpace:.2f} % on 2x2x2x8 sites a node, {qpace.cg.8x8x8x16_percent:.1f} % on 8x8x8x16",
        "{qcdoc.cg.4x4x4x4_percent:.1f} %, by which the model is calibrated; {qcdoc.cg.8x8x8x8_percent:.1f} % on 8x8x8x8",
        "{compare.tofu:.2f} % on 2x2x2x8 sites a node"),
    "Virtex-5": ("{luts.qpace:,.0f}, {flip_flops.qpace:,.0f}", "{luts.qcdoc:,.0f}, {flip_flops.qcdoc:,.0f} (the unit)",
                 "{luts.tofu:,.0f}, {flip_flops.tofu:,.0f} (the controller)"),
}


def measured(program, folder):
    """{id: value} of the benches and of the blocks on other pages."""
    values = {}
    for machine in MACHINES:
        file = folder / f"{machine}.json"
        if not file.exists():
            subprocess.run([program, "bench", machine, "--json", file], check=True, stdout=subprocess.DEVNULL)
        values |= {row["id"]: row["value"] for row in json.loads(file.read_text())["rows"]}
    shares = re.search(r"^sustained a node, Gflop/s, of peak(.*)$", (ROOT / "docs/results.md").read_text(), re.MULTILINE)[1]
    for machine, share in zip(MACHINES, re.findall(r"([\d.]+) %", shares), strict=True):
        values[f"compare.{machine}"] = float(share)
    cells = (ROOT / "fpga/README.md").read_text()
    # flip-flops, then LUTs, each perhaps with the paper's and a share behind it
    for machine, line in (("qpace", "torus network"), ("qcdoc", "    1 x qcdoc_scu"), ("tofu", "the whole controller")):
        numbers = re.search(rf"^{line} +(\d+)(?: of +\d+ +\d+ %)? +(\d+)", cells, re.MULTILINE)
        values[f"flip_flops.{machine}"], values[f"luts.{machine}"] = float(numbers[1]), float(numbers[2])
    return values


def filled(template, values, glossary):
    def value(place):
        name, factor, form = re.fullmatch(r"([\w.-]+?)(?:\*(\d+))?:(.*)", place[1]).groups()
        return format(values[name] * int(factor or 1), form)
    return re.sub(r"\{([^}]*)\}", value, template).replace("GLOSSARY", glossary)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--from", dest="folder", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        values = measured(arguments.program.resolve(), arguments.folder or pathlib.Path(scratch))
    bad = 0
    for page in PAGES:
        lines, found = (ROOT / page).read_text().splitlines(), set()
        begin = next(i for i, line in enumerate(lines) if line.startswith("| | QPACE: paper | here | QCDOC: paper"))
        for i in range(begin, lines.index("", begin)):
            for name, templates in ROWS.items():
                if not lines[i].startswith(f"| {name}"):
                    continue
                found.add(name)
                cells = [cell.strip() for cell in lines[i].split("|")[1:-1]]
                for column, template in zip((2, 4, 6), templates):
                    if template is None:
                        continue
                    now = filled(template, values, "glossary.md" if page.startswith("docs/") else "docs/glossary.md")
                    if cells[column] != now:
                        bad += 1
                        print(f"{page}: {name}\n  page: {cells[column]}\n  now:  {now}")
                        cells[column] = now
                lines[i] = "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)
        if lost := ROWS.keys() - found:
            raise SystemExit(f"beside.py: {page} has no row that begins with {', '.join(sorted(lost))}")
        if not arguments.check:
            (ROOT / page).write_text("\n".join(lines) + "\n")
    print(f"{bad} cells differ" if bad else "the pages have what is measured")
    return 1 if bad and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
