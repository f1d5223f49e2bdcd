#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests nightly.py in a tree of its own: a build of three nightly tests, of which one fails, one is skipped."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTS = """\
add_test("one: passes" sh "-c" "exit 0")
set_tests_properties("one: passes" PROPERTIES LABELS nightly)
add_test("two: fails, (1)" sh "-c" "echo the cause; exit 3")
set_tests_properties("two: fails, (1)" PROPERTIES LABELS nightly)
add_test("three: is skipped" sh "-c" "echo 'SKIPPED: no data'")
set_tests_properties("three: is skipped" PROPERTIES LABELS nightly SKIP_REGULAR_EXPRESSION "SKIPPED: ")
add_test("four: is of every day" sh "-c" "exit 1")
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "tests" / "nightly").mkdir(parents=True)
        shutil.copy(HERE / "nightly.py", root / "tests" / "nightly")
        build = root / "build" / "release"
        build.mkdir(parents=True)
        (build / "CTestTestfile.cmake").write_text(TESTS)
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", folder]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "a"], check=True)
        table = root / "table"

        def nightly(*words, code):
            done = subprocess.run(["python3", root / "tests/nightly/nightly.py", *words], capture_output=True, text=True, check=False)
            assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
            return done.stdout + done.stderr

        # the second piece alone; then all, which does not do it again
        said = nightly("run", table, "--shard", "2/2", code=1)
        assert "two: fails, (1) ..." in said and "the cause" in said and "one" not in said, said
        said = nightly("run", table, code=1)
        assert "two" not in said and "3 pieces of nightly work, 1 failed" in said, said
        assert [line.split("\t")[1:3] for line in table.read_text().splitlines()] == [
            ["two: fails, (1)", "failed"], ["one: passes", "passed"], ["three: is skipped", "skipped"]]
        said = nightly("show", table, code=1)
        assert "| two: fails, (1) | failed |" in said and "1 passed, 1 failed, 1 skipped" in said, said
        # another commit has nothing of it
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "b"], check=True)
        said = nightly("run", table, "--only", "one", code=0)
        assert "one: passes ..." in said, said
        said = nightly("show", table, "--all", code=0)
        assert "| three: is skipped | - | |" in said and "2 without a result" in said, said
        # bad input
        assert "--shard 3/2: write I/N" in nightly("run", table, "--shard", "3/2", code=2)
        assert "nothing nightly has such a name" in nightly("run", table, "--only", "five", code=2)
        table.write_text("a\tb\n")
        assert "line 1: not commit" in nightly("show", table, code=2)
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
