# SPDX-License-Identifier: BSL-1.0
"""Runs firmware programs under neuromorph-cycles; prints cycles per item, and writes them in Google Benchmark's form.

usage: run.py --counter NEUROMORPH_CYCLES [--json FILE] [--check FILE] [--filter TEXT] PROGRAM.CORE.elf...

--check compares with a file that --json wrote before: a key that grew by more than 1 % or is gone is an error.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

GROWTH = 1.01


def count(counter, elf):
    """The measured regions of one program, as benchmark entries."""
    core = elf.name.split(".")[-2]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "cycles.json"
        result = subprocess.run([counter, "--quiet", "--json", output, elf], text=True, capture_output=True)
        if result.returncode == 1:
            sys.exit(f"{elf.name}: a result was wrong")
        if result.returncode:
            sys.exit(f"{elf.name}: {result.stderr.strip()}")
        report = json.loads(output.read_text())
    entries = []
    for measure in report["measures"]:
        if measure["kind"] != "region":
            continue
        items = measure["items"] or 1
        entries.append({
            "name": f"cycles/{core}/" + measure["name"].replace(".", "/"),
            "run_type": "iteration",
            "iterations": measure["count"],
            "cycles": round(measure["mean"] / items, 4),
            "min_cycles": round(measure["min"] / items, 4),
            "max_cycles": round(measure["max"] / items, 4),
            "instructions": round(measure["instructions"] / measure["count"] / items, 4),
            "items": items,
            "stalls": {cause: round(cycles / measure["count"] / items, 4)
                       for cause, cycles in measure["stalls"].items() if cycles},
        })
    if not entries:
        sys.exit(f"{elf.name}: no region was measured")
    return entries


def compare(entries, path):
    found = {entry["name"]: entry["cycles"] for entry in entries}
    wrong = []
    for entry in json.loads(path.read_text())["benchmarks"]:
        name, before = entry["name"], entry["cycles"]
        if name not in found:
            wrong.append(f"{name} is gone")
        elif found[name] > before * GROWTH:
            wrong.append(f"{name} grew from {before} to {found[name]} cycles")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counter", required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", type=Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("elves", nargs="+", type=Path, metavar="PROGRAM.CORE.elf")
    options = parser.parse_args()
    entries = sorted((entry for elf in options.elves for entry in count(options.counter, elf)
                      if options.filter in entry["name"]), key=lambda entry: entry["name"])
    width = max((len(entry["name"]) for entry in entries), default=0)
    print(f"{'per item':{width}}  {'cycles':>9}  {'instructions':>12}  {'items':>6}")
    for entry in entries:
        print(f"{entry['name']:{width}}  {entry['cycles']:9.3f}  {entry['instructions']:12.3f}  {entry['items']:6}")
    if options.json:
        options.json.write_text(json.dumps({"context": {"unit": "cycles per item"}, "benchmarks": entries}, indent=1) + "\n")
    wrong = compare(entries, options.check) if options.check else []
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
