#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Register maps, wire formats and captured signals, written once: reads the files that rtl/*/maps.toml lists and writes the
Verilog headers, the C++ headers, the tables of a README between its markers and what the dissector knows of fields.

    rtl/regmap.py            regenerate what is stale
    rtl/regmap.py --check    change nothing; exit 1 if something is stale

Wire formats: wiremap.py; captured signals: probemap.py. Schema of a map of registers (addresses count 32-bit words):

    name = "machine_link"        prefix of the Verilog macros: MACHINE_LINK_CONTROL, ..._CONTROL_ENABLE
    cpp = "link"                 C++ namespace inside ht::MACHINE::registers
    address_bits = 6
    doc = "One line."
    constants = { CREDIT_DEPTH = 4 }     optional: numbers both sides need
    reads = true                 modules are written, too: the read multiplexer of the registers that are no arrays, and
                                 which of them are known and writable; NAME_reads.v, and more if registers say so

    [[register]]
    name = "CONTROL"             UPPER_CASE
    address = 0x00
    access = "rw"                rw, ro, w1c (a 1 written clears the bit), wo (reads 0)
    reset = 0                    value after reset as it reads back; default 0
    volatile = true              the hardware changes it by itself, so that a test of reset values
                                 skips it (default: false)
    max = 254                    optional, rw or wo: the largest number it takes; larger ones, and bits outside the
                                 fields, are refused instead of ignored
    fixed = true                 it always reads its reset value (default: false)
    whole = true                 its fields are one input of the read multiplexer (default: false)
    stored = true                its value comes from a memory, or what else is read by address: the read multiplexer has
                                 one input `stored` for all of these (default: false)
    reads = "part"               it is in the read multiplexer NAME_part_reads.v; false: it is in none
    min = 64                     optional, with max: the smallest number it takes
    doc = "One line."
    repeat = [{ name = "link", count = 6, stride = 0x20 }, { name = "vc", count = 8, stride = 4 }]
                                 an array of registers; the address is that of element 0. Of registers that
                                 alternate, as here, MACHINE_LINK_CONTROL_WORD is the place among them, 2 bits wide
    fields = [                   optional; without fields the register is one 32-bit value
      { name = "ENABLE", bits = "0", doc = "One line." },
      { name = "CLEAR", bits = "1", doc = "One line.", pulse = true },       pulse: reads 0
      { name = "STATE", bits = "9:8", doc = "One line.", values = { DOWN = 0, TRAIN = 1 } },
    ]

    [[window]]                   another map that appears here, `count` times
    name = "LINK"
    map = "machine_link"
    address = 0x400
    count = 6
    stride = 0x40

Bits outside the fields of a register read 0; what is written there is ignored.
"""
import argparse
import difflib
import pathlib
import sys

import probemap
import regcheck
import wiremap
from tablecheck import ACCESS, MapError, check_keys, nearest, read_toml

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What a maps.toml may have.
LISTS = {"maps": ("files", True), "wires": ("files", False), "probes": ("files", False), "words": ("files", False),
         "dissector": ("flag", False)}


def load(path):
    file = path.relative_to(ROOT)
    data = read_toml(path, file)
    regcheck.check_schema(data, file)
    data.setdefault("window", [])
    data.setdefault("constants", {})
    data.setdefault("reads", False)
    data["parts"] = []
    taken = {}
    limit = 1 << data["address_bits"]
    names = set()
    for r in data["register"]:
        where = f"{file}: {r['name']}"
        if r["name"] in names:
            raise MapError(f"{where}: the name is used twice; take another one")
        names.add(r["name"])
        r.setdefault("reset", 0)
        r.setdefault("volatile", False)
        r.setdefault("fixed", False)
        r.setdefault("whole", False)
        r.setdefault("stored", False)
        r.setdefault("repeat", [])
        r.setdefault("reads", not r["repeat"])
        r.setdefault("fields", [])
        r.setdefault("max", None)
        r.setdefault("min", 0)
        used = 0
        fields = set()
        for f in r["fields"]:
            if f["name"] in fields:
                raise MapError(f"{where}.{f['name']}: the register has two fields of this name; take another one")
            fields.add(f["name"])
            f["high"], f["low"] = (int(f["bits"].split(":")[i]) for i in (0, -1))
            f["width"] = f["high"] - f["low"] + 1
            f["mask"] = ((1 << f["width"]) - 1) << f["low"]
            f.setdefault("pulse", False)
            if used & f["mask"]:
                raise MapError(f"{where}.{f['name']}: overlaps another field")
            used |= f["mask"]
            for name, value in f.get("values", {}).items():
                if value >> f["width"]:
                    raise MapError(f"{where}.{f['name']}: {name} = {value} does not fit into its {f['width']} bits")
        r["mask"] = used if r["fields"] else 0xFFFFFFFF
        if data["reads"] and r["reads"] is not False:
            if r["repeat"]:
                raise MapError(f"{where}: an array is in no read multiplexer")
            r["part"] = f"{data['name']}_reads" if r["reads"] is True else f"{data['name']}_{r['reads']}_reads"
            if r["part"] not in data["parts"]:
                data["parts"].append(r["part"])
        if r["reset"] & ~r["mask"]:
            raise MapError(f"{where}: the reset value has bits outside the fields")
        if r["max"] is not None and (r["access"] not in ("rw", "wo") or not r["fields"] or r["max"] & ~r["mask"]):
            raise MapError(f"{where}: max is for rw and wo registers with fields, and lies inside them")
        if r["max"] is not None and r["reset"] > r["max"]:
            raise MapError(f"{where}: the reset value is larger than max")
        if r["min"] and (r["max"] is None or not r["min"] <= r["reset"] <= r["max"]):
            raise MapError(f"{where}: min needs a max, and the reset value lies between")
        for a in addresses(r):
            if a in taken or a >= limit:
                why = f"is that of {taken[a]}" if a in taken else f"is out of range: address_bits = {data['address_bits']}"
                raise MapError(f"{where}: word {a:#x} {why}; take another address")
            taken[a] = r["name"]
    for w in data["window"]:
        for a in range(w["address"], w["address"] + w["count"] * w["stride"]):
            if a in taken or a >= limit:
                raise MapError(f"{file}: window {w['name']}: word {a:#x} is taken or out of range; take another address")
            taken[a] = w["name"]
    regcheck.check_names(data, file, readable)
    return data


def addresses(r):
    out = [r["address"]]
    for dim in r["repeat"]:
        out = [a + i * dim["stride"] for a in out for i in range(dim["count"])]
    return out


def verilog(m, source):
    p = m["name"].upper()
    bits = m["address_bits"]
    digits = (bits + 3) // 4
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Generated by rtl/regmap.py from {source}: do not edit.",
        f"// {m['doc']}",
        f"`ifndef {p}_REGS_VH",
        f"`define {p}_REGS_VH",
    ]
    for name, value in m["constants"].items():
        out.append(f"`define {p}_{name} {value}")
    for r in sorted(m["register"], key=lambda r: r["address"]):
        n = f"{p}_{r['name']}"
        out.append(f"`define {n} {bits}'h{r['address']:0{digits}x}")
        row = min((d["stride"] for d in r["repeat"] if d["stride"] > 1), default=0)
        if row and row & (row - 1) == 0:   # which word of an element of the array it is
            width = row.bit_length() - 1
            out.append(f"`define {n}_WORD {width}'h{r['address'] % row:x}")
        out.append(f"`define {n}_RESET 32'h{r['reset']:08x}")
        if r["max"] is not None:
            out.append(f"`define {n}_MAX 32'h{r['max']:08x}")
        if r["min"]:
            out.append(f"`define {n}_MIN 32'h{r['min']:08x}")
        if r["max"] is not None or r["access"] == "w1c":
            out.append(f"`define {n}_MASK 32'h{r['mask']:08x}")
        for f in r["fields"]:
            rng = f["low"] if f["high"] == f["low"] else f"{f['high']}:{f['low']}"
            out.append(f"`define {n}_{f['name']} {rng}")
            out.append(f"`define {n}_{f['name']}_RESET {f['width']}'h{(r['reset'] & f['mask']) >> f['low']:x}")
            for v, value in f.get("values", {}).items():
                out.append(f"`define {n}_{f['name']}_{v} {f['high'] - f['low'] + 1}'d{value}")
    for w in m["window"]:
        out.append(f"`define {p}_{w['name']}_WINDOW {bits}'h{w['address']:0{digits}x}")
    out.append("`endif")
    return "\n".join(out) + "\n"


# Words that tools of the C++ world warn about as names of ports.
TAKEN_WORDS = {"interrupt"}


def readable(r, macro):
    """What a register reads besides 0: (port, width, range of bits). Sticky bits are one port."""
    if r["fixed"] or r["access"] == "wo":
        return []
    if not r["fields"] or r["access"] == "w1c" or r["whole"] or r["stored"]:
        width = 32 if r["stored"] else max((f["high"] for f in r["fields"]), default=31) + 1
        port = "stored" if r["stored"] else r["name"].lower()
        port += "_bits" if port in TAKEN_WORDS else ""
        return [(port, width, "" if width == 32 else f"[{width - 1}:0]")]
    return [(f"{r['name']}_{f['name']}".lower(), f["width"], f"[{macro}_{f['name']}]")
            for f in r["fields"] if not f["pulse"]]


def reads(m, part, source):
    """A read multiplexer, a module of its own."""
    p = m["name"].upper()
    inside = [r for r in sorted(m["register"], key=lambda r: r["address"]) if r.get("part") == part]
    ports = dict.fromkeys((port, width) for r in inside for port, width, _ in readable(r, ""))
    what = "but for those that are arrays" if len(m["parts"]) == 1 else "as far as they are this part's"
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Generated by rtl/regmap.py from {source}: do not edit.",
        f"// What the registers of {m['name']} read, {what}. Combinational.",
        "`default_nettype none",
        f"`include \"{m['name']}_regs.vh\"",
        f"module {part} (",
        f"    input  wire [{m['address_bits'] - 1}:0] address,",
    ]
    for port, width in ports:
        out.append(f"    input  wire {'' if width == 1 else f'[{width - 1}:0] '}{port},")
    out += [
        "    output reg  [31:0] value,",
        "    output reg  known,       // there is such a register",
        "    output reg  writable     // and a write of it means something",
        ");",
        "    always @* begin",
        "        value    = 32'd0;",
        "        known    = 1'b1;",
        "        writable = 1'b0;",
        "        case (address)",
    ]
    arms = {}   # what is done -> registers
    for r in inside:
        n = f"{p}_{r['name']}"
        lines = [f"value = `{n}_RESET;"] if r["fixed"] else []
        lines += [f"value{bits} = {port};" for port, _, bits in readable(r, f"`{n}")]
        if r["access"] != "ro":
            lines.append("writable = 1'b1;")
        arms.setdefault(tuple(lines) if r["stored"] or not lines else (n, *lines), []).append(n)
    for lines, names in arms.items():
        out += [f"            `{n}," for n in names[:-1]] + [f"            `{names[-1]}: begin"]
        out += [f"                {line}" for line in lines if line != names[0]]
        out.append("            end")
    out += [
        "            default: known = 1'b0;",
        "        endcase",
        "    end",
        "endmodule",
        "`default_nettype wire",
    ]
    return "\n".join(out) + "\n"


# Long one-line tables are easier to compare than wrapped ones, hence clang-format off.
CPP_HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// clang-format off
// Generated by rtl/regmap.py from {sources}: do not edit.
#pragma once
#include <array>
#include <cstdint>

#include "sw/host/register_map.hpp"

namespace {ns} {{

using host::Access;
using host::Cause;
using host::Field;
using host::Register;
"""


def cpp_map(m, window):
    """`window` is where the map appears in another one, or None: then addresses are absolute."""
    ns = m["cpp"]
    out = ["", f"/// {m['doc']}", f"namespace {ns} {{", ""]
    regs = sorted(m["register"], key=lambda r: r["address"])
    for name, value in m["constants"].items():
        out.append(f"inline constexpr std::uint32_t {name.lower()} = {value}u;")
    index = [{"name": window["name"].lower(), "stride": window["stride"]}] if window else []
    origin = window["address"] if window else 0
    for r in regs:
        n = r["name"].lower()
        dims = index + r["repeat"]
        out.append(f"/// {r['doc']} ({r['access']})")
        if dims:
            args = ", ".join(f"std::uint32_t {d['name']}" for d in dims)
            expr = " + ".join([f"{origin + r['address']:#x}u"] + [f"{d['stride']:#x}u * {d['name']}" for d in dims])
            out.append(f"constexpr std::uint32_t {n}({args}) {{ return {expr}; }}")
        else:
            out.append(f"inline constexpr std::uint32_t {n} = {r['address']:#x}u;")
        if r["min"]:
            out.append(f"inline constexpr std::uint32_t {n}_min = {r['min']:#x}u;  ///< smallest number it takes")
        for f in r["fields"]:
            fn = f"{n}_{f['name'].lower()}"
            out.append(f"inline constexpr Field {fn}{{{f['mask']:#010x}u, {f['low']}u}};  ///< {f['doc']}")
            for v, value in f.get("values", {}).items():
                out.append(f"inline constexpr std::uint32_t {fn}_{v.lower()} = {value}u;")
        if r["access"] == "w1c":
            out.append(f"inline constexpr std::array<Cause, {len(r['fields'])}> {n}_causes{{{{")
            for f in r["fields"]:
                out.append(f"    {{{n}_{f['name'].lower()}, \"{f['name']}\", \"{f['doc']}\"}},")
            out.append("}};")
    for w in m["window"]:
        out.append(f"/// Where the registers of {w['map']} number `index` (0 to {w['count'] - 1}) begin.")
        out.append(f"constexpr std::uint32_t {w['name'].lower()}_window(std::uint32_t index) "
                   f"{{ return {w['address']:#x}u + {w['stride']:#x}u * index; }}")
    out.append("")
    out.append(f"inline constexpr std::array<Register, {len(regs)}> all{{{{")
    for r in regs:
        d = r["repeat"] + [{"count": 1, "stride": 0}] * (2 - len(r["repeat"]))
        out.append(
            f"    {{\"{r['name']}\", {r['address']:#x}u, Access::{ACCESS[r['access']]}, {r['reset']:#010x}u, "
            f"{r['mask']:#010x}u, {0xFFFFFFFF if r['max'] is None else r['max']:#010x}u, {str(r['volatile']).lower()}, "
            f"{d[0]['count']}u, {d[0]['stride']:#x}u, {d[1]['count']}u, {d[1]['stride']:#x}u,"
            f" \"{r['doc']}\"}},")
    out.append("}};")
    out += ["", f"}}  // namespace {ns}"]
    return out


def words(m, machine, source):
    """Addresses, and the bits of sticky errors, for the reference model, which knows no driver's headers."""
    out = ["// SPDX-License-Identifier: Apache-2.0", "// clang-format off",
           f"// Generated by rtl/regmap.py from {source}: do not edit.", "#pragma once", "#include <cstdint>", "",
           f"/// {m['doc']} Where they are.", f"namespace ht::model::{machine}::{m['cpp']}_words {{"]
    made = set()
    for r in sorted(m["register"], key=lambda r: r["address"]):
        name = wiremap.constant(r["name"])
        if name in made:
            raise MapError(f"{source}: {r['name']}: {name} is made of another register's name, too; take another name")
        made.add(name)
        out.append(f"inline constexpr unsigned {name} = {r['address']:#x};{'  ///< of element 0' if r['repeat'] else ''}")
        if r["access"] == "w1c":
            out += [f"inline constexpr std::uint32_t {name}{wiremap.constant(f['name'])[1:]} = {f['mask']:#x};"
                    for f in r["fields"]]
    out += [f"}}  // namespace ht::model::{machine}::{m['cpp']}_words", "// clang-format on"]
    return "\n".join(out) + "\n"


def cpp(maps, ns, sources):
    out = CPP_HEAD.format(sources=" and ".join(sources), ns=ns).rstrip("\n").split("\n")
    windows = {w["map"]: w for m in maps for w in m["window"]}
    for m in maps:
        out += cpp_map(m, windows.get(m["name"]))
    out += ["", f"}}  // namespace {ns}", "// clang-format on"]
    return "\n".join(out) + "\n"


def table(m):
    out = ["| word | register | access | reset | what |", "| --- | --- | --- | --- | --- |"]
    digits = (m["address_bits"] + 3) // 4
    for r in sorted(m["register"], key=lambda r: r["address"]):
        word = f"{r['address']:0{digits}x}" + "".join(f" + {d['stride']:x} {d['name']}" for d in r["repeat"])
        reset = "-" if r["volatile"] else f"{r['reset']:x}"
        access = r["access"] + (f" {r['min']:x}" if r["min"] else "") + ("" if r["max"] is None else f" to {r['max']:x}")
        out.append(f"| {word} | `{r['name']}` | {access} | {reset} | {r['doc']} |")
        for f in r["fields"]:
            values = ", ".join(f"{v} {k}" for k, v in f.get("values", {}).items())
            out.append(f"| | [{f['bits']}] `{f['name']}` | | | {f['doc']}{' (' + values + ')' if values else ''} |")
    for w in m["window"]:
        out.append(f"| {w['address']:0{digits}x} + {w['stride']:x} i | | | | registers of `{w['map']}` number i, "
                   f"0 to {w['count'] - 1} |")
    return "\n".join(out) + "\n"


def between_markers(text, name, body, path):
    begin, end = f"<!-- regmap {name}: generated by rtl/regmap.py -->\n", f"<!-- regmap {name} end -->\n"
    if begin not in text or end not in text:
        raise MapError(f"{path}: needs the lines {begin.strip()} and {end.strip()}")
    before, rest = text.split(begin, 1)
    return before + begin + body + end + rest.split(end, 1)[1]


def outputs():
    """path -> text of everything that is generated."""
    out = {}
    formats = []
    for listing in sorted((ROOT / "rtl").glob("*/maps.toml")):
        machine = listing.parent.name
        readme, header = f"rtl/{machine}/README.md", f"sw/{machine}/registers.hpp"
        file = listing.relative_to(ROOT)
        lists = read_toml(listing, file)
        check_keys(lists, LISTS, file)
        sources = [f"rtl/{machine}/{m}" for m in lists["maps"]]
        maps = [load(ROOT / s) for s in sources]
        for s, m in zip(sources, maps):
            for w in m["window"]:
                if w["map"] not in (names := [other["name"] for other in maps]):
                    raise MapError(f"{s}: window {w['name']}: there is no map {w['map']}{nearest(w['map'], names)}")
        wires = [(s, wiremap.load(ROOT / s, s)) for s in (f"rtl/{machine}/{w}" for w in lists.get("wires", []))]
        formats += wires
        probes = [(s, probemap.load(ROOT / s, s)) for s in (f"rtl/{machine}/{p}" for p in lists.get("probes", []))]
        for s, p in probes:
            out[str(pathlib.PurePath(s).parent / f"{p['name']}.vh")] = probemap.verilog(p, s)
        for m, s in zip(maps, sources):
            out[str(pathlib.PurePath(s).parent / f"{m['name']}_regs.vh")] = verilog(m, s)
            for part in m["parts"]:
                out[str(pathlib.PurePath(s).parent / f"{part}.v")] = reads(m, part, s)
            if s in (f"rtl/{machine}/{w}" for w in lists.get("words", [])):
                out[f"verif/model/{machine}/{m['name']}_words.hpp"] = words(m, machine, s)
        if maps:
            out[header] = cpp(maps, f"ht::{machine}::registers", sources)
        for s, w in wires:
            out[str(pathlib.PurePath(s).parent / f"{w['name']}.vh")] = wiremap.verilog(w, s)
            out[f"verif/model/{machine}/{w['name']}_fields.hpp"] = wiremap.cpp(w, machine, s)
            if lists.get("dissector", True):
                out[f"sim/{machine}/{w['name']}.lua"] = wiremap.lua(w, machine, s)
        path = ROOT / readme
        if path.exists():
            tables = {m["name"]: table(m) for m in maps} | {p["name"]: probemap.table(p) for _, p in probes}
            for _, w in wires:
                tables |= wiremap.tables(w)
            text = path.read_text()
            for name, body in tables.items():
                text = between_markers(text, name, body, readme)
            out[readme] = text
    wiremap.check_reserved(formats)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, fail if something is stale")
    check = parser.parse_args().check
    stale = 0
    try:
        for name, text in outputs().items():
            path = ROOT / name
            old = path.read_text() if path.exists() else ""
            if old == text:
                continue
            stale += 1
            if check:
                diff = difflib.unified_diff(old.splitlines(), text.splitlines(), name, "regenerated", lineterm="", n=1)
                print("\n".join(list(diff)[:20]))
                print(f"{name} is stale: run rtl/regmap.py")
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                print(f"wrote {name}")
    except MapError as error:
        print(f"regmap.py: {error}", file=sys.stderr)
        return 2
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
