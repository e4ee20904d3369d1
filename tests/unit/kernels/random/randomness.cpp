// SPDX-License-Identifier: BSL-1.0
// The generators pass a statistical battery, and generators that are broken on purpose fail it where they
// should.
#include "tests/support/randomness.hpp"

#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/kiss32.hpp>
#include <neuromorph/kernels/random/philox.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

// Everything is seeded, so a result never varies: a good generator is far from the first, a broken one from
// the second.
constexpr double suspicious = 1e-6;
constexpr double broken = 1e-9;

constexpr std::size_t words = 1U << 20;
constexpr std::size_t words_of_streams = 1U << 18;

template <class Source>
void require_pass(const Source& source, std::size_t length) {
  for (const randomness::Finding& finding : randomness::battery(source, length)) {
    INFO(finding.test);
    CHECK(finding.p > suspicious);
  }
}

// The first word of stream after stream, counting up one part of the name.
enum class Part { seed, core, population };

constexpr StreamId numbered(Part part, std::uint32_t number) {
  switch (part) {
  case Part::seed: return {number, 1, 1};
  case Part::core: return {1, number, 1};
  case Part::population: return {1, 1, number};
  }
  return {};
}

template <class Source, Part part>
struct FirstWords {
  using Offers = offer::List<>;
  std::uint32_t number = 0;
  std::uint32_t next() { return Source(numbered(part, number++)).next(); }
};

// Neighbouring streams in turn.
template <class Source, Part part>
struct InTurn {
  using Offers = offer::List<>;
  static constexpr std::size_t streams = 16;
  std::array<Source, streams> sources = [] {
    std::array<Source, streams> made;
    for (std::size_t i = 0; i < streams; ++i) { made[i] = Source(numbered(part, static_cast<std::uint32_t>(i))); }
    return made;
  }();
  std::size_t turn = 0;
  std::uint32_t next() { return sources[turn++ % streams].next(); }
};

// Somebody else's generator: tells a broken test from a broken generator of ours.
struct Standard {
  using Offers = offer::List<>;
  std::mt19937 engine{1};
  std::uint32_t next() { return static_cast<std::uint32_t>(engine()); }
};

// Bit 9 is set with probability 0.501: of the words where it is not, one in 500 gets it.
struct Biased {
  using Offers = offer::List<>;
  Sfc32 source{StreamId{1, 0, 0}};
  Sfc32 chooser{StreamId{2, 0, 0}};
  std::uint32_t next() { return source.next() | (chooser.next() < 0x1'0000'0000U / 500 ? 1U << 9 : 0U); }
};

// Modulo 2^32: the lowest bit alternates, the next has period 4, and so on.
struct Congruential {
  using Offers = offer::List<>;
  std::uint32_t state = 1;
  std::uint32_t next() { return state = 1'103'515'245U * state + 12'345U; }
};

// One word in 16 is that of 17 places before.
struct Sticking {
  using Offers = offer::List<>;
  Sfc32 source{StreamId{1, 0, 0}};
  std::array<std::uint32_t, 17> last{};
  std::uint32_t place = 0;
  std::uint32_t next() {
    std::uint32_t& oldest = last[place % last.size()];
    const std::uint32_t word = source.next();
    if (place >= last.size() && place % 16 != 0) { oldest = word; }
    if (place < last.size()) { oldest = word; }
    ++place;
    return oldest;
  }
};

// Marsaglia's xorshifts of 32 and 128 bits: each bit of the future is an exclusive-or of bits of the state.
struct Xorshift32 {
  using Offers = offer::List<>;
  std::uint32_t state = 2463534242U;
  std::uint32_t next() {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
  }
};

struct Xorshift128 {
  using Offers = offer::List<>;
  std::array<std::uint32_t, 4> state{123456789U, 362436069U, 521288629U, 88675123U};
  std::uint32_t next() {
    const std::uint32_t mixed = state[0] ^ state[0] << 11;
    state = {state[1], state[2], state[3], state[3] ^ state[3] >> 19 ^ mixed ^ mixed >> 8};
    return state[3];
  }
};

// Counts up in steps: much too even.
struct Even {
  using Offers = offer::List<>;
  std::uint32_t state = 0;
  std::uint32_t next() { return state += 0x9E37'79B9U; }
};

// A stream's name written into the state as it is.
struct Unmixed {
  using Offers = offer::List<>;
  Sfc32 source;
  Unmixed() = default;
  explicit Unmixed(StreamId stream)
      : source{Sfc32::State{static_cast<std::uint32_t>(stream.seed), stream.core, stream.population, 1}} {}
  std::uint32_t next() { return source.next(); }
};

} // namespace

TEST_CASE("randomness: p-values agree with published chi-square quantiles", "[kernels][randomness]") {
  struct Quantile {
    double degrees, p, value;
  };
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4; three decimals.
  for (const Quantile quantile :
       {Quantile{1, 0.05, 3.841}, Quantile{1, 0.001, 10.828}, Quantile{2, 0.01, 9.210}, Quantile{5, 0.10, 9.236},
        Quantile{10, 0.05, 18.307}, Quantile{10, 0.95, 3.940}, Quantile{10, 0.001, 29.588}, Quantile{30, 0.99, 14.953},
        Quantile{50, 0.025, 71.420}, Quantile{100, 0.05, 124.342}, Quantile{100, 0.99, 70.065}}) {
    INFO("degrees " << quantile.degrees << ", p " << quantile.p);
    CHECK(randomness::chi_square_p(quantile.value - 0.0006, quantile.degrees) >= quantile.p);
    CHECK(randomness::chi_square_p(quantile.value + 0.0006, quantile.degrees) <= quantile.p);
  }
  // Closed forms: two degrees are exponential, one is the square of a normal variable.
  for (double x = 0.01; x < 600; x *= 1.7) {
    CHECK(randomness::chi_square_p(x, 2) == Approx(std::exp(-x / 2)).epsilon(1e-11));
    CHECK(randomness::chi_square_p(x, 1) == Approx(2 * randomness::normal_p(std::sqrt(x))).epsilon(1e-11));
  }
  // 1 - (1 + 3 + 9/2) exp(-3)
  CHECK(randomness::poisson_p(3, 3.0) == Approx(1 - 8.5 * std::exp(-3.0)));
  CHECK(randomness::poisson_p(0, 3.0) == 1);
}

TEST_CASE("randomness: the battery passes a generator that is not ours", "[kernels][randomness]") {
  require_pass(Standard{}, words);
}

TEMPLATE_TEST_CASE("randomness: generators pass", "[kernels][randomness]", Jkiss64, Kiss32, Sfc32, Philox) {
  require_pass(TestType(), words);
  require_pass(TestType(StreamId{2024, 3, 5}), words);
}

TEMPLATE_TEST_CASE("randomness: neighbouring streams pass as one", "[kernels][randomness]", Jkiss64, Kiss32, Sfc32,
                   Philox) {
  require_pass(FirstWords<TestType, Part::seed>{}, words_of_streams);
  require_pass(FirstWords<TestType, Part::core>{}, words_of_streams);
  require_pass(FirstWords<TestType, Part::population>{}, words_of_streams);
  require_pass(InTurn<TestType, Part::seed>{}, words_of_streams);
  require_pass(InTurn<TestType, Part::core>{}, words_of_streams);
  require_pass(InTurn<TestType, Part::population>{}, words_of_streams);
}

TEMPLATE_TEST_CASE("randomness: neighbouring streams are uncorrelated", "[kernels][randomness]", Jkiss64, Kiss32, Sfc32,
                   Philox) {
  for (const Part part : {Part::seed, Part::core, Part::population}) {
    for (std::uint32_t number = 0; number < 4; ++number) {
      const TestType left(numbered(part, number));
      const TestType right(numbered(part, number + 1));
      CHECK(randomness::verdict(randomness::cross_correlation(left, right, 1U << 16)) > suspicious);
    }
  }
}

TEST_CASE("randomness: a bit that is set in 50.1 % of the words is noticed", "[kernels][randomness]") {
  const randomness::ByteCounts counts = randomness::count_bytes(Biased{}, 16 * words);
  CHECK(randomness::verdict(randomness::bit_frequency(counts)) < broken);
}

TEST_CASE("randomness: low bits with short periods are noticed", "[kernels][randomness]") {
  CHECK(randomness::verdict(randomness::serial_pairs(Congruential{}, words)) < broken);
  CHECK(randomness::verdict(randomness::gaps(Congruential{}, words)) < broken);
  CHECK(randomness::verdict(randomness::matrix_rank<256>(Congruential{}, 256)) < broken);
}

TEST_CASE("randomness: words that come again are noticed", "[kernels][randomness]") {
  CHECK(randomness::verdict(randomness::lag_correlation(Sticking{}, words / 4)) < broken);
  CHECK(randomness::verdict(randomness::birthday_spacings(Sticking{}, 16)) < broken);
}

TEST_CASE("randomness: a linear generator alone is noticed", "[kernels][randomness]") {
  CHECK(randomness::verdict(randomness::matrix_rank<32>(Xorshift32{}, 16384)) < broken);
  CHECK(randomness::verdict(randomness::matrix_rank<256>(Xorshift32{}, 256)) < broken);
  // Its 128 bits fill a 32 x 32 matrix well enough.
  CHECK(randomness::verdict(randomness::matrix_rank<32>(Xorshift128{}, 16384)) > suspicious);
  CHECK(randomness::verdict(randomness::matrix_rank<256>(Xorshift128{}, 256)) < broken);
}

TEST_CASE("randomness: words that are too even are noticed", "[kernels][randomness]") {
  const randomness::ByteCounts counts = randomness::count_bytes(Even{}, words);
  CHECK(randomness::verdict(randomness::byte_frequency(counts)) < broken);
  CHECK(randomness::verdict(randomness::birthday_spacings(Even{}, 16)) < broken);
  CHECK(randomness::verdict(randomness::runs_up(Even{}, words)) < broken);
}

TEST_CASE("randomness: two streams that share a state are noticed", "[kernels][randomness]") {
  const Jkiss64 first(StreamId{1, 0, 0});
  Jkiss64 ahead = first;
  CHECK(randomness::verdict(randomness::cross_correlation(first, ahead, 1U << 16)) < broken);
  for (int i = 0; i < 5; ++i) { ahead.next(); }
  CHECK(randomness::verdict(randomness::cross_correlation(first, ahead, 1U << 16)) < broken);
  CHECK(randomness::verdict(randomness::cross_correlation(ahead, first, 1U << 16)) < broken);
}

TEST_CASE("randomness: streams whose names are not mixed are noticed", "[kernels][randomness]") {
  const FirstWords<Unmixed, Part::population> first_words;
  const InTurn<Unmixed, Part::population> in_turn;
  const randomness::ByteCounts counts = randomness::count_bytes(first_words, words_of_streams);
  CHECK(randomness::verdict(randomness::byte_frequency(counts)) < broken);
  CHECK(randomness::verdict(randomness::lag_correlation(in_turn, 1U << 10)) < broken);
}
