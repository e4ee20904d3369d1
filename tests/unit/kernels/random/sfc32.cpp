// SPDX-License-Identifier: BSL-1.0
#include <neuromorph/kernels/random/sfc32.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

constexpr Sfc32 after(const Sfc32::State& state, int discarded) {
  Sfc32 source(state);
  for (int i = 0; i < discarded; ++i) { source.next(); }
  return source;
}

// PractRand seeds from 64 bits by b = low, c = high and 12 discarded words.
constexpr std::array<std::uint32_t, 8> practrand_words(std::uint64_t seed) {
  Sfc32 source = after({0, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 1}, 12);
  std::array<std::uint32_t, 8> words{};
  source.fill(words);
  return words;
}
// What PractRand pre0.95 prints for `RNG_output sfc32 64 <seed>`.
static_assert(practrand_words(0) == std::array<std::uint32_t, 8>{0x5146'76C3U, 0x08A8'09DFU, 0x3034'9D2BU, 0xFB52'C520U,
                                                                 0x3880'2BE1U, 0x9482'79E6U, 0xEC4B'F1D9U,
                                                                 0x7CB0'A909U});
static_assert(practrand_words(0x0123'4567'89AB'CDEFU) ==
              std::array<std::uint32_t, 8>{0x8471'2D97U, 0xF5A3'D9C8U, 0x5CD0'A295U, 0x35E0'5B54U, 0x4C62'7CA1U,
                                           0x33A0'43E2U, 0xB611'3C67U, 0x7CAB'9699U});

// The state before a step. That it exists for every state makes the step a bijection.
Sfc32::State before(const Sfc32::State& state) {
  const std::uint32_t c = state.b * 0x38E3'8E39U; // 9 times this is 1
  const std::uint32_t word = state.c - std::rotl(c, 21);
  std::uint32_t b = state.a;
  for (int i = 0; i < 4; ++i) { b = state.a ^ (b >> 9); }
  return {word - b - (state.counter - 1), b, c, state.counter - 1};
}

} // namespace

TEST_CASE("sfc32: gives known words", "[kernels][sfc32]") {
  Sfc32 source(Sfc32::State{0, 0, 0, 1});
  std::uint64_t sum = 0;
  std::uint32_t word = 0;
  for (int i = 0; i < 1'000'000; ++i) { sum += word = source.next(); }
  // From Python's integers.
  REQUIRE(word == 982953001U);
  REQUIRE(sum == 2147308483642486U);
  REQUIRE(source.state() == Sfc32::State{3998161741U, 1570982620U, 2587126495U, 1000001U});

  // The counter goes on through zero.
  Sfc32 wrapping(Sfc32::State{0xFFFF'FFFFU, 0x1234'5678U, 0x9ABC'DEF0U, 0xFFFF'FFFEU});
  for (const std::uint32_t known : {305419893U, 2195792578U, 3810567723U, 3753174415U, 2535615421U, 3657939869U}) {
    REQUIRE(wrapping.next() == known);
  }
  REQUIRE(wrapping.state() == Sfc32::State{2945891521U, 3737895369U, 1379237489U, 4});
}

TEST_CASE("sfc32: begins at run time as at compile time", "[kernels][sfc32]") {
  constexpr Sfc32 constant;
  Sfc32 source;
  REQUIRE(source == constant);
  const Sfc32::State plain;
  REQUIRE(plain == Sfc32::State{0, 0, 0, 1});
  constexpr std::uint32_t first = Sfc32{}.next();
  REQUIRE(source.next() == first);
}

TEST_CASE("sfc32: a step can be undone from every state", "[kernels][sfc32]") {
  Sfc32 chooser;
  for (int i = 0; i < 10'000; ++i) {
    Sfc32::State state{chooser.next(), chooser.next(), chooser.next(), chooser.next()};
    if (i < 256) { // corners: each word all zeros, all ones, or one
      const auto corner = [&](int digit) {
        return digit == 0 ? 0U : digit == 1 ? 0xFFFF'FFFFU : digit == 2 ? 1U : state.a;
      };
      state = {corner(i % 4), corner(i / 4 % 4), corner(i / 16 % 4), corner(i / 64 % 4)};
    }
    const Sfc32 stepped = after(state, 1);
    REQUIRE(before(stepped.state()) == state);
    REQUIRE(after(before(state), 1).state() == state);
    // The counter returns only after 2^32 steps: no shorter period.
    REQUIRE(stepped.state().counter == state.counter + 1);
  }
}

TEST_CASE("sfc32: 16 words mix states that differ in one bit", "[kernels][sfc32]") {
  for (unsigned bit = 0; bit < 128; ++bit) {
    int changed = 0;
    constexpr std::uint32_t starts = 256;
    for (std::uint32_t start = 0; start < starts; ++start) {
      std::array<std::uint32_t, 4> words{start, 0, 0, 1};
      Sfc32 left = after({words[0], words[1], words[2], words[3]}, 16);
      words[bit / 32] ^= 1U << bit % 32;
      Sfc32 right = after({words[0], words[1], words[2], words[3]}, 16);
      for (int i = 0; i < 4; ++i) { changed += std::popcount(left.next() ^ right.next()); }
    }
    INFO("bit " << bit << " of the state");
    REQUIRE(std::abs(changed - static_cast<int>(starts) * 64) < 6 * std::sqrt(starts * 128 / 4.0));
  }
}

TEST_CASE("sfc32: a stream starts in the state that Philox gives", "[kernels][sfc32]") {
  // From Python's integers.
  Sfc32 source(StreamId{0x0123'4567'89AB'CDEFU, 7, 11});
  REQUIRE(source.state() == Sfc32::State{3472089784U, 1071416757U, 2829170127U, 172527200U});
  REQUIRE(source.next() == 421066445U);
  REQUIRE(Sfc32() == Sfc32(StreamId{}));
  REQUIRE(Sfc32().next() == 79765511U);
}
