#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that only a machine's own folders know its name.

    check_machines.py ROOT           a line for each place that names a machine and should not; 1 if there is one
    check_machines.py ROOT --list    files only, and how often

The machines are those of set(HYPERTORUS_MACHINES ...) in ROOT/CMakeLists.txt. Machine X has the folders rtl/X, sw/X,
sim/X, tests/X, fpga/X and verif/*/X; elsewhere its name, in any case and as a part of other names too, must stand
neither in a file nor in a file's path. The same goes for what machines call their parts (PARTS). Pages (*.md, docs/)
may say what they like; for other exceptions see below.
"""
import collections
import fnmatch
import os
import pathlib
import re
import sys

# Names of parts of machines that are as telling as the machine's.
PARTS = {"qpace": ["nwp"], "qcdoc": ["scu"]}

# (files, why they may). One that nothing matches any more is an error.
EXCEPTIONS = [
    ("CMakeLists.txt", "the one list of machines"),
    ("tests/lint/check_machines.py", "this table"),
    ("CITATION.cff", "a page: what this is, for who cites it"),
    (".clang-tidy", "names of a published API that the naming rules leave alone"),
    ("tests/cli/*", "tests of the program as a whole run all machines"),
    ("tests/faults/*", "tests of the program as a whole run campaigns of one machine"),
    ("tests/behaviour/*", "tests of the program as a whole run all machines"),
    ("tests/mutants/*", "faults are put into all machines"),
    ("tests/machine/*_test.cpp", "what holds for all machines alike is tested on all"),
    ("tests/*/cli/*", "the same job on two machines: the same bits"),
    ("tests/records/*", "results of all machines' tests and proofs"),
    ("tests/programs/*", "random programs are run on all machines"),
    ("tests/cable/*", "cables are tested with the line code of one machine"),
    ("tests/kernel/*", "the kernel is tested with the cables of one machine"),
    ("fpga/hx8k/*", "a board, for one machine's links"),
    ("fpga/hx8k_qpace/*", "a board, for one machine's link"),
    ("fpga/ulx3s/*", "a board, for one machine's links"),
    ("fpga/ulx3s_qpace/*", "a board, with one machine's node"),
    ("fpga/ecpix5/*", "a board, with one machine's node"),
    ("fpga/kcu105/*", "a board, with one machine's node"),
    ("fpga/pynq_z2/*", "a board, with one machine's node"),
    ("tests/fpga/*", "boards, each with what it was built for"),
    ("sim/board/*", "boards, each with what it was built for"),
    ("examples/*.c", "lessons in a machine's own functions"),
    ("examples/outside/qdpxx/*", "an option that its messages need on one machine"),
    ("examples/outside/qws/*", "a program with a part for one machine, and what it calls"),
    ("examples/outside/utf/*", "a library for one machine, and what it calls"),
]

# Papers, as docs/references.md names them, are no machines.
CITATION = re.compile(r"\[[A-Za-z]+(?:19|20)\d\d[a-z]*\]")
OUR_FOLDERS = re.compile(r"(?:rtl|sw|sim|tests|fpga|verif/[^/]+)/([^/]+)/")


def machines(root):
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^\s*set\(HYPERTORUS_MACHINES ([^)]*)\)", text, flags=re.MULTILINE)
    if not found:
        sys.exit(f"{root}/CMakeLists.txt has no line set(HYPERTORUS_MACHINES ...)")
    return found[1].split()


def pattern(names):
    """Of names of machines, and of their parts as words: nwp, NWP, nwp_node and NwpNode, but not unwprocessed."""
    parts = [part for name in names for part in PARTS.get(name, [])]
    either = ["(?i:" + "|".join(map(re.escape, names)) + ")"]
    if parts:
        lower = "|".join(parts + [p.upper() for p in parts])
        capital = "|".join(p.capitalize() for p in parts)
        either += [rf"(?<![A-Za-z])(?:{lower})(?![A-Za-z])", rf"(?:{capital})(?![a-z])"]
    return re.compile("|".join(either))


def files(root):
    """Text files of the tree; build trees and what is hidden, but for the settings of tools, are left out."""
    paths = []
    # Not looked into at all: other tests make and remove files in the build tree meanwhile.
    for folder, folders, names in os.walk(root):
        top = pathlib.Path(folder) == root
        folders[:] = [f for f in folders if f != "__pycache__" and not (top and f in (".git", "build"))]
        paths += [path for name in names if (path := pathlib.Path(folder) / name).is_file()]
    for path in sorted(paths):
        try:
            yield path.relative_to(root).as_posix(), CITATION.sub("[]", path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue


def foreign(path, names):
    """The machines a file must not name."""
    inside = OUR_FOLDERS.match(path)
    return [name for name in names if not inside or inside[1] != name]


def main(arguments):
    if not arguments or arguments[1:] not in ([], ["--list"]):
        sys.exit(__doc__)
    root = pathlib.Path(arguments[0]).resolve()
    names = machines(root)
    of = {path_names: pattern(path_names) for path_names in
          {tuple(n for n in names if n != own) for own in (*names, None)} if path_names}
    used, bad = set(), collections.Counter()
    for path, text in files(root):
        if path.endswith(".md") or path.startswith("docs/"):
            continue
        word = of.get(tuple(foreign(path, names)))
        if word is None or not (word.search(path) or word.search(text)):
            continue
        excepted = [glob for glob, _ in EXCEPTIONS if fnmatch.fnmatchcase(path, glob)]
        used.update(excepted)
        if excepted:
            continue
        if word.search(path):
            bad[path] += 1
            print(f"{path}: a machine's name in the path of a file that is not in its folder")
        for number, line in enumerate(text.splitlines(), 1):
            if word.search(line):
                bad[path] += 1
                if "--list" not in arguments:
                    print(f"{path}:{number}: {line.strip()[:120]}")
    if "--list" in arguments:
        for path, count in sorted(bad.items()):
            print(f"{count:5} {path}")
    for glob, reason in EXCEPTIONS:
        if glob not in used:
            bad[glob] += 1
            print(f"tests/lint/check_machines.py: nothing needs the exception of {glob} ({reason})")
    if bad:
        print(f"{sum(bad.values())} places in {len(bad)} files name a machine outside its folders. The remedy: move what is the machine's "
              "into its folder and reach it by an interface, or say in EXCEPTIONS why it may stay.")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
