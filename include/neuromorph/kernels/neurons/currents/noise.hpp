// SPDX-License-Identifier: BSL-1.0
/// \file
/// Gaussian currents: white noise and Ornstein-Uhlenbeck's.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_CURRENTS_NOISE_HPP
#define NEUROMORPH_KERNELS_NEURONS_CURRENTS_NOISE_HPP

#include <array>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/arithmetic.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/gaussian.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/generic.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Whether each neuron has a current of its own, or all neurons of a population have the same.
enum class NoiseOf : std::uint8_t { neuron, population };

namespace detail {

/// The numbers of a step.
struct NoiseSource {
  std::uint32_t seed = 0;
  std::array<std::uint32_t, 2> keys{};
  std::int32_t common = 0; ///< the number that all neurons of a population share, 2^28

  template <NoiseOf of>
  constexpr void draw(std::uint32_t place) noexcept {
    for (std::uint32_t which = 0; which < 2; ++which) keys[which] = mixed(place * 0x9E3779B9U ^ mixed(seed + which));
    if constexpr (of == NoiseOf::population) common = number<target::Generic::Lanes>(0);
  }
  template <class Lanes>
  [[nodiscard]] constexpr typename Lanes::Value number(typename Lanes::Value neuron) const noexcept {
    return gaussian<Lanes>(random_of<Lanes>(neuron, keys[0]), random_of<Lanes>(neuron, keys[1]));
  }
  template <NoiseOf of>
  [[nodiscard]] constexpr auto of_lanes(const auto& m) const noexcept {
    if constexpr (of == NoiseOf::population)
      return m.splat(common);
    else
      return number<typename std::remove_cvref_t<decltype(m)>::Lanes>(m.number());
  }
};
/// Different currents of one neuron have different numbers.
[[nodiscard]] constexpr std::uint32_t noise_seed(std::uint32_t given, Making& making) noexcept {
  return mixed(given ^ mixed(0x6E6F6973U + making.noises++));
}

/// What one standard deviation adds to a membrane.
struct NoiseScale {
  std::int32_t scale = 0; ///< 2^(4 + shift) units of the membrane in a step
  std::uint8_t shift = 1;
};
/// \errors parameter_out_of_range
template <class Membrane>
[[nodiscard]] constexpr Result<NoiseScale> noise_scale(double stdev_na, const Making& making) noexcept {
  NoiseScale made;
  int shift = 1;
  while (making.room * power_of_two(3 + shift) <= 1.0) ++shift; // for all that there is room for: more than 2^-24
  const std::int64_t scale = to_fixed(Membrane::response(making, 0) * stdev_na, making.unit_bits + 4 + shift);
  if (!(stdev_na >= 0.0) || scale > INT32_MAX)
    return Status{Error::parameter_out_of_range, 0, stdev_na, "current.stdev_na"};
  made.scale = static_cast<std::int32_t>(scale);
  made.shift = static_cast<std::uint8_t>(shift);
  return made;
}
/// Takes room for a mean and so many eighths of a standard deviation.
[[nodiscard]] constexpr bool take_noise(Making& making, std::int32_t mean, const NoiseScale& noise,
                                        int eighths) noexcept {
  return making.take(magnitude(mean) + ((std::int64_t{noise.scale} * eighths) >> (7 + noise.shift)) + 1);
}
/// A number, 2^28, in units of the membrane.
[[nodiscard, gnu::always_inline]] constexpr auto noise_flow(auto& m, auto number, auto scale, unsigned shift) noexcept {
  using Lanes = typename std::remove_cvref_t<decltype(m)>::Lanes;
  return m.scaled_down(Lanes::multiply_high(number, scale), shift);
}

} // namespace detail

namespace current {

/// White noise: a current that is constant for an interval, with a normal distribution, independent of all others.
///
/// The meaning is that of PyNN's NoisyCurrentSource and NEST's noise_generator: `stdev_na` is the standard deviation of the
/// current in an interval, whatever its length. For a given power per frequency it goes as 1 / sqrt(interval).
///
/// What a neuron gets depends on the seed, on its number and on the step, not on the order or the split of a population. The
/// distribution is that of `gaussian`: no current is more than 5.04 deviations from the mean.
///
/// \cost two draws and six products; for NoiseOf::population one sum, and this once a step
template <NoiseOf of = NoiseOf::neuron>
struct WhiteNoise : Part<Role::current> {
  static constexpr int lost_halves = 1;
  template <class Value>
  struct Constants {
    Value mean;  ///< units of the membrane in a step
    Value scale; ///< as NoiseScale
  };
  struct Shared {
    detail::NoiseSource source;
    detail::Window window;
    std::uint32_t interval = 1; ///< steps
    std::uint8_t shift = 1;
    bool is_on = true;
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.shift == common.shift && own.source.seed == common.source.seed && own.window == common.window &&
           own.interval == common.interval;
  }
  struct Parameters {
    double mean_na = 0.0; ///< mV/ms with membrane::Izhikevich
    double stdev_na = 0.0;
    double interval_ms = 0.0; ///< rounded to whole steps; 0 is one step
    std::uint32_t seed = 1;
    std::uint32_t first_step = 0, last_step = UINT32_MAX;
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_out_of_range, also for what the membrane's range has no room for
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    auto& shared = to.own.shared;
    const auto mean = detail::flow_of<Membrane>(given.mean_na, making, "current.mean_na");
    if (!mean) return mean.status();
    const auto noise = detail::noise_scale<Membrane>(given.stdev_na, making);
    if (!noise) return noise.status();
    const double steps = given.interval_ms / making.dt_ms;
    if (!(steps >= 0.0 && steps < 1e9))
      return {Error::parameter_out_of_range, 0, given.interval_ms, "current.interval_ms"};
    const auto interval = static_cast<std::uint32_t>(detail::to_fixed(steps, 0));
    if (!detail::take_noise(making, mean.value(), noise.value(), 41))
      return {Error::parameter_out_of_range, 0, given.stdev_na, "current.stdev_na"};
    to.own.mean = mean.value();
    to.own.scale = noise.value().scale;
    shared.shift = noise.value().shift;
    shared.interval = interval == 0 ? 1 : interval;
    shared.window = {given.first_step, given.last_step};
    shared.source.seed = detail::noise_seed(given.seed, making);
    return {};
  }
  static constexpr void at_step(auto& own, std::uint32_t step_number) noexcept {
    auto& shared = own.shared;
    shared.is_on = shared.window.contains(step_number);
    shared.source.template draw<of>(shared.interval == 1 ? step_number : step_number / shared.interval);
  }
  static constexpr auto onto(const auto& m, const auto&, const auto& own, auto sum) noexcept {
    if (!own.shared.is_on) return sum;
    const auto number = own.shared.source.template of_lanes<of>(m);
    return m.add(m.add(sum, own.mean), detail::noise_flow(m, number, own.scale, own.shared.shift));
  }
  static constexpr void step(auto&, auto&, const auto&) noexcept {}
};

/// Ornstein-Uhlenbeck's current: dI = (mean - I) / tau dt + stdev sqrt(2 / tau) dW.
///
/// Exact at the ends of steps: I' = mean + (I - mean) e^(-dt/tau) + stdev sqrt(1 - e^(-2 dt/tau)) x with a normal x. `stdev_na` is
/// that of I in the long run. It begins at the mean. Over a step it flows as at the begin of the step. What a neuron gets depends
/// on seed, number and steps as with WhiteNoise. The word is held at 8 deviations, and counted. A current that is that of the
/// population stands in the word of each neuron.
///
/// \cost a word; two draws and eight products; for NoiseOf::population three, and the others once a step
/// \source D. Gillespie, Physical Review E 54, 1996
template <NoiseOf of = NoiseOf::neuron>
struct OrnsteinUhlenbeck : Part<Role::current> {
  static constexpr int lost_halves = 1;
  template <class Value>
  struct Words {
    Value deviation; ///< (I - mean) / stdev, 2^28
  };
  template <class Value>
  struct Constants {
    Value leak;   ///< 1 - exp(-dt/tau), 2^32
    Value spread; ///< sqrt(1 - exp(-2 dt/tau)), 2^31
    Value mean;   ///< units of the membrane in a step
    Value scale;  ///< as NoiseScale
  };
  struct Shared {
    detail::NoiseSource source;
    detail::Window window;
    std::uint8_t shift = 1;
    bool is_on = true;
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.shift == common.shift && own.source.seed == common.source.seed && own.window == common.window;
  }
  struct Parameters {
    double tau_ms = 5.0;
    double mean_na = 0.0; ///< mV/ms with membrane::Izhikevich
    double stdev_na = 0.0;
    std::uint32_t seed = 1;
    std::uint32_t first_step = 0, last_step = UINT32_MAX; ///< in which it flows; the process runs always
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_not_positive, time_constant_too_short, time_constant_too_long; parameter_out_of_range, also for what the
  ///         membrane's range has no room for
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    auto& shared = to.own.shared;
    const auto rate = detail::rate_of(given.tau_ms, making.dt_ms, "current.tau_ms");
    if (!rate) return rate.status();
    const auto mean = detail::flow_of<Membrane>(given.mean_na, making, "current.mean_na");
    if (!mean) return mean.status();
    const auto noise = detail::noise_scale<Membrane>(given.stdev_na, making);
    if (!noise) return noise.status();
    if (!detail::take_noise(making, mean.value(), noise.value(), 64))
      return {Error::parameter_out_of_range, 0, given.stdev_na, "current.stdev_na"};
    const std::int64_t leak = detail::multiply_q60(rate.value(), detail::phi1_q60(-rate.value()));
    to.own.leak = static_cast<std::int32_t>(((leak >> 27) + 1) >> 1);
    to.own.spread = root(detail::multiply_q60(leak, 2 * detail::one_q60 - leak));
    to.own.mean = mean.value();
    to.own.scale = noise.value().scale;
    shared.shift = noise.value().shift;
    shared.window = {given.first_step, given.last_step};
    shared.source.seed = detail::noise_seed(given.seed, making);
    to.quantities.deviation = {"nA", given.stdev_na * 0x1p-28, given.mean_na};
    return {};
  }
  static constexpr void at_step(auto& own, std::uint32_t step_number) noexcept {
    own.shared.is_on = own.shared.window.contains(step_number);
    own.shared.source.template draw<of>(step_number);
  }
  static constexpr auto onto(const auto& m, const auto& word, const auto& own, auto sum) noexcept {
    if (!own.shared.is_on) return sum;
    return m.add(m.add(sum, own.mean), detail::noise_flow(m, word.deviation, own.scale, own.shared.shift));
  }
  static constexpr void step(auto& m, auto& word, const auto& own) noexcept {
    using Lanes = typename std::remove_reference_t<decltype(m)>::Lanes;
    const auto number = own.shared.source.template of_lanes<of>(m);
    const auto kept = m.subtract(word.deviation, Lanes::multiply_high_nearest(word.deviation, own.leak));
    word.deviation = m.add_scaled_held(kept, Lanes::multiply_high_nearest(number, own.spread), 1);
  }

private:
  /// sqrt(x) 2^31 of x with 60 fraction bits, below 1; rounded down.
  [[nodiscard]] static constexpr std::int32_t root(std::int64_t x) noexcept {
    std::int64_t found = 0;
    for (int bit = 30; bit >= 0; --bit) {
      const std::int64_t next = found | (std::int64_t{1} << bit);
      if (next * next <= 4 * x) found = next;
    }
    return static_cast<std::int32_t>(found);
  }
};

} // namespace current
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
