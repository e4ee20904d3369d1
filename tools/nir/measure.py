# SPDX-License-Identifier: BSL-1.0
"""A plan as firmware: its sizes as the compiler has them, and the cycles of its steps on an emulated core."""

import json
import pathlib
import re
import subprocess
import tempfile

import numpy

import header
from graph import Wrong

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "benchmarks/cycles_kernels"
CORES = {"arm968": ["-marm", "-mcpu=arm968e-s"], "cortex_m4": ["-mthumb", "-mcpu=cortex-m4", "-mfloat-abi=soft"]}
FLAGS = ["-std=c++20", "-O2", "-fno-exceptions", "-fno-rtti", "-ffunction-sections", "-fdata-sections", "-fno-threadsafe-statics"]

PROGRAM = """
#include "measure.hpp"
namespace {{
constexpr std::int32_t data[] __attribute__((section(".measured_input"))) = {{{data}}};
constinit {name}::Network network;
[[gnu::noinline]] std::size_t step({parameters}) {{
  return network.step({call}).size();
}}
}} // namespace
bool run() {{
  std::size_t sum = 0;
  const std::int32_t* at = data;
  for (unsigned step_number = 0; step_number < {steps}; ++step_number) {{
    {body}
  }}
  return sum != 1;
}}
"""


def program(name, made, given):
    """Source that steps a network through `given`, integers by step, with the region `step` around each."""
    count = made.signals[made.input].count
    data = []
    if made.signals[made.input].kind == "spikes":
        for x in given:
            on = numpy.nonzero(x)[0]
            data += [len(on), *on]
        parts = {"parameters": "const std::uint32_t* spikes, std::size_t count", "call": "std::span(spikes, count)",
                 "body": "const std::size_t count = static_cast<std::size_t>(*at++);\n    const auto* const spikes = reinterpret_cast<const std::uint32_t*>(at);\n"
                         "    MEASURE(\"step\", 1, sum += step(fresh(spikes), fresh(count)));\n    at += count;"}
    else:
        for x in given:
            data += list(x)
        parts = {"parameters": "const std::int32_t* values", "call": f"std::span<const std::int32_t, {count}>(values, {count})",
                 "body": f"MEASURE(\"step\", 1, sum += step(fresh(at)));\n    at += {count};"}
    return header.write(made, name, "A network that is measured.").replace("#pragma once\n", "") + \
        PROGRAM.format(name=name, data=", ".join(str(int(one)) for one in data), steps=len(given), **parts)


def run(command, what):
    try:
        done = subprocess.run([str(one) for one in command], capture_output=True, text=True)
    except OSError as error:
        raise Wrong(f"{command[0]}: it cannot be run: {error.strerror}") from None
    if done.returncode != 0:
        raise Wrong(f"{what}: {(done.stderr or done.stdout).strip()[:600]}")
    return done.stdout


class Firmware:
    """Bytes of what a network brings into a program, and cycles of a step: the mean, and the longest."""

    def __init__(self, name, made, given, core, compiler, counter):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "main.cpp").write_text(program(name, made, given))
            object_file, elf = folder / "main.o", folder / "main.elf"
            run([compiler, *FLAGS, *CORES[core], "-fstack-usage", f"-I{ROOT}/include", f"-I{KERNELS}", "-c", "-o", object_file, folder / "main.cpp"], "the network does not compile")
            self.sizes(run([compiler.replace("g++", "size"), "-A", object_file], "its sizes cannot be read"))
            frames = [int(line.split("\t")[1]) for line in object_file.with_suffix(".su").read_text().splitlines() if "firmware_start" not in line]
            self.stack = sum(frames)  # of all functions at once: none calls itself
            self.mean = self.worst = None
            if counter:
                run([compiler, *CORES[core], "-nostartfiles", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments", f"-L{KERNELS}", f"-L{ROOT}/cmake/firmware",
                     f"-T{KERNELS}/{core}.ld", "-Wl,--orphan-handling=place", "-o", elf, object_file], "it does not fit the memories of the emulated core")
                run([counter, "--quiet", "--json", folder / "cycles.json", elf], "it cannot be counted")
                region = next(one for one in json.loads((folder / "cycles.json").read_text())["measures"] if one["kind"] == "region")
                self.mean, self.worst = region["mean"], region["max"]

    def sizes(self, text):
        self.code = self.tables = self.data = self.zeros = 0
        for line in text.splitlines():
            found = re.match(r"(\.\S+)\s+(\d+)", line)
            if not found or found[1] == ".measured_input":
                continue
            bytes_ = int(found[2])
            if found[1].startswith(".text"):
                self.code += bytes_
            elif found[1].startswith(".rodata"):
                self.tables += bytes_
            elif found[1].startswith(".data"):
                self.data += bytes_
            elif found[1].startswith(".bss"):
                self.zeros += bytes_
