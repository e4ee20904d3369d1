// SPDX-License-Identifier: BSL-1.0
/// \file
/// Weights that change in proportion to what is left to the end of their range.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_WEIGHT_RULES_MULTIPLICATIVE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_WEIGHT_RULES_MULTIPLICATIVE_HPP

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace weight {

/// w + (w_max - w) x, w - (w - w_min) x: never reaches an end.
/// \source R. Guetig, R. Aharonov, S. Rotter, H. Sompolinsky, Learning input correlations through nonlinear temporally
///         asymmetric Hebbian plasticity, 2003, mu = 1
struct Multiplicative {
  template <class Shares>
  [[nodiscard]] static constexpr Shares up(auto& m, Shares share, Shares change) noexcept {
    return m.part(~share, change);
  }
  template <class Shares>
  [[nodiscard]] static constexpr Shares down(auto& m, Shares share, Shares change) noexcept {
    return m.part(share, change);
  }
};

} // namespace weight
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
