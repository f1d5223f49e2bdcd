# SPDX-License-Identifier: Apache-2.0
"""QMP's own examples (github.com/usqcd-software/qmp): what they check themselves, and what they print of it."""
import re

from job import Difference, Run

NODES = 8
# Program, arguments, lines that must come and how often on all nodes. The numbers are what its source asks for: QMP_msg
# sums 4 over the nodes, 10 rank + i, and sets bit `rank`; senders of QMP_grid_test are the even nodes of each axis.
EXAMPLES = (
    ("QMP_show_geom", (), ((r"number of nodes = 8", 1), (r"\d +\|( +\d){3}  \|( +\d){3}", NODES))),
    ("QMP_broadcast", (), ((r"result = A", NODES),)),
    ("QMP_msg", (), ((r"bcast value is 1243\.323200", NODES), (r"sum is 32", NODES), (r"dvalue\[3\] is 304\.000000", NODES),
                     (r"fvalue\[9\] is 352\.000000", NODES), (r"final mask is 0xff", NODES))),
    ("QMP_gcomm_perf", ("-v", "10"), ((r"Verification is on", NODES), (r"Summing an int on 8 nodes", NODES))),
    ("QMP_qcd_test", ("3", "960", "-v"), ((r"Sending using 6 channels with memory size 960", NODES),)),
    ("QMP_perf", ("-size", "960", "-loops", "3"),
     ((r"finished simultaneous sends", 1), (r"finished ping pong sends", 1), (r"finished one way sends", 1))),
    ("QMP_grid_test", (), ((r"recv0 = XXtest stringXX", 12), (r"recv1 = XXanother testXX", 12))),
    ("QMP_MILC_test", (), ((r"Receiving bandwidth with message size 960", NODES - 1),
                           (r"Sending bandwidth for 7 number nodes", 1))),
    ("QMP_stride_test", (), ((r"Sending success 0", NODES), (r"Received ok 0", NODES))),
    ("QMP_loopback", (), ((r"Sending success \d", 10 * NODES), (r"Received ok \d", 10 * NODES))),
    ("QMP_test", (), ((r"Sending success \d", 10 * NODES), (r"Received ok \d", 10 * NODES))),
)
COMPLAINT = re.compile(r"error|cannot|failed|Expecting", re.IGNORECASE)


def build(job):
    tree = job.work / "tree"
    tree.mkdir(exist_ok=True)
    for name, _, _ in EXAMPLES:
        job.call(name, ["hypertorus-cc", "-std=gnu99", "-O2", "-o", tree / name, job.source / "examples" / f"{name}.c",
                        f"-L{job.prefix}/lib", "-lqmp", "-lm"])


def checker(wanted):
    def check(output):
        # exec's own lines, and its progress, begin otherwise.
        lines = (output.stdout + output.stderr).splitlines()
        for line in lines:
            if COMPLAINT.search(line) and not line.startswith("hypertorus: "):
                raise Difference(f"it says: {line}")
        shown = []
        for pattern, times in wanted:
            found = [line for line in lines if re.search(pattern, line)]
            if len(found) != times:
                raise Difference(f"{len(found)} lines, not {times}, say \"{pattern}\"")
            shown.append(f"{times} of {times} nodes' lines: {found[0].strip()}")
        return shown
    return check


def runs(job):
    numbers = job.work / "QMP_MILC_test.in"
    numbers.write_text("960 3\n")
    for name, arguments, wanted in EXAMPLES:
        # It receives into 50 bytes what is sent as 13.
        options = ("--any-lengths",) if name == "QMP_grid_test" else ()
        yield Run(name, [job.work / "tree" / name, *arguments], checker(wanted), job.work,
                  numbers if name == "QMP_MILC_test" else None, options=options)
