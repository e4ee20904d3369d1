// SPDX-License-Identifier: BSL-1.0
// Turns of the whole scheduler, with as many services as timers. A program for each width of ticks, as both do not fit
// the instruction memory.
#ifndef BENCHMARKS_CYCLES_KERNELS_SCHED_LOOP_HPP
#define BENCHMARKS_CYCLES_KERNELS_SCHED_LOOP_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {

bool right = true;

/// Time that passes as it is read: by one tick, as a word in memory.
template <TickCount Type>
struct Counter {
  using Tick = Type;
  Tick time = 0;
  [[nodiscard]] Tick now() noexcept { return ++time; }
};

std::uint32_t runs;

template <class Tick, std::size_t... Which>
struct Loop {
  static constexpr std::size_t count = sizeof...(Which);
  Counter<Tick> clock;
  Scheduler<Counter<Tick>, (count < 16 ? 16 : count)> scheduler{clock};
  std::array<Timer<Tick>, count> timers;
  TimerSignaller<Tick> signaller;

  void set(Tick start, Tick period, Tick turns) {
    clock.time = 0;
    for (std::size_t at = 0; at < count; ++at)
      timers[at] =
          Timer<Tick>::from(
              {.service = static_cast<ServiceId>(at), .start = static_cast<Tick>(start + at), .period = period})
              .value;
    signaller = TimerSignaller<Tick>::from(0, turns, 2 * turns).value;
  }
  [[gnu::noinline]] void execute() {
    Services services(service<ServiceId{Which}>([] { ++runs; })...);
    scheduler.execute(signaller, services, timers[Which]...);
  }
};
template <class Tick, std::size_t... Which>
Loop<Tick, Which...>& loop_of(std::index_sequence<Which...>) {
  static Loop<Tick, Which...> loop;
  return loop;
}

/// Per turn: with nothing due; and with a service that runs in each, an empty one, all of them as often.
#define MEASURE_LOOP(key, Tick, services)                                                                              \
  do {                                                                                                                 \
    auto& loop = loop_of<Tick>(std::make_index_sequence<services>{});                                                  \
    loop.set(100000, 100000, 1000);                                                                                    \
    runs = 0;                                                                                                          \
    MEASURE("sched.loop." key ".nothing_due", 1000, loop.execute());                                                   \
    right = right && runs == 0;                                                                                        \
    loop.set(1, services, 1000);                                                                                       \
    MEASURE("sched.loop." key ".runs", 1000, loop.execute());                                                          \
    right = right && runs > 990;                                                                                       \
  } while (false)

} // namespace

#endif
