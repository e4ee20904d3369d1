// SPDX-License-Identifier: BSL-1.0
// One collector under the stream: what it holds, gives back and moves in each call, and whether its histories are those
// of the model.
#ifndef EXAMPLES_TRACE_HEAP_RUN_HPP
#define EXAMPLES_TRACE_HEAP_RUN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <neuromorph/neuromorph.hpp>

#include "stream.hpp"

namespace trace_heap {

/// The first and the last step whose bytes per invocation are drawn, as in the papers.
constexpr std::uint32_t drawn_from = 800, drawn_to = 1000;
constexpr std::array<std::uint32_t, 4> periods{1, 2, 4, 5}; // of advances of the store, in ticks

struct Run {
  const char* name;
  const char* colour;
  gc::TracePlan plan;
  std::size_t bytes; // of the store's collector
  bool is_shared;    // by all neurons
  gc::Counts counts{};
  std::vector<std::uint16_t> in_memory{};                             // events, after each step
  std::array<std::vector<std::uint32_t>, periods.size()> reclaimed{}; // bytes, by each advance in drawn ticks
  std::array<std::uint32_t, periods.size()> idle{}, advances{};       // that gave nothing back; of all ticks
  std::vector<std::uint32_t> work{}; // bytes given back and moved by each advance and record, sorted
  std::uint32_t most_in_advance = 0, most_moved = 0, most_in_record = 0; // events given back, bytes moved; by one call
  std::vector<std::uint64_t> living{};                                   // digests of the living events at each point
  std::vector<std::uint64_t> behaviour{}; // of what was in memory and what was moved, in every step so far
  std::uint32_t queries = 0, wrong = 0;

  [[nodiscard]] std::uint32_t dropped() const { return counts.refused_full + counts.gave_way; }
};

/// The living events of all neurons, each as `shown` shows them.
template <class Shown>
std::uint64_t digest_of_living(std::uint32_t tick, Shown shown) {
  nm::Digest digest;
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
    digest.add(neuron);
    shown(neuron, std::int64_t{tick} - window - 1, tick, [&](std::uint32_t time, Trace trace) {
      digest.add(time);
      digest.add(static_cast<std::uint32_t>(trace));
    });
  }
  return digest.value();
}
inline std::uint64_t digest_of_living(const Stream& stream, std::uint32_t tick) {
  return digest_of_living(tick, [&](std::uint32_t neuron, std::int64_t after, std::int64_t until, auto each) {
    for (const Event& event : stream.history(neuron, after, until)) each(event.tick, event.trace);
  });
}

[[nodiscard]] inline std::uint32_t time_at(std::int64_t tick) { return clock_start + static_cast<std::uint32_t>(tick); }

/// Whether a window is what the model has.
template <class Store>
bool is_right(Store& store, const Stream& stream, std::uint32_t neuron, std::int64_t after, std::int64_t until) {
  const auto wanted = stream.history(neuron, after, until);
  std::size_t at = 0;
  for (const auto& [time, trace] : store.window(neuron, time_at(after), time_at(until))) {
    if (at == wanted.size() || time != time_at(wanted[at].tick) || trace != wanted[at].trace) return false;
    ++at;
  }
  return at == wanted.size();
}

/// All queries of the window that can show something different: from before or after each event to before or after
/// each.
template <class Store>
void audit(Run& run, Store& store, const Stream& stream, std::uint32_t tick) {
  const std::int64_t oldest = std::int64_t{tick} - window - 1;
  std::vector<std::int64_t> bounds;
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
    bounds.assign({oldest, tick});
    for (const Event& event : stream.history(neuron, oldest, tick))
      bounds.insert(bounds.end(), {std::int64_t{event.tick} - 1, event.tick});
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    for (const std::int64_t after : bounds)
      for (const std::int64_t until : bounds)
        if (after <= until) {
          ++run.queries;
          run.wrong += is_right(store, stream, neuron, after, until) ? 0U : 1U;
        }
  }
}

/// \param points  the steps of which there are digests
template <class Collector>
Run run(const char* name, const char* colour, const gc::TracePlan& plan, const Stream& stream,
        const std::vector<std::uint32_t>& points) {
  using Store = nm::TraceStore<Trace, neurons, Collector, gc::AgeWindow<window>>;
  static std::optional<Store> made;
  Run run{.name = name, .colour = colour, .plan = plan, .bytes = Store::Heap::bytes, .is_shared = plan.events > 255};

  for (std::size_t with = 0; with < periods.size(); ++with) {
    const bool every_step = periods[with] == 1;
    Store& store = made.emplace(clock_start);
    nm::Sfc32 random(nm::StreamId{1, 0, 7});
    gc::Counts before{};
    /// What the last call did.
    const auto account = [&](std::uint32_t& most_given_back) {
      const gc::Counts now = store.counts();
      const std::uint32_t given_back = now.reclaimed - before.reclaimed, moved = now.moved_bytes - before.moved_bytes;
      before = now;
      if (every_step) {
        run.work.push_back(given_back * event_bytes + moved);
        most_given_back = std::max(most_given_back, given_back);
        run.most_moved = std::max(run.most_moved, moved);
      }
      return given_back;
    };

    nm::Digest behaviour;
    auto point = points.begin();
    for (std::uint32_t tick = 1; tick <= stream.steps(); ++tick) {
      if (tick % periods[with] == 0) {
        store.advance_to(time_at(tick));
        const std::uint32_t bytes = account(run.most_in_advance) * event_bytes;
        ++run.advances[with];
        run.idle[with] += bytes == 0 ? 1 : 0;
        if (tick >= drawn_from && tick <= drawn_to) run.reclaimed[with].push_back(bytes);
      }
      for (const Event& event : stream.at(tick)) {
        store.record(event.neuron, time_at(tick), event.trace);
        account(run.most_in_record);
        // What a synapse onto that neuron might ask now.
        const std::int64_t after = std::int64_t{tick} - 1 - random.next() % (window + 1);
        ++run.queries;
        run.wrong += is_right(store, stream, event.neuron, after, tick - random.next() % 2) ? 0U : 1U;
      }
      if (tick % 100 == 0) audit(run, store, stream, tick);
      if (!every_step) continue;
      run.in_memory.push_back(static_cast<std::uint16_t>(store.events()));
      behaviour.add(static_cast<std::uint32_t>(store.events()));
      behaviour.add(before.moved_bytes);
      if (point == points.end() || tick != *point) continue;
      ++point;
      run.behaviour.push_back(behaviour.value());
      run.living.push_back(
          digest_of_living(tick, [&](std::uint32_t neuron, std::int64_t after, std::int64_t until, auto each) {
            for (const auto& [time, trace] : store.window(neuron, time_at(after), time_at(until)))
              each(time - clock_start, trace);
          }));
    }
    if (every_step) run.counts = store.counts();
  }
  std::sort(run.work.begin(), run.work.end());
  return run;
}

} // namespace trace_heap

#endif
