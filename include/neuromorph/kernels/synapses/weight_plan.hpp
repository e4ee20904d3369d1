// SPDX-License-Identifier: BSL-1.0
/// \file
/// The unit of weights for an expected input: as fine as a ring buffer's elements allow with a stated probability.
///
/// A fine unit keeps weights exact, a coarse one leaves room for coincident events. What arrives in a step is a sum of
/// independent counts; the probability that it leaves an element is computed from their distribution, not from a mean
/// and a deviation. For constants, or on the host: everything is in double precision.
// not in the umbrella: for the host and for constants, when rows are made
#ifndef NEUROMORPH_KERNELS_SYNAPSES_WEIGHT_PLAN_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_WEIGHT_PLAN_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/overflow.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// How many spikes of one source there may be in a step.
enum class SpikesInStep : std::uint8_t {
  one, ///< at most, as of a neuron: with the probability rate * step
  poisson
};

/// Synapses of one receptor of one neuron that have the same weight and rate.
struct SynapticInput {
  double weight = 0.0; ///< with its sign, in nA or whatever the unit is to be stated in
  std::uint32_t synapses = 1;
  double rate_hz = 0.0; ///< of each; independent of all others
  SpikesInStep spikes = SpikesInStep::one;
};

/// What a unit must do.
struct WeightDemands {
  double dt_ms = 1.0;
  double saturation = 1e-6; ///< probability, at most, that an element is held at its end in a step
  double accuracy = 0.05;   ///< relative error of a weight, at most
};

/// A unit, and what it does.
struct WeightPlan {
  double unit = 0.0;       ///< of weights: a power of two of nA, if it was chosen
  unsigned bits = 0;       ///< of the largest weight
  double accuracy = 0.0;   ///< largest relative error of a weight; 1: one has vanished
  double saturation = 0.0; ///< no more than this is the probability that an element is held in a step
  unsigned element_bits = 0;
  std::size_t ring_bytes = 0;
};

namespace detail {

/// e^-x, x from 0 to 64.
[[nodiscard]] constexpr double exp_minus(double x) noexcept {
  const auto whole = static_cast<unsigned>(x);
  double result = 1.0;
  for (unsigned one = 0; one < whole; ++one) result *= 0.36787944117144232160;
  return result * (static_cast<double>(exp_q60(to_fixed(whole - x, 60))) / 1152921504606846976.0);
}

/// The probabilities of 0, 1, ... events, as their inverses: sums of quotients are the same bits whatever the compiler
/// contracts. What is left out is less than 1e-28.
struct CountLaw {
  std::array<double, 256> inverse{};
  std::size_t counts = 0;

  /// \param mean   of all events, at most 64
  /// \param sources  of which each gives one at most; 0: as many as a Poisson number has
  [[nodiscard]] static constexpr CountLaw from(double mean, std::uint32_t sources) noexcept {
    CountLaw law;
    const double p = sources == 0 ? 0.0 : mean / sources;
    double none = 1.0;
    if (sources == 0) {
      none = exp_minus(mean);
    } else {
      double power = 1.0 - p;
      for (std::uint32_t left = sources; left != 0; left >>= 1, power *= power)
        if ((left & 1) != 0) none *= power;
    }
    double inverse = 1.0 / none;
    for (std::size_t count = 0; count < law.inverse.size(); ++count) {
      law.inverse[law.counts++] = inverse;
      if (sources == count && sources != 0) break;
      if (static_cast<double>(count) > mean && inverse > 1e30) break;
      const double next = static_cast<double>(count + 1);
      inverse *= sources == 0 ? next / mean : next / static_cast<double>(sources - count) * ((1.0 - p) / p);
    }
    return law;
  }
};

/// Adds the events of one law, of `weight` bins each, to the distribution of a sum; gives what leaves the bins.
constexpr double add_to_sum(std::span<double> bins, const CountLaw& law, std::size_t weight) noexcept {
  double over = 0.0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (bins[bin] == 0.0) continue;
    for (std::size_t count = (bins.size() - 1 - bin) / weight + 1; count < law.counts; ++count)
      over += bins[bin] / law.inverse[count];
  }
  for (std::size_t bin = bins.size(); bin-- > 0;) {
    double sum = 0.0;
    for (std::size_t count = 0; count < law.counts && count * weight <= bin; ++count)
      sum += bins[bin - count * weight] / law.inverse[count];
    bins[bin] = sum;
  }
  return over;
}

[[nodiscard]] constexpr double magnitude_of(double value) noexcept { return value < 0 ? -value : value; }

/// Of `weight` in units, to nearest.
[[nodiscard]] constexpr double in_units(double weight, double unit) noexcept {
  const double units = magnitude_of(weight) / unit + 0.5;
  return units < 4503599627370496.0 ? static_cast<double>(static_cast<std::uint64_t>(units)) : units;
}

/// What a weight loses by a unit, relative; of 0 nothing.
[[nodiscard]] constexpr double error_of(double weight, double unit) noexcept {
  if (weight == 0) return 0.0;
  const double kept = in_units(weight, unit) * unit; // exact for a power of two
  return magnitude_of(magnitude_of(weight) - kept) / magnitude_of(weight);
}

[[nodiscard]] constexpr double mean_in_step(const SynapticInput& input, double dt_ms) noexcept {
  return input.rate_hz / (1000.0 / dt_ms) * input.synapses;
}

/// That the weights of one sign bring more than `limit` units.
[[nodiscard]] constexpr double probability_above(std::span<const SynapticInput> inputs, bool is_negative, double dt_ms,
                                                 double unit, double limit, std::span<double> work) noexcept {
  const auto counts = [&](const SynapticInput& input) {
    return (input.weight < 0) == is_negative && in_units(input.weight, unit) != 0.0 && input.synapses != 0 &&
           input.rate_hz != 0.0;
  };
  double most = 0.0, mean_of_all = 0.0;
  for (const SynapticInput& input : inputs)
    if (counts(input)) {
      const bool is_poisson = input.spikes == SpikesInStep::poisson;
      most += is_poisson ? limit + 1.0 : in_units(input.weight, unit) * input.synapses;
      mean_of_all += mean_in_step(input, dt_ms);
    }
  if (most <= limit) return 0.0;
  if (mean_of_all > 1e6) return 1.0; // as far as it is computed
  const auto bins_of = static_cast<double>(work.size());
  double bin_units = 1.0; // of a bin; weights are rounded up to bins
  while (limit / bin_units >= bins_of) bin_units *= 2.0;
  const auto bins = work.first(static_cast<std::size_t>(limit / bin_units) + 1);
  for (double& bin : bins) bin = 0.0;
  bins[0] = 1.0;
  double over = 0.0;
  for (const SynapticInput& input : inputs) {
    if (!counts(input)) continue;
    const double quotient = in_units(input.weight, unit) / bin_units;
    std::size_t weight = bins.size();
    if (quotient < bins_of) {
      weight = static_cast<std::size_t>(quotient);
      if (static_cast<double>(weight) < quotient) ++weight;
    }
    const double mean = mean_in_step(input, dt_ms);
    const auto parts = static_cast<std::uint32_t>(mean / 64.0) + 1;
    for (std::uint32_t part = 0; part < parts; ++part) {
      if (input.spikes == SpikesInStep::poisson) {
        over += add_to_sum(bins, CountLaw::from(mean / parts, 0), weight);
        continue;
      }
      const std::uint32_t sources = input.synapses / parts + (part < input.synapses % parts ? 1U : 0U);
      over += add_to_sum(bins, CountLaw::from(mean / input.synapses * sources, sources), weight);
    }
  }
  over = (over + 1e-18) * 1.000001; // what the laws leave out, and rounding
  return over < 1.0 ? over : 1.0;
}

/// Whether a format has weights of so many units.
template <class Format>
[[nodiscard]] constexpr bool has_weight(double units, bool is_negative) noexcept {
  if (units > 2147483647.0) return false;
  const auto weight = static_cast<std::int32_t>(units);
  return Format::encode({is_negative ? -weight : weight, 1, 0, 0}).ok();
}

/// What is wrong with inputs, if anything is.
[[nodiscard]] constexpr Status check_inputs(std::span<const SynapticInput> inputs, double dt_ms, bool has_sign,
                                            std::span<double> work) noexcept {
  if (!(dt_ms > 0 && dt_ms < 1e6)) return {Error::parameter_out_of_range, 0, dt_ms, "dt_ms"};
  if (work.size() < 2) return {Error::lengths_differ, 0, work.size(), "work"};
  for (std::size_t at = 0; at < inputs.size(); ++at) {
    const SynapticInput& input = inputs[at];
    const auto where = static_cast<std::uint32_t>(at);
    if (!(magnitude_of(input.weight) < 1e30)) return {Error::parameter_out_of_range, where, input.weight, "weight"};
    if (input.weight < 0 && !has_sign) return {Error::weight_out_of_range, where, input.weight, "weight"};
    const bool is_poisson = input.spikes == SpikesInStep::poisson;
    const double most = is_poisson ? 1e6 : 990.0 / dt_ms;
    if (!(input.rate_hz >= 0 && input.rate_hz <= most))
      return {Error::parameter_out_of_range, where, input.rate_hz, "rate_hz"};
  }
  return {};
}

} // namespace detail

/// What weights of a unit do in a ring buffer.
///
/// \tparam Element  of the ring: 16-bit elements are held at their end, 32-bit ones must stay below 2^30
/// \param inputs  all of one receptor of the neuron that has most
/// \param unit    of weights, above 0; Neuron::weight says what that of a model is
/// \param work    memory for the distribution of a sum: with 65536 the probability of 16-bit elements is exact, with fewer an
///                upper bound: weights are rounded up to 1 / work.size() of an element's range
/// \errors parameter_out_of_range: dt_ms, unit, weight, rate_hz (more than 0.99 spikes a step, where there is one at most);
///         weight_out_of_range: a negative one where the format has none; lengths_differ: work has fewer than 2
/// \cost O(inputs (1 + mean events / 64) work 100)
template <class Format, class Element>
[[nodiscard]] constexpr Result<WeightPlan> weight_plan_of(std::span<const SynapticInput> inputs, double dt_ms,
                                                          double unit, std::span<double> work) noexcept {
  static_assert(RingElement<Element>, "neuromorph: a ring buffer's Element is std::int32_t, std::int16_t or "
                                      "std::uint16_t; see docs/synapses.md");
  const bool has_sign = detail::has_weight<Format>(1.0, true);
  if (const Status status = detail::check_inputs(inputs, dt_ms, has_sign, work); !status) return status;
  if (!(unit > 0 && unit < 1e30)) return Status{Error::parameter_out_of_range, 0, unit, "unit"};
  WeightPlan plan{.unit = unit, .element_bits = 8 * sizeof(Element)};
  plan.ring_bytes = sizeof(Element) << Format::address_bits;
  for (const SynapticInput& input : inputs) {
    const double units = detail::in_units(input.weight, unit), error = detail::error_of(input.weight, unit);
    if (error > plan.accuracy) plan.accuracy = error;
    const auto exponent = static_cast<unsigned>(std::bit_cast<std::uint64_t>(units) >> 52); // 1023: of 1
    if (units >= 1.0 && exponent - 1022 > plan.bits) plan.bits = exponent - 1022;
  }
  constexpr double room = 1073741823.0; // below 2^30: check_fan_in
  const double highest = sizeof(Element) == 4 ? room : static_cast<double>(overflow::highest<Element>);
  const double lowest = sizeof(Element) == 4 ? room : -static_cast<double>(overflow::lowest<Element>);
  plan.saturation = detail::probability_above(inputs, false, dt_ms, unit, highest, work);
  if (has_sign) {
    const double below = detail::probability_above(inputs, true, dt_ms, unit, lowest, work);
    plan.saturation = plan.saturation + below < 1.0 ? plan.saturation + below : 1.0;
  }
  return plan;
}

/// The finest unit, a power of two, with which weights fit the format and elements are held no more often than is demanded.
///
/// \param inputs, work  as weight_plan_of
/// \errors as weight_plan_of; parameter_out_of_range: demands.saturation is not above 1e-18; weight_vanishes: a weight
///         would become zero with that unit; weight_inexact: one would lose more than the demanded accuracy (`where`: of
///         which input); parameter_not_positive: all weights are 0
template <class Format, class Element>
[[nodiscard]] constexpr Result<WeightPlan> plan_weights(std::span<const SynapticInput> inputs,
                                                        const WeightDemands& demands, std::span<double> work) noexcept {
  const bool has_sign = detail::has_weight<Format>(1.0, true);
  if (const Status status = detail::check_inputs(inputs, demands.dt_ms, has_sign, work); !status) return status;
  if (!(demands.saturation > 1e-18)) return Status{Error::parameter_out_of_range, 0, demands.saturation, "saturation"};
  double largest = 0.0;
  for (const SynapticInput& input : inputs)
    if (const double magnitude = detail::magnitude_of(input.weight); magnitude > largest) largest = magnitude;
  if (largest == 0.0) return Status{Error::parameter_not_positive, 0, largest, "weight"};
  const auto fits = [&](double unit) {
    for (const SynapticInput& input : inputs)
      if (!detail::has_weight<Format>(detail::in_units(input.weight, unit), input.weight < 0)) return false;
    return true;
  };
  double unit = 1.0;
  while (fits(unit)) unit /= 2.0;
  while (!fits(unit)) unit *= 2.0;
  for (;; unit *= 2.0) {
    // What a finer unit loses is no more than what a coarser one does.
    for (std::size_t at = 0; at < inputs.size(); ++at) {
      const double weight = inputs[at].weight;
      const auto where = static_cast<std::uint32_t>(at);
      if (weight != 0 && detail::in_units(weight, unit) == 0)
        return Status{Error::weight_vanishes, where, weight, "weight"};
      if (detail::error_of(weight, unit) > demands.accuracy)
        return Status{Error::weight_inexact, where, weight, "weight"};
    }
    const WeightPlan plan = weight_plan_of<Format, Element>(inputs, demands.dt_ms, unit, work).value();
    if (plan.saturation <= demands.saturation) return plan;
  }
}

/// A plan in words: `printf("%s\n", sentence(plan).text.data())`.
[[nodiscard]] constexpr Sentence sentence(const WeightPlan& plan) noexcept {
  // Two digits, but of the unit.
  const auto rounded = [](double value) {
    double scale = 1.0;
    if (!(value > 0)) return 0.0;
    for (; value * scale < 10.0; scale *= 10.0) {}
    for (; value * scale >= 100.0; scale /= 10.0) {}
    return static_cast<double>(static_cast<int>(value * scale + 0.5)) / scale;
  };
  detail::SentenceWriter writer;
  writer.write("unit ");
  const auto bits = std::bit_cast<std::uint64_t>(plan.unit);
  if (bits << 12 == 0 && plan.unit > 0) {
    writer.write("2^");
    writer.write(GivenValue(static_cast<int>(bits >> 52) - 1023));
  } else {
    writer.write(GivenValue(plan.unit));
  }
  writer.write(", weights of ");
  writer.write(std::uint64_t{plan.bits});
  writer.write(" bits to ");
  writer.write(GivenValue(rounded(plan.accuracy * 100.0)));
  writer.write(" %; ring of ");
  writer.write(std::uint64_t{plan.ring_bytes});
  writer.write(" bytes, an element of ");
  writer.write(std::uint64_t{plan.element_bits});
  writer.write(" bits is held in ");
  writer.write(GivenValue(rounded(plan.saturation)));
  writer.write(" of steps at most");
  return writer.sentence();
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
