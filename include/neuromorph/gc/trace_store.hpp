// SPDX-License-Identifier: BSL-1.0
/// \file
/// The history of a core's neurons: post-synaptic events (time and trace) that plastic synapses look up later, kept
/// until no synapse can use them any more.
///
/// `record` adds an event to a neuron, `window` shows a neuron's events of a time window, `tick` lets the collector
/// work for a bounded time. How memory comes back is the Collector's affair (gc/log.hpp and its neighbours), when an
/// event is dead that of the Liveness policy; what the caller sees is the same with all of them.
#ifndef NEUROMORPH_GC_TRACE_STORE_HPP
#define NEUROMORPH_GC_TRACE_STORE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/liveness.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

/// What became of an event. Each outcome has its counter in Statistics.
enum class Recorded : std::uint8_t {
  stored,
  stored_oldest_gave_way, ///< a live event was given up for it, by the policy OldestGivesWay
  refused_full,           ///< no room, by the policy RefuseNewest
  refused_out_of_order,   ///< older than the neuron's newest event
  refused_expired,        ///< dead on arrival
  refused_no_such_neuron,
};
[[nodiscard]] constexpr bool is_stored(Recorded outcome) noexcept {
  return outcome <= Recorded::stored_oldest_gave_way;
}

/// The sentence for an outcome.
[[nodiscard]] constexpr const char* describe(Recorded outcome) noexcept {
  switch (outcome) {
  case Recorded::stored: return "stored";
  case Recorded::stored_oldest_gave_way: return "stored; a live event gave way to it";
  case Recorded::refused_full: return "refused: there is no room left, and live events do not give way";
  case Recorded::refused_out_of_order: return "refused: it is older than the newest event of its neuron";
  case Recorded::refused_expired: return "refused: it is dead already";
  case Recorded::refused_no_such_neuron: return "refused: there is no such neuron";
  }
  return "unknown outcome";
}

/// What happens to a new event when memory is full of live ones.
struct RefuseNewest {
  static constexpr bool gives_way = false;
};
struct OldestGivesWay {
  static constexpr bool gives_way = true;
};
template <class Policy>
concept FullPolicy = std::same_as<Policy, RefuseNewest> || std::same_as<Policy, OldestGivesWay>;

/// One event, as a view shows it. `trace` stays where it is stored.
template <class Trace>
struct Event {
  std::uint32_t time;
  const Trace& trace;
};

/// Since the start; none is ever reset. Events that came: the sum of the first six.
struct Statistics {
  std::uint32_t stored = 0; ///< all that were, those for which another gave way included
  std::uint32_t refused_full = 0;
  std::uint32_t refused_out_of_order = 0;
  std::uint32_t refused_expired = 0;
  std::uint32_t refused_no_such_neuron = 0;
  std::uint32_t gave_way = 0;    ///< live events that were given up
  std::uint32_t reclaimed = 0;   ///< dead events whose memory came back
  std::uint32_t moved_bytes = 0; ///< that the collector copied
  std::uint32_t most_events = 0; ///< high water of events in memory, dead ones included
  std::uint32_t stale_views = 0; ///< uses of a view after a change (only with NEUROMORPH_CHECKS)
};

/// Called by a collector between any two changes of its state; tests let an interrupt happen there. Costs nothing.
struct NoHook {
  static constexpr void between() noexcept {}
};

/// The smallest unsigned type that counts to `most`, and has one value more for "none".
template <std::size_t most>
using IndexFor =
    std::conditional_t<(most < 255), std::uint8_t, std::conditional_t<(most < 65535), std::uint16_t, std::uint32_t>>;

/// What a store is made of, for its collector.
template <class TraceType, std::size_t NeuronCount, class LivenessType, class TargetType, class HookType>
struct Layout {
  using Trace = TraceType;
  using Liveness = LivenessType;
  using Target = TargetType;
  using Hook = HookType;
  static constexpr std::size_t neurons = NeuronCount;
  static constexpr std::size_t event_bytes = 4 + sizeof(Trace); ///< an event's own
};

/// A collector is a policy with `template <class Layout> class Heap`. Arguments are checked by the store: `neuron`
/// exists, an event is alive and not older than the neuron's newest. `now` never goes back.
///
///     Recorded record(neuron, time, const Trace&, now, Statistics&)   stored, stored_oldest_gave_way or refused_full
///     View window(neuron, after, until)                               range of Event<Trace> in (after, until], oldest
///     first bool tick(now, Statistics&)                                     one bounded step; false when there is no
///     more to do bool newest(neuron, std::uint32_t& time)                        of the events still in memory; false
///     if none is std::size_t events()                                            in memory, dead ones included static
///     constexpr std::size_t bytes                              of memory, all included bool is_consistent() all
///     invariants hold (for tests; slow)
template <class Heap, class Trace>
concept CollectorHeap = requires(Heap& heap, const Heap& same, const Trace& trace, std::uint32_t number,
                                 std::uint32_t& time, Statistics& statistics) {
  { heap.record(number, number, trace, number, statistics) } -> std::same_as<Recorded>;
  heap.window(number, number, number).begin();
  { heap.tick(number, statistics) } -> std::same_as<bool>;
  { same.newest(number, time) } -> std::same_as<bool>;
  { same.events() } -> std::convertible_to<std::size_t>;
  { Heap::bytes } -> std::convertible_to<std::size_t>;
  { same.is_consistent() } -> std::same_as<bool>;
};

} // namespace gc

/// \tparam Trace      trivially copyable, 1 to 16 bytes
/// \tparam Neurons    1 to 65535
/// \tparam Collector  gc::Log<...> or another; see docs/traces.md
/// \tparam Liveness   gc::AgeWindow<ticks>, gc::ReadCount<reads> or another policy
/// \tparam Target     backend, for copies and interrupt locks
/// \exact  every collector shows the same histories for windows in which all events are alive
///
/// Interrupts: `record` may be called by an interrupt that preempts any other call; the collector's header says for how
/// long it is kept out. `window` and `tick` belong to one level.
template <class Trace, std::size_t Neurons, class Collector, class Liveness = gc::AgeWindow<>,
          class Target = target::Native, class Hook = gc::NoHook>
class TraceStore {
  static constexpr bool checked = NEUROMORPH_CHECKS > 0;
  struct Counted {
    std::uint32_t value = 0;
  };
  struct Nothing {};
  using Epoch = std::conditional_t<checked, Counted, Nothing>;

  static_assert(std::is_trivially_copyable_v<Trace> && sizeof(Trace) <= 16,
                "neuromorph: a Trace is trivially copyable and has 1 to 16 bytes; see docs/traces.md");
  static_assert(Neurons >= 1 && Neurons <= 65535,
                "neuromorph: a TraceStore has 1 to 65535 neurons; see docs/traces.md");
  static_assert(gc::LivenessPolicy<Liveness>,
                "neuromorph: Liveness lacks 'State', 'in_time_order', 'void read(State&)' or 'bool is_dead(State, "
                "std::uint32_t time, std::uint32_t now)'; see docs/traces.md");

public:
  using Layout = gc::Layout<Trace, Neurons, Liveness, Target, Hook>;
  using Heap = typename Collector::template Heap<Layout>;
  static_assert(gc::CollectorHeap<Heap, Trace>,
                "neuromorph: Collector's Heap lacks what a collector must offer; see docs/traces.md");
  static constexpr std::size_t neurons = Neurons;
  /// All of it, headers and links included.
  static constexpr std::size_t bytes = Heap::bytes;

  /// Events in order, oldest first, valid until the next call of `record`, `tick` or `clear`.
  class View {
  public:
    [[nodiscard]] constexpr auto begin() const noexcept {
      check();
      return range_.begin();
    }
    [[nodiscard]] constexpr auto end() const noexcept { return range_.end(); }
    [[nodiscard]] constexpr bool empty() const noexcept { return !(begin() != end()); }
    /// Whether the store has changed since, so that the view must not be used; always false without NEUROMORPH_CHECKS.
    [[nodiscard]] constexpr bool is_stale() const noexcept {
      if constexpr (checked)
        return store_->epoch_.value != epoch_.value;
      else
        return false;
    }

  private:
    friend TraceStore;
    using Range = decltype(std::declval<Heap&>().window(0U, 0U, 0U));
    constexpr View(Range range, TraceStore& store) noexcept : range_(range), store_(&store), epoch_(store.epoch_) {}
    constexpr void check() const noexcept {
      if constexpr (checked)
        if (is_stale()) ++store_->statistics_.stale_views;
    }
    Range range_;
    TraceStore* store_;
    [[no_unique_address]] Epoch epoch_;
  };

  /// An event of `neuron` at `time`, which moves the store's clock on if it is later.
  /// \cost and what is locked: see the collector
  constexpr gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace) noexcept {
    typename Target::InterruptLock lock;
    changed();
    if (neuron >= Neurons) return ++statistics_.refused_no_such_neuron, gc::Recorded::refused_no_such_neuron;
    if (gc::is_before(now_, time)) now_ = time;
    std::uint32_t newest = 0;
    if (heap_.newest(neuron, newest) && gc::is_before(time, newest))
      return ++statistics_.refused_out_of_order, gc::Recorded::refused_out_of_order;
    if (Liveness::is_dead({}, time, now_)) return ++statistics_.refused_expired, gc::Recorded::refused_expired;
    const gc::Recorded outcome = heap_.record(neuron, time, trace, now_, statistics_);
    if (outcome == gc::Recorded::refused_full) {
      ++statistics_.refused_full;
    } else {
      ++statistics_.stored;
      const auto held = static_cast<std::uint32_t>(heap_.events());
      if (held > statistics_.most_events) statistics_.most_events = held;
    }
    return outcome;
  }

  /// The neuron's events with after < time <= until; none for a neuron that does not exist. Counts as one read of each
  /// for Liveness.
  [[nodiscard]] constexpr View window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
    const bool exists = neuron < Neurons;
    return View(heap_.window(exists ? neuron : 0, after, exists ? until : after), *this);
  }

  /// Moves the clock on and lets the collector work: one bounded step, whose cost its header states. Call it at least
  /// once in 2^30 ticks. Returns whether there is more to do at once.
  constexpr bool tick(std::uint32_t now) noexcept {
    changed();
    if (gc::is_before(now_, now)) now_ = now;
    return heap_.tick(now_, statistics_);
  }

  [[nodiscard]] constexpr const gc::Statistics& statistics() const noexcept { return statistics_; }
  [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }
  /// In memory, dead ones included.
  [[nodiscard]] constexpr std::size_t events() const noexcept { return heap_.events(); }
  /// Whether all invariants of the collector hold. For tests: it looks at everything.
  [[nodiscard]] constexpr bool is_consistent() const noexcept { return heap_.is_consistent(); }
  [[nodiscard]] constexpr const Heap& heap() const noexcept { return heap_; }
  [[nodiscard]] constexpr Heap& heap() noexcept { return heap_; }

private:
  constexpr void changed() noexcept {
    if constexpr (checked) ++epoch_.value;
  }

  Heap heap_{};
  std::uint32_t now_ = 0;
  gc::Statistics statistics_{};
  [[no_unique_address]] Epoch epoch_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
