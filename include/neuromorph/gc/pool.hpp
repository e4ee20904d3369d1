// SPDX-License-Identifier: BSL-1.0
/// \file
/// Events in a pool of places, each neuron's in a chain of its own: for every Liveness, whatever order events die in.
///
/// Invariant: each place is in one neuron's chain, oldest event first, or in the chain of free places, or has never
/// been used. Reclaiming takes the first event of a chain if it is dead. It looks at two kinds of chains: those in which a
/// read made an event die (they are listed) and one after another, in turns, a bounded number of steps at a time.
#ifndef NEUROMORPH_GC_POOL_HPP
#define NEUROMORPH_GC_POOL_HPP

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

/// When all are alive, the newest is refused: which is the oldest, a pool does not know.
///
/// \tparam Events  most events in memory, 1 to 65534
/// \tparam Steps   of an advance, and of a record that finds no place; each looks at one neuron or reclaims one event
///
/// Memory: per event its own bytes, 2 for the link and those of Liveness::State. Per neuron 4, and 2 more if reads
/// count; 40 for all, and 4 to count what dies unread.
/// \cost  record O(1), O(Steps) when there is no free place; window O(the neuron's events in memory); advance_to
/// O(Steps). Clear O(Neurons)
/// Locked: a whole record; in an advance, four steps at a time; in a window, a step past a dead event.
/// Room: an event is refused while `Events` are alive, or dead and not found yet. A read that makes events die shows
/// them to the next advance and to records, after the next window. What dies of age is found after (Neurons + events in
/// memory) / Steps ticks at the latest, twice that if reads count: so many ticks' events more must fit.
template <std::size_t Events, std::size_t Steps = 16>
struct Pool {
  static_assert(Events >= 1 && Events <= 65534, "neuromorph: a gc::Pool holds 1 to 65534 events; see docs/traces.md");
  static_assert(Steps >= 1, "neuromorph: a gc::Pool does at least one step per advance; see docs/traces.md");

  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    using Liveness = typename Layout::Liveness;
    using Hook = typename Layout::Hook;
    using Lock = typename Layout::Target::InterruptLock;
    struct Time {
      std::uint32_t ticks = 0;
    };
    using Entries = EventArray<Time, typename Liveness::State, Trace, Events>;
    /// Places are numbered from 1; 0 is none. Neurons in lists, too.
    struct Chain {
      std::uint16_t first = 0, last = 0;
    };
    static constexpr std::size_t batch = 4; // steps under one lock
    static constexpr std::size_t listed = Layout::counts_reads ? Layout::neurons : 0;

  public:
    using Offers = offer::List<offer::States>;
    static constexpr std::size_t bytes = (Entries::bytes + 3) / 4 * 4 + (Events * 2 + 3) / 4 * 4 + Layout::neurons * 4 +
                                         (listed * 2 + 3) / 4 * 4 + 40 + UnreadCounter<Liveness>::bytes;
    static constexpr std::uint32_t ahead = 1U << 27;
    /// Each event is found before it is so old that it looks young: when it has been dead for 2^29 ticks at most.
    static constexpr std::uint32_t longest_step =
        (1U << 29) / ((Layout::neurons + Events) * (Layout::counts_reads ? 2 : 1) / Steps + 1);
    static constexpr bool keeps_views = true;

    class Cursor {
    public:
      [[nodiscard]] constexpr bool done() const noexcept { return at_ == 0; }
      [[nodiscard]] constexpr std::uint32_t time() const noexcept { return heap_->time_of(at_); }
      [[nodiscard]] constexpr const Trace& trace() const noexcept { return heap_->entries_.trace(at_ - 1); }
      constexpr void advance() noexcept {
        at_ = at_ == last_ ? 0 : heap_->next_[at_ - 1];
        stop_after_until();
      }
      [[nodiscard]] constexpr Cursor before() const noexcept {
        Cursor only(*heap_, until_);
        only.at_ = only.last_ = earlier_;
        return only;
      }

    private:
      friend Heap;
      constexpr Cursor(const Heap& heap, std::uint32_t until) noexcept : heap_(&heap), until_(until) {}
      constexpr void stop_after_until() noexcept {
        if (at_ != 0 && is_before(until_, time())) at_ = 0;
      }
      const Heap* heap_;
      std::uint32_t until_, at_ = 0, last_ = 0, earlier_ = 0;
    };

    explicit constexpr Heap(std::uint32_t start) noexcept : now_(start) {}

    [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }

    constexpr Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool) noexcept {
      std::uint32_t place = take_free();
      {
        const typename Hook::template During<Work::scan> scan(place == 0);
        for (std::size_t left = Steps; place == 0 && left != 0; --left) {
          step();
          place = take_free();
        }
      }
      if (place == 0) return Recorded::refused_full;
      entries_.set(place - 1, Time{time}, trace);
      next_[place - 1] = 0;
      Hook::between();
      Chain& chain = chains_[neuron];
      if (chain.first == 0)
        chain.first = static_cast<std::uint16_t>(place);
      else
        next_[chain.last - 1U] = static_cast<std::uint16_t>(place);
      Hook::between();
      chain.last = static_cast<std::uint16_t>(place);
      Hook::between();
      ++stored_;
      if (events() > most_events_) most_events_ = static_cast<std::uint32_t>(events());
      return Recorded::stored;
    }

    [[nodiscard]] constexpr Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      if constexpr (Layout::counts_reads) {
        Lock lock;
        list_what_was_read();
        reading_ = 0;
      }
      const Cursor cursor = look(neuron, after, until);
      if constexpr (Layout::counts_reads) {
        if (!cursor.done()) reading_ = neuron + 1; // from here on, its events stay
        Hook::between();
        change_states(cursor, Liveness::read);
      }
      return cursor;
    }
    template <class Change>
    constexpr void change_states(std::uint32_t neuron, std::uint32_t after, std::uint32_t until,
                                 Change change) noexcept {
      change_states(look(neuron, after, until), change);
    }
    [[nodiscard]] constexpr Cursor look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) const noexcept {
      Cursor cursor(*this, until);
      for (std::uint32_t seen = reclaimed_ - 1;;) {
        Hook::between();
        Lock lock;
        if (seen != reclaimed_) {
          // At first; and where an interrupt took a dead event, its place may be another neuron's.
          seen = reclaimed_;
          cursor.at_ = chains_[neuron].first;
          cursor.last_ = chains_[neuron].last;
        } else {
          cursor.at_ = cursor.at_ == cursor.last_ ? 0 : next_[cursor.at_ - 1];
        }
        if (cursor.at_ == 0) return cursor;
        if (!is_dead(cursor.at_)) break;
      }
      while (cursor.at_ != 0 && !is_before(after, cursor.time())) {
        cursor.earlier_ = cursor.at_;
        cursor.at_ = cursor.at_ == cursor.last_ ? 0 : next_[cursor.at_ - 1];
      }
      cursor.stop_after_until();
      return cursor;
    }

    constexpr bool advance_to(std::uint32_t now) noexcept {
      const typename Hook::template During<Work::scan> scan(true);
      {
        Lock lock;
        list_what_was_read();
        reading_ = 0;
        now_ = now;
      }
      const std::uint32_t before = reclaimed_;
      for (std::size_t done = 0; done < Steps; done += batch) {
        Hook::between();
        Lock lock;
        for (std::size_t more = 0; more < batch && done + more < Steps; ++more) step();
      }
      return reclaimed_ != before;
    }

    [[nodiscard]] constexpr std::size_t events() const noexcept { return stored_ - reclaimed_ - cleared_; }

    constexpr void clear() noexcept {
      cleared_ += static_cast<std::uint32_t>(events());
      chains_ = {};
      list_ = {};
      reading_ = first_listed_ = 0;
      used_ = 0;
      free_ = 0;
    }

    constexpr void add_to(Counts& counts) const noexcept {
      counts.stored += stored_;
      counts.reclaimed += reclaimed_;
      counts.reclaimed_unread += unread_.count();
      counts.cleared += cleared_;
      counts.most_events += most_events_;
    }

    [[nodiscard]] constexpr bool is_consistent() const noexcept {
      std::array<bool, Events + 1> seen{};
      std::size_t count = 0;
      const auto is_new = [&](std::uint32_t place) { // to be called for what is not 0
        if (place > used_ || seen[place]) return false;
        return seen[place] = true;
      };
      for (const Chain& chain : chains_) {
        if ((chain.first == 0) != (chain.last == 0)) return false;
        bool alive = false; // what is gone may be younger than what has come since
        for (std::uint32_t at = chain.first, before = 0; at != 0; before = at, at = next_[at - 1]) {
          if (!is_new(at) || (alive && is_before(time_of(at), time_of(before)))) return false;
          alive = alive || !is_dead(at);
          if (next_[at - 1] == 0 && at != chain.last) return false;
          ++count;
        }
      }
      if (count != events()) return false;
      for (std::uint32_t at = free_; at != 0; at = next_[at - 1], ++count)
        if (!is_new(at)) return false;
      return count == used_;
    }

  private:
    template <class Change>
    constexpr void change_states(Cursor shown, Change change) noexcept {
      for (; !shown.done(); shown.advance()) change(entries_.state(shown.at_ - 1));
    }
    [[nodiscard]] constexpr std::uint32_t time_of(std::uint32_t place) const noexcept {
      return entries_.header(place - 1).ticks;
    }
    [[nodiscard]] constexpr bool is_dead(std::uint32_t place) const noexcept {
      return Layout::is_dead(entries_.state(place - 1), time_of(place), now_);
    }
    constexpr std::uint32_t take_free() noexcept {
      const std::uint32_t place = free_;
      if (place != 0)
        free_ = next_[place - 1];
      else if (used_ != Events)
        return ++used_;
      return place;
    }
    constexpr void reclaim_first(std::uint32_t neuron) noexcept {
      Chain& chain = chains_[neuron];
      const std::uint16_t place = chain.first;
      unread_.see(entries_.state(place - 1U));
      chain.first = next_[place - 1U];
      Hook::between();
      if (chain.first == 0) chain.last = 0;
      Hook::between();
      next_[place - 1U] = static_cast<std::uint16_t>(free_);
      Hook::between();
      free_ = place;
      Hook::between();
      ++reclaimed_;
    }
    /// Reclaims an event or goes on to another neuron. Those in the list have every other step at most: else the others
    /// would wait for as long as there are reads.
    constexpr void step() noexcept {
      bool from_list = false;
      if constexpr (Layout::counts_reads) {
        from_list = was_in_turn_ != 0 && first_listed_ != 0;
        was_in_turn_ = from_list ? 0 : 1;
      }
      const std::uint32_t neuron = from_list ? first_listed_ - 1U : next_neuron_;
      const std::uint32_t first = chains_[neuron].first;
      if (neuron + 1 != reading_ && first != 0 && is_dead(first)) {
        reclaim_first(neuron);
        return;
      }
      if constexpr (Layout::counts_reads) {
        if (from_list) {
          first_listed_ = list_[neuron] - 1U;
          Hook::between();
          list_[neuron] = 0;
          return;
        }
      }
      next_neuron_ = neuron + 1 == Layout::neurons ? std::uint16_t{0} : static_cast<std::uint16_t>(neuron + 1);
    }
    /// In front of the list, unless it is in there or nothing has died.
    constexpr void list_what_was_read() noexcept {
      if constexpr (Layout::counts_reads) {
        if (reading_ == 0) return;
        const std::uint32_t neuron = reading_ - 1;
        if (list_[neuron] != 0 || chains_[neuron].first == 0 || !is_dead(chains_[neuron].first)) return;
        list_[neuron] = static_cast<std::uint16_t>(first_listed_ + 1);
        Hook::between();
        first_listed_ = neuron + 1;
      }
    }

    std::uint32_t now_;
    std::uint16_t next_neuron_ = 0, was_in_turn_ = 0; // the last step was not one of the list
    std::uint32_t stored_ = 0, reclaimed_ = 0, cleared_ = 0, most_events_ = 0;
    std::uint32_t reading_ = 0;      // the neuron of the last view, if reads count
    std::uint32_t first_listed_ = 0; // of the neurons in which a read has made an event die
    std::uint32_t used_ = 0;         // places that have ever been
    std::uint32_t free_ = 0;
    [[no_unique_address]] UnreadCounter<Liveness> unread_{};
    std::array<Chain, Layout::neurons> chains_{};
    /// The next listed neuron, plus 1; 0 for one that is not listed.
    [[no_unique_address]] std::conditional_t<listed == 0, NoState, std::array<std::uint16_t, listed>> list_{};
    std::array<std::uint16_t, Events> next_{};
    Entries entries_{};
  };
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
