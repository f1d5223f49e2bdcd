#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reference.md has every exit code that the launcher's usage or sim/cli/README.md has, and every variable that is read
from the environment.

    reference_test.py ROOT
"""
import pathlib
import re
import sys

# What tests give to what they start; nobody sets it by hand.
OF_TESTS = re.compile(r"HYPERTORUS_(FAULT_\w+|REACHED|COVERAGE_DIR)")
READ = re.compile(r'getenv\("(\w+)"\)|environ\.get\("(\w+)"|\$\{(\w+):-|const char\* name = "(\w+)="')
SUFFIXES = (".c", ".cpp", ".hpp", ".py", ".in")


def numbers(text):
    return {int(n) for n in re.findall(r"\d+", text)}


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    page = (root / "docs" / "reference.md").read_text()
    codes = page.split("## Exit codes\n")[1].split("\n## ")[0]
    have = numbers(" ".join(re.findall(r"^\| ([\d, ]+) \|", codes, re.M))) | numbers(re.sub(r"^\|.*\n", "", codes, flags=re.M))
    usage = re.search(r"^Exit codes: (.*?)^USAGE$", (root / "hypertorus").read_text(), re.M | re.S)[1]
    readme = (root / "sim" / "cli" / "README.md").read_text().split("## Exit codes\n")[1].split("\n## ")[0]
    wanted = numbers(usage) | numbers(" ".join(re.findall(r"^\| (\d+) \|", readme, re.M)))
    faults = [f"exit code {code} is not in its table" for code in sorted(wanted - have)]

    variables = {}
    for file in [root / "hypertorus", *(f for part in ("sim", "sw", "tests", "examples") for f in sorted((root / part).rglob("*")))]:
        if file.is_file() and (file.suffix in SUFFIXES or file.name == "hypertorus"):
            for found in READ.findall(file.read_text(encoding="utf-8")):
                variables.setdefault("".join(found), file.relative_to(root))
    ours = {name: file for name, file in variables.items()
            if name.startswith(("HYPERTORUS", "XDG_")) and not OF_TESTS.fullmatch(name)}
    faults += [f"{name}, which {file} reads, is not in its table" for name, file in ours.items()
               if not re.search(rf"^\| [^|]*`{name}`[^|]* \|", page, re.M)]
    print("\n".join(f"docs/reference.md: {fault}" for fault in faults)
          or f"{len(wanted)} exit codes and {len(ours)} variables are in it")
    return 1 if faults or len(wanted) < 10 or len(ours) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
