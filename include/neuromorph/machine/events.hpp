// SPDX-License-Identifier: BSL-1.0
/// \file
/// What happens when in a machine: a queue whose order does not depend on that in which events were put in.
///
///     machine::EventQueue<Arrival> events;
///     events.push({.time = 500, .chip = 3, .source = 0, .number = 1}, arrival);
///     while (!events.empty()) handle(events.pop());
// host-only
#ifndef NEUROMORPH_MACHINE_EVENTS_HPP
#define NEUROMORPH_MACHINE_EVENTS_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

using Nanoseconds = std::int64_t;

/// No two events of a machine have the same.
struct EventOrder {
  Nanoseconds time = 0;
  mapping::Chip chip = 0;   ///< where it happens
  std::uint32_t source = 0; ///< what made it, of those that make events there
  std::uint64_t number = 0; ///< of the events of that source
  friend constexpr auto operator<=>(const EventOrder&, const EventOrder&) = default;
};

template <class Value>
class EventQueue {
public:
  struct Event {
    EventOrder order;
    Value value;
  };
  /// \cost O(log size)
  void push(const EventOrder& order, Value value) {
    heap_.push_back({order, std::move(value)});
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }
  /// \pre not empty
  [[nodiscard]] const Event& front() const noexcept { return heap_.front(); }
  /// \pre not empty
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    Event event = std::move(heap_.back());
    heap_.pop_back();
    return event;
  }
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
  /// In no order.
  [[nodiscard]] const std::vector<Event>& all() const noexcept { return heap_; }

private:
  [[nodiscard]] static bool is_later(const Event& one, const Event& other) noexcept { return one.order > other.order; }
  std::vector<Event> heap_{};
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
