#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shrink_test.py BUILD: a network that gives every sum of floats one too much is seen by random programs, and the
program that is left of a long one is that sum alone; seeds are repeatable, and refused shards are named."""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import random_programs as programs  # noqa: E402


class Broken(programs.Runner):
    """Compiles as the other does, with a QMP_sum_float_array() that is wrong."""

    def source_of(self, program):
        wrong = ("static QMP_status_t wrong_sum(float* v, int n) { QMP_status_t s = QMP_sum_float_array(v, n); v[n - 1] += 1; return s; }\n"
                 "#define QMP_sum_float_array wrong_sum\n")
        return super().source_of(program).replace("int main(", wrong + "int main(", 1)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    assert programs.as_c(programs.draw(12)) == programs.as_c(programs.draw(12)), "a seed draws two programs"
    seed = next(s for s in range(1, 1000) if any(step["kind"] == "array" for step in programs.draw(s).steps)
                and len(programs.draw(s).steps) > 6)
    with tempfile.TemporaryDirectory() as folder:
        runner = Broken(build, pathlib.Path(folder))
        program = programs.draw(seed)
        assert runner.failure(program, "functional") is not None, "a wrong sum is not seen"
        small, why = programs.shrink(program, "functional", runner)
        assert [step["kind"] for step in small.steps] == ["array"], f"left of it: {small.steps}"
        assert small.steps[0]["length"] == 1 and "a sum is wrong" in why, why
        assert programs.Runner(build, pathlib.Path(folder)).failure(program, "functional") is None, "it fails unbroken, too"
    for arguments in (["--shard", "3/2"], ["--count", "0"], ["--build", "/nowhere"]):
        refused = subprocess.run([sys.executable, HERE / "random_programs.py", "--build", build, *arguments], capture_output=True, text=True)
        assert refused.returncode == 2 and arguments[0] in refused.stderr, refused
    print(f"seed {seed}: {len(program.steps)} steps, shrunk to one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
