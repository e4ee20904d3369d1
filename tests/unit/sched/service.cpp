// SPDX-License-Identifier: BSL-1.0
// Services by ID and by position, of sets with gaps and at both ends of the IDs, against a search of the list; events.
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <neuromorph/sched/event.hpp>
#include <neuromorph/sched/service.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

/// All IDs and positions of a set, and which of its services ran.
template <ServiceId... Ids>
void compare(std::uint32_t seed) {
  const std::vector<unsigned> ids{Ids...};
  std::vector<unsigned> runs(256), wanted(256);
  Services services(service<Ids>([&runs] { ++runs[Ids]; })...);
  using Set = decltype(services);
  REQUIRE(Set::count == ids.size());
  for (unsigned id = 0; id < 256; ++id) {
    std::size_t place = 0;
    while (place < ids.size() && ids[place] != id) ++place;
    INFO("ID " << id);
    REQUIRE(Set::position(static_cast<ServiceId>(id)) == (place < ids.size() ? place : Set::none));
    REQUIRE(Set::has(static_cast<ServiceId>(id)) == (place < ids.size()));
  }
  std::mt19937 random(seed);
  for (unsigned run = 0; run < 200; ++run) {
    const std::size_t position = random() % ids.size();
    REQUIRE(Set::id(position) == ids[position]);
    REQUIRE(Set::position(Set::id(position)) == position);
    services.exec(position);
    ++wanted[ids[position]];
    INFO("seed " << seed << ", run " << run);
    REQUIRE(runs == wanted);
  }
}

template <std::size_t... Position>
void compare_all_ids(std::index_sequence<Position...>, std::uint32_t seed) {
  compare<static_cast<ServiceId>(sizeof...(Position) - 1 - Position)...>(seed);
}

// The compiler knows positions.
using Pair = decltype(Services(service<7>([] {}), service<4>([] {})));
static_assert(Pair::count == 2);
static_assert(Pair::position(7) == 0);
static_assert(Pair::position(4) == 1);
static_assert(Pair::position(8) == Pair::none);
static_assert(Pair::id(1) == 4);
static_assert(Pair::has(4));
static_assert(!Pair::has(5));

unsigned function_runs = 0;
void function() { ++function_runs; }
struct Counter {
  unsigned runs = 0;
  void run() { ++runs; }
};

} // namespace

TEST_CASE("service: whatever is called without arguments", "[sched][service]") {
  unsigned runs = 0;
  const auto constant = [&runs] { ++runs; };
  auto changing = [own = 0U, &runs]() mutable { runs += ++own; };
  Counter counter;
  Services services(service<1>(constant), service<2>(changing), service<3>(function), service<4>(&function),
                    service<5>(counter, &Counter::run), service<6>([&runs] { runs += 100; }));
  for (std::size_t position = 0; position < 6; ++position) services.exec(position);
  CHECK(runs == 102);
  CHECK(function_runs == 2);
  CHECK(counter.runs == 1);
  services.exec(1); // has its own copy
  CHECK(runs == 104);
}

TEST_CASE("service: a position by each ID, none by others", "[sched][service]") {
  for (const std::uint32_t seed : Seeds(3)) {
    compare<0>(seed);
    compare<1>(seed);
    compare<255>(seed);
    compare<0, 1, 2>(seed);
    compare<2, 1, 0>(seed);
    compare<5, 9, 3>(seed);       // gaps, the highest in the middle
    compare<255, 0>(seed);        // both ends, the highest first
    compare<0, 128, 255>(seed);   // the highest last
    compare<254, 127, 129>(seed); // neither end
    compare_all_ids(std::make_index_sequence<40>{}, seed);
  }
}

TEST_CASE("service: functions, members of objects and lambdas run", "[sched][service]") {
  static int called = 0;
  struct Rule {
    int runs = 0;
    void run() { ++runs; }
  } rule;
  int captured = 0;
  Services services(service<0>(+[] { ++called; }), service<1>(rule, &Rule::run),
                    service<2>([&captured] { ++captured; }));
  for (std::size_t position = 0; position < 3; ++position) services.exec(position);
  services.exec(1);
  CHECK(called == 1);
  CHECK(rule.runs == 2);
  CHECK(captured == 1);
}

TEST_CASE("event: nothing given is time 0 and service 0, and both tell events apart", "[sched][event]") {
  const auto check = [](auto tick) {
    using Tick = decltype(tick);
    const Event<Tick> nothing;
    CHECK(nothing.deadline == 0);
    CHECK(nothing.service == 0);
    const Event<Tick> late{.deadline = static_cast<Tick>(~Tick{0})};
    CHECK(late.service == 0);
    CHECK(late != nothing);
    CHECK(Event<Tick>{.service = 255} != nothing);
    CHECK(Event<Tick>{static_cast<Tick>(~Tick{0}), 0} == late);
  };
  check(std::uint32_t{});
  check(std::uint64_t{});
}
