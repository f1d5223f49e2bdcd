#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/clusters.py counts cut cables and adds up a window's time as can be done by hand."""
import importlib.util
import pathlib
import sys

SOURCE = pathlib.Path(sys.argv[1]) / "docs/clusters.py"
spec = importlib.util.spec_from_file_location("clusters", SOURCE)
clusters = importlib.util.module_from_spec(spec)
spec.loader.exec_module(clusters)


def check(what, got, expected):
    if abs(got - expected) > 1e-12:
        sys.exit(f"{what}: {got}, and by hand {expected}")


# Halves of a cube: four nodes with two cables each to the other half.
for index, expected in enumerate((8, 0)):
    check("halves of 2x2x2", clusters.cut(2, 2)[index], expected)
# A node each: six cables to six others.
for index, expected in enumerate((6, 0)):
    check("nodes of 4x4x4", clusters.cut(4, 64)[index], expected)
# Bricks of 4x2x2: eight lines along two axes, cut at both ends.
for index, expected in enumerate((32, 0)):
    check("bricks of 4x4x4", clusters.cut(4, 4)[index], expected)
# Halves of 8x8x8: 8x8 lines, cut at both ends; two of four planes are inside.
for index, expected in enumerate((128, 128)):
    check("halves of 8x8x8", clusters.cut(8, 2)[index], expected)
# 16 nodes of 10 us; two votes and one exchange of 5 us; 32 cables of 1000 bytes at 10 GB/s.
check("share", clusters.share(10e-6, 1000, 4, 4, 5e-6), 160 / (160 + 15 + 3.2))
# Cubes of 4x4x4: 56 nodes, then eight inside, behind which 5 us and 96 cables of 1000 bytes pass; three votes.
check("share, hidden", clusters.share(10e-6, 1000, 8, 8, 5e-6), 640 / (560 + 80 + 15))
# The same, and nodes of 1 us: the exchange takes longer than those inside.
check("share, not hidden", clusters.share(1e-6, 1000, 8, 8, 5e-6), 64 / (56 + 5 + 9.6 + 15))
print("as by hand")
