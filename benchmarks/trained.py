# SPDX-License-Identifier: BSL-1.0
"""Trained networks: spikes that differ, bytes of tables, cycles of a step on emulated cores.

usage: trained.py --counter NEUROMORPH_CYCLES --compiler ARM_CXX [--json FILE]

The network of examples/trained, and those of NIR's paper where NEUROMORPH_NIR_SAMPLES names the folder of its files. Braille's spikes
are compared with those that were published, the others' with the graph in double. It needs h5py, Debian's python3-h5py.
"""

import argparse
import json
import os
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools/nir"), str(ROOT / "tests/checks"), str(ROOT / "examples/trained")]

import numpy  # noqa: E402

import measure  # noqa: E402
import nir  # noqa: E402
import plan  # noqa: E402
import report  # noqa: E402
import rules  # noqa: E402
import train  # noqa: E402

def networks():
    """Name, plan, input, and spikes that differ."""
    x, _ = train.bars(numpy.random.default_rng(3), 12)
    samples = x.transpose(1, 0, 2)
    made = nir.network(ROOT / "examples/trained/bars.nir", rules.PRESETS["norse"], 1e-3, weights=8)
    yield "bars", made, samples[:4].reshape(-1, 64).astype(int), report.Measured(made, samples).wrong["hidden"], True
    folder = os.environ.get("NEUROMORPH_NIR_SAMPLES")
    if not folder:
        print("left out: braille and cnn, as NEUROMORPH_NIR_SAMPLES names no folder")
        return
    folder = pathlib.Path(folder)
    made = nir.network(folder / "braille_noDelay_noBias_subtract.nir", rules.PRESETS["snntorch"], 1e-4)
    right = numpy.load(folder / "snntorch_activity_noDelay_noBias_subtract.npy").reshape(256, 40)
    fixed, wrong, given = plan.Fixed(made), 0, nir.braille_sample(folder)
    for step, spikes in zip(given, right):
        fixed.step(step)
        wrong += int((fixed.now["lif1.lif"] != spikes).sum())
    yield "braille", made, given, wrong, True
    made = nir.network(folder / "cnn_sinabs.nir", rules.PRESETS["sinabs"], 1e-3, weights=32, state_bits=20)
    given = (numpy.random.default_rng(1).random((60, 2 * 34 * 34)) < 0.02).astype(int)
    yield "cnn", made, given, sum(report.Measured(made, given[None]).wrong.values()), False  # larger than these cores' memories


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counter", required=True)
    parser.add_argument("--compiler", default="arm-none-eabi-g++")
    parser.add_argument("--json")
    given = parser.parse_args()
    entries = []

    def add(name, counter, value):
        entries.append({"name": name, "run_name": name, "run_type": "iteration", "iterations": 1, counter: value})

    for name, made, data, wrong, fits in networks():
        add(f"nir/{name}/bits_wrong", "value", wrong)
        add(f"nir/{name}/bytes", "value", made.bytes())
        line = f"{name}: {wrong} spikes differ, {made.bytes()} bytes of tables"
        for core in measure.CORES if fits else ():
            firmware = measure.Firmware(name, made, data, core, given.compiler, given.counter)
            mean, worst = firmware.mean, firmware.worst
            add(f"nir/{name}/cycles_per_step/{core}", "cycles", round(mean, 1))
            add(f"nir/{name}/cycles_per_step/{core}/worst", "cycles", worst)
            line += f"; {core}: {mean:.0f} cycles a step, {worst:.0f} at most"
        print(line)
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps({"benchmarks": entries}, indent=1))


if __name__ == "__main__":
    main()
