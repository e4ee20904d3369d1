// SPDX-License-Identifier: BSL-1.0
/// \file
/// Memory for a collector's events: a header, the state of the Liveness policy and the trace of each, without padding.
#ifndef NEUROMORPH_GC_EVENT_ARRAY_HPP
#define NEUROMORPH_GC_EVENT_ARRAY_HPP

#include <array>
#include <cstddef>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

namespace event_array {
template <class Header, class State, class Trace>
struct StoredEvent {
  Header header{};
  [[no_unique_address]] State state{};
  Trace trace = no_trace<Trace>();
};

template <class Trace>
struct Value {
  Trace trace = no_trace<Trace>();
};

/// `count` elements from `from` on, by `by` places, over each other. Four are read, then written, so that reads need
/// not be waited for.
template <class Element, std::size_t Places>
constexpr void slide_up(std::array<Element, Places>& elements, std::size_t from, std::size_t count,
                        std::size_t by) noexcept {
  std::size_t end = from + count;
  for (; count >= 4; count -= 4, end -= 4) {
    const Element first = elements[end - 1], second = elements[end - 2];
    const Element third = elements[end - 3], fourth = elements[end - 4];
    elements[end + by - 1] = first;
    elements[end + by - 2] = second;
    elements[end + by - 3] = third;
    elements[end + by - 4] = fourth;
  }
  for (; count != 0; --count, --end) elements[end + by - 1] = elements[end - 1];
}
template <class Element, std::size_t Places>
constexpr void slide_down(std::array<Element, Places>& elements, std::size_t from, std::size_t count,
                          std::size_t by) noexcept {
  for (; count >= 4; count -= 4, from += 4) {
    const Element first = elements[from], second = elements[from + 1];
    const Element third = elements[from + 2], fourth = elements[from + 3];
    elements[from - by] = first;
    elements[from - by + 1] = second;
    elements[from - by + 2] = third;
    elements[from - by + 3] = fourth;
  }
  for (; count != 0; --count, ++from) elements[from - by] = elements[from];
}

template <class Header, class State, class Trace, std::size_t Places>
class Together {
public:
  static constexpr std::size_t event_bytes = sizeof(StoredEvent<Header, State, Trace>);
  static constexpr std::size_t bytes = Places * event_bytes;
  [[nodiscard]] constexpr Header& header(std::size_t place) noexcept { return events_[place].header; }
  [[nodiscard]] constexpr const Header& header(std::size_t place) const noexcept { return events_[place].header; }
  [[nodiscard]] constexpr State& state(std::size_t place) noexcept { return events_[place].state; }
  [[nodiscard]] constexpr const State& state(std::size_t place) const noexcept { return events_[place].state; }
  [[nodiscard]] constexpr const Trace& trace(std::size_t place) const noexcept { return events_[place].trace; }
  constexpr void set(std::size_t place, Header header, const Trace& trace) noexcept {
    events_[place] = {header, {}, trace};
  }
  constexpr void move(std::size_t to, std::size_t from) noexcept { events_[to] = events_[from]; }
  /// Events, over each other, by at least one place.
  constexpr void slide_up(std::size_t from, std::size_t count, std::size_t by) noexcept {
    event_array::slide_up(events_, from, count, by);
  }
  constexpr void slide_down(std::size_t from, std::size_t count, std::size_t by) noexcept {
    event_array::slide_down(events_, from, count, by);
  }

private:
  std::array<StoredEvent<Header, State, Trace>, Places> events_{};
};

template <class Header, class State, class Trace, std::size_t Places>
class Apart {
  static constexpr bool no_states = std::is_empty_v<State>;

public:
  static constexpr std::size_t event_bytes = sizeof(Header) + sizeof(Trace) + (no_states ? 0 : sizeof(State));
  static constexpr std::size_t bytes = Places * event_bytes;
  [[nodiscard]] constexpr Header& header(std::size_t place) noexcept { return headers_[place]; }
  [[nodiscard]] constexpr const Header& header(std::size_t place) const noexcept { return headers_[place]; }
  [[nodiscard]] constexpr State& state(std::size_t place) noexcept {
    if constexpr (no_states)
      return states_;
    else
      return states_[place];
  }
  [[nodiscard]] constexpr const State& state(std::size_t place) const noexcept {
    if constexpr (no_states)
      return states_;
    else
      return states_[place];
  }
  [[nodiscard]] constexpr const Trace& trace(std::size_t place) const noexcept { return traces_[place].trace; }
  constexpr void set(std::size_t place, Header header, const Trace& trace) noexcept {
    headers_[place] = header;
    if constexpr (!no_states) states_[place] = {};
    traces_[place].trace = trace;
  }
  constexpr void move(std::size_t to, std::size_t from) noexcept {
    headers_[to] = headers_[from];
    if constexpr (!no_states) states_[to] = states_[from];
    traces_[to] = traces_[from];
  }
  constexpr void slide_up(std::size_t from, std::size_t count, std::size_t by) noexcept {
    event_array::slide_up(headers_, from, count, by);
    if constexpr (!no_states) event_array::slide_up(states_, from, count, by);
    event_array::slide_up(traces_, from, count, by);
  }
  constexpr void slide_down(std::size_t from, std::size_t count, std::size_t by) noexcept {
    event_array::slide_down(headers_, from, count, by);
    if constexpr (!no_states) event_array::slide_down(states_, from, count, by);
    event_array::slide_down(traces_, from, count, by);
  }

private:
  std::array<Header, Places> headers_{};
  [[no_unique_address]] std::conditional_t<no_states, State, std::array<State, Places>> states_{};
  std::array<Value<Trace>, Places> traces_{};
};
} // namespace event_array

/// Side by side, which takes the least address arithmetic, if that leaves no gaps; else in an array for each.
template <class Header, class State, class Trace, std::size_t Places>
using EventArray = std::conditional_t<(sizeof(event_array::StoredEvent<Header, State, Trace>) ==
                                       sizeof(Header) + sizeof(Trace) + (std::is_empty_v<State> ? 0 : sizeof(State))),
                                      event_array::Together<Header, State, Trace, Places>,
                                      event_array::Apart<Header, State, Trace, Places>>;

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
