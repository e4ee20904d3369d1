// SPDX-License-Identifier: BSL-1.0
/// \file
/// A neuron that never fires: what reads a network out.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_THRESHOLDS_NONE_HPP
#define NEUROMORPH_KERNELS_NEURONS_THRESHOLDS_NONE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace threshold {

/// The membrane goes where its inputs take it. Its words count from an origin, to both sides as far as a membrane's range
/// goes: 512 mV with membrane::Lif.
struct None : Part<Role::threshold> {
  struct Parameters {
    double origin_mv = 0.0;
  };
  static constexpr bool is_physical = true, never_fires = true, is_bounded = false;
  /// \errors parameter_out_of_range for what is no finite number
  static constexpr Status make(const Parameters& given, Making& making, auto) noexcept {
    if (!detail::is_finite(given.origin_mv))
      return {Error::parameter_out_of_range, 0, given.origin_mv, "threshold.origin_mv"};
    making.threshold_mv = given.origin_mv;
    return {};
  }
  static constexpr void step(auto&, auto&, const auto&) noexcept {}
  static constexpr auto is_below(const auto& m, const auto&, const auto&, auto) noexcept {
    return m.is_negative(m.splat(-1));
  }
  static constexpr void spiked(const auto&, auto&, const auto&, auto) noexcept {}
};

} // namespace threshold
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
