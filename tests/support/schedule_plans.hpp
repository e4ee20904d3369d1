// SPDX-License-Identifier: BSL-1.0
// Plans for a scheduler and its model, from numbers that are drawn: at random, or from the bytes of a fuzzer.
#ifndef TESTS_SUPPORT_SCHEDULE_PLANS_HPP
#define TESTS_SUPPORT_SCHEDULE_PLANS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tests/support/schedule_model.hpp"

namespace schedule {

/// Posts that keep to their interval, exactly or not, come all at once, or after a silence longer than a clock's range.
template <class Draw>
std::vector<Time> posts(Draw& draw, Time from, Time end, Time interval, bool keeps, bool has_silence) {
  std::vector<Time> made;
  const unsigned manner = static_cast<unsigned>(draw(0, 2));
  for (Time at = from; at < end && made.size() < 400;) {
    made.push_back(at);
    if (has_silence && made.size() == 20) {
      const Time silence = draw(1, 6) << 30;
      at += silence, end += silence;
    }
    if (manner == 0)
      at += interval;
    else if (keeps)
      at += interval + (manner == 1 ? draw(0, 2) : draw(0, 2 * interval));
    else
      at += manner == 1 ? draw(0, 2 * interval) : draw(0, 4) == 0 ? draw(0, 9 * interval) : 0;
  }
  return made;
}

/// Bases from which a clock wraps, or its sign changes, under way or near.
template <class Draw>
std::uint64_t base(Draw& draw, Time length) {
  const auto before = static_cast<std::uint64_t>(draw(0, length));
  constexpr std::array<std::uint64_t, 6> points{0, 1ULL << 31, 1ULL << 32, 3ULL << 31, 1ULL << 33, 7ULL << 31};
  return points[static_cast<std::size_t>(draw(0, 5))] - before;
}

/// \param draw   `Time draw(Time least, Time most)`
/// \param keeps  whether each source keeps to its period
template <class Draw>
Plan any_plan(Draw& draw, bool keeps) {
  Plan plan;
  const std::array<Time, 5> units{1, 3, 1000, Time{1} << 16, Time{1} << 21};
  const Time unit = units[static_cast<std::size_t>(draw(0, 4))];
  plan.end = unit * draw(100, 900);
  plan.turn = draw(0, 2) == 0 ? 0 : draw(0, unit);
  plan.per_job = draw(0, 2) == 0 ? 0 : draw(0, unit);
  const bool has_silence = !keeps && draw(0, 3) == 0;
  const Time share = draw(1, 6);
  const auto count = static_cast<std::size_t>(draw(1, 4));
  for (std::size_t at = 0; at < count; ++at) {
    Source& source = plan.sources[at];
    source.kind = static_cast<Kind>(draw(1, 7));
    source.service = static_cast<unsigned>(keeps ? at : static_cast<std::size_t>(draw(0, 3)));
    source.start = draw(0, 20 * unit);
    source.period = draw(2 * unit, 60 * unit);
    plan.execution[source.service] = draw(1, std::max<Time>(source.period / share, 1));
    source.deadline = draw(keeps ? plan.execution[source.service] : 1, 2 * source.period);
    if (is_timer(source.kind) && (has_silence || draw(0, 3) == 0)) source.count = static_cast<unsigned>(draw(1, 9));
    if (source.kind == Kind::oneshot) source.period = plan.end + (Time{1} << 32);
    if (is_posted(source.kind) || source.kind == Kind::list)
      source.posts = posts(draw, source.start, plan.end, source.period, keeps, has_silence && is_posted(source.kind));
    if (source.kind == Kind::list)
      for (std::size_t event = 0; event < source.posts.size(); ++event)
        source.deadlines.push_back(keeps ? source.deadline : draw(0, 3 * source.period));
    if (has_silence && is_posted(source.kind) && !source.posts.empty())
      plan.end = std::max(plan.end, source.posts.back() + 10 * unit);
  }
  plan.base = base(draw, plan.end);
  return plan;
}

/// One in five runs takes longer, up to ten times.
template <class Draw>
void overrun(Draw& draw, Plan& plan) {
  for (std::size_t service = 0; service < most_sources; ++service) {
    if (draw(0, 2) != 0) continue;
    for (unsigned run = 0; run < 100; ++run)
      plan.longer[service].push_back(draw(0, 4) == 0 ? draw(0, 10 * plan.execution[service])
                                                     : draw(0, plan.execution[service]));
  }
}

/// That the service exceeds, or does not.
template <class Draw>
Budget<std::uint32_t> any_budget(Draw& draw, Time execution) {
  return {static_cast<std::uint32_t>(draw(1, 2 * execution)), static_cast<std::uint32_t>(draw(1, 5 * execution))};
}

} // namespace schedule

#endif
