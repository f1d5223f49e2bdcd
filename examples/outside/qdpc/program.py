# SPDX-License-Identifier: Apache-2.0
"""QDP/C (github.com/usqcd-software/qdp) over QLA, QIO and c-lime, whose checkouts lie beside its own: its examples,
against the same program on one node, without exec, and by what they compare themselves.

Of the libraries, only what the examples call is compiled: the makefiles of QLA and QDP/C generate all sources, and
archive what is on their lists of objects, which are shorter here."""
import re
import subprocess

from job import BuildFailure, Difference, Run

EXAMPLES = ("plaquette_f3", "plaquette_d3", "qdpio_test_f3", "qdpio_test_d3", "sample_wilson_f3")
# With hardware, the others were not run to the end.
SHORT = EXAMPLES[:2]
LIBRARIES = ("int", "f", "d", "df", "f3", "d3", "df3")
# qla.h includes these headers, too.
HEADERS = ("q", "dq", "q3", "dq3")
# Six digits are printed; single precision, summed in another order.
TOLERANCE = {"f3": 1e-5, "d3": 2e-6}


def build(job):
    qla, qio = job.dependency("qla", "other_libs/qla"), job.dependency("qio", "other_libs/qio")
    job.dependency("c-lime", "other_libs/qio/other_libs/c-lime")
    installed = job.work / "installed"
    job.call("qio cmake", ["cmake", "-S", qio, "-B", job.work / "qio", "-D", f"CMAKE_PREFIX_PATH={job.prefix}", "-D",
                           "QIO_ENABLE_PARALLEL_BUILD=ON", "-D", "CMAKE_BUILD_TYPE=Release", "-D",
                           f"CMAKE_INSTALL_PREFIX={installed}"])
    job.call("qio make", ["cmake", "--build", job.work / "qio", "--target", "install"])
    flags = ("--enable-nc=3", "CC=hypertorus-cc")
    job.call("qla autoreconf", ["autoreconf", "-i"], qla)
    # It never waits: it is not counted.
    job.call("qla configure", ["./configure", *flags, "CFLAGS=-O1 -std=gnu99 -w --no-yield"], qla)
    job.call("autoreconf", ["autoreconf", "-i"])
    job.call("configure", ["./configure", *flags, f"--with-qmp={job.prefix}", f"--with-qio={installed}",
                           f"--with-qla={qla}", "CFLAGS=-O1 -std=gnu99 -w"])
    for name in (*LIBRARIES, *HEADERS):
        job.call(f"qla sources {name}", ["make", "source-stamp"], qla / "lib" / f"qla_{name}")
    job.call("qla random", ["make"], qla / "lib" / "random")
    job.call("headers", ["make"], job.source / "include")
    job.call("common", ["make"], job.source / "lib" / "qdp_common")
    for name in LIBRARIES:
        job.call(f"sources {name}", ["make", "source-stamp-h", "source-stamp-c"], job.source / "lib" / f"qdp_{name}")
    libraries = [Library(job.source / "lib" / f"qdp_{name}", "QDP") for name in LIBRARIES]
    libraries += [Library(qla / "lib" / f"qla_{name}", "QLA") for name in LIBRARIES]
    compile_called(job, libraries)
    for library in libraries:
        library.archive(job)
    job.call("examples", ["make", *EXAMPLES], job.source / "examples")
    for name in EXAMPLES:
        job.call(f"one node {name}", [job.source / "examples" / name, "-qmp-geom", "1", "1", "1", "1"])


class Library:
    """One library of QLA or QDP/C: its folder, the functions of its sources, the objects that are compiled."""

    def __init__(self, folder, prefix):
        self.folder, self.prefix, self.compiled = folder, prefix, set()
        self.objects = {}  # of a function
        definition = re.compile(rf"^(?!\s)(?:[\w* ]*[ *])?({prefix}_\w+) *\([^;]*$", flags=re.MULTILINE)
        for file in sorted(folder.glob(f"{prefix}_*.c")):
            for function in definition.findall(file.read_text()):
                self.objects.setdefault(function, f"{file.stem}.o")

    def compile(self, job, functions):
        """The objects that were not there before, of the functions that are in this library."""
        new = sorted({self.objects[name] for name in functions if name in self.objects} - self.compiled)
        self.compiled.update(new)
        if new:
            job.call(f"{self.folder.name} {len(self.compiled)}", ["make", *new], self.folder)
        return [self.folder / name for name in new]

    def archive(self, job):
        """By its own rule, of fewer objects."""
        lists = re.findall(rf"^({self.prefix}OBJ\d+) = ", (self.folder / "Makefile").read_text(), flags=re.MULTILINE)
        shorter = [f"{name}=" for name in lists[1:]] + [f"{lists[0]}={' '.join(sorted(self.compiled))}"]
        job.call(f"{self.folder.name} archive", ["make", f"../lib{self.folder.name}.a", *shorter], self.folder)


def undefined(objects):
    """The names that the objects do not define."""
    listing = subprocess.run(["nm", "-u", "-j", "--", *objects], stdout=subprocess.PIPE, text=True, check=False)
    if listing.returncode != 0:
        raise BuildFailure("qdpc: nm failed")
    return set(re.findall(r"^Q(?:DP|LA)_\w+$", listing.stdout, flags=re.MULTILINE))


def compile_called(job, libraries):
    """From the examples' objects on, what is called, and what that calls."""
    folder = job.source / "examples"
    makefile = (folder / "Makefile").read_text()
    objects = []
    for example in EXAMPLES:
        listed = re.search(rf"^am_{example}_OBJECTS = ((?:.*\\\n)*.*)", makefile, flags=re.MULTILINE).group(1)
        objects += [name.replace("$(OBJEXT)", "o") for name in listed.replace("\\\n", " ").split()]
    job.call("examples' objects", ["make", *objects], folder)
    new = [folder / name for name in objects] + sorted((job.source / "lib" / "qdp_common").glob("*.o"))
    while new:
        functions = undefined(new)
        new = [file for library in libraries for file in library.compile(job, functions)]


def values(text, *patterns):
    """The numbers behind what the patterns name, in their order in the text."""
    return [float(value) for value in re.findall(rf"(?:{'|'.join(patterns)})(\S+)", text, flags=re.MULTILINE)]


def compare(job, name, output, *patterns):
    """Ours, and those of the run on one node; all must agree."""
    ours, reference = (values(text, *patterns) for text in
                       (output.stdout, (job.work / f"one-node-{name}.log").read_text()))
    if len(ours) != len(reference) or not ours:
        raise Difference(f"{len(ours)} values, {len(reference)} on one node")
    for mine, other in zip(ours, reference):
        if not abs(mine - other) <= TOLERANCE[name[-2:]] * abs(other):
            raise Difference(f"{mine}, {other} on one node")
    return list(zip(ours, reference))


def plaquette(job, name):
    def check(output):
        return [f"plaquette  ours {mine:g}  one node {other:g}" for mine, other in
                compare(job, name, output, "^plaquette = ")]
    return check


def read_back(job, name):
    """Fields written and read, with their norms and what is left of the difference."""
    def check(output):
        errors = values(output.stdout, "error = ")
        if len(errors) != 4 or any(errors):
            raise Difference(f"errors of what was read {errors}")
        norms = compare(job, name, output, r"norm = ")
        return [f"norm  ours {mine:g}  one node {other:g}" for mine, other in norms] + ["read, error 0: 4 of 4 fields"]
    return check


def solver(job, name):
    """Residuals of the conjugate gradient and its number of steps."""
    def check(output):
        steps = compare(job, name, output, "conjugate gradient steps: ")
        residuals = compare(job, name, output, r"initial norm = ", r"\d c=")
        return [f"|r|^2  ours {mine:g}  one node {other:g}" for mine, other in (*residuals[:3], *residuals[-2:])] + [
            f"steps  ours {mine:g}  one node {other:g}" for mine, other in steps]
    return check


def runs(job):
    folder = job.work / f"run.{job.machine}"
    folder.mkdir(exist_ok=True)
    checks = {"plaquette": plaquette, "qdpio_test": read_back, "sample_wilson": solver}
    for name in EXAMPLES if job.machine == "functional" else SHORT:
        command = [job.source / "examples" / name, "-qmp-geom", "2", "2", "2", "1"]
        yield Run(name, command, checks[name[:-3]](job, name), folder)
