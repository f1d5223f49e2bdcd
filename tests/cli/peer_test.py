#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peer_test.py PROGRAM: `bench sim --peer` beside a program that stands in for BookSim2: what it is asked, the rate that
is made of its answers, and what is said of one that is missing or fails."""
import json
import pathlib
import subprocess
import sys
import tempfile

failures = []
# Takes 0.3 s for itself, and 2 ms of processor time a cycle; notes what it was asked.
PEER = """#!{python}
import pathlib, re, sys, time
config = pathlib.Path(sys.argv[1]).read_text()
period = int(sys.argv[2].split("=")[1])
pathlib.Path({asked!r}).write_text(config)
cycles = 3 * period
end = time.process_time() + 0.3 + 2e-3 * cycles
while time.process_time() < end:
    pass
print({said!r} % cycles)
sys.exit(255)
"""


def check(good, what):
    if not good:
        failures.append(what)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        booksim = scratch / "peer/src/booksim"

        def install(said):
            booksim.parent.mkdir(parents=True, exist_ok=True)
            booksim.write_text(PEER.format(python=sys.executable, asked=str(scratch / "asked"), said=said))
            booksim.chmod(0o755)

        def call(words, code=0):
            done = subprocess.run([program, "bench", "sim", "--nodes", "8", "--rounds", "1", "--seconds", "0.2",
                                   "--peer", str(scratch / "peer"), *words], capture_output=True, text=True, check=False)
            check(done.returncode == code, f"{words} ended with {done.returncode}: {done.stderr}")
            return done

        check("make -C" in call([], 2).stderr, "a peer that is not there")
        install("Time taken is %d cycles")
        check("cubes of even edge" in call(["--nodes", "27"], 2).stderr, "27 nodes")
        call(["--load", "0"], 2)
        call(["--rounds", "0"], 2)
        call(["--load", "0.4", "--json", str(scratch / "json")])
        asked = (scratch / "asked").read_text()
        check("k = 2;" in asked and "n = 3;" in asked and "injection_rate = 0.4;" in asked, asked)
        rows = {r["id"]: r["value"] for r in json.loads((scratch / "json").read_text())["rows"]}
        for load in ("same_load", "full"):
            id_of = f"sim.qpace.peer.8_nodes.{load}"
            # Eight routers, 500 cycles a second: what it takes for itself counts for nothing.
            check(abs(rows[id_of + ".booksim2_hz"] / 4000 - 1) < 0.15, f"{load}: {rows}")
            ratio = rows[id_of + ".hz"] / rows[id_of + ".booksim2_hz"]
            check(rows[id_of + ".hz"] > 0 and abs(rows[id_of + ".ratio"] / ratio - 1) < 1e-9, f"{load}: {rows}")
        install("%d cycles, unstable")
        check("ended with 255" in call([], 3).stderr, "one that fails")
    print("\n".join(failures[:20]) or "the peer's rate")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
