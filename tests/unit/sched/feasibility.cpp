// SPDX-License-Identifier: BSL-1.0
// The proof of fit against a simulation of every phase over the hyperperiod.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include <neuromorph/sched/feasibility.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

/// Whether any job misses its deadline: earliest deadline first at the end of each section, tick by tick. A set of
/// services that are released at their phases and then periodically, until all that can happen has happened.
template <std::size_t Count>
bool misses(const std::array<ServiceTiming, Count>& services, const std::array<std::uint64_t, Count>& phases,
            std::uint64_t hyperperiod) {
  struct Job {
    std::uint64_t release, deadline, left;
    std::size_t service;
  };
  std::uint64_t last_phase = 0, last_deadline = 0;
  for (std::size_t i = 0; i < Count; ++i) {
    last_phase = std::max(last_phase, phases[i]);
    last_deadline = std::max(last_deadline, services[i].deadline);
  }
  const std::uint64_t end = last_phase + 2 * hyperperiod + last_deadline;
  std::vector<Job> ready;
  std::uint64_t busy_until = 0;
  for (std::uint64_t now = 0; now <= end; ++now) {
    for (std::size_t i = 0; i < Count; ++i)
      if (now >= phases[i] && (now - phases[i]) % services[i].period == 0)
        ready.push_back({now, now + services[i].deadline, services[i].execution, i});
    if (busy_until > now || ready.empty()) continue;
    std::size_t chosen = 0;
    for (std::size_t i = 1; i < ready.size(); ++i)
      if (ready[i].deadline < ready[chosen].deadline) chosen = i;
    Job& job = ready[chosen];
    const std::uint64_t section = services[job.service].section == 0 ? job.left : services[job.service].section;
    const std::uint64_t runs = std::min(section, job.left);
    busy_until = now + runs;
    job.left -= runs;
    if (job.left == 0) {
      if (busy_until > job.deadline) return true;
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(chosen));
    } else if (busy_until > job.deadline) {
      return true;
    }
  }
  return false;
}

/// Any phases, each below its period.
template <std::size_t Count>
bool misses_at_some_phase(const std::array<ServiceTiming, Count>& services) {
  const std::uint64_t all = detail::hyperperiod(services, 1U << 30);
  std::array<std::uint64_t, Count> phases{};
  for (;;) {
    if (misses(services, phases, all)) return true;
    std::size_t digit = 0;
    while (digit < Count && ++phases[digit] == services[digit].period) phases[digit++] = 0;
    if (digit == Count) return false;
  }
}

/// The same with what the executive takes: a turn finds all releases until its begin, then pushes them, then calls one
/// section; a core that has nothing to do is woken by a release. What comes meanwhile is found by the next turn.
template <std::size_t Count>
bool misses_with_cost(const std::array<ServiceTiming, Count>& services, const std::array<std::uint64_t, Count>& phases,
                      const SchedulerCost& cost, std::uint64_t end) {
  struct Job {
    std::uint64_t deadline, left;
    std::size_t service;
  };
  std::vector<Job> ready;
  std::array<std::uint64_t, Count> next = phases;
  for (std::uint64_t now = 0; now < end;) {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < Count; ++i)
      for (; next[i] <= now; next[i] += services[i].period, ++found)
        ready.push_back({next[i] + services[i].deadline, services[i].execution, i});
    if (ready.empty()) {
      now = *std::min_element(next.begin(), next.end()) + cost.wake;
      continue;
    }
    const auto job = std::min_element(ready.begin(), ready.end(),
                                      [](const Job& a, const Job& b) { return a.deadline < b.deadline; });
    const std::uint64_t section = services[job->service].section == 0 ? job->left : services[job->service].section;
    const std::uint64_t runs = std::min(section, job->left);
    now += found * cost.per_job + cost.per_section + runs;
    job->left -= runs;
    if (now > job->deadline) return true;
    if (job->left == 0) ready.erase(job);
  }
  return false;
}

template <std::size_t Count>
std::string text(const std::array<ServiceTiming, Count>& services) {
  std::ostringstream out;
  for (const auto& service : services)
    out << "{" << service.period << ", " << service.deadline << ", " << service.execution << ", " << service.section
        << "} ";
  return out.str();
}

struct Tally {
  unsigned sets = 0, accepted = 0, missed = 0, refused_for_nothing = 0, fine_together = 0;
};

template <std::size_t Count>
Tally compare(unsigned sets, std::uint64_t longest_period, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto draw = [&](std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
  };
  Tally tally;
  for (unsigned set = 0; tally.sets < sets; ++set) {
    std::array<ServiceTiming, Count> services{};
    for (auto& service : services) {
      service.period = draw(1, longest_period);
      service.execution = draw(1, std::max<std::uint64_t>(1, 2 * service.period / (Count + 1)));
      service.deadline = draw(service.execution, 2 * service.period);
      service.section = draw(0, service.execution);
    }
    const Fit fit = check_fit(services);
    if (fit.reason == Misfit::utilisation_above_one) continue;
    const bool miss = misses_at_some_phase(services);
    INFO("seed " << seed << ", set " << set << ": " << text(services));
    if (fit) {
      CHECK_FALSE(miss);
      ++tally.accepted;
    } else {
      CHECK(fit.reason == Misfit::demand_above_time);
      if (!miss) ++tally.refused_for_nothing;
      if (!misses(services, {}, detail::hyperperiod(services, 1U << 30))) ++tally.fine_together;
    }
    ++tally.sets;
    tally.missed += miss ? 1 : 0;
  }
  return tally;
}

} // namespace

namespace {

constexpr auto flooded(std::uint64_t period, std::uint64_t places) {
  return check_fit(std::array{ServiceTiming{period, period, 6},
                              ServiceTiming{.period = 100, .deadline = 100, .execution = 5, .burst = places}},
                   SchedulerCost{1, 0, 0});
}

constexpr auto overrun(std::uint64_t by, std::uint64_t deadline) {
  return check_fit(std::array{ServiceTiming{10, 10, 4},
                              ServiceTiming{.period = 20, .deadline = deadline, .execution = 6, .overrun = by}});
}

/// No constant: Clang evaluates what CHECK is given, as far as it is one, which takes half a minute of what is long here.
template <class Value>
Value at_run_time(Value value) {
  const volatile Value read = value;
  return read;
}

} // namespace

/// True for the compiler and at run time. Clang's constants take a minute of them, so that it asserts few.
#ifdef __clang__
#define FACT(...) CHECK((at_run_time(true) && (__VA_ARGS__)))
#else
#define FACT(...)                                                                                                      \
  do {                                                                                                                 \
    static_assert(__VA_ARGS__);                                                                                        \
    CHECK((__VA_ARGS__));                                                                                              \
  } while (false)
#endif

static_assert(check_fit(std::array{ServiceTiming{2, 1, 1, 1}, ServiceTiming{4, 4, 2, 1}}).ok());
static_assert(check_fit(std::array{ServiceTiming{10, 2, 3}}) == Fit{Misfit::deadline_below_execution, 0, 2, 3});

TEST_CASE("feasibility: facts", "[sched][feasibility]") {
  // Two services that fill the processor: fits with short sections, not with long ones.
  FACT(check_fit(std::array{ServiceTiming{2, 1, 1, 1}, ServiceTiming{4, 4, 2, 1}}).ok());
  FACT(check_fit(std::array{ServiceTiming{2, 1, 1, 1}, ServiceTiming{4, 4, 2, 2}}).reason == Misfit::demand_above_time);
  FACT(check_fit(std::array{ServiceTiming{3, 3, 1}, ServiceTiming{3, 3, 1}, ServiceTiming{3, 3, 1}}).ok());
  FACT(check_fit(std::array{ServiceTiming{3, 3, 1}, ServiceTiming{3, 3, 1}, ServiceTiming{3, 3, 1},
                            ServiceTiming{1000, 1000, 1}})
           .reason == Misfit::utilisation_above_one);
  FACT(check_fit(std::array{ServiceTiming{10, 2, 3}}) == Fit{Misfit::deadline_below_execution, 0, 2, 3});
  FACT(check_fit(std::array{ServiceTiming{10, 10, 3, 4}}).reason == Misfit::section_too_long);
  FACT(check_fit(std::array{ServiceTiming{10, 10, 3}, ServiceTiming{0, 10, 3}}) == Fit{Misfit::period_zero, 1});
  FACT(check_fit(std::array{ServiceTiming{10, 10, 0}}).reason == Misfit::execution_zero);
  FACT(check_fit(std::array{ServiceTiming{(1ULL << 40) + 1, 10, 1}}).reason == Misfit::number_too_large);
  // The executive's cost counts: 9 of 10 is taken, and two ticks for each release are too many.
  FACT(check_fit(std::array{ServiceTiming{10, 10, 9}}, SchedulerCost{1, 0, 0}).ok());
  FACT(check_fit(std::array{ServiceTiming{10, 10, 9}}, SchedulerCost{1, 1, 0}).reason ==
       Misfit::deadline_below_execution);
  FACT(check_fit(std::array{ServiceTiming{10, 10, 8}}, SchedulerCost{1, 1, 0}).ok());
  FACT(check_fit(std::array{ServiceTiming{10, 10, 8}}, SchedulerCost{1, 1, 1}).reason == Misfit::demand_above_time);
  // The releases of others are found and pushed before a service whose deadline is the first.
  FACT(check_fit(std::array{ServiceTiming{100, 10, 3}, ServiceTiming{1000, 1000, 1}, ServiceTiming{1000, 1000, 1}},
                 SchedulerCost{3, 0, 0})
           .reason == Misfit::demand_above_time);
  // A timer that leaves out what is found a period late needs each run to be done within its period.
  FACT(check_fit(std::array{ServiceTiming{10, 40, 1}, ServiceTiming{100, 100, 30}}).ok());
  FACT(check_fit(std::array{ServiceTiming{10, 40, 1, 0, true}, ServiceTiming{100, 100, 30}}) ==
       Fit{Misfit::demand_above_time, 0, 10, 1 + 29});
  FACT(check_fit(std::array{ServiceTiming{10, 40, 1, 0, true}, ServiceTiming{100, 100, 30, 10}}).ok());
  FACT(check_fit(std::array{ServiceTiming{10, 9, 1, 0, true}, ServiceTiming{100, 100, 9}}).ok());
  // What floods is found, and put back, as often as it has places, and each of its runs puts back the others.
  FACT(flooded(20, 4).ok());
  FACT(flooded(20, 5) == Fit{Misfit::demand_above_time, 0, 20, 6 + 1 + 4 + 2 * 5});
  FACT(check_fit(std::array{ServiceTiming{.period = 20, .deadline = 20, .execution = 15, .burst = 4}},
                 SchedulerCost{1, 0, 0}) == Fit{Misfit::demand_above_time, 0, 20, 15 + 1 + 4 + 2 * 4});
  // More releases than twice its places count as what they are.
  FACT(check_fit(std::array{ServiceTiming{.period = 14, .deadline = 58, .execution = 1, .burst = 2},
                            ServiceTiming{66, 21, 16}},
                 SchedulerCost{1, 0, 0}) == Fit{Misfit::demand_above_time, 1, 21, 22});
  // The time that is looked at is as long as overruns make it, and ends where the processor has nothing to do.
  FACT(check_fit(
           std::array{ServiceTiming{.period = 9, .deadline = 8, .execution = 1, .overrun = 5}, ServiceTiming{11, 9, 1}},
           SchedulerCost{0, 0, 3}) == Fit{Misfit::demand_above_time, 1, 9, 10});
  FACT(check_fit(std::array{ServiceTiming{.period = 10, .deadline = 32, .execution = 1, .overrun = 3},
                            ServiceTiming{.period = 10, .deadline = 31, .execution = 1, .overrun = 2}},
                 SchedulerCost{2, 1, 1})
           .ok());
  // What overruns is under way for longer, or runs once too long before another's deadline; its own is not promised
  // then.
  FACT(overrun(1, 20).ok());
  FACT(overrun(2, 20) == Fit{Misfit::demand_above_time, 0, 10, 4 + 7});
  FACT(overrun(1, 9) == Fit{Misfit::demand_above_time, 0, 10, 4 + 6 + 1});
  FACT(overrun(0, 9).ok());
  FACT(overrun(0, 10).ok());
  FACT(overrun(1, 10).reason == Misfit::demand_above_time);
  FACT(check_fit(std::array{ServiceTiming{.period = 20, .deadline = 9, .execution = 6, .overrun = 50},
                            ServiceTiming{1000, 1000, 4}})
           .ok());
  FACT(check_fit(std::array{ServiceTiming{.period = 9, .deadline = 9, .execution = 1, .burst = 65536}}).reason ==
       Misfit::number_too_large);
  FACT(check_fit(std::array{ServiceTiming{.period = 9, .deadline = 9, .execution = 1, .overrun = (1ULL << 40) + 1}})
           .reason == Misfit::number_too_large);
  // Costs that do not fit 64 bits.
  FACT(check_fit(std::array{ServiceTiming{1ULL << 40, 1ULL << 40, 1ULL << 30, 1}}, SchedulerCost{0, 1ULL << 34, 0})
           .reason == Misfit::deadline_below_execution);
  FACT(check_fit(std::array<ServiceTiming, 0>{}).ok());
  // Limits of numbers, and of what is checked.
  constexpr std::uint64_t longest = std::uint64_t{1} << 40;
  FACT(check_fit(std::array{ServiceTiming{longest, longest, 1}}, SchedulerCost{1, 1, 1}).ok());
  FACT(check_fit(std::array{ServiceTiming{longest, longest + 1, 1}}).reason == Misfit::number_too_large);
  FACT(check_fit(std::array{ServiceTiming{longest, longest, longest + 1}}).reason == Misfit::number_too_large);
  FACT(check_fit(std::array{ServiceTiming{9, 9, 1}}, SchedulerCost{longest + 1, 0, 0}).reason ==
       Misfit::number_too_large);
  FACT(check_fit(std::array{ServiceTiming{9, 9, 1}}, SchedulerCost{0, longest + 1, 0}).reason ==
       Misfit::number_too_large);
  FACT(check_fit(std::array{ServiceTiming{9, 9, 1}}, SchedulerCost{0, 0, longest + 1}).reason ==
       Misfit::number_too_large);
  FACT(check_fit(std::array{ServiceTiming{.period = longest, .deadline = longest, .execution = 1, .overrun = longest}})
           .ok());
  FACT(check_fit(std::array{ServiceTiming{.period = longest, .deadline = longest, .execution = 1, .burst = 65535}})
           .ok());
  // Loads without a hyperperiod that is a number: summed bit by bit.
  constexpr std::uint64_t a = longest - 87, b = longest - 167, c = longest - 195;
  FACT(check_fit(std::array{ServiceTiming{a, longest, a / 3}, ServiceTiming{b, longest, b / 3},
                            ServiceTiming{c, longest, c / 3}})
           .reason != Misfit::utilisation_above_one);
  FACT(check_fit(std::array{ServiceTiming{a, longest, a / 3 + 2}, ServiceTiming{b, longest, b / 3 + 2},
                            ServiceTiming{c, longest, c / 3 + 2}})
           .reason == Misfit::utilisation_above_one);
  FACT(check_fit(std::array{ServiceTiming{a, longest, a / 8 * 5}, ServiceTiming{b, longest, b / 4},
                            ServiceTiming{c, longest, c / 8 + 9}})
           .reason == Misfit::utilisation_above_one);
  FACT(check_fit(std::array{ServiceTiming{longest, longest, longest / 2}, ServiceTiming{b, longest, b / 3},
                            ServiceTiming{c, longest, c / 4}})
           .reason == Misfit::utilisation_above_one);
  FACT(check_fit(std::array{ServiceTiming{longest, longest, longest / 2}, ServiceTiming{b, longest, b / 5},
                            ServiceTiming{c, longest, c / 5}})
           .reason != Misfit::utilisation_above_one);
  FACT(check_fit(std::array{ServiceTiming{longest / 16 - 1, longest, longest / 4 - 4}, ServiceTiming{b, longest, 9},
                            ServiceTiming{c, longest, 9}})
           .reason == Misfit::utilisation_above_one);
  FACT(check_fit(std::array{ServiceTiming{longest, longest, 1}}, SchedulerCost{0, 0, longest}).reason ==
       Misfit::demand_above_time);
  // Periods in cycles with no common multiple worth the name.
  FACT(check_fit(std::array{ServiceTiming{20000, 20000, 9000, 300}, ServiceTiming{200003, 150000, 40000, 300},
                            ServiceTiming{1999993, 1000000, 100000, 300}})
           .ok());
}

TEST_CASE("feasibility: no set that is accepted ever misses", "[sched][feasibility]") {
  Tally all;
  const auto add = [&](Tally one, const char* what) {
    WARN(what << ": of " << one.sets << " sets " << one.accepted << " fit, " << one.missed
              << " miss at some phases; refused though no phases miss: " << one.refused_for_nothing
              << "; refused though nothing is missed when all start together: " << one.fine_together);
    all.sets += one.sets, all.accepted += one.accepted, all.missed += one.missed,
        all.refused_for_nothing += one.refused_for_nothing;
  };
  add(compare<1>(500, 12, 1), "one service");
  add(compare<2>(4000, 12, 2), "two services");
  add(compare<3>(1500, 8, 3), "three services");
  add(compare<4>(100, 6, 4), "four services");
  CHECK(all.sets > 4000);
  CHECK(all.accepted > 500);
  CHECK(all.missed > 500);
  // Necessary as well: where every phase is simulated, hardly a set is refused for nothing.
  CHECK(all.refused_for_nothing * 100 <= all.sets);
}

TEST_CASE("feasibility: no set that is accepted ever misses for what the executive takes", "[sched][feasibility]") {
  constexpr std::size_t count = 4;
  std::mt19937 random(5);
  const auto draw = [&](std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
  };
  unsigned accepted = 0, refused = 0, refused_and_missed = 0;
  while (accepted < 2000) {
    std::array<ServiceTiming, count> services{};
    for (auto& service : services) {
      service.period = draw(10, 60);
      service.execution = draw(1, service.period / count);
      service.deadline = draw(service.execution, 2 * service.period);
      service.section = draw(0, service.execution);
    }
    const SchedulerCost cost{draw(0, 4), draw(0, 2), draw(0, 3)};
    const Fit fit = check_fit(services, cost);
    if (fit.reason == Misfit::deadline_below_execution || fit.reason == Misfit::utilisation_above_one) continue;
    bool misses = false;
    for (unsigned phasing = 0; phasing < 200 && !misses; ++phasing) {
      std::array<std::uint64_t, count> phases{};
      // All together, but for one, which is urgent; or at random.
      for (auto& phase : phases) phase = phasing % 2 == 0 ? 20 : draw(0, 60);
      phases[draw(0, count - 1)] += draw(0, 5);
      misses = misses_with_cost(services, phases, cost, 600);
    }
    INFO(text(services) << "and " << cost.per_job << ", " << cost.per_section << ", " << cost.wake);
    if (fit) REQUIRE_FALSE(misses);
    ++(fit ? accepted : refused);
    refused_and_missed += !fit && misses ? 1U : 0U;
  }
  WARN("with cost: " << accepted << " sets fit; " << refused << " were refused, of which " << refused_and_missed
                     << " miss at one of 200 choices of phases");
  CHECK(refused_and_missed * 2 > refused);
}

namespace {

/// A timer whose events take time to be found.
struct Found {
  using Offers = offer::List<offer::WakeAt>;
  Timer<std::uint32_t, Missed::catch_up> timer;
  VirtualClock<>& clock;
  std::uint32_t takes;
  bool next_event(Event<std::uint32_t>& event, std::uint32_t now) {
    if (!timer.next_event(event, now)) return false;
    clock.advance(takes);
    return true;
  }
  bool wake_at(std::uint32_t now, std::uint32_t& at) const { return timer.wake_at(now, at); }
};

} // namespace

namespace {

__extension__ using Wide = __int128;

Wide rounds_up(Wide whole, Wide part) { return (whole + part - 1) / part; }

/// The formula of the page, for each deadline from the beginning. \pre products of all periods fit
template <std::size_t Count>
Fit by_the_book(std::array<ServiceTiming, Count> services, const SchedulerCost& cost, bool only_numbers = false) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 40;
  std::array<Wide, Count> all{}, section{}; // of a run with what the executive takes for it
  Wide all_periods = 1, last_deadline = 0;
  for (std::size_t i = 0; i < Count; ++i) {
    ServiceTiming& service = services[i];
    if (service.period == 0) return {Misfit::period_zero, i, 0, 0};
    if (service.execution == 0) return {Misfit::execution_zero, i, 0, 0};
    for (const std::uint64_t time : {service.period, service.deadline, service.execution, service.overrun, cost.per_job,
                                     cost.per_section, cost.wake})
      if (time > longest) return {Misfit::number_too_large, i, 0, 0};
    if (service.burst > 65535) return {Misfit::number_too_large, i, 0, 0};
    if (service.skips) service.deadline = std::min(service.deadline, service.period);
    if (service.section > service.execution) return {Misfit::section_too_long, i, 0, 0};
    const Wide stretch = service.section == 0 ? service.execution : service.section;
    const Wide sections = rounds_up(service.execution, stretch);
    section[i] = stretch + service.overrun + cost.per_section;
    all[i] = service.execution + sections * cost.per_section + cost.per_job + Wide{service.burst} * cost.per_job;
    if (sections * cost.per_section > longest) all[i] = longest + 1;
    if (all[i] > service.deadline)
      return {Misfit::deadline_below_execution, i, service.deadline, static_cast<std::uint64_t>(all[i])};
    all_periods *= service.period;
    last_deadline = std::max<Wide>(last_deadline, service.deadline);
  }
  if (only_numbers) return {Misfit::none, 0, 0, 0};
  Wide load = 0; // in parts of all_periods
  for (std::size_t i = 0; i < Count; ++i) load += all[i] * (all_periods / services[i].period);
  if (load > all_periods) return {Misfit::utilisation_above_one, 0, 0, 0};

  const auto blocking = [&](Wide at) {
    Wide longest_section = cost.wake;
    for (std::size_t i = 0; i < Count; ++i)
      if (services[i].deadline > at) longest_section = std::max(longest_section, section[i] - 1);
    return longest_section;
  };
  const auto found = [&](std::size_t i, Wide releases) {
    return std::max<Wide>(releases, 2 * Wide{services[i].burst}) * cost.per_job;
  };
  Wide turn = blocking(0) + 1;
  for (Wide before = 0; before != turn && cost.per_job != 0;) {
    before = turn;
    turn = blocking(0) + 1;
    for (std::size_t i = 0; i < Count; ++i) turn += found(i, rounds_up(before, services[i].period));
  }
  Wide end = Wide{1} << 100, busy = 0;
  if (load == all_periods) {
    end = 1;
    for (const ServiceTiming& service : services) end = std::lcm(static_cast<std::uint64_t>(end), service.period);
    end += last_deadline;
  }
  for (Wide next = 1; next > busy && busy < end;) {
    busy = next;
    next = blocking(0);
    for (std::size_t i = 0; i < Count; ++i) {
      const Wide releases = rounds_up(busy, services[i].period);
      next +=
          releases * all[i] + services[i].overrun + found(i, rounds_up(busy + 2 * turn, services[i].period) - releases);
    }
  }
  busy = std::min(busy, end);
  std::vector<std::pair<Wide, std::size_t>> deadlines;
  for (std::size_t i = 0; i < Count; ++i)
    for (Wide at = services[i].deadline; at <= busy; at += services[i].period) deadlines.push_back({at, i});
  std::sort(deadlines.begin(), deadlines.end());
  for (std::size_t next = 0; next < deadlines.size();) {
    // Of those at once, the first one whose runs take no more than they say; or the last.
    const Wide at = deadlines[next].first;
    std::size_t chosen = Count;
    for (; next < deadlines.size() && deadlines[next].first == at; ++next)
      if (chosen == Count || services[chosen].overrun != 0) chosen = deadlines[next].second;
    Wide needed = blocking(at);
    for (std::size_t i = 0; i < Count; ++i) {
      const ServiceTiming& service = services[i];
      const Wide due = at < service.deadline ? Wide{0} : (at - service.deadline) / service.period + 1;
      const Wide earlier = std::min(std::max<Wide>(service.deadline - at, 0), 2 * turn);
      needed += due * all[i] + found(i, rounds_up(at + earlier, service.period) - due);
      if (due != 0 && i != chosen) needed += service.overrun;
    }
    if (needed > at)
      return {Misfit::demand_above_time, chosen, static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(needed)};
  }
  return {Misfit::none, 0, 0, 0};
}

template <std::size_t Count>
void as_by_the_book(std::uint32_t seed, std::array<unsigned, 9>& reasons) {
  std::mt19937_64 random(seed * 8ULL + Count);
  const auto draw = [&](std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, std::max(least, most))(random);
  };
  const std::uint64_t bases[] = {1, 4, 20, 1000, 1ULL << 20};
  const std::uint64_t base = bases[draw(0, 4)], share = Count + draw(0, 2);
  const bool is_full = draw(0, 5) == 0, has_cost = draw(0, 2) != 0, floods = draw(0, 2) == 0;
  SchedulerCost cost{};
  if (has_cost) cost = {draw(0, base / 3 + 1), draw(0, base / 6 + 1), draw(0, base)};
  if (is_full) cost = {0, 0, draw(0, 1)};
  std::array<ServiceTiming, Count> services{};
  for (std::size_t i = 0; i < Count; ++i) {
    ServiceTiming& service = services[i];
    service.period = draw(base, 30 * base);
    service.execution = draw(1, service.period / share + (has_cost ? 0 : 1));
    if (is_full) { // all of the processor
      service.period = base * Count << draw(0, 2);
      service.execution = service.period / Count;
    }
    const unsigned kind = static_cast<unsigned>(draw(0, 3));
    service.deadline = kind == 0   ? service.period
                       : kind == 1 ? draw(service.execution, service.period)
                       : kind == 2 ? draw(service.execution, 4 * service.period)
                                   : draw(service.period, 60 * base);
    service.section = draw(0, 1) == 0 ? 0 : draw(1, service.execution);
    service.skips = draw(0, 3) == 0;
    if (floods && draw(0, 1) == 0) service.burst = draw(0, draw(0, 1) == 0 ? 3 : 30);
    if (floods && draw(0, 1) == 0) service.overrun = draw(0, service.execution);
  }
  const bool is_odd = draw(0, 14) == 0;
  if (is_odd) { // one number is wrong, or nearly
    ServiceTiming& last = services[Count - 1];
    std::uint64_t* const numbers[] = {&last.period,  &last.deadline, &last.execution,   &last.section, &last.burst,
                                      &last.overrun, &cost.per_job,  &cost.per_section, &cost.wake};
    const std::uint64_t values[] = {0, 1ULL << 40, (1ULL << 40) + 1, 65535, 65536};
    *numbers[draw(0, 8)] = values[draw(0, 4)];
  }
  if (is_odd && by_the_book(services, cost, true).ok()) return; // it may take long
  const Fit fit = check_fit(services, cost);
  if (fit.reason == Misfit::too_long_to_check) return; // what that may be, others say
  const Fit wanted = by_the_book(services, cost);
  INFO("seed " << seed << ": " << text(services) << "costs " << cost.per_job << " " << cost.per_section << " "
               << cost.wake);
  REQUIRE(static_cast<int>(fit.reason) == static_cast<int>(wanted.reason));
  REQUIRE(fit.service == wanted.service);
  REQUIRE(fit.at == wanted.at);
  REQUIRE(fit.demand == wanted.demand);
  ++reasons[static_cast<std::size_t>(fit.reason)];
}

} // namespace

TEST_CASE("feasibility: every answer is that of the formula", "[sched][feasibility]") {
  std::array<unsigned, 9> reasons{};
  for (const std::uint32_t seed : Seeds(3000)) {
    as_by_the_book<1>(seed, reasons);
    as_by_the_book<2>(seed, reasons);
    as_by_the_book<3>(seed, reasons);
    as_by_the_book<4>(seed, reasons);
  }
  for (const Misfit reason :
       {Misfit::none, Misfit::period_zero, Misfit::execution_zero, Misfit::number_too_large, Misfit::section_too_long,
        Misfit::deadline_below_execution, Misfit::utilisation_above_one, Misfit::demand_above_time}) {
    INFO("reason " << describe(reason));
    CHECK(reasons[static_cast<std::size_t>(reason)] > 0);
  }
  CHECK(reasons[static_cast<std::size_t>(Misfit::none)] > 1000);
  CHECK(reasons[static_cast<std::size_t>(Misfit::demand_above_time)] > 1000);
}

TEST_CASE("feasibility: what is not said of a service is none", "[sched][feasibility]") {
  ServiceTiming timing;
  CHECK(check_fit(std::array{timing}).reason == Misfit::period_zero);
  timing.period = 10;
  CHECK(check_fit(std::array{timing}).reason == Misfit::execution_zero);
  timing.execution = 1;
  const Fit late = check_fit(std::array{timing});
  CHECK(late.reason == Misfit::deadline_below_execution);
  CHECK(late.at == 0);
  timing.deadline = 1;
  const Fit fit = check_fit(std::array{timing});
  CHECK(fit.ok());
  CHECK(fit.service == 0);
  CHECK(fit.at == 0);
  CHECK(fit.demand == 0);
}

TEST_CASE("feasibility: what takes too long to check is said", "[sched][feasibility]") {
  // Two ticks of each two, and a tick of blocking: busy for two more ticks each round, up to the deadline and 2.
  const auto busy = [](std::uint64_t deadline) {
    return check_fit(std::array{ServiceTiming{2, at_run_time(deadline), 2}}).reason;
  };
  CHECK(busy(1'000'000) == Misfit::none);
  CHECK(busy(2'050'000) == Misfit::none);
  CHECK(busy(2'200'000) == Misfit::too_long_to_check);
  // The longest turn, where finding what comes in a period takes all of it but two ticks.
  const auto turn = [](std::uint64_t period) {
    const ServiceTiming rare{at_run_time(period), 1ULL << 40, 1};
    return check_fit(std::array{rare, rare}, SchedulerCost{.per_job = period / 2 - 1, .wake = 2 * period}).reason;
  };
  CHECK(turn(1000) == Misfit::none);
  CHECK(turn(4'000'000) == Misfit::too_long_to_check);
  // Below the whole processor by 2^-40, in which time there are overruns of a period each: busy beyond all numbers.
  std::array<ServiceTiming, 8> overrun;
  overrun.fill({.period = 1ULL << 40, .deadline = 1ULL << 40, .execution = 1ULL << 37, .overrun = 1ULL << 40});
  --overrun[7].execution;
  CHECK(check_fit(overrun).reason == Misfit::too_long_to_check);
  // As many deadlines.
  const auto deadlines = [](std::uint64_t period) {
    return check_fit(std::array{ServiceTiming{2, 2, 1}, ServiceTiming{at_run_time(period), period, period / 2 - 1, 1}})
        .reason;
  };
  CHECK(deadlines(1'900'000) == Misfit::none);
  CHECK(deadlines(2'200'000) == Misfit::too_long_to_check);
}

TEST_CASE("feasibility: the scheduler meets what has been proved", "[sched][feasibility]") {
  std::mt19937 random(6);
  const auto draw = [&](std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
  };
  unsigned proved = 0, late_if_refused = 0, events = 0;
  while (proved < 1000) {
    std::array<ServiceTiming, 3> services{};
    for (auto& service : services) {
      service.period = draw(10, 80);
      service.execution = draw(1, static_cast<std::uint32_t>(service.period) / 3);
      service.deadline =
          draw(static_cast<std::uint32_t>(service.execution), 2 * static_cast<std::uint32_t>(service.period));
    }
    const std::uint32_t per_job = draw(0, 3), turn = draw(0, 2);
    // A release may come just after the scheduler has looked at its time.
    const Fit fit = check_fit(services, SchedulerCost{per_job, turn, turn});
    const std::uint32_t begin = 0xFFFF'FF00U; // the clock wraps
    VirtualClock<> clock(begin);
    const auto run = [&](std::size_t which) { clock.advance(static_cast<std::uint32_t>(services[which].execution)); };
    Services set(service<0>([&] { run(0); }), service<1>([&] { run(1); }), service<2>([&] { run(2); }));
    const auto source = [&](ServiceId which) {
      return Found{Timer<std::uint32_t, Missed::catch_up>::from(
                       {.service = which,
                        .start = begin + 20 + draw(0, 6),
                        .period = static_cast<std::uint32_t>(services[which].period),
                        .deadline = static_cast<std::uint32_t>(services[which].deadline)})
                       .value(),
                   clock, per_job};
    };
    Found a = source(0), b = source(1), c = source(2);
    struct Turns { // each takes time
      using Offers = offer::List<offer::WakeAt>;
      VirtualClock<>& clock;
      std::uint32_t takes, end;
      Signal signal(std::uint32_t now) const {
        clock.advance(takes);
        return is_before(now, end) ? Signal::run : Signal::finish;
      }
      bool wake_at(std::uint32_t, std::uint32_t& at) const {
        at = end;
        return true;
      }
    } signaller{clock, turn, begin + 2000};
    Scheduler<VirtualClock<>, 16, SchedulerOptions{.statistics = true}, NoMissHook, target::Generic> scheduler(clock);
    REQUIRE(scheduler.execute(signaller, set, a, b, c) == Finished::by_finish);
    std::uint32_t misses = 0;
    for (std::size_t which = 0; which < 3; ++which) misses += scheduler.statistics(which).misses;
    INFO(text(services) << "and " << per_job << ", " << turn);
    if (fit) REQUIRE(misses == 0);
    proved += fit ? 1U : 0U;
    late_if_refused += !fit && misses != 0 ? 1U : 0U;
    events += scheduler.counts().run;
  }
  CHECK(late_if_refused > 500);
  CHECK(events > 100'000);
}

TEST_CASE("feasibility: deadlines beyond the period leave out no run with the timer's default",
          "[sched][feasibility]") {
  VirtualClock<> clock;
  unsigned often = 0, seldom = 0;
  Services set(service<0>([&] { ++often, clock.advance(1); }), service<1>([&] { ++seldom, clock.advance(30); }));
  auto a = Timer<>::from({.service = 0, .start = 0, .period = 10, .deadline = 40}).value();
  auto b = Timer<>::from({.service = 1, .start = 0, .period = 100}).value();
  auto signaller = TimerSignaller<>::from(0, 10'000, 20'000).value();
  Scheduler<VirtualClock<>, 2, SchedulerOptions{.statistics = true}, NoMissHook, target::Generic> scheduler(clock);
  scheduler.execute(signaller, set, a, b);
  CHECK(often == 1000);
  CHECK(seldom == 100);
  CHECK(a.missed() == 0);
  CHECK(scheduler.statistics(0).misses == 0);
  CHECK(scheduler.statistics(1).misses == 0);
}

TEST_CASE("feasibility: a refusal names a deadline that a sporadic release misses", "[sched][feasibility]") {
  // The long section of the second service begins one tick before the first is released.
  const std::array services{ServiceTiming{10, 4, 2}, ServiceTiming{20, 20, 6}};
  const Fit fit = check_fit(services);
  CHECK(fit.reason == Misfit::demand_above_time);
  CHECK(fit.service == 0);
  CHECK(fit.at == 4);
  CHECK(fit.demand == 2 + 5);
  CHECK(misses(services, {1, 0}, 20));
  CHECK(check_fit(std::array{ServiceTiming{10, 4, 2}, ServiceTiming{20, 20, 6, 3}}).ok());
}

TEST_CASE("feasibility: every reason has its sentence", "[sched][feasibility]") {
  for (int reason = 0; reason <= static_cast<int>(Misfit::too_long_to_check); ++reason)
    CHECK(std::string(describe(static_cast<Misfit>(reason))) != "unknown reason");
  CHECK(std::string(describe(static_cast<Misfit>(200))) == "unknown reason");
}
