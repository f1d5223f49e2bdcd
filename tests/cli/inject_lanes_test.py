#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inject_lanes_test.py PROGRAM MACHINE [RUNS]: fault campaigns over lanes find nothing, account for every error, and are the same on
any number of threads: over all numbers of lanes, and several seeds."""
import json
import pathlib
import subprocess
import sys
import tempfile

program, machine = sys.argv[1:3]
runs = int(sys.argv[3]) if len(sys.argv) > 3 else 4
failures = []
SKEWS = {"qpace": "50ns", "qcdoc": "200ns", "tofu": "38ns"}  # near to what is allowed, of several lanes
LANES = {"qpace": (1, 2, 4), "qcdoc": (1,), "tofu": (1, 2, 4, 8)}[machine]
CASES = [["--lanes", str(lanes), "--seed", str(seed)] for lanes in LANES for seed in (1, 2)]
CASES += [["--ppm", "0", "--lane-jitter", "0ps", "--lane-drift", "0ps", "--lane-skew", "0ps", "--seed", "3"],
          ["--lane-skew", SKEWS[machine], "--seed", "4"],
          ["--kinds", "bits,pulled,silent" if machine == "qcdoc" else "lost,doubled,stuck,exchanged", "--seed", "5"]]


def check(good, what):
    if not good:
        failures.append(what)


def inject(folder, case, threads):
    file = folder / "result.json"
    file.unlink(missing_ok=True)
    words = [program, "inject", machine, "--phy", "lanes", "--nodes", "2x2", "--runs", str(runs), "--quiet", "--threads", str(threads), *case]
    done = subprocess.run([*words, "--json", file], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{case}: ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-500:]}")
    found = json.loads(file.read_text()) if file.exists() else {}
    found.pop("seconds", None)
    return found


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in CASES:
            found = inject(folder, case, 2)
            if not found:
                continue
            errors = found["errors"]
            print(case, found["verdict"])
            check(found["runs"] == runs and not found["findings"], f"{case}: findings")
            check(errors["injected"] > 0 and errors["undetected"] == 0, f"{case}: {errors}")
            check(sum(n for column, n in errors.items() if column != "injected") == errors["injected"], f"{case}: columns: {errors}")
            check(inject(folder, case, 1) == found, f"{case}: another campaign on one thread")
    print("\n".join(failures) or "all of them")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
