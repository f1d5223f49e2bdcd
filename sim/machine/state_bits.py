#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the variables of a Verilated model for StateBits: state_bits.py DIRECTORY PREFIX OUTPUT.cpp

DIRECTORY holds Verilator's headers, PREFIX is the model's class. Written is
`StateBits ht::machine::state_bits(PREFIX&)`. Left out are pins, clocks, what the simulator counts (`sim_...`), and
Verilator's own variables (`__V...`). Pins of modules that are not inlined are variables like others for some Verilators,
but they alone have neither a prefix nor a path in their names.
"""
import pathlib
import re
import sys

VARIABLE = re.compile(r"\s+(?:VlUnpacked<.*?)?(?:[CSIQ]Data|VlWide<\d+>)/\*(\d+):(\d+)\*/.*?(\w+);$")
CELL = re.compile(r"\s+(\w+)\* (\w+);$")


def in_verilog(name):
    """How the name is written in Verilog."""
    for verilated, verilog in (("__PVT__", ""), ("__DOT__", "."), ("__BRA__", "["), ("__KET__", "]")):
        name = name.replace(verilated, verilog)
    return name


def is_state(name):
    is_pin = "__PVT__" not in name and "__DOT__" not in name
    return not is_pin and not name.startswith("__V") and not re.search(r"(^|_)clk$|(^|__)sim_", name)


def main(directory, prefix, output):
    headers = {f.stem: f.read_text() for f in sorted(pathlib.Path(directory).glob(prefix + "_*.h"))}
    root = prefix + "___024root"
    modules, waiting = {}, [root]
    while waiting:
        module = waiting.pop()
        if module in modules:
            continue
        variables, cells = [], []
        for line in headers[module].splitlines():
            if (found := VARIABLE.match(line)) and is_state(found[3]) and "static" not in line:
                variables.append((found[3], int(found[1]) - int(found[2]) + 1))
            elif (found := CELL.match(line)) and found[1] in headers and "Syms" not in found[1]:
                cells.append((found[2], found[1]))
        modules[module] = (variables, cells)
        waiting += [kind for _, kind in cells]
    if not modules[root][0]:
        sys.exit(f"state_bits.py: {directory}/{root}.h has no variables: is it of another Verilator?")
    lines = ["// Made by sim/machine/state_bits.py.", f'#include "{prefix}.h"']
    lines += [f'#include "{module}.h"' for module in modules]
    lines += ['#include "sim/machine/verilated_state.hpp"', "namespace ht::machine {", "namespace {"]
    lines += [f"void list(StateBits& bits, const std::string& at, {module}& m);" for module in modules]
    for module, (variables, cells) in modules.items():
        lines.append(f"void list(StateBits& bits, const std::string& at, {module}& m) {{")
        lines += [f'  add_state(bits, at + "{in_verilog(name)}", {width}, m.{name});' for name, width in variables]
        lines += [f'  list(bits, at + "{in_verilog(name)}.", *m.{name});' for name, _ in cells]
        lines.append("}")
    lines += ["}  // namespace", f"StateBits state_bits({prefix}& top);", f"StateBits state_bits({prefix}& top) {{",
              "  StateBits bits;", '  list(bits, "", *top.rootp);', "  return bits;", "}", "}  // namespace ht::machine"]
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
