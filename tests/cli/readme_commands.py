#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that the READMEs and the pages of the commands show, one after the other in a scratch
folder, and checks their exit codes: 0, or what the line itself says ("exit 1").

    readme_commands.py SOURCE BUILD [--list] [--only REGEX] [--shard I/N]

A command is a line of a fenced block, or the first cell of a table, that begins with hypertorus, ./hypertorus, hypertorus-cc or a path into
the tree (tests/, verif/, fpga/, rtl/), with or without "$ "; a backslash at its end continues it. What follows
a " #" or three blanks is its comment; one that stands on several pages is run once. A block that is fenced as ```bash is one
command, a script that stops at the first failure. ./hypertorus is the built program here, but what the launcher does by itself
(cc, c++) is done as it does it. Left out: `./hypertorus test`, the nightly tests in pieces and whatever
has a placeholder in capitals; mutants, all fuzzing, all proofs and campaigns of two thousand runs, which have nightly tests of their own;
the board, the site and coverage, which have others or take hours; what needs HYPERTORUS_DATA is left out with a note where that is not set. --shard 2/4: the second of four pieces.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

TIMEOUT = 1800
COMMAND = re.compile(r"^\s*(\$ )?(((\./)?hypertorus(-cc)?|build/release/bin/hypertorus-cc) (?!=)|(tests|verif|fpga|rtl)/\S+\.(py|sh)\b|python3 )")
# Has a nightly test of its own, and takes long.
ELSEWHERE = re.compile(r"nightly\.py|^hypertorus (test|fpga|board|docs|coverage)\b|mutants\.py($| --only| rtl \w+ TABLE)|fuzz\.py$|prove\.py all$|^hypertorus inject \w+ --runs 2000$|--far |netlist\.py qcdoc_scu|cells\.py --table")
# What ./hypertorus is in the scratch folder: the launcher would build the tree.
LAUNCHER = """#!/bin/sh
command=$1
case $command in
  cc | c++) shift && exec "{build}/bin/hypertorus-$command" "$@" ;;
esac
exec "{build}/bin/hypertorus" "$@"
"""
# Names that stand for the reader's own.
PLACEHOLDER = re.compile(r"(?<![\w$])(FILE|DIR|PREFIX|PROGRAM|ARGS|STEM|OUT|IN|COMMAND|NAME|PATTERN|A B)\b|\.\.\.")


def commands(source):
    """(file, command, expected exit code) in the order in which a reader meets them."""
    pages = [source / "README.md", source / "examples" / "README.md"]
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=source, capture_output=True, text=True, check=False).stdout.split()
    listed = listed or [str(p.relative_to(source)) for p in source.rglob("*.md") if "build" not in p.parts]
    pages += sorted(source / p for p in listed if source / p not in pages)
    seen = set()
    for page in pages:
        lines = iter(page.read_text().splitlines())
        fenced = False
        for line in lines:
            if line == "```bash":
                script = "\n".join(iter(lines.__next__, "```"))
                if script not in seen:
                    seen.add(script)
                    yield page.relative_to(source), "set -e\n" + script, 0
                continue
            if line.lstrip().startswith("```"):
                fenced = not fenced
                continue
            if not fenced and (cell := re.match(r"\| `([^`|]+)` \|", line)):
                line = cell[1]
            elif not fenced:
                continue
            if not COMMAND.match(line) or re.match(r"^hypertorus \d", line):
                continue
            text = line
            while text.endswith("\\"):
                text = text[:-1] + next(lines).strip()
            text = re.sub(r"^\s*(\$ )?", "", text)
            indent = len(line) - len(line.lstrip())
            command, _, note = re.split(r"(\s+#|   +)", text, maxsplit=1) if re.search(r"\s+#|   +", text) else (text, "", "")
            if indent and not note:  # examples of --help say what they do on the next line
                note = next(lines, "")
            code = re.search(r"\bexit (?:code )?(\d+)\b(?! if)", note)
            command = command.strip()
            plain = command.removeprefix("./")
            if plain == "hypertorus-cc" or plain in seen or PLACEHOLDER.search(command) or ELSEWHERE.search(plain):
                continue
            seen.add(plain)
            yield page.relative_to(source), command, int(code[1]) if code else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--shard", default="1/1")
    arguments = parser.parse_args()
    source, build = arguments.source.resolve(), arguments.build.resolve()
    todo = [c for c in commands(source) if re.search(arguments.only, c[1])]
    piece, pieces = map(int, arguments.shard.split("/"))


    def begin_of(number):
        """Where a piece begins: a page is not divided, since its commands go on with files of one another."""
        at = len(todo) * (number - 1) // pieces
        while 0 < at < len(todo) and todo[at][0] == todo[at - 1][0]:
            at -= 1
        return at

    first = begin_of(piece)
    # Programs that earlier pieces compile are run in later ones.
    compiled = [c for c in todo[:first] if re.search(r"hypertorus(-| )c(c|\+\+) ", c[1])]
    todo = compiled + todo[first : begin_of(piece + 1)]
    if arguments.list:
        for page, command, code in todo:
            command = command.replace("\n", "\n    ")
            print(f"{page}: {command}" + (f"   (exit {code})" if code else ""))
        return 0
    if not todo and pieces == 1:
        print("no command found: the READMEs or the pattern are wrong", file=sys.stderr)
        return 1
    failed, skipped = [], 0
    with tempfile.TemporaryDirectory(prefix="readme commands ") as scratch:
        scratch = pathlib.Path(scratch)
        for file in (source / "examples").iterdir():
            if file.is_file():
                shutil.copy(file, scratch)
        launcher = scratch / "hypertorus"
        launcher.write_text(LAUNCHER.format(build=build))
        launcher.chmod(0o755)
        (scratch / "build").mkdir()
        (scratch / "build" / "release").symlink_to(build)
        for room in ("tests", "verif", "fpga", "rtl", "examples", "sim"):
            (scratch / room).symlink_to(source / room)
        environment = dict(os.environ, PATH=f"{build / 'bin'}:{os.environ['PATH']}")
        # What the examples of --help read is somebody's own.
        for preparation in (
            "gauge generate field.lime --lattice 4x4x4x8", "gauge convert field.lime lat.sample --format nersc",
            "gauge convert field.lime field.nersc --format nersc",
            "run --network functional --save-solution rtl.lime", "run --network functional --save-solution functional.lime",
            "run --network functional --save-solution double.lime",
            "run --json r1.json --nodes 2x1x1 --lattice 4x4x4x4", "run --json r2.json --nodes 2x1x1 --lattice 4x4x4x4 --ber 1e-5",
            "run --network functional --precision single --tolerance 1e-6 --save-solution single.lime"):
            subprocess.run(["./hypertorus", *preparation.split(), "--quiet"], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        (scratch / "cells.json").write_text("[]\n")
        for page, command, code in todo:
            if "HYPERTORUS_DATA" in command and "HYPERTORUS_DATA" not in os.environ:
                print(f"left out, HYPERTORUS_DATA is not set: {command}")
                skipped += 1
                continue
            began = time.monotonic()
            try:
                done = subprocess.run(command, shell=True, executable="/bin/bash", cwd=scratch, env=environment, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=TIMEOUT, check=False)
                got, output = done.returncode, done.stdout + done.stderr
            except subprocess.TimeoutExpired:
                got, output = "none, it took too long", ""
            good = got == code
            print(f"{'good' if good else 'BAD '} {time.monotonic() - began:6.1f} s  {page}: {command}", flush=True)
            if not good:
                failed.append(command)
                print(f"     exit code {got}, expected {code}\n" + "\n".join("     " + line for line in output.splitlines()[-15:]))
    print(f"{len(todo) - skipped - len(failed)} of {len(todo)} commands did what they should, {skipped} left out")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
