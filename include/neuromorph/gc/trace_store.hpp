// SPDX-License-Identifier: BSL-1.0
/// \file
/// The history of a core's neurons: post-synaptic events (time and trace) that plastic synapses look up later, kept
/// until no synapse can use them any more.
///
/// `record` adds an event to a neuron, `past` and `window` show a neuron's events of a time window. `advance_to` moves
/// the clock on and lets the collector work for a bounded time. How memory comes back is the Collector's affair
/// (gc/fifo.hpp and its neighbours), when an event is dead that of the Liveness policy. The caller sees the same with all
/// of them. The newest event of each neuron stands beside the collector and never dies.
#ifndef NEUROMORPH_GC_TRACE_STORE_HPP
#define NEUROMORPH_GC_TRACE_STORE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/liveness.hpp>
#include <neuromorph/target/loops.hpp>
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

/// The newest event of a neuron, if it has one.
template <class Trace>
struct NewestEvent {
  bool exists;
  std::uint32_t time;
  Trace trace;
};

} // namespace gc

/// \tparam TraceType  trivially copyable, 1 to 16 bytes
/// \tparam Neurons    1 to 65535
/// \tparam Collector  gc::Fifo<...> or another; see docs/traces.md
/// \tparam Liveness   gc::AgeWindow<ticks>, gc::ReadCount<reads> or another policy
/// \tparam Target     backend, for copies and interrupt locks
/// \tparam Hook       gc::NoHook, or what sees the store at work: firmware::ProfiledTraces
/// \exact  every collector shows the same histories
///
/// Times are 32 bits wide and wrap; they are compared within half of that. Only `advance_to` moves the clock.
///
/// Interrupts: `record` may be called by an interrupt that preempts any other call; the collector's header says for how
/// long it is kept out. All else belongs to one level. A view stays valid until the next `record`, `advance_to` or
/// `clear`; if `keeps_views`, until the next `advance_to` or `clear`, whatever is recorded meanwhile. Where reads
/// count, only the last view made is valid.
template <class TraceType, std::size_t Neurons, class Collector = gc::DefaultCollector<Neurons>,
          class Liveness = gc::AgeWindow<>, class Target = target::Native, class Hook = gc::NoHook>
class TraceStore {
public:
  using Trace = TraceType;

private:
  static constexpr bool checked = NEUROMORPH_CHECKS > 0, checks_invariants = NEUROMORPH_CHECKS > 1;
  struct Counted {
    std::uint32_t value = 0;
  };
  struct Whether {
    bool value = false;
  };
  struct Nothing {};
  struct ReadersOf {
    std::array<std::uint16_t, Neurons> of{};
  };
  struct NoReaders {};
  using Readers = std::conditional_t<gc::CountsReaders<Liveness>, ReadersOf, NoReaders>;
  struct NothingElse {};
  using Epoch = std::conditional_t<checked, Counted, Nothing>;
  using Advancing = std::conditional_t<checks_invariants, Whether, NothingElse>;
  /// How old an event is taken to be that never was: all zero is that, where the clock starts at 0.
  static constexpr std::uint32_t never = 1U << 30;
  struct alignas(sizeof(Trace) == 4 ? 8 : alignof(Trace) < 4 ? 4 : alignof(Trace)) Newest {
    std::uint32_t stamp = 0; ///< time + never
    Trace trace = gc::no_trace<Trace>();
  };
  /// Where a machine has lanes, they find the last events of several neurons at once: stamps and words of traces.
  using Lanes = typename Target::UnsignedLanes;
  static constexpr bool keeps_recent = !std::is_void_v<Lanes> && gc::HasWindow<Liveness> &&
                                       !gc::CountsReaders<Liveness> && sizeof(Trace) % 4 == 0 && alignof(Trace) <= 4;
  struct NoRecent {};
  using Recent =
      std::conditional_t<keeps_recent, target::RecentRecords<Lanes, Neurons, 1 + sizeof(Trace) / 4>, NoRecent>;
  /// Ticks from the event before the newest to that; so many or more.
  using Interval = std::uint16_t;
  static constexpr std::uint32_t longest_interval = 65535;

  static_assert(std::is_trivially_copyable_v<Trace> && sizeof(Trace) <= 16,
                "neuromorph: a Trace is trivially copyable and has 1 to 16 bytes; see docs/traces.md");
  static_assert(Neurons >= 1 && Neurons <= 65535,
                "neuromorph: a TraceStore has 1 to 65535 neurons; see docs/traces.md");
  static_assert(gc::LivenessPolicy<Liveness>,
                "neuromorph: Liveness lacks 'State', 'in_time_order', 'void read(State&)' or 'bool is_dead(State, "
                "std::uint32_t time, std::uint32_t now)'; see docs/traces.md");
  static_assert(gc::liveness::offers_what_it_has<Liveness>());
  static_assert(gc::TraceHook<Hook>, "neuromorph: Hook lacks 'static void between()' or 'template <gc::Work> class "
                                     "During'; inherit from gc::NoHook; see docs/traces.md");

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
  static_assert(
      !gc::CountsReaders<Liveness> || detail::offers<Heap, offer::States>,
      "neuromorph: readers are counted by neuron, and Collector's Heap lacks 'States' among its 'Offers'; take "
      "gc::Pool, gc::Ring or gc::Sliding; see docs/traces.md");
  static constexpr std::size_t neurons = Neurons;
  /// Of the collector, headers and links included, and of the newest events; the store itself adds a few words of
  /// counters.
  static constexpr std::size_t bytes = Heap::bytes + Neurons * sizeof(Newest) +
                                       (Neurons * sizeof(Interval) + 3) / 4 * 4 +
                                       (gc::CountsReaders<Liveness> ? (Neurons * 2 + 3) / 4 * 4 : 0);
  /// Besides, where the machine has lanes.
  static constexpr std::size_t lane_bytes = keeps_recent ? sizeof(Recent) : 0;
  /// Ticks that an event may be ahead of the clock.
  static constexpr std::uint32_t ahead = Heap::ahead;
  /// An advance by as many ticks at once forgets which events are the newest, if a collector offers `leap`: where windows
  /// are short, long before these are 2^29 ticks old, as it takes less time than looking at each.
  static constexpr std::uint32_t forgets_after = !detail::offers<Heap, offer::Leap>                       ? 1U << 31
                                                 : Layout::window + std::uint64_t{Heap::ahead} < 1U << 27 ? 1U << 28
                                                                                                          : 1U << 30;
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

  /// What a row of synapses asks of the past of its neurons: their events with after < time <= until, and the one before
  /// them. Stays right until the next `advance_to` or `clear`. What is asked does not count as read.
  class Past {
  public:
    /// Windows that begin at or after this time show all that was recorded in them.
    [[nodiscard]] constexpr std::uint32_t complete_after() const noexcept {
      return store_->complete_after(bounds_.now);
    }
    /// Calls before(time, trace) for the neuron's last event with time <= after, if it is known: not gone, or the
    /// neuron's newest of all. Of IfNone{before}, only if no event of the window is known. Then each(time, trace) for
    /// every event of the window that is known, oldest first.
    ///
    /// Returns whether none is missing of what was recorded in the window; else counts it in `incomplete_windows`.
    /// Where a collector moves events or gives them up, interrupts are kept out while it is asked.
    /// \param neuron  below Neurons
    /// \cost  a load and a comparison if the neuron has not fired since. One more with IfNone if it has fired once,
    /// and less than 2^16 ticks ago then; else see the collector
    template <class Before, class Each>
    [[gnu::always_inline]] constexpr bool of(std::uint32_t neuron, Before before, Each each) const noexcept {
      // At once where it is quicker: two loads leave the compiler more registers for what comes after a glance, or a call.
      constexpr bool at_once = is_at_once && replays && !asks_if_none<Before>;
      const Newest& newest = store_->newest_[neuron];
      const Newest seen = one_moment<at_once>(newest);
      const std::uint32_t stamp = seen.stamp, since = stamp - never - after_;
      const Trace trace = seen.trace;
      // Another one of the same tick with the same trace would make no difference.
      const auto is_newest = [&] {
        return ((gc::observe(newest.stamp) ^ stamp) | gc::differing_bits(gc::observed(newest.trace), trace)) == 0;
      };
      if (static_cast<std::int32_t>(since) <= 0) {
        if (at_once || is_still(newest, seen)) [[likely]] {
          if (static_cast<std::int32_t>(since) >= known_) {
            before(stamp - never, trace);
            return true;
          }
          if (!reaches_forgotten_) return true; // it has not fired
        }
      } else if (since <= span_) {
        bool is_shown = false; // all but the newest
        if constexpr (asks_if_none<Before>) {
          // An interrupt that has recorded another one of the same tick before the trace was read has made this 0.
          if (since <= gc::observe(store_->intervals_[neuron])) [[likely]] {
            Hook::between();
            is_shown = gc::observe(newest.stamp) == stamp;
          } else if constexpr (replays) {
            is_shown = store_->heap_.replay(neuron, bounds_, is_newest, gc::NotAsked{}, each);
          }
        } else if constexpr (replays) {
          is_shown = store_->heap_.replay(neuron, bounds_, is_newest, before, each);
        }
        if (is_shown) [[likely]] {
          each(stamp - never, trace);
          return true;
        }
      }
      if constexpr (keeps_views) {
        return ask_at_leisure(neuron, before, each);
      } else {
        typename Target::InterruptLock lock;
        return ask_at_leisure(neuron, before, each);
      }
    }

    /// A neuron's newest event, where that is all that `of` tells with IfNone{before}: what rules need of most neurons.
    struct Glance {
      bool is_all, is_in_window;
      std::uint32_t
          ticks;   ///< since the window begins, at a time that events can have; before, as negative numbers wrap
      Trace trace; ///< zero, if there was no event for 2^30 ticks
    };
    static constexpr bool has_glance = true;
    /// \param neuron  below Neurons
    [[nodiscard, gnu::always_inline]] constexpr Glance glance(std::uint32_t neuron) const noexcept {
      const Newest& newest = store_->newest_[neuron];
      const Newest seen = one_moment<is_at_once>(newest);
      const std::uint32_t in = seen.stamp - first_stamp_, since = in + 1;
      if (in < span_) [[likely]] {
        Hook::between();
        const std::uint32_t interval = gc::observe(store_->intervals_[neuron]);
        Hook::between();
        // An interrupt that recorded another one before the interval was read has made that too short for this.
        if (gc::observe(newest.stamp) - first_stamp_ < interval) [[likely]]
          return {true, true, since, seen.trace};
      } else if (static_cast<std::int32_t>(in) < 0) {
        if (is_at_once || is_still(newest, seen)) [[likely]]
          return {true, false, since, seen.trace};
      }
      return {false, false, 0, seen.trace};
    }

    /// Lanes in which `recent` shows neurons; void where the machine has none, or events die by other things than age.
    using Lanes = std::conditional_t<keeps_recent, TraceStore::Lanes, void>;
    /// Whether `recent` may be asked about this window, and those up to `earlier` ticks before it: nothing of them is gone.
    [[nodiscard]] constexpr bool is_shown_by_look(std::uint32_t earlier) const noexcept {
      return from_ == asked_after_ && !is_before(after_ - earlier, complete_after());
    }
    /// Last events of neurons, target::RecentRecords. The first word of each is a stamp, which is ticks after `look_begins`, the
    /// others are its trace; what has not been is far before that.
    [[nodiscard]] constexpr const auto& recent() const noexcept { return store_->recent_; }
    /// The window's begin, as a stamp; and that since which `of` knows the event before a window if that is not the newest.
    [[nodiscard]] constexpr std::uint32_t look_begins() const noexcept { return first_stamp_ - 1; }
    [[nodiscard]] constexpr std::uint32_t look_knows_since() const noexcept { return complete_after() + 1 + never; }

  private:
    friend TraceStore;
    struct NoBounds {
      std::uint32_t now;
    };
    static constexpr bool is_aligned = alignof(Newest) == 8, is_at_once = is_aligned && sizeof(Newest) == 8;
    /// If that is not at once, an interrupt may have come between: then is_still is false.
    template <bool at_once>
    [[gnu::always_inline]] static constexpr Newest one_moment(const Newest& newest) noexcept {
      if constexpr (at_once) {
        return Target::load_at_once(newest);
      } else {
        const std::uint32_t stamp = gc::observe(newest.stamp);
        Hook::between();
        const Trace trace = gc::observed(newest.trace);
        Hook::between();
        return {stamp, trace};
      }
    }
    /// Another one of the same tick with the same trace would make no difference; of one that is read at once, none does.
    [[gnu::always_inline]] static constexpr bool is_still(const Newest& newest, const Newest& seen) noexcept {
      const std::uint32_t stamp = gc::observe(newest.stamp) ^ seen.stamp;
      if constexpr (sizeof(Trace) <= 4)
        return stamp == 0;
      else
        return (stamp | gc::differing_bits(gc::observed(newest.trace), seen.trace)) == 0;
    }
    static constexpr bool replays = detail::offers<Heap, offer::Replay>;
    /// IfNone of kernels/plasticity/history.hpp.
    template <class Before>
    static constexpr bool asks_if_none = requires {
      requires Before::only_if_none;
    };
    static constexpr auto bounds_of(const Heap& heap, std::uint32_t after) noexcept {
      if constexpr (replays)
        return heap.bounds_of(after);
      else
        return NoBounds{heap.now()};
    }
    [[gnu::always_inline]] constexpr Past(TraceStore& owner, std::uint32_t after, std::uint32_t until) noexcept
        : Past(owner, owner.heap_.now(), after, within_reach(after, owner.heap_.now()), until) {}
    [[gnu::always_inline]] constexpr Past(TraceStore& owner, std::uint32_t now, std::uint32_t after, std::uint32_t from,
                                          std::uint32_t until) noexcept
        : store_(&owner), asked_after_(after), after_(within_reach(after, now, gc::longest_life)), span_(0),
          from_(from), until_(within_reach(until, now, gc::longest_life)),
          known_(static_cast<std::int32_t>(now - gc::longest_life - after_)), bounds_(bounds_of(owner.heap_, from)) {
      if (!is_earlier(after, until, now))
        asked_after_ = until_ = after_; // of an empty window nothing is missing
      else
        reaches_forgotten_ = is_earlier(after, owner.known_since(now), now);
      if (from == after && is_before(from, until_)) span_ = until_ - from;
      first_stamp_ = after_ + never + 1;
      // Then all newest events stand later than the window, so that a glance tells nothing; visit says which is the oldest.
      if (reaches_forgotten_) span_ = 0, first_stamp_ = now + never - 3 * (never / 2);
    }

    /// Whatever the window, and if an interrupt has recorded an event meanwhile.
    template <class Before, class Each>
    [[gnu::always_inline]] constexpr bool ask_at_leisure(std::uint32_t neuron, Before& before,
                                                         Each& each) const noexcept {
      std::conditional_t<replays, ToldByCall, Told> told(
          *store_,
          {neuron, asked_after_, after_, from_, until_, bounds_.now, asks_if_none<Before>, reaches_forgotten_});
      for (; told.what != Told::What::nothing; told.advance()) {
        if (told.what == Told::What::before)
          before(told.time, told.trace);
        else
          each(told.time, told.trace);
      }
      return told.is_complete;
    }

    TraceStore* store_;
    std::uint32_t asked_after_, after_, span_, from_,
        until_;                      ///< span_: ticks of the window if it is within reach, else 0
    std::uint32_t first_stamp_ = 0;  ///< of the window
    std::int32_t known_;             ///< from after_ on: since when a newest event is known
    bool reaches_forgotten_ = false; ///< whether one may have been in the window that is known no more
    decltype(bounds_of(std::declval<const Heap&>(), 0U)) bounds_;
  };

  /// \param start  what the clock shows at first
  explicit constexpr TraceStore(std::uint32_t start = 0) noexcept
      : heap_(start), visit_at_(start), forgot_until_(start) {
    if (start != 0) forget_newest();
  }

  /// An event of `neuron` at `time`. Events of the same tick stay in the order in which they were recorded.
  /// \cost and what is locked: see the collector
  constexpr gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace) noexcept {
    const typename Hook::template During<gc::Work::record> recording(true);
    if constexpr (gc::HasWindow<Liveness> && detail::offers<Heap, offer::RecordFast>) {
      const std::uint32_t now = heap_.now();
      if (neuron < Neurons && time - now <= Heap::ahead) [[likely]] {
        typename Target::InterruptLock lock;
        const std::uint32_t before = newest_[neuron].stamp - never;
        if (now - before <= Layout::window && heap_.record_fast(neuron, time, trace, now)) [[likely]] {
          make_newest(neuron, time, trace, time - before,
                      std::uint64_t{Layout::window} + Heap::ahead <= longest_interval);
          changed_by_record();
          return gc::Recorded::stored;
        }
      }
    }
    return record_slowly(neuron, time, trace);
  }

  /// The neuron's newest event, whether it is dead or not; none of a neuron that does not exist, or after 2^29 ticks.
  [[nodiscard]] constexpr gc::NewestEvent<Trace> newest(std::uint32_t neuron) const noexcept {
    typename Target::InterruptLock lock;
    if (neuron >= Neurons) return {false, 0, gc::no_trace<Trace>()};
    const Newest& event = newest_[neuron];
    return {is_known(event.stamp, heap_.now()), event.stamp - never, event.trace};
  }

  /// Records an event whose trace follows from the one before it: trace_of(newest(neuron)).
  template <class Function>
  constexpr gc::Recorded update(std::uint32_t neuron, std::uint32_t time, Function trace_of) noexcept {
    return record(neuron, time, trace_of(newest(neuron)));
  }

  /// Prepares the question that all synapses of a row ask: for their neurons' events with after < time <= until.
  [[nodiscard]] [[gnu::always_inline]] constexpr Past past(std::uint32_t after, std::uint32_t until) noexcept {
    return Past(*this, after, until);
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

  /// Of a Liveness that counts readers by neuron: one more reads the neuron's events after `after`, by windows that follow
  /// on each other. It may miss those that all others have read already; events that are recorded from now on it misses
  /// not. Nothing changes, and the answer is false, for a neuron that does not exist or has the most readers.
  /// \cost  O(the neuron's events); interrupts are kept out meanwhile
  constexpr bool add_reader(std::uint32_t neuron, std::uint32_t after) noexcept requires gc::CountsReaders<Liveness> {
    if (neuron >= Neurons) return false;
    typename Target::InterruptLock lock;
    if (readers_.of[neuron] == Liveness::most_readers) return false;
    ++readers_.of[neuron];
    const std::uint32_t now = heap_.now();
    heap_.change_states(neuron, within_reach(after, now), now + Heap::ahead, Liveness::add_reader);
    return true;
  }
  /// A reader that has read the neuron's events up to `after` reads no more: all since then have its last read. What nobody
  /// else waits for is dead. Nothing changes, and the answer is false, for a neuron that does not exist or has none.
  /// Ends views.
  /// \cost  as a window
  constexpr bool remove_reader(std::uint32_t neuron,
                               std::uint32_t after) noexcept requires gc::CountsReaders<Liveness> {
    if (neuron >= Neurons || readers_.of[neuron] == 0) return false;
    typename Target::InterruptLock lock;
    if constexpr (checked) ++epoch_.value;
    --readers_.of[neuron];
    const std::uint32_t now = heap_.now();
    (void)heap_.window(neuron, within_reach(after, now), now + Heap::ahead);
    return true;
  }
  /// 0 of a neuron that does not exist.
  [[nodiscard]] constexpr std::uint32_t
  readers(std::uint32_t neuron) const noexcept requires gc::CountsReaders<Liveness> {
    return neuron < Neurons ? readers_.of[neuron] : 0;
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
      if (now - heap_.now() < visit_at_ - heap_.now() && heap_.advance_fast(now)) [[likely]] {
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
    forget_newest();
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
  /// Of times that lie in any direction from `now`, the nearest that an event can have which is not gone, or not older than
  /// `life`. So no times are compared that are half of the range apart.
  [[nodiscard]] static constexpr std::uint32_t within_reach(std::uint32_t time, std::uint32_t now,
                                                            std::uint32_t life = Layout::window) noexcept {
    const std::uint32_t oldest = now - life - 1;
    if (time - oldest <= life + 1 + Heap::ahead) [[likely]]
      return time;
    return is_before(time, now) ? oldest : now + Heap::ahead;
  }
  /// What a row asks of a neuron; the bounds as in Past.
  struct Asked {
    std::uint32_t neuron, asked_after, after, from, until, now;
    bool only_if_none, reaches_forgotten;
  };
  /// What it is told, one event after another.
  class Told {
    using Cursor = decltype(std::declval<Heap&>().look(0U, 0U, 0U));

  public:
    enum class What : std::uint8_t { nothing, before, event };
    What what = What::nothing;
    bool is_complete = true;
    std::uint32_t time = 0;
    Trace trace = gc::no_trace<Trace>();

    [[gnu::always_inline]] constexpr Told(TraceStore& owner, const Asked& asked) noexcept
        : cursor_(look(owner, asked)) {
      const std::uint32_t newest = newest_.stamp - never;
      if (!is_before(asked.after, newest)) {
        if (is_known(newest_.stamp, asked.now))
          set(What::before, newest, newest_.trace);
        else
          set_complete(owner, !asked.reaches_forgotten);
        return;
      }
      // What is gone of the window, and is the newest, follows on the others, which are gone then, too.
      newest_follows_ = cursor_.done() && !is_before(asked.until, newest);
      const bool is_alone = asked.after == asked.asked_after && newest - asked.after <= interval_; // since then
      set_complete(owner,
                   is_alone || !owner.reaches_what_is_lost(asked.asked_after, asked.from, asked.until, asked.now));
      const auto earlier = cursor_.before();
      const bool is_asked = !asked.only_if_none || (cursor_.done() && !newest_follows_);
      if (is_asked && !earlier.done() && !Layout::is_dead({}, earlier.time(), asked.now))
        set(What::before, earlier.time(), earlier.trace());
      else
        advance();
    }
    [[gnu::always_inline]] constexpr void advance() noexcept {
      what = What::nothing;
      if (!cursor_.done()) {
        set(What::event, cursor_.time(), cursor_.trace());
        cursor_.advance();
      } else if (newest_follows_) {
        newest_follows_ = false;
        set(What::event, newest_.stamp - never, newest_.trace);
      }
    }

  private:
    /// The newest event and what is before it, of the same moment.
    constexpr Cursor look(TraceStore& owner, const Asked& asked) noexcept {
      while (true) {
        {
          typename Target::InterruptLock lock;
          newest_ = owner.newest_[asked.neuron];
          interval_ = owner.intervals_[asked.neuron];
        }
        const Cursor cursor = owner.heap_.look(asked.neuron, asked.from, within_reach(asked.until, owner.heap_.now()));
        Hook::between();
        if (gc::observe(owner.newest_[asked.neuron].stamp) == newest_.stamp) return cursor;
      }
    }
    constexpr void set_complete(TraceStore& owner, bool whether) noexcept {
      is_complete = whether;
      if (!whether) ++owner.refused_.incomplete_windows;
    }
    constexpr void set(What which, std::uint32_t at, const Trace& with) noexcept {
      what = which;
      time = at;
      trace = with;
    }
    Newest newest_{};
    std::uint32_t interval_ = 0;
    bool newest_follows_ = false;
    Cursor cursor_;
  };
  /// The same by calls, where that is rare.
  class ToldByCall : public Told {
  public:
    [[gnu::noinline, gnu::cold]] constexpr ToldByCall(TraceStore& owner, const Asked& asked) noexcept
        : Told(owner, asked) {}
    [[gnu::noinline]] constexpr void advance() noexcept { Told::advance(); }
  };
  [[nodiscard]] constexpr std::uint32_t complete_after(std::uint32_t now) const noexcept {
    std::uint32_t after = gc::HasWindow<Liveness> || Layout::counts_reads ? now - Layout::window - 1 : now;
    if constexpr (detail::offers<Heap, offer::LostUntil>)
      if (is_before(after, heap_.lost_until())) after = heap_.lost_until();
    return after;
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
    const std::uint32_t before = newest_[neuron].stamp - never;
    if (is_before(time, before)) {
      ++refused_.refused_out_of_order;
      return gc::Recorded::refused_out_of_order;
    }
    const gc::Recorded outcome = heap_.record(neuron, time, trace, !is_before(before, now - Layout::window));
    if (gc::is_stored(outcome)) {
      make_newest(neuron, time, trace, time - before, false);
      changed_by_record();
    } else {
      ++refused_.refused_full;
    }
    return outcome;
  }
  [[gnu::noinline]] constexpr bool advance_slowly(std::uint32_t now) noexcept {
    if (is_before(now, heap_.now())) now = heap_.now();
    const std::uint32_t ticks = now - heap_.now();
    keep_up(heap_.now());
    if constexpr (detail::offers<Heap, offer::Leap>) {
      if (ticks > Heap::longest_step) {
        typename Target::InterruptLock lock;
        heap_.leap(now);
        if (ticks >= forgets_after) {
          forgot_until_ = now - ticks + Heap::ahead + known_for;
          forget_newest();
        }
      }
      if (ticks < forgets_after) visit(now, ticks);
    } else {
      for (std::uint32_t left = ticks; left > Heap::longest_step; left -= Heap::longest_step) {
        heap_.advance_to(heap_.now() + Heap::longest_step);
        visit(heap_.now(), Heap::longest_step);
      }
      visit(now, now - heap_.now());
    }
    keep_up(now);
    visit_at_ = now + visit_every;
    return heap_.advance_to(now);
  }
  [[nodiscard]] static constexpr bool is_known(std::uint32_t stamp, std::uint32_t now) noexcept {
    return now + never + Heap::ahead - stamp <= gc::longest_life + Heap::ahead;
  }
  /// Looks at one neuron after another, so that no event gets so old that it looks young: once in 2^29 ticks at each,
  /// after which an event is 2^30 ticks old at most, or one that never was, and then 2^30 + 2^29.
  constexpr void visit(std::uint32_t now, std::uint32_t ticks) noexcept {
    std::uint32_t left = ticks / visit_every + 1;
    for (left = left < Neurons ? left : Neurons; left != 0; --left) {
      typename Target::InterruptLock lock;
      Newest& newest = newest_[visited_];
      if (!is_known(newest.stamp, now)) newest.stamp = now;
      if constexpr (keeps_recent)
        recent_.each_first_word(visited_, [&](std::uint32_t& stamp) { stamp = is_known(stamp, now) ? stamp : now; });
      visited_ = visited_ + 1 == Neurons ? 0 : visited_ + 1;
    }
  }
  /// So that it does not wrap.
  constexpr void keep_up(std::uint32_t now) noexcept {
    if (is_before(forgot_until_, now)) forgot_until_ = now;
  }
  /// What was recorded before may be known no more, as a neuron's newest.
  [[nodiscard]] constexpr std::uint32_t known_since(std::uint32_t now) const noexcept {
    return is_before(forgot_until_, now) ? now - known_for : forgot_until_ - known_for;
  }
  constexpr void forget_newest() noexcept {
    for (Newest& newest : newest_) newest.stamp = heap_.now();
    if constexpr (keeps_recent)
      for (std::size_t neuron = 0; neuron < Neurons; ++neuron)
        recent_.each_first_word(neuron, [&](std::uint32_t& stamp) { stamp = heap_.now(); });
  }
  /// \param interval  since the one before, or far more than is told apart if there was none
  [[gnu::always_inline]] constexpr void make_newest(std::uint32_t neuron, std::uint32_t time, const Trace& trace,
                                                    std::uint32_t interval, bool is_short) noexcept {
    newest_[neuron] = {time + never, trace};
    if constexpr (keeps_recent) recent_.push(neuron, time + never, trace);
    intervals_[neuron] = static_cast<Interval>(is_short || interval < longest_interval ? interval : longest_interval);
    if constexpr (gc::CountsReaders<Liveness>)
      heap_.change_states(neuron, time - 1, time, [readers = std::uint32_t{readers_.of[neuron]}](auto& state) {
        Liveness::expect(state, readers);
      });
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

  static constexpr std::uint32_t known_for = gc::longest_life + 1;
  /// Ticks in which one neuron is visited.
  static constexpr std::uint32_t visit_every = (1U << 29) / (Neurons + 1);

  std::array<Newest, Neurons> newest_{};
  std::array<Interval, Neurons> intervals_{};
  std::uint32_t visited_ = 0;
  Heap heap_;
  std::uint32_t visit_at_; ///< when the next neuron is looked at, at the latest
  std::uint32_t
      forgot_until_;     ///< `known_for` after the last event of those that an advance has forgotten, or not before now
  gc::Counts refused_{}; ///< refusals and stale views; the heap has the other counters
  [[no_unique_address]] Readers readers_{};
  [[no_unique_address]] Recent recent_{};
  [[no_unique_address]] Epoch epoch_{};
  [[no_unique_address]] Advancing advancing_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
