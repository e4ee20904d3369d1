// SPDX-License-Identifier: BSL-1.0
// Mixed rows, as a user adds them, of the synapses of rows.cpp: n events of each of four delays, of any targets and weights,
// of one weight, and of consecutive targets. Cycles per event.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/kernels/synapses/mixed_row.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint32_t delays = 4, most = 1000, step_number = 11;
using Word = SynapticWord<10, 0, 2>;
using Complement = SaturatingWord<10, 0, 2>;
#if defined(__thumb__)
constexpr const RowCosts& costs = row_costs_cortex_m4;
#else
constexpr const RowCosts& costs = row_costs_arm968;
#endif

enum class Kind { any, uniform, dense };

RingBuffer<Word> ring;
RingBuffer<Complement, std::uint16_t> ring16;
std::array<std::uint32_t, 1 + delays*(most + 2)> words;
[[gnu::section(".sdram")]] std::array<Synapse, delays * most> synapses;

std::span<const std::uint32_t> hidden(std::span<const std::uint32_t> row) {
  return {fresh(row.data()), fresh(row.size())};
}

template <class Format, class Element>
[[gnu::noinline]] std::span<const std::uint32_t> row_of(std::uint32_t count, Kind kind) {
  for (std::uint32_t delay = 1; delay <= delays; ++delay) {
    std::uint32_t random = delay;
    for (std::uint32_t at = 0; at < count; ++at) {
      random = random * 1664525 + 1013904223;
      synapses[(delay - 1) * count + at] = {kind == Kind::uniform ? 77 : static_cast<std::int32_t>(1 + random % 99),
                                            delay, 0, kind == Kind::dense ? at : random >> 22};
    }
  }
  const auto made = write_mixed_row<Format, Element>(words, std::span{synapses}.first(delays * count), costs).value();
  return std::span{words}.first(made.words);
}

/// Whether the ring has what the synapses bring, and no more; empties it.
template <class Ring>
[[gnu::noinline]] bool has_sums(Ring& of, std::uint32_t count) {
  std::uint32_t wrong = 0;
  for (const Synapse& one : std::span{synapses}.first(delays * count))
    of.slot(step_number + one.delay, 0)[one.index] =
        static_cast<std::uint16_t>(of.slot(step_number + one.delay, 0)[one.index] - one.weight);
  for (auto& element : of.elements()) {
    wrong += element == 0 ? 0U : 1U;
    element = 0;
  }
  return wrong == 0;
}

// Flat: of so many calls in one program the compiler would have some as functions of their own.
#define MEASURE_ROW(key, size, of, Format, Element, kind)                                                              \
  []() __attribute__((flatten)) {                                                                                      \
    const auto row = row_of<Format, Element>(size, kind);                                                              \
    MEASURE(key "." #size, 4 * size, add_mixed_row(*fresh(&of), hidden(row), fresh(step_number)));                     \
    return has_sums(of, size);                                                                                         \
  }                                                                                                                    \
  ()
#define MEASURE_SIZE(size)                                                                                             \
  all_right = MEASURE_ROW("rows.ring32.mixed", size, ring, Word, std::int32_t, Kind::any) && all_right;                \
  all_right = MEASURE_ROW("rows.ring16.mixed", size, ring16, Complement, std::uint16_t, Kind::any) && all_right;       \
  all_right = MEASURE_ROW("rows.ring32.mixed_uniform", size, ring, Word, std::int32_t, Kind::uniform) && all_right;    \
  all_right = MEASURE_ROW("rows.ring32.mixed_dense", size, ring, Word, std::int32_t, Kind::dense) && all_right

} // namespace

bool run() {
  bool all_right = true;
  MEASURE_SIZE(10);
  MEASURE_SIZE(16);
  MEASURE_SIZE(20);
  MEASURE_SIZE(25);
  MEASURE_SIZE(28);
  MEASURE_SIZE(32);
  MEASURE_SIZE(36);
  MEASURE_SIZE(40);
  MEASURE_SIZE(44);
  MEASURE_SIZE(48);
  MEASURE_SIZE(64);
  MEASURE_SIZE(100);
  MEASURE_SIZE(256);
  MEASURE_SIZE(1000);
  MEASURE_SIZE(5);
  return all_right;
}
