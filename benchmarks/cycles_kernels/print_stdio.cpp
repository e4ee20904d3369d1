// SPDX-License-Identifier: BSL-1.0
// newlib's printf of what print.cpp prints, into a buffer of the standard output, which is written outside of what is
// measured. ".../printf" knows floating point and does not fit into the ARM968E-S's instruction memory; ".../iprintf" does not,
// and is given whole and thousandths, on both. ".../newlib_float" is snprintf, which is printf without the standard output.
#include <array>
#include <cstdint>
#include <cstdio>

#include <neuromorph/firmware/print.hpp>

#include "measure.hpp"
#include "newlib_calls.hpp"

namespace {
namespace firmware = neuromorph::firmware;
using Membrane = neuromorph::Fixed<std::int32_t, 15>;

std::array<char, 100> mine;
std::array<char, 256> output;
firmware::TextBuffer buffer(mine);
bool right = true;

/// What the standard output has collected.
void compare(int size, const std::array<char, 256>& written) {
  const auto text = buffer.text();
  right = right && static_cast<int>(text.size()) == size;
  for (std::size_t at = 0; at < text.size(); ++at) right = right && text[at] == written[at];
  std::fflush(stdout);
}
} // namespace

#define MEASURE_PRINTF(way, key, ours, theirs)                                                                         \
  do {                                                                                                                 \
    int size = 0;                                                                                                      \
    buffer.clear();                                                                                                    \
    firmware::print ours;                                                                                              \
    MEASURE("print." #way "." key, 1, size = way theirs);                                                              \
    compare(size, output);                                                                                             \
  } while (false)

bool run() {
  std::setvbuf(stdout, output.data(), _IOFBF, output.size());
  iprintf("x"); // what newlib makes at the first
  std::fflush(stdout);
  for (std::uint32_t turn = 0; turn < 20; ++turn) {
    // the values of print.cpp
    const std::uint32_t word = fresh(turn * 0x9E37'79B9U);
    const auto number = static_cast<int>(word) >> turn % 31;
    const auto membrane = Membrane::from_raw(-(static_cast<std::int32_t>(word >> 9) | 0x8000) / 8 * 8 - 4096 * 4);
    const char* const text = fresh(turn % 2 == 0 ? "spikes" : "refractory");
    const auto bits = static_cast<unsigned>(word), place = static_cast<unsigned>(turn);
    const std::int32_t magnitude = -membrane.raw();
    const auto thousandths =
        static_cast<std::uint32_t>((std::uint64_t{static_cast<std::uint32_t>(magnitude)} * 1000 + 16384) >> 15);
    const unsigned whole = thousandths / 1000, part = thousandths % 1000;
    MEASURE_PRINTF(iprintf, "text", <"core is ready\n">(buffer), ("core is ready\n"));
    MEASURE_PRINTF(iprintf, "number", <"{}">(buffer, number), ("%d", number));
    MEASURE_PRINTF(iprintf, "bits", <"{:08x}">(buffer, word), ("%08x", bits));
    MEASURE_PRINTF(iprintf, "fixed", <"{:.3}">(buffer, membrane), ("-%u.%03u", whole, part));
    MEASURE_PRINTF(iprintf, "string", <"{}">(buffer, text), ("%s", text));
    MEASURE_PRINTF(iprintf, "line", <"neuron {} {}: {:.3} mV, flags {:08x}\n">(buffer, turn, text, membrane, word),
                   ("neuron %u %s: -%u.%03u mV, flags %08x\n", place, text, whole, part, bits));
#if defined(__thumb__)
    static std::array<char, 100> memory;
    const double value = fresh(thousandths == 0 ? 0.0 : -static_cast<double>(thousandths) / 1000);
    MEASURE_PRINTF(printf, "text", <"core is ready\n">(buffer), ("core is ready\n"));
    MEASURE_PRINTF(printf, "number", <"{}">(buffer, number), ("%d", number));
    MEASURE_PRINTF(printf, "bits", <"{:08x}">(buffer, word), ("%08x", bits));
    MEASURE_PRINTF(printf, "fixed", <"{:.3}">(buffer, membrane), ("%.3f", value));
    MEASURE_PRINTF(printf, "string", <"{}">(buffer, text), ("%s", text));
    MEASURE_PRINTF(printf, "line", <"neuron {} {}: {:.3} mV, flags {:08x}\n">(buffer, turn, text, membrane, word),
                   ("neuron %u %s: %.3f mV, flags %08x\n", place, text, value, bits));
    MEASURE("print.newlib_float.number", 1, (void)std::snprintf(memory.data(), memory.size(), "%d", number));
    MEASURE("print.newlib_float.bits", 1, (void)std::snprintf(memory.data(), memory.size(), "%08x", bits));
    MEASURE("print.newlib_float.string", 1, (void)std::snprintf(memory.data(), memory.size(), "%s", text));
#endif
  }
  return right;
}
