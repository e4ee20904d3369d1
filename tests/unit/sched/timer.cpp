// SPDX-License-Identifier: BSL-1.0
// Timers against the definition, for all small timings and all poll patterns, across the wrap of the clock.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <neuromorph/sched/signaller.hpp>
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
template <Missed Policy>
Outcome by_definition(Tick start, Tick period, Tick deadline, unsigned count, const std::vector<Tick>& polls) {
  Outcome outcome;
  unsigned next = 0;            // period that is to make the next event
  std::uint64_t origin = start; // of period 0; re_phase moves it
  for (const Tick poll : polls) {
    for (;;) {
      if (count != 0 && next >= count) break;
      if (poll < origin + next * std::uint64_t{period}) break;
      const auto running = static_cast<unsigned>((poll - origin) / period);
      std::uint64_t release = origin + next * std::uint64_t{period};
      if constexpr (Policy != Missed::catch_up) {
        unsigned over = running - next;
        if (count != 0 && over >= count - next) { // all that were left
          outcome.missed += count - next;
          next = count;
          break;
        }
        outcome.missed += over;
        next += over;
        release = origin + next * std::uint64_t{period};
        if constexpr (Policy == Missed::re_phase)
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

template <Missed Policy, class Ticks>
Outcome run(Ticks offset, Tick start, Tick period, Tick deadline, unsigned count, const std::vector<Tick>& polls,
            Ticks unit = 1) {
  auto timer = Timer<Ticks, Policy>::from({.service = 7,
                                           .start = static_cast<Ticks>(offset + start * unit),
                                           .period = period * unit,
                                           .deadline = deadline * unit,
                                           .count = count})
                   .value();
  Outcome outcome;
  for (const Tick poll : polls) {
    Event<Ticks> event;
    if (timer.next_event(event, static_cast<Ticks>(offset + poll * unit))) {
      CHECK(event.service == 7);
      outcome.deadlines.push_back(static_cast<Tick>((event.deadline - offset) / unit));
    }
  }
  outcome.missed = timer.missed();
  return outcome;
}

template <Missed Policy>
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
          for (const std::uint64_t unit : {0x1ULL, 0x5555'5555ULL, 0x1'0000'0000ULL, 0x0100'0000'0000'0000ULL})
            REQUIRE(run<Policy, std::uint64_t>(0xFFFF'FFFF'FFFF'FFFBULL, start, period, 2, count, polls, unit) ==
                    expected);
        }
}

template <class Ticks>
void compare_oneshots(std::initializer_list<Ticks> offsets, Ticks unit = 1) {
  for (const Ticks offset : offsets)
    for (Ticks earliest = 0; earliest <= 4; ++earliest)
      for (Ticks deadline = earliest; deadline <= 6; ++deadline)
        for (unsigned pattern = 1; pattern < 1U << 9; ++pattern) {
          auto timer = OneshotTimer<Ticks>::from(3, offset + earliest * unit, offset + deadline * unit).value();
          unsigned events = 0;
          for (Ticks at = 0; at < 9; ++at) {
            Event<Ticks> event;
            if ((pattern >> at & 1) == 0) continue;
            const bool first = events == 0 && at >= earliest;
            REQUIRE(timer.next_event(event, offset + at * unit) == first);
            if (!first) continue;
            ++events;
            REQUIRE(event == Event<Ticks>{offset + deadline * unit, 3});
            REQUIRE(timer.is_late() == (at > deadline));
          }
          REQUIRE(timer.is_done() == (events == 1));
        }
}

} // namespace

TEST_CASE("tick: which is before, across the wrap of 32 bits and around 0 in 64", "[sched][timer]") {
  for (const std::uint32_t at : {0U, 1U, 0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFFFU})
    for (const std::uint32_t span : {1U, 2U, 0x4000'0000U, longest_span<std::uint32_t>}) {
      CHECK(is_before(at, at + span));
      CHECK_FALSE(is_before(at + span, at));
      CHECK_FALSE(is_before(at, at));
    }
  const std::uint64_t most = longest_span<std::uint64_t>;
  for (const std::uint64_t at : std::vector<std::uint64_t>{0, 1, 0xFFFF'FFFFULL, 0x1'0000'0000ULL, most, 0 - most})
    for (const std::uint64_t span : std::vector<std::uint64_t>{1, 0xFFFF'FFFFULL, 0x1'0000'0000ULL, most}) {
      CHECK(is_before(at, at + span));
      CHECK_FALSE(is_before(at + span, at));
      CHECK_FALSE(is_before(at, at));
    }
}

TEST_CASE("timer: every timing and poll pattern as by definition", "[sched][timer]") {
  SECTION("skip") { compare_all<Missed::skip>(); }
  SECTION("catch up") { compare_all<Missed::catch_up>(); }
  SECTION("re-phase") { compare_all<Missed::re_phase>(); }
}

TEST_CASE("timer: a very late poll counts every period", "[sched][timer]") {
  for (const Tick late : {0x7FFF'FFFFU, 0x4000'0000U, 123456789U}) {
    for (const Tick period : {1U, 2U, 3U, 1000U, 0x3FFF'FFFFU, 0x7FFF'FFFFU}) {
      auto timer = Timer<Tick, Missed::skip>::from({.service = 1, .start = 5, .period = period}).value();
      Event<Tick> event;
      INFO("late by " << late << ", period " << period);
      REQUIRE(timer.next_event(event, 5 + late));
      CHECK(timer.missed() == late / period);
      CHECK(event.deadline == 5 + late / period * period + period);
      CHECK_FALSE(timer.next_event(event, 5 + late));
    }
  }
}

TEST_CASE("timer: catches up from as late as the clock can tell without doubt, and leaves out what is before",
          "[sched][timer]") {
  constexpr Tick quarter = longest_span<Tick> / 4;
  for (const Tick start : {0U, 0xFFFF'FFFBU, 0x7FFF'FFFFU})
    for (const Tick period : {1U, 1000U, quarter / 2, quarter, quarter + 1, longest_span<Tick>})
      for (const Tick late : {quarter, quarter + 1, longest_span<Tick>}) {
        auto timer = Timer<>::from({.service = 1, .start = start, .period = period}).value();
        Event<Tick> event;
        INFO("start " << start << ", period " << period << ", late by " << late);
        REQUIRE(timer.next_event(event, start + late));
        const Tick left_out = late > quarter ? late / period : 0;
        CHECK(timer.missed() == left_out);
        CHECK(event.deadline == start + left_out * period + period);
      }
  // 64 bits: as many periods as are counted.
  using Wide = Timer<std::uint64_t>;
  constexpr std::uint64_t furthest = longest_span<std::uint64_t> / 4, period = std::uint64_t{1} << 40;
  auto timer = Wide::from({.service = 1, .period = period}).value();
  Event<std::uint64_t> event;
  REQUIRE(timer.next_event(event, furthest));
  CHECK(event.deadline == period);
  REQUIRE(timer.next_event(event, furthest + period + 1));
  CHECK(event.deadline == furthest + 1 + 2 * period);
  CHECK(timer.missed() == (furthest + 1) / period);

  // A core that is late for ever: each period has its event, or is counted, however often the clock wraps.
  constexpr Tick each = 0x0100'0000, start = 0xFF00'0000;
  auto late = Timer<>::from({.service = 1, .start = start, .period = each}).value();
  std::uint64_t time = start;
  std::uint32_t events = 0;
  for (; events < 5000; time += 3 * each) {
    Event<Tick> one;
    REQUIRE(late.next_event(one, static_cast<Tick>(time)));
    REQUIRE(static_cast<Tick>(static_cast<Tick>(time) - (one.deadline - each)) <= longest_span<Tick> / 4);
    ++events;
  }
  Event<Tick> one;
  while (late.next_event(one, static_cast<Tick>(time))) ++events;
  CHECK(events + std::uint64_t{late.missed()} == (time - start) / each + 1);
}

TEST_CASE("timer: periods and deadlines of one word and of two", "[sched][timer]") {
  using Wide = std::uint64_t;
  for (const Wide period : {Wide{5}, Wide{0xFFFF'FFFF}, Wide{0x1'0000'0000}, Wide{0x5'0000'0001}})
    for (const Wide deadline : {Wide{3}, Wide{0xFFFF'FFFF}, Wide{0x1'0000'0000}, Wide{0x7'0000'0002}}) {
      auto timer = Timer<Wide>::from({.service = 1, .start = 9, .period = period, .deadline = deadline}).value();
      Event<Wide> event;
      for (Wide number = 0; number < 3; ++number) {
        REQUIRE_FALSE(timer.next_event(event, 9 + number * period - 1));
        REQUIRE(timer.next_event(event, 9 + number * period + 1));
        CHECK(event.deadline == 9 + number * period + deadline);
      }
    }
}

TEST_CASE("timer: one that is stopped is not looked at again for long", "[sched][timer]") {
  for (const Tick now : {0U, 0x7FFF'FFFFU, 0xFFFF'FFFFU}) {
    auto timer = Timer<>::from({.service = 1, .start = now, .period = 10}).value();
    timer.stop();
    Event<Tick> event;
    CHECK_FALSE(timer.next_event(event, now + 3));
    CHECK_FALSE(timer.is_due(now + 4));
    CHECK_FALSE(timer.is_due(now + 0x7FFF'FFFFU));
  }
}

TEST_CASE("timer: a phase shifts all periods", "[sched][timer]") {
  for (const Tick start : {0U, 0xFFFF'FFF0U}) {
    auto timer = Timer<>::from({.service = 1, .start = start, .period = 10, .count = 3, .phase = 7}).value();
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
  auto timer = Timer<Tick, Missed::skip>::from({.service = 1, .start = 10, .period = 10, .count = 5}).value();
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
  CHECK(Timer<>::from({.period = 0}).status().error == Error::parameter_out_of_range);
  CHECK(Timer<>::from({.period = 0x8000'0000U}).status() ==
        Status{Error::parameter_out_of_range, 0, 0x8000'0000LL, "period"});
  CHECK(Timer<>::from({.period = 1, .deadline = 0x8000'0000U}).status() ==
        Status{Error::parameter_out_of_range, 0, 0x8000'0000U, "deadline"});
  CHECK(Timer<>::from({.period = 0x7FFF'FFFFU}).ok());
  CHECK(Timer<>::from({.period = 1, .phase = 0x8000'0000U}).status() ==
        Status{Error::parameter_out_of_range, 0, 0x8000'0000U, "phase"});
  CHECK(Wide::from({.period = 0x8000'0000U}).ok());
  CHECK(Wide::from({.period = (1ULL << 62) - 1}).ok());
  CHECK_FALSE(Wide::from({.period = 1ULL << 62}).ok());
  // One that is stopped never fires.
  Timer<> stopped;
  Event<Tick> event;
  for (const Tick now : {0U, 1U, 0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFFFU, 0U, 0x8000'0000U})
    CHECK_FALSE(stopped.next_event(event, now));
}

TEST_CASE("oneshot_timer: comes once, at the first poll of its window or after", "[sched][timer]") {
  compare_oneshots<std::uint32_t>({0U, 0xFFFF'FFFBU, 0x7FFF'FFFCU});
  compare_oneshots<std::uint64_t>({0U, 0xFFFF'FFFBU, 0xFFFF'FFFF'FFFF'FFFBULL});
  compare_oneshots<std::uint64_t>({1U, 0xFFFF'0000'FFFF'FFFBULL}, 0x1'0000'0000);
  // A window of any length; one that ends before it begins is refused.
  CHECK(OneshotTimer<>::from(0, 0, 0x7FFF'FFFFU).ok());
  CHECK_FALSE(OneshotTimer<>::from(0, 10, 9).ok());
  CHECK_FALSE(OneshotTimer<>::from(0, 0, 0x8000'0001U).ok());
}

TEST_CASE("timer: late by more periods than a counter has", "[sched][timer]") {
  using Wide = std::uint64_t;
  constexpr Wide now = 10'000'000'000'000, over = now / 1000; // 1.0e10 periods, above 2^33
  Event<Wide> event;
  const auto skip = [&]<Missed Policy>(std::integral_constant<Missed, Policy>, Wide released, Wide missed) {
    auto timer = Timer<Wide, Policy>::from({.service = 1, .start = 0, .period = 1000}).value();
    REQUIRE(timer.next_event(event, now + 7));
    CHECK(event.deadline == released + 1000);
    CHECK(timer.missed() == static_cast<std::uint32_t>(missed));
    CHECK_FALSE(timer.next_event(event, now + 8));
  };
  skip(std::integral_constant<Missed, Missed::skip>{}, now, over);
  skip(std::integral_constant<Missed, Missed::re_phase>{}, now + 7, over);
  for (const std::uint32_t left : {1U, 1000U, 0xFFFF'FFFFU}) {
    auto timer = Timer<Wide, Missed::skip>::from({.service = 1, .start = 0, .period = 1000, .count = left}).value();
    CHECK_FALSE(timer.next_event(event, now));
    CHECK(timer.is_stopped());
    CHECK(timer.missed() == left);
  }
}

TEST_CASE("timer: spans beyond longest_span are refused in both widths", "[sched][timer]") {
  const auto spans = []<class Ticks>(Ticks from) {
    constexpr Ticks longest = longest_span<Ticks>, one = 1;
    CHECK(OneshotTimer<Ticks>::from(1, from, static_cast<Ticks>(from + longest)).ok());
    const auto late = static_cast<Ticks>(from + longest + one);
    CHECK(OneshotTimer<Ticks>::from(1, from, late).status() ==
          Status{Error::parameter_out_of_range, 0, late, "deadline"});
    CHECK_FALSE(OneshotTimer<Ticks>::from(1, from, static_cast<Ticks>(from - one)).ok());
    using Signaller = TimerSignaller<Ticks>;
    const auto refused = [&](Ticks finish, Ticks exit) {
      const auto made = Signaller::from(from, static_cast<Ticks>(from + finish), static_cast<Ticks>(from + exit));
      if (made.ok()) return std::string();
      const bool at_exit = made.status().parameter == std::string("exit");
      const auto value = static_cast<Ticks>(from + (at_exit ? exit : finish));
      REQUIRE(made.status() == Status{Error::parameter_out_of_range, 0, value, made.status().parameter});
      return std::string(made.status().parameter);
    };
    CHECK(refused(longest, longest) == "");
    CHECK(refused(longest + one, longest + one) == "finish");
    CHECK(refused(longest, longest + one) == "exit");
    CHECK(refused(one, longest + one) == "exit");
    CHECK(refused(longest, 2 * longest) == "exit");
    CHECK(refused(5, 4) == "exit");
  };
  for (const std::uint32_t from : {0U, 0xFFFF'FFF0U, 0x7FFF'FFF0U}) spans(from);
  for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{0} - 16}) spans(from);
}

TEST_CASE("timer: a period of more than 32 bits with a short deadline, and spans up to the longest", "[sched][timer]") {
  using Wide = std::uint64_t;
  constexpr Wide period = (Wide{1} << 32) + 5;
  auto timer = Timer<Wide>::from({.service = 3, .start = 100, .period = period, .deadline = 10}).value();
  Event<Wide> event;
  for (Wide release = 100; release < 100 + 4 * period; release += period) {
    CHECK_FALSE(timer.next_event(event, release - 1));
    REQUIRE(timer.next_event(event, release + (release == 100 ? 0 : 7)));
    CHECK(event == Event<Wide>{release + 10, 3});
  }
  constexpr std::uint32_t longest = longest_span<std::uint32_t>;
  TimerTiming<std::uint32_t> timing; // of which nothing is said
  CHECK(Timer<>::from(timing).status() == Status{Error::parameter_out_of_range, 0, 0, "period"});
  timing.period = 9;
  auto plain = Timer<>::from(timing).value();
  Event<std::uint32_t> first;
  CHECK(plain.next_event(first, 0));
  CHECK(first == Event<std::uint32_t>{9, 0});
  CHECK(Timer<>::from({.service = 1, .start = 0, .period = 9, .phase = longest}).ok());
  CHECK(Timer<>::from({.service = 1, .start = 0, .period = 9, .phase = longest + 1}).status() ==
        Status{Error::parameter_out_of_range, 0, std::int64_t{longest} + 1, "phase"});
  auto late = Timer<>::from({.service = 1, .start = 0, .period = longest}).value();
  Event<std::uint32_t> found;
  CHECK(late.next_event(found, longest));
}
