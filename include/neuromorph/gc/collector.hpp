// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a trace store and its collector say to each other: outcomes, counters, the layout that a collector is built
/// for, and what a collector offers.
#ifndef NEUROMORPH_GC_COLLECTOR_HPP
#define NEUROMORPH_GC_COLLECTOR_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/liveness.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/when_full.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace offer {
/// `bool record_fast(neuron, time, trace, now)`, of a heap for a Liveness with a window: the usual record, of a neuron
/// whose last event was stored and is not older than the window, inlined. False if it is not usual, with nothing stored.
struct RecordFast {
  int record_fast;
  template <class Part>
  static auto find() -> decltype(&Part::record_fast);
};
/// `bool advance_fast(now)`, of such a heap: the usual advance, inlined, for any `now`; false if this one is not, with
/// nothing done.
struct AdvanceFast {
  int advance_fast;
  template <class Part>
  static auto find() -> decltype(&Part::advance_fast);
};
/// `void leap(now)`: moves the clock on by more than `longest_step`, before an `advance_to` to the same time; else
/// `advance_to` is repeated.
struct Leap {
  int leap;
  template <class Part>
  static auto find() -> decltype(&Part::leap);
};
/// `bounds_of(after)`, and `bool replay(neuron, bounds, is_newest, before, each)`, of a heap for a Liveness with a window:
/// what Past::of says of a neuron whose newest event is stored, not older than the window, and one of those asked for.
/// Calls before(time, trace) if the event before them is in memory, and each(time, trace) for all but the newest; or
/// nothing, and answers false, if is_newest() says that an interrupt has recorded another one.
struct Replay {
  int bounds_of;
  template <class Part>
  static auto find() -> decltype(&Part::bounds_of);
};
/// `void change_states(neuron, after, until, change)`: calls change(State&) for what `window` would show.
struct States {
  int change_states;
  template <class Part>
  static auto find() -> decltype(&Part::change_states);
};
/// `std::uint32_t lost_until() const`, where live events give way: the time of the youngest that did.
struct LostUntil {
  int lost_until;
  template <class Part>
  static auto find() -> decltype(&Part::lost_until);
};
} // namespace offer

namespace gc {

/// What became of an event. Each outcome has its counter in Counts.
enum class Recorded : std::uint8_t {
  stored,
  stored_oldest_gave_way, ///< a live event was given up for it, by WhenFull::oldest_gives_way
  refused_full,           ///< no room, by WhenFull::refuse_newest
  refused_out_of_order,   ///< older than the neuron's newest event
  refused_expired,        ///< dead on arrival
  refused_too_far_ahead,  ///< of the clock, which only `advance_to` moves
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
  case Recorded::refused_too_far_ahead: return "refused: it is too far ahead of the clock; advance_to moves that";
  case Recorded::refused_no_such_neuron: return "refused: there is no such neuron";
  }
  return "unknown outcome";
}

/// What happens to a new event when memory is full of live ones: it is refused, or the live one is given up that was
/// recorded first, of those that share memory with it. Each record ends views then.
using neuromorph::WhenFull;

/// Since the start; each wraps at 2^32. Events offered = stored + the five refusals;
/// stored = reclaimed + gave_way + cleared + in memory.
struct Counts {
  std::uint32_t stored = 0; ///< those for which another gave way included
  std::uint32_t refused_full = 0;
  std::uint32_t refused_out_of_order = 0;
  std::uint32_t refused_expired = 0;
  std::uint32_t refused_too_far_ahead = 0;
  std::uint32_t refused_no_such_neuron = 0;
  std::uint32_t gave_way = 0;           ///< live events that were given up
  std::uint32_t reclaimed = 0;          ///< dead events whose memory came back
  std::uint32_t reclaimed_unread = 0;   ///< of those, where reads count, which died before all had read them
  std::uint32_t cleared = 0;            ///< events that `clear` took
  std::uint32_t moved_bytes = 0;        ///< that the collector copied
  std::uint32_t most_events = 0;        ///< high water of events in memory, dead ones included
  std::uint32_t incomplete_windows = 0; ///< views that are not complete
  std::uint32_t stale_views = 0;        ///< uses of a view after a change (only with NEUROMORPH_CHECKS)
  std::uint32_t broken = 0; ///< steps after which invariants did not hold (only with NEUROMORPH_CHECKS of 2)
  friend constexpr bool operator==(const Counts&, const Counts&) noexcept = default;
};

/// What a store does that takes time, beside what is asked of it.
enum class Work : std::uint8_t {
  record,     ///< a whole record
  scan,       ///< an advance, or a record without room, looks for dead events
  compaction, ///< events move to make room, in either; of gc::Baker, gc::Generational and gc::Sliding
};

/// Sees a store at work: `between()` is called between any two changes of its state, where tests let an interrupt happen.
/// An object of `During<work>` lives while that is done, or while it would be, and is told which: for profilers
/// (firmware/profiled_traces.hpp).
template <class Candidate>
concept TraceHook = requires {
  Candidate::between();
  requires std::constructible_from < typename Candidate::template During<Work::record>,
  bool > ;
  requires std::constructible_from < typename Candidate::template During<Work::scan>,
  bool > ;
  requires std::constructible_from < typename Candidate::template During<Work::compaction>,
  bool > ;
};
/// Sees nothing and costs nothing. One of your own inherits from it.
struct NoHook {
  static constexpr void between() noexcept {}
  template <Work>
  struct During {
    explicit constexpr During(bool) noexcept {}
    constexpr ~During() {}
  };
};

/// The smallest unsigned type for 0 to `most`.
template <std::size_t most>
using UnsignedFor =
    std::conditional_t<(most < 256), std::uint8_t, std::conditional_t<(most < 65536), std::uint16_t, std::uint32_t>>;

/// What a store is made of, for its collector.
template <class TraceType, std::size_t NeuronCount, class LivenessType, class TargetType, class HookType>
struct Layout {
  using Trace = TraceType;
  using Liveness = LivenessType;
  using Target = TargetType;
  using Hook = HookType;
  static constexpr std::size_t neurons = NeuronCount;
  static constexpr std::size_t event_bytes = 4 + sizeof(Trace); ///< an event's own: time and trace
  /// Whether an event has something that a read changes.
  static constexpr bool counts_reads = !std::is_empty_v<typename Liveness::State>;
  /// Ticks after which an event is dead in any case.
  static constexpr std::uint32_t window = [] {
    if constexpr (HasWindow<Liveness>)
      return std::uint32_t{Liveness::window};
    else
      return longest_life;
  }();
  static_assert(window <= longest_life,
                "neuromorph: a Liveness has a window of at most 2^29 ticks; see docs/traces.md");
  [[nodiscard]] static constexpr bool is_dead(const typename Liveness::State& state, std::uint32_t time,
                                              std::uint32_t now) noexcept {
    if constexpr (!HasWindow<Liveness>)
      if (is_before(time + window, now)) return true;
    return Liveness::is_dead(state, time, now);
  }
};

/// How many of the events that a heap reclaims died unread; takes 4 bytes where reads count.
template <class Liveness>
class UnreadCounter {
public:
  static constexpr std::size_t bytes = 0;
  constexpr void see(const typename Liveness::State&) noexcept {}
  [[nodiscard]] constexpr std::uint32_t count() const noexcept { return 0; }
};
template <WaitsForReads Liveness>
class UnreadCounter<Liveness> {
public:
  static constexpr std::size_t bytes = 4;
  constexpr void see(const typename Liveness::State& reclaimed) noexcept { count_ += !Liveness::is_read(reclaimed); }
  [[nodiscard]] constexpr std::uint32_t count() const noexcept { return count_; }

private:
  std::uint32_t count_ = 0;
};

/// Given to `replay` for `before` where the event before is not asked for.
struct NotAsked {
  template <class Trace>
  constexpr void operator()(std::uint32_t, const Trace&) const noexcept {}
};

/// What memory holds now, though an interrupt may change it at any time; such reads keep their order.
template <std::unsigned_integral Word>
[[nodiscard]] constexpr Word observe(const Word& word) noexcept {
  if (std::is_constant_evaluated()) return word;
  return static_cast<const volatile Word&>(word);
}

/// The same for a trace, which may take several reads; they stay between what is observed before and after.
template <class Trace>
[[nodiscard]] [[gnu::always_inline]] constexpr Trace observed(const Trace& trace) noexcept {
  if (!std::is_constant_evaluated()) __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const Trace copy = trace;
  if (!std::is_constant_evaluated()) __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return copy;
}
/// 0 if two traces have the same bytes.
template <class Trace>
[[nodiscard]] constexpr std::uint32_t differing_bits(const Trace& one, const Trace& other) noexcept {
  if constexpr (sizeof(Trace) == 4) {
    return std::bit_cast<std::uint32_t>(one) ^ std::bit_cast<std::uint32_t>(other);
  } else {
    using Bytes = std::array<unsigned char, sizeof(Trace)>;
    if (std::is_constant_evaluated()) return std::bit_cast<Bytes>(one) == std::bit_cast<Bytes>(other) ? 0 : 1;
    return __builtin_memcmp(&one, &other, sizeof(Trace)) == 0 ? 0 : 1;
  }
}

/// For memory of traces that no event has been recorded in, also where Trace has no default constructor.
template <class Trace>
[[nodiscard]] constexpr Trace no_trace() noexcept {
  return std::bit_cast<Trace>(std::array<unsigned char, sizeof(Trace)>{});
}

/// The events of one neuron in (after, until] that are not gone, oldest first. A copy goes its own way. One that has not
/// advanced yet knows the event before them, too: that of the latest time up to `after`, if it is in memory and not gone.
template <class Cursor, class Trace>
concept EventCursor = std::is_trivially_copyable_v<Cursor> && requires(Cursor& cursor, const Cursor& same) {
  { same.done() } -> std::same_as<bool>;
  { same.time() } -> std::same_as<std::uint32_t>;
  { same.trace() } -> std::convertible_to<const Trace&>; // a reference to where it is stored, if it can be
  { same.before() } -> std::same_as<Cursor>;             // at that event alone; done if there is none
  cursor.advance();
};

/// A collector is a policy with `template <class Layout> class Heap`. An event is *gone* when it and all older ones of
/// its neuron are dead by the heap's clock, or when it gave way. What is gone is shown no more, whether its memory has
/// come back or not.
/// The store has checked arguments: `neuron` exists, an event is alive and at most `ahead` after the clock. Bounds of
/// a window are no earlier than what is dead in any case and no later than what may be ahead.
///
///     explicit Heap(start)             empty; clock at `start`
///     now()                            the clock: `start`, then what the last `advance_to` said
///     record(neuron, time, trace, is_linked)
///                                      stored, stored_oldest_gave_way, refused_full. The store holds the lock. It has
///                                      checked that no event of the neuron is younger, and says whether the one
///                                      before it was stored and is not older than the window
///     look(neuron, after, until)       an EventCursor
///     window(neuron, after, until)     the same; counts a read of each event that it shows
///     advance_to(now)                  moves the clock on and does one bounded step; false: no more to do at once
///     events()                         in memory, gone ones included
///     clear()                          forgets all events, leaves clock and counters
///     add_to(counts)               adds stored, gave_way, reclaimed, reclaimed_unread, cleared, moved_bytes,
///                                      most_events
///     is_consistent()                  whether all invariants hold: for tests, slow
///     bytes                            of memory, all included
///     ahead                            ticks that an event may be ahead of the clock
///     longest_step                     ticks by which one `advance_to` may move the clock
///     keeps_views                      a `record`, also one by an interrupt, leaves all cursors as they are
///
/// What it has besides, it says in `Offers`: RecordFast, AdvanceFast, Replay, States, Leap, LostUntil.
template <class Heap, class Trace>
concept CollectorHeap = std::constructible_from<Heap, std::uint32_t> &&
    requires(Heap& heap, const Heap& same, const Trace& trace, std::uint32_t number, Counts& counts) {
  { same.now() } -> std::same_as<std::uint32_t>;
  { heap.record(number, number, trace, true) } -> std::same_as<Recorded>;
  { heap.look(number, number, number) } -> EventCursor<Trace>;
  { heap.window(number, number, number) } -> EventCursor<Trace>;
  { heap.advance_to(number) } -> std::same_as<bool>;
  { same.events() } -> std::convertible_to<std::size_t>;
  heap.clear();
  same.add_to(counts);
  { same.is_consistent() } -> std::same_as<bool>;
  { Heap::bytes } -> std::convertible_to<std::size_t>;
  { Heap::ahead } -> std::convertible_to<std::uint32_t>;
  { Heap::longest_step } -> std::convertible_to<std::uint32_t>;
  { Heap::keeps_views } -> std::convertible_to<bool>;
};

/// Says where a heap offers something else than it has.
template <class Heap, class Trace>
consteval bool offers_what_a_heap_has() {
  using neuromorph::detail::is_said;
  using neuromorph::detail::offers;
  static_assert(neuromorph::detail::says_offers<Heap>,
                "neuromorph: Collector's Heap lacks 'using Offers', an offer::List of what it has of 'RecordFast', "
                "'AdvanceFast', 'Replay', 'States', 'Leap' and 'LostUntil'; see docs/traces.md");
  static_assert(
      is_said<Heap, offer::RecordFast>(),
      "neuromorph: Collector's Heap has 'record_fast', and its 'Offers' lacks 'offer::RecordFast'; see docs/traces.md");
  static_assert(is_said<Heap, offer::AdvanceFast>(), "neuromorph: Collector's Heap has 'advance_fast', and its "
                                                     "'Offers' lacks 'offer::AdvanceFast'; see docs/traces.md");
  static_assert(is_said<Heap, offer::Replay>(), "neuromorph: Collector's Heap has 'bounds_of', and its 'Offers' lacks "
                                                "'offer::Replay'; see docs/traces.md");
  static_assert(
      is_said<Heap, offer::States>(),
      "neuromorph: Collector's Heap has 'change_states', and its 'Offers' lacks 'offer::States'; see docs/traces.md");
  static_assert(is_said<Heap, offer::Leap>(),
                "neuromorph: Collector's Heap has 'leap', and its 'Offers' lacks 'offer::Leap'; see docs/traces.md");
  static_assert(
      is_said<Heap, offer::LostUntil>(),
      "neuromorph: Collector's Heap has 'lost_until', and its 'Offers' lacks 'offer::LostUntil'; see docs/traces.md");
  static_assert(
      !offers<Heap, offer::RecordFast> ||
          requires(Heap & heap, const Trace& trace, std::uint32_t number) {
            { heap.record_fast(number, number, trace, number) } -> std::same_as<bool>;
          },
      "neuromorph: Collector's Heap offers 'RecordFast' and lacks 'bool record_fast(std::uint32_t neuron, "
      "std::uint32_t time, const Trace& trace, std::uint32_t now)'; see docs/traces.md");
  static_assert(
      !offers<Heap, offer::AdvanceFast> ||
          requires(Heap & heap, std::uint32_t now) {
            { heap.advance_fast(now) } -> std::same_as<bool>;
          },
      "neuromorph: Collector's Heap offers 'AdvanceFast' and lacks 'bool advance_fast(std::uint32_t now)'; see "
      "docs/traces.md");
  static_assert(
      !offers<Heap, offer::Replay> ||
          requires(const Heap& heap, std::uint32_t number, bool (*is_newest)(), NotAsked visitor) {
            { heap.replay(number, heap.bounds_of(number), is_newest, visitor, visitor) } -> std::same_as<bool>;
          },
      "neuromorph: Collector's Heap offers 'Replay' and lacks 'bounds_of(std::uint32_t after) const' or 'bool "
      "replay(std::uint32_t neuron, bounds, is_newest, before, each) const'; see docs/traces.md");
  static_assert(
      !offers<Heap, offer::Leap> || requires(Heap & heap, std::uint32_t now) { heap.leap(now); },
      "neuromorph: Collector's Heap offers 'Leap' and lacks 'void leap(std::uint32_t now)'; see docs/traces.md");
  static_assert(
      !offers<Heap, offer::LostUntil> ||
          requires(const Heap& heap) {
            { heap.lost_until() } -> std::same_as<std::uint32_t>;
          },
      "neuromorph: Collector's Heap offers 'LostUntil' and lacks 'std::uint32_t lost_until() const'; see "
      "docs/traces.md");
  return true;
}

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
