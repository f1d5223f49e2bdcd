#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what a page shows of a command's output to what the command prints.

    outputs.py HYPERTORUS [PAGE ...] [--only REGEX] [--check]

A fenced block whose first line is "$ ./hypertorus ...", or "$ python3 ..." of a script here, is that command's output; a line "..." stands for any number of
lines. Every other line must come in the command's output, in that order, but for seconds of this computer; what goes to standard
error comes last. A program of nodes is compiled from examples/ before. Without
--check the pages are brought up to date: a line that is not there becomes the one that differs from it in numbers alone.
--only: of the commands that match. That none does is an error.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/howto/main-job.md", "docs/howto/machines.md", "docs/results.md", "docs/processors.md",
         "docs/tutorial/2-own-program.md", "docs/tutorial/3-retransmission.md", "examples/README.md")
COMMAND = re.compile(r"\$ (?:\./hypertorus|python3) ")
SECONDS = re.compile(r"[\d.]+ s here on \d+ threads?|[\d.]+ MB")


def same(a, b):
    return SECONDS.sub("", a.rstrip()) == SECONDS.sub("", b.rstrip())


def pattern(line, literal):
    """The line with every word after the first `literal` ones that has a digit in it left open."""
    words = line.split()
    return re.compile(r"\s*" + r"\s+".join(
        r"\S+" if any(c.isdigit() for c in word) and i >= literal else re.escape(word) for i, word in enumerate(words)) + r"\s*$")


def find(line, output, first):
    for i in range(first, len(output)):
        if same(line, output[i]):
            return i
    for literal in (4, 3, 2, 0):
        for i in range(first, len(output)):
            if pattern(line, literal).match(output[i]):
                return i
    return None


def renew(block, output):
    """The block with its lines as they are in `output`, and what could not be found."""
    at, new, lost = 0, [], []
    for line in block:
        if line.strip() in ("...", ""):
            new.append(line)
            continue
        found = find(line, output, at)
        if found is None:
            lost.append(line)
            new.append(line)
            continue
        new.append(line if same(line, output[found]) else output[found].rstrip())
        at = found + 1
    return new, lost


def arguments_of(command, program):
    words = shlex.split(command.split("  #")[0])
    return [sys.executable, ROOT / words[1], *words[2:]] if words[0] == "python3" else [program, *words[1:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("pages", nargs="*", type=pathlib.Path, default=[ROOT / page for page in PAGES])
    parser.add_argument("--only", type=re.compile, default="")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    program, bad, seen = arguments.program.resolve(), 0, 0
    for page in arguments.pages:
        lines = page.read_text().splitlines()
        i = 0
        while i < len(lines):
            if not (lines[i].startswith("```") and i + 1 < len(lines) and COMMAND.match(lines[i + 1])
                    and re.search(arguments.only, lines[i + 1])):
                i += 1
                continue
            seen += 1
            command = lines[i + 1][2:]
            begin, end = i + 2, lines.index("```", i + 2)
            with tempfile.TemporaryDirectory() as scratch:
                if own := re.search(r" -- \./(\w+)", command):
                    subprocess.run([program.parent / "hypertorus-cc", "-O2", "-o", own[1], ROOT / "examples" / f"{own[1]}.c"],
                                   cwd=scratch, check=True)
                run = subprocess.run(arguments_of(command, program), cwd=scratch, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            new, lost = renew(lines[begin:end], (run.stdout + run.stderr).splitlines())
            for was, now in zip(lines[begin:end], new):
                if was != now:
                    bad += 1
                    print(f"{page.name}: {command}\n  page: {was}\n  now:  {now}")
            for line in lost:
                bad += 1
                print(f"{page.name}: {command}\n  page: {line}\n  now:  not there")
            lines[begin:end] = new
            i = end + 1
        if not arguments.check:
            page.write_text("\n".join(lines) + "\n")
    if not seen:
        parser.error("no page has such a command with its output")
    print(f"{bad} lines differ" if bad else "pages show what the commands print")
    return 1 if bad and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
