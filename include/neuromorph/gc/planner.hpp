// SPDX-License-Identifier: BSL-1.0
/// \file
/// How many events a trace store must hold, how likely it is to overflow, and how many bytes that takes, before
/// anything is built: for constants, or on the host.
///
/// Neurons that fire at a mean rate, independently of each other, have Poisson numbers of events in a window; the sum
/// of those is Poisson, too. A shared heap of k events is too small with the probability P(sum > k). Buffers of k
/// events for each of n neurons are too small with 1 - (1 - P(one > k))^n. docs/traces.md says how the papers differ.
#ifndef NEUROMORPH_GC_PLANNER_HPP
#define NEUROMORPH_GC_PLANNER_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/sliding.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

/// What a store is asked to hold. Not for use in a step: everything in here is in double precision.
struct TraceLoad {
  std::size_t neurons;
  double events_per_tick; ///< of one neuron, mean
  std::uint32_t window;   ///< AgeWindow's ticks

  /// \param rate_hz  mean rate of one neuron
  [[nodiscard]] static constexpr TraceLoad at_hz(std::size_t neurons, double rate_hz, double tick_ms,
                                                 std::uint32_t window) noexcept {
    return {neurons, rate_hz * tick_ms / 1000.0, window};
  }
  /// Alive at once, of one neuron and of all: what was recorded at ages 0 to `window`.
  [[nodiscard]] constexpr double expected_of_neuron() const noexcept { return events_per_tick * (window + 1.0); }
  [[nodiscard]] constexpr double expected() const noexcept {
    return expected_of_neuron() * static_cast<double>(neurons);
  }
  /// The most that can be alive of a neuron that fires once in `refractory` ticks at most; of all, `neurons` times
  /// that.
  [[nodiscard]] constexpr std::size_t worst_of_neuron(std::uint32_t refractory) const noexcept {
    return window / (refractory == 0 ? 1 : refractory) + 1;
  }
  [[nodiscard]] constexpr std::size_t worst(std::uint32_t refractory) const noexcept {
    return neurons * worst_of_neuron(refractory);
  }
};

namespace planner {
/// e^-debt with a large factor beside it, neither of which has to fit a double alone.
struct Scaled {
  double factor = 1, debt = 0;
  constexpr void pay(double above) noexcept {
    while (factor > above && debt > 0) {
      const double step = debt < 1 ? debt : 1;
      constexpr double one = 1152921504606846976.0; // 2^60
      factor *=
          step == 1 ? 0.36787944117144232160 : static_cast<double>(detail::exp_q60(detail::to_fixed(-step, 60))) / one;
      debt -= step;
    }
  }
};
} // namespace planner

/// P(N = k) for a Poisson N, 0 where it is below 1e-300.
/// \cost O(mean + k)
[[nodiscard]] constexpr double poisson_at(double mean, std::size_t k) noexcept {
  planner::Scaled value{1, mean};
  for (std::size_t i = 1; i <= k; ++i) {
    value.factor *= mean / static_cast<double>(i);
    value.pay(1e100);
  }
  value.pay(1e-300);
  return value.debt > 0 ? 0 : value.factor;
}

/// P(N > k) for a Poisson N; small values keep their relative precision of about 1e-11.
/// \cost O(mean + k)
[[nodiscard]] constexpr double poisson_above(double mean, std::size_t k) noexcept {
  if (mean <= 0) return 0;
  double sum = 0;
  if (static_cast<double>(k) + 1 >= mean) { // what is left of 1 below would lose the digits of a small tail
    double term = poisson_at(mean, k + 1);
    for (std::size_t i = k + 2; term > sum * 1e-17; ++i) {
      sum += term;
      term *= mean / static_cast<double>(i);
    }
    return sum;
  }
  double term = poisson_at(mean, k);
  for (std::size_t i = k;; --i) {
    sum += term;
    if (i == 0 || term <= sum * 1e-17) break;
    term *= static_cast<double>(i) / mean;
  }
  return 1 - sum;
}

/// 1 - (1 - p)^n: that at least one of n independent events of probability p comes to pass; right for the smallest p.
[[nodiscard]] constexpr double any_of(double p, std::size_t n) noexcept {
  double all = 0;
  for (double of = p; n != 0; n >>= 1, of = of + of - of * of)
    if ((n & 1) != 0) all = all + of - all * of;
  return all;
}

/// That at a given time more than `events` of all neurons are alive.
[[nodiscard]] constexpr double overflow_of_shared(const TraceLoad& load, std::size_t events) noexcept {
  return poisson_above(load.expected(), events);
}
/// That at a given time some neuron has more than `events` alive.
[[nodiscard]] constexpr double overflow_of_buffers(const TraceLoad& load, std::size_t events) noexcept {
  return any_of(poisson_above(load.expected_of_neuron(), events), load.neurons);
}
/// The least number of events for which that is at most `probability`, which is above 0.
[[nodiscard]] constexpr std::size_t events_of_shared(const TraceLoad& load, double probability) noexcept {
  std::size_t least = 0, most = static_cast<std::size_t>(load.expected()) + 1;
  const std::size_t step = most / 8 + 1;
  for (; overflow_of_shared(load, most) > probability; most += step) least = most + 1;
  while (least != most) {
    const std::size_t middle = least + (most - least) / 2;
    if (overflow_of_shared(load, middle) > probability)
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}
[[nodiscard]] constexpr std::size_t events_of_buffers(const TraceLoad& load, double probability) noexcept {
  std::size_t events = 0;
  while (overflow_of_buffers(load, events) > probability) ++events;
  return events;
}

/// `Heap::bytes` of the collectors with these parameters and a Liveness without State.
///
/// \param trace_bytes  1 to 16, of a trace that needs no more alignment than 4 bytes
[[nodiscard]] constexpr std::size_t bytes_of_ring(std::size_t neurons, std::size_t per_neuron,
                                                  std::size_t trace_bytes) noexcept {
  return (neurons * per_neuron * (4 + trace_bytes) + 3) / 4 * 4 + (neurons * 2 + 3) / 4 * 4 + 28;
}
[[nodiscard]] constexpr std::size_t bytes_of_pool(std::size_t neurons, std::size_t events,
                                                  std::size_t trace_bytes) noexcept {
  return (events * (4 + trace_bytes) + 3) / 4 * 4 + (events * 2 + 3) / 4 * 4 + neurons * 4 + 40;
}
[[nodiscard]] constexpr std::size_t bytes_of_fifo(std::size_t neurons, std::size_t events, std::size_t trace_bytes,
                                                  std::uint32_t window) noexcept {
  const std::size_t header = packed_header_fits(events + 1, neurons, window) ? 4 : 8;
  return ((events + 1) * (header + trace_bytes) + 3) / 4 * 4 + (neurons * 2 + 3) / 4 * 4 + 36;
}
/// At most: up to 6 fewer, by how the trace is aligned.
[[nodiscard]] constexpr std::size_t bytes_of_sliding(std::size_t neurons, std::size_t events, std::size_t trace_bytes,
                                                     std::uint32_t window) noexcept {
  const std::size_t times = events * (short_times_fit(window) ? 2 : 4);
  return (times + 3) / 4 * 4 + (events * trace_bytes + 3) / 4 * 4 + (neurons * (events < 256 ? 2 : 4) + 3) / 4 * 4 + 44;
}

/// Of a store beside its collector: the newest event of each neuron, of a trace as above, and how long before it the
/// neuron fired.
[[nodiscard]] constexpr std::size_t bytes_of_newest(std::size_t neurons, std::size_t trace_bytes) noexcept {
  return neurons * (4 + (trace_bytes + 3) / 4 * 4) + (neurons * 2 + 3) / 4 * 4;
}

/// What a collector needs for a load, if it may be full with `probability` at a given time. Pool holds what has died
/// and not been found yet, too: of (neurons + events) / Steps ticks.
struct TracePlan {
  std::size_t events; ///< its parameter: of all neurons, or of each
  std::size_t bytes;  ///< of a store: bytes_of_newest more
};
[[nodiscard]] constexpr TracePlan plan_ring(const TraceLoad& load, std::size_t trace_bytes,
                                            double probability) noexcept {
  const std::size_t events = events_of_buffers(load, probability);
  return {events, bytes_of_ring(load.neurons, events, trace_bytes)};
}
[[nodiscard]] constexpr TracePlan plan_fifo(const TraceLoad& load, std::size_t trace_bytes,
                                            double probability) noexcept {
  const std::size_t events = events_of_shared(load, probability);
  return {events, bytes_of_fifo(load.neurons, events, trace_bytes, load.window)};
}
[[nodiscard]] constexpr TracePlan plan_sliding(const TraceLoad& load, std::size_t trace_bytes,
                                               double probability) noexcept {
  const std::size_t events = events_of_shared(load, probability);
  return {events, bytes_of_sliding(load.neurons, events, trace_bytes, load.window)};
}
[[nodiscard]] constexpr TracePlan plan_pool(const TraceLoad& load, std::size_t trace_bytes, double probability,
                                            std::size_t steps = 16) noexcept {
  const auto late =
      static_cast<std::uint32_t>((static_cast<double>(load.neurons) + load.expected()) / static_cast<double>(steps)) +
      1;
  const std::size_t events = events_of_shared({load.neurons, load.events_per_tick, load.window + late}, probability);
  return {events, bytes_of_pool(load.neurons, events, trace_bytes)};
}

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
