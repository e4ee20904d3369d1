// SPDX-License-Identifier: BSL-1.0
/// \file
/// Each neuron's events side by side, neuron after neuron, in one array whose runs slide to where there is room: no
/// links, no owners, times in 16 bits. The densest collector, for every Liveness; its records may take long.
///
/// Invariant: the runs stand in the order of their neurons and do not overlap; a run's events stand in order, oldest
/// first. What is between runs is free. A dead event at the front of a run is given back by moving the run's start, and
/// so makes room for the neuron before it. A record that finds no free place behind its run slides the runs between
/// that and the nearest free place, one event after another, without memory for a copy. An advance looks at one neuron
/// after another, up and down, and slides runs that are far from where evenly spread room would have them.
#ifndef NEUROMORPH_GC_SLIDING_HPP
#define NEUROMORPH_GC_SLIDING_HPP

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

/// The low half of a time; the rest follows from the clock, as long as an event goes before it is 2^16 - `ahead` old.
class ShortTime {
public:
  static constexpr std::uint32_t ahead = 1U << 12;
  /// The largest age of an event that is in memory.
  static constexpr std::uint32_t oldest = 0xFFFF - ahead;
  constexpr ShortTime() noexcept = default;
  explicit constexpr ShortTime(std::uint32_t time) noexcept : low_(static_cast<std::uint16_t>(time)) {}
  [[nodiscard]] constexpr std::uint32_t time(std::uint32_t now) const noexcept {
    const std::uint32_t end = now + ahead;
    return end - ((end - low_) & 0xFFFF);
  }

private:
  std::uint16_t low_ = 0;
};

/// All of it.
class LongTime {
public:
  static constexpr std::uint32_t ahead = 1U << 27;
  static constexpr std::uint32_t oldest = 1U << 30;
  constexpr LongTime() noexcept = default;
  explicit constexpr LongTime(std::uint32_t time) noexcept : time_(time) {}
  [[nodiscard]] constexpr std::uint32_t time(std::uint32_t) const noexcept { return time_; }

private:
  std::uint32_t time_ = 0;
};

/// Whether gc::Sliding has times of 16 bits.
[[nodiscard]] constexpr bool short_times_fit(std::uint32_t window) noexcept { return window <= 1U << 14; }

/// When all are alive, the newest is refused.
///
/// \tparam Events  most events in memory, 1 to 65534
/// \tparam Steps   of an advance: neurons that it looks at, and events that it moves
///
/// Memory: per event 2 bytes, with a window of at most 2^14 ticks, else 4, its trace and Liveness::State. Per neuron 4,
/// or 2 with less than 256 events; 44 for all, and 4 to count what dies unread.
/// \cost  record O(1) where a free place follows on the run. Else O(what is between it and the nearest free place), at
/// worst all events and neurons, when memory is all but full. Window O(the neuron's events); advance_to O(Steps); clear
/// O(Neurons). Where events die in the order of time, finding the dead is O(log the neuron's events), else O(the dead).
/// Locked: a whole record, with all that it slides; in an advance, four neurons at a time, with Steps moved events at
/// most; a whole window. Records move what views show: keep interrupts out while you use one, or record at its level
/// only. Room: an event is refused while `Events` are alive, and only then.
/// A run of more than Steps events is moved by records only. A clock that jumps is caught up with at once, O(Neurons).
template <std::size_t Events, std::size_t Steps = 8>
struct Sliding {
  static_assert(Events >= 1 && Events <= 65534,
                "neuromorph: a gc::Sliding holds 1 to 65534 events; see docs/traces.md");
  static_assert(Steps >= 1, "neuromorph: a gc::Sliding does at least one step per advance; see docs/traces.md");

  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    using Liveness = typename Layout::Liveness;
    using Hook = typename Layout::Hook;
    using Lock = typename Layout::Target::InterruptLock;
    using Place = UnsignedFor<Events>;
    struct Run {
      Place start = 0, end = 0;
    };
    static constexpr std::uint32_t neurons = Layout::neurons;
    static constexpr std::uint32_t all = Events;
    static constexpr std::uint32_t batch = 4; // looks under one lock
    /// How far a run may be from where it should be before an advance slides it: with less, advances move more than
    /// records are spared.
    static constexpr std::uint32_t tolerance = Events / 64;

    using Time = std::conditional_t<short_times_fit(Layout::window), ShortTime, LongTime>;
    using Entries = EventArray<Time, typename Liveness::State, Trace, Events>;
    /// Ticks until each neuron has been looked at again: up, down and some.
    static constexpr std::uint32_t round = static_cast<std::uint32_t>(2 * (Layout::neurons / Steps + 1) + 1);
    static constexpr std::size_t rounded_up(std::size_t size, std::size_t to) noexcept {
      return (size + to - 1) / to * to;
    }

  public:
    using Offers = offer::List<offer::Leap, offer::States>;
    static constexpr std::size_t bytes =
        rounded_up(rounded_up(44 + UnreadCounter<Liveness>::bytes + Layout::neurons * sizeof(Run), alignof(Entries)) +
                       sizeof(Entries),
                   alignof(Entries) > 4 ? alignof(Entries) : 4);
    static constexpr std::uint32_t ahead = Time::ahead;
    /// Each neuron is looked at before its events are so old that they look young. What jumps further, leaps.
    static constexpr std::uint32_t longest_step = (Time::oldest - Layout::window) / 2 / round;
    static constexpr bool keeps_views = false;

    class Cursor {
    public:
      [[nodiscard]] constexpr bool done() const noexcept { return at_ == end_; }
      [[nodiscard]] constexpr std::uint32_t time() const noexcept { return heap_->time_of(at_); }
      [[nodiscard]] constexpr const Trace& trace() const noexcept { return heap_->entries_.trace(at_); }
      constexpr void advance() noexcept { ++at_; }
      [[nodiscard]] constexpr Cursor before() const noexcept { return Cursor(*heap_, at_ - has_earlier_, at_, 0); }

    private:
      friend Heap;
      constexpr Cursor(const Heap& heap, std::uint32_t at, std::uint32_t end, std::uint32_t has_earlier) noexcept
          : heap_(&heap), at_(at), end_(end), has_earlier_(has_earlier) {}
      const Heap* heap_;
      std::uint32_t at_, end_, has_earlier_;
    };

    explicit constexpr Heap(std::uint32_t start) noexcept : now_(start) {}

    [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }

    constexpr Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool) noexcept {
      Run& run = runs_[neuron];
      trim(run, now_);
      if (run.end == ceiling(neuron) && !make_room(neuron)) return Recorded::refused_full;
      entries_.set(run.end, Time(time), trace);
      Hook::between();
      run.end = static_cast<Place>(run.end + 1);
      Hook::between();
      ++stored_;
      if (events() > most_events_) most_events_ = static_cast<std::uint32_t>(events());
      return Recorded::stored;
    }

    [[nodiscard]] constexpr Cursor look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      Hook::between();
      Lock lock;
      return find(neuron, after, until);
    }
    [[nodiscard]] constexpr Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      Hook::between();
      Lock lock;
      const Cursor cursor = find(neuron, after, until);
      if constexpr (Layout::counts_reads) change_states(cursor, Liveness::read);
      return cursor;
    }
    template <class Change>
    constexpr void change_states(std::uint32_t neuron, std::uint32_t after, std::uint32_t until,
                                 Change change) noexcept {
      Hook::between();
      Lock lock;
      change_states(find(neuron, after, until), change);
    }

    constexpr bool advance_to(std::uint32_t now) noexcept {
      const typename Hook::template During<Work::scan> scan(true);
      const std::uint32_t before = reclaimed_;
      {
        Lock lock;
        now_ = now;
      }
      std::uint32_t moves = Steps;
      for (std::uint32_t looks = Steps; looks != 0;) {
        const std::uint32_t some = looks < batch ? looks : batch;
        Hook::between();
        Lock lock;
        look(some, moves);
        looks -= some;
      }
      return reclaimed_ != before;
    }
    /// By more than `longest_step`.
    constexpr void leap(std::uint32_t now) noexcept {
      Hook::between();
      Lock lock;
      if (now - now_ > Layout::window + ahead) {
        for (const Run& run : runs_)
          for (std::uint32_t at = run.start; WaitsForReads<Liveness> && at != run.end; ++at)
            unread_.see(entries_.state(at));
        reclaimed_ += static_cast<std::uint32_t>(events());
        forget();
      } else {
        for (Run& run : runs_) trim(run, now);
      }
      Hook::between();
      now_ = now;
    }

    [[nodiscard]] constexpr std::size_t events() const noexcept { return stored_ - reclaimed_ - cleared_; }

    constexpr void clear() noexcept {
      cleared_ += static_cast<std::uint32_t>(events());
      forget();
      begin_round();
    }

    constexpr void add_to(Counts& counts) const noexcept {
      counts.stored += stored_;
      counts.reclaimed += reclaimed_;
      counts.reclaimed_unread += unread_.count();
      counts.cleared += cleared_;
      counts.moved_bytes += moved_events_ * static_cast<std::uint32_t>(Entries::event_bytes);
      counts.most_events += most_events_;
    }

    [[nodiscard]] constexpr bool is_consistent() const noexcept {
      std::size_t counted = 0;
      for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
        const Run& run = runs_[neuron];
        if (run.start < floor(neuron) || run.end < run.start || run.end > ceiling(neuron)) return false;
        for (std::uint32_t at = run.start; at != run.end; ++at) {
          if (at != run.start && is_before(time_of(at), time_of(at - 1))) return false;
          if (is_before(now_ + Time::ahead, time_of(at))) return false;
        }
        counted += run.end - std::size_t{run.start};
      }
      return counted == events();
    }

  private:
    template <class Change>
    constexpr void change_states(const Cursor& shown, Change change) noexcept {
      for (std::uint32_t at = shown.at_; at != shown.end_; ++at) change(entries_.state(at));
    }
    constexpr Cursor find(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      trim(runs_[neuron], now_);
      const std::uint32_t first = runs_[neuron].start;
      std::uint32_t at = first, last = runs_[neuron].end;
      while (at != last && !is_before(after, time_of(at))) ++at;
      while (at != last && is_before(until, time_of(last - 1))) --last;
      return Cursor(*this, at, last, at == first ? 0 : 1);
    }
    [[nodiscard]] constexpr std::uint32_t time_of(std::uint32_t place) const noexcept {
      return entries_.header(place).time(now_);
    }
    /// Between these a run may be.
    [[nodiscard]] constexpr std::uint32_t floor(std::uint32_t neuron) const noexcept {
      return neuron == 0 ? 0 : runs_[neuron - 1].end;
    }
    [[nodiscard]] constexpr std::uint32_t ceiling(std::uint32_t neuron) const noexcept {
      return neuron + 1 == neurons ? all : runs_[neuron + 1].start;
    }
    [[nodiscard]] constexpr bool is_dead(std::uint32_t place, std::uint32_t now) const noexcept {
      return Layout::is_dead(entries_.state(place), time_of(place), now);
    }

    /// Gives back what is gone at `now`; the run's end stays.
    constexpr void trim(Run& run, std::uint32_t now) noexcept {
      if (run.start == run.end || !is_dead(run.start, now)) [[likely]]
        return;
      give_back(run, now);
    }
    [[gnu::noinline]] constexpr void give_back(Run& run, std::uint32_t now) noexcept {
      std::uint32_t alive = run.start + 1U, last = run.end;
      if constexpr (Liveness::in_time_order) {
        while (alive != last) {
          const std::uint32_t middle = alive + (last - alive) / 2;
          if (is_dead(middle, now))
            alive = middle + 1;
          else
            last = middle;
        }
      } else {
        while (alive != last && is_dead(alive, now)) ++alive;
      }
      for (std::uint32_t dead = run.start; WaitsForReads<Liveness> && dead != alive; ++dead)
        unread_.see(entries_.state(dead));
      reclaimed_ += alive - run.start;
      Hook::between();
      run.start = static_cast<Place>(alive);
      Hook::between();
    }
    constexpr void forget() noexcept {
      for (Run& run : runs_) run.end = run.start;
    }

    /// Runs `from` to `until`, with nothing free between them, by `by` places.
    constexpr void slide_up(std::uint32_t from, std::uint32_t until, std::uint32_t by) noexcept {
      const std::uint32_t count = std::uint32_t{runs_[until].end} - runs_[from].start;
      const typename Hook::template During<Work::compaction> compaction(count != 0);
      entries_.slide_up(runs_[from].start, count, by);
      Hook::between();
      moved_events_ += count;
      for (std::uint32_t neuron = from; neuron <= until; ++neuron) {
        runs_[neuron].start = static_cast<Place>(runs_[neuron].start + by);
        Hook::between();
        runs_[neuron].end = static_cast<Place>(runs_[neuron].end + by);
        Hook::between();
      }
    }
    constexpr void slide_down(std::uint32_t from, std::uint32_t until, std::uint32_t by) noexcept {
      const std::uint32_t count = std::uint32_t{runs_[until].end} - runs_[from].start;
      const typename Hook::template During<Work::compaction> compaction(count != 0);
      entries_.slide_down(runs_[from].start, count, by);
      Hook::between();
      moved_events_ += count;
      for (std::uint32_t neuron = from; neuron <= until; ++neuron) {
        runs_[neuron].start = static_cast<Place>(runs_[neuron].start - by);
        Hook::between();
        runs_[neuron].end = static_cast<Place>(runs_[neuron].end - by);
        Hook::between();
      }
    }
    /// What a slide takes of `free` places, so that the next may be spared.
    [[nodiscard]] static constexpr std::uint32_t half(std::uint32_t free) noexcept { return (free + 1) / 2; }

    /// For a neuron that has no free place behind its run; false if there is none at all.
    [[gnu::noinline]] constexpr bool make_room(std::uint32_t neuron) noexcept {
      if (events() == 0) {
        spread_empty_runs();
        if (runs_[neuron].end != ceiling(neuron)) return true;
      }
      // From `bottom` to `top` all is taken, by live events of the neurons `below` to `above` - 1.
      const std::uint32_t middle = runs_[neuron].end;
      std::uint32_t below = neuron, above = neuron + 1, bottom = runs_[neuron].start, top = middle;
      while (true) {
        if (top != all && (top - middle <= middle - bottom || bottom == 0)) {
          std::uint32_t ceiling = all;
          if (above != neurons) {
            trim(runs_[above], now_);
            ceiling = runs_[above].start;
          }
          if (ceiling != top) {
            if (above != neuron + 1) slide_up(neuron + 1, above - 1, half(ceiling - top));
            return true;
          }
          top = runs_[above++].end;
        } else if (bottom != 0) {
          if (const std::uint32_t free = bottom - floor(below); free != 0) {
            slide_down(below, neuron, half(free));
            return true;
          }
          --below;
          trim(runs_[below], now_);
          bottom = runs_[below].start;
        } else {
          return false;
        }
      }
    }

    constexpr void spread_empty_runs() noexcept {
      for (std::uint32_t neuron = 0, at = 0; neuron < neurons; ++neuron, at += all % neurons) {
        runs_[neuron].start = static_cast<Place>(neuron * (all / neurons) + at / neurons);
        Hook::between();
        runs_[neuron].end = runs_[neuron].start;
        Hook::between();
      }
    }

    /// At the next neurons of the round: up, sliding down what is too far above, then down.
    constexpr void look(std::uint32_t looks, std::uint32_t& moves) noexcept {
      std::uint32_t next = next_, aim = aim_, rest = aim_rest_;
      for (; looks != 0; --looks) {
        const std::uint32_t neuron = up_ != 0 ? next : neurons - 1 - next;
        Run& run = runs_[neuron];
        trim(run, now_);
        const std::uint32_t count = std::uint32_t{run.end} - run.start;
        // From the round's end of the array.
        const std::uint32_t distance = up_ != 0 ? run.start : all - run.end;
        if (distance > aim + tolerance && count <= moves) [[unlikely]] {
          const std::uint32_t least = up_ != 0 ? floor(neuron) : all - ceiling(neuron);
          const std::uint32_t by = distance - (aim > least ? aim : least);
          if (up_ != 0)
            slide_down(neuron, neuron, by);
          else
            slide_up(neuron, neuron, by);
          moves -= count;
        }
        rest += share_;
        aim += count + (rest >> 16);
        rest &= 0xFFFF;
        if (++next == neurons) {
          begin_round();
          next = aim = rest = 0;
        }
      }
      next_ = next, aim_ = aim, aim_rest_ = rest;
    }
    constexpr void begin_round() noexcept {
      up_ ^= 1;
      next_ = aim_ = aim_rest_ = 0;
      share_ = ((all - static_cast<std::uint32_t>(events())) << 16) / neurons;
    }

    std::uint32_t now_;
    std::uint32_t stored_ = 0, reclaimed_ = 0, cleared_ = 0, moved_events_ = 0, most_events_ = 0;
    std::uint32_t next_ = 0;                 // neurons of this round that have been looked at
    std::uint32_t aim_ = 0;                  // how far from this round's end of the array the next run should be
    std::uint32_t aim_rest_ = 0, share_ = 0; // of 2^-16 places: what that is more; what is free for each neuron
    std::uint32_t up_ = 0;
    [[no_unique_address]] UnreadCounter<Liveness> unread_{};
    std::array<Run, Layout::neurons> runs_{};
    Entries entries_{};
  };
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
