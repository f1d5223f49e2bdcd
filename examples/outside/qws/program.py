# SPDX-License-Identifier: Apache-2.0
"""QWS (github.com/RIKEN-LQCD/qws): CASE1 and CASE7 of its README against its own data, by its own check.sh."""
import re
import subprocess

from job import Difference, Run

# Arguments of main, as its README has them: sites a rank, ranks, tolerances and iterations.
CASES = (
    ("CASE1", "2", ("32", "6", "4", "3", "1", "1", "1", "2", "-1", "-1", "6", "50")),
    ("CASE7", "2x2x2", ("32", "6", "4", "3", "1", "2", "2", "2", "-1", "-1", "6", "50")),
)


def build(job):
    mpi = job.build_mpi()
    # Its kernels wait for nothing but MPI: they need no turns of their own.
    options = f"-O2 -fopenmp -I{mpi}"
    job.call("make main", [
        "make", "main", "compiler=openmpi-gnu", "arch=skylake", "rdma=", "profiler=", "CC=hypertorus-cc --no-yield",
        "CXX=hypertorus-c++ --no-yield", f"CFLAGS={options}", f"CXXFLAGS={options} -std=gnu++11",
        f"CXXFLAGS_A={options} -std=gnu++11", f"SYSLIBS={mpi}/libmpi.a"])


def runs(job):
    for case, nodes, arguments in CASES:

        def check(output, case=case):
            ours = job.work / f"{case}.{job.machine}.out"
            reference = job.source / "data" / case
            folder = job.work / f"{case}.{job.machine}"
            folder.mkdir(exist_ok=True)
            # Columns: name, ours, reference's, difference, 0 or 1 for too large; its exit code is how many are too large.
            table = subprocess.run(["bash", job.source / "check.sh", ours, reference], cwd=folder, capture_output=True, text=True)
            rows = [line.split() for line in table.stdout.splitlines()]
            wanted = len(re.findall(r" : +[0-9]|2 += +[0-9]", reference.read_text()))
            if len(rows) != wanted or any(len(row) != 5 for row in rows):
                raise Difference(f"check.sh compares {len(rows)} values, not {wanted}")
            bad = [row for row in rows if row[4] != "0"]
            if bad or table.returncode != 0:
                raise Difference(f"check.sh: {len(bad)} of {len(rows)} values differ, the first {bad[0][:3] if bad else ''}")
            return ([f"{name:>26}  ours {value:>22}  QWS {theirs:>22}" for name, value, theirs, _, _ in rows] +
                    [f"check.sh: {len(rows)} of {wanted} values agree"])

        yield Run(case, ["./main", *arguments], check, nodes=nodes)
