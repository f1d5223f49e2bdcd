#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the targets of all FuseSoC core files, where FuseSoC is installed (pip install fusesoc): lint and sim to their end,
board until its tools would begin. Any warning is a failure.

    run_cores.py ROOT [CORE...]     CORE: as in lane:bundle; all, if none is named
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_cores import core_files

TARGETS = {"lint": [], "sim": [], "board": ["--setup"]}
# What FuseSoC says of its own settings, whatever the cores.
OWN = re.compile(r"WARNING: No trustfile configured")


def cores(root):
    """(name without library and version, its targets of TARGETS) of every core file."""
    for path in core_files(root):
        text = path.read_text(encoding="utf-8")
        name = re.search(r"^name: hypertorus:(\w+:\w+):", text, re.MULTILINE)[1]
        yield name, [t for t in TARGETS if re.search(rf"^  {t}:$", text.partition("\ntargets:")[2], re.MULTILINE)]


def run(root, name, target, folder):
    """What is wrong, or an empty text."""
    words = ["fusesoc", "--config", str(root / "fusesoc.conf"), "run", "--target", target, *TARGETS[target], f"hypertorus:{name}"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, check=False)
    lines = [line for line in done.stdout.splitlines() if not OWN.search(line)]
    warned = [line for line in lines if re.search(r"^(WARNING|%Warning)|: warning:", line)]
    if done.returncode != 0:
        return "\n".join([f"ended with {done.returncode}", *lines[-10:]])
    if target == "sim" and sum(line.startswith("PASSED: ") for line in lines) != 1:
        return "\n".join(["no bench said that it passed", *lines[-10:]])
    return "\n".join(warned)


def main():
    root, asked = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    if not shutil.which("fusesoc"):
        print("SKIPPED: fusesoc is not installed")
        return 0
    known = dict(cores(root))
    for name in asked:
        if name not in known:
            print(f"FAILED: no core {name}; they are {', '.join(known)}")
            return 2
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name in asked or known:
            for target in known[name]:
                wrong = run(root, name, target, folder)
                print(f"{name} {target}: {'FAILED: ' + wrong if wrong else 'passed'}", flush=True)
                good = good and not wrong
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
