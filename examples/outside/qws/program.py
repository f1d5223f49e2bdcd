# SPDX-License-Identifier: Apache-2.0
"""QWS (github.com/RIKEN-LQCD/qws): CASE1 and CASE7 of its README against its own data, by its own check.sh."""
import pathlib
import re
import subprocess

from job import Difference, Run

# Nodes, and arguments of main as its README has them: sites a rank, ranks, tolerances.
CASES = {"CASE1": ("2", ("32", "6", "4", "3", "1", "1", "1", "2", "-1", "-1")),
         "CASE7": ("2x2x2", ("32", "6", "4", "3", "1", "2", "2", "2", "-1", "-1"))}
# Has what its part for uTofu is written for.
ONE_SIDED = "tofu"
# Outer and inner iterations of the last solver, and how many of its values are no result with so few.
WHOLE = (("6", "50"), 0)
SHORT = (("1", "1"), 2)


# Its first solver begins with whatever is in the memory of x (main.cc: `//  zero_scd_field(x, vold);`), and its numbers
# are those for zeros: memory of this size is the system's then, not what the program gave back before.
FRESH = {"MALLOC_MMAP_THRESHOLD_": "65536"}


def make(job, folder, rdma, compiler, first, macros):
    """Its kernels wait for nothing but MPI, so C++ needs no turns of its own; its part for uTofu, in C, looks at memory."""
    mpi = job.work / "mpi"
    options = f"-O2 -fopenmp -I{mpi}"
    job.call(f"make main {rdma or 'mpi'}", [
        "make", "main", "compiler=openmpi-gnu", "arch=skylake", f"rdma={rdma}", "profiler=", f"CC={compiler}",
        "CXX=hypertorus-c++ --no-yield", f"CFLAGS={options}{first}", f"CXXFLAGS={options} -std=gnu++11",
        f"CXXFLAGS_A={options} -std=gnu++11", f"MYFLAGS=-D_MPI_ -D_CHECK_TIMING -DVLENS=16 -DVLEND=8{macros}",
        f"SYSLIBS={mpi}/libmpi.a"], folder)


def build(job):
    job.build_mpi()
    job.copy(job.checkout, job.work / "utofu")
    make(job, job.source, "", "hypertorus-cc --no-yield", "", "")
    interfaces = pathlib.Path(__file__).parent / "interfaces.h"
    make(job, job.work / "utofu", "utofu_threaded_norankmap", "hypertorus-cc", f" -include {interfaces}",
         " -D_RDMA_ -D_UTOFU_RDMA")


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
            yield Run(name, ["./main", *arguments, *iterations], checker(job, name, case, left_out), nodes=nodes,
                      environment=FRESH)
        if job.machine == ONE_SIDED:
            name = f"{case}-short-utofu"
            yield Run(name, ["./main", *arguments, *SHORT[0]], checker(job, name, case, SHORT[1]), job.work / "utofu",
                      nodes=nodes, environment=FRESH)
