#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What clusters of a given latency would reach, from what windows cost on this computer.

    python3 docs/clusters.py build/release/bin/hypertorus [--rounds N] [--length N] [MACHINE ...]

A short job of the main kind runs on 2x2x2 nodes in one process and, if mpirun is there, in two, each --rounds
times; the fastest counts. From one process comes the time that a node takes of a window, from two
the bytes that a cable between processes carries in one. P processes have bricks of nodes, as
sim/machine/layout.hpp makes them; of a brick, b nodes have cables to other processes and i have
none. The time of a window is then

    b * node + max(i * node, latency + bytes / bandwidth) + ceil(log2 P) * latency

(messages to neighbours are under way while the nodes inside run; the vote is a tree of messages),
and the share of it that is simulation is printed. Processes that have more to do than others, and
what else runs on the computers, are not in it.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LATENCIES_US = (1, 5, 20, 100)
BANDWIDTH = 10e9  # bytes a second of one process
LENGTH = 2        # of the machine that is measured, along each of three axes
JOB = ["--nodes", "2x2x2", "--lattice", "4x4x4x2", "--tolerance", "0.1", "--threads", "1"]


def run(program, machine, processes):
    """The JSON document of one run."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.json"
        words = [program, "run", machine, *JOB, "--quiet", "--window-report", "--json", str(file)]
        if processes > 1:
            words = ["mpirun", "--oversubscribe", "-n", str(processes), *words]
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr.strip()}")
        return json.loads(file.read_text())


def brick(length, processes):
    """Nodes along each axis of a process' part of a torus of length^3 nodes, halved along its longest
    axis as often as there are processes; both numbers are powers of two."""
    sides = [length] * 3
    while processes > 1:
        longest = max(sides)
        sides[2 - sides[::-1].index(longest)] //= 2
        processes //= 2
    return sides


def cut(length, processes):
    """Cables that leave a process, and nodes that have none of them."""
    sides = brick(length, processes)
    nodes = math.prod(sides)
    cables = sum(2 * nodes // side for side in sides if side < length)
    inside = math.prod(side if side == length else max(side - 2, 0) for side in sides)
    return cables, inside


def measure(program, machine, rounds):
    """Seconds that a node takes of a window, ns of a window in the machine, and of two processes
    bytes that a cable carries in a window, and seconds of waiting in one; None without mpirun."""
    ones = [run(program, machine, 1) for _ in range(rounds)]
    best = min(ones, key=lambda d: d["window_report"][0]["seconds"])
    row = best["window_report"][0]
    windows = best["windows"]["run"] + best["windows"]["skipped"]
    node = row["seconds"] / (row["windows"] * row["nodes"])
    length = best["machine_time_ps"] / windows * 1e-3
    if shutil.which("mpirun") is None:
        return node, length, None, None
    twos = [run(program, machine, 2) for _ in range(rounds)]
    two = min(twos, key=lambda d: d["window_report"][0]["seconds"])["window_report"][0]
    cables, _ = cut(LENGTH, 2)
    return (node, length, two["bytes_sent"] / two["windows"] / cables,
            two["waiting_seconds"] / two["windows"])


def share(node, bytes_a_cable, length, processes, latency):
    """Of the time of a window, what is simulation."""
    work = length ** 3 / processes * node
    cables, inside = cut(length, processes)
    exchange = latency + cables * bytes_a_cable / BANDWIDTH
    window = (work - inside * node + max(inside * node, exchange) +
              math.ceil(math.log2(processes)) * latency)
    return work / window


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("machines", nargs="*", default=["qpace", "qcdoc", "tofu"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--length", type=int, default=16, help="of the torus along each axis")
    given = parser.parse_args()
    if given.length < 4 or given.length & (given.length - 1):
        sys.exit(f"--length {given.length}: take a power of two from 4 on, as in 16")
    measured = {}
    print("| machine | a window is | a node takes of it | a cable carries in it | "
          "two processes here wait in it |\n| --- | --- | --- | --- | --- |")
    for machine in given.machines:
        node, length, carried, wait = measured[machine] = measure(given.program, machine,
                                                                  given.rounds)
        print(f"| {machine} | {length:.0f} ns of the machine | {node * 1e6:.1f} us | "
              + ("not measured | not measured |" if carried is None else
                 f"{carried:.0f} bytes | {wait * 1e6:.0f} us |"), flush=True)
    count = given.length ** 3
    print(f"\nShare of the time that is simulation, {count} nodes ({given.length} along each axis), "
          f"{BANDWIDTH * 1e-9:.0f} GB/s a process:\n")
    print("| machine | processes | nodes each | " +
          " | ".join(f"{latency} us" for latency in LATENCIES_US) + " |")
    print("| --- | --- | --- |" + " --- |" * len(LATENCIES_US))
    for machine, (node, _, carried, _) in measured.items():
        for processes in (count // 64, count // 8, count):
            shares = [share(node, carried or 0, given.length, processes, latency * 1e-6)
                      for latency in LATENCIES_US]
            print(f"| {machine} | {processes} | {count // processes} | " +
                  " | ".join(f"{100 * s:.0f} %" for s in shares) + " |")


if __name__ == "__main__":
    main()
