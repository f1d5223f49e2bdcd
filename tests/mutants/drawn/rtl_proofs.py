# SPDX-License-Identifier: Apache-2.0
"""What proofs say of a mutant that no test noticed (rtl_mutants.py): one of verif/formal's properties is refuted with it, or
it is equivalent: its module, beside the one as it is, has the same outputs for any inputs.

Equivalence is of a module by itself, with what stands in it, at the parameters that it has by default or that
survivors.toml gives: from a reset of one cycle on, registers that no reset sets beginning at 0 in both; with several clocks,
of any edges, from all registers at 0 on, with resets at any time. The place that is broken must be elaborated with these
parameters, else nothing is said.
"""
import contextlib
import importlib.util
import json
import re
import subprocess
import tomllib
from pathlib import Path

import mutants
import rtl_expressions
from mutants import Trouble

HERE = Path(__file__).resolve().parent
NOBODY = "ht_nobody_declares_this"


def prover():
    spec = importlib.util.spec_from_file_location("prove", HERE.parents[2] / "verif/formal/prove.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def broken(mutant, probe=False):
    """The module's text as it is, and with this mutant in it; or with a call of what nobody declares in its place."""
    text = (mutants.ROOT / mutant.file).read_text()
    place = rtl_expressions.places(text)[mutant.place]
    what, new = place.broken[mutant.way]
    # Yosys wants that something drives each register, if only in a branch that is never taken.
    new = f"((|({text[place.at:place.end]})) & 1'b0)" if what == "never" else f"({new})"
    if place.role == "assignment":
        target, _ = rtl_expressions.sides(text[place.at:place.end])
        new = f"{target} <= {target};"
    if probe:
        new = f"{NOBODY}(1'b0)" if place.role != "assignment" else f"{NOBODY}(1'b0);"
    return text, text[:place.at] + new + text[place.end:]


def refuting(mutant, work, limit, quick):
    """The first of the quick proofs, or of the others, that the mutant refutes, or None. `limit`: seconds of CPU for each."""
    prove = prover()
    text, with_it = broken(mutant)
    readers = [proof for proof in prove.load() if mutant.file in proof.files and proof.quick == quick]
    for proof in sorted(readers, key=lambda p: p.limit):
        proof.limit = min(proof.limit, limit)
        job = prove.Job(proof, "broken", f"drawn_{mutant.number}",
                        prove.Broken(f"drawn_{mutant.number}", str(mutant), mutant.file, text, with_it))
        with contextlib.suppress(prove.OutOfTime, prove.Trouble):  # a circuit that no tool accepts is not refuted
            if prove.perform(job, work, 1, False, [])[0]:
                return proof.name
    return None


# ---- equivalence -----------------------------------------------------------------------------
def yosys(commands, place):
    place.mkdir(parents=True, exist_ok=True)
    (place / "look.ys").write_text("\n".join(commands) + "\n")
    with subprocess.Popen(["yosys", "-q", "-s", "look.ys"], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as one:
        output = one.communicate()[0]
    return one.returncode, output


def unread(mutant):
    """Whether it is the value of a wire whose name stands nowhere else in the module."""
    text = (mutants.ROOT / mutant.file).read_text()
    place = rtl_expressions.places(text)[mutant.place]
    words = rtl_expressions.tokens(text)
    before = [i for i, word in enumerate(words) if word.at < place.at][-2:]
    name = words[before[0]].text
    return words[before[0] - 1].text == "wire" and sum(word.text == name for word in words) == 1


def wrapper(name, module, clocks, entry):
    """Both modules with the same inputs; their outputs are to be the same."""
    ports = module["ports"]
    assumption = entry.get("assume")

    def wide(port):
        return f"[{len(ports[port]['bits']) - 1}:0] {port}"
    chosen = ", ".join(f".{k}({v})" for k, v in entry.get("parameters", {}).items())
    chosen = f" #({chosen})" if chosen else ""
    inputs = [p for p in ports if ports[p]["direction"] == "input"]
    outputs = [p for p in ports if ports[p]["direction"] == "output"]
    resets = [p for p in inputs if re.search(r"(^|_)rst$", p)] if len(clocks) == 1 else []
    lines = ["`default_nettype none", f"module both ({', '.join(['input wire ' + wide(p) for p in inputs])});"]
    for side in ("plain", "drawn"):
        lines += [f"    wire [{len(ports[p]['bits']) - 1}:0] {side}_{p};" for p in outputs]
        pins = [f".{p}({p})" for p in inputs] + [f".{p}({side}_{p})" for p in outputs]
        lines.append(f"    {name}_{side}{chosen} {side} ({', '.join(pins)});")
    begun = "1'b1"
    if resets:
        lines += ["    reg begun = 1'b0;", f"    always @(posedge {clocks[0]}) begun <= 1'b1;"]
        begun = "begun"
    for inside in sorted(set(re.findall(r"\bplain\.(\w+)", assumption or ""))):
        if inside not in module["netnames"]:
            raise Trouble(f"survivors.toml: {name} has no {inside}")
        # flatten joins wires of that name
        lines.append(f"    (* hierconn *) wire [{len(module['netnames'][inside]['bits']) - 1}:0] \\plain.{inside} ;")
    lines.append("    always @* begin")
    lines += [f"        assume (begun || {r});" for r in resets]
    if assumption:
        seen = re.sub(r"\bplain\.(\w+)", r"\\plain.\1 ", assumption)
        lines.append(f"        assume (!{begun} || ({seen}));")
    lines += [f"        same_{p}: assert (!{begun} || plain_{p} == drawn_{p});" for p in outputs]
    return "\n".join([*lines, "    end", "endmodule", "`default_nettype wire", ""])


def equivalent(mutant, work, limit, entry=None):
    """"equivalent", and under which assumption; or why that is not proved."""
    if unread(mutant):
        return "equivalent"
    entry = entry or {}
    prove, name = prover(), Path(mutant.file).stem
    place = (work / f"equivalent_{mutant.number}").resolve()
    place.mkdir(parents=True, exist_ok=True)
    folder = (mutants.ROOT / mutant.file).parent
    machine = mutants.ROOT / Path(*Path(mutant.file).parts[:2])
    shared = [f for room in ("common", "bus", "lane") for f in (mutants.ROOT / "rtl" / room).glob("*.v")]
    others = [f for f in sorted({*machine.rglob("*.v"), *shared}) if f.stem != name]
    includes = " ".join(f"-I{d}" for d in sorted({f.parent for f in (mutants.ROOT / "rtl").rglob("*.vh")} | {folder}))
    parameters = entry.get("parameters", {})
    top = f"hierarchy -check -top {name} " + " ".join(f"-chparam {k} {v}" for k, v in parameters.items())
    read = [f'read_verilog -defer -sv {includes} "{f}"' for f in others]

    (place / "probe.v").write_text(broken(mutant, probe=True)[1])
    code, output = yosys([*read, f"read_verilog -defer -sv {includes} probe.v", top], place)
    if code == 0:
        return "not proved: not elaborated with these parameters"
    if NOBODY not in output:
        raise Trouble(f"Yosys does not read {mutant.file}:\n{output[-1500:]}")
    texts = broken(mutant)
    for side, text in zip(("plain", "drawn"), texts):
        (place / f"{side}.v").write_text(re.sub(rf"\bmodule\s+{name}\b", f"module {name}_{side}", text, count=1))
    (place / "one.v").write_text(texts[0])
    code, output = yosys([*read, f"read_verilog -defer -sv {includes} one.v", top, "proc", "write_json one.json"], place)
    if code != 0:
        raise Trouble(f"Yosys does not read {mutant.file}:\n{output[-1500:]}")
    module = next(m for m in json.loads((place / "one.json").read_text())["modules"].values() if "top" in m["attributes"])
    clocks = sorted(p for p in module["ports"] if re.search(r"(^|_)clk$", p))
    (place / "both.sv").write_text(wrapper(name, module, clocks, entry))
    proof = prove.Proof(f"equivalent.{mutant.number}", str(mutant), "", "both",
                        [str(f) for f in others] + ["plain.v", "drawn.v", "both.sv"], place, zero=True,
                        clocks="many" if len(clocks) > 1 else "one", limit=limit)
    try:
        good, text = prove.perform(prove.Job(proof, "proof", ""), work, 1, False, [])
    except prove.OutOfTime:
        return "not proved: out of time"
    except prove.Trouble as trouble:
        return f"not proved: {str(trouble).splitlines()[-1]}"
    if not good:
        return f"not proved: {text.split(';')[0]}"
    return "equivalent" + (f" if {entry['assume']}" if "assume" in entry else "")


# ---- sentences -------------------------------------------------------------------------------
def sentences():
    """{(file, text of its line, what): entry} of survivors.toml."""
    found = {}
    for entry in tomllib.loads((HERE / "survivors.toml").read_text())["survivor"]:
        if entry.keys() - {"file", "line", "what", "why", "assume", "parameters"} or not {"file", "line", "what", "why"} <= entry.keys():
            raise Trouble(f"survivors.toml: {entry.get('file')}: keys {sorted(entry)}")
        lines = [line.strip() for line in (mutants.ROOT / entry["file"]).read_text().splitlines()]
        if entry["line"] not in lines:
            raise Trouble(f"survivors.toml: {entry['file']} has no line any more that is: {entry['line']}")
        found[entry["file"], entry["line"], entry["what"]] = entry
    return found


def sentence(mutant, known):
    line = (mutants.ROOT / mutant.file).read_text().splitlines()[mutant.line - 1].strip()
    return known.get((mutant.file, line, mutant.what))
