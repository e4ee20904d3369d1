# SPDX-License-Identifier: BSL-1.0
"""Runs firmware programs under neuromorph-cycles; prints cycles per item, and writes them in Google Benchmark's form.

usage: run.py --counter NEUROMORPH_CYCLES [--json FILE] [--check FILE | --update FILE] [--compiler ARM_CXX] [--filter TEXT]
              PROGRAM.CORE.elf...

--update writes the checked-in table, --check compares with it: what grew or shrank by more than 1 %, is new or is gone is
an error, so that the table and what is printed of it are always those of the code. Both are for the cores of the programs
and the keys that contain the filter: what the table has of others stays, and is not looked at. Figures are those of one
compiler: with another one than the table's, differences are printed and are no error.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TOLERANCE = 1.01
UPDATE = "cmake --build <build folder> --target update_cycles"


def name_of(label):
    """Dots part the words of a key; two of them are a dot."""
    return ".".join(part.replace(".", "/") for part in label.split(".."))


# A program with keys ".../sdram20/..." is run once more, with SDRAM that lets wait 80 cycles for a word read or written
# instead of 20 and 10; then those keys are ".../sdram80/...".
SLOW_SDRAM = ["--region", "sdram,0x60000000,0x1000000,80,80,80"]


def count(counter, elf):
    """The measured regions of one program, as benchmark entries."""
    entries = measured(counter, elf, [])
    if any("/sdram20/" in entry["name"] for entry in entries):
        entries += [{**entry, "name": entry["name"].replace("/sdram20/", "/sdram80/")}
                    for entry in measured(counter, elf, SLOW_SDRAM) if "/sdram20/" in entry["name"]]
    return entries


def core_of(elf):
    return elf.name.split(".")[-2]


def measured(counter, elf, options):
    core = core_of(elf)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "cycles.json"
        result = subprocess.run([counter, "--quiet", "--json", output, *options, elf], text=True, capture_output=True)
        if result.returncode == 1:
            sys.exit(f"{elf.name}: a result was wrong")
        if result.returncode:
            sys.exit(f"{elf.name}: {result.stderr.strip()}")
        report = json.loads(output.read_text())
    entries = []
    for measure in report["measures"]:
        if measure["kind"] != "region" or not measure["count"]:
            continue
        items = measure["items"] or 1
        entries.append({
            "name": f"cycles/{core}/" + name_of(measure["name"]),
            "run_type": "iteration",
            "iterations": measure["count"],
            "cycles": round(measure["max" if measure["name"].endswith(".worst") else "mean"] / items, 4),
            "min_cycles": round(measure["min"] / items, 4),
            "max_cycles": round(measure["max"] / items, 4),
            "quantiles": {share: round(cycles / items, 4) for share, cycles in measure["quantiles"].items()},
            "instructions": round(measure["instructions"] / measure["count"] / items, 4),
            "items": items,
            "stalls": {cause: round(cycles / measure["count"] / items, 4)
                       for cause, cycles in measure["stalls"].items() if cycles},
        })
    if not entries:
        sys.exit(f"{elf.name}: no region was measured")
    return entries


def version(compiler):
    return "GCC " + subprocess.run([compiler, "-dumpfullversion"], text=True, capture_output=True, check=True).stdout.strip()


def is_spread(name):
    """Whether it is of interest how the passes of a key differ."""
    return name.endswith("/pauses")


def figures(entries):
    """What is compared, by name."""
    all_of = {entry["name"]: entry["cycles"] for entry in entries}
    for entry in entries:
        if is_spread(entry["name"]):
            all_of.update({f"{entry['name']}, {share}": cycles for share, cycles in entry["quantiles"].items()})
            all_of[f"{entry['name']}, 1"] = entry["max_cycles"]
    return all_of


def compare(entries, expected):
    """What differs, one sentence each."""
    found, known = figures(entries), figures(expected["benchmarks"])
    wrong = []
    for name in sorted(found.keys() | known.keys()):
        before, now = known.get(name), found.get(name)
        if now is None:
            wrong.append(f"{name} is gone")
        elif before is None:
            wrong.append(f"{name} is new, {now} cycles")
        elif now > before * TOLERANCE:
            wrong.append(f"{name} grew from {before} to {now} cycles")
        elif now * TOLERANCE < before:
            wrong.append(f"{name} shrank from {before} to {now} cycles")
    return wrong


def split(entries, cores, text):
    """The entries of some cores whose names contain a text, and all others."""
    chosen, others = [], []
    for entry in entries:
        name = entry["name"]
        (chosen if name.split("/")[1] in cores and text in name else others).append(entry)
    return chosen, others


def update(entries, others, compiler, path):
    """One line per entry, for differences that can be read; how often it ran where that is more than once, and how its
    passes differ."""
    lines = []
    for entry in sorted(entries + others, key=lambda entry: entry["name"]):
        keys = ["name", "cycles", "instructions"] + (["items", "iterations"] if entry.get("iterations", 1) > 1 else [])
        keys += ["quantiles", "max_cycles"] if is_spread(entry["name"]) else []
        lines.append(json.dumps({key: entry[key] for key in keys}))
    path.write_text(f'{{"compiler": "{compiler}", "unit": "cycles per item", "benchmarks": [\n'
                    + ",\n".join(lines) + "\n]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counter", required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", type=Path)
    parser.add_argument("--update", type=Path)
    parser.add_argument("--compiler", help="that built the programs")
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
    compiler = version(options.compiler) if options.compiler else "unknown"
    cores = {core_of(elf) for elf in options.elves}
    if options.update:
        known = json.loads(options.update.read_text())["benchmarks"] if options.update.exists() else []
        update(entries, split(known, cores, options.filter)[1], compiler, options.update)
    if not options.check:
        return 0
    expected = json.loads(options.check.read_text())
    expected["benchmarks"] = split(expected["benchmarks"], cores, options.filter)[0]
    wrong = compare(entries, expected)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong and compiler != expected["compiler"]:
        print(f"No error: {options.check} is of {expected['compiler']}, this is {compiler}.", file=sys.stderr)
        return 0
    if wrong:
        print(f"If this is meant, '{UPDATE}' writes {options.check} anew; the difference belongs in the commit.",
              file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
