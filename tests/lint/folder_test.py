#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CMake configures a project in a folder whose name has a blank and a letter that is not ASCII: a module is
Verilated there, and what it is compiled from is listed.

    folder_test.py ROOT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(part LANGUAGES C CXX)
set(HT_ROOT "${PROJECT_SOURCE_DIR}")
include(cmake/HypertorusBuild.cmake)
include(cmake/HypertorusVerilate.cmake)
ht_verilate(NAME part SOURCES "${PROJECT_SOURCE_DIR}/part.v")
"""
# Its reset is used in both ways, which SYNCASYNCNET warns of. Verilator loses the exceptions that stand in sources where it
# cuts their names at the blank.
MODULE = """module part (
    input  wire clk,
    input  wire rst,
    output reg  here_reg,
    output reg  there_reg
);
    always @(posedge clk)
        if (rst) here_reg <= 1'b0;
        else here_reg <= 1'b1;
    always @(posedge clk or posedge rst)
        if (rst) there_reg <= 1'b0;
        else there_reg <= here_reg;
endmodule
"""


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="ä b ") as folder:
        tree = pathlib.Path(folder)
        for part in ("cmake", "rtl/common"):
            shutil.copytree(root / part, tree / part)
        (tree / "CMakeLists.txt").write_text(PROJECT)
        (tree / "part.v").write_text(MODULE)
        # As in a shell without a language of its own.
        done = subprocess.run(["cmake", "-S", tree, "-B", tree / "build", "-G", "Ninja"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, env={**os.environ, "LC_ALL": "C"})
        if done.returncode != 0:
            print(f"{done.stdout}\nexit code {done.returncode}")
            return 1
        listed = next(tree.rglob("*.files.cmake")).read_text()
        missing = [file for file in re.findall(r'"(.*)"', listed) if not pathlib.Path(file).exists()]
        if missing or not re.search(r"^  \"(.*)/Vpart\.cpp\"", listed, re.M):
            print(f"{listed}\nthere is no {missing or 'Vpart.cpp'}")
            return 1
    print("configured")
    return 0


if __name__ == "__main__":
    sys.exit(main())
