#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our models of ECP5 primitives (fpga/common/models/ecp5) against what is known of them, and against what Yosys maps to them.

    ecp5_models_test.py ROOT             the models
    ecp5_models_test.py ROOT --routed    a module that fpga/common/netlist.py places and routes, the same way

Each primitive alone, in primitives_bench.v, in Icarus. Then modules of rtl/, synthesised for the ECP5 by the Yosys that is
installed, beside their Verilog, with random inputs: every bit of an output that is known of the Verilog is
the same of the netlist, and so known. Then
the same with a model or a lookup table made wrong, which has to be noticed. 1 if something is not so.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
MODELS = ROOT / "fpga" / "common" / "models" / "ecp5"
CYCLES = 300
# module, machine, parameters, clocks, and the inputs that are on once in so many cycles
CASES = [("qcdoc_link_registers", "qcdoc", {}, ["clk"], {"rst": 512, "reg_valid": 2}),
         ("ram_dual_clock", "common", {"WIDTH": 40, "ADDRESS_BITS": 4}, ["wr_clk", "rd_clk"], {"rd_clear": 8}),
         ("select_next", "common", {"N": 8}, [], {})]
# Of what Yosys maps to: nothing of it stays untried.
MAPPED = {"LUT4", "PFUMX", "L6MUX21", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4", "DP16KD"}
# A model, what is wrong in it, and the case that sees it (None: the bench of primitives).
WRONG = [("LUT4", "C ? half[7:4] : half[3:0]", "C ? half[3:0] : half[7:4]", 0),
         ("PFUMX", "ALUT : BLUT", "BLUT : ALUT", 0),
         ("L6MUX21", "D1 : D0", "D0 : D1", 0),
         ("carry_bit", "passes ? FCI : generated", "passes ? FCI : 1'b0", 0),
         ("TRELLIS_FF", 'CEMUX == "1" ? 1\'b1', "1'b1 ? 1'b1", 0),
         ("TRELLIS_FF", 'REGSET == "SET";\n    wire data', 'REGSET != "SET";\n    wire data', 0),
         ("TRELLIS_DPR16X4", "if (write)", "if (!write)", 0),
         ("DP16KD", "4:       bits_seen = 18'hF << (9 * a[3] + 4 * a[2])", "4:       bits_seen = 18'hF << (8 * a[3] + 4 * a[2])", None),
         ("DP16KD", "{{9{a[1]}}, {9{a[0]}}}", "{{9{a[0]}}, {9{a[1]}}}", None),
         ("TRELLIS_COMB", "memory[{WAD0, WAD2, WAD1, WAD3}]", "memory[{WAD3, WAD2, WAD1, WAD0}]", None),
         ("TRELLIS_RAMW", "{B1, D1, A1, C1}", "{D1, B1, A1, C1}", None),
         ("DP16KD", "word_a | 10'd1", "word_a", 1),
         ("DP16KD", "out_b <= 18'h0;", "out_b <= out_b;", 1)]
failures = []


def check(good, what):
    if not good:
        failures.append(what)


def tool(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stdout[-300:]}{done.stderr[-500:]}")
    return done.stdout + done.stderr


def sources(machine):
    files = sorted(p for room in {"common", machine} for p in (ROOT / "rtl" / room).rglob("*.v"))
    return files, [f"-I{folder}" for folder in sorted({p.parent for p in files})]


def synthesise(case, folder):
    """The netlist as NAME_gate, its ports {name: (direction, bits)}, and the primitives in it."""
    top, machine, parameters, _, _ = case
    files, includes = sources(machine)
    set_there = " ".join(f"-chparam {n} {v}" for n, v in parameters.items())
    script = [f"read_verilog -defer {' '.join(includes)} {f}" for f in files]
    script += [f"hierarchy -top {top} {set_there}", f"rename -top {top}_gate", f"synth_ecp5 -top {top}_gate",
               f"write_json {folder}/{top}.json", f"write_verilog -noattr {folder}/{top}_gate.v"]
    (folder / "synth.ys").write_text("\n".join(script) + "\n")
    tool("yosys", "-q", folder / "synth.ys")
    module = json.loads((folder / f"{top}.json").read_text())["modules"][f"{top}_gate"]
    ports = {n: (p["direction"], len(p["bits"])) for n, p in module["ports"].items()}
    return (folder / f"{top}_gate.v"), ports, {c["type"] for c in module["cells"].values()}


def bench(case, ports, cycles=CYCLES):
    top, _, parameters, clocks, rare = case
    lines, draws, looks = [], [], []
    for name, (direction, bits) in ports.items():
        if direction == "input":
            lines.append(f"    reg [{bits - 1}:0] {name} = 0;")
            if name in clocks:
                continue
            words = ", ".join(["$random(seed)"] * ((bits + 31) // 32))
            draws.append(f"            {name} = {{{words}}};")
            if name in rare:
                draws.append(f"            {name} = {name} && $random(seed) % {rare[name]} == 0;")
            if name == "rst":
                draws.append("            if (n < 8) rst = 1;")
        else:
            lines.append(f"    wire [{bits - 1}:0] {name}_rtl, {name}_gate;")
            looks += [f"            if ({name}_rtl === {name}_gate && ^{name}_rtl !== 1'bx) known = known + {bits};",
                      f"            else for (b = 0; b < {bits}; b = b + 1) look({name}_rtl[b], {name}_gate[b]);"]
    connected = {k: ", ".join(f".{n}({n})" if d == "input" else f".{n}({n}_{k})" for n, (d, _) in ports.items()) for k in ("rtl", "gate")}
    set_there = ", ".join(f".{n}({v})" for n, v in parameters.items())
    edge = ", ".join(clocks)
    return "\n".join(["`timescale 1ns/1ns", "module bench;", *lines,
                      "    integer n, b, seed = 1, known = 0, unknown = 0, wrong = 0;",
                      f"    {top} {f'#({set_there}) ' if set_there else ''}rtl ({connected['rtl']});",
                      f"    {top}_gate gate ({connected['gate']});",
                      "    task look(input want, input got);",
                      "        if (want === 1'bx) unknown = unknown + 1;",
                      "        else if (want === got) known = known + 1;",
                      "        else wrong = wrong + 1;",
                      "    endtask",
                      f"    initial begin\n        for (n = 0; n < {cycles}; n = n + 1) begin",
                      *draws, "            #1;", *looks,
                      *([f"            {{{edge}}} = ~0; #1; {{{edge}}} = 0; #1;"] if clocks else []),
                      "        end", '        $display("%0d known, %0d unknown, %0d wrong", known, unknown, wrong);', "    end", "endmodule"]) + "\n"


def compare(case, netlist, text, models, folder):
    """How many bits of outputs are known, unknown and wrong."""
    files, includes = sources(case[1])
    (folder / "bench.v").write_text(text)
    tool("iverilog", "-g2005", *includes, "-s", "bench", "-o", folder / "bench.vvp", folder / "bench.v", netlist, *files, *sorted(models.glob("*.v")))
    found = re.search(r"(\d+) known, (\d+) unknown, (\d+) wrong", tool("vvp", "-n", folder / "bench.vvp"))
    return tuple(map(int, found.groups())) if found else (0, 0, 0)


def primitives(models, folder):
    benches = pathlib.Path(__file__).parent / "ecp5"
    tool("iverilog", "-g2005", "-s", "primitives_bench", "-o", folder / "primitives.vvp", benches / "primitives_bench.v",
         benches / "memory_bench.v", *sorted(models.glob("*.v")))
    return tool("vvp", "-n", folder / "primitives.vvp").strip()


def changed(folder, name, right, wrong):
    """Our models with one of them made wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(MODELS, folder)
    text = (folder / f"{name}.v").read_text()
    if text.count(right) < 1:
        sys.exit(f"{name}.v has no {right}")
    (folder / f"{name}.v").write_text(text.replace(right, wrong))
    return folder


def routed(folder):
    """The first case as nextpnr has it, and with tables that are wrong."""
    sys.path.insert(0, str(ROOT / "fpga" / "common"))
    import netlist  # its folder comes from the command line
    case = CASES[0]
    code = netlist.tools.exit_code_of(lambda: [netlist.build(case[0], spoil, False) for spoil in (True, False)])
    if code != 0:
        return code
    made = ROOT / "build" / "fpga" / "netlist" / case[0]
    ports = json.loads((made / "ports.json").read_text())
    for name, expected in (("routed", True), ("spoilt", False)):
        # Long enough for what is unknown at first to be little.
        text = bench(case, ports, 2 * CYCLES).replace("_gate gate", "_routed gate")
        known, unknown, wrong = compare(case, made / f"{case[0]}_{name}.v", text, MODELS, folder)
        print(f"{case[0]}, {name}: {known} bits of outputs alike, {unknown} unknown, {wrong} not")
        check((wrong == 0) == expected and known > 9 * unknown, f"{name}: {known} known, {unknown} unknown, {wrong} wrong")
    return 0


def main():
    for name in ("iverilog", "yosys"):
        if shutil.which(name) is None:
            print(f"SKIPPED: no {name}")
            return 0
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        if "--routed" in sys.argv:
            code = routed(folder)
            print("\n".join(failures))
            return code or bool(failures)
        said = primitives(MODELS, folder)
        check(said.startswith("PASSED"), said)
        cases, used = [], set()
        for case in CASES:
            netlist, ports, kinds = synthesise(case, folder)
            text = bench(case, ports)
            cases.append((case, netlist, text))
            used |= kinds
            known, unknown, wrong = compare(case, netlist, text, MODELS, folder)
            print(f"{case[0]:<24}{known} bits of outputs alike, {unknown} unknown", flush=True)
            check(wrong == 0 and known > 3 * unknown and known > CYCLES, f"{case[0]}: {known} known, {unknown} unknown, {wrong} wrong")
        check(MAPPED <= used, f"not mapped to: {', '.join(sorted(MAPPED - used))}")
        for name, right, wrong, which in WRONG:
            models = changed(folder / "models", name, right, wrong)
            noticed = not primitives(models, folder).startswith("PASSED") if which is None else compare(*cases[which], models, folder)[2] > 0
            check(noticed, f"{name} with {wrong} was not noticed")
        # A bit of the first table of a netlist is inverted.
        case, netlist, text = cases[2]
        gates = netlist.read_text()
        table = re.search(r"\.INIT\(16'h([0-9a-f]{4})\)", gates)
        gates = gates[:table.start(1)] + f"{int(table[1], 16) ^ 0x0101:04x}" + gates[table.end(1):]
        (folder / "spoilt.v").write_text(gates)
        check(compare(case, folder / "spoilt.v", text, MODELS, folder)[2] > 0, "a wrong INIT was not noticed")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(failures) or "what they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
