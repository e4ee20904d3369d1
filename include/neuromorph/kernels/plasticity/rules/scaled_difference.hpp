// SPDX-License-Identifier: BSL-1.0
/// \file
/// How far a weight moves: the product of a rate and a difference of bytes, exact, rounded once.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULES_SCALED_DIFFERENCE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULES_SCALED_DIFFERENCE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/rules/weight_range.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// How a rule rounds: one of three policies, or a random source, by which it rounds stochastically.
template <class Rounding>
concept RoundsChanges = std::same_as<Rounding, rounding::NearestAway> || std::same_as<Rounding, rounding::Nearest> ||
    std::same_as<Rounding, rounding::Down> || rounding::BitSource<Rounding>;

/// How many vectors of these memories a rule may take at once: one if it draws numbers, since a mask decides which
/// vectors it draws for.
template <class Rounding, VectorSource... Memories>
inline constexpr std::size_t vectors_at_once_rounded = rounding::BitSource<Rounding> ? 1 : vectors_at_once<Memories...>;

namespace detail {
/// Says what a rule lacks that rounds its changes and holds them in a range.
template <class Range, class Rounding>
consteval bool rounds_in_range() {
  static_assert(
      RoundsChanges<Rounding>,
      "neuromorph: Rounding is none of rounding::NearestAway, Nearest, Down, nor a random source; see docs/rules.md");
  return is_complete_range<Range>();
}
} // namespace detail

/// factor (a - b) / 2^Shift, lane by lane, rounded; -128 as a factor counts as -127, so that nothing overflows.
///
/// \tparam Shift     7 for a difference from -128 to 127, 8 for any
/// \param  rounder   a random source is asked for 4 Count words
/// \exact  bit-exact on every backend; the same as `Rounding::shift_right` of the product for rounding::NearestAway,
///         Nearest, Down. A source's lowest `Shift` bits of each byte are added before the shift
template <unsigned Shift, class Target, std::size_t Count, RoundsChanges Rounding>
[[nodiscard, gnu::always_inline]] constexpr Vec<std::int8_t, Target, Count>
scaled_difference(const Vec<std::uint8_t, Target, Count>& a, const Vec<std::uint8_t, Target, Count>& b,
                  std::int8_t factor, [[maybe_unused]] Rounding& rounder) noexcept {
  static_assert(Shift == 7 || Shift == 8);
  using Bytes = Vec<std::uint8_t, Target, Count>;
  using Halves = Vec<std::int16_t, Target, Count>;
  using Machine = typename Target::template Vectors<Count>;
  constexpr bool away = std::same_as<Rounding, rounding::NearestAway>;
  const auto offset = [&] {
    if constexpr (rounding::BitSource<Rounding>) {
      const Bytes drawn = Bytes::random(rounder);
      return Shift == 8 ? drawn : drawn & Bytes(0x7F);
    } else {
      return Bytes(std::same_as<Rounding, rounding::Down> ? 0 : 1U << (Shift - 1));
    }
  }();
  const auto scale = static_cast<std::int16_t>(factor == -128 ? -127 : factor);
  constexpr bool is_callable = requires {
    Machine::template scaled_difference<Shift, away>(a.machine(), b.machine(), scale, offset.machine());
  };
  if constexpr (detail::has_loop<Machine, offer::ScaledDifference, is_callable>()) {
    return Vec<std::int8_t, Target, Count>(
        Machine::template scaled_difference<Shift, away>(a.machine(), b.machine(), scale, offset.machine()));
  } else {
    const auto rounded = [](const auto& x, const auto& y, const auto& z, std::int16_t by) {
      const Halves exact = (x - y).template as<std::int16_t>() * Halves(by);
      const Halves nearer = away ? exact + (exact >> 15) : exact;
      return (nearer + z.template as<std::int16_t>()) >> Shift;
    };
    return pack<std::int8_t>(rounded(unpack_low(a), unpack_low(b), unpack_low(offset), scale),
                             rounded(unpack_high(a), unpack_high(b), unpack_high(offset), scale));
  }
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
