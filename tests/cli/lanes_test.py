#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lanes_test.py PROGRAM MACHINE: the main job over lanes has the bits that it has over wires, whatever the lanes' number,
clocks, skews and errors; and other threads, or processes, give the same run."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import timeline_test

program, machine = sys.argv[1:3]
failures = []
JOB = ["run", machine, "--nodes", "2", "--lattice", "4x2x2x2" if machine == "qcdoc" else "4x4x4x4", "--quiet"]
# all that is allowed; and bad cables
CASES = {
    "qpace": [["--lanes", "1", "--ppm", "300", "--lane-skew", "50ns"], ["--lanes", "2", "--ppm", "0", "--ber", "1e-5"],
              ["--random-phases", "--random-state", "--lane-jitter", "1ns", "--lane-drift", "10ns", "--seed", "5"],
              ["--lost", "5", "--doubled", "5", "--stuck", "2", "--pulled", "1", "--exchanged", "2"]],
    "qcdoc": [["--random-phases", "--random-state", "--lane-skew", "100ns", "--ber", "1e-6"],
              ["--ppm", "0", "--lost", "2", "--pulled", "1", "--seed", "7"]],
    "tofu": [["--lanes", "8", "--ppm", "300", "--lane-skew", "30ns"], ["--lanes", "1", "--random-phases", "--random-state"],
             ["--lanes", "4", "--ber", "1e-5", "--lost", "3", "--stuck", "2", "--pulled", "1"]],
}[machine]


def check(good, what):
    if not good:
        failures.append(what)


def solve(file, more, under=()):
    done = subprocess.run([*under, program, *JOB, *more, "--json", file], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{more}: ended with {done.returncode}: {done.stderr}")
    return json.loads(file.read_text()) if file.exists() else {}


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CACHE_HOME"] = name
        wires = {}
        for number, case in enumerate(CASES):
            lanes = solve(folder / f"lanes{number}", ["--phy", "lanes", *case])
            if not lanes:
                continue
            seed = lanes["options"]["seed"]  # of the field, too
            if seed not in wires:
                wires[seed] = solve(folder / f"wires{seed}", ["--seed", str(seed)])
                check(wires[seed]["options"]["phy"] == "wires", "recorded")
            errors = lanes["errors"]
            print(case, lanes["verdict"], lanes["machine_time_ps"], errors["injected"], errors["detected"], errors["harmless"])
            check(lanes["verdict"] == "bit-exact" and errors["undetected"] == 0, f"{case}: {lanes['verdict']}, {errors}")
            check(lanes["solution_crc32"] == wires[seed]["solution_crc32"], f"{case}: other bits")
            check(lanes["options"]["phy"]["most_off_ppb"] == (0 if "0" == dict(zip(case, case[1:])).get("--ppm") else 300000), "recorded")
        again = solve(folder / "again", ["--phy", "lanes", *CASES[0], "--threads", "2"])
        first = json.loads((folder / "lanes0").read_text())
        runs = {"two threads": again}
        if mpirun := shutil.which("mpirun"):
            under = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "2"]
            runs["two processes"] = solve(folder / "ranks", ["--phy", "lanes", *CASES[0], "--threads", "1"], under)
        for what, run in runs.items():
            for key in ("machine_time_ps", "errors", "solution_crc32"):
                check(run[key] == first[key], f"{what}: another {key}")
        if machine == "qcdoc":  # whose variant timeline_test.py does not build
            timeline_test.check_over_lanes(program, machine, folder)
            failures.extend(timeline_test.failures)
    print("\n".join(failures) or "the same bits")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
