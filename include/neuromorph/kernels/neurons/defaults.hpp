// SPDX-License-Identifier: BSL-1.0
/// \file
/// The parts that a Neuron has where none is given, and those that do nothing.
#ifndef NEUROMORPH_KERNELS_NEURONS_DEFAULTS_HPP
#define NEUROMORPH_KERNELS_NEURONS_DEFAULTS_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace input {
/// Psps are currents: each adds to the membrane what its synapse type says.
struct Current : Part<Role::input> {
  template <class Synapses, class Membrane>
  static constexpr auto onto(auto& m, const auto& psps, const auto& synapses, const auto&, auto, auto sum) noexcept {
    return Synapses::onto(m, psps, synapses, sum);
  }
};
} // namespace input

namespace threshold {
/// Membranes count from the threshold, so that it is zero.
struct Fixed : Part<Role::threshold> {
  struct Parameters {
    double v_mv = -50.0;
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_out_of_range for what is no finite number
  static constexpr Status make(const Parameters& given, Making& making, auto) noexcept {
    if (!detail::is_finite(given.v_mv)) return {Error::parameter_out_of_range, 0, given.v_mv, "threshold.v_mv"};
    making.threshold_mv = given.v_mv;
    return {};
  }
  static constexpr auto is_below(const auto& m, const auto&, const auto&, auto v) noexcept { return m.is_negative(v); }
  static constexpr void step(auto&, auto&, const auto&) noexcept {}
  static constexpr void spiked(const auto&, auto&, const auto&, auto) noexcept {}
};
} // namespace threshold

namespace reset {
/// A spike puts the membrane to a value. With a refractory period it is held there, and integration goes on from it.
struct ToValue : Part<Role::reset> {
  template <class Word>
  struct Constants {
    Word v; ///< below zero: relative to the threshold
  };
  struct Parameters {
    double v_mv = -65.0; ///< below the threshold, by as much as a membrane's word holds
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_out_of_range
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    const auto word = making.word_of(given.v_mv, "reset.v_mv");
    if (!word) return word.status();
    to.own.v = making.reset = word.value();
    return {};
  }
  static constexpr auto late(const auto&, const auto&, auto, auto v) noexcept { return v; }
  static constexpr auto spiked(const auto&, const auto& own, auto, auto) noexcept { return own.v; }
};
} // namespace reset

namespace refractory {
/// The membrane goes on at once.
struct None : Part<Role::refractory> {
  static constexpr bool is_in_membrane = false, is_always_active = true;
  static constexpr auto hold(const auto&, auto&, auto, auto, auto integrated, const auto&) noexcept {
    return integrated;
  }
  static constexpr auto spiked(const auto&, auto&, auto, auto v, const auto&) noexcept { return v; }
};
/// The steps that are left stand in the membrane's word, zero and above: less one. No word, and one test serves both.
struct InMembrane : Part<Role::refractory> {
  static constexpr bool is_in_membrane = true;
  static constexpr bool needs_fixed_threshold = true;
  template <class Word>
  struct Constants {
    Word after_spike; ///< refractory steps less one, or the reset if there are none
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
    const auto whole = static_cast<std::int32_t>(detail::to_fixed(steps, 0));
    to.own.after_spike = whole == 0 ? making.reset : whole - 1;
    return {};
  }
  static constexpr auto is_active(const auto& m, const auto&, auto before) noexcept { return m.is_negative(before); }
  static constexpr auto hold(const auto& m, auto&, auto, auto before, auto integrated, const auto& all) noexcept {
    return m.count_down(before, integrated, all.reset.v);
  }
  static constexpr auto spiked(const auto& m, auto&, auto fired, auto v, const auto& all) noexcept {
    return m.select(fired, all.refractory.after_spike, v);
  }
};
} // namespace refractory

namespace adaptation {
/// Spikes leave nothing behind.
struct None : Part<Role::adaptation> {
  static constexpr auto onto(const auto&, const auto&, const auto&, auto, auto sum) noexcept { return sum; }
  static constexpr void step(auto&, auto&, const auto&) noexcept {}
  static constexpr void spiked(const auto&, auto&, const auto&, auto) noexcept {}
};
} // namespace adaptation

namespace current {
/// Nothing else flows.
struct None : Part<Role::current> {
  static constexpr void at_step(auto&, std::uint32_t) noexcept {}
  static constexpr auto onto(const auto&, const auto&, const auto&, auto sum) noexcept { return sum; }
  static constexpr void step(auto&, auto&, const auto&) noexcept {}
};
} // namespace current

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
