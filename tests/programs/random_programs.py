#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random QMP programs whose right answer is known, on every machine and on the functional network.

A program is a list of steps drawn from a seed: messages to neighbours of any lengths, strided or not, several at once,
declared once and started again, joined to multiples; messages by number along a permutation of the nodes; sums,
extremes, reductions, broadcasts, barriers, of all nodes and of communicators; and time that passes on some nodes. Each
node looks at every byte it received into. Grid, cable, memory, clock phases and errors are drawn as well.

    random_programs.py --build build/release --count 20 --seed 1      seeds 1 to 20, on all networks
    random_programs.py --build build/release --seed 7 --print         the program of seed 7, in C
    random_programs.py --build build/release --count 100 --shard 2/4  the second quarter of 100

A program that fails is shrunk to the fewest and smallest steps that still fail, and printed as a C program of its own,
with the command that runs it. Exit codes: 0 all are right; 1 one is not; 2 usage, or programs cannot be run.
"""
import argparse
import copy
import dataclasses
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PRELUDE = (HERE / "prelude.c").read_text()
NETWORKS = ("functional", "qpace", "qcdoc", "tofu")
GRIDS = ((1,), (2,), (3,), (4,), (5,), (1, 3), (2, 2), (3, 2), (4, 2), (1, 2, 2), (2, 2, 2), (3, 1, 2))
NO_ERRORS = ["--ber", "0", "--bursts", "0"]
PATIENCE = 300  # seconds for one run; what takes longer has failed


@dataclasses.dataclass
class Program:
    seed: int
    grid: tuple
    steps: list
    drawn: list  # options of exec: seed, threads, cables, memories
    errors: list  # and errors on the cables

    @property
    def nodes(self):
        n = 1
        for length in self.grid:
            n *= length
        return n


def draw_layout(rng):
    """(bytes a block, stride, blocks): of at most 4,000 bytes, half of them in one block."""
    longest = rng.choice((8, 60, 130, 700, 4000))
    if rng.random() < 0.5:
        return (rng.randint(1, longest), 0, 1)
    blocks = rng.randint(2, 8)
    size = rng.randint(1, max(1, longest // blocks))
    return (size, size + rng.choice((0, 1, 8, 50)), blocks)


def split_otherwise(rng, layout):
    """Another layout of as many bytes: the two ends of a message need not agree on it."""
    size, _, blocks = layout
    total = size * blocks
    fits = [n for n in range(1, 9) if total % n == 0]
    n = rng.choice(fits)
    return (total // n, total // n + rng.choice((0, 3, 16)) if n > 1 else 0, n)


def draw_message(rng, grid):
    layout = draw_layout(rng)
    return {"axis": rng.randrange(len(grid)), "sign": rng.choice((1, -1)), "out": layout,
            "in": split_otherwise(rng, layout)}


def draw_permutation(rng, nodes):
    ranks = list(range(nodes))
    rng.shuffle(ranks)
    return ranks


def draw_step(rng, grid, nodes):
    kind = rng.choices(("messages", "routed", "sum", "array", "extreme", "xor", "reduction", "broadcast", "barrier", "split",
                        "time"), (8, 4, 2, 2, 2, 1, 2, 3, 2, 2, 1))[0]
    step = {"kind": kind}
    if kind == "messages":
        step["messages"] = [draw_message(rng, grid) for _ in range(rng.choice((1, 1, 2, 3, 4)))]
        step["rounds"] = rng.choice((1, 1, 2, 3))
        step["joined"] = rng.random() < 0.4
        step["sends_first"] = rng.random() < 0.3
        step["polls"] = rng.random() < 0.3
        step["between"] = rng.choice((None, None, "sum", "barrier", "time"))
    elif kind == "routed":
        step["permutation"] = draw_permutation(rng, nodes)
        layout = draw_layout(rng)
        step["out"], step["in"] = layout, split_otherwise(rng, layout)
        step["rounds"] = rng.choice((1, 2))
    elif kind in ("array", "broadcast"):
        step["length"] = rng.choice((1, 3, 17, 100))
    elif kind == "extreme":
        step["sign"] = rng.choice((1, -1))
    elif kind == "split":
        step["colors"] = rng.randint(1, 3)
        step["backwards"] = rng.random() < 0.5
        step["length"] = rng.choice((1, 9, 200))
    elif kind == "time":
        step["units"] = rng.choice((10, 1000, 20000))
        step["who"] = rng.randrange(nodes)
    return step


def draw_errors(rng):
    return list(rng.choice((NO_ERRORS, [], ["--ber", "1e-5"], ["--ber", "1e-4", "--bursts", "3", "--error-span", "50us"],
                            ["--lost", "5", "--doubled", "5", "--error-span", "50us"])))


def draw_options(rng):
    options = ["--seed", str(rng.randint(1, 10**6)), "--threads", str(rng.choice((1, 1, 2)))]
    for names in (("--random-phases",), ("--random-state",), ("--cable-spread", rng.choice(("1ns", "20ns", "40ns"))),
                  ("--memory-latency", rng.choice(("40ns", "200ns", "400ns")), "--memory-spread", "100ns"),
                  ("--noise", "20us,1us,5us")):
        if rng.random() < 0.25:
            options += names
    return options


def draw(seed):
    rng = random.Random(seed)
    grid = rng.choice(GRIDS)
    program = Program(seed, grid, [], draw_options(rng), draw_errors(rng))
    program.steps = [draw_step(rng, grid, program.nodes) for _ in range(rng.randint(3, 14))]
    return program


# ----------------------------------------------------------------------------------------------------------------------
# As C

def c_layout(layout):
    size, stride, blocks = layout
    return f"(struct layout){{{size}, {stride or size}, {blocks}}}"


def c_between(what, number):
    if what == "sum":
        return [f"int between = me;", "QMP_sum_int(&between);",
                f"if (between != nodes * (nodes - 1) / 2) complain(\"a sum between is wrong\", {number});"]
    return {"barrier": ["QMP_barrier();"], "time": ["pass_time(me % 2 ? 3000 : 10);"]}.get(what, [])


def c_messages(step, number):
    messages = step["messages"]
    n = len(messages)
    lines = [f"static unsigned char out[{n}][most], in[{n}][most];", f"QMP_msghandle_t all[{2 * n}], whole;"]
    # Matched in the order in which they are declared or started: the same at both ends.
    for i, m in enumerate(messages):
        for place, call, layout, memory, sign in ((2 * i, "receive", m["in"], "in", -m["sign"]),
                                                  (2 * i + 1, "send", m["out"], "out", m["sign"])):
            lines.append(f"all[{place}] = QMP_declare_{call}_relative(declare({memory}[{i}], {c_layout(layout)}), "
                         f"{m['axis']}, {sign}, 0);")
    if step["joined"]:
        lines.append(f"whole = QMP_declare_multiple(all, {2 * n});")
    lines.append(f"for (unsigned round = 0; round < {step['rounds']}; ++round) {{")
    stamp = f"{1000 * number} + 10 * round + "
    for i, m in enumerate(messages):
        lines.append(f"  fill(out[{i}], {c_layout(m['out'])}, {stamp}{i});")
        lines.append(f"  clear(in[{i}], {c_layout(m['in'])});")
    receives, sends = [2 * i for i in range(n)], [2 * i + 1 for i in range(n)]
    order = sends + receives if step["sends_first"] else receives + sends
    if step["joined"]:
        lines.append("  QMP_start(whole);")
    else:
        lines += [f"  QMP_start(all[{i}]);" for i in order]
    lines += ["  " + line for line in c_between(step["between"], number)]
    if step["joined"]:
        if step["polls"]:
            lines.append("  while (!QMP_is_complete(whole)) {")
            lines.append("  }")
        lines.append("  QMP_wait(whole);")
    elif step["polls"]:
        lines.append(f"  for (int i = 0; i < {2 * n}; ++i)")
        lines.append("    while (!QMP_is_complete(all[i])) {")
        lines.append("    }")
    else:
        lines.append(f"  QMP_wait_all(all, {2 * n});")
    for i, m in enumerate(messages):
        sent = m["in"][0] * m["in"][2]
        lines.append(f"  check(in[{i}], {c_layout(m['in'])}, {stamp}{i}, neighbour({m['axis']}, {-m['sign']}), {sent});")
    lines.append("}")
    if step["joined"]:
        lines.append("QMP_free_msghandle(whole);")
    else:
        lines.append(f"for (int i = 0; i < {2 * n}; ++i) QMP_free_msghandle(all[i]);")
    return lines


def c_routed(step, number):
    permutation = step["permutation"]
    inverse = [permutation.index(r) for r in range(len(permutation))]
    table = lambda ranks: ", ".join(map(str, ranks))  # noqa: E731
    out, into = c_layout(step["out"]), c_layout(step["in"])
    sent = step["in"][0] * step["in"][2]
    return [f"static const int to[] = {{{table(permutation)}}}, from[] = {{{table(inverse)}}};",
            "static unsigned char out[most], in[most];",
            "if (to[me] != me) {",
            f"  QMP_msghandle_t receive = QMP_declare_receive_from(declare(in, {into}), from[me], 0);",
            f"  QMP_msghandle_t send = QMP_declare_send_to(declare(out, {out}), to[me], 0);",
            f"  for (unsigned round = 0; round < {step['rounds']}; ++round) {{",
            f"    fill(out, {out}, {1000 * number} + round);",
            f"    clear(in, {into});",
            "    QMP_start(receive);",
            "    QMP_start(send);",
            "    QMP_wait(send);",
            "    QMP_wait(receive);",
            f"    check(in, {into}, {1000 * number} + round, from[me], {sent});",
            "  }",
            "  QMP_free_msghandle(receive);",
            "  QMP_free_msghandle(send);",
            "}"]


def c_step(step, number):
    kind = step["kind"]
    if kind == "messages":
        return c_messages(step, number)
    if kind == "routed":
        return c_routed(step, number)
    if kind == "sum":
        return [f"double value = share({number}, me, 0);", "QMP_sum_double(&value);",
                f"check_double(value, total({number}, 0), {number});"]
    if kind == "array":
        n = step["length"]
        return [f"float values[{n}];", f"for (unsigned i = 0; i < {n}; ++i) values[i] = (float)share({number}, me, i);",
                f"QMP_sum_float_array(values, {n});",
                f"for (unsigned i = 0; i < {n}; ++i) check_double(values[i], total({number}, i), {number});"]
    if kind == "extreme":
        call = "max" if step["sign"] > 0 else "min"
        return [f"double value = share({number}, me, 0);", f"QMP_{call}_double(&value);",
                f"check_double(value, extreme({number}, {step['sign']}), {number});"]
    if kind == "xor":
        return ["unsigned long value = 1ul << (me % 60) | 5, wanted = 0;", "QMP_xor_ulong(&value);",
                "for (int r = 0; r < nodes; ++r) wanted ^= 1ul << (r % 60) | 5;",
                f"if (value != wanted) complain(\"an exclusive or is wrong\", {number});"]
    if kind == "reduction":
        return [f"unsigned pair[2] = {{{number} + me, {number}u << me}}, sum = 0, bits = 0;",
                "QMP_binary_reduction(pair, sizeof pair, add_and_xor);",
                f"for (int r = 0; r < nodes; ++r) sum += {number} + r, bits ^= {number}u << r;",
                f"if (pair[0] != sum || pair[1] != bits) complain(\"a reduction is wrong\", {number});"]
    if kind == "broadcast":
        one = c_layout((step["length"], 0, 1))
        return [f"static unsigned char data[most];", f"clear(data, {one});", f"if (me == 0) fill(data, {one}, {number});",
                f"QMP_broadcast(data, {step['length']});", f"check(data, {one}, {number}, 0, {step['length']});"]
    if kind == "split":
        one = c_layout((step["length"], 0, 1))
        key = "nodes - me" if step["backwards"] else "me"
        colors = step["colors"]
        return ["QMP_comm_t group;", f"QMP_comm_split(QMP_comm_get_default(), me % {colors}, {key}, &group);",
                "double value = me + 1, wanted = 0;", "QMP_comm_sum_double(group, &value);",
                f"for (int r = me % {colors}; r < nodes; r += {colors}) wanted += r + 1;",
                f"check_double(value, wanted, {number});", "static unsigned char data[most];",
                # The group's node 0 has the lowest key.
                f"int first = me % {colors};",
                *([f"while (first + {colors} < nodes) first += {colors};"] if step["backwards"] else []),
                f"clear(data, {one});", f"if (me == first) fill(data, {one}, {number});",
                f"QMP_comm_broadcast(group, data, {step['length']});",
                f"check(data, {one}, {number}, first, {step['length']});", "QMP_comm_free(group);"]
    if kind == "time":
        return [f"if (me == {step['who']}) pass_time({step['units']});"]
    return ["QMP_barrier();"]


def as_c(program):
    lines = [PRELUDE, "int main(int argc, char** argv) {", "  QMP_thread_level_t provided;",
             "  QMP_init_msg_passing(&argc, &argv, QMP_THREAD_SINGLE, &provided);",
             "  me = QMP_get_node_number();", "  nodes = QMP_get_number_of_nodes();",
             f"  const int grid[] = {{{', '.join(map(str, program.grid))}}};",
             f"  QMP_declare_logical_topology(grid, {len(program.grid)});"]
    for number, step in enumerate(program.steps, 1):
        lines.append(f"  {{  /* step {number}: {step['kind']} */")
        lines += ["    " + line for line in c_step(step, number)]
        lines.append("  }")
    lines += ["  QMP_finalize_msg_passing();", "  printf(wrong == 0 ? \"right\\n\" : \"wrong\\n\");", "  return wrong != 0;", "}", ""]
    return "\n".join(lines)


# ----------------------------------------------------------------------------------------------------------------------
# Runs

class CannotRun(Exception):
    """Nothing about the program: a tool is missing, or refuses what it is given."""


class Runner:
    def __init__(self, build, folder):
        self.bin = pathlib.Path(build) / "bin"
        self.folder = folder

    def command(self, program, network, binary):
        where = ["qpace", "--network", "functional"] if network == "functional" else [network]
        # Errors, cables and memories are hardware's.
        options = [] if network == "functional" else program.drawn + program.errors
        # Two parities a word notice one flipped bit, and no more is promised of QCDOC.
        if network == "qcdoc" and program.errors != NO_ERRORS:
            options = [*program.drawn, "--ber", "1e-6"]
        return [str(self.bin / "hypertorus"), "exec", *where, "--nodes", "x".join(map(str, program.grid)), *options, "--", binary]

    def source_of(self, program):
        return as_c(program)

    def failure(self, program, network):
        """None, or what went wrong in one run."""
        source, binary = self.folder / "program.c", self.folder / "program"
        source.write_text(self.source_of(program))
        built = subprocess.run([self.bin / "hypertorus-cc", "-std=gnu99", "-O1", "-g", "-w", "-o", binary, source],
                               capture_output=True, text=True)
        if built.returncode != 0:
            raise CannotRun(f"seed {program.seed} cannot be compiled: {built.stderr.strip()}")
        try:
            run = subprocess.run(self.command(program, network, str(binary)), capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return f"no end after {PATIENCE} s"
        if run.returncode == 2:
            raise CannotRun(f"{' '.join(map(str, run.args))}: {run.stderr.strip()}")
        rights = sum(line.endswith("] right") for line in run.stdout.splitlines())
        if run.returncode == 0 and rights == program.nodes:
            return None
        return f"exit code {run.returncode}, {rights} of {program.nodes} nodes are right\n{run.stdout[-1500:]}{run.stderr[-3000:]}"


def smaller(program):
    """Programs with less in them, the boldest first."""
    steps = program.steps
    size = len(steps) // 2
    while size >= 1:
        for first in range(0, len(steps), size):
            yield dataclasses.replace(program, steps=steps[:first] + steps[first + size:])
        size //= 2
    for i, step in enumerate(steps):
        for change in simpler(step):
            yield dataclasses.replace(program, steps=steps[:i] + [change] + steps[i + 1:])
    if program.drawn:
        yield dataclasses.replace(program, drawn=[])
    if program.errors != NO_ERRORS:
        yield dataclasses.replace(program, errors=NO_ERRORS)


def simpler(step):
    for key, value in (("rounds", 1), ("joined", False), ("sends_first", False), ("polls", False), ("between", None),
                       ("colors", 1), ("backwards", False), ("length", 1), ("units", 10)):
        if key in step and step[key] != value:
            yield {**step, key: value}
    for i in range(len(step.get("messages", ()))):
        if len(step["messages"]) > 1:
            yield {**step, "messages": step["messages"][:i] + step["messages"][i + 1:]}
        m = step["messages"][i]
        if m["out"] != (8, 0, 1):
            less = copy.deepcopy(step)
            less["messages"][i]["out"] = less["messages"][i]["in"] = (8, 0, 1)
            yield less
    if "out" in step and step["out"] != (8, 0, 1):
        yield {**step, "out": (8, 0, 1), "in": (8, 0, 1)}


def shrink(program, network, runner, tries=120):
    """The smallest program that still fails, as far as `tries` runs show."""
    why = None
    again = True
    while again and tries > 0:
        again = False
        for candidate in smaller(program):
            if tries == 0:
                break
            tries -= 1
            found = runner.failure(candidate, network)
            if found is not None:
                program, why, again = candidate, found, True
                break
    return program, why


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build" / "release",
                        help="build tree (default: build/release)")
    parser.add_argument("--count", type=int, default=1, help="programs (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first one (default: 1)")
    parser.add_argument("--shard", default="1/1", help="I/N: every Nth of them, from the Ith on")
    parser.add_argument("--network", action="append", choices=NETWORKS, help="there only; may be repeated (default: all)")
    parser.add_argument("--print", action="store_true", help="print the program of --seed as C, and run nothing")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for failing programs (default: the current one)")
    a = parser.parse_args()
    try:
        a.index, a.shards = map(int, a.shard.split("/"))
    except ValueError:
        parser.error(f"--shard {a.shard}: give it as 2/4")
    if not 1 <= a.index <= a.shards:
        parser.error(f"--shard {a.shard}: the first is 1/{a.shards}")
    if a.count < 1:
        parser.error(f"--count {a.count}: at least 1")
    if not a.print and not (a.build / "bin" / "hypertorus-cc").exists():
        parser.error(f"--build {a.build}: no hypertorus-cc there; build it first")
    return a


def main():
    a = parse()
    if a.print:
        print(as_c(draw(a.seed)), end="")
        return 0
    networks = a.network or NETWORKS
    failed, runs, began = 0, {n: 0 for n in networks}, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hypertorus-programs-") as folder:
        runner = Runner(a.build.resolve(), pathlib.Path(folder))
        for seed in range(a.seed + a.index - 1, a.seed + a.count, a.shards):
            program = draw(seed)
            for network in networks:
                why = runner.failure(program, network)
                runs[network] += 1
                if why is None:
                    continue
                failed += 1
                print(f"seed {seed}, {network}, {'x'.join(map(str, program.grid))}: {why}\nshrinking ...", flush=True)
                small, again = shrink(program, network, runner)
                file = (a.keep or pathlib.Path.cwd()) / f"program-{seed}-{network}.c"
                file.write_text(as_c(small))
                print(f"{again or why}\n{as_c(small)}\n{file}: the program above, {len(small.steps)} of {len(program.steps)} steps; "
                      f"compile with hypertorus-cc, then: {' '.join(runner.command(small, network, './program'))}", flush=True)
    table = ", ".join(f"{n} {count}" for n, count in runs.items())
    print(f"{sum(runs.values())} runs ({table}) of random programs in {time.monotonic() - began:.0f} s: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CannotRun as error:
        print(f"random_programs.py: {error}", file=sys.stderr)
        sys.exit(2)
