# SPDX-License-Identifier: Apache-2.0
"""Boards whose chips only AMD's Vivado knows: writes the script of a build, and runs it where there is a Vivado.

The script makes a project of the sources, the board's pins and clocks, what its `scripts` make of the vendor's cores, and
crossings.tcl; it places, routes, and writes the bitstream, Vivado's own reports of cells, clocks, crossings and skew, and
fit.txt, `slack PATH ns` of the worst paths, setup and hold.
"""
import re
import shutil

from tools import FAILED, MISSING, ROOT, BoardError, run

SCRIPT = """# SPDX-License-Identifier: Apache-2.0
# Written by fpga/common/vivado.py.
create_project -force {name} project -part {part}
add_files -norecurse {{
    {sources}
}}
set_property include_dirs {{{includes}}} [current_fileset]
add_files -fileset constrs_1 -norecurse {{{pins}}}
# What concerns all clocks comes last, and when all cells are there.
add_files -fileset constrs_1 -norecurse {{{crossings}}}
set_property -dict {{USED_IN_SYNTHESIS false PROCESSING_ORDER LATE}} [get_files {{{crossings}}}]
{scripts}set_property top {top} [current_fileset]
{generics}set_property STEPS.SYNTH_DESIGN.ARGS.FLATTEN_HIERARCHY rebuilt [get_runs synth_1]
launch_runs impl_1 -to_step write_bitstream -jobs 2
wait_on_run impl_1
if {{[get_property PROGRESS [get_runs impl_1]] ne "100%"}} {{ error "ERROR: the run did not end" }}
open_run impl_1
report_timing_summary -file timing.txt
report_bus_skew -file skew.txt
report_cdc -details -file crossings.txt
report_utilization -file cells.txt
set fit [open fit.txt w]
foreach path {{setup hold}} delay {{max min}} {{
    set worst [get_timing_paths -delay_type $delay -max_paths 1]
    if {{[llength $worst]}} {{ puts $fit "slack $path [get_property SLACK $worst]" }}
}}
close $fit
file copy -force [glob project/{name}.runs/impl_1/*.bit] {name}.bit
"""


def write_script(name, board, folder, sources, value):
    """Into folder/build.tcl; its path."""
    generics = f"set_property generic SOURCE_HASH=32'h{value:08x} [current_fileset]\n" if "identity" in board else ""
    script = folder / "build.tcl"
    script.write_text(SCRIPT.format(
        name=name, part=board["part"], top=board["top"], generics=generics,
        scripts="".join(f"source {{{ROOT / 'fpga' / name / s}}}\n" for s in board.get("scripts", [])),
        sources="\n    ".join(f"{{{s}}}" for s in sources), pins=ROOT / "fpga" / name / board["pins"],
        includes=" ".join(f"{{{ROOT / d}}}" for d in board["includes"]), crossings=ROOT / "fpga" / "common" / "crossings.tcl"))
    return script


def rows_of(name, board, cells, fit, skew):
    """The fit as rows of {id, value, unit, limit}, and what of it misses its limit; from the texts of Vivado's reports."""
    rows, missed = [], []
    for cell, limit in board["limits"].items():
        line = re.search(rf"^\|\s*{re.escape(cell)}\*?\s*\|\s*([\d.]+)\s*\|.*\|\s*([\d.]+)\s*\|\s*<?([\d.]+)\s*\|\s*$", cells, re.M)
        if line is None:
            raise BoardError(FAILED, f"Vivado's report of cells has no line {cell}")
        used, available, share = (float(g) for g in line.groups())
        rows.append({"id": f"{name}.{cell}", "value": used, "unit": f"of {available:g}", "limit": limit})
        if share > limit:
            missed.append(f"{cell}: {share} % of the device, at most {limit} wanted")
    slacks = dict(re.findall(r"^slack (\w+) (-?[\d.]+)$", fit, re.M))
    if set(slacks) != {"setup", "hold"}:
        raise BoardError(FAILED, "Vivado reports no worst path")
    for path, slack in slacks.items():
        rows.append({"id": f"{name}.{path}_slack", "value": float(slack), "unit": "ns", "limit": 0})
        if float(slack) < 0:
            missed.append(f"{path}: the worst path is {-float(slack):.3f} ns late")
    # The last column of the summary's rows is the slack.
    if any(float(slack) < 0 for slack in re.findall(r"^\d+\s.*\s(-?\d+\.\d+)\s*$", skew, re.M)):
        missed.append("a Gray number's bits arrive too far apart: skew.txt")
    return rows, missed


def build(name, board, folder, sources, value):
    """Rows and misses as rows_of has them; the bitstream is folder/NAME.bit."""
    script = write_script(name, board, folder, sources, value)
    if shutil.which("vivado") is None:
        raise BoardError(MISSING, f"vivado missing: {name} takes AMD's Vivado, 2022.1 or newer, which no package has: put it on the "
                                  f"PATH. What it would run: {script.relative_to(ROOT)}")
    for old in ("cells.txt", "fit.txt", "skew.txt", f"{name}.bit"):
        (folder / old).unlink(missing_ok=True)
    run(1, 1, "synthesis, place and route (Vivado), half an hour or more",
        ["vivado", "-mode", "batch", "-nojournal", "-log", "vivado.log", "-source", str(script)], folder / "run.log", folder)
    reports = [folder / f for f in ("cells.txt", "fit.txt", "skew.txt")]
    if missing := [r.name for r in [*reports, folder / f"{name}.bit"] if not r.exists()]:
        raise BoardError(FAILED, f"Vivado ended without {', '.join(missing)} (log: {folder / 'run.log'})")
    return rows_of(name, board, *(r.read_text() for r in reports))
