#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the text of the tree.

    check_sources.py spdx ROOT      every source file names its licence within its first three lines
    check_sources.py names ROOT     names of Catch2 test cases survive ctest: it splits them at ';', and Catch2
                                    takes one that begins with '-' for an option
    check_sources.py columns ROOT   no line of Verilog, comments included, is longer than 120 columns
    check_sources.py modes ROOT     scripts that name their interpreter can be started: pages show them so
    check_sources.py format ROOT    clang-format leaves all C++ as it is
    check_sources.py tidy ROOT BUILD   clang-tidy over all C++ that BUILD compiles (slow)
    check_sources.py clang ROOT BUILD ROOM...   Clang 19 has no warning about the C++ of these rooms that BUILD compiles
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOMS = ("cmake", "examples", "fpga", "rtl", "sim", "sw", "tests", "verif")
WITH_LICENCE = {".v", ".vh", ".vhd", ".c", ".cc", ".cpp", ".h", ".hpp", ".py", ".sh", ".toml", ".cmake", ".core", ".md"}
CPP = {".cpp", ".hpp"}
VERILOG = {".v", ".vh", ".sv"}
COLUMNS = 120
LICENCE = "SPDX-License-Identifier: Apache-2.0"


def files(root, suffixes):
    """Source files below the rooms and at the root; build trees lie elsewhere."""
    out = [p for p in root.iterdir() if p.is_file()]
    for room in ROOMS:
        out += [p for p in (root / room).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return sorted(p for p in out if p.suffix in suffixes or (p.name == "CMakeLists.txt" and ".cmake" in suffixes))


def spdx(root):
    bad = []
    for path in files(root, WITH_LICENCE):
        with open(path, encoding="utf-8") as f:
            head = [f.readline() for _ in range(3)]
        if not any(LICENCE in line for line in head):
            bad.append(path.relative_to(root))
    for path in bad:
        print(f"{path}: no '{LICENCE}' within the first three lines")
    return bool(bad)


def test_names(root):
    bad = []
    for path in files(root, CPP):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            name = re.search(r'TEST_CASE\("([^"]*)"', line)
            if name and (";" in name[1] or name[1].startswith("-")):
                bad.append(f"{path.relative_to(root)}:{number}: '{name[1]}'")
    for line in bad:
        print(f"{line}: no ';' in a test's name, and no '-' at its beginning")
    return bool(bad)


def verilog_columns(root):
    sources = files(root, VERILOG)
    if not sources:
        print("no Verilog below the root")
        return True
    bad = False
    for path in sources:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > COLUMNS or "\t" in line:
                print(f"{path.relative_to(root)}:{number}: "
                      + (f"{len(line)} columns, at most {COLUMNS}" if "\t" not in line else "a tab"))
                bad = True
    return bad


def modes(root):
    bad = []
    for path in files(root, {".py", ".sh"}) + sorted((root / "docs").rglob("*.py")):
        with open(path, "rb") as f:
            script = f.read(2) == b"#!"
        if script and not os.access(path, os.X_OK):
            bad.append(path.relative_to(root))
    for path in bad:
        print(f"{path}: begins with '#!', and cannot be started: chmod +x")
    return bool(bad)


def clang_format(root):
    tool = shutil.which("clang-format")
    if not tool:
        print("SKIPPED: clang-format is not installed")
        return False
    sources = [str(p) for p in files(root, CPP)]
    return subprocess.run([tool, "--dry-run", "--Werror", *sources], check=False).returncode != 0


def clang_tidy(root, build):
    tool = shutil.which("run-clang-tidy")
    if not tool:
        print("SKIPPED: run-clang-tidy is not installed")
        return False
    with open(build / "compile_commands.json", encoding="utf-8") as f:
        compiled = sorted({c["file"] for c in json.load(f)})
    ours = [f for f in compiled if f.startswith(str(root) + os.sep) and not f.startswith(str(build) + os.sep)
            and f.endswith(".cpp")]
    if not ours:
        print(f"{build}/compile_commands.json names no file of ours")
        return True
    pattern = "|".join(f"^{f}$" for f in ours)
    run = subprocess.run([tool, "-quiet", "-p", str(build), pattern], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, check=False)
    if run.returncode != 0:
        print("\n".join(line for line in run.stdout.splitlines() if "warnings generated" not in line))
    return run.returncode != 0


def clang(root, build, rooms):
    """Looks only: nothing is compiled."""
    tool = shutil.which("clang++-19")
    if not tool:
        print("SKIPPED: clang-19 is not installed")
        return False
    with open(build / "compile_commands.json", encoding="utf-8") as f:
        commands = {c["file"]: c for c in json.load(f)
                    if c["file"].startswith(tuple(f"{root / room}{os.sep}" for room in rooms)) and c["file"].endswith(".cpp")}
    if not commands:
        print(f"{build}/compile_commands.json names no file of {', '.join(rooms)}")
        return True

    def look(entry):
        words, kept = shlex.split(entry["command"]), [tool, "-fsyntax-only"]
        at = next(i for i, w in enumerate(words) if w.startswith("-"))
        while at < len(words):
            if words[at] in ("-o", "-MF", "-MT"):
                at += 1
            elif words[at] not in ("-c", "-MD") and not words[at].startswith(("-O", "-fno-tree", "-fprofile", "--coverage")):
                kept.append(words[at])
            at += 1
        # As for the preset: cmake/HypertorusBuild.cmake.
        kept += ["-Wno-deprecated-declarations", "-Wno-sign-conversion"]
        return subprocess.run(kept, cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    bad = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for run in pool.map(look, commands.values()):
            if run.returncode or run.stdout:
                bad += 1
                print(run.stdout)
    print(f"clang++-19: {len(commands)} files, {bad} with complaints")
    return bad > 0


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    root = pathlib.Path(sys.argv[2]).resolve()
    if sys.argv[1] == "spdx":
        return spdx(root)
    if sys.argv[1] == "names":
        return test_names(root)
    if sys.argv[1] == "columns":
        return verilog_columns(root)
    if sys.argv[1] == "modes":
        return modes(root)
    if sys.argv[1] == "format":
        return clang_format(root)
    if sys.argv[1] == "tidy" and len(sys.argv) == 4:
        return clang_tidy(root, pathlib.Path(sys.argv[3]).resolve())
    if sys.argv[1] == "clang" and len(sys.argv) > 4:
        return clang(root, pathlib.Path(sys.argv[3]).resolve(), sys.argv[4:])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
