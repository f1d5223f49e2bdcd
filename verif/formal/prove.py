#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves properties of the Verilog and of models of its protocols, and shows that the proofs can fail.

A proof is an entry of a */*.toml beside this script: a top module with assertions, the engine, and
the size. Running one does three things:
  proof    Yosys makes a circuit of it, ABC proves it (pdr: any number of steps; bmc: a given number);
  cover    every situation named must be reached, else the assumptions are too strong;
  broken   every seeded fault must be refuted, else the property is too weak.
Out of time is a failure. Exit codes: 0 good, 1 something failed, 2 usage, 3 bad data, 4 only out of time.
"""
import argparse
import concurrent.futures
import contextlib
import fcntl
import fnmatch
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BEGIN, END = "<!-- prove.py table -->", "<!-- prove.py table end -->"


class Trouble(Exception):
    """Bad data: the list of proofs and the tree do not fit together."""


@dataclass
class Broken:
    """One fault: a text of a file replaced, or other parameters."""
    name: str
    what: str
    file: str = ""
    old: str = ""
    new: str = ""
    parameters: dict = field(default_factory=dict)


@dataclass
class Proof:
    name: str
    what: str
    size: str                      # in words, for the table
    top: str
    files: list                    # of the toml's folder, or rtl/... of the tree
    folder: Path
    engine: str = "pdr"            # pdr, induction: any number of steps; bmc: `depth` steps
    hypothesis: int = 2            # steps that induction looks back
    solver: str = "z3"             # of induction; or abc, without a trace of what is not inductive
    depth: int = 30                # of bmc, of covers, and of the search in broken variants
    clocks: str = "one"            # many: every clock edge is a signal, a step is any of them
    start: int = 0                 # cycles simulated first, the state then reached is the initial one
    zero: bool = False             # registers without reset begin at 0 instead of anyhow
    merge: bool = True             # pdr, bmc: merge equal registers first (ABC's pdr crashes on some circuits so merged)
    limit: int = 40                # seconds of CPU for one run of an engine
    quick: bool = False
    parameters: dict = field(default_factory=dict)
    covers: list = field(default_factory=list)
    broken: list = field(default_factory=list)


# ---- the list --------------------------------------------------------------------------------
def load():
    proofs = {}
    for toml in sorted(HERE.glob("*/*.toml")):
        for entry in tomllib.loads(toml.read_text())["proof"]:
            like = entry.pop("like", None)
            if like is not None:
                if like not in proofs:
                    raise Trouble(f"{toml.name}: {entry.get('name')} is like {like}, which is not before it")
                base = {k: v for k, v in vars(proofs[like]).items() if k not in ("covers", "broken", "quick")}
                base["parameters"] = base["parameters"] | entry.pop("parameters", {})
                entry = base | entry
            entry["folder"] = toml.parent
            try:
                entry["broken"] = [Broken(**b) for b in entry.get("broken", [])]
                proof = Proof(**entry)
            except TypeError as error:
                raise Trouble(f"{toml.name}: {entry.get('name')}: {error}") from None
            if proof.name in proofs:
                raise Trouble(f"{toml.name}: two proofs are called {proof.name}")
            if proof.engine not in ("pdr", "induction", "bmc") or proof.clocks not in ("one", "many"):
                raise Trouble(f"{toml.name}: {proof.name}: engine {proof.engine}, clocks {proof.clocks}")
            proofs[proof.name] = proof
    return list(proofs.values())


def source(proof, file):
    path = (ROOT if file.startswith(("rtl/", "verif/")) else proof.folder) / file
    if not path.is_file():
        raise Trouble(f"{proof.name}: there is no {path.relative_to(ROOT)}")
    return path


def broken_text(proof, broken):
    if broken.file not in proof.files:
        raise Trouble(f"{proof.name}: {broken.name} breaks {broken.file}, which the proof does not read")
    text = source(proof, broken.file).read_text()
    if text.count(broken.old) != 1 or broken.old == broken.new:
        raise Trouble(f"{proof.name}: {broken.file} holds the text of {broken.name} {text.count(broken.old)} "
                      f"times, not once; follow the change in {proof.folder.name}/*.toml:\n{broken.old}")
    return text.replace(broken.old, broken.new)


def table(proofs):
    lines = ["| proof | what | size | engine | covers | broken variants |", "| --- | --- | --- | --- | --- | --- |"]
    for p in proofs:
        engine = {"pdr": "PDR, any number of steps", "bmc": f"bounded, {p.depth} steps",
                  "induction": f"{p.hypothesis}-induction, any number of steps"}[p.engine]
        lines.append(f"| `{p.name}` | {p.what} | {p.size} | {engine} | {', '.join(p.covers) or '-'} | "
                     f"{'; '.join(b.what for b in p.broken) or '-'} |")
    return "\n".join(lines)


def check(proofs, write):
    """Sources and faults are there, and the README's table is up to date."""
    for proof in proofs:
        for file in proof.files:
            source(proof, file)
        for broken in proof.broken:
            if not broken.parameters:
                broken_text(proof, broken)
    readme = HERE / "README.md"
    text = readme.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise Trouble(f"README.md needs one '{BEGIN}' and one '{END}'")
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    new = f"{head}{BEGIN}\n{table(proofs)}\n{END}{tail}"
    if write:
        readme.write_text(new)
    elif new != text:
        raise Trouble("the table in verif/formal/README.md is old: run verif/formal/prove.py check --write")
    print(f"{len(proofs)} proofs, {sum(len(p.broken) for p in proofs)} broken variants fit the tree")


# ---- tools -----------------------------------------------------------------------------------
class OutOfTime(Exception):
    pass


def run(command, cwd, limit, used, good=(0,)):
    """Output of a tool that ended well. The limit is in seconds of CPU, so that a busy machine is no failure."""
    log = cwd / f"{Path(command[0]).name}.log"

    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))

    with log.open("w") as to:
        process = subprocess.Popen([str(c) for c in command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=to,
                                   stderr=subprocess.STDOUT, preexec_fn=limited)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    used.append(usage.ru_utime + usage.ru_stime)
    output = log.read_text(errors="replace")
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise OutOfTime
    if process.returncode not in good:
        raise Trouble(f"{command[0]} failed in {cwd}:\n{output[-1500:]}")
    return output


def yosys_script(proof, files, goal, more_parameters):
    """goal: None keeps the assertions; a name makes an assertion of 'never reached' of that cover."""
    includes = " ".join(f"-I{folder}" for folder in sorted({p.parent for p in (ROOT / "rtl").rglob("*.vh")}))
    parameters = " ".join(f"-chparam {k} {v}" for k, v in (proof.parameters | more_parameters).items())
    lines = [f"read_verilog -formal -sv {includes} \"{f}\"" for f in files]
    lines += [f"hierarchy -check -top {proof.top} {parameters}", "proc"]
    if goal is None:
        lines += ["chformal -cover -remove"]
    else:
        lines += ["chformal -assert -remove", f"select -assert-count 1 {proof.top}/{goal}",
                  f"delete */t:$cover {proof.top}/{goal} %d", f"techmap -map \"{HERE}/cover_as_assert.v\""]
    lines += ["flatten", "check -assert", "opt -keepdc", "memory_nordff", "memory_map"]
    if proof.start:
        lines += ["async2sync", "opt -keepdc", f"sim -clock clk -zinit -w -q -n {proof.start} {proof.top}"]
    lines += ["clk2fflogic" if proof.clocks == "many" else "async2sync", "chformal -early"]
    if proof.zero:
        lines += ["setundef -init -zero"]
    lines += ["formalff -clk2ff -ff2anyinit", "setundef -undriven -anyseq", "opt -full -fine",
              "write_smt2 -wires design.smt2", "delete -output",
              "formalff -anyinit2ff -fine", "opt -full -fine", "techmap", "opt -fast", "dffunmap", "abc -g AND -fast",
              "opt_clean", "write_aiger -I -B -zinit -no-startoffset -map design.aim design.aig"]
    return "\n".join(lines) + "\n"


@dataclass
class Verdict:
    steps: int | None          # of the counterexample; None: proved, or not found within the depth
    text: str


def abc_verdict(output):
    found = re.search(r"asserted in frame (\d+)", output)
    if found:
        return Verdict(int(found[1]) + 1, f"in {int(found[1]) + 1} steps")
    if "Property proved" in output or "Networks are equivalent" in output:
        return Verdict(None, "proved")
    if "Networks are UNDECIDED" in output:
        return Verdict(None, "undecided")
    found = re.search(r"No output asserted in (\d+) frames", output)
    if found:
        return Verdict(None, f"{found[1]} steps")
    raise Trouble(f"ABC says neither yes nor no:\n{output[-1500:]}")


# ---- one run ---------------------------------------------------------------------------------
@dataclass
class Job:
    proof: Proof
    kind: str                  # proof, cover, broken
    name: str                  # of the cover or of the broken variant
    broken: Broken | None = None

    def title(self):
        return self.proof.name if self.kind == "proof" else f"{self.proof.name}: {self.kind} {self.name}"


def perform(job, work, patience, waves, used):
    """(good, text): whether the verdict is as it must be, and the verdict."""
    proof = job.proof
    place = work / proof.name / (job.kind if job.kind == "proof" else f"{job.kind}_{job.name}")
    with alone(place):
        return performed(job, place, patience, waves, used)


@contextlib.contextmanager
def alone(place):
    """While another prove.py is at work in that folder, this one waits."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(place.with_name(place.name + ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def performed(job, place, patience, waves, used):
    proof = job.proof
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    files = []
    for file in proof.files:
        path = source(proof, file)
        if job.broken is not None and not job.broken.parameters and file == job.broken.file:
            path = place / path.name
            path.write_text(broken_text(proof, job.broken))
        files.append(path)
    goal = job.name if job.kind == "cover" else None
    parameters = job.broken.parameters if job.broken is not None else {}
    (place / "script.ys").write_text(yosys_script(proof, files, goal, parameters))
    limit = proof.limit * patience
    run(["yosys", "-s", "script.ys"], place, limit, used)
    # equal registers are merged first: the engine need not find out that two copies go in step
    bmc = f"scorr; dc2; bmc3 -g -F {proof.depth}" if proof.engine == "bmc" and proof.merge else f"bmc3 -F {proof.depth}"
    engine = ("scorr; pdr" if proof.merge else "dc2; pdr") if job.kind == "proof" and proof.engine == "pdr" else bmc
    def abc(commands):
        return abc_verdict(run(["yosys-abc", "-c", f"read_aiger design.aig; fold; strash; {commands}; "
                                "write_cex -a trace.aiw"], place, limit, used))

    if job.kind == "proof" and proof.engine == "induction" and proof.solver == "abc":
        base = abc(f"bmc3 -F {proof.hypothesis + 1}")
        if base.steps is not None:
            return False, f"not inductive (base): refuted {base.text}"
        step = abc(f"orpos; ind -F {proof.hypothesis} -C 100000000")
        return step.text == "proved", "proved" if step.text == "proved" else "not inductive (step)"
    if job.kind == "proof" and proof.engine == "induction":
        return induction(proof, place, limit, used)
    verdict = abc(engine)
    trace = ""
    if waves and verdict.steps is not None:
        if engine != bmc:   # a trace of the circuit as it is, and the shortest
            abc(bmc)
        trace = "\n    " + explain(verdict.steps, place, limit, used)
    if job.kind == "proof":
        if verdict.steps is None:
            return True, verdict.text + trace
        return False, f"refuted {verdict.text}" + (trace or f"; see it: prove.py run {proof.name} --waves")
    reached = "reached" if job.kind == "cover" else "refuted"
    if verdict.steps is None:
        return False, f"NOT {reached} in {proof.depth} steps"
    return True, f"{reached} {verdict.text}{trace}"


def induction(proof, place, limit, used):
    """Holds in the first steps, and in every step that follows so many in which it held."""
    for what, option in (("base", []), ("step", ["-i"])):
        output = run(["yosys-smtbmc", "-s", "z3", "--noprogress", *option, "-t", str(proof.hypothesis),
                      "--dump-vcd", "trace.vcd", "design.smt2"], place, limit, used, good=(0, 1))
        if "Status: passed" not in output and "Status: PASSED" not in output:
            failed = ", ".join(re.findall(r"Assert failed in \S+: (\S+)", output)) or output[-500:]
            return False, f"not inductive ({what}): {failed}; gtkwave {place}/trace.vcd"
    return True, "proved"


def explain(steps, place, limit, used):
    """Replays ABC's counterexample in an SMT solver: checks it, names the assertion, writes waves."""
    output = run(["yosys-smtbmc", "-s", "z3", "--noprogress", "--aig", "design.aim:trace.aiw", "--aig-noheader",
                  "--dump-vcd", "trace.vcd", "-t", str(steps), "design.smt2"], place, limit + 300, used, good=(0, 1))
    failed = re.findall(r"Assert failed in \S+: (\S+)", output)
    if not failed:
        raise Trouble(f"the SMT solver does not see ABC's counterexample in {place}:\n{output[-1500:]}")
    return f"{', '.join(failed)}; gtkwave {place}/trace.vcd"


def run_all(jobs, options):
    failed, late, cpu = 0, 0, 0.0
    began = time.monotonic()

    def timed(job):
        used = []   # seconds of CPU, a number a tool
        try:
            good, text = perform(job, options.work, options.patience, options.waves, used)
        except OutOfTime:
            good, text = None, "OUT OF TIME"
        return good, text, sum(used)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job, (good, text, seconds) in zip(jobs, pool.map(timed, jobs)):
            engine = job.proof.engine if job.kind == "proof" else "bmc"
            print(f"{'ok  ' if good else 'FAIL'} {seconds:6.1f} s  {engine}  {job.title()}: {text}", flush=True)
            failed += good is False
            late += good is None
            cpu += seconds
    kinds = {k: sum(j.kind == k for j in jobs) for k in ("proof", "cover", "broken")}
    print(f"{kinds['proof']} proofs, {kinds['cover']} covers, {kinds['broken']} broken variants: {failed} failed, "
          f"{late} out of time; {time.monotonic() - began:.0f} s, {cpu:.0f} s of CPU")
    return 1 if failed else 4 if late else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "formal", help="where circuits, logs and waves go")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="what there is")
    one = commands.add_parser("check", help="the lists fit the tree, the README's table is up to date")
    one.add_argument("--write", action="store_true", help="bring the table up to date")
    for name, text in (("run", "run those named (*, ? allowed)"), ("all", "run everything")):
        one = commands.add_parser(name, help=text)
        if name == "run":
            one.add_argument("names", nargs="+", metavar="NAME")
        else:
            one.add_argument("--quick", action="store_true", help="only the quick ones")
            one.add_argument("--slow", action="store_true", help="only the others")
        one.add_argument("--only", choices=("proof", "cover", "broken"), help="only this of each")
        one.add_argument("--variant", help="only this cover or broken variant")
        one.add_argument("--waves", action="store_true", help="name what failed, write trace.vcd")
        one.add_argument("--patience", type=float, default=1, help="multiplies the limits of CPU time")
        one.add_argument("-j", "--jobs", type=int, default=1, help="how many at once")
    options = parser.parse_args()
    proofs = load()
    if options.command == "list":
        for p in proofs:
            print(f"{p.name:28} {'quick' if p.quick else '     '} {p.engine}  {p.what}; {p.size}")
        return 0
    if options.command == "check":
        check(proofs, options.write)
        return 0
    if options.command == "run":
        for pattern in options.names:
            if not any(fnmatch.fnmatch(p.name, pattern) for p in proofs):
                parser.error(f"there is no proof {pattern}; see: prove.py list")
        proofs = [p for p in proofs if any(fnmatch.fnmatch(p.name, n) for n in options.names)]
    else:
        proofs = [p for p in proofs if not (options.quick and not p.quick or options.slow and p.quick)]
    jobs = []
    for p in proofs:
        jobs.append(Job(p, "proof", ""))
        jobs += [Job(p, "cover", c) for c in p.covers] + [Job(p, "broken", b.name, b) for b in p.broken]
    jobs = [j for j in jobs if options.only in (None, j.kind) and options.variant in (None, j.name)]
    if not jobs:
        parser.error("nothing to be run")
    for tool in ("yosys", "yosys-abc", *(("yosys-smtbmc", "z3") if options.waves else ())):
        if shutil.which(tool) is None:
            raise Trouble(f"{tool} is not installed: ./hypertorus test installs it, or apt install yosys z3")
    return run_all(jobs, options)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as error:
        print(f"prove.py: {error}", file=sys.stderr)
        sys.exit(3)
