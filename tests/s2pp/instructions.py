# SPDX-License-Identifier: BSL-1.0
"""s2pp.instructions: the masked constant update has as many instructions as docs/target.md says.

usage: instructions.py COMPILER OBJDUMP

Figures are of GCC 12; with another compiler they are printed and are no error.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = """
#include <neuromorph/kernels/plasticity/rules/constant.hpp>
#include <neuromorph/target/power/s2pp_hx.hpp>
#include <neuromorph/target/power/s2pp_space.hpp>
using namespace neuromorph;
using Flags = LaneFlags<std::uint8_t, target::S2pp>;
using Plain = PlainVectors<std::uint8_t, target::S2pp>;
template <class Memory>
inline void update(const Memory& weights, const std::uint8_t* mask, VectorAddress at) {
  ConstantRule<Memory> rule{weights, 17};
  rule.vector_rule(Flags::from_lanes(Vec<std::uint8_t, target::S2pp>::load(mask)), at);
}
extern "C" void plain(Plain weights, const std::uint8_t* mask, VectorAddress at) { update(weights, mask, at); }
struct Constant {
  static constexpr void describe(auto& unit) { unit.write(0, unit.number(0), negative(unit.memory(0))); }
};
extern "C" void kernel(std::uint32_t count, const target::S2ppHx::Arguments<Constant>& given) { target::S2ppHx::run<Constant>(count, given); }
extern "C" void space(S2ppSpace<> weights, const std::uint8_t* mask, VectorAddress at) { update(weights, mask, at); }
"""
ROWS = {"plain": "`PlainVectors`", "space": "`S2ppSpace`", "kernel": "`S2ppHx`"}


def count(listing, name):
    """All instructions of a function, the vector unit's (primary opcode 4), and waits; of one with a loop, those of the loop."""
    body = listing.split(f"<{name}>:\n")[1].split("\n\n")[0].splitlines()
    words = [int("".join(line.split("\t")[1].split()), 16) for line in body]
    for at, line in enumerate(body):
        if back := re.search(r"\tbdnz\s+([0-9a-f]+) ", line):
            words = words[next(n for n, other in enumerate(body) if int(other.split(":")[0], 16) == int(back[1], 16)):at + 1]
    return len(words), sum(word >> 26 == 4 for word in words), sum(word == 0x7C0004AC for word in words)


def main(compiler, objdump):
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "update.cpp"
        program.write_text(SOURCE)
        subprocess.run([compiler, "-std=c++20", "-O2", "-mcpu=750", "-mno-altivec", "-D__S2PP__", f"-I{ROOT}/include", "-c",
                        program, "-o", program.with_suffix(".o")], check=True)
        listing = subprocess.run([objdump, "-d", program.with_suffix(".o")], check=True, text=True, capture_output=True).stdout
    version = subprocess.run([compiler, "-dumpversion"], check=True, text=True, capture_output=True).stdout
    page = (ROOT / "docs/target.md").read_text()
    wrong = 0
    for name, memory in ROWS.items():
        found = count(listing, name)
        print(f"{memory}: {found[0]} instructions, {found[1]} of the vector unit, {found[2]} waits")
        row = re.search(re.escape(f"({memory})") + r" \| (\d+) \| (\d+) \| (\d+) \|", page)
        wrong += not row or tuple(map(int, row.groups())) != found
    if wrong:
        print("docs/target.md says otherwise")
    return wrong != 0 and version.split(".")[0].strip() == "12"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
