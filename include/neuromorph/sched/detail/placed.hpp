// SPDX-License-Identifier: BSL-1.0
/// \file
/// Values of different types, by place: what a set of services or of tasks keeps.
///
/// Not a std::tuple: its header takes long to read, and its constructors stand in each other so deep that the compiler
/// does not see through.
#ifndef NEUROMORPH_SCHED_DETAIL_PLACED_HPP
#define NEUROMORPH_SCHED_DETAIL_PLACED_HPP

#include <cstddef>
#include <utility>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

template <std::size_t Place, class Value>
struct PlacedValue {
  constexpr PlacedValue(Value given) : value(std::move(given)) {} // Clang 15 and 16 crash at aggregates of empty ones
  [[no_unique_address]] Value value;
};

template <class Places, class... Values>
struct PlacedValues;
template <std::size_t... Places, class... Values>
struct PlacedValues<std::index_sequence<Places...>, Values...> : PlacedValue<Places, Values>... {};

/// Made of `{{std::move(values)}...}`.
template <class... Values>
using Placed = PlacedValues<std::index_sequence_for<Values...>, Values...>;

/// `value_at<Place>(placed)`.
template <std::size_t Place, class Value>
[[gnu::always_inline]] constexpr Value& value_at(PlacedValue<Place, Value>& placed) noexcept {
  return placed.value;
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
