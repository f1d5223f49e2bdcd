# SPDX-License-Identifier: Apache-2.0
"""What can be broken in a Verilog module: its expressions, found by their tokens, and ways to write each wrongly.

The Verilog of the tree is regular (Verilog-2005, one module a file), so this reads statements, not the whole language:
always blocks with what they assign and ask, continuous assignments, and wires that are declared with their value. Not
looked at: functions, initial blocks, constants, conditions of generate blocks, what is connected to instances.
"""
import re
from dataclasses import dataclass, field

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/|\(\*.*?\*\)|^`(?:include|define|default_nettype|timescale|undef)[^\n]*(?:\\\n[^\n]*)*)
  | (?P<text>"(?:[^"\\]|\\.)*")
  | (?P<number>\d*'s?[bdhoBDHO][0-9a-fA-FxXzZ?_]+|\d[\d_]*)
  | (?P<name>[`\\]?[A-Za-z_$][\w$]*)
  | (?P<operator><<<|>>>|===|!==|==|!=|<=|>=|&&|\|\||<<|>>|[-+:]:|~[&|^]|\*\*|[-+*/%<>!~&|^?:;,.(){}\[\]@=\#])
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

SWAPS = {"==": "!=", "!=": "==", "&&": "||", "||": "&&", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+",
         "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<"}
OPEN, CLOSE = set("([{"), set(")]}")


class NotRead(Exception):
    """The text is not what this can read."""


@dataclass
class Token:
    kind: str
    text: str
    at: int

    @property
    def end(self):
        return self.at + len(self.text)


@dataclass
class Place:
    """An expression, or a nonblocking assignment as a whole: text[at:end]."""
    at: int
    end: int
    line: int
    role: str  # "condition", "value", "register", "assignment"
    broken: list = field(default_factory=list)  # (what, text instead of it)


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise NotRead(f"line {text.count(chr(10), 0, at) + 1}: {text[at:at + 20]!r}")
        if match.lastgroup != "space":
            found.append(Token(match.lastgroup, match.group(), at))
        at = match.end()
    return found


class Reader:
    def __init__(self, text):
        self.text, self.tokens, self.places = text, tokens(text), []

    def of(self, i):
        return self.tokens[i].text if i < len(self.tokens) else ""

    def closing(self, i):
        """Of the bracket at i, the one that closes it."""
        depth = 0
        for j in range(i, len(self.tokens)):
            depth += self.of(j) in OPEN
            depth -= self.of(j) in CLOSE
            if depth == 0:
                return j
        raise NotRead("a bracket is not closed")

    def find(self, i, wanted):
        """The first token from i on, outside brackets, that is one of those wanted."""
        while self.of(i) not in wanted:
            if i >= len(self.tokens):
                raise NotRead(f"no {wanted}")
            i = self.closing(i) + 1 if self.of(i) in OPEN else i + 1
        return i

    def add(self, first, last, role):
        """The expression of tokens [first, last)."""
        at, end = self.tokens[first].at, self.tokens[last - 1].end
        place = Place(at, end, self.text.count("\n", 0, at) + 1, role)
        place.broken = list(wrong(self.text, self.tokens[first:last], role))
        self.places.append(place)

    def statement(self, i):
        """Reads one of an always block; the token behind it."""
        word = self.of(i)
        if word == "begin":
            i += 3 if self.of(i + 1) == ":" else 1
            while self.of(i) != "end":
                i = self.statement(i)
            return i + 1
        if word == "if":
            end = self.closing(i + 1)
            self.add(i + 2, end, "condition")
            i = self.statement(end + 1)
            return self.statement(i + 1) if self.of(i) == "else" else i
        if word in ("case", "casez"):
            end = self.closing(i + 1)
            i = end + 1
            while self.of(i) != "endcase":
                i = i + 1 if self.of(i) == "default" and self.of(i + 1) != ":" else self.find(i, {":"}) + 1
                i = self.statement(i)
            return i + 1
        if word == "for":
            return self.statement(self.closing(i + 1) + 1)
        if word == ";":
            return i + 1
        end = self.find(i, {";"})
        if word.startswith("$") or word in ("integer", "reg"):
            return end + 1
        operator = self.find(i, {"<=", "="})
        if operator >= end:
            raise NotRead(f"line {self.text.count(chr(10), 0, self.tokens[i].at) + 1}: what statement is that?")
        clocked = self.of(operator) == "<="
        if clocked:
            whole = Place(self.tokens[i].at, self.tokens[end].end, self.text.count("\n", 0, self.tokens[i].at) + 1, "assignment")
            whole.broken = [("not assigned", "")]
            self.places.append(whole)
        self.add(operator + 1, end, "register" if clocked else "value")
        return end + 1

    def module(self):
        i = 0
        while i < len(self.tokens):
            word = self.of(i)
            if word == "function":
                i = next(j for j in range(i, len(self.tokens)) if self.of(j) == "endfunction")
            elif word == "initial":
                kept, i = len(self.places), self.statement(i + 1)
                del self.places[kept:]
                continue
            elif word == "always":
                i += 2 if self.of(i + 1) == "@" else 1
                i = self.statement(self.closing(i) + 1 if self.of(i) == "(" else i + 1)
                continue
            elif word == "assign":
                end = self.find(i, {";"})
                self.add(self.find(i, {"="}) + 1, end, "value")
                i = end
            elif word == "wire" and self.of(i - 1) not in ("input", "output", "inout"):
                end = self.find(i, {";"})
                commas = self.find(i, {",", ";"}) < end
                value = self.find(i, {"=", ";"})
                if not commas and value < end:
                    self.add(value + 1, end, "value")
                i = end
            i += 1
        return self.places


def sides(assignment):
    """What a nonblocking assignment assigns to, and the value, as texts."""
    reader = Reader(assignment)
    operator = reader.tokens[reader.find(0, {"<="})]
    return assignment[:operator.at].strip(), assignment[operator.end:].rstrip().rstrip(";").strip()


def other_number(text):
    """The same with its lowest bit inverted; None if it is no sized number."""
    match = re.fullmatch(r"(\d+)'([bdhBDH])([0-9a-fA-F_]+)", text)
    if not match:
        return None
    value = int(match[3].replace("_", ""), {"b": 2, "d": 10, "h": 16}[match[2].lower()])
    return f"{match[1]}'h{value ^ 1:x}"


def wrong(text, words, role):
    """(what, expression) of all ways to write the expression wrongly, one place at a time."""
    at, end = words[0].at, words[-1].end
    whole = text[at:end]

    def instead(token, new):
        return text[at:token.at] + new + text[token.end:end]

    if role == "condition":
        yield "never", "1'b0"
        yield "always", "1'b1"
    else:
        yield "lowest bit inverted", f"({whole}) ^ 1'b1"
    brackets = []
    for i, token in enumerate(words):
        if token.text in OPEN:
            # {4{...}}: a number of copies, not a value.
            brackets.append(token.text)
        elif token.text in CLOSE:
            brackets.pop()
        before = words[i - 1] if i else None
        binary = before is not None and (before.kind in ("number", "name") or before.text in CLOSE)
        if "[" in brackets:
            continue
        if token.kind == "operator" and token.text in SWAPS and (binary or token.text in "&|"):
            yield f"{token.text} is {SWAPS[token.text]}", instead(token, SWAPS[token.text])
        elif token.text == "!":
            yield "no !", instead(token, " ")
        elif token.text == "~" and i + 1 < len(words) and words[i + 1].text not in "&|^":
            yield "no ~", instead(token, " ")
        elif token.text == "?":
            depth, j = 0, i - 1
            while j >= 0 and not (depth == 0 and (words[j].text in OPEN or words[j].text in (",", ":", "?"))):
                depth += words[j].text in CLOSE
                depth -= words[j].text in OPEN
                j -= 1
            first = words[j + 1].at
            yield "the other way round", f"{text[at:first]}!({text[first:before.end]}){text[before.end:end]}"
        elif token.kind == "number" and (new := other_number(token.text)) and words[min(i + 1, len(words) - 1)].text != "{":
            yield f"{token.text} is {new}", instead(token, new)


def places(text):
    """All Places of a module with something to be broken, in the order of the text."""
    return Reader(text).module()
