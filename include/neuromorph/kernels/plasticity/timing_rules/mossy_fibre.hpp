// SPDX-License-Identifier: BSL-1.0
/// \file
/// Plasticity of synapses from mossy fibres onto vestibular nuclei.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_MOSSY_FIBRE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_MOSSY_FIBRE_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/plasticity/decay_table.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/detail/spike_kernel.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace timing {

/// A spike of the mossy fibre brings the weight up by A+. An event of the Purkinje cell brings it down by A- K(dt) for each
/// spike dt before it: K = e^-(beta x) cos^2 x with x = dt / sigma from 0 to pi / 2.
///
/// The events of the history are those of the Purkinje cell.
/// \tparam Ticks   2 to 65534; the kernel has 1.571 sigma / dt
/// \tparam Spikes  that a row keeps: as many as it may have in that time. If more come the oldest gives way, and is counted as
///                 a held trace. 2 bytes each
/// \source N. R. Luque et al., Distributed cerebellar motor learning: a spike-timing-dependent plasticity model, 2016; of the
///         symmetric kernel the spikes before the event, as sPyNNaker has it
template <std::size_t Ticks = 480, std::size_t Spikes = 16>
struct MossyFibre : detail::SpikeKernel<Ticks, Spikes> {
  struct Parameters {
    double sigma_ms = 200.0, beta = 11.0;
    double a_plus = 0.01, a_minus = 0.05; ///< shares of the range of weights
  };
  /// \errors parameter_out_of_range: sigma_ms, below 2 ticks or no number, beta, outside 0 to 1000; table_too_short:
  ///         sigma_ms; parameter_not_positive: dt_ms; those of share_of: a_plus, a_minus
  [[nodiscard]] static constexpr Result<MossyFibre> from(const Parameters& given, double dt_ms) noexcept {
    const Result<std::int64_t> ratio = detail::kernel_ratio(dt_ms, given.sigma_ms, 0.5, "sigma_ms");
    if (!ratio) return ratio.status();
    if (!(given.beta >= 0.0 && given.beta <= 1000.0))
      return Status{Error::parameter_out_of_range, 0, given.beta, "beta"};
    const auto a_plus = share_of(given.a_plus, "a_plus"), a_minus = share_of(given.a_minus, "a_minus");
    if (!a_plus) return a_plus.status();
    if (!a_minus) return a_minus.status();
    MossyFibre rule;
    rule.a_plus = a_plus.value(), rule.a_minus = a_minus.value();
    const std::int64_t decay = detail::decay_q60(given.beta * (dt_ms / given.sigma_ms));
    const detail::SineCosine turn = detail::sine_cosine_q60(ratio.value());
    detail::SineCosine at{0, detail::one_q60};
    std::int64_t left = detail::one_q60, x = 0;
    for (std::size_t tick = 0; x <= detail::pi_q60 / 2; ++tick, x += ratio.value()) {
      if (tick == Ticks) return Status{Error::table_too_short, 0, given.sigma_ms, "sigma_ms"};
      rule.kernel[tick] = detail::to_share(detail::multiply_q60(left, detail::multiply_q60(at.cosine, at.cosine)));
      at = detail::turned(at, turn);
      left = detail::multiply_q60(left, decay);
    }
    return rule;
  }
};

} // namespace timing
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
