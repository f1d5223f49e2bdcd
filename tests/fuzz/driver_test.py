#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A finding of our own driver is kept, and said with the command that runs it again.

    driver_test.py FUZZ_FLAWED CORPUS WORK
"""
import pathlib
import shutil
import subprocess
import sys


def run(*words, work):
    ended = subprocess.run([str(w) for w in words], cwd=work, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def main():
    program, corpus, work = (pathlib.Path(a).absolute() for a in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    code, text = run(program, corpus, work=work)
    assert code == 0, f"the seeds alone are no finding: {text}"
    code, text = run(program, corpus, "--executions", "2000", work=work)
    assert code != 0 and "property violated: a length beyond" in text, f"the fault is not found: {text}"
    kept = work / f"{program.name}.input"
    assert f"run it again: {program} {kept}" in text, text
    first = kept.read_bytes()
    assert first[:1] == b"L" and first[1] > len(first) - 2, f"{first!r} is not the input that it was"
    # The same inputs are made every time.
    run(program, corpus, "--executions", "2000", work=work)
    assert kept.read_bytes() == first, "another input the second time"
    code, text = run(program, kept, work=work)
    assert code != 0, f"the input that was kept does it no more: {text}"
    code, text = run(program, work / "nothing", work=work)
    assert code == 2 and "no seeds" in text, f"nothing to run, and no complaint: {text}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
