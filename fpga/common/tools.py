# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder share: exit codes, errors of one line, and calls of tools with a log each."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
MISSED, USAGE, UNWRITTEN, REFUSED, MISSING, FAILED = 1, 2, 3, 5, 10, 12
# Of each tool the Debian package that has it.
PACKAGES = {"yosys": "yosys", "nextpnr-ice40": "nextpnr-ice40", "icepack": "fpga-icestorm", "icetime": "fpga-icestorm",
            "openFPGALoader": "openfpgaloader", "iceunpack": "fpga-icestorm", "icebox_vlog": "fpga-icestorm",
            "verilator": "verilator", "g++": "g++"}


class BoardError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def require(tools):
    missing = [t for t in tools if shutil.which(t) is None]
    if missing:
        packages = " ".join(sorted({PACKAGES[t] for t in missing}))
        raise BoardError(MISSING, f"{', '.join(missing)} missing; install with: apt-get install {packages}")


def run(step, steps, what, command, log, folder):
    print(f"[{step}/{steps}] {what}", file=sys.stderr, flush=True)
    with open(log, "w", encoding="utf-8") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, cwd=folder).returncode
    if code != 0:
        lines = pathlib.Path(log).read_text(errors="replace").splitlines()
        why = next((l for l in reversed(lines) if "ERROR" in l), lines[-1] if lines else "no output")
        raise BoardError(FAILED, f"{command[0]} failed: {why.strip()} (log: {log})")


def refuse_latches(log):
    """Ends with what Yosys' log says of a latch, or of a net with several drivers: it goes on regardless."""
    found = re.findall(r"^.*(?:Latch inferred|multiple conflicting drivers).*$", pathlib.Path(log).read_text(errors="replace"), re.M)
    if found:
        raise BoardError(FAILED, f"Yosys: {found[0].strip()}")


def exit_code_of(work):
    """Calls it; what goes wrong is one line, and a code of its own."""
    try:
        work()
    except BoardError as error:
        print(f"hypertorus: {error}", file=sys.stderr)
        return error.code
    except FileNotFoundError as error:
        print(f"hypertorus: {error.filename}: there is no such file; is the tree whole?", file=sys.stderr)
        return FAILED
    except OSError as error:
        print(f"hypertorus: cannot write to {error.filename or 'standard output'}: {error.strerror}; is it another user's? Remove it, or copy the tree",
              file=sys.stderr)
        return FAILED
    return 0


def registers_of(path):
    """A register map's registers, by name."""
    with open(ROOT / path, "rb") as f:
        return {r["name"]: r for r in tomllib.load(f)["register"]}


def try_to_write(path):
    """Before work of an hour, not behind it: whether the file can be written. It stays what it is, and is not there if it was not."""
    there = os.path.exists(path)
    try:
        if there and stat.S_ISFIFO(os.stat(path).st_mode):     # to open one waits for its reader
            return
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOCTTY, 0o666)
        try:
            os.write(file, b"")      # a full device says so even then
        finally:
            os.close(file)
            if not there:
                os.unlink(os.path.realpath(path))
    except OSError as error:
        raise BoardError(UNWRITTEN, f"cannot write {path}: {error.strerror}") from None


def wait_until(holds, seconds):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
