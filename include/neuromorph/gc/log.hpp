// SPDX-License-Identifier: BSL-1.0
/// \file
/// All neurons' events in one ring, in the order in which they came: the dead are at its head, nothing is ever moved.
///
/// Invariant: the events in memory are a stretch of the ring; each links to the next one of its neuron; a neuron's
/// first link is its oldest event in memory. Reclaiming takes the event at the head, if it is dead, and nothing else.
/// Every operation is bounded by a constant, so there is no pause to speak of. It needs a Liveness in order of time.
#ifndef NEUROMORPH_GC_LOG_HPP
#define NEUROMORPH_GC_LOG_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/liveness.hpp>
#include <neuromorph/gc/trace_store.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

/// \tparam Events   most events in memory, 2 to 65534
/// \tparam Full     what happens when all are alive: OldestGivesWay takes the oldest of all neurons
/// \tparam PerTick  most events that one `tick` reclaims
/// Memory: per event its own bytes, 2 for the link and 1 for the neuron (2 from 256 neurons on; links of 1 byte below
/// 255 events); per neuron two links. \cost   record O(1) and one reclaimed event at the most; window O(events of the
/// neuron in memory); tick O(PerTick) Locked: a whole record; in a tick one reclaimed event at a time.
template <std::size_t Events, FullPolicy Full = RefuseNewest, std::size_t PerTick = 8>
struct Log {
  static_assert(Events >= 2 && Events < 65535, "neuromorph: a gc::Log holds 2 to 65534 events; see docs/traces.md");
  static_assert(PerTick >= 1, "neuromorph: a gc::Log reclaims at least one event per tick; see docs/traces.md");

  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    using Liveness = typename Layout::Liveness;
    using Link = IndexFor<Events>;
    using Neuron = IndexFor<Layout::neurons>;
    static_assert(Liveness::in_time_order,
                  "neuromorph: gc::Log reclaims in order of time, which this Liveness does not "
                  "keep; take gc::Pool; see docs/traces.md");
    static constexpr Link none = static_cast<Link>(-1);

  public:
    static constexpr std::size_t bytes = Events * (Layout::event_bytes + sizeof(Link) + sizeof(Neuron)) +
                                         Layout::neurons * 2 * sizeof(Link) + 3 * sizeof(std::uint32_t);

    constexpr Heap() noexcept { first_.fill(none); }

    class View {
    public:
      struct End {};
      class Iterator {
      public:
        constexpr Iterator(const Heap& heap, std::uint32_t neuron, std::uint32_t until) noexcept
            : heap_(&heap), until_(until), at_(heap.first_[neuron]), last_(heap.last_[neuron]) {}
        [[nodiscard]] constexpr Event<Trace> operator*() const noexcept {
          return {heap_->time_[at_], heap_->trace_[at_]};
        }
        constexpr Iterator& operator++() noexcept {
          at_ = at_ == last_ ? none : heap_->next_[at_];
          return *this;
        }
        [[nodiscard]] constexpr bool operator!=(End) const noexcept {
          return at_ != none && !is_before(until_, heap_->time_[at_]);
        }

      private:
        friend View;
        const Heap* heap_;
        std::uint32_t until_;
        Link at_, last_;
      };
      constexpr View(const Heap& heap, std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept
          : begin_(heap, neuron, until) {
        while (begin_.at_ != none && !is_before(after, heap.time_[begin_.at_])) ++begin_;
      }
      [[nodiscard]] constexpr Iterator begin() const noexcept { return begin_; }
      [[nodiscard]] constexpr End end() const noexcept { return {}; }

    private:
      Iterator begin_;
    };

    constexpr Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, std::uint32_t now,
                              Statistics& statistics) noexcept {
      Recorded outcome = Recorded::stored;
      if (count_ != 0 && Liveness::is_dead({}, time_[head_], now)) {
        reclaim();
        ++statistics.reclaimed;
      } else if (count_ == Events) {
        if constexpr (!Full::gives_way) return Recorded::refused_full;
        reclaim();
        ++statistics.gave_way;
        outcome = Recorded::stored_oldest_gave_way;
      }
      const Link place = static_cast<Link>(tail_);
      time_[place] = time;
      trace_[place] = trace;
      neuron_[place] = static_cast<Neuron>(neuron);
      if (first_[neuron] == none)
        first_[neuron] = place;
      else
        next_[last_[neuron]] = place;
      last_[neuron] = place;
      tail_ = after(tail_);
      ++count_;
      return outcome;
    }

    [[nodiscard]] constexpr View window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) const noexcept {
      return View(*this, neuron, after, until);
    }

    constexpr bool tick(std::uint32_t now, Statistics& statistics) noexcept {
      for (std::size_t step = 0; step < PerTick; ++step) {
        Layout::Hook::between();
        typename Layout::Target::InterruptLock lock;
        if (count_ == 0 || !Liveness::is_dead({}, time_[head_], now)) return false;
        reclaim();
        ++statistics.reclaimed;
      }
      return count_ != 0 && Liveness::is_dead({}, time_[head_], now);
    }

    [[nodiscard]] constexpr bool newest(std::uint32_t neuron, std::uint32_t& time) const noexcept {
      if (first_[neuron] == none) return false;
      time = time_[last_[neuron]];
      return true;
    }
    [[nodiscard]] constexpr std::size_t events() const noexcept { return count_; }

    [[nodiscard]] constexpr bool is_consistent() const noexcept {
      if (count_ > Events || (head_ + count_) % Events != tail_) return false;
      std::size_t linked = 0;
      for (std::size_t neuron = 0; neuron < Layout::neurons; ++neuron) {
        std::size_t behind_before = 0; // places behind the head
        for (Link at = first_[neuron]; at != none; at = at == last_[neuron] ? none : next_[at]) {
          const std::size_t behind = (at + Events - head_) % Events + 1;
          if (behind > count_ || behind <= behind_before || neuron_[at] != neuron) return false;
          behind_before = behind;
          ++linked;
        }
      }
      return linked == count_;
    }

  private:
    [[nodiscard]] static constexpr std::uint32_t after(std::uint32_t place) noexcept {
      return place + 1 == Events ? 0 : place + 1;
    }
    /// The event at the head: the oldest of all, and so the first of its neuron.
    constexpr void reclaim() noexcept {
      const std::uint32_t neuron = neuron_[head_];
      Layout::Hook::between();
      first_[neuron] = head_ == last_[neuron] ? none : next_[head_];
      Layout::Hook::between();
      head_ = after(head_);
      --count_;
    }

    std::array<std::uint32_t, Events> time_{};
    std::array<Trace, Events> trace_{};
    std::array<Link, Events> next_{};
    std::array<Neuron, Events> neuron_{};
    std::array<Link, Layout::neurons> first_{}, last_{};
    std::uint32_t head_ = 0, tail_ = 0, count_ = 0;
  };
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
