#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ./hypertorus builds and starts for a command, with stand-ins for all that it calls.

    launcher_test.py SOURCE
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Each writes its name and arguments into a log, one call a line.
NOTE = '#!/bin/sh\necho "${0##*/} $*" >> "$LOG"\n'
STANDINS = {
    "ninja": NOTE,
    "ctest": NOTE,
    "verilator": NOTE,
    "cmake": NOTE + 'if [ "$1" = --preset ]; then\n'
                    '  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" > "build/$2/CMakeCache.txt" && '
                    'echo "build test_a: phony test_a" > "build/$2/build.ninja"\nfi\n',
    "dpkg-query": "#!/bin/sh\nfor name; do echo \"installed $name\"; done\n",
}


class Tree:
    """A tree with the launcher, two machines, and nothing else."""

    def __init__(self, source, folder):
        self.root, self.log = folder / "tree", folder / "log"
        (self.root / "cmake").mkdir(parents=True)
        shutil.copy(source / "hypertorus", self.root)
        shutil.copy(source / "cmake" / "debian-packages.txt", self.root / "cmake")
        (self.root / "CMakePresets.json").write_text("{}\n")
        (self.root / "CMakeLists.txt").write_text("set(HYPERTORUS_MACHINES alpha beta)\n")
        self.tools = folder / "tools"
        self.build = self.root / "build" / "release"
        for place, names in ((self.tools, STANDINS), (self.build / "bin", ("hypertorus", "hypertorus-cc", "hypertorus-c++"))):
            place.mkdir(parents=True)
            for name in names:
                (place / name).write_text(STANDINS.get(name, NOTE))
                (place / name).chmod(0o755)

    def calls(self, *arguments, machines="", code=0):
        """What was called, less configuration."""
        self.log.write_text("")
        environment = {"PATH": f"{self.tools}:/usr/bin:/bin", "LOG": str(self.log), "HYPERTORUS_MACHINES": machines}
        done = subprocess.run([self.root / "hypertorus", *arguments], env=environment, capture_output=True, text=True, check=False)
        if done.returncode != code:
            sys.exit(f"{arguments}: exit code {done.returncode}, expected {code}\n{done.stderr}")
        self.said = done.stdout + done.stderr
        return [line.replace(f"ninja -C {self.build} ", "ninja ") for line in self.log.read_text().splitlines()
                if not line.startswith("cmake --preset")]

    def ended(self, words, tool, number):
        """What is said when a signal comes while that tool works, which must end, with what it started; and the code."""
        whole = (self.tools / tool).read_text()
        # Its own process and its child hold the file open and locked.
        held = self.log.with_name("held")
        (self.tools / tool).write_text(f'#!/bin/sh\nexec 8>>"{held}"\nflock 8\necho "{tool} began" >> "$LOG"\nsleep 600\n')
        self.log.write_text("")
        environment = {"PATH": f"{self.tools}:/usr/bin:/bin", "LOG": str(self.log)}
        # Whatever this test was started under, as nohup.
        def heed():
            for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(one, signal.SIG_DFL)

        with subprocess.Popen([self.root / "hypertorus", *words], env=environment, text=True, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, start_new_session=True, preexec_fn=heed) as launcher:
            for _ in range(200):
                if f"{tool} began" in self.log.read_text():
                    break
                time.sleep(0.05)
            launcher.send_signal(number)
            try:
                code = launcher.wait(5)
            except subprocess.TimeoutExpired:
                code = None
            left = subprocess.run(["flock", "-n", held, "true"], check=False).returncode
            lock = subprocess.run(["flock", "-n", self.build / ".lock", "true"], check=False).returncode
            if code is None or left or lock:
                os.killpg(launcher.pid, signal.SIGKILL)
                for pid in (int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit()):
                    try:
                        if os.path.samefile(f"/proc/{pid}/fd/8", held):
                            os.kill(pid, signal.SIGKILL)
                    except OSError:
                        pass
            said = launcher.stderr.read().splitlines()
        (self.tools / tool).write_text(whole)
        return code, bool(left), bool(lock), said[-1:]


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="launcher test ") as scratch:
        tree = Tree(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(scratch))
        outside = pathlib.Path(scratch) / "outside"
        outside.mkdir()

        def check(arguments, *expected, **more):
            nonlocal failed
            got = tree.calls(*arguments.split(), **more)
            if got != list(expected):
                failed += 1
                print(f"./hypertorus {arguments}\n  called   {got}\n  expected {list(expected)}")

        check("run", "ninja hypertorus machine-alpha", "hypertorus run")
        check("run beta --report r.html", "ninja hypertorus report machine-beta", "hypertorus run beta --report r.html")
        check("exec beta -- ./alpha", "ninja hypertorus command-exec ht_node machine-beta", "hypertorus exec beta -- ./alpha")
        check("compare", "ninja hypertorus command-compare machine-alpha machine-beta", "hypertorus compare")
        check("inject beta", "ninja hypertorus command-inject machine-beta campaign-beta", "hypertorus inject beta")
        check("gauge info a", "ninja hypertorus command-gauge", "hypertorus gauge info a")
        check("cc -O2 -o a a.c", "ninja ht_node", "hypertorus-cc -O2 -o a a.c")
        check("c++ -o a a.cpp", "ninja ht_node", "hypertorus-c++ -o a a.cpp")
        check("test", "ninja all", "ctest --preset release -j2 -LE ^nightly$")
        check("test lint", "ninja all", "ctest --preset release -j2 -LE ^nightly$ -L ^lint$")
        check("test test_a", "ninja test_a", "ctest --preset release -j2 -LE ^nightly$ -R ^test_a:")
        check("test test_a --nightly", "ninja test_a", "ctest --preset release -j2 -R ^test_a:")

        # Tests send signals to what they start: those are not ignored.
        (tree.tools / "ctest").write_text('#!/bin/sh\ngrep SigIgn /proc/self/status >> "$LOG"\n')
        ignored = int(tree.calls("test")[-1].split()[-1], 16)
        (tree.tools / "ctest").write_text(NOTE)
        if ignored & (1 << signal.SIGINT - 1 | 1 << signal.SIGQUIT - 1):
            failed += 1
            print(f"ctest is started with signals ignored: {ignored:x}")

        # A signal ends what it started, and says so in one line.
        for number, said in ((signal.SIGTERM, "ended by SIGTERM"), (signal.SIGHUP, "ended by SIGHUP"), (signal.SIGINT, "interrupted")):
            for words, tool in ((["run"], "ninja"), (["run"], "cmake"), (["test", "-R", "a"], "ctest")):
                if tool == "cmake":
                    (tree.build / "build.ninja").unlink()
                got = tree.ended(words, tool, number)
                if got != (128 + number, False, False, [f"hypertorus: {said}"]):
                    failed += 1
                    print(f"{number.name} in {tool}: code, tool left, lock held, last line: {got}")

        check("test test_b", "ninja build.ninja", code=2)
        check("test --help")
        if not tree.said.startswith("  test ...") or "fpga" in tree.said:
            failed += 1
            print(f"test --help:\n{tree.said}")
        tree.calls("test", "test_ab", code=2)
        if tree.said != "hypertorus: there is no program of tests test_ab; did you mean test_a?\n":
            failed += 1
            print(f"test test_ab:\n{tree.said}")

        # ctest would ignore it when all is built.
        (tree.tools / "ctest").write_text('#!/bin/sh\n[ "$1" != --help ] || echo "  --output-on-failure = say more"\n')
        tree.calls("test", "--output-on-failure")
        check("test -R a --output-on-failrue", code=2)
        if "--output-on-failrue: neither test nor ctest" not in tree.said:
            failed += 1
            print(f"test --output-on-failrue:\n{tree.said}")
        (tree.tools / "ctest").write_text(NOTE)

        for word in ("rnu", "-x"):
            check(word, code=2)   # nothing is built for it
            if tree.said != f"hypertorus: no command {word}: ./hypertorus --help lists them\n":
                failed += 1
                print(f"{word}:\n{tree.said}")

        # A machine outside of the tree: its folder is built again, if it is of this build tree.
        machines = str(outside)
        for name, built in ((tree.build, True), (tree.root, False)):
            (outside / "CMakeCache.txt").write_text(f"HYPERTORUS_BUILD:PATH={name}\n")
            again = [f"cmake --build {outside}"] if built else []
            check("run", "ninja hypertorus machine-alpha", *again, "hypertorus run", machines=machines)
        (outside / "hypertorus-machine-gamma.so").write_text("")
        check("run gamma", "ninja hypertorus", "hypertorus run gamma", machines=machines)
        check("compare gamma beta", "ninja hypertorus command-compare machine-beta", "hypertorus compare gamma beta", machines=machines)
        (outside / "CMakeCache.txt").write_text(f"HYPERTORUS_BUILD:PATH={tree.build}\n")
        (tree.tools / "cmake").write_text("#!/bin/sh\necho it is broken && exit 1\n")
        check("run gamma", "ninja hypertorus", machines=machines, code=12)
    print("failed" if failed else "the launcher builds and starts what it should")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
