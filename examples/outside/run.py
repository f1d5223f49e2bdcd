#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a program of other people from a checkout, runs it on a simulated machine, compares with its own reference.

    run.py NAME [--checkout DIR] --machine functional|MACHINE [--build DIR] [--work DIR] [--only RUN]

NAME is a folder here. The checkout is copied into the work folder and built there, unchanged, against an installation
of hypertorus made from the build tree. Each run's output is shown beside the program's own reference.

Exit codes: 0 every run agrees; 1 one differs, or its program failed; 2 usage; 12 the program could not be built.
"""
import argparse
import importlib.util
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from job import BuildFailure, Difference, Job, Usage  # noqa: E402


def load(name):
    """The module that builds and runs the program `name`."""
    file = HERE / name / "program.py"
    if not file.is_file():
        known = sorted(path.parent.name for path in HERE.glob("*/program.py"))
        raise Usage(f"{name}: no such program; known: {', '.join(known)}")
    spec = importlib.util.spec_from_file_location(f"outside_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find_checkout(name, given):
    """The checkout that the user names, or NAME in the folder HYPERTORUS_OUTSIDE."""
    if given is None:
        folder = os.environ.get("HYPERTORUS_OUTSIDE")
        if not folder:
            raise Usage(f"SKIPPED: {name}: no --checkout, and HYPERTORUS_OUTSIDE names no folder that has one")
        given = pathlib.Path(folder) / name
    if not given.is_dir() or not any(given.iterdir()):
        raise Usage(f"SKIPPED: {name}: {given} is no checkout of it")
    return given.resolve()


def run(arguments):
    """All runs of the program on the machine: what the last line says."""
    program = load(arguments.name)
    machines = getattr(program, "MACHINES", (arguments.machine,))
    if arguments.machine not in machines:
        raise Usage(f"SKIPPED: {arguments.name} runs on {', '.join(machines)}, not on {arguments.machine}: see the page")
    checkout = find_checkout(arguments.name, arguments.checkout)
    job = Job(arguments.name, checkout, arguments.machine, arguments.build, arguments.work / arguments.name)
    job.install()
    job.build(program)
    runs = [run for run in program.runs(job) if arguments.only in (None, run.name)]
    if not runs:
        raise Usage(f"{arguments.name} has no run {arguments.only} on {arguments.machine}")
    for one in runs:
        job.show(one)
    return f"{arguments.name} on {arguments.machine}: {len(runs)} of {len(runs)} runs agree with their reference"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="a folder here: milc, qio, ...")
    parser.add_argument("--checkout", type=pathlib.Path, help="its sources (default: NAME in $HYPERTORUS_OUTSIDE)")
    parser.add_argument("--machine", default="functional", help="functional (default), or a machine of exec")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build" / "release",
                        help="build tree of hypertorus (default: build/release)")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("outside"),
                        help="where copies are built and run (default: ./outside)")
    parser.add_argument("--only", help="one run alone")
    arguments = parser.parse_args()
    arguments.work = arguments.work.resolve()
    try:
        print(run(arguments))
    except Usage as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    except BuildFailure as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 12
    except Difference as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
