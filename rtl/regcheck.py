# SPDX-License-Identifier: Apache-2.0
"""What a table of registers may hold (its schema is in rtl/regmap.py, which runs this). What is wrong is refused with
file, register and remedy before anything is generated: no compiler sees a name, a text or a number from here.
"""
from tablecheck import KEYWORDS, MapError, check_keys

# key -> (kind, whether it must be there); the kinds are in tablecheck.py.
TOP = {"name": ("name", True), "cpp": ("name", True), "address_bits": ("width", True), "doc": ("doc", True),
       "constants": ("numbers", False), "reads": ("flag", False), "register": ("tables", True), "window": ("tables", False)}
REGISTER = {"name": ("NAME", True), "address": ("number", True), "access": ("access", True), "reset": ("word", False),
            "volatile": ("flag", False), "max": ("word", False), "fixed": ("flag", False), "whole": ("flag", False),
            "stored": ("flag", False), "reads": ("part", False), "min": ("word", False), "doc": ("doc", True),
            "repeat": ("tables", False), "fields": ("tables", False)}
REPEAT = {"name": ("name", True), "count": ("count", True), "stride": ("count", True)}
FIELD = {"name": ("NAME", True), "bits": ("bits", True), "doc": ("doc", True), "pulse": ("flag", False),
         "values": ("numbers", False)}
WINDOW = {"name": ("NAME", True), "map": ("name", True), "address": ("number", True), "count": ("count", True),
          "stride": ("count", True)}


def check_schema(data, file):
    """Keys and what each holds."""
    check_keys(data, TOP, file)
    for number, r in enumerate(data["register"]):
        where = f"{file}: {r.get('name', f'register number {number + 1}')}"
        check_keys(r, REGISTER, where)
        if r["name"].lower() in KEYWORDS:
            raise MapError(f"{where}: {r['name'].lower()} is a keyword of Verilog or C++; take another name")
        if len(r.get("repeat", [])) > 2:
            raise MapError(f"{where}: repeat has {len(r['repeat'])} dimensions; two are possible")
        for i, d in enumerate(r.get("repeat", [])):
            check_keys(d, REPEAT, f"{where}: repeat {d.get('name', i + 1)}")
        for i, f in enumerate(r.get("fields", [])):
            check_keys(f, FIELD, f"{where}.{f.get('name', f'field number {i + 1}')}")
            if f.get("pulse") and r["access"] not in ("rw", "wo"):
                raise MapError(f"{where}.{f['name']}: pulse is for what is written; its register is {r['access']}, not rw or wo")
    for i, w in enumerate(data.get("window", [])):
        check_keys(w, WINDOW, f"{file}: window {w.get('name', f'number {i + 1}')}")


def made_names(m, readable):
    """(language, name, where it comes from) of everything that is generated; `readable` as regmap.py has it."""
    for name in m["constants"]:
        yield "macro", name, f"constant {name}"
        yield "name in C++", name.lower(), f"constant {name}"
    yield "macro", "REGS_VH", "the header"
    yield "name in C++", "all", "the list of registers"
    ports = {}
    for r in m["register"]:
        n, who = r["name"], r["name"]
        row = any(d["stride"] > 1 for d in r["repeat"])
        limited = r["max"] is not None
        endings = [("", True), ("_RESET", True), ("_WORD", row), ("_MAX", limited), ("_MIN", r["min"] > 0),
                   ("_MASK", limited or r["access"] == "w1c")]
        for ending in (e for e, made in endings if made):
            yield "macro", n + ending, who
        for ending in ("", *["_min"] * (r["min"] > 0), *["_causes"] * (r["access"] == "w1c")):
            yield "name in C++", n.lower() + ending, who
        for f in r["fields"]:
            whose, field = f"{who}.{f['name']}", f"{n}_{f['name']}"
            for name in (field, f"{field}_RESET", *(f"{field}_{v}" for v in f.get("values", {}))):
                yield "macro", name, whose
            for name in (field, *(f"{field}_{v}" for v in f.get("values", {}))):
                yield "name in C++", name.lower(), whose
        if "part" in r and not r["stored"]:
            for port, _, _ in readable(r, ""):
                ports.setdefault(r["part"], []).append((port, who))
    for w in m["window"]:
        yield "macro", f"{w['name']}_WINDOW", f"window {w['name']}"
        yield "name in C++", f"{w['name']}_window".lower(), f"window {w['name']}"
    for part, names in ports.items():
        for port in ("address", "value", "known", "writable", "stored"):
            yield f"port of {part}", port, "the module"
        for port, who in names:
            yield f"port of {part}", port, who


def check_names(m, file, readable):
    """No two things that are generated have one name."""
    prefix = m["name"].upper() + "_"
    makers = {}
    for language, name, who in made_names(m, readable):
        other = makers.setdefault((language, name), who)
        if other != who:
            shown = prefix + name if language == "macro" else name
            raise MapError(f"{file}: {who}: the {language} {shown} is that of {other}, too; take another name")
