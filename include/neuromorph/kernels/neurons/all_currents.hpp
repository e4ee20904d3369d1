// SPDX-License-Identifier: BSL-1.0
/// \file
/// Several currents of one neuron: all of them flow.
#ifndef NEUROMORPH_KERNELS_NEURONS_ALL_CURRENTS_HPP
#define NEUROMORPH_KERNELS_NEURONS_ALL_CURRENTS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/part.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

template <std::size_t place, class Field>
struct At {
  [[no_unique_address]] Field field{};
};
template <class Places, class... Fields>
struct PositionsOf;
template <std::size_t... places, class... Fields>
struct PositionsOf<std::index_sequence<places...>, Fields...> : At<places, Fields>... {
  constexpr PositionsOf() noexcept = default;
  constexpr PositionsOf(const Fields&... fields) noexcept : At<places, Fields>{fields}... {}
};
/// A field of each type. In braces, all of them are given.
template <class... Fields>
using Positions = PositionsOf<std::index_sequence_for<Fields...>, Fields...>;

} // namespace detail

/// What the current with this position among those of a neuron has: `at_position<1>(made.constants.current)`, and so with
/// words, their places, and parameters.
template <std::size_t place, class Field>
[[nodiscard]] constexpr Field& at_position(detail::At<place, Field>& fields) noexcept {
  return fields.field;
}
template <std::size_t place, class Field>
[[nodiscard]] constexpr const Field& at_position(const detail::At<place, Field>& fields) noexcept {
  return fields.field;
}

namespace current {

/// What a Neuron makes of more than one part with this role. Parameters are given in the order of the parts:
/// `.current = {{.i_na = 0.1}, {.stdev_na = 0.2}}`.
template <class... Parts>
struct All : Part<Role::current> {
  static constexpr bool is_physical = true;
  static constexpr bool is_per_neuron = (... || Parts::is_per_neuron);
  static constexpr int lost_halves = (0 + ... + Parts::lost_halves);
  template <class Value>
  using Words = detail::Positions<typename Parts::template Words<Value>...>;

  /// Calls `visit.operator()<place, Part>()` for each part.
  template <class Visit>
  [[gnu::always_inline]] static constexpr void each(Visit visit) noexcept {
    [&]<std::size_t... places>(std::index_sequence<places...>) { (visit.template operator()<places, Parts>(), ...); }
    (std::index_sequence_for<Parts...>{});
  }

  static constexpr void at_step(auto& own, std::uint32_t step_number) noexcept {
    each([&]<std::size_t place, class Part>() { Part::at_step(at_position<place>(own), step_number); });
  }
  static constexpr auto onto(auto& m, const auto& words, const auto& own, auto sum) noexcept {
    each([&]<std::size_t place, class Part>() {
      sum = Part::onto(m, at_position<place>(words), at_position<place>(own), sum);
    });
    return sum;
  }
  static constexpr void step(auto& m, auto& words, const auto& own) noexcept {
    each([&]<std::size_t place, class Part>() { Part::step(m, at_position<place>(words), at_position<place>(own)); });
  }
};

} // namespace current

namespace detail {

/// Of a list of parts, those with the role of a current.
template <class... Currents>
struct CurrentList {};
template <class Known, class... Parts>
struct CurrentsIn : Found<Known> {};
template <class... Known, class First, class... Rest>
struct CurrentsIn<CurrentList<Known...>, First, Rest...>
    : CurrentsIn<
          std::conditional_t<role_of<First>() == Role::current, CurrentList<Known..., First>, CurrentList<Known...>>,
          Rest...> {};

/// The one part for them.
template <class Default, class List>
struct OneCurrent;
template <class Default>
struct OneCurrent<Default, CurrentList<>> : Found<Default> {};
template <class Default, class Current>
struct OneCurrent<Default, CurrentList<Current>> : Found<Current> {};
template <class Default, class... Currents>
struct OneCurrent<Default, CurrentList<Currents...>> : Found<current::All<Currents...>> {};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
