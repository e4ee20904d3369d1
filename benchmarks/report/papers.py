# SPDX-License-Identifier: BSL-1.0
"""The papers' figures 14 and 15 as they come out here: ways to copy, and the longest pause over fragments."""

import math

from drawing import line, text

LEFT, WIDTH, TOP, HEIGHT = 70, 560, 84, 380
COLOURS, DMA, GRID = {20: "#1f5fa8", 80: "#c8442c"}, "#333", "#ddd"
DASHES = {"block": "", "words": ' stroke-dasharray="7 4"', "bytes": ' stroke-dasharray="2 4"'}
WAYS = (("block", "block copy"), ("words", "memcpy"), ("bytes", "byte by byte"))


class Axes:
    """Logarithmic in both directions, from the lowest to the highest value of each."""

    def __init__(self, across, up):
        self.across, self.up = across, up

    def x(self, value):
        return LEFT + math.log(value / self.across[0]) / math.log(self.across[1] / self.across[0]) * WIDTH

    def y(self, value):
        return TOP + HEIGHT - math.log(value / self.up[0]) / math.log(self.up[1] / self.up[0]) * HEIGHT

    def frame(self, title, below, ticks, rows, words_across, words_up):
        """All but the curves."""
        bottom = TOP + HEIGHT
        parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 530" width="860" height="530" '
                 'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#333">',
                 '<rect width="100%" height="100%" fill="#fff"/>',
                 text(30, 30, "start", title, ' font-size="17" font-weight="bold"'), text(30, 50, "start", below, ' fill="#777"')]
        for value in ticks:
            parts += [line(self.x(value), TOP, self.x(value), bottom, GRID),
                      text(self.x(value), bottom + 19, "middle", str(value))]
        for value in rows:
            parts += [line(LEFT, self.y(value), LEFT + WIDTH, self.y(value), GRID),
                      text(LEFT - 8, self.y(value) + 4, "end", f"{value:,}".replace(",", " "))]
        return parts + [line(LEFT, bottom, LEFT + WIDTH, bottom, "#333"),
                        text(LEFT + WIDTH / 2, bottom + 42, "middle", words_across), text(LEFT - 40, TOP - 12, "start", words_up)]

    def curve(self, points, colour, more=""):
        path = "L".join(f"{self.x(across):.1f} {self.y(up):.1f}" for across, up in points)
        return f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{more}/>'

    def dots(self, points, colour):
        return [f'<circle cx="{self.x(across):.1f}" cy="{self.y(up):.1f}" r="3.5" fill="{colour}"/>' for across, up in points]


def copies(sizes, cycles, transfer, crossing):
    """Figure 14.

    sizes     in bytes, from the least to the most
    cycles    of each wait of SDRAM and way, by size
    transfer  cycles of DMA for so many bytes
    crossing  bytes from which that is less than a copy with such cycles
    """
    axes = Axes((sizes[0], sizes[-1]), (50, 100000))
    parts = axes.frame("Ways to copy from data memory to SDRAM",
                       "DMA pays where a curve is above its own: from the rings on, else from fewer bytes than are shown",
                       sizes, (100, 1000, 10000, 100000), "bytes", "cycles of the ARM968E-S")
    curves = [(of, COLOURS[speed], DASHES[way], f"{dict(WAYS)[way]}, SDRAM {speed}") for (speed, way), of in cycles.items()]
    curves.append(({size: transfer(size) for size in sizes}, DMA, "", "DMA, computed"))
    lowest = 0.0  # of the names so far, which keep a line's distance
    for of, colour, dashes, name in sorted(curves, key=lambda curve: -curve[0][sizes[-1]]):
        lowest = max(lowest + 16, axes.y(of[sizes[-1]]) + 4)
        parts += [axes.curve(of.items(), colour, dashes), *axes.dots(of.items(), colour),
                  text(LEFT + WIDTH + 10, lowest, "start", name, f' fill="{colour}"')]
    for (speed, _), of in cycles.items():
        if (at := crossing(of)) >= sizes[0]:
            parts.append(f'<circle cx="{axes.x(at):.1f}" cy="{axes.y(transfer(at)):.1f}" r="8" fill="none" '
                         f'stroke="{COLOURS[speed]}" stroke-width="1.5"/>')
    return "\n".join(parts + ["</svg>\n"])


def fragments(calls):
    """Figure 15.

    calls  of each wait of SDRAM, microseconds of the longest call by number of fragments
    """
    numbers = list(next(iter(calls.values())))
    axes = Axes((numbers[0], numbers[-1]), (10, 2000))
    parts = axes.frame("The longest call of a compaction in parts", "255 buffers of 32 bytes, the ARM968E-S at 200 MHz", numbers,
                       (10, 20, 50, 100, 200, 500, 1000, 2000), "fragments", "microseconds")
    for speed, of in calls.items():
        colour = COLOURS[speed]
        parts += [axes.curve(of.items(), colour), *axes.dots(of.items(), colour),
                  *(text(axes.x(number) + 7, axes.y(longest) - 8, "start", f"{longest:.0f}", f' fill="{colour}"')
                    for number, longest in list(of.items())[:-1]),
                  text(LEFT + WIDTH + 10, axes.y(of[numbers[-1]]) + 4, "start", f"{of[numbers[-1]]:.0f}, SDRAM {speed}",
                       f' fill="{colour}"')]
    return "\n".join(parts + ["</svg>\n"])
