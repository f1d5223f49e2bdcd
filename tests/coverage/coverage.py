#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tests execute, of the Verilog and of the C++.

    coverage.py [run] [--build DIR] [CTEST ARGUMENT...]   builds the preset `coverage`, runs the tests (without those
                                                        labelled nightly, unless told otherwise), then reports
    coverage.py report [--build DIR]                      of what has been counted so far
    coverage.py clear [--build DIR]                       forgets it

A table by folder: lines and branches of rtl, as Verilator counts them in all models that ran; states and transitions of
its state machines (states.py); lines of sw, sim and verif/model (gcov). DIR/coverage/index.html has it by file, with
what was not reached. Exit codes: 0; 1 less than LIMITS, a state or transition that is neither reached nor waived, one
that is waived and reached, or one that is not listed; 2 usage; otherwise what the build or ctest ended with.
"""
import argparse
import difflib
import collections
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import states

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMITS = {"rtl lines": 95, "rtl branches": 95, "states": 100, "C++ lines": 90}
CPP = ("sw", "sim", "verif/model")
FIELDS = 7  # of a line: sim/kernel/verilator_coverage.cpp
LOST = "counts_lost.txt"  # by gcov


def say(text):
    print(text, flush=True)


class Counts:
    """Of the Verilog: by file, `lines` and `branches` (kind, line, column): how often; `states` by point."""

    def __init__(self, build):
        self.lines = collections.defaultdict(lambda: collections.defaultdict(int))
        self.branches = collections.defaultdict(lambda: collections.defaultdict(int))
        self.states = collections.defaultdict(int)
        names = {}
        for file in (build / "states").glob("*.sv"):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if " // " in line and "cover property" in line:
                    names[file.name, number] = line.split(" // ", 1)[1]
        self.cut_off = 0
        for file in (build / "counts").glob("*.counts"):
            for line in file.read_text().splitlines(keepends=True):
                fields = line.rstrip("\n").split("\t")
                if len(fields) == FIELDS and line.endswith("\n"):
                    self.add(fields, names)
                else:   # its process was killed while it wrote
                    self.cut_off += 1

    def add(self, fields, names):
        count, file, line, column, page, comment, lines = fields
        kind = page.split("/")[0]
        if kind == "v_user":
            name = names.get((pathlib.Path(file).name, int(line)))
            if name is not None:
                self.states[name] += int(count)
            return
        path = pathlib.Path(file)
        if path.is_absolute():
            if not path.is_relative_to(ROOT):
                return
            path = path.relative_to(ROOT)
        if path.parts[0] != "rtl":
            return
        if kind == "v_branch":
            self.branches[str(path)][int(line), int(column), comment] += int(count)
        for part in filter(None, lines.split(",")):
            first, _, last = part.partition("-")
            for number in range(int(first), int(last or first) + 1):
                self.lines[str(path)][number] += int(count)


def share(reached, all_of_them):
    return 100.0 * reached / all_of_them if all_of_them else 100.0


def state_rows(counts):
    """(machine, points, reached, waived, faults)"""
    for m in states.machines():
        reached = waived = total = 0
        faults = []
        for point, _, to in states.points(m):
            count = counts.states.get(f"{states.name_of(m)}: {point}", 0)
            if to == ():
                if count:
                    faults.append(f"{point}: {count} times")
                continue
            total += 1
            if point in m["waive"]:
                waived += 1
                if count:
                    faults.append(f"{point}: waived, and reached {count} times")
            elif count:
                reached += 1
            else:
                faults.append(f"{point}: not reached")
        yield states.name_of(m), total, reached, waived, faults


def cpp_lines(build):
    """file -> {line: count}, by gcov, of what was run."""
    found = collections.defaultdict(lambda: collections.defaultdict(int))
    # those beside what the compiler wrote; tests/faults keeps counts of its own
    data = [f for f in build.rglob("*.gcda") if f.with_suffix(".gcno").exists()]
    for begin in range(0, len(data), 50):
        done = subprocess.run(["gcov", "--json-format", "--stdout", *map(str, data[begin:begin + 50])], cwd=build,
                              capture_output=True)
        if done.returncode != 0:
            sys.exit(f"coverage: gcov: {done.stderr.decode(errors='replace').strip().splitlines()[-1]}")
        for document in done.stdout.splitlines():
            for entry in json.loads(document)["files"]:
                path = pathlib.Path(os.path.normpath(build / entry["file"]))
                if not path.is_relative_to(ROOT):
                    continue
                name = str(path.relative_to(ROOT))
                if not name.startswith(tuple(f"{folder}/" for folder in CPP)):
                    continue
                for line in entry["lines"]:
                    found[name][line["line_number"]] += line["count"]
    return found


def folder_of(file):
    return str(pathlib.Path(file).parent)


def table(rows):
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        say("  ".join(str(cell).ljust(w) if i == 0 else str(cell).rjust(w) for i, (cell, w) in enumerate(zip(row, widths))))


def by_folder(files):
    """folder -> (reached, all) of {file: {place: count}}"""
    sums = collections.defaultdict(lambda: [0, 0])
    for file, places in files.items():
        sums[folder_of(file)][0] += sum(1 for count in places.values() if count)
        sums[folder_of(file)][1] += len(places)
    return sums


def percent(pair):
    return f"{share(*pair):.1f} %" if pair[1] else "-"


def page(build, counts, cpp, machine_rows):
    """HTML: by file, with the places that were not reached."""
    parts = ["<!doctype html><meta charset=utf-8><title>Coverage</title><style>body{font:14px sans-serif;max-width:70em;margin:2em auto}"
             "td,th{padding:2px 1em;text-align:right;vertical-align:top}td:first-child,td:last-child{text-align:left}</style><h1>Coverage</h1>"]
    parts.append("<h2>Verilog</h2><table><tr><th>file<th>lines<th>branches<th>not reached</tr>")
    for file in sorted(counts.lines):
        lines, branches = counts.lines[file], counts.branches[file]
        missing = [str(n) for n, count in sorted(lines.items()) if not count]
        missing += [f"{line} {comment}" for (line, _, comment), count in sorted(branches.items()) if not count]
        parts.append(f"<tr><td>{html.escape(file)}<td>{percent((sum(map(bool, lines.values())), len(lines)))}"
                     f"<td>{percent((sum(map(bool, branches.values())), len(branches)))}<td>{html.escape(', '.join(missing))}</tr>")
    parts.append("</table><h2>States</h2><table><tr><th>machine<th>points<th>reached<th>waived<th>to be looked at</tr>")
    for name, total, reached, waived, faults in machine_rows:
        parts.append(f"<tr><td>{html.escape(name)}<td>{total}<td>{reached}<td>{waived}<td>{html.escape('; '.join(faults))}</tr>")
    parts.append("</table><h2>C++</h2><table><tr><th>file<th>lines<th>not reached</tr>")
    for file in sorted(cpp):
        lines = cpp[file]
        missing = ", ".join(str(n) for n, count in sorted(lines.items()) if not count)
        parts.append(f"<tr><td>{html.escape(file)}<td>{percent((sum(map(bool, lines.values())), len(lines)))}<td>{missing}</tr>")
    folder = build / "coverage"
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text("\n".join(parts) + "</table>\n")
    return folder / "index.html"


def report(build):
    if not (build / "counts").is_dir():
        sys.exit(f"coverage.py: nothing has been counted in {build}: coverage.py run")
    counts = Counts(build)
    cpp = cpp_lines(build)
    machine_rows = list(state_rows(counts))
    lines, branches, cpp_sums = by_folder(counts.lines), by_folder(counts.branches), by_folder(cpp)
    rows = [("folder", "lines", "", "branches", "")]
    for folder in sorted({*lines, *cpp_sums}):
        pair, other = lines.get(folder) or cpp_sums[folder], branches.get(folder, (0, 0))
        rows.append((folder, percent(pair), f"of {pair[1]}", percent(other), f"of {other[1]}" if other[1] else ""))
    table(rows)
    say("")
    faults = 0
    for name, _, _, _, wrong in machine_rows:
        for fault in wrong:
            say(f"{name}: {fault}")
            faults += 1
    points = [sum(row[i] for row in machine_rows) for i in (1, 2, 3)]

    def total(sums):
        return [sum(pair[i] for pair in sums.values()) for i in (0, 1)]
    results = {"rtl lines": total(lines), "rtl branches": total(branches),
               "states": [points[1], points[0] - points[2]], "C++ lines": total(cpp_sums)}
    low = [what for what, pair in results.items() if share(*pair) < LIMITS[what]]
    for what, pair in results.items():
        say(f"{what:13} {share(*pair):5.1f} % of {pair[1]:6}, {LIMITS[what]} % wanted{'  TOO LITTLE' if what in low else ''}")
    say(f"{points[2]} of {points[0]} states and transitions are waived; {faults} to be looked at")
    if counts.cut_off:
        say(f"{counts.cut_off} lines of counts of the Verilog were cut off, and what their processes had to say after them is missing here")
    lost = (build / LOST).read_text().splitlines() if (build / LOST).exists() else []
    if lost:
        say(f"{len(lost)} times counts of a C++ file could not be added, and are missing here: {build / LOST}")
    say(f"by file: {page(build, counts, cpp, machine_rows)}")
    return 1 if low or faults else 0


def run(build, arguments):
    for command in (["cmake", "--preset", "coverage"], ["cmake", "--build", "--preset", "coverage"]):
        say(" ".join(command))
        done = subprocess.run(command, cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
    (build / "counts").mkdir(exist_ok=True)
    ctest = ["ctest", "--test-dir", str(build), *(arguments or ["-LE", "nightly"])]
    say(" ".join(ctest))
    # A process that cannot add its counts would say so among what a test reads.
    counting = {"HYPERTORUS_COVERAGE_DIR": str(build / "counts"), "GCOV_ERROR_FILE": str(build / LOST)}
    done = subprocess.run(ctest, env={**os.environ, **counting}, check=False)
    return report(build) or done.returncode


def unknown_to_ctest(words):
    """What is wrong with the first long option that ctest does not have; empty if all are its own. It would ignore them."""
    known = re.findall(r"--[a-z][a-z-]*", subprocess.run(["ctest", "--help"], capture_output=True, text=True, check=False).stdout)
    for option in (word.split("=")[0] for word in words if word.startswith("--")):
        if known and option not in known:
            near = difflib.get_close_matches(option, [*known, "--build"], 1)
            return f"{option}: neither coverage nor ctest has this option; " + (f"did you mean {near[0]}?" if near else "see --help and ctest --help")
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "coverage")
    words = sys.argv[1:]
    what = words.pop(0) if words and words[0] in ("run", "report", "clear") else "run"
    arguments, more = parser.parse_known_args(words)
    build = arguments.build.resolve()
    if what == "run":
        if wrong := unknown_to_ctest(more):
            parser.error(wrong)
        return run(build, more)
    if more:
        parser.error(f"{more[0]} means nothing here")
    if what == "clear":
        shutil.rmtree(build / "counts", ignore_errors=True)
        (build / LOST).unlink(missing_ok=True)
        for file in build.rglob("*.gcda"):
            file.unlink()
        return 0
    return report(build)


if __name__ == "__main__":
    sys.exit(main())
