// SPDX-License-Identifier: BSL-1.0
// Synaptic rows: cycles per event, call and loops included, code in instruction memory, ring and rows in data memory.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/synapses/rowlet.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>

#include "measure.hpp"

using namespace neuromorph;
using target::Generic;
using target::Native;

namespace {

constexpr std::size_t events = 1000;
constexpr std::uint32_t step_number = 11;
// 1024 elements of 16 slots: what a core's data memory has room for twice.
using Plain = SynapticWord<7, 0, 4>;
using Complement = SaturatingWord<7, 0, 4>;

RingBuffer<Plain> ring, expected;
RingBuffer<Complement, std::uint16_t> ring16, expected16;
std::array<std::uint32_t, events> row, row16, single, saturating;
std::array<std::uint32_t, events> pairs;
std::array<std::uint32_t, events / 2> uniform, dense_weights;
std::array<std::int32_t, 1024> taken;

void clear() {
  for (auto& cell : ring.elements()) cell = 0;
  for (auto& cell : expected.elements()) cell = 0;
  for (auto& cell : ring16.elements()) cell = 0;
  for (auto& cell : expected16.elements()) cell = 0;
}

bool same() {
  bool right = ring16.saturations() == expected16.saturations();
  for (std::size_t at = 0; at < ring.elements().size(); ++at)
    right = right && ring.elements()[at] == expected.elements()[at];
  for (std::size_t at = 0; at < ring16.elements().size(); ++at)
    right = right && ring16.elements()[at] == expected16.elements()[at];
  return right;
}

void fill() {
  Sfc32 random;
  for (std::size_t at = 0; at < events; ++at) {
    const std::uint32_t element = random.next() % 2048;
    const auto weight = static_cast<std::int32_t>(random.next() % 100);
    const Synapse synapse{weight, 1 + element / 128, 0, element % 128};
    row[at] = Plain::encode(synapse).value();
    row16[at] = Complement::encode(synapse).value();
    const RowletEvent event{element, weight};
    layout::Single::put(single.data(), at, event);
    layout::Saturating::put(saturating.data(), at, event);
    layout::Pairs::put(pairs.data(), at, event);
    uniform[at / 2] = (at % 2 == 0 ? 0 : uniform[at / 2]) | element << 2 << (at % 2 * 16);
    dense_weights[at / 2] = random.next();
  }
}

[[gnu::noinline]] void expect(std::size_t count) {
  add_row<Generic>(expected16, std::span{row16}.first(count), step_number);
}

using Words = const std::uint32_t*;

#if !defined(__thumb__)
/// The pair of Streamlining SpiNNaker, 3.4, with its scale and its clash of two events on one element as they are
/// meant; eight pairs per turn.
[[gnu::noinline]] void paper_wrap(std::int32_t* to, Words words, std::size_t count, std::uint32_t offset) {
  std::uint32_t w0, w1, x0, x1, v0, v1;
  asm volatile("1:\n\t"
               ".rept 8\n\t"
               "ldr %[w0], [%[row]], #4\n\t"
               "ldr %[w1], [%[row]], #4\n\t"
               "add %[x0], %[t], %[w0], lsl #21\n\t"
               "add %[x1], %[t], %[w1], lsl #21\n\t"
               "ldr %[v0], [%[ring], %[x0], lsr #19]\n\t"
               "ldr %[v1], [%[ring], %[x1], lsr #19]\n\t"
               "add %[v0], %[v0], %[w0], asr #11\n\t"
               "add %[v1], %[v1], %[w1], asr #11\n\t"
               "str %[v0], [%[ring], %[x0], lsr #19]\n\t"
               "str %[v1], [%[ring], %[x1], lsr #19]\n\t"
               ".endr\n\t"
               "subs %[n], %[n], #16\n\t"
               "bgt 1b"
               : [row] "+r"(words), [n] "+r"(count), [w0] "=&r"(w0), [w1] "=&r"(w1), [x0] "=&r"(x0), [x1] "=&r"(x1),
                 [v0] "=&r"(v0), [v1] "=&r"(v1)
               : [ring] "r"(to), [t] "r"(offset << 21)
               : "cc", "memory");
}
#endif

} // namespace

bool run() {
  fill();
  bool right = true;
  const auto finish = [&] {
    right = right && same();
    clear();
  };
  const auto of = [](const auto& words, std::size_t count) {
    return std::span<const std::uint32_t>{fresh(words.data()), fresh(count)};
  };

  MEASURE("synapse.ring32.wrap", 1000, add_row(*fresh(&ring), of(row, 1000), fresh(step_number)));
  add_row<Generic>(expected, row, step_number), finish();
  MEASURE("synapse.ring32.wrap.256", 256, add_row(*fresh(&ring), of(row, 256), fresh(step_number)));
  MEASURE("synapse.ring32.wrap.100", 100, add_row(*fresh(&ring), of(row, 100), fresh(step_number)));
  MEASURE("synapse.ring32.wrap.32", 32, add_row(*fresh(&ring), of(row, 32), fresh(step_number)));
  MEASURE("synapse.ring32.wrap.10", 10, add_row(*fresh(&ring), of(row, 10), fresh(step_number)));
  clear();
  // Rows as networks have them: 0 to 10 events (a core of 250 of 4000 neurons, 2 % connected), and 60 to 100.
  MEASURE("synapse.ring32.wrap.rows_of_0_to_10", 55,
          for (std::size_t n = 0; n <= 10; ++n) add_row(ring, of(row, n), fresh(step_number)));
  MEASURE("synapse.ring32.wrap.rows_of_60_to_100", 3280,
          for (std::size_t n = 60; n <= 100; ++n) add_row(ring, of(row, n), fresh(step_number)));
  clear();
  MEASURE("synapse.ring32.wrap.generic", 1000, add_row<Generic>(*fresh(&ring), of(row, 1000), fresh(step_number)));
#if !defined(__thumb__)
  MEASURE(
      "synapse.ring32.wrap.paper", 992,
      paper_wrap(fresh(ring.elements().data()), fresh(row.data()), fresh<std::size_t>(992), fresh(step_number << 7)));
#endif
  clear();

  auto* const slot = ring.elements().data();
  auto* const slot_of_expected = expected.elements().data();
  const auto* const events_of_rowlet = fresh(Words{single.data()});
  MEASURE("synapse.ring32.rowlet", 1000,
          Native::add_rowlet(fresh(slot), fresh(events_of_rowlet), fresh<std::size_t>(1000)));
  Generic::add_rowlet(slot_of_expected, single.data(), 1000), finish();
  MEASURE("synapse.ring32.rowlet.256", 256,
          Native::add_rowlet(fresh(slot), fresh(single.data()), fresh<std::size_t>(256)));
  MEASURE("synapse.ring32.rowlet.100", 100,
          Native::add_rowlet(fresh(slot), fresh(single.data()), fresh<std::size_t>(100)));
  MEASURE("synapse.ring32.rowlet.10", 10,
          Native::add_rowlet(fresh(slot), fresh(single.data()), fresh<std::size_t>(10)));
  MEASURE("synapse.ring32.rowlet.generic", 1000,
          Generic::add_rowlet(fresh(slot), fresh(single.data()), fresh<std::size_t>(1000)));
  clear();

  const auto* const events_of_pairs = fresh(Words{pairs.data()});
  MEASURE("synapse.ring32.packed", 1000,
          Native::add_pairs(fresh(slot), fresh(events_of_pairs), fresh<std::size_t>(500)));
  Generic::add_pairs(slot_of_expected, pairs.data(), 500), finish();
  MEASURE("synapse.ring32.packed.256", 256,
          Native::add_pairs(fresh(slot), fresh(pairs.data()), fresh<std::size_t>(128)));
  MEASURE("synapse.ring32.packed.100", 100,
          Native::add_pairs(fresh(slot), fresh(pairs.data()), fresh<std::size_t>(50)));
  MEASURE("synapse.ring32.packed.generic", 1000,
          Generic::add_pairs(fresh(slot), fresh(pairs.data()), fresh<std::size_t>(500)));
  clear();

  const auto* const events_of_uniform = fresh(Words{uniform.data()});
  MEASURE("synapse.ring32.uniform", 1000,
          Native::add_uniform(fresh(slot), fresh(events_of_uniform), fresh<std::size_t>(1000), fresh(77)));
  Generic::add_uniform(slot_of_expected, uniform.data(), 1000, 77), finish();
  MEASURE("synapse.ring32.uniform.256", 256,
          Native::add_uniform(fresh(slot), fresh(uniform.data()), fresh<std::size_t>(256), fresh(77)));
  MEASURE("synapse.ring32.uniform.100", 100,
          Native::add_uniform(fresh(slot), fresh(uniform.data()), fresh<std::size_t>(100), fresh(77)));
  MEASURE("synapse.ring32.uniform.generic", 1000,
          Generic::add_uniform(fresh(slot), fresh(uniform.data()), fresh<std::size_t>(1000), fresh(77)));
  clear();

  const auto* const weights_of_dense = fresh(Words{dense_weights.data()});
  MEASURE("synapse.ring32.dense", 256,
          Native::add_dense(fresh(slot), fresh(weights_of_dense), fresh<std::size_t>(256)));
  Generic::add_dense(slot_of_expected, dense_weights.data(), 256), finish();
  MEASURE("synapse.ring32.dense.1000", 1000,
          Native::add_dense(fresh(slot), fresh(dense_weights.data()), fresh<std::size_t>(1000)));
  MEASURE("synapse.ring32.dense.100", 100,
          Native::add_dense(fresh(slot), fresh(dense_weights.data()), fresh<std::size_t>(100)));
  MEASURE("synapse.ring32.dense.generic", 256,
          Generic::add_dense(fresh(slot), fresh(dense_weights.data()), fresh<std::size_t>(256)));
  clear();

  MEASURE("synapse.ring16sat.wrap", 1000, add_row(*fresh(&ring16), of(row16, 1000), fresh(step_number)));
  add_row<Generic>(expected16, row16, step_number), finish();
  MEASURE("synapse.ring16sat.wrap.256", 256, add_row(*fresh(&ring16), of(row16, 256), fresh(step_number)));
  MEASURE("synapse.ring16sat.wrap.100", 100, add_row(*fresh(&ring16), of(row16, 100), fresh(step_number)));
  MEASURE("synapse.ring16sat.wrap.32", 32, add_row(*fresh(&ring16), of(row16, 32), fresh(step_number)));
  MEASURE("synapse.ring16sat.wrap.10", 10, add_row(*fresh(&ring16), of(row16, 10), fresh(step_number)));
  MEASURE("synapse.ring16sat.wrap.generic", 1000,
          add_row<Generic>(*fresh(&ring16), of(row16, 1000), fresh(step_number)));
  clear();

  static RingBuffer<Plain, std::uint16_t> plain16;
  MEASURE("synapse.ring16sat.wrap.plain_words", 1000, add_row(*fresh(&plain16), of(row, 1000), fresh(step_number)));

  auto* const slot16 = ring16.elements().data();
  std::uint32_t held = 0;
  const auto* const events_saturating = fresh(Words{saturating.data()});
  MEASURE("synapse.ring16sat.rowlet", 1000,
          held += Native::add_rowlet_saturating(fresh(slot16), fresh(events_saturating), fresh<std::size_t>(1000)));
  held -= Generic::add_rowlet_saturating(expected16.elements().data(), saturating.data(), 1000), finish();
  right = right && held == 0;
  MEASURE("synapse.ring16sat.rowlet.256", 256,
          held += Native::add_rowlet_saturating(fresh(slot16), fresh(saturating.data()), fresh<std::size_t>(256)));
  MEASURE("synapse.ring16sat.rowlet.100", 100,
          held += Native::add_rowlet_saturating(fresh(slot16), fresh(saturating.data()), fresh<std::size_t>(100)));
  MEASURE("synapse.ring16sat.rowlet.generic", 1000,
          held += Generic::add_rowlet_saturating(fresh(slot16), fresh(saturating.data()), fresh<std::size_t>(1000)));
  clear();

  // Every element full: each event is held.
  for (auto& cell : ring16.elements()) cell = 65535;
  for (auto& cell : expected16.elements()) cell = 65535;
  for (auto& word : row16) word &= ~(1U << (Complement::address_bits + 15)); // no weight is 0
#define MEASURE_HELD(size)                                                                                             \
  MEASURE("synapse.ring16sat.wrap." #size ".worst", size,                                                              \
          add_row(*fresh(&ring16), of(row16, size), fresh(step_number)));                                              \
  expect(size)
  MEASURE_HELD(10);
  MEASURE_HELD(32);
  MEASURE_HELD(100);
  MEASURE_HELD(256);
  MEASURE_HELD(1000);
  right = right && ring16.saturations() >= 1398;
  finish();
  for (auto& cell : ring16.elements()) cell = 65535;
  MEASURE("synapse.ring16sat.rowlet.all_held", 100,
          held += Native::add_rowlet_saturating(fresh(slot16), fresh(saturating.data()), fresh<std::size_t>(100)));

  MEASURE("ring.take", 256, Native::take_words(fresh(taken.data()), fresh(slot), fresh<std::size_t>(256)));
  MEASURE("ring.take.generic", 256, Generic::take_words(fresh(taken.data()), fresh(slot), fresh<std::size_t>(256)));
  return right;
}
