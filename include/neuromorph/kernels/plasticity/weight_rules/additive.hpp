// SPDX-License-Identifier: BSL-1.0
/// \file
/// Weights that change by as much wherever they are.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_WEIGHT_RULES_ADDITIVE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_WEIGHT_RULES_ADDITIVE_HPP

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace weight {

/// w +- x, held in the range at both ends.
/// \source S. Song, K. D. Miller, L. F. Abbott, Competitive Hebbian learning through spike-timing-dependent synaptic
///         plasticity, 2000
struct Additive {
  template <class Shares>
  [[nodiscard]] static constexpr Shares up(auto&, Shares, Shares change) noexcept {
    return change;
  }
  template <class Shares>
  [[nodiscard]] static constexpr Shares down(auto&, Shares, Shares change) noexcept {
    return change;
  }
};

} // namespace weight
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
