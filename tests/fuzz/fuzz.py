#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs targets under libFuzzer with the address and undefined-behaviour sanitizers, and prints a table.

    fuzz.py [TARGET...] [--executions N] [--seconds S] [--seed I] [--resume] [--build DIR]
    fuzz.py --list

Each of the targets (all, if none is named) runs until it has executed N inputs (default 1,000,000) or S seconds are over
(default: no limit), in pieces of 100,000, each with a seed of its own (I, I + 1, ...). --resume counts the pieces that
were run before at the same commit, whatever stopped them then; a tree with changes has no commit. Built in build/fuzz by the CMake preset `fuzz`, which takes clang-19 and libclang-rt-19-dev. Inputs
that reach new code are kept in DIR/corpus/TARGET, and later runs begin with them and with the tree's seeds. A finding is
an input that ends the process, takes more than 20 s or 2 GB: it is kept in DIR/findings, printed with the command that
runs it again, and the exit code is 1. 2: usage, or a tool is missing.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAWED = "flawed"  # a target with a fault, for the test of this program
PIECE = 100_000  # executions
LIMITS = ["-timeout=20", "-report_slow_units=20", "-rss_limit_mb=2048", "-max_len=4096"]


def fail(text):
    print(f"fuzz.py: {text}", file=sys.stderr)
    sys.exit(2)


def missing():
    """What is missing for building targets, or an empty text."""
    if not shutil.which("clang++-19"):
        return "clang++-19 is not installed; install clang-19"
    folder = subprocess.run(["clang++-19", "-print-resource-dir"], capture_output=True, text=True, check=True)
    if not list(pathlib.Path(folder.stdout.strip()).glob("lib/*/libclang_rt.fuzzer*")):
        return "Clang has no libFuzzer; install libclang-rt-19-dev"
    return ""


def run(*words, log):
    with open(log, "ab") as out:
        if subprocess.run(words, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, check=False).returncode != 0:
            fail(f"{' '.join(map(str, words))}: failed; see {log}")


def targets_of(build):
    """{name: (program, folder of seeds)}"""
    lines = (build / "fuzz_targets.tsv").read_text().splitlines()
    return {name: (pathlib.Path(program), pathlib.Path(seeds)) for name, program, seeds in map(lambda l: l.split("\t"), lines)}


def number(name, text):
    found = re.search(rf"^stat::{name}:\s*(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


def piece(program, seeds, corpus, findings, executions, seconds, seed):
    """One run of libFuzzer: executions, what it printed, inputs that it found to be wrong."""
    before = set(findings.iterdir())
    words = [program, *LIMITS, f"-runs={executions}", f"-artifact_prefix={findings}/{corpus.name}-", "-print_final_stats=1",
             f"-seed={seed}"]
    if seconds > 0:
        words.append(f"-max_total_time={max(1, round(seconds))}")
    dictionary = seeds.with_suffix(".dict")
    if dictionary.exists():
        words.append(f"-dict={dictionary}")
    ended = subprocess.run([*words, corpus, seeds], capture_output=True, text=True, errors="replace", check=False, cwd=findings.parent)
    corpus.with_suffix(".log").write_text(ended.stderr)
    found = sorted(set(findings.iterdir()) - before)
    done = number("number_of_executed_units", ended.stderr)
    if ended.returncode != 0 and not found:
        print(ended.stderr[-3000:], file=sys.stderr)
        fail(f"{program} ended with {ended.returncode} and kept no input")
    if ended.returncode == 0 and done == 0:
        fail(f"{program} executed nothing")
    return done, ended.stderr, found


def fuzz(name, program, seeds, options, build, commit):
    """The row of a target, its findings, whether it is whole, and what libFuzzer printed last."""
    corpus, findings = build / "corpus" / name, build / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    kept = len(list(corpus.iterdir()))
    account = corpus.with_suffix(".json")
    fresh = {"commit": commit, "executions": 0, "seconds": 0.0, "pieces": 0, "new": 0}
    known = json.loads(account.read_text(encoding="utf-8")) if options.resume and account.exists() else fresh
    sum_of = known if known["commit"] == commit and not commit.endswith("dirty") else fresh
    begin, spent, first_new = time.monotonic(), sum_of["seconds"], sum_of["new"]
    found, text = [], ""
    while not found and sum_of["executions"] < options.executions:
        left = options.seconds - (time.monotonic() - begin) if options.seconds else 0
        if left < 0:
            break
        done, text, found = piece(program, seeds, corpus, findings, min(PIECE, options.executions - sum_of["executions"]), left,
                                  options.seed + sum_of["pieces"])
        sum_of = {"commit": commit, "executions": sum_of["executions"] + done, "seconds": spent + time.monotonic() - begin,
                  "pieces": sum_of["pieces"] + 1, "new": first_new + len(list(corpus.iterdir())) - kept}
        if not found:
            account.write_text(json.dumps(sum_of) + "\n", encoding="utf-8")
    whole = sum_of["executions"] >= options.executions or bool(options.seconds)
    row = f"{name:14} {sum_of['executions']:11,} {sum_of['seconds']:8.0f} {sum_of['new']:10,} {len(found):9}"
    return row, found, whole or bool(found), text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--executions", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    build = options.build.absolute()
    if lacking := missing():
        fail(lacking)
    build.mkdir(parents=True, exist_ok=True)
    log = build / "fuzz.log"
    log.unlink(missing_ok=True)
    if not (build / "fuzz_targets.tsv").exists():
        run("cmake", "--preset", "fuzz", "-B", build, log=log)
    known = targets_of(build)
    if options.list:
        print("\n".join(name for name in known if name != FLAWED))
        return 0
    names = options.targets or [name for name in known if name != FLAWED]
    for name in names:
        if name not in known:
            fail(f"{name}: no such target; one of {', '.join(known)}")
    run("cmake", "--build", build, "--target", *(f"fuzz_{name}" for name in names), log=log)
    known = targets_of(build)
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False)
    commit = commit.stdout.strip() or "unknown"
    print(f"{'target':14} {'executions':>11} {'seconds':>8} {'new inputs':>10} {'findings':>9}  commit")
    good = True
    for name in names:
        row, found, whole, text = fuzz(name, *known[name], options, build, commit)
        print(f"{row}  {commit}", flush=True)
        for file in found:
            what = re.search(r"^(property violated: .*|SUMMARY: .*)$", text, re.MULTILINE)
            print(f"    {what[1] if what else 'see above'}\n    input:        {file}\n    run it again: {known[name][0]} {file}")
        if not whole:
            print(f"    only {row.split()[1]} executions")
        good = good and whole and not found
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
