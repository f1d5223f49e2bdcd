#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bitstream in the loop: a board's bitstream turned back into Verilog (icebox_vlog), beside the board's top in one
Verilated model, on the same pins. Every pin agrees at every step, or the run ends there.

    fpga/common/loop.py hx8k --words 300        builds the bitstream, unless it is there and of these sources
    fpga/common/loop.py hx8k --spoil            with a hundredth of the lookup tables inverted: must be noticed

Exit codes: 0 they agree, 1 they do not, 2 usage, 10 a tool is missing, 12 a tool failed.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

import build
import tools
from tools import BoardError, FAILED, MISSED, ROOT, USAGE


def bitstream(name, board, folder):
    """Builds it, if the folder has none of these sources; a missed clock does not matter here."""
    fit = folder / f"{name}.json"
    if not (fit.exists() and json.loads(fit.read_text())["sources"] == f"{build.source_hash(name, board):08x}"):
        try:
            build.build(name, False)
        except BoardError as error:
            if error.code != MISSED:
                raise


def netlist(name, board, folder, spoil):
    """The chip's Verilog, with our models in place of the vendor's primitives."""
    # What the bitstream says, not what the placer meant: packed and unpacked again.
    tools.run(1, 4, "bitstream unpacked (iceunpack)", ["iceunpack", f"{name}.bin", "unpacked.asc"],
              folder / "iceunpack.log", folder)
    tools.run(2, 4, "and turned into Verilog (icebox_vlog)", ["icebox_vlog", "-s", "-p", str(ROOT / "fpga" / name / board["pins"]), "unpacked.asc"],
              folder / "chip.v", folder)
    text = (folder / "chip.v").read_text()
    text = re.sub(r"\bSB_RAM40_4K\b", "chip_ram", re.sub(r"\bSB_PLL40_2F_CORE\b", "chip_pll", text))
    # Ports are declared again as wires and registers, which Verilog allows of the older kind only.
    header = re.search(r"^module chip \((.*)\);$", text, re.M)
    ports = [p.split(" ", 1) for p in re.split(r",\s*", header[1].strip())]
    text = text.replace(header[0], "module chip (" + ", ".join(n + " " for _, n in ports) + ");\n"
                        + "".join(f"{d} {n} ;\n" for d, n in ports), 1)
    left = sorted(set(re.findall(r"^(SB_\w+)", text, re.M)))
    if left:
        raise BoardError(FAILED, f"no model of {', '.join(left)}")
    if spoil:
        # One alone may be of what this traffic does not reach, such as the highest bit of a counter.
        for table in reversed(list(re.finditer(r"= (?=/\* LUT .*\*/)", text))[::100]):
            text = text[:table.end()] + "!" + text[table.end():]
    (folder / "chip.v").write_text("/* verilator lint_off WIDTH */\n" + text)


def compile_lockstep(name, board, folder):
    loop, model = ROOT / "fpga" / name / "loop", folder / "lockstep"
    sources = [str(p) for p in loop.glob("*.v")] + build.sources(board) + \
        [str(p) for p in (ROOT / "fpga" / name / "models").glob("*.v")] + [str(folder / "chip.v")]
    value = build.source_hash(name, board)
    shutil.rmtree(model, ignore_errors=True)
    tools.run(3, 4, "both, Verilated", ["verilator", "--cc", "--prefix", f"V{board['top']}", "--Mdir", str(model), "--top", f"{name}_lockstep",
                                       "-Wno-fatal", "-Wno-lint", "--x-assign", "0", "--x-initial", "0", "-O3", f"-DSOURCE_HASH=32'h{value:08x}",
                                       *[f"-I{ROOT / d}" for d in board["includes"]], *sources], folder / "verilator.log", folder)
    root = subprocess.run(["verilator", "--getenv", "VERILATOR_ROOT"], capture_output=True, text=True, check=True).stdout.strip()
    runtime = [f"{root}/include/{f}" for f in ("verilated.cpp", "verilated_threads.cpp")]
    ours = [loop / "lockstep.cpp", ROOT / "sim/board/board.cpp", ROOT / "sim/board" / f"{name}.cpp", ROOT / "tests/fpga/cabled_board.cpp"]
    tools.run(4, 4, "compiled", ["g++", "-std=c++20", "-O1", "-w", f"-I{ROOT}", f"-I{model}", f"-I{root}/include", f"-I{root}/include/vltstd",
                               "-DHYPERTORUS_BOARD_BAUD_STEPS=200", *map(str, model.glob("*.cpp")), *map(str, ours), *runtime,
                               "-lfmt", "-pthread", "-o", str(folder / "lockstep_run")], folder / "g++.log", folder)


def run(name, words, spoil):
    board = build.load(name)
    if not (ROOT / "fpga" / name / "loop").is_dir():
        raise BoardError(USAGE, f"{name} has no loop/: its bitstream cannot be simulated")
    if not 1 <= words <= 10**9:
        raise BoardError(USAGE, f"--words {words}: 1 to 1,000,000,000")
    tools.require(["iceunpack", "icebox_vlog", "verilator", "g++"])
    folder = ROOT / "build" / "fpga" / name
    folder.mkdir(parents=True, exist_ok=True)
    bitstream(name, board, folder)
    netlist(name, board, folder, spoil)
    compile_lockstep(name, board, folder)
    done = subprocess.run([folder / "lockstep_run", str(words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = [l for l in done.stdout.splitlines() if l.startswith(("end ", "pins differ", "lockstep:"))]
    print("\n".join(lines))
    if done.returncode != 0:
        raise BoardError(1, "the bitstream is not the top: " + (lines[-1] if lines else done.stdout[-300:]))
    print("verdict        the bitstream's pins and the top's agree at every step")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", help="a folder of fpga/ with a loop/")
    parser.add_argument("--words", type=int, default=300, help="that come at each end (300)")
    parser.add_argument("--spoil", action="store_true", help="invert every hundredth lookup table of the bitstream's circuit")
    options = parser.parse_args()
    return tools.exit_code_of(lambda: run(options.board, options.words, options.spoil))


if __name__ == "__main__":
    sys.exit(main())
