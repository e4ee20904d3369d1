// SPDX-License-Identifier: BSL-1.0
/// \file
/// The numbers of plastic synapses: shares of a range of weights, of which 2^32 is all, and factors of decay, of which 2^31 is 1.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_SHARE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_SHARE_HPP

#include <concepts>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Of a range of weights: how far a weight is above the lowest one, a change, or a trace, which is a change to come. 2^32 is
/// all of it; what would reach that is held at 2^32 - 1.
using Share = std::uint32_t;
/// 0 to 2^31, which is 1: what a table of decay gives.
using DecayFactor = std::uint32_t;

namespace detail {
/// Of a value from 0 to 1.
[[nodiscard]] constexpr Share nearest_share(double value) noexcept {
  const std::int64_t share = to_fixed(value, 32);
  return static_cast<Share>(share >> 32 != 0 ? 0xFFFFFFFF : share);
}
} // namespace detail

/// \errors parameter_out_of_range: below 0, above 1, or so small that it would lose digits: below 2^-20 and not 0
[[nodiscard]] constexpr Result<Share> share_of(double value, const char* parameter) noexcept {
  if (value == 0.0) return Share{0};
  if (!(value >= 0x1p-20 && value <= 1.0)) return Status{Error::parameter_out_of_range, 0, value, parameter};
  return detail::nearest_share(value);
}

/// What rules compute with. Rounds each product as it is told, and counts the traces that it holds.
///
/// \tparam Rounding  rounding::Nearest, rounding::Down, or a random source: stochastic, with a word of it for each product
/// \tparam Target    backend
template <class Rounding = rounding::Nearest, class Target = target::Native>
class ShareArithmetic {
  static_assert(rounding::RoundsAlone<Rounding> || rounding::BitSource<Rounding>,
                "neuromorph: Rounding is neither a policy that rounds alone nor a random source; see "
                "docs/plasticity.md");

public:
  explicit constexpr ShareArithmetic(Rounding rounder = {}) noexcept : rounder_(rounder) {}

  /// What decay leaves of a share.
  [[nodiscard, gnu::always_inline]] constexpr Share product(Share share, DecayFactor factor) noexcept {
    return rounded<31>(share, factor);
  }
  /// A share of a share.
  [[nodiscard, gnu::always_inline]] constexpr Share part(Share share, Share of) noexcept {
    return rounded<32>(share, of);
  }
  /// A share times a count in u8.24: held just below the whole, and counted then.
  [[nodiscard, gnu::always_inline]] constexpr Share times(Share share, std::uint32_t count) noexcept {
    std::uint64_t product = std::uint64_t{share} * count;
    if constexpr (rounding::BitSource<Rounding>)
      product += rounder_.next() >> 8;
    else if constexpr (std::same_as<Rounding, rounding::Nearest>)
      product += 1U << 23;
    const auto high = static_cast<std::uint32_t>(product >> 32);
    return high >> 24 != 0 ? held_sum() : high << 8 | static_cast<std::uint32_t>(product) >> 24;
  }
  /// Held just below the whole, and counted then.
  [[nodiscard, gnu::always_inline]] constexpr Share sum(Share a, Share b) noexcept {
    const Share result = a + b;
    return result < a ? held_sum() : result;
  }
  /// Those of several synapses at once.
  constexpr void count_held(std::uint32_t traces) noexcept { held_ += traces; }
  /// Sums and multiples that were held.
  [[nodiscard]] constexpr std::uint32_t held() const noexcept { return held_; }

private:
  [[gnu::noinline, gnu::cold]] constexpr Share held_sum() noexcept {
    ++held_;
    return ~Share{0};
  }
  /// None of our products is so near to 2^(32 + Shift) that rounding would reach it.
  template <unsigned Shift>
  [[nodiscard, gnu::always_inline]] constexpr Share rounded(std::uint32_t a, std::uint32_t b) noexcept {
    if constexpr (rounding::BitSource<Rounding>)
      return static_cast<Share>((std::uint64_t{a} * b + (rounder_.next() >> (32 - Shift))) >> Shift);
    else if constexpr (std::same_as<Rounding, rounding::Nearest>)
      return Target::template multiply_nearest<Shift>(a, b);
    else
      return static_cast<Share>(Rounding::shift_right(std::uint64_t{a} * b, Shift));
  }
  [[no_unique_address]] Rounding rounder_;
  std::uint32_t held_ = 0;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
