// SPDX-License-Identifier: BSL-1.0
#include <neuromorph/kernels/random/philox.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint32_t ones = 0xFFFF'FFFFU;

// Known answers of the Random123 distribution.
static_assert(Philox::block({0, 0}, {0, 0, 0, 0}) ==
              Philox::Block{0x6627'E8D5U, 0xE169'C58DU, 0xBC57'AC4CU, 0x9B00'DBD8U});
static_assert(Philox::block({ones, ones}, {ones, ones, ones, ones}) ==
              Philox::Block{0x408F'276DU, 0x41C8'3B0EU, 0xA20B'C7C6U, 0x6D54'51FDU});
static_assert(Philox::block({0xA409'3822U, 0x299F'31D0U}, {0x243F'6A88U, 0x85A3'08D3U, 0x1319'8A2EU, 0x0370'7344U}) ==
              Philox::Block{0xD16C'FE09U, 0x94FD'CCEBU, 0x5001'E420U, 0x2412'6EA1U});

constexpr StreamId stream{0x0123'4567'89AB'CDEFU, 7, 11};

// From Python's integers: the layout of key and counter, in each word of both.
static_assert(Philox::value(stream, 0) == 870039474U);
static_assert(Philox::value(stream, 1) == 2227018442U);
static_assert(Philox::value(stream, 5) == 3247778135U);
static_assert(Philox::value(stream, (1U << 20) + 1) == 2727502907U);
static_assert(Philox::value(stream, (std::uint64_t{1} << 33) + 2) == 3248119018U);
static_assert(Philox::value(stream, (std::uint64_t{1} << 34) + 3) == 1571600173U);
static_assert(Philox::value(stream, std::numeric_limits<std::uint64_t>::max()) == 1384042590U);

constexpr std::uint32_t second_of(StreamId name) {
  Philox source(name);
  source.next();
  return source.next();
}
static_assert(second_of(stream) == 2227018442U);

} // namespace

TEST_CASE("philox: next gives the values in order", "[kernels][philox]") {
  Philox source(stream);
  for (std::uint64_t n = 0; n < 1000; ++n) {
    REQUIRE(source.position() == n);
    REQUIRE(source.next() == Philox::value(stream, n));
  }
}

TEST_CASE("philox: known values, at run time, drawn, sought and filled", "[kernels][philox]") {
  struct Known {
    std::uint64_t place;
    std::uint32_t word;
  };
  for (const Known known : {Known{0, 870039474U}, Known{1, 2227018442U}, Known{5, 3247778135U},
                            Known{(1U << 20) + 1, 2727502907U}, Known{(std::uint64_t{1} << 33) + 2, 3248119018U},
                            Known{(std::uint64_t{1} << 34) + 3, 1571600173U}, Known{~std::uint64_t{0}, 1384042590U}}) {
    INFO("place " << known.place);
    REQUIRE(Philox::value(stream, known.place) == known.word);
    Philox source(stream);
    source.seek(known.place);
    REQUIRE(source.next() == known.word);
    for (const std::uint64_t before : {0U, 1U, 2U, 3U, 4U, 5U, 8U, 11U}) {
      if (known.place < before) continue;
      std::array<std::uint32_t, 12> words{};
      source.seek(known.place - before);
      source.fill(std::span(words).first(before + 1));
      REQUIRE(words[before] == known.word);
      REQUIRE(source.position() == known.place + 1);
    }
  }
}

TEST_CASE("philox: fill is as many calls of next, from any place and of any length", "[kernels][philox]") {
  for (std::uint64_t place = 0; place < 9; ++place)
    for (std::size_t length = 0; length < 14; ++length) {
      Philox filled(stream), drawn(stream);
      filled.seek(place);
      drawn.seek(place);
      std::vector<std::uint32_t> words(length + 1, 77), expected(length + 1, 77);
      filled.fill(std::span(words).first(length));
      for (std::size_t i = 0; i < length; ++i) expected[i] = drawn.next();
      INFO("place " << place << ", length " << length);
      REQUIRE(words == expected);
      REQUIRE(filled == drawn);
      REQUIRE(filled.next() == drawn.next());
    }
}

TEST_CASE("philox: sources are equal at the same place of the same stream", "[kernels][philox]") {
  Philox one(stream), two(stream);
  REQUIRE(one == two);
  one.next();
  REQUIRE_FALSE(one == two);
  two.seek(1);
  REQUIRE(one == two);
  REQUIRE_FALSE(Philox(StreamId{1, 2, 3}) == Philox(StreamId{1, 2, 4}));
}

TEST_CASE("philox: seek is the same as drawing, forwards and backwards", "[kernels][philox]") {
  Philox source(stream);
  for (const std::uint64_t n : {5U, 4U, 7U, 0U, 3U, 1000U, 999U, 4096U, 1U}) {
    source.seek(n);
    REQUIRE(source.position() == n);
    Philox sequential(stream);
    for (std::uint64_t i = 0; i < n; ++i) { sequential.next(); }
    REQUIRE(source == sequential);
    for (std::uint64_t i = n; i < n + 6; ++i) {
      const std::uint32_t word = source.next();
      REQUIRE(word == Philox::value(stream, i));
      REQUIRE(word == sequential.next());
    }
  }
}

TEST_CASE("philox: a stream goes on past its last value to its first", "[kernels][philox]") {
  Philox source(stream);
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  source.seek(last - 2);
  REQUIRE(source.next() == Philox::value(stream, last - 2));
  std::array<std::uint32_t, 6> words{};
  source.fill(words);
  REQUIRE(words == std::array<std::uint32_t, 6>{Philox::value(stream, last - 1), Philox::value(stream, last),
                                                Philox::value(stream, 0), Philox::value(stream, 1),
                                                Philox::value(stream, 2), Philox::value(stream, 3)});
  REQUIRE(source.position() == 4);
}

TEST_CASE("philox: a population's values do not depend on how many cores share it", "[kernels][philox]") {
  constexpr std::uint64_t neurons = 1003;
  constexpr std::uint64_t per_neuron = 5;
  const StreamId population{42, 0, 3};
  std::vector<std::uint32_t> whole(neurons * per_neuron);
  Philox(population).fill(whole);
  for (const std::uint64_t cores : {2U, 3U, 17U}) {
    std::vector<std::uint32_t> split(whole.size());
    for (std::uint64_t core = 0; core < cores; ++core) {
      const std::uint64_t first = neurons * core / cores * per_neuron;
      const std::uint64_t end = neurons * (core + 1) / cores * per_neuron;
      Philox source(population);
      source.seek(first);
      for (std::uint64_t n = first; n < end; ++n) { split[n] = source.next(); }
    }
    REQUIRE(split == whole);
  }
}

TEST_CASE("philox: starts of other generators are not values of the stream", "[kernels][philox]") {
  // The second counter word of a value's block stays below 2^30; that of a start is 2^32 - 1.
  REQUIRE(Philox::start_words(stream, 5) ==
          Philox::block({0x89AB'CDEFU, 0x0123'4567U}, {5, 0xFFFF'FFFFU, stream.core, stream.population}));
  REQUIRE(std::numeric_limits<std::uint64_t>::max() / 4 >> 32 < 0xFFFF'FFFFU);
}
