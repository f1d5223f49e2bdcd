#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The night's run: 10^6 executions of every target without a finding, and a fault that is found.

    nightly_test.py [fuzz.py's options]
"""
import pathlib
import subprocess
import sys

import fuzz


def main():
    if lacking := fuzz.missing():
        print(f"SKIPPED: {lacking}")
        return 0
    program = pathlib.Path(fuzz.__file__)
    flawed = subprocess.run([program, fuzz.FLAWED], capture_output=True, text=True, check=False)
    print(flawed.stdout + flawed.stderr, flush=True)
    if flawed.returncode != 1 or "a length beyond the input's end" not in flawed.stdout or "run it again: " not in flawed.stdout:
        print("the target with a fault in it was let through")
        return 1
    return subprocess.run([program, *sys.argv[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
