#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lints all Verilog under rtl with one tool; any warning is a failure.

    lint_verilog.py verilator|iverilog|yosys-read|yosys-synth ROOT [MODULE... | --room ROOM]

Every module is looked at as a top of its own (by verilator, iverilog and yosys-read); yosys-synth
synthesises the tops, the modules that no other one instantiates, hierarchically. --room: those below rtl/ROOM only.
"""
import pathlib
import re
import subprocess
import sys

TIMEOUT = 1200
# The steps of yosys's `synth`, but that two kinds of memories stay what they are: those of a block
# RAM's shape (one write port and one read port, both clocked), and those that are a module of their own
# (rtl/common/ram_*). As flip-flops, which no FPGA makes of them, they took most of the time, and hide no
# loop that `check` would see: nothing passes through the one kind within a cycle, and `check` looks at
# one module at a time.
SYNTH = ("synth -top {top} -run begin:fine; opt -fast -full; "
         "memory_map t:$mem_v2 t:$mem_v2 r:RD_CLK_ENABLE=1'1 %i r:WR_CLK_ENABLE=1'1 %i %d a:src=rtl/common/ram_* %d; "
         "opt -full; techmap; opt -fast; abc -fast; opt -fast; hierarchy -check; check -assert")


def modules(root):
    """name -> file of every module; complains about files that are not one module of their name."""
    found, bad = {}, []
    for file in sorted((root / "rtl").rglob("*.v")):
        names = re.findall(r"^\s*module\s+(\w+)", file.read_text(), re.MULTILINE)
        if names != [file.stem]:
            bad.append(f"{file.relative_to(root)}: holds {', '.join(names) or 'no module'}; it should hold just {file.stem}")
        found.update({name: file for name in names})
    return found, bad


def closure(name, found):
    """The files a module needs: its own first, then those of what it instantiates."""
    todo, files = [name], []
    while todo:
        file = found[todo.pop()]
        if file in files:
            continue
        files.append(file)
        words = set(re.findall(r"\b\w+\b", re.sub(r"//.*", "", file.read_text())))
        todo += sorted(n for n in found if n in words)
    return files


def command(tool, root, name, files):
    # Relative to the root: these tools do not take spaces in a path.
    paths = [str(f.relative_to(root)) for f in files]
    includes = [f"-I{d.relative_to(root)}" for d in sorted({p.parent for p in (root / "rtl").rglob("*.vh")})]
    if tool == "verilator":
        return ["verilator", "--lint-only", "-Wall", *includes, "--top-module", name, *paths]
    if tool == "iverilog":
        return ["iverilog", "-g2005", "-Wall", *includes, "-s", name, "-t", "null", *paths]
    read = f"read_verilog {' '.join(includes)} {' '.join(paths)}; hierarchy -check -top {name}; "
    if tool == "yosys-read":
        return ["yosys", "-q", "-p", read + "proc; opt -fast; check -assert"]
    return ["yosys", "-q", "-p", read + SYNTH.format(top=name)]


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("verilator", "iverilog", "yosys-read", "yosys-synth"):
        print(__doc__)
        return 2
    tool, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    found, bad = modules(root)
    if not found:
        bad.append("no Verilog under rtl")
    tops = sys.argv[3:]
    if not tops or tops[0] == "--room":
        rooms = [root / "rtl" / room for room in tops[1:]]
        tops = [n for n in found if not rooms or any(room in found[n].parents for room in rooms)]
        if not tops:
            bad.append("no Verilog in the room")
        if tool == "yosys-synth":
            used = {f for n in found for f in closure(n, found)[1:]}
            tops = [n for n in tops if found[n] not in used]
    for line in bad:
        print(line)
    for name in tops:
        try:
            run = subprocess.run(command(tool, root, name, closure(name, found)), stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, cwd=root)
        except FileNotFoundError as error:
            print(f"{error.filename} is not installed")
            return 1
        if run.returncode != 0 or run.stdout.strip():
            bad.append(name)
            print(f"--- {tool}: {name} (exit {run.returncode})\n{run.stdout.strip()}")
    print(f"{tool}: {len(tops)} modules, {len(bad)} complaints")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
