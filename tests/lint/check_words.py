#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words and phrases that stay out of sources and pages, each with what to write instead.

    check_words.py ROOT
"""
import pathlib
import re
import subprocess
import sys

OUT = [
    (r"\bseeds?[\s/(]+00[0-4]\b", "the reference of docs/references.md, as in [QPACE2009] section 6"),
    (r"\b(took|takes?|taking) exception\b", "reject"),
    (r"\bcloses? (their|its|the) books\b", "finalizes its ledgers"),
    (r"\bso-manieth\b", "every Nth"),
    (r"\bMachineWants\b", "BuildRequirements"),
    (r"\ba packet that is none\b", "malformed"),
    (r"\bit took nothing away\b", "no effect on delivered data"),
    (r"(?<!acknowledgements not )\bheeded\b", "accepted; not heeded: ignored"),  # but for a key of a campaign's JSON file
    (r"\bby halves\b", "half of them at a time"),
    (r"\bnone of ours\b", "whose it is"),
    (r"\bsigns? of life\b", "keep-alive"),
    (r"\bheld (to|against)\b", "checked against, compared with"),
    (r"// Surroundings:", "Environment: what a proof assumes"),
    (r"\bnoise of operating systems\b", "operating-system noise"),
    (r"\b(take|takes|taken|took) damage for good\b", "accept damaged data"),
    (r"\bby up to so much\b", "by up to this"),
    (r"\bresendings?\b", "retransmission"),
    (r"\bgrandchild\b", "successor"),
]


def main():
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=False)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [
        str(p.relative_to(root)) for p in root.rglob("*") if not p.relative_to(root).parts[0].startswith((".", "build"))]
    faults = read = 0
    for name in names:
        file = root / name
        if not file.is_file() or file.suffix in (".png", ".lime") or file.resolve() == pathlib.Path(__file__).resolve():
            continue
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue
        read += 1
        for words, instead in OUT:
            for found in re.finditer(words, text, re.I):
                faults += 1
                print(f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]!r}: write {instead}")
    if read < 100:
        print(f"only {read} files were read: this check sees nothing")
    return 1 if faults or read < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
