// SPDX-License-Identifier: BSL-1.0
// What policies that are put together promise of age: no later than their window an event is dead, and without reads no
// earlier.
#include <cstdint>
#include <type_traits>

#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/gc/liveness.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

namespace {

using namespace neuromorph;
using namespace neuromorph::gc;

/// Dead when the clock has come to the next multiple of 64: earlier than any window says, without a read.
struct ByEpoch {
  using Offers = offer::List<>;
  using State = NoState;
  static constexpr bool in_time_order = true;
  static constexpr void read(State&) noexcept {}
  [[nodiscard]] static constexpr bool is_dead(State, std::uint32_t time, std::uint32_t now) noexcept {
    return is_before(time | 63U, now);
  }
};

/// The window of a policy, or -1.
template <class Liveness>
constexpr std::int64_t window() {
  if constexpr (HasWindow<Liveness>)
    return std::int64_t{Liveness::window};
  else
    return -1;
}
using Reads = ReadCount<3>;
static_assert(window<EitherDead<AgeWindow<20>, Reads>>() == 20 && window<EitherDead<Reads, AgeWindow<20>>>() == 20);
static_assert(window<EitherDead<AgeWindow<20>, AgeWindow<5>>>() == 5);
static_assert(window<EitherDead<AgeWindow<5>, AgeWindow<20>>>() == 5);
static_assert(window<EitherDead<Reads, Reads>>() == -1 && window<BothDead<Reads, Reads>>() == -1);
static_assert(window<EitherDead<AgeWindow<20>, ByEpoch>>() == -1 && window<EitherDead<ByEpoch, AgeWindow<20>>>() == -1);
static_assert(window<BothDead<AgeWindow<20>, Reads>>() == -1 && window<BothDead<Reads, AgeWindow<20>>>() == -1);
static_assert(window<BothDead<AgeWindow<20>, AgeWindow<5>>>() == 20);
static_assert(window<BothDead<AgeWindow<5>, AgeWindow<20>>>() == 20);
static_assert(window<EitherDead<BothDead<AgeWindow<5>, Reads>, AgeWindow<20>>>() == 20);
static_assert(window<BothDead<EitherDead<AgeWindow<5>, Reads>, AgeWindow<20>>>() == 20);

/// Random times, ages and reads: what a policy with a window promises.
template <class Liveness>
void keeps_its_promise(std::uint32_t seed) {
  static_assert(HasWindow<Liveness>);
  constexpr bool counts_reads = !std::is_empty_v<typename Liveness::State>;
  Sfc32 random(StreamId{.seed = seed});
  for (unsigned step = 0; step < 2000; ++step) {
    const std::uint32_t now = random.next(), kind = random.next() % 4;
    const std::uint32_t age = kind == 0   ? Liveness::window + random.next() % 3 - 1
                              : kind == 1 ? random.next() % (2 * Liveness::window + 2)
                              : kind == 2 ? random.next() >> 1
                                          : random.next() % 8;
    typename Liveness::State state{};
    for (std::uint32_t reads = random.next() % 5; reads != 0; --reads) Liveness::read(state);
    const bool dead = Liveness::is_dead(state, now - age, now);
    INFO("seed " << seed << ", step " << step << ", age " << age);
    const auto signed_age = static_cast<std::int32_t>(age); // -1: it is ahead
    if (signed_age > static_cast<std::int32_t>(Liveness::window))
      REQUIRE(dead);
    else if (!counts_reads)
      REQUIRE_FALSE(dead);
  }
}

/// Who is dead with either, and with both, by definition.
template <class Age, class Use>
void is_as_defined(std::uint32_t seed) {
  Sfc32 random(StreamId{.seed = seed});
  for (unsigned step = 0; step < 2000; ++step) {
    const std::uint32_t now = random.next(), time = now - random.next() % 40;
    typename Age::State age{};
    typename Use::State use{};
    typename EitherDead<Age, Use>::State either{};
    typename BothDead<Age, Use>::State both{};
    for (std::uint32_t reads = random.next() % 5; reads != 0; --reads) {
      Age::read(age), Use::read(use);
      EitherDead<Age, Use>::read(either), BothDead<Age, Use>::read(both);
    }
    const bool by_age = Age::is_dead(age, time, now), by_use = Use::is_dead(use, time, now);
    INFO("seed " << seed << ", step " << step);
    REQUIRE((EitherDead<Age, Use>::is_dead(either, time, now)) == (by_age || by_use));
    REQUIRE((BothDead<Age, Use>::is_dead(both, time, now)) == (by_age && by_use));
    if constexpr (WaitsForReads<Use>) {
      REQUIRE((EitherDead<Age, Use>::is_read(either)) == Use::is_read(use));
      REQUIRE((BothDead<Age, Use>::is_read(both)) == Use::is_read(use));
    }
  }
}

} // namespace

TEST_CASE("liveness: what is older than a policy's window is dead, and nothing else without reads", "[gc]") {
  for (const std::uint32_t seed : Seeds(5)) {
    keeps_its_promise<AgeWindow<20>>(seed);
    keeps_its_promise<AgeWindow<longest_life>>(seed);
    keeps_its_promise<EitherDead<AgeWindow<20>, Reads>>(seed);
    keeps_its_promise<EitherDead<Reads, AgeWindow<500>>>(seed);
    keeps_its_promise<EitherDead<AgeWindow<20>, AgeWindow<5>>>(seed);
    keeps_its_promise<BothDead<AgeWindow<20>, AgeWindow<5>>>(seed);
    keeps_its_promise<BothDead<EitherDead<AgeWindow<5>, Reads>, AgeWindow<20>>>(seed);
  }
}

TEST_CASE("liveness: either and both are what they say", "[gc]") {
  for (const std::uint32_t seed : Seeds(5)) {
    is_as_defined<AgeWindow<20>, Reads>(seed);
    is_as_defined<Reads, AgeWindow<20>>(seed);
    is_as_defined<AgeWindow<5>, AgeWindow<20>>(seed);
    is_as_defined<ReadCount<2>, ReadCount<4>>(seed);
  }
}

TEST_CASE("liveness: reads are counted up to as many as are waited for", "[gc]") {
  const auto dies_of = [](auto policy, std::uint32_t reads) {
    using Policy = decltype(policy);
    typename Policy::State state{};
    for (std::uint32_t so_often = 0; so_often < reads + 1000; ++so_often) {
      if (Policy::is_read(state) != (so_often >= reads) || Policy::is_dead(state, 0, 1U << 30) != (so_often >= reads))
        return false;
      Policy::read(state);
    }
    return true;
  };
  CHECK(dies_of(ReadCount<1>{}, 1));
  CHECK(dies_of(ReadCount<255>{}, 255));
  CHECK(dies_of(ReadCount<256>{}, 256));
  CHECK(dies_of(ReadCount<65535>{}, 65535));
  static_assert(sizeof(ReadCount<255>::State) == 1 && sizeof(ReadCount<256>::State) == 2);
}

TEST_CASE("liveness: a fifo packs times with the longer of two windows", "[gc]") {
  using Both = TraceStore<std::int32_t, 255, Fifo<1450>, BothDead<AgeWindow<500>, AgeWindow<20>>>;
  static_assert(Both::bytes == TraceStore<std::int32_t, 255, Fifo<1450>, AgeWindow<500>>::bytes);
  Both store;
  REQUIRE(store.record(3, 0, 7) == Recorded::stored);
  store.advance_to(500);
  CHECK_FALSE(store.window(3, 0U - 1, 0).empty());
  store.advance_to(501);
  CHECK(store.window(3, 0U - 1, 0).empty());
  CHECK(store.record(3, 0, 7) == Recorded::refused_expired);
}
