// SPDX-License-Identifier: BSL-1.0
/// \file
/// Each neuron's events side by side, neuron after neuron, in one array whose runs slide to where there is room: no
/// links, no owners, times in 16 bits. The densest collector, for every Liveness; its records may take long.
///
/// Invariant: the runs stand in the order of their neurons and do not overlap; a run's events stand in order, oldest
/// first. What is between runs is free. A dead event at the front of a run is given back by moving the run's start, and
/// so makes room for the neuron before it. A record that finds no free place behind its run slides the runs between
/// that and the nearest free place, one event after another, without memory for a copy. A tick looks at one neuron
/// after another, up and down, and slides runs that are far from where evenly spread room would have them.
#ifndef NEUROMORPH_GC_SLIDING_HPP
#define NEUROMORPH_GC_SLIDING_HPP

#include <array>
#include <cstddef>
#include <cstdint>

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
/// \tparam Steps   of a tick: neurons that it looks at, and events that it moves
///
/// Memory: per event 2 bytes, with a window of at most 2^14 ticks, else 4, its trace and Liveness::State; per neuron 4,
/// or 2 with less than 256 events; 44 for all.
/// \cost  record O(1) where a free place follows on the run; else O(what is between it and the nearest free place), at
/// worst all events and neurons, when memory is all but full; window O(the neuron's events); tick O(Steps); clear
/// O(Neurons). Where events die in the order of time, finding the dead is O(log the neuron's events), else O(the dead).
/// Locked: a whole record, with all that it slides; in a tick, one neuron at a time, with Steps moved events at most; a
/// whole window. Records move what views show: keep interrupts out while you use one, or record at its level only.
/// Room: an event is refused while `Events` are alive, and only then.
/// A run of more than Steps events is moved by records only. A clock that jumps is caught up with at once, O(Neurons).
template <std::size_t Events, std::size_t Steps = 16>
struct Sliding {
  static_assert(Events >= 1 && Events <= 65534,
                "neuromorph: a gc::Sliding holds 1 to 65534 events; see docs/traces.md");
  static_assert(Steps >= 1, "neuromorph: a gc::Sliding does at least one step per tick; see docs/traces.md");

  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    using Liveness = typename Layout::Liveness;
    using Hook = typename Layout::Hook;
    using Lock = typename Layout::Target::InterruptLock;
    using Place = UnsignedFor<Events>;
    static constexpr std::uint32_t neurons = Layout::neurons;
    static constexpr std::uint32_t all = Events;
    /// How far a run may be from where it should be before a tick slides it: with less, ticks move more than records
    /// are spared.
    static constexpr std::uint32_t tolerance = Events / 64;

    static constexpr auto header() noexcept {
      if constexpr (HasWindow<Liveness>) {
        if constexpr (short_times_fit(Liveness::window))
          return ShortTime{};
        else
          return LongTime{};
      } else {
        return LongTime{};
      }
    }
    using Time = decltype(header());
    using Entries = EventArray<Time, typename Liveness::State, Trace, Events>;
    /// Ticks until each neuron has been looked at again: up, down and some.
    static constexpr std::uint32_t round = static_cast<std::uint32_t>(2 * (Layout::neurons / Steps + 1) + 1);
    static constexpr std::size_t rounded_up(std::size_t size, std::size_t to) noexcept {
      return (size + to - 1) / to * to;
    }
    static constexpr std::uint32_t window_ticks = [] {
      if constexpr (HasWindow<Liveness>)
        return Liveness::window;
      else
        return 0U;
    }();

  public:
    static constexpr std::size_t bytes =
        rounded_up(rounded_up(44 + 2 * Layout::neurons * sizeof(Place), alignof(Entries)) + sizeof(Entries),
                   alignof(Entries) > 4 ? alignof(Entries) : 4);
    static constexpr std::uint32_t ahead = Time::ahead;
    /// Each neuron is looked at before its events are so old that they look young. What jumps further, leaps.
    static constexpr std::uint32_t longest_step = (Time::oldest - window_ticks) / 2 / round;
    static constexpr bool keeps_views = false;

    class Cursor {
    public:
      [[nodiscard]] constexpr bool done() const noexcept { return at_ == end_; }
      [[nodiscard]] constexpr std::uint32_t time() const noexcept { return heap_->time_of(at_); }
      [[nodiscard]] constexpr const Trace& trace() const noexcept { return heap_->entries_.trace(at_); }
      constexpr void advance() noexcept { ++at_; }

    private:
      friend Heap;
      constexpr Cursor(const Heap& heap, std::uint32_t at, std::uint32_t end) noexcept
          : heap_(&heap), at_(at), end_(end) {}
      const Heap* heap_;
      std::uint32_t at_, end_;
    };

    explicit constexpr Heap(std::uint32_t start) noexcept : now_(start) {}

    [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }

    constexpr Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace) noexcept {
      trim(neuron);
      if (counts_[neuron] != 0 && is_before(time, time_of(end(neuron) - 1))) return Recorded::refused_out_of_order;
      if (end(neuron) == ceiling(neuron) && !make_room(neuron)) return Recorded::refused_full;
      entries_.set(end(neuron), Time(time), trace);
      Hook::between();
      counts_[neuron] = static_cast<Place>(counts_[neuron] + 1);
      Hook::between();
      ++stored_;
      if (events() > most_events_) most_events_ = static_cast<std::uint32_t>(events());
      return Recorded::stored;
    }

    [[nodiscard]] constexpr Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      Hook::between();
      Lock lock;
      trim(neuron);
      std::uint32_t at = starts_[neuron], last = end(neuron);
      while (at != last && !is_before(after, time_of(at))) ++at;
      while (at != last && is_before(until, time_of(last - 1))) --last;
      if constexpr (Layout::counts_reads)
        for (std::uint32_t shown = at; shown != last; ++shown) Liveness::read(entries_.state(shown));
      return Cursor(*this, at, last);
    }

    constexpr bool tick(std::uint32_t now) noexcept {
      const std::uint32_t before = reclaimed_;
      {
        Lock lock;
        now_ = now;
      }
      std::uint32_t moves = Steps;
      for (std::size_t looks = 0; looks < Steps; ++looks) {
        Hook::between();
        Lock lock;
        look(moves);
      }
      return reclaimed_ != before;
    }
    /// By more than `longest_step`.
    constexpr void leap(std::uint32_t now) noexcept requires HasWindow<Liveness> {
      Hook::between();
      Lock lock;
      if (now - now_ > window_ticks + ahead) {
        reclaimed_ += static_cast<std::uint32_t>(events());
        counts_ = {};
      } else {
        for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) trim(neuron, now);
      }
      Hook::between();
      now_ = now;
    }

    [[nodiscard]] constexpr std::size_t events() const noexcept { return stored_ - reclaimed_ - cleared_; }

    constexpr void clear() noexcept {
      cleared_ += static_cast<std::uint32_t>(events());
      counts_ = {};
      begin_round();
    }

    constexpr void add_to(Statistics& statistics) const noexcept {
      statistics.stored += stored_;
      statistics.reclaimed += reclaimed_;
      statistics.cleared += cleared_;
      statistics.moved_bytes += moved_events_ * static_cast<std::uint32_t>(Entries::event_bytes);
      statistics.most_events += most_events_;
    }

    [[nodiscard]] constexpr bool is_consistent() const noexcept {
      std::size_t counted = 0;
      for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
        if (starts_[neuron] < floor(neuron) || end(neuron) > ceiling(neuron)) return false;
        for (std::uint32_t at = starts_[neuron] + 1U; at < end(neuron); ++at)
          if (is_before(time_of(at), time_of(at - 1))) return false;
        for (std::uint32_t at = starts_[neuron]; at < end(neuron); ++at)
          if (is_before(now_ + Time::ahead, time_of(at))) return false;
        counted += counts_[neuron];
      }
      return counted == events() && counted <= Events;
    }

  private:
    [[nodiscard]] constexpr std::uint32_t time_of(std::uint32_t place) const noexcept {
      return entries_.header(place).time(now_);
    }
    [[nodiscard]] constexpr std::uint32_t end(std::uint32_t neuron) const noexcept {
      return std::uint32_t{starts_[neuron]} + counts_[neuron];
    }
    /// Between these a run may be.
    [[nodiscard]] constexpr std::uint32_t floor(std::uint32_t neuron) const noexcept {
      return neuron == 0 ? 0 : end(neuron - 1);
    }
    [[nodiscard]] constexpr std::uint32_t ceiling(std::uint32_t neuron) const noexcept {
      return neuron + 1 == neurons ? all : starts_[neuron + 1];
    }
    [[nodiscard]] constexpr bool is_dead(std::uint32_t place, std::uint32_t now) const noexcept {
      return Liveness::is_dead(entries_.state(place), time_of(place), now);
    }

    constexpr std::uint32_t trim(std::uint32_t neuron) noexcept { return trim(neuron, now_); }
    /// Gives back what is gone at `now`; the run's end stays. Returns how many.
    constexpr std::uint32_t trim(std::uint32_t neuron, std::uint32_t now) noexcept {
      const std::uint32_t first = starts_[neuron];
      std::uint32_t alive = first, last = end(neuron);
      if (alive == last || !is_dead(alive, now)) [[likely]]
        return 0;
      ++alive;
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
      const std::uint32_t dead = alive - first;
      starts_[neuron] = static_cast<Place>(alive);
      Hook::between();
      counts_[neuron] = static_cast<Place>(counts_[neuron] - dead);
      Hook::between();
      reclaimed_ += dead;
      return dead;
    }

    /// Runs `from` to `until`, with nothing free between them, by `by` places.
    constexpr void slide_up(std::uint32_t from, std::uint32_t until, std::uint32_t by) noexcept {
      const std::uint32_t first = starts_[from];
      for (std::uint32_t at = end(until); at != first; --at) {
        entries_.move(at - 1 + by, at - 1);
        Hook::between();
      }
      moved_events_ += end(until) - first;
      for (std::uint32_t neuron = until + 1; neuron != from; --neuron) {
        starts_[neuron - 1] = static_cast<Place>(starts_[neuron - 1] + by);
        Hook::between();
      }
    }
    constexpr void slide_down(std::uint32_t from, std::uint32_t until, std::uint32_t by) noexcept {
      const std::uint32_t last = end(until);
      for (std::uint32_t at = starts_[from]; at != last; ++at) {
        entries_.move(at - by, at);
        Hook::between();
      }
      moved_events_ += last - starts_[from];
      for (std::uint32_t neuron = from; neuron <= until; ++neuron) {
        starts_[neuron] = static_cast<Place>(starts_[neuron] - by);
        Hook::between();
      }
    }
    /// What a slide takes of `free` places, so that the next may be spared.
    [[nodiscard]] static constexpr std::uint32_t half(std::uint32_t free) noexcept { return (free + 1) / 2; }

    /// Of a neuron that has no free place behind its run; false if there is none at all.
    [[gnu::noinline]] constexpr bool make_room(std::uint32_t neuron) noexcept {
      if (events() == 0) {
        spread_empty_runs();
        if (end(neuron) != ceiling(neuron)) return true;
      }
      std::uint32_t above = neuron + 1, below = neuron; // to be looked at next
      std::uint32_t moves_above = 0, moves_below = counts_[neuron];
      bool any_below = true;
      while (true) {
        if (above != neurons && (moves_above <= moves_below || !any_below)) {
          if (const std::uint32_t dead = trim(above); dead != 0) {
            if (above != neuron + 1) slide_up(neuron + 1, above - 1, half(dead));
            return true;
          }
          moves_above += counts_[above];
          if (const std::uint32_t free = ceiling(above) - end(above); free != 0) {
            slide_up(neuron + 1, above, half(free));
            return true;
          }
          ++above;
        } else if (any_below) {
          if (const std::uint32_t free = starts_[below] - floor(below); free != 0) {
            slide_down(below, neuron, half(free));
            return true;
          }
          any_below = below != 0;
          if (any_below) {
            --below;
            trim(below);
            moves_below += counts_[below];
          }
        } else {
          return false;
        }
      }
    }

    constexpr void spread_empty_runs() noexcept {
      for (std::uint32_t neuron = 0, at = 0; neuron < neurons; ++neuron, at += all % neurons) {
        starts_[neuron] = static_cast<Place>(neuron * (all / neurons) + at / neurons);
        Hook::between();
      }
    }

    /// At the next neuron of the round: up, sliding down what is too far above, then down.
    constexpr void look(std::uint32_t& moves) noexcept {
      const std::uint32_t neuron = up_ != 0 ? next_ : neurons - 1 - next_;
      trim(neuron);
      const std::uint32_t start = starts_[neuron], count = counts_[neuron];
      if (up_ != 0) {
        const std::uint32_t least = floor(neuron);
        if (start > aim_ + tolerance && count <= moves) {
          slide_down(neuron, neuron, start - (aim_ > least ? aim_ : least));
          moves -= count;
        }
      } else {
        const std::uint32_t above = all - (start + count), least = all - ceiling(neuron); // counted from the top
        if (above > aim_ + tolerance && count <= moves) {
          slide_up(neuron, neuron, above - (aim_ > least ? aim_ : least));
          moves -= count;
        }
      }
      aim_rest_ = (aim_rest_ & 0xFFFF) + share_;
      aim_ += count + (aim_rest_ >> 16);
      if (++next_ == neurons) begin_round();
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
    std::array<Place, Layout::neurons> starts_{}, counts_{};
    Entries entries_{};
  };
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
