#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pair_test.py PROGRAM: `report A.json B.json` shows the numbers of both documents, links in order of load and of
retransmission, and refuses what is no document of run or exec."""
import json
import pathlib
import subprocess
import sys
import tempfile

RUN = ["run", "--nodes", "2x2", "--lattice", "4x4x2x2", "--tolerance", "1e-4", "--quiet", "--profile-calls"]
failures = []


def check(good, what):
    if not good:
        failures.append(what)


def main():
    program = sys.argv[1]

    def call(words, code=0):
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
        check(done.returncode == code, f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
        return done

    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        files = scratch / "a.json", scratch / "b.json"
        call([*RUN, "--ber", "0", "--json", files[0]])
        call([*RUN, "--ber", "2e-5", "--seed", "3", "--json", files[1]])
        runs = [json.loads(f.read_text()) for f in files]
        done = call(["report", *files, "--rows", "3", "--json", scratch / "both.json"])
        lines = [line.split() for line in done.stdout.splitlines()]
        for words, values in ((["errors", "injected"], [r["errors"]["injected"] for r in runs]),
                              (["retransmissions"], [r["errors"]["retransmissions"] for r in runs]),
                              (["solution's", "CRC-32"], [r["solution_crc32"] for r in runs])):
            found = [line[len(words):len(words) + 2] for line in lines if line[:len(words)] == words]
            check([list(map(str, values))] == found, f"{words}: {found}, not {values}")
        both = json.loads((scratch / "both.json").read_text())
        time = next(r["values"] for r in both["overview"] if r["what"] == "time in the machine, us")
        check([round(t * 1e6) for t in time] == [r["machine_time_ps"] for r in runs], f"times {time}")
        halo = next(r["values"] for r in both["overview"] if r["what"].startswith("waiting for halos"))
        want = [sum(n["halo"] for n in r["times_s"]) / 4 * 1e6 for r in runs]
        check(all(abs(a - b) < 1e-9 * b for a, b in zip(halo, want)), f"halos {halo}, not {want}")
        for table, key in (("load", "packets"), ("retransmissions", "retransmissions")):
            rows = both[table]
            order = [max(v or 0 for v in r["values"]) for r in rows]
            check(order == sorted(order, reverse=True) and order[0] > 0, f"{table}: order {order}")
            wanted = {f"node {a['from']} {a['link']} to {a['to']}": [a[key], b[key]] for a, b in zip(*(r["links"] for r in runs))}
            wanted = {name: values for name, values in wanted.items() if any(values)}
            check({r["what"]: r["values"] for r in rows} == wanted, f"{table}: {rows}")
        sent = sum(m["bytes"] for m in runs[0]["messages"])
        check(sum(r["values"][0] for r in both["message_bytes"]) == sent > 0, "messages: bytes")
        # A run beside one of another program and network; what one of them lacks is "-".
        call(["run", "--network", "functional", "--quiet", "--json", scratch / "f.json"])
        done = call(["report", files[0], scratch / "f.json", "--rows", 99])
        check("-" in next(line for line in done.stdout.splitlines() if "node 0 +x" in line), "a link that one run lacks")
        (scratch / "bad.json").write_text("{\"subcommand\": \"run\"")
        (scratch / "gauge.json").write_text("{\"subcommand\": \"gauge\"}")
        (scratch / "later.json").write_text("{\"subcommand\": \"run\", \"schema_version\": 2}")
        (scratch / "odd.json").write_text("{\"schema_version\": 1, \"subcommand\": \"run\", \"links\": 5, \"times_s\": {\"a\": 1}, \"messages\": [3], \"errors\": [], \"machine_time_ps\": \"\\u001b[31m\"}")
        (scratch / "parts.json").write_text('{"schema_version": 1, "subcommand": "run", "partitions": []}')
        for name in ("bad.json", "gauge.json", "later.json", "nowhere.json", "parts.json"):
            done = call(["report", files[0], scratch / name], 3)
            check(done.stderr.count("\n") == 1 and name in done.stderr, f"{name}: {done.stderr}")
        done = call(["report", files[0], scratch / "odd.json"])
        check("\x1b" not in done.stdout, "raw bytes of a file reach the terminal")
        call(["report", *files, "--rows", "0"], 2)
    print("\n".join(failures[:20]) or "both runs' numbers")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
