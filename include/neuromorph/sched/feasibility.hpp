// SPDX-License-Identifier: BSL-1.0
/// \file
/// Proof, before flashing, that services meet their deadlines under the earliest-deadline-first executive.
///
/// A service is described by period, deadline, worst-case cycles and its longest section that is not interrupted by
/// another service; the executive by what it costs. `check_fit` answers fit, or why not and where; `require_fit` makes
/// that a sentence of the compiler. A set that fits never misses, from release to end, whatever the phases;
/// docs/scheduling.md has the proof.
#ifndef NEUROMORPH_SCHED_FEASIBILITY_HPP
#define NEUROMORPH_SCHED_FEASIBILITY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// All in one unit, cycles or ticks; up to 2^40.
struct ServiceTiming {
  std::uint64_t period = 0;    ///< from release to release; the least one of a sporadic source
  std::uint64_t deadline = 0;  ///< after the release, by which the service has finished; may exceed the period
  std::uint64_t execution = 0; ///< worst case of one run
  std::uint64_t section = 0;   ///< longest stretch until it returns to the executive; 0: the whole run
  bool skips = false;          ///< its timer has Missed::skip or re_phase: leaves out what is found a period late
  // Of a service that does not keep to this, and that a budget of `execution` per `period` holds:
  std::uint64_t burst = 0;   ///< the places in the queue of its sources
  std::uint64_t overrun = 0; ///< by how much a run may exceed `execution`
};

/// What the executive itself takes, in the worst case, in the unit of the services.
struct SchedulerCost {
  std::uint64_t per_job = 0;     ///< for each release: its event found, pushed and popped
  std::uint64_t per_section = 0; ///< for each section: one turn of the loop with nothing new, and the call
  std::uint64_t wake = 0;        ///< from a release to the loop when the core sleeps, or polls: then a turn
};

/// Why a set can miss.
enum class Misfit : std::uint8_t {
  none,
  period_zero,
  execution_zero,
  number_too_large,
  section_too_long,
  deadline_below_execution,
  utilisation_above_one,
  demand_above_time,
  too_long_to_check,
};

[[nodiscard]] constexpr const char* describe(Misfit reason) noexcept {
  switch (reason) {
  case Misfit::none: return "every deadline is met";
  case Misfit::period_zero: return "a service has no period";
  case Misfit::execution_zero: return "a service has no execution time";
  case Misfit::number_too_large: return "a time is longer than 2^40";
  case Misfit::section_too_long: return "a section is longer than the run it is part of";
  case Misfit::deadline_below_execution: return "a service takes longer than its own deadline allows";
  case Misfit::utilisation_above_one: return "the services need more than the whole processor";
  case Misfit::demand_above_time: return "until some deadline there is more to do than time";
  case Misfit::too_long_to_check: return "the busy period has too many deadlines to check them all";
  }
  return "unknown reason";
}

struct Fit {
  Misfit reason = Misfit::none;
  std::size_t service = 0;  ///< the first offending one, or the one whose deadline can be missed
  std::uint64_t at = 0;     ///< demand_above_time: time from the release of all to that deadline
  std::uint64_t demand = 0; ///< demand_above_time: what must be done until then

  [[nodiscard]] constexpr bool ok() const noexcept { return reason == Misfit::none; }
  [[nodiscard]] explicit constexpr operator bool() const noexcept { return ok(); }
  friend constexpr bool operator==(const Fit&, const Fit&) noexcept = default;
};

namespace detail {

[[nodiscard]] constexpr std::uint64_t rounds(std::uint64_t whole, std::uint64_t part) noexcept {
  return (whole + part - 1) / part;
}

/// The least common multiple of the periods, or 0 above `most`.
template <std::size_t Count>
[[nodiscard]] constexpr std::uint64_t hyperperiod(const std::array<ServiceTiming, Count>& services,
                                                  std::uint64_t most) noexcept {
  std::uint64_t multiple = 1;
  for (const ServiceTiming& service : services) {
    std::uint64_t a = multiple, b = service.period;
    while (b != 0) {
      const std::uint64_t rest = a % b;
      a = b, b = rest;
    }
    const std::uint64_t factor = service.period / a;
    if (multiple > most / factor) return 0;
    multiple *= factor;
  }
  return multiple;
}

/// Whether the sum of execution / period is below one, one, or above.
enum class Load : std::uint8_t { below, one, above };

template <std::size_t Count>
[[nodiscard]] constexpr Load load(const std::array<ServiceTiming, Count>& services) noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  // Exactly, where the hyperperiod is a number ...
  if (const std::uint64_t all = hyperperiod(services, most); all != 0) {
    std::uint64_t left = all;
    for (const ServiceTiming& service : services) {
      const std::uint64_t runs = all / service.period;
      if (service.execution > left / runs) return Load::above;
      left -= runs * service.execution;
    }
    return left == 0 ? Load::one : Load::below;
  }
  // ... else rounded up, by less than 2^-61 each: a set that is as close to one as that is refused.
  std::uint64_t sum = 0;
  for (const ServiceTiming& service : services) {
    std::uint64_t quotient = service.execution / service.period, rest = service.execution % service.period;
    if (quotient != 0) return Load::above;
    for (int bit = 0; bit < 62; ++bit) {
      rest *= 2;
      quotient = quotient * 2 + (rest >= service.period ? 1 : 0);
      if (rest >= service.period) rest -= service.period;
    }
    sum += quotient + 1;
    if (sum >= most) return Load::above;
  }
  return Load::below;
}

} // namespace detail

/// Whether all deadlines are met, for services that are released at any phases and not more often than their periods.
///
/// For each deadline t of the busy period that begins when all are released at once:
///
///     sum of execution over all releases with deadlines up to t
///       + longest section of a service with a deadline after t
///       + cost.per_job for each other release that is found until t, or was while that section ran; or for its burst
///
/// must not exceed t, all with the executive's cost included. That is sufficient, and for sporadic services, but for
/// the bound of the last term, necessary.
///
/// \source K. Jeffay, D. Stanat, C. Martel, On non-preemptive scheduling of periodic and sporadic tasks, 1991;
///         S. Baruah, The limited-preemption uniprocessor scheduling of sporadic task systems, 2005; L. George, N.
///         Rivierre, M. Spuri, Preemptive and non-preemptive real-time uniprocessor scheduling, 1996 (busy period)
template <std::size_t Count>
[[nodiscard]] constexpr Fit check_fit(std::array<ServiceTiming, Count> services, SchedulerCost cost = {}) noexcept {
  constexpr std::uint64_t longest = std::uint64_t{1} << 40;
  // Rounds of all loops below. Compilers give up after a million steps; a round has about forty for each service.
  std::uint64_t left = std::is_constant_evaluated() ? 16384 / (Count + 1) : 1U << 20;
  std::array<std::uint64_t, Count> section{};
  std::uint64_t last_deadline = 0;
  for (std::size_t i = 0; i < Count; ++i) {
    ServiceTiming& service = services[i];
    if (service.period == 0) return {Misfit::period_zero, i};
    if (service.execution == 0) return {Misfit::execution_zero, i};
    if (service.period > longest || service.deadline > longest || service.execution > longest ||
        cost.per_job > longest || cost.per_section > longest || cost.wake > longest || service.overrun > longest ||
        service.burst > 65535)
      return {Misfit::number_too_large, i};
    if (service.skips && service.deadline > service.period) service.deadline = service.period;
    if (service.section > service.execution) return {Misfit::section_too_long, i};
    const std::uint64_t stretch = service.section == 0 ? service.execution : service.section;
    const std::uint64_t sections = detail::rounds(service.execution, stretch);
    section[i] = stretch + service.overrun + cost.per_section;
    // What does not fit 64 bits is more than any deadline.
    service.execution = cost.per_section > longest / sections
                            ? longest + 1
                            : service.execution + (1 + service.burst) * cost.per_job + sections * cost.per_section;
    if (service.execution > service.deadline)
      return {Misfit::deadline_below_execution, i, service.deadline, service.execution};
    if (service.deadline > last_deadline) last_deadline = service.deadline;
  }
  const detail::Load load = detail::load(services);
  if (load == detail::Load::above) return {Misfit::utilisation_above_one};

  // What can be under way when all are released: it began at least one tick before.
  const auto blocking_at = [&](std::uint64_t at) {
    std::uint64_t under_way = cost.wake;
    for (std::size_t i = 0; i < Count; ++i)
      if (services[i].deadline > at && section[i] - 1 > under_way) under_way = section[i] - 1;
    return under_way;
  };
  // Finding and pushing so many events that do not run; of a flood, also putting back those that are put off.
  const auto found = [&](const ServiceTiming& service, std::uint64_t releases) {
    return (releases < 2 * service.burst ? 2 * service.burst : releases) * cost.per_job;
  };
  // The longest turn, in which a section runs and what came during the turn before is pushed.
  const std::uint64_t blocking = blocking_at(0);
  std::uint64_t turn = blocking + 1;
  for (; cost.per_job != 0; --left) {
    if (left == 0) return {Misfit::too_long_to_check};
    std::uint64_t next = blocking + 1;
    for (const ServiceTiming& service : services) next += found(service, detail::rounds(turn, service.period));
    if (next == turn) break;
    turn = next;
  }

  // With the whole processor in use the busy period need not end: after one hyperperiod all repeats.
  const std::uint64_t most = std::uint64_t{1} << 62;
  const std::uint64_t end = load == detail::Load::one ? detail::hyperperiod(services, most) + last_deadline : most;
  std::uint64_t overruns = 0;
  for (const ServiceTiming& service : services) overruns += service.overrun;
  std::uint64_t busy = 1;
  for (; busy < end; --left) {
    if (left == 0) return {Misfit::too_long_to_check};
    std::uint64_t next = blocking + overruns;
    for (const ServiceTiming& service : services) {
      const std::uint64_t releases = detail::rounds(busy, service.period);
      next += releases * service.execution + found(service, detail::rounds(busy + 2 * turn, service.period) - releases);
    }
    if (next <= busy) break;
    busy = next;
  }
  if (busy >= end) {
    if (load != detail::Load::one) return {Misfit::too_long_to_check};
    busy = end;
  }

  // Deadlines in order; ties and all.
  std::array<std::uint64_t, Count> due{}, released{};
  for (std::size_t i = 0; i < Count; ++i) due[i] = services[i].deadline;
  std::uint64_t demand = 0;
  for (; Count != 0; --left) {
    if (left == 0) return {Misfit::too_long_to_check};
    std::size_t first = 0;
    for (std::size_t i = 1; i < Count; ++i)
      if (due[i] < due[first] || (due[i] == due[first] && services[first].overrun != 0)) first = i;
    const std::uint64_t at = due[first];
    if (at > busy) break;
    std::uint64_t needed = blocking_at(at);
    for (std::size_t i = 0; i < Count; ++i) {
      const ServiceTiming& service = services[i];
      if (due[i] == at) demand += service.execution, due[i] += service.period, ++released[i];
      // A budget makes up for all that was too long but the last. Its own deadlines are for one that keeps to its time.
      if (released[i] != 0 && i != first) needed += service.overrun;
      if (cost.per_job == 0) continue;
      // Releases for later deadlines, those before the interval that had not been found when it began among them.
      std::uint64_t before = service.deadline > at ? service.deadline - at : 0;
      if (before > 2 * turn) before = 2 * turn;
      needed += found(service, detail::rounds(at + before, service.period) - released[i]);
    }
    needed += demand;
    if (needed > at) return {Misfit::demand_above_time, first, at, needed};
  }
  return {};
}

namespace detail {

/// In the compiler's message: which service, which deadline, how much there is to do until then.
template <std::size_t service, std::uint64_t deadline_at, std::uint64_t demand_until_then, bool Fits>
struct MissesDeadline {
  static_assert(Fits, "neuromorph: these services can miss a deadline: until some deadline there is more to do than "
                      "time; see docs/scheduling.md");
};

} // namespace detail

/// Compiles only if the services fit: `require_fit<std::array{ServiceTiming{...}, ...}, SchedulerCost{...}>();`
template <auto services, SchedulerCost cost = SchedulerCost{}>
consteval void require_fit() {
  constexpr Fit fit = check_fit(services, cost);
  static_assert(fit.reason != Misfit::period_zero && fit.reason != Misfit::execution_zero &&
                    fit.reason != Misfit::number_too_large && fit.reason != Misfit::section_too_long,
                "neuromorph: a service's timing is impossible: a period or execution of zero, a time above 2^40, or a "
                "section longer than the run; see docs/scheduling.md");
  static_assert(fit.reason != Misfit::deadline_below_execution,
                "neuromorph: a service takes longer than its own deadline allows; see docs/scheduling.md");
  static_assert(fit.reason != Misfit::utilisation_above_one,
                "neuromorph: these services need more than the whole processor; see docs/scheduling.md");
  static_assert(
      fit.reason != Misfit::too_long_to_check,
      "neuromorph: too many deadlines for the compiler to check them all; leave some time idle, choose periods "
      "with a smaller common multiple, or ask check_fit in a test; see docs/scheduling.md");
  static_cast<void>(detail::MissesDeadline<fit.service, fit.at, fit.demand, fit.reason != Misfit::demand_above_time>{});
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
