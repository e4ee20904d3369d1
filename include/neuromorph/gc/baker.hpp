// SPDX-License-Identifier: BSL-1.0
/// \file
/// Buffers of any length in one heap, which a scanner empties, an extender enlarges, and a compactor puts together
/// again, a few words at a time.
/// \source M. Mikaitis, Application-specific real-time garbage collection, 2016, IV; H. Baker, List processing in real
/// time on a serial computer, 1978; docs/traces.md says what differs
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_GC_BAKER_HPP
#define NEUROMORPH_GC_BAKER_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/detail/copy_schedule.hpp>
#include <neuromorph/gc/detail/variable_buffers.hpp>
#include <neuromorph/gc/planner.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

/// What gc::Baker is told, by name:
///
///     gc::Baker<gc::BakerOptions{.events = 1450, .longest = 64}>
struct BakerOptions {
  std::size_t events = 0;     ///< most in memory, dead ones that have not been found included
  std::size_t longest = 0;    ///< most of these that one neuron has; 0: all
  std::size_t initial = 2;    ///< events that a neuron's first buffer has room for
  std::size_t extension = 2;  ///< events by which a buffer grows; a quarter of its own, if that is more
  std::size_t words = 128;    ///< most that a record or an advance copies
  std::size_t scan = 4;       ///< neurons that an advance looks at
  std::size_t heap_bytes = 0; ///< of memory for events; 0: so many that no copy comes too late
};

/// One neuron after another.
template <class Layout, std::uint32_t Scan>
class ScanInTurn {
public:
  static constexpr int finding = 20; ///< what it costs to find dead events, in words copied
  static constexpr std::uint32_t looks = Scan < Layout::neurons ? Scan : Layout::neurons;
  explicit constexpr ScanInTurn(std::uint32_t) noexcept {}
  constexpr void begin(std::uint32_t) noexcept {}
  [[nodiscard]] constexpr std::uint32_t next(std::uint32_t) noexcept {
    const std::uint32_t neuron = next_;
    next_ = neuron + 1 == Layout::neurons ? 0 : neuron + 1;
    return neuron;
  }
  constexpr void was_looked_at(std::uint32_t, std::uint32_t, std::uint32_t) noexcept {}
  constexpr void has_oldest(std::uint32_t, std::uint32_t) noexcept {}
  template <class HasEvents>
  [[nodiscard]] constexpr bool is_consistent(HasEvents) const noexcept {
    return next_ < Layout::neurons;
  }

private:
  std::uint32_t next_ = 0;
};

/// When `events` are in memory, the newest is refused.
///
/// Memory: `heap_bytes`, of which an event takes its time, trace and Liveness::State in whole words, and a buffer a word;
/// per neuron 12 bytes; 48 for all. What the schedule needs stands on docs/traces.md.
/// \cost  record and advance_to: O(1), at most `words` copied; besides, an advance O(scan). Where a Liveness counts reads, a
/// record and an advance look at the neurons' dead events. window O(the neuron's events). clear O(neurons)
/// Locked: a whole record; a whole window; in an advance one neuron's look, or a copy of `words`. Records move what views
/// show: keep interrupts out while you use one, or record at its level only.
/// Room: an event is refused while `events` are in memory, and none of the `scan` neurons looked at then has dead ones.
/// With `heap_bytes` below what the schedule needs, or more events of a neuron than `longest`, it may be refused before;
/// `came_too_late` of the heap counts these.
template <BakerOptions Options>
struct Baker {
  static constexpr detail::BufferNumbers numbers = detail::numbers_of(Options);
  template <class Layout>
  using Scanner = ScanInTurn<Layout, static_cast<std::uint32_t>(Options.scan)>;

  template <class Layout>
  using Heap = detail::VariableBuffers<Layout, Baker, Scanner>;
};

/// `Heap::bytes` with a Liveness without State, and the memory that the schedule needs, if the options say nothing else.
[[nodiscard]] constexpr std::size_t bytes_of_baker(std::size_t neurons, const BakerOptions& options,
                                                   std::size_t trace_bytes) noexcept {
  const detail::BufferNumbers numbers = detail::numbers_of(options);
  const auto needed =
      static_cast<std::size_t>(detail::copy_schedule(neurons, 1 + (trace_bytes + 3) / 4, numbers).words);
  const std::size_t heap = options.heap_bytes != 0 ? options.heap_bytes / 4 : needed;
  return heap * 4 + neurons * 12 + 48;
}

/// `events`, and `longest` of a neuron, for what is alive or not found yet. Memory for these, for what buffers have left
/// over, and a quarter more for copies; with `heap_bytes` of 0 instead, no copy comes too late whatever comes.
[[nodiscard]] constexpr BakerOptions plan_baker(const TraceLoad& load, std::size_t trace_bytes,
                                                double probability) noexcept {
  BakerOptions options;
  const auto late = static_cast<std::uint32_t>(load.neurons / options.scan + 1);
  const TraceLoad found_late{load.neurons, load.events_per_tick, load.window + late};
  options.events = events_of_shared(found_late, probability);
  options.longest = events_of_buffers(found_late, probability);
  const std::size_t width = 1 + (trace_bytes + 3) / 4;
  const std::size_t places = options.events + options.events / 4 + load.neurons * options.extension;
  options.heap_bytes = (places * width + load.neurons) * 5;
  return options;
}

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
