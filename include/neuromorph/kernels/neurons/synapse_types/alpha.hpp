// SPDX-License-Identifier: BSL-1.0
/// \file
/// Alpha-shaped synaptic currents.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_ALPHA_HPP
#define NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_ALPHA_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/kernels/neurons/synapse_types/double_exponential.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace synapse {

/// i(t) = w t/tau exp(1 - t/tau), whose peak after tau is the weight: as PyNN's IF_curr_alpha and NEST's iaf_psc_alpha.
///
/// Exact over a step, also where tau is that of the membrane. Excitation, inhibition, and so on in turn; weights are
/// magnitudes, in nA. Two words and three products for each receptor. A psp that stays at the end of its range is held and
/// counted.
template <std::size_t Receptors>
struct Alpha : detail::RisingSynapses<Receptors, true> {
  struct Parameters {
    std::array<double, Receptors> tau_ms;
    std::array<ReceptorWeights, Receptors> weights{};
  };
  /// The finest unit of the membrane in which psps hold what is brought.
  /// \errors as make
  template <class Membrane>
  static constexpr Result<int> most_unit_bits(const Parameters& given, const Making& making) noexcept {
    int most = making.unit_bits;
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const auto rate = detail::rate_of(given.tau_ms[which], making.dt_ms, "synapses.tau_ms");
      if (!rate) return detail::at(rate.status(), which);
      const auto bits = Alpha::template unit_bits_of<Membrane>(which, given.tau_ms[which], rate.value(), rate.value(),
                                                               given.weights[which], making);
      if (!bits) return bits.status();
      if (bits.value() < most) most = bits.value();
    }
    return most;
  }
  /// \errors as Exponential
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    to.own.shared.psp_shift = detail::psp_shift(making, Receptors);
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const auto rate = detail::rate_of(given.tau_ms[which], making.dt_ms, "synapses.tau_ms");
      if (!rate) return detail::at(rate.status(), which);
      const Status status = Alpha::template make_one<Membrane>(which, rate.value(), rate.value(), given.weights[which],
                                                               making, to, to.units[which]);
      if (!status) return status;
    }
    return {};
  }
};

} // namespace synapse
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
