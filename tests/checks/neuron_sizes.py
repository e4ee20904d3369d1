# SPDX-License-Identifier: BSL-1.0
"""neuron_sizes.<cpu>: bytes of code of a step, of state of a neuron, and of what a population keeps once, of each named
composition.

tests/size/neurons/steps.cpp is compiled once at -O2 and linked with each step as all that is asked for. The figures stand in
tests/size/neurons/expected.txt; 2 % more code, or any more state, is an error.

usage: neuron_sizes.py check SETTINGS CPU
       neuron_sizes.py update SETTINGS
"""

import sys
import tempfile
from pathlib import Path

import size
from common import INCLUDE, ROOT, Failure, Settings, main, run

SOURCE = ROOT / "tests/size/neurons/steps.cpp"
EXPECTED = ROOT / "tests/size/neurons/expected.txt"
HEAD = """\
# Bytes of a step's code, of a neuron's state, and of what a population keeps once, arm-none-eabi-g++ {version}, -O2.
# Written by 'cmake --build <build> --target update_neuron_sizes'; a change here belongs in CHANGELOG.md.
# cpu      neuron                           code   state  shared
"""


def measure(settings, cpu):
    """{name: (code, state, shared)}"""
    flags = [*size.CPUS[cpu], "-ffreestanding", "-nostartfiles", "-nodefaultlibs"]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "steps.o"
        result = run([settings.arm_cxx, "-std=c++20", *settings.warnings, *flags, "-O2", "-fno-exceptions", "-fno-rtti",
                      "-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-ffunction-sections", "-fdata-sections",
                      f"-I{INCLUDE}", "-c", SOURCE, "-o", made])
        if result.returncode:
            raise Failure(f"{SOURCE} does not compile for {cpu}:\n{result.stdout}")
        found = {}
        symbols = {words[3]: int(words[1], 16) for line in run([size.tool(settings, "nm"), "-S", made]).stdout.splitlines()
                   if len(words := line.split()) == 4}
        for name in (symbol.removeprefix("state_") for symbol in symbols if symbol.startswith("state_")):
            program = Path(folder) / "step.elf"
            result = run([settings.arm_cxx, *flags, made, "-o", program, "-Wl,--gc-sections", f"-Wl,--entry=step_{name}",
                          f"-Wl,--undefined=step_{name}", "-Wl,--build-id=none", "-Wl,--start-group", "-lgcc", "-lc",
                          "-Wl,--end-group"])
            if result.returncode:
                raise Failure(f"step_{name} does not link for {cpu}:\n{result.stdout}")
            if forbidden := size.forbidden_symbols(settings, program):
                raise Failure(f"{name} for {cpu} holds what firmware must not: {', '.join(forbidden)}")
            found[name] = size.measure(settings, program)["text"], symbols[f"state_{name}"], symbols[f"shared_{name}"]
    return found


def version_of(settings):
    return run([settings.arm_cxx, "-dumpfullversion"]).stdout.strip()


def line_of(cpu, name, code, state, shared):
    return f"{cpu:<10} {name:<30} {code:>6} {state:>7} {shared:>7}"


def check(settings, cpu):
    expected, version = {}, None
    for line in EXPECTED.read_text().splitlines():
        if line.startswith("# Bytes"):
            version = line.split("arm-none-eabi-g++ ")[1].split(",")[0]
        elif not line.startswith("#"):
            core, name, *sizes = line.split()
            if core == cpu:
                expected[name] = tuple(map(int, sizes))
    found = measure(settings, cpu)
    if set(found) != set(expected):
        raise Failure(f"{EXPECTED} has not the neurons of {SOURCE}: {', '.join(sorted(set(found) ^ set(expected)))}")
    wrong, said = [], []
    for name, sizes in found.items():
        code, *state = sizes
        was_code, *was_state = expected[name]
        line = line_of(cpu, name, *sizes)
        if state != was_state:
            wrong.append(f"{name} for {cpu}: {state} bytes of state and shared in place of {was_state}; if that is meant, "
                         f"write\n{line}")
        elif code > was_code * (1 + size.GROWTH):
            text = f"{name} for {cpu}: code grew from {was_code} to {code} bytes, by more than {size.GROWTH:.0%}"
            if version_of(settings) == version:
                wrong.append(f"{text}; if that is meant, write\n{line}")
            else:
                said.append(f"{text}; no error, as the figures were taken with GCC {version}")
        elif code < was_code * (1 - size.GROWTH):
            said.append(f"{name} for {cpu}: code shrank from {was_code} to {code} bytes; update the figure")
    if wrong:
        raise Failure("\n".join(wrong))
    return [f"{len(found)} neurons", *said]


def update(settings):
    lines = [line_of(cpu, name, *sizes) for cpu in size.CPUS for name, sizes in measure(settings, cpu).items()]
    EXPECTED.write_text(HEAD.format(version=version_of(settings)) + "\n".join(lines) + "\n")
    return lines


if __name__ == "__main__":
    if sys.argv[1] == "update":
        main(update, Settings(sys.argv[2]))
    else:
        main(check, Settings(sys.argv[2]), *sys.argv[3:])
