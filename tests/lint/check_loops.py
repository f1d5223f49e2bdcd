#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A loop's variable in a combinational block is given a value before anything else, or newer Yosys infer a latch.

    check_loops.py ROOT                every file below rtl, by its text
    check_loops.py --yosys ROOT        every module below rtl, by the Yosys of the package pyosys: latches it infers

A loop below an `if` runs in some cases only, and what its variable keeps in the others is a latch (Yosys 0.23 is silent
about it). By text, the rule is the same for all combinational blocks: `i = 0;` first. 1 if something is wrong;
SKIPPED where pyosys is not installed.
"""
import importlib.util
import os
import pathlib
import re
import sys
import tempfile

import lint_verilog

KEYWORD = re.compile(r"\b(begin|end|case[xz]?|endcase|always|initial|assign|function|endfunction|generate|endgenerate"
                     r"|wire|reg|integer|endmodule)\b")


def without_comments(text):
    """The same lines and columns, comments and strings blanked."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"', lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)


def combinational_blocks(text):
    """(offset, body) of each always block that waits for no edge. A body ends with its `end`, or its statement."""
    for start in re.finditer(r"\balways\s*@\s*(\*|\(([^()]*)\))", text):
        if start[2] and re.search(r"\b(posedge|negedge)\b", start[2]):
            continue
        depth, stop = 0, len(text)
        for word in KEYWORD.finditer(text, start.end()):
            if word[1] in ("begin", "case", "casex", "casez"):
                depth += 1
            elif word[1] in ("end", "endcase"):
                depth -= 1
                if depth == 0:
                    rest = re.match(r"\s*else\b", text[word.end():])
                    stop = word.end()
                    if not rest:
                        break
            elif depth == 0 and word[1] in ("always", "initial", "assign", "function", "generate", "endgenerate", "wire",
                                            "reg", "endmodule"):
                stop = word.start()
                break
        yield start.end(), text[start.end():stop]


def unset(text):
    """(line, variable) of each loop of a combinational block whose variable has no value before it."""
    text = without_comments(text)
    for offset, body in combinational_blocks(text):
        # what precedes the first condition and the first loop always runs
        first = re.search(r"\b(if|case[xz]?|for)\b", body)
        head = body[:first.start()] if first else body
        reported = set()
        for loop in re.finditer(r"\bfor\s*\(\s*(\w+)\s*=", body):
            if not re.search(rf"\b{loop[1]}\s*=[^=]", head) and loop[1] not in reported:
                reported.add(loop[1])
                yield text.count("\n", 0, offset + loop.start()) + 1, loop[1]


def by_text(root):
    bad = [f"{file.relative_to(root)}:{line}: {name} = 0; belongs before the first condition of its block"
           for file in sorted((root / "rtl").rglob("*.v"))
           for line, name in unset(file.read_text(encoding="utf-8"))]
    print("\n".join([*bad, f"{len(bad)} loops whose variable is not set first"]))
    return bool(bad)


def latches(root):
    """Lines of what Yosys says of latches, over all modules as they stand, each once."""
    from pyosys import libyosys
    found, bad = lint_verilog.modules(root)
    includes = " ".join(f"-I{d}" for d in sorted({p.parent for p in (root / "rtl").rglob("*.vh")}))
    used = {f for n in found for f in lint_verilog.closure(n, found)[1:]}
    tops = [n for n in found if found[n] not in used]
    with tempfile.TemporaryFile("w+") as log:
        out = os.dup(1)
        os.dup2(log.fileno(), 1)   # Yosys writes there by itself
        try:
            for top in tops:
                design = libyosys.Design()
                files = " ".join(map(str, lint_verilog.closure(top, found)))
                libyosys.run_pass(f"read_verilog {includes} {files}", design)
                libyosys.run_pass(f"hierarchy -check -top {top}", design)
                libyosys.run_pass("proc", design)
        finally:
            sys.stdout.flush()
            os.dup2(out, 1)
            os.close(out)
        log.seek(0)
        said = re.findall(r"Latch inferred for signal `?\S*?([\w$]+\.\\?\w+).*?(\S+\.v:\d+)", log.read())
    return tops, bad, sorted({f"{pathlib.Path(place).name}: latch: {signal}" for signal, place in said})


def by_yosys(root):
    if not importlib.util.find_spec("pyosys"):
        print("SKIPPED: the package pyosys is not installed")
        return 0
    tops, bad, said = latches(root)
    print("\n".join([*bad, *said, f"{len(tops)} tops, {len(said)} latches"]))
    return bool(bad or said or not tops)


def main():
    if len(sys.argv) not in (2, 3) or (len(sys.argv) == 3 and sys.argv[1] != "--yosys"):
        print(__doc__)
        return 2
    root = pathlib.Path(sys.argv[-1]).resolve()
    if not (root / "rtl").is_dir():
        print(f"{root} has no folder rtl")
        return 1
    return by_yosys(root) if len(sys.argv) == 3 else by_text(root)


if __name__ == "__main__":
    sys.exit(main())
