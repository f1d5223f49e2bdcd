#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that all instances of a module share one copy of their Verilated code.

    check_shared.py LIBRARY MODULE [--newer]     LIBRARY: the folder of the Verilated library V<top>, built

Verilator names a function after the first instance that uses it; if others have functions of their
own, a pin that is connected differently was replaced by what is connected to it. The remedy is a line
in the library's .vlt file; the difference between the texts shows the pin. --newer: of a Verilator that
cuts the code of an instance into functions where the next one begins, so that a few statements may be
there twice.
"""
import difflib
import pathlib
import re
import sys

MOST_TWICE = 0.02  # of the statements, with --newer


def functions(folder, module, parameters=""):
    """{(name without instance, instance): its statements} of the code that runs at evaluations. A module with other
    parameters than its own has some of them in its name, as link__L4; `parameters`: an expression for these."""
    found = {}
    # Files of former runs lie there too: the list says which ones are compiled.
    sources = {p for list_ in folder.rglob("V*.files.cmake") for p in re.findall(r'"([^"]+\.cpp)"', list_.read_text())}
    for path in sorted(folder.rglob(f"V*_{module}__*.cpp")):
        name = rf"_{module}__{parameters}(DepSet_\w+__)?\d+\.cpp$"
        if not re.search(name, path.name) or str(path.resolve()) not in sources:
            continue
        parts = re.split(r"^(?:VL_INLINE_OPT )?void (\S+)\(.*\{$", path.read_text(), flags=re.MULTILINE)
        for name, body in zip(parts[1::2], parts[2::2]):
            instance = "".join(re.findall(r"__BRA__\d+__KET__", name))
            statements = [" ".join(s.split()) for s in body.split(";") if "VL_DBG_MSGF" not in s]
            found[re.sub(r"__BRA__\d+__KET__", "", name), instance] = statements
    return found


def main(folder, module, newer):
    found = functions(pathlib.Path(folder), module) or functions(pathlib.Path(folder), module, r"[A-Z]\w*?__")
    if not found:
        print(f"no code of {module} in {folder}: is it built, and {module} not inlined?")
        return 1
    first, more = {}, []
    for (name, instance), statements in found.items():
        if name not in first:
            first[name] = statements
            continue
        more += statements
        difference = difflib.unified_diff(first[name], statements, n=0, lineterm="")
        print(f"{name} is there once more, for {instance}:", *list(difference)[2:8], sep="\n  ")
    once = sum(map(len, first.values()))
    print(f"{len(first)} functions of {module}: {once} statements, {len(more)} of them once more")
    return len(more) > (MOST_TWICE * once if newer else 0)


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--newer"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    sys.exit(main(*arguments, newer="--newer" in sys.argv))
