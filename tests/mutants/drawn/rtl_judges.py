# SPDX-License-Identifier: Apache-2.0
"""Who judges drawn mutants of a machine's Verilog (rtl_mutants.py): tests of the programs that judges.toml names, one by one as
ctest knows them, and commands of the simulator.

Each is run once where no mutant is awake, and it is noted which mutants would have had another value in it than the Verilog as
it is, at any time. A mutant that would not have runs as the plain Verilog does, so nothing can be noticed there; it is judged
by the others, the short ones first. What was noted is kept beside the copy (FILE), as long as the programs are the same.
"""
import concurrent.futures
import json
import os
import tempfile
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import mutants
from mutants import Trouble

HERE = Path(__file__).resolve().parent
SELECTOR, NOTED = "HYPERTORUS_MUTANT", "HYPERTORUS_REACHED"
FIRST = 1800  # seconds that a judge may take where no mutant is awake


@dataclass
class Judge:
    name: str
    command: list
    folder: Path
    environment: dict = field(default_factory=dict)
    seconds: float = 0                         # where no mutant is awake
    reached: set = field(default_factory=set)  # numbers that would have made a difference

    def call(self, number, limit, **more):
        """Exit code, None out of time; and seconds."""
        begin = time.monotonic()
        words = [f"{name}={value}" for name, value in {**self.environment, SELECTOR: number, **more}.items()]
        code, _ = mutants.run(["env", *words, *self.command], self.folder, limit)
        return code, time.monotonic() - begin

    @property
    def limit(self):
        """Seconds: what still is no endless loop on a busy computer."""
        return 20 + 5 * self.seconds


class Machine:
    """What judges.toml says of one."""

    def __init__(self, name):
        entries = tomllib.loads((HERE / "judges.toml").read_text())
        if name not in entries:
            raise Trouble(f"{name}: no such machine; known: {', '.join(entries)}")
        self.name, self.entry = name, entries[name]
        self.top, self.but, self.targets = self.entry["top"], self.entry.get("but", []), self.entry["targets"]


def listed(machine, build):
    """All judges: the tests of the programs that were built, and the commands."""
    programs, found = {target for target in machine.targets if target.startswith("test_")}, []
    seen = set()
    for test in mutants.tests_of(build, "-LE", "nightly"):
        command = test.get("command", [])
        program = Path(command[0]).name if command else ""
        if program not in programs:
            continue
        properties = {one["name"]: one["value"] for one in test.get("properties", [])}
        seen.add(program)
        found.append(Judge(test["name"], command, Path(properties.get("WORKING_DIRECTORY", build)),
                           dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", []))))
    if seen != programs:
        raise Trouble(f"ctest knows no tests of {', '.join(sorted(programs - seen))} in {build}")
    for words in machine.entry["commands"]:
        found.append(Judge(words, [build / "bin/hypertorus", *words.split()[1:]], build))
    return found


class Bench:
    """The judges of a machine, and what each of them reaches."""

    def __init__(self, machine, build, file, count, jobs):
        self.judges = listed(machine, build)
        key = self.key(build, count)
        known = {}
        if file.exists():
            kept = json.loads(file.read_text())
            known = kept["judges"] if kept["key"] == key else {}
        left = [judge for judge in self.judges if judge.name not in known]
        print(f"{len(self.judges)} tests and commands judge; of {len(left)} it is not known yet what they reach", flush=True)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for i, (judge, numbers, seconds) in enumerate(pool.map(lambda one: noted(one, count), left), 1):
                known[judge.name] = {"seconds": seconds, "reached": numbers}
                if i % 20 == 0 or i == len(left):
                    file.write_text(json.dumps({"key": key, "judges": known}))
                    print(f"[{i}/{len(left)}] noted", flush=True)
        for judge in self.judges:
            judge.seconds, judge.reached = known[judge.name]["seconds"], set(known[judge.name]["reached"])
        self.judges.sort(key=lambda judge: judge.seconds)
        anywhere = set().union(*(judge.reached for judge in self.judges))
        print(f"{sum(judge.seconds for judge in self.judges):.0f} s in all; {len(anywhere)} of {count} are reached", flush=True)

    @staticmethod
    def key(build, count):
        """Of what was noted: the programs, and libraries that they load."""
        files = [file for folder in ("bin", "lib", "tests") for file in sorted((build / folder).rglob("*"))
                 if file.is_file() and os.access(file, os.X_OK)]
        return [count, *(f"{file.relative_to(build)} {file.stat().st_mtime_ns}" for file in files)]

    def reached_by(self, number):
        """Those that may notice it, the shortest first."""
        return [judge for judge in self.judges if number in judge.reached]

    @staticmethod
    def first_to_notice(number, judges):
        for judge in judges:
            code, _ = judge.call(number, judge.limit)
            if code != 0:
                return judge.name + (", out of time" if code is None else "")
        return None


def noted(judge, count):
    """The judge, the numbers that would have made a difference in it, and its seconds."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(count + 1))
        file.flush()
        code, seconds = judge.call(-1, FIRST, **{NOTED: file.name})
        if code != 0:
            raise Trouble(f"{judge.name}: ends with {code} where no mutant is awake")
        numbers = [n for n, byte in enumerate(Path(file.name).read_bytes()) if byte]
    return judge, numbers, seconds
