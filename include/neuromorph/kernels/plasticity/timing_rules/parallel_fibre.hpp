// SPDX-License-Identifier: BSL-1.0
/// \file
/// Plasticity of synapses from parallel fibres onto Purkinje cells.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_PARALLEL_FIBRE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_PARALLEL_FIBRE_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/detail/spike_kernel.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace timing {

/// A spike of the parallel fibre brings the weight up by A+. An event of the climbing fibre brings it down by A- K(dt) for each
/// spike dt before it: K = e^-x sin^20 x for x from 0 to pi, over its highest value, which it has at `peak_ms`.
///
/// The events of the history are those of the climbing fibre.
/// \tparam Ticks   2 to 65534; the kernel has 2.066 peak / dt
/// \tparam Spikes  that a row keeps: as many as it may have in that time. If more come the oldest gives way, and is counted as
///                 a held trace. 2 bytes each
/// \source N. R. Luque et al., Cerebellarlike corrective model inference engine for manipulation tasks, 2011; the first wave
///         of the kernel alone, as sPyNNaker has it
template <std::size_t Ticks = 256, std::size_t Spikes = 16>
struct ParallelFibre : detail::SpikeKernel<Ticks, Spikes> {
  struct Parameters {
    double peak_ms = 100.0;
    double a_plus = 0.01, a_minus = 0.05; ///< shares of the range of weights
  };
  /// \errors parameter_out_of_range: peak_ms, below 4 ticks or no number; table_too_short: peak_ms; parameter_not_positive:
  ///         dt_ms; those of share_of: a_plus, a_minus
  [[nodiscard]] static constexpr Result<ParallelFibre> from(const Parameters& given, double dt_ms) noexcept {
    const Result<std::int64_t> ratio = detail::kernel_ratio(dt_ms, given.peak_ms, 0.25, "peak_ms");
    if (!ratio) return ratio.status();
    const auto a_plus = share_of(given.a_plus, "a_plus"), a_minus = share_of(given.a_minus, "a_minus");
    if (!a_plus) return a_plus.status();
    if (!a_minus) return a_minus.status();
    ParallelFibre rule;
    rule.a_plus = a_plus.value(), rule.a_minus = a_minus.value();
    const std::int64_t step = detail::multiply_q60(ratio.value(), atan_20), decay = detail::exp_q60(-step);
    const detail::SineCosine turn = detail::sine_cosine_q60(step);
    detail::SineCosine at{0, detail::one_q60};
    std::int64_t left = detail::one_q60, x = 0;
    for (std::size_t tick = 0; x <= detail::pi_q60; ++tick, x += step) {
      if (tick == Ticks) return Status{Error::table_too_short, 0, given.peak_ms, "peak_ms"};
      const std::int64_t square = detail::multiply_q60(at.sine, at.sine), fourth = detail::multiply_q60(square, square);
      const std::int64_t eighth = detail::multiply_q60(fourth, fourth),
                         sixteenth = detail::multiply_q60(eighth, eighth);
      const std::int64_t wave = detail::multiply_q60(left, detail::multiply_q60(sixteenth, fourth));
      rule.kernel[tick] = detail::to_share(detail::multiply_q60(wave, eighth_of_scale) * 8);
      at = detail::turned(at, turn);
      left = detail::multiply_q60(left, decay);
    }
    return rule;
  }

private:
  static constexpr std::int64_t atan_20 = 1753406755755794195;
  /// e^x / sin^20 x at the peak, x = atan(20), over 8.
  static constexpr std::int64_t eighth_of_scale = 676153167868655187;
};

} // namespace timing
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
