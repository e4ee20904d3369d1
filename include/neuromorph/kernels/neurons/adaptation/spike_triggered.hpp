// SPDX-License-Identifier: BSL-1.0
/// \file
/// Currents that a neuron's own spikes leave behind.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_ADAPTATION_SPIKE_TRIGGERED_HPP
#define NEUROMORPH_KERNELS_NEURONS_ADAPTATION_SPIKE_TRIGGERED_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// A word that decays and rises with each spike, and is a current away from the membrane.
struct SpikeTrace : Part<Role::adaptation> {
  static constexpr bool is_physical = true;
  static constexpr int lost_halves = -1;
  template <class Value>
  struct Words {
    Value trace; ///< what it takes from the membrane in a step, in 2^-shift units of the membrane
  };
  template <class Value>
  struct Constants {
    Value decay; ///< exp(-dt/tau) - 1, 32 fraction bits
    Value rise;  ///< of a spike, as the word
  };
  struct Shared {
    std::uint8_t shift = 1;
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.shift == common.shift;
  }
  static constexpr auto onto(auto& m, const auto& word, const auto& own, auto, auto sum) noexcept {
    return m.subtract(sum, m.scaled_down(word.trace, own.shared.shift));
  }
  static constexpr void step(auto& m, auto& word, const auto& own) noexcept {
    word.trace = m.decayed(word.trace, own.decay);
  }
  static constexpr void spiked(auto& m, auto& word, const auto& own, auto fired) noexcept {
    word.trace = m.add_scaled_held(word.trace, m.select(fired, own.rise, m.splat(0)), 0);
  }

protected:
  /// \param rise, initial  in na nA
  template <class Membrane>
  static constexpr Status make_trace(double tau_ms, double rise, double initial, double na, const char* unit,
                                     Making& making, auto to) noexcept {
    const auto rate = rate_of(tau_ms, making.dt_ms, "adaptation.tau_ms");
    if (!rate) return rate.status();
    to.own.decay = to_decay(exp_q60(-rate.value()));
    // The end of the word takes at most a quarter of the room.
    int shift = 1;
    while (power_of_two(2 - shift) > making.room) ++shift;
    to.own.shared.shift = static_cast<std::uint8_t>(shift);
    if (!making.take(std::int64_t{1} << (31 - shift)))
      return {Error::parameter_out_of_range, 0, making.room, "adaptation"};
    const double drive = Membrane::response(making, rate.value()) * na;
    const std::int64_t risen = to_fixed(drive * rise, making.unit_bits + shift),
                       begun = to_fixed(drive * initial, making.unit_bits + shift);
    if (risen > INT32_MAX || risen < -INT32_MAX || (risen == 0 && rise != 0.0))
      return {Error::parameter_out_of_range, 0, rise, "adaptation.rise"};
    if (begun > INT32_MAX || begun < -INT32_MAX)
      return {Error::parameter_out_of_range, 0, initial, "adaptation.initial"};
    to.own.rise = static_cast<std::int32_t>(risen);
    to.initial.trace = static_cast<std::int32_t>(begun);
    to.quantities.trace = {unit, power_of_two(-making.unit_bits - shift) / drive, 0.0};
    return {};
  }
};

} // namespace detail

namespace adaptation {

/// dw/dt = -w / tau,  w += rise at each spike; the current -w flows into the membrane.
///
/// It acts from the step after the spike on, and like a synapse's current it is integrated exactly with membrane::Lif, and by
/// its mean over the step with others. Rounding moves it by at most n units for a time constant of n steps. Its word ends
/// where it would take a quarter of what the membrane's range has room for: there it is held and counted.
///
/// \cost a word; one product a step
/// \source w of R. Brette and W. Gerstner, J. Neurophysiology 94, 2005, without its coupling below the threshold (a = 0)
struct SpikeTriggered : detail::SpikeTrace {
  struct Parameters {
    double tau_ms = 100.0;
    double rise = 0.1;    ///< nA (mV/ms with membrane::Izhikevich); negative currents push up
    double initial = 0.0; ///< the same
  };
  /// \errors parameter_out_of_range, also for a rise that is lost in rounding; parameter_not_positive,
  ///         time_constant_too_short, time_constant_too_long
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    return make_trace<Membrane>(given.tau_ms, given.rise, given.initial, 1.0, "nA", making, to);
  }
};

} // namespace adaptation
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
