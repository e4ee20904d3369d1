// SPDX-License-Identifier: BSL-1.0
/// \file
/// A current that calcium of a neuron's own spikes opens.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_ADAPTATION_CALCIUM_HPP
#define NEUROMORPH_KERNELS_NEURONS_ADAPTATION_CALCIUM_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/adaptation/spike_triggered.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace adaptation {

/// dCa/dt = -Ca / tau,  Ca += alpha at each spike; the current -g Ca flows into the membrane.
///
/// All else as SpikeTriggered with a rise of g alpha. sPyNNaker's IFCurrExpCa2Adaptive has the product as i_alpha, and
/// decays it once before it flows.
///
/// \cost a word; one product a step
/// \source Y.-H. Liu and X.-J. Wang, J. Computational Neuroscience 10, 2001, with a current for the conductance
struct Calcium : detail::SpikeTrace {
  struct Parameters {
    double tau_ms = 100.0;
    double rise = 0.1;    ///< alpha, in a unit of your own
    double g_na = 1.0;    ///< nA for one unit of calcium; mV/ms with membrane::Izhikevich
    double initial = 0.0; ///< of calcium
  };
  /// \errors as SpikeTriggered; for the conductance parameter_not_positive, parameter_out_of_range
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    if (!detail::is_finite(given.g_na)) return {Error::parameter_out_of_range, 0, given.g_na, "adaptation.g_na"};
    if (!(given.g_na > 0.0)) return {Error::parameter_not_positive, 0, given.g_na, "adaptation.g_na"};
    return make_trace<Membrane>(given.tau_ms, given.rise, given.initial, given.g_na, "Ca", making, to);
  }
};

} // namespace adaptation
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
