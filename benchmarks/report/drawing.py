# SPDX-License-Identifier: BSL-1.0
"""Elements of SVG that the pictures share."""


def line(x1, y1, x2, y2, colour, more=""):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}"{more}/>'


def text(x, y, anchor, words, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{words}</text>'
