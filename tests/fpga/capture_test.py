#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals captured on boards that are simulated (fpga/common/capture.py): the VCD is compared with what is known without it:
how far injected errors lie apart, the sequence of the testers' words, the boards' counters.

    capture_test.py ends BOARD_ULX3S            ends of links on two clocks, and all that is refused
    capture_test.py unplugged BOARD_ULX3S       a link that does not come up
    capture_test.py node BOARD_ULX3S_QPACE      two boards with a node each
"""
import argparse
import bisect
import pathlib
import shutil
import subprocess
import sys
import types

from desk import FOLDER, PROGRAM, MadeUp, Simulated, run

sys.path.insert(0, str(PROGRAM.parent))
import build    # noqa: E402  (fpga/common)
import capture as capture_module    # noqa: E402
from tools import BoardError    # noqa: E402

PART, SIMULATOR = sys.argv[1:3]
VCD = pathlib.Path(FOLDER.name) / "signals.vcd"
TAPS = 0xA3000000     # of the testers' sequence, x^32 + x^30 + x^26 + x^25 + 1


class Waves:
    """A VCD's signals: of each its path, and its values from time to time."""

    def __init__(self, path, period):
        self.values, self.paths, codes, scopes, now = {}, {}, {}, [], None
        for line in path.read_text().splitlines():
            words = line.split()
            if not words or line[0].isspace() or len(words) == 1 and words[0][0] == "$":
                continue     # texts of headers, as fst2vcd writes them
            if words[0] == "$timescale":
                assert words[1:3] == ["1", "ps"], line
            elif words[0] == "$scope":
                scopes.append(words[2])
            elif words[0] == "$upscope":
                scopes.pop()
            elif words[0] == "$var":
                codes[words[3]] = words[4]
                self.values[words[4]] = {}
                self.paths[words[4]] = ".".join(scopes)
            elif line[0] == "#":
                assert int(line[1:]) % period == 0 and (now is None or int(line[1:]) // period > now), line
                now = int(line[1:]) // period
            elif line[0] == "b":
                self.values[codes[words[1]]][now] = int(words[0][1:], 2)
            elif line[0] in "01":
                self.values[codes[line[1:]]][now] = int(line[0])
        assert not scopes and all(0 in v for v in self.values.values()), "not all signals have a value at first"
        self.end = now

    def at(self, signal, cycle):
        times = list(self.values[signal])
        return self.values[signal][times[bisect.bisect_right(times, cycle) - 1]]

    def cycles(self, signal):
        """In which it is 1."""
        changes = list(self.values[signal].items())
        ends = [t for t, _ in changes[1:]] + [self.end]
        return [t for (begin, value), end in zip(changes, ends) if value for t in range(begin, end)]


def capture(*words, period=20000, code=0):
    """Waves, what was printed, and the document's part; the file's name is none that it had before."""
    VCD.unlink(missing_ok=True)
    out, err, document = run(*words, "--capture", VCD, code=code)
    if code:
        return err
    return Waves(VCD, period), out, document["capture"]


def step(state):
    return state >> 1 ^ (TAPS if state & 1 else 0)


def follow(waves, valid, data, least):
    """Words that are a sequence, each the next one of the one before."""
    words = [waves.at(data, t) for t in waves.cycles(valid)]
    assert len(words) >= least, (valid, len(words))
    assert all(b == step(a) for a, b in zip(words, words[1:])), (valid, [f"{w:08x}" for w in words])


def ends_of_links():
    with Simulated(1, SIMULATOR) as desk:
        port = ("--port", desk.ports[0], "--board", "ulx3s")
        # Bits are flipped at known distances, far enough from one another for links to stay up. A's own words, and those that
        # come, are the next ones of their sequences.
        waves, out, document = capture(*port, "--test", "0.3", "--inject", "1009", "--trigger", "A.flipped=1", "--capture-before", "3",
                                       "--capture-after", "200")
        assert document["end"] == "A" and document["samples"] <= 204 and document["full"], document
        assert "before the trigger" in out and waves.paths["state"] == "ulx3s.end_A"
        flips = waves.cycles("flipped")
        assert len(flips) > 1 and all(b - a == 1009 for a, b in zip(flips, flips[1:])), flips
        assert waves.cycles("trigger") == [document["trigger_ps"] // 20000] and waves.cycles("trigger")[0] in flips
        assert waves.end * 20000 == document["end_ps"] + 20000
        assert waves.at("state", flips[0]) == 2 and not waves.cycles("wrong")
        assert all(waves.at("tx_valid", t) for t in waves.cycles("tx_ready"))
        follow(waves, "tx_ready", "tx_data", 3)
        # What the other end flips is damage here, in the very cycle that triggers.
        waves, _, _ = capture(*port, "--test", "0.3", "--inject", "1009", "--trigger", "A.parity_error=1", "--capture-before", "1",
                              "--capture-after", "1")
        assert waves.cycles("trigger") == waves.cycles("parity_error")[:1]
        # Without damage words come, too. Ends of the other clock: from one state into the other.
        waves, _, _ = capture(*port, "--test", "0.3", "--trigger", "D.tx_ready=1", "--capture-before", "5",
                              "--capture-after", "40")
        assert waves.paths["state"] == "ulx3s.end_D"
        follow(waves, "rx_valid", "rx_data", 2)
        follow(waves, "tx_ready", "tx_data", 3)
        assert not [s for s in ("header_error", "parity_error", "resent", "flipped", "wrong") if waves.cycles(s)]
        waves, _, _ = capture(*port, "--write", "A.CONTROL=0", "--write", "B.CONTROL=0", "--test", "0.2", "--trigger", "B.state=UP",
                              "--trigger", "B.state", "--capture-before", "3", "--capture-after", "5")
        at = waves.cycles("trigger")[0]
        assert (waves.at("state", at - 1), waves.at("state", at)) == (1, 2) and waves.at("state", 0) != 2
        # Each end is the one that it says. At once, and nothing behind it.
        run(*port, "--write", "E.CONTROL=0", "--write", "F.CONTROL=0", "--read", "E.STATUS")
        for end in "DEF":
            waves, _, document = capture(*port, "--capture-end", end, "--capture-after", "0")
            assert (document["samples"], document["trigger_ps"]) == (1, 0) and waves.paths["state"] == f"ulx3s.end_{end}"
            assert waves.at("state", 0) == (0 if end in "EF" else 2), end
        assert "did not come to end A in 0.3 s" in capture(*port, "--trigger", "memory=1", "--capture-wait", "0.3", code=6)
        assert not VCD.exists()
        assert "during the test" in capture(*port, "--trigger", "memory=1", "--test", "0.1", code=6)
        # A trigger that came, and quiet signals behind it: what there is.
        waves, _, document = capture(*port, "--capture-end", "E", "--capture-wait", "0.2")
        assert not document["full"] and waves.cycles("trigger") == [0]
        refusals(port)


def a_link_that_does_not_come_up():
    """It is what one wants to look at."""
    with Simulated(1, SIMULATOR) as desk:
        desk.say("unplug")
        assert "are the ends cabled?" in capture("--port", desk.ports[0], "--board", "ulx3s", "--test", "1", "--trigger", "A.state=TRAIN",
                                                 "--capture-after", "3", code=4)
        waves = Waves(VCD, 20000)
        assert [waves.at("state", t) for t in waves.cycles("trigger")] == [1] and waves.paths["state"] == "ulx3s.end_A"


def refused(*words):
    """What the program says of options before it asks a board; its code is that of wrong usage."""
    parser = argparse.ArgumentParser()
    capture_module.add_options(parser)
    options = parser.parse_args(words, argparse.Namespace(watch=False))
    board = types.SimpleNamespace(about=build.load("ulx3s"))
    ends = [types.SimpleNamespace(label=end, end=end, board=board) for end in board.about["ends"]]
    try:
        capture_module.check_options(options)
        capture_module.Capture(ends, options)
    except BoardError as error:
        assert error.code == 2, (words, error)
        return str(error)
    raise AssertionError(words)


def refusals(port):
    file = ("--capture", str(VCD))
    for words, said in ((("--trigger", "xyz=1"), "there are state, outstanding"),
                        (("--trigger", "state=4"), "0 to 0x3 or DOWN or TRAIN or UP"),
                        (("--trigger", "state=-1"), "0 to 0x3"), (("--trigger", "state=1", "--trigger", "state=2"), "two values"),
                        (("--trigger", "G.state=1"), "no end G"), (("--trigger", "A.state", "--trigger", "B.state"), "one end"),
                        (("--capture-end", "G"), "no end G"), (("--capture-before", "-1"), "0 samples or more"),
                        (("--capture-wait", "0"), "more than 0 seconds")):
        assert said in refused(*file, *words), words
    for words in (("--trigger", "state=UP"), ("--capture-end", "A"), ("--capture-after", "0"), ("--capture-before", "0")):
        assert "--capture FILE.vcd" in refused(*words)
    for words, said in ((("--trigger", "A.stat=UP"), "did you mean state?"), (("--capture-after", "512"), "512 samples"),
                        (("--watch",), "do not go together")):
        assert said in capture(*port, *words, code=2), words
    for path in ("/no/such/folder/a.vcd", "/dev/full"):
        assert f"cannot write {path}" in run(*port, "--capture", path, "--capture-after", "0", code=3)[1]
    # Boards, and bitstreams, that capture nothing, or something else.
    assert "boards that do: ecpix5" in run("--simulate", "hx8k", "--capture", VCD, code=7)[1]
    assert "--test SECONDS" in run("--simulate", "pynq_z2", "--test", "1", "--capture", VCD, code=2)[1]
    other = MadeUp(identity=0x48545155, sources=5)
    ask = ("--port", other.port, "--board", "ulx3s", "--any-sources", "--capture", VCD)
    assert "captures no signals" in run(*ask, code=7)[1]
    other.registers |= {0x72: 0, 0x73: 1}
    assert "captures other signals" in run(*ask, code=7)[1]


def a_node():
    period = 200000
    with Simulated(2, SIMULATOR) as desk:
        ports = [w for port in desk.ports for w in ("--port", port)]
        waves, _, document = capture(*ports, "--board", "ulx3s_qpace", "--test", "0.5", "--inject", "20003", "--trigger", "2.A.flipped=1",
                                     "--capture-before", "5", "--capture-after", "10", period=period)
        assert document["end"] == "2.A" and waves.paths["tx_data"] == "ulx3s_qpace.board_2.end_A"
        assert waves.cycles("flipped")[0] == document["trigger_ps"] // period == waves.cycles("trigger")[0]
        assert {waves.at(s, 0) for s in ("lanes_up", "deskewed")} == {1}
        # Packets that the link accepts are lines that the tester compares, a little later.
        waves, _, document = capture(*ports, "--board", "ulx3s_qpace", "--test", "0.5", "--trigger", "1.A.accepted=1", "--capture-before",
                                     "0", "--capture-after", "80", period=period)
        accepted = waves.cycles("accepted")
        compared = (waves.at("checked", waves.end) - waves.at("checked", 0)) % 16
        assert len(accepted) > 1 and 0 <= len(accepted) - compared <= 2, (accepted, compared)
        assert waves.at("wrong", waves.end) == waves.at("wrong", 0) and not waves.cycles("rx_error")
        a_viewer_reads_it(period)
        assert "no end 1.B whose signals are captured" in capture(*ports, "--board", "ulx3s_qpace", "--capture-end", "1.B", code=2)


def a_viewer_reads_it(period):
    """The file that was captured last, through GTKWave's own reader and back, where there is one."""
    if shutil.which("vcd2fst") and shutil.which("fst2vcd"):
        fst, back = VCD.with_suffix(".fst"), VCD.with_suffix(".back")
        subprocess.run(["vcd2fst", VCD, fst], capture_output=True, check=True)
        subprocess.run(["fst2vcd", fst, "-o", back], capture_output=True, check=True)
        ours, theirs = Waves(VCD, period), Waves(back, period)
        assert ours.values == theirs.values and ours.paths == theirs.paths


def main():
    if subprocess.run(["/usr/bin/python3", "-c", "import serial"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("SKIPPED: python3-serial is not installed")
        return 10
    {"ends": ends_of_links, "unplugged": a_link_that_does_not_come_up, "node": a_node}[PART]()
    print("captured signals: all good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
