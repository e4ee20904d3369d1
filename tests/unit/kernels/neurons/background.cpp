// SPDX-License-Identifier: BSL-1.0
// Input of each neuron's own, to sums of one's own; tests/target/draws.cpp has the sums at their ends, and those of backends.
#include <neuromorph/kernels/neurons/background.hpp>

#include <neuromorph/kernels/random/alias_table.hpp>
#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/poisson.hpp>
#include <neuromorph/kernels/random/sfc32x16.hpp>
#include <neuromorph/kernels/random/word_table.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/native.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

/// Sums after a few steps, and how many were held: by definition, one fill of all values in a step.
template <class Element, class Table, class Source>
void check(const Table& table, const Source& start, std::size_t count, std::int32_t weight, std::int64_t least,
           std::int64_t most) {
  CAPTURE(count, weight);
  Source source = start, same = start;
  std::vector<Element> sums(count + 1);
  std::vector<std::int64_t> expected(count + 1);
  sums[count] = 77, expected[count] = 77;
  std::vector<std::uint8_t> counts(count);
  for (int step = 0; step < 4; ++step) {
    table.fill(same, std::span(counts));
    std::uint32_t held = 0;
    for (std::size_t at = 0; at < count; ++at) {
      std::int64_t& sum = expected[at];
      sum += std::int64_t{weight} * counts[at];
      if (sum > most) sum = most, ++held;
      if (sum < least) sum = least, ++held;
    }
    REQUIRE(add_background(sums.data(), count, table, source, weight) == held);
    for (std::size_t at = 0; at <= count; ++at)
      if (sums[at] != expected[at]) FAIL("sum " << at);
  }
  REQUIRE(source == same);
}

template <class Table, class Source>
void check(const Table& table, const Source& source) {
  for (const std::size_t count : {0U, 1U, 3U, 64U, 191U, 193U, 1000U, 1024U, 1025U, 5000U}) {
    for (const std::int32_t weight : {0, 1, 100, 9000, 40'000})
      check<std::uint16_t>(table, source, count, weight, 0, 65535);
    for (const std::int32_t weight : {-9000, 25, 3000})
      check<std::int16_t>(table, source, count, weight, -32768, 32767);
    for (const std::int32_t weight : {-(1 << 28), -70'000, 1 << 20, 1 << 28})
      check<std::int32_t>(table, source, count, weight, -(1 << 30) + 1, (1 << 30) - 1);
  }
}

/// A machine on which what is not read is not paid for.
struct Uncached : target::Generic {
  static constexpr bool has_cache = false;
};

/// One of one's own, without blocks: counts up, and begins again with each call.
struct Steps {
  template <class Source>
  void fill(Source& source, std::span<std::uint8_t> values) const {
    std::uint8_t value = 0;
    for (std::uint8_t& count : values) count = value++;
    static_cast<void>(source.next());
  }
};

constexpr std::uint32_t held_at_compile_time() {
  Sfc32x16 source(StreamId{1, 2, 3});
  std::array<std::uint16_t, 70> sums{};
  std::uint32_t held = 0;
  for (int step = 0; step < 3; ++step)
    held += add_background(sums.data(), sums.size(), alias_table<Poisson(1.2)>, source, 20'000);
  return held;
}

} // namespace

TEST_CASE("background: adds what one fill of all values draws", "[kernels][background]") {
  check(alias_table<Poisson(1.2)>, Sfc32x16(StreamId{1, 1, 1}));
  check(alias_table<Poisson(1.2)>, Jkiss64(StreamId{1, 1, 2}));
  check(byte_table<Poisson(1.6)>, Jkiss64(StreamId{1, 1, 3}));
  check(word_table<Poisson(1.6)>, Sfc32x16(StreamId{1, 1, 4}));
}

TEST_CASE("background: a table without blocks is asked for 64 values at a time", "[kernels][background]") {
  Jkiss64 source, same;
  std::array<std::int32_t, 150> sums{};
  CHECK(add_background(sums.data(), sums.size(), Steps{}, source, -3) == 0);
  for (std::size_t at = 0; at < 150; ++at) REQUIRE(sums[at] == -3 * static_cast<std::int32_t>(at % 64));
  for (int call = 0; call < 3; ++call) static_cast<void>(same.next());
  CHECK(source == same);
}

TEST_CASE("background: a sum that is beyond its range already stays where nothing is added", "[kernels][background]") {
  const auto check_on = [](auto target) {
    using Target = decltype(target);
    constexpr std::int32_t most = (1 << 30) - 1;
    for (const std::int32_t weight : {0, 3, -3}) {
      std::array<std::int32_t, 7> sums{most + 5, -most - 5, most, -most, most + 5, -most - 5, 10};
      const std::array<std::uint8_t, 7> counts{0, 0, 0, 0, 1, 1, 2};
      // Those that are beyond it are held; three back do not suffice.
      CHECK(add_events<Target>(sums.data(), std::span(counts), weight) == 2);
      CHECK(sums == std::array<std::int32_t, 7>{most + 5, -most - 5, most, -most, most, -most, 10 + 2 * weight});
    }
    std::array<std::uint16_t, 3> narrow{65535, 65535, 7};
    const std::array<std::uint8_t, 3> counts{0, 1, 0};
    CHECK(add_events<Target>(narrow.data(), std::span(counts), 9) == 1);
    CHECK(narrow == std::array<std::uint16_t, 3>{65535, 65535, 7});
  };
  check_on(target::Native{});
  check_on(target::Generic{});
  check_on(Uncached{});
}

TEST_CASE("background: is the same at compile time", "[kernels][background]") {
  constexpr std::uint32_t held = held_at_compile_time();
  CHECK(held == held_at_compile_time());
  CHECK(held > 0);
}

TEST_CASE("background: groups of neurons with a source each may be split among threads", "[kernels][background]") {
  constexpr std::size_t group = AliasTable<32>::block_values, neurons = 5 * group + 300;
  const auto run = [&](std::size_t from, std::size_t to, std::vector<std::uint16_t>& sums) {
    for (std::size_t first = from; first < to; first += group) {
      Sfc32x16 source(StreamId{.seed = 5, .core = 0, .population = static_cast<std::uint32_t>(first / group)});
      const std::size_t count = to - first < group ? to - first : group;
      for (int step = 0; step < 20; ++step)
        static_cast<void>(add_background(sums.data() + first, count, alias_table<Poisson(1.2)>, source, 100));
    }
  };
  std::vector<std::uint16_t> one(neurons), three(neurons);
  run(0, neurons, one);
  run(3 * group, neurons, three);
  run(2 * group, 3 * group, three);
  run(0, 2 * group, three);
  CHECK(one == three);
  double sum = 0;
  for (const std::uint16_t word : one) sum += word;
  CHECK(sum / 100 / neurons == Approx(24).margin(0.3));
}
