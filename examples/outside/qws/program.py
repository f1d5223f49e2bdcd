# SPDX-License-Identifier: Apache-2.0
"""QWS (github.com/RIKEN-LQCD/qws): CASE1 and CASE7 of its README against its own data, by its own check.sh."""
import re
import subprocess

from job import Difference, Run

# Nodes, and arguments of main as its README has them: sites a rank, ranks, tolerances.
CASES = {"CASE1": ("2", ("32", "6", "4", "3", "1", "1", "1", "2", "-1", "-1")),
         "CASE7": ("2x2x2", ("32", "6", "4", "3", "1", "2", "2", "2", "-1", "-1"))}
# Outer and inner iterations of the last solver, and how many of its values are no result with so few.
WHOLE = (("6", "50"), 0)
SHORT = (("1", "1"), 2)


def build(job):
    mpi = job.build_mpi()
    # Its kernels wait for nothing but MPI: they need no turns of their own.
    options = f"-O2 -fopenmp -I{mpi}"
    job.call("make main", [
        "make", "main", "compiler=openmpi-gnu", "arch=skylake", "rdma=", "profiler=", "CC=hypertorus-cc --no-yield",
        "CXX=hypertorus-c++ --no-yield", f"CFLAGS={options}", f"CXXFLAGS={options} -std=gnu++11",
        f"CXXFLAGS_A={options} -std=gnu++11", f"SYSLIBS={mpi}/libmpi.a"])


def checker(job, name, case, left_out):
    def check(_):
        ours = job.work / f"{name}.{job.machine}.out"
        reference = job.source / "data" / case
        folder = job.work / f"{name}.{job.machine}"
        folder.mkdir(exist_ok=True)
        # Columns: name, ours, reference's, difference, 0 or 1 for too large.
        table = subprocess.run(["bash", job.source / "check.sh", ours, reference], cwd=folder, capture_output=True, text=True)
        rows = [line.split() for line in table.stdout.splitlines()]
        wanted = len(re.findall(r" : +[0-9]|2 += +[0-9]", reference.read_text()))
        if len(rows) != wanted or any(len(row) != 5 for row in rows):
            raise Difference(f"check.sh compares {len(rows)} values, not {wanted}")
        rows = rows[:wanted - left_out]
        bad = [row for row in rows if row[4] != "0"]
        if bad:
            raise Difference(f"check.sh: {len(bad)} of {len(rows)} values differ, the first: {' '.join(bad[0][:3])}")
        return ([f"{what:>26}  ours {value:>22}  QWS {theirs:>22}" for what, value, theirs, _, _ in rows] +
                [f"check.sh: {len(rows)} of {wanted} values compared, all agree"])
    return check


def runs(job):
    for case, (nodes, arguments) in CASES.items():
        for name, (iterations, left_out) in ((case, WHOLE), (f"{case}-short", SHORT)):
            # Hours on a simulated machine.
            if name == "CASE7" or (name == case and job.machine != "functional"):
                continue
            yield Run(name, ["./main", *arguments, *iterations], checker(job, name, case, left_out), nodes=nodes)
