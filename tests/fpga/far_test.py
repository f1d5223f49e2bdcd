#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""far_test.py PROGRAM: a solve on QCDOC nodes of which one is its routed netlist (run qcdoc --far netlist) is the solve without
it, in every number of its document: solution, time of the machine, counters, checksums and errors. With some of the
netlist's tables inverted it is not. The first run places and routes, up to an hour; exit code 10: the tools are missing.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
SOLVE = ["run", "qcdoc", "--nodes", "2", "--lattice", "4x2x2x2", "--quiet"]
# What a user could vary: errors, phases, what registers come up with, memory, cables.
RUNS = [
    [],
    ["--ber", "2e-5", "--bursts", "3", "--lost", "2", "--seed", "2"],
    ["--random-phases", "--random-state", "--ber", "1e-5", "--seed", "3"],
    ["--boot", "--random-phases", "--memory-latency", "200ns", "--memory-spread", "300ns", "--cable-delay", "90ns", "--ber", "1e-5", "--seed", "4"],
    ["--node-clock", "360", "--soft-errors", "200", "--seed", "5"],
]


def solve(folder, *options):
    document = folder / "run.json"
    document.unlink(missing_ok=True)
    done = subprocess.run([PROGRAM, *SOLVE, *options, "--json", document], capture_output=True, text=True, check=False)
    if "which are not installed" in done.stderr:
        print(f"SKIPPED: {done.stderr.strip()}")
        sys.exit(10)
    return done, json.loads(document.read_text()) if document.exists() else None


def numbers(document):
    """All of it but what the computer adds, and which hardware there was."""
    if isinstance(document, dict):
        return {k: numbers(v) for k, v in document.items() if k not in ("wall_seconds", "seconds", "window_report", "far")}
    return [numbers(v) for v in document] if isinstance(document, list) else document


def differences(one, two, at=""):
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return [d for k in one for d in differences(one[k], two[k], f"{at}.{k}")]
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return [d for i, (a, b) in enumerate(zip(one, two)) for d in differences(a, b, f"{at}[{i}]")]
    return [] if one == two else [f"{at}: {one} and {two}"]


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for options in RUNS:
            done, verilog = solve(folder, *options)
            if done.returncode != 0:
                failures.append(f"{options}: {done.stderr}")
                continue
            done, routed = solve(folder, *options, "--far", "netlist")
            if done.returncode != 0 or routed is None:
                failures.append(f"{options}: {done.stderr}")
                continue
            other = differences(numbers(verilog), numbers(routed))
            print(f"{' '.join(options) or 'usual'}: {routed['verdict']}; {len(other)} numbers are others", flush=True)
            failures += [f"{options}: {d}" for d in other[:5]]
        done, spoilt = solve(folder, "--far", "spoilt")
        if done.returncode == 0 or spoilt is None:
            failures.append(f"inverted tables are not noticed: {done.stdout}{done.stderr}")
        else:
            print(f"with tables inverted: exit code {done.returncode}, {spoilt['verdict']}: {done.stderr.strip().splitlines()[-1]}")
    for failure in failures:
        print(f"far: not so: {failure}", file=sys.stderr)
    if not failures:
        print("the routed node solves as its Verilog")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
