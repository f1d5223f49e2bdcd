# SPDX-License-Identifier: Apache-2.0
"""UTF (github.com/yutaka-ishikawa/utf): its barriers and reductions over barrier gates, driven by gates.c, which checks them
against plain arithmetic and the machine's clock."""
import pathlib

from job import Difference, Run

# Barrier gates are one machine's.
MACHINES = ("tofu",)
REDUCTIONS = 9


def build(job):
    mpi = job.build_mpi()
    ours = job.work / "gates"
    job.copy(pathlib.Path(__file__).parent, ours)
    # All of its gates' part, as it is; of the rest of UTF, gates.c has what that calls.
    sources = [*sorted((job.source / "src" / "vbg").glob("*.c")), ours / "job.c", ours / "gates.c"]
    job.call("gates", ["hypertorus-cc", "-g", "-O1", "-std=gnu11", "-w", f"-I{ours}", f"-I{mpi}", f"-I{job.source}/src/include",
                       f"-I{job.source}/src/vbg", "-o", job.work / "gates" / "gates", *sources, mpi / "libmpi.a"])


def check(output):
    lines = output.stdout.splitlines()
    compared = [line for line in lines if "arithmetic" in line]
    if len(compared) != REDUCTIONS or not any(line.startswith("barriers ") for line in lines):
        raise Difference(f"{len(compared)} of {REDUCTIONS} reductions are compared")
    return lines


def runs(job):
    yield Run("gates", [job.work / "gates" / "gates"], check, job.work)
