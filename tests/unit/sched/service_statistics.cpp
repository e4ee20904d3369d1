// SPDX-License-Identifier: BSL-1.0
// What is noted of services, against all their runs kept in a list; times wrap, and sums saturate.
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <neuromorph/sched/service_statistics.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <class Tick>
struct Run {
  std::make_signed_t<Tick> lateness;
  Tick took;
};

/// Bounds of bins 1 to 7 by the header's words.
constexpr std::array<std::int64_t, 7> first_of_bin{1, 2, 4, 8, 16, 32, 64};

/// Everything anew from the list.
template <class Tick>
void check(const ServiceRecord<Tick>& record, const std::vector<Run<Tick>>& runs) {
  using Span = std::make_signed_t<Tick>;
  constexpr auto least = (std::numeric_limits<std::int64_t>::min)(), most = (std::numeric_limits<std::int64_t>::max)();
  constexpr Span far = static_cast<Span>(longest_span<Tick>);
  Span earliest = far, latest = -far - 1;
  std::uint32_t misses = 0;
  std::int64_t sum = 0;
  Tick longest = 0;
  std::uint64_t executions = 0;
  std::array<std::uint32_t, 8> histogram{};
  for (const Run<Tick>& run : runs) {
    const std::int64_t late = run.lateness;
    if (late > 0 && sum > most - late)
      sum = most;
    else if (late < 0 && sum < least - late)
      sum = least;
    else
      sum += late;
    if (run.lateness < earliest) earliest = run.lateness;
    if (run.lateness > latest) latest = run.lateness;
    if (run.took > longest) longest = run.took;
    executions += run.took;
    if (late > 0) ++misses;
    std::size_t bin = 0;
    for (const std::int64_t first : first_of_bin) bin += late >= first;
    ++histogram[bin];
  }
  REQUIRE(record.runs == runs.size());
  REQUIRE(record.misses == misses);
  REQUIRE(record.least_lateness == earliest);
  REQUIRE(record.greatest_lateness == latest);
  REQUIRE(record.lateness_sum == sum);
  REQUIRE(record.longest_execution == longest);
  REQUIRE(record.execution_sum == executions);
  REQUIRE(record.histogram == histogram);
  if (!runs.empty()) REQUIRE(record.mean_lateness() == static_cast<double>(sum) / static_cast<double>(runs.size()));
}

/// Of all sizes up to longest_span, with the ends of the range and of the bins.
template <class Tick>
std::make_signed_t<Tick> any_lateness(std::mt19937_64& random) {
  using Span = std::make_signed_t<Tick>;
  constexpr Span far = static_cast<Span>(longest_span<Tick>);
  const auto bits = static_cast<unsigned>(random() % (sizeof(Tick) == 4 ? 32 : 63));
  const auto size = static_cast<Span>(random() & ((std::uint64_t{1} << bits) - 1)); // up to `far`
  switch (random() % 8) {
  case 0: return far;
  case 1: return -far;
  case 2: return static_cast<Span>(random() % 140);
  case 3: return static_cast<Span>(static_cast<Span>(random() % 4) - 2);
  case 4: return static_cast<Span>(Span{1} << random() % 8) - static_cast<Span>(random() % 2);
  case 5: return size;
  default: return -size;
  }
}

template <class Tick>
void compare(std::uint32_t seed) {
  std::mt19937_64 random(seed);
  ServiceStatistics<Tick, 3> statistics;
  std::array<std::vector<Run<Tick>>, 3> runs;
  const bool late_only = seed % 3 == 0, close = seed % 2 == 0;
  INFO("seed " << seed << ", " << sizeof(Tick) * 8 << " bits");
  for (unsigned step = 0; step < 120; ++step) {
    for (std::size_t position = 0; position < 3; ++position) check(statistics.records[position], runs[position]);
    const std::size_t position = random() % 3;
    Run<Tick> run{any_lateness<Tick>(random), static_cast<Tick>(random() >> random() % 64)};
    if (close) run = {static_cast<std::make_signed_t<Tick>>(random() % 90), static_cast<Tick>(random() % 8)};
    if (late_only && run.lateness < 0) run.lateness = 0;
    const Tick finished = static_cast<Tick>(random());
    statistics.note(position, static_cast<Tick>(finished - static_cast<Tick>(run.lateness)),
                    static_cast<Tick>(finished - run.took), finished);
    runs[position].push_back(run);
  }
}

} // namespace

TEST_CASE("service_statistics: all figures are those of a list of the runs", "[sched][service_statistics]") {
  for (const std::uint32_t seed : Seeds(60)) {
    compare<std::uint32_t>(seed);
    compare<std::uint64_t>(seed);
  }
}

TEST_CASE("service_statistics: a sum saturates by one tick, at both ends", "[sched][service_statistics]") {
  constexpr auto far = longest_span<std::uint64_t>; // 2^62 - 1
  ServiceStatistics<std::uint64_t, 2> of;
  of.note(0, 0, 0, far);
  of.note(0, 0, 0, far);
  CHECK(of.records[0].lateness_sum == INT64_MAX - 1);
  of.note(0, 0, 0, 1);
  CHECK(of.records[0].lateness_sum == INT64_MAX);
  of.note(0, 0, 0, 1);
  CHECK(of.records[0].lateness_sum == INT64_MAX);
  of.note(0, 1, 0, 0);
  CHECK(of.records[0].lateness_sum == INT64_MAX - 1);
  of.note(1, far, 0, 0);
  of.note(1, far, 0, 0);
  of.note(1, 2, 0, 0);
  CHECK(of.records[1].lateness_sum == INT64_MIN);
  of.note(1, 1, 0, 0);
  CHECK(of.records[1].lateness_sum == INT64_MIN);
  of.note(1, 0, 0, 1);
  CHECK(of.records[1].lateness_sum == INT64_MIN + 1);
}

TEST_CASE("service_statistics: extremes of both widths", "[sched][service_statistics]") {
  ServiceStatistics<std::uint32_t, 1> narrow;
  narrow.note(0, 0, 0, 0x7FFF'FFFFU);
  narrow.note(0, 0x7FFF'FFFFU, 0, 0);
  CHECK(narrow.records[0].greatest_lateness == 0x7FFF'FFFF);
  CHECK(narrow.records[0].least_lateness == -0x7FFF'FFFF);
  CHECK(narrow.records[0].lateness_sum == 0);
  CHECK(narrow.records[0].misses == 1);
  CHECK(narrow.records[0].longest_execution == 0x7FFF'FFFFU);
  ServiceStatistics<std::uint64_t, 1> wide;
  for (unsigned run = 0; run < 5; ++run) wide.note(0, 0, 0, longest_span<std::uint64_t>);
  CHECK(wide.records[0].lateness_sum == INT64_MAX);
  for (unsigned run = 0; run < 9; ++run) wide.note(0, longest_span<std::uint64_t>, 0, 0);
  CHECK(wide.records[0].lateness_sum == INT64_MIN);
}
