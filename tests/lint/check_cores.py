#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the FuseSoC core files (CAPI2) of rtl, fpga and verif: valid YAML, version of the project, every file
listed exists, every Verilog file under rtl is listed in exactly one core, dependencies resolve.

    check_cores.py ROOT [--list]     --list: first writes each folder's .v files into its core file, of rtl's
                                     cores: all below it but what is below a folder with a core of its own
"""
import pathlib
import re
import sys

try:
    import yaml
except ImportError:
    print("SKIPPED: python3-yaml is not installed")
    sys.exit(0)


def core_files(root):
    return sorted(p for folder in ("rtl", "fpga", "verif") for p in (root / folder).rglob("*.core"))


def list_sources(root):
    """Replaces the .v lines of every core file by what its folder holds."""
    paths = sorted((root / "rtl").rglob("*.core"))
    for path in paths:
        others = [p.parent for p in paths if path.parent in p.parent.parents]
        lines = path.read_text().splitlines(keepends=True)
        is_source = [re.fullmatch(r" +- [\w/]+\.v\n", line) is not None for line in lines]
        if True not in is_source:
            continue
        first = is_source.index(True)
        indent = lines[first][: lines[first].index("-")]
        sources = [f"{indent}- {file.relative_to(path.parent)}\n" for file in sorted(path.parent.rglob("*.v"))
                   if not any(other in file.parents for other in others)]
        rest = [line for line, drop in zip(lines[first:], is_source[first:]) if not drop]
        path.write_text("".join(lines[:first] + sources + rest))


def check(root):
    """Returns the list of complaints about the tree at root."""
    bad = []
    version = re.search(r"project\(hypertorus VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
    cores, listed = {}, {}
    for path in core_files(root):
        where = path.relative_to(root)
        text = path.read_text()
        if text.split("\n", 1)[0].rstrip() != "CAPI=2:":
            bad.append(f"{where}: first line must be 'CAPI=2:'")
            continue
        try:
            core = yaml.safe_load(text.split("\n", 1)[1])
            name = core["name"]
            filesets = core["filesets"].values()
        except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
            bad.append(f"{where}: {error!r}")
            continue
        if not re.fullmatch(r"hypertorus:[a-z]+:[a-z0-9_]+:" + re.escape(version), name):
            bad.append(f"{where}: name '{name}' is not hypertorus:LIBRARY:NAME:{version}")
        cores[name] = [(where, need) for files in filesets for need in files.get("depend", [])]
        for target, content in core.get("targets", {}).items():
            for fileset in content.get("filesets", []):
                if fileset not in core["filesets"]:
                    bad.append(f"{where}: target {target} wants fileset '{fileset}', which is not there")
        for files in filesets:
            for entry in files.get("files", []):
                file = entry if isinstance(entry, str) else next(iter(entry))
                if file.startswith("../"):
                    bad.append(f"{where}: lists {file}, outside of its folder: FuseSoC will refuse that")
                file = (path.parent / file).resolve()
                if not file.is_file():
                    bad.append(f"{where}: lists {file.name}, which does not exist")
                listed.setdefault(file, []).append(where)
    for where, need in (pair for pairs in cores.values() for pair in pairs):
        if need not in cores:
            bad.append(f"{where}: depends on '{need}', which no core file declares")
    for file in sorted((root / "rtl").rglob("*.v*")):
        owners = listed.get(file.resolve(), [])
        if len(owners) != 1:
            names = ", ".join(map(str, owners)) or "no core file"
            bad.append(f"{file.relative_to(root)}: listed in {names}; it belongs in exactly one (--list)")
    if not cores:
        bad.append("no core files under rtl")
    return bad


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if "--list" in sys.argv[2:]:
        list_sources(root)
    complaints = check(root)
    for line in complaints:
        print(line)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
