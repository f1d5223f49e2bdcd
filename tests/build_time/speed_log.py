#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed over time: a file to which measurements are added by commit, and a plot of it.

    speed_log.py add LOG BENCH.json [ID...]    rows of `hypertorus bench sim --json BENCH.json`; without IDs all of them
    speed_log.py plot LOG FILE.svg             a panel a unit, a line an id, commits from left to right (gnuplot)

A line of LOG: the commit's time (seconds since 1970), its hash ("+" behind it: the tree had changes), id, value and unit,
with tabs in between. build_time.py --append LOG adds minutes of a build. Times depend on the computer: one LOG a computer.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"speed_log.py: {' '.join(words)}: measurements are kept by commit, and git knows none here")
    return done.stdout.strip()


def commit():
    time, name = git("log", "-1", "--format=%ct %h").split()
    return time, name + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def append(log, rows):
    """rows: (id, value, unit)"""
    time, name = commit()
    with open(log, "a", encoding="utf-8") as out:
        for key, value, unit in rows:
            out.write(f"{time}\t{name}\t{key}\t{value:.10g}\t{unit}\n")


def read(log):
    entries = []
    for number, line in enumerate(pathlib.Path(log).read_text(encoding="utf-8").splitlines(), 1):
        try:
            time, name, key, value, unit = line.split("\t")
            entries.append((int(time), name, key, float(value), unit))
        except ValueError:
            sys.exit(f"speed_log.py: {log}, line {number}: not time, commit, id, value, unit with tabs in between")
    if not entries:
        sys.exit(f"speed_log.py: {log} is empty: add a measurement first")
    return entries


def script(entries, picture):
    """What gnuplot is to do, with the data in it. Commits are evenly spaced, in order of their times."""
    commits = sorted({(time, name) for time, name, *_ in entries})
    place = {c: i for i, c in enumerate(commits)}
    units = sorted({e[4] for e in entries})
    ticks = ", ".join(f'"{name}" {i}' for i, (_, name) in enumerate(commits))
    text = [f"set terminal svg size 900,{40 + 320 * len(units)} background rgb 'white'", f"set output '{picture}'",
            f"set multiplot layout {len(units)},1", "set key outside right noenhanced", f"set xtics ({ticks}) rotate by 45 right",
            f"set xrange [-0.5:{len(commits) - 0.5}]", "set yrange [0:*]", "set grid"]
    for n, unit in enumerate(units):
        keys = sorted({e[2] for e in entries if e[4] == unit})
        for k, key in enumerate(keys):
            points = sorted((place[e[0], e[1]], e[3]) for e in entries if e[2] == key and e[4] == unit)
            text.append(f"$data_{n}_{k} << END\n" + "\n".join(f"{x} {y:.10g}" for x, y in points) + "\nEND")
        text.append(f"set ylabel '{unit}' noenhanced")
        text.append("plot " + ", ".join(f"$data_{n}_{k} using 1:2 with linespoints pointtype 7 title '{key}'" for k, key in enumerate(keys)))
    return "\n".join(text) + "\nunset multiplot\n"


def plot(log, picture):
    with tempfile.NamedTemporaryFile("w", suffix=".gnuplot", encoding="utf-8") as file:
        file.write(script(read(log), picture))
        file.flush()
        try:
            done = subprocess.run(["gnuplot", file.name], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            sys.exit("speed_log.py: gnuplot is missing; install gnuplot-nox")
    if done.returncode != 0:
        sys.exit(f"speed_log.py: gnuplot: {done.stderr}")


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == "add":
        rows = json.loads(pathlib.Path(sys.argv[3]).read_text(encoding="utf-8")).get("rows", [])
        wanted = sys.argv[4:]
        rows = [(r["id"], r["value"], r["unit"]) for r in rows if not wanted or r["id"] in wanted]
        missing = set(wanted) - {r[0] for r in rows}
        if missing or not rows:
            sys.exit(f"speed_log.py: {sys.argv[3]} has no row {', '.join(sorted(missing)) or 'at all'}")
        append(sys.argv[2], rows)
    elif len(sys.argv) == 4 and sys.argv[1] == "plot":
        plot(sys.argv[2], sys.argv[3])
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
