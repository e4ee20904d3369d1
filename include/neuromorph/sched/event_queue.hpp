// SPDX-License-Identifier: BSL-1.0
/// \file
/// Events waiting for their service, the earliest deadline first, equal ones in the order in which they came.
///
/// Capacity is fixed. What happens when it is full is a policy, and counted; an event whose deadline is the earliest is
/// never given up for another one.
#ifndef NEUROMORPH_SCHED_EVENT_QUEUE_HPP
#define NEUROMORPH_SCHED_EVENT_QUEUE_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What gives way in a full queue.
namespace queue_full {
/// The event that comes.
struct RefuseNewest {};
/// The one with the latest deadline; of equal ones, the one that came last.
struct DropLatestDeadline {};
} // namespace queue_full

template <class Policy>
concept QueueFullPolicy =
    std::same_as<Policy, queue_full::RefuseNewest> || std::same_as<Policy, queue_full::DropLatestDeadline>;

namespace detail {

/// An event as whole words, which compilers copy as such.
template <TickCount Tick>
struct QueuedEvent {
  Tick deadline = 0;
  std::uint32_t service = 0;
  [[nodiscard]] constexpr Event<Tick> event() const noexcept { return {deadline, static_cast<ServiceId>(service)}; }
};

/// A ring in the order of deadlines. A new event looks for its place from the latest deadline on, which is where most
/// of them belong.
template <TickCount Tick, std::size_t Capacity>
class SortedEvents {
public:
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] constexpr Event<Tick> first() const noexcept { return events_[begin_ % ring].event(); }
  [[nodiscard]] constexpr Event<Tick> last() const noexcept { return events_[(end_ - 1) % ring].event(); }

  [[gnu::always_inline]] constexpr void insert(const Event<Tick>& event) noexcept {
    std::uint32_t place = end_++;
    for (; place != begin_; --place) {
      const Tick deadline = events_[(place - 1) % ring].deadline;
      const std::uint32_t service = events_[(place - 1) % ring].service;
      if (!is_before(event.deadline, deadline)) break;
      events_[place % ring].deadline = deadline;
      events_[place % ring].service = service;
    }
    events_[place % ring].deadline = event.deadline;
    events_[place % ring].service = event.service;
  }
  constexpr Event<Tick> take_first() noexcept { return events_[begin_++ % ring].event(); }
  constexpr void drop_last() noexcept { --end_; }

private:
  static constexpr std::uint32_t ring = std::bit_ceil(static_cast<std::uint32_t>(Capacity));
  std::array<QueuedEvent<Tick>, ring> events_{};
  std::uint32_t begin_ = 0, end_ = 0;
};

/// Up to 16 events that stay where they are, and their order as a number of 16 digits, a slot each: the earliest
/// lowest, free slots above the latest. An event finds its place in four comparisons and moves the digits above by a
/// shift.
template <TickCount Tick>
class OrderOfEvents {
  using Slot = QueuedEvent<Tick>;

public:
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr Event<Tick> first() const noexcept { return slots_[low_ & 15].event(); }
  [[nodiscard]] constexpr Event<Tick> last() const noexcept {
    return slots_[(count_ > 8 ? high_ : low_) >> (4 * ((count_ - 1) & 7)) & 15].event();
  }

  [[gnu::always_inline]] constexpr void insert(const Event<Tick>& event) noexcept {
    const Tick deadline = event.deadline;
    if (count_ == 0) { // the lowest digit is free, and as good as any
      count_ = 1;
      slots_[low_ & 15].deadline = deadline;
      slots_[low_ & 15].service = event.service;
      return;
    }
    const std::uint32_t slot = high_ >> 28; // free, as the queue is not full
    const Slot* const slots = slots_.data();
    slots_[slot].deadline = deadline;
    slots_[slot].service = event.service;
    const auto is_earlier = [&](std::uint32_t digit) { return is_before(deadline, slots[digit & 15].deadline); };
    // Seven digits in which to look, from `place` on. Where there are fewer, they begin with the new event itself,
    // which is not earlier than itself.
    std::uint32_t place = count_ - 7, right = 4 * (count_ & 7), word = low_, below = 0;
    if (count_ < 8)
      below = slot * 0x1111'1111U;
    else if (!is_earlier(low_ >> 28))
      word = high_, below = low_;
    else
      place = 0, right = 28;
    word = word << (28 - right) | (below >> 4) >> right;
    if (!is_earlier(word >> 12)) word >>= 16, place += 4;
    if (!is_earlier(word >> 4)) word >>= 8, place += 2;
    if (!is_earlier(word)) ++place;
    ++count_;
    // The digits above move up.
    const std::uint32_t shift = 4 * (place & 7), above = ~0U << shift;
    if (place < 8) {
      high_ = high_ << 4 | low_ >> 28;
      low_ = (low_ & ~above) | (low_ & above) << 4 | slot << shift;
    } else {
      high_ = (high_ & ~above) | (high_ & above) << 4 | slot << shift;
    }
  }
  constexpr Event<Tick> take_first() noexcept {
    const std::uint32_t slot = low_ & 15;
    low_ = low_ >> 4 | high_ << 28;
    high_ = high_ >> 4 | slot << 28;
    --count_;
    return slots_[slot].event();
  }
  constexpr void drop_last() noexcept { --count_; }

private:
  std::uint32_t low_ = 0x7654'3210U, high_ = 0xFEDC'BA98U, count_ = 0;
  std::array<Slot, 16> slots_{};
};

/// A binary heap; an arrival number tells equal deadlines apart.
template <TickCount Tick, std::size_t Capacity>
class HeapOfEvents {
public:
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr Event<Tick> first() const noexcept { return nodes_[0].event.event(); }
  /// \cost O(n): for a full queue only
  [[nodiscard]] constexpr Event<Tick> last() const noexcept { return nodes_[latest()].event.event(); }

  constexpr void insert(const Event<Tick>& event) noexcept {
    rise(count_++, {{event.deadline, event.service}, arrival_++});
  }
  constexpr Event<Tick> take_first() noexcept {
    const Event<Tick> event = first();
    if (--count_ != 0) sink(nodes_[count_]);
    return event;
  }
  constexpr void drop_last() noexcept {
    const std::uint32_t place = latest();
    if (--count_ != place) rise(place, nodes_[count_]); // a leaf has nothing below
  }

private:
  struct Node {
    QueuedEvent<Tick> event;
    std::uint32_t arrival = 0;
  };
  [[nodiscard]] static constexpr bool is_earlier(const Node& a, const Node& b) noexcept {
    if (a.event.deadline != b.event.deadline) return is_before(a.event.deadline, b.event.deadline);
    return is_before(a.arrival, b.arrival);
  }
  constexpr void rise(std::uint32_t place, const Node& node) noexcept {
    while (place != 0) {
      const std::uint32_t parent = (place - 1) / 2;
      if (!is_earlier(node, nodes_[parent])) break;
      nodes_[place] = nodes_[parent];
      place = parent;
    }
    nodes_[place] = node;
  }
  /// Puts a node at the root's place or below.
  constexpr void sink(const Node node) noexcept {
    std::uint32_t place = 0;
    for (std::uint32_t child = 1; child < count_; child = 2 * place + 1) {
      if (child + 1 < count_ && is_earlier(nodes_[child + 1], nodes_[child])) ++child;
      if (!is_earlier(nodes_[child], node)) break;
      nodes_[place] = nodes_[child];
      place = child;
    }
    nodes_[place] = node;
  }
  [[nodiscard]] constexpr std::uint32_t latest() const noexcept {
    std::uint32_t place = count_ / 2; // the first leaf
    for (std::uint32_t other = place + 1; other < count_; ++other)
      if (is_earlier(nodes_[place], nodes_[other])) place = other;
    return place;
  }

  std::array<Node, Capacity> nodes_{};
  std::uint32_t count_ = 0, arrival_ = 0;
};

} // namespace detail

/// \tparam Capacity  1 to 65535
/// \tparam Full      queue_full::RefuseNewest or DropLatestDeadline
/// \cost   up to 16 events: push and pop O(1); above: both O(log n), DropLatestDeadline O(n) when full
template <TickCount Tick, std::size_t Capacity, QueueFullPolicy Full = queue_full::RefuseNewest>
class EventQueue {
  static_assert(Capacity >= 1 && Capacity <= 65535, "neuromorph: an EventQueue holds 1 to 65535 events; see "
                                                    "docs/scheduling.md");

public:
  static constexpr std::size_t capacity = Capacity;

  /// Whether the event is in the queue now. If not, or if another one gave way, it is counted.
  [[gnu::always_inline]] constexpr bool push(const Event<Tick>& event) noexcept {
    if (events_.size() == Capacity) [[unlikely]] {
      if (std::same_as<Full, queue_full::RefuseNewest> || !is_before(event.deadline, events_.last().deadline)) {
        ++refused_;
        return false;
      }
      events_.drop_last();
      ++dropped_;
    }
    events_.insert(event);
    if (events_.size() > most_) most_ = events_.size();
    return true;
  }
  /// The event with the earliest deadline. \pre not empty
  constexpr Event<Tick> pop() noexcept { return events_.take_first(); }
  /// The same, left in the queue. \pre not empty
  [[nodiscard]] constexpr Event<Tick> first() const noexcept { return events_.first(); }

  [[nodiscard]] constexpr bool empty() const noexcept { return events_.size() == 0; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return events_.size(); }
  /// Events that were not taken in.
  [[nodiscard]] constexpr std::uint32_t refused() const noexcept { return refused_; }
  /// Events that were in the queue and gave way.
  [[nodiscard]] constexpr std::uint32_t dropped() const noexcept { return dropped_; }
  /// The most events that were in the queue at once.
  [[nodiscard]] constexpr std::uint32_t high_water() const noexcept { return most_; }

private:
  std::conditional_t<
      (Capacity <= 4), detail::SortedEvents<Tick, Capacity>,
      std::conditional_t<(Capacity <= 16), detail::OrderOfEvents<Tick>, detail::HeapOfEvents<Tick, Capacity>>>
      events_;
  std::uint32_t refused_ = 0, dropped_ = 0, most_ = 0;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
