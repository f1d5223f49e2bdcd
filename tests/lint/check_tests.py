#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what ctest knows of every test: a time limit, and no label but those that tests/README.md and the folders'
CMakeLists.txt have.

    check_tests.py BUILD
"""
import json
import subprocess
import sys

LABELS = {"quick", "lint", "nightly", "outside", "formal", "grid", "vhdl"}


def check(test):
    """What is wrong with a test, as ctest's JSON has it."""
    properties = {p["name"]: p["value"] for p in test.get("properties", [])}
    if not properties.get("TIMEOUT"):
        yield "has no time limit"
    for label in properties.get("LABELS", []):
        if label not in LABELS:
            yield f"has the label {label}, which nobody asks for"


def main():
    listed = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"], capture_output=True, text=True, check=True)
    # Programs that are not built have a test that says so.
    tests = [test for test in json.loads(listed.stdout)["tests"] if "_NOT_BUILT-" not in test["name"]]
    wrong = [f"{test['name']}: {what}" for test in tests for what in check(test)]
    print("\n".join(wrong) if wrong else f"{len(tests)} tests, each with a time limit")
    return 1 if wrong or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
