#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the program and the first machine with other tools than this tree's, and compares a run with this tree's
program field by field.

    other_tools.py clang|verilator SOURCE PROGRAM WORK

clang: the preset of that name. verilator: the VERILATOR_ROOT that HYPERTORUS_VERILATOR names, a folder with
bin/verilator_bin and include/verilated.h; builds the tests as well, and runs the quick ones. SKIPPED where they are not
installed.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

RUN = ["run", "--nodes", "2x1x1", "--lattice", "4x4x4x4", "--tolerance", "1e-6", "--quiet"]
KEYS = ("verdict", "solution_crc32", "iterations", "true_residual", "correlator", "plaquette", "errors", "links", "machine_time_ps")


def call(command, environment=None):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def main():
    kind, source, program, work = sys.argv[1], *(pathlib.Path(a).resolve() for a in sys.argv[2:5])
    options, environment = [], {}
    if kind == "clang":
        if shutil.which("clang++-19") is None:
            print("SKIPPED: clang-19 is not installed")
            return 0
        options = ["-D", "CMAKE_C_COMPILER=clang-19", "-D", "CMAKE_CXX_COMPILER=clang++-19"]
    else:
        root = os.environ.get("HYPERTORUS_VERILATOR", "")
        if not root:
            print("SKIPPED: HYPERTORUS_VERILATOR names no folder of another Verilator")
            return 0
        if not (pathlib.Path(root) / "include" / "verilated.h").exists():
            sys.exit(f"HYPERTORUS_VERILATOR: {root} is no VERILATOR_ROOT, it has no include/verilated.h")
        environment = {"VERILATOR_ROOT": root}
    machine = re.search(r"^set\(HYPERTORUS_MACHINES (\w+)", (source / "CMakeLists.txt").read_text(), re.M)[1]
    build = work / "build"
    tests = kind == "verilator"
    call(["cmake", "-S", source, "-B", build, "-G", "Ninja", "-D", f"HYPERTORUS_TESTS={'ON' if tests else 'OFF'}", *options], environment)
    call(["ninja", "-C", build, "-j2", "hypertorus", f"machine-{machine}"], environment)
    call([program, *RUN, "--json", work / "here.json"])
    call([build / "bin" / "hypertorus", *RUN, "--json", work / "other.json"])
    here, other = (json.loads((work / name).read_text()) for name in ("here.json", "other.json"))
    different = [key for key in KEYS if here[key] != other[key]]
    if different or here["verdict"] != "bit-exact":
        sys.exit(f"verdict {here['verdict']}; different: {different}")
    print(f"{kind}: the same bits, times and counters")
    if tests:
        call(["ninja", "-C", build, "-j2"], environment)
        said = call(["ctest", "--test-dir", build, "-L", "quick", "--output-on-failure"])
        print("\n".join(line for line in said.splitlines() if "tests passed" in line))
    return 0


if __name__ == "__main__":
    sys.exit(main())
