#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""set_test.py PROGRAM [--build MACHINE NAME=VALUE...]: what --set refuses before anything is built; with --build,
variants that are built: the solution's bits, the machine's time, the cache, its lock, and builds that end early."""
import json
import os
import pathlib
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

failures = []


def check(good, what):
    if not good:
        failures.append(what)


def refusals(call, scratch):
    for words, code, said in (
            (["run", "--set", "TX_PACKET=32"], 2, "has no such parameter; it has TX_PACKETS, RX_SLOTS, ACK_EVERY, PORT_BYTES, STAGES; did you mean TX_PACKETS?"),
            (["run", "--set", "RX_SLOTS=3"], 8, "cannot be built so; RX_SLOTS may be 2, 4, 8 or 16"),
            (["exec", "--set", "TX_PACKETS=64", "--", "true"], 8, "4, 8, 16 or 32"),
            (["bench", "qpace", "--set", "TX_PACKETS=5"], 8, "TX_PACKETS"),
            (["inject", "qpace", "--set", "ACK_EVERY=4"], 8, "1, 2 or 3"),
            (["bench", "sim", "qcdoc", "--set", "CABLE_BITS=18"], 8, "16 to 768 in steps of 4"),
            (["compare", "--set", "tofu.WINDOW=7"], 8, "8, 16, 32 or 64"),
            (["compare", "--set", "WINDOW=8"], 2, "say whose parameter it is"),
            (["compare", "--set", "tofo.WINDOW=8"], 2, "did you mean tofu?"),
            (["run", "--set", "RX_SLOTS"], 2, "write a whole number"),
            (["run", "--set", "RX_SLOTS=4x"], 2, "write a whole number"),
            (["run", "--set", "RX_SLOTS=4", "--set", "RX_SLOTS=8"], 2, "set twice"),
            (["run", "--network", "functional", "--set", "RX_SLOTS=4"], 2, "no effect on the functional network"),
            (["run", "tofu", "--profile", "tofud", "--set", "WINDOW=16"], 2, "--profile k"),
            (["run", "qcdoc", "--set", "CABLE_BITS=64", "--cable-delay", "200ns"], 2, "take 100 or more")):
        done = call(words, code)
        check(said in done.stderr and done.stderr.count("\n") == 1, f"{words}: {done.stderr}")
    check(not (scratch / "hypertorus").exists(), "something was built")
    # What the machine has anyway is no variant, and recorded.
    done = call(["run", "--set", "RX_SLOTS=8", "--nodes", "2", "--lattice", "4x4x2x2", "--tolerance", "1e-2", "--json", scratch / "j"])
    check(json.loads((scratch / "j").read_text())["options"]["set"] == {"RX_SLOTS": 8}, "recorded")
    check("variant        RX_SLOTS=8" in done.stdout and not (scratch / "hypertorus").exists(), done.stdout)


class Variants:
    def __init__(self, program, call, scratch, machine, values):
        self.program, self.call, self.scratch = program, call, scratch
        self.set = [word for value in values for word in ("--set", value)]
        self.run = ["run", machine, "--nodes", "2x2", "--lattice", "4x4x4x4", "--tolerance", "1e-4", "--quiet"]
        self.values = {v.split("=")[0]: int(v.split("=")[1]) for v in values}

    def solve(self, more, code=0):
        file = self.scratch / "run.json"
        done = self.call([*self.run, *more, "--json", file], code)
        return done, json.loads(file.read_text())

    def folders(self):
        return sorted((self.scratch / "hypertorus/variants").glob("*"))

    def start(self):
        return subprocess.Popen([self.program, *self.run, *self.set], start_new_session=True, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def no_compiler(self):
        """A build that fails: one line, code 12, a log; and the next one goes on from there."""
        tools = self.scratch / "tools"
        tools.mkdir()
        # CMake asks it things, with -t too; the build itself is called with -C and a target.
        (tools / "ninja").write_text("#!/bin/sh\n[ \"$1\" = -C ] && [ \"$3\" != -t ] && { echo 'error: no compiler today'; exit 1; }\n"
                                     f"exec {shlex.quote(shutil.which('ninja'))} \"$@\"\n")
        (tools / "ninja").chmod(0o755)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{tools}:{path}"
        done = self.call([*self.run, *self.set], 12)
        os.environ["PATH"] = path
        check("no compiler today (log: " in done.stderr, done.stderr)
        log = pathlib.Path(done.stderr.strip().splitlines()[-1].split("(log: ")[1].rstrip(")"))
        check("no compiler today" in log.read_text(), "its log")

    def full_disk(self):
        """No file may become larger: one line, code 12; and the next one goes on from there."""
        done = self.call([*self.run, *self.set], 12, largest=100_000)
        check(done.stderr.count("\n") <= 2 and "could not be built" in done.stderr, f"full disk: {done.stderr}")

    def damaged(self):
        """A plug-in that lost its end, as after a power failure, is linked again."""
        for size in (0, 1000, 100_000, 1_000_000):
            for plugin in self.scratch.rglob("hypertorus/variants/*/*.so"):
                os.truncate(plugin, size)
            done = self.call([*self.run, *self.set])
            check("building" in done.stderr, f"damaged, {size} bytes are left: {done.stderr}")

    def killed(self):
        """Whoever builds is killed: the next one waits for what it left, and goes on."""
        first = self.start()
        objects = lambda: sum(1 for f in self.folders() for _ in f.rglob("*.o"))
        limit = time.monotonic() + 1800
        while objects() < 2 and time.monotonic() < limit and first.poll() is None:
            time.sleep(0.2)
        if first.poll() is not None:
            return check(False, f"it ended before it could be killed: {first.stderr.read()}")
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
        check(not list(self.scratch.rglob("hypertorus/variants/*/*.so")), "half a plug-in")

    def two_at_once(self):
        both = [self.start(), self.start()]
        said = [one.communicate()[1] for one in both]
        check([one.returncode for one in both] == [0, 0], f"two at once: {said}")
        check(sum("building" in text and "once; log" in text for text in said) == 1, f"one of them builds: {said}")

    def bits(self):
        _, usual = self.solve([])
        begin = time.monotonic()
        done, other = self.solve(self.set)
        check("building" not in done.stderr and time.monotonic() - begin < 120, "a variant is built once")
        check(other["options"]["set"] == self.values, "recorded")
        times = []
        for errors in ([], ["--ber", "1e-5"], ["--ber", "1e-5", "--seed", "3"]):
            a, b = self.solve(errors)[1], self.solve([*self.set, *errors])[1]
            check(a["verdict"] == b["verdict"] == "bit-exact", f"{errors}: {a['verdict']}, {b['verdict']}")
            check(a["solution_crc32"] == b["solution_crc32"], f"{errors}: other bits")
            times.append((a["machine_time_ps"], b["machine_time_ps"]))
        # How long an answer is waited for shows only where one is lost: QCDOC's with that seed.
        check(any(a != b for a, b in times), f"the same times, whatever the errors: {times} ps")
        check(usual["solution_crc32"] == other["solution_crc32"], "other bits")
        # A program of the user's, and the campaign of the machine.
        campaign = self.call(["inject", self.run[1], *self.set, "--runs", "3", "--json", self.scratch / "c"])
        check(json.loads((self.scratch / "c").read_text())["set"] == self.values, campaign.stderr)
        check(len(self.folders()) == 1, f"folders: {self.folders()}")


def main():
    program = sys.argv[1]

    def call(words, code=0, largest=None):
        """`largest`: bytes of a file, beyond which a write fails (Python ignores SIGXFSZ, and so do they)."""
        limited = {} if largest is None else {
            "restore_signals": False, "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))}
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False, **limited)
        check(done.returncode == code, f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
        return done

    folder = pathlib.Path(tempfile.mkdtemp())
    os.environ["XDG_CACHE_HOME"] = str(folder)
    try:
        if "--build" in sys.argv:
            variants = Variants(program, call, folder, sys.argv[3], sys.argv[4:])
            for part in (variants.no_compiler, variants.full_disk, variants.killed, variants.two_at_once, variants.bits, variants.damaged):
                part()
        else:
            refusals(call, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(failures[:20]) or "what it should")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
