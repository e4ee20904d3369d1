#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the LIF firmware in neuromorph-cycles; prints cycles per neuron and writes them like Google Benchmark does.

    run.py <neuromorph-cycles> <directory of the .elf files> [--json out.json]
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def measure(tool, elf):
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory) / "out.json"
        subprocess.run([tool, "--quiet", "--json", out, elf], check=True)
        (region,) = json.loads(out.read_text())["measures"]
    return region


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    entries = []
    for elf in sorted(options.directory.glob("cycles.*.lif.*.elf")):
        region = measure(options.tool, elf)
        passes = region["count"] * region["items"]
        entries.append({
            "name": elf.stem.replace(".", "/"),
            "run_type": "iteration",
            "iterations": region["count"],
            "items": region["items"],
            "cycles": region["cycles"] / passes,
            "instructions": region["instructions"] / passes,
        })
        print(f"{entries[-1]['name']:50} {entries[-1]['cycles']:8.3f} {entries[-1]['instructions']:8.3f}")
    if not entries:
        sys.exit(f"{options.directory} holds no firmware; build the targets cycles.* first")
    if options.json:
        options.json.write_text(json.dumps({"benchmarks": entries}, indent=2) + "\n")


if __name__ == "__main__":
    main()
