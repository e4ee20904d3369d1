// SPDX-License-Identifier: BSL-1.0
/// \file
/// Numbers of a normal distribution over lanes.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_GAUSSIAN_HPP
#define NEUROMORPH_KERNELS_NEURONS_GAUSSIAN_HPP

#include <array>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A number with mean 0, variance 1 and a normal distribution, 2^28, from two words of uniform bits.
///
/// Error: all moments to the ninth are right to 10^-7, relative to the even one that is next. The distribution
/// function is off by 9 * 10^-4 at most. What lies beyond 3 is 1 % too much, beyond 4 as well, beyond 4.5 half, and nothing is
/// beyond 5.04. The numbers are 2^-15 apart, and 2^-13 at the ends. `unit.kernels.neurons.gaussian` goes through all of them.
///
/// \cost five products (upper halves), six sums, five other operations
/// \source the sum of four uniform numbers of 16 bits, made normal by an odd polynomial: so D. Teichroew, 1953 (Knuth, The Art
///         of Computer Programming 2, 3.4.1) with a sum of twelve; here the coefficients are those that make the moments 2, 4,
///         6 and 8 right
template <class Lanes>
[[nodiscard, gnu::always_inline]] constexpr typename Lanes::Value gaussian(typename Lanes::Value a,
                                                                           typename Lanes::Value b) noexcept {
  using Value = typename Lanes::Value;
  const auto halves = [](Value word) {
    const auto half = Lanes::shift(16);
    return Lanes::add(Lanes::shift_right(word, half), Lanes::shift_right(Lanes::shift_left(word, half), half));
  };
  // Half of the sum of four numbers from -1/2 to 1/2, with 31 fraction bits, and symmetrical.
  const Value sum = Lanes::shift_left(Lanes::add(Lanes::add(halves(a), halves(b)), Lanes::splat(2)), Lanes::shift(14));
  const Value square = Lanes::shift_left(Lanes::multiply_high(sum, sum), Lanes::shift(1));
  Value factor = Lanes::splat(1366334391);
  for (const std::int32_t coefficient : std::array<std::int32_t, 3>{-456439005, 118686841, 222119125})
    factor = Lanes::add(Lanes::multiply_high(factor, square), Lanes::splat(coefficient));
  return Lanes::shift_left(Lanes::multiply_high(factor, sum), Lanes::shift(3));
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
