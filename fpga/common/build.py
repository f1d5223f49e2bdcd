#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a board's bitstream (Yosys, nextpnr, icepack or ecppack; or Vivado, vivado.py); prints the fit and checks it against the board's limits.

    fpga/common/build.py hx8k                  build/fpga/hx8k/hx8k.bin, and hx8k.json with the fit
    fpga/common/build.py hx8k --program        and load it over USB (openFPGALoader)
    fpga/common/build.py --list                the boards

Equal sources and tools give equal bitstreams. The sources' hash is in the bitstream, where the program at the other end of
the serial line reads it.
Exit codes: 0 good, 1 a clock or a limit is missed, 2 usage, 10 a tool is missing, 12 a tool failed, or the tree cannot be written.
"""
import argparse
import difflib
import glob
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tomllib

import tools
import vivado
from families import FAMILIES, clock_of
from tools import FAILED, MISSED, ROOT, USAGE, BoardError, exit_code_of, run


def boards():
    return sorted(p.parent.name for p in (ROOT / "fpga").glob("*/board.toml"))


def load(name):
    if name not in boards():
        near = difflib.get_close_matches(name, boards(), 1, 0.3)
        hint = f"did you mean {near[0]}?" if near else "the boards are " + ", ".join(boards())
        raise BoardError(USAGE, f"no board {name}; {hint}")
    with open(ROOT / "fpga" / name / "board.toml", "rb") as f:
        return tomllib.load(f)


def sources(board):
    files = []
    for pattern in board["sources"]:
        found = sorted(glob.glob(str(ROOT / pattern)))
        if not found:
            raise BoardError(FAILED, f"no sources {pattern}")
        files += found
    return files


def headers(board):
    return sorted(f for d in board["includes"] for f in glob.glob(str(ROOT / d / "*.vh")))


def source_hash(name, board):
    """The first 32 bits of SHA-256 over names and contents of all that the bitstream is made of."""
    digest = hashlib.sha256()
    parts = sources(board) + headers(board) + [str(ROOT / "fpga" / name / f) for f in (board["pins"], "board.toml", *board.get("scripts", []))]
    for path in parts:
        digest.update(str(pathlib.Path(path).relative_to(ROOT)).encode() + b"\0")
        digest.update(pathlib.Path(path).read_bytes() + b"\0")
    return int.from_bytes(digest.digest()[:4], "big")


def synthesise(board, folder, value):
    family = FAMILIES[board["family"]]
    flags = " ".join(f"-I{ROOT / d}" for d in board["includes"])
    script = [f"read_verilog {flags} {f}" for f in sources(board)]
    script += [f"chparam -set SOURCE_HASH {value} {board['top']}", f"hierarchy -top {board['top']}", *family.prepare_netlist,
               f"synth_{board['family']} {family.synthesis} -top {board['top']} -json netlist.json", "check -assert"]
    (folder / "synth.ys").write_text("\n".join(script) + "\n")
    run(1, 3, "synthesis (Yosys), about a minute", family.yosys(folder / "synth.ys"), folder / "yosys.log", folder)
    tools.refuse_latches(folder / "yosys.log")


def refuse_unplaced(name, board, folder):
    """Every pin of the top has its place, but for those of a transceiver, whose place is its own."""
    ports = json.loads((folder / "netlist.json").read_text())["modules"][board["top"]]["ports"]
    names = {p if len(v["bits"]) == 1 else f"{p}[{i}]" for p, v in ports.items() for i in range(len(v["bits"]))}
    placed = set(re.findall(r'^LOCATE COMP "([^"]+)"', (ROOT / "fpga" / name / board["pins"]).read_text(), re.M))
    left = sorted(names - placed - set(board["transceiver_pins"]))
    if left:
        raise BoardError(FAILED, f"{board['pins']} has no place for {', '.join(left)}")


def place(name, board, folder, seed):
    command = FAMILIES[board["family"]].place(board, str(ROOT / "fpga" / name / board["pins"]))
    run(2, 3, f"place and route (nextpnr), seed {seed}, some minutes",
        [*command, "--json", "netlist.json", "--seed", str(seed), "--timing-allow-fail", "--report", "fit.json"],
        folder / "nextpnr.log", folder)


def judge(name, board, folder):
    """The fit as rows of {id, value, unit, limit}, and what of it misses its limit."""
    report = json.loads((folder / "fit.json").read_text())
    rows, missed = [], []
    for cell, use in sorted(report["utilization"].items()):
        if use["used"] == 0:
            continue
        limit = board["limits"].get(cell)
        share = 100 * use["used"] / use["available"]
        rows.append({"id": f"{name}.{cell}", "value": use["used"], "unit": f"of {use['available']}", "limit": limit})
        if limit is not None and share > limit:
            missed.append(f"{cell}: {share:.1f} % of the device, at most {limit} wanted")
    seen = {}
    for net, clock in report["fmax"].items():
        known = clock_of(net, board["clocks"])
        if known is None:
            raise BoardError(FAILED, f"nextpnr knows a clock {net} that board.toml does not")
        seen[known] = min(clock["achieved"], seen.get(known, 1e9))
    for clock, wanted in board["clocks"].items():
        if clock not in seen:
            raise BoardError(FAILED, f"nextpnr does not report the clock {clock}")
        rows.append({"id": f"{name}.{clock}_mhz", "value": round(seen[clock], 2), "unit": "MHz", "limit": wanted})
        if seen[clock] < wanted:
            missed.append(f"{clock}: {seen[clock]:.2f} MHz reached, {wanted} wanted")
    return rows, missed


def build_free(name, board, folder, value):
    """With the free tools: the seed that was taken, the bitstream, and the fit as judge has it."""
    family = FAMILIES[board["family"]]
    family.require()
    synthesise(board, folder, value)
    if "transceiver_pins" in board:
        refuse_unplaced(name, board, folder)
    # Names and comments of the sources move cells about: the first seed that meets clocks and limits is taken.
    for seed in board["seeds"]:
        place(name, board, folder, seed)
        rows, missed = judge(name, board, folder)
        if not missed:
            break
        print(f"      {'; '.join(missed)}", file=sys.stderr)
    bitstream = folder / f"{name}.{family.suffix}"
    run(3, 3, f"bitstream ({family.packer})", family.pack(bitstream.name), folder / "pack.log", folder)
    return seed, bitstream, rows, missed


def build(name, program):
    board = load(name)
    if program:
        tools.require(["openFPGALoader"])
    folder = ROOT / "build" / "fpga" / name
    folder.mkdir(parents=True, exist_ok=True)
    value = source_hash(name, board)
    print(f"{board['title']}; sources {value:08x}", file=sys.stderr)
    if board["family"] == "vivado":
        seed, bitstream = None, folder / f"{name}.bit"
        rows, missed = vivado.build(name, board, folder, sources(board), value)
    else:
        seed, bitstream, rows, missed = build_free(name, board, folder, value)
    digest = hashlib.sha256(bitstream.read_bytes()).hexdigest()
    for row in rows:
        limit = "" if row["limit"] is None else f"   limit {row['limit']}" + (" %" if row["unit"].startswith("of") else "")
        print(f"{row['id']:<32}{row['value']:>10} {row['unit']}{limit}")
    print(f"{bitstream.name:<32}{bitstream.stat().st_size:>10} bytes, SHA-256 {digest}")
    (folder / f"{name}.json").write_text(json.dumps(
        {"board": name, "sources": f"{value:08x}", "seed": seed, "bitstream": str(bitstream.relative_to(ROOT)), "sha256": digest,
         "rows": rows, "missed": missed}, indent=2) + "\n")
    if missed:
        raise BoardError(MISSED, "; ".join(missed))
    if program:
        command = ["openFPGALoader", "--board", board["loader"], str(bitstream)]
        code = subprocess.run(command).returncode
        if code != 0:
            raise BoardError(FAILED, f"openFPGALoader ended with {code}: is the board plugged in, and may you use it?")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", nargs="?", help="a folder of fpga/ with a board.toml")
    parser.add_argument("--program", action="store_true", help="load the bitstream over USB")
    parser.add_argument("--hash", action="store_true", help="print the sources' hash, and build nothing")
    parser.add_argument("--list", action="store_true", help="the boards")
    options = parser.parse_args()

    def work():
        if options.list:
            print("\n".join(f"{b:<12}{load(b)['title']}" for b in boards()))
        elif options.board is None:
            raise BoardError(USAGE, "which board? They are " + ", ".join(boards()))
        elif options.hash:
            print(f"{source_hash(options.board, load(options.board)):08x}")
        else:
            build(options.board, options.program)

    return exit_code_of(work)


if __name__ == "__main__":
    sys.exit(main())
