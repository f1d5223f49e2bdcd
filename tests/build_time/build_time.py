#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processor time of a build from nothing, by part: what the first verdict, and the tests, cost on a fresh machine
without a compiler cache.

    build_time.py SOURCE WORK [--append LOG] [TARGET...]     default: the targets of `./hypertorus run`, then all others

Configures a tree of its own in WORK, builds with one job at a time, and adds up the processor time of the compiler,
Verilator and linker processes; parts are the folders that the objects are of. Prints minutes, and adds them to LOG (speed_log.py).
"""
import collections
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

import speed_log


def first_targets(source):
    """What `./hypertorus run` builds: the program and the first machine."""
    machines = re.search(r"^set\(HYPERTORUS_MACHINES (\w+)", (source / "CMakeLists.txt").read_text(), re.M)
    return ["hypertorus", f"machine-{machines[1]}"]


def part_of(output):
    verilated = re.search(r"(?:^|/)CMakeFiles/(V\w+)\.dir/", output)
    if verilated:
        return f"Verilated {verilated[1][1:]}"
    folder = output.split("/CMakeFiles/")[0]
    return "/".join(folder.split("/")[:2])


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(command, where, log):
    before = spent()
    run = subprocess.run(command, cwd=where, stdout=log, stderr=subprocess.STDOUT,
                         env={**os.environ, "CCACHE_DISABLE": "1"}, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed; see {log.name}")
    return spent() - before


def build(targets, tree, log, parts):
    """Adds up wall time by part, from Ninja's log, since jobs run one at a time; returns processor time."""
    ninja_log = tree / ".ninja_log"
    old = set(ninja_log.read_text().splitlines()) if ninja_log.exists() else set()
    total = timed(["ninja", "-j1", *targets], tree, log)
    for line in ninja_log.read_text().splitlines():
        if line in old or line.startswith("#"):
            continue
        begin, end, _, output, _ = line.split("\t")
        parts[part_of(output)] += (int(end) - int(begin)) / 1000
    return total


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    source, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    log_file = None
    if sys.argv[3:4] == ["--append"]:
        log_file, sys.argv[3:5] = sys.argv[4], []
    tree = work / "build"
    if tree.exists():
        sys.exit(f"{tree} is there already: name a folder without it, so that the build begins with nothing")
    work.mkdir(parents=True, exist_ok=True)
    begin = time.time()
    with open(work / "build_time.log", "w", encoding="utf-8") as log:
        configure = timed(["cmake", "-S", source, "-B", tree, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"],
                          work, log)
        steps = [("what was asked for", sys.argv[3:])] if sys.argv[3:] else [("./hypertorus run", first_targets(source)),
                                                                            ("all the rest", ["all"])]
        print(f"{configure / 60:6.2f} min  configuring (Verilator runs here the first time)")
        for what, targets in steps:
            parts = collections.Counter()
            total = build(targets, tree, log, parts)
            if log_file is not None:
                speed_log.append(log_file, [(f"build: {what}", total / 60, "minutes")])
            print(f"{total / 60:6.2f} min  {what}: {' '.join(targets)}")
            for part, seconds in parts.most_common(25):
                print(f"    {seconds / 60:6.2f}  {part}")
    print(f"{(time.time() - begin) / 60:.1f} minutes of wall clock, one job at a time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
