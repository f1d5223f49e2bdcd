# SPDX-License-Identifier: Apache-2.0
"""What tests of the boards' program share: the program, boards on a desk that are simulated, and boards that are made up."""
import binascii
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import tomllib
import tty

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "fpga" / "common" / "board.py"
FOLDER = tempfile.TemporaryDirectory()
JSON = pathlib.Path(FOLDER.name) / "board.json"


def start(*arguments, errors=subprocess.PIPE, **more):
    JSON.unlink(missing_ok=True)
    return subprocess.Popen([PROGRAM, *arguments, "--json", JSON], stdout=subprocess.PIPE, stderr=errors, text=True, **more)


def run(*arguments, code=0):
    process = start(*arguments)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, (arguments, process.returncode, out, err)
    assert code == 0 or len(err.splitlines()) <= 1, err
    document = json.loads(JSON.read_text()) if JSON.exists() else {}
    assert document.get("exit_code", code) == code
    return out, err, document


class Simulated:
    """Boards on a desk."""

    def __init__(self, boards, simulator):
        self.process = subprocess.Popen([simulator, "--boards", str(boards)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ports = [self.process.stdout.readline().split()[1] for _ in range(boards)]

    def say(self, line):
        print(line, file=self.process.stdin, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class MadeUp:
    """A board of registers that hold what the test wants."""

    def __init__(self, identity=0x48545142, sources=None, wrong=0, lost=0, checksum=0, hears=0, goes_down=False, retrains=0,
                 late=None):
        hashed = subprocess.run([ROOT / "fpga" / "common" / "build.py", "hx8k", "--hash"], capture_output=True, text=True, check=True)
        self.registers = {0: identity, 1: int(hashed.stdout, 16) if sources is None else sources}
        with open(ROOT / "rtl/qcdoc/tester/tester_registers.toml", "rb") as f:
            address = {r["name"]: r["address"] for r in tomllib.load(f)["register"]}
        for end, peer in ((0x40, 1), (0x80, hears)):
            for register in address.values():
                self.registers[end + register] = 0
            self.registers[end + address["STATUS"]] = 2 | peer << 4
        self.counts = {0x40 + address["SENT"]: 100, 0x80 + address["CHECKED"]: 100 - lost, 0x80 + address["SENT"]: 50,
                       0x40 + address["CHECKED"]: 50, 0x40 + address["WRONG"]: wrong, 0x80 + address["RX_CHECKSUM"]: checksum,
                       0x40 + address["RETRAINS"]: retrains}
        self.goes_down = goes_down
        self.late = late or {}     # seconds by request: how much later it is answered, and those behind it
        self.main, host = os.openpty()
        tty.setraw(host)
        self.port = os.ttyname(host)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        request, number = b"", 0
        while True:
            request += os.read(self.main, 1)
            if len(request) < (8 if request[:1] == b"W" else 4):
                continue
            address, value = request[1], self.registers.get(request[1])
            if request[:1] == b"W":
                value = self.registers[address] = int.from_bytes(request[2:6], "little")
                if address & 0x3F == 0 and value & 2:
                    self.registers |= self.counts
                    if self.goes_down:
                        self.registers[0x41] &= ~3
            number += 1
            time.sleep(self.late.get(number, 0))
            answer = b"E\2\0\0\0" if value is None else b"A" + value.to_bytes(4, "little")
            os.write(self.main, answer + binascii.crc_hqx(answer, 0xFFFF).to_bytes(2, "big"))
            request = b""
