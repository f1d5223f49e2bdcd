#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""timeline_test.py PROGRAM MACHINE...: what `run --timeline` writes is of the trace-event format, its arrows have two
ends that lie in slices, and its events are as many as the counters of the same run say, cable by cable."""
import collections
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

OPTIONS = ["--nodes", "2x2", "--lattice", "4x4x2x2", "--tolerance", "1e-4", "--ber", "2e-6", "--seed", "3", "--quiet"]
failures = []


def check(good, what):
    if not good:
        failures.append(what)


def call(program, words, code=0):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    check(done.returncode == code, f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
    return done


def check_schema(events):
    needed = {"X": {"name", "ts", "dur", "pid", "tid"}, "M": {"name", "pid", "tid", "args"},
              "s": {"name", "cat", "id", "ts", "pid", "tid"}, "f": {"name", "cat", "id", "ts", "pid", "tid", "bp"}}
    for e in events:
        check(e["ph"] in needed and needed[e["ph"]] <= e.keys(), f"an event that no reader knows: {e}")
        if e["ph"] == "X":
            check(e["ts"] >= 0 and e["dur"] >= 0, f"a slice of negative time: {e}")


def check_arrows(events):
    """Each has one begin and one end, later, both within slices of their rows."""
    slices = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            slices[e["pid"], e["tid"]].append(e)
    ends = collections.defaultdict(dict)
    for e in events:
        if e["ph"] in "sf":
            check(e["ph"] not in ends[e["id"]], f"arrow {e['id']} has two ends of one kind")
            ends[e["id"]][e["ph"]] = e
            inside = [x for x in slices[e["pid"], e["tid"]] if x["ts"] <= e["ts"] <= x["ts"] + x["dur"]]
            check(inside, f"arrow {e['id']} ends in no slice")
    for number, pair in ends.items():
        check(set(pair) == {"s", "f"}, f"arrow {number} has one end")
        if set(pair) == {"s", "f"}:
            check(pair["s"]["ts"] < pair["f"]["ts"], f"arrow {number} leads back in time")
    return len(ends)


def check_counts(machine, document, run):
    events = document["traceEvents"]
    rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    count = collections.Counter()
    fates, given_up = collections.Counter(), collections.Counter()
    for e in events:
        if e["ph"] == "X":
            row = rows[e["pid"], e["tid"]]
            count[e["pid"], row, e["name"] if row.endswith("sent again") else ""] += 1
            given_up[e["pid"], row] += e["name"].endswith(" given up")
            if row.endswith("errors"):
                fates[e["args"]["fate"]] += 1
    unit = "packets" if "packets" in run["links"][0] else "words"
    resent = 0
    for link in run["links"]:
        cable = f"{link['link']} to node {link['to']}: "
        again, replays = (count[link["from"], cable + "sent again", name] for name in ("retransmission", "replay"))
        counted, resent = link["retransmissions"], resent + again
        where, broken = f"{machine}, node {link['from']} {link['link']}", given_up[link["from"], cable + unit]
        # What had been given up on its way starts once more: that is no retransmission to the counters.
        check(counted <= again <= counted + broken, f"{where}: {again} retransmissions, counted {counted}, {broken} given up")
        check(replays == link.get("replays", 0), f"{where}: {replays} replays, counted {link.get('replays', 0)}")
        seen, sent = count[link["from"], cable + unit, ""] - broken, link[unit] + counted + replays
        check(seen == sent, f"{where}: {seen} {unit}, counted {sent}")
        errors = count[link["from"], cable + "errors", ""]
        check(errors == link["errors_injected"], f"{where}: {errors} errors, counted {link['errors_injected']}")
    for fate in ("detected", "harmless", "undetected"):
        check(fates[fate] == run["errors"][fate], f"{machine}: {fates[fate]} errors {fate}, counted {run['errors'][fate]}")
    check(resent >= run["errors"]["retransmissions"] > 0, f"{machine}: {resent} retransmissions: too few to test")
    other = document["otherData"]
    check(other["retransmissions"] == resent and other["events_left_out"] == 0, f"{machine}: {other}")
    check(other["events"] == sum(e["ph"] != "M" for e in events), f"{machine}: {other['events']} events are said to be there")
    return resent


def check_phases(machine, document, run):
    """Phases follow one another; of what a node spends, sums and halos are what the report says."""
    for node in range(4):
        spans = sorted((e["ts"], e["dur"], e["name"]) for e in document["traceEvents"]
                       if e["ph"] == "X" and e["pid"] == node and e["tid"] == 0)
        for a, b in zip(spans, spans[1:]):
            check(a[0] + a[1] <= b[0] + 1e-6, f"{machine}, node {node}: phases overlap at {b[0]} us")
        check({"compute", "halo", "sum"} == {s[2] for s in spans}, f"{machine}, node {node}: phases {({s[2] for s in spans})}")
        for name in ("halo", "sum"):
            total = sum(s[1] for s in spans if s[2] == name)
            said = run["times_s"][node][name] * 1e6
            check(said > 0 and said <= total * 1.000001, f"{machine}, node {node}: {name} {total} us, the report has {said}")
        calls = [e["name"] for e in document["traceEvents"] if e["ph"] == "X" and e["pid"] == node and e["tid"] == 1]
        check(any(c.startswith("QMP_wait") for c in calls) and any(c.startswith("QMP_") for c in calls),
              f"{machine}, node {node}: no QMP_wait() among {len(calls)} calls")


def records(file):
    """The data of a capture's records."""
    content, at, found = file.read_bytes(), 0, []
    while at < len(content):
        kind, length = struct.unpack_from("<II", content, at)
        if kind == 6:
            found.append(content[at + 28:at + 28 + struct.unpack_from("<I", content, at + 20)[0]])
        at += length
    return found


def check_over_lanes(program, machine, scratch):
    """Packets are those that links hand to their lanes; of none is it known what arrived."""
    lanes = ["run", machine, *OPTIONS, "--phy", "lanes", "--json", scratch / "run.json"]
    call(program, [*lanes, "--timeline", scratch / "timeline.json"])
    document, run = (json.loads((scratch / name).read_text()) for name in ("timeline.json", "run.json"))
    check(run["verdict"] == "bit-exact", f"{machine} over lanes: {run['verdict']}")
    check_counts(machine + " over lanes", document, run)
    other = document["otherData"]
    check(other["damaged"] == other["arrows"] == 0, f"{machine} over lanes: {other}")
    call(program, [*lanes, "--pcap", scratch / "lanes"])
    frames = records(scratch / "lanes.pcapng")
    check(all(frame[2] & ~4 == 8 for frame in frames), f"{machine} over lanes: a record's flags")
    if machine == "qpace":  # packets have 34 words, and nothing else has
        packets = sum(link["packets"] + link["retransmissions"] + link["replays"] for link in run["links"])
        seen = sum(struct.unpack_from(">H", frame, 24)[0] == 34 for frame in frames)
        check(seen == packets, f"{machine} over lanes: {seen} packets captured, counted {packets}")
    print(f"{machine} over lanes: {other}, {len(frames)} records")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for machine in sys.argv[2:]:
            call(program, ["run", machine, *OPTIONS, "--timeline", scratch / "timeline.json", "--json", scratch / "run.json"])
            document, run = (json.loads((scratch / name).read_text()) for name in ("timeline.json", "run.json"))
            check(run["verdict"] == "bit-exact", f"{machine}: {run['verdict']}")
            check_schema(document["traceEvents"])
            arrows = check_arrows(document["traceEvents"])
            resent = check_counts(machine, document, run)
            check_phases(machine, document, run)
            check(arrows == document["otherData"]["arrows"], f"{machine}: {arrows} arrows")
            check(0 < arrows <= resent, f"{machine}: {arrows} arrows for {resent} retransmissions")
            print(f"{machine}: {document['otherData']}")
            if machine != "qcdoc":  # that one is a variant, built for lanes_test.py
                check_over_lanes(program, machine, scratch)
            # The same with a limit: it says what is missing, and nothing else changes.
            done = call(program, ["run", machine, *[o for o in OPTIONS if o != "--quiet"], "--timeline", scratch / "short.json",
                                  "--timeline-events", 1000, "--json", scratch / "again.json"])
            short, again = (json.loads((scratch / name).read_text()) for name in ("short.json", "again.json"))
            check(sum(e["ph"] != "M" for e in short["traceEvents"]) == 1000, f"{machine}: not 1000 events")
            # No arrow is known of what was left out itself.
            left, most = short["otherData"]["events_left_out"], document["otherData"]["events"] - 1000
            check(most - 2 * arrows <= left <= most, f"{machine}: {left} left out, not {most}")
            check(f"{left} left out" in done.stdout, f"{machine}: the limit is not said")
            check(again["solution_crc32"] == run["solution_crc32"] and again["machine_time_ps"] == run["machine_time_ps"],
                  f"{machine}: another run")
        # Programs of one's own: their calls, and packets.
        ping = scratch / "ping_pong"
        call(pathlib.Path(program).parent / "hypertorus-cc", ["-O1", "-o", ping, pathlib.Path(__file__).parents[2] / "examples/ping_pong.c"])
        for machine in sys.argv[2:]:
            done = call(program, ["exec", machine, "--nodes", "2", "--ber", "0", "--stop-at", "60us", "--timeline", scratch / "exec.json", "--", ping], 130)
            document = json.loads((scratch / "exec.json").read_text())
            check_schema(document["traceEvents"])
            names = {e["name"] for e in document["traceEvents"] if e["ph"] == "X" and e["tid"] == 1}
            check({"QMP_start", "QMP_wait"} <= names, f"exec {machine}: calls {names}")
            check(sum(document["otherData"].get(unit, 0) for unit in ("packets", "words")) > 0, f"exec {machine}: nothing was sent")
            check(f"{document['otherData']['events']} events" in done.stderr, f"exec {machine}: {done.stderr}")
        call(program, ["run", "--timeline", scratch / "t.json", "--pcap", scratch / "p"], 2)
        call(program, ["run", "--timeline", scratch / "t.json", "--network", "functional"], 2)
        call(program, ["run", "--timeline-events", "5"], 2)
        call(program, ["run", "--timeline", scratch / "nowhere" / "t.json"], 3)
    for failure in failures[:20]:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
