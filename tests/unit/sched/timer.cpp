// SPDX-License-Identifier: BSL-1.0
// Timers against the definition, for all small timings and all poll patterns, across the wrap of the clock.
#include <cstdint>
#include <string>
#include <vector>

#include <neuromorph/sched/timer.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

using Tick = std::uint32_t;

struct Outcome {
  std::vector<Tick> deadlines;
  std::uint32_t missed = 0;
  bool operator==(const Outcome&) const = default;
};

/// Periods one by one, as numbers: period k is [start + k period, start + (k + 1) period).
template <class Policy>
Outcome by_definition(Tick start, Tick period, Tick deadline, unsigned count, const std::vector<Tick>& polls) {
  Outcome outcome;
  unsigned next = 0;            // period that is to make the next event
  std::uint64_t origin = start; // of period 0; RePhase moves it
  for (const Tick poll : polls) {
    for (;;) {
      if (count != 0 && next >= count) break;
      if (poll < origin + next * std::uint64_t{period}) break;
      const auto running = static_cast<unsigned>((poll - origin) / period);
      std::uint64_t release = origin + next * std::uint64_t{period};
      if constexpr (!std::is_same_v<Policy, missed::CatchUp>) {
        unsigned over = running - next;
        if (count != 0 && over >= count - next) { // all that were left
          outcome.missed += count - next;
          next = count;
          break;
        }
        outcome.missed += over;
        next += over;
        release = origin + next * std::uint64_t{period};
        if constexpr (std::is_same_v<Policy, missed::RePhase>)
          if (over != 0) {
            release = poll;
            origin = poll - next * std::uint64_t{period};
          }
      }
      outcome.deadlines.push_back(static_cast<Tick>(release + deadline));
      ++next;
      break; // one event a poll
    }
  }
  return outcome;
}

template <class Policy, class Ticks>
Outcome run(Ticks offset, Tick start, Tick period, Tick deadline, unsigned count, const std::vector<Tick>& polls) {
  auto timer = Timer<Ticks, Policy>::from({7, static_cast<Ticks>(offset + start), period, deadline, count}).value;
  Outcome outcome;
  for (const Tick poll : polls) {
    Event<Ticks> event;
    if (timer.next_event(event, static_cast<Ticks>(offset + poll))) {
      CHECK(event.service == 7);
      outcome.deadlines.push_back(static_cast<Tick>(event.deadline - offset));
    }
  }
  outcome.missed = timer.missed();
  return outcome;
}

template <class Policy>
void compare_all() {
  for (Tick period = 1; period <= 3; ++period)
    for (Tick start = 0; start <= 2; ++start)
      for (unsigned count = 0; count <= 3; ++count)
        for (unsigned pattern = 0; pattern < 1U << 11; ++pattern) {
          std::vector<Tick> polls;
          for (Tick at = 0; at < 11; ++at)
            if (pattern >> at & 1) polls.push_back(at);
          const Outcome expected = by_definition<Policy>(start, period, 2, count, polls);
          // Here, in the middle of the clock's wrap, and at half its range.
          for (const Tick offset : {0U, 0xFFFF'FFFBU, 0x7FFF'FFFCU}) {
            INFO("period " << period << ", start " << start << ", count " << count << ", polls " << pattern
                           << ", offset " << offset);
            const Outcome found = run<Policy, std::uint32_t>(offset, start, period, 2, count, polls);
            if (!(found == expected)) {
              CHECK(found.deadlines == expected.deadlines);
              REQUIRE(found.missed == expected.missed);
            }
          }
          REQUIRE(run<Policy, std::uint64_t>(0xFFFF'FFFF'FFFF'FFFBULL, start, period, 2, count, polls) == expected);
        }
}

} // namespace

TEST_CASE("timer: every timing and poll pattern as by definition", "[sched][timer]") {
  SECTION("skip") { compare_all<missed::Skip>(); }
  SECTION("catch up") { compare_all<missed::CatchUp>(); }
  SECTION("re-phase") { compare_all<missed::RePhase>(); }
}

TEST_CASE("timer: a very late poll counts every period", "[sched][timer]") {
  for (const Tick late : {0x7FFF'FFFFU, 0x4000'0000U, 123456789U}) {
    for (const Tick period : {1U, 2U, 3U, 1000U, 0x3FFF'FFFFU, 0x7FFF'FFFFU}) {
      auto timer = Timer<>::from({.service = 1, .start = 5, .period = period}).value;
      Event<Tick> event;
      INFO("late by " << late << ", period " << period);
      REQUIRE(timer.next_event(event, 5 + late));
      CHECK(timer.missed() == late / period);
      CHECK(event.deadline == 5 + late / period * period + period);
      CHECK_FALSE(timer.next_event(event, 5 + late));
    }
  }
}

TEST_CASE("timer: a phase shifts all periods", "[sched][timer]") {
  for (const Tick start : {0U, 0xFFFF'FFF0U}) {
    auto timer = Timer<>::from({.service = 1, .start = start, .period = 10, .count = 3, .phase = 7}).value;
    Event<Tick> event;
    std::vector<Tick> at;
    for (Tick time = 0; time < 60; ++time)
      if (timer.next_event(event, start + time)) {
        at.push_back(time);
        CHECK(event.deadline == start + time + 10);
      }
    CHECK(at == std::vector<Tick>{7, 17, 27});
  }
}

TEST_CASE("timer: missed periods at the end are counted", "[sched][timer]") {
  auto timer = Timer<>::from({.service = 1, .start = 10, .period = 10, .count = 5}).value;
  Event<Tick> event;
  CHECK(timer.next_event(event, 12));
  CHECK_FALSE(timer.next_event(event, 1000));
  CHECK(timer.missed() == 4);
  CHECK(timer.is_stopped());
  Tick at = 0;
  CHECK_FALSE(timer.wake_at(1000, at));
}

TEST_CASE("timer: spans beyond half of the clock's range are refused", "[sched][timer]") {
  using Wide = Timer<std::uint64_t>;
  CHECK(Timer<>::from({.period = 0}).status.error == Error::parameter_out_of_range);
  CHECK(Timer<>::from({.period = 0x8000'0000U}).status == Status{Error::parameter_out_of_range, 0, 0x8000'0000LL});
  CHECK(Timer<>::from({.period = 1, .deadline = 0x8000'0000U}).status.where == 1);
  CHECK(Timer<>::from({.period = 0x7FFF'FFFFU}).ok());
  CHECK(Timer<>::from({.period = 1, .phase = 0x8000'0000U}).status.where == 2);
  CHECK(Wide::from({.period = 0x8000'0000U}).ok());
  CHECK_FALSE(Wide::from({.period = 1ULL << 63}).ok());
  // One that was refused never fires.
  auto refused = Timer<>::from({.period = 0}).value;
  Event<Tick> event;
  for (const Tick now : {0U, 1U, 0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFFFU, 0U, 0x8000'0000U})
    CHECK_FALSE(refused.next_event(event, now));
}

TEST_CASE("oneshot_timer: comes once, at the first poll of its window or after", "[sched][timer]") {
  for (const Tick offset : {0U, 0xFFFF'FFFBU, 0x7FFF'FFFCU})
    for (Tick earliest = 0; earliest <= 4; ++earliest)
      for (Tick deadline = earliest; deadline <= 6; ++deadline)
        for (unsigned pattern = 1; pattern < 1U << 9; ++pattern) {
          auto timer = OneshotTimer<>::from(3, offset + earliest, offset + deadline).value;
          unsigned events = 0;
          for (Tick at = 0; at < 9; ++at) {
            Event<Tick> event;
            if ((pattern >> at & 1) == 0) continue;
            const bool first = events == 0 && at >= earliest;
            REQUIRE(timer.next_event(event, offset + at) == first);
            if (!first) continue;
            ++events;
            REQUIRE(event == Event<Tick>{offset + deadline, 3});
            REQUIRE(timer.is_late() == (at > deadline));
          }
          REQUIRE(timer.is_done() == (events == 1));
        }
  // A window of any length; one that ends before it begins is refused.
  CHECK(OneshotTimer<>::from(0, 0, 0x7FFF'FFFFU).ok());
  CHECK_FALSE(OneshotTimer<>::from(0, 10, 9).ok());
  CHECK_FALSE(OneshotTimer<>::from(0, 0, 0x8000'0001U).ok());
}
