# SPDX-License-Identifier: BSL-1.0
"""A plan as firmware: its sizes as the compiler has them, and the cycles of its steps on an emulated core."""

import json
import pathlib
import subprocess
import tempfile

import numpy

import header
from graph import Wrong
from image import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "benchmarks/cycles_kernels"
CORES = {"arm968": ["-marm", "-mcpu=arm968e-s"], "cortex_m4": ["-mthumb", "-mcpu=cortex-m4", "-mfloat-abi=soft"]}
FLAGS = ["-std=c++20", "-O2", "-fno-exceptions", "-fno-rtti", "-ffunction-sections", "-fdata-sections", "-fno-threadsafe-statics"]

PROGRAM = """
#include "measure.hpp"
namespace {{
constexpr std::int32_t data[] __attribute__((section(".measured_input"))) = {{{data}}};
constinit {name}::Network measured;
[[gnu::noinline]] std::size_t step({parameters}) {{
  return measured.step({call}).size();
}}
}} // namespace
bool run() {{
  std::size_t sum = 0;
  const std::int32_t* at = data;
  for (unsigned sample = 0; sample < {samples}; ++sample) {{
    measured.reset();
    for (unsigned step_number = 0; step_number < {steps}; ++step_number) {{
      {body}
    }}
  }}
  return sum != 1;
}}
"""
FRAME = ("firmware_start", "_Z3runv", "keep_start")  # what is not the network's


def program(name, made, given):
    """Source that steps a network through `given`, integers by sample and step, with the region `step` around each."""
    count = made.signals[made.input].count
    data = []
    if made.signals[made.input].kind == "spikes":
        for x in given.reshape(-1, count):
            on = numpy.nonzero(x)[0]
            data += [len(on), *on]
        parts = {"parameters": "const std::uint32_t* spikes, std::size_t count", "call": "std::span(spikes, count)",
                 "body": "const std::size_t count = static_cast<std::size_t>(*at++);\n      const auto* const spikes = reinterpret_cast<const std::uint32_t*>(at);\n"
                         "      MEASURE(\"step\", 1, sum += step(fresh(spikes), fresh(count)));\n      at += count;"}
    else:
        data = list(given.reshape(-1))
        parts = {"parameters": "const std::int32_t* values", "call": f"std::span<const std::int32_t, {count}>(values, {count})",
                 "body": f"MEASURE(\"step\", 1, sum += step(fresh(at)));\n      at += {count};"}
    return header.write(made, name, "A network that is measured.").replace("#pragma once\n", "") + \
        PROGRAM.format(name=name, data=", ".join(str(int(one)) for one in data), samples=given.shape[0], steps=given.shape[1], **parts)


def run(command, what):
    try:
        done = subprocess.run([str(one) for one in command], capture_output=True, text=True)
    except OSError as error:
        raise Wrong(f"{command[0]}: it cannot be run: {error.strerror}") from None
    if done.returncode != 0:
        raise Wrong(f"{what}: {(done.stderr or done.stdout).strip()[:600]}")
    return done.stdout


class Firmware:
    """Bytes of what a network brings into a program, and cycles of a step: the mean, and the longest.
    given: integers, [sample][step][element] or [step][element]; the network is reset before each sample."""

    def __init__(self, name, made, given, core, compiler, counter):
        given = numpy.asarray(given)
        given = given[None] if given.ndim == 2 else given
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "main.cpp").write_text(program(name, made, given))
            object_file, elf = folder / "main.o", folder / "main.elf"
            run([compiler, *FLAGS, *CORES[core], f"-I{ROOT}/include", f"-I{KERNELS}", "-c", "-o", object_file, folder / "main.cpp"], "the network does not compile")
            run([compiler, *CORES[core], "-nostartfiles", "--specs=nosys.specs", "-Wl,-e,firmware_start", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments",
                 "-o", elf, object_file], "the network cannot be linked")  # of any size: the linker's own script has no end
            image = Image(elf)
            self.stack = image.stack()[0][0]
            own = {name: bytes_ for name, _, bytes_, _, _ in image.symbols}
            self.code = image.code - sum(own.get(one, 0) for one in FRAME)
            self.tables, self.data, self.zeros = image.tables - image.bytes_of(".measured_input"), image.data, image.zeros
            self.mean = self.worst = None
            if counter:
                script, regions = KERNELS / f"{core}.ld", []
                if core == "cortex_m4":  # as some of them have: no network is too large to be counted
                    script = folder / "large.ld"
                    script.write_text((KERNELS / f"{core}.ld").read_text().replace("LENGTH = 1M", "LENGTH = 8M").replace("LENGTH = 248K", "LENGTH = 4088K"))
                    regions = ["--region", "flash,0,0x800000", "--region", "sram,0x20000000,0x400000"]
                run([compiler, *CORES[core], "-nostartfiles", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments", f"-L{KERNELS}", f"-L{ROOT}/cmake/firmware",
                     f"-T{script}", "-Wl,--orphan-handling=place", "-o", elf, object_file], "it does not fit the memories of the emulated core")
                run([counter, "--quiet", *regions, "--json", folder / "cycles.json", elf], "it cannot be counted")
                region = next(one for one in json.loads((folder / "cycles.json").read_text())["measures"] if one["kind"] == "region")
                self.mean, self.worst = region["mean"], region["max"]
