#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sweep_test.py PROGRAM: tables, resumption, failures and bad input of `sweep`, over the functional network and
programs of this test's own."""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

failures = []

# Waits, counts its calls, and writes x * x as JSON; fails where it is told to.
SQUARE = """import json, pathlib, sys, time
x, failing, log, out = sys.argv[1:5]
with open(log, "a") as calls:
    calls.write(x + "\\n")
time.sleep(float(sys.argv[5]))
if x == failing:
    sys.exit("no square of " + x)
pathlib.Path(out).write_text(json.dumps({"square": int(x) ** 2, "deep": [{"text": "a,b"}]}))
"""

SOLVE = """[grid]
nodes = ["1", "2"]
tolerance = [1e-2, 1e-4]

[[step]]
name = "solve"
hypertorus = ["run", "--network", "functional", "--lattice", "4x4x2x2", "--nodes", "{nodes}", "--tolerance", "{tolerance}", "--quiet"]
columns = { iterations = "/iterations/0", crc = "/solution_crc32" }

[[step]]
name = "alone"
hypertorus = ["run", "--network", "functional", "--lattice", "4x4x2x2", "--nodes", "1", "--tolerance", "{tolerance}", "--quiet"]
columns = { crc_alone = "/solution_crc32", residual_ppm = { at = "/true_residual", scale = 1e6 } }

[[plot]]
file = "iterations"
x = "tolerance"
y = "iterations"
by = "nodes"
"""


def check(good, what):
    if not good:
        failures.append(what)


def squares(scratch, failing="none", values="[1, 2, 3]", wait="0"):
    (scratch / "square.py").write_text(SQUARE)
    (scratch / "squares.toml").write_text(f"""[grid]
x = {values}
y = ["p", "q"]
[[step]]
name = "square"
program = ["{sys.executable}", "{{sweep}}/square.py", "{{x}}", "{failing}", "{scratch}/calls", "{{json}}", "{wait}"]
columns = {{ square = "/square", text = "/deep/0/text" }}
""")
    return scratch / "squares.toml"


def calls(scratch):
    file = scratch / "calls"
    return sorted(file.read_text().split()) if file.exists() else []


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)     # also where this was started in a script's background
    program = sys.argv[1]

    def call(words, code=0):
        done = subprocess.run([program, "sweep", *map(str, words)], capture_output=True, text=True, check=False, timeout=100)
        check(done.returncode == code, f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
        return done

    def solves(scratch):
        (scratch / "solve.toml").write_text(SOLVE)
        call([scratch / "solve.toml", "--output", scratch / "solve", "--jobs", "2", "--quiet"])
        rows = list(csv.DictReader((scratch / "solve/table.csv").open()))
        check([(r["nodes"], r["tolerance"]) for r in rows] == [("1", "0.01"), ("1", "0.0001"), ("2", "0.01"), ("2", "0.0001")],
              f"order of the grid: {rows}")
        check(all(r["crc"] == r["crc_alone"] for r in rows) and len({r["crc"] for r in rows}) == 2, f"solutions: {rows}")
        check(int(rows[0]["iterations"]) < int(rows[1]["iterations"]), f"iterations: {rows}")
        document = json.loads((scratch / "solve/sweep.json").read_text())
        check(document["exit_code"] == 0 and document["subcommand"] == "sweep" and document["verdict"] == "complete", "envelope")
        check([str(r["crc"]) for r in document["rows"]] == [r["crc"] for r in rows], "CSV and JSON")
        kept = [json.loads(f.read_text()) for f in (scratch / "solve/runs").glob("*.json")]
        # Four solves; of the other step one for each tolerance.
        check(sorted(f["result"]["subcommand"] for f in kept) == ["run"] * 6, f"{len(kept)} runs are kept")
        residual = {f["result"]["solution_crc32"]: f["result"]["true_residual"] for f in kept}
        check(all(abs(float(r["residual_ppm"]) - 1e6 * residual[int(r["crc"]) if r["crc"].isdigit() else r["crc"]]) < 1e-3
                  for r in rows), "scale")
        check("iterations, nodes 2" in (scratch / "solve/iterations.svg").read_text(), "a curve for each number of nodes")

    def awkward_names(scratch):
        """Names with commas and quotes in the header; an x that a logarithmic axis does not have."""
        file = squares(scratch, values="[-1, 0]")
        file.write_text(file.read_text().replace("y = [", '"a,\\"b" = [1]\ny = [') +
                        '[[plot]]\nfile = "figure"\nx = "x"\ny = ["square"]\n')
        done = call([file, "--output", scratch / "awkward", "--quiet"])
        header = next(csv.reader((scratch / "awkward/table.csv").open(newline="")))
        check('a,"b' in header and header[-1] == "failed", f"header {header}")
        check("figure: 4 points are not drawn: x is no number above 0 there" in done.stderr, f"off the axis: {done.stderr}")
        check("figures" not in done.stdout and not (scratch / "awkward/figure.svg").exists(), f"no figure: {done.stdout}")

    def failing(scratch):
        file = squares(scratch, failing="2")
        done = call([file, "--output", scratch / "f", "--quiet"], 9)
        check("square at x=2 y=p: exit code 1: no square of 2" in done.stderr and "1 of 3 runs failed" in done.stderr, done.stderr)
        rows = list(csv.DictReader((scratch / "f/table.csv").open()))
        check([r["square"] for r in rows] == ["1", "1", "", "", "9", "9"], f"the others go on: {rows}")
        check([bool(r["failed"]) for r in rows] == [False, False, True, True, False, False], f"named in the table: {rows}")
        check(rows[0]["text"] == "a,b" and "failed: square" in done.stdout, "text with a comma")
        check(calls(scratch) == ["1", "2", "3"], f"points with equal words share a run: {calls(scratch)}")
        # Of a command of ours what it says of its end, not a state that stands below.
        states = scratch / "states.toml"
        states.write_text('[grid]\nt = ["1us"]\n[[step]]\nname = "late"\n'
                          'hypertorus = ["run", "--nodes", "2", "--lattice", "4x2x2x2", "--timeout", "{t}", "--quiet"]\n'
                          'columns = { i = "/iterations/0" }\n')
        done = call([states, "--output", scratch / "states", "--quiet"], 9)
        check("late at t=1us: exit code 4: standstill at " in done.stderr, done.stderr)
        # Once more: only what failed is run again.
        call([file, "--output", scratch / "f", "--quiet"], 9)
        check(calls(scratch) == ["1", "2", "2", "3"], f"complete runs are kept: {calls(scratch)}")
        done = call([file, "--output", scratch / "f", "--list"])
        check(done.stdout.count("done ") == 2 and done.stdout.count("to run") == 1, done.stdout)
        # A script that was changed is another program, and a folder is no run.
        (scratch / "square.py").write_text(SQUARE + "\n")
        done = call([file, "--output", scratch / "f", "--list"])
        check(done.stdout.count("done ") == 0 and done.stdout.count("to run") == 3, done.stdout)
        (scratch / "square.py").write_text(SQUARE)
        run = next((scratch / "f/runs").glob("*.json"))
        run.unlink()
        run.mkdir()
        done = call([file, "--output", scratch / "f", "--list"], 3)
        check(f"{run.name}: a folder is where a run is kept" in done.stderr, done.stderr)

        # Only a sweep's table is written over.
        (scratch / "others").mkdir()
        table = scratch / "others/table.csv"
        table.write_text("mine")
        done = call([squares(scratch), "--output", scratch / "others"], 3)
        check(f"{table}: it is there already" in done.stderr and table.read_text() == "mine", done.stderr)

    def killed(scratch):
        file = squares(scratch, values="[1, 2, 3, 4, 5, 6]", wait="0.7")
        words = [program, "sweep", str(file), "--output", str(scratch / "k"), "--quiet"]
        sweep = subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)
        done = scratch / "k" / "runs"
        limit = time.monotonic() + 60
        while len(list(done.glob("*.json")) if done.exists() else []) < 2 and time.monotonic() < limit:
            time.sleep(0.05)
        os.killpg(sweep.pid, signal.SIGKILL)
        sweep.wait()
        before = {f: f.stat().st_mtime_ns for f in done.glob("*.json")}
        check(2 <= len(before) < 6, f"{len(before)} runs were complete")
        call(words[2:])
        check(all(f.stat().st_mtime_ns == t for f, t in before.items()), "what was complete is not run again")
        rows = list(csv.DictReader((scratch / "k/table.csv").open()))
        check([int(r["square"]) for r in rows[::2]] == [1, 4, 9, 16, 25, 36], f"after SIGKILL: {rows}")
        # At most the one at work was run twice.
        check(len(calls(scratch)) <= 7, f"runs again: {calls(scratch)}")

    def interrupted(scratch):
        file = squares(scratch, values="[1, 2, 3, 4, 5, 6]", wait="0.7")
        sweep = subprocess.Popen([program, "sweep", str(file), "--output", str(scratch / "i"), "--quiet"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(2.5)
        sweep.send_signal(signal.SIGINT)
        said = sweep.communicate(timeout=60)[1]
        check(sweep.returncode == 130 and "goes on" in said, f"Ctrl-C: {sweep.returncode} {said}")
        check(json.loads((scratch / "i/sweep.json").read_text())["verdict"] == "interrupted", "its document")

    def two_at_once(scratch):
        file = squares(scratch, values="[1, 2, 3, 4]", wait="0.5")
        words = [program, "sweep", str(file), "--output", str(scratch / "t"), "--quiet"]
        first = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        time.sleep(0.7)
        call(words[2:])
        check(first.wait(timeout=60) == 0, "the first of two")
        check(calls(scratch) == ["1", "2", "3", "4"], f"the second waits, and runs nothing again: {calls(scratch)}")

    def other_inputs(scratch):
        field, other = scratch / "field", scratch / "other"
        for name, seed in ((field, "1"), (other, "2")):
            subprocess.run([program, "gauge", "generate", name, "--lattice", "2x2x2x2", "--seed", seed, "--quiet"], check=True)
        (scratch / "c.toml").write_text(f'''[[step]]
name = "solve"
hypertorus = ["run", "--network", "functional", "--nodes", "1", "--config", "{field}", "--tolerance", "1e-3", "--quiet",
              "--save-solution", "{scratch}/solution"]
columns = {{ crc = "/solution_crc32" }}
''')

        def solved():
            done = call([scratch / "c.toml", "--output", scratch / "c"])
            return list(csv.DictReader((scratch / "c/table.csv").open()))[0]["crc"], "are there already" in done.stdout
        first = solved()
        check(solved() == (first[0], True), "what it wrote itself is no other input")
        field.write_bytes(other.read_bytes())
        second = solved()
        check(second[0] != first[0] and not second[1], f"another field of the same name: {first}, {second}")

    def data_files(scratch):
        """Files that words name in any way are inputs; those that a step writes are none."""
        field, other = scratch / "field", scratch / "other"

        def generate(name, seed):
            subprocess.run([program, "gauge", "generate", name, "--lattice", "2x2x2x2", "--seed", seed, "--quiet"], check=True)
        generate(field, "1")
        generate(other, "2")
        (scratch / "read.py").write_text("""import json, pathlib, sys
data, log, out = sys.argv[1:4]
with open(log, "a") as calls:
    calls.write("called\\n")
pathlib.Path(out).write_text(json.dumps({"value": int(pathlib.Path(data.split("=")[-1]).read_text())}))
""")
        data, option = scratch / "data", scratch / "option"
        data.write_text("1")
        option.write_text("1")
        (scratch / "log").write_text("")
        solved = ("run", "--network", "functional", "--nodes", "1", "--tolerance", "1e-3", "--quiet")
        steps = {"info": ["gauge", "info", f"{field}"], "convert": ["gauge", "convert", f"{field}", f"{scratch}/out", "--format", "ildg"],
                 "equals": [*solved, f"--config={field}", f"--save-solution={scratch}/s"]}
        words = "".join(f'[[step]]\nname = "{name}"\nhypertorus = {json.dumps(step)}\n' for name, step in steps.items())
        for name, word in (("data", f"{data}"), ("option", f"--data={option}")):
            words += (f'[[step]]\nname = "{name}"\nprogram = '
                      f'{json.dumps([sys.executable, str(scratch / "read.py"), word, str(scratch / "log"), "{json}"])}\n')
        (scratch / "d.toml").write_text(words)

        def again():
            """The steps that a change makes run again."""
            done = call([scratch / "d.toml", "--output", scratch / "d", "--list"]).stdout
            call([scratch / "d.toml", "--output", scratch / "d", "--quiet"])
            return sorted(line.split()[2].rstrip(":") for line in done.splitlines() if line.startswith("to run"))
        check(again() == sorted([*steps, "data", "option"]), "all at first")
        check(again() == [], "what steps wrote is no other input")
        field.write_bytes(other.read_bytes())
        check(again() == sorted(steps), "another field")
        data.write_text("2")
        check(again() == ["data"], "other data of a program")
        option.write_text("2")
        check(again() == ["option"], "other data behind an option's name")
        check(again() == [], "all as it was")

    def steps_that_feed_others(scratch):
        """A file that one step makes and the next one reads: nothing runs again until it is another one."""
        def sweep(seed):
            (scratch / "two.toml").write_text(f'''[[step]]
name = "make"
hypertorus = ["gauge", "generate", "{scratch}/made", "--lattice", "2x2x2x2", "--seed", "{seed}", "--quiet"]
[[step]]
name = "solve"
hypertorus = ["run", "--network", "functional", "--nodes", "1", "--config={scratch}/made", "--tolerance", "1e-3", "--quiet"]
columns = {{ crc = "/solution_crc32" }}
''')
            done = call([scratch / "two.toml", "--output", scratch / "two"])
            return list(csv.DictReader((scratch / "two/table.csv").open()))[0]["crc"], "2 of 2 runs are there already" in done.stdout
        first = sweep(1)
        check(not first[1] and sweep(1) == (first[0], True), f"both are kept: {first}")
        second = sweep(2)
        check(second[0] != first[0], f"what was made anew is solved anew: {first} {second}")

    def bad_files(scratch):
        step = '[[step]]\nname = "a"\nhypertorus = ["run"]\n'
        for text, said in (
                ('[grid]\nx = [1]\n[[step]]\nname = "a"\nhypertorus = ["run"]\ncolums = {}\n', ":6: step a has no key colums; it takes"),
                ('[grid]\nx = [1]\n[[step]]\nname = "a"\nhypertorus = ["run"]\ncolums = {}\n', "did you mean columns?"),
                ("[gird]\nx = [1]\n" + step, "did you mean grid?"),
                ('[grid]\nslots = [1]\n[[step]]\nname = "a"\nhypertorus = ["run", "{slot}"]\n', ":5: {slot}: the grid has no such axis"),
                ("[grid]\nx = 1\n" + step, ":2: x must be a list"),
                ("[grid]\nx = [true]\n" + step, ":2: values of x must be finite numbers or texts"),
                ("[grid]\nx = [1.5, nan]\n" + step, "must be finite numbers or texts"),
                ("[grid]\nx = [1]\n" + step + "columns.failed = \"/v\"\n", ":6: the table has a column failed of its own"),
                ("[grid]\nfailed = [1]\n" + step, ":2: the table has a column failed of its own"),
                ("[grid]\nx = [1]\n" + step + "columns.x = \"/v\"\n", ":6: two axes or columns are called x; the other is in line 2"),
                ("[grid\n", ":1: no TOML"),
                ("[grid]\nx = [1]\n", "nothing to run"),
                ("[grid]\n" + "".join(f"{axis} = {list(range(10))}\n" for axis in "abcdefgh") + step, "[grid] has 1e+08 points, and a sweep at most 1000000"),
                ('[[step]]\nname = "a"\n', "needs either hypertorus or program"),
                ('[[step]]\nname = "a"\nhypertorus = ["run", "--json", "x"]\n', "leave it out"),
                (step + step, ":4: two steps are called a; the other is in line 1"),
                (step + '[[plot]]\nfile = "f"\nx = "a"\ny = "b"\n', "a: no axis or column"),
                (step + '[[plot]]\nfile = "../f"\nx = "a"\ny = "b"\n', ":4: ../f: files are called after it"),
                (step + 'columns.x = "/v"\n' + 2 * '[[plot]]\nfile = "f"\nx = "x"\ny = "x"\n', ":9: two plots are called f; the other is in line 5"),
                ('[[step]]\nname = "a"\nhypertorus = []\n', "must be a list of texts")):
            (scratch / "bad.toml").write_text(text)
            done = call([scratch / "bad.toml", "--output", scratch / "b"], 3)
            check(said in done.stderr and done.stderr.count("\n") == 1, f"{text!r}: {done.stderr}")
        check("no such file" in call([scratch / "none.toml"], 3).stderr, "a file that is not there")
        check("/dev/null: is not a regular file" in call(["/dev/null"], 3).stderr, "a device")
        call([scratch / "bad.toml", "--jobs", "0"], 2)
        (scratch / "none.toml").write_text('[[step]]\nname = "a"\nhypertorus = ["run", "--network", "functional", "--quiet", "--nodes", "1", "--lattice", "2x2x2x2"]\ncolumns = { x = "/nothing" }\n')
        done = call([scratch / "none.toml", "--output", scratch / "n", "--quiet"], 9)
        check("its result has no /nothing" in done.stderr, done.stderr)
        (scratch / "none.toml").write_text((scratch / "none.toml").read_text().replace('"/nothing"', '{ at = "/verdict", scale = 2 }'))
        done = call([scratch / "none.toml", "--output", scratch / "n", "--quiet"], 9)
        check("its result has no number /verdict" in done.stderr, done.stderr)

    for part in (solves, awkward_names, failing, killed, interrupted, two_at_once, other_inputs, data_files, steps_that_feed_others, bad_files):
        with tempfile.TemporaryDirectory() as folder:
            part(pathlib.Path(folder))
    print("\n".join(failures[:20]) or "grids, failures, resumption, bad input")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
