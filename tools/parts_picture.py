#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws docs/images/parts.svg: the folders of headers, each above what it may include. The folders are those of tests/lint.py.

    tools/parts_picture.py            # writes it
    tools/parts_picture.py --check    # fails where it would be another
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs/images/parts.svg"
FIRMWARE, HOST, SHARED = "#1f5fa8", "#c8442c", "#5b7f3a"
# (folder, what it is, left, right of 100, row from below, colour)
BOXES = [
    ("target", "what a machine can do: x86, ARM, PowerPC, RISC-V", 0, 62, 0, SHARED),
    ("", "words of all: status, fixed, digest, vec", 62, 100, 0, SHARED),
    ("kernels/neurons", "composed of parts", 0, 17, 1, SHARED),
    ("kernels/synapses", "rows, rings", 17, 32, 1, SHARED),
    ("kernels/plasticity", "rules, masks", 32, 48, 1, SHARED),
    ("kernels/random", "exact tables", 48, 62, 1, SHARED),
    ("kernels/layers", "trained networks", 62, 78, 1, SHARED),
    ("protocols", "SDP, SCP, EIEIO", 78, 100, 1, SHARED),
    ("gc", "traces of events", 0, 14, 2, FIRMWARE),
    ("sched", "deadlines, proved", 14, 28, 2, FIRMWARE),
    ("runtime", "a core's regions", 28, 42, 2, FIRMWARE),
    ("core", "keys, rows, neurons, learning", 0, 42, 3, FIRMWARE),
    ("firmware", "log, profiler, gdb, crash", 0, 42, 4, FIRMWARE),
    ("host", "answers in words", 44, 58, 2, HOST),
    ("network", "described once: threads, MPI", 58, 80, 2, HOST),
    ("mapping", "to chips, proved", 80, 100, 2, HOST),
    ("machine", "chips in a process", 44, 100, 3, HOST),
    ("execution", "from a graph to its results", 44, 100, 4, HOST),
]


def folders():
    """Of tests/lint.py, without those that stand in another that is drawn."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "tests"))
    from lint import KNOWS
    drawn = {box[0] for box in BOXES}
    return {folder for folder in KNOWS if not any(folder.startswith(f"{other}/") for other in drawn if other)}


def picture():
    missing, unknown = folders() - {box[0] for box in BOXES}, {box[0] for box in BOXES} - folders()
    if missing or unknown:
        sys.exit(f"tools/parts_picture.py: folders that are not drawn: {sorted(missing)}; drawn and not there: {sorted(unknown)}")
    width, height, left, top, row = 860, 330, 20, 60, 50
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif" fill="#333">',
             '<rect width="100%" height="100%" fill="#fff"/>',
             f'<text x="{left}" y="28" font-size="17" font-weight="bold">The parts, each above what it includes</text>']
    for at, (colour, text) in enumerate(((FIRMWARE, "of a core"), (HOST, "of hosts"), (SHARED, "of both"))):
        x = left + 420 + 140 * at
        parts.append(f'<rect x="{x}" y="17" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="28" font-size="13">{text}</text>')
    for folder, about, begin, end, level, colour in BOXES:
        x, w = left + begin * 8.2, (end - begin) * 8.2 - 6
        y = top + (4 - level) * row
        name = folder.rsplit("/", 1)[-1] or "*.hpp"
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="{w:.1f}" height="{row - 6}" rx="4" fill="{colour}" fill-opacity="0.12" stroke="{colour}"/>')
        parts.append(f'<text x="{x + w / 2:.1f}" y="{y + 19}" font-size="14" font-weight="bold" text-anchor="middle">{name}</text>')
        parts.append(f'<text x="{x + w / 2:.1f}" y="{y + 35}" font-size="11" text-anchor="middle" fill="#666">{about}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main():
    made = picture()
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.exists() or PICTURE.read_text() != made:
            print("docs/images/parts.svg is not that of the folders: run tools/parts_picture.py")
            return 1
        return 0
    if sys.argv[1:]:
        print(__doc__)
        return 2
    PICTURE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
