// SPDX-License-Identifier: BSL-1.0
// Sixteen generators that take turns; tests/target/draws.cpp compares the loops of backends with sixteen single ones.
#include <neuromorph/kernels/random/sfc32x16.hpp>

#include <neuromorph/kernels/random/sfc32.hpp>

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/randomness.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

static_assert(SeedableSource<Sfc32x16> && std::uniform_random_bit_generator<Sfc32x16>);
static_assert(std::is_trivially_copyable_v<Sfc32x16> && std::is_standard_layout_v<Sfc32x16>);
static_assert(sizeof(Sfc32x16) == 260);

namespace {

constexpr bool fills_at_compile_time() {
  Sfc32x16 by_word{StreamId{1, 2, 3}};
  static_cast<void>(by_word.next());
  Sfc32x16 by_block = by_word;
  std::array<std::uint32_t, 71> words{};
  by_block.fill(words);
  for (const std::uint32_t word : words)
    if (word != by_word.next()) return false;
  return by_word == by_block;
}
static_assert(fills_at_compile_time());

/// Lane by lane, the words of one after the other.
struct OneLane {
  using Offers = offer::List<>;
  Sfc32x16 source;
  std::uint32_t next() {
    const std::uint32_t word = source.next();
    for (int i = 1; i < 16; ++i) static_cast<void>(source.next());
    return word;
  }
};

} // namespace

TEST_CASE("sfc32x16: gives in turn the words of sixteen generators", "[kernels][sfc32x16]") {
  for (const std::uint32_t seed : Seeds(20)) {
    CAPTURE(seed);
    Sfc32x16 source(StreamId{seed, 3, 4});
    std::vector<Sfc32> lanes;
    for (std::uint32_t lane = 0; lane < 16; ++lane) {
      const Philox::Block words = Philox::start_words(StreamId{seed, 3, 4}, 16 + lane);
      lanes.emplace_back(Sfc32::State{words[0], words[1], words[2], words[3]});
    }
    for (std::uint32_t word = 0; word < 1000; ++word) REQUIRE(source.next() == lanes[word % 16].next());
    // From here on in pieces of any length.
    std::uint32_t at = 1000;
    Sfc32 lengths(StreamId{seed, 5, 6});
    for (int piece = 0; piece < 100; ++piece) {
      std::vector<std::uint32_t> words(lengths.next() % 100);
      source.fill(words);
      for (const std::uint32_t word : words) REQUIRE(word == lanes[at++ % 16].next());
      const Sfc32x16 kept(source.state());
      REQUIRE(kept == source);
    }
  }
}

TEST_CASE("sfc32x16: any state is legal, of the turn the lowest bits count", "[kernels][sfc32x16]") {
  Sfc32x16::State state = Sfc32x16().state();
  for (const std::uint32_t turn : {0U, 5U, 15U, 16U, 0xFFFF'FFFFU}) {
    state.turn = turn;
    Sfc32x16 source(state);
    CHECK(source.state().turn == turn % 16);
    std::array<std::uint32_t, 16> words{};
    source.fill(words);
    for (std::uint32_t i = 0; i < 16; ++i) {
      const std::uint32_t lane = (turn + i) % 16;
      CHECK(words[i] == state.columns.a[lane] + state.columns.b[lane] + state.columns.counter[lane]);
    }
  }
  CHECK(Sfc32x16() == Sfc32x16(StreamId{}));
}

TEST_CASE("sfc32x16: lanes of streams of one seed start in different states", "[kernels][sfc32x16]") {
  std::set<std::array<std::uint32_t, 4>> states;
  for (std::uint32_t core = 0; core < 16; ++core)
    for (std::uint32_t population = 0; population < 16; ++population) {
      const StreamId stream{0, core, population};
      const target::Sfc32Columns columns = Sfc32x16(stream).state().columns;
      for (std::size_t lane = 0; lane < 16; ++lane)
        states.insert({columns.a[lane], columns.b[lane], columns.c[lane], columns.counter[lane]});
      const Sfc32::State single = Sfc32(stream).state();
      states.insert({single.a, single.b, single.c, single.counter});
    }
  CHECK(states.size() == 17 * 16 * 16);
}

TEST_CASE("sfc32x16: its words, and those of a lane, pass the battery", "[kernels][sfc32x16]") {
  const auto require_pass = [](const auto& source, std::size_t length) {
    for (const randomness::Finding& finding : randomness::battery(source, length)) {
      INFO(finding.test);
      CHECK(finding.p > 1e-6);
    }
  };
  require_pass(Sfc32x16(StreamId{1, 1, 1}), std::size_t{1} << 20);
  require_pass(OneLane{Sfc32x16(StreamId{2, 1, 1})}, std::size_t{1} << 18);
}
