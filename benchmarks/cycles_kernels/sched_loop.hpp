// SPDX-License-Identifier: BSL-1.0
// Turns of the whole scheduler, with as many services as timers. A program for each width of ticks, as both do not fit
// the instruction memory.
#ifndef BENCHMARKS_CYCLES_KERNELS_SCHED_LOOP_HPP
#define BENCHMARKS_CYCLES_KERNELS_SCHED_LOOP_HPP

#include <cstdint>
#include <utility>

#include "../scheduler_loop.hpp"
#include "measure.hpp"

namespace {

bool right = true;

/// Per turn: with nothing due; and with a service that runs in each, an empty one, all of them as often.
#define MEASURE_LOOP(key, Tick, services)                                                                              \
  do {                                                                                                                 \
    auto& loop = bench::loop_of<Tick>(std::make_index_sequence<services>{});                                           \
    loop.set(100000, 100000, 1000);                                                                                    \
    bench::runs = 0;                                                                                                   \
    MEASURE("sched.loop." key ".nothing_due", 1000, loop.execute());                                                   \
    right = right && bench::runs == 0;                                                                                 \
    loop.set(1, services, 1000);                                                                                       \
    MEASURE("sched.loop." key ".runs", 1000, loop.execute());                                                          \
    right = right && bench::runs > 990;                                                                                \
  } while (false)

/// The same, of objects whose addresses the compiler does not know.
#define MEASURE_LOOP_BY_POINTER(key, Tick, services)                                                                   \
  do {                                                                                                                 \
    auto& loop = *fresh(&bench::loop_of<Tick, struct ByPointer>(std::make_index_sequence<services>{}));                \
    loop.set(100000, 100000, 1000);                                                                                    \
    MEASURE("sched.loop." key ".by_pointer", 1000, loop.execute());                                                    \
  } while (false)

/// All keys, which begin with `first`.
#define MEASURE_LOOPS(first, Tick)                                                                                     \
  MEASURE_LOOP(first "1", Tick, 1);                                                                                    \
  MEASURE_LOOP(first "4", Tick, 4);                                                                                    \
  MEASURE_LOOP(first "16", Tick, 16);                                                                                  \
  MEASURE_LOOP(first "64", Tick, 64);                                                                                  \
  MEASURE_LOOP_BY_POINTER(first "16", Tick, 16)

} // namespace

#endif
