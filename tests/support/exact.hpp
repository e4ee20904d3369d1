// SPDX-License-Identifier: BSL-1.0
// Exact whole numbers and random words for the tests of rounding and of fixed point.
#ifndef TESTS_SUPPORT_EXACT_HPP
#define TESTS_SUPPORT_EXACT_HPP

#include <cstdint>

#include <neuromorph/offer.hpp>

namespace exact {

__extension__ typedef __int128 Wide;

template <class Integer>
Integer floor_divide(Integer numerator, Integer denominator) {
  const Integer quotient = numerator / denominator;
  return quotient * denominator > numerator ? quotient - 1 : quotient;
}
template <class Integer = Wide, class Exponent>
Integer power_of_two(Exponent exponent) {
  Integer power = 1;
  for (Exponent step = 0; step < exponent; ++step) power *= 2;
  return power;
}

/// A source that says what it gave last, and how often.
template <std::uint64_t Seed>
struct Xorshift {
  using Offers = neuromorph::offer::List<>;
  std::uint64_t state = Seed;
  std::uint32_t last = 0;
  std::uint64_t drawn = 0;

  constexpr std::uint32_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    ++drawn;
    return last = static_cast<std::uint32_t>((state * 0x2545F4914F6CDD1D) >> 32);
  }
};

} // namespace exact

#endif
