#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs commands of hypertorus while one call of the computer's functions fails, and prints a table.

    faults.py PROGRAM LIBRARY [COMMAND...] [--calls CALL,...] [--most N] [--stays] [--work DIR]
    faults.py --list

PROGRAM is build/release/bin/hypertorus, LIBRARY the build's libht_fail_nth.so (fail_nth.c beside this). For each command
and each kind of call the 1st, 2nd, 3rd ... call fails, until a run has none that did; with --most N no more than N of
them, spread evenly. --stays: all later calls fail, too. Beside calls: cut, a file that is cut short while it is mapped;
limit, a disk that is full after some bytes; full and pipe, standard output that takes no more. A run must

  * end by itself, within a minute, with a code of the table in docs/reference.md, and not by a signal;
  * with code 0 have written all its files, as a run without faults does;
  * with another code have printed one line, "hypertorus: ...", and nothing else on stderr; or one for each file that
    cannot be written;
  * leave every file that was there as it was or as it should become, and none beside them (but for waves and packets,
    which are written as the run goes on).

Exit code 1 if one did not; each is printed with the command that repeats it.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import resource
import shlex
import shutil
import struct
import subprocess
import sys

OLD = b'{"schema_version": 1, "what": "was there before"}\n'  # a document may take a document's place only
GOOD_CODES = {2, 3, 4, 5, 7}  # beside 0
CALLS = ["open", "read", "write", "close", "rename", "malloc", "mmap", "cut", "thread", "fork"]
# What is not a call, with how often: files may not grow beyond so many bytes; standard output on a device that is full, or
# a pipe that nobody reads.
LIMITS = [0, 1, 100, 1000, 4096, 20_000, 100_000]
AROUND = {"limit": len(LIMITS), "full": 1, "pipe": 1}
SMALL = ["--nodes", "2", "--lattice", "4x2x2x2", "--tolerance", "1e-3", "--quiet"]


@dataclasses.dataclass
class Command:
    words: list
    outputs: list  # files that it writes; "link" in a name: behind a symbolic link
    alike: bool = True  # the same bytes every time; else only whole


COMMANDS = {
    "generate": Command(["gauge", "generate", "field", "--lattice", "2x2x2x2", "--json", "json"], ["field", "json"]),
    "convert": Command(["gauge", "convert", "in.field", "field.link", "--format", "nersc"], ["field.link"]),
    "info": Command(["gauge", "info", "in.field"], []),
    "heatbath": Command(["gauge", "heatbath", "field", "--lattice", "2x2x2x2", "--sweeps", "2", "--thermalize", "1", "--threads", "3"],
                        ["field"]),
    "solution": Command(["solution", "compare", "in.solution", "in.solution", "--json", "json"], ["json"]),
    "report": Command(["report", "in.json", "in.json", "--json", "json"], ["json"]),
    "cell": Command(["bench", "cell", "--json", "json"], ["json"]),
    "functional": Command(["run", "--network", "functional", *SMALL, "--json", "json", "--save-solution", "solution.link",
                           "--report", "page.html"], ["json", "solution.link", "page.html"], alike=False),
    "run": Command(["run", "--nodes", "2x2", "--lattice", "4x4x2x2", "--tolerance", "1e-3", "--quiet", "--threads", "4", "--json", "json", "--save-solution", "solution"], ["json", "solution"],
                   alike=False),
    "checkpoint": Command(["run", *SMALL, "--threads", "1", "--checkpoint", "2", "--save-solution", "solution"], ["solution"]),
    "pcap": Command(["run", *SMALL, "--threads", "1", "--pcap", "packets", "--json", "json"], ["packets.pcapng", "json"], alike=False),
    "trace": Command(["run", *SMALL, "--threads", "1", "--trace", "waves", "--trace-nodes", "0", "--json", "json"],
                     ["waves.node0.fst", "json"], alike=False),
    "inject": Command(["inject", "qpace", "--runs", "2", "--threads", "2", "--quiet", "--resume", "runs", "--json", "json"],
                      ["json"], alike=False),
    "exec": Command(["exec", "--network", "functional", "--nodes", "2", "--json", "json", "--", "./in.program"], ["json"], alike=False),
}


class Runs:
    """Runs of one command in a folder of its own."""

    def __init__(self, name, options):
        self.command, self.options = COMMANDS[name], options
        self.folder = options.work / name
        self.count = options.work / "count"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.whole = {}

    def place_inputs(self):
        for entry in list(self.folder.iterdir()):
            entry.unlink()
        for source in self.options.inputs.iterdir():
            shutil.copy(source, self.folder / source.name)
        for name in self.command.outputs:
            file = self.folder / name
            if name.endswith(".link"):
                file.symlink_to(name + ".target")
            file.write_bytes(OLD)

    def words(self, call, nth):
        if call in AROUND:
            return [str(self.options.program), *self.command.words], {}
        settings = {"HYPERTORUS_FAULT_CALL": call, "HYPERTORUS_FAULT_NTH": str(nth), "HYPERTORUS_FAULT_COUNT": str(self.count),
                    "LD_PRELOAD": str(self.options.library)}
        if self.options.stays:
            settings["HYPERTORUS_FAULT_STAYS"] = "1"
        return [str(self.options.program), *self.command.words], settings

    def run(self, call, nth):
        """Calls of the kind, exit code (None: out of time), stderr."""
        self.place_inputs()
        self.count.write_bytes(bytes(8))
        words, settings = self.words(call, nth)
        # Counts of the preset coverage are kept out of it: they would be cut off, some for good.
        settings["GCOV_PREFIX"] = str(self.options.work / "counts")
        settings["GCOV_ERROR_FILE"] = "/dev/null"
        surroundings = {name: value for name, value in os.environ.items() if name != "HYPERTORUS_COVERAGE_DIR"}
        out, limit = subprocess.DEVNULL, None
        if call == "full" and nth:
            out = os.open("/dev/full", os.O_WRONLY)
        if call == "pipe" and nth:
            reader, out = os.pipe()
            os.close(reader)
        if call == "limit" and nth:
            def limit():
                resource.setrlimit(resource.RLIMIT_FSIZE, (LIMITS[nth - 1], resource.RLIM_INFINITY))
        try:
            ended = subprocess.run(words, cwd=self.folder, env={**surroundings, **settings}, stdout=out, stderr=subprocess.PIPE,
                                   timeout=60, check=False, preexec_fn=limit)
        except subprocess.TimeoutExpired:
            return 0, None, ""
        finally:
            if out != subprocess.DEVNULL:
                os.close(out)
        (calls,) = struct.unpack("=Q", self.count.read_bytes())
        return AROUND.get(call, calls), ended.returncode, ended.stderr.decode(errors="replace")

    def content(self):
        return {name: (self.folder / name).read_bytes() if (self.folder / name).exists() else None for name in self.command.outputs}

    def first(self):
        """Without a fault: what the files become."""
        calls, code, text = self.run(CALLS[0], 0)
        if code != 0 or calls == 0:
            sys.exit(f"{shlex.join(map(str, self.command.words))} without a fault: {calls} calls, code {code}: {text}")
        self.whole = self.content()
        for name, content in self.whole.items():
            if content in (None, OLD):
                sys.exit(f"{shlex.join(map(str, self.command.words))} does not write {name}")
        self.beside = {e.name for e in self.folder.iterdir()}

    def is_whole(self, name, content, code=0):
        if content is None:
            return False
        if name == "json":
            try:
                return json.loads(content)["exit_code"] == code
            except ValueError:
                return False
        if self.command.alike:
            return content == self.whole[name]
        # It has times of this computer in it: begins and ends as it should.
        return content[:4] == self.whole[name][:4] and (name == "waves.node0.fst" or content[-2:] == self.whole[name][-2:])

    def judge(self, call, code, text):
        """What is wrong about a run, or an empty text."""
        lines = text.splitlines()
        if code is None:
            return "does not end"
        if code < 0 or code >= 128:
            return f"ended by signal {-code if code < 0 else code - 128}: {text[:200]!r}"
        if code != 0 and code not in GOOD_CODES:
            return f"code {code}: {text[:200]!r}"
        # A full disk takes none of several files.
        files = all(line.startswith("hypertorus: cannot write ") for line in lines) and len(lines) <= len(self.command.outputs)
        if code != 0 and not (lines and lines[0].startswith("hypertorus: ") and (len(lines) == 1 or files)):
            return f"code {code} and {len(lines)} lines: {text[:300]!r}"
        if "internal error" in text or "std::" in text:
            return f"an error that nobody understands: {text[:200]!r}"
        for name, content in self.content().items():
            if code == 0 and not self.is_whole(name, content):
                return f"code 0, and {name} is not as it should be"
            if code != 0 and content != OLD and not self.is_whole(name, content, code):
                if name.endswith((".pcapng", ".fst")):
                    continue  # written as the run goes on
                return f"{name} is neither what was there nor what should be: {'gone' if content is None else len(content)}"
            if name.endswith(".link") and not (self.folder / name).is_symlink():
                return f"{name} is no symbolic link any more"
        more = {e.name for e in self.folder.iterdir()} - self.beside
        if more:
            return f"left behind: {', '.join(sorted(more))}"
        return ""


def numbers(calls, most):
    if calls <= most:
        return range(1, calls + 1)
    if most == 1:
        return [1]
    return sorted({1 + (calls - 1) * i // (most - 1) for i in range(most)})


def prepare(options):
    """Files that commands read."""
    inputs = options.work / "inputs"
    shutil.rmtree(inputs, ignore_errors=True)
    inputs.mkdir(parents=True)
    options.inputs = inputs

    def good(*words):
        subprocess.run([options.program, *words], cwd=inputs, check=True, stdout=subprocess.DEVNULL)

    good("gauge", "generate", "in.field", "--lattice", "2x2x2x2")
    good("run", "--network", "functional", *SMALL, "--json", "in.json", "--save-solution", "in.solution")
    source = inputs / "in.c"
    source.write_text('#include <qmp.h>\nint main(int n, char** v) { QMP_thread_level_t p;\n'
                      ' QMP_init_msg_passing(&n, &v, QMP_THREAD_SINGLE, &p); QMP_barrier(); QMP_finalize_msg_passing(); return 0; }\n')
    subprocess.run([options.program.parent / "hypertorus-cc", "-o", "in.program", "in.c"], cwd=inputs, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda p: pathlib.Path(p).absolute(), nargs="?")
    parser.add_argument("library", type=lambda p: pathlib.Path(p).resolve(), nargs="?")
    parser.add_argument("commands", nargs="*", metavar="COMMAND")
    parser.add_argument("--calls", default=",".join([*CALLS, *AROUND]))
    parser.add_argument("--most", type=int, default=10**9)
    parser.add_argument("--stays", action="store_true")
    parser.add_argument("--work", type=lambda p: pathlib.Path(p).absolute(), default=pathlib.Path("build/faults").absolute())
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{name:12} {shlex.join(map(str, c.words))}" for name, c in COMMANDS.items()))
        return 0
    if options.library is None:
        parser.error("PROGRAM and LIBRARY are wanted")
    if any(c.isspace() or c == ":" for c in str(options.library)):
        parser.error(f"{options.library}: LD_PRELOAD takes no path with spaces or colons; have the library elsewhere")
    for name in options.commands:
        if name not in COMMANDS:
            parser.error(f"{name}: one of {', '.join(COMMANDS)}")
    for call in options.calls.split(","):
        if call not in CALLS and call not in AROUND:
            parser.error(f"--calls {call}: one of {', '.join([*CALLS, *AROUND])}")
    prepare(options)
    print(f"{'command':12} {'call':8} {'calls':>7} {'runs':>6} {'ended well':>10} {'by a line':>10} {'wrong':>6}")
    bad = 0
    for name in options.commands or COMMANDS:
        runs = Runs(name, options)
        runs.first()
        for call in options.calls.split(","):
            calls = runs.run(call, 0)[0]
            well = lines = done = 0
            wrong = []
            for nth in numbers(calls, options.most):
                reached, code, text = runs.run(call, nth)
                if code is not None and reached < nth:
                    continue  # it took fewer calls this time
                done += 1
                what = runs.judge(call, code, text)
                if what:
                    wrong.append((nth, what))
                elif code == 0:
                    well += 1
                else:
                    lines += 1
            print(f"{name:12} {call:8} {calls:7} {done:6} {well:10} {lines:10} {len(wrong):6}", flush=True)
            for nth, what in wrong[:10]:
                words, settings = runs.words(call, nth)
                again = " ".join(f"{k}={shlex.quote(v)}" for k, v in settings.items())
                print(f"    {call} {nth}: {what}\n      cd {runs.folder} && {again} {shlex.join(words)}")
            bad += len(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
