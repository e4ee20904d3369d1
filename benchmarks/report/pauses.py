# SPDX-License-Identifier: BSL-1.0
"""How long the calls of trace stores take: a picture of gc/<collector>/pauses and gc/<collector>/worst."""

import math

from drawing import line, text

SHARES = (("0.5", "50 %", 3.0), ("0.9", "90 %", 4.0), ("0.99", "99 %", 5.0), ("0.999", "99.9 %", 6.0))
LEFT, WIDTH, TOP, ROW, LOW, DECADES = 215, 690, 120, 34, 10.0, 5.2
COLOUR, WORST = "#1f5fa8", "#c8442c"


def x(cycles):
    return LEFT + math.log10(max(cycles, LOW) / LOW) / DECADES * WIDTH


def dot(cycles, y, radius, fill=COLOUR):
    return f'<circle cx="{x(cycles):.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}"/>'


def diamond(cycles, y):
    return f'<path d="M{x(cycles):.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z" fill="{WORST}"/>'


def picture(entries, rows):
    """The SVG file.

    rows: a name and a key for each line
    """
    by_name = {entry["name"]: entry for entry in entries}
    rows = [(name, by_name[f"cycles/arm968/gc/{key}/pauses"], by_name[f"cycles/arm968/gc/{key}/worst"]["cycles"])
            for name, key in rows if f"cycles/arm968/gc/{key}/pauses" in by_name]
    bottom = TOP + ROW * len(rows)
    height = bottom + 64
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {height}" width="960" height="{height}" '
             'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#333">',
             '<rect width="100%" height="100%" fill="#fff"/>',
             text(30, 30, "start", "How long single calls take", ' font-size="17" font-weight="bold"'),
             text(30, 50, "start", "ticks and records, 255 neurons at 10 Hz, ARM968E-S; the share of calls that take no longer",
                  ' fill="#777"')]
    at = 36.0
    for _, words, radius in SHARES:
        parts += [f'<circle cx="{at:.1f}" cy="70" r="{radius:g}" fill="{COLOUR}"/>', text(at + 10, 74.5, "start", words)]
        at += 70
    parts += [line(at, 62, at, 78, COLOUR, ' stroke-width="2"'), text(at + 8, 74.5, "start", "all"),
              f'<path d="M{at + 60:.1f} 64l6 6l-6 6l-6 -6z" fill="{WORST}"/>',
              text(at + 72, 74.5, "start", "the longest when memory fills and dies at once")]
    for decade in range(1, 7):
        for digit in range(1, 10):
            value = digit * 10.0**decade
            if value <= LOW * 10**DECADES:
                parts.append(line(x(value), TOP, x(value), bottom, "#ccc" if digit == 1 else "#eee"))
        parts.append(text(x(10.0**decade), bottom + 20, "middle", f"{10**decade:,}".replace(",", " ")))
    papers = x(78e3), x(190e3)
    parts += [f'<path d="M{papers[0]:.1f} {TOP}H{papers[1]:.1f}V{bottom}H{papers[0]:.1f}z" fill="#f4e3c4" opacity="0.8"/>',
              text(sum(papers) / 2, TOP - 6, "middle", "papers: mean compaction", ' fill="#777"'),
              line(x(1000), TOP, x(1000), bottom, WORST, ' stroke-dasharray="5 4"'),
              text(x(1000), TOP - 6, "middle", "goal of the default: 1000", f' fill="{WORST}"')]
    for row, (name, pauses, worst) in enumerate(rows):
        y = TOP + ROW * (row + 0.5)
        most = pauses["max_cycles"]
        parts += [text(LEFT - 12, y + 4, "end", name.replace("`", "")),
                  line(x(pauses["quantiles"]["0.5"]), y, x(most), y, COLOUR, ' stroke-width="1.2"')]
        parts += [dot(pauses["quantiles"][share], y, radius) for share, _, radius in SHARES]
        parts += [line(x(most), y - 8, x(most), y + 8, COLOUR, ' stroke-width="2"'), diamond(worst, y)]
    parts += [line(LEFT, bottom, LEFT + WIDTH, bottom, "#333"), text(LEFT + WIDTH / 2, bottom + 44, "middle", "cycles")]
    return "\n".join(parts + ["</svg>\n"])
