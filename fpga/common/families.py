# SPDX-License-Identifier: Apache-2.0
"""What differs between FPGA families on the way from sources to a bitstream: the tools and what they are told."""
import re

import tools
import wheels


class Ice40:
    """Debian's Yosys, nextpnr and icestorm."""
    suffix = "bin"
    synthesis = ""
    # a LUT has no memory on this family, whatever a cell would like
    prepare_netlist = ["setattr -unset ram_style */m:*"]
    packer = "icepack"

    @staticmethod
    def require():
        tools.require(["yosys", "nextpnr-ice40", "icepack"])

    @staticmethod
    def yosys(script):
        return ["yosys", "-q", str(script)]

    @staticmethod
    def place(board, pins):
        return ["nextpnr-ice40", f"--{board['device']}", "--package", board["package"], "--pcf", pins, "--asc", "layout",
                "--freq", str(max(board["clocks"].values()))]

    @staticmethod
    def pack(bitstream):
        return ["icepack", "layout", bitstream]


class Ecp5:
    """Yosys, nextpnr and Trellis from wheels: Debian 12 has none for this family."""
    suffix = "bit"
    # PFUs' own multiplexers tie up to eight LUTs and their 32 inputs together in one place: without them a netlist is smaller,
    # and finds wires.
    synthesis = "-nowidelut"
    prepare_netlist = []
    # ABC checks what it mapped against what it was given; with CRCs of 16 bytes a cycle that does not come to an end.
    unproved = "scratchpad -set abc9.verify 0"
    packer = "ecppack"
    # The other placer sets block RAMs side by side in two rows, where wires run out, and neither router comes to an end.
    ways = ["--placer", "static", "--router", "router2"]
    require = staticmethod(wheels.prepare)
    yosys = staticmethod(wheels.yosys)

    @staticmethod
    def place(board, pins):
        # A transceiver's pins are where it is, and no package knows them (build.refuse_unplaced looks at the others).
        free = ["--lpf-allow-unconstrained"] if "transceiver_pins" in board else []
        return [wheels.tool("nextpnr-ecp5"), f"--{board['device']}", "--package", board["package"], "--speed", str(board["speed"]),
                "--lpf", pins, "--textcfg", "layout", "--freq", str(max(board["clocks"].values())),
                *Ecp5.ways, *free]

    @staticmethod
    def pack(bitstream):
        return [wheels.tool("ecppack"), "--compress", "--input", "layout", "--bit", bitstream]


FAMILIES = {"ice40": Ice40, "ecp5": Ecp5}


def clock_of(net, clocks):
    """The name, of those given, of a net that nextpnr names after one of its aliases; None if it is none of them."""
    plain = re.sub(r"^\$glbnet\$|\$(?!glbnet).*$", "", net)
    return next((c for c in clocks if plain == c or plain.endswith("." + c)), None)
