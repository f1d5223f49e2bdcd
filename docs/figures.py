#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of docs/theory: what goes over a cable when something is damaged, and how time advances.

    docs/figures.py            writes them
    docs/figures.py --check    says which are not what this script draws
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent / "theory"
GOOD, BAD, AGAIN, CONTROL = "#2b6cb0", "#c53030", "#dd6b20", "#4a5568"


class Figure:
    def __init__(self, width, height, title):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                      'font-family="DejaVu Sans, Verdana, sans-serif" font-size="12">',
                      "<!-- SPDX-License-Identifier: Apache-2.0; drawn by docs/figures.py -->", f"<title>{title}</title>",
                      f'<rect width="{width}" height="{height}" fill="#ffffff"/>']

    def text(self, x, y, text, colour="#1a202c", anchor="middle"):
        self.parts.append(f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}">{text}</text>')

    def line(self, x1, y1, x2, y2, colour="#a0aec0", width=1, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"{dashed}/>')

    def box(self, x, y, width, height, colour, text="", fill=None):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill or colour}" stroke="{colour}"/>')
        if text:
            self.text(x + width / 2, y + height / 2 + 4, text, "#ffffff" if fill is None else "#1a202c")

    def frame(self, x, width, up, down, delay, colour, text, broken=False):
        """A frame that leaves the end at height `up` at x and arrives at `down` a delay later."""
        self.parts.append(f'<polygon points="{x},{up} {x + width},{up} {x + width + delay},{down} {x + delay},{down}" '
                          f'fill="{colour}" fill-opacity="0.25" stroke="{colour}"/>')
        self.text(x + (width + delay) / 2, (up + down) / 2 + 4, text, colour)
        if broken:
            cx, cy = x + width / 2 + delay * 0.7, up + (down - up) * 0.75
            for sign in (1, -1):
                self.line(cx - 6, cy - 6 * sign, cx + 6, cy + 6 * sign, BAD, 3)

    def ends(self, up, down, width, upper, lower):
        for y, name in ((up, upper), (down, lower)):
            self.line(90, y, width - 10, y, "#1a202c", 2)
            self.text(84, y + 4, name, anchor="end")

    def done(self, name):
        return HERE / name, "\n".join([*self.parts, "</svg>"]) + "\n"


def qpace():
    f = Figure(860, 230, "QPACE: packet 2 is damaged; a NACK, and everything from 2 on again")
    up, down, delay = 60, 170, 60
    f.ends(up, down, 860, "sender", "receiver")
    for i in range(5):
        f.frame(110 + 70 * i, 64, up, down, delay, BAD if i == 2 else GOOD if i < 2 else CONTROL, str(i), i == 2)
    f.frame(385, 10, down, up, delay, BAD, "")
    f.text(400, 192, "NACK 2", BAD)
    for i in range(2, 5):
        f.frame(470 + 70 * (i - 2), 64, up, down, delay, AGAIN, str(i))
    f.frame(760, 10, down, up, delay, CONTROL, "")
    f.text(766, 192, "ACK 4", CONTROL)
    f.text(360, 40, "3 and 4 arrive well, out of order: dropped without a word", CONTROL)
    f.text(575, 40, "sent again", AGAIN)
    return f.done("qpace-go-back-n.svg")


def qcdoc():
    f = Figure(860, 230, "QCDOC: a header is damaged; the receiver is out of step until marks and a record")
    up, down, delay = 60, 170, 30
    f.ends(up, down, 860, "sender", "receiver")
    for i in range(4):
        f.frame(110 + 76 * i, 72, up, down, delay, BAD if i == 1 else GOOD if i == 0 else CONTROL, f"word {i}", i == 1)
    f.box(258, 174, 246, 16, BAD, "out of step: all is discarded", "#fed7d7")
    f.frame(290, 60, down, up, delay, BAD, "")
    f.text(380, 206, "marks and a record: lost 1", BAD)
    f.frame(420, 60, up, down, delay, AGAIN, "marks, 1")
    for i in range(1, 4):
        f.frame(484 + 76 * (i - 1), 72, up, down, delay, AGAIN, f"word {i}")
    f.text(590, 40, "from the word that is wanted", AGAIN)
    f.text(240, 40, "three words in flight at most", CONTROL)
    return f.done("qcdoc-record.svg")


def tofu():
    f = Figure(860, 280, "Tofu: a packet cuts through two routers; damaged on the first cable, it ends nullified, and comes again")
    names = ("node 0", "node 1", "node 2", "node 3")
    heights = (50, 120, 190, 260)
    for y, name in zip(heights, names):
        f.line(90, y, 850, y, "#1a202c", 2)
        f.text(84, y + 4, name, anchor="end")
    for hop in range(3):
        f.frame(110 + 34 * hop, 170, heights[hop], heights[hop + 1], 24, BAD, "head ... end: void" if hop else "head ... end", hop == 0)
    f.frame(290, 10, heights[1], heights[0], 24, BAD, "")
    f.text(318, 112, "NACK", BAD)
    for hop in range(3):
        f.frame(350 + 34 * hop, 170, heights[hop], heights[hop + 1], 24, AGAIN, "head ... end")
    f.text(640, 40, "only the first cable sends it again", AGAIN)
    f.text(730, 240, "node 3 takes nothing of the void one", CONTROL)
    return f.done("tofu-cut-through.svg")


def windows():
    f = Figure(860, 220, "Windows: nodes run by themselves, then cables move what was sent")
    for i, name in enumerate(("node 0", "node 1", "node 2")):
        f.text(84, 56 + 50 * i, name, anchor="end")
        for w in range(3):
            if (i, w) == (2, 1):
                f.text(110 + 240 * w + 100, 56 + 50 * i, "asleep: skipped", CONTROL)
                f.box(110 + 240 * w, 38 + 50 * i, 200, 28, CONTROL, "", "none")
            else:
                f.box(110 + 240 * w, 38 + 50 * i, 200, 28, GOOD, "edges, program, memory")
    for w in range(3):
        f.box(314 + 240 * w, 32, 30, 146, AGAIN, "", "#feebc8")
        f.text(329 + 240 * w, 196, "cables", AGAIN)
        f.text(210 + 240 * w, 24, f"window {w}")
    f.text(430, 214, "one window = the shortest cable's delay less one symbol: nothing that is sent in it can arrive in it")
    return f.done("windows.svg")


def torus():
    f = Figure(860, 200, "Folding: a ring of six as two axes")
    for i in range(6):
        x, y = 140 + 110 * (i if i < 3 else 5 - i), 60 if i < 3 else 140
        f.box(x - 20, y - 16, 40, 32, GOOD, str(i))
    for i in range(2):
        f.line(160 + 110 * i, 60, 230 + 110 * i, 60, GOOD, 2)
        f.line(160 + 110 * i, 140, 230 + 110 * i, 140, GOOD, 2)
    f.line(140, 76, 140, 124, GOOD, 2)
    f.line(360, 76, 360, 124, GOOD, 2)
    f.line(250, 76, 250, 124, CONTROL, 1, "4")
    f.text(250, 190, "a 3 x 2 machine as one ring of six: every step is one cable")
    for i in range(3):
        f.box(560 + 90 * i, 84, 40, 32, AGAIN, f"B{i}")
    f.line(600, 100, 650, 100, AGAIN, 2)
    f.line(690, 100, 740, 100, AGAIN, 2)
    f.parts.append(f'<path d="M580 84 C 620 30, 720 30, 760 84" fill="none" stroke="{AGAIN}" stroke-width="2"/>')
    f.text(670, 190, "Tofu's B axis, a ring of three: one may be lost")
    return f.done("folding.svg")


def main():
    stale = []
    for file, drawing in (qpace(), qcdoc(), tofu(), windows(), torus()):
        if "--check" not in sys.argv[1:]:
            file.write_text(drawing)
        elif not file.exists() or file.read_text() != drawing:
            stale.append(file.name)
    if stale:
        print(f"not what docs/figures.py draws: {', '.join(stale)}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
