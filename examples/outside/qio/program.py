# SPDX-License-Identifier: Apache-2.0
"""QIO (github.com/usqcd-software/qio): its tests 1 to 8 by their own verdicts, built by CMake."""
from job import Difference, Run

TESTS = range(1, 9)
NODES = 8


def build(job):
    job.dependency("c-lime", "other_libs/c-lime")
    tree = job.work / "tree"
    job.call("cmake", ["cmake", "-S", job.source, "-B", tree, "-D", f"CMAKE_PREFIX_PATH={job.prefix}", "-D",
                       "QIO_ENABLE_PARALLEL_BUILD=ON", "-D", "CMAKE_BUILD_TYPE=Release"])
    job.call("make", ["cmake", "--build", tree])


def check(output):
    lines = output.stdout.splitlines()
    passed = [line for line in lines if line.endswith(": Test passed")]
    if len(passed) != NODES:
        raise Difference(f"{len(passed)} of {NODES} nodes say that the test passed")
    return [line for line in lines if "Comparison of" in line] + [f"Test passed: {len(passed)} of {NODES} nodes"]


def runs(job):
    for test in TESTS:
        folder = job.work / f"test{test}.{job.machine}"
        folder.mkdir(exist_ok=True)
        yield Run(f"qio-test{test}", [job.work / "tree" / "examples" / f"qio-test{test}"], check, folder)
