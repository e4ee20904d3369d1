// SPDX-License-Identifier: BSL-1.0
#include <neuromorph/kernels/random/jkiss64.hpp>

#include <array>
#include <cstdint>
#include <numeric>

#include "tests/support/catch.hpp"
#include "tests/support/randomness.hpp"

using namespace neuromorph;

namespace {

// The paper's listing (Streamlining SpiNNaker, 1.2) in other words: one expression per component, nothing
// shared.
struct Listing {
  unsigned long long x = 123456789, y = 987654321, z = 43219876, c = 6543217;
  std::uint32_t operator()() {
    const unsigned long long word = 1ULL << 32;
    x = (x * 314527869 + 1234567) % word;
    y = (y ^ y * 32) % word;
    y = y ^ y / 128;
    y = (y ^ y * 4194304) % word;
    const unsigned long long t = 4294584393ULL * z + c;
    c = t / word;
    z = t % word;
    return static_cast<std::uint32_t>((x + y + z) % word);
  }
};

constexpr std::uint64_t multiplier = 4294584393U;
constexpr std::uint64_t modulus = multiplier * 0x1'0000'0000U - 1;

constexpr std::array<std::uint32_t, 8> first_words() {
  std::array<std::uint32_t, 8> words{};
  Jkiss64{}.fill(words);
  return words;
}
// From Python's integers.
static_assert(first_words() == std::array<std::uint32_t, 8>{560241513U, 2602615593U, 2542353780U, 3322652092U,
                                                            2306311670U, 3473025722U, 4103263712U, 718504230U});

Jkiss64 at(const Jkiss64::State& state) {
  const Result<Jkiss64> result = Jkiss64::with_state(state);
  REQUIRE(result.ok());
  return result.value();
}

} // namespace

TEST_CASE("jkiss64: gives the words of the published listing", "[kernels][jkiss64]") {
  Jkiss64 source;
  Listing listing;
  std::uint64_t sum = 0;
  std::uint32_t word = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    word = source.next();
    sum += word;
    if (word != listing()) { FAIL("word " << i << " differs"); }
  }
  // From Python's integers.
  REQUIRE(word == 2277673673U);
  REQUIRE(sum == 2148559078225453U);
  REQUIRE(source.state() == Jkiss64::State{728171861U, 1473987677U, 75514135U, 1326770439U});
}

TEST_CASE("jkiss64: the multiply-with-carry part divides by 2^32 modulo a safe prime", "[kernels][jkiss64]") {
  Jkiss64 source;
  const std::uint64_t inverse = multiplier; // 2^32 times the multiplier is 1
  REQUIRE(randomness::multiply_mod(inverse, 0x1'0000'0000U, modulus) == 1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t before = std::uint64_t{source.state().c} << 32 | source.state().z;
    source.next();
    const std::uint64_t after = std::uint64_t{source.state().c} << 32 | source.state().z;
    REQUIRE(after == randomness::multiply_mod(before, inverse, modulus));
  }
  // Hence the period that the header states: the order of 2^32 divides the prime (modulus - 1) / 2 and is
  // not 1.
  REQUIRE(randomness::is_prime(modulus));
  REQUIRE(randomness::is_prime((modulus - 1) / 2));
  REQUIRE((modulus - 1) / 2 == multiplier * 0x8000'0000U - 1);
  REQUIRE(randomness::power_mod(0x1'0000'0000U, (modulus - 1) / 2, modulus) == 1);
  REQUIRE(std::gcd((modulus - 1) / 2, std::uint64_t{0xFFFF'FFFFU} << 32) == 1);
}

TEST_CASE("jkiss64: the congruential part visits all words", "[kernels][jkiss64]") {
  const auto step = [](std::uint32_t x) {
    Jkiss64 source = at({x, 1, 1, 1});
    source.next();
    return source.state().x;
  };
  // Hull and Dobell: the increment is odd, the multiplier is 1 modulo 4.
  const std::uint32_t increment = step(0);
  const std::uint32_t factor = step(1) - increment;
  REQUIRE(increment % 2 == 1);
  REQUIRE(factor % 4 == 1);
}

TEST_CASE("jkiss64: the xorshift part visits all words but zero", "[kernels][jkiss64]") {
  randomness::BitMatrix step{};
  for (unsigned bit = 0; bit < 32; ++bit) {
    Jkiss64 source = at({0, 1U << bit, 1, 1});
    source.next();
    step[bit] = source.state().y;
  }
  REQUIRE(randomness::has_full_period(step));
}

TEST_CASE("jkiss64: takes states back and refuses those with short periods", "[kernels][jkiss64]") {
  Jkiss64 source(StreamId{1, 2, 3});
  for (int i = 0; i < 10; ++i) { source.next(); }
  Jkiss64 copy = at(source.state());
  REQUIRE(copy == source);
  REQUIRE(copy.next() == source.next());

  const auto refusal = [](const Jkiss64::State& state) { return Jkiss64::with_state(state).status(); };
  REQUIRE(refusal({1, 0, 3, 4}) == Status{Error::parameter_out_of_range, 0, 0, "y"});
  REQUIRE(refusal({1, 2, 3, 4294584393U}) == Status{Error::parameter_out_of_range, 0, 4294584393, "c"});
  REQUIRE(refusal({1, 2, 0, 0}) == Status{Error::parameter_out_of_range, 0, 0, "c"});
  REQUIRE(refusal({1, 2, 0xFFFF'FFFFU, 4294584392U}) == Status{Error::parameter_out_of_range, 0, 4294584392, "c"});
  REQUIRE(refusal({0, 1, 0, 1}).ok());
  REQUIRE(refusal({0, 1, 1, 0}).ok());
  REQUIRE(refusal({0, 1, 0xFFFF'FFFEU, 4294584392U}).ok());
  REQUIRE(refusal({0, 1, 0xFFFF'FFFFU, 4294584391U}).ok());
  REQUIRE(refusal({0, 1, 0xFFFF'FFFFU, 0}).ok());
  REQUIRE(refusal({0, 1, 0, 4294584392U}).ok());
}

TEST_CASE("jkiss64: a stream starts in the state that Philox gives", "[kernels][jkiss64]") {
  // From Python's integers.
  Jkiss64 source(StreamId{0x0123'4567'89AB'CDEFU, 7, 11});
  REQUIRE(source.state() == Jkiss64::State{2612371226U, 1305428481U, 3191145857U, 1328195039U});
  REQUIRE(source.next() == 42881542U);
  // One stream in 2^32 has this word, found by search: the multiplier itself is no carry.
  const Philox::Block words = Philox::start_words({375170742, 0, 0}, 0);
  REQUIRE(words[3] == 4294584393U);
  REQUIRE(Jkiss64({375170742, 0, 0}).state() == Jkiss64::State{words[0], words[1], words[2], 0});
  for (std::uint32_t population = 0; population < 100'000; ++population) {
    const StreamId stream{0, 0, population};
    const Jkiss64 other(stream);
    if (!Jkiss64::with_state(other.state()).ok()) { FAIL("population " << population); }
    const Philox::Block start = Philox::start_words(stream, 0);
    const Jkiss64::State expected{start[0], start[1], start[2], start[3] % 4294584393U}; // no word here is 0
    if (other.state() != expected) { FAIL("population " << population); }
  }
}
