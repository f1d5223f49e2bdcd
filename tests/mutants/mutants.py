#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the code on purpose, one seeded fault at a time, and looks whether the tests notice.

The faults are in the *.toml files beside this script. Each is put into a scratch copy of the tree,
what its tests need is built there, and the tests named are run: every one of them must fail.
Not caught are faults whose tests pass, that do not build, or whose tests run out of time.

    mutants.py rtl MACHINE TABLE    draws them at random in a machine's Verilog instead; see its --help
"""
import argparse
import contextlib
import fcntl
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = Path("build/release")  # in a copy; the preset's place, so that ccache knows the files


class Trouble(Exception):
    """The run cannot go on; not a verdict about a mutant."""


@dataclass
class Mutant:
    name: str
    what: str
    room: str
    edits: list  # of (file, old text, new text)
    tests: list  # names as ctest has them: "program: case"

    @property
    def programs(self):
        """What is to be built: a test in Python is of the program itself."""
        named = {t.split(": ", 1)[0] for t in self.tests}
        return sorted(n if n.startswith(("test_", "fuzz_")) else "hypertorus_all" for n in named)


@dataclass
class Result:
    mutant: Mutant
    verdict: str  # "caught", or what went wrong
    seconds: float


# ---- the list --------------------------------------------------------------------------------
def load(files):
    mutants = []
    for file in files:
        for entry in tomllib.loads(file.read_text())["mutant"]:
            known = {"name", "what", "file", "old", "new", "edits", "tests"}
            if entry.keys() - known or not {"name", "what", "tests"} <= entry.keys():
                raise Trouble(f"{file.name}: {entry.get('name')}: keys {sorted(entry)}")
            edits = [(e["file"], e["old"], e["new"]) for e in entry.get("edits", [entry])]
            room = str(Path(edits[0][0]).parent)
            mutants.append(Mutant(entry["name"], entry["what"], room, edits, entry["tests"]))
    names = [m.name for m in mutants]
    for name in names:
        if names.count(name) > 1:
            raise Trouble(f"two mutants are called {name}")
    return mutants


def of_catch(name):
    """What ctest calls it if it is a case of a Catch2 program."""
    return name.replace(": ", ":", 1)


def shard(text):
    """(I, N) of I/N."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise Trouble(f"--shard {text}: write I/N, as in 2/4 for the second of four parts")
    return int(found[1]), int(found[2])


def mutated(root, mutant):
    """The contents of the mutant's files: {path: (as they are, broken)}."""
    contents = {}
    for file, old, new in mutant.edits:
        path = root / file
        if not path.is_file():
            raise Trouble(f"{mutant.name}: there is no {file} any more")
        before, after = contents.get(path) or (path.read_text(), path.read_text())
        if after.count(old) != 1:
            raise Trouble(f"{mutant.name}: {file} holds its text {after.count(old)} times, not "
                          f"once; follow the change in tests/mutants/*.toml:\n{old}")
        if old == new:
            raise Trouble(f"{mutant.name}: changes nothing")
        contents[path] = (before, after.replace(old, new))
    return contents


def tests_of(build, *options):
    """What ctest knows there, as it writes it in JSON."""
    done = subprocess.run(["ctest", "--show-only=json-v1", *options], cwd=build, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(f"ctest lists no tests in {build}:\n{done.stderr[-1000:]}")
    return json.loads(done.stdout)["tests"]


def check_names(mutants, build):
    """A test that nobody knows would not pass, and count as one that notices."""
    known = {test["name"] for test in tests_of(build)}
    wrong = [f"{m.name}: there is no test {name}" for m in mutants for name in m.tests
             if name not in known and of_catch(name) not in known]
    if wrong:
        raise Trouble("\n".join(wrong))


# ---- processes -------------------------------------------------------------------------------
running = set()
stopping = threading.Event()


def run(command, cwd, timeout=None):
    """Exit code, or None out of time; and the output."""
    if stopping.is_set():
        raise Trouble("interrupted")
    with subprocess.Popen([str(c) for c in command], cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True) as process:
        running.add(process)
        try:
            output = process.communicate(timeout=timeout)[0]
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]
        except KeyboardInterrupt:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            running.discard(process)


def stop():
    """Ends what run() runs, and lets it run nothing more."""
    stopping.set()
    for process in list(running):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


# ---- a scratch copy --------------------------------------------------------------------------
def sources():
    """All files of the tree, relative; of a git tree those that git knows or would add."""
    if (ROOT / ".git").exists():
        code, listed = run(["git", "ls-files", "-z", "-co", "--exclude-standard"], ROOT)
        if code == 0:
            return [Path(f) for f in listed.split("\0") if f and (ROOT / f).is_file()]
    return [f.relative_to(ROOT) for f in ROOT.rglob("*")
            if f.is_file() and f.relative_to(ROOT).parts[0] not in ("build", ".git")]


class Copy:
    def __init__(self, tree, ninja_jobs):
        self.tree, self.ninja_jobs = tree, ninja_jobs

    def refresh(self, instead=None):
        """Makes the copy equal to the tree, but for {file: its text} that are to be there instead; what is equal keeps its
        time, and is not built again."""
        instead = {Path(file): text.encode() for file, text in (instead or {}).items()}
        files = set(sources()) | instead.keys()
        for file in files:
            to, content = self.tree / file, instead[file] if file in instead else (ROOT / file).read_bytes()
            if not to.is_file() or to.read_bytes() != content:
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(content)
                if (ROOT / file).is_file():
                    shutil.copymode(ROOT / file, to)
        gone = [f for f in self.tree.rglob("*") if f.relative_to(self.tree).parts[0] != "build"
                and f.is_file() and f.relative_to(self.tree) not in files]
        if gone:  # CMake lists them anew; Ninja would stop at a Verilog file that it misses
            (self.tree / BUILD / "build.ninja").unlink(missing_ok=True)
        for file in gone:
            file.unlink()
        if not (self.tree / BUILD / "build.ninja").exists():
            code, output = run(["cmake", "--preset", "release"], self.tree)
            if code != 0:
                raise Trouble(f"CMake failed in {self.tree}:\n{output[-2000:]}")

    def build(self, programs):
        return run(["ninja", "-C", self.tree / BUILD, "-j", self.ninja_jobs, *programs], self.tree)

    def test(self, name, timeout):
        """'passed', 'failed' or 'out of time', and the output."""
        names = "|".join(re.escape(n) for n in (name, of_catch(name)))
        words = ["ctest", "--test-dir", self.tree / BUILD, "--no-tests=error", "-V", "-R", f"^({names})$"]
        code, output = run(words, self.tree, timeout)
        if code == 0 and "(Skipped)" in output:
            return "skipped", output
        return {0: "passed", None: "out of time"}.get(code, "failed"), output

    def check_unbroken(self, mutants, timeout):
        programs = sorted({p for m in mutants for p in m.programs})
        code, output = self.build(programs)
        if code != 0:
            raise Trouble(f"the unbroken tree does not build:\n{output[-3000:]}")
        for name in sorted({t for m in mutants for t in m.tests}):
            verdict, output = self.test(name, timeout)
            if verdict != "passed":
                raise Trouble(f"{name}: {verdict} on the unbroken tree:\n{output[-3000:]}")

    def judge(self, mutant, timeout, verbose):
        begin = time.monotonic()
        contents = mutated(self.tree, mutant)
        try:
            for path, (_, broken) in contents.items():
                path.write_text(broken)
            code, output = self.build(mutant.programs)
            verdict = "caught"
            if code != 0:
                verdict = "does not build"
            else:
                for name in mutant.tests:
                    outcome, output = self.test(name, timeout)
                    if outcome != "failed":
                        verdict = f"survived: {name} {outcome}"
                        break
        finally:
            # A new time stamp each: ninja must see that they are the old ones again.
            for path, (before, _) in contents.items():
                path.write_text(before)
        if verbose or verdict == "does not build":
            print(f"---- {mutant.name}\n{output[-3000:]}", file=sys.stderr)
        return Result(mutant, verdict, time.monotonic() - begin)


# ---- all of them -----------------------------------------------------------------------------
def judge_all(mutants, copies, options):
    todo = queue.SimpleQueue()
    # Neighbours in the list share files and programs; each copy takes the next that is left.
    for m in mutants:
        todo.put(m)
    results, troubles, lock = [], [], threading.Lock()

    def work(copy, first):
        try:
            copy.refresh()
            if first:
                copy.check_unbroken(mutants, options.timeout)
            while not stopping.is_set():
                result = copy.judge(todo.get_nowait(), options.timeout, options.verbose)
                with lock:
                    results.append(result)
                    print(f"[{len(results)}/{len(mutants)}] {result.mutant.name}: "
                          f"{result.verdict} ({result.seconds:.0f} s)", file=sys.stderr, flush=True)
        except queue.Empty:
            pass
        except Trouble as trouble:
            stopping.set()
            troubles.append(trouble)

    threads = [threading.Thread(target=work, args=(c, i == 0)) for i, c in enumerate(copies)]
    for t in threads:
        t.start()
    try:
        for t in threads:
            t.join()
    except KeyboardInterrupt:
        stop()
        raise
    if troubles:
        raise troubles[0]
    order = {m.name: i for i, m in enumerate(mutants)}
    return sorted(results, key=lambda r: order[r.mutant.name])


def table(results):
    rows = [("mutant", "room", "what is wrong", "caught by", "s"), ("---",) * 4 + ("---:",)]
    for r in results:
        by = "; ".join(r.mutant.tests) if r.verdict == "caught" else f"**{r.verdict}**"
        rows.append((r.mutant.name, f"`{r.mutant.room}`", r.mutant.what, by, f"{r.seconds:.0f}"))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main():
    # Started in the background a shell ignores the one, and ctest sends the other.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    if sys.argv[1:2] == ["rtl"]:
        sys.modules["mutants"] = sys.modules["__main__"]  # it needs what is here
        sys.path.insert(0, str(HERE / "drawn"))
        import rtl_mutants
        return rtl_mutants.main(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="say what there is, run nothing")
    parser.add_argument("--check", action="store_true",
                        help="only see that every mutant's text is where it was")
    parser.add_argument("--build", metavar="DIR", type=Path,
                        help="with --check: and that its tests are among those that ctest knows there")
    parser.add_argument("--only", metavar="NAME", action="append", default=[],
                        help="this one, or all whose name or room matches the regular expression; "
                             "may be repeated")
    parser.add_argument("--shard", metavar="I/N",
                        help="the I-th of N parts of these, neighbours in the list: they share programs")
    parser.add_argument("--jobs", metavar="N", type=int, default=1,
                        help="so many at a time, each in a copy of its own (default 1)")
    parser.add_argument("--timeout", metavar="S", type=float, default=300,
                        help="seconds a test may take (default 300)")
    parser.add_argument("--work", metavar="DIR", type=Path, default=ROOT / "build/mutants",
                        help="where the copies are kept for the next time (default build/mutants)")
    parser.add_argument("--verbose", action="store_true", help="show what the tests print")
    options = parser.parse_args()

    mutants = load(sorted(HERE.glob("*.toml")))
    if options.only:
        chosen = [m for m in mutants if any(re.fullmatch(o, m.name) or re.fullmatch(o, m.room)
                                            for o in options.only)]
        if not chosen:
            raise Trouble(f"no mutant is called {' or '.join(options.only)}; --list names them")
        mutants = chosen
    if options.shard:
        i, n = shard(options.shard)
        if n > len(mutants):
            raise Trouble(f"--shard {options.shard}: there are {len(mutants)} mutants")
        mutants = mutants[len(mutants) * (i - 1) // n:len(mutants) * i // n]
    if options.list:
        for m in mutants:
            print(f"{m.name:32} {m.room:14} {m.what}\n{'':32} {'; '.join(m.tests)}")
        return 0
    for m in mutants:
        mutated(ROOT, m)
    if options.check:
        if options.build:
            check_names(mutants, options.build)
        print(f"{len(mutants)} mutants fit the tree")
        return 0

    options.work.mkdir(parents=True, exist_ok=True)
    lock = open(options.work / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Trouble(f"another run works in {options.work}; give this one a --work of its own")

    jobs = max(1, min(options.jobs, len(mutants)))
    ninja_jobs = max(1, (os.cpu_count() or 1) // jobs)
    copies = [Copy(options.work.resolve() / f"tree{i}", ninja_jobs) for i in range(jobs)]
    results = judge_all(mutants, copies, options)
    print(table(results))
    survivors = [r for r in results if r.verdict != "caught"]
    print(f"\n{len(results) - len(survivors)} of {len(results)} mutants caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        sys.exit(f"mutants: {trouble}")
    except KeyboardInterrupt:
        sys.exit("mutants: interrupted")
