// SPDX-License-Identifier: BSL-1.0
// Rows and rowlets of several lengths, as a user adds them, lengths and addresses unknown to the compiler. A key of
// size n has a row of n events of each of four delays, or its four rowlets; for add_rows, four rows of n events. Cycles
// per event; the worst have every element of a 16-bit ring full, so that each event is held.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/synapses/rowlet.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint32_t delays = 4, most = 1000, step_number = 11;
using Word = SynapticWord<10, 0, 2>;
using Complement = SaturatingWord<10, 0, 2>;

RingBuffer<Word> ring;
RingBuffer<Complement, std::uint16_t> ring16;
std::array<std::uint32_t, delays*(most + 2)> words;
std::array<Synapse, most> synapses;

template <class Layout>
struct Kind {
  using Format = Word;
  static constexpr auto& ring = ::ring;
};
template <>
struct Kind<layout::Saturating> {
  using Format = Complement;
  static constexpr auto& ring = ring16;
};

/// The synapses of one delay: any targets and weights, as far as the layout has them.
template <class Layout>
std::span<const Synapse> of_delay(std::uint32_t delay, std::size_t count) {
  std::uint32_t random = delay;
  for (std::uint32_t at = 0; at < count; ++at) {
    random = random * 1664525 + 1013904223;
    const bool is_uniform = std::is_same_v<Layout, layout::Uniform>, is_dense = std::is_same_v<Layout, layout::Dense>;
    synapses[at] = {is_uniform ? 77 : static_cast<std::int32_t>(1 + random % 99), delay, 0,
                    is_dense ? at : random >> 22};
  }
  return std::span{synapses}.first(count);
}

template <class Layout>
std::span<const std::uint32_t> row_of(std::size_t count) {
  std::size_t used = 0;
  for (std::uint32_t delay = 1; delay <= delays; ++delay)
    for (const Synapse& synapse : of_delay<Layout>(delay, count))
      words[used++] = Kind<Layout>::Format::encode(synapse).value();
  return std::span{words}.first(used);
}

template <class Layout>
std::span<const std::uint32_t> rowlets_of(std::size_t count) {
  std::size_t used = 0;
  for (std::uint32_t delay = 1; delay <= delays; ++delay)
    used += write_rowlet<Layout, typename Kind<Layout>::Format>(std::span{words}.subspan(used),
                                                                of_delay<Layout>(delay, count))
                .value();
  return std::span{words}.first(used);
}

std::uint64_t digest() {
  Digest digest;
  digest.add(ring.elements());
  digest.add(ring16.elements());
  return digest.value();
}
void set_elements(std::uint16_t of_ring16) {
  for (auto& element : ring.elements()) element = 0;
  for (auto& element : ring16.elements()) element = of_ring16;
}

std::span<const std::uint32_t> hidden(std::span<const std::uint32_t> row) {
  return {fresh(row.data()), fresh(row.size())};
}

using Add = void (*)(std::span<const std::uint32_t> row);

/// Whether rowlets leave in the rings what rows do. `filled`: what each element of the 16-bit ring begins with.
template <class Layout>
[[gnu::noinline]] bool compare(std::size_t count, Add add_a_row, Add add_its_rowlets, std::uint16_t filled = 0) {
  set_elements(filled);
  const std::uint32_t before = ring16.saturations();
  add_a_row(row_of<Layout>(count));
  const std::uint64_t by_row = digest();
  const std::uint32_t held = ring16.saturations() - before;
  set_elements(filled);
  add_its_rowlets(rowlets_of<Layout>(count));
  return digest() == by_row && ring16.saturations() - before == 2 * held && (held == delays * count) == (filled != 0);
}

template <class Layout>
void plain_row(std::span<const std::uint32_t> row) {
  add_row<target::Generic>(Kind<Layout>::ring, row, step_number);
}

/// The same events as four rows, one for each delay, added by one call.
[[gnu::noinline]] bool compare_rows(std::size_t count, std::size_t (*add)(const SynapticRows& rows)) {
  set_elements(0);
  const auto all = row_of<layout::Single>(count);
  add_row<target::Generic>(ring, all, step_number);
  const std::uint64_t by_row = digest();
  set_elements(0);
  static std::array<std::uint32_t, 5> first;
  for (std::uint32_t row = 0; row < 5; ++row) first[row] = static_cast<std::uint32_t>(all.size()) / 4 * row;
  return add({all, first}) == all.size() && digest() == by_row;
}

#define ADD_ROW(key, size, Layout)                                                                                     \
  [](std::span<const std::uint32_t> row) {                                                                             \
    MEASURE(key, 4 * size, add_row(*fresh(&Kind<Layout>::ring), hidden(row), fresh(step_number)));                     \
  }
#define ADD_ROWLETS(key, size, Layout)                                                                                 \
  [](std::span<const std::uint32_t> row) {                                                                             \
    MEASURE(key, 4 * size, add_rowlets<Layout>(*fresh(&Kind<Layout>::ring), hidden(row), fresh(step_number)));         \
  }

} // namespace

bool run() {
  bool right = true;
#define MEASURE_ROW_AND_ROWLETS(size)                                                                                  \
  right = compare<layout::Single>(size, ADD_ROW("rows.ring32.row." #size, size, layout::Single),                       \
                                  ADD_ROWLETS("rows.ring32.rowlets." #size, size, layout::Single)) &&                  \
          right;                                                                                                       \
  right = compare<layout::Saturating>(size, ADD_ROW("rows.ring16.row." #size, size, layout::Saturating),               \
                                      ADD_ROWLETS("rows.ring16.rowlets." #size, size, layout::Saturating)) &&          \
          right
#define MEASURE_SIZE(size)                                                                                             \
  MEASURE_ROW_AND_ROWLETS(size);                                                                                       \
  right = compare<layout::Saturating>(size, ADD_ROW("rows.ring16.row." #size ".worst", size, layout::Saturating),      \
                                      ADD_ROWLETS("rows.ring16.rowlets." #size ".worst", size, layout::Saturating),    \
                                      65535) &&                                                                        \
          right;                                                                                                       \
  right = compare<layout::Pairs>(size, plain_row<layout::Pairs>,                                                       \
                                 ADD_ROWLETS("rows.ring32.pairs." #size, size, layout::Pairs)) &&                      \
          right;                                                                                                       \
  right = compare<layout::Uniform>(size, plain_row<layout::Uniform>,                                                   \
                                   ADD_ROWLETS("rows.ring32.uniform." #size, size, layout::Uniform)) &&                \
          right;                                                                                                       \
  right = compare<layout::Dense>(size, plain_row<layout::Dense>,                                                       \
                                 ADD_ROWLETS("rows.ring32.dense." #size, size, layout::Dense)) &&                      \
          right;                                                                                                       \
  right = compare_rows(size,                                                                                           \
                       [](const SynapticRows& rows) {                                                                  \
                         static constexpr std::array<std::uint32_t, 4> fired{2, 0, 3, 1};                              \
                         std::size_t events;                                                                           \
                         MEASURE("rows.ring32.add_rows." #size, 4 * size,                                              \
                                 events = add_rows(*fresh(&ring), *fresh(&rows), hidden(fired), fresh(step_number)));  \
                         return events;                                                                                \
                       }) &&                                                                                           \
          right
  MEASURE_SIZE(10);
  MEASURE_SIZE(32);
  MEASURE_SIZE(100);
  MEASURE_SIZE(256);
  MEASURE_SIZE(1000);
  // Where rowlets begin to pay.
  MEASURE_ROW_AND_ROWLETS(5);
  MEASURE_ROW_AND_ROWLETS(16);
  MEASURE_ROW_AND_ROWLETS(20);
  MEASURE_ROW_AND_ROWLETS(25);
  MEASURE_ROW_AND_ROWLETS(28);
  MEASURE_ROW_AND_ROWLETS(36);
  MEASURE_ROW_AND_ROWLETS(40);
  MEASURE_ROW_AND_ROWLETS(44);
  MEASURE_ROW_AND_ROWLETS(48);
  MEASURE_ROW_AND_ROWLETS(64);
  return right;
}
