// SPDX-License-Identifier: BSL-1.0
/// \file
/// Events waiting for their service, the earliest deadline first, equal ones in the order in which they came.
///
/// Capacity is fixed. What happens when it is full is a policy, and counted; an event whose deadline is the earliest is
/// never given up for another one.
#ifndef NEUROMORPH_SCHED_EVENT_QUEUE_HPP
#define NEUROMORPH_SCHED_EVENT_QUEUE_HPP

#include <array>
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

/// A ring in the order of deadlines. A new event looks for its place from the latest deadline on, which is where most
/// of them belong.
template <TickCount Tick, std::size_t Capacity>
class SortedEvents {
public:
  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr const Event<Tick>& first() const noexcept { return events_[first_]; }
  [[nodiscard]] constexpr const Event<Tick>& last() const noexcept { return events_[wrapped(first_ + count_ - 1)]; }

  constexpr void insert(const Event<Tick> event) noexcept {
    std::uint32_t place = wrapped(first_ + count_);
    for (std::uint32_t left = count_; left != 0; --left) {
      const std::uint32_t before = wrapped(place - 1);
      if (!is_before(event.deadline, events_[before].deadline)) break;
      events_[place] = events_[before];
      place = before;
    }
    events_[place].deadline = event.deadline;
    events_[place].service = event.service;
    ++count_;
  }
  constexpr Event<Tick> take_first() noexcept {
    const Event<Tick> event = events_[first_];
    first_ = wrapped(first_ + 1);
    --count_;
    return event;
  }
  constexpr void drop_last() noexcept { --count_; }

private:
  static constexpr std::uint32_t ring = [] {
    std::uint32_t size = 1;
    while (size < Capacity) size *= 2;
    return size;
  }();
  [[nodiscard]] static constexpr std::uint32_t wrapped(std::uint32_t place) noexcept { return place & (ring - 1); }

  std::array<Event<Tick>, ring> events_{};
  std::uint32_t first_ = 0, count_ = 0;
};

/// A binary heap; an arrival number tells equal deadlines apart.
template <TickCount Tick, std::size_t Capacity>
class HeapOfEvents {
public:
  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr const Event<Tick>& first() const noexcept { return nodes_[0].event; }
  /// \cost O(n): for a full queue only
  [[nodiscard]] constexpr const Event<Tick>& last() const noexcept { return nodes_[latest()].event; }

  constexpr void insert(const Event<Tick>& event) noexcept { rise(count_++, {event, arrival_++}); }
  constexpr Event<Tick> take_first() noexcept {
    const Event<Tick> event = nodes_[0].event;
    if (--count_ != 0) sink(nodes_[count_]);
    return event;
  }
  constexpr void drop_last() noexcept {
    const std::uint32_t place = latest();
    if (--count_ != place) rise(place, nodes_[count_]); // a leaf has nothing below
  }

private:
  struct Node {
    Event<Tick> event;
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
/// \cost   up to 32 events: pop O(1), push O(events with a later deadline); above: both O(log n), DropLatestDeadline
///         O(n) when full
template <TickCount Tick, std::size_t Capacity, QueueFullPolicy Full = queue_full::RefuseNewest>
class EventQueue {
  static_assert(Capacity >= 1 && Capacity <= 65535, "neuromorph: an EventQueue holds 1 to 65535 events; see "
                                                    "docs/scheduling.md");

public:
  static constexpr std::size_t capacity = Capacity;

  /// Whether the event is in the queue now. If not, or if another one gave way, it is counted.
  constexpr bool push(const Event<Tick> event) noexcept {
    if (events_.size() == Capacity) [[unlikely]] {
      if (std::same_as<Full, queue_full::RefuseNewest> || !is_before(event.deadline, events_.last().deadline)) {
        ++refused_;
        return false;
      }
      events_.drop_last();
      ++dropped_;
    }
    events_.insert(event);
    if (events_.size() > most_) most_ = static_cast<std::uint32_t>(events_.size());
    return true;
  }
  /// The event with the earliest deadline. \pre not empty
  constexpr Event<Tick> pop() noexcept { return events_.take_first(); }
  /// The same, left in the queue. \pre not empty
  [[nodiscard]] constexpr const Event<Tick>& first() const noexcept { return events_.first(); }

  [[nodiscard]] constexpr bool empty() const noexcept { return events_.size() == 0; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return events_.size(); }
  /// Events that were not taken in.
  [[nodiscard]] constexpr std::uint32_t refused() const noexcept { return refused_; }
  /// Events that were in the queue and gave way.
  [[nodiscard]] constexpr std::uint32_t dropped() const noexcept { return dropped_; }
  /// The most events that were in the queue at once.
  [[nodiscard]] constexpr std::uint32_t high_water() const noexcept { return most_; }

private:
  std::conditional_t<(Capacity <= 32), detail::SortedEvents<Tick, Capacity>, detail::HeapOfEvents<Tick, Capacity>>
      events_;
  std::uint32_t refused_ = 0, dropped_ = 0, most_ = 0;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
