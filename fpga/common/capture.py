# SPDX-License-Identifier: Apache-2.0
"""Signals captured on a board's chip (rtl/common/signal_capture.v), as a VCD for a waveform viewer: what board.py does for
--capture. Names and places of signals are those of the *_probe.toml that the board's Verilog is made from."""
import difflib
import pathlib
import sys

import build
from tools import REFUSED, ROOT, UNWRITTEN, USAGE, BoardError, registers_of, try_to_write, wait_until

sys.path.append(str(ROOT / "rtl"))
import probemap    # noqa: E402  (rtl/probemap.py)

NO_TRIGGER, NO_CAPTURE = 6, 7
REGISTERS = "rtl/common/signal_capture_registers.toml"


def add_options(parser):
    group = parser.add_argument_group("signals captured on the chip (docs: fpga/README.md)")
    group.add_argument("--capture", metavar="FILE.vcd", help="capture signals of a link end, before --test or of what goes on by itself")
    group.add_argument("--trigger", action="append", default=[], metavar="SIGNAL[=VALUE]",
                       help="the signal has that value, or changes: state=UP, A.resent=1, 2.A.rx_error; of several all in one cycle, of "
                            "changes one; without, at once")
    group.add_argument("--capture-end", metavar="END", help="whose signals (that of the trigger, or the first one)")
    group.add_argument("--capture-before", type=int, metavar="N", help="samples kept from before the trigger (all there are)")
    group.add_argument("--capture-after", type=int, metavar="N", help="samples after it (three quarters of the memory)")
    group.add_argument("--capture-wait", type=float, metavar="SECONDS", help="for the trigger, without --test (10)")


def check_options(options):
    """What can be said against them without a board."""
    if options.capture is None:
        for given, name in ((options.trigger, "--trigger"), (options.capture_end, "--capture-end"),
                            (options.capture_before is not None, "--capture-before"),
                            (options.capture_after is not None, "--capture-after"),
                            (options.capture_wait is not None, "--capture-wait")):
            if given:
                raise BoardError(USAGE, f"{name} says how to capture, and --capture FILE.vcd that it is wanted")
        return
    if options.watch:
        raise BoardError(USAGE, "--watch and --capture do not go together")
    if (options.capture_before or 0) < 0 or (options.capture_after or 0) < 0:
        raise BoardError(USAGE, "--capture-before and --capture-after: 0 samples or more")
    if options.capture_wait is None:
        options.capture_wait = 10
    if not 0 < options.capture_wait <= 1e6:
        raise BoardError(USAGE, f"--capture-wait {options.capture_wait:g}: more than 0 seconds, and at most 1,000,000")
    try_to_write(options.capture)


def check_board(name, about):
    if "capture" not in about:
        able = [b for b in build.boards() if "capture" in build.load(b)]
        raise BoardError(NO_CAPTURE, f"--capture: {name} captures no signals on its chip; boards that do: {', '.join(able)}")


def load_signals(about):
    return probemap.load(ROOT / about["capture"]["signals"], about["capture"]["signals"])


class Trigger:
    """Levels, and changes, of a sample's signals: integers as wide as a sample."""

    def __init__(self):
        self.value = self.mask = self.change = 0

    def add(self, signal, text):
        """`text`: the value, or None for any change."""
        place = ((1 << signal["bits"]) - 1) << signal["low"]
        if text is None:
            self.change |= place
            return
        try:
            number = signal["values"][text] if text in signal["values"] else int(text, 0)
        except ValueError:
            number = -1
        if not 0 <= number < 1 << signal["bits"]:
            names = "".join(f" or {name}" for name in signal["values"])
            raise BoardError(USAGE, f"--trigger {signal['name']}={text}: 0 to {(1 << signal['bits']) - 1:#x}{names}")
        if self.mask & place and (self.value & place) >> signal["low"] != number:
            raise BoardError(USAGE, f"--trigger {signal['name']}={text}: it cannot have two values in one cycle")
        self.mask |= place
        self.value |= number << signal["low"]


class Capture:
    """One capture of an end's signals: arm(), then finish()."""

    def __init__(self, ends, options):
        self.options = options
        about = ends[0].board.about
        self.signals = load_signals(about)
        units = {end: unit for unit in about["capture"]["units"] for end in unit["ends"]}
        self.ends = {end.label: end for end in ends if end.end in units}
        label, self.trigger = self.triggered(options)
        self.end = self.ends[label]
        self.unit = units[self.end.end]
        self.registers = registers_of(REGISTERS)
        self.check_bitstream(about)

    def triggered(self, options):
        """The label of the end whose signals are captured, and what triggers."""
        label, trigger = options.capture_end, Trigger()
        if label is not None:
            self.check_end(f"--capture-end {label}", label)
        for text in options.trigger:
            name, equals, value = text.partition("=")
            end, _, name = name.rpartition(".")
            if end:
                self.check_end(f"--trigger {text}", end)
                if label not in (None, end):
                    raise BoardError(USAGE, f"--trigger {text}: signals of one end are captured at a time, and {label} was said before")
                label = end
            signal = next((s for s in self.signals["signal"] if s["name"] == name), None)
            if signal is None:
                names = [s["name"] for s in self.signals["signal"]]
                near = difflib.get_close_matches(name, names, 1, 0.5)
                raise BoardError(USAGE, f"--trigger {text}: no signal {name or text}; "
                                        + (f"did you mean {near[0]}?" if near else "there are " + ", ".join(names)))
            trigger.add(signal, value if equals else None)
        return label or next(iter(self.ends)), trigger

    def check_end(self, said, label):
        if label not in self.ends:
            raise BoardError(USAGE, f"{said}: no end {label} whose signals are captured; they are {', '.join(self.ends)}")

    def address(self, register):
        return self.unit["address"] + self.registers[register]["address"]

    def read(self, register):
        return self.end.board.line.read(self.address(register))

    def write(self, register, value):
        self.end.board.line.write(self.address(register), value)

    def field(self, register, name, value=None):
        """A field of a register that was read, or of that value."""
        high, _, low = next(f for f in self.registers[register]["fields"] if f["name"] == name)["bits"].partition(":")
        value = self.read(register) if value is None else value
        return value >> int(low or high) & ((2 << int(high) - int(low or high)) - 1)

    def check_bitstream(self, about):
        board = self.end.board
        try:
            theirs, shape = self.read("SIGNALS"), self.read("SHAPE")
        except BoardError as error:
            if error.code == REFUSED:
                raise BoardError(NO_CAPTURE, f"{board.line.name}: this bitstream captures no signals: load one that does by ./hypertorus "
                                             f"fpga {board.name} --program") from None
            raise
        if theirs != self.signals["hash"]:
            raise BoardError(NO_CAPTURE, f"{board.line.name}: this bitstream captures other signals than {about['capture']['signals']} has")
        self.time_bits = self.field("SHAPE", "TIME_BITS", shape)
        self.places = 1 << self.field("SHAPE", "ADDRESS_BITS", shape)
        self.after = 3 * self.places // 4 if self.options.capture_after is None else self.options.capture_after
        if self.after >= self.places:
            raise BoardError(USAGE, f"--capture-after {self.after}: the memory holds {self.places} samples, and one is the trigger's")

    def state(self):
        names = next(f for f in self.registers["STATUS"]["fields"] if f["name"] == "STATE")["values"]
        now = self.field("STATUS", "STATE")
        return next(name for name, number in names.items() if number == now)

    def arm(self):
        self.write("CONTROL", 2)     # STOP: whatever somebody left
        self.write("SOURCE", self.unit["ends"].index(self.end.end))
        self.write("AFTER", self.after)
        for word in range(-(-self.signals["width"] // 32)):
            self.write("WORD", word)
            for register, bits in (("VALUE", self.trigger.value), ("MASK", self.trigger.mask), ("CHANGE", self.trigger.change)):
                self.write(register, bits >> 32 * word & 0xFFFFFFFF)
        self.write("CONTROL", 1)     # ARM

    def finish(self, seconds):
        """Waits so long for the trigger and what comes behind it, then takes what there is: writes the file, says so, and
        returns it as a document."""
        wait_until(lambda: self.state() == "FULL", seconds)
        state = self.state()
        self.write("CONTROL", 2)     # STOP
        if state == "ARMED":
            raise BoardError(NO_TRIGGER, f"--capture: the trigger did not come to end {self.end.label}"
                                         + (f" in {seconds:g} s" if seconds else " during the test"))
        samples, trigger = self.samples()
        period = round(1e6 / self.unit["mhz"])     # ps
        write_vcd(self.options.capture, self.end, self.signals["signal"], samples, trigger, period)
        before, behind = ((samples[trigger][0] - samples[0][0]) * period, (samples[-1][0] - samples[trigger][0]) * period)
        print(f"capture        {self.options.capture}: {len(samples)} samples of end {self.end.label}, {before / 1e6:.2f} us before the "
              f"trigger and {behind / 1e6:.2f} us behind it")
        return {"file": self.options.capture, "end": self.end.label, "samples": len(samples), "period_ps": period,
                "trigger_ps": before, "end_ps": before + behind, "full": state == "FULL"}

    def samples(self):
        """[(cycle, signals)] from cycle 0 on, and which one triggered."""
        status, position = self.read("STATUS"), self.read("POSITION")
        newest, at = self.field("POSITION", "NEXT", position), self.field("POSITION", "TRIGGER", position)
        wrapped = self.field("STATUS", "WRAPPED", status)
        oldest, count = (newest, self.places) if wrapped else (0, newest)
        trigger = (at - oldest) % self.places
        first = 0 if self.options.capture_before is None else max(0, trigger - self.options.capture_before)
        words = -(-(self.signals["width"] + self.time_bits) // 32)
        out, cycle, last = [], 0, None
        for i in range(first, count):
            if sys.stderr.isatty():
                print(f"\r{i - first:6} of {count - first} samples", end="", file=sys.stderr, flush=True)
            self.write("SAMPLE", (oldest + i) % self.places)
            sample = sum(self.read(f"DATA{word}") << 32 * word for word in range(words))
            now = sample >> self.signals["width"]
            # two samples are 1 to 2^time_bits cycles apart
            cycle += 0 if last is None else (now - last - 1) % (1 << self.time_bits) + 1
            last = now
            out.append((cycle, sample & ((1 << self.signals["width"]) - 1)))
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        return out, trigger - first


def write_vcd(path, end, signals, samples, trigger, period):
    """A VCD with the signals of an end, and `trigger`, a pulse of a cycle; `period` in ps."""
    codes = {s["name"]: chr(ord("!") + i) for i, s in enumerate(signals)}
    mark = chr(ord("!") + len(signals))
    lines = ["$version hypertorus board: signals captured on the chip $end", "$timescale 1 ps $end"]
    scopes = [end.board.name, *(f"end_{part}" if part.isalpha() else f"board_{part}" for part in end.label.split("."))]
    lines += [f"$scope module {scope} $end" for scope in scopes]
    for s in signals:
        places = f" [{s['bits'] - 1}:0]" if s["bits"] > 1 else ""
        lines.append(f"$var wire {s['bits']} {codes[s['name']]} {s['name']}{places} $end")
    lines += [f"$var wire 1 {mark} trigger $end", *["$upscope $end"] * len(scopes), "$enddefinitions $end"]

    def value_of(signal, sample):
        bits = f"{sample >> signal['low'] & ((1 << signal['bits']) - 1):0{signal['bits']}b}"
        return f"b{bits} {codes[signal['name']]}" if signal["bits"] > 1 else bits + codes[signal["name"]]

    shown, marked_until = {}, None
    for i, (cycle, sample) in enumerate(samples):
        if marked_until is not None and marked_until < cycle:
            lines += [f"#{marked_until * period}", f"0{mark}"]
            marked_until = None
        now = {s["name"]: value_of(s, sample) for s in signals}
        changes = [text for name, text in now.items() if shown.get(name) != text]
        shown = now
        if marked_until == cycle:
            changes.append(f"0{mark}")
            marked_until = None
        if i == 0:
            changes.append(f"{int(trigger == 0)}{mark}")
        elif i == trigger:
            changes.append(f"1{mark}")
        if i == trigger:
            marked_until = cycle + 1
        lines += [f"#{cycle * period}", *(["$dumpvars", *changes, "$end"] if i == 0 else changes)]
    lines.append(f"#{(samples[-1][0] + 1) * period}")
    if marked_until is not None:
        lines.append(f"0{mark}")
    try:
        pathlib.Path(path).write_text("\n".join(lines) + "\n", encoding="ascii")
    except OSError as error:
        raise BoardError(UNWRITTEN, f"cannot write {path}: {error.strerror}") from None
