#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""netlist_test.py ROOT: where the tools are missing, fpga/common/netlist.py says in one line what to run."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

failures = []


def check(good, what):
    if not good:
        failures.append(what)


def without_tools(root, folder):
    for room in ("fpga/common", "rtl"):
        shutil.copytree(root / room, folder / room)
    done = subprocess.run([folder / "fpga" / "common" / "netlist.py", "qcdoc_scu", "--installed"], capture_output=True, text=True, check=False)
    check(done.returncode == 10 and done.stderr.count("\n") == 1 and "run, once: fpga/common/netlist.py qcdoc_scu" in done.stderr, done.stderr)
    done = subprocess.run([folder / "fpga" / "common" / "netlist.py", "qcdoc_sku"], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and done.stderr == "hypertorus: no module qcdoc_sku in rtl/\n", done.stderr)


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        without_tools(pathlib.Path(sys.argv[1]).resolve(), folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(failures) or "what it should")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
