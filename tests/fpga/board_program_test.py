#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program at the other end of a board's serial line (fpga/common/board.py), with boards that are simulated, and with
one that is made up, whose counters say what no good board's do: board_program_test.py BOARD_HX8K
BOARD_HX8K_QPACE BOARD_ULX3S BOARD_ULX3S_QPACE BOARD_PYNQ_Z2"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import types

from desk import FOLDER, JSON, PROGRAM, MadeUp, Simulated, run, start

sys.path.insert(0, str(PROGRAM.parent))
import board as board_module    # noqa: E402  (fpga/common)
import tools    # noqa: E402

HX8K, HX8K_QPACE, ULX3S, ULX3S_QPACE, PYNQ_Z2 = sys.argv[1:6]
class Exchange:
    """A bit error test that runs, with the terminal that it tells its progress; made, words pass already."""

    def __init__(self, *arguments, **more):
        self.terminal, theirs = os.openpty()
        self.process = start(*arguments, errors=theirs, **more)
        os.close(theirs)
        self.told = b""
        while b" s" not in self.told:
            self.told += os.read(self.terminal, 1000)

    def end(self):
        """Its exit code, and the lines on its terminal, progress left out."""
        out, _ = self.process.communicate(timeout=60)
        try:
            while more := os.read(self.terminal, 1000):
                self.told += more
        except OSError:      # it has closed its side
            pass
        os.close(self.terminal)
        lines = [line.split("\r")[-1].removeprefix("\033[K") for line in self.told.decode().replace("\r\n", "\n").split("\n")]
        return self.process.returncode, out, [line for line in lines if line]


def tested(enough, *words):
    """What a test prints and writes that is long enough on this computer: how many words a second it simulates is its own
    business."""
    for seconds in (0.5, 2, 8, 32):
        out, _, document = run(*words, "--test", str(seconds))
        if all(map(enough, document["test"])):
            return out, document
    raise AssertionError(f"too little in {seconds} s: {document['test']}")


def one_simulated_board():
    with Simulated(1, HX8K) as desk:
        port = ("--port", desk.ports[0])
        out, _, document = run(*port)
        assert out.count("DOWN") == 2 and document["ends"]["A"]["SENT"] == 0
        out, _, document = run(*port, "--write", "2=0xdeadbeef", "--read", "2", "--read", "0", "--read", "A.STATUS")
        assert document["read"] == {"2": 0xDEADBEEF, "0": 0x48545142, "A.STATUS": document["read"]["A.STATUS"]}
        out, document = tested(lambda row: row["checked"] > 500, *port)
        assert "all words came once" in out
        for row in document["test"]:
            assert row["wrong"] == row["damaged"] == row["injected"] == 0
            assert row["bits"] == 72 * row["checked"] and 2.99 < row["below"] * row["bits"] < 3.0
        out, document = tested(lambda row: row["injected"] > 5 and row["damaged"] > 0 and row["resent"] > 0, *port, "--inject", "2003")
        for row in document["test"]:
            assert row["wrong"] == 0 and row["below"] is None
        # A second program finds the port busy, and the first goes on.
        first = start(*port, "--test", "2")
        time.sleep(0.7)
        assert "another program has it open" in run(*port, code=13)[1]
        assert first.wait(timeout=30) == 0
        out, err, _ = run(*port, "--read", "3", code=5)
        assert "register 3:" in err


def a_board_of_one_end():
    """Its link is looped inside of it: it is its own partner."""
    with Simulated(1, HX8K_QPACE) as desk:
        port = ("--port", desk.ports[0], "--board", "hx8k_qpace")
        out, _, document = run(*port)
        assert out.count("DOWN") == 1 and list(document["ends"]) == ["A"]
        out, document = tested(lambda row: row["checked"] > 300, *port)
        assert "all packets came once" in out and document["test"][0]["damaged"] == 0
        out, document = tested(lambda row: row["injected"] > 5 and row["resent"] > 0, *port, "--inject", "20000")
        assert document["test"][0]["wrong"] == 0
        assert "at the most" in run(*port, "--test", "1", "--inject", "2000", code=2)[1]
        # no signals are captured there
        assert run(*port, "--test", "1", "--capture", os.devnull, code=7)[1]


def a_board_of_six_ends():
    with Simulated(1, ULX3S) as desk:
        port = ("--port", desk.ports[0], "--board", "ulx3s")
        out, _, document = run(*port)
        assert out.count("DOWN") == 6 and list(document["ends"]) == list("ABCDEF")
        out, document = tested(lambda row: row["checked"] > 100 and row["injected"] > 0, *port, "--inject", "2003")
        assert "all words came once" in out and [row["end"] for row in document["test"]] == list("ABCDEF")
        assert all(row["wrong"] == 0 for row in document["test"])
        assert "--board ulx3s says so" in run("--port", desk.ports[0], code=15)[1]
    # Each end of one board to the same one of the other.
    with Simulated(2, ULX3S) as desk:
        ports = [w for port in desk.ports for w in ("--port", port)]
        _, _, document = run(*ports, "--board", "ulx3s", "--both", "--test", "0.5")
        assert [row["end"] for row in document["test"]] == [f"{n}.{end}" for n in (1, 2) for end in "ABCDEF"]


def a_board_with_a_node():
    with Simulated(1, ULX3S_QPACE) as desk:
        port = ("--port", desk.ports[0], "--board", "ulx3s_qpace")
        out, _, document = run(*port, "--write", "node.SCRATCH=0xdeadbeef", "--read", "node.9", "--read", "node.ID")
        assert document["read"] == {"node.9": 0xDEADBEEF, "node.ID": 0x51504E57}, document
        assert "a number up to 0xfff" in run(*port, "--read", "node.0x1000", code=2)[1]
        assert "register node.0xA:" in run(*port, "--read", "node.0xA", code=5)[1]
        assert "every 512th bit" in run(*port, "--test", "0.1", "--inject", "511", code=2)[1]
        out, document = tested(lambda row: row["checked"] > 20 and row["injected"] > 0 and row["resent"] > 0, *port, "--inject", "20003")
        assert "all packets came once" in out and [row["end"] for row in document["test"]] == list("ABCDEF")
        assert all(row["wrong"] == 0 for row in document["test"])
        # Credits of a channel of D taken away.
        _, err, document = run(*port, "--write", "node.0x1DF=1", "--test", "2", code=4)
        assert "of end D are still not" in err and len(document["test"]) == 6 and "of end D are still not" in document["verdict"]
    # Of two boards the cabled end, and with --both those that are looped inside, too.
    with Simulated(2, ULX3S_QPACE) as desk:
        ports = [w for port in desk.ports for w in ("--port", port)]
        _, _, document = run(*ports, "--board", "ulx3s_qpace", "--test", "0.5")
        assert [row["end"] for row in document["test"]] == ["1.A", "2.A"]
        _, _, document = run(*ports, "--board", "ulx3s_qpace", "--both", "--test", "0.5")
        assert [row["end"] for row in document["test"]] == [f"{n}.{end}" for n in (1, 2) for end in "ABCDEF"]


def boards_with_processors():
    ring = ("--simulate", "pynq_z2", "--simulator", PYNQ_Z2)
    out, _, document = run(*ring, "--boards", "3", "--delay", "60", "--test", "0.2")
    assert "all messages and sums were right" in out and [n["node"] for n in document["test"]] == [0, 1, 2]
    assert all(n["messages"] > 0 and link["sent"] > 0 for n in document["test"] for link in n["links"])
    assert "--test SECONDS" in run(*ring, code=2)[1]
    assert "2 to 8" in run(*ring, "--boards", "9", "--test", "1", code=2)[1]
    assert "on its own processor" in run("--port", "/dev/null", "--board", "pynq_z2", "--test", "1", code=2)[1]
    # What nodes say is looked at: a program that says what no good ring does.
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as made_up:
        link = {"link": "+x", "sent": 5, "accepted": 5, "resent": 0, "damaged": 0, "retrains": 0, "tx_checksum": 1, "rx_checksum": 1}
        nodes = [{"node": i, "rounds": 1, "messages": 2, "bytes": 16, "wrong": 0, "links": [dict(link), dict(link)]} for i in (0, 1)]
        for spoilt, said in ((lambda: nodes[1].update(wrong=1), "1 messages or sums were wrong"),
                             (lambda: nodes[0]["links"][1].update(accepted=4), "5 packets sent, 4 accepted"),
                             (lambda: nodes[1]["links"][0].update(rx_checksum=9), "checksums of both ends differ")):
            spoilt()
            text = "\n".join(map(json.dumps, nodes))
            pathlib.Path(made_up.name).write_text(f"#!/usr/bin/env python3\nprint({text!r})\n")
            os.chmod(made_up.name, 0o755)
            made_up.close()
            assert said in run("--simulate", "pynq_z2", "--simulator", made_up.name, "--test", "1", code=1)[0]
    os.unlink(made_up.name)


def two_boards_that_are_not_cabled():
    with Simulated(1, ULX3S_QPACE) as one, Simulated(1, ULX3S_QPACE) as other:
        ports = ("--port", one.ports[0], "--port", other.ports[0], "--board", "ulx3s_qpace")
        assert "end 1.A hears board 1, not 2" in run(*ports, "--test", "0.3", code=4)[1]
    with Simulated(1, HX8K) as one, Simulated(1, HX8K) as other:
        assert "end 1.A hears another end" in run("--port", one.ports[0], "--port", other.ports[0], "--both", "--test", "0.3", code=4)[1]


def two_boards_cabled_and_unplugged():
    with Simulated(2, HX8K) as desk:
        ports = [w for port in desk.ports for w in ("--port", port)]
        _, _, document = run(*ports, "--both", "--test", "0.5")
        assert [row["end"] for row in document["test"]] == ["1.A", "1.B", "2.A", "2.B"]
        running = Exchange(*ports, "--test", "3")
        desk.say("unplug")
        time.sleep(0.7)
        desk.say("plug")
        code, out, told = running.end()
        document = json.loads(JSON.read_text())
        # Words are sent again and none is lost, but a cable that is tested is not good if it was out.
        assert code == 1 and "all words came once" in document["verdict"], (out, told)
        assert out.count(" while it was up: bit errors below ") == 2, out
        for row in document["test"]:
            assert row["retrains"] > 0 and row["wrong"] == 0 and 0 < row["up"] < 1 and 0 < row["bits"] <= 72 * (row["checked"] + 30), row
            assert any(f.startswith(f"end {row['end']}: the link trained anew ") and "was seen up for " in f for f in document["faults"])
        desk.say("unplug")
        assert "are the ends cabled?" in run(*ports, "--test", "1", code=4)[1]
        desk.say("plug")
        # Interrupted while it is out: what was not acknowledged is said as well.
        running = Exchange(*ports, "--test", "100")
        desk.say("unplug")
        time.sleep(0.5)
        running.process.terminate()
        code, out, told = running.end()
        document = json.loads(JSON.read_text())
        assert code == 130 and "of end 1.A, 2.A are still not acknowledged" in document["verdict"], (code, out, told)
        assert document["error"].startswith("interrupted after ") and all(row["up"] < 1 for row in document["test"]), document
        desk.say("plug")
        run(*ports, "--test", "0.5")
        # The desk is cleared in the middle of a test.
        running = Exchange(*ports, "--test", "30")
        desk.process.kill()
        code, out, told = running.end()
        assert code == 14 and len(told) == 1 and told[0].startswith("hypertorus: "), (code, out, told)


def a_link_that_injected_errors_take_down():
    """Words that were sent again all came, but hardly one while bits were flipped: no rate, and no good verdict."""
    with Simulated(1, HX8K) as desk:
        out, _, document = run("--port", desk.ports[0], "--test", "0.03", "--inject", "7", code=1)
        for row in document["test"]:
            assert row["injected"] > 0 and row["wrong"] == 0 and row["retrains"] > 0 and row["up"] == 0.0, row
            assert row["bits"] == 0 and row["damaged_per_bit"] is row["below"] is None
        assert [f.partition(": ")[0] for f in document["faults"]] == ["end A", "end B"] and "0.0%  -\n" in out, (document, out)


def answers_that_are_late():
    """None is taken for that to another request, however many requests were repeated meanwhile."""
    for seconds in (0.7, 1.8):
        for request in (1, 2, 3, 4):
            board = MadeUp(late={request: seconds, request + 3: seconds})
            board.registers[0x4b] = 5
            read = run("--port", board.port, "--read", "0", "--read", "1", "--read", "A.STATUS", "--read", "A.INJECTED")[2]["read"]
            assert read == {"0": 0x48545142, "1": board.registers[1], "A.STATUS": 0x12, "A.INJECTED": 5}, (seconds, request, read)


def how_long_a_link_was_up():
    """Looks of an end that is made up, and its own partner: what of its bits and errors counts."""
    end = board_module.End("A", types.SimpleNamespace(about={"word_bits": 10}), "A", 1)
    end.read, end.state = lambda counter: now[counter], lambda: state
    for looks, words, damaged, up in (
            # (state, words, damaged, trainings) since the look before
            ([("UP", 5, 1, 0), ("UP", 6, 0, 0)], 11, 1, 1),
            # beside a training nothing counts, before it and after it
            ([("UP", 5, 1, 0), ("UP", 6, 2, 0), ("UP", 7, 4, 1), ("UP", 8, 8, 0), ("UP", 9, 16, 0)], 14, 17, 4 / 5),
            ([("UP", 5, 1, 0), ("TRAIN", 6, 2, 1), ("TRAIN", 0, 4, 0), ("UP", 7, 8, 0)], 0, 0, 1 / 4),
            ([("TRAIN", 1, 1, 1)], 0, 0, 0), ([("DOWN", 1, 1, 0)], 0, 0, 0)):
        now, state = dict.fromkeys(board_module.Totals.COUNTERS, (1 << 32) - 3), "UP"     # they go round
        totals = {end: board_module.Totals(end)}
        for state, more, errors, trainings in looks:
            for counter, count in (("CHECKED", more), ("DAMAGED", errors), ("RETRAINS", trainings)):
                now[counter] = (now[counter] + count) % (1 << 32)
            board_module.look(totals, 0.25)
        totals[end].settle()
        row = totals[end].row()
        assert (row["bits"], row["damaged_while_up"], row["up"]) == (10 * words, damaged, up), (looks, row)
        assert row["checked"] == sum(l[1] for l in looks) and row["damaged"] == sum(l[2] for l in looks)
        outages = list(board_module.outages_of(totals[end], row))
        assert len(outages) == (up < 1) + (looks[0][0] == "DOWN"), outages
    # A bound from above is not rounded down, and what is not all is not 100 %.
    assert [board_module.rounded_up(b) for b in (1.547e-6, 9.96e-7, 0.5)] == ["1.6e-06", "1.0e-06", "5.0e-01"]
    assert [board_module.percent(p) for p in (1, 0.99999, 0)] == ["100.0%", "99.9%", "0.0%"]
    row = {"retrains": 0, "up": 1, "damaged_per_bit": 0, "below": 1.547e-6}
    assert board_module.rate_of(row) == "none: bit errors below 1.6e-06, 95% confidence"


def interrupted():
    with Simulated(1, HX8K) as desk:
        port = ("--port", desk.ports[0])
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            running = Exchange(*port, "--test", "100")
            time.sleep(0.3)
            for _ in range(2):     # `timeout` sends two: to the process and to its group
                running.process.send_signal(number)
                time.sleep(0.05)
            code, out, told = running.end()
            document = json.loads(JSON.read_text())
            assert code == document["exit_code"] == 130, (number, code, out, told)
            assert told == [f"hypertorus: {document['error']}"] and document["error"].startswith("interrupted after "), told
            assert f"verdict        {document['error']}: all words came once" in out and document["verdict"] in out
            assert len(document["test"]) == 2 and all(row["checked"] > 0 and row["wrong"] == 0 for row in document["test"])
            assert document["faults"] == [] and 0 < document["seconds"] < 90
        # The terminal is gone.
        ours, theirs = os.openpty()
        JSON.unlink()
        process = subprocess.Popen([PROGRAM, *port, "--test", "100", "--json", JSON], stdout=theirs, stderr=theirs)
        os.close(theirs)
        os.read(ours, 1)
        os.close(ours)
        process.send_signal(signal.SIGHUP)
        assert process.wait(timeout=60) == 130
        document = json.loads(JSON.read_text())
        assert document["exit_code"] == 130 and document["error"].startswith("interrupted") and len(document["test"]) == 2, document
        # Under nohup it goes on.
        running = subprocess.Popen(["nohup", PROGRAM, *port, "--test", "1", "--json", JSON], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.7)
        running.send_signal(signal.SIGHUP)
        assert running.wait(timeout=60) == 0
        # That is how this ends.
        running = start(*port, "--watch")
        while not running.stdout.readline().startswith("INJECTED"):
            pass
        running.send_signal(signal.SIGHUP)
        running.communicate(timeout=60)
        assert running.returncode == 0 and json.loads(JSON.read_text())["error"] is None
    # The board is gone: what was counted until then is kept, and nothing said of the rest.
    with Simulated(1, HX8K) as desk:
        running = Exchange("--port", desk.ports[0], "--test", "100")
        time.sleep(1.5)
        desk.process.kill()
        code, out, told = running.end()
        document = json.loads(JSON.read_text())
        assert code == document["exit_code"] == 14 and told == [f"hypertorus: {document['error']}"], (code, out, told)
        assert document["error"].startswith(f"{desk.ports[0]} is gone: ") and " is gone: (" not in document["error"], told
        assert len(document["test"]) == 2 and all(row["checked"] > 0 for row in document["test"]) and 0 < document["seconds"] < 90
        assert f"verdict        {document['verdict']}" in out and "is not known" in document["verdict"] and "came once" not in out
    # A terminal's Ctrl-C is for all of its processes, and the simulated board is still asked for its counts.
    running = Exchange("--simulate", "hx8k", "--simulator", HX8K, "--test", "100", start_new_session=True)
    os.killpg(running.process.pid, signal.SIGINT)
    code, out, told = running.end()
    assert code == 130 and told[0].startswith("hypertorus: interrupted after ") and len(json.loads(JSON.read_text())["test"]) == 2, (out, told)
    # Behind the last word, of which this board hears nothing.
    board = MadeUp()
    board.registers[0x41] |= 4
    running = start("--port", board.port, "--test", "0.1")
    while board.registers[0x44] == 0 or board.registers[0x40] != 1:
        time.sleep(0.02)
    running.terminate()
    running.communicate(timeout=60)
    document = json.loads(JSON.read_text())
    assert running.returncode == 130 and document["error"] == "interrupted" and len(document["test"]) == 2, document
    # Before there is something to count.
    board = MadeUp()
    board.registers[0x41] = 1
    running = start("--port", board.port, "--test", "1")
    while board.registers[0x40] != 1:
        time.sleep(0.02)
    running.terminate()
    out, err = running.communicate(timeout=60)
    document = json.loads(JSON.read_text())
    assert (running.returncode, out, err, document["error"]) == (130, "", "hypertorus: interrupted\n", "interrupted") and "test" not in document


def documents_that_cannot_be_written():
    """Found before the board is asked."""
    board = MadeUp()
    for path in ("/no/such/folder/a.json", "/dev/full", FOLDER.name):
        done = subprocess.run([PROGRAM, "--port", board.port, "--test", "30", "--json", path], capture_output=True, text=True, timeout=20)
        assert done.returncode == 3 and f"cannot write {path}" in done.stderr and len(done.stderr.splitlines()) == 1, done
        assert board.registers[0x40] == board.registers[0x80] == 0
    # To try changes nothing.
    file, link, fifo = (pathlib.Path(FOLDER.name) / name for name in ("kept.json", "link.json", "fifo.json"))
    link.symlink_to(file)
    os.mkfifo(fifo)
    for path in (file, link, fifo):
        tools.try_to_write(path)
    assert not file.exists() and link.is_symlink() and fifo.exists()
    file.write_text("{}")
    tools.try_to_write(link)
    assert file.read_text() == "{}"


def documents_are_as_others():
    """Those of the simulator: docs/json.md."""
    board = MadeUp()
    document = run("--port", board.port, "--test", "0.1")[2]
    assert list(document)[:5] == ["schema_version", "version", "subcommand", "exit_code", "error"], document
    assert (document["schema_version"], document["subcommand"], document["error"]) == (1, "board", None)
    version = subprocess.run([pathlib.Path(HX8K).with_name("hypertorus"), "--version"], capture_output=True, text=True, check=True)
    assert document["version"] in version.stdout.split(), (document, version)
    command = [PROGRAM, "--port", board.port, "--read", "A.STATUS", "--json"]
    file, link = (pathlib.Path(FOLDER.name) / name for name in ("notes.txt", "linked.json"))
    # an older document and an empty file give way to a new one, nothing else does
    for before, replaced in (("what a program needs\n", False), ("[1]", False), ("{}", False), ("", True), ('\n{ "schema_version":1}', True)):
        file.write_text(before)
        file.chmod(0o640)
        done = subprocess.run([*command, file], capture_output=True, text=True, timeout=20)
        assert file.stat().st_mode & 0o777 == 0o640
        if replaced:
            assert done.returncode == 0 and json.loads(file.read_text())["read"] == {"A.STATUS": 2 | 1 << 4}, done
        else:
            assert (done.returncode, done.stdout, file.read_text()) == (3, "", before), done
            assert done.stderr == (f"hypertorus: --json {file}: the file is there and is no document that --json wrote; "
                                   "name another one, or remove it\n"), done
    link.symlink_to(file)
    done = subprocess.run([*command, link], capture_output=True, text=True, timeout=20)
    assert link.is_symlink() and done.returncode == 0 and json.loads(file.read_text())["exit_code"] == 0
    done = subprocess.run([*command, "-"], capture_output=True, text=True, timeout=20)
    assert json.loads(done.stdout[done.stdout.index("{"):])["exit_code"] == 0, done
    assert not list(pathlib.Path(FOLDER.name).glob(".hypertorus.*"))


def bad_boards_and_arguments():
    # 50 words of 72 bits: 3 / 3600 and a little less, which is not to be rounded down
    assert "none: bit errors below 8.4e-04, 95% confidence\n" in run("--port", MadeUp().port, "--test", "0.1")[0]
    assert "1 words were not the next" in run("--port", MadeUp(wrong=1).port, "--test", "0.1", code=1)[2]["faults"][0]
    assert "99 words came of 100" in run("--port", MadeUp(lost=1).port, "--test", "0.1", code=1)[0]
    assert "hears another end than A" in run("--port", MadeUp(hears=1).port, "--test", "0.1", code=4)[1]
    assert "end A: the link went DOWN" in run("--port", MadeUp(goes_down=True).port, "--test", "0.1", code=1)[0]
    assert "end A: the link trained anew once and" in run("--port", MadeUp(retrains=1).port, "--test", "0.1", code=1)[0]
    assert "checksum 00000007" in run("--port", MadeUp(checksum=7).port, "--test", "0.1", code=1)[0]
    assert "register 0 reads 12345678" in run("--port", MadeUp(identity=0x12345678).port, code=15)[1]
    assert "sources 00000005" in run("--port", MadeUp(sources=5).port, code=15)[1]
    run("--port", MadeUp(sources=5).port, "--any-sources")
    silent, _ = os.openpty()
    assert "no answer" in run("--port", os.ttyname(_), code=14)[1]
    assert "/dev/null is no serial line" in run("--port", "/dev/null", code=13)[1]
    assert "cannot open" in run("--port", "/dev/no-such-port", code=13)[1]
    assert "did you mean hx8k?" in run("--simulate", "hx8", code=2)[1]
    for words in (("--test", "0"), ("--boards", "2"), ("--inject", "-1"), ("--inject", "7"), ("--delay", "201"), ("--port", "a", "--port", "b", "--port", "c")):
        run(*(("--simulate", "hx8k") if "--port" not in words else ()), *words, code=2)
    for words in (("--watch", "--test", "1"), ("--both",), ("--board", "hx8k"), ("--capture-wait", "5"),
                  ("--capture", JSON)):
        run("--simulate", "hx8k", *words, code=2)
    one, other = MadeUp(), MadeUp()
    for words in (("--port", one.port, "--port", one.port), ("--port", one.port, "--delay", "5")):
        run(*words, code=2)
    two = ("--port", one.port, "--port", other.port)
    other.registers[0x4b] = 7
    assert run(*two, "--read", "1.A.INJECTED", "--read", "2.A.INJECTED")[2]["read"] == {"1.A.INJECTED": 0, "2.A.INJECTED": 7}
    assert "of which board? 1.A.STATUS or 2.A.STATUS" in run(*two, "--read", "A.STATUS", code=2)[1]
    run(*two, "--write", "2.A.INJECT_PERIOD=9")
    assert (one.registers[0x4a], other.registers[0x4a]) == (0, 9)
    port = MadeUp().port
    assert "the register has the bits 0xffffff" in run("--port", port, "--write", "A.INJECT_PERIOD=0x1000000", code=2)[1]
    assert "no register A.NONE" in run("--port", port, "--read", "A.NONE", code=2)[1]
    assert "--write A.CONTROL" in run("--port", port, "--write", "A.CONTROL", code=2)[1]


def main():
    if subprocess.run(["/usr/bin/python3", "-c", "import serial"], stderr=subprocess.DEVNULL).returncode != 0:
        print("SKIPPED: python3-serial is not installed")
        return 10
    one_simulated_board()
    a_board_of_one_end()
    a_board_of_six_ends()
    a_board_with_a_node()
    boards_with_processors()
    two_boards_that_are_not_cabled()
    two_boards_cabled_and_unplugged()
    a_link_that_injected_errors_take_down()
    answers_that_are_late()
    how_long_a_link_was_up()
    interrupted()
    documents_that_cannot_be_written()
    documents_are_as_others()
    bad_boards_and_arguments()
    print("the board's program: all good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
