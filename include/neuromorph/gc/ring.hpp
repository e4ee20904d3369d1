// SPDX-License-Identifier: BSL-1.0
/// \file
/// A ring of its own for each neuron, searched from the youngest event: the state of the practice.
///
/// Invariant: a neuron's events follow on each other in its ring, in order, and end before `end`. Nothing is moved; what
/// has expired is overwritten when its place is needed. An advance looks at one neuron after another, so that nothing gets
/// so old that it looks young.
#ifndef NEUROMORPH_GC_RING_HPP
#define NEUROMORPH_GC_RING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/event_array.hpp>
#include <neuromorph/gc/liveness.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

/// \tparam PerNeuron  most events of one neuron, 1 to 255
/// \tparam Full       what happens when a neuron's are all alive: WhenFull::oldest_gives_way takes its own oldest
///
/// Memory: per neuron PerNeuron events and 2 bytes; 28 for all, 32 where the oldest gives way.
/// \cost  record O(1); window O(the neuron's events from the youngest to the oldest that it shows), O(PerNeuron) where
/// reads count; advance_to O(PerNeuron). Clear O(Neurons)
/// Locked: a whole record; a whole advance; in a window, where reads count, the search for the first live event.
/// Room: an event is refused while PerNeuron events of its own neuron are alive, however little the others have.
template <std::size_t PerNeuron = 16, WhenFull Full = WhenFull::refuse_newest>
struct Ring {
  static_assert(PerNeuron >= 1 && PerNeuron <= 255,
                "neuromorph: a gc::Ring holds 1 to 255 events a neuron; see docs/traces.md");

  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    using Liveness = typename Layout::Liveness;
    using Hook = typename Layout::Hook;
    using Lock = typename Layout::Target::InterruptLock;
    static constexpr bool gives_way = Full == WhenFull::oldest_gives_way;
    static constexpr std::uint32_t per_neuron = PerNeuron;
    /// Whether events die in order, so that what is older than a dead one need not be looked at.
    static constexpr bool dies_in_order = HasWindow<Liveness> && !Layout::counts_reads;

    struct Time {
      std::uint32_t ticks = 0;
    };
    using Entries = EventArray<Time, typename Liveness::State, Trace, Layout::neurons * PerNeuron>;
    /// Where the next event goes, and how many are there. An interrupt changes both at once.
    class Extent {
    public:
      constexpr Extent() noexcept = default;
      constexpr Extent(std::uint32_t end, std::uint32_t count) noexcept
          : word_(static_cast<std::uint16_t>(end | count << 8)) {}
      [[nodiscard]] constexpr std::uint32_t end() const noexcept { return word_ & 0xFFU; }
      [[nodiscard]] constexpr std::uint32_t count() const noexcept { return word_ >> 8; }
      [[nodiscard]] constexpr Extent observed() const noexcept {
        Extent copy;
        copy.word_ = observe(word_);
        return copy;
      }
      friend constexpr bool operator==(Extent, Extent) noexcept = default;

    private:
      std::uint16_t word_ = 0;
    };

  public:
    static constexpr bool keeps_views = !gives_way && !Layout::counts_reads;

  private:
    static constexpr bool replays = keeps_views && dies_in_order;

  public:
    using Offers = offer::List<offer::RecordFast, offer::AdvanceFast, offer::When<replays, offer::Replay>,
                               offer::States, offer::When<gives_way, offer::LostUntil>>;
    static constexpr std::size_t bytes = (Entries::bytes + 3) / 4 * 4 + (Layout::neurons * sizeof(Extent) + 3) / 4 * 4 +
                                         7 * 4 + UnreadCounter<Liveness>::bytes + (gives_way ? 4 : 0);
    static constexpr std::uint32_t ahead = 1U << 27;
    /// Each neuron is visited before its events are so old that they look young.
    static constexpr std::uint32_t longest_step = (1U << 29) / Layout::neurons;

    class Cursor {
    public:
      [[nodiscard]] constexpr bool done() const noexcept { return left_ == 0; }
      [[nodiscard]] constexpr std::uint32_t time() const noexcept { return heap_->entries_.header(place()).ticks; }
      [[nodiscard]] constexpr const Trace& trace() const noexcept { return heap_->entries_.trace(place()); }
      constexpr void advance() noexcept {
        at_ = after(at_);
        --left_;
      }
      [[nodiscard]] constexpr Cursor before() const noexcept {
        Cursor only = *this;
        only.at_ = earlier_;
        only.left_ = has_earlier_ ? 1 : 0;
        return only;
      }

    private:
      friend Heap;
      constexpr Cursor(const Heap& heap, std::uint32_t neuron) noexcept : heap_(&heap), base_(neuron * per_neuron) {}
      [[nodiscard]] constexpr std::uint32_t place() const noexcept { return base_ + at_; }
      const Heap* heap_;
      std::uint32_t base_, at_ = 0, left_ = 0, earlier_ = 0;
      bool has_earlier_ = false;
    };
    /// Of a row whose window is within reach.
    struct Bounds {
      std::uint32_t now, after;
    };

    explicit constexpr Heap(std::uint32_t start) noexcept : now_(start) {
      if constexpr (gives_way) lost_dies_.ticks = start;
    }

    [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }

    /// While the neuron has room.
    [[gnu::always_inline]] constexpr bool record_fast(std::uint32_t neuron, std::uint32_t time, const Trace& trace,
                                                      std::uint32_t) noexcept {
      const Extent extent = extents_[neuron];
      if (extent.count() == per_neuron) [[unlikely]]
        return false;
      add(neuron, extent.end(), extent.count() + 1, time, trace);
      return true;
    }
    constexpr Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool) noexcept {
      const Extent extent = extents_[neuron];
      const std::uint32_t oldest = neuron * per_neuron + extent.end(); // if it is full
      if (extent.count() != per_neuron) {
        add(neuron, extent.end(), extent.count() + 1, time, trace);
        return Recorded::stored;
      }
      const bool is_room = is_dead(oldest);
      if (!is_room && !gives_way) return Recorded::refused_full;
      if (is_room) {
        unread_.see(entries_.state(oldest));
        ++reclaimed_;
      } else {
        give_up(entries_.header(oldest).ticks);
      }
      add(neuron, extent.end(), per_neuron, time, trace);
      return is_room ? Recorded::stored : Recorded::stored_oldest_gave_way;
    }

    [[nodiscard]] constexpr Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      const Cursor cursor = look(neuron, after, until);
      if constexpr (Layout::counts_reads) change_states(cursor, Liveness::read);
      return cursor;
    }
    template <class Change>
    constexpr void change_states(std::uint32_t neuron, std::uint32_t after, std::uint32_t until,
                                 Change change) noexcept {
      change_states(look(neuron, after, until), change);
    }
    [[nodiscard]] constexpr Cursor look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) const noexcept {
      while (true) {
        Cursor cursor(*this, neuron);
        Extent extent;
        std::uint32_t left = 0;
        {
          // The places of dead events may be taken by what an interrupt records.
          Lock lock;
          extent = extents_[neuron];
          left = extent.count();
          if constexpr (!dies_in_order) left -= dead_events(neuron);
        }
        std::uint32_t at = extent.end();
        for (; left != 0; --left) {
          at = before(at);
          Hook::between();
          const std::uint32_t time = observe(entries_.header(cursor.base_ + at).ticks);
          if constexpr (dies_in_order)
            if (Layout::is_dead({}, time, now_)) break;
          if (!is_before(after, time)) {
            cursor.earlier_ = at;
            cursor.has_earlier_ = true;
            break;
          }
          if (is_before(until, time)) continue;
          cursor.at_ = at;
          ++cursor.left_;
        }
        Hook::between();
        if (!dies_in_order || extents_[neuron].observed() == extent) return cursor;
      }
    }

    [[nodiscard]] constexpr Bounds bounds_of(std::uint32_t after) const noexcept requires replays {
      return {now_, after};
    }
    /// \param is_newest  whether the neuron's newest event is still the one that the caller has seen; else nothing is
    ///                   called, and the answer is false
    template <class IsNewest, class Before, class Each>
    [[gnu::always_inline]] constexpr bool replay(std::uint32_t neuron, const Bounds& bounds, IsNewest is_newest,
                                                 Before before, Each each) const noexcept {
      Hook::between();
      const Extent extent = extents_[neuron].observed();
      const std::uint32_t base = neuron * per_neuron, newest = Heap::before(extent.end());
      std::uint32_t oldest = newest, earlier = newest;
      std::uint32_t left = extent.count() - 1;
      for (; left != 0; --left) {
        earlier = Heap::before(oldest);
        Hook::between();
        const std::uint32_t time = observe(entries_.header(base + earlier).ticks);
        if (static_cast<std::int32_t>(time - bounds.after) <= 0) break;
        oldest = earlier;
      }
      Hook::between();
      // One that an interrupt has recorded may stand where a dead one was.
      if (!is_newest() || extents_[neuron].observed() != extent) [[unlikely]]
        return false;
      if (!std::is_same_v<Before, NotAsked> && left != 0) {
        const std::uint32_t time = entries_.header(base + earlier).ticks;
        if (static_cast<std::int32_t>(time - bounds.now + Layout::window) >= 0)
          before(time, entries_.trace(base + earlier));
      }
      for (; oldest != newest; oldest = after(oldest)) {
        Hook::between();
        each(entries_.header(base + oldest).ticks, entries_.trace(base + oldest));
      }
      return true;
    }

    [[gnu::always_inline]] constexpr bool advance_fast(std::uint32_t now) noexcept {
      if (now - now_ > longest_step) [[unlikely]]
        return false;
      advance_to(now);
      return true;
    }
    constexpr bool advance_to(std::uint32_t now) noexcept {
      const typename Hook::template During<Work::scan> scan(true);
      Hook::between();
      Lock lock;
      now_ = now;
      if (const std::uint32_t dead = dead_events(next_); dead != 0) reclaim(next_, dead);
      if constexpr (gives_way)
        if (is_before(lost_dies_.ticks, now_)) lost_dies_.ticks = now_; // so that it does not wrap
      next_ = next_ + 1 == Layout::neurons ? 0 : next_ + 1;
      return false;
    }

    [[nodiscard]] constexpr std::size_t events() const noexcept { return in_memory(); }
    [[nodiscard]] constexpr std::uint32_t lost_until() const noexcept requires(gives_way) {
      return lost_dies_.ticks - Layout::window - 1;
    }

    constexpr void clear() noexcept {
      see_most();
      cleared_ += in_memory();
      extents_ = {};
    }

    constexpr void add_to(Counts& counts) const noexcept {
      counts.stored += stored_;
      counts.gave_way += gave_way_;
      counts.reclaimed += reclaimed_;
      counts.reclaimed_unread += unread_.count();
      counts.cleared += cleared_;
      counts.most_events += in_memory() > most_events_ ? in_memory() : most_events_;
    }

    [[nodiscard]] constexpr bool is_consistent() const noexcept {
      std::size_t counted = 0;
      for (std::uint32_t neuron = 0; neuron < Layout::neurons; ++neuron) {
        const std::uint32_t count = extents_[neuron].count();
        if (count > per_neuron || extents_[neuron].end() >= per_neuron) return false;
        std::uint32_t at = before(extents_[neuron].end());
        for (std::uint32_t left = count; left > 1; --left) {
          const std::uint32_t older = before(at);
          if (is_before(time_of(neuron, at), time_of(neuron, older))) return false;
          at = older;
        }
        counted += count;
      }
      return counted == events();
    }

  private:
    [[nodiscard]] static constexpr std::uint32_t after(std::uint32_t index) noexcept {
      return index + 1 == per_neuron ? 0 : index + 1;
    }
    [[nodiscard]] static constexpr std::uint32_t before(std::uint32_t index) noexcept {
      return index == 0 ? per_neuron - 1 : index - 1;
    }
    [[nodiscard]] constexpr std::uint32_t time_of(std::uint32_t neuron, std::uint32_t index) const noexcept {
      return entries_.header(neuron * per_neuron + index).ticks;
    }
    [[nodiscard]] constexpr bool is_dead(std::uint32_t place) const noexcept {
      return Layout::is_dead(entries_.state(place), entries_.header(place).ticks, now_);
    }
    /// Of the neuron's oldest event, if it has one.
    [[nodiscard]] constexpr std::uint32_t first(std::uint32_t neuron) const noexcept {
      const Extent extent = extents_[neuron];
      return extent.end() < extent.count() ? extent.end() + per_neuron - extent.count() : extent.end() - extent.count();
    }
    template <class Change>
    constexpr void change_states(Cursor shown, Change change) noexcept {
      for (; !shown.done(); shown.advance()) change(entries_.state(shown.place()));
    }
    /// From the oldest to the first that is alive.
    [[nodiscard]] constexpr std::uint32_t dead_events(std::uint32_t neuron) const noexcept {
      const std::uint32_t count = extents_[neuron].count();
      std::uint32_t dead = 0;
      for (std::uint32_t at = first(neuron); dead != count && is_dead(neuron * per_neuron + at); at = after(at)) ++dead;
      return dead;
    }
    [[gnu::always_inline]] constexpr void add(std::uint32_t neuron, std::uint32_t end, std::uint32_t count,
                                              std::uint32_t time, const Trace& trace) noexcept {
      entries_.set(neuron * per_neuron + end, Time{time}, trace);
      Hook::between();
      extents_[neuron] = Extent(after(end), count);
      Hook::between();
      ++stored_;
    }
    constexpr void reclaim(std::uint32_t neuron, std::uint32_t count) noexcept {
      see_most();
      if constexpr (WaitsForReads<Liveness>) {
        std::uint32_t at = first(neuron);
        for (std::uint32_t left = count; left != 0; --left, at = after(at))
          unread_.see(entries_.state(neuron * per_neuron + at));
      }
      extents_[neuron] = Extent(extents_[neuron].end(), extents_[neuron].count() - count);
      Hook::between();
      reclaimed_ += count;
    }
    constexpr void give_up(std::uint32_t time) noexcept {
      ++gave_way_;
      const std::uint32_t dies = time + Layout::window + 1;
      if constexpr (gives_way)
        if (is_before(lost_dies_.ticks, dies)) lost_dies_.ticks = dies;
    }
    [[nodiscard]] constexpr std::uint32_t in_memory() const noexcept {
      return stored_ - reclaimed_ - gave_way_ - cleared_;
    }
    constexpr void see_most() noexcept {
      if (in_memory() > most_events_) most_events_ = in_memory();
    }

    [[no_unique_address]] UnreadCounter<Liveness> unread_{};
    /// When the youngest that gave way would be dead, or now.
    [[no_unique_address]] std::conditional_t<gives_way, Time, NoState> lost_dies_{};
    std::uint32_t now_, next_ = 0; // the neuron that the next advance looks at
    std::uint32_t stored_ = 0, reclaimed_ = 0, gave_way_ = 0, cleared_ = 0, most_events_ = 0;
    std::array<Extent, Layout::neurons> extents_{};
    Entries entries_{};
  };
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
