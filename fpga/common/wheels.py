# SPDX-License-Identifier: Apache-2.0
"""Tools that Debian 12 lacks (a newer Yosys; nextpnr and ecppack for ECP5), from the wheels that wheels.txt pins by hash, in
a virtual environment under build/fpga/wheels. It is made once, and again when wheels.txt changes."""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

from tools import FAILED, MISSING, ROOT, BoardError

PINNED = ROOT / "fpga" / "common" / "wheels.txt"
FOLDER = ROOT / "build" / "fpga" / "wheels"
STAMP = FOLDER / "installed"
# Runs a Yosys script: the wheel has the library, and no program.
YOSYS = "import sys; from pyosys import libyosys; libyosys.Design().run_pass('script ' + sys.argv[1])"


def wanted():
    """The wheels by name and version, as in pyosys==0.70."""
    return re.findall(r"^[\w-]+==[\w.]+", PINNED.read_text(encoding="utf-8"), re.M)


def pinned():
    """What the stamp says of the wheels that are wanted."""
    return hashlib.sha256(PINNED.read_bytes()).hexdigest()


def installed():
    return STAMP.exists() and STAMP.read_text(encoding="utf-8").strip() == pinned()


def prepare():
    """Installs the wheels if they are not there. Raises BoardError, with the wheel's name, where one cannot be had."""
    if installed():
        return
    print(f"installing in {FOLDER.relative_to(ROOT)}: {', '.join(wanted())}", file=sys.stderr, flush=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    made = subprocess.run([sys.executable, "-m", "venv", FOLDER], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        shutil.rmtree(FOLDER, ignore_errors=True)
        raise BoardError(MISSING, "Python's venv is missing; install with: apt-get install python3-venv")
    pip = [FOLDER / "bin" / "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet", "--no-deps",
           "--only-binary", ":all:", "--require-hashes", "-r", PINNED]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(FOLDER, ignore_errors=True)
        said = done.stdout + done.stderr
        # pip takes them in turn and stops at the first one that it cannot have
        which = next((w for w in wanted() if w in said or w.split("==")[0] in said), ", ".join(wanted()))
        why = next((line for line in reversed(said.splitlines()) if "ERROR" in line), f"pip ended with {done.returncode}")
        raise BoardError(MISSING, f"the wheel {which} cannot be installed ({why.strip()}); it is needed once: with a network, or "
                                  f"where pip finds a copy of it (PIP_FIND_LINKS), by the hashes of {PINNED.relative_to(ROOT)}")
    STAMP.write_text(pinned() + "\n", encoding="utf-8")


def yosys(script):
    """The command that runs a Yosys script."""
    return [str(FOLDER / "bin" / "python"), "-c", YOSYS, str(script)]


def tool(name):
    """The path of nextpnr-ecp5 or ecppack."""
    path = FOLDER / "bin" / f"yowasp-{name}"
    if not path.exists():
        raise BoardError(FAILED, f"no {name} in {FOLDER.relative_to(ROOT)}: remove that folder, and it is made again")
    return str(path)
