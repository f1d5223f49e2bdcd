#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rtl/regmap.py refuses tables of registers that are wrong, with one line that names file, register and remedy, and
writes nothing then.

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


def main():
    root, failed = pathlib.Path(sys.argv[1]).resolve(), 0
    with tempfile.TemporaryDirectory(prefix="regmap test ") as folder:
        tree = pathlib.Path(folder)
        (tree / "rtl" / "machine").mkdir(parents=True)
        for script in (root / "rtl").glob("*.py"):
            shutil.copy(script, tree / "rtl")
        (tree / "rtl" / "machine" / "maps.toml").write_text('maps = ["part_registers.toml"]\n')
        table = tree / "rtl" / "machine" / "part_registers.toml"

        def regmap(text):
            table.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, tree / "rtl" / "regmap.py"], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

        for old, new, said in WRONG:
            if TABLE.count(old) != 1:
                sys.exit(f"{TABLE.count(old)} times in the table, not once: {old}")
            code, out, err = regmap(TABLE.replace(old, new))
            start = f"regmap.py: rtl/machine/part_registers.toml: {said}"
            if code != 2 or out or err.count("\n") != 1 or not err.startswith(start):
                failed += 1
                print(f"{new}\n  exit code {code}: {out}{err}  expected {start}")
        code, out, err = regmap(TABLE)
        if code != 0 or err or "wrote rtl/machine/part_reads.v" not in out:
            failed += 1
            print(f"what is right: exit code {code}\n{out}{err}")
    print(f"{failed} failed" if failed else f"{len(WRONG)} wrong tables are refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
