// SPDX-License-Identifier: BSL-1.0
// All sources together, from the release of an event to the end of its service: order, lateness and every count against
// a plain model, and that no set which was proved to fit ever misses, whoever floods.
#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/schedule_plans.hpp"
#include "tests/support/seeds.hpp"

using namespace schedule;

namespace {

class Random {
public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  Time operator()(Time least, Time most) { return std::uniform_int_distribution<Time>(least, most)(random_); }

private:
  std::mt19937_64 random_;
};

template <class RawTick, class TickType, std::size_t Capacity, std::size_t Depth>
struct Battery {
  std::size_t runs = 0, late = 0, put_off = 0, unstamped = 0, deferred = 0, missed = 0;

  template <bool has_budgets>
  void one(std::uint64_t seed) {
    Random draw(seed);
    Plan plan = any_plan(draw, false);
    if (draw(0, 1) == 0) overrun(draw, plan);
    if (has_budgets)
      for (std::size_t service = 0; service < most_sources; ++service)
        if (draw(0, 1) == 0) plan.budget[service] = any_budget(draw, plan.execution[service]);
    Outcome outcome;
    const std::string wrong = compare<RawTick, TickType, Capacity, Depth, has_budgets>(plan, outcome);
    if (!wrong.empty()) {
      INFO("seed " << seed << ", " << 8 * sizeof(RawTick) << " and " << 8 * sizeof(TickType) << " bits, capacity "
                   << Capacity << ", depth " << Depth << ", budgets " << has_budgets << ": " << text(plan));
      FAIL(wrong);
    }
    runs += outcome.runs.size();
    for (const Run& run : outcome.runs) late += run.finish > run.deadline ? 1U : 0U;
    for (std::size_t at = 0; at < most_sources; ++at)
      put_off += outcome.postponed[at], unstamped += outcome.unstamped[at], deferred += outcome.deferred[at],
          missed += outcome.missed[at];
  }
  void all() {
    for (const std::uint32_t seed : Seeds(sanitized ? 100 : 1000)) one<false>(seed), one<true>(seed);
    WARN(runs << " runs, " << late << " of them late, " << put_off << " put off; " << deferred << " posts deferred, "
              << unstamped << " without a stamp; " << missed << " periods left out");
    CHECK(late > runs / 10);
    CHECK(late < runs);
    CHECK(put_off > runs / 100);
    CHECK(unstamped > 0);
    CHECK(deferred > 0);
    CHECK(missed > 0);
  }
};

/// What a plan promises. A source that is not there asks for next to nothing.
std::array<ServiceTiming, most_sources> timings_of(const Plan& plan) {
  std::array<ServiceTiming, most_sources> timings{};
  for (std::size_t at = 0; at < most_sources; ++at) {
    const Source& source = plan.sources[at];
    timings[at] = {.period = 1ULL << 40, .deadline = 1ULL << 40, .execution = 1};
    if (source.kind != Kind::none)
      timings[at] = {.period = static_cast<std::uint64_t>(source.period),
                     .deadline = static_cast<std::uint64_t>(source.deadline),
                     .execution = static_cast<std::uint64_t>(plan.execution[at]),
                     .skips = source.kind == Kind::skip || source.kind == Kind::re_phase};
  }
  return timings;
}

/// How many events of a source must have run at the end.
std::size_t promised(const Plan& plan, std::size_t at) {
  const Source& source = plan.sources[at];
  std::size_t count = 0;
  Time effective = -(Time{1} << 62);
  const auto add = [&](Time release) { count += release + source.deadline <= plan.end ? 1U : 0U; };
  if (source.kind == Kind::oneshot) add(source.start);
  if (is_timer(source.kind))
    for (unsigned period = 0;
         (source.count == 0 || period < source.count) && source.start + period * source.period < plan.end; ++period)
      add(source.start + period * source.period);
  for (const Time post : source.posts) {
    effective = source.kind == Kind::sporadic ? std::max(post, effective + source.period) : post;
    add(effective);
  }
  return count;
}

struct Proof {
  std::size_t accepted = 0, runs = 0, put_off = 0, refused = 0, refused_and_late = 0;

  /// \param floods  whether a service comes too often and takes too long, and a budget holds it
  template <class RawTick, class TickType, std::size_t Capacity>
  void one(std::uint64_t seed, bool floods) {
    Random draw(seed);
    Plan plan = any_plan(draw, true);
    for (Source& source : plan.sources)
      if (source.kind == Kind::sporadic)
        source.posts = posts(draw, source.start, plan.end, source.period, false, false);
    auto timings = timings_of(plan);
    const auto hog = static_cast<std::size_t>(draw(0, 3));
    Source& source = plan.sources[hog];
    if (floods) {
      if (source.kind == Kind::none || source.kind == Kind::oneshot || source.kind == Kind::skip) return;
      const Time most = draw(0, 2) == 0 ? 4 * plan.execution[hog] : plan.execution[hog];
      timings[hog].burst = Capacity / most_sources;
      timings[hog].overrun = static_cast<std::uint64_t>(most - plan.execution[hog]);
      plan.budget[hog] = {static_cast<std::uint32_t>(plan.execution[hog]), static_cast<std::uint32_t>(source.period)};
      for (unsigned run = 0; run < 500; ++run) plan.longer[hog].push_back(draw(0, 2) == 0 ? most : draw(0, most));
      if (is_timer(source.kind))
        source.period = std::max<Time>(1, source.period / draw(2, 10));
      else
        source.posts = posts(draw, source.start, plan.end, source.period / draw(1, 10) + 1, false, false);
      source.deadlines.assign(source.posts.size(), source.deadline);
    }
    const auto cost = [](Time time) { return static_cast<std::uint64_t>(time); };
    const Fit fit = check_fit(timings, SchedulerCost{cost(plan.per_job), cost(plan.turn), cost(plan.turn)});
    if (fit.reason == Misfit::utilisation_above_one || fit.reason == Misfit::deadline_below_execution) return;
    Outcome outcome;
    std::string wrong = compare<RawTick, TickType, Capacity, 4, true>(plan, outcome);
    if (outcome.runs.empty()) return; // it is beyond the clock
    std::size_t late = 0;
    for (const Run& run : outcome.runs)
      if (run.finish > run.deadline && !(floods && run.service == hog)) ++late;
    (fit ? accepted : refused) += 1;
    refused_and_late += !fit && late != 0 ? 1U : 0U;
    if (fit) {
      runs += outcome.runs.size();
      put_off += outcome.postponed[hog];
      if (late != 0 && wrong.empty()) wrong = std::to_string(late) + " are late";
      for (std::size_t at = 0; at < most_sources && wrong.empty(); ++at)
        if (!(floods && at == hog) && (outcome.missed[at] != 0 || outcome.events[at] < promised(plan, at)))
          wrong = std::to_string(outcome.missed[at]) + " are left out, " + std::to_string(outcome.events[at]) +
                  " run for " + std::to_string(promised(plan, at));
    }
    if (wrong.empty()) return;
    INFO("seed " << seed << ", " << 8 * sizeof(RawTick) << " and " << 8 * sizeof(TickType) << " bits, capacity "
                 << Capacity << (floods ? ", floods: " + std::to_string(hog) : "") << ": " << text(plan));
    FAIL(wrong);
  }
  void all(bool floods) {
    for (const std::uint32_t seed : Seeds(sanitized ? 1000 : 10'000)) {
      one<std::uint32_t, std::uint32_t, 4>(seed, floods);
      one<std::uint32_t, std::uint32_t, 16>(seed, floods);
      one<std::uint64_t, std::uint64_t, 8>(seed, floods);
      one<std::uint32_t, std::uint64_t, 5>(seed, floods);
    }
    WARN(accepted << " sets fit, with " << runs << " runs, " << put_off << " of them put off; " << refused
                  << " were refused, of which " << refused_and_late << " were late this time");
  }
};

} // namespace

TEST_CASE("releases: what runs, when, how late, and all counts are those of a plain model", "[sched][releases]") {
  SECTION("one place each") { Battery<std::uint32_t, std::uint32_t, 4, 4>{}.all(); }
  SECTION("two places each") { Battery<std::uint32_t, std::uint32_t, 9, 1>{}.all(); }
  SECTION("a heap") { Battery<std::uint32_t, std::uint32_t, 80, 8>{}.all(); }
  SECTION("64 bits") { Battery<std::uint64_t, std::uint64_t, 8, 2>{}.all(); }
  SECTION("a long clock") { Battery<std::uint32_t, std::uint64_t, 12, 8>{}.all(); }
}

TEST_CASE("releases: no set that is accepted is late from its releases or leaves out a run", "[sched][releases]") {
  Proof proof;
  proof.all(false);
  CHECK(proof.accepted > (sanitized ? 500 : 5000));
  CHECK(proof.refused_and_late > proof.refused / 10);
}

TEST_CASE("releases: no set that is accepted is late when a service floods that a budget holds", "[sched][releases]") {
  Proof proof;
  proof.all(true);
  CHECK(proof.accepted > (sanitized ? 200 : 2000));
  CHECK(proof.put_off > proof.runs / 20);
  CHECK(proof.refused_and_late > proof.refused / 10);
}

TEST_CASE("releases: time that passes between the asking and a sleep of half the clock's range", "[sched][releases]") {
  for (const Time silence : {Time{1} << 31, Time{3} << 30, Time{1} << 32}) {
    Plan plan;
    plan.sources[0] = {.kind = Kind::sporadic, .service = 2, .start = 17'271, .period = 4361, .deadline = 4433};
    plan.sources[0].posts = {17'271, 94'167, 94'167 + silence, 94'167 + silence + 3000};
    plan.execution[2] = 3639, plan.turn = 418, plan.end = 300'000 + silence;
    for (plan.base = 900'000'000; plan.base < 4'500'000'000; plan.base += 900'000'000) {
      Outcome outcome;
      INFO(text(plan));
      REQUIRE(compare<std::uint32_t, std::uint32_t, 4, 4, false>(plan, outcome).empty());
      REQUIRE(outcome.runs.size() == 4);
    }
  }
}
