// SPDX-License-Identifier: BSL-1.0
/// \file
/// Powers of two over lanes, for parts of a Neuron that need an exponential.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_EXPONENTIAL_HPP
#define NEUROMORPH_KERNELS_NEURONS_EXPONENTIAL_HPP

#include <array>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// 2^(x / 2^26) * 2^30: e^y is that of y log2(e).
///
/// \tparam Lanes  of a target
/// \param x       any word; from 2^26 on, where the result leaves its word, it is that of 2^26 - 1. Below -31 * 2^26 the
///                result is 0
/// Error: 2^-28 of the result and less than 1 unit more, always the same bits.
/// \cost six products (upper halves), five sums, and eight other operations
/// \source Chebyshev's polynomial of degree 6 for 2^t, t from -1/2 to 1/2; the highest coefficient is the first
template <class Lanes>
[[nodiscard, gnu::always_inline]] constexpr typename Lanes::Value power_of_two(typename Lanes::Value x) noexcept {
  using Value = typename Lanes::Value;
  constexpr std::int32_t one = 1 << 26;
  const Value held = (Lanes::min)(x, Lanes::splat(one - 1));
  // Its fraction less one half, with 32 fraction bits.
  const Value fraction = Lanes::bit_xor(Lanes::shift_left(held, Lanes::shift(6)), Lanes::splat(INT32_MIN));
  Value sum = Lanes::splat(234782);
  for (const std::int32_t coefficient :
       std::array<std::int32_t, 6>{2034855, 14605021, 84281733, 364784014, 1052544207, 1518500251})
    sum = Lanes::add(Lanes::splat(coefficient), Lanes::multiply_high(sum, fraction));
  const Value octaves = Lanes::subtract(Lanes::splat(0), Lanes::shift_right(held, Lanes::shift(26)));
  return Lanes::shift_right_each(sum, (Lanes::min)(octaves, Lanes::splat(31)));
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
