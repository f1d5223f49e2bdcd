#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that a change of the sources left the program's behaviour alone: runs five jobs before and after it, and
compares what they wrote.

    compare_jobs.py record PROGRAM DIR       runs the jobs with PROGRAM (build/release/bin/hypertorus) in DIR
    compare_jobs.py compare BEFORE AFTER [--renames FILE]

A job's results are its exit code, its output, its JSON and the waves of one node over a microsecond, as VCD text.
They must be equal but for what this computer measured of itself (WALL_CLOCK, and the same figures in the output), the
header of a VCD file, and names that FILE says were changed on purpose. FILE has three columns with tabs between them,
'#' begins a comment:

    signal  OLD  NEW     a signal in the waves; with dots, as in link.reg_req, in such a scope only
    scope   OLD  NEW     an instance in the waves
    json    OLD  NEW     a key; OLD is - for one that may be missing before, NEW for one that may be missing after
    text    OLD  NEW     words of the output, or of a text in JSON

Exit 0: equal; 1: different, with the first difference of each job; 2: it could not be recorded or read.
"""
import argparse
import difflib
import json
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TRACE = ["--trace", "waves", "--trace-nodes", "0", "--trace-from", "20us", "--trace-to", "21us"]
# The arguments after PROGRAM. One thread: threads change no result, but "threads" is among the options in JSON.
JOBS = {
    "run-qpace": ["run", "--threads", "1", *TRACE],
    "run-qcdoc": ["run", "qcdoc", "--nodes", "2x2", "--lattice", "4x4x2x2", "--tolerance", "1e-1", "--lost", "1",
                  "--doubled", "1", "--stuck", "1", "--threads", "1", *TRACE],
    "run-tofu": ["run", "tofu", "--nodes", "2", "--lattice", "4x2x2x2", "--tolerance", "1e-3", "--ber", "1e-5", "--lost", "2",
                 "--doubled", "2", "--stuck", "2", "--pulled", "1", "--error-span", "60us", "--threads", "1", *TRACE],
    "inject-qpace": ["inject", "qpace", "--runs", "50", "--threads", "1"],
    "exec": ["exec", "qpace", "--nodes", "2x2x2", "--threads", "1"],
}
EXAMPLE = ["halo_exchange", "4", "4", "4", "4"]  # of examples/, for exec
# What JSON says of this computer's time: keys of the outermost object.
WALL_CLOCK = {"wall_seconds", "seconds"}
# The same in the output, and what stands for it in a comparison.
WALL_CLOCK_TEXT = [(r"[\d.e+]+ s here on", "S s here on"), (r"runs in [\d.e+]+ s, [\d.e+]+ runs/s", "runs in S s, R runs/s")]
KINDS = ("signal", "scope", "json", "text")


class Unusable(Exception):
    """Something could not be recorded or read."""


def run(arguments, folder, timeout=600):
    try:
        return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=timeout, check=False)
    except OSError as e:
        raise Unusable(f"{arguments[0]}: {e.strerror}") from e
    except subprocess.TimeoutExpired as e:
        raise Unusable(f"{' '.join(arguments)}: not done after {timeout} s") from e


def record(program, folder):
    program = program.resolve()
    fst2vcd = shutil.which("fst2vcd")
    if not fst2vcd:
        print("SKIPPED: waves: there is no fst2vcd on the PATH (Debian: apt-get install gtkwave)")
    for name, arguments in JOBS.items():
        at = folder / name
        if at.exists():
            shutil.rmtree(at)
        at.mkdir(parents=True)
        if name == "exec":
            compiler = str(program.parent / "hypertorus-cc")
            source = str(SOURCE / "examples" / f"{EXAMPLE[0]}.c")
            built = run([compiler, "-O2", "-o", EXAMPLE[0], source], at)
            if built.returncode != 0:
                raise Unusable(f"{compiler} {source}: exit {built.returncode}\n{built.stderr}")
            arguments = [*arguments, "--json", "result.json", "--", f"./{EXAMPLE[0]}", *EXAMPLE[1:]]
        else:
            arguments = [*arguments, "--json", "result.json"]
        done = run([str(program), *arguments], at)
        (at / "exit").write_text(f"{done.returncode}\n")
        (at / "output").write_text(done.stdout)
        (at / "messages").write_text(done.stderr)  # progress lines too, so that they are not compared
        (at / "command").write_text(" ".join(["hypertorus", *arguments]) + "\n")
        if done.returncode != 0:
            raise Unusable(f"{name}: {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
        for wave in at.glob("*.fst"):
            if fst2vcd:
                vcd = run([fst2vcd, wave.name, "-o", wave.with_suffix(".vcd").name], at)
                if vcd.returncode != 0:
                    raise Unusable(f"fst2vcd {wave}: exit {vcd.returncode}\n{vcd.stderr}")
            wave.unlink()
        print(f"{name}: {', '.join(sorted(p.name for p in at.iterdir() if p.suffix in ('.json', '.vcd')))}")


class Renames:
    def __init__(self, path=None):
        self.pairs = {kind: [] for kind in KINDS}
        for number, line in enumerate(path.read_text().splitlines() if path else [], 1):
            line = line.split("#")[0].rstrip()
            if not line:
                continue
            columns = [c.strip() for c in line.split("\t") if c.strip()]
            if len(columns) != 3 or columns[0] not in KINDS:
                raise Unusable(f"{path}:{number}: '{line}': a line is one of {', '.join(KINDS)}, the old name and the new "
                               "one, with tabs between them")
            self.pairs[columns[0]].append((columns[1], columns[2]))

    def key(self, key):
        new = dict(self.pairs["json"]).get(key, key)
        return key if new == "-" else new

    def is_new(self, key):
        return ("-", key) in self.pairs["json"]

    def is_gone(self, key):
        return (key, "-") in self.pairs["json"]

    def text(self, text):
        for old, new in self.pairs["text"]:
            text = text.replace(old, new)
        return text

    def signal(self, path):
        """A tuple of scopes and the signal's name. Rows with dots come first: they say more."""
        for old, new in sorted(self.pairs["signal"], key=lambda pair: -pair[0].count(".")):
            was = tuple(old.split("."))
            if path[-len(was):] == was:
                path = (*path[:-1], new.split(".")[-1])
                break
        scopes = dict(self.pairs["scope"])
        return (*(scopes.get(s, s) for s in path[:-1]), path[-1])


def without(value, other, may_lack):
    """`value` without the keys that `other` lacks and may lack."""
    if isinstance(value, dict) and isinstance(other, dict):
        return {k: without(v, other.get(k), may_lack) for k, v in value.items() if k in other or not may_lack(k)}
    if isinstance(value, list) and isinstance(other, list):
        return [without(x, y, may_lack) for x, y in zip(value, other)] + value[len(other):]
    return value


def json_differences(a, b, path=""):
    if type(a) is not type(b):
        yield f"{path}: {json.dumps(a)} before, {json.dumps(b)} after"
    elif isinstance(a, dict):
        for key in a:
            if key not in b:
                yield f"{path}.{key}: there before, not after"
        for key in b:
            if key not in a:
                yield f"{path}.{key}: there after, not before"
            else:
                yield from json_differences(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list):
        if len(a) != len(b):
            yield f"{path}: {len(a)} elements before, {len(b)} after"
        for i, (x, y) in enumerate(zip(a, b)):
            yield from json_differences(x, y, f"{path}[{i}]")
    elif a != b:
        yield f"{path}: {json.dumps(a)} before, {json.dumps(b)} after"


def renamed_json(value, renames):
    if isinstance(value, dict):
        renamed = {renames.key(k): renamed_json(v, renames) for k, v in value.items()}
        if len(renamed) != len(value):
            raise Unusable(f"JSON: two of the keys {', '.join(value)} are the same, once they are renamed")
        return renamed
    if isinstance(value, list):
        return [renamed_json(v, renames) for v in value]
    return renames.text(value) if isinstance(value, str) else value


def read_json(path, renames):
    try:
        value = json.loads(path.read_text())
    except ValueError as e:
        raise Unusable(f"{path}: {e}") from e
    return renamed_json({k: None if k in WALL_CLOCK else v for k, v in value.items()}, renames)


def read_vcd(path, renames):
    """{name: (what it is, [(time, value)])}, whatever the order of declarations."""
    names, changes, scope, time, timescale = {}, {}, [], 0, ""
    lines = iter(path.read_text().splitlines())
    for line in lines:
        words = line.split()
        if line.startswith("$scope"):
            scope.append(words[2])
        elif line.startswith("$upscope"):
            scope.pop()
        elif line.startswith("$var"):
            names.setdefault(words[3], []).append((renames.signal((*scope, words[4])), " ".join([words[1], words[2], *words[5:-1]])))
            changes[words[3]] = []
        elif line.startswith("$timescale"):
            timescale = next(lines).strip()
        elif line.startswith("$enddefinitions"):
            break
    for line in lines:
        if line[:1] == "#":
            time = int(line[1:])
        elif line[:1] in "01xzXZ":
            changes[line[1:].strip()].append((time, line[0]))
        elif line[:1] in "bBrRsS":
            value, _, code = line.partition(" ")
            changes[code.strip()].append((time, value))
    signals = {"timescale": (timescale, [])}
    for code, found in names.items():
        for name, sort in found:
            name = ".".join(name)
            if name in signals:
                raise Unusable(f"{path}: two signals are called {name}, once they are renamed")
            signals[name] = (sort, changes[code])
    return signals


def vcd_differences(a, b):
    for name in sorted(a.keys() - b.keys()):
        yield f"signal {name}: there before, not after"
    for name in sorted(b.keys() - a.keys()):
        yield f"signal {name}: there after, not before"
    found = []
    for name in a.keys() & b.keys():
        (sort_a, changes_a), (sort_b, changes_b) = a[name], b[name]
        if sort_a != sort_b:
            found.append((-1, f"signal {name}: {sort_a} before, {sort_b} after"))
        elif changes_a != changes_b:
            # The first change that only one of them has.
            at = next((i for i, (x, y) in enumerate(zip(changes_a, changes_b)) if x != y), min(len(changes_a), len(changes_b)))
            texts = [f"{c[at][1]} at {c[at][0]} ps" if at < len(c) else "no more changes" for c in (changes_a, changes_b)]
            found.append((min(c[at][0] for c in (changes_a, changes_b) if at < len(c)),
                          f"signal {name}: {texts[0]} before, {texts[1]} after"))
    for _, text in sorted(found):
        yield text


def text_differences(a, b):
    for line in difflib.unified_diff(a.splitlines(), b.splitlines(), "before", "after", lineterm="", n=0):
        if line[:1] in "+-" and line[:3] not in ("+++", "---"):
            yield f"'{line[1:]}' only {'before' if line[0] == '-' else 'after'}"


def read_output(path, renames):
    text = renames.text(path.read_text())
    for pattern, stand_in in WALL_CLOCK_TEXT:
        text = re.sub(pattern, stand_in, text)
    return text


def compare(before, after, renames):
    readers = {".json": (read_json, json_differences), ".vcd": (read_vcd, vcd_differences)}
    equal = True
    for job in JOBS:
        for folder in (before, after):
            if not (folder / job).is_dir():
                raise Unusable(f"{folder / job}: not there; 'compare_jobs.py record PROGRAM {folder}' makes it")
        files = sorted({p.name for f in (before, after) for p in (f / job).iterdir()
                        if p.suffix in readers or p.name in ("output", "exit", "command")})
        if not any(f.endswith(".vcd") for f in files) and "--trace" in JOBS[job]:
            print(f"SKIPPED: {job}: waves: neither side was recorded with fst2vcd")
        same = True
        for file in files:
            paths = [folder / job / file for folder in (before, after)]
            missing = [p for p in paths if not p.exists()]
            if missing:
                same = False
                print(f"{job}: {missing[0]} is missing")
                continue
            read, differences = readers.get(paths[0].suffix, (read_output, text_differences))
            values = [read(p, renames) for p in paths]
            if paths[0].suffix == ".json":
                values = [without(values[0], values[1], renames.is_gone), without(values[1], values[0], renames.is_new)]
            found = list(differences(*values))
            if found:
                same = False
                more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
                print(f"{job}: {file}: {found[0]}{more}")
        if same:
            print(f"{job}: equal: {', '.join(files)}")
        equal = equal and same
    return equal


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run the jobs")
    recording.add_argument("program", type=pathlib.Path, metavar="PROGRAM")
    recording.add_argument("folder", type=pathlib.Path, metavar="DIR")
    comparing = commands.add_parser("compare", help="compare two recordings")
    comparing.add_argument("before", type=pathlib.Path, metavar="BEFORE")
    comparing.add_argument("after", type=pathlib.Path, metavar="AFTER")
    comparing.add_argument("--renames", type=pathlib.Path, metavar="FILE")
    a = parser.parse_args()
    try:
        if a.command == "record":
            record(a.program, a.folder)
            return 0
        return 0 if compare(a.before, a.after, Renames(a.renames)) else 1
    except (Unusable, OSError) as e:
        print(f"compare_jobs.py: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
