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
        for machine in ("one", "two"):
            (root / "sim" / machine).mkdir(parents=True)
            (root / "sim" / machine / "description.cpp").touch()
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
        first = table.read_text().split("\t")[0]
        assert f"| two: fails, (1) | {first} | failed |" in said and "1 passed, 1 failed, 1 skipped" in said, said
        # what stands at a commit that changes a text alone, and not at one that changes what was tested
        def change(name, text):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
            subprocess.run([*git, "add", name], check=True)
            subprocess.run([*git, "commit", "-q", "-m", "b"], check=True)

        change("page.md", "a text")
        said = nightly("run", table, code=1)
        assert "..." not in said and "1 failed" in said, said
        assert f"| {first} | passed |" in nightly("show", table, code=1)
        change("docs/figure.py", "a script")
        assert f"| {first} | passed |" in nightly("show", table, code=1)
        # a machine's own tests read no other machine's folders
        (build / "CTestTestfile.cmake").write_text("".join(
            f'add_test("{name}" sh "-c" "exit 0")\nset_tests_properties("{name}" PROPERTIES LABELS nightly)\n'
            for name in ("test_one_lanes: all", "test_two_x: One's bits", "fpga: the page has the cells")))
        other = root / "other"
        nightly("run", other, code=0)
        # and what holds a page to something reads pages
        assert "the page has" in nightly("show", other, code=0)
        change("page.md", "another text")
        assert "the page has" not in nightly("show", other, code=0)
        change("rtl/two/code.v", "1")
        said = nightly("show", other, code=0)
        assert "test_one_lanes" in said and "test_two_x" not in said, said
        change("rtl/one/code.v", "1")
        assert "0 passed" in nightly("show", other, code=0)
        (build / "CTestTestfile.cmake").write_text(TESTS)
        change("code", "1")
        assert "0 passed, 0 failed" in nightly("show", table, code=0)
        said = nightly("run", table, "--only", "one", code=0)
        assert "one: passes ..." in said, said
        said = nightly("show", table, "--all", code=0)
        assert "| three: is skipped | | - | |" in said and "2 without a result" in said, said
        # records are part of the tree, and what is added to them is no change of it
        change("tests/records/nightly.tsv", "")
        for _ in range(2):
            nightly("run", root / "tests/records/nightly.tsv", "--only", "one|three", code=0)
        said = (root / "tests/records/nightly.tsv").read_text()
        assert said.count("\n") == 2 and "+" not in said, said
        change("tests/records/nightly.tsv", said)
        assert "1 passed, 0 failed, 1 skipped" in nightly("show", root / "tests/records/nightly.tsv", code=0)
        # of an unknown commit, or of a tree with changes, nothing is known here
        table.write_text("0123abc\tone: passes\tpassed\t1\n" + f"{first}+\tthree: is skipped\tskipped\t1\n")
        assert "0 passed, 0 failed, 0 skipped" in nightly("show", table, code=0)
        # piece by piece: one of them notices nothing
        (build / "CTestTestfile.cmake").write_text('add_test("mutants" sh "-c" "exit 0")\nset_tests_properties("mutants" PROPERTIES LABELS nightly)\n')
        (root / "tests/mutants").mkdir()
        (root / "tests/mutants/mutants.py").write_text("#!/bin/sh\necho survived: $*\n[ $4 != 7/64 ]\n")
        (root / "tests/mutants/mutants.py").chmod(0o755)
        table.write_text("")
        said = nightly("run", table, code=1)
        assert "64 pieces of nightly work, 1 failed" in said and f"survived: --work {build}/tests/mutants/copies --shard 7/64" in said, said
        # bad input
        assert "--shard 3/2: write I/N" in nightly("run", table, "--shard", "3/2", code=2)
        assert "nothing nightly has such a name" in nightly("run", table, "--only", "five", code=2)
        table.write_text("a\tb\n")
        assert "line 1: not commit" in nightly("show", table, code=2)
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
