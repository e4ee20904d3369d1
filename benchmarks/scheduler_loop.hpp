// SPDX-License-Identifier: BSL-1.0
// The whole scheduler as it is measured, in cycles and on a host: as many services as timers, with empty bodies.
#ifndef BENCHMARKS_SCHEDULER_LOOP_HPP
#define BENCHMARKS_SCHEDULER_LOOP_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

namespace bench {
namespace { // static objects, as in firmware, whose addresses the compiler knows

namespace nm = neuromorph;

/// Time that passes as it is read: by one tick, as a word in memory.
template <nm::TickCount Type>
struct Counter {
  using Tick = Type;
  static constexpr nm::AlarmKind alarm_kind = nm::AlarmKind::none;
  Tick time = 0;
  [[nodiscard]] Tick now() noexcept { return ++time; }
};

std::uint32_t runs;

/// \tparam Name  tells loops apart that are of one size
template <class Tick, class Name, std::size_t... Which>
struct Loop {
  static constexpr std::size_t count = sizeof...(Which);
  Counter<Tick> clock;
  nm::Scheduler<Counter<Tick>, (count < 16 ? 16 : count)> scheduler{clock};
  std::array<nm::Timer<Tick>, count> timers;
  nm::TimerSignaller<Tick> signaller;

  void set(Tick start, Tick period, Tick turns) {
    clock.time = 0;
    for (std::size_t at = 0; at < count; ++at)
      timers[at] =
          nm::Timer<Tick>::from(
              {.service = static_cast<nm::ServiceId>(at), .start = static_cast<Tick>(start + at), .period = period})
              .value();
    signaller = nm::TimerSignaller<Tick>::from(0, turns, 2 * turns).value();
  }
  [[gnu::noinline]] void execute() {
    nm::Services services(nm::service<nm::ServiceId{Which}>([] { ++runs; })...);
    scheduler.execute(signaller, services, timers[Which]...);
  }
};
template <class Tick, class Name = void, std::size_t... Which>
Loop<Tick, Name, Which...>& loop_of(std::index_sequence<Which...>) {
  static Loop<Tick, Name, Which...> loop;
  return loop;
}

} // namespace
} // namespace bench

#endif
