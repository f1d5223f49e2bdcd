#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""speed_log.py keeps what it is given by commit, draws all of it, and refuses what it cannot read."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).with_name("speed_log.py")


def call(*words):
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, check=False)


def main():
    if not (SCRIPT.parents[2] / ".git").exists() or shutil.which("gnuplot") is None:
        print("SKIPPED: git's history or gnuplot is not here")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        bench, log = scratch / "bench.json", scratch / "speed.tsv"
        bench.write_text(json.dumps({"rows": [{"id": "a.busy_hz", "value": 1.5e5, "unit": "Hz"}, {"id": "b", "value": 3, "unit": "Hz"}]}))
        assert call("add", log, bench).returncode == 0
        assert call("add", log, bench, "a.busy_hz").returncode == 0
        lines = [line.split("\t") for line in log.read_text().splitlines()]
        assert [line[2:] for line in lines] == [["a.busy_hz", "150000", "Hz"], ["b", "3", "Hz"], ["a.busy_hz", "150000", "Hz"]], lines
        assert all(re.fullmatch(r"[0-9a-f]{7,}\+?", line[1]) for line in lines), lines
        assert call("add", log, bench, "c").returncode == 1 and len(log.read_text().splitlines()) == 3
        with log.open("a") as out:  # another commit, a day later, and another unit
            out.write(f"{int(lines[0][0]) + 86400}\tabcdef0\ta.busy_hz\t1.8e5\tHz\n{int(lines[0][0]) + 86400}\tabcdef0\tbuild\t9\tminutes\n")
        picture = scratch / "speed.svg"
        done = call("plot", log, picture)
        assert done.returncode == 0, done.stderr
        drawn = picture.read_text()
        for text in ("a.busy_hz", ">b<", "build", "minutes", "abcdef0", lines[0][1]):
            assert text in drawn, f"{text} is not in the picture"
        log.write_text("nonsense\n")
        done = call("plot", log, picture)
        assert done.returncode == 1 and "line 1" in done.stderr, done.stderr
    print("kept, drawn, refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
