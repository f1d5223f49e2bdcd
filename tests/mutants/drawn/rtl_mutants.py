# SPDX-License-Identifier: Apache-2.0
"""Mutants of a machine's Verilog, drawn at random: `mutants.py rtl MACHINE`.

Every expression of the machine's modules (rtl_expressions.py) may be written wrongly in several ways. --count of all
these are drawn, evenly over the modules, and put into one copy of the tree behind a selector: a variable of a package
that has its value from the environment, so that one build serves for all of them. Each is judged by those of the machine's
tests, its fault campaign and the main job that it reaches, the short ones first, until one fails (rtl_judges.py). What none
of them notices is proved equivalent, if it can be, or put before the proofs that read its file (rtl_proofs.py). What is left
survives: it has to be looked at, since it has no effect, or a test is missing; survivors.toml says why of those that were.

TABLE keeps what is known: a run that was stopped goes on where it was, and tables of shards are put together by
--show. It belongs to a commit, a count and a seed; another one begins a table of its own.
"""
import argparse
import collections
import concurrent.futures
import fcntl
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import mutants
import rtl_expressions
import rtl_judges
import rtl_proofs
from mutants import Trouble
from rtl_judges import SELECTOR

HERE = Path(__file__).resolve().parent
SURVIVED, EQUIVALENT = "survived", "equivalent"
SOON = 10  # seconds: a judge that is asked before proofs of equivalence
# Numbers from 1 on; 0 is the tree as it is, and so is NOTING, where it is noted which would have had another value.
NOTING = "32'hffffffff"
PACKAGE = f'''// Which mutant of all that are in this copy of the tree is awake.
package ht_mutants;
    int unsigned which = $c32("[] {{ const char* n = std::getenv(\\"{SELECTOR}\\"); return n == nullptr ? 0 : std::atoi(n); }}()");
endpackage
'''
HEADER = "cmake/mutants_reached.hpp"


@dataclass
class Mutant:
    number: int
    file: str
    line: int
    what: str
    place: int     # of the file's places
    way: int       # of the place's ways

    def __str__(self):
        return f"{self.file}:{self.line}: {self.what}"


def used(files):
    """Of {module's name: its file}, those that a machine's modules have in them, and what these have in them."""
    names = {file.stem: file for file in files if file.parent.name == "common"}
    found, todo = set(), [file for file in files if file.stem not in names]
    while todo:
        words = set(re.findall(r"\w+", todo.pop().read_text()))
        new = [names[name] for name in names if name in words and names[name] not in found]
        found.update(new)
        todo += new
    return found


def read(root, machine, but):
    """The files that decide what a mutant does: the modules, and what they include."""
    headers = [file for folder in ("common", machine) for file in sorted((root / "rtl" / folder).rglob("*.vh"))]
    return [*modules(root, machine, but), *(str(file.relative_to(root)) for file in headers)]


def modules(root, machine, but):
    """{file: places}, of the machine's own modules and of the common ones that are in it."""
    own = [file for file in sorted((root / "rtl" / machine).rglob("*.v"))
           if not any(re.search(pattern, str(file.relative_to(root))) for pattern in but)]
    common = sorted((root / "rtl/common").rglob("*.v"))
    found = {}
    for file in own + sorted(used(own + common)):
        try:
            places = rtl_expressions.places(file.read_text())
        except rtl_expressions.NotRead as why:
            raise Trouble(f"{file.relative_to(root)}: {why}: follow it in rtl_expressions.py") from None
        if any(place.broken for place in places):
            found[str(file.relative_to(root))] = places
    return found


def draw(root, machine, count, seed, but=()):
    """`count` mutants: one of each module in turn, by chance among those that it has left."""
    rng = random.Random(f"{machine} {seed}")
    left = {}
    for file, places in modules(root, machine, but).items():
        ways = [(p, w) for p, place in enumerate(places) for w in range(len(place.broken))]
        rng.shuffle(ways)
        left[file] = (places, ways)
    drawn = []
    while len(drawn) < count and any(ways for _, ways in left.values()):
        for file, (places, ways) in left.items():
            if ways and len(drawn) < count:
                p, w = ways.pop()
                drawn.append(Mutant(len(drawn) + 1, file, places[p].line, f"{places[p].role}, {called(places[p], w)}", p, w))
    return drawn


def called(place, way):
    """What is done, and to which of several: "&& is ||, 2nd"."""
    names = [name for name, _ in place.broken]
    which = names[:way + 1].count(names[way])
    return names[way] + (f", {which}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(which, 'th')}" if names.count(names[way]) > 1 else "")


def with_mutants(text, mutants):
    """A module's text with all of these in it, each behind the selector."""
    places = rtl_expressions.places(text)
    chosen = collections.defaultdict(list)
    for m in mutants:
        chosen[m.place].append((m.number, places[m.place].broken[m.way][1]))
    edits = []
    for p, ways in chosen.items():
        place = places[p]
        plain = text[place.at:place.end]
        if place.role == "assignment":
            target, value = rtl_expressions.sides(plain)
            asleep = " && ".join(f"!({awake(number, f'({target}) != ({value})')})" for number, _ in ways)
            edits += [(place.at, f"begin if ({asleep}) "), (place.end, " end")]
        else:
            asked = "".join(f"({awake(number, other(place.role, plain, new))}) ? ({new}) : " for number, new in ways)
            edits += [(place.at, f"({asked}("), (place.end, "))")]
    for at, new in sorted(edits, reverse=True):
        text = text[:at] + new + text[at:]
    return text


def other(role, plain, new):
    """Whether that is another value; of more bits than have to differ, where a sum has a carry."""
    return f"!({plain}) != !({new})" if role == "condition" else f"(64'd0 | ({plain})) != (64'd0 | ({new}))"


def awake(number, differs):
    """Whether this one is; where none is, that it would have made a difference is noted."""
    return (f"ht_mutants::which == {number} || "
            f"ht_mutants::which == {NOTING} && $c1(\"ht_mutants_note({number}, \", {differs}, \")\")")


def texts(root, drawn):
    """{file: its text} of what is another in a copy of the tree that has the mutants in it: modules, the package, which
    Verilator is to read first, what notes those that are reached, and how Verilator and the compiler are called."""
    by_file = collections.defaultdict(list)
    for m in drawn:
        by_file[m.file].append(m)
    found = {file: with_mutants((root / file).read_text(), those) for file, those in by_file.items()}
    found["rtl/common/aa_mutants.v"] = PACKAGE
    found[HEADER] = (HERE / "mutants_reached.hpp").read_text()
    verilate = "cmake/HypertorusVerilate.cmake"
    # What is written wrongly is not clean: warnings say nothing here. A test may name a module's file itself.
    text = (root / verilate).read_text()
    for old, new in (("-Wall -Wno-DECLFILENAME", "-Wno-lint -Wno-fatal"), ("${A_SOURCES} ${rtl}", "${rtl} ${A_SOURCES}"),
                     ("PRIVATE -w)", f'PRIVATE -w -include "${{HT_ROOT}}/{HEADER}")')):
        if text.count(old) != 1:
            raise Trouble(f"{verilate} holds `{old}` {text.count(old)} times, not once")
        text = text.replace(old, new)
    found[verilate] = text
    return found


def verdict(mutant, bench, work, limit, long_proofs):
    """Who noticed it, that it is equivalent, or "survived"."""
    judges = bench.reached_by(mutant.number)
    soon = [judge for judge in judges if judge.seconds <= SOON]
    noticed = bench.first_to_notice(mutant.number, soon)
    if noticed:
        return noticed
    # Before the long ones: what is equivalent none of them can notice.
    what = equivalence(mutant, work, limit)
    if not what.startswith(EQUIVALENT):
        noticed = bench.first_to_notice(mutant.number, judges[len(soon):])
        if noticed:
            return noticed
    print(f"      {mutant.number} {mutant}: {what}; reached by {len(judges)} tests", flush=True)
    return what if what.startswith(EQUIVALENT) else refuted_or_survived(mutant, work, limit, long_proofs)


def proofs_verdict(mutant, work, limit, long_proofs):
    """The same where no test noticed it. What is equivalent is so soon; a proof that it cannot refute takes its whole time."""
    what = equivalence(mutant, work, limit)
    print(f"      {mutant.number} {mutant}: {what}", flush=True)
    return what if what.startswith(EQUIVALENT) else refuted_or_survived(mutant, work, limit, long_proofs)


def equivalence(mutant, work, limit):
    return rtl_proofs.equivalent(mutant, work, limit, rtl_proofs.sentence(mutant, rtl_proofs.sentences()))


def refuted_or_survived(mutant, work, limit, long_proofs):
    for quick in (True, False) if long_proofs else (True,):
        refuted = rtl_proofs.refuting(mutant, work, limit, quick)
        if refuted:
            return f"proof {refuted}"
    return SURVIVED


class Table:
    """Lines of machine, count, seed, commit, number, where, what, verdict and seconds, with tabs in between."""

    def __init__(self, files, key):
        self.files, self.key, self.known = files, key, {}
        for file in files:
            if not file.exists():
                continue
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                words = line.split("\t")
                if len(words) != 9:
                    raise Trouble(f"{file}, line {number}: not nine columns with tabs in between")
                if tuple(words[:4]) != key:
                    raise Trouble(f"{file}, line {number}: of {', '.join(words[:4])}, and this is {', '.join(key)}; "
                                  "take another file")
                self.known[int(words[4])] = (words[7], float(words[8]))

    def add(self, mutant, what, seconds):
        self.known[mutant.number] = (what, seconds)
        with open(self.files[0], "a", encoding="utf-8") as out:
            print(*self.key, mutant.number, f"{mutant.file}:{mutant.line}", mutant.what, what, f"{seconds:.1f}", sep="\t",
                  file=out)


def prepare(copy, machine, drawn):
    """A copy with the mutants in it, built. Where it was before, and nothing has changed, it still is."""
    copy.refresh(texts(mutants.ROOT, drawn))
    # What is built may know nothing of the package's file yet.
    code, output = mutants.run(["cmake", "--preset", "release"], copy.tree)
    if code == 0:
        code, output = copy.build(machine.targets)
    if code != 0:
        raise Trouble(f"the copy does not build:\n{output[-3000:]}")


def check(machine, drawn):
    """Whether Verilator accepts the machine with all of them in it."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        shutil.copytree(mutants.ROOT / "rtl", tree / "rtl")
        (tree / "cmake").mkdir()
        shutil.copy(mutants.ROOT / "cmake/HypertorusVerilate.cmake", tree / "cmake")
        for file, text in texts(tree, drawn).items():
            (tree / file).write_text(text)
        own = [f for f in sorted((tree / "rtl" / machine.name).rglob("*.v")) if not any(re.search(b, str(f)) for b in machine.but)]
        folders = sorted({tree / "rtl/common"} | {f.parent for f in own} | {f.parent for f in (tree / "rtl" / machine.name).rglob("*.vh")})
        code, output = mutants.run(["verilator", "--lint-only", "-Wno-lint", "-Wno-fatal", "--top", machine.top,
                                    *(f"-I{f}" for f in folders), *sorted((tree / "rtl/common").glob("*.v")), *own], tree)
    if code != 0:
        raise Trouble(f"Verilator does not accept {machine.name} with its mutants:\n{output[-3000:]}")
    print(f"{len(drawn)} mutants in {len({m.file for m in drawn})} modules of {machine.name}")


def show(drawn, table):
    """In Markdown: by module, by judge, then what survived and what is known of it. Whether any survived without a sentence."""
    kinds = {m.number: kind(table.known[m.number][0]) for m in drawn if m.number in table.known}
    print("| module | mutants | noticed | equivalent | survived |\n| --- | ---: | ---: | ---: | ---: |")
    for file in sorted({m.file for m in drawn}):
        of_it = [kinds.get(m.number) for m in drawn if m.file == file]
        print(f"| `{file}` | {len(of_it)} | {of_it.count('noticed')} | {of_it.count(EQUIVALENT)} | {of_it.count(SURVIVED)} |")
    by = collections.Counter(table.known[number][0] for number in kinds if kinds[number] == "noticed")
    print("\n| noticed by | mutants |\n| --- | ---: |")
    for judge, count in by.most_common():
        print(f"| {judge} | {count} |")
    left = [m for m in drawn if kinds.get(m.number) in (SURVIVED, EQUIVALENT)]
    sentences = rtl_proofs.sentences()
    known = {m.number: rtl_proofs.sentence(m, sentences) for m in left}
    if left:
        print("\n| not noticed | where | what | verdict | why |\n| ---: | --- | --- | --- | --- |")
        for m in left:
            why = known[m.number]["why"] if known[m.number] else "-"
            print(f"| {m.number} | `{m.file}:{m.line}` | {m.what.replace('|', chr(92) + '|')} | {table.known[m.number][0]} | {why} |")
    judged = len(kinds)
    survived = sum(k == SURVIVED for k in kinds.values())
    print(f"\n{judged - survived} of {judged} noticed or equivalent" + (f", {100 * (judged - survived) / judged:.1f} %" if judged else "") +
          (f"; {len(drawn) - judged} not judged yet" if judged < len(drawn) else ""))
    return any(kinds[m.number] == SURVIVED and not known[m.number] for m in left)


def kind(what):
    return SURVIVED if what == SURVIVED else EQUIVALENT if what.startswith(EQUIVALENT) else "noticed"


def main(words):
    parser = argparse.ArgumentParser(prog="mutants.py rtl", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("machine", help="as in qpace")
    parser.add_argument("table", metavar="TABLE", type=Path, nargs="*", help="what is known; the first is written")
    parser.add_argument("--count", metavar="N", type=int, default=300, help="mutants to draw (default 300)")
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="of the draw (default 1)")
    parser.add_argument("--shard", metavar="I/N", default="1/1", help="only the I-th of N parts, for N computers")
    parser.add_argument("--again", action="store_true", help="judge those that survived once more, after tests were added")
    parser.add_argument("--proofs", action="store_true", help="of those that survived, ask only the proofs once more: nothing is built")
    parser.add_argument("--quick", action="store_true", help="ask no long proofs: what they might notice survives, until --proofs asks them")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="judge N at a time (default 1)")
    parser.add_argument("--limit", metavar="S", type=float, default=100, help="seconds of CPU for each proof (default 100)")
    parser.add_argument("--show", action="store_true", help="judge nothing: print what TABLEs have, put together")
    parser.add_argument("--list", action="store_true", help="print what is drawn, and judge nothing")
    parser.add_argument("--check", action="store_true", help="only see that Verilator accepts what is drawn: a quick test")
    parser.add_argument("--work", metavar="DIR", type=Path, default=mutants.ROOT / "build/mutants",
                        help="where the copy is kept for the next time (default build/mutants)")
    options = parser.parse_args(words)
    part, parts = mutants.shard(options.shard)
    copy = mutants.Copy(options.work.resolve() / f"rtl-{options.machine}", os.cpu_count() or 1)
    machine = rtl_judges.Machine(options.machine)
    drawn = draw(mutants.ROOT, options.machine, options.count, options.seed, machine.but)
    if options.list:
        for m in drawn:
            print(f"{m.number:5} {m}")
        return 0
    if options.check:
        check(machine, drawn)
        return 0
    if not options.table:
        raise Trouble("name a TABLE, which keeps what is known")
    commit = subprocess.run(["git", "log", "-1", "--format=%h", "--", *read(mutants.ROOT, options.machine, machine.but)],
                            cwd=mutants.ROOT, capture_output=True, text=True, check=False).stdout.strip()
    table = Table(options.table, (options.machine, str(options.count), str(options.seed), commit))
    survived = {number for number, (what, _) in table.known.items() if what == SURVIVED}
    mine = [m for m in drawn if m.number % parts == part % parts and
            (m.number in survived if options.again or options.proofs else m.number not in table.known)]
    if mine and not options.show:
        options.work.mkdir(parents=True, exist_ok=True)
        proofs = options.work.resolve() / f"proofs-{options.machine}"
        if not options.proofs:
            lock = open(options.work / f"rtl-{options.machine}.lock", "w", encoding="utf-8")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Trouble(f"another run works in {copy.tree}; give this one a --work of its own") from None
            prepare(copy, machine, drawn)
            bench = rtl_judges.Bench(machine, copy.tree / mutants.BUILD, options.work / f"reached-{options.machine}.json",
                                     options.count, options.jobs)

        def judged(m):
            begin = time.monotonic()
            if options.proofs:
                what = proofs_verdict(m, proofs, options.limit, not options.quick)
            else:
                what = verdict(m, bench, proofs, options.limit, not options.quick)
            return m, what, time.monotonic() - begin

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            todo = [pool.submit(judged, m) for m in mine]
            try:
                for i, one in enumerate(concurrent.futures.as_completed(todo), 1):
                    m, what, seconds = one.result()
                    table.add(m, what, seconds)
                    print(f"[{i}/{len(mine)}] {m.number} {m}: {what}, {seconds:.1f} s", flush=True)
            except BaseException:
                mutants.stop()
                pool.shutdown(cancel_futures=True)
                raise
    return int(show(drawn, table))
