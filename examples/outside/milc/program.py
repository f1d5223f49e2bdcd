# SPDX-License-Identifier: Apache-2.0
"""MILC (github.com/milc-qcd/milc_qcd): applications against their own sample outputs, by their own diffn3.pl."""
import subprocess

from job import Difference, Run

# Application, target, the lines compared (as its test/checklist says them), what its make is given besides.
# ks_imp_dyn's list of objects lacks reunitarize_ks.o, and two sites a node are too few for its combined gathers.
APPLICATIONS = (
    ("pure_gauge", "su3_ora", ("WARMUPS", "RUNNING"), ()),
    ("clover_dynamical", "su3_rmd", ("START", "RUNNING"), ()),
    ("ks_imp_dyn", "su3_rmd", ("WARMUPS", "RUNNING"),
     ("MACHINE_DEP_IO=io_ansi.o reunitarize_ks.o", "KSCGSTORE=-DDBLSTORE_FN -DFEWSUMS")),
)


def build(job):
    for application, target, _, options in APPLICATIONS:
        folder = job.source / application
        (folder / "Makefile").write_bytes((job.source / "Makefile").read_bytes())
        job.call(f"make {application} {target}", [
            "make", target, "MPP=true", "PRECISION=1", "OPT=-O2", "MY_CC=hypertorus-cc", "MY_CXX=hypertorus-c++", "WANTQMP=true",
            f"QMPPAR={job.prefix}", "QMP_BACKEND=", *options], folder)


def compared(job, patterns, text):
    """What MILC's Make_test_template compares of an output."""
    chosen = subprocess.run(["perl", job.source / "headtail.pl", *patterns], input=text, capture_output=True, text=True,
                            check=True).stdout.splitlines(keepends=True)
    return [line for line in chosen if "warning" not in line.lower() and "time =" not in line and not line.startswith("#")]


def runs(job):
    for application, target, patterns, _ in APPLICATIONS:
        tests = job.source / application / "test"

        def check(output, application=application, tests=tests, target=target, patterns=patterns):
            ours = compared(job, patterns, output.stdout)
            reference = compared(job, patterns, (tests / f"{target}.1.sample-out").read_text())
            mine, sample = (job.work / f"{application}-{target}.{job.machine}.{kind}" for kind in ("compared", "reference"))
            mine.write_text("".join(ours))
            sample.write_text("".join(reference))
            diff = subprocess.run(["perl", job.source / "diffn3.pl", mine, sample, tests / f"{target}.1.errtol"],
                                  capture_output=True, text=True)
            # The verdict is in words: its exit code is 0 either way.
            if diff.returncode != 0 or " NOT OK " in diff.stderr or not diff.stderr.rstrip().endswith(" OK"):
                raise Difference("diffn3.pl: " + (diff.stderr or diff.stdout).strip().splitlines()[-1])
            return [line for pair in zip(ours, reference) for line in (f"ours {pair[0].rstrip()}", f"MILC {pair[1].rstrip()}")
                    if any(c.isdigit() for c in line)] + ["diffn3.pl: OK"]

        yield Run(f"{application}-{target}", [f"../{target}"], check, tests, tests / f"{target}.1.sample-in")
