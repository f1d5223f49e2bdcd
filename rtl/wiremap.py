# SPDX-License-Identifier: Apache-2.0
"""Wire formats, written once: from a *_wire.toml come a Verilog header, C++ constants, the tables of a README
between its markers, and what Wireshark's dissector knows of the fields. rtl/regmap.py runs it.

Schema (a bit k of a layout is bit k % 8 of its byte k / 8, byte 0 goes first):

    name = "machine_wire"        the Verilog header is machine_wire.vh
    doc = "One line."

    [[codes]]                    numbers of one kind
    name = "CHARACTER"           UPPER_CASE; the table in the README and namespaces are called after it
    prefix = "MACHINE_WIRE"      of the Verilog macros: MACHINE_WIRE_IDLE
    bits = 8
    reserved = true              optional: numbers that no other format's table CHARACTER may have
    base = 16                    how the numbers are written (default 10)
    doc = "One line."
    values = [{ name = "IDLE", value = 0x07, doc = "One line.", label = "idle" }]    label: in a capture; default
                                 the name in lower case

    [[layout]]                   a word, header or record
    name = "HEADER"
    prefix = "MACHINE_HEADER"    MACHINE_HEADER_KIND 23:20
    bits = 256
    beat = 128                   optional: it goes in beats of so many bits; a field of a later beat has a macro for its
                                 place there, too: MACHINE_HEADER_CRC_IN_BEAT 127:96
    doc = "One line."
    fields = [{ name = "KIND", bits = "23:20", doc = "One line.", codes = "KIND", label = "Kind" }]
                                 codes: its values are those of that table; label: in a capture, default doc;
                                 within = "OTHER": a part of a field before it
"""
from tablecheck import MapError, check_keys, read_toml

LUA_WORDS = {"and", "break", "do", "else", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not", "or",
             "repeat", "return", "then", "true", "until", "while"}

# key -> (kind, whether it must be there); the kinds are in tablecheck.py.
TOP = {"name": ("name", True), "doc": ("line", True), "codes": ("tables", True), "layout": ("tables", True)}
CODES = {"name": ("NAME", True), "prefix": ("NAME", True), "bits": ("width", True), "base": ("base", False),
         "reserved": ("flag", False), "doc": ("line", True), "values": ("tables", True)}
VALUE = {"name": ("NAME", True), "value": ("number", True), "doc": ("doc", True), "label": ("line", False)}
LAYOUT = {"name": ("NAME", True), "prefix": ("NAME", True), "bits": ("size", True), "beat": ("size", False),
          "doc": ("line", True), "fields": ("tables", True)}
FIELD = {"name": ("NAME", True), "bits": ("places", True), "doc": ("doc", True), "codes": ("NAME", False),
         "label": ("line", False), "within": ("NAME", False)}


def bit_range(text, limit, where):
    """'7' or '31:8' -> (high, low)."""
    parts = [int(p) for p in text.split(":")]   # one or two, as check_schema() found
    high, low = parts[0], parts[-1]
    if not low <= high < limit:
        raise MapError(f"{where}: bits = \"{text}\" is not a range inside {limit - 1}:0")
    return high, low


def check_schema(data, file):
    """Keys and what each holds."""
    check_keys(data, TOP, file)
    for kind, schema, rows, row in (("codes", CODES, "values", VALUE), ("layout", LAYOUT, "fields", FIELD)):
        for number, t in enumerate(data[kind]):
            where = f"{file}: {t.get('name', f'{kind} number {number + 1}')}"
            check_keys(t, schema, where)
            for i, r in enumerate(t[rows]):
                check_keys(r, row, f"{where}.{r.get('name', f'{rows} number {i + 1}')}")


def load(path, file):
    data = read_toml(path, file)
    check_schema(data, file)
    tables = set()
    for c in data["codes"]:
        where = f"{file}: {c['name']}"
        if c["name"] in tables:
            raise MapError(f"{where}: the name is used twice")
        tables.add(c["name"])
        c.setdefault("base", 10)
        c.setdefault("reserved", False)
        numbers, names = set(), set()
        for v in c["values"]:
            if v["value"] in numbers or v["name"] in names or v["value"] >> c["bits"]:
                raise MapError(f"{where}.{v['name']}: its name or number is taken, or too large")
            numbers.add(v["value"])
            names.add(v["name"])
            v.setdefault("label", v["name"].lower().replace("_", " "))
    for layout in data["layout"]:
        where = f"{file}: {layout['name']}"
        if layout["name"] in tables:
            raise MapError(f"{where}: the name is used twice")
        tables.add(layout["name"])
        used = 0
        names = set()
        for f in layout["fields"]:
            f["high"], f["low"] = bit_range(f["bits"], layout["bits"], f"{where}.{f['name']}")
            f["width"] = f["high"] - f["low"] + 1
            mask = ((1 << f["width"]) - 1) << f["low"]
            f.setdefault("within", None)
            if f["name"] in names or f["name"] == "BITS":
                raise MapError(f"{where}.{f['name']}: the name is used twice, or is that of the layout's width")
            if f["within"] is None and used & mask:
                raise MapError(f"{where}.{f['name']}: overlaps another field")
            if f["within"] is not None and (f["within"] not in names or used & mask != mask):
                raise MapError(f"{where}.{f['name']}: is not within a field {f['within']} before it")
            used |= mask
            names.add(f["name"])
            f.setdefault("codes", None)
            if f["codes"] is not None and f["codes"] not in tables:
                raise MapError(f"{where}.{f['name']}: there is no table of codes {f['codes']} before it")
            f.setdefault("label", f["doc"])
    return data


def check_reserved(formats):
    """Characters of one format that are reserved by another one, both on the same line: an error."""
    for name, wire in formats:
        for c in (c for c in wire["codes"] if c["reserved"]):
            taken = {v["value"]: v["name"] for v in c["values"]}
            for other, o in ((f, o) for f, w in formats if f != name for o in w["codes"] if o["name"] == "CHARACTER"):
                for v in o["values"]:
                    if v["value"] in taken:
                        raise MapError(f"{other}: {o['name']}.{v['name']}: {v['value']:02X} is {c['name']}.{taken[v['value']]} "
                                        f"of {name}; take another character")


def number(codes, value):
    """As a Verilog literal."""
    if codes["base"] == 16:
        return f"{codes['bits']}'h{value:0{(codes['bits'] + 3) // 4}X}"
    return f"{codes['bits']}'d{value}"


def verilog(wire, source):
    guard = f"{wire['name'].upper()}_VH"
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// Generated by rtl/regmap.py from {source}: do not edit.",
           f"// {wire['doc']}", f"`ifndef {guard}", f"`define {guard}"]
    for c in wire["codes"]:
        out.append(f"// {c['doc']}")
        out += [f"`define {c['prefix']}_{v['name']} {number(c, v['value'])}" for v in c["values"]]
    for layout in wire["layout"]:
        out += [f"// {layout['doc']}", f"`define {layout['prefix']}_BITS {layout['bits']}"]
        for f in layout["fields"]:
            place = f["low"] if f["width"] == 1 else f"{f['high']}:{f['low']}"
            out.append(f"`define {layout['prefix']}_{f['name']} {place}")
            beat = layout.get("beat")
            if beat is not None and f["low"] >= beat and f["low"] // beat == f["high"] // beat:
                out.append(f"`define {layout['prefix']}_{f['name']}_IN_BEAT {f['high'] % beat}:{f['low'] % beat}")
    return "\n".join(out + ["`endif"]) + "\n"


def constant(name):
    """UPPER_CASE -> kUpperCase."""
    return "k" + "".join(part.capitalize() for part in name.split("_"))


def cpp(wire, machine, source):
    out = ["// SPDX-License-Identifier: Apache-2.0", "// clang-format off",
           f"// Generated by rtl/regmap.py from {source}: do not edit.", "#pragma once", "#include <cstdint>", "",
           "#include \"verif/model/common/wire_field.hpp\"", "", f"/// {wire['doc']}",
           f"namespace ht::model::{machine}::wire {{"]
    for c in wire["codes"]:
        kind = next(t for b, t in ((8, "std::uint8_t"), (16, "std::uint16_t"), (32, "std::uint32_t")) if c["bits"] <= b)
        out += ["", f"/// {c['doc']}", f"namespace {c['name'].lower()} {{"]
        out += [f"inline constexpr {kind} {constant(v['name'])} = {v['value']:#x};  ///< {v['doc']}" for v in c["values"]]
        out.append(f"}}  // namespace {c['name'].lower()}")
    for layout in wire["layout"]:
        out += ["", f"/// {layout['doc']} {layout['bits']} bits.", f"namespace {layout['name'].lower()} {{"]
        out.append(f"inline constexpr unsigned kBits = {layout['bits']};")
        out += [f"inline constexpr WireField {constant(f['name'])}{{{f['low']}, {f['width']}}};  ///< {f['doc']}"
                for f in layout["fields"]]
        out.append(f"}}  // namespace {layout['name'].lower()}")
    out += ["", f"}}  // namespace ht::model::{machine}::wire", "// clang-format on"]
    return "\n".join(out) + "\n"


def lua(wire, machine, source):
    def key(name):
        lower = name.lower()
        return f'["{lower}"]' if lower in LUA_WORDS else lower

    def text(s):
        return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'
    out = ["-- SPDX-License-Identifier: Apache-2.0", f"-- Generated by rtl/regmap.py from {source}: do not edit.",
           f"-- {wire['doc']}", "-- Names of numbers, and where fields are: their lowest bit and width.",
           f"local {machine}_wire = {{"]
    for c in wire["codes"]:
        out.append(f"  {c['name'].lower()} = {{")
        out += [f"    [{v['value']}] = {text(v['label'])}," for v in c["values"]]
        out.append("  },")
        out.append(f"  {c['name'].lower()}_code = {{")
        out += [f"    {key(v['name'])} = {v['value']}," for v in c["values"]]
        out.append("  },")
    for layout in wire["layout"]:
        out.append(f"  {layout['name'].lower()} = {{")
        out.append(f"    bits = {layout['bits']},")
        out += [f"    {key(f['name'])} = {{ low = {f['low']}, width = {f['width']}, label = {text(f['label'])} }},"
                for f in layout["fields"]]
        out.append("  },")
    return "\n".join(out + ["}"]) + "\n"


def tables(wire):
    """Name of a marker -> the README's table."""
    out = {}
    for c in wire["codes"]:
        rows = ["| code | name | what |", "| --- | --- | --- |"]
        for v in c["values"]:
            code = f"{v['value']:0{(c['bits'] + 3) // 4}X}" if c["base"] == 16 else str(v["value"])
            rows.append(f"| {code} | {v['name']} | {v['doc']} |")
        out[c["name"].lower()] = "\n".join(rows) + "\n"
    for layout in wire["layout"]:
        rows = ["| bits | field | what |", "| --- | --- | --- |"]
        rows += [f"| {f['bits']} | {f['name'].lower().replace('_', ' ')} | {f['doc']} |" for f in layout["fields"]]
        out[layout["name"].lower()] = "\n".join(rows) + "\n"
    return {f"{wire['name']} {name}": body for name, body in out.items()}
