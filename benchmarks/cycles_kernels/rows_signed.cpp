// SPDX-License-Identifier: BSL-1.0
// Rows of signed weights, as CompactLif takes them, of several lengths: cycles per event. 32-bit rings have a loop of
// their own, 16-bit ones with a sign do not. At worst every event is held at the end of a 16-bit element.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/kernels/synapses/synaptic_row.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint32_t step_number = 11;
using Word = SynapticWord<7, 0, 4, WeightSign::signed_value>;
RingBuffer<Word> ring, expected;
RingBuffer<Word, std::int16_t> ring16, expected16;
std::array<std::uint32_t, 1000> words;

template <class Ring>
struct Call {
  using Add = void (*)(Ring& ring, std::span<const std::uint32_t> row);
};

/// Whether a row leaves in a ring what its events do one by one. `filled`: what each element begins with.
template <class Ring>
[[gnu::noinline]] bool compare(Ring& measured, Ring& one_by_one, std::int16_t filled, std::size_t count,
                               typename Call<Ring>::Add add_a_row) {
  for (auto& element : measured.elements()) element = filled;
  for (auto& element : one_by_one.elements()) element = filled;
  const std::uint32_t before = measured.saturations(), held = one_by_one.saturations();
  const auto row = std::span<const std::uint32_t>{words}.first(count);
  add_a_row(measured, row);
  for (const std::uint32_t word : row)
    one_by_one.add(Word::address(word, Word::offset(step_number)), Word::weight(word));
  bool right = measured.saturations() - before == one_by_one.saturations() - held;
  for (std::size_t at = 0; at < measured.elements().size(); ++at)
    right = right && measured.elements()[at] == one_by_one.elements()[at];
  return right && (filled == 0 || measured.saturations() - before == count);
}

std::span<const std::uint32_t> hidden(std::span<const std::uint32_t> row) {
  return {fresh(row.data()), fresh(row.size())};
}

} // namespace

bool run() {
  bool right = true;
  const auto fill = [&](bool is_positive) {
    std::uint32_t random = 1;
    for (std::uint32_t& word : words) {
      random = random * 1664525 + 1013904223;
      const auto weight = static_cast<std::int32_t>(1 + random % 99);
      word =
          Word::encode({is_positive || random % 5 != 0 ? weight : -weight, 1 + (random >> 28), 0, random >> 20 & 127})
              .value();
    }
  };
#define MEASURE_ROW(key, size, measured, one_by_one, filled)                                                           \
  right = compare(measured, one_by_one, filled, size,                                                                  \
                  [](auto& to, std::span<const std::uint32_t> row) {                                                   \
                    MEASURE(key, size, add_row(*fresh(&to), hidden(row), fresh(step_number)));                         \
                  }) &&                                                                                                \
          right
#define MEASURE_SIZE(size)                                                                                             \
  fill(false);                                                                                                         \
  MEASURE_ROW("rows.ring32.signed." #size, size, ring, expected, 0);                                                   \
  MEASURE_ROW("rows.ring16.signed." #size, size, ring16, expected16, 0);                                               \
  fill(true);                                                                                                          \
  MEASURE_ROW("rows.ring16.signed." #size ".worst", size, ring16, expected16, 32767)
  MEASURE_SIZE(10);
  MEASURE_SIZE(32);
  MEASURE_SIZE(100);
  MEASURE_SIZE(256);
  MEASURE_SIZE(1000);
  return right;
}
