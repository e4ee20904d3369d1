# SPDX-License-Identifier: BSL-1.0
"""Trained networks: spikes that differ, bytes of tables, cycles of a step on emulated cores; and by how much tools/budget is wrong.

usage: trained.py --counter NEUROMORPH_CYCLES --compiler ARM_CXX [--json FILE]

The network of examples/trained, and those of NIR's paper where NEUROMORPH_NIR_SAMPLES names the folder of its files. Braille's spikes
are compared with those that were published, the others' with the graph in double. It needs h5py, Debian's python3-h5py.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / one) for one in ("tools/nir", "tools/advisor", "tests/checks", "examples/trained", "benchmarks/report")]

import numpy  # noqa: E402

import core_model  # noqa: E402
import header  # noqa: E402
import image  # noqa: E402
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
    yield "bars", made, samples.astype(int), report.Measured(made, samples).wrong["hidden"], measure.CORES
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
    yield "braille", made, given, wrong, measure.CORES
    made = nir.network(folder / "cnn_sinabs.nir", rules.PRESETS["sinabs"], 1e-3, weights=32, state_bits=20)
    given = (numpy.random.default_rng(1).random((60, 2 * 34 * 34)) < 0.02).astype(int)
    yield "cnn", made, given, sum(report.Measured(made, given[None]).wrong.values()), ["cortex_m4"]  # larger than the other's memory


# A program that uses the network as examples/trained does, on other bars than those that its budget was told by.
USER = """
#include "measure.hpp"
#include <neuromorph/digest.hpp>
namespace {{
constexpr std::int32_t data[] = {{{data}}};
constinit std::uint64_t seen = 0;
{network}
}} // namespace
bool run() {{
  const std::int32_t* at = data;
  neuromorph::Digest digest;
  for (unsigned bar = 0; bar < {bars}; ++bar) {{
    {reset}
    for (unsigned step_number = 0; step_number < {steps}; ++step_number) {{
      const auto count = static_cast<std::size_t>(*at++);
      const std::span spikes(reinterpret_cast<const std::uint32_t*>(at), count);
      digest.add(static_cast<std::uint32_t>(task(spikes)));
      at += count;
    }}
  }}
  seen = digest.value();
  return seen != 1;
}}
"""
WITH = """
constinit bars::Network network;
extern "C" [[gnu::noinline]] std::size_t task(std::span<const std::uint32_t> spikes) {
  return neuromorph::layers::largest(network.step(spikes));
}
"""
WITHOUT = """
extern "C" [[gnu::noinline]] std::size_t task(std::span<const std::uint32_t> spikes) { return fresh(spikes.size()); }
"""


def budget_errors(made, told, core, compiler, counter):
    """By how much a budget is wrong of what a program takes with its network, and of the cycles of its steps."""
    bars = 20
    x, _ = train.bars(numpy.random.default_rng(4), bars)
    data = []
    for sample in x.transpose(1, 0, 2):
        for spikes in sample:
            on = numpy.nonzero(spikes)[0]
            data += [len(on), *on]
    bytes_ = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for has_network in (True, False):
            text = header.write(made, "bars", "A network that is measured.").replace("#pragma once\n", "") if has_network else "#include <cstdint>\n#include <cstddef>\n#include <span>\n"
            text += USER.format(data=", ".join(str(int(one)) for one in data), network=WITH if has_network else WITHOUT, bars=bars, steps=x.shape[0],
                                reset="network.reset();" if has_network else "")
            (folder / "main.cpp").write_text(text)
            elf = folder / f"main{has_network}.elf"
            measure.run([compiler, *measure.FLAGS, *measure.CORES[core], f"-I{ROOT}/include", f"-I{measure.KERNELS}", "-nostartfiles", "-Wl,--gc-sections",
                         "-Wl,--no-warn-rwx-segments", f"-L{measure.KERNELS}", f"-L{ROOT}/cmake/firmware", f"-T{measure.KERNELS}/{core}.ld", "-Wl,--orphan-handling=place",
                         "-o", elf, folder / "main.cpp"], "the program does not compile")
            of = image.Image(elf)
            bytes_.append(of.code + of.tables + of.data + of.zeros)
        measure.run([counter, "--quiet", "--function", "task", "--json", folder / "cycles.json", folder / "mainTrue.elf"], "it cannot be counted")
        cycles = next(one["mean"] for one in json.loads((folder / "cycles.json").read_text())["measures"] if one["name"] == "task")
    return (told.code + told.tables + told.data + told.zeros) / (bytes_[0] - bytes_[1]) - 1, told.mean / cycles - 1


def errors_by_numbers(core):
    """Of the cycles of a core that was measured, by its numbers; realtime.py's coefficients are of others."""
    entries = core_model.entries_of(measure.KERNELS / "expected.json")
    place = f"cycles/{core}/core/cuba500/step_0.1ms/"
    of = {one["name"].removeprefix(place): one for one in entries if one["name"].startswith(place)}
    rate = of["rows"]["items"] / 4000 / 0.1 * 1000
    made = core_model.Core(500, 4000, of["events"]["items"] / 500 / (rate * 0.1 / 1000), rate, 0.1)
    return made.cycles(entries, core) / of["total"]["cycles"] - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counter", required=True)
    parser.add_argument("--compiler", default="arm-none-eabi-g++")
    parser.add_argument("--json")
    given = parser.parse_args()
    entries = []

    def add(name, counter, value):
        entries.append({"name": name, "run_name": name, "run_type": "iteration", "iterations": 1, counter: value})

    for name, made, data, wrong, cores in networks():
        add(f"nir/{name}/bits_wrong", "value", wrong)
        add(f"nir/{name}/bytes", "value", made.bytes())
        line = f"{name}: {wrong} spikes differ, {made.bytes()} bytes of tables"
        for core in cores:
            firmware = measure.Firmware(name, made, data, core, given.compiler, given.counter)
            mean, worst = firmware.mean, firmware.worst
            add(f"nir/{name}/cycles_per_step/{core}", "cycles", round(mean, 1))
            add(f"nir/{name}/cycles_per_step/{core}/worst", "cycles", worst)
            line += f"; {core}: {mean:.0f} cycles a step, {worst:.0f} at most"
            if name == "bars":
                of_bytes, of_cycles = budget_errors(made, firmware, core, given.compiler, given.counter)
                add(f"budget/trained/{core}/bytes_error", "value", round(of_bytes, 4))
                add(f"budget/trained/{core}/cycles_error", "value", round(of_cycles, 4))
                of_core = errors_by_numbers(core)
                add(f"budget/cuba/{core}/cycles_error", "value", round(of_core, 4))
                line += f", told before with errors of {of_bytes:+.1%} of bytes and {of_cycles:+.1%} of cycles (a core of CUBA by its numbers {of_core:+.1%})"
        print(line)
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps({"benchmarks": entries}, indent=1))


if __name__ == "__main__":
    main()
