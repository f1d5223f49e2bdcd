#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The nightly tests in pieces, and one table of what came of them.

    nightly.py run TABLE [--build DIR] [--shard I/N] [--only REGEX] [--but REGEX]
    nightly.py show TABLE... [--all]

`run` does what has the label nightly and TABLE has no result of that stands, and adds a line for each as it ends: a run that
was stopped goes on where it was. A result stands at its commit, and at others where nothing differs that the piece reads:
of a proof the files that it is made of, of a machine's own tests all but the other machines' folders, of most others all but
texts and what only lints read. Three of these tests are long and made of parts,
which are here one by one: the proofs, the commands of the pages (in sixteen parts), and the mutants (in sixty-four). --shard 2/4: the second of four
pieces, for several computers or evenings. `show` prints what stands here of any number of tables, in Markdown; --all: what
has no result yet as well.

A line of TABLE: commit ("+" behind it: the tree had changes), what, result (passed, failed, skipped), seconds, with tabs in
between. Exit codes: 0 all passed or were skipped; 1 something failed; 2 usage, or a TABLE that is none.
"""
import argparse
import functools
import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROVE = ROOT / "verif" / "formal" / "prove.py"
# Tests that stand here part by part.
PROOFS, COMMANDS = "formal: the other proofs", "test_cli: the commands of the READMEs do what they should"
PIECES = 16
MUTANTS = "mutants"
PIECES_OF_MUTANTS = 64
# What no program is built of, and none of the pieces but lints read.
RECORDS = "tests/records"
NOT_BUILT = ("docs", "tests/coverage", "tests/lint", "tests/nightly", RECORDS)
MACHINES = [file.parent.name for file in ROOT.glob("sim/*/description.cpp")]  # they stay in their folders: tests/lint


class Usage(Exception):
    """What was asked for makes no sense; the message says why."""


def output(*words, cwd=ROOT):
    done = subprocess.run([str(w) for w in words], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Usage(f"{' '.join(str(w) for w in words)}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def commit():
    """The tree's; with "+" if anything differs from it but the records, to which a run adds."""
    differs = output("git", "status", "--porcelain", "--untracked-files=no", "--", ".", f":(exclude){RECORDS}").strip()
    return output("git", "log", "-1", "--format=%h").strip() + ("+" if differs else "")


@functools.cache
def included(file):
    """Headers of the tree that a file of Verilog includes, and that those do."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    own = [h for name in re.findall(r'`include "(.+?)"', text) for folder in ("rtl", "verif") for h in (ROOT / folder).rglob(name)]
    return {*own, *(h for o in own for h in included(o))}


@functools.cache
def files_of_proofs():
    sys.path.append(str(PROVE.parent))
    import prove

    def files(proof):
        own = [pathlib.Path(prove.source(proof, file)) for file in proof.files]
        return str(PROVE), *map(str, [*proof.folder.glob("*.toml"), *own]), *sorted({str(h) for file in own for h in included(file)})
    return {f"proof {p.name}": files(p) for p in prove.load()}


def reads(what):
    """Patterns of the paths that a piece depends on."""
    if what.startswith("proof "):
        return files_of_proofs().get(what, (".",))
    if re.search("README|the page has|the table beside|^lint:|^tutorial:|^package:", what):  # texts, and what checks them
        return (".",)
    others = [f":(exclude){folder}" for folder in NOT_BUILT]
    if not what.startswith(MUTANTS):
        others.append(":(exclude)tests/mutants")
    machines = [m for m in MACHINES if m in what.lower()]
    if len(machines) == 1 and what.startswith((f"test_{machines[0]}_", "inject: ")):
        others += [f":(exclude,glob)**/{m}/**" for m in MACHINES if m not in machines]
    return (".", ":(exclude)*.md", *others)


@functools.cache
def unchanged(since, paths):
    return subprocess.run(["git", "diff", "--quiet", since, "--", *paths], cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode == 0


def standing(results, now):
    """{what: (commit, result, seconds)} of those of read() that stand."""
    return {what: (name, *rest) for (name, what), rest in results.items()
            if name == now or (not name.endswith("+") and unchanged(name, reads(what)))}


def pieces(build):
    """{what: command} of all nightly work."""
    listed = json.loads(output("ctest", "--test-dir", build, "-L", "^nightly$", "--show-only=json-v1"))
    work = {}
    for test in (t["name"] for t in listed["tests"]):
        if test == PROOFS:
            for line in output(PROVE, "list").splitlines():
                name, rest = line.split(maxsplit=1)
                if not rest.startswith("quick"):
                    work[f"proof {name}"] = [PROVE, "run", name]
        elif test == COMMANDS:
            for i in range(1, PIECES + 1):
                work[f"{test}, {i}/{PIECES}"] = ["python3", ROOT / "tests/cli/readme_commands.py", ROOT, build, "--shard", f"{i}/{PIECES}"]
        elif test == MUTANTS:
            for i in range(1, PIECES_OF_MUTANTS + 1):
                work[f"{test}, {i}/{PIECES_OF_MUTANTS}"] = [ROOT / "tests/mutants/mutants.py", "--work", build / "tests/mutants/copies",
                                                            "--shard", f"{i}/{PIECES_OF_MUTANTS}"]
        else:
            work[test] = ["ctest", "--test-dir", build, "--output-on-failure", "-R", f"^{re.escape(test)}$"]
    if not work:
        raise Usage(f"{build}: no test there has the label nightly; build all of it first")
    return work


def read(tables):
    """{(commit, what): (result, seconds)}, in the order of the lines."""
    results = {}
    for table in tables:
        for number, line in enumerate(pathlib.Path(table).read_text(encoding="utf-8").splitlines(), 1):
            try:
                name, what, result, seconds = line.split("\t")
                results[name, what] = (result, float(seconds))
            except ValueError:
                raise Usage(f"{table}, line {number}: not commit, what, result and seconds with tabs in between") from None
    return results


def share(work, text):
    if text is None:
        return work
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise Usage(f"--shard {text}: write I/N, as in 2/4 for the second of four pieces")
    return {what: command for n, (what, command) in enumerate(work.items()) if n % int(found[2]) == int(found[1]) - 1}


def result_of(done):
    if done.returncode != 0:
        return "failed"
    return "skipped" if re.search(r"\(Skipped\)|^SKIPPED: ", done.stdout, re.MULTILINE) else "passed"


def run(arguments):
    build, now = arguments.build.resolve(), commit()
    table = pathlib.Path(arguments.table)
    known = standing(read([table]), now) if table.exists() else {}
    work = {what: command for what, command in share(pieces(build), arguments.shard).items()
            if re.search(arguments.only, what) and not (arguments.but and re.search(arguments.but, what))}
    if not work:
        raise Usage(f"--only {arguments.only}: nothing nightly has such a name")
    failed = 0
    for what, command in work.items():
        if what in known:
            failed += known[what][1] == "failed"
            continue
        print(f"{what} ...", flush=True)
        began = time.monotonic()
        done = subprocess.run([str(w) for w in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        result, seconds = result_of(done), time.monotonic() - began
        with open(table, "a", encoding="utf-8") as out:
            out.write(f"{now}\t{what}\t{result}\t{seconds:.1f}\n")
        print(f"    {result}, {seconds:.1f} s", flush=True)
        if result == "failed":
            failed += 1
            print(done.stdout, flush=True)
    print(f"{len(work)} pieces of nightly work, {failed} failed")
    return 1 if failed else 0


def show(arguments):
    results = read(arguments.table)
    if not results:
        raise Usage(f"{' '.join(arguments.table)}: no results yet: nightly.py run")
    rows = standing(results, commit())
    missing = [what for what in pieces(arguments.build.resolve()) if what not in rows] if arguments.all else []
    print("| | commit | result | s |\n| --- | --- | --- | ---: |")
    for what, (name, result, seconds) in rows.items():
        print(f"| {what} | {name} | {result} | {seconds:.0f} |")
    for what in missing:
        print(f"| {what} | | - | |")
    counts = {r: sum(x[1] == r for x in rows.values()) for r in ("passed", "failed", "skipped")}
    print(f"\n{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped"
          + (f", {len(missing)} without a result" if arguments.all else ""))
    return 1 if counts["failed"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="run|show")
    for name, function, help_text in (("run", run, "do it"), ("show", show, "print the table")):
        command = commands.add_parser(name, help=help_text)
        command.set_defaults(function=function)
        command.add_argument("table", nargs="+" if name == "show" else None, help="file of results")
        command.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="build tree (default: build/release)")
        if name == "run":
            command.add_argument("--shard", help="I/N: the I-th of N pieces")
            command.add_argument("--only", default="", help="what matches this alone")
            command.add_argument("--but", help="not what matches this")
        else:
            command.add_argument("--all", action="store_true", help="what has no result yet, too")
    arguments = parser.parse_args()
    try:
        return arguments.function(arguments)
    except (Usage, OSError) as error:
        print(f"nightly.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
