#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_jobs.py over small recordings made by hand: what must be equal, and which changes it must find."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import compare_jobs  # noqa: E402

VCD = """$date
	Sun Nov 22 19:10:06 2026
$end
$timescale
	1ps
$end
$scope module node0 $end
$var wire 1 ! clk $end
$scope module link $end
$var wire 8 " reg_addr [7:0] $end
$upscope $end
$upscope $end
$enddefinitions $end
#1000
0!
b00000000 "
#2000
1!
b00000101 "
"""
RESULT = {"verdict": "bit-exact", "errors": {"lost": 2}, "links": [{"retransmitted": 3}, {"retransmitted": 4}], "wall_seconds": 1.5}


class CompareJobs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.before, self.after = self.folder / "before", self.folder / "after"
        for job, arguments in compare_jobs.JOBS.items():
            at = self.before / job
            at.mkdir(parents=True)
            (at / "result.json").write_text(json.dumps(RESULT))
            (at / "output").write_text("solved\nsimulation     3 us in the machine, 6.17 s here on 1 thread\n")
            (at / "exit").write_text("0\n")
            if "--trace" in arguments:
                (at / "waves.node0.vcd").write_text(VCD)
        shutil.copytree(self.before, self.after)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def change(self, path, old, new):
        text = (self.after / path).read_text()
        self.assertIn(old, text)
        (self.after / path).write_text(text.replace(old, new, 1))

    def compare(self, renames=None):
        arguments = ["compare", self.before, self.after]
        if renames is not None:
            (self.folder / "renames.tsv").write_text(renames)
            arguments += ["--renames", self.folder / "renames.tsv"]
        done = subprocess.run([sys.executable, pathlib.Path(__file__).parent / "compare_jobs.py", *arguments],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def found(self, text, renames=None):
        code, output = self.compare(renames)
        self.assertEqual(code, 1, output)
        self.assertIn(text, output)

    def test_equal(self):
        self.assertEqual(self.compare()[0], 0)

    def test_this_computers_time_and_the_date_are_left_out(self):
        self.change("run-qpace/result.json", "1.5", "2.5")
        self.change("run-qpace/output", "6.17 s here", "16.2 s here")
        self.change("run-qpace/waves.node0.vcd", "19:10:06", "20:11:07")
        self.assertEqual(self.compare()[0], 0)

    def test_a_value_in_json(self):
        self.change("exec/result.json", '"lost": 2', '"lost": 3')
        self.found("exec: result.json: .errors.lost: 2 before, 3 after")

    def test_a_key_more_in_json(self):
        self.change("exec/result.json", '"lost": 2', '"lost": 2, "exchanged": 0')
        self.found("exec: result.json: .errors.exchanged: there after, not before")
        self.assertEqual(self.compare("json\t-\texchanged\n")[0], 0)
        self.found("exec: result.json: .errors.exchanged: there after, not before", "json\t-\tother\n")

    def test_a_key_less_in_json(self):
        self.change("exec/result.json", '"errors": {"lost": 2}', '"errors": {}')
        self.found("exec: result.json: .errors.lost: there before, not after")
        self.assertEqual(self.compare("json\tlost\t-\n")[0], 0)
        self.found("exec: result.json: .errors.lost: there before, not after", "json\t-\tlost\n")

    def test_a_change_in_the_waves(self):
        self.change("run-tofu/waves.node0.vcd", "b00000101", "b00000111")
        self.found("run-tofu: waves.node0.vcd: signal node0.link.reg_addr: b00000101 at 2000 ps before, b00000111 at 2000 ps after")

    def test_a_change_less_in_the_waves(self):
        self.change("run-tofu/waves.node0.vcd", "\n1!", "")
        self.found("signal node0.clk: 1 at 2000 ps before, no more changes after")

    def test_the_output(self):
        self.change("run-qcdoc/output", "solved", "not solved")
        self.found("run-qcdoc: output: 'solved' only before (and 1 more)")

    def test_a_file_that_is_missing(self):
        (self.after / "run-qpace/waves.node0.vcd").unlink()
        self.found("waves.node0.vcd is missing")

    def test_renames(self):
        self.change("run-qpace/waves.node0.vcd", "reg_addr", "reg_address")
        self.change("run-qpace/result.json", '"retransmitted": 3', '"resent": 3')
        self.change("run-qpace/result.json", '"retransmitted": 4', '"resent": 4')
        self.found("there before, not after")
        renames = "# what was unified\nsignal\treg_addr\treg_address\njson\tretransmitted\tresent  # counters\n"
        self.assertEqual(self.compare(renames)[0], 0)
        self.assertEqual(self.compare("signal\tlink.reg_addr\treg_address\njson\tretransmitted\tresent\n")[0], 0)
        self.found("signal node0.link.reg_addr", "signal\tother.reg_addr\treg_address\njson\tretransmitted\tresent\n")

    def test_bad_renames(self):
        code, output = self.compare("signal reg_addr\n")
        self.assertEqual(code, 2, output)
        self.assertIn("renames.tsv:1:", output)
        code, output = self.compare("signal\tclk\treg_addr\nscope\tlink\tclk\n" "json\tverdict\terrors\n")
        self.assertEqual(code, 2, output)

    def test_a_recording_that_is_missing(self):
        shutil.rmtree(self.after / "exec")
        code, output = self.compare()
        self.assertEqual(code, 2, output)
        self.assertIn("'compare_jobs.py record PROGRAM", output)


if __name__ == "__main__":
    unittest.main()
