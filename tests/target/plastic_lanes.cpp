// SPDX-License-Identifier: BSL-1.0
// The native backend's lanes of unsigned words against those in plain C++, at the edges of the operands and at random; and rows
// of plastic synapses that are replayed in them against the same rows one synapse after the other.
#include <array>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/vogels.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>
#include <neuromorph/target/native.hpp>
#include <neuromorph/target/unsigned_lanes.hpp>
#include <tests/support/plastic_lanes.hpp>
#include <tests/support/seeds.hpp>

namespace {

using namespace neuromorph;
int failures = 0;

void expect(bool is_so, const char* what, std::uint32_t seed) {
  if (is_so) return;
  if (++failures <= 20) std::printf("%s, seed %lu\n", what, static_cast<unsigned long>(seed));
}

/// Words at random, many of them near the ends of ranges.
std::uint32_t drawn(Sfc32& random) {
  const std::uint32_t word = random.next(), kind = uniform_below(random, 6);
  const std::uint32_t edge = kind == 0 ? 0 : kind == 1 ? 1U << 31 : 1U << uniform_below(random, 32);
  return kind < 3 ? word : edge + uniform_below(random, 5) - 2;
}

template <class Wide>
void compare_operations(std::uint32_t seed) {
  using Plain = target::GenericUnsignedLanes<Wide::count>;
  using Words = std::array<std::uint32_t, Wide::count>;
  Sfc32 random({.seed = seed});
  Words a, b, found, index;
  for (auto* words : {&a, &b})
    for (auto& word : *words) word = drawn(random);
  alignas(32) static std::array<std::uint32_t, 8 * 64> records;
  for (auto& word : records) word = random.next();
  for (auto& word : index) word = uniform_below(random, 64);
  const auto x = Wide::load(a.data()), y = Wide::load(b.data());
  const auto p = Plain::load(a.data()), q = Plain::load(b.data());
  const auto check = [&](const char* operation, typename Wide::Value value, typename Plain::Value expected) {
    Wide::store(found.data(), value);
    Words words;
    Plain::store(words.data(), expected);
    expect(found == words, operation, seed);
  };
#define CHECK_BINARY(operation) check(#operation, (Wide::operation)(x, y), (Plain::operation)(p, q))
  CHECK_BINARY(add);
  CHECK_BINARY(subtract);
  CHECK_BINARY(multiply);
  CHECK_BINARY(multiply_high);
  CHECK_BINARY(template multiply_nearest<24>);
  CHECK_BINARY(template multiply_nearest<31>);
  CHECK_BINARY(template multiply_nearest<32>);
  CHECK_BINARY(min);
  CHECK_BINARY(bit_and);
  CHECK_BINARY(bit_or);
  CHECK_BINARY(bit_xor);
#undef CHECK_BINARY
  const std::uint32_t amount = uniform_below(random, 32);
  check("shift_left", Wide::shift_left(x, amount), Plain::shift_left(p, amount));
  check("shift_right", Wide::shift_right(x, amount), Plain::shift_right(p, amount));
  check("splat", Wide::splat(a[0]), Plain::splat(a[0]));
  check("gather", Wide::gather(records.data(), Wide::load(index.data())),
        Plain::gather(records.data(), Plain::load(index.data())));
  typename Wide::Value wide[8];
  typename Plain::Value plain[8];
  Wide::gather_records(records.data(), Wide::load(index.data()), wide);
  Plain::gather_records(records.data(), Plain::load(index.data()), plain);
  for (std::size_t word = 0; word < 8; ++word) check("gather_records", wide[word], plain[word]);

  const std::size_t lanes = uniform_below(random, Wide::count + 2);
  const auto is_less = Wide::less(x, y), is_first = Wide::first(lanes);
  const auto less = Plain::less(p, q), first = Plain::first(lanes);
  expect(Wide::bits(is_less) == Plain::bits(less), "less", seed);
  expect(Wide::bits(is_first) == Plain::bits(first), "first", seed);
  expect(Wide::bits(Wide::both(is_less, is_first)) == Plain::bits(Plain::both(less, first)), "both", seed);
  expect(Wide::bits(Wide::either(is_less, is_first)) == Plain::bits(Plain::either(less, first)), "either", seed);
  expect(Wide::bits(Wide::and_not(is_less, is_first)) == Plain::bits(Plain::and_not(less, first)), "and_not", seed);
  Words numbers{}, places{};
  const std::size_t count = Wide::store_places(numbers.data(), is_less, b[0]);
  const std::size_t expected = Plain::store_places(places.data(), less, b[0]);
  bool are_same = count == expected;
  for (std::size_t at = 0; at < expected; ++at) are_same = are_same && numbers[at] == places[at];
  expect(are_same, "store_places", seed);
  check("select", Wide::select(is_less, x, y), Plain::select(less, p, q));
}

constexpr PostSynapticDelay dendritic = PostSynapticDelay::dendritic, none = PostSynapticDelay::none;
using Table = DecayTable<110>;
using Full = gc::Fifo<1500>;
using Short = gc::Fifo<100, gc::WhenFull::oldest_gives_way>;

/// On machines without lanes both are the same code, of two backends.
template <class Weight, PostSynapticDelay Delay, class Collector, class Timing>
void compare_rows(const Timing& timing, std::uint32_t seed) {
  const auto outcome =
      plastic_lanes::compared<target::Native, target::Generic, Timing, Weight, Delay, Collector>(timing, seed, 600);
  expect(outcome.differences == 0, "rows of plastic synapses differ", seed);
}

} // namespace

int main() {
  constexpr auto pair =
      timing::Pair<Table>::from({.tau_plus_ms = 7, .tau_minus_ms = 6, .a_plus = 0.1, .a_minus = 0.11}, 1.0);
  constexpr auto vogels = timing::Vogels<LongDecayTable<1000>>::from({.tau_ms = 70, .eta = 0.05, .alpha = 0.2}, 1.0);
  for (const std::uint32_t seed : Seeds(4)) {
    compare_rows<weight::Additive, dendritic, Full>(pair.value(), seed);
    compare_rows<weight::Multiplicative, none, Short>(pair.value(), seed);
    compare_rows<weight::Additive, dendritic, Short>(vogels.value(), seed);
  }
  using Wide = target::Native::UnsignedLanes;
  using Compared = std::conditional_t<std::is_void_v<Wide>, target::GenericUnsignedLanes<3>, Wide>;
  for (const std::uint32_t seed : Seeds(20'000)) compare_operations<Compared>(seed);
  return failures == 0 ? 0 : 1;
}
