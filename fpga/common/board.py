#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Talks to a board over its serial line: links, counters and checksums, bit error tests, registers, captured signals.

    ./hypertorus board --port /dev/ttyUSB1                     all link ends: states, counters, checksums
    ./hypertorus board --port /dev/ttyUSB1 --watch             the same every second, until Ctrl-C
    ./hypertorus board --port /dev/ttyUSB1 --test 60           a bit error test of a minute
    ./hypertorus board --port /dev/ttyUSB1 --test 5 --inject 100000    with every 100,000th bit flipped on its way out
    ./hypertorus board --port /dev/ttyUSB1 --port /dev/ttyUSB3 --test 60   two boards, end A of each cabled to the other's
    ./hypertorus board --port /dev/ttyUSB1 --read A.STATUS --write A.INJECT_PERIOD=2003
    ./hypertorus board --port /dev/ttyUSB1 --board ulx3s --test 5 --inject 100000 --capture a.vcd --trigger A.resent=1
                                                               and what end A's signals did around its first word sent again
    ./hypertorus board --port /dev/ttyUSB1 --board BOARD --read node.SCRATCH --read node.0x408    of the node behind the links, where there is one
    ./hypertorus board --simulate hx8k --test 1                the board's very top, Verilated, behind a pseudo-terminal
    ./hypertorus board --simulate pynq_z2 --boards 3 --test 1  boards with processors, in a ring, a process each

A board whose bitstream was made of other sources than these is refused (--any-sources: it is not).
Ctrl-C, SIGTERM and SIGHUP end a test early: what it counted so far is printed, and written to --json.
Exit codes: 0 good, 1 words came wrong or were lost, the two ends' checksums differ, or a link was not up all the time,
2 usage, 3 --json or --capture cannot be written, 4 no link came up, 5 the board refuses an access, 6 no trigger of
--capture came, 7 the board's bitstream captures nothing, or other signals, 10 a package is missing, 12 a tool failed,
13 the port cannot be opened, 14 the board does not answer, or is gone, 15 it is another board, or of other sources,
130 interrupted.
"""
import argparse
import binascii
import contextlib
import decimal
import errno
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import termios
import time

import build
import capture
from document import Document
from tools import FAILED, MISSING, REFUSED, ROOT, UNWRITTEN, USAGE, BoardError, registers_of, wait_until

WRONG, NO_LINK, PORT, SILENT, OTHER, INTERRUPTED = 1, 4, 13, 14, 15, 130
# Registers of the board itself.
IDENTITY, SOURCES, SCRATCH = 0, 1, 2
ANSWER_SECONDS = 0.5     # for an answer, at first
PATIENCE, PATIENCE_SIMULATED = 3, 60     # seconds for all attempts at one; a simulated board may have little of this computer
CONFIDENCE = 0.95
LOOK_SECONDS = 0.1  # from one look at a test's counters and states to the next, or as long as it takes
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def ignore_endings():
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def interrupt_on_endings():
    """The first of these signals is a KeyboardInterrupt, and those behind it are nothing: what was counted is still to be
    written. One that is ignored, as by nohup, stays so."""
    def interrupt(*_):
        ignore_endings()
        raise KeyboardInterrupt

    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)


@contextlib.contextmanager
def endings_held():
    """A signal that comes meanwhile comes behind it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def tell(text, end="\n"):
    """On standard error, which may be a terminal that is gone."""
    with contextlib.suppress(OSError):
        print(text, end=end, file=sys.stderr, flush=True)


def pyserial():
    """The module; Debian's is of Debian's Python, which may not be the one that was started."""
    try:
        import serial
        return serial
    except ImportError:
        debian = "/usr/bin/python3"
        has_it = subprocess.run([debian, "-c", "import serial"], stderr=subprocess.DEVNULL).returncode == 0 \
            if os.path.exists(debian) else False
        if not has_it or "HYPERTORUS_PYTHON" in os.environ:
            raise BoardError(MISSING, "pyserial missing; install with: apt-get install python3-serial") from None
        os.execve(debian, [debian, *sys.argv], os.environ | {"HYPERTORUS_PYTHON": debian})


def with_crc(characters):
    return characters + binascii.crc_hqx(characters, 0xFFFF).to_bytes(2, "big")


class Line:
    """Register accesses over a serial line: rtl/common/serial_bridge.v has the format.

    An answer does not say to what. So one that comes too late must not be taken for the next one's: before anything else is
    asked, a number of ours is written to SCRATCH until an answer has it. Answers come in turn."""

    def __init__(self, port, baud, simulated=False):
        serial = pyserial()
        self.failures = (serial.SerialException, OSError, termios.error)
        self.name, self.simulated = port, simulated
        try:
            self.port = serial.Serial(port, baud, timeout=ANSWER_SECONDS, write_timeout=ANSWER_SECONDS, exclusive=True)
        except ValueError as error:
            raise BoardError(PORT, f"{port}: {error}") from None
        except self.failures as error:
            if error.errno == errno.ENOTTY or "Could not configure port" in str(error):
                raise BoardError(PORT, f"{port} is no serial line; which there are: ls /dev/ttyUSB*") from None
            busy = error.errno in (errno.EAGAIN, errno.EBUSY) or "lock" in str(error)
            why = "another program has it open" if busy else os.strerror(error.errno) if error.errno else error
            raise BoardError(PORT, f"cannot open {port}: {why}; which ports there are: ls /dev/ttyUSB*") from None

    def close(self):
        self.port.close()

    def ask(self, request):
        end = time.monotonic() + (PATIENCE_SIMULATED if self.simulated else PATIENCE)
        try:
            while True:
                self.port.reset_input_buffer()
                self.port.write(with_crc(request))
                answer = self.port.read(7)
                if len(answer) == 7 and with_crc(answer[:5]) == answer:
                    value = int.from_bytes(answer[1:5], "little")
                    if answer[:1] == b"A":
                        return value
                    if value != 1:        # 1: the request came damaged
                        raise BoardError(REFUSED, f"the board refuses the access to register {request[1]:#04x}")
                self.catch_up(end)
        except self.failures as error:
            # termios.error is no OSError: it has its number and what that means in a pair
            raise BoardError(SILENT, f"{self.name} is gone: {error.args[-1] if isinstance(error, termios.error) else error}") from None

    def catch_up(self, end):
        """Until no answer is under way that was asked for before."""
        while time.monotonic() < end:
            number = os.urandom(4)
            self.port.write(with_crc(bytes([ord("W"), SCRATCH]) + number))
            heard, until = b"", time.monotonic() + self.port.timeout
            while time.monotonic() < until:
                heard += self.port.read(1)
                if heard.endswith(with_crc(b"A" + number)):
                    return
            self.port.timeout *= 2
        why = "is this computer busy?" if self.simulated else "is the board's bitstream loaded, and is this its second port?"
        raise BoardError(SILENT, f"no answer on {self.name}: {why}")

    def read(self, address):
        with endings_held():     # an answer does not say what of: none is left for who asks next
            return self.ask(bytes([ord("R"), address]))

    def write(self, address, value):
        with endings_held():
            self.ask(bytes([ord("W"), address]) + value.to_bytes(4, "little"))


class Board:
    def __init__(self, name, port, any_sources, simulated=False):
        self.name = name
        self.about = build.load(name)
        self.registers = registers_of(self.about["registers"])
        self.node = registers_of(self.about["node"]["registers"]) if "node" in self.about else {}
        self.link = registers_of(self.about["node"]["link_registers"]) if "node" in self.about else {}
        self.ends = self.about["ends"]
        self.looped = self.about.get("looped", "")      # ends that are cabled to themselves inside of the board
        self.line = Line(port, self.about["baud"], simulated)
        identity = self.line.read(IDENTITY)
        if identity != self.about["identity"]:
            known = [f", --board {b} says so" for b in build.boards() if build.load(b).get("identity") == identity]
            raise BoardError(OTHER, f"{port}: that is no {name}: register 0 reads {identity:08x}, not {self.about['identity']:08x}"
                                    + "".join(known))
        self.sources, ours = self.line.read(SOURCES), build.source_hash(name, self.about)
        if self.sources != ours and not any_sources:
            raise BoardError(OTHER, f"{port}: a bitstream of sources {self.sources:08x}, these are {ours:08x}: load one of these by "
                                    f"./hypertorus fpga {name} --program, or say --any-sources")

    def address(self, name):
        """Of 'A.STATUS', or of a number; of 'node.SCRATCH' or 'node.0x9', the register in which the node's one is seen."""
        end, _, register = name.partition(".")
        if end in self.ends and register in self.registers:
            return self.ends[end] + self.registers[register]["address"]
        behind = end == "node" and bool(self.node)
        try:
            number = self.node[register]["address"] if behind and register in self.node else int(register if behind else name, 0)
        except ValueError:
            number = -1
        if not 0 <= number <= (0xFFF if behind else 0xFF):
            more = "; or node, a point and a number up to 0xfff or a register's name" if self.node else ""
            raise BoardError(USAGE, f"no register {name}: a number up to 0xff, or {' or '.join(self.ends)}, a point and one of "
                                    + ", ".join(self.registers) + more)
        if behind:
            self.line.write(self.about["node"]["address"], number)
            return self.about["node"]["address"] + 1
        return number

    def read(self, name):
        return self.access(name, self.line.read)

    def write(self, name, value):
        self.access(name, lambda address: self.line.write(address, value))

    def check_value(self, name, value):
        """A register of an end that has fewer bits than the number would take another one."""
        end, _, register = name.partition(".")
        if end not in self.ends or register not in self.registers or self.registers[register]["access"] == "ro":
            return
        fields = self.registers[register].get("fields", [])
        mask = sum(self.field(register, f["name"])[1] for f in fields) if fields else (1 << 32) - 1
        if value & ~mask:
            raise BoardError(USAGE, f"--write {name}={value:#x}: the register has the bits {mask:#x}")

    def access(self, name, how):
        try:
            return how(self.address(name))
        except BoardError as error:
            if error.code == REFUSED:
                raise BoardError(REFUSED, f"the board refuses the access to register {name}: there is none, or it is not to be "
                                          "written") from None
            raise

    def field(self, register, name):
        """A field of an end's register, and its bits in place."""
        field = next(f for f in self.registers[register]["fields"] if f["name"] == name)
        high, _, low = field["bits"].partition(":")
        return field, (2 << int(high)) - (1 << int(low or high))

    def command(self, *names):
        """For an end's CONTROL."""
        return sum(self.field("CONTROL", name)[1] for name in names)

    def state(self, status):
        field, mask = self.field("STATUS", "STATE")
        return {number: name for name, number in field["values"].items()}.get(status & mask, "?")


class End:
    """A link end, and `partner`: the end at the other side of its cable."""

    def __init__(self, label, board, end, number):
        self.label, self.board, self.end = label, board, end
        self.unit = board.about.get("unit", "words")
        self.number = number
        self.partner = self

    def read(self, register):
        return self.board.read(f"{self.end}.{register}")

    def write(self, register, value):
        self.board.write(f"{self.end}.{register}", value)

    def all(self):
        return {name: self.read(name) for name in self.board.registers}

    def command(self, *names):
        self.write("CONTROL", self.board.command(*names))

    # Of boards with a node: links tell their peers their node's number, here the board's, from 1 on; set in DOWN only.
    def link_register(self, name):
        first = self.board.about["node"]["links"] + 0x40 * list(self.board.ends).index(self.end)
        return f"node.{first + self.board.link[name]['address']:#x}"

    def name_board(self):
        self.command()
        wait_until(lambda: self.state() == "DOWN", 2)
        self.board.write(self.link_register("NODE"), self.number)

    def heard(self):
        return self.board.read(self.link_register("PEER")) & 0xFFFF

    def state(self):
        return self.board.state(self.read("STATUS"))

    def peer(self):
        """Number of the link at the other end of the cable."""
        field, mask = self.board.field(*self.board.about["peer"])
        return (self.read(self.board.about["peer"][0]) & mask) // (mask & -mask)

    def outstanding(self):
        return self.read("STATUS") & self.board.field("STATUS", "OUTSTANDING")[1] != 0


def ends_of(boards, first_only):
    """All ends, each with its partner: the other one of its pair of a single board, or itself; the same one of the other board
    of two, if it is not looped inside."""
    names = [list(board.ends)[:1] if first_only else list(board.ends) for board in boards]
    ends = [[End(end if len(boards) == 1 else f"{n + 1}.{end}", board, end, n + 1) for end in names[n]]
            for n, board in enumerate(boards)]
    if len(boards) == 2:
        pairs = [(one, other) for one, other in zip(*ends) if one.end not in boards[0].looped]
    else:
        pairs = [] if boards[0].looped else zip(ends[0][::2], ends[0][1::2])
    for one, other in pairs:
        one.partner, other.partner = other, one
    return [end for group in ends for end in group]


def table(ends):
    """What all ends' registers hold; printed, a row a register."""
    values = {e.label: e.all() for e in ends}
    print(f"{'':<16}" + "".join(f"{'end ' + e.label:>12}" for e in ends))
    for name in ends[0].board.registers:
        cells = [e.board.state(v[name]) if name == "STATUS" else f"{v[name]:08x}" if "CHECKSUM" in name or name in ("CONTROL", "LANES")
                 else f"{v[name]:,}" for e, v in zip(ends, values.values())]
        print(f"{name:<16}" + "".join(f"{cell:>12}" for cell in cells), flush=True)
    return values


class Totals:
    """Counts of an end since now. The board's counters are of 32 bits, and go round within hours.

    Bits, and errors in them, are those that came between looks at which the link was up, no training begun between: what
    comes of a dead line is no word to compare. Looks are not at one moment for all registers, and errors that end in a
    training come before it, so what came beside such a time is left out, too."""
    COUNTERS = ("SENT", "RESENT", "CHECKED", "WRONG", "DAMAGED", "RETRAINS", "INJECTED")

    def __init__(self, end):
        self.end = end
        self.state = end.state()
        self.last = {c: end.read(c) for c in self.COUNTERS}
        self.more = self.counts = dict.fromkeys(self.COUNTERS, 0)
        self.steady = self.was_up = True
        self.went_down = False
        self.seconds = self.seconds_up = 0.0
        self.words = self.damaged = 0     # that came while the link was up, again and again if they had to
        self.pending = (0, 0)             # the same since the look before, if what comes next is of such a time as well

    def look(self):
        state = self.end.state()
        now = {c: self.end.read(c) for c in self.COUNTERS}
        self.more = {c: (now[c] - self.last[c]) % (1 << 32) for c in self.COUNTERS}
        self.counts = {c: self.counts[c] + self.more[c] for c in self.COUNTERS}
        self.steady = self.state == state == "UP" and self.more["RETRAINS"] == 0
        self.went_down |= state == "DOWN"
        self.state, self.last = state, now

    def judge(self, partner, seconds):
        """What this end and its partner have seen since the look before, so many seconds of the test ago."""
        up = self.steady and partner.steady
        self.seconds += seconds
        self.seconds_up += seconds if up else 0
        if up:
            self.settle()
        self.pending = (self.more["CHECKED"] + partner.more["RESENT"], self.more["DAMAGED"]) if up and self.was_up else (0, 0)
        self.was_up = up

    def settle(self):
        self.words, self.damaged, self.pending = self.words + self.pending[0], self.damaged + self.pending[1], (0, 0)

    def row(self):
        """The counts, and what of the line's bits was damaged: a flipped bit may show in several words."""
        row = {"end": self.end.label} | {name.lower(): count for name, count in self.counts.items()}
        row["up"] = self.seconds_up / self.seconds if self.seconds else 0.0
        row["bits"] = self.words * self.end.board.about["word_bits"]
        row["damaged_while_up"] = self.damaged
        row["damaged_per_bit"] = self.damaged / row["bits"] if row["bits"] else None
        # With no error in n bits the rate is below this with that confidence: (1 - rate)^n = 1 - confidence.
        row["below"] = -math.log(1 - CONFIDENCE) / row["bits"] if row["bits"] and not self.damaged else None
        return row


def look(totals, seconds):
    """At all ends; the look before was so many seconds of the test ago."""
    with endings_held():
        for total in totals.values():
            total.look()
        for end, total in totals.items():
            total.judge(totals[end.partner], seconds)


def percent(share):
    """Rounded down: all of it is all of it."""
    return f"{math.floor(1000 * share) / 10:.1f}%"


def rounded_up(bound):
    """A bound from above stays one."""
    return f"{float(decimal.Context(prec=2, rounding=decimal.ROUND_CEILING).create_decimal(bound)):.1e}"


def rate_of(row):
    """In words; nothing where nothing came that could be compared."""
    of = "" if row["up"] == 1 and not row["retrains"] else " while it was up"
    if row["below"] is not None:
        return f"none{of}: bit errors below {rounded_up(row['below'])}, {CONFIDENCE:.0%} confidence"
    return f"{row['damaged_per_bit']:.1e}{of}" if row["bits"] else "-"


def wrong_of(end, totals):
    if totals[end].counts["WRONG"]:
        yield f"end {end.label}: {totals[end].counts['WRONG']} {end.unit} were not the next of the sequence"


def faults_of(end, totals):
    """Why not every word that its partner sent came there as it was sent; nothing if it did."""
    counts, sent = totals[end].counts, totals[end.partner].counts["SENT"]
    checksum, theirs = end.read("RX_CHECKSUM"), end.partner.read("TX_CHECKSUM")
    yield from wrong_of(end, totals)
    if counts["CHECKED"] != sent:
        yield f"end {end.label}: {counts['CHECKED']} {end.unit} came of {sent} that end {end.partner.label} sent"
    elif sent == 0:
        yield f"end {end.label}: no {end.unit} came"
    if checksum != theirs:
        yield f"end {end.label}: checksum {checksum:08x}, end {end.partner.label} sent {theirs:08x}"


def outages_of(total, row):
    """Whether its link was up all the time, where words that are sent again hide that it was not."""
    if total.went_down:
        yield f"end {row['end']}: the link went DOWN by itself"
    if row["retrains"] or row["up"] < 1:
        again = f"trained anew {'once' if row['retrains'] == 1 else str(row['retrains']) + ' times'} and " if row["retrains"] else ""
        yield f"end {row['end']}: the link {again}was seen up for {percent(row['up'])} of the time"


def bring_up(ends):
    """All links UP, each end with the one at its cable's other end that `partner` says."""
    for end in ends:
        end.write("INJECT_PERIOD", 0)
        if end.partner is not end and "node" in end.board.about:
            end.name_board()
        end.command("ENABLE")
    if not wait_until(lambda: all(end.state() == "UP" for end in ends), 10):
        states = ", ".join(f"end {end.label} {end.state()}" for end in ends)
        raise BoardError(NO_LINK, f"no link after 10 s ({states}): are the ends cabled?")
    for end in ends:
        if "peer" in end.board.about and end.peer() != list(end.board.ends).index(end.partner.end):
            raise BoardError(NO_LINK, f"end {end.label} hears another end than {end.partner.label}: is that how they are cabled?")
        if end.partner is not end and "node" in end.board.about and end.heard() != end.partner.number:
            raise BoardError(NO_LINK, f"end {end.label} hears board {end.heard()}, not {end.partner.number}: are the two cabled to one "
                                      "another?")


def exchange(ends, seconds, inject, held):
    """Words both ways for so long or until a signal, each acknowledged: an end's Totals, whether a signal came, and the ends
    of which words are left that were not. Signals that come behind the last word are `held`. If a board is gone meanwhile:
    Totals of the last look, and in the place of all else the error."""
    for end in ends:
        end.command("ENABLE", "CLEAR")
    totals = {end: Totals(end) for end in ends}
    try:
        return totals, *carry(totals, seconds, inject, held), None
    except BoardError as error:
        if error.code != SILENT:
            raise
        return totals, False, [], error


def carry(totals, seconds, inject, held):
    """Of exchange: all behind the first look."""
    ends = list(totals)
    then, interrupted = time.monotonic(), False
    try:
        for end in ends:
            # the board counts in units of so many bits
            end.write("INJECT_PERIOD", -(-inject // end.board.about.get("inject_bits", 1)))
            end.command("ENABLE", "TRAFFIC")
        begin = then = time.monotonic()
        passed = 0.0
        while passed < seconds:     # once at least: what nobody looked at was not up
            if sys.stderr.isatty():
                tell(f"\r{passed:6.0f} of {seconds:g} s", end="")
            time.sleep(min(LOOK_SECONDS, seconds - passed))
            now, last = time.monotonic(), then
            then = now
            look(totals, now - last)
            passed = time.monotonic() - begin
        held.enter_context(endings_held())
    except KeyboardInterrupt:
        interrupted = True
        look(totals, time.monotonic() - then)
    finally:
        if sys.stderr.isatty():
            tell("\r\033[K", end="")
    for end in ends:
        end.write("INJECT_PERIOD", 0)
        end.command("ENABLE")
    wait_until(lambda: not any(end.outstanding() for end in ends), 5)
    left = [end.label for end in ends if end.outstanding()]
    look(totals, 0)
    for total in totals.values():
        total.settle()
    return interrupted, left


def test(ends, seconds, inject, result):
    """Words both ways for so long; into the result a row an end, what was not as it should be, and a verdict."""
    for board in {end.board for end in ends}:
        least = board.about.get("inject_least", 1)
        if 0 < inject < least:
            raise BoardError(USAGE, f"--inject {inject}: {board.name} flips every {least}th bit at the most")
    bring_up(ends)
    with contextlib.ExitStack() as held:
        totals, interrupted, left, error = exchange(ends, seconds, inject, held)
        rows = [total.row() for total in totals.values()]
        # checksums, and whether all came, would have to be asked of a board that is gone
        faults = [fault for end in ends for fault in (wrong_of(end, totals) if error else faults_of(end, totals))]
        outages = [outage for total, row in zip(totals.values(), rows) for outage in outages_of(total, row)]
        if left:
            error = BoardError(NO_LINK, f"{ends[0].unit} of end {', '.join(left)} are still not acknowledged 5 s after the last one: was "
                                        "a cable pulled, or does the other end take nothing?")
            faults.append(str(error))
        lasted = totals[ends[0]].seconds
        said = faults or [f"all {ends[0].unit} came once, in order, unaltered; checksums of both ends agree"]
        if error and error.code == SILENT:
            said = [f"{error}; what came behind {lasted:.1f} of {seconds:g} s is not known", *faults]
        result |= {"seconds": lasted, "test": rows, "faults": faults + outages, "verdict": "; ".join(said + outages)}
        if interrupted:
            error = BoardError(INTERRUPTED, f"interrupted after {lasted:.1f} of {seconds:g} s")
            result["verdict"] = f"{error}: {result['verdict']}"
        if error:     # already here: the terminal may be gone
            result |= {"error": str(error), "exit_code": error.code}
        show(rows, ends[0].unit, result["verdict"])
        if error:
            raise error


def show(rows, unit, verdict):
    print(f"{'end':<4}{unit:>14}{'bits':>18}{'wrong':>7}{'damaged':>9}{'resent':>8}{'flipped':>9}{'retrains':>10}{'up':>8}  damaged per bit")
    for row in rows:
        print(f"{row['end']:<4}{row['checked']:>14,}{row['bits']:>18,}{row['wrong']:>7}{row['damaged']:>9}{row['resent']:>8}"
              f"{row['injected']:>9}{row['retrains']:>10}{percent(row['up']):>8}  {rate_of(row)}")
    print(f"verdict        {verdict}", flush=True)


def ring(name, about, options, result):
    """Boards with processors of their own, simulated, in a ring: into the result rows a link, what was not as it should be,
    and a verdict."""
    if options.port:
        raise BoardError(USAGE, f"--port: {name} has no serial line to a host; run {about['processor']} on its own processor "
                                f"(fpga/{name}/README.md)")
    if options.test is None or options.inject or options.read or options.write or options.watch or options.capture:
        raise BoardError(USAGE, f"{name} has a processor, whose program passes messages: --test SECONDS, --boards and --delay are "
                                "what there is")
    program = pathlib.Path(options.simulator or ROOT / "build" / "release" / "bin" / f"board_{name}")
    if not program.exists():
        raise BoardError(MISSING, f"{program} is not built: cmake --build --preset release --target board_{name}")
    # Its windows lie in a folder of ours, gone whatever ends it or us.
    with tempfile.TemporaryDirectory(prefix="hypertorus_boards_") as folder:
        words = [program, "--boards", str(options.boards), "--delay", str(options.delay), "--seconds", str(options.test)]
        with start(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"TMPDIR": folder}) as process:
            try:
                out, err = process.communicate()
            finally:
                process.kill()
    lines = err.strip().splitlines() or ["no node answered"]
    try:
        nodes = [json.loads(line) for line in out.splitlines()]
    except ValueError:
        raise BoardError(FAILED, f"{program} prints what is no JSON: {out.splitlines()[0][:80]}") from None
    if process.returncode not in (0, 1) or len(nodes) != options.boards:
        # what a node said of itself first, then what became of the others by it
        raise BoardError(FAILED, next((l for l in lines if "the simulation ended" not in l), lines[0]))
    faults = [f"board {n['node']}: {n['wrong']} messages or sums were wrong" for n in nodes if n["wrong"]]
    print(f"{'board':<6}{'link':<6}{'messages':>10}{'bytes':>12}{'packets':>10}{'damaged':>9}{'resent':>8}{'retrains':>10}")
    for n in nodes:
        for way, link in zip((1, -1), n["links"]):
            # a message in each direction a round
            print(f"{n['node']:<6}{link['link']:<6}{n['messages'] // 2:>10,}{n['bytes'] // 2:>12,}{link['sent']:>10,}{link['damaged']:>9}"
                  f"{link['resent']:>8}{link['retrains']:>10}")
            far = nodes[(n["node"] + way) % len(nodes)]["links"][1 if way == 1 else 0]
            if far["accepted"] != link["sent"]:
                faults.append(f"board {n['node']} link {link['link']}: {link['sent']} packets sent, {far['accepted']} accepted")
            if far["rx_checksum"] != link["tx_checksum"]:
                faults.append(f"board {n['node']} link {link['link']}: checksums of both ends differ")
    verdict = "; ".join(faults) or "all messages and sums were right; checksums of both ends agree"
    result |= {"test": nodes, "faults": faults, "verdict": verdict}
    print(f"verdict        {verdict}")
    return WRONG if faults else 0


def start(words, **more):
    try:
        return subprocess.Popen(words, text=True, **more)
    except OSError as error:
        raise BoardError(FAILED, f"cannot start {words[0]}: {error.strerror}") from None


class Simulator:
    """A board of sim/board, as a process."""

    def __init__(self, name, program, delay):
        program = pathlib.Path(program or ROOT / "build" / "release" / "bin" / f"board_{name}")
        if not program.exists():
            raise BoardError(MISSING, f"{program} is not built: cmake --build --preset release --target board_{name}")
        # in a session of its own: Ctrl-C is for us, who still ask it for its counts
        self.process = start([program, "--delay", str(delay)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        line = self.process.stdout.readline().split()
        if len(line) != 2 or line[0] != "port":
            raise BoardError(FAILED, f"{program} did not start")
        self.port = line[1]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def assignment(text):
    name, equals, value = text.partition("=")
    try:
        number = int(value, 0)
    except ValueError:
        number = -1
    if not equals or not 0 <= number < 1 << 32:
        raise BoardError(USAGE, f"--write {text}: a register, = and a number of 32 bits, as in A.INJECT_PERIOD=2003")
    return name, number


def board_of(boards, name, option):
    """And what the register is called there: of two boards, the first one's are 1.A.STATUS, as tables have it."""
    if len(boards) == 1:
        return boards[0], name
    number, _, register = name.partition(".")
    if number not in ("1", "2") or not register:
        raise BoardError(USAGE, f"{option} {name}: of which board? 1.{name} or 2.{name}")
    return boards[int(number) - 1], register


def run(options, boards, result):
    ends = ends_of(boards, len(boards) == 2 and not options.both)
    kept = capture.Capture(ends, options) if options.capture else None
    writes = [(*board_of(boards, name, "--write"), value) for name, value in map(assignment, options.write)]
    reads = [(name, *board_of(boards, name, "--read")) for name in options.read]
    for board, register, value in writes:
        board.check_value(register, value)
    for board, register, value in writes:
        board.write(register, value)
    for name, board, register in reads:
        result.setdefault("read", {})[name] = board.read(register)
        print(f"{name:<24}{result['read'][name]:08x}")
    if kept:
        kept.arm()
    if options.test is not None:
        try:
            test(ends, options.test, options.inject, result)
        except BoardError as error:
            # what there was of a link that did not come up, or fell, is what was captured for
            if kept and error.code == NO_LINK and kept.state() != "ARMED":
                result["capture"] = kept.finish(0)
            raise
    if kept:
        result["capture"] = kept.finish(0 if options.test is not None else options.capture_wait)
    elif options.test is None and not options.read and not options.write:
        try:
            result["ends"] = table(ends)
            while options.watch:
                time.sleep(1)
                print()
                result["ends"] = table(ends)
        except KeyboardInterrupt:
            if not options.watch:     # where that is how it ends
                raise
    return WRONG if result.get("faults") else 0


def check_options(options, about):
    """What can be said against them without a board; about: the board's."""
    if options.test is not None and not 0 < options.test <= 1e6:
        raise BoardError(USAGE, f"--test {options.test:g}: more than 0 seconds, and at most 1,000,000")
    if not 0 <= options.inject < 1 << 24:
        raise BoardError(USAGE, f"--inject {options.inject}: 0 to 16777215 bits from one flipped bit to the next")
    if options.inject and options.test is None:
        raise BoardError(USAGE, f"--inject {options.inject} says what --test SECONDS flips, and --test that it is wanted")
    if options.delay is not None and not 0 <= options.delay <= 200:
        raise BoardError(USAGE, f"--delay {options.delay}: 0 to 200 half periods of the board's fastest clock")
    ports = options.port or []
    if len(ports) > 2:
        raise BoardError(USAGE, f"--port: one board or two, not {len(ports)}")
    if len(ports) == 2 and os.path.realpath(ports[0]) == os.path.realpath(ports[1]):
        raise BoardError(USAGE, f"--port {ports[1]}: that is the first board's; name the second one's")
    for unused, why in ((options.both and len(ports) != 2, "--both says how two boards are cabled: name two with --port"),
                        (options.board is not None and options.simulate is not None, "--board says what is at a --port; leave it out"),
                        (options.delay is not None and bool(ports), "--delay is of a simulated board's cable; leave it out"),
                        (options.watch and (options.test is not None or options.read or options.write),
                         "--watch shows the link ends and does nothing else; leave it out")):
        if unused:
            raise BoardError(USAGE, why)
    if options.capture and options.json and os.path.realpath(options.json) == os.path.realpath(options.capture):
        raise BoardError(USAGE, f"--capture and --json are the same file, {options.capture}; name two")
    capture.check_options(options)
    if options.boards is not None and (not 2 <= options.boards <= 8 or "processor" not in about):
        raise BoardError(USAGE, f"--boards {options.boards}: 2 to 8, of boards with a processor")


def talk(options, result, opened):
    """All that was asked for, and the exit code of it; what is to be closed behind it goes to `opened`."""
    try:
        name = result["board"]
        about = build.load(name)
        check_options(options, about)
        options.delay = 5 if options.delay is None else options.delay
        if "processor" in about:
            options.boards = options.boards or 2
            return ring(name, about, options, result)
        if options.capture:
            capture.check_board(name, about)
        pyserial()
        ports = options.port
        if options.simulate is not None:
            simulator = opened.enter_context(contextlib.closing(Simulator(name, options.simulator, options.delay)))
            ports = [simulator.port]
        boards = []
        for port in ports:
            boards.append(Board(name, port, options.any_sources, options.simulate is not None))
            opened.callback(boards[-1].line.close)
        result |= {"ports": [b.line.name for b in boards], "sources": f"{boards[0].sources:08x}"}
        code = run(options, boards, result)
        sys.stdout.flush()
        return code
    except BoardError as error:
        tell(f"hypertorus: {error}")
        result["error"] = str(error)
        return error.code
    except OSError as error:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")     # what is left is not to be written either
        why = f"cannot write standard output: {error.strerror}"
        tell(f"hypertorus: {why}")
        result.setdefault("error", why)
        return result.get("exit_code", UNWRITTEN)


def main():
    parser = argparse.ArgumentParser(prog="hypertorus board", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--port", action="append", help="the serial line, such as /dev/ttyUSB1; twice for two boards")
    where.add_argument("--simulate", metavar="BOARD", help="a board without a board")
    parser.add_argument("--board", help="what is at the port: hx8k (the default), or any that hypertorus fpga --list names")
    parser.add_argument("--delay", type=int, help="of the simulated cable, in half periods of the board's fastest clock (hx8k: quarters of a bit), 0 to 200 (5)")
    parser.add_argument("--boards", type=int, metavar="N", help="with --simulate, of a board with a processor: 2 to 8 of them in a ring (2)")
    parser.add_argument("--simulator", help=argparse.SUPPRESS)
    parser.add_argument("--both", action="store_true", help="of two boards, all ends are cabled to one another, not ends A alone")
    parser.add_argument("--watch", action="store_true", help="show the link ends every second, until Ctrl-C")
    parser.add_argument("--test", type=float, metavar="SECONDS", help="a bit error test")
    parser.add_argument("--inject", type=int, default=0, metavar="N", help="in it, flip every Nth bit on its way out")
    parser.add_argument("--read", action="append", default=[], metavar="REGISTER", help="A.STATUS, or an address; may be repeated")
    parser.add_argument("--write", action="append", default=[], metavar="REGISTER=VALUE", help="before what is read or tested")
    capture.add_options(parser)
    parser.add_argument("--json", metavar="FILE", help="the same as a document; - is standard output")
    parser.add_argument("--any-sources", action="store_true", help="take a board of other sources, too")
    options = parser.parse_args()
    interrupt_on_endings()
    result = {"board": options.simulate or options.board or "hx8k"}
    opened = contextlib.ExitStack()
    try:
        document = Document(options.json)
        code = talk(options, result, opened)
        ignore_endings()
    except BoardError as error:
        tell(f"hypertorus: {error}")
        return error.code
    except KeyboardInterrupt:
        code = INTERRUPTED
        result["error"] = "interrupted"
        tell("hypertorus: interrupted")
    opened.close()
    try:
        document.write(code, result)
    except BoardError as error:
        tell(f"hypertorus: {error}")
        return code or error.code
    return code


if __name__ == "__main__":
    sys.exit(main())
