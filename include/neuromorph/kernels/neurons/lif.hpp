// SPDX-License-Identifier: BSL-1.0
/// \file
/// Leaky integrate-and-fire neurons with exponential synaptic currents, integrated exactly, in fixed point.
///
/// Per neuron one word for the membrane (below zero: millivolts relative to the threshold; zero and above:
/// steps of refractory period still to wait) and one word per synaptic time constant, scaled so that its
/// coupling to the membrane is an addition. Each step costs one 32 by 16 bit multiplication per word; the
/// factors are dithered from 32 to 16 bits tick by tick, so that time constants keep 32 bits on average.
#ifndef NEUROMORPH_KERNELS_NEURONS_LIF_HPP
#define NEUROMORPH_KERNELS_NEURONS_LIF_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/fixed.hpp>
#include <neuromorph/kernels/neurons/neuron_model.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Physical parameters of a cell. Set the capacitance or the resistance; tau_m = r_m * c_m gives the other.
struct LifCell {
  double tau_m_ms = 20.0;
  double tau_exc_ms = 5.0;
  double tau_inh_ms = 5.0;
  double c_m_nf = 0.0;
  double r_m_mohm = 0.0;
  double v_rest_mv = -65.0;
  double v_reset_mv = -65.0;
  double v_threshold_mv = -50.0; ///< at most 512 mV above reset
  double t_refract_ms = 2.0;     ///< rounded to whole steps; 0 is allowed
  double i_offset_na = 0.0;      ///< constant current
};

/// Receptor types of a synapse: excitation adds to the membrane, inhibition subtracts. Weights are
/// magnitudes.
enum class Receptor : std::uint8_t { excitatory = 0, inhibitory = 1 };

/// The format of membrane words below zero, in mV relative to the threshold. The loops work on the raw words.
using LifMembrane = Fixed<std::int32_t, 22, rounding::Down, overflow::Wrap>;
/// The format of exp(-dt/tau) - 1, which is between -0.5 and 0.
using LifDecay = Fixed<std::int32_t, 32>;

/// Integration constants of one neuron.
template <std::size_t TimeConstants>
struct LifConstants {
  std::int32_t membrane_decay = 0;                     ///< LifDecay, of dt/tau_m
  std::array<std::int32_t, TimeConstants> psp_decay{}; ///< LifDecay, of dt/tau_syn
  std::int32_t drift = 0;                              ///< LifMembrane: what rest and constant current add per step
  std::int32_t reset = 0;                              ///< below zero: relative to the threshold
  std::int32_t after_spike = 0;                        ///< refractory steps less one, or `reset` if there are none
  friend constexpr bool operator==(const LifConstants&, const LifConstants&) noexcept = default;
};

/// Powers of two that a whole population shares.
struct LifScale {
  std::uint8_t psp_shift = 0;                ///< a psp unit is 2^-(22 + psp_shift) mV per step
  std::array<std::uint8_t, 2> input_shift{}; ///< a weight unit of each receptor is 2^input_shift psp units
  friend constexpr bool operator==(const LifScale&, const LifScale&) noexcept = default;
};

/// Largest weights that a population must take, as magnitudes; they fix the weight units.
struct LifWeightRange {
  double excitatory_na = 1.0;
  double inhibitory_na = 1.0;
  unsigned bits = 16; ///< of a weight in the synaptic word
};

namespace detail {

/// The status of a refused member of a cell, weights or a fan-in, or of the time step (10), by its number.
[[nodiscard]] constexpr Status refuse_lif(Error error, std::uint32_t member, GivenValue value) noexcept {
  constexpr std::array names{"tau_m_ms",      "tau_exc_ms",  "tau_inh_ms", "c_m_nf",
                             "r_m_mohm",      "v_rest_mv",   "v_reset_mv", "v_threshold_mv",
                             "t_refract_ms",  "i_offset_na", "dt_ms",      "excitatory_na",
                             "inhibitory_na", "bits",        "sum_na",     "interval"};
  return {error, 0, value, names[member]};
}

/// 16 bits that are spread evenly over any run of ticks (golden-ratio sequence).
[[nodiscard]] constexpr std::int32_t lif_dither(std::uint32_t tick) noexcept {
  return static_cast<std::int32_t>((tick * 0x9E3779B9U) >> 16);
}

/// New membrane words from the old ones and those integrated over one step. A word below zero is integrating, at zero
/// its refractory period is over, above it goes on. Appends the neurons that fired; `at` is the index of the first
/// lane.
template <class Lanes>
[[nodiscard]] constexpr typename Lanes::Value
lif_word(typename Lanes::Value membrane, typename Lanes::Value integrated, typename Lanes::Value reset,
         typename Lanes::Value after_spike, std::size_t at, std::uint32_t* spikes, std::uint32_t& count) noexcept {
  const auto counted = Lanes::subtract(membrane, Lanes::splat(1));
  const auto waiting = Lanes::select(Lanes::is_negative(counted), reset, counted);
  const auto active = Lanes::is_negative(membrane);
  const auto fired = Lanes::and_not(active, Lanes::is_negative(integrated));
  auto word = Lanes::select(active, integrated, waiting);
  if (std::uint32_t bits = Lanes::bits(fired); bits != 0) [[unlikely]] {
    word = Lanes::select(fired, after_spike, word);
    for (; bits != 0; bits &= bits - 1)
      spikes[count++] = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return word;
}

/// For neurons one by one: a backend's lanes where it has one.
template <class Target>
using OneLane = std::conditional_t<Target::Lanes::count == 1, typename Target::Lanes, target::Generic::Lanes>;

/// Neurons that the loops of a backend do: whole pairs, as many as their count of passes can hold.
[[nodiscard]] constexpr std::size_t in_whole_pairs(std::size_t count) noexcept {
  constexpr std::size_t most = std::size_t{1} << 18;
  return count > most ? most : count - count % 2;
}

/// The loops of a backend list the addresses of the membranes that fired. Writes their indices instead; returns how
/// many.
[[nodiscard]] inline std::uint32_t lif_indices(const std::int32_t* membrane, std::uint32_t* spikes,
                                               std::uint32_t* end) noexcept {
  const auto first = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(membrane));
  for (std::uint32_t* spike = spikes; spike != end; ++spike) *spike = (*spike - first) / 4;
  return static_cast<std::uint32_t>(end - spikes);
}

} // namespace detail

/// The model. `TimeConstants` 1: excitation and inhibition share one; 2: each has its own.
///
/// \tparam Rounding  of the products: rounding::Down (one instruction less) or rounding::Nearest
/// \exact  bit-exact with target::Generic on every backend
/// \source D. Lester et al., Streamlining SpiNNaker, 2018, chapter 2 (threshold at zero, refractory countdown
/// in the
///         membrane word); closed form of S. Rotter and M. Diesmann, Biol. Cybern. 81, 1999. Differences:
///         coupling uses the psp before its decay, input arrives at the end of the step (so a spike at tick n
///         with a delay of d steps acts from exactly t = (n + d) dt on), the refractory period lasts what the
///         parameter says, saturation of the psp is counted and makes a wrap of the membrane impossible.
template <std::size_t TimeConstants = 2, class Rounding = rounding::Down>
class Lif {
  static_assert(TimeConstants == 1 || TimeConstants == 2, "neuromorph: Lif has 1 or 2 synaptic time constants");
  static_assert(std::is_same_v<Rounding, rounding::Down> || std::is_same_v<Rounding, rounding::Nearest>,
                "neuromorph: Lif rounds its products with rounding::Down or rounding::Nearest; see docs/neurons.md");

public:
  using Offers = offer::List<>;
  using Constants = LifConstants<TimeConstants>;
  static constexpr std::size_t psp_count = TimeConstants;
  static constexpr std::size_t receptors = 2;

  /// Shared parameters of a population, with what is needed to turn physical units into its numbers.
  struct Parameters {
    Constants constants{};
    LifScale scale{};
    double v_threshold_mv = 0.0;
    std::array<double, 2> psp_per_na{}; ///< mV per step and nA, by receptor
  };

  /// Views of a population's words, all of the same length.
  struct State {
    std::span<std::int32_t> membrane;
    std::array<std::span<std::int32_t>, TimeConstants> psp;
  };

  /// Constants of each neuron by itself: one column per constant, all as long as the population.
  struct Table {
    std::span<const std::int32_t> membrane_decay;
    std::array<std::span<const std::int32_t>, TimeConstants> psp_decay;
    std::span<const std::int32_t> drift;
    std::span<const std::int32_t> reset;
    std::span<const std::int32_t> after_spike;
    LifScale scale;
  };

  /// Integration constants for a time step, by the closed form, in integers: the same bits at compile time
  /// and on any machine.
  /// \errors parameter_not_positive, parameter_out_of_range (also for what is no finite number), parameters_contradict,
  ///         time_constant_too_short, time_constant_too_long, weight_out_of_range; `parameter` is the member of LifCell
  ///         or LifWeightRange, or `dt_ms`
  [[nodiscard]] static constexpr Result<Parameters> parameters(const LifCell& cell, double dt_ms,
                                                               const LifWeightRange& weights = {}) noexcept {
    Parameters result;
    const std::array<double, 11> given{
        cell.tau_m_ms,   cell.tau_exc_ms,     cell.tau_inh_ms,   cell.c_m_nf,      cell.r_m_mohm, cell.v_rest_mv,
        cell.v_reset_mv, cell.v_threshold_mv, cell.t_refract_ms, cell.i_offset_na, dt_ms};
    for (std::uint32_t which = 0; which < given.size(); ++which)
      if (!detail::is_finite(given[which])) return refuse(Error::parameter_out_of_range, which, given[which]);
    if (!(dt_ms > 0.0)) return refuse(Error::parameter_not_positive, 10, dt_ms);
    const std::array<double, 3> tau{cell.tau_m_ms, cell.tau_exc_ms, cell.tau_inh_ms};
    std::array<std::int64_t, 3> rate{}; // dt / tau
    for (std::uint32_t which = 0; which < 3; ++which) {
      if (!(tau[which] > 0.0)) return refuse(Error::parameter_not_positive, which, tau[which]);
      const double ratio = dt_ms / tau[which];
      if (ratio > 0.69) return refuse(Error::time_constant_too_short, which, tau[which]);
      if (ratio < 1e-7) return refuse(Error::time_constant_too_long, which, tau[which]);
      rate[which] = detail::to_fixed(ratio, 60);
    }
    if (TimeConstants == 1 && cell.tau_inh_ms != cell.tau_exc_ms)
      return refuse(Error::parameters_contradict, 2, cell.tau_inh_ms);
    const bool by_capacitance = cell.c_m_nf != 0.0;
    if (by_capacitance == (cell.r_m_mohm != 0.0)) return refuse(Error::parameters_contradict, 4, cell.r_m_mohm);
    if (by_capacitance && !(cell.c_m_nf > 0.0)) return refuse(Error::parameter_not_positive, 3, cell.c_m_nf);
    if (!by_capacitance && !(cell.r_m_mohm > 0.0)) return refuse(Error::parameter_not_positive, 4, cell.r_m_mohm);
    if (!(cell.i_offset_na > -1e6 && cell.i_offset_na < 1e6))
      return refuse(Error::parameter_out_of_range, 9, cell.i_offset_na);
    const double r_m_mohm = by_capacitance ? cell.tau_m_ms / cell.c_m_nf : cell.r_m_mohm;
    if (!detail::is_finite(r_m_mohm)) return refuse(Error::parameter_out_of_range, 3, cell.c_m_nf);

    const std::int64_t membrane_factor = detail::exp_q60(-rate[0]);
    Constants& constants = result.constants;
    constants.membrane_decay = q32(membrane_factor - detail::one_q60);
    for (std::size_t which = 0; which < TimeConstants; ++which)
      constants.psp_decay[which] = q32(detail::exp_q60(-rate[which + 1]) - detail::one_q60);

    const Result<std::int32_t> reset = relative(cell.v_reset_mv - cell.v_threshold_mv);
    if (!reset) return refuse(reset.status().error, 6, cell.v_reset_mv);
    constants.reset = reset.value();
    // Rest and constant current together, with 52 fraction bits: summed as integers, so that no compiler
    // fuses them.
    const std::int64_t resting = detail::to_fixed(cell.v_rest_mv - cell.v_threshold_mv, 52),
                       pulled = detail::to_fixed(r_m_mohm * cell.i_offset_na, 52);
    constexpr std::int64_t rest_limit = std::int64_t{256} << 52;
    // Each below 1024 mV, because to_fixed ends at 2048 mV: two that lie beyond would wrap, or cancel out.
    if (resting >= 4 * rest_limit || resting <= -4 * rest_limit)
      return refuse(Error::parameter_out_of_range, 5, cell.v_rest_mv);
    if (pulled >= 4 * rest_limit || pulled <= -4 * rest_limit)
      return refuse(Error::parameter_out_of_range, 9, cell.i_offset_na);
    const std::int64_t rest = resting + pulled;
    if (rest >= rest_limit || rest <= -rest_limit) return refuse(Error::parameter_out_of_range, 5, cell.v_rest_mv);
    const std::int64_t decay_q60 = detail::one_q60 - membrane_factor;
    const std::int64_t drift = detail::multiply_q60(rest, decay_q60);
    // Each product that is rounded down loses half a unit on average; the drift gives it back.
    const std::int64_t lost_halves = rounds_down ? (TimeConstants == 1 ? 2 : 1) : 0;
    constants.drift = static_cast<std::int32_t>(((drift >> 29) + 1 + lost_halves) >> 1);

    const double steps = cell.t_refract_ms / dt_ms;
    if (!(steps >= 0.0 && steps < 1e9)) return refuse(Error::parameter_out_of_range, 8, cell.t_refract_ms);
    const auto refractory = static_cast<std::int32_t>(detail::to_fixed(steps, 0));
    constants.after_spike = refractory == 0 ? constants.reset : refractory - 1;

    // The membrane stays within its range if the largest psps cannot push it out: n 2^31 2^-shift <= decay *
    // room.
    const double rest_share = static_cast<double>(rest < 0 ? -rest : rest) / static_cast<double>(2 * rest_limit);
    const double decay = static_cast<double>(decay_q60) / static_cast<double>(detail::one_q60);
    const double room = decay * (0.98 - rest_share);
    double largest_psp = TimeConstants;
    while (largest_psp > room) {
      largest_psp /= 2;
      ++result.scale.psp_shift;
    }
    result.v_threshold_mv = cell.v_threshold_mv;
    if (weights.bits < 1 || weights.bits > 31) return refuse(Error::parameter_out_of_range, 13, weights.bits);
    const std::array<double, 2> largest_na{weights.excitatory_na, weights.inhibitory_na};
    for (std::uint32_t receptor = 0; receptor < receptors; ++receptor) {
      // (dt / c_m) exp(-dt / tau_m) phi1(dt / tau_m - dt / tau_syn): regular where the time constants are
      // equal
      const std::int64_t phi = detail::phi1_q60(rate[0] - rate[receptor + 1]);
      const double shape =
          static_cast<double>(detail::multiply_q60(membrane_factor, phi)) / static_cast<double>(detail::one_q60);
      result.psp_per_na[receptor] = dt_ms / cell.tau_m_ms * r_m_mohm * shape;
      if (!detail::is_finite(largest_na[receptor]))
        return refuse(Error::parameter_out_of_range, 11 + receptor, largest_na[receptor]);
      if (!(largest_na[receptor] > 0.0))
        return refuse(Error::parameter_not_positive, 11 + receptor, largest_na[receptor]);
      const std::int64_t largest = psp_units(result, receptor, largest_na[receptor]);
      if (largest > INT32_MAX) return refuse(Error::weight_out_of_range, 11 + receptor, largest_na[receptor]);
      while ((largest >> result.scale.input_shift[receptor]) >= (std::int64_t{1} << weights.bits) - 1)
        ++result.scale.input_shift[receptor];
      if (result.scale.input_shift[receptor] > most_input_shift)
        return refuse(Error::weight_out_of_range, 11 + receptor, largest_na[receptor]);
    }
    if constexpr (TimeConstants == 1) {
      const std::uint8_t larger = result.scale.input_shift[0] > result.scale.input_shift[1]
                                      ? result.scale.input_shift[0]
                                      : result.scale.input_shift[1];
      result.scale.input_shift = {larger, larger};
    }
    return result;
  }

  /// The scale for a Table of neurons whose parameters were computed one by one: no neuron's range is less than its
  /// own. Weights of each neuron are then those of its parameters with this scale; where ranges differ so much that the
  /// shift ends at 30, they have more bits.
  [[nodiscard]] static constexpr LifScale common_scale(std::span<const Parameters> neurons) noexcept {
    LifScale common;
    for (const Parameters& neuron : neurons)
      if (neuron.scale.psp_shift > common.psp_shift) common.psp_shift = neuron.scale.psp_shift;
    for (const Parameters& neuron : neurons)
      for (std::size_t receptor = 0; receptor < receptors; ++receptor) {
        // finer psp units need as many more steps from the same weight units
        const int needed = neuron.scale.input_shift[receptor] + common.psp_shift - neuron.scale.psp_shift;
        const int shift = needed < most_input_shift ? needed : most_input_shift;
        if (shift > common.input_shift[receptor]) common.input_shift[receptor] = static_cast<std::uint8_t>(shift);
      }
    return common;
  }

  /// A weight's magnitude in nA as the integer that goes into a synaptic word, to nearest.
  /// \errors weight_vanishes, weight_out_of_range (also for a negative magnitude); `where` is the receptor
  [[nodiscard]] static constexpr Result<std::uint32_t> weight(const Parameters& parameters, Receptor receptor,
                                                              double magnitude_na) noexcept {
    const auto which = static_cast<std::uint32_t>(receptor);
    const std::int64_t units = psp_units(parameters, which, magnitude_na, parameters.scale.input_shift[which]);
    if (magnitude_na < 0.0 || units < 0 || units > INT32_MAX)
      return Status{Error::weight_out_of_range, which, magnitude_na, "magnitude_na"};
    if (units == 0 && magnitude_na != 0.0) return Status{Error::weight_vanishes, which, magnitude_na, "magnitude_na"};
    return static_cast<std::uint32_t>(units);
  }

  /// The word of a membrane at `v_mv`, which must lie below the threshold by at most 512 mV.
  /// \errors parameter_out_of_range: v_mv
  [[nodiscard]] static constexpr Result<std::int32_t> membrane(const Parameters& parameters, double v_mv) noexcept {
    const Result<std::int32_t> word = relative(v_mv - parameters.v_threshold_mv);
    if (!word) return Status{Error::parameter_out_of_range, 0, v_mv, "v_mv"};
    return word;
  }

  /// Millivolts of a membrane word; a refractory neuron is at its reset potential.
  [[nodiscard]] static constexpr double membrane_mv(const Parameters& parameters, std::int32_t word) noexcept {
    const std::int32_t relative_to_threshold = word < 0 ? word : parameters.constants.reset;
    return static_cast<double>(relative_to_threshold) / (1 << LifMembrane::fraction_bits) + parameters.v_threshold_mv;
  }

  /// Advances all neurons by one step.
  ///
  /// \param state      [count] words per member, in place
  /// \param constants  Parameters, shared by all, or a Table with one row per neuron
  /// \param input      [count] sums of weights per receptor that arrive at the end of this step (excitatory,
  ///                   inhibitory), each below 2^30 in magnitude; set to zero
  /// \param tick       number of this step: chooses the dither of the decay factors
  /// \param spikes     [>= count] indices of the neurons that fired, ascending
  /// \errors buffer_full: spikes: shorter than the population; lengths_differ: psp; constants: a column of a Table
  ///         (`value`: the neurons)
  /// \cost   O(count); 3 multiplications of 32 by 16 bits per neuron with two time constants
  template <class Target = target::Native, class ConstantsSource, class Element>
  static constexpr Result<StepCounts> step(const State& state, const ConstantsSource& constants,
                                           const std::array<Element*, receptors>& input, std::uint32_t tick,
                                           std::span<std::uint32_t> spikes) noexcept {
    static_assert(target::Backend<Target>, "neuromorph: Target is no backend; see docs/target.md");
    const std::size_t count = state.membrane.size();
    if (spikes.size() < count) return Status{Error::buffer_full, 0, spikes.size(), "spikes"};
    for (const auto& psp : state.psp)
      if (psp.size() != count) return Status{Error::lengths_differ, 0, psp.size(), "psp"};
    if (!fits(constants, count)) return Status{Error::lengths_differ, 1, count, "constants"};
    StepCounts counts;
    std::size_t done = 0;
    if (!std::is_constant_evaluated()) {
      using Wide = typename Target::Lanes;
      if constexpr (has_loops<Target, Element>())
        return in_backend<Target>(state, constants, input, tick, spikes.data());
      else if constexpr (Wide::count > 1)
        done = run<Wide>(state, constants, input, tick, spikes.data(), 0, count, counts);
    }
    run<detail::OneLane<Target>>(state, constants, input, tick, spikes.data(), done, count, counts);
    return counts;
  }

private:
  static constexpr int most_input_shift = 30; ///< of `scale` of a backend's lanes
  static constexpr bool rounds_down = std::is_same_v<Rounding, rounding::Down>;

  [[nodiscard]] static constexpr Result<Parameters> refuse(Error error, std::uint32_t member,
                                                           GivenValue value) noexcept {
    return detail::refuse_lif(error, member, value);
  }
  [[nodiscard]] static constexpr std::int32_t q32(std::int64_t q60) noexcept {
    return static_cast<std::int32_t>(((q60 >> 27) + 1) >> 1);
  }
  [[nodiscard]] static constexpr Result<std::int32_t> relative(double mv) noexcept {
    const std::int64_t word = detail::to_fixed(mv, LifMembrane::fraction_bits);
    if (word >= 0 || word < INT32_MIN) return Status{Error::parameter_out_of_range, 0, mv, "mv"};
    return static_cast<std::int32_t>(word);
  }
  /// In units of 2^shift, rounded once.
  [[nodiscard]] static constexpr std::int64_t psp_units(const Parameters& parameters, std::uint32_t receptor, double na,
                                                        int shift = 0) noexcept {
    return detail::to_fixed(parameters.psp_per_na[receptor] * na,
                            LifMembrane::fraction_bits + parameters.scale.psp_shift - shift);
  }

  [[nodiscard]] static constexpr bool fits(const Parameters&, std::size_t) noexcept { return true; }
  [[nodiscard]] static constexpr bool fits(const Table& table, std::size_t count) noexcept {
    bool same = table.membrane_decay.size() == count && table.drift.size() == count && table.reset.size() == count &&
                table.after_spike.size() == count;
    for (const auto& decay : table.psp_decay) same = same && decay.size() == count;
    return same;
  }

  /// Constants of one group of lanes in the form that the operations take.
  template <class Lanes>
  struct Prepared {
    typename Lanes::Factor membrane;
    std::array<typename Lanes::Factor, TimeConstants> psp;
    typename Lanes::Value drift, reset, after_spike;
  };
  template <class Lanes>
  [[nodiscard]] static constexpr typename Lanes::Factor dithered(typename Lanes::Value decay,
                                                                 std::uint32_t tick) noexcept {
    return Lanes::factor(
        Lanes::shift_right(Lanes::add(decay, Lanes::splat(detail::lif_dither(tick))), Lanes::shift(16)));
  }
  template <class Lanes>
  [[nodiscard]] static constexpr Prepared<Lanes> prepare(const Parameters& source, std::uint32_t tick,
                                                         std::size_t) noexcept {
    const Constants& from = source.constants;
    Prepared<Lanes> to{dithered<Lanes>(Lanes::splat(from.membrane_decay), tick),
                       {},
                       Lanes::splat(from.drift),
                       Lanes::splat(from.reset),
                       Lanes::splat(from.after_spike)};
    for (std::size_t which = 0; which < TimeConstants; ++which)
      to.psp[which] = dithered<Lanes>(Lanes::splat(from.psp_decay[which]), tick);
    return to;
  }
  template <class Lanes>
  [[nodiscard]] static constexpr Prepared<Lanes> prepare(const Table& from, std::uint32_t tick,
                                                         std::size_t at) noexcept {
    Prepared<Lanes> to{dithered<Lanes>(Lanes::load(from.membrane_decay.data() + at), tick),
                       {},
                       Lanes::load(from.drift.data() + at),
                       Lanes::load(from.reset.data() + at),
                       Lanes::load(from.after_spike.data() + at)};
    for (std::size_t which = 0; which < TimeConstants; ++which)
      to.psp[which] = dithered<Lanes>(Lanes::load(from.psp_decay[which].data() + at), tick);
    return to;
  }

  template <class Lanes>
  [[nodiscard]] static constexpr auto decayed(typename Lanes::Value value, typename Lanes::Factor factor) noexcept {
    if constexpr (rounds_down)
      return Lanes::decay(value, factor);
    else
      return Lanes::decay_nearest(value, factor);
  }
  template <class Lanes>
  [[nodiscard]] static constexpr auto scaled_down(typename Lanes::Value value, typename Lanes::Shift shift) noexcept {
    if constexpr (rounds_down)
      return Lanes::shift_right(value, shift);
    else
      return Lanes::shift_right_nearest(value, shift);
  }

  /// Steps the whole groups of lanes in [first, last); returns where it stopped.
  template <class Lanes, class ConstantsSource, class Element>
  static constexpr std::size_t
  run(const State& state, const ConstantsSource& constants, const std::array<Element*, receptors>& input,
      std::uint32_t tick, std::uint32_t* spikes, std::size_t first, std::size_t last, StepCounts& counts) noexcept {
    constexpr bool shared = std::is_same_v<ConstantsSource, Parameters>;
    const LifScale scale = constants.scale;
    const auto psp_shift = Lanes::shift(scale.psp_shift);
    const std::array input_scale{Lanes::scale(scale.input_shift[0]), Lanes::scale(scale.input_shift[1])};
    auto prepared = prepare<Lanes>(constants, tick, 0);
    std::size_t at = first;
    for (; last - at >= Lanes::count; at += Lanes::count) {
      if constexpr (!shared) prepared = prepare<Lanes>(constants, tick, at);
      const auto membrane = Lanes::load(state.membrane.data() + at);
      const std::array in{Lanes::load(input[0] + at), Lanes::load(input[1] + at)};
      std::array<typename Lanes::Value, TimeConstants> psp{};
      for (std::size_t which = 0; which < TimeConstants; ++which)
        psp[which] = Lanes::load(state.psp[which].data() + at);

      auto integrated = Lanes::add(decayed<Lanes>(membrane, prepared.membrane), prepared.drift);
      integrated = Lanes::add(integrated, scaled_down<Lanes>(psp[0], psp_shift));
      typename Lanes::Overflow overflow{};
      std::array<typename Lanes::Value, TimeConstants> next{};
      const auto excitation = decayed<Lanes>(psp[0], prepared.psp[0]);
      if constexpr (TimeConstants == 2) {
        integrated = Lanes::subtract(integrated, scaled_down<Lanes>(psp[1], psp_shift));
        next[0] = Lanes::add_scaled_magnitudes(excitation, in[0], input_scale[0], overflow);
        const auto inhibition = decayed<Lanes>(psp[1], prepared.psp[1]);
        next[1] = Lanes::add_scaled_magnitudes(inhibition, in[1], input_scale[1], overflow);
      } else {
        next[0] = Lanes::add_scaled(excitation, Lanes::subtract(in[0], in[1]), input_scale[0], overflow);
      }
      if (Lanes::any_overflow(overflow)) [[unlikely]] {
        if constexpr (Lanes::count > 1) { // once more, one neuron at a time
          run<target::Generic::Lanes>(state, constants, input, tick, spikes, at, at + Lanes::count, counts);
          continue;
        } else {
          saturate(next, {excitation, TimeConstants == 2 ? decayed<Lanes>(psp.back(), prepared.psp.back()) : 0}, in,
                   scale, counts);
        }
      }

      const auto word = detail::lif_word<Lanes>(membrane, integrated, prepared.reset, prepared.after_spike, at, spikes,
                                                counts.spikes);
      Lanes::store(state.membrane.data() + at, word);
      for (std::size_t which = 0; which < TimeConstants; ++which)
        Lanes::store(state.psp[which].data() + at, next[which]);
      Lanes::store_zero(input[0] + at);
      Lanes::store_zero(input[1] + at);
    }
    return at;
  }

  static constexpr void saturate(std::array<std::int32_t, TimeConstants>& next,
                                 const std::array<std::int32_t, 2>& decayed_psp, const std::array<std::int32_t, 2>& in,
                                 const LifScale& scale, StepCounts& counts) noexcept {
    for (std::size_t which = 0; which < TimeConstants; ++which)
      next[which] = held(decayed_psp[which], in, scale, which, counts);
  }
  /// A psp with what arrives for it, at the end of its range if it leaves it.
  [[nodiscard]] static constexpr std::int32_t held(std::int32_t decayed_psp, const std::array<std::int32_t, 2>& in,
                                                   const LifScale& scale, std::size_t which,
                                                   StepCounts& counts) noexcept {
    const std::int64_t arriving = TimeConstants == 2 ? in[which] : std::int64_t{in[0]} - in[1];
    const std::int64_t sum = decayed_psp + (arriving << scale.input_shift[which]);
    const std::int64_t word = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    counts.saturations += word != sum ? 1U : 0U;
    return static_cast<std::int32_t>(word);
  }

  /// Constants of a tick as the loops of a backend take them: of the membranes, and of one psp.
  struct MembraneFactors {
    std::int32_t decay;
    std::uint32_t coupling; // 2^(16 - psp_shift)
    std::uint32_t drift;    // of two time constants, 0 - drift
    std::int32_t reset, after_spike;
  };
  struct MembraneRows {
    const std::int32_t *decay, *drift, *reset, *after_spike;
    std::uint32_t scale; // and the dither in the upper half
  };
  struct PspFactors {
    std::int32_t decay;         // or the dither, where each psp has a decay of its own
    std::uint32_t shift, limit; // limit + input / 2 leaves 31 bits where input * 2^shift does
  };

  /// Whether a backend has loops of its own.
  template <class Target, class Element>
  [[nodiscard]] static consteval bool has_loops() {
    constexpr bool has_membranes =
        requires(std::int32_t * words, const MembraneFactors& membranes, std::uint32_t* spikes) {
      Target::template lif_membranes<TimeConstants>(words, words, std::uintptr_t{}, std::size_t{}, membranes, spikes);
    };
    constexpr bool has_rows = requires(std::int32_t * words, const MembraneRows& rows, std::uint32_t* spikes) {
      Target::template lif_membranes_by_neuron<TimeConstants>(words, words, words, std::size_t{}, rows, spikes);
    };
    constexpr bool has_psps = requires(std::int32_t * words, Element * input, const PspFactors& psps) {
      Target::template lif_psps<TimeConstants == 1, true>(words, input, input, words, std::size_t{}, psps);
    };
    return detail::has_loop<Target, offer::LifMembranes, has_membranes>() &&
           detail::has_loop<Target, offer::LifMembranesByNeuron, has_rows>() &&
           detail::has_loop<Target, offer::LifPsps, has_psps>() && rounds_down;
  }

  /// Whole pairs of neurons in the backend's loops, the rest one by one.
  template <class Target, class ConstantsSource, class Element>
  [[gnu::noinline]] static StepCounts in_backend(const State& state, const ConstantsSource& constants,
                                                 const std::array<Element*, receptors>& input, std::uint32_t tick,
                                                 std::uint32_t* spikes) noexcept {
    const std::size_t count = state.membrane.size();
    const std::size_t paired = suits_loops(constants.scale, input) ? detail::in_whole_pairs(count) : 0;
    StepCounts counts;
    if (paired != 0) [[likely]] {
      counts.spikes = detail::lif_indices(state.membrane.data(), spikes,
                                          membranes_in_backend<Target>(state, constants, tick, paired, spikes));
      for (std::size_t which = 0; which < TimeConstants; ++which)
        for (std::size_t at = 0;;) {
          at = psps_in_backend<Target>(state, constants, input, tick, which, at, paired);
          if (at == paired) [[likely]]
            break;
          at = step_pair_of_psps(state, constants, input, tick, which, at, counts);
          if (at == paired) break;
        }
    }
    if (paired != count) step_rest<Target>(state, constants, input, tick, spikes, paired, counts);
    return counts;
  }
  template <class Target, class ConstantsSource>
  [[gnu::always_inline]] static std::uint32_t*
  membranes_in_backend(const State& state, const ConstantsSource& constants, std::uint32_t tick, std::size_t paired,
                       std::uint32_t* spikes) noexcept {
    std::int32_t* const membrane = state.membrane.data();
    const std::int32_t *const first = state.psp[0].data(), *const second = state.psp.back().data();
    const std::int32_t dither = detail::lif_dither(tick);
    const std::uint32_t scale = 65536U >> constants.scale.psp_shift;
    if constexpr (std::is_same_v<ConstantsSource, Parameters>) {
      const Constants& from = constants.constants;
      const auto drift = static_cast<std::uint32_t>(from.drift);
      const MembraneFactors factors{(from.membrane_decay + dither) >> 16, scale,
                                    TimeConstants == 2 ? 0U - drift : drift, from.reset, from.after_spike};
      return Target::template lif_membranes<TimeConstants>(membrane, first, reinterpret_cast<std::uintptr_t>(second),
                                                           paired / 2, factors, spikes);
    } else {
      const MembraneRows rows{constants.membrane_decay.data(), constants.drift.data(), constants.reset.data(),
                              constants.after_spike.data(), static_cast<std::uint32_t>(dither) << 16 | scale};
      return Target::template lif_membranes_by_neuron<TimeConstants>(membrane, first, second, paired / 2, rows, spikes);
    }
  }
  /// Goes on at neuron `at`; returns the one at which it stopped.
  template <class Target, class ConstantsSource, class Element>
  [[gnu::always_inline]] static std::size_t
  psps_in_backend(const State& state, const ConstantsSource& constants, const std::array<Element*, receptors>& input,
                  std::uint32_t tick, std::size_t which, std::size_t at, std::size_t paired) noexcept {
    std::int32_t* const psp = state.psp[which].data();
    const std::size_t pairs = (paired - at) / 2;
    const unsigned shift = constants.scale.input_shift[which];
    constexpr bool shared = std::is_same_v<ConstantsSource, Parameters>;
    PspFactors factors{detail::lif_dither(tick), shift, 0x80000000U - (1U << (30 - shift))};
    const std::int32_t* decays = nullptr;
    if constexpr (shared)
      factors.decay = (constants.constants.psp_decay[which] + factors.decay) >> 16;
    else
      decays = constants.psp_decay[which].data() + at;
    Element *const first = input[TimeConstants == 1 ? 0 : which] + at, *const less = input[1] + at;
    const std::int32_t* const stopped =
        Target::template lif_psps<TimeConstants == 1, !shared>(psp + at, first, less, decays, pairs, factors);
    return static_cast<std::size_t>(stopped - psp);
  }
  /// Shifts that fit the factor 2^(16 - psp_shift), and leave room for all 16-bit inputs; their pairs are in words.
  template <class Element>
  [[nodiscard]] static bool suits_loops(const LifScale& scale, const std::array<Element*, receptors>& input) noexcept {
    if (scale.psp_shift < 2 || scale.psp_shift > 16) return false;
    if constexpr (sizeof(Element) == 4)
      return scale.input_shift[0] <= 30 && scale.input_shift[1] <= 30;
    else
      return ((reinterpret_cast<std::uintptr_t>(input[0]) | reinterpret_cast<std::uintptr_t>(input[1])) & 3) == 0 &&
             scale.input_shift[0] <= 15 && scale.input_shift[1] <= 15;
  }
  template <class Target, class ConstantsSource, class Element>
  [[gnu::noinline]] static void step_rest(const State& state, const ConstantsSource& constants,
                                          const std::array<Element*, receptors>& input, std::uint32_t tick,
                                          std::uint32_t* spikes, std::size_t first, StepCounts& counts) noexcept {
    run<detail::OneLane<Target>>(state, constants, input, tick, spikes, first, state.membrane.size(), counts);
  }

  /// One psp of a neuron and, if it is the first of its pair, of the second. Returns the index of the next pair.
  template <class ConstantsSource, class Element>
  [[gnu::noinline]] static std::size_t
  step_pair_of_psps(const State& state, const ConstantsSource& constants, const std::array<Element*, receptors>& input,
                    std::uint32_t tick, std::size_t which, std::size_t at, StepCounts& counts) noexcept {
    using Lanes = target::Generic::Lanes;
    do {
      std::int32_t& psp = state.psp[which][at];
      psp = held(Lanes::decay(psp, prepare<Lanes>(constants, tick, at).psp[which]), {input[0][at], input[1][at]},
                 constants.scale, which, counts);
    } while (++at % 2 != 0);
    for (std::size_t receptor = 0; receptor < receptors; ++receptor)
      if (TimeConstants == 1 || receptor == which) input[receptor][at - 2] = input[receptor][at - 1] = 0;
    return at;
  }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
