#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""States of the Verilog's state machines, and which may follow which, as rtl/*/states.toml lists them; as cover points.

    states.py check            the lists fit the Verilog: modules, registers and names of states are there
    states.py write FOLDER     FOLDER/MODULE.sv, for each module with a machine: binds its cover points

An entry of a list:

    [[fsm]]
    module = "link_framer"
    register = "state_reg"      or any expression
    reset = "rst"               what puts it anywhere at any time: what follows such a cycle is not looked at
    clock = "clk"
    [fsm.states]                by their names in the source, or values: those that may follow
    IDLE = ["SEND"]
    SEND = ["IDLE", "WAIT"]
    WAIT = ["SEND"]
    [fsm.waive]                 optional: what no test reaches, and why; what is reached although it is here fails
    "WAIT -> SEND" = "..."

Cover points: each state, "A"; each transition, "A -> B"; and "A -> others", which must not be reached.
"""
import argparse
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEYS = {"module", "register", "reset", "clock", "states", "waive"}


def machines(root=ROOT):
    """All entries, with `where`: the list that they are in."""
    for file in sorted((root / "rtl").glob("*/states.toml")):
        with open(file, "rb") as f:
            for entry in tomllib.load(f)["fsm"]:
                yield {"waive": {}, **entry, "where": file.relative_to(root)}


def name_of(machine):
    return f"{machine['module']}.{machine['register']}"


def points(machine):
    """(name, from, to) of its cover points: to is None for a state, () for others."""
    for state, following in machine["states"].items():
        yield state, state, None
        for other in following:
            yield f"{state} -> {other}", state, other
        yield f"{state} -> others", state, ()


def complaints(root=ROOT):
    sources = {file.stem: file.read_text() for file in (root / "rtl").rglob("*.v")}
    seen = set()
    for m in machines(root):
        at = f"{m['where']}: {name_of(m)}"
        if unknown := set(m) - KEYS - {"where"}:
            yield f"{at}: {', '.join(sorted(unknown))} means nothing"
        if name_of(m) in seen:
            yield f"{at}: is there twice"
        seen.add(name_of(m))
        text = re.sub(r"//.*", "", sources.get(m["module"], ""))
        if not text:
            yield f"{at}: no such module"
            continue
        # Identifiers, not what is behind the quote of a number.
        words = " ".join([m["register"], m["reset"], m["clock"], *m["states"]])
        for word in sorted(set(re.findall(r"(?<!')\b[A-Za-z_]\w*", words))):
            if not re.search(rf"\b{re.escape(word)}\b", text):
                yield f"{at}: the module has no {word}"
        for state, following in m["states"].items():
            for other in following:
                if other == state or other not in m["states"]:
                    yield f"{at}: {state} -> {other} is no transition between its states"
        names = {name for name, _, to in points(m) if to != ()}
        for name in m["waive"]:
            if name not in names:
                yield f"{at}: nothing is called '{name}', so that it cannot be waived"


def text_of(machine):
    """The module of its cover points, a line each with its name behind it, and what binds it."""
    states = list(machine["states"])
    number = {state: i for i, state in enumerate(states)}
    name = re.sub(r"\W+", "_", f"states_{machine['module']}_{machine['register']}").strip("_")
    lines = [f"module {name} (input wire clk, input wire rst, input wire [{len(states) - 1}:0] is);",
             f"    reg [{len(states) - 1}:0] was = 0;",
             "    reg seen = 0;   // a reset: before it registers hold what they came up with",
             "    always @(posedge clk) begin",
             "        if (rst) seen <= 1;",
             "        was <= rst || !seen ? 0 : is;",
             "    end"]
    for point, state, to in points(machine):
        here = number[state]
        if to is None:
            condition = f"is[{here}] && !rst && seen"
        elif to == ():
            good = "".join(f" && !is[{number[s]}]" for s in [state, *machine["states"][state]])
            condition = f"was[{here}]{good}"
        else:
            condition = f"was[{here}] && is[{number[to]}]"
        lines.append(f"    cover property (@(posedge clk) {condition});  // {name_of(machine)}: {point}")
    bits = [f"{machine['register']} == {s}" for s in reversed(states)]
    lines += ["endmodule",
              f"bind {machine['module']} {name} u_{name} (.clk({machine['clock']}), .rst({machine['reset']}), .is({{{', '.join(bits)}}}));"]
    return "\n".join(lines) + "\n"


# A reset that elsewhere clears at once is read at a clock here.
HEAD = "// Written by tests/coverage/states.py.\n/* verilator lint_off SYNCASYNCNET */\n"


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    texts = {}
    for m in machines():
        texts[m["module"]] = texts.get(m["module"], HEAD) + text_of(m)
    for old in folder.glob("*.sv"):
        if old.stem not in texts:
            old.unlink()
    for module, text in texts.items():
        file = folder / f"{module}.sv"
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "write"])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    arguments = parser.parse_args()
    bad = list(complaints())
    for line in bad:
        print(f"states.py: {line}", file=sys.stderr)
    if bad:
        return 1
    if arguments.what == "write":
        write(arguments.folder)
    else:
        all_of_them = list(machines())
        count = sum(1 for m in all_of_them for _ in points(m))
        print(f"{len(all_of_them)} state machines, {count} cover points fit the Verilog")
    return 0


if __name__ == "__main__":
    sys.exit(main())
