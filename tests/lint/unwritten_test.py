#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site and a board in a tree that cannot be written: one line, and exit code 12. (1 says that a limit is missed.)

    unwritten_test.py ROOT

A file lies where the folder `build` would be: no user can make that, not even root.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

COMMANDS = (["docs/build.py"], ["fpga/common/build.py", "hx8k"])


def main():
    root, failed = pathlib.Path(sys.argv[1]).resolve(), 0
    with tempfile.TemporaryDirectory(prefix="unwritten test ") as folder:
        tree = pathlib.Path(folder)
        for name in ("docs", "fpga/common", "fpga/hx8k"):
            shutil.copytree(root / name, tree / name)
        shutil.copy(root / "README.md", tree)
        (tree / "build").write_text("")
        for script, *words in COMMANDS:
            done = subprocess.run([sys.executable, tree / script, *words], capture_output=True, text=True, check=False)
            if "SKIPPED: " in done.stdout:
                print(f"{script}: {done.stdout.strip()[len('SKIPPED: '):]}")
                continue
            start = f"hypertorus: cannot write to {tree / 'build'}"
            if done.returncode != 12 or done.stdout or done.stderr.count("\n") != 1 or not done.stderr.startswith(start):
                failed += 1
                print(f"{script}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    print("failed" if failed else "one line and exit code 12")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
