#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that all instances of a module share one copy of their Verilated code.

    check_shared.py LIBRARY MODULE [--newer]     LIBRARY: the folder of the Verilated library V<top>, built

Instances with other parameters are other code to Verilator; of a module that has several kinds, the one with most
instances is looked at: a router's inputs of links, not those of interfaces.

Verilator names a function after the first instance that uses it; if others have functions of their
own, a pin that is connected differently was replaced by what is connected to it. The remedy is a line
in the library's .vlt file; the difference between the texts shows the pin. --newer: of a Verilator that
cuts the code of an instance into functions where the next one begins, so that a few statements may be
there twice.
"""
import collections
import difflib
import pathlib
import re
import sys

MOST_TWICE = 0.02  # of the statements, with --newer


def most_frequent_class(folder, module):
    """The C++ class of a module's instances: parameters other than the module's own are part of its name, as in
    V<top>_<module>__L8. None if there is no instance."""
    classes = collections.Counter()
    for path in folder.rglob("V*__Syms.h"):
        classes.update(re.findall(rf"^ +(V\w+_{module}(?:__[A-Z]\w*)?) +TOP__\w+;$", path.read_text(), re.MULTILINE))
    return max(classes, key=classes.get, default=None)


def functions(folder, module):
    """{(name without instance, instance): its statements} of the code that runs at evaluations."""
    found = {}
    name_of_class = most_frequent_class(folder, module)
    # Files of former runs lie there too: the list says which ones are compiled.
    sources = {p for list_ in folder.rglob("V*.files.cmake") for p in re.findall(r'"([^"]+\.cpp)"', list_.read_text())}
    for path in sorted(folder.rglob(f"{name_of_class}__*.cpp")):
        if not re.search(rf"^{name_of_class}__(DepSet_\w+__)?\d+\.cpp$", path.name) or str(path.resolve()) not in sources:
            continue
        parts = re.split(r"^(?:VL_INLINE_OPT )?void (\S+)\(.*\{$", path.read_text(), flags=re.MULTILINE)
        for name, body in zip(parts[1::2], parts[2::2]):
            instance = "".join(re.findall(r"__BRA__\d+__KET__", name))
            statements = [" ".join(s.split()) for s in body.split(";") if "VL_DBG_MSGF" not in s]
            found[re.sub(r"__BRA__\d+__KET__", "", name), instance] = statements
    return found


def main(folder, module, newer):
    found = functions(pathlib.Path(folder), module)
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
