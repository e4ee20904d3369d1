// SPDX-License-Identifier: BSL-1.0
/// \file
/// All neurons' events in one ring, in the order in which they came: the dead are at its head, nothing is ever moved.
///
/// Invariant: the events in memory are a stretch of the ring; each links to the next one of its neuron; a neuron's
/// first link is its oldest event in memory. Reclaiming takes the event at the head, if it is dead, and nothing else.
/// Every operation is bounded by a constant, so there is no pause to speak of. It needs a Liveness in order of time.
///
/// Time, neuron and link share a word where they can: 13 bits of time tell 8192 ticks apart, which is enough where the
/// dead are reclaimed long before they are as old as that. Then an event takes no byte beyond its own.
#ifndef NEUROMORPH_GC_LOG_HPP
#define NEUROMORPH_GC_LOG_HPP

#include <array>
#include <bit>
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

/// What an event has beside its trace, in one word. Times are told apart in a stretch of 2^time_bits ticks that ends
/// `ahead` after the clock.
template <std::size_t Places, std::size_t Neurons, std::uint32_t Window>
class PackedHeader {
  static constexpr unsigned link_bits = std::bit_width(Places - 1), neuron_bits = std::bit_width(Neurons - 1);
  static constexpr unsigned low_bits = link_bits + neuron_bits;
  static constexpr unsigned time_bits = low_bits < 32 ? 32 - low_bits : 0;
  static constexpr std::uint32_t reach = time_bits == 0 ? 0 : static_cast<std::uint32_t>((1ULL << time_bits) - 1);

public:
  static constexpr std::uint32_t ahead = reach / 8;
  /// The age at the head from which on others may soon be too old to be told: they are younger by no more than `Window`
  /// and `ahead`, and the clock must stay `ahead` before the end.
  static constexpr std::uint32_t too_old = reach - 2 * ahead - Window;
  /// Leaves time for reclaiming after the last event's death.
  static constexpr bool fits = Window < reach / 4;

  constexpr PackedHeader() noexcept = default;
  constexpr PackedHeader(std::uint32_t time, std::uint32_t neuron) noexcept
      : word_(time << low_bits | neuron << link_bits) {}
  [[nodiscard]] constexpr std::uint32_t time(std::uint32_t now) const noexcept {
    const std::uint32_t end = now + ahead;
    return end - ((end - (word_ >> low_bits)) & reach);
  }
  [[nodiscard]] constexpr std::uint32_t neuron() const noexcept {
    return (word_ >> link_bits) & ((1U << neuron_bits) - 1);
  }
  [[nodiscard]] constexpr std::uint32_t next() const noexcept { return word_ & ((1U << link_bits) - 1); }
  /// Once.
  constexpr void link(std::uint32_t place) noexcept { word_ |= place; }

private:
  std::uint32_t word_ = 0;
};

/// The same in two words, for any time.
class WideHeader {
public:
  static constexpr std::uint32_t ahead = 1U << 29;
  static constexpr std::uint32_t too_old = 1U << 29;

  constexpr WideHeader() noexcept = default;
  constexpr WideHeader(std::uint32_t time, std::uint32_t neuron) noexcept : time_(time), rest_(neuron << 16) {}
  [[nodiscard]] constexpr std::uint32_t time(std::uint32_t) const noexcept { return time_; }
  [[nodiscard]] constexpr std::uint32_t neuron() const noexcept { return rest_ >> 16; }
  [[nodiscard]] constexpr std::uint32_t next() const noexcept { return rest_ & 0xFFFF; }
  constexpr void link(std::uint32_t place) noexcept { rest_ |= place; }

private:
  std::uint32_t time_ = 0, rest_ = 0;
};

/// \tparam Events   most events in memory, 1 to 65534
/// \tparam Full     what happens when all are alive: OldestGivesWay takes the oldest of all neurons
/// \tparam PerTick  most events that one `tick` reclaims
///
/// Memory: per event its own bytes, if time, neuron and link fit a word (a window of 500 ticks: up to 22 bits for
/// neuron and link, as for 255 neurons and 8000 events), else 4 more, and those of Liveness::State; per neuron 4; one
/// event's and 24 for all. \cost  record O(1), one event reclaimed at most; window O(the neuron's events in memory);
/// tick O(PerTick). Two steps are longer: O(Neurons) when the clock moves on by more than the window and `ahead` at
/// once, and as much as there is to reclaim when dead events are `too_old`, which takes `too_old * PerTick / Events`
/// ticks from one call to the next. Locked: a whole record; in a tick up to four reclaimed events at a time; in a
/// window one step past a dead event.
template <std::size_t Events, FullPolicy Full = RefuseNewest, std::size_t PerTick = 8>
struct Log {
  static_assert(Events >= 1 && Events <= 65534, "neuromorph: a gc::Log holds 1 to 65534 events; see docs/traces.md");
  static_assert(PerTick >= 1, "neuromorph: a gc::Log reclaims at least one event per tick; see docs/traces.md");

  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    using Liveness = typename Layout::Liveness;
    using State = typename Liveness::State;
    using Hook = typename Layout::Hook;
    using Lock = typename Layout::Target::InterruptLock;
    static_assert(Liveness::in_time_order, "neuromorph: gc::Log reclaims in order of time, which this Liveness does "
                                           "not keep; take gc::Pool; see docs/traces.md");
    /// One more than events, so that a full ring is not an empty one.
    static constexpr std::uint32_t places = Events + 1;
    static constexpr std::uint32_t nowhere = ~0U;
    static constexpr std::uint32_t batch = 4; // reclaimed under one lock

    template <bool HasWindowToo>
    static constexpr auto header_for() noexcept {
      if constexpr (HasWindowToo) {
        using Packed = PackedHeader<places, Layout::neurons, Liveness::window>;
        if constexpr (Packed::fits)
          return Packed{};
        else
          return WideHeader{};
      } else {
        return WideHeader{};
      }
    }
    using Header = decltype(header_for<HasWindow<Liveness>>());

    using Entries = EventArray<Header, State, Trace, places>;
    /// The places of a neuron's first and last event in a word, both one too high; 0 if it has none.
    struct Ends {
      std::uint32_t word;
      [[nodiscard]] static constexpr std::uint32_t both(std::uint32_t place) noexcept { return (place + 1) * 0x10001; }
      [[nodiscard]] constexpr bool empty() const noexcept { return word == 0; }
      [[nodiscard]] constexpr std::uint32_t first() const noexcept { return (word & 0xFFFF) - 1; }
      [[nodiscard]] constexpr std::uint32_t last() const noexcept { return (word >> 16) - 1; }
      [[nodiscard]] constexpr std::uint32_t with_first(std::uint32_t place) const noexcept {
        return (word >> 16 << 16) | (place + 1);
      }
      [[nodiscard]] constexpr std::uint32_t with_last(std::uint32_t place) const noexcept {
        return (word & 0xFFFF) | (place + 1) << 16;
      }
    };

  public:
    static constexpr std::size_t bytes = Entries::bytes + Layout::neurons * 4 + 28;
    static constexpr std::uint32_t ahead = Header::ahead;
    static constexpr std::uint32_t longest_step = 1U << 29;
    static constexpr bool keeps_views = !Full::gives_way && !Layout::counts_reads;

    class Cursor {
    public:
      [[nodiscard]] constexpr bool done() const noexcept { return at_ == nowhere; }
      [[nodiscard]] constexpr std::uint32_t time() const noexcept { return heap_->time_of(at_); }
      [[nodiscard]] constexpr const Trace& trace() const noexcept { return heap_->entries_.trace(at_); }
      constexpr void advance() noexcept {
        at_ = at_ == last_ ? nowhere : heap_->entries_.header(at_).next();
        stop_after_until();
      }

    private:
      friend Heap;
      constexpr Cursor(const Heap& heap, std::uint32_t until) noexcept : heap_(&heap), until_(until) {}
      constexpr void stop_after_until() noexcept {
        if (at_ != nowhere && is_before(until_, time())) at_ = nowhere;
      }
      const Heap* heap_;
      std::uint32_t until_, at_ = nowhere, last_ = nowhere;
    };

    explicit constexpr Heap(std::uint32_t start) noexcept : now_(start) {}

    [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }

    constexpr Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace) noexcept {
      Recorded outcome = Recorded::stored;
      const std::uint32_t place = tail_;
      const std::uint32_t behind = place + 1 == places ? 0 : place + 1;
      if (behind == head_) {
        most_events_ = Events;
        if (!is_dead(head_, now_)) {
          if constexpr (!Full::gives_way) return Recorded::refused_full;
          ++gave_way_;
          outcome = Recorded::stored_oldest_gave_way;
        }
        reclaim();
      }
      entries_.set(place, Header(time, neuron), trace);
      Hook::between();
      const Ends ends = ends_of(neuron);
      if (ends.empty()) {
        ends_[neuron] = Ends::both(place);
      } else {
        entries_.header(ends.last()).link(place);
        Hook::between();
        ends_[neuron] = ends.with_last(place);
      }
      Hook::between();
      tail_ = behind;
      if (behind == 0) ++tail_laps_;
      return outcome;
    }

    [[nodiscard]] constexpr Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      Cursor cursor(*this, until);
      for (std::uint32_t head = nowhere;;) {
        Hook::between();
        Lock lock;
        if (head != head_) {
          // At first; and where an interrupt made room meanwhile, places may have become another neuron's.
          head = head_;
          const Ends ends = ends_of(neuron);
          if (ends.empty()) return cursor;
          cursor.at_ = ends.first();
          cursor.last_ = ends.last();
        } else if (cursor.at_ == cursor.last_) {
          cursor.at_ = nowhere;
          return cursor;
        } else {
          cursor.at_ = entries_.header(cursor.at_).next();
        }
        if (!is_dead(cursor.at_, now_)) break;
      }
      cursor.stop_after_until();
      while (!cursor.done() && !is_before(after, cursor.time())) cursor.advance();
      if constexpr (Layout::counts_reads)
        for (Cursor seen = cursor; !seen.done(); seen.advance()) Liveness::read(entries_.state(seen.at_));
      return cursor;
    }

    constexpr bool tick(std::uint32_t now) noexcept {
      if constexpr (HasWindow<Liveness>) {
        if (now - now_ > Liveness::window + ahead) {
          // All in memory is dead.
          Lock lock;
          see_most();
          take_all();
          now_ = now;
          return false;
        }
      }
      for (std::uint32_t left = PerTick;;) {
        Hook::between();
        Lock lock;
        see_most();
        for (std::uint32_t left_locked = batch; left_locked != 0; --left_locked) {
          if (head_ == tail_ || !is_dead(head_, now)) {
            now_ = now;
            return false;
          }
          if (left == 0) {
            if (now - time_of(head_) < Header::too_old) {
              now_ = now;
              return true;
            }
          } else {
            --left;
          }
          reclaim();
        }
      }
    }

    /// Also tells one that is gone; what is older than that is dead, too.
    [[nodiscard]] constexpr bool newest(std::uint32_t neuron, std::uint32_t& time) const noexcept {
      const Ends ends = ends_of(neuron);
      if (ends.empty()) return false;
      time = time_of(ends.last());
      return true;
    }
    [[nodiscard]] constexpr std::size_t events() const noexcept {
      return tail_ >= head_ ? tail_ - head_ : tail_ + places - head_;
    }

    constexpr void clear() noexcept {
      see_most();
      cleared_ += static_cast<std::uint32_t>(events());
      take_all();
    }

    constexpr void add_to(Statistics& statistics) const noexcept {
      const std::uint32_t in_memory = static_cast<std::uint32_t>(events());
      const std::uint32_t stored = tail_laps_ * places + tail_;
      statistics.stored += stored;
      statistics.gave_way += gave_way_;
      statistics.cleared += cleared_;
      statistics.reclaimed += stored - in_memory - gave_way_ - cleared_;
      statistics.most_events += in_memory > most_events_ ? in_memory : most_events_;
    }

    [[nodiscard]] constexpr bool is_consistent() const noexcept {
      if (head_ >= places || tail_ >= places) return false;
      std::size_t linked = 0;
      for (std::size_t neuron = 0; neuron < Layout::neurons; ++neuron) {
        const Ends ends = ends_of(neuron);
        if (ends.empty()) continue;
        std::size_t behind_before = 0; // places behind the head
        std::uint32_t time_before = 0;
        for (std::uint32_t at = ends.first();; at = entries_.header(at).next()) {
          if (at >= places) return false;
          const std::size_t behind = (at + places - head_) % places + 1;
          if (behind > events() || behind <= behind_before || entries_.header(at).neuron() != neuron) return false;
          if (behind_before != 0 && is_before(time_of(at), time_before)) return false;
          time_before = time_of(at);
          behind_before = behind;
          ++linked;
          if (at == ends.last()) break;
        }
      }
      return linked == events();
    }

  private:
    [[nodiscard]] constexpr Ends ends_of(std::uint32_t neuron) const noexcept { return {ends_[neuron]}; }
    [[nodiscard]] constexpr std::uint32_t time_of(std::uint32_t place) const noexcept {
      return entries_.header(place).time(now_);
    }
    [[nodiscard]] constexpr bool is_dead(std::uint32_t place, std::uint32_t now) const noexcept {
      return Liveness::is_dead(entries_.state(place), time_of(place), now);
    }
    constexpr void see_most() noexcept {
      if (events() > most_events_) most_events_ = static_cast<std::uint32_t>(events());
    }
    constexpr void take_all() noexcept {
      Layout::Target::clear_words(ends_.data(), Layout::neurons);
      Hook::between();
      head_ = tail_;
    }
    /// The event at the head, which is the first of its neuron.
    constexpr void reclaim() noexcept {
      const Header header = entries_.header(head_);
      const std::uint32_t neuron = header.neuron();
      const Ends ends = ends_of(neuron);
      ends_[neuron] = ends.last() == head_ ? 0 : ends.with_first(header.next());
      Hook::between();
      head_ = head_ + 1 == places ? 0 : head_ + 1;
    }

    std::array<std::uint32_t, Layout::neurons> ends_{};
    std::uint32_t head_ = 0, tail_ = 0, now_, tail_laps_ = 0;
    std::uint32_t gave_way_ = 0, cleared_ = 0, most_events_ = 0;
    Entries entries_{};
  };
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
