#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rtl/regmap.py refuses tables of registers, wire formats and captured signals that are wrong, with one line that names
file, entry and remedy, and writes nothing then.

    regmap_test.py ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

TABLE = """name = "part"
cpp = "part"
address_bits = 4
doc = "A table."
reads = true

[[register]]
name = "CONTROL"
address = 0
access = "rw"
doc = "What it does."
fields = [{ name = "ENABLE", bits = "0", doc = "Goes." }]

[[register]]
name = "COUNT"
address = 1
access = "ro"
volatile = true
doc = "What it counted."
"""
COUNT = 'name = "COUNT"\naddress = 1\naccess = "ro"\nvolatile = true\ndoc = "What it counted."\n'
FIELD = '{ name = "ENABLE", bits = "0", doc = "Goes." }'

WIRE = """name = "part_wire"
doc = "A wire."

[[codes]]
name = "KIND"
prefix = "PART_WIRE"
bits = 2
base = 16
doc = "Kinds."
values = [{ name = "DATA", value = 1, doc = "Words." }]

[[layout]]
name = "HEADER"
prefix = "PART_HEADER"
bits = 8
doc = "A header."
fields = [{ name = "KIND", bits = "1:0", doc = "Which.", codes = "KIND" }]
"""
PROBE = """name = "part_probe"
doc = "Signals."

[[signal]]
name = "state"
bits = 2
doc = "Of the link."
values = { DOWN = 0, UP = 2 }
"""

# What is changed in the table, into what, and what is said after the file's name.
WRONG = [
    ("volatile", "volatle", "COUNT: there is no key volatle; did you mean volatile?"),
    ("reads = true", "read = true", "there is no key read; did you mean reads?"),
    ("address = 1", "address = -1", "COUNT: address = -1: write a number from 0"),
    ("address = 1", 'address = "0x00A"', "COUNT: address = '0x00A': write a number from 0, without quotes"),
    ("address = 1", "address = true", "COUNT: address = True: write a number from 0"),
    ("address = 1", "address = 0", "COUNT: word 0x0 is that of CONTROL; take another address"),
    ("address = 1", "address = 16", "COUNT: word 0x10 is out of range: address_bits = 4; take another address"),
    ("address = 1\n", "", "COUNT: address is missing; write a number from 0"),
    ('"COUNT"', '"Count"', "Count: name = 'Count': write UPPER_CASE"),
    ('"COUNT"', '"2COUNT"', "2COUNT: name = '2COUNT': write UPPER_CASE"),
    ('"COUNT"', '"ZÄHLER"', "ZÄHLER: name = 'ZÄHLER': write UPPER_CASE"),
    ('"COUNT"', '"A COUNT"', "A COUNT: name = 'A COUNT': write UPPER_CASE"),
    ('"COUNT"', '"INPUT"', "INPUT: input is a keyword of Verilog or C++; take another name"),
    ('"COUNT"', '"CLASS"', "CLASS: class is a keyword of Verilog or C++; take another name"),
    ('"COUNT"', '"CONTROL"', "CONTROL: the name is used twice; take another one"),
    ('"COUNT"', '"CONTROL_ENABLE"',
     "CONTROL_ENABLE: the macro PART_CONTROL_ENABLE is that of CONTROL.ENABLE, too; take another name"),
    ('"COUNT"', '"CONTROL_RESET"', "CONTROL_RESET: the macro PART_CONTROL_RESET is that of CONTROL, too; take another name"),
    ('"COUNT"', '"KNOWN"', "KNOWN: the port of part_reads known is that of the module, too; take another name"),
    ('"COUNT"', '"ALL"', "ALL: the name in C++ all is that of the list of registers, too; take another name"),
    (FIELD, FIELD + ", " + FIELD.replace('"0"', '"1"'),
     "CONTROL.ENABLE: the register has two fields of this name; take another one"),
    (FIELD, FIELD.replace('"0"', '"x"'), "CONTROL.ENABLE: bits = 'x': write a range inside 31:0 in quotes"),
    (FIELD, FIELD.replace('"0"', '"32"'), "CONTROL.ENABLE: bits = '32': write a range inside 31:0 in quotes"),
    (FIELD, FIELD.replace('"0"', "0"), "CONTROL.ENABLE: bits = 0: write a range inside 31:0 in quotes"),
    (FIELD, FIELD.replace(', doc = "Goes."', ""), "CONTROL.ENABLE: doc is missing; write one line of text"),
    (FIELD, FIELD.replace("doc = ", "dok = "), "CONTROL.ENABLE: there is no key dok; did you mean doc?"),
    (FIELD, FIELD.replace(" }", ", values = { OFF = 0, ON = 2 } }"), "CONTROL.ENABLE: ON = 2 does not fit into its 1 bits"),
    (COUNT, COUNT + FIELD.join(("fields = [", "]\n")).replace(" }", ", pulse = true }"),
     "COUNT.ENABLE: pulse is for what is written; its register is ro, not rw or wo"),
    (COUNT, COUNT.replace('doc = "What it counted."\n', ""), "COUNT: doc is missing; write one line of text"),
    ("it counted.", "it | counted.", "COUNT: doc = 'What it | counted.': write one line of text"),
    ("it counted.", "it\\ncounted.", "COUNT: doc = 'What it\\ncounted.': write one line of text"),
    ("it counted.", "it counted\\\\", "COUNT: doc = 'What it counted\\\\': write one line of text"),
    ('"ro"', '"RO"', "COUNT: access = 'RO': write one of rw, ro, w1c, wo"),
    (COUNT, COUNT + "reset = 0x100000000\n", "COUNT: reset = 4294967296: write a number of 32 bits"),
    (COUNT, COUNT + 'repeat = [{ name = "link", count = 2, stride = 0 }]\n', "COUNT: repeat link: stride = 0: write a number from 1"),
    ('name = "COUNT"', "name = COUNT", "Invalid value (at line"),
    (COUNT, COUNT + '[[window]]\nname = "PARTS"\nmap = "prt"\naddress = 8\ncount = 1\nstride = 1\n',
     "window PARTS: there is no map prt; did you mean part?"),
]
WRONG_WIRE = [
    ("base = 16", "bas = 16", "KIND: there is no key bas; did you mean base?"),
    ("base = 16", "base = 8", "KIND: base = 8: write 10 or 16"),
    ("value = 1", 'value = "1"', "KIND.DATA: value = '1': write a number from 0, without quotes"),
    ("value = 1", "value = 4", "KIND.DATA: its name or number is taken, or too large"),
    ('doc = "Words."', 'dok = "Words."', "KIND.DATA: there is no key dok; did you mean doc?"),
    (', doc = "Words."', "", "KIND.DATA: doc is missing; write one line of text"),
    ("Words.", "Words | more", "KIND.DATA: doc = 'Words | more': write one line of text"),
    ("bits = 8\n", "", "HEADER: bits is missing; write a number from 1 to 65536"),
    ('codes = "KIND" }', 'codes = "KINDS" }', "HEADER.KIND: there is no table of codes KINDS before it"),
    ('codes = "KIND" }', 'code = "KIND" }', "HEADER.KIND: there is no key code; did you mean codes?"),
    ('bits = "1:0"', "bits = 1", "HEADER.KIND: bits = 1: write bits in quotes"),
    ('bits = "1:0"', 'bits = "8:0"', "HEADER.KIND: bits = \"8:0\" is not a range inside 7:0"),
    ("[[layout]]", "[[layouts]]", "there is no key layouts; did you mean layout?"),
    ("base = 16", "base = ", "Invalid value (at line"),
]
WRONG_PROBE = [
    ("bits = 2", "bit = 2", "state: there is no key bit; did you mean bits?"),
    ("bits = 2", "bits = 33", "state: bits = 33: write a number from 1 to 32"),
    ("UP = 2", "UP = 4", "state: UP = 4 does not fit into its 2 bits"),
    ('"state"', '"STATE"', "STATE: name = 'STATE': write lower_case"),
    ('"state"', '"wire"', "wire: name = 'wire': write lower_case"),
    ('doc = "Of the link."\n', "", "state: doc is missing; write one line of text"),
    ("[[signal]]", "[[signals]]", "there is no key signals; did you mean signal?"),
]
WRONG_LISTS = [
    ("wires", "wire", "there is no key wire; did you mean wires?"),
    ('["part_registers.toml"]', '"part_registers.toml"', "maps = 'part_registers.toml': write a list of files"),
    ("part_probe.toml", "part_prob.toml", "rtl/machine/part_prob.toml: No such file or directory; maps.toml beside it lists the tables"),
]
LISTS = """maps = ["part_registers.toml"]
wires = ["part_wire.toml"]
probes = ["part_probe.toml"]
"""


def main():
    root, failed = pathlib.Path(sys.argv[1]).resolve(), 0
    with tempfile.TemporaryDirectory(prefix="regmap test ") as folder:
        tree = pathlib.Path(folder)
        (tree / "rtl" / "machine").mkdir(parents=True)
        for script in (root / "rtl").glob("*.py"):
            shutil.copy(script, tree / "rtl")
        files = {"maps.toml": (LISTS, WRONG_LISTS), "part_registers.toml": (TABLE, WRONG), "part_wire.toml": (WIRE, WRONG_WIRE),
                 "part_probe.toml": (PROBE, WRONG_PROBE)}

        def regmap(changed, text):
            for name, (right, _) in files.items():
                (tree / "rtl" / "machine" / name).write_text(text if name == changed else right, encoding="utf-8")
            done = subprocess.run([sys.executable, tree / "rtl" / "regmap.py"], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

        for name, (right, wrong) in files.items():
            for old, new, said in wrong:
                if right.count(old) != 1:
                    sys.exit(f"{name}: {right.count(old)} times in the table, not once: {old}")
                code, out, err = regmap(name, right.replace(old, new))
                start = f"regmap.py: {said if '.toml: ' in said else f'rtl/machine/{name}: {said}'}"
                if code != 2 or out or err.count("\n") != 1 or not err.startswith(start):
                    failed += 1
                    print(f"{name}: {new}\n  exit code {code}: {out}{err}  expected {start}")
        code, out, err = regmap(None, "")
        if code != 0 or err or "wrote rtl/machine/part_reads.v" not in out or "wrote rtl/machine/part_wire.vh" not in out:
            failed += 1
            print(f"what is right: exit code {code}\n{out}{err}")
    print(f"{failed} failed" if failed else f"{sum(len(w) for _, w in files.values())} wrong tables are refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
