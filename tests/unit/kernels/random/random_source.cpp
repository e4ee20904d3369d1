// SPDX-License-Identifier: BSL-1.0
#include <neuromorph/kernels/random/random_source.hpp>

#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/kiss32.hpp>
#include <neuromorph/kernels/random/philox.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

// The least that is a source: no base, no seeding, no copying.
struct Least {
  using Offers = offer::List<>;
  Least() = default;
  Least(const Least&) = delete;
  Least& operator=(const Least&) = delete;
  std::uint32_t next() { return 4; }
};
static_assert(RandomSource<Least>);
static_assert(!SeedableSource<Least>);

struct Signed {
  std::int32_t next();
};
struct Silent {
  void next();
};
static_assert(!RandomSource<Signed>);
static_assert(!RandomSource<Silent>);
static_assert(!RandomSource<int>);

// A user's source on our base.
struct Counting : UniformBits<Counting> {
  std::uint32_t value = 0;
  constexpr std::uint32_t next() noexcept { return value++; }
};
static_assert(RandomSource<Counting>);
static_assert(std::uniform_random_bit_generator<Counting>);
static_assert(sizeof(Counting) == 4);

template <class Source>
constexpr bool is_well_made =
    SeedableSource<Source>&& std::uniform_random_bit_generator<Source>&& std::is_trivially_copyable_v<Source>&&
        std::is_standard_layout_v<Source>&& std::is_nothrow_default_constructible_v<Source>;
static_assert(is_well_made<Jkiss64> && sizeof(Jkiss64) == 16);
static_assert(is_well_made<Kiss32> && sizeof(Kiss32) == 20);
static_assert(is_well_made<Sfc32> && sizeof(Sfc32) == 16);
static_assert(is_well_made<Philox> && sizeof(Philox) == 40);

template <class Source>
constexpr bool fill_is_next_at_compile_time() {
  Source by_word{StreamId{1, 2, 3}};
  Source by_block = by_word;
  std::array<std::uint32_t, 7> words{};
  by_block.fill(words);
  for (const std::uint32_t word : words) {
    if (word != by_word.next()) { return false; }
  }
  return by_word == by_block;
}
static_assert(fill_is_next_at_compile_time<Jkiss64>());
static_assert(fill_is_next_at_compile_time<Kiss32>());
static_assert(fill_is_next_at_compile_time<Sfc32>());
static_assert(fill_is_next_at_compile_time<Philox>());

StreamId flipped(StreamId stream, unsigned bit) {
  if (bit < 64) {
    stream.seed ^= std::uint64_t{1} << bit;
  } else if (bit < 96) {
    stream.core ^= 1U << (bit - 64);
  } else {
    stream.population ^= 1U << (bit - 96);
  }
  return stream;
}

} // namespace

TEMPLATE_TEST_CASE("random_source: fill writes what next returns, for every length and place",
                   "[kernels][random_source]", Jkiss64, Kiss32, Sfc32, Philox) {
  for (std::size_t before = 0; before < 5; ++before) {
    for (std::size_t length = 0; length < 20; ++length) {
      TestType by_word{StreamId{99, 1, 2}};
      for (std::size_t i = 0; i < before; ++i) { by_word.next(); }
      TestType by_block = by_word;
      std::vector<std::uint32_t> words(length + 1, 0xDEAD'BEEFU);
      by_block.fill(std::span(words).first(length));
      for (std::size_t i = 0; i < length; ++i) { REQUIRE(words[i] == by_word.next()); }
      REQUIRE(words[length] == 0xDEAD'BEEFU);
      REQUIRE(by_word == by_block);
      REQUIRE(by_word.next() == by_block.next());
    }
  }
}

TEMPLATE_TEST_CASE("random_source: feeds the standard's distributions", "[kernels][random_source]", Jkiss64, Kiss32,
                   Sfc32, Philox) {
  TestType source{StreamId{5, 0, 0}};
  TestType same = source;
  REQUIRE(source() == same.next());
  REQUIRE((TestType::min)() == 0);
  REQUIRE((TestType::max)() == 0xFFFF'FFFFU);
  std::normal_distribution<double> normal(0, 1);
  double sum = 0;
  double squares = 0;
  constexpr int draws = 100'000;
  for (int i = 0; i < draws; ++i) {
    const double value = normal(source);
    sum += value;
    squares += value * value;
  }
  REQUIRE(std::abs(sum / draws) < 5 / std::sqrt(draws));
  REQUIRE(std::abs(squares / draws - 1) < 5 * std::sqrt(2.0 / draws));
}

TEMPLATE_TEST_CASE("random_source: a stream's name alone decides its words", "[kernels][random_source]", Jkiss64,
                   Kiss32, Sfc32, Philox) {
  const StreamId stream{0x0123'4567'89AB'CDEFU, 7, 11};
  TestType first = seeded<TestType>(stream);
  TestType second(stream);
  REQUIRE(first == second);
  for (int i = 0; i < 100; ++i) { REQUIRE(first.next() == second.next()); }
  REQUIRE_FALSE(TestType(stream) == TestType(StreamId{stream.seed, 11, 7}));
}

TEST_CASE("random_source: generators on one stream are unrelated", "[kernels][random_source]") {
  const StreamId stream{1, 2, 3};
  std::set<std::uint32_t> words;
  Jkiss64 jkiss64(stream);
  Kiss32 kiss32(stream);
  Sfc32 sfc32(stream);
  Philox philox(stream);
  for (int i = 0; i < 64; ++i) {
    words.insert({jkiss64.next(), kiss32.next(), sfc32.next(), philox.next()});
    words.insert({jkiss64.state().x, kiss32.state().x, sfc32.state().a});
  }
  REQUIRE(words.size() == 64 * 7);
}

TEMPLATE_TEST_CASE("random_source: any one bit of a stream's name changes half of the bits of its words",
                   "[kernels][random_source]", Jkiss64, Kiss32, Sfc32, Philox) {
  constexpr int names = 256;
  Sfc32 chooser(StreamId{2024, 0, 0});
  std::vector<StreamId> streams;
  for (std::uint32_t i = 0; i < names / 2; ++i) { streams.push_back({i, i % 8, i / 8}); }
  while (streams.size() < names) {
    const std::uint64_t high = chooser.next();
    streams.push_back({high << 32 | chooser.next(), chooser.next(), chooser.next()});
  }
  for (unsigned bit = 0; bit < 128; ++bit) {
    int changed = 0;
    std::array<int, 32> per_bit{};
    for (const StreamId stream : streams) {
      TestType left(stream);
      TestType right(flipped(stream, bit));
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t difference = left.next() ^ right.next();
        changed += std::popcount(difference);
        for (unsigned place = 0; place < 32; ++place) { per_bit[place] += difference >> place & 1U ? 1 : 0; }
      }
    }
    INFO("bit " << bit << " of the name");
    // 6 standard deviations
    REQUIRE(std::abs(changed - names * 64) < 6 * std::sqrt(names * 128 / 4.0));
    for (const int count : per_bit) { REQUIRE(std::abs(count - names * 2) < 6 * std::sqrt(names * 4 / 4.0)); }
  }
}

TEST_CASE("random_source: streams of one seed start in different states", "[kernels][random_source]") {
  std::set<std::array<std::uint32_t, 4>> states;
  for (std::uint32_t core = 0; core < 64; ++core) {
    for (std::uint32_t population = 0; population < 64; ++population) {
      const Sfc32::State state = Sfc32(StreamId{0, core, population}).state();
      states.insert({state.a, state.b, state.c, state.counter});
    }
  }
  REQUIRE(states.size() == 64 * 64);
}
