// SPDX-License-Identifier: BSL-1.0
/// \file
/// Events waiting for their service, the earliest deadline first, equal ones in the order in which they came.
///
/// Capacity is fixed. A full queue takes no event in, and says so.
#ifndef NEUROMORPH_SCHED_EVENT_QUEUE_HPP
#define NEUROMORPH_SCHED_EVENT_QUEUE_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What is queued: a deadline, and what belongs to it, in whole words: smaller parts are copied byte by byte on ARM.
template <TickCount Tick, class RestType>
struct QueueEntry {
  Tick deadline = 0;
  RestType rest{};
  friend constexpr bool operator==(const QueueEntry&, const QueueEntry&) noexcept = default;
};

namespace offer {
/// `bool goes_before(const Rest& other) const`, of what belongs to an event: which of two with the same deadline is first.
struct GoesBefore {
  int goes_before;
  template <class Part>
  static auto find() -> decltype(&Part::goes_before);
};
} // namespace offer

namespace detail {

/// Whether what belongs to an event tells equal deadlines apart.
template <class Rest>
concept SaysOrder = offers<Rest, offer::GoesBefore> && requires(const Rest& rest) {
  { rest.goes_before(rest) } -> std::same_as<bool>;
};
/// Says where what belongs to an event offers something else than it has. A number has nothing.
template <class Rest>
consteval bool offers_what_a_rest_has() {
  static_assert(!std::is_class_v<Rest> || says_offers<Rest>,
                "neuromorph: Rest lacks 'using Offers', an offer::List of 'GoesBefore' or of nothing; see "
                "docs/scheduling.md");
  static_assert(
      is_said<Rest, offer::GoesBefore>(),
      "neuromorph: Rest has 'goes_before', and its 'Offers' lacks 'offer::GoesBefore'; see docs/scheduling.md");
  static_assert(!offers<Rest, offer::GoesBefore> || SaysOrder<Rest>,
                "neuromorph: Rest offers 'GoesBefore' and lacks 'bool goes_before(const Rest& other) const'; see "
                "docs/scheduling.md");
  return true;
}
/// Whether `a` goes first, whenever it came.
template <class Entry>
[[nodiscard]] constexpr bool goes_first(const Entry& a, const Entry& b) noexcept {
  if constexpr (SaysOrder<decltype(a.rest)>)
    if (a.deadline == b.deadline) return a.rest.goes_before(b.rest);
  return is_before(a.deadline, b.deadline);
}

/// A list in the order of deadlines. A new event looks for its place from the latest deadline on, which is where most
/// of them belong.
template <TickCount Tick, std::size_t Capacity, class Rest = std::uint32_t>
class ListOfEvents {
public:
  using Entry = QueueEntry<Tick, Rest>;
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
  [[nodiscard]] constexpr Entry first() const noexcept { return end_.next->read(); }

  /// Whether there was room.
  [[gnu::always_inline]] constexpr bool insert(const Entry& event) noexcept {
    Node* node = free_;
    if (node == nullptr) [[unlikely]] {
      if (used_ == Capacity) return false;
      node = &nodes_[used_++]; // all that were used before are queued
    } else {
      free_ = node->next;
    }
    const Tick key = key_of(event.deadline);
    node->key = key;
    node->rest = event.rest;
    end_.key = key; // an event is not before itself: the search ends here at the latest
    if constexpr (SaysOrder<Rest>) {
      end_.rest = event.rest;
      link(node, search([&event](const Node& other) { return goes_first(event, other.read()); }));
    } else if constexpr (sizeof(Tick) == 4) {
      link(node, search([deadline = event.deadline](const Node& other) {
             return static_cast<std::int32_t>(deadline + other.key) < 0;
           }));
    } else {
      if (high_word(key) != high_) [[unlikely]]
        return insert_by_both_words(node);
      link(node, search([low = static_cast<std::uint32_t>(key)](const Node& other) {
             return low < static_cast<std::uint32_t>(other.key);
           }));
    }
    return true;
  }
  constexpr Entry take_first() noexcept {
    Node* const node = end_.next;
    Node* const next = node->next;
    end_.next = next;
    next->before = &end_;
    node->next = free_;
    free_ = node;
    return node->read();
  }

private:
  /// What is compared, and back. In 32 bits the deadline times -1: which of two is before then comes from a sum, by
  /// whose sign the processor branches.
  static constexpr Tick key_of(Tick deadline) noexcept { return sizeof(Tick) == 4 ? Tick{0} - deadline : deadline; }
  struct Node {
    Tick key = 0;
    Rest rest{};
    Node* before = nullptr;
    Node* next = nullptr;
    [[nodiscard]] constexpr Entry read() const noexcept { return {key_of(key), rest}; }
  };

  /// The last event that is not later.
  template <class IsLater>
  [[nodiscard, gnu::always_inline]] constexpr Node* search(const IsLater& is_later) noexcept {
    Node* place = end_.before;
    while (true) { // two pointers take turns, so that none is copied
      Node* other = place->before;
      if (!is_later(*place)) [[unlikely]]
        return place;
      place = other->before;
      if (!is_later(*other)) [[unlikely]]
        return other;
      other = place->before;
      if (!is_later(*place)) [[unlikely]]
        return place;
      place = other->before;
      if (!is_later(*other)) [[unlikely]]
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
    link(node, search([key = node->key](const Node& other) { return is_before(key, other.key); }));
    const std::uint32_t first = high_word(end_.next->key);
    high_ = first == high_word(end_.before->key) ? first : none;
    return true;
  }
  Node end_{0, {}, &end_, &end_}; // next to it are the last and the first event
  Node* free_ = nullptr;          // that were used before
  std::uint32_t used_ = 0;
  static constexpr std::uint32_t none = 0x80000000; // of times beyond all
  std::uint32_t high_ = none;                       // word of all events queued, if they have the same
  std::array<Node, Capacity> nodes_{};
};

/// A binary heap; an arrival number tells equal deadlines apart.
template <TickCount Tick, std::size_t Capacity, class Rest = std::uint32_t>
class HeapOfEvents {
public:
  using Entry = QueueEntry<Tick, Rest>;
  [[nodiscard]] constexpr bool is_empty() const noexcept { return count_ == 0; }
  [[nodiscard]] constexpr bool is_full() const noexcept { return count_ == Capacity; }
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr std::uint32_t high_water() const noexcept { return most_; }
  [[nodiscard]] constexpr Entry first() const noexcept { return nodes_[0].entry; }

  /// Whether there was room.
  constexpr bool insert(const Entry& event) noexcept {
    if (is_full()) [[unlikely]]
      return false;
    rise(count_++, {event, arrival_++});
    if (count_ > most_) most_ = count_;
    return true;
  }
  constexpr Entry take_first() noexcept {
    const Entry event = first();
    if (--count_ != 0) sink(nodes_[count_]);
    return event;
  }

private:
  struct Node {
    Entry entry{};
    std::uint32_t arrival = 0;
  };
  [[nodiscard]] static constexpr bool is_earlier(const Node& a, const Node& b) noexcept {
    if (a.entry.deadline != b.entry.deadline) return is_before(a.entry.deadline, b.entry.deadline);
    if constexpr (SaysOrder<Rest>) {
      if (a.entry.rest.goes_before(b.entry.rest)) return true;
      if (b.entry.rest.goes_before(a.entry.rest)) return false;
    }
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

  std::array<Node, Capacity> nodes_{};
  std::uint32_t count_ = 0, arrival_ = 0, most_ = 0;
};

} // namespace detail

/// \tparam Capacity  1 to 65535
/// \tparam Rest      what an event has beside its deadline: a number, or a class, which says in `Offers` whether it has
///                   GoesBefore
/// \cost   up to 64 events: pop O(1), push O(1) after the latest deadline, O(n) before the earliest; above: both
///         O(log n). Neither copied nor moved
template <TickCount Tick, std::size_t Capacity, class Rest = std::uint32_t>
class EventQueue {
  static_assert(detail::offers_what_a_rest_has<Rest>());
  static_assert(Capacity >= 1 && Capacity <= 65535, "neuromorph: an EventQueue holds 1 to 65535 events; see "
                                                    "docs/scheduling.md");

public:
  using Entry = QueueEntry<Tick, Rest>;
  static constexpr std::size_t capacity = Capacity;

  /// Whether the event is in the queue now; not if it is full.
  /// \pre its deadline and those queued are at most longest_span apart
  [[nodiscard, gnu::always_inline]] constexpr bool push(const Entry& event) noexcept { return events_.insert(event); }
  /// The event with the earliest deadline.
  /// \pre not empty
  constexpr Entry pop() noexcept { return events_.take_first(); }
  /// The same, left in the queue.
  /// \pre not empty
  [[nodiscard]] constexpr Entry first() const noexcept { return events_.first(); }

  [[nodiscard]] constexpr bool empty() const noexcept { return events_.is_empty(); }
  [[nodiscard]] constexpr bool full() const noexcept { return events_.is_full(); }
  /// \cost O(n)
  [[nodiscard]] constexpr std::size_t size() const noexcept { return events_.size(); }
  /// The most events that were in the queue at once.
  [[nodiscard]] constexpr std::uint32_t high_water() const noexcept { return events_.high_water(); }

private:
  std::conditional_t<(Capacity <= 64), detail::ListOfEvents<Tick, Capacity, Rest>,
                     detail::HeapOfEvents<Tick, Capacity, Rest>>
      events_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
