#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Register maps, written once: reads *_registers.toml and writes the Verilog headers, the C++
header and the tables of a README between its markers.

    rtl/regmap.py            regenerate what is stale
    rtl/regmap.py --check    change nothing; exit 1 if something is stale

Schema of a map (addresses count 32-bit words):

    name = "machine_link"        prefix of the Verilog macros: MACHINE_LINK_CONTROL, ..._CONTROL_ENABLE
    cpp = "link"                 C++ namespace inside ht::MACHINE::registers
    address_bits = 6
    doc = "One line."
    constants = { CREDIT_DEPTH = 4 }     optional: numbers both sides need

    [[register]]
    name = "CONTROL"             UPPER_CASE
    address = 0x00
    access = "rw"                rw, ro, w1c (a 1 written clears the bit), wo (reads 0)
    reset = 0                    value after reset as it reads back; default 0
    volatile = true              the hardware changes it by itself, so that a test of reset values
                                 skips it (default: false)
    max = 254                    optional, rw: the largest number it takes; larger ones, and bits outside the
                                 fields, are refused instead of ignored
    min = 64                     optional, with max: the smallest number it takes
    doc = "One line."
    repeat = [{ name = "link", count = 6, stride = 0x20 }, { name = "vc", count = 8, stride = 4 }]
                                 an array of registers; the address is that of element 0
    fields = [                   optional; without fields the register is one 32-bit value
      { name = "ENABLE", bits = "0", doc = "One line." },
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
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
ACCESS = {"rw": "ReadWrite", "ro": "ReadOnly", "w1c": "WriteOneToClear", "wo": "WriteOnly"}

class MapError(Exception):
    pass


def parse_bits(text, where):
    """'7' or '31:8' -> (high, low)."""
    parts = [int(p) for p in str(text).split(":")]
    high, low = parts[0], parts[-1]
    if len(parts) > 2 or not 0 <= low <= high <= 31:
        raise MapError(f"{where}: bits = \"{text}\" is not a range inside 31:0")
    return high, low


def load(path):
    with open(path, "rb") as f:
        data = tomllib.load(f)
    data.setdefault("window", [])
    data.setdefault("constants", {})
    taken = {}
    limit = 1 << data["address_bits"]
    names = set()
    for r in data["register"]:
        where = f"{path.name}: {r.get('name', '?')}"
        if r["access"] not in ACCESS:
            raise MapError(f"{where}: access is one of {', '.join(ACCESS)}")
        if r["name"] in names:
            raise MapError(f"{where}: the name is used twice")
        names.add(r["name"])
        r.setdefault("reset", 0)
        r.setdefault("volatile", False)
        r.setdefault("repeat", [])
        r.setdefault("fields", [])
        r.setdefault("max", None)
        r.setdefault("min", 0)
        used = 0
        for f in r["fields"]:
            f["high"], f["low"] = parse_bits(f["bits"], f"{where}.{f['name']}")
            f["mask"] = ((1 << (f["high"] - f["low"] + 1)) - 1) << f["low"]
            if used & f["mask"]:
                raise MapError(f"{where}.{f['name']}: overlaps another field")
            used |= f["mask"]
        r["mask"] = used if r["fields"] else 0xFFFFFFFF
        if r["reset"] & ~r["mask"]:
            raise MapError(f"{where}: the reset value has bits outside the fields")
        if r["max"] is not None and (r["access"] != "rw" or not r["fields"] or r["max"] & ~r["mask"]):
            raise MapError(f"{where}: max is for rw registers with fields, and lies inside them")
        if r["min"] and (r["max"] is None or not r["min"] <= r["reset"] <= r["max"]):
            raise MapError(f"{where}: min needs a max, and the reset value lies between")
        for a in addresses(r):
            if a in taken or a >= limit:
                raise MapError(f"{where}: word {a:#x} is taken by {taken.get(a)} or out of range")
            taken[a] = r["name"]
    for w in data["window"]:
        for a in range(w["address"], w["address"] + w["count"] * w["stride"]):
            if a in taken or a >= limit:
                raise MapError(f"{path.name}: window {w['name']}: word {a:#x} is taken or out of range")
            taken[a] = w["name"]
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
            for v, value in f.get("values", {}).items():
                out.append(f"`define {n}_{f['name']}_{v} {f['high'] - f['low'] + 1}'d{value}")
    for w in m["window"]:
        out.append(f"`define {p}_{w['name']}_WINDOW {bits}'h{w['address']:0{digits}x}")
    out.append("`endif")
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
    for listing in sorted((ROOT / "rtl").glob("*/maps.toml")):
        machine = listing.parent.name
        readme, header = f"rtl/{machine}/README.md", f"sw/{machine}/registers.hpp"
        with open(listing, "rb") as f:
            sources = [f"rtl/{machine}/{m}" for m in tomllib.load(f)["maps"]]
        maps = [load(ROOT / s) for s in sources]
        for m, s in zip(maps, sources):
            out[str(pathlib.PurePath(s).parent / f"{m['name']}_regs.vh")] = verilog(m, s)
        out[header] = cpp(maps, f"ht::{machine}::registers", sources)
        path = ROOT / readme
        if path.exists():
            text = path.read_text()
            for m in maps:
                text = between_markers(text, m["name"], table(m), readme)
            out[readme] = text
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
    except (MapError, KeyError, tomllib.TOMLDecodeError) as error:
        print(f"regmap.py: {error}", file=sys.stderr)
        return 2
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
