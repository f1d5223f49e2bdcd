#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of examples/outside that need nobody's sources: MPI over QMP, what run.py says, and that its checks can fail.

    outside_test.py SOURCE BUILD
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import types

SOURCE, BUILD = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
OUTSIDE = SOURCE / "examples" / "outside"
sys.path.insert(0, str(OUTSIDE))
sys.dont_write_bytecode = True
from job import Difference, Output  # noqa: E402

failures = []


def expect(good, what):
    if not good:
        failures.append(what)


def program(name):
    spec = importlib.util.spec_from_file_location(name, OUTSIDE / name / "program.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differs(check, stdout, stderr=""):
    try:
        check(Output(stdout, stderr, 0, ""))
    except Difference:
        return True
    return False


def run(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if name != "HYPERTORUS_OUTSIDE"}
    return subprocess.run([sys.executable, OUTSIDE / "run.py", *arguments], capture_output=True, text=True,
                          env={**clean, **environment})


def mpi_over_qmp(folder):
    """tests/cli/programs/messages_of_mpi.c, on eight nodes."""
    mpi = OUTSIDE / "mpi"
    binary = folder / "messages_of_mpi"
    subprocess.run([BUILD / "bin" / "hypertorus-cc", "-std=c99", "-g", "-Wall", "-Wextra", "-Werror", f"-I{mpi}",
                    "-o", binary, SOURCE / "tests/cli/programs/messages_of_mpi.c", mpi / "mpi.c", mpi / "messages.c"], check=True)
    result = subprocess.run([BUILD / "bin" / "hypertorus", "exec", "--network", "functional", "--nodes", "2x2x2", "--output",
                             "plain", "--", binary], capture_output=True, text=True)
    expect(result.returncode == 0 and result.stdout == "0 failures\n" * 8, f"MPI over QMP: {result.stdout}{result.stderr}")


def what_run_says(folder):
    for arguments, environment, code, text in (
            (["nobody"], {}, 2, "run.py: nobody: no such program; known: "),
            (["qio"], {}, 2, "SKIPPED: qio: no --checkout, and HYPERTORUS_OUTSIDE"),
            (["qio"], {"HYPERTORUS_OUTSIDE": str(folder)}, 2, f"SKIPPED: qio: {folder}/qio is no checkout"),
            (["qio", "--checkout", str(OUTSIDE / "qio"), "--build", str(folder / "none"), "--work", str(folder / "work")], {}, 12,
             "run.py: qio: installing hypertorus failed: see ")):
        result = run(*arguments, **environment)
        expect(result.returncode == code and text in result.stderr and len(result.stderr.splitlines()) == 1,
               f"run.py {arguments}: {result.returncode} {result.stderr}")


def checks_can_fail():
    qio = program("qio")
    good = "qio_test(0): Comparison of in and out suN fields |in - out|^2 = 0\n" + "".join(
        f"qio_test({node}): Test passed\n" for node in range(8))
    expect(not differs(qio.check, good), "qio: a good output")
    expect(differs(qio.check, good.replace("qio_test(5): Test passed\n", "")), "qio: a node without a verdict")
    expect(differs(qio.check, good.replace("qio_test(5): Test passed", "qio_test(5): Test failed")), "qio: a failed test")
    check = program("qmp").checker(((r"sum is 32", 2),))
    expect(not differs(check, "sum is 32\nsum is 32\n"), "qmp: a good output")
    expect(differs(check, "sum is 32\n"), "qmp: a node without its line")
    expect(differs(check, "sum is 32\nsum is 32\n", "QMP node 3: Receiving error on loop 1"), "qmp: a complaint on stderr")


def checks_against_one_node(folder):
    """QDP/C's, with what a run on one node printed in files."""
    qdpc, job = program("qdpc"), types.SimpleNamespace(work=folder)
    (folder / "one-node-plaquette_f3.log").write_text("plaquette = -0.06885\n")
    check = qdpc.plaquette(job, "plaquette_f3")
    expect(not differs(check, "plaquette = -0.06885\n"), "qdpc: a good plaquette")
    expect(differs(check, "plaquette = -0.06886\n"), "qdpc: another plaquette")
    expect(differs(check, "plaquette = nan\n"), "qdpc: no number")
    expect(differs(check, ""), "qdpc: no plaquette")
    good = "writing field, norm = 99985.3\n" + "read field,   norm = 99985.3  error = 0\n" * 4
    (folder / "one-node-qdpio_test_f3.log").write_text(good)
    check = qdpc.read_back(job, "qdpio_test_f3")
    expect(not differs(check, good), "qdpc: fields read back")
    expect(differs(check, good.replace("error = 0", "error = 1e-09", 1)), "qdpc: a field read with an error")
    expect(differs(check, good.replace("norm = 99985.3", "norm = 99995.3", 1)), "qdpc: another norm")
    good = "initial norm = 1.5e+06\n     0 c=6.9e+06\n     1 c=9e-05\nconjugate gradient steps: 1\n"
    (folder / "one-node-sample_wilson_f3.log").write_text(good)
    check = qdpc.solver(job, "sample_wilson_f3")
    expect(not differs(check, good), "qdpc: a solution")
    expect(differs(check, good.replace("steps: 1", "steps: 2")), "qdpc: another number of steps")
    expect(differs(check, good.replace("c=9e-05", "c=9.1e-05")), "qdpc: another residual")


with tempfile.TemporaryDirectory() as name:
    mpi_over_qmp(pathlib.Path(name))
    what_run_says(pathlib.Path(name))
    checks_against_one_node(pathlib.Path(name))
checks_can_fail()
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
