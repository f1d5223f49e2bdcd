#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Four-state simulation of the Verilog in Icarus: every register is unknown until something gives it a value.

    run.py                        all test benches, each with the arguments of its lines "run:"
    run.py --machine NAME         those below verif/icarus/NAME
    run.py BENCH [+NAME=VALUE]    one of them, with arguments of your own

Prints a line a run. 0: all passed; 1: one did not, or none was found; SKIPPED where Icarus is not installed.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parent.parent / "rtl"
TIMEOUT = 600  # seconds, of a run; the benches end by themselves


def compile_bench(bench, folder):
    """The compiled bench. It sees the Verilog of its own machine, the common cells, the buses, and what its line "sources:" lists."""
    machine = bench.parent.name
    sources = sorted(p for room in ("common", "bus", machine) for p in (RTL / room).rglob("*.v"))
    for pattern in " ".join(re.findall(r"^//\s+sources:(.*)$", bench.read_text(encoding="utf-8"), flags=re.MULTILINE)).split():
        sources += sorted(RTL.parent.glob(pattern)) or sys.exit(f"FAILED: {bench.stem}: there is no {pattern}")
    headers = sorted(p for room in ("common", "bus", machine) for p in (RTL / room).rglob("*.vh"))
    program = pathlib.Path(folder) / bench.stem
    command = ["iverilog", "-g2005", "-Wall", *(f"-I{d}" for d in sorted({h.parent for h in headers})),
               "-o", str(program), "-s", bench.stem, str(bench), *map(str, sources)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode != 0 or run.stdout.strip():
        sys.exit(f"FAILED: {bench.stem} does not compile without a warning\n{run.stdout.strip()}")
    return program


def passes(program, arguments):
    name = " ".join([program.name, *arguments])
    try:
        run = subprocess.run(["vvp", "-n", str(program), *arguments], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        print(f"{name}: FAILED: not done after {TIMEOUT} s", flush=True)
        return False
    lines = run.stdout.splitlines()
    # Its last word counts, and nothing that failed before it.
    good = run.returncode == 0 and len(lines) == 1 and lines[0].startswith("PASSED: ")
    print(f"{name}: " + "\n    ".join(lines or ["FAILED: it says nothing"]), flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", nargs="?")
    parser.add_argument("arguments", nargs="*", metavar="+NAME=VALUE")
    parser.add_argument("--machine")
    asked = parser.parse_args()
    benches = [b for b in sorted(HERE.glob("*/*.v")) if asked.bench in (None, b.stem)
               and asked.machine in (None, b.parent.name)]
    if not benches:
        print("FAILED: no such test bench")
        return 1
    if not shutil.which("iverilog"):
        print("SKIPPED: iverilog is not installed")
        return 0
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for bench in benches:
            program = compile_bench(bench, folder)
            runs = re.findall(r"^//\s+run:(.*)$", bench.read_text(encoding="utf-8"), flags=re.MULTILINE) or [""]
            for arguments in [asked.arguments] if asked.arguments else [line.split() for line in runs]:
                good = passes(program, arguments) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
