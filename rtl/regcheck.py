# SPDX-License-Identifier: Apache-2.0
"""What a table of registers may hold (its schema is in rtl/regmap.py, which runs this). What is wrong is refused with
file, register and remedy before anything is generated: no compiler sees a name, a text or a number from here.
"""
import difflib
import re

ACCESS = {"rw": "ReadWrite", "ro": "ReadOnly", "w1c": "WriteOneToClear", "wo": "WriteOnly"}

# key -> (kind, whether it must be there); the kinds are in KINDS.
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

UPPER = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*", re.ASCII)
LOWER = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", re.ASCII)

# Names in lower case become names of C++ and of ports.
KEYWORDS = set("""
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl concept
const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept
not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof
static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union
unsigned using virtual void volatile wchar_t while xor xor_eq
always assign automatic begin buf bufif0 bufif1 casex casez cell cmos config deassign defparam design disable edge end
endcase endconfig endfunction endgenerate endmodule endprimitive endspecify endtable endtask event force forever fork
function generate genvar highz0 highz1 ifnone incdir include initial inout input instance integer join large liblist library
localparam macromodule medium module nand negedge nmos nor noshowcancelled notif0 notif1 output parameter pmos posedge
primitive pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos
rpmos rtran rtranif0 rtranif1 scalared showcancelled small specify specparam strong0 strong1 supply0 supply1 table task time
tran tranif0 tranif1 tri tri0 tri1 triand trior trireg use vectored wait wand weak0 weak1 wire wor xnor
""".split())


class MapError(Exception):
    pass


def is_number(value, low, high):
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def is_text(value):
    return (isinstance(value, str) and value.strip() == value != "" and value.isprintable() and not set(value) & set("|\"\\"))


def is_range(value):
    match = isinstance(value, str) and re.fullmatch(r"(\d{1,2})(?::(\d{1,2}))?", value, re.ASCII)
    return bool(match) and 0 <= int(match[2] or match[1]) <= int(match[1]) <= 31


# kind -> (test, what it is)
KINDS = {
    "NAME": (lambda v: isinstance(v, str) and UPPER.fullmatch(v),
             "UPPER_CASE: letters of ASCII, digits and single underscores, a letter first"),
    "name": (lambda v: isinstance(v, str) and LOWER.fullmatch(v) and v not in KEYWORDS,
             "lower_case, a letter of ASCII first, and no keyword of Verilog or C++"),
    "doc": (is_text, "one line of text without |, \\ and \", which tables and strings cannot hold"),
    "flag": (lambda v: isinstance(v, bool), "true or false"),
    "number": (lambda v: is_number(v, 0, 0xFFFFFFFF), "a number from 0, without quotes"),
    "word": (lambda v: is_number(v, 0, 0xFFFFFFFF), "a number of 32 bits, without quotes"),
    "count": (lambda v: is_number(v, 1, 0xFFFFFFFF), "a number from 1, without quotes"),
    "width": (lambda v: is_number(v, 1, 32), "a number from 1 to 32, without quotes"),
    "access": (lambda v: isinstance(v, str) and v in ACCESS, "one of " + ", ".join(ACCESS)),
    "part": (lambda v: isinstance(v, bool) or isinstance(v, str) and LOWER.fullmatch(v), "true, false or a lower_case name"),
    "bits": (is_range, 'a range inside 31:0 in quotes, as "7" or "31:8"'),
    "numbers": (lambda v: isinstance(v, dict) and all(is_number(n, 0, 0xFFFFFFFF) for n in v.values())
                and all(UPPER.fullmatch(k) for k in v), "UPPER_CASE names with numbers of 32 bits, as { DOWN = 0, TRAIN = 1 }"),
    "tables": (lambda v: isinstance(v, list) and all(isinstance(t, dict) for t in v), "a list of tables"),
}


def nearest(word, words):
    near = difflib.get_close_matches(word, words, 1)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(words)}"


def check_keys(table, schema, where):
    """Keys of the schema only, all that must be there, each of its kind."""
    for key in table:
        if key not in schema:
            raise MapError(f"{where}: there is no key {key}{nearest(key, list(schema))}")
    for key, (kind, needed) in schema.items():
        if key not in table and needed:
            raise MapError(f"{where}: {key} is missing; write {KINDS[kind][1]}")
        if key in table and not KINDS[kind][0](table[key]):
            raise MapError(f"{where}: {key} = {table[key]!r}: write {KINDS[kind][1]}")


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
