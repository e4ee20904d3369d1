// SPDX-License-Identifier: BSL-1.0
/// \file
/// All neurons' events in one ring, in the order in which they came: the dead are at its head, nothing is ever moved.
///
/// Invariant: the events in memory are a stretch of the ring, from head to tail. Each has a link to its neuron's event
/// before it and the one after it, as their exclusive or. A neuron's last event is known, so its history is found from
/// the youngest backwards, no further than asked for, and shown forwards. Time, neuron and link share a word where they
/// can: none in memory is so old that 13 bits of time would not tell. docs/traces.md has the proof.
#ifndef NEUROMORPH_GC_FIFO_HPP
#define NEUROMORPH_GC_FIFO_HPP

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

/// Ticks that an event may be ahead of the clock where times have so many: as many as the proof allows, an
/// eighth of `half` at most.
[[nodiscard]] constexpr std::uint32_t packed_ahead(std::uint32_t half, std::uint32_t slack,
                                                   std::uint32_t window) noexcept {
  const std::uint32_t most = (half - 2 * slack) / 4 - window;
  return most < half / 8 ? most : half / 8;
}
/// Ticks between two looks at the ring, of such times.
[[nodiscard]] constexpr std::uint32_t packed_slack(std::uint32_t half) noexcept {
  return half / 64 < 16 ? half / 64 : 16;
}

/// Whether time, neuron and link have room in a word, and events may be four ticks ahead of the clock.
[[nodiscard]] constexpr bool packed_header_fits(std::size_t places, std::size_t neurons,
                                                std::uint32_t window) noexcept {
  const int time_bits =
      32 - static_cast<int>(std::bit_width(places - 1)) - static_cast<int>(std::bit_width(neurons - 1));
  if (time_bits < 9) return false;
  const std::uint32_t half = 1U << (time_bits - 1);
  return window <= (half - 2 * packed_slack(half)) / 4 - 4;
}

/// What an event has beside its trace, in one word: time, link, neuron, from the top. Times are compared within half of
/// 2^time_bits ticks.
template <std::size_t Places, std::size_t Neurons, std::uint32_t Window>
class PackedHeader {
  static constexpr unsigned link_bits = std::bit_width(Places - 1), neuron_bits = std::bit_width(Neurons - 1);
  static constexpr unsigned time_bits = link_bits + neuron_bits < 31 ? 32 - link_bits - neuron_bits : 1;
  static constexpr unsigned time_at = 32 - time_bits;

public:
  static constexpr std::uint32_t half = 1U << (time_bits - 1);
  static constexpr std::uint32_t slack = packed_slack(half);
  static constexpr std::uint32_t ahead = packed_ahead(half, slack, Window);
  static constexpr bool fits = packed_header_fits(Places, Neurons, Window);
  /// `time` as is_later_than wants it.
  [[nodiscard]] static constexpr std::int32_t bound(std::uint32_t time, std::uint32_t now) noexcept {
    return static_cast<std::int32_t>((time - now + 1) << time_at);
  }

  constexpr PackedHeader() noexcept = default;
  constexpr PackedHeader(std::uint32_t time, std::uint32_t neuron) noexcept : word_(time << time_at | neuron) {}
  [[nodiscard]] constexpr PackedHeader observed() const noexcept {
    PackedHeader copy;
    copy.word_ = observe(word_);
    return copy;
  }
  [[nodiscard]] constexpr std::uint32_t time(std::uint32_t now) const noexcept {
    return now + static_cast<std::uint32_t>(static_cast<std::int32_t>(word_ - (now << time_at)) >> time_at);
  }
  [[nodiscard]] constexpr std::uint32_t neuron() const noexcept { return word_ & ((1U << neuron_bits) - 1); }
  [[nodiscard]] constexpr bool is_older(std::uint32_t age, std::uint32_t now) const noexcept {
    return static_cast<std::int32_t>(word_ - (now << time_at)) < -static_cast<std::int32_t>(age << time_at);
  }
  [[nodiscard]] constexpr bool is_later_than(std::int32_t bound, std::uint32_t now) const noexcept {
    return static_cast<std::int32_t>(word_ - (now << time_at)) >= bound;
  }
  /// A time that others are counted from: ticks_since is negative before it.
  [[nodiscard]] static constexpr std::uint32_t origin(std::uint32_t time) noexcept { return time << time_at; }
  [[nodiscard]] constexpr bool is_since(std::uint32_t origin) const noexcept {
    return static_cast<std::int32_t>(word_ - origin) >= 0;
  }
  [[nodiscard]] constexpr std::int32_t ticks_since(std::uint32_t origin) const noexcept {
    return static_cast<std::int32_t>(word_ - origin) >> time_at;
  }
  /// True only if both are of one neuron, and this one is of a later tick; false, too, if it is of the next one and its
  /// link is lower. Both may have links.
  [[nodiscard]] constexpr bool is_surely_after(PackedHeader other) const noexcept {
    return std::rotr(word_ - other.word_ - (1U << time_at), static_cast<int>(neuron_bits)) >> (31 - neuron_bits) == 0;
  }
  /// Ticks by which this one is later.
  [[nodiscard]] constexpr std::int32_t ticks_after(PackedHeader other) const noexcept {
    constexpr std::uint32_t of_time = ~0U << time_at;
    return static_cast<std::int32_t>((word_ & of_time) - (other.word_ & of_time)) >> time_at;
  }
  [[nodiscard]] constexpr std::uint32_t link() const noexcept {
    return (word_ >> neuron_bits) & ((1U << link_bits) - 1);
  }
  constexpr void toggle_link(std::uint32_t place) noexcept { word_ ^= place << neuron_bits; }

private:
  std::uint32_t word_ = 0;
};

/// The same in two words, for any time.
class WideHeader {
public:
  static constexpr std::uint32_t half = 1U << 31, slack = 16, ahead = 1U << 27;

  constexpr WideHeader() noexcept = default;
  constexpr WideHeader(std::uint32_t time, std::uint32_t neuron) noexcept : time_(time), rest_(neuron) {}
  [[nodiscard]] constexpr WideHeader observed() const noexcept {
    WideHeader copy;
    copy.time_ = observe(time_), copy.rest_ = observe(rest_);
    return copy;
  }
  [[nodiscard]] constexpr std::uint32_t time(std::uint32_t) const noexcept { return time_; }
  [[nodiscard]] constexpr std::uint32_t neuron() const noexcept { return rest_ & 0xFFFF; }
  [[nodiscard]] constexpr bool is_older(std::uint32_t age, std::uint32_t now) const noexcept {
    return static_cast<std::int32_t>(time_ - now) < -static_cast<std::int32_t>(age);
  }
  [[nodiscard]] static constexpr std::int32_t bound(std::uint32_t time, std::uint32_t now) noexcept {
    return static_cast<std::int32_t>(time - now + 1);
  }
  [[nodiscard]] constexpr bool is_later_than(std::int32_t bound, std::uint32_t now) const noexcept {
    return static_cast<std::int32_t>(time_ - now) >= bound;
  }
  [[nodiscard]] static constexpr std::uint32_t origin(std::uint32_t time) noexcept { return time; }
  [[nodiscard]] constexpr bool is_since(std::uint32_t origin) const noexcept { return ticks_since(origin) >= 0; }
  [[nodiscard]] constexpr std::int32_t ticks_since(std::uint32_t origin) const noexcept {
    return static_cast<std::int32_t>(time_ - origin);
  }
  [[nodiscard]] constexpr bool is_surely_after(WideHeader other) const noexcept {
    return neuron() == other.neuron() && ticks_after(other) > 0;
  }
  [[nodiscard]] constexpr std::int32_t ticks_after(WideHeader other) const noexcept {
    return static_cast<std::int32_t>(time_ - other.time_);
  }
  [[nodiscard]] constexpr std::uint32_t link() const noexcept { return rest_ >> 16; }
  constexpr void toggle_link(std::uint32_t place) noexcept { rest_ ^= place << 16; }

private:
  std::uint32_t time_ = 0, rest_ = 0;
};

/// \tparam Events   most events in memory, 1 to 65534
/// \tparam Full     what happens when all are alive: WhenFull::oldest_gives_way takes the first recorded of all, which
///                  need not be of the earliest time
/// \tparam PerAdvance  most events that one `advance_to` reclaims
///
/// Memory: per event its own bytes, if time, neuron and link fit a word (with a window of 500 ticks: where neurons and
/// events have 20 bits together, as for 255 neurons and 4095 events), else 4 more. Per neuron 2; one event's and 36 for
/// all, 44 where the oldest gives way.
/// \cost  record and clear O(1), each record reclaims one event at most; window O(the neuron's events from the youngest
/// to the oldest that it shows). advance_to O(PerAdvance), however far apart ticks are
/// Locked: a whole record; in an advance, up to PerAdvance reclaimed events; in a window, a few loads.
/// Room: an event is refused while `Events` are alive, or dead behind a live one that was recorded before them.
template <std::size_t Events, WhenFull Full = WhenFull::refuse_newest, std::size_t PerAdvance = 16>
struct Fifo {
  static_assert(Events >= 1 && Events <= 65534, "neuromorph: a gc::Fifo holds 1 to 65534 events; see docs/traces.md");
  static_assert(PerAdvance >= 1, "neuromorph: a gc::Fifo reclaims at least one event per advance; see docs/traces.md");
  struct GivenUp {
    std::uint32_t count = 0, until = 0;
  };

  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    using Liveness = typename Layout::Liveness;
    using State = typename Liveness::State;
    using Hook = typename Layout::Hook;
    using Lock = typename Layout::Target::InterruptLock;
    static_assert(Liveness::in_time_order && !Layout::counts_reads,
                  "neuromorph: gc::Fifo reclaims in order of time, which this Liveness does not keep; take gc::Pool; "
                  "see docs/traces.md");
    /// One more than events, so that a full ring is not an empty one.
    static constexpr std::uint32_t places = Events + 1;
    static constexpr std::uint32_t nowhere = ~0U;
    using Packed = PackedHeader<places, Layout::neurons, Layout::window>;
    using Header = std::conditional_t<Packed::fits, Packed, WideHeader>;
    using Entries = EventArray<Header, State, Trace, places>;
    static constexpr bool gives_way = Full == WhenFull::oldest_gives_way;
    /// Ticks that may pass before the ring is looked at.
    static constexpr std::uint32_t slack = Header::slack;
    static constexpr std::uint64_t reach = std::uint64_t{Layout::window} + Header::ahead;
    static_assert(3 * reach + 2 * slack < Header::half);
    /// Whether an event's link leads to what was before it, or to another neuron's or younger event: who is alive is in
    /// memory, and who is dead does not look alive. Else where it leads to must be in memory, and before it.
    static constexpr bool trusts_links = HasWindow<Liveness> && !gives_way && 4 * reach + 2 * slack <= Header::half;

  public:
    using Offers = offer::List<offer::RecordFast, offer::AdvanceFast, offer::Leap,
                               offer::When<trusts_links, offer::Replay>, offer::When<gives_way, offer::LostUntil>>;
    static constexpr std::size_t bytes =
        (Entries::bytes + 3) / 4 * 4 + (Layout::neurons * 2 + 3) / 4 * 4 + (gives_way ? 44 : 36);
    static constexpr std::uint32_t ahead = Header::ahead;
    static constexpr std::uint32_t longest_step = Layout::window + ahead;
    static constexpr bool keeps_views = !gives_way;

    class Cursor {
    public:
      [[nodiscard]] constexpr bool done() const noexcept { return at_ == nowhere; }
      [[nodiscard]] constexpr std::uint32_t time() const noexcept { return heap_->time_of(at_); }
      [[nodiscard]] constexpr const Trace& trace() const noexcept { return heap_->entries_.trace(at_); }
      constexpr void advance() noexcept {
        const std::uint32_t next = at_ == last_ ? nowhere : heap_->entries_.header(at_).link() ^ before_;
        before_ = at_;
        at_ = next;
      }
      [[nodiscard]] constexpr Cursor before() const noexcept {
        Cursor only(*heap_);
        only.at_ = only.last_ = earlier_;
        return only;
      }

    private:
      friend Heap;
      explicit constexpr Cursor(const Heap& heap) noexcept : heap_(&heap) {}
      const Heap* heap_;
      std::uint32_t at_ = nowhere, before_ = 0, last_ = 0, earlier_ = nowhere;
    };
    /// Of a row whose window is within reach.
    struct Bounds {
      std::uint32_t now, first, origin; ///< first: tick of the window
      std::int32_t oldest;              ///< of a live event, in ticks since the first
    };

    /// With `start` of 0 all is zero, for memory that is not in the image. The first event is not recorded fast, and
    /// the first advance looks at the ring, so its head needs no guard yet.
    explicit constexpr Heap(std::uint32_t start) noexcept : now_(start), look_(start), marked_at_(start) {}

    [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }

    /// The usual case, with a dead event at the head, without a branch taken. False for any other, with nothing
    /// changed.
    [[gnu::always_inline]] constexpr bool record_fast(std::uint32_t neuron, std::uint32_t time, const Trace& trace,
                                                      std::uint32_t now) noexcept {
      if constexpr (!trusts_links) return false;
      const std::uint32_t place = tail_;
      std::uint32_t head = head_;
      if (is_dead(head, now)) [[likely]]
        --head;
      else if (head == place - 1) [[unlikely]]
        return false;
      const bool at_an_end = static_cast<std::int32_t>(head | (place - 1)) < 0;
      if (at_an_end) [[unlikely]]
        return false;
      const std::uint32_t before = last_[neuron];
      Header header(time, neuron);
      head_ = head;
      Hook::between();
      entries_.header(before).toggle_link(place);
      Hook::between();
      header.toggle_link(before);
      entries_.set(place, header, trace);
      Hook::between();
      last_[neuron] = static_cast<std::uint16_t>(place);
      Hook::between();
      tail_ = place - 1;
      return true;
    }

    constexpr Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool is_linked) noexcept {
      const std::uint32_t place = tail_, before = last_[neuron];
      Recorded outcome = Recorded::stored;
      const std::uint32_t behind = after(place);
      if (head_ != place && is_dead(head_)) {
        head_ = after(head_);
        Hook::between();
      } else if (behind == head_) {
        if constexpr (gives_way) {
          give_up(head_);
          outcome = Recorded::stored_oldest_gave_way;
          head_ = after(head_);
          Hook::between();
        } else {
          return Recorded::refused_full;
        }
      }
      if constexpr (!trusts_links) is_linked = is_linked && entries_.header(before).neuron() == neuron;
      // To one that is not in memory, too: it has no place before this one, so none is found through it.
      if (is_linked) {
        entries_.header(before).toggle_link(place);
        Hook::between();
      }
      Header header(time, neuron);
      header.toggle_link(is_linked ? before : place);
      entries_.set(place, header, trace);
      Hook::between();
      last_[neuron] = static_cast<std::uint16_t>(place);
      Hook::between();
      tail_ = behind;
      if (place == 0) ++tail_laps_;
      return outcome;
    }

    [[nodiscard]] [[gnu::always_inline]] constexpr Cursor look(std::uint32_t neuron, std::uint32_t after,
                                                               std::uint32_t until) const noexcept {
      Cursor cursor(*this);
      std::uint32_t at = 0, next = 0;
      Header header;
      {
        // An event that comes now changes the link of the one before it.
        Lock lock;
        at = last_[neuron];
        header = entries_.header(at);
        if (!is_in_memory(at) || header.neuron() != neuron) return cursor;
      }
      const std::uint32_t now = now_;
      const std::int32_t first = Header::bound(after, now), beyond = Header::bound(until, now);
      while (true) {
        if constexpr (!HasWindow<Liveness>)
          if (Liveness::is_dead(entries_.state(at), header.time(now), now)) break;
        if (!header.is_later_than(first, now)) {
          cursor.earlier_ = at;
          break;
        }
        const std::uint32_t before = header.link() ^ next;
        if (!header.is_later_than(beyond, now)) {
          if (cursor.done()) cursor.last_ = at;
          cursor.at_ = at;
          cursor.before_ = before;
        }
        Hook::between();
        const Header older = entries_.header(before).observed();
        if (!leads_to(at, header, before, older)) break;
        header = older;
        next = at;
        at = before;
      }
      return cursor;
    }
    [[nodiscard]] constexpr Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      return look(neuron, after, until);
    }

    [[nodiscard]] constexpr Bounds bounds_of(std::uint32_t after) const noexcept requires(trusts_links) {
      return {now_, after + 1, Header::origin(after + 1),
              static_cast<std::int32_t>(now_ - Layout::window - (after + 1))};
    }
    /// \param is_newest  whether the neuron's newest event is still the one that the caller has seen; else nothing is
    ///                   called, and the answer is false
    template <class IsNewest, class Before, class Each>
    [[gnu::always_inline]] constexpr bool replay(std::uint32_t neuron, const Bounds& bounds, IsNewest is_newest,
                                                 Before before, Each each) const noexcept {
      Hook::between();
      const std::uint32_t newest = last_[neuron];
      Hook::between();
      Header header = entries_.header(newest).observed();
      Hook::between();
      if (!is_newest()) [[unlikely]]
        return false;
      std::uint32_t next = newest, at = header.link();
      Header older = entries_.header(at).observed();
      std::uint32_t left = 0;
      if constexpr (std::is_same_v<Before, NotAsked>) {
        // What is not later is not of the window, whether it is the neuron's or has taken the place of what was.
        while (older.is_since(bounds.origin) && leads_to(next, header, at, older)) {
          ++left;
          const std::uint32_t earlier = older.link() ^ next;
          next = at;
          at = earlier;
          header = older;
          Hook::between();
          older = entries_.header(at).observed();
        }
      } else {
        while (leads_to(next, header, at, older)) [[likely]] {
            if (!older.is_since(bounds.origin)) {
              const std::int32_t ticks = older.ticks_since(bounds.origin);
              if (ticks >= bounds.oldest) before(bounds.first + static_cast<std::uint32_t>(ticks), entries_.trace(at));
              break;
            }
            ++left;
            const std::uint32_t earlier = older.link() ^ next;
            next = at;
            at = earlier;
            header = older;
            Hook::between();
            older = entries_.header(at).observed();
          }
      }
      for (; left != 0; --left) {
        Hook::between();
        const Header shown = entries_.header(next);
        each(bounds.first + static_cast<std::uint32_t>(shown.ticks_since(bounds.origin)), entries_.trace(next));
        const std::uint32_t later = shown.link() ^ at;
        at = next;
        next = later;
      }
      return true;
    }

    /// Records reclaim as much as they take; what dies besides may gather for some ticks. False when it is late.
    [[gnu::always_inline]] constexpr bool advance_fast(std::uint32_t now) noexcept {
      if (now - now_ >= look_ - now_) [[unlikely]] {
        if (now - now_ > longest_step || is_mark_dead(now) || observe(head_) == tail_ || is_late(now)) return false;
        look_ = now + slack;
      }
      now_ = now;
      return true;
    }
    constexpr bool advance_to(std::uint32_t now) noexcept {
      const typename Hook::template During<Work::scan> scan(true);
      Hook::between();
      Lock lock;
      see_most();
      if (is_mark_dead(now)) pass_mark(); // before any time is looked at
      const std::uint32_t tail = tail_;
      std::uint32_t head = head_;
      std::uint32_t left = PerAdvance;
      while (head != tail && left != 0 && is_dead(head, now)) {
        head = after(head);
        --left;
      }
      head_ = head;
      now_ = now;
      look_ = left == 0 ? now : now + slack;
      guard_empty_ring(now);
      return left == 0;
    }
    /// By more than `longest_step`: all that is in memory is dead. An advance follows, which finds the mark dead, too.
    constexpr void leap(std::uint32_t now) noexcept {
      Lock lock;
      see_most();
      head_ = tail_;
      now_ = look_ = now;
      if constexpr (gives_way) given_up_.until = last_dead();
      guard_empty_ring(now);
    }

    [[nodiscard]] constexpr std::size_t events() const noexcept { return behind_head(tail_, head_); }
    [[nodiscard]] constexpr std::uint32_t lost_until() const noexcept requires(gives_way) {
      return given_up_.count == 0 ? last_dead() : given_up_.until;
    }

    constexpr void clear() noexcept {
      see_most();
      cleared_ += static_cast<std::uint32_t>(events());
      head_ = tail_;
      guard_empty_ring(now_);
    }

    constexpr void add_to(Counts& counts) const noexcept {
      const auto in_memory = static_cast<std::uint32_t>(events());
      counts.stored += stored();
      counts.gave_way += gave_way();
      counts.cleared += cleared_;
      counts.reclaimed += stored() - in_memory - gave_way() - cleared_;
      counts.most_events += in_memory > most_events_ ? in_memory : most_events_;
    }

    [[nodiscard]] constexpr bool is_consistent() const noexcept {
      if (head_ >= places || tail_ >= places) return false;
      if (HasWindow<Liveness> && head_ == tail_ && look_ != now_ && is_dead(head_, look_ - 1)) return false;
      if (now_ - marked_at_ >= longest_step + slack || stored() - marked_ > 0x7FFFFFFF) return false;
      std::size_t linked = 0, alive = 0;
      for (std::uint32_t neuron = 0; neuron < Layout::neurons; ++neuron) {
        std::uint32_t at = last_[neuron], next = 0, behind = behind_head(at, head_);
        if (at >= places) return false;
        if (behind >= events() || entries_.header(at).neuron() != neuron) continue;
        while (true) {
          if (!is_dead(at)) ++linked;
          const std::uint32_t before = entries_.header(at).link() ^ next;
          if (before >= places || now_ + ahead - time_of(at) > 3 * (Layout::window + ahead) + 2 * slack) return false;
          if (!leads_to(at, entries_.header(at), before, entries_.header(before)) ||
              behind_head(before, head_) >= behind)
            break;
          if (entries_.header(before).neuron() != neuron || is_before(time_of(at), time_of(before))) return false;
          behind = behind_head(before, head_);
          next = at;
          at = before;
        }
      }
      for (std::uint32_t at = head_; at != tail_; at = after(at))
        if (!is_dead(at)) ++alive;
      return linked == alive;
    }

  private:
    /// Down, since the end of that needs no comparison.
    [[nodiscard]] static constexpr std::uint32_t after(std::uint32_t place) noexcept {
      return place == 0 ? places - 1 : place - 1;
    }
    [[nodiscard]] static constexpr std::uint32_t behind_head(std::uint32_t place, std::uint32_t head) noexcept {
      return place <= head ? head - place : head + places - place;
    }
    [[nodiscard]] constexpr bool is_in_memory(std::uint32_t place) const noexcept {
      return behind_head(place, head_) < events();
    }
    /// Whether the link of an event leads to the one before it, and not to what has taken the place of that.
    [[nodiscard]] constexpr bool leads_to(std::uint32_t at, Header header, std::uint32_t before,
                                          Header older) const noexcept {
      if constexpr (trusts_links) {
        if (header.is_surely_after(older)) [[likely]]
          return true;
        const std::int32_t ticks = header.ticks_after(older);
        if (older.neuron() != header.neuron() || ticks < 0) return false;
        if (ticks > 0) return true;
      }
      // An interrupt can make a dead event's place its own, but not without moving the head past it.
      const std::uint32_t head = observe(head_);
      return behind_head(before, head) < behind_head(at, head);
    }
    /// Where the ring is empty, what stands at its head looks alive until the clock shows `look_`, so that
    /// `record_fast` need not ask.
    constexpr void guard_empty_ring(std::uint32_t now) noexcept {
      if (head_ == tail_) entries_.header(head_) = Header(now + slack, 0);
    }
    [[nodiscard]] constexpr bool is_late(std::uint32_t now) const noexcept {
      return entries_.header(observe(head_)).is_older(Layout::window + slack, now);
    }
    /// Of all neurons, since the start.
    [[nodiscard]] constexpr std::uint32_t stored() const noexcept { return tail_laps_ * places - tail_; }
    [[nodiscard]] constexpr std::uint32_t gave_way() const noexcept {
      if constexpr (gives_way)
        return given_up_.count;
      else
        return 0;
    }
    constexpr void give_up(std::uint32_t place) noexcept requires(gives_way) {
      const std::uint32_t time = time_of(place);
      if (is_before(lost_until(), time)) given_up_.until = time;
      ++given_up_.count;
    }
    /// Whether all that came before the mark is dead.
    [[nodiscard]] constexpr bool is_mark_dead(std::uint32_t now) const noexcept {
      return now - marked_at_ > longest_step;
    }
    constexpr void pass_mark() noexcept {
      const std::uint32_t dead = marked_ - (stored() - static_cast<std::uint32_t>(events()));
      if (dead <= events()) head_ = head_ >= dead ? head_ - dead : head_ + places - dead; // else it is past the mark
      marked_ = stored();
      marked_at_ = now_;
      if constexpr (gives_way) // so that it does not wrap
        if (is_before(given_up_.until, last_dead())) given_up_.until = last_dead();
    }
    [[nodiscard]] constexpr std::uint32_t last_dead() const noexcept { return now_ - Layout::window - 1; }
    [[nodiscard]] constexpr std::uint32_t time_of(std::uint32_t place) const noexcept {
      return entries_.header(place).time(now());
    }
    [[nodiscard]] constexpr bool is_dead(std::uint32_t place) const noexcept { return is_dead(place, now_); }
    [[nodiscard]] constexpr bool is_dead(std::uint32_t place, std::uint32_t now) const noexcept {
      if constexpr (HasWindow<Liveness>)
        return entries_.header(place).is_older(Layout::window, now);
      else
        return Layout::is_dead(entries_.state(place), time_of(place), now);
    }
    constexpr void see_most() noexcept {
      const auto in_memory = static_cast<std::uint32_t>(events());
      if (in_memory > most_events_) most_events_ = in_memory;
    }

    std::uint32_t head_ = 0, tail_ = 0, now_, look_, tail_laps_ = 0;
    std::uint32_t cleared_ = 0, most_events_ = 0;
    std::uint32_t marked_ = 0, marked_at_; // events that had come when the clock showed that
    [[no_unique_address]] std::conditional_t<gives_way, GivenUp, NoState> given_up_{};
    std::array<std::uint16_t, Layout::neurons> last_{};
    Entries entries_{};
  };
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
