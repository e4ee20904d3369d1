# SPDX-License-Identifier: BSL-1.0
"""asm.<backend>: every operation of an ARM backend compiles at each level of optimisation, with a frame pointer and
without: its operands fit into the registers that are left, its loops into the reach of branches and literals.

usage: asm.py SETTINGS BACKEND MACHINE

A static function of the backend's header, or of the headers it includes from target/, that the text below does not call
is an error.
"""

import re
import sys

from common import INCLUDE, Failure, Settings, main, must_compile

BACKENDS = {"armv5te": "Armv5te", "cortex_m4": "CortexM4", "arm_dsp": "ArmDsp"}
LEVELS = ["-O0", "-Og", "-O1", "-Os", "-O2", "-O3"]
FRAMES = ["-fomit-frame-pointer", "-fno-omit-frame-pointer"]

# One call of each operation from a function of its own, and all in one.
CALLS = {
    "multiply_add_high": "words[0] = static_cast<std::uint32_t>(Target::multiply_add_high(ring[0], ring[1], halves[0])"
                         " + Target::multiply_add_high(ring[0], ring[1], ring[2]));",
    "add_saturating": "ring[0] = Target::add_saturating(ring[1], ring[2]);",
    "decay": "ring[0] = Target::Lanes::decay(ring[1], ring[2]);",
    "add_scaled": "typename Target::Lanes::Overflow overflow;"
                  " ring[0] = Target::Lanes::add_scaled(ring[1], ring[2], offset % 31, overflow);",
    "add_scaled_magnitudes": "typename Target::Lanes::Overflow overflow;"
                             " ring[0] = Target::Lanes::add_scaled_magnitudes(ring[1], ring[2], offset % 31, overflow);",
    "wait_for_interrupt": "typename Target::InterruptLock lock; Target::wait_for_interrupt();",
    "add_row_wrap": "Target::template add_row_wrap<8, false>(ring, row, count, offset);"
                    " Target::template add_row_wrap<24, true>(ring, row, count, offset);",
    "add_row_wrap_saturating": "words[0] = Target::template add_row_wrap_saturating<8, true>(elements, row, count, offset)"
                               " + Target::template add_row_wrap_saturating<24, false>(elements, row, count, offset);",
    "add_rowlet": "Target::add_rowlet(ring, row, count);",
    "add_rowlet_saturating": "words[0] = Target::add_rowlet_saturating(elements, row, count);",
    "add_pairs": "Target::add_pairs(ring, row, count);",
    "add_uniform": "Target::add_uniform(ring, row, count, ring[0]);",
    "add_dense": "Target::add_dense(ring, row, count);",
    "take_words": "Target::take_words(ring, ring + 1000, count);",
    "clear_words": "Target::clear_words(words, count);",
    "copy_words": "Target::copy_words(words, row, count);",
    "copy_block": " ".join(f"Target::template copy_block<{words}>(words, row);" for words in (0, 1, 2, 3, 17, 64, 65)),
    "packed_lif_psps": "ring = Target::packed_lif_psps(ring, elements, elements + 1000, count, Constants{});",
    "lif_membranes": " ".join(f"words = Target::template lif_membranes<{psps}>(ring, ring + 1000, offset, count,"
                              " Constants{}, words);" for psps in (0, 1, 2)),
    "lif_membranes_by_neuron": " ".join(f"words = Target::template lif_membranes_by_neuron<{psps}>(ring, ring + 1000,"
                                        " ring + 2000, count, Rows{ring, ring, ring, ring}, words);" for psps in (1, 2)),
    "lif_psps": " ".join(f"ring = Target::template lif_psps<{kind}>(ring, {input}, {input}, ring, count, Constants{{}});"
                         for kind in ("false, false", "false, true", "true, false", "true, true")
                         for input in ("ring", "elements")),
    "fill_jkiss64": "struct { std::uint32_t x, y, z, c; } state{row[0], row[1], row[2], row[3]};"
                    " Target::fill_jkiss64(state, words, count); words[0] = state.x + state.y + state.z + state.c;",
    "fill_sfc32": "struct { std::uint32_t a, b, c, counter; } state{row[0], row[1], row[2], row[3]};"
                  " Target::fill_sfc32(state, words, count); words[0] = state.a + state.b + state.c + state.counter;",
    "byte_cells": "draw<neuromorph::ByteTable<9>, neuromorph::Sfc32>(row, words, elements, count);",
    "pair_cells": "draw<neuromorph::PairTable<9, 9>, neuromorph::Sfc32>(row, words, elements, count);",
    "word_positions": "draw<neuromorph::WordTable<9>, neuromorph::Sfc32>(row, words, elements, count);",
    "byte_blocks": "draw<neuromorph::ByteTable<9>, neuromorph::Jkiss64>(row, words, elements, count);",
    "pair_blocks": "draw<neuromorph::PairTable<9, 9>, neuromorph::Jkiss64>(row, words, elements, count);",
    "word_blocks": "draw<neuromorph::WordTable<9>, neuromorph::Jkiss64>(row, words, elements, count);",
    "compact_lif_loop": "using Wide = neuromorph::CompactLif<>; using Narrow = neuromorph::CompactLif<std::int16_t>;"
                        " auto* narrow = reinterpret_cast<std::int16_t*>(elements);"
                        " advance<Wide>(ring, ring + 99, Wide::Parameters{}, ring + 199, words, count);"
                        " advance<Wide>(ring, ring + 99, Wide::Parameters{}, halves, words, count);"
                        " advance<Wide>(ring, ring + 99, Wide::Table{}, narrow, words, count);"
                        " using Two = neuromorph::CompactLif<std::int32_t, 2>;"
                        " advance<Two>(ring, ring + 99, Two::Parameters{}, ring + 199, words, count);"
                        " advance<Two>(ring, ring + 99, Two::Parameters{}, halves, words, count);"
                        " advance<Narrow>(ring, narrow, Narrow::Parameters{}, halves, words, count);"
                        " advance<Narrow>(ring, narrow, Narrow::Parameters{}, narrow + 99, words, count);",
}
# What a call needs before it.
PRELUDE = """
#include <neuromorph/kernels/byte_table.hpp>
#include <neuromorph/kernels/compact_lif.hpp>
#include <neuromorph/kernels/jkiss64.hpp>
#include <neuromorph/kernels/pair_table.hpp>
#include <neuromorph/kernels/sfc32.hpp>
#include <neuromorph/kernels/word_table.hpp>
struct Constants {
  std::int32_t decay = -3, reset = -7, after_spike = 5, factor[2] = {7, 8}, offset[2] = {-9, -8};
  std::uint32_t flip = 5, coupling = 6, drift = 7, scale = 8, shift = 9, limit = 10;
};
struct Rows {
  const std::int32_t *decay, *drift, *reset, *after_spike;
  std::uint32_t scale = 8;
};
template <class Model, class Psp, class Source, class Input>
void advance(std::int32_t* ring, Psp* psp, const Source& source, Input* input, std::uint32_t* words, std::size_t count) {
  neuromorph::RefractoryQueue queue{};
  typename Model::State state{{ring, count}, {}, &queue};
  std::array<Input*, Model::receptors> inputs{};
  for (std::size_t which = 0; which < Model::receptors; ++which)
    state.psp[which] = {psp + which * count, count}, inputs[which] = input + which * count;
  Model::template advance<Target>(state, source, {1, 2, 3, 4, 5}, inputs, words[0], words);
}
template <class Table, class Source>
void draw(const std::uint32_t* row, std::uint32_t* words, std::uint16_t* elements, std::size_t count) {
  const std::span<std::uint8_t> values{reinterpret_cast<std::uint8_t*>(elements), count};
  reinterpret_cast<const Table*>(row)->template fill<Target>(*reinterpret_cast<Source*>(words), values);
}
"""
PARAMETERS = ("std::int32_t* ring, std::uint16_t* elements, const std::int16_t* halves, std::uint32_t* words,"
              " const std::uint32_t* row, std::size_t count, std::uint32_t offset")
UNUSED = "[[maybe_unused]] " + PARAMETERS.replace(", ", ", [[maybe_unused]] ")
HELPERS = {"skipped", "copy_two", "aligned_byte_cells", "aligned_pair_cells", "jkiss64_blocks", "jkiss64_words",
           "draw_blocks"}


def operations(header):
    """The names of functions with an asm statement, in a header and in those it includes from target/."""
    names, text = set(), header.read_text()
    for found in re.finditer(r"\bstatic (?:constexpr )?(?:void|std::\w+\*?|Value|WordBlocks)\s*(\w+)\(", text):
        names.add(found[1])
    for include in re.findall(r"#include <neuromorph/(target/(?:arm|cortex)\w*\.hpp)>", text):
        names |= operations(INCLUDE / "neuromorph" / include)
    return names - HELPERS


def check(settings, backend, machine):
    header = INCLUDE / "neuromorph/target" / f"{backend}.hpp"
    forgotten = sorted(operations(header) - CALLS.keys())
    if forgotten:
        raise Failure(f"tests/checks/asm.py compiles no call of {', '.join(forgotten)} of {header.name}")
    text = f"#include <neuromorph/target/{backend}.hpp>\nusing Target = neuromorph::target::{BACKENDS[backend]};\n"
    text += PRELUDE
    for name, call in CALLS.items():
        text += f"void call_{name}({PARAMETERS});\nvoid call_{name}({UNUSED}) {{ {call} }}\n"
    text += f"void all({PARAMETERS});\nvoid all({PARAMETERS}) {{\n"
    text += "".join(f"  {{ {call} }}\n" for call in CALLS.values()) + "}\n"
    command = settings.command(machine)
    for level in LEVELS:
        for frame in FRAMES:
            must_compile(command, text, f"{header.name} at {level} {frame}", (level, frame, "-c", "-o", "/dev/null"))
    return [f"{len(CALLS)} operations compiled {len(LEVELS) * len(FRAMES)} times"]


if __name__ == "__main__":
    main(check, Settings(sys.argv[1]), *sys.argv[2:])
