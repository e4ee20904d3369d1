// SPDX-License-Identifier: BSL-1.0
/// \file
/// A refractory period with a word of its own.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_REFRACTORY_COUNTED_HPP
#define NEUROMORPH_KERNELS_NEURONS_REFRACTORY_COUNTED_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace refractory {

/// The membrane is held at what the reset left, for as many steps as the word says; the neuron does not fire in them. All
/// else goes on: synapses, adaptation, an adaptive threshold, other words of the membrane. For any threshold and reset; with
/// threshold::Fixed and reset::ToValue the neuron fires as with InMembrane, which has no word.
struct Counted : Part<Role::refractory> {
  static constexpr bool is_in_membrane = false;
  template <class Value>
  struct Words {
    Value left; ///< steps
  };
  template <class Value>
  struct Constants {
    Value steps;
  };
  struct Parameters {
    double period_ms = 2.0; ///< rounded to whole steps; 0 is allowed
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_out_of_range below 0, and from 10^9 steps on
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    const double steps = given.period_ms / making.dt_ms;
    if (!(steps >= 0.0 && steps < 1e9))
      return {Error::parameter_out_of_range, 0, given.period_ms, "refractory.period_ms"};
    to.own.steps = static_cast<std::int32_t>(detail::to_fixed(steps, 0));
    to.quantities.left = {"ms", making.dt_ms, 0.0};
    return {};
  }
  static constexpr auto is_active(const auto& m, const auto& word, auto) noexcept {
    return m.is_less(word.left, m.splat(1));
  }
  static constexpr auto hold(const auto& m, auto& word, auto active, auto before, auto integrated,
                             const auto&) noexcept {
    word.left = m.subtract((m.max)(word.left, m.splat(1)), m.splat(1));
    return m.select(active, integrated, before);
  }
  static constexpr auto spiked(const auto& m, auto& word, auto fired, auto v, const auto& all) noexcept {
    word.left = m.select(fired, all.refractory.steps, word.left);
    return v;
  }
};

} // namespace refractory
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
