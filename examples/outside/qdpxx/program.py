# SPDX-License-Identifier: Apache-2.0
"""QDP++ (github.com/usqcd-software/qdpxx): its examples, against the values of a serial run that lie beside them
(*.intel-scalar.xml), or by what they compare themselves."""
import re

from job import Difference, Run

EXAMPLES = ("t_shift", "t_io", "t_nersc", "t_dslashm", "t_map_obj_memory")
# The references have single precision, some six digits.
TOLERANCE = 1e-5


def build(job):
    for name in ("libintrin", "filedb", "xpath_reader", "qio"):
        job.dependency(name, f"other_libs/{name}")
    job.dependency("c-lime", "other_libs/qio/other_libs/c-lime")
    job.call("autoreconf", ["autoreconf", "-i"])
    # A header of it uses std::array without saying so.
    job.call("configure", ["./configure", "--enable-parallel-arch=parscalar", f"--with-qmp={job.prefix}",
                           "--enable-precision=double", "CXX=hypertorus-c++", "CC=hypertorus-cc", "CFLAGS=-O1 -std=gnu99",
                           "CXXFLAGS=-O1 -std=c++14 -w -include array"])
    job.call("make", ["make"])
    job.call("make examples", ["make", *EXAMPLES], job.source / "examples")


def numbers(text):
    return [float(value) for value in re.findall(r">\s*([-+]?\d[\d.]*(?:[eE][-+]?\d+)?)\s*<", text)]


def against_serial_run(job, name, folder):
    def check(_):
        ours = numbers((folder / f"{name}.xml").read_text())
        reference = numbers((job.source / "examples" / f"{name}.intel-scalar.xml").read_text())
        if len(ours) != len(reference) or not ours:
            raise Difference(f"{len(ours)} values, {len(reference)} in the reference")
        for i, (mine, theirs) in enumerate(zip(ours, reference)):
            if not abs(mine - theirs) <= TOLERANCE * max(1, abs(theirs)):
                raise Difference(f"value {i} of {len(ours)} is {mine}, {theirs} in the reference")
        return [f"ours {mine:.6g}  serial run {theirs:.6g}" for mine, theirs in list(zip(ours, reference))[-3:]] + [
            f"{len(ours)} of {len(reference)} values of {name}.xml agree with {name}.intel-scalar.xml"]
    return check


def same_plaquette(output):
    """Written, and read back."""
    shown = re.findall(r"^(w_plaq|link) = (\S+)$", output.stdout, flags=re.MULTILINE)
    if len(shown) != 4 or any(abs(float(a[1]) - float(b[1])) > 1e-7 for a, b in zip(shown[:2], shown[2:])):
        raise Difference(f"plaquette and link, before and after: {shown}")
    return [f"written {a[0]} = {a[1]}  read {b[1]}" for a, b in zip(shown[:2], shown[2:])]


def small_differences(output):
    """Of the optimized Dslash from a plain one, both signs and checkerboards."""
    lines = re.findall(r"^isign=\S+ cb=\S+ Diff = \S+$", output.stdout, flags=re.MULTILINE)
    if len(lines) != 4 or any(not float(line.split()[-1]) < 1e-12 for line in lines):
        raise Difference(f"differences {lines}")
    return lines


def all_ok(output):
    steps = output.stdout.count("OK")
    if "FAIL" in output.stdout or steps < 10:
        raise Difference(f"{steps} steps are OK" + (", one failed" if "FAIL" in output.stdout else ""))
    return [f"{steps} steps OK"]


def runs(job):
    folder = job.work / f"run.{job.machine}"
    folder.mkdir(exist_ok=True)
    checks = {"t_nersc": same_plaquette, "t_dslashm": small_differences, "t_map_obj_memory": all_ok}
    # Nodes send hundreds of messages before the first is received: on QPACE they would fill the links of packets that
    # nodes in between pass on, unless each waits for its receive.
    options = ("--any-lengths",) if job.machine == "qpace" else ()
    for name in EXAMPLES:
        check = checks.get(name) or against_serial_run(job, name, folder)
        for stale in folder.glob(f"{name}.*"):
            stale.unlink()
        yield Run(name, [job.source / "examples" / name], check, folder, options=options)
