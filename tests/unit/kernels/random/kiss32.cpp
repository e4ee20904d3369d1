// SPDX-License-Identifier: BSL-1.0
#include <neuromorph/kernels/random/kiss32.hpp>

#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/randomness.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint64_t base = 0x8000'0000U;
constexpr std::uint64_t small_factor = 7559;
constexpr std::uint64_t large_factor = 610092078393289U;
constexpr std::uint64_t modulus = base * base + base - 1;
static_assert(modulus == small_factor * large_factor);

constexpr std::array<std::uint32_t, 8> first_words() {
  std::array<std::uint32_t, 8> words{};
  Kiss32{}.fill(words);
  return words;
}
// From Python's integers.
static_assert(first_words() == std::array<std::uint32_t, 8>{2580135033U, 3926114927U, 653136079U, 2957951449U,
                                                            4132734451U, 3982540607U, 3992943283U, 3756328215U});

Kiss32 at(const Kiss32::State& state) {
  const Result<Kiss32> result = Kiss32::with_state(state);
  REQUIRE(result.ok());
  return result.value();
}

std::uint64_t place(const Kiss32& source) {
  return ((std::uint64_t{source.state().z} + source.state().c) * base + source.state().w) % modulus;
}

// The smallest exponent that gives 1, for a prime modulus and the prime factors of the exponent.
bool is_order(std::uint64_t order, std::initializer_list<std::uint64_t> primes, std::uint64_t prime_modulus) {
  bool exact = randomness::power_mod(base, order, prime_modulus) == 1;
  std::uint64_t rest = order;
  for (const std::uint64_t prime : primes) {
    exact = exact && randomness::is_prime(prime) && rest % prime == 0;
    exact = exact && randomness::power_mod(base, order / prime, prime_modulus) != 1;
    rest /= prime;
  }
  return exact && rest == 1;
}

} // namespace

TEST_CASE("kiss32: gives known words from the published state", "[kernels][kiss32]") {
  Kiss32 source;
  std::uint64_t sum = 0;
  std::uint32_t word = 0;
  for (int i = 0; i < 1'000'000; ++i) { sum += word = source.next(); }
  // From Python's integers.
  REQUIRE(word == 1530049399U);
  REQUIRE(sum == 2148880715913786U);
  REQUIRE(source.state() == Kiss32::State{1872481749U, 2189363240U, 1026834932U, 1763171706U, 0});
}

TEST_CASE("kiss32: the add-with-carry part divides by 2^31 modulo 2^62 + 2^31 - 1", "[kernels][kiss32]") {
  Kiss32 source;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t before = place(source);
    source.next();
    REQUIRE(randomness::multiply_mod(place(source), base, modulus) == before);
  }
}

TEST_CASE("kiss32: the period is as stated", "[kernels][kiss32]") {
  REQUIRE(randomness::is_prime(small_factor));
  REQUIRE(randomness::is_prime(large_factor));
  constexpr std::uint64_t small_order = 3779;
  constexpr std::uint64_t large_order = 152523019598322U;
  REQUIRE(is_order(small_order, {3779}, small_factor));
  REQUIRE(is_order(large_order, {2, 3, 25420503266387U}, large_factor));
  constexpr std::uint64_t carry_period = std::lcm(small_order, large_order);
  REQUIRE(carry_period == 576384491062058838U);
  // The counter's step is odd: period 2^32. Together: the least common multiple.
  REQUIRE(std::gcd(carry_period, std::uint64_t{1} << 32) == 2);
  REQUIRE(std::gcd(carry_period, std::uint64_t{0xFFFF'FFFFU}) == 3);

  randomness::BitMatrix step{};
  for (unsigned bit = 0; bit < 32; ++bit) {
    Kiss32 source = at({0, 1U << bit, 1, 1, 0});
    source.next();
    step[bit] = source.state().y;
  }
  REQUIRE(randomness::has_full_period(step));
}

TEST_CASE("kiss32: refuses what cannot be a state", "[kernels][kiss32]") {
  const auto refusal = [](const Kiss32::State& state) { return Kiss32::with_state(state).status(); };
  REQUIRE(refusal({1, 0, 3, 4, 0}) == Status{Error::parameter_out_of_range, 0, 0, "y"});
  REQUIRE(refusal({1, 2, 0x8000'0000U, 4, 0}) == Status{Error::parameter_out_of_range, 0, 0x8000'0000, "z"});
  REQUIRE(refusal({1, 2, 3, 0x8000'0000U, 0}) == Status{Error::parameter_out_of_range, 0, 0x8000'0000, "w"});
  REQUIRE(refusal({1, 2, 3, 4, 2}) == Status{Error::parameter_out_of_range, 0, 2, "c"});
  REQUIRE(refusal({0, 1, 0, 1, 0}).ok());
  REQUIRE(refusal({0, 1, 0x7FFF'FFFFU, 0x7FFF'FFFFU, 0}).ok());

  Kiss32 source(StreamId{1, 2, 3});
  source.next();
  REQUIRE(at(source.state()) == source);
}

TEST_CASE("kiss32: refuses every state with a short period", "[kernels][kiss32]") {
  // All states on a multiple of the large factor; the first is the one that stands still.
  for (std::uint64_t multiple = 0; multiple <= small_factor; ++multiple) {
    const std::uint64_t short_place = multiple * large_factor;
    const auto w = static_cast<std::uint32_t>(short_place % base);
    const std::uint64_t z_and_c = short_place / base;
    for (std::uint32_t c = 0; c < 2; ++c) {
      if (z_and_c < c || z_and_c - c >= base) { continue; }
      const Kiss32::State state{0, 1, static_cast<std::uint32_t>(z_and_c - c), w, c};
      if (Kiss32::with_state(state).ok()) { FAIL("multiple " << multiple << ", carry " << c); }
    }
  }
  // And that such a state is short indeed, by running the recurrence.
  std::uint64_t z = 284096;
  std::uint64_t w = 563931081;
  std::uint64_t c = 0;
  REQUIRE(z * base + w == large_factor);
  for (int i = 0; i < 3779; ++i) {
    const std::uint64_t sum = z + w + c;
    z = std::exchange(w, sum % base);
    c = sum / base;
  }
  REQUIRE(((z + c) * base + w) % modulus == large_factor);

  // States on a multiple of the small factor only.
  REQUIRE(Kiss32::with_state({0, 1, 0, 7559, 0}).status() == Status{Error::parameter_out_of_range, 0, 0, "z"});
  REQUIRE(Kiss32::with_state({0, 1, 0, 7558, 0}).ok());
  REQUIRE(Kiss32::with_state({0, 1, 0, 7560, 0}).ok());
}

TEST_CASE("kiss32: a stream starts in the state that Philox gives, and never in a refused one", "[kernels][kiss32]") {
  // From Python's integers.
  Kiss32 source(StreamId{0x0123'4567'89AB'CDEFU, 7, 11});
  REQUIRE(source.state() == Kiss32::State{887621318U, 1765469497U, 761759394U, 1986499581U, 1});
  REQUIRE(source.next() == 445827486U);
  // One stream in 2^32 has this word, found by search: 0 is no state of the xorshift, which keeps its first one.
  REQUIRE(Philox::start_words({2908543345, 0, 0}, 1)[1] == 0);
  REQUIRE(Kiss32({2908543345, 0, 0}).state().y == Kiss32().state().y);
  unsigned moved = 0;
  for (std::uint32_t population = 0; population < 100'000; ++population) {
    const StreamId stream{0, 0, population};
    const Kiss32 other(stream);
    if (!Kiss32::with_state(other.state()).ok()) { FAIL("population " << population); }
    const Philox::Block words = Philox::start_words(stream, 1);
    Kiss32::State expected{words[0], words[1], words[2] % 0x8000'0000U, words[3] % 0x8000'0000U, words[2] >> 31U};
    const std::uint64_t place = (std::uint64_t{expected.z} + expected.c) * base + expected.w;
    if (place % small_factor == 0 || place % large_factor == 0) { // moved to its neighbour
      expected.w = expected.w % 2 == 0 ? expected.w + 1 : expected.w - 1;
      ++moved;
    }
    if (other.state() != expected) { FAIL("population " << population); }
  }
  // One start in 7559 would be short and is moved to its neighbour: 13 expected here.
  REQUIRE(moved > 0);
  REQUIRE(moved < 40);
}
