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

/// A list in the order of deadlines. A new event looks for its place from the latest deadline on, which is where most
/// of them belong.
template <TickCount Tick, std::size_t Capacity>
class ListOfEvents {
public:
  constexpr ListOfEvents() noexcept = default;
  ListOfEvents(const ListOfEvents&) = delete; // points into itself
  ListOfEvents& operator=(const ListOfEvents&) = delete;

  [[nodiscard]] constexpr bool is_empty() const noexcept { return end_.next == &end_; }
  [[nodiscard]] constexpr bool is_full() const noexcept { return free_ == nullptr && used_ == Capacity; }
  /// \cost O(n)
  [[nodiscard]] constexpr std::uint32_t size() const noexcept {
    std::uint32_t count = 0;
    for (const Node* node = end_.next; node != &end_; node = node->next) ++count;
    return count;
  }
  [[nodiscard]] constexpr std::uint32_t high_water() const noexcept { return used_; }
  [[nodiscard]] constexpr Event<Tick> first() const noexcept { return end_.next->event(); }
  [[nodiscard]] constexpr Event<Tick> last() const noexcept { return end_.before->event(); }

  /// Whether there was room.
  [[gnu::always_inline]] constexpr bool insert(const Event<Tick>& event) noexcept {
    Node* node = free_;
    if (node == nullptr) [[unlikely]] {
      if (used_ == Capacity) return false;
      node = &nodes_[used_++]; // all that were used before are queued
    } else {
      free_ = node->next;
    }
    const Tick key = key_of(event.deadline);
    node->key = key;
    node->service = event.service;
    end_.key = key; // an event is not before itself: the search ends here at the latest
    if constexpr (sizeof(Tick) == 4) {
      link(node,
           search([deadline = event.deadline](Tick other) { return static_cast<std::int32_t>(deadline + other) < 0; }));
    } else {
      if (high_word(key) != high_) [[unlikely]]
        return insert_by_both_words(node);
      link(node, search([low = static_cast<std::uint32_t>(key)](Tick other) {
             return low < static_cast<std::uint32_t>(other);
           }));
    }
    return true;
  }
  constexpr Event<Tick> take_first() noexcept {
    Node* const node = end_.next;
    Node* const next = node->next;
    end_.next = next;
    next->before = &end_;
    node->next = free_;
    free_ = node;
    return node->event();
  }
  constexpr void drop_last() noexcept {
    Node* const node = end_.before;
    end_.before = node->before;
    node->before->next = &end_;
    node->next = free_;
    free_ = node;
  }

private:
  /// What is compared, and back. In 32 bits the deadline times -1: which of two is before then comes from a sum, by
  /// whose sign the processor branches.
  static constexpr Tick key_of(Tick deadline) noexcept { return sizeof(Tick) == 4 ? Tick{0} - deadline : deadline; }
  struct Node {
    Tick key = 0;
    std::uint32_t service = 0;
    Node* before = nullptr;
    Node* next = nullptr;
    [[nodiscard]] constexpr Event<Tick> event() const noexcept {
      return {key_of(key), static_cast<ServiceId>(service)};
    }
  };

  /// The last event that is not later.
  template <class IsLater>
  [[nodiscard, gnu::always_inline]] constexpr Node* search(const IsLater& is_later) noexcept {
    Node* place = end_.before;
    while (true) { // two pointers take turns, so that none is copied
      Node* other = place->before;
      if (!is_later(place->key)) [[unlikely]]
        return place;
      place = other->before;
      if (!is_later(other->key)) [[unlikely]]
        return other;
      other = place->before;
      if (!is_later(place->key)) [[unlikely]]
        return place;
      place = other->before;
      if (!is_later(other->key)) [[unlikely]]
        return other;
    }
  }
  constexpr void link(Node* node, Node* place) noexcept {
    Node* const next = place->next;
    node->before = place;
    node->next = next;
    next->before = node;
    place->next = node;
  }
  /// Once whenever the high word changes, and as long as events with several of them are queued.
  [[gnu::noinline]] constexpr bool insert_by_both_words(Node* node) noexcept {
    link(node, search([key = node->key](Tick other) { return is_before(key, other); }));
    const std::uint32_t first = high_word(end_.next->key);
    high_ = first == high_word(end_.before->key) ? first : none;
    return true;
  }
  Node end_{0, 0, &end_, &end_}; // next to it are the last and the first event
  Node* free_ = nullptr;         // that were used before
  std::uint32_t used_ = 0;
  static constexpr std::uint32_t none = 0x80000000; // of times beyond all
  std::uint32_t high_ = none;                       // word of all events queued, if they have the same
  std::array<Node, Capacity> nodes_{};
};

/// A binary heap; an arrival number tells equal deadlines apart.
template <TickCount Tick, std::size_t Capacity>
class HeapOfEvents {
public:
  [[nodiscard]] constexpr bool is_empty() const noexcept { return count_ == 0; }
  [[nodiscard]] constexpr bool is_full() const noexcept { return count_ == Capacity; }
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr std::uint32_t high_water() const noexcept { return most_; }
  [[nodiscard]] constexpr Event<Tick> first() const noexcept { return nodes_[0].event(); }
  /// \cost O(n): for a full queue only
  [[nodiscard]] constexpr Event<Tick> last() const noexcept { return nodes_[latest()].event(); }

  /// Whether there was room.
  constexpr bool insert(const Event<Tick>& event) noexcept {
    if (is_full()) [[unlikely]]
      return false;
    rise(count_++, {event.deadline, event.service, arrival_++});
    if (count_ > most_) most_ = count_;
    return true;
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
    Tick deadline = 0;
    std::uint32_t service = 0, arrival = 0;
    [[nodiscard]] constexpr Event<Tick> event() const noexcept { return {deadline, static_cast<ServiceId>(service)}; }
  };
  [[nodiscard]] static constexpr bool is_earlier(const Node& a, const Node& b) noexcept {
    if (a.deadline != b.deadline) return is_before(a.deadline, b.deadline);
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
  std::uint32_t count_ = 0, arrival_ = 0, most_ = 0;
};

} // namespace detail

/// \tparam Capacity  1 to 65535
/// \tparam Full      queue_full::RefuseNewest or DropLatestDeadline
/// \cost   up to 64 events: pop O(1), push O(1) after the latest deadline, O(n) before the earliest; above: both
///         O(log n), DropLatestDeadline O(n) when full. Neither copied nor moved
template <TickCount Tick, std::size_t Capacity, class Full = queue_full::RefuseNewest>
class EventQueue {
  static_assert(Capacity >= 1 && Capacity <= 65535, "neuromorph: an EventQueue holds 1 to 65535 events; see "
                                                    "docs/scheduling.md");
  static_assert(QueueFullPolicy<Full>,
                "neuromorph: Full is queue_full::RefuseNewest or DropLatestDeadline; see docs/scheduling.md");

public:
  static constexpr std::size_t capacity = Capacity;

  /// Whether the event is in the queue now. If not, or if another one gave way, it is counted. \pre its deadline and
  /// those queued are at most longest_span apart
  [[gnu::always_inline]] constexpr bool push(const Event<Tick>& event) noexcept {
    if (events_.insert(event)) [[likely]]
      return true;
    if (std::same_as<Full, queue_full::RefuseNewest> || !is_before(event.deadline, events_.last().deadline)) {
      ++refused_;
      return false;
    }
    events_.drop_last();
    ++dropped_;
    return events_.insert(event);
  }
  /// The event with the earliest deadline. \pre not empty
  constexpr Event<Tick> pop() noexcept { return events_.take_first(); }
  /// The same, left in the queue. \pre not empty
  [[nodiscard]] constexpr Event<Tick> first() const noexcept { return events_.first(); }
  /// The event with the latest deadline, of equal ones the one that came last. \pre not empty. \cost above 64: O(n),
  /// and only when full
  [[nodiscard]] constexpr Event<Tick> last() const noexcept { return events_.last(); }

  [[nodiscard]] constexpr bool empty() const noexcept { return events_.is_empty(); }
  [[nodiscard]] constexpr bool full() const noexcept { return events_.is_full(); }
  /// \cost O(n)
  [[nodiscard]] constexpr std::size_t size() const noexcept { return events_.size(); }
  /// Events that were not taken in.
  [[nodiscard]] constexpr std::uint32_t refused() const noexcept { return refused_; }
  /// Events that were in the queue and gave way.
  [[nodiscard]] constexpr std::uint32_t dropped() const noexcept { return dropped_; }
  /// The most events that were in the queue at once.
  [[nodiscard]] constexpr std::uint32_t high_water() const noexcept { return events_.high_water(); }

private:
  std::conditional_t<(Capacity <= 64), detail::ListOfEvents<Tick, Capacity>, detail::HeapOfEvents<Tick, Capacity>>
      events_;
  std::uint32_t refused_ = 0, dropped_ = 0;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
