// SPDX-License-Identifier: BSL-1.0
// The collectors that are compared, with the room that the planner gives them.
#ifndef EXAMPLES_TRACE_HEAP_COLLECTORS_HPP
#define EXAMPLES_TRACE_HEAP_COLLECTORS_HPP

#include <vector>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/neuromorph.hpp>

#include "run.hpp"

namespace trace_heap {

/// What is asked for: to be full with this probability at the worst time, the end of the first window.
constexpr double may_be_full = 1e-6;
constexpr double hz_of_first_window = (start_hz * start_ticks + usual_hz * (window + 1 - start_ticks)) / (window + 1);
constexpr auto usual = gc::TraceLoad::at_hz(neurons, usual_hz, 1, window);
constexpr auto peak = gc::TraceLoad::at_hz(neurons, hz_of_first_window, 1, window);
static_assert(usual.expected() * event_bytes > 2500 && usual.expected() * event_bytes < 2510);
static_assert(peak.expected() * event_bytes > 4030 && peak.expected() * event_bytes < 4050);

constexpr gc::TracePlan fifo_plan = gc::plan_fifo(peak, sizeof(Trace), may_be_full);
constexpr gc::TracePlan pool_plan = gc::plan_pool(peak, sizeof(Trace), may_be_full);
constexpr gc::TracePlan sliding_plan = gc::plan_sliding(peak, sizeof(Trace), may_be_full);
constexpr gc::BakerOptions baker = gc::plan_baker(peak, sizeof(Trace), may_be_full);
constexpr gc::GenerationalOptions generational{
    .events = baker.events, .longest = baker.longest, .heap_bytes = baker.heap_bytes};
constexpr gc::TracePlan baker_plan{baker.events, gc::bytes_of_baker(neurons, baker, sizeof(Trace))};
constexpr gc::TracePlan generational_plan{generational.events,
                                          gc::bytes_of_generational(neurons, generational, sizeof(Trace))};
constexpr gc::TracePlan ring_plan = gc::plan_ring(peak, sizeof(Trace), may_be_full);

/// One line per collector.
inline std::vector<Run> run_all(const Stream& stream, const std::vector<std::uint32_t>& points) {
  return {
      run<gc::Fifo<fifo_plan.events>>("gc::Fifo", "#1f5fa8", fifo_plan, stream, points),
      run<gc::Pool<pool_plan.events>>("gc::Pool", "#c8442c", pool_plan, stream, points),
      run<gc::Sliding<sliding_plan.events>>("gc::Sliding", "#8a4fbf", sliding_plan, stream, points),
      run<gc::Baker<baker>>("gc::Baker", "#d0589a", baker_plan, stream, points),
      run<gc::Generational<generational>>("gc::Generational", "#56b4e0", generational_plan, stream, points),
      run<gc::Ring<ring_plan.events>>("gc::Ring", "#2e9e6b", ring_plan, stream, points),
  };
}

} // namespace trace_heap

#endif
