#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lanes_conformance_test.py PROGRAM CXX SOURCE MACHINE [PATTERN]: QMP's conformance programs (tests/qmp), compiled for nodes and run one
by one, over lanes whose numbers, clocks, skews and errors are drawn."""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

program, compiler, source, machine = sys.argv[1:5]
pattern = sys.argv[5] if len(sys.argv) > 5 else ""
SOURCES = ["conformance_main", "programs", "programs_global", "programs_machine", "programs_messages"]
NODES, SEED, REFUSED = 4, 20, 1
# ns; receivers make up for 13 words, less jitter and drift
SKEW = {"qpace": 50, "tofu": 40, "qcdoc": 100}


def drawn(draw):
    lanes = [] if machine == "qcdoc" else ["--lanes", str(draw.choice([1, 2, 4] + [8] * (machine == "tofu")))]
    return ["--phy", "lanes", *lanes, "--ppm", str(draw.choice([0, 100, 300])), "--lane-skew", f"{draw.randrange(0, SKEW[machine])}ns",
            "--ber", draw.choice(["0", "1e-7", "1e-6"]), "--random-phases", "--seed", str(draw.randrange(1, 1 << 30))]


def main():
    with tempfile.TemporaryDirectory() as name:
        binary = pathlib.Path(name) / "conformance"
        subprocess.run([compiler, "-std=c++20", "-O1", "-DHYPERTORUS_NODE_PROGRAM", f"-I{source}", "-o", binary,
                        *[f"{source}/tests/qmp/{s}.cpp" for s in SOURCES]], check=True)
        job = [program, "exec", machine, "--nodes", "2x2"]
        listed = subprocess.run([*job, "--", binary], capture_output=True, text=True, check=True).stdout
        names = [m[1] for m in re.finditer(r"^\[0\] (.+)$", listed, re.M) if re.search(pattern, m[1])]
        assert len(names) > 30 or pattern, names
        draw, failed = random.Random(SEED), []
        for test in names:
            options = drawn(draw)
            done = subprocess.run([*job, *options, "--", binary, test], capture_output=True, text=True, check=False)
            last = done.stderr.strip().splitlines()[-1:] or [""]
            print(f"{test}: {' '.join(options)}: {done.returncode}; {last[0]}", flush=True)
            # Calls that are refused, as promised, are a code of their own.
            refused = done.returncode == REFUSED and "and the program went on" in last[0]
            kept = done.stdout.count("] kept\n") == NODES
            account = "+ 0 undetected" in done.stderr and re.search(r" 0 of \d+ link checksums disagree", done.stderr)
            if not (kept and account and (done.returncode == 0 or refused)):
                failed.append(f"{test}: {done.stderr}")
        for line in failed:
            print(line)
        print(f"{len(names) - len(failed)} of {len(names)} programs over lanes on {machine}")
        return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
