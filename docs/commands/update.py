#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the pages of docs/commands equal to what `hypertorus COMMAND --help` prints.

    python3 docs/commands/update.py build/release/bin/hypertorus          writes the pages
    python3 docs/commands/update.py build/release/bin/hypertorus --check  only says what is stale

A page is free text around one block between the two markers below; new commands get a page of their
own. Also checked: every option appears in one of its command's examples, and every example uses
known options.
"""
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- begin: --help -->\n", "<!-- end: --help -->\n"


def run(program, words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60)


def commands(program, path=()):
    """(words, help text) of every command that has no subcommands, and of the program itself."""
    text = run(program, [*path, "--help"]).stdout
    subcommands = re.search(r"^Subcommands:\n((?:  .*\n)*)", text, re.M)
    names = re.findall(r"^  ([a-z][\w-]*)(?: |$)", subcommands[1], re.M) if subcommands else []
    if not names or not path:
        yield path, text
    for name in names:
        yield from commands(program, (*path, name))


def page_of(path, text, old):
    name = " ".join(("hypertorus", *path))
    block = BEGIN + "```text\n" + text.rstrip() + "\n```\n" + END
    if old and BEGIN in old and END in old:
        return old[: old.index(BEGIN)] + block + old[old.index(END) + len(END) :]
    return f"<!-- SPDX-License-Identifier: Apache-2.0 -->\n# {name}\n\n{block}"


def example_faults(program, path, text):
    options, _, examples = text.partition("\nExample")
    for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", options, re.M):
        if option not in ("--help", "--version") and not re.search(option + r"(?![\w-])", examples):
            yield f"{' '.join(path)} --help: no example has {option}; add one to sim/cli/help_examples.cpp"
    for line in re.findall(r"^(?:s:\n|: )?\s*hypertorus (.*)$", examples, re.M):
        words = shlex.split(line)
        mark = "--certainly-no-option"
        words = words[: words.index("--")] + [mark] + words[words.index("--") :] if "--" in words else [*words, mark]
        said = run(program, words).stderr
        if f"unknown option {mark}" not in said:
            yield f"example 'hypertorus {line}': {said.strip()}"


def main():
    program, check = sys.argv[1], "--check" in sys.argv[2:]
    faults, pages = [], {}
    for path, text in commands(program):
        file = HERE / ("-".join(path or ("hypertorus",)) + ".md")
        old = file.read_text() if file.exists() else ""
        pages[file] = page_of(path, text, old)
        if path:
            faults += example_faults(program, path, text)
        if not check:
            file.write_text(pages[file])
        elif old != pages[file]:
            faults.append(f"{file.relative_to(HERE.parents[1])}: not what --help prints; run docs/commands/update.py")
    for file in HERE.glob("*.md"):
        if file not in pages and file.name != "README.md":
            faults.append(f"{file.relative_to(HERE.parents[1])}: there is no such command any more")
    for fault in faults:
        print(fault)
    return 1 if faults or len(pages) < 3 else 0


sys.exit(main())
