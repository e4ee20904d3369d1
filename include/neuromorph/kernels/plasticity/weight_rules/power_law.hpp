// SPDX-License-Identifier: BSL-1.0
/// \file
/// Weights that go up with a power of themselves.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_PLASTICITY_WEIGHT_RULES_POWER_LAW_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_WEIGHT_RULES_POWER_LAW_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace weight {

/// w + w^mu x, w - w x, of a weight as a share of its range. With w in units, a step up of l w0^(1 - mu) w^mu is a change of
/// x = l (w0 / range)^(1 - mu). One down of l alpha w is a change of l alpha.
///
/// w^mu is within 2^-17 of itself. 388 bytes.
/// \source A. Morrison, A. Aertsen, M. Diesmann, Spike-timing-dependent plasticity in balanced random networks, 2007,
///         equation 5
class PowerLaw {
public:
  /// mu = 0.4, the paper's.
  constexpr PowerLaw() noexcept : PowerLaw(0.4) {}
  /// \param exponent  mu, above 0 and up to 1
  /// \errors parameter_out_of_range: exponent
  [[nodiscard]] static constexpr Result<PowerLaw> from(double exponent) noexcept {
    if (!(exponent > 0.0 && exponent <= 1.0)) return Status{Error::parameter_out_of_range, 0, exponent, "exponent"};
    return PowerLaw(exponent);
  }

  [[nodiscard]] constexpr Share up(auto& m, Share share, Share change) const noexcept {
    return m.part(change, power_of(share));
  }
  [[nodiscard]] constexpr Share down(auto& m, Share share, Share change) const noexcept {
    return m.part(share, change);
  }
  /// share^mu. A weight at the lowest end stays there.
  /// \cost ARM968E-S: three loads and two long products
  [[nodiscard]] constexpr Share power_of(Share share) const noexcept {
    if (share == 0) return 0;
    const auto octave = static_cast<unsigned>(std::countl_zero(share));
    const std::uint32_t mantissa = share << octave << 1; // without its highest bit
    const std::uint32_t at = mantissa >> (32 - part_bits), rest = mantissa << part_bits;
    const std::uint32_t low = mantissas_[at];
    const std::uint64_t step = mantissas_[at + 1] - low;
    const std::uint32_t value = low + static_cast<std::uint32_t>(step * rest >> 32);
    const std::uint64_t product = std::uint64_t{value} * octaves_[octave] + value;
    return static_cast<Share>(product >> 32);
  }

private:
  explicit constexpr PowerLaw(double exponent) noexcept {
    const std::int64_t mu = detail::to_fixed(exponent, 60), octave = detail::multiply_q60(mu, ln_2);
    // 2^-mu for each octave below the highest one.
    std::int64_t power = detail::one_q60;
    for (std::uint32_t& factor : octaves_) {
      factor = to_share(power);
      power = detail::multiply_q60(power, detail::exp_q60(-octave));
    }
    // 2^-mu (1 + at / parts)^mu: what is below the highest weight in its octave.
    for (std::size_t at = 0; at <= parts; ++at) {
      const double mantissa = 1.0 + static_cast<double>(at) / parts;
      const std::int64_t logarithm = (detail::log2_q40(mantissa) << 20) - detail::one_q60;
      mantissas_[at] = to_share(detail::exp_q60(detail::multiply_q60(octave, logarithm)));
    }
  }
  static constexpr unsigned part_bits = 6;
  static constexpr std::size_t parts = std::size_t{1} << part_bits;
  static constexpr std::int64_t ln_2 = 799144290325165979; // with 60 fraction bits
  [[nodiscard]] static constexpr std::uint32_t to_share(std::int64_t q60) noexcept {
    const std::int64_t share = (q60 + (std::int64_t{1} << 27)) >> 28;
    return share >> 32 != 0 ? ~std::uint32_t{0} : static_cast<std::uint32_t>(share);
  }

  std::array<std::uint32_t, 32> octaves_{};
  std::array<std::uint32_t, parts + 1> mantissas_{};
};

} // namespace weight
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
