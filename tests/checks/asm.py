# SPDX-License-Identifier: BSL-1.0
"""asm.<backend>: every operation that a backend has in assembly compiles at each level of optimisation: its operands
fit into the registers that are left, its loops into the reach of branches and literals. That is with a frame pointer,
which leaves a register less; at some levels without one, too.

usage: asm.py SETTINGS BACKEND MACHINE

A static function of the backend's header, or of the headers it includes from target/, that the text below does not call
is an error.
"""

import re
import sys

from common import INCLUDE, Failure, Settings, main, must_compile

BACKENDS = {"armv5te": "Armv5te", "cortex_m4": "CortexM4", "arm_dsp": "ArmDsp", "helium": "Helium",
            "s2pp": "S2pp"}
LEVELS = ["-O0", "-Og", "-O1", "-Os", "-O2", "-O3"]
WITHOUT_FRAME = {"-O0", "-O2"}

# Operands of an operation on lanes.
LANES = ("using Lanes = typename Target::Lanes; const auto a [[maybe_unused]] = Lanes::load(ring + 99),"
         " b [[maybe_unused]] = Lanes::load(ring + 199);")
# One call of each operation from a function of its own, and all in one.
CALLS = {
    "multiply_add_high": "words[0] = static_cast<std::uint32_t>(Target::multiply_add_high(ring[0], ring[1], halves[0])"
                         " + Target::multiply_add_high(ring[0], ring[1], ring[2]));",
    "add_saturating": "ring[0] = Target::add_saturating(ring[1], ring[2]);",
    "multiply_nearest": "words[0] = Target::template multiply_nearest<31>(row[0], row[1])"
                        " + Target::template multiply_nearest<32>(row[2], row[3]);",
    "load_at_once": "struct alignas(8) Two { std::uint32_t first, second; };"
                    " const Two both = Target::load_at_once(*reinterpret_cast<const Two*>(row)); words[0] = both.first;"
                    " words[1] = both.second;",
    "subtract_saturating": f"{LANES} Lanes::store(ring, Lanes::subtract_saturating(a, b));",
    "multiply_high": f"{LANES} Lanes::store(ring, Lanes::multiply_high(a, b));",
    "multiply_high_nearest": f"{LANES} Lanes::store(ring, Lanes::multiply_high_nearest(a, b));",
    "shift_right_nearest": f"{LANES} Lanes::store(ring, Lanes::shift_right_nearest(a, Lanes::shift(1 + offset % 31)));"
                           " Lanes::store(ring + 99, Lanes::shift_right_nearest(a, Lanes::shift(7)));",
    "decay_nearest": f"{LANES} Lanes::store(ring, Lanes::decay_nearest(a, Lanes::factor(b)));",
    "decay": f"{LANES} Lanes::store(ring, Lanes::decay(a, Lanes::factor(b)));",
    "add_scaled": f"{LANES} typename Lanes::Overflow overflow;"
                  " Lanes::store(ring, Lanes::add_scaled(a, b, Lanes::scale(offset % 31), overflow));",
    "add_scaled_magnitudes": f"{LANES} typename Lanes::Overflow overflow;"
                             " Lanes::store(ring, Lanes::add_scaled_magnitudes(a, b, Lanes::scale(offset % 31), overflow));",
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
    "izhikevich_loop": "words = step_izhikevich<Target>(ring, words, count);",
    "conductance_loop": "words = step_conductances<Target>(ring, words, count);",
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
    "one_loop": "auto* narrow = reinterpret_cast<std::int16_t*>(elements);"
                " step_driven<false, 7, Target>(ring, ring + 999, words);"
                " step_driven<false, 32, Target>(ring, narrow, words);"
                " step_driven<false, 100, Target>(ring, narrow, words);"
                " step_driven<false, 128, Target>(ring, ring + 999, words);"
                " step_driven<false, 0, Target>(ring, ring + 999, words, count);",
    "two_loop": "auto* narrow = reinterpret_cast<std::int16_t*>(elements);"
                " step_driven<true, 32, Target>(ring, narrow, words);"
                " step_driven<true, 64, Target>(ring, ring + 999, words);"
                " step_driven<true, 0, Target>(ring, narrow, words, count);",
}
# What a call needs before it.
PRELUDE = """
#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/pair_table.hpp>
#include <neuromorph/kernels/plasticity/rules/scaled_difference.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/word_table.hpp>
struct Constants {
  std::int32_t decay = -3, reset = -7, after_spike = 5, factor[2] = {7, 8}, offset[2] = {-9, -8};
  std::uint32_t flip = 5, coupling = 6, drift = 7, scale = 8, shift = 9, limit = 10;
};
struct Rows {
  const std::int32_t *decay, *drift, *reset, *after_spike;
  std::uint32_t scale = 8;
};
template <bool Two, class Input>
struct Driven {
  static constexpr bool two = Two;
  static constexpr int input_size = sizeof(Input), shift = 8;
  static constexpr std::int32_t down = -0x60000000;
};
template <bool Two, std::size_t Known, class Backend, class Input>
void step_driven(std::int32_t* ring, Input* input, std::uint32_t* words, std::size_t count = Known) {
  if constexpr (neuromorph::detail::offers<Backend, neuromorph::offer::DrivenLif>) {
    struct {
      std::int32_t* membrane;
      std::array<std::int32_t*, 1 + Two> psp;
      std::array<Input*, 1 + Two> input;
    } cursor{ring, {ring + 99}, {input}};
    const struct {
      std::int32_t membrane = 9, psp = 1, offset = 2, inhibition = 3, inhibition_offset = 4;
    } factors;
    Backend::template driven_lif<Driven<Two, Input>>(cursor, Known == 0 ? count : Known, factors, words, words[1]);
    Backend::forget_what_was_held();
  }
}
template <class Backend>
std::uint32_t* step_izhikevich(std::int32_t* ring, std::uint32_t* words, std::size_t count) {
  const struct {
    std::int32_t* membrane;
    std::intptr_t apart;
    std::int32_t* excitation;
    std::int32_t constants[6];
    std::int32_t* end;
    std::uint32_t* spikes;
  } block{ring, 4, ring, {1, 2, 3, 4, 5, 6}, ring + count, words};
  if constexpr (requires { Backend::izhikevich_membranes(block); }) words = Backend::izhikevich_membranes(block);
  return words;
}
template <class Backend>
std::uint32_t* step_conductances(std::int32_t* ring, std::uint32_t* words, std::size_t count) {
  const struct {
    std::int32_t* excitation;
    std::intptr_t apart;
    std::int32_t constants[6];
    std::int32_t* last;
    std::uint32_t* spikes;
  } block{ring, 4, {1, 2, 3, 4, 5, 6}, ring + count, words};
  if constexpr (requires { Backend::conductance_membranes(block); }) words = Backend::conductance_membranes(block);
  return words;
}
template <class Table, class Source>
void draw(const std::uint32_t* row, std::uint32_t* words, std::uint16_t* elements, std::size_t count) {
  const std::span<std::uint8_t> values{reinterpret_cast<std::uint8_t*>(elements), count};
  reinterpret_cast<const Table*>(row)->template fill<Target>(*reinterpret_cast<Source*>(words), values);
}
"""

ELEMENTS = {"u8": "std::uint8_t", "s8": "std::int8_t", "u16": "std::uint16_t", "s16": "std::int16_t"}


def vector_calls(operation, elements, result="{0}", arguments="<{0}>(a, b)"):
    """An operation on vectors of each of some elements, from memory and back; {0} is the element."""
    text = "using Vectors = typename Target::template Vectors<1>;"
    for element in map(ELEMENTS.get, elements.split()):
        to = result.format(element)
        text += (f" {{ const auto a [[maybe_unused]] = Vectors::template load<{element}>(reinterpret_cast<const {element}*>(row)),"
                 f" b [[maybe_unused]] = Vectors::template load<{element}>(reinterpret_cast<const {element}*>(words));"
                 f" Vectors::template store<{to}>(reinterpret_cast<{to}*>(ring),"
                 f" (Vectors::template {operation}{arguments.format(element)})); }}")
    return text


FLAGS = "std::make_unsigned_t<{0}>"
BINARY = "add subtract add_saturating subtract_saturating multiply multiply_high min max"
CALLS |= {f"vectors.{name}": vector_calls(name, "u8 s8 u16 s16") for name in BINARY.split()}
CALLS |= {
    "vectors.multiply_fractional": vector_calls("multiply_fractional", "s8 s16"),
    "vectors.equal": vector_calls("to_lanes", "u8 s16", FLAGS, f"<{FLAGS}>(Vectors::template equal<{{0}}>(a, b))"),
    "vectors.less": vector_calls("to_lanes", "u8 s8 u16 s16", FLAGS, f"<{FLAGS}>(Vectors::template less<{{0}}>(a, b))"),
    "vectors.nonzero": vector_calls("to_lanes", "u8 u16", "{0}", "<{0}>(Vectors::template nonzero<{0}>(a))"),
    "vectors.select": vector_calls("select", "u8 s16", "{0}", "<{0}>(Vectors::template less<{0}>(a, b), b, a)"),
    "vectors.unpack": vector_calls("unpack_low", "u8 s8", "neuromorph::target::DoubleLane<{0}>", "<{0}>(a)"),
    "vectors.unpack_flags": vector_calls("to_lanes", "u8", "std::uint16_t",
                                         "<std::uint16_t>(Vectors::unpack_low(Vectors::template less<{0}>(a, b)))"),
    "vectors.pack": vector_calls("pack", "s16", "std::uint8_t", "<std::uint8_t, {0}>(a, b)"),
    "vectors.pack_saturating": " ".join(f"{{ {vector_calls('pack_saturating', 's16', byte, f'<{byte}>(a, b)')} }}"
                                        for byte in ("std::uint8_t", "std::int8_t")),
}
CALLS["vectors.scaled_difference"] = (
    "using Bytes = neuromorph::Vec<std::uint8_t, Target>; const auto a = Bytes::load(reinterpret_cast<const"
    " std::uint8_t*>(row)), b = Bytes::load(reinterpret_cast<const std::uint8_t*>(words));"
    " neuromorph::rounding::NearestAway away; neuromorph::rounding::Down down; auto* to = reinterpret_cast<std::int8_t*>(ring);"
    " scaled_difference<8>(a, b, static_cast<std::int8_t>(offset), away).store(to);"
    " scaled_difference<7>(a, b, static_cast<std::int8_t>(offset), down).store(to + 16);")
PARAMETERS = ("std::int32_t* ring, std::uint16_t* elements, const std::int16_t* halves, std::uint32_t* words,"
              " const std::uint32_t* row, std::size_t count, std::uint32_t offset")
UNUSED = "[[maybe_unused]] " + PARAMETERS.replace(", ", ", [[maybe_unused]] ")
HELPERS = {"bytes_of", "way_on", "copy_two", "aligned_byte_cells", "aligned_pair_cells", "jkiss64_blocks", "jkiss64_words",
           "draw_blocks", "forget_what_was_held", "vectors.number", "vectors.word", "vectors.compare", "vectors.byte_products",
           "vectors.signed_products", "vectors.signed_halfwords_saturating", "vectors.signed_bytes_saturating", "vectors.unsigned_difference"}

# What S2pp has in assembly besides the vectors above; all its other operations are Generic's.
S2PP_FLAGS = ["-mcpu=750", "-D__S2PP__"]
ALL = " ".join(ELEMENTS)
LESS, EQUAL = f"Vectors::template less<{{0}}>(a, b)", f"Vectors::template equal<{{0}}>(a, b)"
S2PP_CALLS = {f"vectors.{name}": vector_calls(name, ALL) for name in ("bit_and", "bit_or", "bit_xor")}
S2PP_CALLS |= {f"vectors.{name}": vector_calls(name, elements, arguments="<{0}>(a, b, a)")
               for name, elements in (("multiply_add", ALL), ("multiply_add_fractional", "s8 s16"), ("clamp", ALL))}
S2PP_CALLS |= {f"vectors.{name}_by_{amount}": vector_calls(name, ALL, arguments=f"<{{0}}>(a, {amount})")
               for name in ("shift_left", "shift_right") for amount in ("offset", "3")}
S2PP_CALLS |= {f"vectors.{name}": vector_calls("to_lanes", ALL, FLAGS, f"<{FLAGS}>(Vectors::template {call})")
               for name, call in (("nonzero", "nonzero<{0}>(a)"), ("negate", f"negate<{FLAGS}>({LESS})"),
                                  ("both", f"both<{FLAGS}>({LESS}, {EQUAL})"),
                                  ("either", f"either<{FLAGS}>({LESS}, {EQUAL})"))}
S2PP_CALLS |= {
    "vectors.splat": vector_calls("splat", ALL, arguments="<{0}>(static_cast<{0}>(offset))"),
    "vectors.cast": vector_calls("cast", ALL, "std::int8_t", "<std::int8_t, {0}>(a)"),
    "vectors.unpack_high": vector_calls("unpack_high", "u8 s8", "neuromorph::target::DoubleLane<{0}>", "<{0}>(a)"),
    "vectors.unpack_high_flags": vector_calls("to_lanes", "u8", "std::uint16_t",
                                              f"<std::uint16_t>(Vectors::unpack_high({LESS}))"),
    "vectors.bits_any": vector_calls("splat", ALL, arguments=f"<{{0}}>(static_cast<{{0}}>("
                                     f"Vectors::template bits<{FLAGS}>({LESS}) + Vectors::template any<{FLAGS}>({EQUAL})))"),
    "vectors.read_vector": vector_calls("read_vector", ALL, arguments="<{0}>(offset, words[0])"),
    "vectors.write_vector": "using Vectors = typename Target::template Vectors<1>; const auto a = Vectors::template"
                            " splat<std::uint8_t>(7); Vectors::template write_vector<std::uint8_t>(offset, words[0], a);"
                            " Vectors::template write_vector<std::uint8_t>(offset, 1, a,"
                            " Vectors::template nonzero<std::uint8_t>(a));",
}


def operations(header):
    """The names of functions, in a header with asm statements and in those it includes from target/."""
    names, text = set(), header.read_text()
    if header.stem.endswith("_vectors"):
        names |= {f"vectors.{name}" for name in re.findall(r"\bstatic \w+\s*\(?(\w+)\)?\(", text)}
    elif "asm" in text:
        names |= set(re.findall(r"\bstatic (?:constexpr )?(?:void|std::\w+\*?|Value|WordBlocks)\s*(\w+)\(", text))
    for include in re.findall(r"#include <neuromorph/(target/arm/(?!word_vectors)\w+\.hpp)>", text):
        names |= operations(INCLUDE / "neuromorph" / include)
    return names - HELPERS


def public_operations(header):
    """The names of the public functions of a struct of vectors."""
    text = header.read_text().split("private:")[0]
    found = re.findall(r"^  (?:\[\[[^]]*\]\] )?static [^;{]*?\(?\b(\w+)\)?\(", text, re.MULTILINE)
    if not found:
        raise Failure(f"no operation was found in {header.name}; this test looks at nothing")
    return set(found)


def check(settings, backend, machine):
    header = next((INCLUDE / "neuromorph/target").rglob(f"{backend}.hpp"))
    if backend == "s2pp":
        calls = {name: call for name, call in CALLS.items() if name.startswith("vectors.")} | S2PP_CALLS
        called = re.findall(r"Vectors::(?:template )?(\w+)", " ".join(calls.values()))
        forgotten, flags, levels = sorted(public_operations(header) - set(called)), S2PP_FLAGS, ["-O0", "-Os", "-O2"]
    else:
        calls, forgotten, flags, levels = CALLS, sorted(operations(header) - CALLS.keys()), None, LEVELS
        if backend == "helium":
            hidden = re.findall(r"static void (\w+)\(\) = delete;", header.read_text())
            calls = {name: call for name, call in calls.items() if name not in hidden}
    if forgotten:
        raise Failure(f"tests/checks/asm.py compiles no call of {', '.join(forgotten)} of {header.name}")
    text = f"#include <{header.relative_to(INCLUDE)}>\nusing Target = neuromorph::target::{BACKENDS[backend]};\n"
    text += PRELUDE
    for name, call in calls.items():
        name = name.replace(".", "_")
        text += f"void call_{name}({PARAMETERS});\nvoid call_{name}({UNUSED}) {{ {call} }}\n"
    text += f"void all({PARAMETERS});\nvoid all({UNUSED}) {{\n"
    text += "".join(f"  {{ {call} }}\n" for name, call in calls.items() if "." not in name) + "}\n"
    command = settings.command(machine, flags)
    ways = [(level, frame) for level in levels for frame in ("-fno-omit-frame-pointer", "-fomit-frame-pointer")
            if frame == "-fno-omit-frame-pointer" or level in WITHOUT_FRAME]
    for way in ways:
        must_compile(command, text, f"{header.name} at {' '.join(way)}", (*way, "-c", "-o", "/dev/null"))
    return [f"{len(calls)} operations compiled {len(ways)} times"]


if __name__ == "__main__":
    main(check, Settings(sys.argv[1]), *sys.argv[2:])
