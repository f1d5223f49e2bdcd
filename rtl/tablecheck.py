# SPDX-License-Identifier: Apache-2.0
"""What the keys of a table in TOML hold, for registers (regcheck.py), wire formats (wiremap.py) and captured signals
(probemap.py): each kind of value has a test and a description, a schema says which keys there are, and what is wrong is
refused with place and remedy.
"""
import difflib
import re
import tomllib

ACCESS = {"rw": "ReadWrite", "ro": "ReadOnly", "w1c": "WriteOneToClear", "wo": "WriteOnly"}

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


def is_line(value):
    return isinstance(value, str) and value.strip() == value != "" and value.isprintable()


def is_text(value):
    return is_line(value) and not set(value) & set("|\"\\")


def is_range(value):
    match = isinstance(value, str) and re.fullmatch(r"(\d{1,2})(?::(\d{1,2}))?", value, re.ASCII)
    return bool(match) and 0 <= int(match[2] or match[1]) <= int(match[1]) <= 31


# kind -> (test, what it is)
KINDS = {
    "NAME": (lambda v: isinstance(v, str) and UPPER.fullmatch(v),
             "UPPER_CASE: letters of ASCII, digits and single underscores, a letter first"),
    "name": (lambda v: isinstance(v, str) and LOWER.fullmatch(v) and v not in KEYWORDS,
             "lower_case, a letter of ASCII first, and no keyword of Verilog or C++"),
    "line": (is_line, "one line of text"),
    "doc": (is_text, "one line of text without |, \\ and \", which tables and strings cannot hold"),
    "flag": (lambda v: isinstance(v, bool), "true or false"),
    "number": (lambda v: is_number(v, 0, 0xFFFFFFFF), "a number from 0, without quotes"),
    "word": (lambda v: is_number(v, 0, 0xFFFFFFFF), "a number of 32 bits, without quotes"),
    "count": (lambda v: is_number(v, 1, 0xFFFFFFFF), "a number from 1, without quotes"),
    "base": (lambda v: v in (10, 16), "10 or 16"),
    "size": (lambda v: is_number(v, 1, 65536), "a number from 1 to 65536, without quotes"),
    "places": (lambda v: isinstance(v, str) and re.fullmatch(r"\d{1,5}(:\d{1,5})?", v, re.ASCII), 'bits in quotes, as "7" or "31:8"'),
    "width": (lambda v: is_number(v, 1, 32), "a number from 1 to 32, without quotes"),
    "access": (lambda v: isinstance(v, str) and v in ACCESS, "one of " + ", ".join(ACCESS)),
    "part": (lambda v: isinstance(v, bool) or isinstance(v, str) and LOWER.fullmatch(v), "true, false or a lower_case name"),
    "bits": (is_range, 'a range inside 31:0 in quotes, as "7" or "31:8"'),
    "numbers": (lambda v: isinstance(v, dict) and all(is_number(n, 0, 0xFFFFFFFF) for n in v.values())
                and all(UPPER.fullmatch(k) for k in v), "UPPER_CASE names with numbers of 32 bits, as { DOWN = 0, TRAIN = 1 }"),
    "files": (lambda v: isinstance(v, list) and all(isinstance(f, str) for f in v), 'a list of files, as ["link/a.toml"]'),
    "tables": (lambda v: isinstance(v, list) and all(isinstance(t, dict) for t in v), "a list of tables"),
}


def read_toml(path, file):
    """A table of the tree; `file` is its name in errors."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MapError(f"{file}: {error.strerror}; maps.toml beside it lists the tables") from error
    except ValueError as error:   # of TOML, or no UTF-8
        raise MapError(f"{file}: {error}") from error


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
