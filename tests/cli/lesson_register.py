#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the lesson "add a register" to the letter, in a copy of the tree.

    lesson_register.py SOURCE WORK [--text]

"in `FILE`, after (before) the line `LINE`", and a block: the block is put there. Then come the lesson's readers, what
regmap.py writes, and its test, which must turn red without "&& !is_refused". --text: leaves the test out, which
is built in WORK.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

EDIT = re.compile(r"[Ii]n\s+`([^`]+)`,\s+(after|before) the line `([^`]+)`[^\n]*\n\n```\w+\n(.*?\n)```\n", re.S)
GUARD = " && !is_refused"


def run(tree, *command, code=0):
    """What it prints; ends the test if it ends with another code."""
    done = subprocess.run(command, cwd=tree, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(f"{' '.join(map(str, command))}: {done.returncode}", flush=True)
    if done.returncode != code:
        sys.exit(done.stdout[-5000:] + f"\nexit code {done.returncode}, expected {code}")
    return done.stdout


def change(file, old, new):
    text = file.read_text()
    if text.count(old) != 1:
        sys.exit(f"{file}: {text.count(old)} times, not once: {old}")
    file.write_text(text.replace(old, new))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--text", action="store_true")
    arguments = parser.parse_args()
    source, tree = arguments.source.resolve(), arguments.work.resolve() / "tree"
    names = run(source, "git", "ls-files", "-co", "--exclude-standard").split("\n")
    for name in filter(None, names):
        old, new = source / name, tree / name
        # What is as it was keeps its time, for the build.
        if old.is_file() and not (new.is_file() and new.read_bytes() == old.read_bytes()):
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(old, new)
    page = (source / "docs" / "tutorial" / "4-register.md").read_text()
    edits = EDIT.findall(page)
    if len(edits) != 6:
        sys.exit(f"{len(edits)} changes were found on the page, not 6")
    for name, where, line, block in edits:
        whole = re.findall(rf"^[ ]*{re.escape(line)}\n", (tree / name).read_text(), re.M)
        if len(whole) != 1:
            sys.exit(f"{name}: {len(whole)} lines, not one: {line}")
        change(tree / name, whole[0], whole[0] + block if where == "after" else block + whole[0])
    shown = re.search(r"```text\n\$ python3 rtl/regmap.py\n(.*?)```", page, re.S)[1]
    printed = run(tree, "python3", "rtl/regmap.py")
    if printed != shown:
        sys.exit(f"the page shows\n{shown}and regmap.py prints\n{printed}")
    for command in re.findall(r"^python3 .*$", page, re.M):
        run(tree, *command.split())
    if arguments.text:
        return 0
    build = tree / "build" / "release"
    os.environ.update(CCACHE_BASEDIR=str(tree), CCACHE_NOHASHDIR="1")  # as .ci/run has it
    run(tree, "cmake", "--preset", "release")
    run(tree, "cmake", "--build", build, "--target", "test_nwp")
    program = build / "tests" / "qpace" / "test_nwp"
    run(tree, program)
    change(tree / "rtl/qpace/node/qpace_dcr.v", "reg_write" + GUARD, "reg_write")
    run(tree, "cmake", "--build", build, "--target", "test_nwp")
    if "4 == 3" not in run(tree, program, "WRITE_COUNT*", code=1):
        sys.exit("without its guard the counter is not seen to count one too many")
    change(tree / "rtl/qpace/node/qpace_dcr.v", "if (done && reg_write)", "if (done && reg_write" + GUARD + ")")
    return 0


if __name__ == "__main__":
    sys.exit(main())
