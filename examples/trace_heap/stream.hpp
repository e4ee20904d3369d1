// SPDX-License-Identifier: BSL-1.0
// The events that all stores are fed with, and what their histories must be: nothing of them is ever freed here.
#ifndef EXAMPLES_TRACE_HEAP_STREAM_HPP
#define EXAMPLES_TRACE_HEAP_STREAM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/neuromorph.hpp>

#include "../support/options.hpp"

namespace trace_heap {

namespace nm = neuromorph;
namespace gc = neuromorph::gc;

constexpr std::uint32_t neurons = 255, window = 500; // ticks of 1 ms
constexpr std::uint32_t clock_start = 0U - 1000U;    // 32-bit times wrap after a second
using Trace = std::int32_t;
constexpr std::uint32_t event_bytes = 4 + sizeof(Trace);

// So that 4 KB are alive at the end of the first window, and 2.5 KB from then on, as in the papers.
constexpr double start_hz = 10.0, usual_hz = 2.45;
constexpr std::uint32_t start_ticks = 100;

struct Event {
  std::uint32_t tick, neuron; // ticks from 1
  Trace trace;
};

class Stream {
public:
  Stream(const support::CommonOptions& options, std::uint32_t steps, double rate_hz)
      : ends_(steps + 1), digests_(steps + 1), of_neuron_(neurons) {
    nm::Sfc32 random(nm::StreamId{options.seed, 0, 0});
    std::array<Trace, neurons> traces{};
    nm::Digest history;
    for (std::uint32_t tick = 1; tick <= steps; ++tick) {
      const double hz = tick <= start_ticks ? start_hz : rate_hz;
      const auto threshold = static_cast<std::uint32_t>(hz / 1000.0 * 4294967296.0);
      for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
        Trace& trace = traces[neuron]; // s15.16, decays with a time constant of 31.5 ms
        trace -= trace >> 5;
        if (tick == options.flip_at && neuron == options.flip_item) trace ^= 1 << 10;
        if (random.next() >= threshold) continue;
        trace += 1 << 16;
        of_neuron_[neuron].push_back({tick, neuron, trace});
        events_.push_back({tick, neuron, trace});
      }
      ends_[tick] = static_cast<std::uint32_t>(events_.size());
      history.add(std::span<const Trace>{traces});
      digests_[tick] = history.value();
      if (tick == options.dump_at) dumped_ = traces;
    }
  }

  [[nodiscard]] std::uint32_t steps() const { return static_cast<std::uint32_t>(ends_.size()) - 1; }
  [[nodiscard]] std::span<const Event> all() const { return events_; }
  [[nodiscard]] std::span<const Event> at(std::uint32_t tick) const {
    return std::span{events_}.subspan(ends_[tick - 1], ends_[tick] - ends_[tick - 1]);
  }
  /// Of the traces of all neurons in every step so far.
  [[nodiscard]] std::uint64_t digest(std::uint32_t tick) const { return digests_[tick]; }

  /// The trace of each neuron in the step of --dump.
  [[nodiscard]] const std::array<Trace, neurons>& dumped() const { return dumped_; }

  /// A neuron's events with after < tick <= until.
  [[nodiscard]] std::span<const Event> history(std::uint32_t neuron, std::int64_t after, std::int64_t until) const {
    const auto& events = of_neuron_[neuron];
    std::size_t last = events.size();
    while (last != 0 && events[last - 1].tick > until) --last;
    std::size_t first = last;
    while (first != 0 && events[first - 1].tick > after) --first;
    return std::span{events}.subspan(first, last - first);
  }
  /// Events of the last `window` ticks and of this one.
  [[nodiscard]] std::uint32_t alive(std::uint32_t tick) const {
    return ends_[tick] - (tick > window ? ends_[tick - window - 1] : 0);
  }
  [[nodiscard]] std::uint32_t so_far(std::uint32_t tick) const { return ends_[tick]; }

private:
  std::vector<Event> events_;
  std::vector<std::uint32_t> ends_; // of each step's events
  std::vector<std::uint64_t> digests_;
  std::vector<std::vector<Event>> of_neuron_;
  std::array<Trace, neurons> dumped_{};
};

} // namespace trace_heap

#endif
