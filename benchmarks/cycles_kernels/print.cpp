// SPDX-License-Identifier: BSL-1.0
// Immediate printing into a buffer, and newlib's of the same texts: a number, a word of bits, a fixed-point number, a
// text, and a line of all of them. newlib has no fixed point. ".../newlib" is sniprintf, without floating point, the
// fastest that it has, which is given whole and thousandths; ".../newlib_float" is snprintf with %.3f. That does not fit
// into the ARM968E-S's instruction memory.
#include <array>
#include <cstdint>
#include <cstdio>

#include <neuromorph/firmware/print.hpp>

#include "measure.hpp"
#include "newlib_calls.hpp"

namespace {
namespace firmware = neuromorph::firmware;
using Membrane = neuromorph::Fixed<std::int32_t, 15>;

std::array<char, 100> mine, newlibs;
firmware::TextBuffer buffer(mine);
bool right = true;

void compare(int size) {
  const auto text = buffer.text();
  right = right && static_cast<int>(text.size()) == size;
  for (std::size_t at = 0; at < text.size(); ++at) right = right && text[at] == newlibs[at];
}
} // namespace

#if defined(__thumb__)
constexpr bool has_room_for_float = true;
#else
constexpr bool has_room_for_float = false;
#endif

// Both write the same.
#define MEASURE_BOTH(key, ours, theirs)                                                                                \
  do {                                                                                                                 \
    int size = 0;                                                                                                      \
    buffer.clear();                                                                                                    \
    MEASURE("print." key, 1, firmware::print ours);                                                                    \
    MEASURE("print.newlib." key, 1, size = sniprintf theirs);                                                          \
    compare(size);                                                                                                     \
  } while (false)

bool run() {
  for (std::uint32_t turn = 0; turn < 20; ++turn) {
    const std::uint32_t word = fresh(turn * 0x9E37'79B9U);
    const auto number = static_cast<int>(word) >> turn % 31;
    const auto membrane = Membrane::from_raw(-(static_cast<std::int32_t>(word >> 9) | 0x8000) / 8 * 8 - 4096 * 4);
    const char* const text = fresh(turn % 2 == 0 ? "spikes" : "refractory");
    char* const to = newlibs.data();
    const std::size_t room = newlibs.size();
    // rounded to thousandths, as newlib is given it
    const std::int32_t magnitude = -membrane.raw();
    const auto thousandths =
        static_cast<std::uint32_t>((std::uint64_t{static_cast<std::uint32_t>(magnitude)} * 1000 + 16384) >> 15);
    const unsigned whole = thousandths / 1000, part = thousandths % 1000;
    MEASURE_BOTH("text", <"core is ready\n">(buffer), (to, room, "core is ready\n"));
    MEASURE_BOTH("number", <"{}">(buffer, number), (to, room, "%d", number));
    MEASURE_BOTH("bits", <"{:08x}">(buffer, word), (to, room, "%08x", static_cast<unsigned>(word)));
    MEASURE_BOTH("string", <"{}">(buffer, text), (to, room, "%s", text));
    MEASURE_BOTH("fixed", <"{:.3}">(buffer, membrane), (to, room, "-%u.%03u", whole, part));
    MEASURE_BOTH("line", <"neuron {} {}: {:.3} mV, flags {:08x}\n">(buffer, turn, text, membrane, word),
                 (to, room, "neuron %u %s: -%u.%03u mV, flags %08x\n", static_cast<unsigned>(turn), text, whole, part,
                  static_cast<unsigned>(word)));
  }
  // The heap grows at the first, which is not measured.
  if constexpr (has_room_for_float) {
    for (std::uint32_t turn = 0; turn <= 20; ++turn) {
      const auto membrane = Membrane::from_raw(-static_cast<std::int32_t>(fresh(turn * 0x9E37'79B9U) >> 9));
      const double value = fresh(membrane.to_double());
      const auto word = static_cast<unsigned>(fresh(turn * 77777));
      char* const to = newlibs.data();
      const std::size_t room = newlibs.size();
      if (turn == 0) (void)std::snprintf(to, room, "%.3f", 1.5);
      int size = 0;
      buffer.clear();
      firmware::print<"{:.3}">(buffer, membrane);
      MEASURE("print.newlib_float.fixed", 1, size = std::snprintf(to, room, "%.3f", value));
      compare(size);
      buffer.clear();
      firmware::print<"neuron {} {}: {:.3} mV, flags {:08x}\n">(buffer, turn, "spikes", membrane, word);
      MEASURE("print.newlib_float.line", 1,
              size = std::snprintf(to, room, "neuron %u %s: %.3f mV, flags %08x\n", static_cast<unsigned>(turn),
                                   "spikes", value, word));
      compare(size);
    }
  }
  std::uint64_t wide = 0;
  for (std::uint32_t turn = 0; turn < 20; ++turn) {
    wide = wide * 11 + turn + 3;
    buffer.clear();
    MEASURE("print.wide", 1, firmware::print<"{}">(buffer, fresh(wide)));
    buffer.clear();
    const auto membrane = Membrane::from_raw(fresh(static_cast<std::int32_t>(wide)));
    MEASURE("print.fixed_exact", 1, firmware::print<"{}">(buffer, membrane));
  }
  return right && buffer.text().size() > 3;
}
