// SPDX-License-Identifier: BSL-1.0
/// \file
/// The history of a core's neurons: post-synaptic events (time and trace) that plastic synapses look up later, kept
/// until no synapse can use them any more.
///
/// `record` adds an event to a neuron, `window` shows a neuron's events of a time window, `advance_to` moves the clock
/// on and lets the collector work for a bounded time. How memory comes back is the Collector's affair (gc/fifo.hpp and
/// its neighbours), when an event is dead that of the Liveness policy; the caller sees the same with all of them.
#ifndef NEUROMORPH_GC_TRACE_STORE_HPP
#define NEUROMORPH_GC_TRACE_STORE_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/liveness.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

/// The collector that is right for most: docs/traces.md says why. Room for eight events a neuron, shared by all.
template <std::size_t Neurons>
using DefaultCollector = Fifo<(Neurons * 8 < 65534 ? Neurons * 8 : 65534)>;

/// One event, as a view shows it. `trace` stays where it is stored, if the collector keeps traces aligned.
template <class TraceReference>
struct TraceEvent {
  std::uint32_t time;
  TraceReference trace;
};

} // namespace gc

/// \tparam Trace      trivially copyable, 1 to 16 bytes
/// \tparam Neurons    1 to 65535
/// \tparam Collector  gc::Fifo<...> or another; see docs/traces.md
/// \tparam Liveness   gc::AgeWindow<ticks>, gc::ReadCount<reads> or another policy
/// \tparam Target     backend, for copies and interrupt locks
/// \exact  every collector shows the same histories
///
/// Times are 32 bits wide and wrap; they are compared within half of that. Only `advance_to` moves the clock.
///
/// Interrupts: `record` may be called by an interrupt that preempts any other call; the collector's header says for how
/// long it is kept out. All else belongs to one level. A view stays valid until the next `record`, `advance_to` or
/// `clear`; if `keeps_views`, until the next `advance_to` or `clear`, whatever is recorded meanwhile. Where reads
/// count, only the last view made is valid.
template <class Trace, std::size_t Neurons, class Collector = gc::DefaultCollector<Neurons>,
          class Liveness = gc::AgeWindow<>, class Target = target::Native, class Hook = gc::NoHook>
class TraceStore {
  static constexpr bool checked = NEUROMORPH_CHECKS > 0, checks_invariants = NEUROMORPH_CHECKS > 1;
  struct Counted {
    std::uint32_t value = 0;
  };
  struct Whether {
    bool value = false;
  };
  struct Nothing {};
  struct NothingElse {};
  using Epoch = std::conditional_t<checked, Counted, Nothing>;
  using Advancing = std::conditional_t<checks_invariants, Whether, NothingElse>;

  static_assert(std::is_trivially_copyable_v<Trace> && sizeof(Trace) <= 16,
                "neuromorph: a Trace is trivially copyable and has 1 to 16 bytes; see docs/traces.md");
  static_assert(Neurons >= 1 && Neurons <= 65535,
                "neuromorph: a TraceStore has 1 to 65535 neurons; see docs/traces.md");
  static_assert(gc::LivenessPolicy<Liveness>,
                "neuromorph: Liveness lacks 'State', 'in_time_order', 'void read(State&)' or 'bool is_dead(State, "
                "std::uint32_t time, std::uint32_t now)'; see docs/traces.md");
  static_assert(gc::liveness::offers_what_it_has<Liveness>());

public:
  using Layout = gc::Layout<Trace, Neurons, Liveness, Target, Hook>;
  static_assert(
      requires { typename Collector::template Heap<Layout>; },
      "neuromorph: Collector lacks 'template <class Layout> class Heap'; see docs/traces.md");
  using Heap = typename Collector::template Heap<Layout>;
  static_assert(gc::CollectorHeap<Heap, Trace>,
                "neuromorph: Collector's Heap lacks something of what gc::CollectorHeap in gc/collector.hpp lists; see "
                "docs/traces.md");
  static_assert(gc::offers_what_a_heap_has<Heap, Trace>());
  static constexpr std::size_t neurons = Neurons;
  /// Of the collector, headers and links included; the store itself adds a few words of counters.
  static constexpr std::size_t bytes = Heap::bytes;
  /// Ticks that an event may be ahead of the clock.
  static constexpr std::uint32_t ahead = Heap::ahead;
  /// Whether what is recorded leaves views valid.
  static constexpr bool keeps_views = Heap::keeps_views;

  class View;

  /// Multi-pass: a copy goes its own way.
  class Iterator {
    using Cursor = decltype(std::declval<Heap&>().window(0U, 0U, 0U));

  public:
    using value_type = gc::TraceEvent<decltype(std::declval<const Cursor&>().trace())>;
    using difference_type = std::ptrdiff_t;

    [[nodiscard]] constexpr value_type operator*() const noexcept {
      check();
      return {cursor_.time(), cursor_.trace()};
    }
    constexpr Iterator& operator++() noexcept {
      check();
      cursor_.advance();
      return *this;
    }
    constexpr Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    struct End {};
    [[nodiscard]] friend constexpr bool operator==(const Iterator& at, End) noexcept {
      return at.is_stale() || at.cursor_.done();
    }

  private:
    friend View;
    constexpr Iterator(Cursor cursor, TraceStore& owner, Epoch epoch) noexcept
        : cursor_(cursor), store_(&owner), epoch_(epoch) {}
    [[nodiscard]] constexpr bool is_stale() const noexcept {
      if constexpr (checked)
        return store_->epoch_.value != epoch_.value;
      else
        return false;
    }
    constexpr void check() const noexcept {
      if constexpr (checked)
        if (is_stale()) ++store_->refused_.stale_views;
    }
    Cursor cursor_;
    TraceStore* store_;
    [[no_unique_address]] Epoch epoch_;
  };

  /// Events in order, oldest first.
  class View {
  public:
    [[nodiscard]] constexpr Iterator begin() const noexcept {
      begin_.check();
      return begin_;
    }
    [[nodiscard]] constexpr typename Iterator::End end() const noexcept { return {}; }
    [[nodiscard]] constexpr bool empty() const noexcept { return begin() == end(); }
    /// Whether all that was recorded in the window, of a neuron that exists, is shown. False where it reaches back
    /// further than unread events are kept, or than the youngest live event, of any neuron, that gave way. What
    /// `record` refused and `clear` took is not missed, nor, where reads count, what all have read.
    [[nodiscard]] constexpr bool is_complete() const noexcept { return complete_; }
    /// Whether the store has changed since, so that the view must not be used. Each use nevertheless is counted in
    /// `stale_views`. Always false without NEUROMORPH_CHECKS.
    [[nodiscard]] constexpr bool is_stale() const noexcept { return begin_.is_stale(); }

  private:
    friend TraceStore;
    constexpr View(typename Iterator::Cursor cursor, TraceStore& owner, Epoch epoch, bool complete) noexcept
        : begin_(cursor, owner, epoch), complete_(complete) {}
    Iterator begin_;
    bool complete_;
  };

  /// \param start  what the clock shows at first
  explicit constexpr TraceStore(std::uint32_t start = 0) noexcept : heap_(start) {}

  /// An event of `neuron` at `time`.
  /// \cost and what is locked: see the collector
  constexpr gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace) noexcept {
    if constexpr (gc::HasWindow<Liveness> && detail::offers<Heap, offer::RecordFast>) {
      const std::uint32_t now = heap_.now();
      if (neuron < Neurons && time - now <= Heap::ahead) [[likely]] {
        typename Target::InterruptLock lock;
        if (heap_.record_fast(neuron, time, trace, now)) [[likely]] {
          changed_by_record();
          return gc::Recorded::stored;
        }
      }
    }
    return record_slowly(neuron, time, trace);
  }

  /// The neuron's events with after < time <= until that are not gone: alive, or younger than a live one. None for a
  /// neuron that does not exist. Counts as one read of each for Liveness. A window that is not complete is counted.
  /// With NEUROMORPH_CHECKS, interrupts are kept out if what they record would make the view stale.
  /// \cost  see the collector. Inlined: a view that is returned goes through memory else, which takes 40 to 51 cycles
  /// more on an ARM968E-S (gc/sliding/query, gc/pool/query)
  [[nodiscard]] [[gnu::always_inline]] constexpr View window(std::uint32_t neuron, std::uint32_t after,
                                                             std::uint32_t until) noexcept {
    if constexpr (checked && Layout::counts_reads) ++epoch_.value; // events that it makes die may go
    if constexpr (checked && !keeps_views) {
      typename Target::InterruptLock lock;
      return look(neuron, after, until);
    } else {
      return look(neuron, after, until);
    }
  }

  /// Moves the clock on to `now`, never back, and lets the collector work: one bounded step, whose cost its header
  /// states. Returns whether there is more to do at once.
  constexpr bool advance_to(std::uint32_t now) noexcept {
    if constexpr (checked) {
      typename Target::InterruptLock lock;
      ++epoch_.value;
      set_advancing(true);
    }
    if constexpr (gc::HasWindow<Liveness> && detail::offers<Heap, offer::AdvanceFast>)
      if (heap_.advance_fast(now)) [[likely]] {
        after_advance();
        return false;
      }
    const bool more = advance_slowly(now);
    after_advance();
    return more;
  }

  /// Forgets all events.
  /// \cost see the collector; interrupts are kept out meanwhile
  constexpr void clear() noexcept {
    typename Target::InterruptLock lock;
    if constexpr (checked) ++epoch_.value;
    heap_.clear();
    check_invariants();
  }

  [[nodiscard]] constexpr gc::Counts counts() const noexcept {
    typename Target::InterruptLock lock;
    gc::Counts all = refused_;
    heap_.add_to(all);
    return all;
  }
  [[nodiscard]] constexpr std::uint32_t now() const noexcept { return heap_.now(); }
  /// In memory, dead ones included.
  [[nodiscard]] constexpr std::size_t events() const noexcept { return heap_.events(); }
  /// Whether all invariants of the collector hold: it looks at everything. With NEUROMORPH_CHECKS of 2 each step asks
  /// and counts in `broken`.
  [[nodiscard]] constexpr bool is_consistent() const noexcept { return heap_.is_consistent(); }
  [[nodiscard]] constexpr const Heap& heap() const noexcept { return heap_; }
  [[nodiscard]] constexpr Heap& heap() noexcept { return heap_; }

private:
  [[gnu::always_inline]] constexpr View look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
    const bool exists = neuron < Neurons;
    const std::uint32_t now = heap_.now(), from = within_reach(after, now);
    const bool complete = exists && !reaches_what_is_lost(after, from, until, now);
    if (!complete) [[unlikely]]
      ++refused_.incomplete_windows; // no interrupt has windows
    return View(heap_.window(exists ? neuron : 0, from, exists ? within_reach(until, now) : from), *this, epoch_,
                complete);
  }
  /// Of times that lie in any direction from `now`, the nearest that an event which is not gone can have, so that heaps
  /// compare no times that are half of the range apart.
  [[nodiscard]] static constexpr std::uint32_t within_reach(std::uint32_t time, std::uint32_t now) noexcept {
    const std::uint32_t oldest = now - Layout::window - 1;
    if (time - oldest <= Layout::window + 1 + Heap::ahead) [[likely]]
      return time;
    return is_before(time, now) ? oldest : now + Heap::ahead;
  }
  /// \param from  `after` within reach
  [[nodiscard]] constexpr bool reaches_what_is_lost(std::uint32_t after, std::uint32_t from, std::uint32_t until,
                                                    std::uint32_t now) const noexcept {
    bool reaches = from != after && is_before(after, now);
    if constexpr (!gc::HasWindow<Liveness> || Layout::counts_reads)
      reaches = reaches || Layout::is_dead({}, from + 1, now);
    if constexpr (detail::offers<Heap, offer::LostUntil>) reaches = reaches || is_before(from, heap_.lost_until());
    return reaches && is_earlier(after, until, now);
  }
  /// By their distances from `now`, whichever these are.
  [[nodiscard]] static constexpr bool is_earlier(std::uint32_t a, std::uint32_t b, std::uint32_t now) noexcept {
    return static_cast<std::int32_t>(a - now) < static_cast<std::int32_t>(b - now);
  }
  [[gnu::noinline]] constexpr gc::Recorded record_slowly(std::uint32_t neuron, std::uint32_t time,
                                                         Trace trace) noexcept {
    const std::uint32_t now = heap_.now();
    if (neuron >= Neurons) return refuse(refused_.refused_no_such_neuron, gc::Recorded::refused_no_such_neuron);
    if (is_before(now, time)) {
      if (time - now > Heap::ahead) return refuse(refused_.refused_too_far_ahead, gc::Recorded::refused_too_far_ahead);
    } else if (Layout::is_dead({}, time, now)) {
      return refuse(refused_.refused_expired, gc::Recorded::refused_expired);
    }
    typename Target::InterruptLock lock;
    const gc::Recorded outcome = heap_.record(neuron, time, trace);
    if (gc::is_stored(outcome))
      changed_by_record();
    else
      ++(outcome == gc::Recorded::refused_full ? refused_.refused_full : refused_.refused_out_of_order);
    return outcome;
  }
  [[gnu::noinline]] constexpr bool advance_slowly(std::uint32_t now) noexcept {
    if (is_before(now, heap_.now())) now = heap_.now();
    if constexpr (detail::offers<Heap, offer::Leap>) {
      if (now - heap_.now() > Heap::longest_step) heap_.leap(now);
    } else {
      while (now - heap_.now() > Heap::longest_step) heap_.advance_to(heap_.now() + Heap::longest_step);
    }
    return heap_.advance_to(now);
  }
  constexpr void changed_by_record() noexcept {
    if constexpr (checked && !Heap::keeps_views) ++epoch_.value;
    check_invariants();
  }
  constexpr void check_invariants() noexcept {
    // What interrupts an advance may find invariants that only the end of that restores.
    if constexpr (checks_invariants)
      if (!advancing_.value && !heap_.is_consistent()) ++refused_.broken;
  }
  constexpr void set_advancing(bool whether) noexcept {
    if constexpr (checks_invariants) advancing_.value = whether;
  }
  constexpr void after_advance() noexcept {
    if constexpr (checks_invariants) {
      typename Target::InterruptLock lock;
      set_advancing(false);
      check_invariants();
    }
  }
  /// Counters are shared with interrupts.
  static constexpr gc::Recorded refuse(std::uint32_t& counter, gc::Recorded outcome) noexcept {
    typename Target::InterruptLock lock;
    ++counter;
    return outcome;
  }

  Heap heap_;
  gc::Counts refused_{}; ///< refusals and stale views; the heap has the other counters
  [[no_unique_address]] Epoch epoch_{};
  [[no_unique_address]] Advancing advancing_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
