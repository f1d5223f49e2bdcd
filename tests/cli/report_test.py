#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report_test.py PROGRAM: the page of `run --report` is well-formed, needs nothing from outside, and its
numbers and curves are those of --json of the same run."""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
HTML = "{http://www.w3.org/1999/xhtml}"
failures = []


def check(good, what):
    if not good:
        failures.append(what)


def close(a, b):
    return math.isclose(a, b, rel_tol=0, abs_tol=0.02)  # of a pixel: coordinates have two digits


def points_of(root, name):
    found = [p for p in root.iter(SVG + "polyline") if p.get("id") == name]
    check(len(found) == 1, f"{len(found)} curves called {name}")
    return [tuple(map(float, p.split(","))) for p in found[0].get("points").split()] if found else []


def check_curve(name, points, values):
    """The curve has a point a value, evenly spaced, and y is a linear function of the logarithm."""
    check(len(points) == len(values), f"{name}: {len(points)} points for {len(values)} values")
    logs = [math.log10(v) for v in values]
    first, last = logs.index(max(logs)), logs.index(min(logs))
    slope = (points[last][1] - points[first][1]) / (logs[last] - logs[first])
    check(slope < 0, f"{name}: small values are not at the bottom")
    step = (points[-1][0] - points[0][0]) / (len(points) - 1)
    check(step > 0, f"{name}: runs backwards")
    for i, (x, y) in enumerate(points):
        want = points[first][1] + slope * (logs[i] - logs[first])
        check(close(y, want), f"{name}, point {i}: at y {y}, not {want:.2f}")
        check(close(x, points[0][0] + i * step), f"{name}, point {i}: at x {x}")


def check_page(page, run):
    root = ET.fromstring(page)  # throws if it is not well-formed
    check(root.tag == HTML + "html", "the page is no XHTML")
    for element in root.iter():
        check(element.tag not in (HTML + "script", HTML + "link", HTML + "img"), f"{element.tag} in the page")
        for attribute in ("src", "href", "{http://www.w3.org/1999/xlink}href"):
            check(element.get(attribute) is None, f"{attribute} in the page: it must need nothing else")
    check("url(" not in page and "@import" not in page, "the style needs something from outside")
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    check(len(ids) == len(set(ids)), "an id comes twice")

    exact = {e.get("id"): e.get("value") for e in root.iter(HTML + "data") if e.get("id")}
    errors = run["errors"]
    want = {"verdict": run["verdict"], "iterations": sum(run["iterations"]),
            "errors-injected": errors["injected"], "errors-undetected": errors["undetected"],
            "retransmissions": errors["retransmissions"],
            **{k: run[k] for k in ("true_residual", "plaquette", "solution_crc32", "machine_time_ps", "wall_seconds")}}
    for fate in ("injected", "detected", "harmless", "undetected"):
        want[f"errors-all-{fate}"] = errors[fate]
        check(sum(k[fate] for k in errors["by_kind"].values()) == errors[fate], f"errors {fate}: kinds do not add up")
        for kind, counts in errors["by_kind"].items():
            want[f"errors-{kind}-{fate}"] = counts[fate]
    for key in ("kappa", "ber", "seed", "tolerance", "cable_delay_ps"):
        want[f"option-{key}"] = run["options"][key]
    for key, value in want.items():
        shown = exact.get(key)
        good = shown is not None and (shown == value if isinstance(value, str) else float(shown) == value)
        check(good, f"{key}: the page has {shown}, the JSON {value}")

    for i, column in enumerate(run["columns"]):
        check_curve(f"residual-{i}", points_of(root, f"residual-{i}"), [math.sqrt(h) for h in column["residual_norm2"]])
    check_curve("correlator", points_of(root, "correlator"), run["correlator"])

    table = next(t for t in root.iter(HTML + "table") if t.get("id") == "links")
    rows = table.find(HTML + "tbody").findall(HTML + "tr")
    check(len(rows) == len(run["links"]), f"{len(rows)} rows for {len(run['links'])} links")
    keys = ("packets", "retransmissions", "nacks", "busy", "timeouts", "retrains", "crc_errors", "code_errors",
            "framing_errors", "command_errors", "errors_injected", "tx_checksum", "rx_checksum")
    text = "".join(e.text or "" for e in root.iter(SVG + "title"))
    for row, link in zip(rows, run["links"]):
        check([int(d.get("value")) for d in row.iter(HTML + "data")] == [link[k] for k in keys], f"row of {link}")
        picture = (f"node {link['from']} {link['link']} to node {link['to']}: {link['packets']} packets, "
                   f"{link['retransmissions']} retransmissions")
        check(picture in text, f"not in the picture: {picture}")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = [program, "run", "--nodes", "2x2x1", "--lattice", "4x4x4x4", "--tolerance", "1e-6", "--columns", "2",
                 "--ber", "1e-5", "--quiet", "--json", folder / "r.json", "--report", folder / "r.html"]
        subprocess.run(words, check=True, timeout=280, stdout=subprocess.DEVNULL)
        page = (folder / "r.html").read_text()
        check_page(page, json.loads((folder / "r.json").read_text()))
        for figure in ("residual", "time", "torus", "correlator"):
            svg = (folder / f"r.{figure}.svg").read_text()
            check(ET.fromstring(svg).tag == SVG + "svg", f"{figure}.svg is no SVG")
            check(svg in page, f"{figure}.svg is not the page's figure")
        # Without hardware there is no torus and no time, but still a page.
        subprocess.run([program, "run", "--network", "functional", "--quiet", "--tolerance", "1e-4",
                        "--report", folder / "f.html"], check=True, timeout=100, stdout=subprocess.DEVNULL)
        check("residual-0" in (folder / "f.html").read_text(), "no residual of a functional run")
        check(ET.parse(folder / "f.html") and not (folder / "f.torus.svg").exists(), "a torus without hardware")
        refused = subprocess.run([program, "run", "--report", folder / "r.pdf"], capture_output=True, text=True)
        check(refused.returncode == 2 and re.search(r"--report .*\.html", refused.stderr), "r.pdf was not refused")
    for failure in failures[:20]:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
