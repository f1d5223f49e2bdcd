# SPDX-License-Identifier: Apache-2.0
"""What the programs here share: a copy of the checkout, an installation of hypertorus, and runs by `hypertorus exec`."""
import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
import typing


class Usage(Exception):
    """What the user named is not there."""


class BuildFailure(Exception):
    """The program, or hypertorus' installation, could not be built."""


class Difference(Exception):
    """A run's output is not its reference's, or its program failed."""


@dataclasses.dataclass
class Output:
    """What a run printed on each stream, its exit code, and the last line of exec."""
    stdout: str
    stderr: str
    code: int
    machine: str


@dataclasses.dataclass
class Run:
    """One run of a program. `check` takes the Output and returns lines to show, each ours beside its reference; it
    raises Difference."""
    name: str
    command: list
    check: typing.Callable
    folder: pathlib.Path = None
    stdin: pathlib.Path = None
    nodes: str = "2x2x2"
    options: tuple = ()  # more of them for exec
    environment: dict = dataclasses.field(default_factory=dict)


class Job:
    """One program on one machine: folders are `source` (the copy of the checkout) and `prefix` (hypertorus)."""

    def __init__(self, name, checkout, machine, build, work):
        self.name, self.checkout, self.machine, self.build_tree, self.work = name, checkout, machine, build, work
        self.source, self.prefix = work / "source", work / "prefix"

    def install(self):
        """Installs hypertorus into the work folder, as a user does."""
        self.work.mkdir(parents=True, exist_ok=True)
        self._call("installing hypertorus", ["cmake", "--install", self.build_tree, "--prefix", self.prefix],
                   self.work, "install.log", {})

    def build(self, program):
        """Builds the program unless that was done before: with the same scripts, checkout and libraries."""
        stamp = self.work / "built"
        state = self._state(pathlib.Path(program.__file__).parent)
        if stamp.is_file() and stamp.read_text() == state:
            return
        stamp.unlink(missing_ok=True)
        self.copy(self.checkout, self.source)
        program.build(self)
        stamp.write_text(state)

    def copy(self, origin, target):
        """Copies a folder, in place of what was there, without version control's files; links stay links."""
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(origin, target, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))

    def dependency(self, name, inside):
        """Copies sources that the program needs to `inside` its own: a submodule, or a checkout beside this one."""
        for origin in (self.checkout / inside, self.checkout.parent / name):
            if origin.is_dir() and any(origin.iterdir()):
                self.copy(origin, self.source / inside)
                return self.source / inside
        raise Usage(f"{self.name} needs {name}: as its submodule {inside}, or a checkout of it in {self.checkout.parent}")

    def build_mpi(self):
        """MPI over QMP (mpi/): the folder that has mpi.h and libmpi.a."""
        folder = self.work / "mpi"
        self.copy(pathlib.Path(__file__).parent / "mpi", folder)
        for name in ("mpi", "messages", "topology"):
            self.call(f"mpi {name}", ["hypertorus-cc", "-std=c99", "-O2", "-I.", "-c", f"{name}.c"], folder)
        self.call("mpi archive", ["ar", "rcs", "libmpi.a", "mpi.o", "messages.o", "topology.o"], folder)
        return folder

    def call(self, what, command, folder=None, **environment):
        """A step of the build, with hypertorus' commands in the path; its output goes to a file."""
        folder = self.source if folder is None else folder
        self._call(what, command, folder, what.replace(" ", "-").replace("/", "-") + ".log", environment)

    def execute(self, run):
        """The program on all nodes of the machine."""
        place = ["--network", "functional"] if self.machine == "functional" else [self.machine]
        command = [self.prefix / "bin" / "hypertorus", "exec", *place, "--nodes", run.nodes, "--output", "plain", *run.options,
                   "--", *run.command]
        stdin = open(run.stdin, "rb") if run.stdin else subprocess.DEVNULL
        out, err = (self.work / f"{run.name}.{self.machine}.{stream}" for stream in ("out", "err"))
        folder = self.source if run.folder is None else run.folder
        with open(out, "wb") as stdout, open(err, "wb") as stderr:
            code = subprocess.run(command, stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder,
                                  env={**os.environ, **run.environment}).returncode
        # Progress ends in a carriage return.
        errors = err.read_text(errors="replace").replace("\r", "\n")
        machine = [line for line in errors.splitlines() if line.startswith("hypertorus: ") and " in the machine" in line]
        return Output(out.read_text(errors="replace"), errors, code, machine[-1] if machine else "")

    def show(self, run):
        """Runs, and prints our lines beside the reference's."""
        print(f"{run.name} on {self.machine}, {run.nodes}", flush=True)
        output = self.execute(run)
        where = f"see {self.work / run.name}.{self.machine}.out and .err"
        if output.code != 0:
            ours = [line for line in output.stderr.splitlines() if line.startswith("hypertorus: ")]
            raise Difference(f"{self.name} on {self.machine}: {run.name} ended with {output.code}"
                             f" ({ours[-1] if ours else 'no line of hypertorus'}): {where}")
        try:
            lines = run.check(output)
        except Difference as error:
            raise Difference(f"{self.name} on {self.machine}: {run.name}: {error}: {where}") from None
        if not lines:
            raise Difference(f"{self.name} on {self.machine}: {run.name}: nothing was compared: {where}")
        for line in lines:
            print(f"    {line}")
        print(f"    {output.machine}", flush=True)

    def _state(self, scripts):
        """What a build depends on, as text."""
        digest = hashlib.sha256(str(self.checkout).encode())
        files = [*sorted(scripts.glob("*")), *sorted((scripts.parent / "mpi").glob("*")), pathlib.Path(__file__),
                 *sorted((self.prefix / "include").glob("*")),
                 *sorted((self.prefix / "lib" / "hypertorus").glob("lib*.a")), *sorted((self.prefix / "bin").glob("*-c*"))]
        for file in files:
            if file.is_file() and file.suffix != ".md":
                digest.update(file.read_bytes())
        return digest.hexdigest()

    def _call(self, what, command, folder, log, environment):
        path = f"{self.prefix / 'bin'}:{os.environ['PATH']}"
        with open(self.work / log, "wb") as output:
            try:
                code = subprocess.run([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                      stderr=subprocess.STDOUT, env={**os.environ, "PATH": path, **environment}).returncode
            except FileNotFoundError as error:
                raise BuildFailure(f"{self.name}: {what}: {error.filename} is not installed") from None
        if code != 0:
            raise BuildFailure(f"{self.name}: {what} failed: see {self.work / log}")
